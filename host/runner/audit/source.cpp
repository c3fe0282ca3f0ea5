// SPDX-License-Identifier: Apache-2.0
#include "runner/audit/source.h"

#include "runner/audit/database.h"
#include "runner/audit/stamps.h"
#include "support/text.h"

#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <charconv>
#include <cstring>

namespace tenon::audit {

namespace {

constexpr std::string_view kSinceExpected =
    "expected how long ago, such as 90s, 30m, 1h or 2d, or a time such as 2026-11-30T21:44:27Z";
constexpr std::int64_t kAgoSecondsMax = 100LL * 366 * 24 * 3600;

std::optional<std::int64_t> secondsOf(std::string_view words) {
    std::int64_t count = 0;
    const char *const end = words.data() + words.size();
    const auto read = std::from_chars(words.data(), end, count);
    if (words.empty() || read.ec != std::errc() || read.ptr != end - 1 || count < 0) {
        return std::nullopt;
    }
    static constexpr std::pair<char, std::int64_t> kUnits[] = {
        {'s', 1}, {'m', 60}, {'h', 3600}, {'d', 86400}};
    for (const auto &[unit, seconds] : kUnits) {
        if (*read.ptr == unit) {
            return count <= kAgoSecondsMax / seconds ? std::optional(count * seconds)
                                                     : std::nullopt;
        }
    }
    return std::nullopt;
}

// What stands behind the seconds of an RFC 3339 time: its fraction, cut to milliseconds, and its
// offset in minutes. False when there is anything else.
bool readTail(std::string_view tail, std::string &millis, int &offset) {
    millis = "000";
    if (tail.starts_with('.')) {
        const auto digits = tail.substr(1, tail.find_first_not_of("0123456789", 1) - 1);
        if (digits.empty()) {
            return false;
        }
        millis = concat(digits.substr(0, 3), "000").substr(0, 3);
        tail.remove_prefix(digits.size() + 1);
    }
    offset = 0;
    if (tail == "Z" || tail == "z") {
        return true;
    }
    const auto digit = [&](std::size_t at) { return tail[at] >= '0' && tail[at] <= '9'; };
    if (tail.size() != 6 || (tail[0] != '+' && tail[0] != '-') || tail[3] != ':' || !digit(1) ||
        !digit(2) || !digit(4) || !digit(5)) {
        return false;
    }
    const int hours = (tail[1] - '0') * 10 + (tail[2] - '0');
    const int minutes = (tail[4] - '0') * 10 + (tail[5] - '0');
    offset = (hours * 60 + minutes) * (tail[0] == '-' ? -1 : 1);
    return hours < 24 && minutes < 60;
}

bool parseAnyTime(std::string_view words, SystemTime &out) {
    constexpr std::size_t kSecondsEnd = 19; // of 2026-11-30T21:44:27
    std::string head(words.substr(0, kSecondsEnd));
    std::string millis;
    int offset = 0;
    if (words.size() <= kSecondsEnd || !readTail(words.substr(kSecondsEnd), millis, offset)) {
        return false;
    }
    if (head[10] == 't' || head[10] == ' ') {
        head[10] = 'T';
    }
    if (!parseTime(concat(head, ".", millis, "Z"), out)) {
        return false;
    }
    out -= std::chrono::minutes(offset);
    return true;
}

} // namespace

bool fits(const Query &query, const Row &row) {
    return (query.tool.empty() || row.toolName == query.tool) && (!query.failedOnly || !row.ok) &&
           row.startedAt >= query.since;
}

Result<std::string> sinceOf(std::string_view words, SystemTime now) {
    if (const auto ago = secondsOf(words)) {
        return timeText(now - std::chrono::seconds(*ago));
    }
    SystemTime time;
    if (!parseAnyTime(words, time)) {
        return Error{"audit.since", concat("it is ", printable(words, 60), "; ", kSinceExpected)};
    }
    return timeText(time);
}

namespace {

constexpr int kTriesMax = 5;

Result<std::unique_ptr<Source>> openThere(const std::string &path, const Query &query) {
    struct stat seen {};
    if (stat(path.c_str(), &seen) != 0) {
        return Error{errno == ENOENT ? "audit.missing" : "audit.io", std::strerror(errno)};
    }
    if (!S_ISREG(seen.st_mode)) {
        return Error{"audit.open", "it is no regular file; expected the file of an audit"};
    }
    if (access(path.c_str(), R_OK) != 0) {
        return Error{"audit.io", std::strerror(errno)};
    }
    const auto database = Database::open(path, Database::Access::Read);
    if (!database) {
        return database.error();
    }
    return database->header().isDatabase ? openDatabase(path, query) : openLines(path, query);
}

} // namespace

Result<std::unique_ptr<Source>> openSource(const std::string &path, const Query &query) {
    Result<std::unique_ptr<Source>> source = nullptr;
    for (int i = 0; i < kTriesMax; ++i) {
        const auto before = seenAt(path);
        source = openThere(path, query);
        if (source) {
            return source;
        }
        const auto after = seenAt(path);
        if (!after) { // from the beginning, or since then
            return Error{"audit.missing", "there is no such file"};
        }
        if (before && before->id == after->id) {
            break;
        } // another process has put one aside, and begun the next
    }
    return source;
}

} // namespace tenon::audit
