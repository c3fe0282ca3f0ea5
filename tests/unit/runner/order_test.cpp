// SPDX-License-Identifier: Apache-2.0
// The table of outcomes: which hooks run, in which order, with what, whoever asks.
#include "frontends_testing.h"

using namespace tenon;
using namespace tenon::testing;
using namespace std::chrono_literals;

namespace {

// Writes down what every hook and step was told.
struct Journal {
    std::mutex mutex;
    std::vector<std::string> lines;
    std::vector<std::size_t> responseBytes;
    void add(std::string line) {
        const std::lock_guard lock(mutex);
        lines.push_back(std::move(line));
    }
    bool hasEnded() {
        const std::lock_guard lock(mutex);
        return !responseBytes.empty();
    }
};

std::string errorOf(const HandlerOutcome *error) {
    if (error == nullptr) {
        return "none";
    }
    const auto *app = std::get_if<AppError>(error);
    return app ? app->code : std::get<RawCause>(*error).message;
}

std::string argsOf(const auto &event) {
    const auto effective = event.effectiveArgs.raw();
    return concat(event.args.raw(), effective.empty() ? "" : " as ", effective);
}

// Of whom the call is: the same in every hook.
std::string whoOf(const ToolCallContext &context) {
    return concat(tenon::nameOf(context.caller.source), " ", context.toolCallId, " ",
                  context.trace.spanId());
}

ToolHooks journalling(Journal &journal, const std::string &name = "") {
    const auto who = std::make_shared<std::string>();
    const auto sees = [who](const ToolCallContext &context) {
        CHECK((who->empty() || *who == whoOf(context)));
        *who = whoOf(context);
        return std::string(tenon::nameOf(context.caller.source));
    };
    ToolHooks hooks;
    hooks.beforeToolCall = [&journal, name, sees](const BeforeToolCall &event) {
        if (event.toolName == "t") {
            journal.add(concat(name, "before ", sees(event.context), " ", argsOf(event)));
        }
        return std::optional<std::string>();
    };
    hooks.onToolError = [&journal, name, sees](const ToolErrorEvent &event) {
        journal.add(concat(name, "error ", sees(event.context), " ", errorOf(&event.error)));
    };
    hooks.afterToolCall = [&journal, name, sees](const AfterToolCall &event) {
        if (event.toolName != "t") {
            return;
        }
        CHECK(event.durationMs >= 0);
        CHECK(event.round == 1);
        CHECK(event.catalog.id() == "test");
        CHECK(event.startedAt <= std::chrono::system_clock::now());
        CHECK((std::holds_alternative<Output>(event.result)) == event.failureJson.empty());
        journal.add(concat(name, "after ", sees(event.context), " ", argsOf(event), " ",
                           tenon::nameOf(event.outcome), " ", errorOf(event.error), " ",
                           codeOf(event.result),
                           event.changes.empty() ? "" : concat(" mended ", event.changes[0].path)));
        const std::lock_guard lock(journal.mutex);
        journal.responseBytes.push_back(event.responseBytes);
    };
    return hooks;
}

// "SOURCE" in a line stands for mcp, agent or cli.
struct Case {
    std::string what;
    std::vector<std::string> journal;
    std::string code; // that the caller reads; "" when the call goes well
    FunctionHandler::Function handler = [](const CallPtr &) { return Output{R"({"x":1})", {}}; };
    std::function<void(ToolRunnerOptions &)> change = [](ToolRunnerOptions &) {};
    std::string arguments = "{}";
    bool needsPool = false; // where it was read, the tool could not be stopped or wait
    bool cancels = false;   // the caller does, once the handler runs
    bool crowded = false;   // another call has the only place
    bool ignores = false;   // the handler does not come back in time
    std::string more = {};  // of the tool's declaration
};

constexpr auto kSchemas = R"("inputSchema":{"type":"object","properties":{"n":{"type":"integer"}}},
    "outputSchema":{"type":"object","properties":{"x":{"type":"integer"}},"required":["x"]})";
const std::string kTool = concat(R"({"name":"t","description":"d",)", kSchemas, "}");

FunctionHandler::Function failing(HandlerOutcome outcome) {
    return [outcome](const CallPtr &) { return outcome; };
}

std::optional<HandlerOutcome> untilStopped(const CallPtr &call) {
    for (int i = 0; i < 20'000 && !call->cancelled(); ++i) {
        std::this_thread::sleep_for(1ms);
    }
    return RawCause{"late", "s3cret"};
}

std::optional<HandlerOutcome> notInTime(const CallPtr &call) {
    untilStopped(call);
    std::this_thread::sleep_for(100ms);
    return Output{R"({"x":2})", {}};
}

template <class Throw> auto throwsBefore(Throw raise) {
    return [raise](ToolRunnerOptions &options) {
        options.hooks[0].beforeToolCall = [raise](const BeforeToolCall &event) {
            if (event.toolName == "t") {
                raise();
            }
            return std::optional<std::string>();
        };
    };
}

// What is refused or stopped without a throw of step 5.
std::vector<Case> quietCases() {
    return {
        {"success", {"before SOURCE {}", "after SOURCE {} ok none "}, ""},
        {"success of mended arguments",
         {R"(before SOURCE {"n":"5"})", R"(after SOURCE {"n":"5"} as {"n":5} ok none  mended /n)"},
         "",
         failing(Output{R"({"x":1})", {}}),
         [](auto &) {},
         R"({"n":"5"})"},
        {"a refusal of beforeToolCall",
         {"after SOURCE {} refused none CONFLICT"},
         "CONFLICT",
         failing(Output{}),
         throwsBefore([] {
             throw AppError{"CONFLICT", "not now"};
         })},
        {"a throw of beforeToolCall that is no refusal",
         {"after SOURCE {} internal none INTERNAL_SERVER_ERROR"},
         "INTERNAL_SERVER_ERROR",
         failing(Output{}),
         throwsBefore([] { throw std::runtime_error("s3cret"); })},
        {"a refusal of beforeToolCall whose code is none",
         {"after SOURCE {} internal none INTERNAL_SERVER_ERROR"},
         "INTERNAL_SERVER_ERROR",
         failing(Output{}),
         throwsBefore([] {
             throw AppError{"s3cret", "s3cret"};
         })},
        {"bad arguments",
         {R"(before SOURCE {"n":"x"})", R"(after SOURCE {"n":"x"} invalid none VALIDATION_ERROR)"},
         "VALIDATION_ERROR",
         failing(Output{}),
         [](auto &) {},
         R"({"n":"x"})"},
        {"arguments that are too large",
         {R"(before SOURCE {"n":111111111111})",
          R"(after SOURCE {"n":111111111111} invalid none PAYLOAD_TOO_LARGE)"},
         "PAYLOAD_TOO_LARGE",
         failing(Output{}),
         [](auto &options) { options.limits.argumentsBytesMax = 10; },
         R"({"n":111111111111})"},
        {"policy denies",
         {"before SOURCE {}", "after SOURCE {} forbidden none FORBIDDEN"},
         "FORBIDDEN",
         failing(Output{}),
         [](auto &options) {
             options.policy = [](const BeforeToolCall &) { return PolicyAnswer::Deny; };
         }},
        {"policy throws a refusal",
         {"before SOURCE {}", "after SOURCE {} forbidden none RATE_LIMITED"},
         "RATE_LIMITED",
         failing(Output{}),
         [](auto &options) {
             options.policy = [](const BeforeToolCall &) -> PolicyAnswer {
                 throw AppError{"RATE_LIMITED", "slow down"};
             };
         }},
        {"a scope that the caller lacks",
         {"before SOURCE {}", "after SOURCE {} forbidden none UNAUTHORIZED"},
         "UNAUTHORIZED",
         failing(Output{}),
         [](auto &options) {
             options.lifecycle.requiredScopes = [](const BeforeToolCall &) {
                 return std::vector<std::string>{"write"};
             };
         }},
        {"an output that is not what the schema says",
         {"before SOURCE {}", "after SOURCE {} mismatch none INTERNAL_SERVER_ERROR"},
         "INTERNAL_SERVER_ERROR",
         failing(Output{R"({"x":"s3cret"})", {}})},
        {"an output that is no JSON",
         {"before SOURCE {}", "after SOURCE {} mismatch none INTERNAL_SERVER_ERROR"},
         "INTERNAL_SERVER_ERROR",
         failing(Output{"s3cret", {}})},
        {"an output that is too large",
         {"before SOURCE {}", "after SOURCE {} mismatch none PAYLOAD_TOO_LARGE"},
         "PAYLOAD_TOO_LARGE",
         failing(Output{R"({"x":1000000000000})", {}}),
         [](auto &options) { options.limits.resultBytesMax = 10; }},
        {"input required",
         {"before SOURCE {}", "after SOURCE {} input_required none "},
         "INPUT_REQUIRED",
         failing(InputRequired{{{"k", "elicitation/create", "{}"}}, ""})},
        {"a handler that takes no calls",
         {"before SOURCE {}", "after SOURCE {} unavailable none PLUGIN_UNAVAILABLE"},
         "PLUGIN_UNAVAILABLE",
         failing(Output{}),
         [](auto &options) {
             auto handler = std::make_shared<FunctionHandler>(failing(Output{}));
             handler->down = "s3cret";
             options.catalog = mountedOf(kTool, handler);
         }},
        {"a time limit that the handler heeds",
         {"before SOURCE {}", "after SOURCE {} timeout none TIMEOUT"},
         "TIMEOUT",
         untilStopped,
         [](auto &) {},
         "{}",
         true,
         false,
         false,
         false,
         R"("execution":{"timeoutMs":30},)"},
        {"a time limit that the handler ignores",
         {"before SOURCE {}", "after SOURCE {} timeout none TIMEOUT"},
         "TIMEOUT",
         notInTime,
         [](auto &options) { options.cancelGrace = 20ms; },
         "{}",
         true,
         false,
         false,
         true,
         R"("execution":{"timeoutMs":30},)"},
        {"a cancellation that the handler heeds",
         {"before SOURCE {}", "after SOURCE {} cancelled none CANCELLED"},
         "CANCELLED",
         untilStopped,
         [](auto &) {},
         "{}",
         true,
         true},
        {"a cancellation that the handler ignores",
         {"before SOURCE {}", "after SOURCE {} cancelled none CANCELLED"},
         "CANCELLED",
         notInTime,
         [](auto &options) { options.cancelGrace = 20ms; },
         "{}",
         true,
         true,
         false,
         true},
        {"no place, and none to wait in",
         {"after SOURCE {} overloaded none OVERLOADED"},
         "OVERLOADED",
         failing(Output{}),
         [](auto &options) {
             options.concurrency.hostMax = 1;
             options.concurrency.queueMax = 0;
         },
         "{}",
         true,
         false,
         true},
        {"a wait for a place that takes too long",
         {"after SOURCE {} timeout none TIMEOUT"},
         "TIMEOUT",
         failing(Output{}),
         [](auto &options) { options.concurrency.hostMax = 1; },
         "{}",
         true,
         false,
         true,
         false,
         R"("execution":{"timeoutMs":30},)"},
    };
}

// What step 5 throws: the only ones that onToolError hears of.
std::vector<Case> thrownCases() {
    const auto internal = [](std::string what, FunctionHandler::Function handler, auto change) {
        return Case{std::move(what),
                    {"before SOURCE {}", "error SOURCE s3cret",
                     "after SOURCE {} internal s3cret INTERNAL_SERVER_ERROR"},
                    "INTERNAL_SERVER_ERROR",
                    std::move(handler),
                    change};
    };
    const auto good = failing(Output{R"({"x":1})", {}});
    const auto refused = [](std::string what, std::string code, FunctionHandler::Function handler,
                            auto change) {
        return Case{std::move(what),
                    {"before SOURCE {}", concat("error SOURCE ", code),
                     concat("after SOURCE {} failed ", code, " ", code)},
                    code,
                    std::move(handler),
                    change};
    };
    const auto nothing = [](ToolRunnerOptions &) {};
    const auto addHooks = [](ToolRunnerOptions &options, ToolHooks hooks) {
        options.hooks.insert(options.hooks.begin(), std::move(hooks));
    };
    return {
        refused("a refusal of beforeHandle", "FORBIDDEN", good,
                [](ToolRunnerOptions &options) {
                    options.lifecycle.beforeHandle = [](const BeforeToolCall &event) {
                        if (event.toolName == "t") {
                            throw AppError{"FORBIDDEN", "not you"};
                        }
                    };
                }),
        refused("a refusal of the handler", "NOT_FOUND", failing(AppError{"NOT_FOUND", "nothing"}),
                nothing),
        refused("a refusal of afterHandle", "CONFLICT", good,
                [](ToolRunnerOptions &options) {
                    options.lifecycle.afterHandle =
                        [](const AfterHandle &) -> std::optional<std::string> {
                        throw AppError{"CONFLICT", "too late"};
                    };
                }),
        internal("a fault of beforeHandle", good,
                 [](ToolRunnerOptions &options) {
                     options.lifecycle.beforeHandle = [](const BeforeToolCall &) {
                         throw std::runtime_error("s3cret");
                     };
                 }),
        internal("a fault of requiredScopes", good,
                 [](ToolRunnerOptions &options) {
                     options.lifecycle.requiredScopes =
                         [](const BeforeToolCall &) -> std::vector<std::string> {
                         throw std::runtime_error("s3cret");
                     };
                 }),
        internal("a fault of the handler", failing(RawCause{"std::runtime_error", "s3cret"}),
                 nothing),
        internal("a handler that claims a code of the host's",
                 failing(AppError{"PLUGIN_CRASHED", "s3cret"}), nothing),
        internal("a fault of afterHandle", good,
                 [](ToolRunnerOptions &options) {
                     options.lifecycle.afterHandle =
                         [](const AfterHandle &) -> std::optional<std::string> {
                         throw std::runtime_error("s3cret");
                     };
                 }),
        {"a crash of what ran the call",
         {"before SOURCE {}", "error SOURCE s3cret",
          "after SOURCE {} crashed s3cret PLUGIN_CRASHED"},
         "PLUGIN_CRASHED",
         failing(RawCause{"signal 11", "s3cret", nullptr, "handler", true})},
        {"a throw of afterToolCall is swallowed",
         {"before SOURCE {}", "after SOURCE {} ok none "},
         "",
         good,
         [addHooks](ToolRunnerOptions &options) {
             ToolHooks throwing;
             throwing.afterToolCall = [](const AfterToolCall &) { throw 42; };
             addHooks(options, throwing);
         }},
        refused("a throw of onToolError is swallowed", "NOT_FOUND",
                failing(AppError{"NOT_FOUND", "nothing"}),
                [addHooks](ToolRunnerOptions &options) {
                    ToolHooks throwing;
                    throwing.onToolError = [](const ToolErrorEvent &) {
                        throw std::runtime_error("s3cret");
                    };
                    addHooks(options, throwing);
                }),
    };
}

// Bytes that a frontend has around what it made of one result.
std::size_t around(Frontend frontend) {
    return frontend == Frontend::Agent ? std::string_view(R"({"role":"user","content":[]})").size()
           : frontend == Frontend::Cli ? 0
                                       : 1; // a line feed
}

void check(const Case &one, Frontend frontend, bool blocking) {
    INFO(one.what << ", through " << nameOf(frontend)
                  << (blocking ? ", on the pool" : ", where it was read"));
    std::atomic<bool> entered = false, release = false, holding = false;
    const auto handler = std::make_shared<FunctionHandler>([&](const CallPtr &call) {
        if (call->toolName() == "hold") {
            holding = true;
            waitUntil([&] { return release.load(); });
            return std::optional<HandlerOutcome>(Output{R"({"x":0})", {}});
        }
        entered = true;
        return one.handler(call);
    });
    Journal journal;
    Log log(LogLevel::Off);
    ToolRunnerOptions options;
    const std::string tool =
        concat(R"({"name":"t","description":"d",)", one.more,
               blocking ? "" : R"("execution":{"blocking":false},)", kSchemas, "}");
    options.catalog =
        mountedOf(concat(tool, R"(,{"name":"hold","description":"d",)", kSchemas, "}"), handler);
    options.log = &log;
    options.hooks = {journalling(journal)};
    one.change(options);
    ToolRunner runner(std::move(options));
    const auto held = std::make_shared<WaitingListener>();
    if (one.crowded) {
        ToolCall hold;
        hold.toolName = "hold";
        runner.run(hold, held);
        REQUIRE(waitUntil([&] { return holding.load(); }));
    }
    Through through{"t", one.arguments, {}, {}, {}};
    const bool mcp = frontend == Frontend::McpLegacy || frontend == Frontend::McpModern;
    if (one.cancels) {
        through.meanwhile = [&](const std::function<void()> &cancel) {
            waitUntil([&] { return entered.load(); });
            cancel();
        };
        if (mcp) { // a client that cancelled is not answered
            through.endsUnanswered = [&] { return journal.hasEnded(); };
        }
    }
    const auto bytes = callThrough(frontend, runner, through);
    release = true;
    runner.shutdown(5s); // false while a handler that ignored its cancellation is still there
    CHECK(handler->abandons == (one.ignores ? 1 : 0));
    CHECK(waitUntil([&] { return runner.shutdown(0ms); }));

    std::vector<std::string> expected = one.journal;
    for (auto &line : expected) {
        const auto at = line.find("SOURCE");
        line.replace(at, 6, mcp ? "mcp" : frontend == Frontend::Agent ? "agent" : "cli");
    }
    CHECK(journal.lines == expected);
    CHECK(bytes.find("s3cret") == std::string::npos);
    if (mcp && one.cancels) {
        CHECK(bytes.empty());
        return;
    }
    const auto code = mcp || frontend == Frontend::Agent
                          ? concat(R"(\"error\":\")", one.code, R"(\")")
                          : concat(R"("error":")", one.code, R"(")");
    INFO(bytes);
    CHECK((bytes.find(code) != std::string::npos) == !one.code.empty());
    REQUIRE(journal.responseBytes.size() == 1);
    CHECK(bytes.size() == journal.responseBytes[0] + around(frontend));
}

} // namespace

TEST_CASE(
    "every outcome runs its hooks in the one order, whoever asks and wherever the tool runs") {
    for (const auto &cases : {quietCases(), thrownCases()}) {
        for (const auto &one : cases) {
            for (const auto frontend : kFrontends) {
                check(one, frontend, true);
                if (!one.needsPool) {
                    check(one, frontend, false);
                }
            }
        }
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
    CHECK(journal.lines ==
          std::vector<std::string>{R"(a before internal {"n":1})",
                                   R"(c before internal {"n":1} as {"n":7})",
                                   R"(a after internal {"n":1} as {"n":7} ok none )",
                                   R"(c after internal {"n":1} as {"n":7} ok none )"});
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
    options.catalog =
        mountedOf(kTool, std::make_shared<FunctionHandler>(failing(Output{R"({"x":1})", {}})));
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
    options.catalog =
        mountedOf(kTool, std::make_shared<FunctionHandler>(failing(Output{R"({"x":1})", {}})));
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
    CHECK(journal.lines == std::vector<std::string>{"suspended on t", "before internal {}",
                                                    "after internal {} ok none "});
}

TEST_CASE("a suspended hook refuses by rejecting with an AppError") {
    Log log(LogLevel::Off);
    ToolRunnerOptions options;
    options.catalog =
        mountedOf(kTool, std::make_shared<FunctionHandler>(failing(Output{R"({"x":1})", {}})));
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
