// SPDX-License-Identifier: Apache-2.0
// Rows in a SQLite database, which any number of processes may share: table `calls`, one column for
// each of columns() behind `seq`, which counts the rows; empty texts are NULL.
//
// A batch is one transaction of a write-ahead log without fsync: it survives the death of this
// process, and that of the machine up to the last checkpoint.
//
// Somebody may move or delete the database while it is open. That is looked for before and after
// each batch; whoever sees it first makes a new one, under a lock on the folder, and a batch that
// went where nobody can find it is written again. No log is ever unlinked that may have rows which
// are nowhere else: SQLite is told to leave it (PERSIST_WAL), and one that has no database is put
// aside by whoever makes the new database, before it does.
#pragma once

#include "runner/audit/database.h"
#include "runner/audit/place.h"
#include "runner/audit/sink.h"

#include <memory>
#include <optional>

namespace tenon::audit {

class SqliteSink : public Sink {
public:
    // The database at path, made if need be (mode 0600; its folder must exist). Another program's
    // file is refused and left as it is. Symbolic links are resolved here, once.
    static Result<std::unique_ptr<SqliteSink>> open(std::string path, Rotation rotation);
    ~SqliteSink() override;
    SqliteSink(const SqliteSink &) = delete;
    SqliteSink &operator=(const SqliteSink &) = delete;

    Written write(std::span<const Row> rows) override;
    // Rotation, due once the rows take more than bytesMax, copies them, without a lock that keeps
    // others from writing; then it deletes them under one.
    std::vector<std::string> keepUp() override;
    Result<void> rotate() override;

private:
    // The open database, and the files that it was when it was opened.
    struct Open {
        Database database;
        Anchor anchor;
        FileId main, log, index; // the file, its -wal and its -shm
        Statement begin, insert, commit;
        Statement pages, freePages, vacuum, last, newest, deleteOld, deleteTo;
    };
    // What became of those files.
    enum class Standing {
        Here,
        Gone,     // the path leads nowhere, or to another file
        Parted,   // the log or its index was taken away from beside it
        TakenOver // and another process has made new ones
    };
    enum class Wanted { IfDue, Now };

    SqliteSink(std::string path, Rotation rotation) : path_(std::move(path)), rotation_(rotation) {}

    Standing look() const;
    // Those with a FolderLock are called under the lock of the folder.
    Result<void> ready();
    Result<void> connect(const FolderLock &lock);
    Result<void> openHere(const FileSeen &there);
    Result<void> configure(Database &database);
    Result<void> prepare(Open open);
    std::uint64_t logPagesMax() const;
    Result<void> makeDatabase(const FolderLock &lock, bool replacesEmpty);
    bool leave(const FolderLock &lock); // whether all that was committed is in a file with a name
    bool isKept();
    bool isDeleted() const;
    bool leaveMoved();
    bool leaveParted();
    void leaveFailed();
    Result<void> putAsideParted();
    bool drain(); // the log into the database
    void setAsideDamaged();
    Result<void> putAsideDamaged();
    bool isOurLog() const;
    void sendLogAfter(const std::string &database);
    Result<void> putLogAside();
    void removeUnfinished(const FolderLock &lock);

    Result<void> insert(std::span<const Row> rows);
    Result<void> insertOpen(std::span<const Row> rows);

    void upkeep();
    bool isClockPlausible();
    void deleteOldRows();
    void giveBackSpace();
    bool isLogHeld();
    bool isDue();
    bool isOfAge();
    Result<void> rotateNow(Wanted wanted);
    Result<void> moveRows(const FolderLock &lock, const std::string &copy);
    Result<std::int64_t> copyRows(const std::string &to);
    Result<void> fillCopy(Database &copy, std::int64_t last);
    Result<void> takeOut(const FolderLock &lock, const std::string &copy, std::int64_t last);

    static int onBusy(void *sink, int tries);

    std::string path_, log_, index_;
    Rotation rotation_;
    std::optional<Open> open_;
    SteadyTime until_{}; // how long the call at hand may wait for locks
    std::vector<std::string> notices_;

    bool moved_ = false;       // by somebody, since the last rotate()
    bool isGivingBack_ = true; // pages without rows
    SystemTime opened_ = std::chrono::system_clock::now();
    std::optional<SystemTime> rotated_; // by this sink
    SteadyTime nextAgeLook_{};          // at when the database was begun
    SteadyTime nextRotation_{};         // after one that failed
    SteadyTime nextDeletion_{};         // of rows that are too old
    bool deletionFailed_ = false;       // which was said, as were these
    bool clockDoubted_ = false, logHeldSaid_ = false;
    std::optional<SteadyTime> logHeldSince_;
};

} // namespace tenon::audit
