// SPDX-License-Identifier: Apache-2.0
// Which files are at a path, and a lock for those who make or replace them.
#pragma once

#include "runner/audit/files.h"
#include "support/result.h"

#include <chrono>
#include <optional>
#include <string>

#include <sys/types.h>

namespace tenon::audit {

using SteadyTime = std::chrono::steady_clock::time_point;

struct FileId {
    dev_t device = 0;
    ino_t inode = 0;
    bool operator==(const FileId &) const = default;
};

struct FileSeen {
    FileId id;
    bool isRegular = false, isLink = false;
    std::uint64_t bytes = 0, names = 0; // names: 0 once it is deleted
};

// What stands at the path, a symbolic link as such.
std::optional<FileSeen> seenAt(const std::string &path);
bool isAt(const FileId &id, const std::string &path);
// When the file was made, where the file system keeps that.
std::optional<std::chrono::system_clock::time_point> bornAt(const std::string &path);
// How long ago it was written last.
std::optional<std::chrono::seconds> unwrittenFor(const std::string &path);

// A file that is held without being opened: closing it takes no lock away.
class Anchor {
public:
    Anchor() = default;
    explicit Anchor(const std::string &path);
    ~Anchor();
    Anchor(Anchor &&other) noexcept;
    Anchor &operator=(Anchor &&other) noexcept;
    std::optional<FileSeen> seen() const;
    std::string name() const; // by which it is known now, or ""

private:
    int fd_ = -1;
};

// An advisory lock on the folder of a path, which the processes that share an audit take before
// they make, open or put aside its database.
class FolderLock {
public:
    static Result<FolderLock> take(const std::string &path, SteadyTime until);
    ~FolderLock();
    FolderLock(FolderLock &&other) noexcept;
    FolderLock &operator=(FolderLock &&) = delete;
    void sync() const; // the names in the folder reach the disk

private:
    explicit FolderLock(int fd) : fd_(fd) {}
    int fd_;
};

} // namespace tenon::audit
