// SPDX-License-Identifier: Apache-2.0
// The gate of scopes, the program's own tools, and hooks and handlers that forget to answer.
#include "runner/own_tools.h"
#include "testing.h"

#include <thread>

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
    has(refused.failureJson, "_hint");
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

TEST_CASE("a hook that was given up may still read its event") {
    std::optional<Continuation<Seen>> kept;
    const AfterToolCall *event = nullptr;
    auto made = std::make_unique<Runner>(
        [&](ToolRunnerOptions &options) {
            options.watchGrace = 20ms;
            ToolHooks hooks;
            hooks.afterToolCall = Hook<AfterToolCall, Seen>::suspending(
                [&](const AfterToolCall &given, Continuation<Seen> answer) {
                    event = &given;
                    kept = answer;
                });
            options.hooks = {hooks};
        },
        [](const CallPtr &) {
            return AppError{"NOT_FOUND", std::string(100, 'x')};
        });
    const auto failure = made->run().failureJson;
    made.reset(); // and the runner is gone
    CHECK(event->toolName == "t");
    CHECK(event->failureJson == failure);
    CHECK(codeOf(event->result) == "NOT_FOUND");
    CHECK(event->catalog.id() == "test");
    kept.reset();

    std::optional<Continuation<std::optional<std::string>>> gate;
    const AfterHandle *output = nullptr;
    made = std::make_unique<Runner>(
        [&](ToolRunnerOptions &options) {
            options.timeout = 20ms;
            options.cancelGrace = 20ms;
            options.lifecycle.afterHandle =
                Hook<AfterHandle, std::optional<std::string>>::suspending(
                    [&](const AfterHandle &given, auto answer) {
                        output = &given;
                        gate = answer;
                    });
        },
        [](const CallPtr &) {
            return Output{"\"" + std::string(100, 'y') + "\"", {}};
        });
    CHECK(codeOf(made->run().result) == "TIMEOUT");
    CHECK(output->output.data == "\"" + std::string(100, 'y') + "\"");
    gate->resolve(std::nullopt);
    gate.reset();
}

TEST_CASE("a call goes on on the pool when its hook answers from elsewhere") {
    std::thread::id answeredOn, ranOn;
    std::vector<std::thread> threads;
    Runner made(
        [&](ToolRunnerOptions &options) {
            ToolHooks hooks;
            hooks.beforeToolCall = Hook<BeforeToolCall, std::optional<std::string>>::suspending(
                [&](const BeforeToolCall &, auto answer) {
                    threads.emplace_back([&, answer] {
                        answeredOn = std::this_thread::get_id();
                        answer.resolve(std::nullopt);
                    });
                });
            options.hooks = {hooks};
        },
        [&](const CallPtr &) {
            ranOn = std::this_thread::get_id();
            return Output{};
        });
    CHECK(codeOf(made.run().result).empty());
    threads[0].join();
    CHECK(ranOn != std::thread::id());
    CHECK(ranOn != answeredOn);
}

TEST_CASE("a gate that answers when the time is over does not make the call go well") {
    std::vector<std::thread> threads;
    const bool rejects = GENERATE(true, false);
    Runner made([&](ToolRunnerOptions &options) {
        options.timeout = 20ms;
        options.lifecycle.afterHandle = Hook<AfterHandle, std::optional<std::string>>::suspending(
            [&](const AfterHandle &, auto answer) {
                threads.emplace_back([rejects, answer] {
                    std::this_thread::sleep_for(100ms);
                    if (rejects) {
                        answer.reject(std::make_exception_ptr(std::runtime_error("aborted")));
                    } else {
                        answer.resolve(std::nullopt);
                    }
                });
            });
    });
    CHECK(codeOf(made.run().result) == "TIMEOUT");
    threads[0].join();
}

TEST_CASE("a hook that rejects with nothing has thrown nothing that could be said") {
    Runner made([](ToolRunnerOptions &options) {
        options.lifecycle.beforeHandle = Hook<BeforeToolCall, Seen>::suspending(
            [](const BeforeToolCall &, auto answer) { answer.reject(nullptr); });
    });
    CHECK(codeOf(made.run().result) == "INTERNAL_SERVER_ERROR");
}

TEST_CASE("timers of calls that are over do not touch a runner that goes") {
    for (int i = 0; i < 20; ++i) {
        std::vector<CallHandle> handles;
        Runner made([](ToolRunnerOptions &options) {
            options.watchGrace = 1ms;
            ToolHooks hooks;
            hooks.afterToolCall = Hook<AfterToolCall, Seen>::suspending(
                [](const AfterToolCall &, auto answer) { answer.resolve({}); });
            options.hooks = {hooks};
        });
        for (int k = 0; k < 8; ++k) {
            ToolCall call;
            call.toolName = "t";
            handles.push_back(made.runner->run(call, std::make_shared<WaitingListener>()));
        }
        made.runner->shutdown(1s);
        made.runner.reset();
        for (const auto &handle : handles) {
            handle.cancel();
        }
    }
}

TEST_CASE("text of a program's own that is not UTF-8 does not reach a message as it is") {
    Runner made([](auto &) {},
                [](const CallPtr &) {
                    ContentBlock block;
                    block.text = "\xFF\xFE bad";
                    return Output{"", {block}};
                });
    const auto finished = made.run();
    const auto *output = std::get_if<Output>(&finished.result);
    REQUIRE(output != nullptr);
    CHECK(output->content[0].text == "\xEF\xBF\xBD\xEF\xBF\xBD bad");
    Runner broken([](auto &) {},
                  [](const CallPtr &) {
                      ContentBlock block;
                      block.annotations = "{oops";
                      return Output{"", {block}};
                  });
    CHECK(codeOf(broken.run().result) == "INTERNAL_SERVER_ERROR");
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
