// SPDX-License-Identifier: Apache-2.0
// MCP over one stream of lines: the protocol object. Transport on one side, runner on the other.
#pragma once

#include "frontends/mcp/render.h"
#include "runner/runner.h"

#include <functional>
#include <memory>
#include <string>
#include <string_view>

namespace tenon::mcp {

struct McpOptions {
    ServerInfo info;
};

// Where answers and notifications go: one message a call, without a line feed. Any thread.
using Send = std::function<void(std::string_view message)>;

// One client over one stream: both eras, told apart per request.
//
// Modern (2026-07-28): a request that carries its revision in _meta; nothing is remembered.
// Legacy (2024-11-05 to 2025-11-25): everything else; `initialize` settles the revision.
class McpStream {
public:
    // runner must outlive the stream; send must be callable until the last call is over.
    McpStream(ToolRunner &runner, const McpOptions &options, Send send);
    ~McpStream();
    McpStream(const McpStream &) = delete;
    McpStream &operator=(const McpStream &) = delete;

    // Takes one message, which need not outlive this. One thread. Answers are sent before or after
    // it returns.
    void receive(std::string_view line);
    // A line that was longer than the transport takes.
    void refuseTooLong(std::size_t limit);
    // The client is gone: cancels every call that is running.
    void cancelAll();

private:
    struct State;
    std::shared_ptr<State> state_; // shared with the calls in flight
};

// The stream of a client, ready for receive().
std::unique_ptr<McpStream> mountMcp(ToolRunner &runner, const McpOptions &options, Send send);

} // namespace tenon::mcp
