// SPDX-License-Identifier: Apache-2.0
#include "runner/audit/files.h"

#include "support/text.h"

#include <dirent.h>
#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cctype>
#include <cerrno>
#include <charconv>
#include <cstring>
#include <functional>
#include <memory>
#include <random>
#include <tuple>

namespace tenon::audit {

namespace {

constexpr unsigned kInOneSecondMax = 9999;
constexpr std::size_t kUnfinishedMarks = 6;

// Whether text is a stamp like ".20261130T214427Z", of a day that there is.
bool isStamp(std::string_view text, SystemTime &out) {
    if (text.size() != 17) {
        return false;
    }
    const auto time =
        concat(text.substr(1, 4), '-', text.substr(5, 2), '-', text.substr(7, 2), text.substr(9, 3),
               ':', text.substr(12, 2), ':', text.substr(14, 2), ".000", text.substr(16));
    return text[0] == '.' && parseTime(time, out);
}

// What stands behind the path in an archive's name, in the order of making.
struct Mark {
    std::string_view stamp;
    unsigned n = 0;
    SystemTime at{};
    bool operator<(const Mark &other) const {
        return std::tie(stamp, n) < std::tie(other.stamp, other.n);
    }
};

std::optional<Mark> markOf(std::string_view path, std::string_view name) {
    if (name.substr(0, path.size()) != path) {
        return std::nullopt;
    }
    const auto rest = name.substr(path.size());
    const auto stamp = rest.substr(0, 17);
    Mark mark{stamp};
    if (!isStamp(stamp, mark.at)) {
        return std::nullopt;
    }
    if (const auto tail = rest.substr(17); !tail.empty()) {
        std::from_chars(tail.data() + 1, tail.data() + tail.size(), mark.n);
        if (mark.n == 0 || mark.n > kInOneSecondMax || tail != concat('.', mark.n)) {
            return std::nullopt;
        }
    }
    return mark;
}

std::string folderOf(const std::string &path) {
    const auto slash = path.rfind('/');
    return slash == path.npos ? std::string() : path.substr(0, slash + 1);
}

std::string unfinishedStart(const std::string &path) {
    const auto folder = folderOf(path);
    return concat(folder, '.', path.substr(folder.size()), '.');
}

// The regular files in the folder of path for whose names that holds.
std::vector<std::string> filesBeside(const std::string &path,
                                     const std::function<bool(const std::string &)> &holds) {
    const auto folder = folderOf(path);
    std::vector<std::string> names;
    const std::unique_ptr<DIR, int (*)(DIR *)> open(opendir(folder.empty() ? "." : folder.c_str()),
                                                    closedir);
    if (!open) {
        return names;
    }
    while (const auto *entry = readdir(open.get())) {
        auto name = folder + entry->d_name;
        struct stat seen {};
        if (holds(name) && lstat(name.c_str(), &seen) == 0 && S_ISREG(seen.st_mode)) {
            names.push_back(std::move(name));
        }
    }
    return names;
}

} // namespace

std::string archiveName(std::string_view path, SystemTime at, unsigned n) {
    auto stamp = timeText(at).substr(0, 19); // "2026-11-30T21:44:27"
    std::erase_if(stamp, [](char c) { return c == '-' || c == ':'; });
    return n == 0 ? concat(path, '.', stamp, 'Z') : concat(path, '.', stamp, "Z.", n);
}

bool isArchiveOf(std::string_view path, std::string_view name) {
    return markOf(path, name).has_value();
}

std::optional<SystemTime> lastPutAside(const std::string &path) {
    const auto names = archivesOf(path);
    return names.empty() ? std::nullopt : std::optional(markOf(path, names.back())->at);
}

std::string unfinishedName(const std::string &path) {
    static constexpr std::string_view kLetters =
        "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789";
    std::random_device random;
    auto name = unfinishedStart(path);
    for (std::size_t i = 0; i < kUnfinishedMarks; ++i) {
        name += kLetters[random() % kLetters.size()];
    }
    return name;
}

std::vector<std::string> unfinishedOf(const std::string &path) {
    const auto start = unfinishedStart(path);
    return filesBeside(path, [&](const std::string &name) {
        return name.size() == start.size() + kUnfinishedMarks && name.starts_with(start) &&
               std::all_of(name.end() - kUnfinishedMarks, name.end(),
                           [](unsigned char c) { return std::isalnum(c) != 0; });
    });
}

std::vector<std::string> archivesOf(const std::string &path) {
    auto names =
        filesBeside(path, [&](const std::string &name) { return isArchiveOf(path, name); });
    std::sort(names.begin(), names.end(), [&](const std::string &a, const std::string &b) {
        return markOf(path, a) < markOf(path, b);
    });
    return names;
}

Deleted deleteOlder(const std::string &path, SystemTime before) {
    Deleted out;
    for (auto &name : archivesOf(path)) {
        struct stat seen {};
        if (lstat(name.c_str(), &seen) != 0) {
            continue;
        }
        const auto written = std::chrono::system_clock::from_time_t(seen.st_mtim.tv_sec) +
                             std::chrono::milliseconds(seen.st_mtim.tv_nsec / 1'000'000);
        if (written >= before) {
            continue;
        }
        if (unlink(name.c_str()) == 0) {
            out.names.push_back(std::move(name));
        } else if (errno != ENOENT) { // another process may have been faster
            out.fault = concat(printable(name), ": ", std::strerror(errno));
        }
    }
    return out;
}

int renameToFree(const std::string &from, const std::string &to) {
    if (renameat2(AT_FDCWD, from.c_str(), AT_FDCWD, to.c_str(), RENAME_NOREPLACE) == 0) {
        return 0;
    }
    if (errno != EINVAL && errno != ENOSYS) {
        return errno;
    }
    // A file system that cannot rename with that promise.
    return link(from.c_str(), to.c_str()) == 0 && unlink(from.c_str()) == 0 ? 0 : errno;
}

Result<std::string> putAside(const std::string &from, const std::string &path, SystemTime now,
                             std::string_view tail) {
    for (unsigned n = 0; n <= kInOneSecondMax; ++n) {
        auto name = archiveName(path, now, n).append(tail);
        const int reason = renameToFree(from, name);
        if (reason == 0) {
            return name;
        }
        if (reason != EEXIST) {
            return Error{"audit.rotate", concat("it cannot be renamed to ", printable(name), ": ",
                                                std::strerror(reason))};
        }
    }
    return Error{"audit.rotate", concat(kInOneSecondMax, " files were put aside in one second")};
}

} // namespace tenon::audit
