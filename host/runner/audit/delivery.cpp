// SPDX-License-Identifier: Apache-2.0
#include "runner/audit/delivery.h"

#include "support/text.h"

#include <algorithm>
#include <system_error>
#include <utility>

namespace tenon::audit {

namespace {

using namespace std::chrono_literals;
using Steady = std::chrono::steady_clock;

constexpr std::size_t kBatchRows = 256;
// What is kept of batches that were written.
constexpr std::size_t kUsedMax = 4;
constexpr std::size_t kUsedBytesMax = 512U << 10; // of one
constexpr std::size_t kBatchBytes = 4U << 20;
constexpr std::size_t kIdBytes = 36;
constexpr std::chrono::milliseconds kBackOffMin = 50ms, kBackOffMax = 1s;
constexpr auto kLossWarningEvery = 10s;
constexpr auto kLastFlush = 2s;
constexpr auto kLookEvery = 5ms;

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
      background_(options.mode == Mode::Async) {}

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
    if (const auto lost = pushed_ - safe_ + lost_; lost > 0) {
        log_.error(concat("audit: ", where_, ": ", lost, " rows are lost: ",
                          reason_.empty() ? "there was no time to write them" : reason_));
    }
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
        return;
    }
    startThread();
    if (pushed_ - safe_ >= wakeAtRows_ || bytes_ >= wakeAtBytes_) {
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
    lost_ = 0;
    const auto bytes = bytesOf(gap);
    push(std::move(gap), bytes);
}

// Group commit: who finds nobody writing writes all that there is, the others wait for that.
void Delivery::waitUntilSafe(Lock &lock, std::uint64_t row) {
    const auto until = Steady::now() + options_.syncWaitMax;
    const auto faults = faults_;
    while (safe_ < row && faults_ == faults) {
        if (!busy_ && !hasWork()) {
            return; // a fault that bids to wait
        }
        if (Steady::now() >= until) {
            background_ = true;
            startThread();
            wake_.notify_one();
            return;
        }
        if (busy_) {
            settled_.wait_until(lock, until);
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
    if (safe_ < target) {
        background_ = true;
        retryAt_ = {}; // once, at once
        startThread();
        wake_.notify_one();
    }
    return settled_.wait_until(lock, until, [&] { return safe_ >= target; });
}

void Delivery::rotate() {
    const std::lock_guard lock(mutex_);
    rotateWanted_ = true;
    startThread();
    wake_.notify_one();
}

Counts Delivery::counts() const {
    const std::lock_guard lock(mutex_);
    return {safe_, dropped_, pushed_ - safe_, faults_, faulted_};
}

void Delivery::startThread() {
    if (thread_.joinable()) {
        return;
    }
    try {
        thread_ = std::thread([this] { run(); });
    } catch (const std::system_error &refused) { // tried again with the next row
        if (!std::exchange(threadRefused_, true)) {
            log_.error(concat("audit: ", where_, ": no thread to write it: ", refused.what()));
        }
    }
}

void Delivery::run() {
    Lock lock(mutex_);
    while (!stopping_) {
        if (busy_) {
            wake_.wait(lock);
        } else if (rotateWanted_) {
            callRotate(lock);
        } else if (background_ && hasWork()) {
            writeSome(lock);
            wroteLast_ = true;
        } else {
            sleep(lock);
        }
    }
}

void Delivery::sleep(Lock &lock) {
    if (pushed_ == safe_ && options_.mode == Mode::Sync) {
        background_ = false;
    }
    if (background_ && pushed_ != safe_) {
        const auto until = retryAt_;
        wake_.wait_until(lock, until);
    } else if (std::exchange(wroteLast_, false)) {
        // To be woken costs those who add far more than adding: while rows come, look by oneself.
        wakeAtRows_ = std::min(kBatchRows, options_.rowsMax / 2);
        wakeAtBytes_ = options_.bytesMax / 2;
        wake_.wait_for(lock, kLookEvery);
    } else {
        wakeAtRows_ = 1;
        wake_.wait(lock);
    }
    wakeAtRows_ = wakeAtBytes_ = kNever;
}

bool Delivery::hasWork() const {
    return pushed_ != safe_ && (!faulted_ || Steady::now() >= retryAt_);
}

void Delivery::writeSome(Lock &lock) {
    if (current_.rows.empty()) {
        current_ = std::move(queue_.front());
        currentDone_ = 0;
        queue_.pop_front();
    }
    busy_ = true;
    lock.unlock();
    const auto rows = std::span<const Row>(current_.rows).subspan(currentDone_);
    auto written = sink_->write(rows);
    written.rows = std::min(written.rows, rows.size());
    if (written.rows < rows.size() && !written.fault) {
        written.fault = Error{"audit.write", "the sink left rows out and does not say why"};
    }
    std::size_t bytes = 0;
    for (const auto &row : rows.first(written.rows)) {
        bytes += bytesOf(row);
    }
    currentDone_ += written.rows;
    Batch done;
    if (currentDone_ == current_.rows.size()) {
        done = std::exchange(current_, {});
    }
    lock.lock();
    if (!done.rows.empty() && done.bytes <= kUsedBytesMax && used_.size() < kUsedMax) {
        used_.push_back(std::move(done.rows));
    }
    const auto words = settle(written, bytes);
    if (!words.empty()) {
        settled_.notify_all();
        lock.unlock();
        for (const auto &[level, message] : words) {
            log_.write(level, concat("audit: ", where_, ": ", message));
        }
        lock.lock();
    }
    busy_ = false;
    settled_.notify_all();
    if (background_ || rotateWanted_) {
        wake_.notify_one(); // the thread may have waited for this to be over
    }
}

void Delivery::callRotate(Lock &lock) {
    rotateWanted_ = false;
    busy_ = true;
    lock.unlock();
    if (const auto done = sink_->rotate(); !done) {
        log_.error(concat("audit: ", where_, ": cannot be put aside: ", done.error().message));
    }
    lock.lock();
    busy_ = false;
    settled_.notify_all();
}

Delivery::Words Delivery::settle(const Written &written, std::size_t bytes) {
    Words words;
    const auto held = pushed_ - safe_;
    safe_ += written.rows;
    bytes_ -= bytes;
    for (const auto &notice : written.notices) {
        words.emplace_back(LogLevel::Warning, notice);
    }
    if (written.fault) {
        onFault(*written.fault, words);
    } else {
        onSuccess(held, words);
    }
    return words;
}

void Delivery::onFault(const Error &fault, Words &words) {
    ++faults_;
    reason_ = fault.message;
    backOff_ = faulted_ ? std::min(backOff_ * 2, kBackOffMax) : kBackOffMin;
    retryAt_ = Steady::now() + backOff_;
    if (!std::exchange(faulted_, true)) {
        droppedBefore_ = dropped_ - lost_;
        // A lock is another process's right, for a while.
        const auto level = fault.code == "audit.locked" ? LogLevel::Warning : LogLevel::Error;
        words.emplace_back(level, concat("cannot write: ", reason_,
                                         "; calls go on, rows are kept in memory up to ",
                                         options_.rowsMax, " and tried again"));
    }
    background_ = true;
    startThread();
}

void Delivery::onSuccess(std::uint64_t held, Words &words) {
    const auto now = Steady::now();
    if (std::exchange(faulted_, false)) {
        words.emplace_back(LogLevel::Warning,
                           concat("can be written again; ", held, " rows had been kept, ",
                                  dropped_ - droppedBefore_, " were lost"));
    } else if (lost_ > 0 && now >= nextLossWarning_) {
        nextLossWarning_ = now + kLossWarningEvery;
        words.emplace_back(LogLevel::Warning, concat("rows come faster than they can be written; ",
                                                     dropped_, " were lost so far"));
    }
    reason_.clear();
    // Between what waited when rows were lost and what is added from now on.
    if (lost_ > 0) {
        pushGap();
        background_ = true;
        startThread();
    }
}

} // namespace tenon::audit
