// SPDX-License-Identifier: Apache-2.0
// Rotation and retention of a SqliteSink, and what else is put aside. In a rotation the database
// itself stays where it is, for other processes have it open: its rows are moved into a new one.
#include "runner/audit/sqlite_sink.h"

#include "runner/audit/file_size_signal.h"
#include "runner/audit/stamps.h"
#include "support/text.h"

#include <sqlite3.h>

#include <unistd.h>

#include <algorithm>

namespace tenon::audit {

namespace {

using namespace std::chrono_literals;
using Steady = std::chrono::steady_clock;

constexpr auto kWaitMax = 900ms;
constexpr auto kUpkeepEvery = 60s;
constexpr auto kAgeLookEvery = 1s;
constexpr auto kUnfinishedFor = 60s; // then whoever made it is dead
constexpr std::uint64_t kLogsHeldMax = 8;
constexpr auto kLogHeldFor = 3s; // another process's rotation reads too
constexpr std::int64_t kRowsDeletedAtOnce = 500;

} // namespace

std::vector<std::string> SqliteSink::keepUp() {
    const FileSizeSignalHeld held;
    if (open_ && look() == Standing::Here) {
        upkeep();
    }
    return std::exchange(notices_, {});
}

// Only rotation waits for others; what else cannot be done now is done after another batch.
void SqliteSink::upkeep() {
    until_ = Steady::now();
    deleteOldRows();
    if (!isLogHeld() && isDue()) {
        if (const auto done = rotateNow(Wanted::IfDue);
            !done && done.error().code != "audit.locked") {
            nextRotation_ = Steady::now() + kUpkeepEvery;
            notices_.push_back(concat("the rows are due to be put aside, but ",
                                      done.error().message, "; the database grows on"));
        }
    }
    until_ = Steady::now();
    giveBackSpace();
}

// With a clock that was set wrong, everything would seem to be old.
bool SqliteSink::isClockPlausible() {
    const auto found = open_->newest.step();
    const auto text = found && *found == Statement::Step::Row ? open_->newest.text(0) : "";
    open_->newest.reset();
    SystemTime newest;
    if (!parseTime(text, newest)) {
        return false; // no rows yet
    }
    const auto now = std::chrono::system_clock::now();
    const bool isClose = newest >= now - rotation_.retention && newest <= now + rotation_.retention;
    if (!isClose && !clockDoubted_) {
        notices_.push_back(concat("the newest row is of ", printable(text),
                                  ": until there is a newer one nothing is deleted for its age, "
                                  "in case that the clock is wrong"));
    }
    clockDoubted_ = !isClose;
    return isClose;
}

void SqliteSink::deleteOldRows() {
    const auto now = std::chrono::system_clock::now();
    const auto sinceEpoch = std::chrono::floor<std::chrono::seconds>(now.time_since_epoch());
    if (rotation_.retention.count() <= 0 || rotation_.retention >= sinceEpoch ||
        Steady::now() < nextDeletion_ || !isClockPlausible()) {
        return;
    }
    const auto deleted = deleteOlder(path_, now - rotation_.retention);
    const auto before = timeText(now - rotation_.retention);
    open_->deleteOld.bind(1, before);
    const auto done = open_->deleteOld.run();
    const auto rows = done ? open_->database.changes() : 0;
    isGivingBack_ = isGivingBack_ || rows > 0;
    const bool isLocked = !done && done.error().code == "audit.locked";
    if (!isLocked && rows < kRowsDeletedAtOnce) { // else more after the next batch
        nextDeletion_ = Steady::now() + kUpkeepEvery;
    }
    const auto fault = done || isLocked ? deleted.fault : done.error().message;
    if (!fault.empty() && !deletionFailed_) {
        notices_.push_back(concat("what is too old cannot be deleted: ", fault));
    }
    deletionFailed_ = !fault.empty();
}

// Whether a reader keeps the log from being emptied: a rotation would make it larger yet.
bool SqliteSink::isLogHeld() {
    const auto log = seenAt(log_);
    const auto most = logPagesMax();
    if (!log || log->bytes <= 2 * most * static_cast<std::uint64_t>(kPageBytes)) {
        return false;
    }
    int inLog = 0, copied = 0;
    const int code = sqlite3_wal_checkpoint_v2(open_->database.get(), "main",
                                               SQLITE_CHECKPOINT_PASSIVE, &inLog, &copied);
    if (code != SQLITE_OK) { // another process is at it
        return logHeldSince_.has_value();
    }
    if (static_cast<std::uint64_t>(std::max(0, inLog - copied)) <= most) {
        logHeldSince_.reset();
        logHeldSaid_ = false;
        return false;
    }
    logHeldSince_ = logHeldSince_.value_or(Steady::now());
    if (log->bytes > kLogsHeldMax * most * static_cast<std::uint64_t>(kPageBytes) &&
        Steady::now() - *logHeldSince_ > kLogHeldFor && !logHeldSaid_) {
        logHeldSaid_ = true;
        notices_.push_back(concat("the database is being read by another program, for long: its "
                                  "log has ",
                                  log->bytes, " bytes and grows until that ends"));
    }
    return true;
}

void SqliteSink::giveBackSpace() {
    if (isGivingBack_ && open_->vacuum.run()) {
        const auto left = open_->freePages.number();
        isGivingBack_ = left && *left > 0;
    }
}

bool SqliteSink::isDue() {
    if (Steady::now() < nextRotation_) {
        return false;
    }
    if (rotation_.bytesMax > 0) {
        const auto pages = open_->pages.number(), freePages = open_->freePages.number();
        if (pages && freePages &&
            static_cast<std::uint64_t>((*pages - *freePages) * kPageBytes) > rotation_.bytesMax) {
            return true;
        }
    }
    return isOfAge();
}

// By when the database was begun, or emptied by whichever process. The rows do not tell: one may
// be of a call that began long before.
bool SqliteSink::isOfAge() {
    if (rotation_.ageMax.count() <= 0 || Steady::now() < nextAgeLook_) {
        return false;
    }
    nextAgeLook_ = Steady::now() + kAgeLookEvery;
    const auto born = bornAt(path_), aside = lastPutAside(path_);
    const auto began = std::max({born.value_or(opened_), aside.value_or(SystemTime::min()),
                                 rotated_.value_or(SystemTime::min())});
    return std::chrono::system_clock::now() - began > rotation_.ageMax;
}

Result<void> SqliteSink::rotate() {
    const FileSizeSignalHeld held;
    until_ = Steady::now() + kWaitMax;
    auto done = ready();
    if (done && !std::exchange(moved_, false)) {
        done = rotateNow(Wanted::Now);
    }
    if (done) {
        nextDeletion_ = {};
    }
    return done;
}

Result<void> SqliteSink::rotateNow(Wanted wanted) {
    const auto lock = FolderLock::take(path_, until_);
    if (!lock) {
        return lock.error();
    }
    nextAgeLook_ = {};
    if (look() != Standing::Here || (wanted == Wanted::IfDue && !isDue())) {
        return {}; // the next batch sees to it; another process was faster
    }
    const auto last = open_->last.number();
    if (!last || *last == 0) {
        return last ? Result<void>() : last.error();
    }
    const auto copy = unfinishedName(path_);
    return moveRows(*lock, copy);
}

// Others go on writing while the rows are copied.
Result<void> SqliteSink::moveRows(const FolderLock &lock, const std::string &copy) {
    const auto last = copyRows(copy);
    if (!last) {
        return last.error();
    }
    auto done = syncDatabase(copy);
    until_ = Steady::now() + kWaitMax;
    done = done ? open_->begin.run() : done; // from here on nobody adds rows
    if (done && look() == Standing::Here) {
        done = takeOut(lock, copy, *last);
    }
    open_->database.rollBack(); // unless that has committed
    removeDatabase(copy);       // unless that has renamed it
    return done;
}

// Returns the last that was copied.
Result<std::int64_t> SqliteSink::copyRows(const std::string &to) {
    auto copy = createDatabase(to, Journal::None);
    if (!copy) {
        return copy.error();
    }
    auto done = open_->database.run("BEGIN");
    const auto last = done ? open_->last.number() : Result<std::int64_t>(done.error());
    done = last ? fillCopy(*copy, *last) : Result<void>(last.error());
    open_->database.rollBack();
    if (!done) {
        removeDatabase(to);
        return done.error();
    }
    return *last;
}

Result<void> SqliteSink::fillCopy(Database &copy, std::int64_t last) {
    auto read = open_->database.prepare(
        concat("SELECT seq, ", columnNames(), " FROM calls WHERE seq <= ?1 ORDER BY seq"));
    auto insert = copy.prepare(
        concat("INSERT INTO calls(seq, ", columnNames(), ") VALUES(?, ", columnMarks(), ")"));
    if (!read || !insert) {
        return read ? insert.error() : read.error();
    }
    read->bind(1, last);
    const int width = static_cast<int>(columns().size()) + 1;
    auto done = copy.run("BEGIN");
    auto found = read->step();
    while (done && found && *found == Statement::Step::Row) {
        for (int i = 0; i < width; ++i) {
            insert->bindColumn(i + 1, *read, i);
        }
        done = insert->run();
        found = done ? read->step() : found;
    }
    if (!done || !found) {
        return done ? found.error() : done.error();
    }
    done = addIndex(copy);
    return done ? copy.run("COMMIT") : done;
}

Result<void> SqliteSink::takeOut(const FolderLock &lock, const std::string &copy,
                                 std::int64_t last) {
    open_->deleteTo.bind(1, last);
    if (const auto done = open_->deleteTo.run(); !done) {
        return done;
    }
    const auto now = std::chrono::system_clock::now();
    const auto aside = putAside(copy, path_, now);
    if (!aside) {
        return aside.error();
    }
    lock.sync();
    // A process that dies here leaves the rows in both; who reads them takes each id once.
    auto done = open_->commit.run();
    rotated_ = now;
    isGivingBack_ = true;
    if (!done) {
        open_->database.rollBack();
        const auto there = open_->last.number();
        if (there && *there > 0) { // they are still here, and need not be there as well
            removeDatabase(*aside);
            rotated_.reset();
        }
    }
    return done;
}

// Of processes that were killed.
void SqliteSink::removeUnfinished(const FolderLock & /*lock*/) {
    for (const auto &name : unfinishedOf(path_)) {
        const auto age = unwrittenFor(name);
        if (!age || *age < kUnfinishedFor) {
            continue;
        }
        const auto database = Database::open(name, Database::Access::Read);
        const auto header = database ? database->header() : Header{};
        if (header.isDatabase && header.applicationId == kApplicationId) {
            removeDatabase(name);
        }
    }
}

Result<void> SqliteSink::putAsideParted() {
    const auto aside = putAside(path_, path_, std::chrono::system_clock::now());
    if (!aside) {
        return seenAt(path_) ? Result<void>(aside.error()) : Result<void>(); // it was deleted too
    }
    notices_.push_back(concat("the -wal or -shm file beside the database had been taken away; the "
                              "database is put aside as ",
                              printable(*aside), " and a new one begun"));
    sendLogAfter(*aside);
    return {};
}

void SqliteSink::setAsideDamaged() {
    const auto lock = FolderLock::take(path_, until_);
    if (lock && open_ && look() == Standing::Here) {
        (void)putAsideDamaged(); // tried again with the next batch
        open_.reset();
    }
}

Result<void> SqliteSink::putAsideDamaged() {
    const auto aside = putAside(path_, path_, std::chrono::system_clock::now());
    if (!aside) {
        return aside.error();
    }
    notices_.push_back(concat("the database is damaged; it is put aside as ", printable(*aside),
                              " and a new one begun"));
    sendLogAfter(*aside);
    return {};
}

bool SqliteSink::isOurLog() const {
    return isAt(open_->log, log_);
}

// What lies beside the path follows a database that has got another name. If that cannot be done
// it is put aside before there is a new database.
void SqliteSink::sendLogAfter(const std::string &database) {
    const auto log = seenAt(log_);
    if (!log || log->bytes == 0 || renameToFree(log_, concat(database, "-wal")) != 0) {
        return;
    }
    if (renameToFree(index_, concat(database, "-shm")) != 0) {
        unlink(index_.c_str()); // it can be made anew
    }
}

// Of a database that is gone.
Result<void> SqliteSink::putLogAside() {
    const auto log = seenAt(log_);
    if (log && log->bytes > 0) {
        const auto aside = putAside(log_, path_, std::chrono::system_clock::now(), "-wal");
        if (!aside) {
            return Error{"audit.io", concat("the log of a database that is gone lies beside its "
                                            "path: ",
                                            aside.error().message)};
        }
        notices_.push_back(concat("the log of a database that is gone is kept as ",
                                  printable(*aside),
                                  ": if that database was moved, its last rows may be in the log "
                                  "alone; they are read once it lies beside it, as NAME-wal"));
    }
    removeBeside(path_);
    return {};
}

} // namespace tenon::audit
