// SPDX-License-Identifier: Apache-2.0
#include "runner/audit/jsonl_sink.h"

#include "runner/audit/file_size_signal.h"
#include "support/text.h"

#include <fcntl.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <climits>
#include <cstring>
#include <filesystem>
#include <thread>

namespace tenon::audit {

namespace {

using namespace std::chrono_literals;
using Steady = std::chrono::steady_clock;

constexpr int kOpenTriesMax = 5;
constexpr auto kLockSleep = 500us;
// So long after another process put the file aside, a SIGHUP is taken for the one that it had.
constexpr auto kSameSignal = 10s;
constexpr int kReopensMax = 8;
constexpr std::size_t kTextKept = 8U << 20;
constexpr std::uint64_t kTornLookMax = 16U << 20;

Error errorOf(std::string code, int reason) {
    return Error{std::move(code), std::strerror(reason)};
}

// Writes all of it, or as much as can be; errno then says why.
std::size_t writeAll(int fd, std::string_view bytes) {
    std::size_t done = 0;
    while (done < bytes.size()) {
        const auto wrote = ::write(fd, bytes.data() + done, bytes.size() - done);
        if (wrote > 0) {
            done += static_cast<std::size_t>(wrote);
        } else if (wrote == 0) {
            errno = EIO;
            break;
        } else if (errno != EINTR) {
            break;
        }
    }
    return done;
}

std::string_view kindOf(mode_t mode) {
    return S_ISFIFO(mode) ? "a FIFO" : S_ISBLK(mode) ? "a block device" : "no regular file";
}

std::string reasonNotOpened(const std::string &path, int reason) {
    const auto folder = std::filesystem::path(path).parent_path().string();
    switch (reason) {
    case EISDIR: return "it is a directory; name a file in it";
    case ENXIO: return "it is no regular file; name one, or one that can be made";
    case ENOENT:
        return concat("the folder ", printable(folder.empty() ? "." : folder),
                      " does not exist; make it first");
    case ELOOP:
        return concat("a symbolic link stands at ", printable(path),
                      ", which is not followed once the audit has begun; remove it");
    case ENOTDIR: return concat(printable(folder), " is no folder");
    default: return std::strerror(reason);
    }
}

} // namespace

Result<std::unique_ptr<JsonlSink>> JsonlSink::open(std::string path, Rotation rotation) {
    std::unique_ptr<JsonlSink> sink(new JsonlSink(std::move(path), rotation));
    if (auto begun = sink->begin(); !begun) {
        return Error{"audit.open", concat("the audit file ", printable(sink->path_),
                                          " cannot be opened: ", begun.error().message)};
    }
    return sink;
}

Result<void> JsonlSink::begin() {
    std::error_code failed;
    for (int i = 0; i < kOpenTriesMax; ++i) {
        if (auto opened = openFile(); !opened) {
            return opened;
        }
        const auto resolved = std::filesystem::canonical(path_, failed);
        if (!failed) {
            path_ = resolved.string();
            isResolved_ = true;
            break;
        } // another process has just put it aside
    }
    if (failed) {
        return Error{"audit.open", failed.message()};
    }
    // It may be due already; if it is locked now, that is seen to when the sink keeps up.
    deleteOld();
    if (lockCurrent(Steady::now())) {
        rotateIfDue();
        unlock();
    }
    return fd_ < 0 ? openFile() : Result<void>();
}

JsonlSink::~JsonlSink() {
    closeFile();
}

Result<void> JsonlSink::openFile() {
    closeFile();
    // Not to wait for whoever might read a FIFO, and not to make a terminal ours.
    constexpr int kFlags = O_RDWR | O_APPEND | O_CREAT | O_CLOEXEC | O_NONBLOCK | O_NOCTTY;
    do {
        fd_ = ::open(path_.c_str(), kFlags | (isResolved_ ? O_NOFOLLOW : 0), 0600);
    } while (fd_ < 0 && errno == EINTR);
    if (fd_ < 0) {
        return Error{"audit.open", reasonNotOpened(path_, errno)};
    }
    struct stat seen {};
    if (fstat(fd_, &seen) != 0 || (!S_ISREG(seen.st_mode) && !S_ISCHR(seen.st_mode))) {
        closeFile();
        return Error{"audit.open", concat("it is ", kindOf(seen.st_mode),
                                          "; expected a regular file, or none yet")};
    }
    openedAt_ = std::chrono::system_clock::now();
    isDevice_ = S_ISCHR(seen.st_mode);
    deviceTorn_ = false;
    static constexpr std::string_view kSqliteHead("SQLite format 3\0", 16);
    std::array<char, kSqliteHead.size()> head{};
    if (!isDevice_ && pread(fd_, head.data(), head.size(), 0) == ssize_t{head.size()} &&
        std::string_view(head.data(), head.size()) == kSqliteHead) {
        closeFile();
        return Error{"audit.open", "it is a SQLite database; expected JSON lines, or none yet"};
    }
    return {};
}

void JsonlSink::closeFile() {
    if (fd_ >= 0) {
        unlock(); // a child between fork and exec may hold the same open file
        ::close(fd_);
        fd_ = -1;
    }
}

std::uint64_t JsonlSink::size() {
    struct stat seen {};
    return fstat(fd_, &seen) == 0 ? static_cast<std::uint64_t>(seen.st_size) : 0;
}

Result<void> JsonlSink::lockUntil(Time until) {
    while (flock(fd_, LOCK_EX | LOCK_NB) != 0) {
        const int reason = errno;
        if (reason != EWOULDBLOCK && reason != EINTR) {
            return Error{"audit.lock", concat("it cannot be locked: ", std::strerror(reason))};
        }
        if (Steady::now() >= until) {
            return Error{"audit.locked", "locked by another process for too long"};
        }
        std::this_thread::sleep_for(kLockSleep);
    }
    return {};
}

void JsonlSink::unlock() {
    if (fd_ >= 0 && !isDevice_) {
        flock(fd_, LOCK_UN);
    }
}

Result<void> JsonlSink::lockCurrent(Time until) {
    for (int i = 0; i < kReopensMax; ++i) {
        if (fd_ < 0) {
            if (auto opened = openFile(); !opened) {
                return opened;
            }
        }
        if (isDevice_) {
            return {};
        }
        if (auto locked = lockUntil(until); !locked) {
            return locked;
        }
        struct stat open {
        }, there{};
        if (fstat(fd_, &open) != 0) {
            return errorOf("audit.write", errno);
        }
        if (lstat(path_.c_str(), &there) == 0 && open.st_dev == there.st_dev &&
            open.st_ino == there.st_ino) {
            return {};
        }
        onReplaced();
        closeFile();
    }
    return Error{"audit.write", "the file at its path is replaced faster than it can be opened"};
}

void JsonlSink::onReplaced() {
    std::array<char, PATH_MAX> name{};
    const auto link = concat("/proc/self/fd/", fd_);
    const auto length = readlink(link.c_str(), name.data(), name.size());
    std::string_view now(name.data(), length > 0 ? static_cast<std::size_t>(length) : 0);
    if (constexpr std::string_view kDeleted = " (deleted)"; now.ends_with(kDeleted)) {
        now.remove_suffix(kDeleted.size());
    }
    if (isArchiveOf(path_, now)) { // another process put it aside, as is its duty
        movedUntil_ = std::max(movedUntil_, Steady::now() + kSameSignal);
    } else {
        movedUntil_ = Time::max();
        notices_.emplace_back("the file had been moved or deleted; a new one is begun at its path");
    }
}

void JsonlSink::compose(std::span<const Row> rows) {
    if (text_.capacity() > kTextKept) {
        text_ = {};
    }
    text_.clear();
    ends_.clear();
    for (const auto &row : rows) {
        appendJson(text_, row);
        text_ += '\n';
        ends_.push_back(text_.size());
    }
}

Written JsonlSink::write(std::span<const Row> rows) {
    Written out;
    compose(rows); // before the lock: other processes may want it
    const FileSizeSignalHeld held;
    if (auto done = writeBatch(Steady::now() + kLockWaitMax, out.rows); !done) {
        out.fault = std::move(done.error());
    }
    out.notices = std::exchange(notices_, {});
    return out;
}

Result<void> JsonlSink::writeBatch(Time until, std::size_t &rows) {
    for (int i = 0; i < kReopensMax; ++i) {
        rows = 0;
        auto done = lockCurrent(until);
        if (done) {
            lookAtClock();
        }
        done = done ? closeOffTorn() : done;
        done = done ? append(rows) : done;
        struct stat seen {};
        const bool deleted = fd_ >= 0 && fstat(fd_, &seen) == 0 && seen.st_nlink == 0;
        unlock();
        if (!deleted || isDevice_) {
            return done;
        }
        // The rows are written again: lockCurrent sees that the path leads elsewhere.
    }
    rows = 0;
    return Error{"audit.write", "the file is deleted again and again while rows are written"};
}

Result<void> JsonlSink::closeOffTorn() {
    const auto bytes = size();
    char last = '\n';
    if (!isDevice_ && bytes > 0 && pread(fd_, &last, 1, static_cast<off_t>(bytes - 1)) != 1) {
        return Error{"audit.write", "the end of the file cannot be read"};
    }
    if (last == '\n' && !deviceTorn_) {
        return {};
    }
    if (writeAll(fd_, "\n") != 1) {
        return errorOf("audit.write", errno);
    }
    if (!std::exchange(deviceTorn_, false)) {
        const auto begin = beginOfTorn(bytes);
        notices_.push_back(concat("a run had ended in the middle of a row; the ", bytes - begin,
                                  " bytes of it at offset ", begin,
                                  " now stand on a line of their own"));
    }
    return {};
}

std::uint64_t JsonlSink::beginOfTorn(std::uint64_t size) {
    std::array<char, 65536> bytes;
    const auto least = size > kTornLookMax ? size - kTornLookMax : 0;
    for (auto end = size; end > least;) {
        const auto begin = end - std::min<std::uint64_t>(end - least, bytes.size());
        const auto length = pread(fd_, bytes.data(), end - begin, static_cast<off_t>(begin));
        const std::string_view part(bytes.data(),
                                    length > 0 ? static_cast<std::size_t>(length) : 0);
        if (const auto line = part.rfind('\n'); line != part.npos) {
            return begin + line + 1;
        }
        end = begin;
    }
    return least;
}

Result<void> JsonlSink::append(std::size_t &rows) {
    std::size_t begin = 0;
    for (auto at = size(); rows < ends_.size(); ++rows) {
        const auto line = std::string_view(text_).substr(begin, ends_[rows] - begin);
        const auto wrote = writeAll(fd_, line);
        if (wrote < line.size()) {
            const int reason = errno;
            takeBack(at, wrote);
            return errorOf("audit.write", reason);
        }
        begin += line.size();
        at += line.size();
    }
    return {};
}

// So that no part of a row stays: the lock is ours, nobody appended behind it. Where that fails,
// the next batch closes it off.
void JsonlSink::takeBack(std::uint64_t begin, std::size_t wrote) {
    if (isDevice_) {
        deviceTorn_ = deviceTorn_ || wrote > 0;
    } else if (wrote > 0 && size() == begin + wrote) {
        [[maybe_unused]] const int cut = ftruncate(fd_, static_cast<off_t>(begin));
    }
}

} // namespace tenon::audit
