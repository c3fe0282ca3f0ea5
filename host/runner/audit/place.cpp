// SPDX-License-Identifier: Apache-2.0
#include "runner/audit/place.h"

#include "support/text.h"

#include <fcntl.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <climits>
#include <cstdio>
#include <cstring>
#include <thread>

namespace tenon::audit {

namespace {

using namespace std::chrono_literals;

constexpr auto kLockSleep = 500us;

FileSeen seenOf(const struct stat &status) {
    return {{status.st_dev, status.st_ino},
            S_ISREG(status.st_mode),
            S_ISLNK(status.st_mode),
            static_cast<std::uint64_t>(status.st_size),
            status.st_nlink};
}

} // namespace

std::optional<FileSeen> seenAt(const std::string &path) {
    struct stat status {};
    if (lstat(path.c_str(), &status) != 0) {
        return std::nullopt;
    }
    return seenOf(status);
}

bool isAt(const FileId &id, const std::string &path) {
    const auto seen = seenAt(path);
    return seen && seen->id == id;
}

std::optional<std::chrono::system_clock::time_point> bornAt(const std::string &path) {
    struct statx status {};
    if (statx(AT_FDCWD, path.c_str(), AT_SYMLINK_NOFOLLOW, STATX_BTIME, &status) != 0 ||
        (status.stx_mask & STATX_BTIME) == 0) {
        return std::nullopt;
    }
    return std::chrono::system_clock::from_time_t(status.stx_btime.tv_sec) +
           std::chrono::milliseconds(status.stx_btime.tv_nsec / 1'000'000);
}

std::optional<std::chrono::seconds> unwrittenFor(const std::string &path) {
    struct stat status {};
    if (lstat(path.c_str(), &status) != 0) {
        return std::nullopt;
    }
    return std::chrono::floor<std::chrono::seconds>(
        std::chrono::system_clock::now() -
        std::chrono::system_clock::from_time_t(status.st_mtim.tv_sec));
}

Anchor::Anchor(const std::string &path)
    : fd_(open(path.c_str(), O_PATH | O_NOFOLLOW | O_CLOEXEC)) {}

Anchor::~Anchor() {
    if (fd_ >= 0) {
        close(fd_);
    }
}

Anchor::Anchor(Anchor &&other) noexcept : fd_(std::exchange(other.fd_, -1)) {}

Anchor &Anchor::operator=(Anchor &&other) noexcept {
    std::swap(fd_, other.fd_);
    return *this;
}

std::optional<FileSeen> Anchor::seen() const {
    struct stat status {};
    if (fd_ < 0 || fstat(fd_, &status) != 0) {
        return std::nullopt;
    }
    return seenOf(status);
}

std::string Anchor::name() const {
    std::array<char, PATH_MAX> name{};
    const auto length = readlink(concat("/proc/self/fd/", fd_).c_str(), name.data(), name.size());
    return length > 0 ? std::string(name.data(), static_cast<std::size_t>(length)) : std::string();
}

Result<FolderLock> FolderLock::take(const std::string &path, SteadyTime until) {
    const auto slash = path.rfind('/');
    const auto folder = slash == path.npos ? std::string(".") : path.substr(0, slash + 1);
    FolderLock lock(open(folder.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC));
    if (lock.fd_ < 0) {
        return Error{"audit.open",
                     concat("its folder ", printable(folder),
                            " cannot be opened: ", std::strerror(errno),
                            "; a database needs one that this user may read, for a lock on it: "
                            "allow that, or keep JSON lines")};
    }
    while (flock(lock.fd_, LOCK_EX | LOCK_NB) != 0) {
        if (errno != EWOULDBLOCK && errno != EINTR) {
            return Error{"audit.open", concat("its folder ", printable(folder),
                                              " cannot be locked: ", std::strerror(errno))};
        }
        if (std::chrono::steady_clock::now() >= until) {
            return Error{"audit.locked", "its folder is locked by another process for too long"};
        }
        std::this_thread::sleep_for(kLockSleep);
    }
    return lock;
}

FolderLock::~FolderLock() {
    if (fd_ >= 0) {
        flock(fd_, LOCK_UN); // a child between fork and exec may hold the same open folder
        close(fd_);
    }
}

FolderLock::FolderLock(FolderLock &&other) noexcept : fd_(std::exchange(other.fd_, -1)) {}

void FolderLock::sync() const {
    fsync(fd_);
}

} // namespace tenon::audit
