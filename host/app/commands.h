// SPDX-License-Identifier: Apache-2.0
// One command, one file: a typed request in, an exit code out.
#pragma once

#include "app/host.h"
#include "transport/stdio.h"

#include <string>
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
    bool json = false;
};
struct AgentRequest : CommonRequest {
    std::string format;
};

int serve(const ServeRequest &request);
int call(const CallRequest &request);
int list(const ListRequest &request);
int agentTools(const AgentRequest &request);
int agentExecute(const AgentRequest &request);

// Shared by the commands.
void writeAll(int descriptor, std::string_view text); // a broken pipe ends quietly
int refuse(const Error &error);                       // to stderr; the configuration exit code
// Everything up to the end, or an error above bytesMax.
Result<std::string> readAll(int descriptor, std::size_t bytesMax);
// Ends the process with this code: at once where a plugin's thread is stuck.
int leave(Host &host, int exitCode);

} // namespace tenon::app
