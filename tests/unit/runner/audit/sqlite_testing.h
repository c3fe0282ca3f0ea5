// SPDX-License-Identifier: Apache-2.0
// What tests of the SQLite sink and of the reader look at an audit with.
#pragma once

#include "runner/audit/audit_testing.h"
#include "runner/audit/database.h"
#include "runner/audit/reader.h"
#include "runner/audit/sqlite_sink.h"

#include <sys/stat.h>

#include <chrono>
#include <functional>
#include <thread>

namespace tenon::audit::testing {

inline std::unique_ptr<SqliteSink> sinkAt(const std::string &path,
                                          Rotation rotation = {0, {}, {}}) {
    auto made = SqliteSink::open(path, rotation);
    INFO((made ? "" : made.error().message));
    REQUIRE(made.has_value());
    return std::move(*made);
}

// All of it is safe.
inline bool wrote(Sink &sink, const std::vector<Row> &rows) {
    const auto written = sink.write(rows);
    sink.keepUp();
    INFO((written.fault ? written.fault->message : ""));
    CHECK(!written.fault);
    return written.rows == rows.size();
}

// write() and what a delivery has done after it; the notices of both.
inline Written writtenAndKept(Sink &sink, const std::vector<Row> &rows) {
    auto written = sink.write(rows);
    for (auto &notice : sink.keepUp()) {
        written.notices.push_back(std::move(notice));
    }
    return written;
}

// The ids that a read gives, in its order, as the numbers of `numbered`.
inline std::vector<int> readNumbers(const std::string &path, const Query &query = {}) {
    std::vector<int> numbers;
    const auto done = readRows(path, query, [&](const Row &row) {
        numbers.push_back(numberOf(row));
        return true;
    });
    INFO((done ? "" : done.error().message));
    CHECK(done.has_value());
    return numbers;
}

// How the numbers that were found differ from those that were wanted, in any order; "" when not.
inline std::string differences(std::vector<int> found, std::vector<int> wanted) {
    std::sort(found.begin(), found.end());
    std::sort(wanted.begin(), wanted.end());
    std::vector<int> missing, extra;
    std::set_difference(wanted.begin(), wanted.end(), found.begin(), found.end(),
                        std::back_inserter(missing));
    std::set_difference(found.begin(), found.end(), wanted.begin(), wanted.end(),
                        std::back_inserter(extra));
    std::string words;
    for (const auto &[name, numbers] : {std::pair("missing", missing), {"too many", extra}}) {
        if (!numbers.empty()) {
            words += concat(numbers.size(), " ", name, ", first ", numbers.front(), "; ");
        }
    }
    return words;
}

inline Query aloneQuery() {
    Query query;
    query.archives = false;
    return query;
}

inline std::string textOf(const std::string &path, std::string_view sql) {
    auto database = Database::open(path, Database::Access::Write);
    if (!database) {
        return database.error().message;
    }
    auto statement = database->prepare(sql);
    if (!statement) {
        return statement.error().message;
    }
    const auto found = statement->step();
    return found ? statement->text(0) : found.error().message;
}

inline std::string integrityOf(const std::string &path) {
    return textOf(path, "PRAGMA integrity_check");
}

// "" once it is so, within ten seconds; for child processes too.
inline std::string waitUntil(const std::function<bool()> &isSo) {
    const auto until = std::chrono::steady_clock::now() + std::chrono::seconds(10);
    while (!isSo()) {
        if (std::chrono::steady_clock::now() >= until) {
            return "waited too long";
        }
        std::this_thread::sleep_for(std::chrono::milliseconds(1));
    }
    return "";
}

inline bool has(const std::string &words, std::string_view part) {
    INFO(words);
    const bool found = words.find(part) != words.npos;
    CHECK(found);
    return found;
}

inline unsigned modeOf(const std::string &path) {
    struct stat seen {};
    return stat(path.c_str(), &seen) == 0 ? seen.st_mode & 07777U : 0;
}

inline SystemTime now() {
    return std::chrono::system_clock::now();
}

} // namespace tenon::audit::testing
