// SPDX-License-Identifier: Apache-2.0
// `tenon serve --stdio`: MCP over standard input and output until the input ends.
#include "app/commands.h"

#include "frontends/mcp/server.h"
#include "support/text.h"

#include <csignal>
#include <pthread.h>
#include <unistd.h>

namespace tenon::app {

namespace {

using namespace std::chrono_literals;
using transport::LineReader;

// After the end of the input, what was asked may still take this long; then it is cancelled.
constexpr auto kDrain = 5s;
// And then the plugins, to stop.
constexpr auto kStop = 5s;

} // namespace

int serve(const ServeRequest &request) {
    std::signal(SIGPIPE, SIG_IGN); // NOLINT: a client that is gone is seen by write()
    Log log(request.logLevel);
    auto host = makeHost(request.host, log);
    if (!host) {
        return refuse(host.error());
    }
    transport::endInputOnSignal(request.stdio.in);
    transport::LineWriter writer(request.stdio.out);
    const auto receiving = std::this_thread::get_id();
    const auto receivingThread = pthread_self();
    const mcp::McpOptions options{{host->serverName, host->serverVersion, host->instructions}};
    const auto stream = mcp::mountMcp(*host->runner, options, [&](std::string_view message) {
        writer.add(message);
        if (std::this_thread::get_id() == receiving) {
            return; // goes out with the rest of what was read at once
        }
        writer.flush();
        if (writer.failed()) {
            transport::endInput(receivingThread);
        }
    });
    log.info(concat("serving ", host->runner->catalog().tools().size(), " tools over stdio"));

    const auto limit = host->runner->limits().messageBytesMax;
    LineReader reader(request.stdio.in, limit);
    std::string_view line;
    for (auto status = reader.next(line); status != LineReader::Status::End && !writer.failed();
         status = reader.next(line)) {
        if (status == LineReader::Status::Line) {
            stream->receive(line);
        } else {
            stream->refuseTooLong(limit);
        }
        if (!reader.hasLine()) {
            writer.flush();
            if (writer.failed()) {
                break;
            }
        }
    }
    transport::inputEnded();
    writer.flush();
    if (writer.failed()) {
        stream->cancelAll();
    }
    const bool allOver = host->runner->shutdown(writer.failed() ? 0ms : kDrain);
    writer.flush();
    if (!allOver) {
        log.warning("a call is still running inside a plugin; leaving without it");
        _exit(0);
    }
    leaveWithin(kStop, 0);
    return 0;
}

} // namespace tenon::app
