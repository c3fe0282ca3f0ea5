// SPDX-License-Identifier: Apache-2.0
// What the runner costs in process, and what each part of a call adds: an in-process handler, then
// a plugin, then hooks, beside a bare virtual call. Ratios within one run are what counts.
#include "catalog/mounted.h"
#include "frontends/mcp/server.h"
#include "plugin/loader.h"
#include "runner/runner.h"

#include <benchmark/benchmark.h>

#include <cstdlib>
#include <iostream>

namespace {

using namespace tenon;

const std::string kText(64, 'x');
const std::string kArguments = R"({"text":")" + kText + "\"}";
const char *const kCatalog = R"({"id":"bench","version":"1","tools":[{"name":"echo",
    "description":"d","execution":{"blocking":false},"inputSchema":{"type":"object",
    "properties":{"text":{"type":"string"}},"required":["text"],"additionalProperties":false}}]})";

class EchoHandler : public Handler {
public:
    void invoke(const CallPtr &call) noexcept override {
        Output output;
        output.data = call->arguments();
        call->finish(std::move(output));
    }
    bool mayRunInline() const noexcept override { return true; }
};

class CountingListener : public CallListener {
public:
    void onDone(ToolResult result, std::string) override {
        ok += std::holds_alternative<Output>(result) ? 1 : 0;
    }
    std::size_t ok = 0;
};

[[noreturn]] void fail(const std::string &why) {
    std::cerr << "runner_bench: " << why << '\n';
    std::exit(1);
}

std::unique_ptr<ToolRunner> runnerOf(catalog::Mount mount, Log &log, std::size_t hooks) {
    auto catalog = catalog::MountedCatalog::make({std::move(mount)});
    if (!catalog) {
        fail(catalog.error().message);
    }
    ToolRunnerOptions options;
    options.catalog = *catalog;
    options.log = &log;
    for (std::size_t i = 0; i < hooks; ++i) {
        ToolHooks watching;
        watching.beforeToolCall = [](const BeforeToolCall &event) {
            benchmark::DoNotOptimize(event.args.raw().size());
            return std::optional<std::string>();
        };
        watching.afterToolCall = [](const AfterToolCall &event) {
            benchmark::DoNotOptimize(event.durationMs);
        };
        options.hooks.push_back(watching);
    }
    return std::make_unique<ToolRunner>(std::move(options));
}

catalog::Mount inProcess() {
    auto catalog = catalog::Catalog::fromJson(kCatalog, Limits());
    if (!catalog) {
        fail(catalog.error().message);
    }
    catalog::Mount mount;
    mount.catalog = *catalog;
    mount.handler = std::make_shared<EchoHandler>();
    return mount;
}

catalog::Mount pluginEcho(Log &log) {
    auto loaded = plugin::loadFile(std::string(TENON_FIXTURES) + "/echo.so", {}, log);
    if (!loaded) {
        fail(loaded.error().message);
    }
    catalog::Mount mount;
    mount.catalog = loaded->catalog;
    mount.handler = loaded->instance;
    return mount;
}

void runCalls(benchmark::State &state, ToolRunner &runner) {
    json::Document arguments;
    if (!arguments.readView(kArguments)) {
        fail("the arguments cannot be read");
    }
    ToolCall call;
    call.toolName = "echo";
    call.arguments = arguments.root();
    const auto listener = std::make_shared<CountingListener>();
    std::size_t calls = 0;
    for (auto _ : state) {
        runner.run(call, listener);
        ++calls;
    }
    if (listener->ok != calls) {
        fail("a call failed");
    }
}

void bareHandler(benchmark::State &state) {
    struct Context final : CallContext {
        std::string_view toolName() const override { return "echo"; }
        std::string_view arguments() const override { return kArguments; }
        const Caller &caller() const override { return caller_; }
        std::string traceparent() const override { return ""; }
        bool cancelled() const override { return false; }
        Clock::time_point deadline() const override { return Clock::time_point::max(); }
        void progress(const Progress &) override {}
        void log(CallLogLevel, std::string_view) override {}
        void finish(HandlerOutcome outcome) override { benchmark::DoNotOptimize(outcome); }
        Caller caller_;
    };
    EchoHandler handler;
    const CallPtr context = std::make_shared<Context>();
    for (auto _ : state) {
        handler.invoke(context);
    }
}

void runnerInProcess(benchmark::State &state) {
    Log log(LogLevel::Error);
    const auto runner = runnerOf(inProcess(), log, static_cast<std::size_t>(state.range(0)));
    runCalls(state, *runner);
}

void runnerPlugin(benchmark::State &state) {
    Log log(LogLevel::Error);
    const auto runner = runnerOf(pluginEcho(log), log, static_cast<std::size_t>(state.range(0)));
    runCalls(state, *runner);
}

// A whole MCP message, from its bytes to the bytes of its answer.
void mcpMessage(benchmark::State &state) {
    Log log(LogLevel::Error);
    const auto runner = runnerOf(pluginEcho(log), log, 0);
    std::size_t bytes = 0;
    const auto stream = mcp::mountMcp(*runner, {{"bench", "1", ""}},
                                      [&](std::string_view message) { bytes += message.size(); });
    const std::string line =
        R"({"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"echo","arguments":)" +
        kArguments +
        R"(,"_meta":{"io.modelcontextprotocol/protocolVersion":"2026-07-28",)"
        R"("io.modelcontextprotocol/clientCapabilities":{}}}})";
    for (auto _ : state) {
        stream->receive(line);
    }
    if (bytes == 0) {
        fail("nothing was answered");
    }
}

void readMessage(benchmark::State &state) {
    json::Document document;
    for (auto _ : state) {
        benchmark::DoNotOptimize(document.readView(kArguments).has_value());
    }
}

} // namespace

BENCHMARK(bareHandler);
BENCHMARK(readMessage);
BENCHMARK(runnerInProcess)->Arg(0)->Arg(2);
BENCHMARK(runnerPlugin)->Arg(0)->Arg(2);
BENCHMARK(mcpMessage);
BENCHMARK_MAIN();
