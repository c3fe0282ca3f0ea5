// SPDX-License-Identifier: Apache-2.0
#include "support/text.h"
#include "transport/stdio.h"

#include <catch2/catch.hpp>

#include <array>
#include <chrono>
#include <csignal>
#include <cstdio>
#include <fcntl.h>
#include <sys/wait.h>
#include <thread>
#include <unistd.h>
#include <vector>

using tenon::concat;
using tenon::transport::LineReader;
using tenon::transport::LineWriter;
using Status = LineReader::Status;

namespace {

struct Pipe {
    Pipe() { REQUIRE(pipe2(ends.data(), O_CLOEXEC) == 0); }
    ~Pipe() {
        closeIn();
        closeOut();
    }
    Pipe(const Pipe &) = delete;
    Pipe &operator=(const Pipe &) = delete;
    int in() const { return ends[0]; }
    int out() const { return ends[1]; }
    void closeIn() { closeEnd(ends[0]); }
    void closeOut() { closeEnd(ends[1]); }
    void write(std::string_view text) const {
        while (!text.empty()) {
            const auto wrote = ::write(out(), text.data(), text.size());
            if (wrote <= 0) { // from a thread, where Catch cannot be asked: the reader sees it
                return;
            }
            text.remove_prefix(static_cast<std::size_t>(wrote));
        }
    }
    std::string readAll() const {
        std::string all;
        std::array<char, 4096> chunk;
        for (ssize_t got = 0; (got = ::read(in(), chunk.data(), chunk.size())) > 0;) {
            all.append(chunk.data(), static_cast<std::size_t>(got));
        }
        return all;
    }

    std::array<int, 2> ends{-1, -1};

private:
    static void closeEnd(int &end) {
        if (end >= 0) {
            close(end);
        }
        end = -1;
    }
};

// What a reader makes of a text that comes in chunks of this many bytes: lines, "!" for one that
// is too long.
std::vector<std::string> linesOf(std::string_view text, std::size_t most,
                                 std::size_t chunk = 1'000'000) {
    Pipe pipe;
    std::thread writer([&, text]() mutable {
        while (!text.empty()) {
            pipe.write(text.substr(0, chunk));
            text.remove_prefix(std::min(chunk, text.size()));
        }
        pipe.closeOut();
    });
    LineReader reader(pipe.in(), most);
    std::vector<std::string> lines;
    std::string_view line;
    for (Status status = reader.next(line); status != Status::End; status = reader.next(line)) {
        lines.push_back(status == Status::Line ? std::string(line) : "!");
    }
    writer.join();
    CHECK(reader.next(line) == Status::End);
    return lines;
}

using Lines = std::vector<std::string>;

// Runs in a child that ends with what it returns; nothing of the tests runs there.
int inChild(const auto &work, std::chrono::milliseconds most = std::chrono::seconds(10)) {
    const pid_t child = fork();
    REQUIRE(child >= 0);
    if (child == 0) {
        _exit(work());
    }
    int status = 0;
    for (auto waited = std::chrono::milliseconds(0); waited < most;
         waited += std::chrono::milliseconds(5)) {
        if (waitpid(child, &status, WNOHANG) == child) {
            return WIFEXITED(status) ? WEXITSTATUS(status) : -WTERMSIG(status);
        }
        std::this_thread::sleep_for(std::chrono::milliseconds(5));
    }
    kill(child, SIGKILL);
    waitpid(child, &status, 0);
    FAIL("the child did not end");
    return -1;
}

} // namespace

TEST_CASE("Lines end in LF or CRLF, blank ones are left out, and the last needs no end") {
    CHECK(linesOf("a\nb\r\n\r\n\n \t\r\nc d \n  e", 100) == Lines{"a", "b", "c d ", "  e"});
    CHECK(linesOf("", 100).empty());
    CHECK(linesOf("\n\r\n", 100).empty());
    CHECK(linesOf("only\r", 100) == Lines{"only"});
    CHECK(linesOf("a\rb\n", 100) == Lines{"a\rb"}); // a CR within is text
    CHECK(linesOf(std::string_view("a\0b\n", 4), 100) == Lines{std::string("a\0b", 3)});
}

TEST_CASE("How the bytes are cut into chunks makes no difference") {
    const std::string text = "first\r\n\n" + std::string(300, 'x') + "\n{\"k\":1}\r\nlast";
    const Lines expected{"first", std::string(300, 'x'), "{\"k\":1}", "last"};
    for (const std::size_t chunk : {1U, 2U, 3U, 7U, 299U, 1000U}) {
        CAPTURE(chunk);
        CHECK(linesOf(text, 300, chunk) == expected);
    }
}

TEST_CASE("A line of exactly the limit is read, with either end; one byte more is reported once") {
    const std::string full(100, 'x');
    for (const std::size_t chunk : {1U, 50U, 101U, 102U, 1000U}) {
        CAPTURE(chunk);
        CHECK(linesOf(full + "\nb\n", 100, chunk) == Lines{full, "b"});
        CHECK(linesOf(full + "\r\nb\n", 100, chunk) == Lines{full, "b"});
        CHECK(linesOf(full, 100, chunk) == Lines{full});
        CHECK(linesOf(full + "y\nb\n", 100, chunk) == Lines{"!", "b"});
        CHECK(linesOf(full + "y\r\nb\n", 100, chunk) == Lines{"!", "b"});
        CHECK(linesOf(full + "y", 100, chunk) == Lines{"!"});
        CHECK(linesOf(full + full + full + "\n\n" + full + "y\nb", 100, chunk) ==
              Lines{"!", "!", "b"});
    }
}

TEST_CASE("A line far beyond the limit is skipped without being kept") {
    const std::string huge(20'000'000, 'x');
    CHECK(linesOf("a\n" + huge + "\nb\n", 1'000) == Lines{"a", "!", "b"});
    CHECK(linesOf(huge, 1'000) == Lines{"!"});
}

TEST_CASE("A line of 16 MiB is read in bounded time") {
    const std::string large(16U << 20, 'x');
    const auto start = std::chrono::steady_clock::now();
    CHECK(linesOf(large + "\n", 16U << 20) == Lines{large});
    CHECK(std::chrono::steady_clock::now() - start < std::chrono::seconds(5));
}

TEST_CASE("hasLine tells whether a whole line is at hand") {
    Pipe pipe;
    pipe.write("a\nb\npart");
    LineReader reader(pipe.in(), 100);
    CHECK_FALSE(reader.hasLine());
    std::string_view line;
    REQUIRE(reader.next(line) == Status::Line);
    CHECK(line == "a");
    CHECK(reader.hasLine());
    REQUIRE(reader.next(line) == Status::Line);
    CHECK_FALSE(reader.hasLine());
    pipe.closeOut();
    REQUIRE(reader.next(line) == Status::Line);
    CHECK(line == "part");
    CHECK_FALSE(reader.hasLine());
}

TEST_CASE("A descriptor that somebody made non-blocking is waited for") {
    Pipe pipe;
    REQUIRE(fcntl(pipe.in(), F_SETFL, O_NONBLOCK) == 0);
    std::thread late([&] {
        std::this_thread::sleep_for(std::chrono::milliseconds(50));
        pipe.write("late\n");
        pipe.closeOut();
    });
    LineReader reader(pipe.in(), 100);
    std::string_view line;
    CHECK(reader.next(line) == Status::Line);
    CHECK(line == "late");
    CHECK(reader.next(line) == Status::End);
    late.join();
}

TEST_CASE("What was added goes out with the next flush, each line with one LF") {
    Pipe pipe;
    LineWriter writer(pipe.out());
    writer.add("one");
    writer.add("two");
    writer.flush();
    writer.flush();
    CHECK_FALSE(writer.failed());
    pipe.closeOut();
    CHECK(pipe.readAll() == "one\ntwo\n");
}

TEST_CASE("Lines of many threads never mix and none is lost") {
    Pipe pipe;
    LineWriter writer(pipe.out());
    std::vector<std::thread> threads;
    for (int t = 0; t < 8; ++t) {
        threads.emplace_back([&, t] {
            for (int i = 0; i < 500; ++i) {
                writer.add(concat(t, ':', std::string(static_cast<std::size_t>(i), 'x')));
                writer.flush();
            }
        });
    }
    std::thread closer([&] {
        for (auto &thread : threads) {
            thread.join();
        }
        pipe.closeOut();
    });
    const std::string all = pipe.readAll();
    closer.join();
    std::array<std::size_t, 8> next{};
    std::size_t start = 0;
    for (std::size_t end = 0; (end = all.find('\n', start)) != all.npos; start = end + 1) {
        const auto line = std::string_view(all).substr(start, end - start);
        const auto thread = static_cast<std::size_t>(line[0] - '0');
        REQUIRE(line.substr(0, 2) == concat(thread, ':'));
        REQUIRE(line.size() == 2 + next[thread]++);
        REQUIRE(line.find_first_not_of('x', 2) == line.npos);
    }
    CHECK(start == all.size());
    CHECK(next == std::array<std::size_t, 8>{500, 500, 500, 500, 500, 500, 500, 500});
}

TEST_CASE("A client that is gone makes the writer fail, once and for all, without a signal") {
    const auto before = std::signal(SIGPIPE, SIG_IGN);
    Pipe pipe;
    LineWriter writer(pipe.out());
    pipe.closeIn();
    writer.add("lost");
    writer.flush();
    CHECK(writer.failed());
    writer.add("more"); // neither blocks nor grows
    writer.flush();
    CHECK(writer.failed());
    std::signal(SIGPIPE, before);
}

TEST_CASE("After takeStdio what a plugin prints or reads is never the protocol") {
    Pipe input, output, errors;
    input.write("request\n");
    const int code = inChild([&] {
        dup2(input.in(), 0);
        dup2(output.out(), 1);
        dup2(errors.out(), 2);
        const auto own = tenon::transport::takeStdio();
        std::printf("noise");
        std::fflush(stdout);
        char byte = 0;
        const bool nothingToRead = read(0, &byte, 1) == 0;
        const bool closedOnExec = (fcntl(own.in, F_GETFD) & FD_CLOEXEC) != 0 &&
                                  (fcntl(own.out, F_GETFD) & FD_CLOEXEC) != 0;
        LineReader reader(own.in, 100);
        std::string_view line;
        const bool request = reader.next(line) == Status::Line && line == "request";
        LineWriter writer(own.out);
        writer.add("answer");
        writer.flush();
        return nothingToRead && closedOnExec && request ? 0 : 1;
    });
    CHECK(code == 0);
    output.closeOut();
    errors.closeOut();
    CHECK(output.readAll() == "answer\n");
    CHECK(errors.readAll() == "noise");
}

TEST_CASE("takeStdio works with closed standard descriptors") {
    CHECK(inChild([] {
              close(0);
              close(1);
              close(2);
              const auto own = tenon::transport::takeStdio();
              LineReader reader(own.in, 100);
              std::string_view line;
              return own.in > 2 && own.out > 2 && reader.next(line) == Status::End ? 0 : 1;
          }) == 0);
}

TEST_CASE("A first SIGTERM or SIGINT ends the input of a reader that waits") {
    for (const int signal : {SIGTERM, SIGINT}) {
        Pipe pipe; // nobody writes
        CHECK(inChild([&] {
                  tenon::transport::endInputOnSignal(pipe.in());
                  const pid_t self = getpid();
                  if (fork() == 0) {
                      usleep(50'000);
                      kill(self, signal);
                      _exit(0);
                  }
                  LineReader reader(pipe.in(), 100);
                  std::string_view line;
                  return reader.next(line) == Status::End && reader.next(line) == Status::End ? 0
                                                                                              : 1;
              }) == 0);
    }
}

TEST_CASE("The second signal ends the process") {
    Pipe pipe;
    CHECK(inChild([&] {
              tenon::transport::endInputOnSignal(pipe.in());
              raise(SIGTERM);
              raise(SIGTERM);
              return 0;
          }) == -SIGTERM);
}
