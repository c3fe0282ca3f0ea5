// SPDX-License-Identifier: Apache-2.0
#include "transport/stdio.h"

#include <algorithm>
#include <atomic>
#include <cerrno>
#include <csignal>
#include <fcntl.h>
#include <poll.h>
#include <unistd.h>

namespace tenon::transport {

namespace {

constexpr std::size_t kChunkBytes = 64U << 10;
constexpr std::size_t kPendingBytesMax = 16U << 20;

// For the signal handler alone: the protocol's input, and what it is replaced by.
std::atomic<int> inputToEnd = -1;
std::atomic<int> nothing = -1;

void onSignal(int number) {
    const int saved = errno;
    if (number != SIGURG) { // the second one, of either kind, ends the process
        signal(SIGTERM, SIG_DFL);
        signal(SIGINT, SIG_DFL);
    }
    dup2(nothing,
         inputToEnd); // a read that comes later sees the end; one that waits is interrupted
    errno = saved;
}

} // namespace

OwnStdio takeStdio() {
    for (int fd = 0; fd <= 2; ++fd) { // a closed one would be taken by the next file opened
        if (fcntl(fd, F_GETFD) == -1 && open("/dev/null", O_RDWR) != fd) {
            _exit(1);
        }
    }
    const OwnStdio own{fcntl(0, F_DUPFD_CLOEXEC, 3), fcntl(1, F_DUPFD_CLOEXEC, 3)};
    const int null = open("/dev/null", O_RDWR | O_CLOEXEC);
    if (own.in < 0 || own.out < 0 || null < 0 || dup2(null, 0) < 0 || dup2(2, 1) < 0) {
        _exit(1);
    }
    close(null);
    return own;
}

void endInputOnSignal(int in) {
    nothing = open("/dev/null", O_RDONLY | O_CLOEXEC);
    inputToEnd = in;
    struct sigaction action {};
    action.sa_handler = onSignal;        // without SA_RESTART: read() must come back
    sigaction(SIGURG, &action, nullptr); // for endInput(): a signal that nobody sends, nor dies of
    sigaction(SIGTERM, &action, nullptr);
    sigaction(SIGINT, &action, nullptr);
}

void inputEnded() {
    signal(SIGTERM, SIG_DFL);
    signal(SIGINT, SIG_DFL);
}

void endInput(std::thread::native_handle_type reader) {
    pthread_kill(reader, SIGURG);
}

LineReader::LineReader(int descriptor, std::size_t lineBytesMax)
    : descriptor_(descriptor), lineBytesMax_(lineBytesMax) {}

void LineReader::findEnd(std::size_t from) {
    lineEnd_ = std::string_view(buffer_.data(), end_).find('\n', from);
    if (lineEnd_ == std::string::npos && ended_ && begin_ < end_) {
        lineEnd_ = end_;
    }
}

// Reads once more; false at the end of the input.
bool LineReader::fill() {
    std::copy(buffer_.begin() + static_cast<std::ptrdiff_t>(begin_),
              buffer_.begin() + static_cast<std::ptrdiff_t>(end_), buffer_.begin());
    end_ -= begin_;
    begin_ = 0;
    if (buffer_.size() - end_ < kChunkBytes) {
        buffer_.resize(std::max(end_ + kChunkBytes, buffer_.size() * 2));
    }
    const auto from = end_;
    ssize_t got = -1;
    do {
        got = read(descriptor_, buffer_.data() + end_, buffer_.size() - end_);
        if (got < 0 && errno == EAGAIN) { // a descriptor that somebody made non-blocking
            pollfd wait{descriptor_, POLLIN, 0};
            poll(&wait, 1, -1);
        }
    } while (got < 0 && (errno == EINTR || errno == EAGAIN));
    ended_ = got <= 0;
    end_ += static_cast<std::size_t>(std::max<ssize_t>(got, 0));
    findEnd(from);
    return !ended_;
}

LineReader::Status LineReader::next(std::string_view &line) {
    bool skipping = false;
    for (;;) {
        while (lineEnd_ == std::string::npos) {
            if (end_ - begin_ > lineBytesMax_ + 1) { // one: a CR before its LF
                skipping = true;
                begin_ = end_;
            }
            if (!fill() && lineEnd_ == std::string::npos) {
                return skipping ? Status::TooLong : Status::End;
            }
        }
        line = std::string_view(buffer_).substr(begin_, lineEnd_ - begin_);
        begin_ = std::min(lineEnd_ + 1, end_);
        findEnd(begin_);
        if (line.ends_with('\r')) {
            line.remove_suffix(1);
        }
        if (skipping || line.size() > lineBytesMax_) {
            return Status::TooLong;
        }
        if (line.find_first_not_of(" \t\r") != line.npos) {
            return Status::Line;
        }
    }
}

void LineWriter::add(std::string_view line) {
    std::unique_lock lock(mutex_);
    written_.wait(lock, [&] { return !writing_ || pending_.size() < kPendingBytesMax || failed_; });
    if (!failed_) {
        pending_ += line;
        pending_ += '\n';
    }
}

void LineWriter::flush() {
    std::unique_lock lock(mutex_);
    if (writing_) {
        return; // whoever writes takes it along
    }
    writing_ = true;
    std::string out;
    while (!pending_.empty() && !failed_) {
        out.swap(pending_);
        lock.unlock();
        std::string_view left(out);
        while (!left.empty()) {
            const ssize_t wrote = write(descriptor_, left.data(), left.size());
            if (wrote >= 0) {
                left.remove_prefix(static_cast<std::size_t>(wrote));
            } else if (errno == EAGAIN) {
                pollfd wait{descriptor_, POLLOUT, 0};
                poll(&wait, 1, -1);
            } else if (errno != EINTR) {
                break;
            }
        }
        lock.lock();
        failed_ = !left.empty();
        out.clear();
        if (pending_.empty()) {
            out.swap(pending_); // keep the larger memory
        }
        written_.notify_all();
    }
    writing_ = false;
    if (failed_) {
        pending_.clear();
        written_.notify_all();
    }
}

bool LineWriter::failed() const {
    const std::lock_guard lock(mutex_);
    return failed_;
}

} // namespace tenon::transport
