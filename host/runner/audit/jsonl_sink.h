// SPDX-License-Identifier: Apache-2.0
// Rows as JSON lines in a file, to which any number of processes may append.
//
// Every batch is written under a lock on the file (flock), one write() a row. What may have become
// of the file since the last batch is looked at first, under that lock: moved, deleted, put aside
// by another process, left with half a row by one that died.
#pragma once

#include "runner/audit/files.h"
#include "runner/audit/sink.h"

#include <memory>
#include <optional>

namespace tenon::audit {

class JsonlSink : public Sink {
public:
    // A regular file, made if need be (mode 0600; its folder must exist), or a character device:
    // that is neither locked nor rotated. Symbolic links are resolved here, once; one that is put
    // at the path later is not followed, but a fault.
    static Result<std::unique_ptr<JsonlSink>> open(std::string path, Rotation rotation);
    ~JsonlSink() override;
    JsonlSink(const JsonlSink &) = delete;
    JsonlSink &operator=(const JsonlSink &) = delete;

    Written write(std::span<const Row> rows) override;
    std::vector<std::string> keepUp() override;
    Result<void> rotate() override;

private:
    using Time = std::chrono::steady_clock::time_point;
    static constexpr std::chrono::milliseconds kLockWaitMax{200};
    JsonlSink(std::string path, Rotation rotation) : path_(std::move(path)), rotation_(rotation) {}

    Result<void> begin();
    Result<void> openFile();
    void closeFile(); // gives the lock back too
    Result<void> lockUntil(Time until);
    void unlock();
    // Locks the file that is at the path, opening it anew if that is not the open one.
    Result<void> lockCurrent(Time until);
    void onReplaced();

    bool isDue();
    bool isTooOld() const;
    void rotateIfDue();
    Result<void> putAsideNow();
    void deleteOld();
    void lookAtClock();

    void compose(std::span<const Row> rows);
    Result<void> writeBatch(Time until, std::size_t &rows);
    Result<void> closeOffTorn();
    std::uint64_t beginOfTorn(std::uint64_t size);
    Result<void> append(std::size_t &rows);
    void takeBack(std::uint64_t begin, std::size_t wrote);
    std::uint64_t size();

    std::string path_;
    bool isResolved_ = false; // path_ is
    Rotation rotation_;
    int fd_ = -1;
    SystemTime openedAt_{};
    bool isDevice_ = false;
    bool deviceTorn_ = false; // half a row was written to a device

    std::string text_;              // the batch as lines
    std::vector<std::size_t> ends_; // of each in text_
    std::vector<std::string> notices_;

    Time movedUntil_{};      // until then rotate() holds the file for put aside already
    Time nextRotation_{};    // after a failed one
    Time nextAgeRotation_{}; // after one
    Time nextDeletion_{};
    bool deletionFailed_ = false;
    std::optional<std::chrono::nanoseconds> wroteAt_; // since the machine was started
    bool clockJumped_ = false;
    bool saidNotDeleted_ = false;
};

} // namespace tenon::audit
