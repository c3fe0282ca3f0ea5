// SPDX-License-Identifier: Apache-2.0
// Rotation and retention of a SqliteSink. The database itself stays where it is, for other
// processes have it open: its rows are moved into a new one.
#include "runner/audit/sqlite_sink.h"

#include "runner/audit/file_size_signal.h"
#include "runner/audit/stamps.h"
#include "support/text.h"

namespace tenon::audit {

namespace {

using namespace std::chrono_literals;
using Steady = std::chrono::steady_clock;

constexpr auto kWaitMax = 200ms;
constexpr auto kUpkeepEvery = 60s;
constexpr auto kAgeLookEvery = 1s;
constexpr std::int64_t kPageBytes = 4096; // as createDatabase says
constexpr std::int64_t kRowsDeletedAtOnce = 500;

} // namespace

// Waits for nobody: what cannot be done now is done after another batch.
void SqliteSink::keepUp() {
    until_ = Steady::now();
    deleteOldRows();
    if (isDue()) {
        if (const auto done = rotateNow(Wanted::IfDue);
            !done && done.error().code != "audit.locked") {
            nextRotation_ = Steady::now() + kUpkeepEvery;
            notices_.push_back(concat("the rows are due to be put aside, but ",
                                      done.error().message, "; the database grows on"));
        }
    }
    giveBackSpace();
}

void SqliteSink::deleteOldRows() {
    const auto now = std::chrono::system_clock::now();
    const auto sinceEpoch = std::chrono::floor<std::chrono::seconds>(now.time_since_epoch());
    if (rotation_.retention.count() <= 0 || rotation_.retention >= sinceEpoch ||
        Steady::now() < nextDeletion_) {
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
    if (rotation_.ageMax.count() <= 0 || Steady::now() < nextAgeLook_) {
        return false;
    }
    nextAgeLook_ = Steady::now() + kAgeLookEvery;
    const auto found = open_->oldest.step();
    const auto oldest = found && *found == Statement::Step::Row ? open_->oldest.text(0) : "";
    open_->oldest.reset();
    SystemTime began;
    return parseTime(oldest, began) && std::chrono::system_clock::now() - began > rotation_.ageMax;
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
    if (look() != Standing::Here) {
        return {}; // the next batch sees to it
    }
    auto done = open_->begin.run(); // from here on nobody adds rows
    done = done ? moveRows(*lock, wanted) : done;
    open_->database.rollBack(); // unless that has committed
    return done;
}

Result<void> SqliteSink::moveRows(const FolderLock &lock, Wanted wanted) {
    const auto any = open_->any.number();
    if (!any) {
        return any.error();
    }
    nextAgeLook_ = {};
    if (*any == 0 || (wanted == Wanted::IfDue && !isDue())) {
        return {}; // another process was faster
    }
    const auto copy = concat(path_, ".aside");
    removeDatabase(copy);
    auto done = copyRows(copy);
    done = done ? syncDatabase(copy) : done;
    if (!done) {
        removeDatabase(copy);
        return done;
    }
    const auto aside = putAside(copy, path_, std::chrono::system_clock::now());
    if (!aside) {
        removeDatabase(copy);
        return aside.error();
    }
    lock.sync();
    // A process that dies here leaves the rows in both; who reads them takes each id once.
    return takeOut(*aside);
}

Result<void> SqliteSink::copyRows(const std::string &to) {
    auto copy = createDatabase(to, Journal::None);
    if (!copy) {
        return copy.error();
    }
    auto read =
        open_->database.prepare(concat("SELECT seq, ", columnNames(), " FROM calls ORDER BY seq"));
    auto insert = copy->prepare(
        concat("INSERT INTO calls(seq, ", columnNames(), ") VALUES(?, ", columnMarks(), ")"));
    if (!read || !insert) {
        return read ? insert.error() : read.error();
    }
    const int width = static_cast<int>(columns().size()) + 1;
    auto done = copy->run("BEGIN");
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
    done = addIndex(*copy);
    return done ? copy->run("COMMIT") : done;
}

Result<void> SqliteSink::takeOut(const std::string &aside) {
    auto done = open_->database.run("DELETE FROM calls");
    done = done ? open_->commit.run() : done;
    isGivingBack_ = true;
    if (!done) {
        open_->database.rollBack();
        const auto any = open_->any.number();
        if (any && *any > 0) { // they are still here, and need not be there as well
            removeDatabase(aside);
        }
    }
    return done;
}

} // namespace tenon::audit
