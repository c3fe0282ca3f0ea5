// SPDX-License-Identifier: Apache-2.0
// A finished call becomes a row: which field says what.
#include "runner/audit/audit.h"

#include "runner/own_tools.h"
#include "testing.h"

#include <set>
#include <thread>

using namespace tenon;
using namespace tenon::testing;
using audit::Row;

namespace {

struct Audited {
    explicit Audited(
        FunctionHandler::Function handler,
        std::function<void(ToolRunnerOptions &)> change = [](auto &) {}) {
        ToolRunnerOptions options;
        options.catalog = mountedOf(
            R"({"name":"t","description":"d","inputSchema":{"type":"object","properties":{
                "n":{"type":"integer"},"page":{"default":1}}}})",
            std::make_shared<FunctionHandler>(std::move(handler)));
        options.log = &log;
        options.hooks = {audit::createAuditHook([this](Row row) {
            const std::lock_guard lock(mutex);
            rows.push_back(std::move(row));
        })};
        change(options);
        runner = std::make_unique<ToolRunner>(std::move(options));
    }
    Row run(const ToolCall &call) {
        rows.clear();
        runner->runBlocking(call);
        REQUIRE(rows.size() == 1);
        return rows[0];
    }
    Row run(std::string_view text = "{}") {
        json::Document arguments;
        REQUIRE(arguments.readView(text).has_value());
        ToolCall call;
        call.toolName = "t";
        call.arguments = arguments.root();
        return run(call);
    }

    Log log{LogLevel::Off};
    std::mutex mutex;
    std::vector<Row> rows;
    std::unique_ptr<ToolRunner> runner;
};

std::optional<HandlerOutcome> fine(const CallPtr &) {
    return Output{R"({"a":1})", {}};
}

} // namespace

TEST_CASE("a row tells who called what, when, and what came of it") {
    Audited audited(fine);
    json::Document arguments;
    REQUIRE(arguments.readView(R"({"n":"5"})").has_value());
    Caller caller;
    caller.source = Source::Mcp;
    caller.userId = "ada";
    caller.authMethod = "token";
    caller.clientId = "client-1";
    caller.clientName = "claude\n\x1B[2J";
    caller.protocolVersion = "2026-07-28";
    caller.ipAddress = "127.0.0.1";
    caller.userAgent = "agent/1";
    AmbientContext ambient;
    ambient.traceparent = "00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01";
    ambient.dimensions = {{"tenant", "acme"}, {"api_key", "K"}};
    ToolCall call;
    call.toolName = "t";
    call.arguments = arguments.root();
    call.caller = &caller;
    call.ambient = &ambient;
    call.round = 2;
    const auto row = audited.run(call);
    CHECK(row.startedAt.size() == 24);
    CHECK(row.durationMs > 0);
    CHECK(row.source == "mcp");
    CHECK(row.kind == "tool");
    CHECK(row.toolName == "t");
    CHECK(row.plugin == "test");
    CHECK(row.pluginVersion == "1");
    CHECK(row.catalogDigest.size() == 64);
    CHECK(row.method == "TOOL");
    CHECK(row.path == "/mcp/t");
    CHECK(row.ok);
    CHECK(row.outcome == "ok");
    CHECK(row.round == 2);
    CHECK(row.statusCode == 200);
    CHECK(row.errorCode.empty());
    CHECK(row.payload.text == R"({"n":"5"})");
    CHECK(row.coerced.text == R"(["/n","/page"])");
    CHECK(row.resultSize == 7);
    CHECK(row.responseBytes == 7);
    CHECK(row.traceId == "0af7651916cd43dd8448eb211c80319c");
    CHECK(row.parentSpanId == "b7ad6b7169203331");
    CHECK(row.spanId.size() == 16);
    CHECK(row.userId == "ada");
    CHECK(row.authMethod == "token");
    CHECK(row.clientId == "client-1");
    CHECK(row.clientName == "claude\\u000a\\u001b[2J");
    CHECK(row.protocolVersion == "2026-07-28");
    CHECK(row.ipAddress == "127.0.0.1");
    CHECK(row.userAgent == "agent/1");
    CHECK(row.dimensions.text == R"({"api_key":"***","tenant":"acme"})");
}

TEST_CASE("a failure's row says what the caller was told, and the cause where it was not told") {
    AppError refusal{"NOT_FOUND", "no such thing"};
    refusal.details = R"({"near":"other","token":"T"})";
    Audited refused([refusal](const CallPtr &) { return refusal; });
    auto row = refused.run();
    CHECK_FALSE(row.ok);
    CHECK(row.outcome == "failed");
    CHECK(row.statusCode == 404);
    CHECK(row.errorCode == "NOT_FOUND");
    CHECK(row.errorMessage == "no such thing");
    CHECK(row.errorDetail.text == R"({"near":"other","token":"***"})");
    CHECK(row.resultSize == 0);
    CHECK(row.responseBytes > 50);

    Audited failed([](const CallPtr &) {
        return RawCause{"std::runtime_error", "cannot reach postgres://u:p@h/db"};
    });
    row = failed.run();
    CHECK(row.outcome == "internal");
    CHECK(row.statusCode == 500);
    CHECK(row.errorCode == "INTERNAL_SERVER_ERROR");
    CHECK(row.errorMessage == "cannot reach postgres://***@h/db");
    CHECK(row.errorDetail.text.empty());

    Audited crashed([](const CallPtr &) {
        return RawCause{"signal 11", "", nullptr, "handler", true};
    });
    row = crashed.run();
    CHECK(row.outcome == "crashed");
    CHECK(row.statusCode == 502);
    CHECK(row.errorCode == "PLUGIN_CRASHED");
    CHECK(row.errorMessage == "signal 11");

    Audited asks([](const CallPtr &) {
        return InputRequired{{{"name", "elicitation/create", R"({"message":"who?"})"}}, ""};
    });
    row = asks.run();
    CHECK(row.outcome == "input_required");
    CHECK(row.statusCode == 409);
    CHECK(row.errorCode == "INPUT_REQUIRED");

    row = refused.run(R"({"n":"x","password":"hunter2"})");
    CHECK(row.outcome == "invalid");
    CHECK(row.statusCode == 400);
    CHECK(row.payload.text == R"({"n":"x","password":"***"})");
    has(row.errorDetail.text, R"("path":"/n")");
}

TEST_CASE("what an embedder throws at its audit costs no call") {
    Audited audited(fine, [](ToolRunnerOptions &options) {
        options.hooks.push_back(
            audit::createAuditHook([](const Row &) { throw std::runtime_error("full"); }));
    });
    CHECK(audited.run().ok);
}

TEST_CASE("64 calls at once: no row carries another call's context") {
    Audited audited([](const CallPtr &call) {
        std::this_thread::sleep_for(std::chrono::milliseconds(2));
        return Output{std::string(call->arguments()), {}};
    });
    constexpr int kCalls = 64, kRounds = 20;
    for (int round = 0; round < kRounds; ++round) {
        std::vector<std::thread> threads;
        for (int i = 0; i < kCalls; ++i) {
            threads.emplace_back([&, i] {
                const auto mark = std::to_string(i);
                json::Document arguments;
                const std::string text = R"({"n":)" + mark + "}";
                static_cast<void>(arguments.readView(text));
                Caller caller;
                caller.source = static_cast<Source>(i % 4);
                caller.userId = "user-" + mark;
                caller.clientName = "client-" + mark;
                AmbientContext ambient;
                ambient.traceparent = "00-0af7651916cd43dd8448eb211c8031" +
                                      std::string(i < 10 ? "0" : "") + mark +
                                      "-b7ad6b7169203331-01";
                ambient.dimensions = {{"tenant", "tenant-" + mark}};
                ToolCall call;
                call.toolName = "t";
                call.arguments = arguments.root();
                call.caller = &caller;
                call.ambient = &ambient;
                audited.runner->runBlocking(call);
            });
        }
        for (auto &thread : threads) {
            thread.join();
        }
    }
    REQUIRE(audited.rows.size() == kCalls * kRounds);
    std::set<std::string> spans;
    for (const auto &row : audited.rows) {
        const auto mark = row.userId.substr(5);
        INFO(mark);
        CHECK(row.clientName == "client-" + mark);
        CHECK(row.payload.text == R"({"n":)" + mark + "}");
        CHECK(row.dimensions.text == R"({"tenant":"tenant-)" + mark + "\"}");
        CHECK(row.traceId.substr(30) == (mark.size() == 1 ? "0" : "") + mark);
        CHECK(row.source == nameOf(static_cast<Source>(std::stoi(mark) % 4)));
        spans.insert(row.spanId);
    }
    CHECK(spans.size() == audited.rows.size());
}
