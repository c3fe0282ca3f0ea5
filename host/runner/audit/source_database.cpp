// SPDX-License-Identifier: Apache-2.0
// A SQLite database, read a piece at a time: between the pieces no transaction is open, which would
// keep the writers from shortening their log.
#include "runner/audit/source.h"

#include "runner/audit/database.h"
#include "support/text.h"

#include <sqlite3.h>

#include <algorithm>

namespace tenon::audit {

namespace {

constexpr int kWaitMaxMs = 2'000;
constexpr std::size_t kPieceRows = 256;
constexpr std::size_t kPieceBytes = 4U << 20;

class Rows : public Source {
public:
    Rows(Database database, FileId id, const Query &query)
        : Source(id, query), database_(std::move(database)) {}

    Result<void> prepare();
    Result<bool> next(std::vector<Row> &rows) override;
    Result<std::vector<Row>> newest(std::size_t most, std::size_t refusedMost, End end,
                                    const std::function<bool(const Row &)> &take) override;
    bool counts() const override { return true; }
    std::int64_t position() const override { return position_; }
    void goTo(std::int64_t position) override { position_ = position; }

private:
    Result<bool> nextInside(std::vector<Row> &rows);
    Result<std::vector<Row>> newestInside(std::size_t most,
                                          const std::function<bool(const Row &)> &take);
    Result<void> begin();
    std::string select(std::string_view rest) const;
    void bindQuery(Statement &statement);

    Database database_;
    Statement begin_, last_, first_, forward_;
    std::int64_t position_ = 0; // the seq of the last row that was looked at
    bool isBegun_ = false;
};

std::string Rows::select(std::string_view rest) const {
    // Not by the index on startedAt: the order is that of seq.
    return concat("SELECT ", columnNames(), ", seq FROM calls NOT INDEXED WHERE seq > ?1",
                  query().tool.empty() ? "" : " AND toolName = ?2",
                  query().failedOnly ? " AND ok = 0" : "",
                  query().since.empty() ? "" : " AND startedAt >= ?3", rest);
}

void Rows::bindQuery(Statement &statement) {
    statement.bind(1, position_);
    if (!query().tool.empty()) {
        statement.bind(2, query().tool);
    }
    if (!query().since.empty()) {
        statement.bind(3, query().since);
    }
}

Result<void> Rows::prepare() {
    sqlite3_busy_timeout(database_.get(), kWaitMaxMs);
    const std::pair<Statement *, std::string> statements[] = {
        {&begin_, "BEGIN"},
        {&last_, "SELECT max(seq) FROM calls"},
        {&first_, "SELECT min(seq) FROM calls WHERE startedAt >= ?1"},
        {&forward_, select(" ORDER BY seq")}};
    for (const auto &[statement, sql] : statements) {
        auto made = database_.prepare(sql);
        if (!made) {
            return made.error();
        }
        *statement = std::move(*made);
    }
    return {};
}

Result<void> Rows::begin() {
    auto done = begin_.run();
    if (!done || isBegun_ || query().since.empty()) {
        return done;
    }
    first_.bind(1, query().since);
    const auto first = first_.number();
    if (!first) {
        return first.error();
    }
    isBegun_ = true;
    position_ = std::max(position_, *first - 1);
    return {};
}

Result<bool> Rows::next(std::vector<Row> &rows) {
    auto more = nextInside(rows);
    database_.rollBack();
    return more;
}

Result<bool> Rows::nextInside(std::vector<Row> &rows) {
    if (const auto begun = begin(); !begun) {
        return begun.error();
    }
    const auto last = last_.number();
    if (!last) {
        return last.error();
    }
    bindQuery(forward_);
    std::size_t bytes = 0;
    for (std::size_t count = 0; count < kPieceRows && bytes < kPieceBytes; ++count) {
        const auto found = forward_.step();
        if (!found) {
            return found.error();
        }
        if (*found == Statement::Step::Done) {
            forward_.reset();
            position_ = std::max(position_, *last);
            return false;
        }
        rows.push_back(forward_.row());
        position_ = forward_.integer(static_cast<int>(columns().size()));
        bytes += sizeof(Row) + rows.back().payload.text.size() +
                 rows.back().errorDetail.text.size() + rows.back().errorMessage.size();
    }
    forward_.reset();
    return true;
}

Result<std::vector<Row>> Rows::newest(std::size_t most, std::size_t /*refusedMost*/, End /*end*/,
                                      const std::function<bool(const Row &)> &take) {
    auto rows = newestInside(most, take);
    database_.rollBack();
    return rows;
}

Result<std::vector<Row>> Rows::newestInside(std::size_t most,
                                            const std::function<bool(const Row &)> &take) {
    auto backward = database_.prepare(select(" ORDER BY seq DESC"));
    if (!backward) {
        return backward.error();
    }
    if (const auto begun = begin(); !begun) {
        return begun.error();
    }
    const auto last = last_.number();
    if (!last) {
        return last.error();
    }
    bindQuery(*backward);
    std::vector<Row> rows;
    while (rows.size() < most) {
        const auto found = backward->step();
        if (!found) {
            return found.error();
        }
        if (*found == Statement::Step::Done) {
            break;
        }
        auto row = backward->row();
        if (take(row)) {
            rows.push_back(std::move(row));
        }
    }
    backward->reset();
    position_ = std::max(position_, *last);
    return rows;
}

Result<std::unique_ptr<Source>> openAs(const std::string &path, const Query &query,
                                       Database::Access access) {
    const auto there = seenAt(path);
    auto database = Database::open(path, access);
    if (!database || !there) {
        return database ? Error{"audit.open", "it was deleted just now"} : database.error();
    }
    if (const auto ours = database->checkHeader(); !ours) {
        return ours.error();
    }
    auto source = std::make_unique<Rows>(std::move(*database), there->id, query);
    if (const auto done = source->prepare(); !done) {
        return done.error();
    }
    return std::unique_ptr<Source>(std::move(source));
}

} // namespace

Result<std::unique_ptr<Source>> openDatabase(const std::string &path, const Query &query) {
    auto source = openAs(path, query, Database::Access::Read);
    if (source || source.error().code != "audit.io") {
        return source;
    }
    // SQLite makes files beside a database even to read it. Where it cannot, a log that is not
    // there has nothing that would be missed.
    if (seenAt(concat(path, "-wal"))) {
        return Error{"audit.io", concat(source.error().message,
                                        "; its folder cannot be written: copy it and its -wal file "
                                        "to a folder of yours")};
    }
    return openAs(path, query, Database::Access::ReadUnchanging);
}

} // namespace tenon::audit
