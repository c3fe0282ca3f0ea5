// SPDX-License-Identifier: Apache-2.0
// The thread of a delivery, and what it alone does.
#include "runner/audit/delivery.h"

#include "support/text.h"

#include <algorithm>
#include <system_error>
#include <utility>

namespace tenon::audit {

namespace {

using namespace std::chrono_literals;
using Steady = std::chrono::steady_clock;

constexpr auto kLookEvery = 5ms;
constexpr std::chrono::milliseconds kRotateBackOffMin = 50ms, kRotateBackOffMax = 10s;

} // namespace

void Delivery::startThread() {
    if (thread_.joinable()) {
        return;
    }
    try {
        thread_ = std::thread([this] { run(); });
    } catch (const std::system_error &refused) { // tried again with the next row
        if (!std::exchange(threadRefused_, true)) {
            words_.emplace_back(LogLevel::Error, concat("no thread to write it: ", refused.what()));
        }
    }
}

void Delivery::run() {
    Lock lock(mutex_);
    while (!stopping_) {
        if (busy_) {
            waitsForIdle_ = true;
            wake_.wait(lock);
            waitsForIdle_ = false;
        } else if (isRotationDue()) {
            callRotate(lock);
        } else if (keepUpWanted_) {
            callKeepUp(lock);
        } else if (!words_.empty()) {
            say(lock);
        } else if (background_ && hasWork()) {
            writeSome(lock);
            wroteLast_ = true;
        } else {
            sleep(lock);
        }
    }
    if (rotateWanted_) {
        callRotate(lock);
    }
}

void Delivery::sleep(Lock &lock) {
    if (pushed_ == safe_ && options_.mode == Mode::Sync) {
        background_ = false;
    }
    auto until = Time::max();
    if (background_ && pushed_ != safe_) {
        until = retryAt_;
    } else if (std::exchange(wroteLast_, false)) {
        // To be woken costs those who add far more than adding: while rows come, look by oneself.
        wakeAtRows_ = std::min(kBatchRows, options_.rowsMax / 2);
        wakeAtBytes_ = options_.bytesMax / 2;
        until = Steady::now() + kLookEvery;
    } else {
        wakeAtRows_ = 1;
    }
    if (rotateWanted_) {
        until = std::min(until, rotateAt_);
    }
    if (until == Time::max()) {
        wake_.wait(lock);
    } else {
        wake_.wait_until(lock, until);
    }
    wakeAtRows_ = wakeAtBytes_ = kNever;
}

bool Delivery::isRotationDue() const {
    return rotateWanted_ && (rotateAt_ == Time{} || Steady::now() >= rotateAt_);
}

void Delivery::callRotate(Lock &lock) {
    rotateWanted_ = false;
    Result<void> done;
    {
        const Busy busy(*this, lock);
        done = sink_->rotate();
    }
    if (done) {
        rotateBackOff_ = {};
        keepUpWanted_ = true; // with one file more
    } else if (done.error().code == kLocked) {
        rotateBackOff_ = std::clamp(rotateBackOff_ * 2, kRotateBackOffMin, kRotateBackOffMax);
        rotateAt_ = Steady::now() + rotateBackOff_;
        rotateWanted_ = true;
    } else {
        words_.emplace_back(LogLevel::Error, concat("cannot be put aside: ", done.error().message));
    }
}

void Delivery::callKeepUp(Lock &lock) {
    keepUpWanted_ = false;
    keepUpBytes_ = 0;
    std::vector<std::string> notices;
    {
        const Busy busy(*this, lock);
        notices = sink_->keepUp();
    }
    keptUpAt_ = Steady::now();
    notice(notices);
}

void Delivery::notice(const std::vector<std::string> &notices) {
    for (const auto &text : notices) {
        words_.emplace_back(LogLevel::Warning, text);
    }
}

void Delivery::say(Lock &lock) {
    const auto words = std::exchange(words_, {});
    lock.unlock();
    for (const auto &[level, message] : words) {
        log_.write(level, concat("audit: ", where_, ": ", message));
    }
    lock.lock();
}

} // namespace tenon::audit
