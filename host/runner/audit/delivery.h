// SPDX-License-Identifier: Apache-2.0
// Rows on their way from calls to a sink. No fault of a sink ever stops a call: rows wait, are
// tried again, and past a limit are dropped and counted; the audit then has a row that says so.
// What there is to say is logged by the thread, when nobody waits for that.
#pragma once

#include "runner/audit/sink.h"
#include "runner/audit/stamps.h"
#include "support/log.h"

#include <condition_variable>
#include <deque>
#include <limits>
#include <memory>
#include <mutex>
#include <thread>

namespace tenon::audit {

enum class Mode {
    Async, // add() returns at once; a thread writes
    Sync   // add() returns when the row is safe
};

struct DeliveryOptions {
    Mode mode = Mode::Async;
    // How much may wait. A row beyond that is dropped.
    std::size_t rowsMax = 10'000;
    std::size_t bytesMax = 64U << 20;
    std::chrono::milliseconds syncWaitMax{1'000};
};

// Rows that speak of lost ones count as well once they are there.
struct Counts {
    std::uint64_t written = 0, dropped = 0, queued = 0;
    std::uint64_t faults = 0; // writes that failed, but for a lock that was soon given back
    bool faulted = false;     // the last one did
};

class Delivery {
public:
    // `where` names the sink in messages: its path.
    Delivery(std::unique_ptr<Sink> sink, DeliveryOptions options, std::string where, Log &log);
    ~Delivery(); // flushes for up to two seconds; what is left then is lost, counted and logged
    Delivery(const Delivery &) = delete;
    Delivery &operator=(const Delivery &) = delete;

    // A row that was written, to be filled again: its memory need not be got and given back for
    // each call. Or a new one.
    Row spare();
    // Gives the row its id and queues it. Sync: waits until it is safe; after a fault of the sink,
    // or syncWaitMax, it stays queued and is tried again in the background. A lock of another
    // process is a fault once it has lasted for syncWaitMax.
    void add(Row row);
    // True once all that was added before is safe, and so is a row that says what was lost before;
    // false when that takes longer.
    bool flush(std::chrono::milliseconds most);
    // Has the sink put its file aside soon. Not for signal handlers.
    void rotate();
    Counts counts() const;

private:
    using Time = std::chrono::steady_clock::time_point;
    using Lock = std::unique_lock<std::mutex>;
    // Rows that are given to the sink at once.
    struct Batch {
        std::vector<Row> rows;
        std::size_t bytes = 0;
    };

    // Rows that were lost, and the row that says so, counted as pushed_ counts.
    struct Gap {
        std::uint64_t row = 0, rows = 0;
    };
    // Somebody calls the sink, without the lock; however that ends, it is over with this.
    class Busy {
    public:
        Busy(Delivery &delivery, Lock &lock);
        ~Busy();
        Busy(const Busy &) = delete;
        Busy &operator=(const Busy &) = delete;

    private:
        Delivery &delivery_;
        Lock &lock_;
    };

    bool enqueue(Row &&row, std::size_t bytes); // false: dropped
    void push(Row &&row, std::size_t bytes);
    void pushGap();
    void waitUntilSafe(Lock &lock, std::uint64_t row);
    std::uint64_t lostNow() const; // were this the end

    void startThread();
    void run();
    void sleep(Lock &lock);
    bool hasWork() const;
    bool isRotationDue() const;
    // These let go of the lock meanwhile; whoever calls them has found busy_ false.
    void writeSome(Lock &lock);
    void callRotate(Lock &lock);
    void callKeepUp(Lock &lock);
    void say(Lock &lock); // the words_, which may block

    void settle(const Written &written, std::size_t bytes, Time began);
    bool isLockedForNow(const Written &written, Time began);
    void onFault(const Error &fault);
    void onSuccess(std::uint64_t held);
    void notice(const std::vector<std::string> &notices);

    const std::unique_ptr<Sink> sink_;
    const DeliveryOptions options_;
    const std::string where_;
    Log &log_;

    mutable std::mutex mutex_;
    std::condition_variable wake_;    // the thread
    std::condition_variable settled_; // those who wait for a write to be over
    std::deque<Batch> queue_;
    std::vector<std::vector<Row>> used_;  // batches of rows that were written: for spare()
    std::uint64_t pushed_ = 0, safe_ = 0; // rows, ever; they become safe in the order of pushing
    std::size_t bytes_ = 0;               // of those that wait
    std::uint64_t dropped_ = 0, faults_ = 0;
    std::uint64_t lost_ = 0; // dropped, and no row says so yet
    SystemTime lostSince_{};
    std::deque<Gap> gaps_; // whose rows are not safe yet

    bool busy_ = false; // somebody is calling the sink: theirs are the sink and current_
    Batch current_;
    std::size_t currentDone_ = 0;

    bool faulted_ = false;
    std::string reason_;
    std::uint64_t droppedBefore_ = 0; // the fault
    std::chrono::milliseconds backOff_{};
    Time retryAt_{};     // nothing is written before, after a fault or while it is locked
    Time lockedSince_{}; // by another process, without a row written meanwhile
    Time nextLossWarning_{};
    std::vector<std::pair<LogLevel, std::string>> words_; // for the log

    std::thread thread_;
    bool threadRefused_ = false;
    bool background_; // the thread has to write; Sync: only what nobody waits for any more
    bool wroteLast_ = false;
    static constexpr std::size_t kBatchRows = 256;
    static constexpr std::string_view kLocked = "audit.locked"; // a fault's code
    static constexpr std::size_t kNever = std::numeric_limits<std::size_t>::max();
    std::size_t wakeAtRows_ = kNever, wakeAtBytes_ = kNever; // when so much waits, add() wakes it
    bool waitsForIdle_ = false; // the thread, for its turn to call the sink
    bool rotateWanted_ = false;
    std::chrono::milliseconds rotateBackOff_{};
    Time rotateAt_{};           // not before
    bool keepUpWanted_ = false; // the sink has to keep up
    Time keptUpAt_;
    std::size_t keepUpBytes_ = 0; // written since then
    bool stopping_ = false;
};

} // namespace tenon::audit
