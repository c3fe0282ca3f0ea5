// SPDX-License-Identifier: Apache-2.0
// One file of an audit, read from its beginning to its end, and on from there when it has grown.
#pragma once

#include "runner/audit/place.h"
#include "runner/audit/row.h"
#include "support/result.h"

#include <functional>
#include <memory>
#include <string>
#include <vector>

namespace tenon::audit {

// Which rows are wanted.
struct Query {
    std::string tool; // "": of all tools
    bool failedOnly = false;
    std::string since;    // as Row::startedAt is written, or ""; sinceOf() makes it
    std::size_t last = 0; // only the newest so many; 0: all
    bool archives = true; // those of the files put aside too
};
bool fits(const Query &query, const Row &row);

// The time that a person names: "90s", "30m", "1h" and "2d" ago, or RFC 3339 with any offset.
Result<std::string> sinceOf(std::string_view words, SystemTime now);

class Source {
public:
    // Whether somebody may still write to it. If not, what stands at its end without a line feed is
    // a row or no row; else it may be half of one.
    enum class End { Open, Closed };

    virtual ~Source() = default;

    // Appends some more rows that fit; false at the present end.
    virtual Result<bool> next(std::vector<Row> &rows) = 0;
    // next() gives no more than what is there now.
    virtual void endHere() {}
    // The newest `most` of those that fit and that `take` does not refuse, newest first. It refuses
    // no more than `refusedMost`. next() goes on behind them.
    virtual Result<std::vector<Row>> newest(std::size_t most, std::size_t refusedMost, End end,
                                            const std::function<bool(const Row &)> &take) = 0;
    // The last rows, when the end is closed; not one that somebody is just writing.
    virtual void close(std::vector<Row> & /*rows*/) {}

    // A database counts its rows, through rotation too; lines do not.
    virtual bool counts() const = 0;
    virtual std::int64_t position() const { return 0; }
    virtual void goTo(std::int64_t /*position*/) {}

    const FileId &id() const { return id_; }
    std::uint64_t takeSkipped() { return std::exchange(skipped_, 0); } // lines that are no rows

protected:
    Source(FileId id, Query query) : id_(id), query_(std::move(query)) {}
    const Query &query() const { return query_; }
    void skip() { ++skipped_; }

private:
    FileId id_;
    Query query_;
    std::uint64_t skipped_ = 0;
};

// Of the form that the file's first bytes have. "audit.missing": there is none.
Result<std::unique_ptr<Source>> openSource(const std::string &path, const Query &query);
Result<std::unique_ptr<Source>> openLines(const std::string &path, const Query &query);
Result<std::unique_ptr<Source>> openDatabase(const std::string &path, const Query &query);

} // namespace tenon::audit
