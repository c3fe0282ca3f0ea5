// SPDX-License-Identifier: Apache-2.0
#include "runner/runner.h"

#include "runner/call.h"
#include "runner/errors.h"
#include "support/text.h"

#include <algorithm>
#include <condition_variable>

namespace tenon {

namespace {

struct InRun {
    explicit InRun(std::atomic<std::size_t> &of) : count(of) {
        count.fetch_add(1, std::memory_order_relaxed);
    }
    ~InRun() { count.fetch_sub(1, std::memory_order_release); }
    InRun(const InRun &) = delete;
    InRun &operator=(const InRun &) = delete;
    std::atomic<std::size_t> &count;
};

} // namespace

void CallHandle::cancel() const {
    if (call_) {
        call_->stop(Call::Stop::Cancelled);
    }
}

Result<std::unique_ptr<ToolRunner>> createToolRunner(ToolRunnerOptions options) {
    if (!options.catalog || options.log == nullptr) {
        return Error{"runner.options",
                     concat("the runner was given no ", options.catalog ? "log" : "catalog",
                            "; expected both")};
    }
    return std::make_unique<ToolRunner>(std::move(options));
}

ToolRunner::ToolRunner(ToolRunnerOptions options)
    : parts_(std::make_unique<Parts>(std::move(options))) {}

// Whoever was told of a call's end may get here while the call still puts its things away.
ToolRunner::~ToolRunner() {
    std::unique_lock lock(parts_->mutex);
    parts_->ended.wait(lock, [&] { return parts_->outlastingCount == 0; });
    lock.unlock();
    while (inRun_.load(std::memory_order_acquire) != 0) {
        std::this_thread::yield(); // its call is over: it only returns
    }
}

Load ToolRunner::load() const {
    const auto waiting = parts_->scheduler.waiting();
    const auto inRun = inRun_.load(std::memory_order_relaxed);
    const std::lock_guard lock(parts_->mutex);
    const auto outlasting = parts_->outlastingCount; // of them, some wait
    return {inRun + outlasting - std::min(waiting, outlasting), waiting};
}

const catalog::MountedCatalog &ToolRunner::catalog() const {
    return *parts_->options.catalog;
}

const Limits &ToolRunner::limits() const {
    return parts_->options.limits;
}

CallHandle ToolRunner::run(const ToolCall &call, std::shared_ptr<CallListener> listener) {
    const auto *tool = catalog().find(call.toolName);
    if (tool == nullptr) {
        const auto near = catalog().nearestTo(call.toolName);
        AppError error{"NOT_FOUND",
                       concat("There is no tool named \"", printable(call.toolName, 200), "\".")};
        error.hint = near.empty() ? "" : concat("Did you mean \"", near, "\"?");
        const auto failure = toolResultFromError(error, true);
        const ToolResult result = std::move(error);
        const auto unsaid = [&](const std::optional<HandlerOutcome> &thrown) {
            if (thrown) {
                logSwallowed(*thrown, call.toolName, "and the caller may have been told nothing",
                             *parts_->options.log);
            }
        };
        unsaid(guarded(ThrowSite::Rendering, [&] { listener->render(result, failure); }));
        unsaid(guarded(ThrowSite::Answering, [&] { listener->onDone(result, failure); }));
        return {};
    }
    const auto index = static_cast<std::size_t>(tool - catalog().tools().data());
    auto made = std::make_shared<Call>(*parts_, index, call, std::move(listener));
    {
        const InRun counted(inRun_);
        made->begin(call);
    }
    return CallHandle(std::move(made));
}

ToolRunner::Finished ToolRunner::runBlocking(const ToolCall &call) {
    struct Waiter : CallListener {
        void onDone(ToolResult result, std::string failureJson) override {
            const std::lock_guard lock(mutex);
            finished.emplace(Finished{std::move(result), std::move(failureJson)});
            ended.notify_all();
        }
        json::Document arguments; // its own: a handler that is given up may read on
        std::mutex mutex;
        std::condition_variable ended;
        std::optional<Finished> finished;
    };
    const auto waiter = std::make_shared<Waiter>();
    ToolCall kept = call;
    if (call.arguments) {
        const json::ReadLimits as{call.arguments.raw().size(), UINT32_MAX};
        waiter->arguments = *json::Document::read(std::string(call.arguments.raw()), as);
        kept.arguments = waiter->arguments.root();
    }
    run(kept, waiter);
    std::unique_lock lock(waiter->mutex);
    waiter->ended.wait(lock, [&] { return waiter->finished.has_value(); });
    return std::move(*waiter->finished);
}

bool ToolRunner::shutdown(std::chrono::milliseconds most) {
    const auto allOver = [&] { return parts_->outlastingCount == 0; };
    std::unique_lock lock(parts_->mutex);
    if (!parts_->ended.wait_for(lock, most, allOver)) {
        const auto calls = std::exchange(parts_->outlasting, {});
        lock.unlock();
        for (const auto &weak : calls) {
            if (const auto call = weak.lock()) {
                call->stop(Call::Stop::Cancelled);
            }
        }
        lock.lock();
        using namespace std::chrono_literals;
        parts_->ended.wait_for(lock, parts_->options.cancelGrace + 1s, allOver);
    }
    const bool clean = allOver() && parts_->abandoned == 0;
    lock.unlock();
    if (!clean) { // the process leaves without destructors: the others are stopped here
        for (const auto &mount : catalog().mounts()) {
            mount.handler->stop();
        }
    }
    return clean;
}

} // namespace tenon
