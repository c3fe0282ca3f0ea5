// SPDX-License-Identifier: Apache-2.0
// Rows in a SQLite database, which any number of processes may share: table `calls`, one column for
// each of columns() behind `seq`, which counts the rows; empty texts are NULL.
//
// A batch is one transaction of a write-ahead log without fsync: it survives the death of this
// process, and that of the machine up to the last checkpoint.
//
// Somebody may move or delete the database while it is open. That is looked for before and after
// each batch; whoever sees it first makes a new one, under a lock on the folder, and a batch that
// went where nobody can find it is written again. No process ever unlinks a log that another one
// still writes: SQLite is told to leave it (PERSIST_WAL), and one that has no database is taken
// away by whoever makes the new database, before it does.
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

    // Two things take longer than other batches. Rotation, due once the rows take more than
    // bytesMax, copies them: 64 MiB in half a second to a second. And a database that was moved is
    // given what is in the log yet, which waits for the disk.
    Written write(std::span<const Row> rows) override;
    Result<void> rotate() override;

private:
    // The open database, and the files that it was when it was opened.
    struct Open {
        Database database;
        Anchor anchor;
        FileId main, log, index; // the file, its -wal and its -shm
        Statement begin, insert, commit;
        Statement pages, freePages, vacuum, oldest, any, deleteOld;
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
    std::uint64_t logPagesMax() const;
    Result<void> makeDatabase(const FolderLock &lock, bool replacesEmpty);
    bool leave(const FolderLock &lock); // whether all that was committed is in a file with a name
    bool isKept();
    bool isDeleted() const;
    bool leaveMoved();
    bool leaveParted();
    Result<void> putAsideParted();
    bool drain(); // the log into the database
    void setAsideDamaged();

    Result<void> insert(std::span<const Row> rows);
    Result<void> insertOpen(std::span<const Row> rows);

    void keepUp();
    void deleteOldRows();
    void giveBackSpace();
    bool isDue();
    Result<void> rotateNow(Wanted wanted);
    Result<void> moveRows(const FolderLock &lock, Wanted wanted);
    Result<void> copyRows(const std::string &to);
    Result<void> takeOut(const std::string &aside);

    static int onBusy(void *sink, int tries);

    std::string path_, log_, index_;
    Rotation rotation_;
    std::optional<Open> open_;
    SteadyTime until_{}; // how long the call at hand may wait for locks
    std::vector<std::string> notices_;

    bool moved_ = false;          // by somebody, since the last rotate()
    bool isGivingBack_ = true;    // pages without rows
    SteadyTime nextAgeLook_{};    // at the oldest row
    SteadyTime nextRotation_{};   // after one that failed
    SteadyTime nextDeletion_{};   // of rows that are too old
    bool deletionFailed_ = false; // which was said
};

} // namespace tenon::audit
