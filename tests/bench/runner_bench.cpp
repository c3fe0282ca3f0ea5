// SPDX-License-Identifier: Apache-2.0
// What the runner costs in process, and what each part of a call adds: an in-process handler, then
// a plugin, then hooks, figures and the audit, beside a bare virtual call. Ratios within one run
// are what counts.
#include "catalog/mounted.h"
#include "frontends/mcp/server.h"
#include "plugin/loader.h"
#include "runner/audit/audit.h"
#include "runner/audit/delivery.h"
#include "runner/audit/jsonl_sink.h"
#include "runner/audit/sqlite_sink.h"
#include "runner/metrics.h"
#include "runner/runner.h"
#include "support/text.h"

#include <benchmark/benchmark.h>

#include <cstdlib>
#include <filesystem>
#include <functional>
#include <iostream>
#include <unistd.h>

namespace {

using namespace tenon;

const std::string kText(64, 'x');
const std::string kArguments = R"({"text":")" + kText + "\"}";
const char *const kCatalog = R"({"id":"bench","version":"1","tools":[{"name":"echo",
    "description":"d","execution":{"blocking":false},"inputSchema":{"type":"object",
    "properties":{"text":{"type":"string"}},"required":["text"],"additionalProperties":false},
    "outputSchema":{"type":"object","properties":{"text":{"type":"string"}},
    "required":["text"]}}]})";

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

std::unique_ptr<ToolRunner> runnerOf(catalog::Mount mount, Log &log, std::size_t hooks,
                                     std::vector<ToolHooks> more = {}) {
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
    for (auto &one : more) {
        options.hooks.push_back(std::move(one));
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

constexpr std::size_t kBurst = 2'000; // calls between two waits for the audit

// Runs the calls, and what is to be done between bursts of them, outside of the time; the calls.
std::size_t runCalls(benchmark::State &state, ToolRunner &runner,
                     const std::function<void()> &betweenBursts = nullptr) {
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
        if (++calls % kBurst == 0 && betweenBursts) {
            state.PauseTiming();
            betweenBursts();
            state.ResumeTiming();
        }
    }
    if (listener->ok != calls) {
        fail("a call failed");
    }
    return calls;
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

// The same call with what `tenon serve` has: validation of arguments and result, its figures, and
// an audit kept in one of these ways.
enum Kept { Nothing, Figures, RowsDropped, JsonLines, JsonLinesSync, Sqlite, SqliteSync };

std::unique_ptr<audit::Sink> sinkOf(Kept kept, const std::string &path) {
    if (kept == Sqlite || kept == SqliteSync) {
        auto sink = audit::SqliteSink::open(path, {});
        return sink ? std::move(*sink) : (fail(sink.error().message), nullptr);
    }
    auto sink = audit::JsonlSink::open(path, {});
    return sink ? std::move(*sink) : (fail(sink.error().message), nullptr);
}

// Times the calls alone; what is queued is written out between the bursts, and none may be lost.
void runnerAudited(benchmark::State &state) {
    const auto kept = static_cast<Kept>(state.range(0));
    Log log(LogLevel::Error);
    auto mount = inProcess();
    auto made = catalog::MountedCatalog::make({mount});
    std::unique_ptr<Metrics> metrics;
    std::shared_ptr<audit::Delivery> delivery;
    const auto folder =
        std::filesystem::temp_directory_path() / concat("tenon_runner_bench_", getpid());
    std::filesystem::remove_all(folder);
    std::filesystem::create_directories(folder);
    std::vector<ToolHooks> hooks;
    if (kept >= Figures) {
        metrics = std::make_unique<Metrics>(*made);
        hooks.push_back(metrics->hooks());
    }
    if (kept == RowsDropped) {
        hooks.push_back(audit::createAuditHook(
            [](const audit::Row &row) { benchmark::DoNotOptimize(row.id.data()); }));
    } else if (kept > RowsDropped) {
        audit::DeliveryOptions options;
        options.mode =
            kept == JsonLinesSync || kept == SqliteSync ? audit::Mode::Sync : audit::Mode::Async;
        delivery = std::make_shared<audit::Delivery>(sinkOf(kept, folder / "audit"), options,
                                                     "bench", log);
        hooks.push_back(audit::createAuditHook(delivery));
    }
    const auto runner = runnerOf(std::move(mount), log, 0, std::move(hooks));
    const auto writeOut = [&] {
        if (delivery && !delivery->flush(std::chrono::seconds(20))) {
            fail("the audit was not written within 20 s");
        }
    };
    const auto calls = runCalls(state, *runner, writeOut);
    writeOut();
    if (delivery && delivery->counts().written != calls) {
        const auto counts = delivery->counts();
        fail(concat("the audit wrote ", counts.written, " rows and dropped ", counts.dropped,
                    " of ", calls));
    }
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
BENCHMARK(runnerAudited)->DenseRange(Nothing, SqliteSync)->UseRealTime();
BENCHMARK(mcpMessage);
BENCHMARK_MAIN();
