// SPDX-License-Identifier: Apache-2.0
// How a file of JSON lines is kept from growing for ever.
#include "runner/audit/jsonl_sink.h"

#include "support/text.h"

#include <fcntl.h>
#include <sys/stat.h>

#include <algorithm>
#include <ctime>

namespace tenon::audit {

namespace {

using Steady = std::chrono::steady_clock;

constexpr std::chrono::seconds kUpkeepEvery{60};
// Why files that seem to be too old are left.
constexpr std::string_view kClockJumped =
    "the clock has jumped ahead by more than the retention: no file put aside is deleted until the "
    "host is started anew";
constexpr std::string_view kAllIsOld =
    "all of the audit looks older than the retention, as when the clock is wrong: no file put "
    "aside is deleted before a row is written";

SystemTime timeOf(std::int64_t seconds, std::int64_t nanoseconds) {
    return SystemTime(std::chrono::duration_cast<SystemTime::duration>(
        std::chrono::seconds(seconds) + std::chrono::nanoseconds(nanoseconds)));
}

std::chrono::seconds wholeSeconds(std::chrono::nanoseconds time) {
    return std::chrono::duration_cast<std::chrono::seconds>(time);
}

std::optional<SystemTime> writtenAt(int fd) {
    struct stat seen {};
    if (fstat(fd, &seen) != 0) {
        return std::nullopt;
    }
    return timeOf(seen.st_mtim.tv_sec, seen.st_mtim.tv_nsec);
}

// Of the machine; its sleep counts, and no change of the clock does.
std::chrono::nanoseconds sinceStart() {
    timespec now{};
    clock_gettime(CLOCK_BOOTTIME, &now);
    return std::chrono::seconds(now.tv_sec) + std::chrono::nanoseconds(now.tv_nsec);
}

} // namespace

bool JsonlSink::isDue() {
    const auto bytes = size();
    if (isDevice_ || bytes == 0 || Steady::now() < nextRotation_) {
        return false;
    }
    return (rotation_.bytesMax > 0 && bytes > rotation_.bytesMax) || isTooOld();
}

// Since the file was begun, not since its first row was: that call may have taken long.
bool JsonlSink::isTooOld() const {
    if (rotation_.ageMax.count() <= 0 || Steady::now() < nextAgeRotation_) {
        return false;
    }
    auto began = openedAt_;
    struct statx seen {};
    if (statx(fd_, "", AT_EMPTY_PATH, STATX_BTIME, &seen) == 0 &&
        (seen.stx_mask & STATX_BTIME) != 0) {
        began = timeOf(seen.stx_btime.tv_sec, seen.stx_btime.tv_nsec);
    }
    return wholeSeconds(std::chrono::system_clock::now() - began) >= rotation_.ageMax;
}

// Leaves no file open where it could not be begun anew; the next batch says why.
Result<void> JsonlSink::putAsideNow() {
    const auto aside = putAside(path_, path_, std::chrono::system_clock::now());
    if (!aside) {
        return aside.error();
    }
    constexpr std::chrono::seconds kMost = std::chrono::hours(24 * 366);
    nextAgeRotation_ = Steady::now() + std::min(rotation_.ageMax, kMost);
    nextDeletion_ = {};
    return openFile();
}

void JsonlSink::rotateIfDue() {
    if (!isDue()) {
        return;
    }
    if (const auto done = putAsideNow(); !done && done.error().code == "audit.rotate") {
        nextRotation_ = Steady::now() + kUpkeepEvery;
        notices_.push_back(
            concat("the file is due to be put aside, but ", done.error().message, "; it grows on"));
    }
}

std::vector<std::string> JsonlSink::keepUp() {
    if (isDue() && lockCurrent(Steady::now() + kLockWaitMax)) {
        rotateIfDue();
        unlock();
    }
    deleteOld();
    return std::exchange(notices_, {});
}

void JsonlSink::deleteOld() {
    const auto now = std::chrono::system_clock::now();
    const auto sinceEpoch = std::chrono::floor<std::chrono::seconds>(now.time_since_epoch());
    if (isDevice_ || rotation_.retention.count() <= 0 || rotation_.retention >= sinceEpoch ||
        Steady::now() < nextDeletion_) {
        return;
    }
    nextDeletion_ = Steady::now() + kUpkeepEvery;
    const auto before = now - rotation_.retention;
    const auto written = writtenAt(fd_);
    if (!written) {
        return;
    }
    if (clockJumped_ || *written < before) {
        if (!archivesOf(path_).empty() && !std::exchange(saidNotDeleted_, true)) {
            notices_.emplace_back(clockJumped_ ? kClockJumped : kAllIsOld);
        }
        return;
    }
    const auto deleted = deleteOlder(path_, before);
    if (!deleted.fault.empty() && !deletionFailed_) {
        notices_.push_back(concat("a file that is too old cannot be deleted: ", deleted.fault));
    }
    deletionFailed_ = !deleted.fault.empty();
}

// Before each batch: what this process wrote not long ago cannot be older than the retention.
void JsonlSink::lookAtClock() {
    if (isDevice_ || rotation_.retention.count() <= 0) {
        return;
    }
    const auto here = sinceStart();
    const auto written = writtenAt(fd_);
    if (wroteAt_ && wholeSeconds(here - *wroteAt_) < rotation_.retention && written) {
        const auto age = wholeSeconds(std::chrono::system_clock::now() - *written);
        clockJumped_ = clockJumped_ || age > rotation_.retention;
    }
    wroteAt_ = here;
}

Result<void> JsonlSink::rotate() {
    if (auto locked = lockCurrent(Steady::now() + kLockWaitMax); !locked) {
        return locked;
    }
    const bool moved = Steady::now() < movedUntil_;
    movedUntil_ = {};
    if (isDevice_ || moved || size() == 0) {
        unlock();
        return {};
    }
    auto done = putAsideNow();
    unlock();
    return done;
}

} // namespace tenon::audit
