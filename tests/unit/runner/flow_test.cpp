// SPDX-License-Identifier: Apache-2.0
// Many calls at once, limits, deadlines, cancellation.
#include "testing.h"

#include <set>
#include <thread>

using namespace tenon;
using namespace tenon::testing;
using namespace std::chrono_literals;

namespace {

std::optional<HandlerOutcome> sleepUntilCancelled(const CallPtr &call) {
    for (int i = 0; i < 2'000 && !call->cancelled(); ++i) {
        std::this_thread::sleep_for(1ms);
    }
    return Output{R"("late")", {}};
}

ToolRunnerOptions optionsOf(const std::string &tools, std::shared_ptr<Handler> handler, Log &log) {
    ToolRunnerOptions options;
    options.catalog = mountedOf(tools, std::move(handler));
    options.log = &log;
    return options;
}

ToolCall callOf(std::string_view name) {
    ToolCall call;
    call.toolName = name;
    return call;
}

} // namespace

TEST_CASE("many blocking calls run at once and each is answered exactly once") {
    Log log(LogLevel::Off);
    std::atomic<int> running = 0, most = 0;
    const auto handler = std::make_shared<FunctionHandler>([&](const CallPtr &) {
        most = std::max(most.load(), ++running);
        std::this_thread::sleep_for(20ms);
        --running;
        return Output{"1", {}};
    });
    auto options = optionsOf(toolJson("t"), handler, log);
    ToolRunner runner(std::move(options));
    std::vector<std::shared_ptr<WaitingListener>> listeners;
    for (int i = 0; i < 100; ++i) {
        listeners.push_back(std::make_shared<WaitingListener>());
        runner.run(callOf("t"), listeners.back());
    }
    for (const auto &listener : listeners) {
        REQUIRE(listener->wait());
        CHECK(listener->dones == 1);
        CHECK(dataOf(listener->result) == "1");
    }
    CHECK(most > 1);
    CHECK(most <= 16); // a plugin's own limit, as mounted
    CHECK(runner.shutdown(1s));
}

TEST_CASE("a serial tool runs one call at a time while others go on") {
    Log log(LogLevel::Off);
    std::atomic<int> running = 0, most = 0;
    const auto handler = std::make_shared<FunctionHandler>([&](const CallPtr &call) {
        if (call->toolName() == "serial") {
            most = std::max(most.load(), ++running);
            std::this_thread::sleep_for(5ms);
            --running;
        }
        return Output{"1", {}};
    });
    ToolRunner runner(optionsOf(toolJson("serial", R"(,"execution":{"concurrency":"serial"})") +
                                    "," + toolJson("other"),
                                handler, log));
    std::vector<std::shared_ptr<WaitingListener>> listeners;
    for (int i = 0; i < 10; ++i) {
        listeners.push_back(std::make_shared<WaitingListener>());
        runner.run(callOf("serial"), listeners.back());
    }
    const auto other = std::make_shared<WaitingListener>();
    runner.run(callOf("other"), other);
    REQUIRE(other->wait());
    CHECK_FALSE(listeners.back()->isDone());
    for (const auto &listener : listeners) {
        REQUIRE(listener->wait());
    }
    CHECK(most == 1);
}

TEST_CASE("past the queue a call is answered OVERLOADED, retryable, and never waits") {
    Log log(LogLevel::Off);
    std::atomic<bool> go = false;
    const auto handler = std::make_shared<FunctionHandler>([&](const CallPtr &) {
        while (!go) {
            std::this_thread::sleep_for(1ms);
        }
        return Output{"1", {}};
    });
    auto options = optionsOf(toolJson("t"), handler, log);
    options.concurrency = {2, 2, 3};
    std::vector<std::string> outcomes;
    std::mutex mutex;
    ToolHooks watching;
    watching.afterToolCall = [&](const AfterToolCall &event) {
        const std::lock_guard lock(mutex);
        outcomes.emplace_back(nameOf(event.outcome));
    };
    options.hooks = {watching};
    ToolRunner runner(std::move(options));
    std::vector<std::shared_ptr<WaitingListener>> listeners;
    for (int i = 0; i < 7; ++i) { // two run, three wait, two are too many
        listeners.push_back(std::make_shared<WaitingListener>());
        runner.run(callOf("t"), listeners.back());
    }
    CHECK(listeners[5]->isDone());
    CHECK(codeOf(listeners[5]->result) == "OVERLOADED");
    CHECK(listeners[6]->failureJson.find(R"("retryable":true)") != std::string::npos);
    CHECK(listeners[6]->failureJson.find("_hint") != std::string::npos);
    go = true;
    for (int i = 0; i < 5; ++i) {
        REQUIRE(listeners[static_cast<std::size_t>(i)]->wait());
        CHECK(dataOf(listeners[static_cast<std::size_t>(i)]->result) == "1");
    }
    CHECK(runner.shutdown(1s));
    CHECK(std::count(outcomes.begin(), outcomes.end(), "overloaded") == 2);
    CHECK(std::count(outcomes.begin(), outcomes.end(), "ok") == 5);
}

TEST_CASE(
    "a call past its deadline is answered TIMEOUT, naming the limit; its late result is dropped") {
    Log log(LogLevel::Off);
    const auto handler = std::make_shared<FunctionHandler>(sleepUntilCancelled);
    ToolRunner runner(optionsOf(toolJson("t", R"(,"execution":{"timeoutMs":50})"), handler, log));
    const auto finished = runner.runBlocking(callOf("t"));
    CHECK(codeOf(finished.result) == "TIMEOUT");
    CHECK(finished.failureJson.find("50 ms") != std::string::npos);
    CHECK(finished.failureJson.find(R"("retryable":false)") != std::string::npos);
    for (int i = 0; i < 5'000 && handler->cancels == 0; ++i) { // it is told on a thread of its own
        std::this_thread::sleep_for(1ms);
    }
    CHECK(handler->cancels == 1);
    CHECK(handler->abandons == 0);
}

TEST_CASE("a timeout of a tool that is safe to repeat is retryable") {
    Log log(LogLevel::Off);
    ToolRunner runner(optionsOf(
        toolJson("t", R"(,"annotations":{"readOnlyHint":true},"execution":{"timeoutMs":20})"),
        std::make_shared<FunctionHandler>(sleepUntilCancelled), log));
    CHECK(runner.runBlocking(callOf("t")).failureJson.find(R"("retryable":true)") !=
          std::string::npos);
}

TEST_CASE("a running call that is cancelled ends CANCELLED once its handler comes back") {
    Log log(LogLevel::Off);
    const auto handler = std::make_shared<FunctionHandler>(sleepUntilCancelled);
    ToolRunner runner(optionsOf(toolJson("t"), handler, log));
    const auto listener = std::make_shared<WaitingListener>();
    const auto handle = runner.run(callOf("t"), listener);
    std::this_thread::sleep_for(20ms);
    handle.cancel();
    handle.cancel(); // a second time does nothing
    REQUIRE(listener->wait());
    CHECK(codeOf(listener->result) == "CANCELLED");
    CHECK(listener->dones == 1);
    handle.cancel(); // nor does one after the end
}

TEST_CASE("a call that waits in the queue is cancelled at once and its handler never runs") {
    Log log(LogLevel::Off);
    std::atomic<bool> go = false;
    std::atomic<int> ran = 0;
    const auto handler = std::make_shared<FunctionHandler>([&](const CallPtr &) {
        ++ran;
        while (!go) {
            std::this_thread::sleep_for(1ms);
        }
        return Output{"1", {}};
    });
    auto options = optionsOf(toolJson("t"), handler, log);
    options.concurrency.hostMax = 1;
    ToolRunner runner(std::move(options));
    const auto first = std::make_shared<WaitingListener>();
    const auto second = std::make_shared<WaitingListener>();
    const auto third = std::make_shared<WaitingListener>();
    runner.run(callOf("t"), first);
    const auto handle = runner.run(callOf("t"), second);
    runner.run(callOf("t"), third);
    handle.cancel();
    REQUIRE(second->wait());
    CHECK(codeOf(second->result) == "CANCELLED");
    CHECK_FALSE(third->isDone());
    go = true;
    REQUIRE(first->wait());
    REQUIRE(third->wait());
    CHECK(runner.shutdown(1s));
    CHECK(ran == 2);
}

TEST_CASE("a handler that ignores its cancellation is answered for after the grace, and given up") {
    Log log(LogLevel::Off);
    std::atomic<bool> go = false;
    std::atomic<bool> left = false;
    const auto handler = std::make_shared<FunctionHandler>([&](const CallPtr &) {
        while (!go) {
            std::this_thread::sleep_for(1ms);
        }
        left = true;
        return Output{R"("too late")", {}};
    });
    auto options = optionsOf(toolJson("t"), handler, log);
    options.timeout = 30ms;
    options.cancelGrace = 30ms;
    auto runner = std::make_unique<ToolRunner>(std::move(options));
    const auto listener = std::make_shared<WaitingListener>();
    runner->run(callOf("t"), listener);
    REQUIRE(listener->wait());
    CHECK(codeOf(listener->result) == "TIMEOUT");
    CHECK(handler->abandons == 1);
    CHECK_FALSE(runner->shutdown(0ms)); // its thread is still inside
    go = true;
    while (!left) {
        std::this_thread::sleep_for(1ms);
    }
    std::this_thread::sleep_for(20ms);
    CHECK(listener->dones == 1);
}

TEST_CASE("a handler may answer later, from another thread, even of a non-blocking tool") {
    Log log(LogLevel::Off);
    std::vector<std::thread> threads;
    const auto handler = std::make_shared<FunctionHandler>(
        [&](const CallPtr &call) -> std::optional<HandlerOutcome> {
            threads.emplace_back([call] {
                std::this_thread::sleep_for(10ms);
                call->finish(Output{R"("later")", {}});
                call->finish(Output{R"("twice")", {}}); // ignored
            });
            return std::nullopt;
        });
    const std::string hints = GENERATE("", R"(,"execution":{"blocking":false})");
    auto runner = std::make_unique<ToolRunner>(optionsOf(toolJson("t", hints), handler, log));
    CHECK(dataOf(runner->runBlocking(callOf("t")).result) == R"("later")");
    runner.reset(); // whoever began the thread is done with the list
    for (auto &thread : threads) {
        thread.join();
    }
}

TEST_CASE("a handler that never answers is ended by shutdown") {
    Log log(LogLevel::Off);
    CallPtr kept;
    const auto handler = std::make_shared<FunctionHandler>(
        [&](const CallPtr &call) -> std::optional<HandlerOutcome> {
            kept = call;
            return std::nullopt;
        });
    auto options = optionsOf(toolJson("t"), handler, log);
    options.cancelGrace = 20ms;
    ToolRunner runner(std::move(options));
    const auto listener = std::make_shared<WaitingListener>();
    runner.run(callOf("t"), listener);
    CHECK_FALSE(runner.shutdown(10ms)); // who has the call may come back at any time
    CHECK(codeOf(listener->result) == "CANCELLED");
    CHECK(handler->abandons == 1);
    kept->finish(Output{"1", {}});
    CHECK(listener->dones == 1);
    CHECK(runner.shutdown(0ms)); // it came back
}

TEST_CASE("a non-blocking tool runs on the calling thread until it is found slow") {
    Log log(LogLevel::Off);
    std::atomic<bool> slow = false;
    std::vector<std::thread::id> threads;
    const auto handler = std::make_shared<FunctionHandler>([&](const CallPtr &) {
        threads.push_back(std::this_thread::get_id());
        if (slow) {
            std::this_thread::sleep_for(3ms);
        }
        return Output{"1", {}};
    });
    ToolRunner runner(optionsOf(toolJson("t", R"(,"execution":{"blocking":false})"), handler, log));
    for (int i = 0; i < 5; ++i) { // the first ones may be slow by themselves: the last forgives
        runner.runBlocking(callOf("t"));
        CHECK(threads.back() == std::this_thread::get_id());
    }
    slow = true;
    for (int i = 0; i < 3; ++i) {
        runner.runBlocking(callOf("t"));
        CHECK(threads.back() == std::this_thread::get_id());
    }
    runner.runBlocking(callOf("t"));
    CHECK(threads.back() != std::this_thread::get_id());
}

TEST_CASE("progress grows, is limited in rate, and stops at the end") {
    Log log(LogLevel::Off);
    CallPtr kept;
    const auto handler = std::make_shared<FunctionHandler>([&](const CallPtr &call) {
        kept = call;
        call->progress({1, 10, ""});
        call->progress({1, 10, ""}); // does not grow
        call->progress({0.5, 10, ""});
        call->progress({2, 10, ""});
        for (int i = 3; i < 10'000; ++i) {
            call->progress({double(i), 10'000, ""});
        }
        return Output{"1", {}};
    });
    ToolRunner runner(optionsOf(toolJson("t"), handler, log));
    const auto listener = std::make_shared<WaitingListener>();
    runner.run(callOf("t"), listener);
    REQUIRE(listener->wait());
    kept->progress({20'000, 0, ""});
    CHECK(listener->progresses.size() >= 3);
    CHECK(listener->progresses.size() < 200);
    CHECK(std::is_sorted(listener->progresses.begin(), listener->progresses.end()));
    CHECK(std::set<double>(listener->progresses.begin(), listener->progresses.end()).size() ==
          listener->progresses.size());
    CHECK(listener->progresses.back() < 20'000);
}

TEST_CASE("a plugin that takes no calls is answered PLUGIN_UNAVAILABLE without its reason") {
    Log log(LogLevel::Off);
    const auto handler =
        std::make_shared<FunctionHandler>([](const CallPtr &) { return Output{}; });
    handler->down = "s3cret";
    ToolRunner runner(optionsOf(toolJson("t"), handler, log));
    const auto finished = runner.runBlocking(callOf("t"));
    CHECK(codeOf(finished.result) == "PLUGIN_UNAVAILABLE");
    CHECK(finished.failureJson.find("s3cret") == std::string::npos);
}

TEST_CASE("an unknown tool is NOT_FOUND and the nearest name is told") {
    Log log(LogLevel::Off);
    ToolRunner runner(optionsOf(
        toolJson("read_file"),
        std::make_shared<FunctionHandler>([](const CallPtr &) { return Output{}; }), log));
    const auto finished = runner.runBlocking(callOf("readfile"));
    CHECK(codeOf(finished.result) == "NOT_FOUND");
    CHECK(finished.failureJson.find(R"(Did you mean \"read_file\"?)") != std::string::npos);
}

TEST_CASE("64 calls with different callers never see each other's context") {
    Log log(LogLevel::Off);
    std::atomic<int> wrong = 0;
    const auto handler = std::make_shared<FunctionHandler>([&](const CallPtr &call) {
        std::this_thread::sleep_for(1ms);
        return Output{"\"" + call->caller().userId + "\"", {}};
    });
    auto options = optionsOf(toolJson("t"), handler, log);
    ToolHooks watching;
    watching.afterToolCall = [&](const AfterToolCall &event) {
        const auto &output = std::get<Output>(event.result);
        wrong += output.data == "\"" + event.context.caller.userId + "\"" &&
                         event.context.dimensions.at("user") == event.context.caller.userId
                     ? 0
                     : 1;
    };
    options.hooks = {watching};
    ToolRunner runner(std::move(options));
    std::vector<std::thread> threads;
    for (int i = 0; i < 64; ++i) {
        threads.emplace_back([&, i] {
            const std::string user = "user-" + std::to_string(i);
            Caller caller;
            caller.userId = user;
            AmbientContext ambient;
            ambient.dimensions["user"] = user;
            ToolCall call = callOf("t");
            call.caller = &caller;
            call.ambient = &ambient;
            for (int round = 0; round < 10; ++round) {
                wrong += dataOf(runner.runBlocking(call).result) == "\"" + user + "\"" ? 0 : 1;
            }
        });
    }
    for (auto &thread : threads) {
        thread.join();
    }
    CHECK(wrong == 0);
}

TEST_CASE("shutdown waits for a call that another thread is just answering") {
    Log log(LogLevel::Off);
    struct SlowListener : WaitingListener {
        void onDone(ToolResult given, std::string failure) override {
            std::this_thread::sleep_for(50ms);
            WaitingListener::onDone(std::move(given), std::move(failure));
        }
    };
    for (int round = 0; round < 10; ++round) {
        std::thread answering;
        const auto handler = std::make_shared<FunctionHandler>(
            [&](const CallPtr &call) -> std::optional<HandlerOutcome> {
                std::atomic<bool> begun = false;
                answering = std::thread([call, &begun] {
                    begun = true;
                    call->finish(Output{"1", {}});
                });
                while (!begun) {
                    std::this_thread::yield();
                }
                return std::nullopt;
            });
        ToolRunner runner(
            optionsOf(toolJson("t", R"(,"execution":{"blocking":false})"), handler, log));
        const auto listener = std::make_shared<SlowListener>();
        runner.run(callOf("t"), listener);
        CHECK(runner.shutdown(5s));
        CHECK(listener->isDone());
        answering.join();
    }
}

TEST_CASE("a plugin that is slow to take a cancellation holds up nobody else") {
    Log log(LogLevel::Off);
    struct SlowToCancel : FunctionHandler {
        using FunctionHandler::FunctionHandler;
        void cancel(const CallPtr &) noexcept override { std::this_thread::sleep_for(3s); }
    };
    const auto handler = std::make_shared<SlowToCancel>(sleepUntilCancelled);
    ToolRunner runner(optionsOf(toolJson("t", R"(,"execution":{"timeoutMs":30})"), handler, log));
    const auto begun = Clock::now();
    std::vector<std::shared_ptr<WaitingListener>> listeners;
    for (int i = 0; i < 3; ++i) {
        listeners.push_back(std::make_shared<WaitingListener>());
        runner.run(callOf("t"), listeners.back()).cancel();
    }
    for (const auto &listener : listeners) {
        REQUIRE(listener->wait());
    }
    CHECK(Clock::now() - begun < 2s);
    CHECK(runner.shutdown(5s));
}

TEST_CASE("calls that were cancelled in the queue leave their places in it") {
    Log log(LogLevel::Off);
    std::atomic<bool> go = false;
    const auto handler = std::make_shared<FunctionHandler>([&](const CallPtr &) {
        while (!go) {
            std::this_thread::sleep_for(1ms);
        }
        return Output{"1", {}};
    });
    auto options = optionsOf(toolJson("t"), handler, log);
    options.concurrency = {1, 1, 4};
    ToolRunner runner(std::move(options));
    const auto first = std::make_shared<WaitingListener>();
    runner.run(callOf("t"), first);
    for (int round = 0; round < 20; ++round) {
        const auto listener = std::make_shared<WaitingListener>();
        runner.run(callOf("t"), listener).cancel();
        REQUIRE(listener->wait());
        CHECK(codeOf(listener->result) == "CANCELLED");
    }
    const auto last = std::make_shared<WaitingListener>();
    runner.run(callOf("t"), last);
    CHECK_FALSE(last->isDone());
    go = true;
    REQUIRE(last->wait());
    CHECK(dataOf(last->result) == "1");
    CHECK(runner.shutdown(5s));
}

TEST_CASE("a call whose time is over in the queue says that it waited, and may be tried again") {
    Log log(LogLevel::Off);
    const auto handler = std::make_shared<FunctionHandler>([](const CallPtr &) {
        std::this_thread::sleep_for(300ms);
        return Output{"1", {}};
    });
    auto options = optionsOf(toolJson("t"), handler, log);
    options.concurrency.hostMax = 1;
    options.timeout = 100ms;
    ToolRunner runner(std::move(options));
    const auto first = std::make_shared<WaitingListener>();
    const auto second = std::make_shared<WaitingListener>();
    runner.run(callOf("t"), first);
    runner.run(callOf("t"), second);
    REQUIRE(second->wait());
    CHECK(codeOf(second->result) == "TIMEOUT");
    CHECK(second->failureJson.find("it did not run") != std::string::npos);
    CHECK(second->failureJson.find(R"("retryable":true)") != std::string::npos);
    CHECK(runner.shutdown(5s));
}

TEST_CASE("one place that comes free lets every call go on that waited for it") {
    Scheduler scheduler({8, 1, 100});
    std::mutex mutex;
    std::vector<std::string> ran;
    const auto work = [&](const char *name) {
        return [&, name] {
            const std::lock_guard lock(mutex);
            ran.emplace_back(name);
        };
    };
    const WorkKey first{0, 1, nullptr, "p"}, sameGroup{0, 1, nullptr, "q"};
    const WorkKey samePrincipal{1, 1, nullptr, "p"};
    scheduler.submit(first, work("first"), &first);
    scheduler.submit(sameGroup, work("group"), &sameGroup);
    scheduler.submit(samePrincipal, work("principal"), &samePrincipal);
    scheduler.release(first);
    for (int i = 0; i < 1000; ++i) {
        std::this_thread::sleep_for(1ms);
        const std::lock_guard lock(mutex);
        if (ran.size() == 3) {
            break;
        }
    }
    const std::lock_guard lock(mutex);
    CHECK(ran.size() == 3);
}
