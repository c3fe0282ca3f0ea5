// SPDX-License-Identifier: Apache-2.0
// The table of outcomes: which hooks run, in which order, with what.
#include "testing.h"

using namespace tenon;
using namespace tenon::testing;
using namespace std::chrono_literals;

namespace {

// Writes down what every hook and step was told.
struct Journal {
    std::mutex mutex;
    std::vector<std::string> lines;
    void add(std::string line) {
        const std::lock_guard lock(mutex);
        lines.push_back(std::move(line));
    }
};

std::string errorOf(const HandlerOutcome *error) {
    if (error == nullptr) {
        return "none";
    }
    const auto *app = std::get_if<AppError>(error);
    return app ? app->code : std::get<RawCause>(*error).message;
}

ToolHooks journalling(Journal &journal, const std::string &name = "") {
    ToolHooks hooks;
    hooks.beforeToolCall = [&journal, name](const BeforeToolCall &event) {
        const auto effective = std::string(event.effectiveArgs.raw());
        journal.add(name + "before " + std::string(event.args.raw()) +
                    (effective.empty() ? "" : " as " + effective));
        return std::optional<std::string>();
    };
    hooks.onToolError = [&journal, name](const ToolErrorEvent &event) {
        journal.add(name + "error " + errorOf(&event.error));
    };
    hooks.afterToolCall = [&journal, name](const AfterToolCall &event) {
        CHECK(event.durationMs >= 0);
        journal.add(name + "after " + std::string(nameOf(event.outcome)) + " " +
                    errorOf(event.error) + " " + codeOf(event.result));
    };
    return hooks;
}

struct Case {
    const char *what;
    std::function<void(ToolRunnerOptions &)> change;
    FunctionHandler::Function handler;
    std::string arguments;
    std::vector<std::string> journal;
    std::string code;
};

const char *const kTool = R"({"name":"t","description":"d",
    "inputSchema":{"type":"object","properties":{"n":{"type":"integer"}}},
    "outputSchema":{"type":"object","properties":{"x":{"type":"integer"}},"required":["x"]}})";

std::optional<HandlerOutcome> good(const CallPtr &) {
    return Output{R"({"x":1})", {}};
}

void refuseBefore(ToolRunnerOptions &options) {
    options.hooks[0].beforeToolCall = [](const BeforeToolCall &) -> std::optional<std::string> {
        throw AppError{"CONFLICT", "not now"};
    };
}

std::vector<Case> cases() {
    const auto nothing = [](ToolRunnerOptions &) {};
    return {
        {"success", nothing, good, "{}", {"before {}", "after ok none "}, ""},
        {"a refusal of beforeToolCall",
         refuseBefore,
         good,
         "{}",
         {"after refused none CONFLICT"},
         "CONFLICT"},
        {"a throw of beforeToolCall that is no refusal",
         [](ToolRunnerOptions &options) {
             options.hooks[0].beforeToolCall =
                 [](const BeforeToolCall &) -> std::optional<std::string> {
                 throw std::runtime_error("s3cret");
             };
         },
         good,
         "{}",
         {"after internal none INTERNAL_SERVER_ERROR"},
         "INTERNAL_SERVER_ERROR"},
        {"bad arguments",
         nothing,
         good,
         R"({"n":"x"})",
         {R"(before {"n":"x"})", "after invalid none VALIDATION_ERROR"},
         "VALIDATION_ERROR"},
        {"policy denies",
         [](ToolRunnerOptions &options) {
             options.policy = [](const BeforeToolCall &) { return PolicyAnswer::Deny; };
         },
         good,
         "{}",
         {"before {}", "after forbidden none FORBIDDEN"},
         "FORBIDDEN"},
        {"a refusal of beforeHandle",
         [](ToolRunnerOptions &options) {
             options.lifecycle.beforeHandle = [](const BeforeToolCall &) {
                 throw AppError{"FORBIDDEN", "no scope"};
             };
         },
         good,
         "{}",
         {"before {}", "error FORBIDDEN", "after failed FORBIDDEN FORBIDDEN"},
         "FORBIDDEN"},
        {"a refusal of the handler",
         nothing,
         [](const CallPtr &) {
             return AppError{"NOT_FOUND", "no such thing"};
         },
         "{}",
         {"before {}", "error NOT_FOUND", "after failed NOT_FOUND NOT_FOUND"},
         "NOT_FOUND"},
        {"a fault of the handler",
         nothing,
         [](const CallPtr &) {
             return RawCause{"std::runtime_error", "s3cret"};
         },
         "{}",
         {"before {}", "error s3cret", "after internal s3cret INTERNAL_SERVER_ERROR"},
         "INTERNAL_SERVER_ERROR"},
        {"a handler that claims a code of the host's",
         nothing,
         [](const CallPtr &) {
             return AppError{"PLUGIN_CRASHED", "s3cret"};
         },
         "{}",
         {"before {}", "error s3cret", "after internal s3cret INTERNAL_SERVER_ERROR"},
         "INTERNAL_SERVER_ERROR"},
        {"a throw of afterHandle",
         [](ToolRunnerOptions &options) {
             options.lifecycle.afterHandle = [](const AfterHandle &) -> std::optional<std::string> {
                 throw std::runtime_error("s3cret");
             };
         },
         good,
         "{}",
         {"before {}", "error s3cret", "after internal s3cret INTERNAL_SERVER_ERROR"},
         "INTERNAL_SERVER_ERROR"},
        {"an output that is not what the schema says",
         nothing,
         [](const CallPtr &) {
             return Output{R"({"x":"s3cret"})", {}};
         },
         "{}",
         {"before {}", "after mismatch none INTERNAL_SERVER_ERROR"},
         "INTERNAL_SERVER_ERROR"},
        {"input required",
         nothing,
         [](const CallPtr &) {
             return InputRequired{{{"k", "elicitation/create", "{}"}}, ""};
         },
         "{}",
         {"before {}", "after input_required none "},
         ""},
        {"a throw of afterToolCall is swallowed",
         [](ToolRunnerOptions &options) {
             ToolHooks throwing;
             throwing.afterToolCall = [](const AfterToolCall &) { throw 42; };
             options.hooks.insert(options.hooks.begin(), throwing);
         },
         good,
         "{}",
         {"before {}", "after ok none "},
         ""},
        {"a throw of onToolError is swallowed",
         [](ToolRunnerOptions &options) {
             ToolHooks throwing;
             throwing.onToolError = [](const ToolErrorEvent &) { throw std::runtime_error("x"); };
             options.hooks.insert(options.hooks.begin(), throwing);
         },
         [](const CallPtr &) {
             return AppError{"NOT_FOUND", "m"};
         },
         "{}",
         {"before {}", "error NOT_FOUND", "after failed NOT_FOUND NOT_FOUND"},
         "NOT_FOUND"},
    };
}

} // namespace

TEST_CASE("every outcome runs its hooks in the one order, whether the tool blocks or not") {
    const bool blocking = GENERATE(true, false);
    for (const auto &one : cases()) {
        INFO(one.what << (blocking ? ", on the pool" : ", where it was read"));
        Journal journal;
        Log log(LogLevel::Off);
        std::string tool = kTool;
        tool.insert(1, blocking ? "" : R"("execution":{"blocking":false},)");
        ToolRunnerOptions options;
        options.catalog = mountedOf(tool, std::make_shared<FunctionHandler>(one.handler));
        options.log = &log;
        options.hooks = {journalling(journal)};
        one.change(options);
        ToolRunner runner(std::move(options));
        json::Document arguments;
        REQUIRE(arguments.readView(one.arguments).has_value());
        ToolCall call;
        call.toolName = "t";
        call.arguments = arguments.root();
        const auto finished = runner.runBlocking(call);
        CHECK(journal.lines == one.journal);
        CHECK(codeOf(finished.result) == one.code);
        CHECK(finished.failureJson.find("s3cret") == std::string::npos);
        CHECK(runner.shutdown(1s));
    }
}

TEST_CASE("several hooks objects run in order, and a replacement reaches the later ones") {
    Journal journal;
    Log log(LogLevel::Off);
    std::string seen;
    const auto handler = std::make_shared<FunctionHandler>([&](const CallPtr &call) {
        seen = call->arguments();
        return Output{R"({"x":1})", {}};
    });
    ToolRunnerOptions options;
    options.catalog = mountedOf(kTool, handler);
    options.log = &log;
    ToolHooks replacing;
    replacing.beforeToolCall = [](const BeforeToolCall &) {
        return std::optional<std::string>(R"({"n":7})");
    };
    std::string effective, sent;
    replacing.afterToolCall = [&](const AfterToolCall &event) {
        effective = event.effectiveArgs.raw();
        sent = event.args.raw();
    };
    options.hooks = {journalling(journal, "a "), replacing, journalling(journal, "c ")};
    ToolRunner runner(std::move(options));
    json::Document arguments;
    REQUIRE(arguments.readView(R"({"n":1})").has_value());
    ToolCall call;
    call.toolName = "t";
    call.arguments = arguments.root();
    CHECK(codeOf(runner.runBlocking(call).result).empty());
    CHECK(seen == R"({"n":7})");
    CHECK(sent == R"({"n":1})");
    CHECK(effective == R"({"n":7})");
    CHECK(journal.lines == std::vector<std::string>{R"(a before {"n":1})",
                                                    R"(c before {"n":1} as {"n":7})",
                                                    "a after ok none ", "c after ok none "});
}

TEST_CASE("arguments are mended before the handler sees them, and hooks are told what was done") {
    Log log(LogLevel::Off);
    std::string seen;
    const auto handler = std::make_shared<FunctionHandler>([&](const CallPtr &call) {
        seen = call->arguments();
        return Output{R"({"x":1})", {}};
    });
    ToolRunnerOptions options;
    options.catalog = mountedOf(R"({"name":"t","description":"d","inputSchema":{"type":"object",
        "properties":{"n":{"type":"integer"},"page":{"default":10},"since":{"type":"string"}}}})",
                                handler);
    options.log = &log;
    std::string sent, effective, changes;
    ToolHooks watching;
    watching.afterToolCall = [&](const AfterToolCall &event) {
        sent = event.args.raw();
        effective = event.effectiveArgs.raw();
        changes.clear();
        for (const auto &change : event.changes) {
            changes += change.path + ": " + change.what + "\n";
        }
    };
    options.hooks = {watching};
    ToolRunner runner(std::move(options));
    const auto run = [&](const std::string &text) {
        json::Document arguments;
        REQUIRE(arguments.readView(text).has_value());
        ToolCall call;
        call.toolName = "t";
        call.arguments = arguments.root();
        return codeOf(runner.runBlocking(call).result);
    };
    CHECK(run(R"({"n":"12345678901234567890","since":null})").empty());
    CHECK(seen == R"({"n":12345678901234567890,"page":10})");
    CHECK(sent == R"({"n":"12345678901234567890","since":null})");
    CHECK(effective == seen);
    has(changes, "/n: read from a string as number");
    has(changes, "/since: null was dropped");
    has(changes, "/page: its default was filled in");

    CHECK(run(R"({ "page" : 0.0 })").empty()); // nothing to mend: the caller's own bytes
    CHECK(seen == R"({ "page" : 0.0 })");
    CHECK(effective.empty());
    CHECK(changes.empty());

    CHECK(run(R"({"n":"twelve"})") == "VALIDATION_ERROR");
}

TEST_CASE("a replacement of the arguments is validated like any other") {
    Log log(LogLevel::Off);
    const std::string replacement = GENERATE(R"({"n":"x"})", "[1]", "{");
    ToolRunnerOptions options;
    options.catalog = mountedOf(kTool, std::make_shared<FunctionHandler>(good));
    options.log = &log;
    ToolHooks replacing;
    replacing.beforeToolCall = [&](const BeforeToolCall &) { return std::optional(replacement); };
    options.hooks = {replacing};
    ToolRunner runner(std::move(options));
    ToolCall call;
    call.toolName = "t";
    CHECK(codeOf(runner.runBlocking(call).result) ==
          (replacement[0] == '{' && replacement.size() > 1 ? "VALIDATION_ERROR"
                                                           : "INTERNAL_SERVER_ERROR"));
}

TEST_CASE("a hook that suspends is waited for, from whatever thread it answers") {
    Log log(LogLevel::Off);
    Journal journal;
    std::vector<std::thread> threads;
    ToolRunnerOptions options;
    options.catalog = mountedOf(kTool, std::make_shared<FunctionHandler>(good));
    options.log = &log;
    ToolHooks slow;
    slow.beforeToolCall = Hook<BeforeToolCall, std::optional<std::string>>::suspending(
        [&](const BeforeToolCall &event, auto answer) {
            threads.emplace_back([&journal, &event, answer] {
                std::this_thread::sleep_for(20ms);
                journal.add("suspended on " + std::string(event.toolName));
                answer.resolve(std::nullopt);
                answer.resolve(std::nullopt); // a second answer is too late
            });
        });
    slow.afterToolCall = Hook<AfterToolCall, Seen>::suspending(
        [](const AfterToolCall &, auto answer) { answer.resolve({}); });
    options.hooks = {slow, journalling(journal)};
    auto runner = std::make_unique<ToolRunner>(std::move(options));
    ToolCall call;
    call.toolName = "t";
    CHECK(dataOf(runner->runBlocking(call).result) == R"({"x":1})");
    runner.reset(); // whoever began the thread is done with the list
    for (auto &thread : threads) {
        thread.join();
    }
    CHECK(journal.lines ==
          std::vector<std::string>{"suspended on t", "before {}", "after ok none "});
}

TEST_CASE("a suspended hook refuses by rejecting with an AppError") {
    Log log(LogLevel::Off);
    ToolRunnerOptions options;
    options.catalog = mountedOf(kTool, std::make_shared<FunctionHandler>(good));
    options.log = &log;
    ToolHooks refusing;
    refusing.beforeToolCall = Hook<BeforeToolCall, std::optional<std::string>>::suspending(
        [](const BeforeToolCall &, auto answer) {
            answer.reject(std::make_exception_ptr(AppError{"RATE_LIMITED", "slow down"}));
        });
    options.hooks = {refusing};
    ToolRunner runner(std::move(options));
    ToolCall call;
    call.toolName = "t";
    const auto finished = runner.runBlocking(call);
    CHECK(codeOf(finished.result) == "RATE_LIMITED");
    CHECK(finished.failureJson ==
          R"({"error":"RATE_LIMITED","retryable":true,"details":{"message":"slow down"}})");
}

TEST_CASE("the call's context is its own: forked, and its fields cannot be forged") {
    Log log(LogLevel::Off);
    ToolRunnerOptions options;
    options.catalog = mountedOf(
        toolJson("t"), std::make_shared<FunctionHandler>([](const CallPtr &) { return Output{}; }));
    options.log = &log;
    std::vector<std::string> seen;
    ToolHooks watching;
    watching.beforeToolCall = [&](const BeforeToolCall &event) {
        const auto &trace = event.context.trace;
        seen = {std::string(trace.traceId()), std::string(trace.parentSpanId()),
                event.context.dimensions.at("tenant"),
                std::string(nameOf(event.context.caller.source)), event.context.toolCallId};
        CHECK(trace.spanId() != trace.parentSpanId());
        return std::optional<std::string>();
    };
    options.hooks = {watching};
    ToolRunner runner(std::move(options));
    AmbientContext ambient;
    ambient.traceparent = "00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01";
    ambient.dimensions = {{"tenant", "acme"}, {"source", "forged"}};
    Caller caller;
    caller.source = Source::Agent;
    ToolCall call;
    call.toolName = "t";
    call.caller = &caller;
    call.toolCallId = "call-1";
    call.ambient = &ambient;
    CHECK(dataOf(runner.runBlocking(call).result) == R"({"status":"ok"})");
    CHECK(seen == std::vector<std::string>{"0af7651916cd43dd8448eb211c80319c", "b7ad6b7169203331",
                                           "acme", "agent", "call-1"});
}
