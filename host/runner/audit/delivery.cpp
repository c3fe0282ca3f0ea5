// SPDX-License-Identifier: Apache-2.0
#include "runner/audit/delivery.h"

#include "support/text.h"

#include <algorithm>
#include <utility>

namespace tenon::audit {

namespace {

using namespace std::chrono_literals;
using Steady = std::chrono::steady_clock;

// What is kept of batches that were written.
constexpr std::size_t kUsedMax = 4;
constexpr std::size_t kUsedBytesMax = 512U << 10; // of one
constexpr std::size_t kBatchBytes = 4U << 20;
constexpr std::size_t kIdBytes = 36;
constexpr std::chrono::milliseconds kBackOffMin = 50ms, kBackOffMax = 1s;
constexpr auto kLossWarningEvery = 10s;
constexpr auto kLastFlush = 2s;
constexpr auto kLockedPause = 20ms;
// Sync: how often the sink keeps up, or once so much was written.
constexpr auto kKeepUpEvery = 1s;
constexpr std::size_t kKeepUpBytes = 4U << 20;

// About what a row takes in memory. The id does not count: it is given later.
std::size_t bytesOf(const Row &row) {
    struct Texts {
        std::vector<std::string Row::*> strings;
        std::vector<JsonText Row::*> jsons;
    };
    static const Texts kTexts = [] {
        Texts texts;
        for (const auto &column : columns()) {
            if (const auto *string = std::get_if<std::string Row::*>(&column.field)) {
                texts.strings.push_back(*string);
            } else if (const auto *json = std::get_if<JsonText Row::*>(&column.field)) {
                texts.jsons.push_back(*json);
            }
        }
        return texts;
    }();
    std::size_t bytes = sizeof(Row) + kIdBytes - row.id.size();
    for (const auto field : kTexts.strings) {
        bytes += (row.*field).size();
    }
    for (const auto field : kTexts.jsons) {
        bytes += (row.*field).text.size();
    }
    return bytes;
}

} // namespace

Delivery::Delivery(std::unique_ptr<Sink> sink, DeliveryOptions options, std::string where, Log &log)
    : sink_(std::move(sink)), options_(options), where_(std::move(where)), log_(log),
      background_(options.mode == Mode::Async), keptUpAt_(Steady::now()) {}

Delivery::~Delivery() {
    flush(kLastFlush);
    {
        const std::lock_guard lock(mutex_);
        stopping_ = true;
    }
    wake_.notify_all();
    if (thread_.joinable()) {
        thread_.join();
    }
    Lock lock(mutex_);
    say(lock);
    if (const auto lost = lostNow(); lost > 0) {
        log_.error(concat("audit: ", where_, ": ", lost, " rows are lost: ",
                          reason_.empty() ? "there was no time to write them" : reason_));
    }
}

std::uint64_t Delivery::lostNow() const {
    auto lost = pushed_ - safe_ + lost_;
    for (const auto &gap : gaps_) {
        lost += gap.rows - 1; // that row itself is none
    }
    return lost;
}

Row Delivery::spare() {
    const std::lock_guard lock(mutex_);
    if (used_.empty()) {
        return {};
    }
    Row row = std::move(used_.back().back());
    used_.back().pop_back();
    if (used_.back().empty()) {
        used_.pop_back();
    }
    return row;
}

void Delivery::add(Row row) {
    row.id.reserve(kIdBytes);
    const auto bytes = bytesOf(row);
    Lock lock(mutex_);
    if (!enqueue(std::move(row), bytes)) {
        return;
    }
    if (options_.mode == Mode::Sync) {
        waitUntilSafe(lock, pushed_);
    } else {
        startThread();
    }
    if (!thread_.joinable() && !words_.empty()) {
        say(lock);
    }
    if (options_.mode == Mode::Async &&
        (pushed_ - safe_ >= wakeAtRows_ || bytes_ >= wakeAtBytes_)) {
        wakeAtRows_ = wakeAtBytes_ = kNever;
        lock.unlock();
        wake_.notify_one();
    }
}

bool Delivery::enqueue(Row &&row, std::size_t bytes) {
    if (pushed_ - safe_ < options_.rowsMax && bytes_ + bytes <= options_.bytesMax) {
        push(std::move(row), bytes);
        return true;
    }
    if (lost_ == 0) {
        lostSince_ = std::chrono::system_clock::now();
    }
    ++lost_;
    ++dropped_;
    return false;
}

void Delivery::push(Row &&row, std::size_t bytes) {
    if (queue_.empty() || queue_.back().rows.size() >= kBatchRows ||
        queue_.back().bytes >= kBatchBytes) {
        queue_.emplace_back().rows.reserve(kBatchRows);
    }
    nextRowId(row.id);
    queue_.back().rows.push_back(std::move(row));
    queue_.back().bytes += bytes;
    bytes_ += bytes;
    ++pushed_;
}

void Delivery::pushGap() {
    Row gap;
    gap.startedAt = timeText(lostSince_);
    const auto lasted = std::chrono::system_clock::now() - lostSince_;
    gap.durationMs = std::chrono::duration<double, std::milli>(std::max(lasted, 0ns)).count();
    gap.source = "internal";
    gap.kind = "gap";
    gap.outcome = "lost";
    gap.errorCode = "AUDIT_LOST";
    gap.errorMessage = concat(lost_, " rows were lost here: no more could be kept in memory while "
                                     "they could not be written");
    gap.errorDetail.text = concat(R"({"rows":)", lost_, '}');
    const auto bytes = bytesOf(gap);
    push(std::move(gap), bytes);
    gaps_.push_back({pushed_, std::exchange(lost_, 0)});
}

// Group commit: who finds nobody writing writes all that there is, the others wait for that.
void Delivery::waitUntilSafe(Lock &lock, std::uint64_t row) {
    const auto until = Steady::now() + options_.syncWaitMax;
    const auto faults = faults_;
    while (safe_ < row && faults_ == faults) {
        const bool isThreadsTurn = waitsForIdle_ && (keepUpWanted_ || isRotationDue());
        if (!busy_ && faulted_ && !hasWork()) {
            return; // a fault that bids to wait
        }
        if (Steady::now() >= until) {
            background_ = true;
            startThread();
            wake_.notify_one();
            return;
        }
        if (busy_ || isThreadsTurn) {
            settled_.wait_until(lock, until);
        } else if (!hasWork()) { // it is locked
            const auto next = std::min(until, retryAt_);
            settled_.wait_until(lock, next);
        } else {
            writeSome(lock);
        }
    }
}

bool Delivery::flush(std::chrono::milliseconds most) {
    const auto until = Steady::now() + most;
    Lock lock(mutex_);
    if (lost_ > 0 && pushed_ == safe_) {
        pushGap();
    }
    const auto target = pushed_;
    const bool hasLost = lost_ > 0; // the row about that is not pushed yet
    if (safe_ < target) {
        background_ = true;
        retryAt_ = {}; // once, at once
        startThread();
        wake_.notify_one();
    }
    return settled_.wait_until(
        lock, until, [&] { return hasLost ? lost_ == 0 && safe_ == pushed_ : safe_ >= target; });
}

void Delivery::rotate() {
    const std::lock_guard lock(mutex_);
    rotateWanted_ = true;
    rotateAt_ = {};
    startThread();
    wake_.notify_one();
}

Counts Delivery::counts() const {
    const std::lock_guard lock(mutex_);
    return {safe_, dropped_, pushed_ - safe_, faults_, faulted_};
}

bool Delivery::hasWork() const {
    return pushed_ != safe_ && (retryAt_ == Time{} || Steady::now() >= retryAt_);
}

Delivery::Busy::Busy(Delivery &delivery, Lock &lock) : delivery_(delivery), lock_(lock) {
    delivery_.busy_ = true;
    lock_.unlock();
}

Delivery::Busy::~Busy() {
    lock_.lock();
    delivery_.busy_ = false;
    delivery_.settled_.notify_all();
    if (delivery_.waitsForIdle_) {
        delivery_.wake_.notify_one();
    }
}

void Delivery::writeSome(Lock &lock) {
    if (current_.rows.empty()) {
        current_ = std::move(queue_.front());
        currentDone_ = 0;
        queue_.pop_front();
    }
    const auto began = Steady::now();
    Written written;
    std::size_t bytes = 0;
    Batch done;
    {
        const Busy busy(*this, lock);
        const auto rows = std::span<const Row>(current_.rows).subspan(currentDone_);
        written = sink_->write(rows);
        written.rows = std::min(written.rows, rows.size());
        if (written.rows < rows.size() && !written.fault) {
            written.fault = Error{"audit.write", "the sink left rows out and does not say why"};
        }
        for (const auto &row : rows.first(written.rows)) {
            bytes += bytesOf(row);
        }
        currentDone_ += written.rows;
        if (currentDone_ == current_.rows.size()) {
            done = std::exchange(current_, {});
        }
    }
    settle(written, bytes, began);
    if (!done.rows.empty() && done.bytes <= kUsedBytesMax && used_.size() < kUsedMax) {
        used_.push_back(std::move(done.rows));
    }
    if (background_ || rotateWanted_ || keepUpWanted_ || !words_.empty()) {
        startThread();
        wake_.notify_one();
    }
}

void Delivery::settle(const Written &written, std::size_t bytes, Time began) {
    const auto held = pushed_ - safe_;
    safe_ += written.rows;
    bytes_ -= bytes;
    while (!gaps_.empty() && gaps_.front().row <= safe_) {
        gaps_.pop_front();
    }
    notice(written.notices);
    if (isLockedForNow(written, began)) {
        reason_ = written.fault->message;
        retryAt_ = Steady::now() + kLockedPause;
    } else if (written.fault) {
        onFault(*written.fault);
    } else {
        onSuccess(held);
    }
    keepUpBytes_ += bytes;
    keepUpWanted_ = keepUpWanted_ || options_.mode == Mode::Async || keepUpBytes_ >= kKeepUpBytes ||
                    Steady::now() - keptUpAt_ >= kKeepUpEvery;
}

// A lock is another process's right, for a while.
bool Delivery::isLockedForNow(const Written &written, Time began) {
    if (!written.fault || written.fault->code != kLocked) {
        lockedSince_ = {};
        return false;
    }
    if (lockedSince_ == Time{} || written.rows > 0) {
        lockedSince_ = began;
    }
    return !faulted_ && Steady::now() - lockedSince_ < options_.syncWaitMax;
}

void Delivery::onFault(const Error &fault) {
    ++faults_;
    reason_ = fault.message;
    backOff_ = faulted_ ? std::min(backOff_ * 2, kBackOffMax) : kBackOffMin;
    retryAt_ = Steady::now() + backOff_;
    if (!std::exchange(faulted_, true)) {
        droppedBefore_ = dropped_ - lost_;
        const auto level = fault.code == kLocked ? LogLevel::Warning : LogLevel::Error;
        words_.emplace_back(level, concat("cannot write: ", reason_,
                                          "; calls go on, rows are kept in memory up to ",
                                          options_.rowsMax, " and tried again"));
    }
    background_ = true;
}

void Delivery::onSuccess(std::uint64_t held) {
    const auto now = Steady::now();
    retryAt_ = {};
    if (std::exchange(faulted_, false)) {
        words_.emplace_back(LogLevel::Warning,
                            concat("can be written again; ", held, " rows had been kept, ",
                                   dropped_ - droppedBefore_, " were lost"));
    } else if (lost_ > 0 && now >= nextLossWarning_) {
        nextLossWarning_ = now + kLossWarningEvery;
        words_.emplace_back(LogLevel::Warning, concat("rows come faster than they can be written; ",
                                                      dropped_, " were lost so far"));
    }
    reason_.clear();
    // Between what waited when rows were lost and what is added from now on.
    if (lost_ > 0) {
        pushGap();
        background_ = true;
    }
}

} // namespace tenon::audit
