// SPDX-License-Identifier: Apache-2.0
// How a call begins, suspends, stops, and talks to its listener.
#include "runner/call.h"
#include "runner/errors.h"
#include "support/text.h"

#include <algorithm>

namespace tenon {

namespace {

using namespace std::chrono_literals;

// A non-blocking tool that was slow this many times in a row runs on the pool from then on. More
// than one, because a busy machine can take the thread away for longer than any honest tool needs.
constexpr int kSlowStrikesMax = 3;
constexpr auto kSlow = 1ms;

// Progress reports that a caller is sent: a burst, then so many a second.
constexpr double kProgressBurst = 32;
constexpr double kProgressPerSecond = 50;

} // namespace

WorkKey Call::workKey() const {
    const bool serial = tool_.execution.concurrency == catalog::Concurrency::Serial;
    return {parts_.options.catalog->tools()[toolIndex_].mount, mount_.concurrencyMax,
            serial ? &tool_ : nullptr, context_.caller.userId};
}

bool Call::mayRunInline() const {
    return !tool_.execution.blocking &&
           tool_.execution.concurrency == catalog::Concurrency::Parallel &&
           mount_.handler->mayRunInline() &&
           parts_.slowStrikes[toolIndex_].load(std::memory_order_relaxed) < kSlowStrikesMax;
}

void Call::begin(const ToolCall &request) {
    args_ = request.arguments;
    if (!args_) {
        static_cast<void>(none_.readView("{}"));
        args_ = none_.root();
    }
    if (request.mayRunHere && mayRunInline()) {
        runInline();
        return;
    }
    {
        const std::lock_guard lock(mutex_);
        outlastRun();
    }
    pooled_ = true;
    const auto number = suspend(Suspension::Queue);
    const auto work = [self = shared_from_this(), number] {
        if (self->resume(number)) {
            self->advance();
        } else { // stopped just as it left the queue: its place is still taken
            self->parts_.scheduler.release(self->workKey());
        }
    };
    if (parts_.scheduler.submit(workKey(), work, this) == Scheduler::Admission::QueueFull &&
        resume(number)) {
        pooled_ = false; // it has no place to give back
        AppError error{"OVERLOADED", concat("Too many calls are waiting: ",
                                            parts_.options.concurrency.queueMax, ", the limit.")};
        error.hint = "Wait a moment and try again.";
        conclude(std::move(error), Outcome::Overloaded);
        advance();
    }
}

void Call::runInline() {
    inlineOn_ = std::this_thread::get_id();
    advance();
    const bool slow = handlerTook_ > kSlow;
    auto &strikes = parts_.slowStrikes[toolIndex_];
    if (!slow) {
        if (strikes.load(std::memory_order_relaxed) != 0) {
            strikes.store(0, std::memory_order_relaxed);
        }
    } else if (strikes.fetch_add(1) + 1 == kSlowStrikesMax) {
        parts_.options.log->warning(concat(name_, " is declared non-blocking and took over a "
                                                  "millisecond three times in a row: from now on "
                                                  "it runs on the pool"));
    }
    const std::lock_guard lock(mutex_);
    if (!over_) { // suspended, or on its way to its end on another thread
        outlastRun();
    }
}

// The call goes on after run() has returned: its deadline holds, and shutdown waits for it.
void Call::outlastRun() {
    outlasts_ = true;
    addTimer(deadline_, [](Call &call) { call.stop(Stop::TimedOut); });
    const std::lock_guard lock(parts_.mutex);
    ++parts_.outlastingCount;
    auto &calls = parts_.outlasting;
    if (calls.size() >= 64 && calls.size() == calls.capacity()) {
        std::erase_if(calls, [](const auto &weak) { return weak.expired(); });
    }
    calls.push_back(weak_from_this());
}

std::uint64_t Call::suspend(Suspension kind) {
    const std::lock_guard lock(mutex_);
    suspension_ = kind;
    self_ = shared_from_this();
    ++suspensions_;
    if (kind == Suspension::Handler) {
        inHandler_ = suspensions_;
    }
    return suspensions_;
}

// True for the one that may go on.
bool Call::resume(std::uint64_t number) {
    const std::lock_guard lock(mutex_);
    if (suspension_ == Suspension::None || suspensions_ != number) {
        return false;
    }
    suspension_ = Suspension::None;
    self_ = nullptr; // not the last: whoever calls has it
    return true;
}

void Call::stop(Stop reason) {
    const auto self = shared_from_this();
    const std::lock_guard lock(mutex_); // the runner is there for as long as the call is not over
    Stop none = Stop::None;
    if (over_ || closing_ || !stop_.compare_exchange_strong(none, reason)) {
        return;
    }
    if (suspension_ == Suspension::Queue) { // it leaves the queue
        suspension_ = Suspension::None;
        self_ = nullptr;
        parts_.scheduler.withdraw(this);
        pooled_ = false;
        endStopped();
        return;
    }
    armGrace(); // first: the plugin may take its time over cancel()
    if (suspension_ == Suspension::Handler) {
        parts_.scheduler.post([self] { self->mount_.handler->cancel(self); });
    }
}

void Call::addTimer(Clock::time_point due, void (*work)(Call &)) {
    timers_.push_back(parts_.deadlines.add(due, [weak = weak_from_this(), work] {
        if (const auto self = weak.lock()) {
            work(*self);
        }
    }));
}

void Call::armGrace() {
    addTimer(Clock::now() + parts_.options.cancelGrace, [](Call &call) { call.giveUp(); });
}

// The grace is over: the call is answered for, and what comes back later is dropped.
void Call::giveUp() {
    const auto self = shared_from_this();
    Suspension kind;
    {
        const std::lock_guard lock(mutex_);
        if (closing_ || over_) {
            return;
        }
        kind = std::exchange(suspension_, Suspension::None);
        if (kind == Suspension::None) {
            armGrace(); // a step is running; it may suspend yet
            return;
        }
        self_ = nullptr;
        if (kind == Suspension::Handler) {
            ++parts_.abandoned;
            abandoned_ = true;
        }
    }
    if (kind == Suspension::Handler) {
        mount_.handler->abandon(self);
        if (insideHandler_ && pooled_) {
            parts_.scheduler.giveUpThread();
            threadLost_ = true;
            if (!insideHandler_ && threadLost_.exchange(false)) {
                parts_.scheduler.regainThread(); // it came back between the lines
            }
        }
    } else if (kind == Suspension::Hook) {
        hookGivenUp_ = true;
        result_ = &results_[1];
    }
    endStopped();
}

void Call::endStopped() {
    parts_.scheduler.post([self = shared_from_this()] {
        self->concludeStopped();
        self->advance();
    });
}

bool Call::stoppedBetweenSteps() {
    if (stop_.load() == Stop::None) {
        return false;
    }
    concludeStopped();
    return true;
}

void Call::concludeStopped() {
    if (stop_.load() == Stop::Cancelled) {
        conclude(AppError{"CANCELLED", concat("The call of \"", name_, "\" was cancelled.")},
                 Outcome::Cancelled);
        return;
    }
    const auto limit = std::chrono::duration_cast<std::chrono::milliseconds>(deadline_ - started_);
    AppError error{"TIMEOUT", concat("\"", name_, "\" did not answer within ", limit.count(),
                                     " ms, its time limit.")};
    if (!began_) {
        error.message = concat("\"", name_, "\" waited for ", limit.count(),
                               " ms, its time limit, while too many calls were running; it did not "
                               "run.");
        error.retryable = true;
    }
    conclude(std::move(error), Outcome::Timeout);
}

void Call::done() {
    {
        const std::lock_guard lock(listening_);
        told_ = true;
        if (const auto thrown = guarded(ThrowSite::Answering, [&] {
                if (hookGivenUp_) { // and may read them yet
                    listener_->onDone(*result_, failureJson_);
                } else {
                    listener_->onDone(std::move(*result_), std::move(failureJson_));
                }
            })) {
            swallow(*thrown, "and the caller may have been told nothing");
        }
    }
    if (pooled_) {
        parts_.scheduler.release(workKey());
    }
    bool outlasts = false;
    {
        const std::lock_guard lock(mutex_);
        over_ = true;
        outlasts = outlasts_;
        for (const auto &timer : timers_) {
            parts_.deadlines.remove(timer);
        }
    }
    if (outlasts) {
        // Last: the runner may go away once this is counted.
        const std::lock_guard lock(parts_.mutex);
        --parts_.outlastingCount;
        parts_.ended.notify_all();
    }
}

std::string Call::hostHint(const std::string &code) const {
    std::string hint;
    if (!parts_.options.errorHint) {
        return hint;
    }
    if (const auto thrown =
            guarded(ThrowSite::ErrorHint, [&] { hint = parts_.options.errorHint(name_, code); })) {
        swallow(*thrown, "and the error goes without its hint");
    }
    return hint;
}

// A hook that suspends once the outcome stands is given up when this is over.
void Call::afterWatchGrace(std::function<void(Call &)> giveUp) {
    const std::lock_guard lock(mutex_);
    timers_.push_back(parts_.deadlines.add(Clock::now() + parts_.options.watchGrace,
                                           [weak = weak_from_this(), giveUp = std::move(giveUp)] {
                                               if (const auto self = weak.lock()) {
                                                   self->parts_.scheduler.post(
                                                       [self, giveUp] { giveUp(*self); });
                                               }
                                           }));
}

void Call::progress(const Progress &progress) {
    const std::lock_guard lock(listening_);
    bool wanted = false;
    if (const auto thrown =
            guarded(ThrowSite::Progress, [&] { wanted = listener_->wantsProgress(); })) {
        swallow(*thrown, "and the report was lost");
    }
    if (!wanted || told_) {
        return;
    }
    const auto now = Clock::now();
    const std::chrono::duration<double> since = now - progressAt_;
    progressAt_ = now;
    progressTokens_ =
        std::min(kProgressBurst, progressTokens_ + since.count() * kProgressPerSecond);
    if (progress.done <= progressDone_ || progressTokens_ < 1) {
        return;
    }
    progressTokens_ -= 1;
    progressDone_ = progress.done;
    const auto message = validUtf8(progress.message);
    if (const auto thrown = guarded(ThrowSite::Progress, [&] {
            listener_->onProgress({progress.done, progress.total, message});
        })) {
        swallow(*thrown, "and the report was lost");
    }
}

void Call::log(CallLogLevel level, std::string_view message) {
    const std::lock_guard lock(listening_);
    if (told_) {
        return;
    }
    if (const auto thrown =
            guarded(ThrowSite::CallLog, [&] { listener_->onLog(level, validUtf8(message)); })) {
        swallow(*thrown, "and the message was lost");
    }
}

} // namespace tenon
