// SPDX-License-Identifier: Apache-2.0
// What several tests build on: a catalog of a few tools, a handler made of a function, a listener
// that waits.
#pragma once

#include "runner/errors.h"
#include "runner/runner.h"

#include <catch2/catch.hpp>

#include <condition_variable>
#include <functional>
#include <mutex>
#include <string>
#include <vector>

namespace tenon::testing {

// Ends every call with what a function gives, on the thread that invoked it; a function that gives
// nothing keeps the call, to be finished later.
class FunctionHandler : public Handler {
public:
    using Function = std::function<std::optional<HandlerOutcome>(const CallPtr &)>;
    explicit FunctionHandler(Function function) : function_(std::move(function)) {}
    void invoke(const CallPtr &call) noexcept override {
        if (auto outcome = function_(call)) {
            call->finish(std::move(*outcome));
        }
    }
    void cancel(const CallPtr &) noexcept override { ++cancels; }
    void abandon(const CallPtr &) noexcept override { ++abandons; }
    bool mayRunInline() const noexcept override { return true; }
    std::string unavailable() const override { return down; }

    std::atomic<int> cancels = 0, abandons = 0;
    std::string down;

private:
    Function function_;
};

inline std::shared_ptr<const catalog::Catalog> catalogOf(const std::string &toolsJson) {
    auto made = catalog::Catalog::fromJson(
        R"({"id":"test","version":"1","tools":[)" + toolsJson + "]}", Limits());
    INFO((made ? "" : made.error().message));
    REQUIRE(made.has_value());
    return *made;
}

// {"name":NAME,...} with an open object schema and these further members (",..." or "").
inline std::string toolJson(const std::string &name, const std::string &more = "") {
    return R"({"name":")" + name + R"(","description":"d","inputSchema":{"type":"object"})" + more +
           "}";
}

inline std::shared_ptr<const catalog::MountedCatalog> mountedOf(const std::string &toolsJson,
                                                                std::shared_ptr<Handler> handler) {
    catalog::Mount mount;
    mount.catalog = catalogOf(toolsJson);
    mount.handler = std::move(handler);
    mount.origin = "test";
    auto made = catalog::MountedCatalog::make({mount});
    REQUIRE(made.has_value());
    return *made;
}

// Waits for one call. Everything it heard stays to be looked at.
class WaitingListener : public CallListener {
public:
    bool wantsProgress() const override { return true; }
    void onProgress(const Progress &progress) override {
        const std::lock_guard lock(mutex_);
        progresses.push_back(progress.done);
    }
    void onDone(ToolResult given, std::string failure) override {
        const std::lock_guard lock(mutex_);
        ++dones;
        result = std::move(given);
        failureJson = std::move(failure);
        changed_.notify_all();
    }
    bool wait(std::chrono::milliseconds most = std::chrono::seconds(10)) {
        std::unique_lock lock(mutex_);
        return changed_.wait_for(lock, most, [&] { return dones > 0; });
    }
    bool isDone() {
        const std::lock_guard lock(mutex_);
        return dones > 0;
    }

    ToolResult result;
    std::string failureJson;
    std::vector<double> progresses;
    int dones = 0;

private:
    std::mutex mutex_;
    std::condition_variable changed_;
};

inline std::string codeOf(const ToolResult &result) {
    const auto *error = std::get_if<AppError>(&result);
    return error ? error->code : "";
}

// Whether words hold a part; shows them when they do not.
inline bool has(const std::string &words, std::string_view part) {
    INFO(words);
    const bool found = words.find(part) != std::string::npos;
    CHECK(found);
    return found;
}

inline std::string dataOf(const ToolResult &result) {
    const auto *output = std::get_if<Output>(&result);
    return output ? output->data : "";
}

} // namespace tenon::testing
