// SPDX-License-Identifier: Apache-2.0
// Lines over the process's own standard input and output. Knows no tools.
#pragma once

#include <condition_variable>
#include <mutex>
#include <string>
#include <string_view>
#include <thread>

namespace tenon::transport {

// The real standard input and output, as private close-on-exec descriptors. After this, descriptor
// 0 is /dev/null and descriptor 1 goes to stderr for good: whatever a plugin prints or reads is
// never the protocol. Call it first of all, once.
struct OwnStdio {
    int in = -1;
    int out = -1;
};
OwnStdio takeStdio();

// From now on a first SIGTERM or SIGINT ends the input: a blocked LineReader sees its end. The
// second one ends the process. Call it on the thread that reads.
void endInputOnSignal(int in);

// The input has ended of itself: from now on one signal ends the process.
void inputEnded();

// Ends the input from another thread: the client is gone. After endInputOnSignal(), as often as one
// likes.
void endInput(std::thread::native_handle_type reader);

// Bounded, chunk-safe reading of lines. One thread.
class LineReader {
public:
    LineReader(int descriptor, std::size_t lineBytesMax);

    enum class Status { Line, TooLong, End };
    // The next line without its end (LF or CRLF), valid until the next call; blank lines are left
    // out. A line beyond the limit is skipped and reported once. What stands before the end of the
    // input without a line feed is a line.
    Status next(std::string_view &line);
    // Whether a whole line is at hand, so that next() would not wait.
    bool hasLine() const { return lineEnd_ != std::string::npos; }

private:
    bool fill();
    void findEnd(std::size_t from);

    int descriptor_;
    std::size_t lineBytesMax_;
    std::string buffer_; // [begin_, end_) is what was read and not yet given
    std::size_t begin_ = 0;
    std::size_t end_ = 0;
    std::size_t lineEnd_ = std::string::npos;
    bool ended_ = false;
};

// Writes whole lines; thread-safe. Lines of several threads never mix, and lines that come while
// another thread writes go out with its next write.
class LineWriter {
public:
    explicit LineWriter(int descriptor) : descriptor_(descriptor) {}

    // Adds a line (without its line feed), to go out with the next flush. Waits while too much is
    // unwritten, so that a client which does not read stops the host instead of filling its memory.
    void add(std::string_view line);
    void flush();
    // The other side is gone: nothing more can be written.
    bool failed() const;

private:
    int descriptor_;
    mutable std::mutex mutex_;
    std::condition_variable written_;
    std::string pending_;
    bool writing_ = false;
    bool failed_ = false;
};

} // namespace tenon::transport
