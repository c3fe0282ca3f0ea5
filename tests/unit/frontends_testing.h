// SPDX-License-Identifier: Apache-2.0
// One call through each frontend, with every byte that the frontend gives its caller.
#pragma once

#include "frontends/agent/agent.h"
#include "frontends/cli/cli.h"
#include "frontends/mcp/server.h"
#include "testing.h"

#include "json/writer.h"
#include "support/text.h"

#include <array>

namespace tenon::testing {

enum class Frontend { McpLegacy, McpModern, Agent, Cli };
constexpr std::array kFrontends{Frontend::McpLegacy, Frontend::McpModern, Frontend::Agent,
                                Frontend::Cli};
inline std::string_view nameOf(Frontend frontend) {
    static constexpr std::array<std::string_view, 4> kNames{"MCP, legacy", "MCP, modern", "agent",
                                                            "command line"};
    return kNames[static_cast<std::size_t>(frontend)];
}

struct Through {
    std::string tool, arguments = "{}";
    // Runs while the call does, with what cancels it as the frontend's caller would.
    std::function<void(const std::function<void()> &cancel)> meanwhile;
    // MCP's way out: sees each message first, and may throw.
    std::function<void(std::string_view)> onSend;
    // Whether the caller is never answered: the call is then waited for by other means.
    std::function<bool()> endsUnanswered;
};

// Everything that an MCP client is sent.
class McpClient {
public:
    McpClient(ToolRunner &runner, const Through &through)
        : onSend_(through.onSend),
          stream_(mcp::mountMcp(runner, {}, [this](std::string_view message) { take(message); })) {}

    void send(const std::string &message) { stream_->receive(message); }
    bool waitFor(std::string_view part) {
        std::unique_lock lock(mutex_);
        return changed_.wait_for(lock, std::chrono::seconds(20),
                                 [&] { return bytes_.find(part) != std::string::npos; });
    }
    std::string bytes() {
        const std::lock_guard lock(mutex_);
        return bytes_;
    }

private:
    void take(std::string_view message) {
        if (onSend_) {
            onSend_(message);
        }
        const std::lock_guard lock(mutex_);
        bytes_ += concat(message, '\n');
        changed_.notify_all();
    }

    std::mutex mutex_;
    std::condition_variable changed_;
    std::string bytes_;
    std::function<void(std::string_view)> onSend_;
    std::unique_ptr<mcp::McpStream> stream_;
};

inline bool waitUntil(const std::function<bool()> &done) {
    for (int i = 0; i < 20'000 && !done(); ++i) {
        std::this_thread::sleep_for(std::chrono::milliseconds(1));
    }
    return done();
}

inline std::string throughMcp(ToolRunner &runner, const Through &through, bool modern) {
    McpClient client(runner, through);
    std::string meta = R"({"progressToken":"p")";
    if (modern) {
        meta += R"(,"io.modelcontextprotocol/protocolVersion":"2026-07-28",)"
                R"("io.modelcontextprotocol/clientCapabilities":{},)"
                R"("io.modelcontextprotocol/clientInfo":{"name":"c","version":"1"})";
    } else {
        client.send(R"({"jsonrpc":"2.0","id":"init","method":"initialize","params":)"
                    R"({"protocolVersion":"2025-11-25","capabilities":{},)"
                    R"("clientInfo":{"name":"c","version":"1"}}})");
    }
    std::thread meanwhile;
    std::atomic<bool> cancelled = false;
    const auto before = client.bytes().size();
    client.send(concat(R"({"jsonrpc":"2.0","id":"call","method":"tools/call","params":{"name":")",
                       through.tool, R"(","arguments":)", through.arguments, R"(,"_meta":)", meta,
                       "}}}"));
    if (through.meanwhile) {
        through.meanwhile([&] {
            client.send(R"({"jsonrpc":"2.0","method":"notifications/cancelled",)"
                        R"("params":{"requestId":"call"}})");
        });
    }
    REQUIRE((through.endsUnanswered ? waitUntil(through.endsUnanswered)
                                    : client.waitFor(R"("id":"call")")));
    return client.bytes().substr(before);
}

inline std::string throughAgent(ToolRunner &runner, const Through &through) {
    const auto agent = agent::mountAgent(runner);
    json::Document calls;
    const auto text =
        concat(R"([{"type":"tool_use","id":"call","name":")", catalog::exportedName(through.tool),
               R"(","input":)", through.arguments, "}]");
    REQUIRE(calls.readView(text).has_value());
    std::thread meanwhile;
    if (through.meanwhile) {
        meanwhile = std::thread([&] { through.meanwhile([&] { agent->cancelAll(); }); });
    }
    const auto results = agent->execute(agent::Format::Anthropic, calls.root());
    if (meanwhile.joinable()) {
        meanwhile.join();
    }
    REQUIRE(results.has_value());
    return *results;
}

// As `tenon call` does it.
class PrintingListener : public WaitingListener {
public:
    std::size_t render(const ToolResult &given, const std::string &failure) override {
        printed = cli::printResult(given, failure, cli::Layout::Line);
        return printed.out.size() + printed.err.size();
    }
    cli::Printed printed;
};

inline std::string throughCli(ToolRunner &runner, const Through &through) {
    const auto prepared = cli::prepareCall(
        runner.catalog(), through.tool, {"--args", through.arguments}, [](std::string_view) {
            return Result<std::string>(Error{"none", "no files here"});
        });
    REQUIRE_FALSE(prepared.instead);
    Caller caller;
    caller.source = Source::Cli;
    ToolCall call;
    call.toolName = through.tool;
    call.arguments = prepared.arguments.root();
    call.caller = &caller;
    call.mayRunHere = false;
    const auto listener = std::make_shared<PrintingListener>();
    const auto handle = runner.run(call, listener);
    if (through.meanwhile) {
        through.meanwhile([&] { handle.cancel(); });
    }
    REQUIRE(listener->wait(std::chrono::seconds(20)));
    return concat(listener->printed.out, listener->printed.err);
}

inline std::string callThrough(Frontend frontend, ToolRunner &runner, const Through &through) {
    switch (frontend) {
    case Frontend::McpLegacy: return throughMcp(runner, through, false);
    case Frontend::McpModern: return throughMcp(runner, through, true);
    case Frontend::Agent: return throughAgent(runner, through);
    case Frontend::Cli: return throughCli(runner, through);
    }
    return "";
}

} // namespace tenon::testing
