// SPDX-License-Identifier: Apache-2.0
// Opening, looking, leaving and writing; sqlite_upkeep.cpp has what keeps the database small.
#include "runner/audit/sqlite_sink.h"

#include "runner/audit/file_size_signal.h"
#include "support/text.h"

#include <sqlite3.h>

#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstdio>
#include <cstring>
#include <filesystem>
#include <thread>

namespace tenon::audit {

namespace {

using namespace std::chrono_literals;
using Steady = std::chrono::steady_clock;

constexpr auto kWaitMax = 200ms;  // whoever delivers tries a locked one again
constexpr auto kOpenWaitMax = 5s; // several processes start at once
constexpr auto kBusySleep = 500us;
constexpr int kTriesMax = 5;

std::string failureToOpen(const std::string &path, const Error &error) {
    return concat("the audit database ", printable(path), " cannot be opened: ", error.message);
}

} // namespace

Result<std::unique_ptr<SqliteSink>> SqliteSink::open(std::string path, Rotation rotation) {
    namespace fs = std::filesystem;
    std::error_code failed;
    const auto resolved = fs::weakly_canonical(fs::absolute(path, failed), failed);
    if (!failed && !fs::is_directory(resolved.parent_path(), failed)) {
        return Error{"audit.open",
                     failureToOpen(path, {"", concat("the folder ",
                                                     printable(resolved.parent_path().string()),
                                                     " does not exist; make it first")})};
    }
    std::unique_ptr<SqliteSink> sink(
        new SqliteSink(failed ? std::move(path) : resolved.string(), rotation));
    sink->log_ = concat(sink->path_, "-wal");
    sink->index_ = concat(sink->path_, "-shm");
    sink->until_ = Steady::now() + kOpenWaitMax;
    const FileSizeSignalHeld held;
    if (auto done = sink->ready(); !done) {
        const auto &error = done.error();
        return Error{error.code == "audit.locked" ? error.code : "audit.open",
                     failureToOpen(sink->path_, error)};
    }
    sink->moved_ = false;
    sink->upkeep();
    return sink;
}

SqliteSink::~SqliteSink() {
    const FileSizeSignalHeld held;
    until_ = Steady::now() + kWaitMax;
    if (open_ && look() != Standing::Here) {
        if (const auto lock = FolderLock::take(path_, until_)) {
            leave(*lock);
        }
    }
    open_.reset(); // while the signal is held: SQLite empties its log
}

int SqliteSink::onBusy(void *sink, int /*tries*/) {
    if (Steady::now() >= static_cast<SqliteSink *>(sink)->until_) {
        return 0;
    }
    std::this_thread::sleep_for(kBusySleep);
    return 1;
}

SqliteSink::Standing SqliteSink::look() const {
    const auto main = seenAt(path_);
    if (!main || main->id != open_->main || main->bytes == 0) {
        return Standing::Gone;
    }
    const auto log = seenAt(log_), index = seenAt(index_);
    if ((log && log->id != open_->log) || (index && index->id != open_->index)) {
        return Standing::TakenOver;
    }
    return log && index ? Standing::Here : Standing::Parted;
}

Result<void> SqliteSink::ready() {
    if (open_ && look() == Standing::Here) {
        return {};
    }
    auto lock = FolderLock::take(path_, until_);
    if (!lock) {
        return lock.error();
    }
    if (open_) {
        leave(*lock);
    }
    return open_ ? Result<void>() : connect(*lock);
}

// Files that are deleted while SQLite opens them are errors of all kinds, which pass.
Result<void> SqliteSink::connect(const FolderLock &lock) {
    Result<void> done;
    removeUnfinished(lock);
    for (int i = 0; i < kTriesMax; ++i) {
        const auto there = seenAt(path_);
        if (there && !there->isRegular) {
            return Error{"audit.open", there->isLink
                                           ? "it is a symbolic link; name the file itself"
                                           : "it is no regular file; name one, or a path where "
                                             "there is no file yet"};
        }
        if (!there || there->bytes == 0) {
            if (auto made = makeDatabase(lock, there.has_value()); !made) {
                return made;
            }
            continue;
        }
        done = openHere(*there);
        if (!done && done.error().code == "audit.damaged") {
            if (auto aside = putAsideDamaged(); !aside) {
                return aside;
            }
            continue;
        }
        if (open_ || (!done && done.error().code != "audit.io")) {
            return done;
        }
    }
    return done ? Error{"audit.open",
                        "the file at its path is replaced faster than it can be opened"}
                : done;
}

// Under a name of its own first: what is at the path is whole whenever this process may die.
Result<void> SqliteSink::makeDatabase(const FolderLock &lock, bool replacesEmpty) {
    const auto fresh = unfinishedName(path_);
    if (const auto made = createDatabase(fresh, Journal::Log); !made) {
        return made.error();
    } // and closed
    auto done = syncDatabase(fresh);
    done = done ? putLogAside() : done;
    if (!done) {
        removeDatabase(fresh);
        return done;
    }
    const int reason = !replacesEmpty                                   ? renameToFree(fresh, path_)
                       : std::rename(fresh.c_str(), path_.c_str()) == 0 ? 0
                                                                        : errno;
    lock.sync();
    if (reason != 0 && reason != EEXIST) {
        removeDatabase(fresh);
        return Error{"audit.io",
                     concat("a new database cannot be put at its path: ", std::strerror(reason))};
    }
    return {};
}

// How large the log may grow before it is emptied into the database: a part of what the database
// itself may take.
std::uint64_t SqliteSink::logPagesMax() const {
    const auto most = std::uint64_t{1'000}; // SQLite's own
    return rotation_.bytesMax == 0 ? most
                                   : std::clamp(rotation_.bytesMax / std::uint64_t{kPageBytes} / 4,
                                                std::uint64_t{16}, most);
}

// Leaves open_ empty when the file was replaced meanwhile, or had to be put aside.
Result<void> SqliteSink::openHere(const FileSeen &there) {
    Anchor anchor(path_);
    auto database = Database::open(path_, Database::Access::Write);
    auto done = database ? database->checkHeader() : Result<void>(database.error());
    if (!done) {
        return done;
    }
    // Others may write to a log that was removed; with a new one, we would not see one another.
    if ((!seenAt(log_) || !seenAt(index_)) && database->isOpenElsewhere()) {
        return putAsideParted();
    }
    if (done = configure(*database); !done) {
        return done;
    }
    const auto log = seenAt(log_), index = seenAt(index_);
    int hasMoved = 1;
    sqlite3_file_control(database->get(), "main", SQLITE_FCNTL_HAS_MOVED, &hasMoved);
    const auto held = anchor.seen();
    if (hasMoved != 0 || !held || held->id != there.id || !isAt(there.id, path_) || !log ||
        !index) {
        return {};
    }
    return prepare({std::move(*database),
                    std::move(anchor),
                    there.id,
                    log->id,
                    index->id,
                    {},
                    {},
                    {},
                    {},
                    {},
                    {},
                    {},
                    {},
                    {},
                    {}});
}

Result<void> SqliteSink::configure(Database &database) {
    sqlite3_busy_handler(database.get(), onBusy, this);
    int on = 1;
    sqlite3_file_control(database.get(), "main", SQLITE_FCNTL_PERSIST_WAL, &on);
    auto journal = database.prepare("PRAGMA journal_mode = WAL"); // one put aside has none
    if (!journal) {
        return journal.error();
    }
    const auto answered = journal->step();
    if (!answered) {
        return answered.error();
    }
    if (const auto mode = journal->text(0); mode != "wal") {
        return Error{"audit.open", concat("it cannot be given a write-ahead log, its journal mode "
                                          "stays ",
                                          printable(mode),
                                          "; expected a file system with shared "
                                          "memory: use another path")};
    }
    journal->reset();
    return database.run(concat("PRAGMA synchronous = NORMAL; PRAGMA wal_autocheckpoint = ",
                               logPagesMax(), "; PRAGMA journal_size_limit = ",
                               logPagesMax() * static_cast<std::uint64_t>(kPageBytes),
                               "; SELECT 1 FROM calls LIMIT 1")
                            .c_str()); // which opens the log
}

Result<void> SqliteSink::prepare(Open open) {
    const std::pair<Statement *, std::string> statements[] = {
        {&open.begin, "BEGIN IMMEDIATE"},
        {&open.commit, "COMMIT"},
        // A batch that is tried again may have rows that are there already.
        {&open.insert,
         concat("INSERT OR IGNORE INTO calls(", columnNames(), ") VALUES(", columnMarks(), ")")},
        {&open.pages, "PRAGMA page_count"},
        {&open.freePages, "PRAGMA freelist_count"},
        {&open.vacuum, "PRAGMA incremental_vacuum(512)"},
        {&open.last, "SELECT coalesce(max(seq), 0) FROM calls"},
        {&open.newest, "SELECT startedAt FROM calls ORDER BY seq DESC LIMIT 1"},
        {&open.deleteTo, "DELETE FROM calls WHERE seq <= ?1"},
        {&open.deleteOld, "DELETE FROM calls WHERE seq IN (SELECT seq FROM calls WHERE "
                          "startedAt < ?1 ORDER BY startedAt LIMIT 500)"}};
    for (const auto &[statement, sql] : statements) {
        auto made = open.database.prepare(sql);
        if (!made) {
            return made.error();
        }
        *statement = std::move(*made);
    }
    open_ = std::move(open);
    return {};
}

// Whether what was just committed stays: in the database that is at the path, or in one that was
// moved, into which each process empties the log for itself.
bool SqliteSink::isKept() {
    switch (look()) {
    case Standing::Here: return true;
    case Standing::Gone: return !isDeleted() && drain();
    case Standing::Parted:
    case Standing::TakenOver: break;
    }
    const auto lock = FolderLock::take(path_, until_);
    return lock && leave(*lock);
}

bool SqliteSink::isDeleted() const {
    const auto held = open_->anchor.seen();
    return !held || held->names == 0 || held->bytes == 0;
}

bool SqliteSink::leave(const FolderLock &) {
    bool kept = false;
    switch (look()) {
    case Standing::Here: return true;
    case Standing::Gone: kept = leaveMoved(); break;
    case Standing::Parted: kept = leaveParted(); break;
    case Standing::TakenOver:
        notices_.emplace_back("the -wal or -shm file beside the database had been taken away; rows "
                              "of the last moments before that may be lost");
        break;
    }
    // What of our log has not reached the file by now must not: the log may not be its any more.
    sqlite3_db_config(open_->database.get(), SQLITE_DBCONFIG_NO_CKPT_ON_CLOSE, 1, nullptr);
    open_.reset();
    return kept;
}

bool SqliteSink::leaveMoved() {
    const bool deleted = isDeleted();
    const bool kept = !deleted && drain();
    const bool rotatedAway = isArchiveOf(path_, open_->anchor.name());
    if (deleted) {
        notices_.emplace_back("the database had been deleted; a new one is begun at its path");
    } else if (!kept) {
        notices_.emplace_back("the database had been moved; a new one is begun at its path. It was "
                              "being read: its last rows are yet in its log");
    } else if (!rotatedAway) {
        notices_.emplace_back("the database had been moved; a new one is begun at its path");
    }
    moved_ = true;
    // Whatever takes the place of the database must not find the log of this one.
    if (isOurLog() && kept) {
        unlink(log_.c_str());
        if (isAt(open_->index, index_)) {
            unlink(index_.c_str());
        }
    } else if (isOurLog() && !deleted) {
        sendLogAfter(open_->anchor.name());
    }
    return kept;
}

// To be opened afresh the next time.
void SqliteSink::leaveFailed() {
    if (look() == Standing::Here) {
        open_.reset();
    } else if (const auto lock = FolderLock::take(path_, until_)) {
        leave(*lock);
    }
}

// A process that opens the database now would not find what is in our log only. So it gets a new
// one, and this one is put aside with all that is in it.
bool SqliteSink::leaveParted() {
    const bool kept = drain();
    if (kept && isOurLog()) {
        unlink(log_.c_str());
    }
    return putAsideParted() && kept;
}

bool SqliteSink::drain() {
    do {
        int inLog = 0, copied = 0;
        const int code = sqlite3_wal_checkpoint_v2(open_->database.get(), "main",
                                                   SQLITE_CHECKPOINT_PASSIVE, &inLog, &copied);
        if (code == SQLITE_OK && inLog == copied) {
            return true;
        }
        if (code != SQLITE_OK && code != SQLITE_BUSY) {
            return false;
        }
        std::this_thread::sleep_for(kBusySleep);
    } while (Steady::now() < until_);
    return false;
}

Written SqliteSink::write(std::span<const Row> rows) {
    Written out;
    const FileSizeSignalHeld held;
    until_ = Steady::now() + kWaitMax;
    for (int i = 0; i < kTriesMax && out.rows < rows.size(); ++i) {
        auto done = ready();
        done = done ? insert(rows) : done;
        if (!done) {
            out.fault = std::move(done.error());
            break;
        }
        if (isKept()) {
            out.rows = rows.size();
        }
    }
    if (out.rows < rows.size() && !out.fault) {
        out.fault = Error{"audit.write", "the database is deleted again and again while rows are "
                                         "written"};
    }
    out.notices = std::exchange(notices_, {});
    return out;
}

Result<void> SqliteSink::insert(std::span<const Row> rows) {
    auto done = insertOpen(rows);
    if (done) {
        return done;
    }
    open_->database.rollBack();
    if (done.error().code == "audit.full") { // the log may be what fills the disk
        sqlite3_wal_checkpoint_v2(open_->database.get(), "main", SQLITE_CHECKPOINT_TRUNCATE,
                                  nullptr, nullptr);
    } else if (done.error().code == "audit.damaged") {
        setAsideDamaged();
    } else if (done.error().code == "audit.io") {
        leaveFailed();
    }
    return done;
}

Result<void> SqliteSink::insertOpen(std::span<const Row> rows) {
    auto done = open_->begin.run();
    for (auto row = rows.begin(); done && row != rows.end(); ++row) {
        open_->insert.bindRow(*row);
        done = open_->insert.run();
    }
    return done ? open_->commit.run() : done;
}

} // namespace tenon::audit
