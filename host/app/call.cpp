// SPDX-License-Identifier: Apache-2.0
// `tenon call`: one call, its data on stdout, its failure on stderr.
#include "app/commands.h"

#include "frontends/cli/cli.h"
#include "support/text.h"

#include <atomic>
#include <cerrno>
#include <csignal>
#include <cstring>
#include <fcntl.h>
#include <poll.h>
#include <sys/eventfd.h>
#include <unistd.h>

namespace tenon::app {

namespace {

// Wakes a poll() when the call is over.
class Waiter : public CallListener {
public:
    Waiter() : over_(eventfd(0, EFD_CLOEXEC)) {}
    ~Waiter() override { close(over_); }
    void onDone(ToolResult result, std::string failureJson) override {
        result_ = std::move(result);
        failureJson_ = std::move(failureJson);
        eventfd_write(over_, 1);
    }
    int descriptor() const { return over_; }
    const ToolResult &result() const { return result_; }
    const std::string &failureJson() const { return failureJson_; }

private:
    int over_;
    ToolResult result_;
    std::string failureJson_;
};

// For the signal handler alone: what wakes the wait for the call; -1 while there is none, and then,
// as after a first signal, the process ends.
std::atomic<int> interrupted = -1;

void onInterrupt(int number) {
    const int wake = interrupted.exchange(-1);
    if (wake < 0) {
        _exit(128 + number);
    }
    eventfd_write(wake, 1);
}

// Ctrl-C cancels the call; a second one ends the process.
void waitOrCancel(const Waiter &waiter, const CallHandle &handle) {
    const int wake = eventfd(0, EFD_CLOEXEC);
    interrupted = wake;
    for (;;) {
        pollfd wait[] = {{waiter.descriptor(), POLLIN, 0}, {wake, POLLIN, 0}};
        if (poll(wait, 2, -1) < 0 && errno != EINTR) {
            break;
        }
        if ((wait[0].revents & POLLIN) != 0) {
            break;
        }
        if ((wait[1].revents & POLLIN) != 0) {
            eventfd_t count = 0;
            eventfd_read(wake, &count);
            handle.cancel();
        }
    }
    interrupted = -1;
}

Result<std::string> readText(int in, std::string_view path, std::size_t bytesMax) {
    if (path == "-") {
        return readAll(in, bytesMax);
    }
    const int file = open(std::string(path).c_str(), O_RDONLY | O_CLOEXEC);
    if (file < 0) {
        return Error{"cli.usage", concat("--args @", printable(path), ": ", std::strerror(errno),
                                         "; expected a file that can be read")};
    }
    auto text = readAll(file, bytesMax);
    close(file);
    return text;
}

} // namespace

int call(const CallRequest &request) {
    std::signal(SIGINT, onInterrupt);  // NOLINT: before a plugin is loaded
    std::signal(SIGTERM, onInterrupt); // NOLINT
    std::signal(SIGPIPE, SIG_IGN);     // NOLINT: a broken pipe is seen by write()

    Log log(request.logLevel);
    auto host = makeHost(request.host, log);
    if (!host) {
        return refuse(host.error());
    }
    ToolRunner &runner = *host->runner;
    const auto prepared =
        cli::prepareCall(runner.catalog(), request.tool, request.words, [&](std::string_view path) {
            return readText(request.stdio.in, path, runner.limits().argumentsBytesMax);
        });
    cli::Printed printed;
    if (prepared.instead) {
        printed = *prepared.instead;
    } else {
        Caller caller;
        caller.source = Source::Cli;
        ToolCall asked;
        asked.toolName = request.tool;
        asked.arguments = prepared.arguments.root();
        asked.caller = &caller;
        asked.mayRunHere = false; // this thread waits for Ctrl-C
        const auto waiter = std::make_shared<Waiter>();
        const CallHandle handle = runner.run(asked, waiter);
        waitOrCancel(*waiter, handle);
        const bool terminal = isatty(request.stdio.out) == 1;
        printed = cli::printResult(waiter->result(), waiter->failureJson(),
                                   terminal ? cli::Layout::Pretty : cli::Layout::Line);
    }
    writeAll(STDERR_FILENO, printed.err);
    return leave(*host, writeOut(request.stdio.out, printed.out, printed.exitCode));
}

} // namespace tenon::app
