// SPDX-License-Identifier: Apache-2.0
// The gate of scopes, the program's own tools, and hooks and handlers that forget to answer.
#include "runner/own_tools.h"
#include "testing.h"

using namespace tenon;
using namespace tenon::testing;
using namespace std::chrono_literals;

namespace {

struct Runner {
    explicit Runner(
        std::function<void(ToolRunnerOptions &)> change,
        FunctionHandler::Function handler = [](const CallPtr &) { return Output{}; }) {
        ToolRunnerOptions options;
        options.catalog = mountedOf(toolJson("t"), std::make_shared<FunctionHandler>(handler));
        options.log = &log;
        change(options);
        runner = std::make_unique<ToolRunner>(std::move(options));
    }
    ToolRunner::Finished run(const Caller &caller = {}) const {
        ToolCall call;
        call.toolName = "t";
        call.caller = &caller;
        return runner->runBlocking(call);
    }
    Log log{LogLevel::Off};
    std::unique_ptr<ToolRunner> runner;
};

void needReadAndWrite(ToolRunnerOptions &options) {
    options.lifecycle.requiredScopes = [](const BeforeToolCall &event) {
        CHECK(event.endpoint.name == "t");
        return std::vector<std::string>{"read", "write", "admin"};
    };
}

} // namespace

TEST_CASE("a caller who lacks a scope is refused with its name, and one who has all is let in") {
    bool gateRan = false;
    Runner made([&](ToolRunnerOptions &options) {
        needReadAndWrite(options);
        options.lifecycle.beforeHandle = [&](const BeforeToolCall &) { gateRan = true; };
    });
    Caller caller;
    caller.userId = "ada";
    caller.scopes = {"write", "other"};
    const auto refused = made.run(caller);
    CHECK(codeOf(refused.result) == "FORBIDDEN");
    has(refused.failureJson, R"("missingScopes":["read","admin"])");
    has(refused.failureJson, "needs the scopes read and admin, which the caller was not granted");
    CHECK_FALSE(gateRan);

    caller.userId.clear();
    CHECK(codeOf(made.run(caller).result) == "UNAUTHORIZED");

    caller.scopes = {"admin", "read", "write"};
    CHECK(codeOf(made.run(caller).result).empty());
    CHECK(gateRan);
}

TEST_CASE("a hook that forgets its continuation does not keep the call for ever") {
    SECTION("before the outcome stands, the call's own time limit ends it") {
        Runner made([](ToolRunnerOptions &options) {
            options.timeout = 30ms;
            options.cancelGrace = 20ms;
            ToolHooks hooks;
            hooks.beforeToolCall = Hook<BeforeToolCall, std::optional<std::string>>::suspending(
                [](const BeforeToolCall &, auto) {});
            options.hooks = {hooks};
        });
        CHECK(codeOf(made.run().result) == "TIMEOUT");
    }
    SECTION("and afterwards the call goes on without it") {
        int later = 0;
        Runner made([&](ToolRunnerOptions &options) {
            options.watchGrace = 30ms;
            ToolHooks hooks;
            hooks.afterToolCall =
                Hook<AfterToolCall, Seen>::suspending([](const AfterToolCall &, auto) {});
            ToolHooks next;
            next.afterToolCall = [&](const AfterToolCall &) { ++later; };
            options.hooks = {hooks, next};
        });
        CHECK(dataOf(made.run().result) == R"({"status":"ok"})");
        CHECK(later == 1);
    }
}

TEST_CASE("a hook that answers after it was given up changes nothing") {
    std::optional<Continuation<Seen>> kept;
    Runner made([&](ToolRunnerOptions &options) {
        options.watchGrace = 20ms;
        ToolHooks hooks;
        hooks.afterToolCall = Hook<AfterToolCall, Seen>::suspending(
            [&](const AfterToolCall &, Continuation<Seen> answer) { kept = answer; });
        options.hooks = {hooks};
    });
    CHECK(dataOf(made.run().result) == R"({"status":"ok"})");
    kept->resolve({});
    kept->reject(std::make_exception_ptr(std::runtime_error("late")));
    kept.reset();
    CHECK(made.runner->shutdown(1s));
}

TEST_CASE("a handler that forgets its call is answered for when the time is over") {
    Runner made(
        [](ToolRunnerOptions &options) {
            options.timeout = 30ms;
            options.cancelGrace = 20ms;
        },
        [](const CallPtr &) { return std::nullopt; });
    CHECK(codeOf(made.run().result) == "TIMEOUT");
}

TEST_CASE("functions of the program are tools like any other") {
    const auto adds = [](CallContext &call, json::Value arguments) -> HandlerOutcome {
        CHECK(call.toolName() == "add");
        const auto a = std::stoi(std::string(arguments["a"].number()));
        const auto b = std::stoi(std::string(arguments["b"].number()));
        if (a + b > 100) {
            throw AppError{"TOO_MUCH", "more than a hundred"};
        }
        if (a == b) {
            throw std::runtime_error("s3cret");
        }
        return Output{R"({"sum":)" + std::to_string(a + b) + "}", {}};
    };
    const OwnTool add{R"({"name":"add","description":"Adds.","inputSchema":{"type":"object",
        "properties":{"a":{"type":"integer"},"b":{"type":"integer"}},"required":["a","b"]}})",
                      adds};
    auto mount = mountOwnTools("sums", "1.2", {add});
    REQUIRE(mount.has_value());
    CHECK(mount->catalog->id() == "sums");
    CHECK(mount->catalog->version() == "1.2");
    Log log(LogLevel::Off);
    ToolRunnerOptions options;
    options.catalog = *catalog::MountedCatalog::make({*mount});
    options.log = &log;
    ToolRunner runner(std::move(options));
    const auto run = [&](const std::string &text) {
        json::Document arguments;
        REQUIRE(arguments.readView(text).has_value());
        ToolCall call;
        call.toolName = "add";
        call.arguments = arguments.root();
        return runner.runBlocking(call);
    };
    CHECK(dataOf(run(R"({"a":1,"b":"2"})").result) == R"({"sum":3})");
    CHECK(codeOf(run(R"({"a":1})").result) == "VALIDATION_ERROR");
    CHECK(codeOf(run(R"({"a":99,"b":2})").result) == "TOO_MUCH");
    const auto failed = run(R"({"a":2,"b":2})");
    CHECK(codeOf(failed.result) == "INTERNAL_SERVER_ERROR");
    CHECK(failed.failureJson.find("s3cret") == std::string::npos);

    const auto refusal = [&](std::vector<OwnTool> tools) {
        const auto made = mountOwnTools("sums", "1", std::move(tools));
        return made ? std::string() : made.error().message;
    };
    has(refusal({{R"({"name":"a b"})", adds}}), "name");
    has(refusal({{"{oops", adds}}), "the tool at 0 of \"sums\" is no strict JSON");
    has(refusal({{add.definition, nullptr}}), "has no function to run");
    has(refusal({add, add}), "add");
}

TEST_CASE("a trace of a later version is carried on by what this one knows of it") {
    const auto later =
        Trace::childOf("01-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01-what-comes");
    CHECK(later.traceId() == "0af7651916cd43dd8448eb211c80319c");
    CHECK(later.parentSpanId() == "b7ad6b7169203331");
    for (const char *bad : {"00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01-more",
                            "01-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01more",
                            "ff-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01"}) {
        CHECK(Trace::childOf(bad).parentSpanId().empty());
    }
}
