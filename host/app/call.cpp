// SPDX-License-Identifier: Apache-2.0
// `tenon call`: one call, its data on stdout, its failure on stderr.
#include "app/commands.h"

#include "app/on_signal.h"
#include "frontends/cli/cli.h"
#include "support/text.h"

#include <cerrno>
#include <condition_variable>
#include <csignal>
#include <cstring>
#include <fcntl.h>
#include <mutex>
#include <unistd.h>

namespace tenon::app {

namespace {

// Makes what is printed of one call, and waits for its end.
class Waiter : public CallListener {
public:
    explicit Waiter(cli::Layout layout) : layout_(layout) {}
    std::size_t render(const ToolResult &result, const std::string &failureJson) override {
        printed_ = cli::printResult(result, failureJson, layout_);
        return printed_.out.size() + printed_.err.size();
    }
    void onDone(ToolResult, std::string) override {
        const std::lock_guard lock(mutex_);
        over_ = true;
        ended_.notify_all();
    }
    cli::Printed wait() {
        std::unique_lock lock(mutex_);
        ended_.wait(lock, [&] { return over_; });
        return printed_;
    }

private:
    std::mutex mutex_;
    std::condition_variable ended_;
    bool over_ = false;
    const cli::Layout layout_;
    cli::Printed printed_;
};

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
    std::signal(SIGPIPE, SIG_IGN); // NOLINT: a broken pipe is seen by write()

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
        const bool terminal = isatty(request.stdio.out) == 1;
        const auto waiter =
            std::make_shared<Waiter>(terminal ? cli::Layout::Pretty : cli::Layout::Line);
        const CallHandle handle = runner.run(asked, waiter);
        const OnSignal onInterrupt({SIGINT, SIGTERM}, OnSignal::Again::EndsProcess,
                                   [&] { handle.cancel(); });
        printed = waiter->wait();
    }
    writeAll(STDERR_FILENO, printed.err);
    return leave(*host, writeOut(request.stdio.out, printed.out, printed.exitCode));
}

} // namespace tenon::app
