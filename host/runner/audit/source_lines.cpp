// SPDX-License-Identifier: Apache-2.0
// JSON lines, read a piece at a time.
#include "runner/audit/source.h"

#include "json/document.h"

#include <fcntl.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <deque>
#include <limits>

namespace tenon::audit {

namespace {

constexpr std::size_t kPieceBytes = 256U << 10;
constexpr std::size_t kLineBytesMax = 1U << 20; // a longer one is no row of ours

class Lines : public Source {
public:
    Lines(int fd, FileId id, const Query &query) : Source(id, query), fd_(fd) {}
    ~Lines() override { ::close(fd_); }
    Lines(const Lines &) = delete;
    Lines &operator=(const Lines &) = delete;

    Result<bool> next(std::vector<Row> &rows) override;
    Result<std::vector<Row>> newest(std::size_t most, std::size_t refusedMost, End end,
                                    const std::function<bool(const Row &)> &take) override;
    void close(std::vector<Row> &rows) override;
    void endHere() override;
    bool counts() const override { return false; }

private:
    Result<std::size_t> readPiece();
    bool isBeingWritten() const;
    void takeLine(std::string_view line, std::vector<Row> &rows);

    int fd_;
    off_t offset_ = 0;
    off_t end_ = std::numeric_limits<off_t>::max(); // nothing is read from there on
    std::string piece_ = std::string(kPieceBytes, '\0');
    std::string open_;    // the beginning of a line whose end is not read yet
    bool isLong_ = false; // and which is too long to be kept
    json::Document document_;
};

Result<std::size_t> Lines::readPiece() {
    for (;;) {
        const auto most =
            std::min<std::uint64_t>(piece_.size(), static_cast<std::uint64_t>(end_ - offset_));
        const auto got = pread(fd_, piece_.data(), most, offset_);
        if (got > 0) {
            offset_ += got;
            return static_cast<std::size_t>(got);
        }
        struct stat seen {};
        if (got == 0 && fstat(fd_, &seen) == 0 && seen.st_size < offset_) {
            offset_ = 0; // it was emptied and is written anew
            open_.clear();
            isLong_ = false;
            continue;
        }
        if (got == 0) {
            return std::size_t{0};
        }
        if (errno != EINTR) {
            return Error{"audit.io", std::strerror(errno)};
        }
    }
}

Result<bool> Lines::next(std::vector<Row> &rows) {
    const auto got = readPiece();
    if (!got || *got == 0) {
        return got ? Result<bool>(false) : Result<bool>(got.error());
    }
    std::string_view piece(piece_.data(), *got);
    for (auto end = piece.find('\n'); end != piece.npos; end = piece.find('\n')) {
        const auto line = piece.substr(0, end);
        if (isLong_ || open_.size() + line.size() > kLineBytesMax) {
            skip();
        } else if (open_.empty()) {
            takeLine(line, rows);
        } else {
            open_ += line;
            takeLine(open_, rows);
        }
        open_.clear();
        isLong_ = false;
        piece.remove_prefix(end + 1);
    }
    isLong_ = isLong_ || open_.size() + piece.size() > kLineBytesMax;
    open_ += isLong_ ? std::string_view() : piece;
    return true;
}

void Lines::takeLine(std::string_view line, std::vector<Row> &rows) {
    if (line.empty()) {
        return;
    }
    const auto read = document_.readView(line, {kLineBytesMax, 128});
    auto row = read ? rowOfJson(document_.root()) : Result<Row>(read.error());
    if (!row) {
        skip();
    } else if (fits(query(), *row)) {
        rows.push_back(std::move(*row));
    }
}

void Lines::endHere() {
    struct stat seen {};
    if (fstat(fd_, &seen) == 0) {
        end_ = seen.st_size;
    }
}

// Who writes holds a lock on the file; what has grown since it was read was being written then.
bool Lines::isBeingWritten() const {
    if (flock(fd_, LOCK_SH | LOCK_NB) != 0) {
        return errno == EWOULDBLOCK;
    }
    struct stat seen {};
    const bool hasGrown = fstat(fd_, &seen) == 0 && seen.st_size > offset_;
    flock(fd_, LOCK_UN);
    return hasGrown;
}

void Lines::close(std::vector<Row> &rows) {
    if ((isLong_ || !open_.empty()) && isBeingWritten()) {
        open_.clear(); // its other half will be there soon
        isLong_ = false;
    }
    if (isLong_) {
        skip();
    } else {
        takeLine(open_, rows);
    }
    open_.clear();
    isLong_ = false;
}

Result<std::vector<Row>> Lines::newest(std::size_t most, std::size_t refusedMost, End end,
                                       const std::function<bool(const Row &)> &take) {
    std::deque<Row> ring;
    std::vector<Row> rows;
    for (bool more = true; more;) {
        auto got = next(rows);
        if (!got) {
            return got.error();
        }
        more = *got;
        if (!more && end == End::Closed) {
            close(rows);
        }
        std::move(rows.begin(), rows.end(), std::back_inserter(ring));
        rows.clear();
        while (ring.size() > most + refusedMost) {
            ring.pop_front();
        }
    }
    for (auto row = ring.rbegin(); row != ring.rend() && rows.size() < most; ++row) {
        if (take(*row)) {
            rows.push_back(std::move(*row));
        }
    }
    return rows;
}

} // namespace

Result<std::unique_ptr<Source>> openLines(const std::string &path, const Query &query) {
    const int fd = ::open(path.c_str(), O_RDONLY | O_CLOEXEC | O_NOCTTY | O_NONBLOCK);
    struct stat seen {};
    if (fd < 0 || fstat(fd, &seen) != 0) {
        const int reason = errno;
        if (fd >= 0) {
            ::close(fd);
        }
        return Error{"audit.io", std::strerror(reason)};
    }
    return std::unique_ptr<Source>(
        std::make_unique<Lines>(fd, FileId{seen.st_dev, seen.st_ino}, query));
}

} // namespace tenon::audit
