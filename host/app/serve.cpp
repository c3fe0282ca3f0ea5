// SPDX-License-Identifier: Apache-2.0
// `tenon serve --stdio`: MCP over standard input and output until the input ends.
#include "app/commands.h"

#include "app/on_signal.h"
#include "frontends/mcp/server.h"
#include "support/text.h"
#include "transport/control.h"

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

// Where `tenon metrics` asks. Without it tools are served all the same.
std::unique_ptr<transport::ControlServer> openControl(const Host &host, Log &log) {
    auto opened =
        transport::ControlServer::open(transport::controlFolder(), [&host](std::string_view line) {
            return answerControl(line, *host.runner, *host.metrics,
                                 host.audit ? auditFigures(host.audit->counts())
                                            : std::vector<Gauge>());
        });
    if (!opened) {
        log.warning(concat("there is no control socket: ", opened.error().message));
        return nullptr;
    }
    return std::move(*opened);
}

} // namespace

int serve(const ServeRequest &request) {
    std::signal(SIGHUP, SIG_IGN);  // NOLINT: an event, once there is an audit to put aside
    std::signal(SIGPIPE, SIG_IGN); // NOLINT: a client that is gone is seen by write()
    Log log(request.logLevel);
    HostOptions options = request.host;
    options.audit = AuditDefault::Kept;
    auto host = makeHost(options, log);
    if (!host) {
        return refuse(host.error());
    }
    const OnSignal onHangup({SIGHUP}, OnSignal::Again::Runs, [&] {
        if (host->audit) {
            host->audit->rotate();
        }
    });
    auto control = openControl(*host, log);
    transport::endInputOnSignal(request.stdio.in);
    transport::LineWriter writer(request.stdio.out);
    const auto receiving = std::this_thread::get_id();
    const auto receivingThread = pthread_self();
    const mcp::McpOptions about{{host->serverName, host->serverVersion, host->instructions}};
    const auto stream = mcp::mountMcp(*host->runner, about, [&](std::string_view message) {
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
    control = nullptr;
    if (!allOver) {
        if (host->audit) {
            host->audit->flush(kAuditFlush);
        }
        log.warning("a call is still running inside a plugin; leaving without it");
        _exit(0);
    }
    leaveWithin(kStop, 0);
    return 0;
}

} // namespace tenon::app
