// SPDX-License-Identifier: Apache-2.0
// An audit read back: the file at a path and those put aside from it, JSON lines or SQLite, while
// others write. A row that stands in two files is given once.
#pragma once

#include "runner/audit/source.h"
#include "runner/audit/stamps.h"

#include <functional>
#include <memory>
#include <set>
#include <string>
#include <utility>
#include <vector>

namespace tenon::audit {

struct Summary {
    std::uint64_t rows = 0;
    std::uint64_t skippedLines = 0;
    std::vector<std::string> notes; // what could not be read, and why
};

// Returns whether to go on.
using TakeRow = std::function<bool(const Row &)>;

// Every row that the query asks for, in the order of writing. Fails when there is nothing at path
// or when it is no audit; a file put aside that cannot be read is a note.
Result<Summary> readRows(const std::string &path, const Query &query, const TakeRow &take);

// The rows of readRows first, and then those that came since, through rotation and deletion.
class Follower {
public:
    // End::Closed: to be read once, by finish(), and not to be followed.
    static Result<Follower> open(const std::string &path, Query query,
                                 Source::End end = Source::End::Open);

    // False once `take` has said so.
    Result<bool> poll(const TakeRow &take);
    Result<void> finish(const TakeRow &take);
    const Summary &summary() const { return summary_; }

private:
    // Finds the rows of a file that stood in its neighbour too, by 16 bytes a row.
    class Neighbour {
    public:
        bool has(const Row &row) const;
        void add(const Row &row) { next_.push_back(keyOf(row.id)); }
        void nextFile(); // those added are the neighbour from now on

    private:
        using Key = std::pair<std::uint64_t, std::uint64_t>;
        static Key keyOf(std::string_view id);
        std::vector<Key> ids_, next_;
    };

    Follower(std::string path, Query query, Source::End end)
        : path_(std::move(path)), query_(std::move(query)), end_(end) {}

    Result<void> start();
    Result<void> startAtNewest();
    Result<void> openLive();
    void endLive(); // where it is, when it is read once
    void collectNewest(const std::vector<std::string> &names);
    void takeNewest(const std::string &name, Source &source, Source::End end);

    std::vector<std::string> fresh() const; // files put aside since
    std::unique_ptr<Source> openAside(const std::string &name);
    // These return whether to go on.
    bool giveFirst(const TakeRow &take);
    bool drainFresh(const TakeRow &take, const Source *before); // those of before it
    bool drainLast(const std::string &name, Source &source, const TakeRow &take);
    Result<bool> drain(Source &source, const TakeRow &take);
    Result<bool> pollDatabase(const TakeRow &take);
    bool give(const std::vector<Row> &rows, const TakeRow &take);

    std::string path_;
    Query query_;
    Source::End end_;
    Summary summary_;
    std::unique_ptr<Source> live_;
    std::unique_ptr<Source> moved_;  // the live one before, for what its writers may yet add
    std::set<std::string> known_;    // files put aside that are read, or need not be
    std::vector<std::string> first_; // those of before, which the first poll reads
    std::vector<Row> newest_;        // or the rows that it gives, newest first
    Neighbour neighbour_;
    bool addsNeighbours_ = false; // the file at hand has a newer one behind it
};

} // namespace tenon::audit
