// SPDX-License-Identifier: Apache-2.0
// What tests of the audit build on: a folder, rows, lines of files, a child process, the log.
#pragma once

#include "runner/audit/row.h"
#include "support/log.h"
#include "support/text.h"

#include <catch2/catch.hpp>

#include <fcntl.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <functional>
#include <set>
#include <sstream>
#include <string>
#include <vector>

namespace tenon::audit::testing {

// A folder for one test, gone afterwards.
class Folder {
public:
    Folder() {
        auto name = (std::filesystem::temp_directory_path() / "tenon_audit_XXXXXX").string();
        REQUIRE(mkdtemp(name.data()) != nullptr);
        path = name;
    }
    ~Folder() {
        std::error_code ignored;
        std::filesystem::remove_all(path, ignored);
    }
    Folder(const Folder &) = delete;
    Folder &operator=(const Folder &) = delete;
    std::string operator/(std::string_view name) const { return concat(path, '/', name); }

    std::string path;
};

inline std::string contentOf(const std::string &path) {
    std::ifstream in(path, std::ios::binary);
    std::ostringstream out;
    out << in.rdbuf();
    return out.str();
}

inline void writeFile(const std::string &path, std::string_view content) {
    std::ofstream(path, std::ios::binary | std::ios::trunc) << content;
}

// A row that says its number, twice: in its id, for those whom no delivery gives one, and in its
// payload.
inline Row numbered(std::size_t n, std::size_t payloadBytes = 0) {
    Row row;
    row.id = concat("row-", n);
    row.startedAt = "2026-11-30T21:44:27.123Z";
    row.source = "mcp";
    row.kind = "tool";
    row.toolName = "tool";
    row.payload.text = concat(R"({"n":)", n, R"(,"fill":")", std::string(payloadBytes, 'x'), "\"}");
    return row;
}

inline std::vector<Row> numberedRows(std::size_t from, std::size_t count, std::size_t bytes = 0) {
    std::vector<Row> rows;
    for (std::size_t n = from; n < from + count; ++n) {
        rows.push_back(numbered(n, bytes));
    }
    return rows;
}

// The n of its payload, or -1 when it has none.
inline int numberOf(const Row &row) {
    json::Document document;
    if (!document.readView(row.payload.text)) {
        return -1;
    }
    const auto digits = document.root()["n"].number();
    return digits.empty() ? -1 : std::stoi(std::string(digits));
}

struct Lines {
    std::vector<Row> rows;
    std::vector<std::string> torn; // lines that are no rows
    std::vector<int> numbers() const {
        std::vector<int> out;
        for (const auto &row : rows) {
            out.push_back(numberOf(row));
        }
        return out;
    }
};

inline Lines linesOf(const std::string &path) {
    Lines out;
    std::ifstream in(path, std::ios::binary);
    for (std::string line; std::getline(in, line);) {
        json::Document document;
        if (!document.readView(line)) {
            out.torn.push_back(line);
            continue;
        }
        auto row = rowOfJson(document.root());
        if (row) {
            out.rows.push_back(std::move(*row));
        } else {
            out.torn.push_back(line);
        }
    }
    return out;
}

inline std::vector<int> countedTo(int end, int from = 0) {
    std::vector<int> out;
    for (int n = from; n < end; ++n) {
        out.push_back(n);
    }
    return out;
}

inline std::vector<int> sorted(std::vector<int> numbers) {
    std::sort(numbers.begin(), numbers.end());
    return numbers;
}

// Says which of [0, end) is not among the numbers, or "".
inline std::string missingOf(const std::vector<int> &numbers, std::size_t end) {
    const std::set<int> there(numbers.begin(), numbers.end());
    std::string out;
    for (int n = 0; n < static_cast<int>(end) && out.size() < 200; ++n) {
        out += there.count(n) == 0 ? concat(n, " of ", end, " is missing; ") : "";
    }
    return out;
}

// A process that runs a function and reports what that says; "" is well. It must not use Catch.
class Child {
public:
    explicit Child(const std::function<std::string()> &work) {
        int ends[2];
        REQUIRE(pipe(ends) == 0);
        pid = fork();
        REQUIRE(pid >= 0);
        if (pid == 0) {
            close(ends[0]);
            const auto said = work();
            const auto wrote = ::write(ends[1], said.data(), said.size());
            _exit(wrote == static_cast<ssize_t>(said.size()) ? 0 : 1);
        }
        close(ends[1]);
        fd_ = ends[0];
    }
    ~Child() {
        if (pid > 0) {
            kill(pid, SIGKILL);
            waitpid(pid, nullptr, 0);
        }
        close(fd_);
    }
    Child(const Child &) = delete;
    Child &operator=(const Child &) = delete;

    // What it said, once it is over; its death by a signal is told too.
    std::string wait() {
        std::string said;
        char bytes[4096];
        for (ssize_t got = 0; (got = read(fd_, bytes, sizeof bytes)) > 0;) {
            said.append(bytes, static_cast<std::size_t>(got));
        }
        int status = 0;
        waitpid(pid, &status, 0);
        pid = 0;
        return status == 0 ? said : concat(said, " (status ", status, ')');
    }

    pid_t pid = 0;

private:
    int fd_ = -1;
};

// Keeps what is written to stderr while it lives.
class StderrKept {
public:
    explicit StderrKept(const Folder &folder) : path_(folder / "stderr"), before_(dup(2)) {
        const int file = open(path_.c_str(), O_WRONLY | O_CREAT | O_APPEND | O_CLOEXEC, 0600);
        REQUIRE((file >= 0 && dup2(file, 2) == 2));
        close(file);
    }
    ~StderrKept() {
        dup2(before_, 2);
        close(before_);
    }
    StderrKept(const StderrKept &) = delete;
    StderrKept &operator=(const StderrKept &) = delete;
    std::string text() const { return contentOf(path_); }
    std::size_t count(std::string_view part) const {
        const auto all = text();
        std::size_t found = 0;
        for (auto at = all.find(part); at != all.npos; at = all.find(part, at + part.size())) {
            ++found;
        }
        return found;
    }

private:
    std::string path_;
    int before_;
};

} // namespace tenon::audit::testing
