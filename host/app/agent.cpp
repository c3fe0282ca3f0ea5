// SPDX-License-Identifier: Apache-2.0
// `tenon agent tools` and `tenon agent execute`.
#include "app/commands.h"

#include "app/on_signal.h"
#include "frontends/agent/agent.h"
#include "frontends/cli/cli.h"
#include "support/text.h"

#include <csignal>
#include <unistd.h>

namespace tenon::app {

namespace {

// Something in what was asked is wrong, not in how the host is set up.
int refuseUsage(const Error &error) {
    writeAll(STDERR_FILENO, concat("tenon: ", error.message, '\n'));
    return cli::kExitUsage;
}

} // namespace

int agentTools(const AgentRequest &request) {
    const auto format = agent::formatOf(request.format);
    if (!format) {
        return refuseUsage(format.error());
    }
    Log log(request.logLevel);
    auto host = makeHost(request.host, log);
    if (!host) {
        return refuse(host.error());
    }
    const auto agent = agent::mountAgent(*host->runner);
    const auto &tools = agent->tools(*format, request.strictness);
    if (!tools) {
        leave(*host, 0);
        return refuse(tools.error());
    }
    std::string out;
    if (request.explain) {
        for (const auto &line : agent->explain(*format, request.strictness)) {
            out += concat(line, '\n');
        }
    } else {
        out = concat(*tools, '\n');
    }
    return leave(*host, writeOut(request.stdio.out, out, cli::kExitOk));
}

int agentExecute(const AgentRequest &request) {
    Log log(request.logLevel);
    auto host = makeHost(request.host, log);
    if (!host) {
        return refuse(host.error());
    }
    const auto text = readAll(request.stdio.in, host->runner->limits().messageBytesMax);
    if (!text) {
        return leave(*host, refuseUsage(text.error()));
    }
    json::Document document;
    if (const auto read = document.readView(*text, {text->size(), UINT32_MAX}); !read) {
        return leave(*host, refuseUsage({"agent.input", concat("the input is not strict JSON: ",
                                                               read.error().message,
                                                               "; expected an object with "
                                                               "\"format\" and \"calls\"")}));
    }
    const auto word = document.root()["format"];
    const auto format = agent::formatOf(word ? word.string() : std::string_view(request.format));
    if (!format) {
        return leave(*host, refuseUsage(format.error()));
    }
    const auto agent = agent::mountAgent(*host->runner);
    Result<std::string> results = std::string();
    {
        const OnSignal onInterrupt({SIGINT, SIGTERM}, OnSignal::Again::EndsProcess,
                                   [&] { agent->cancelAll(); });
        results = agent->execute(*format, document.root()["calls"]);
    }
    if (!results) {
        return leave(*host, refuseUsage(results.error()));
    }
    return leave(*host, writeOut(request.stdio.out, concat(*results, '\n'), cli::kExitOk));
}

} // namespace tenon::app
