// SPDX-License-Identifier: Apache-2.0
// One command, one file: a typed request in, an exit code out.
#pragma once

#include "app/host.h"
#include "frontends/cli/cli.h"
#include "schema/projection/projection.h"
#include "transport/stdio.h"

#include <chrono>
#include <string>
#include <sys/types.h>
#include <vector>

namespace tenon::app {

struct CommonRequest {
    HostOptions host;
    LogLevel logLevel = LogLevel::Warning;
    transport::OwnStdio stdio;
};

struct ServeRequest : CommonRequest {};
struct CallRequest : CommonRequest {
    std::string tool;
    std::vector<std::string> words;
};
struct ListRequest : CommonRequest {
    std::string filter;
    cli::ListForm form = cli::ListForm::Lines;
};
struct AgentRequest : CommonRequest {
    std::string format;
    schema::Strictness strictness = schema::Strictness::Loose;
    bool explain = false; // instead of the definitions, what they do not say
};

struct MetricsRequest {
    transport::OwnStdio stdio;
    pid_t pid = 0; // 0: of every running serve
};

struct AuditRequest {
    transport::OwnStdio stdio;
    std::string path;               // of the audit
    std::string tool, since, limit; // as they were written; "": not
    bool tail = false, failedOnly = false, json = false, counts = false, follow = false;
};

int serve(const ServeRequest &request);
int call(const CallRequest &request);
int list(const ListRequest &request);
int agentTools(const AgentRequest &request);
int agentExecute(const AgentRequest &request);
int metrics(const MetricsRequest &request);
int audit(const AuditRequest &request);

// Shared by the commands.
// How long the end of a command may wait for the last rows of the audit to be written.
constexpr std::chrono::milliseconds kAuditFlush{2'000};
// What a running serve answers over its control socket (transport/control.h).
Result<std::string> answerControl(std::string_view line, const ToolRunner &runner,
                                  const Metrics &metrics, const std::vector<Gauge> &extra);
std::vector<Gauge> auditFigures(const audit::Counts &counts);
// The exit code to go on with: the given one, or 1 when not everything could be written, which
// stderr is told. A broken pipe is the reader's wish, and no failure.
int writeOut(int descriptor, std::string_view text, int exitCode);
bool writeAll(int descriptor, std::string_view text); // false with errno
int refuse(const Error &error);                       // to stderr; the configuration exit code
// Everything up to the end, or an error above bytesMax.
Result<std::string> readAll(int descriptor, std::size_t bytesMax);
// Ends the process with this code: at once where a plugin's thread is stuck, and else within a few
// seconds, whatever the plugins do in their stop.
int leave(Host &host, int exitCode);
void leaveWithin(std::chrono::milliseconds most, int exitCode);

} // namespace tenon::app
