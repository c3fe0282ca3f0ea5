// SPDX-License-Identifier: Apache-2.0
#include "runner/awaitable.h"
#include "testing.h"

#include <boost/asio/executor_work_guard.hpp>
#include <boost/asio/io_context.hpp>
#include <boost/asio/steady_timer.hpp>
#include <boost/asio/use_awaitable.hpp>

#include <thread>

namespace asio = boost::asio;
using namespace tenon;
using namespace tenon::testing;
using Replacement = std::optional<std::string>;

TEST_CASE("a hook that is a coroutine is awaited, and what it throws is its refusal") {
    asio::io_context context;
    auto keep = asio::make_work_guard(context);
    std::thread loop([&] { context.run(); });
    Log log(LogLevel::Off);
    std::string seen;
    ToolRunnerOptions options;
    options.catalog =
        mountedOf(toolJson("t"), std::make_shared<FunctionHandler>([&](const CallPtr &call) {
                      seen = call->arguments();
                      return Output{"1", {}};
                  }));
    options.log = &log;
    ToolHooks hooks;
    hooks.beforeToolCall = awaiting<BeforeToolCall, Replacement>(
        context.get_executor(), [](const BeforeToolCall &event) -> asio::awaitable<Replacement> {
            asio::steady_timer timer(co_await asio::this_coro::executor);
            timer.expires_after(std::chrono::milliseconds(5));
            co_await timer.async_wait(asio::use_awaitable);
            if (event.args["deny"].isTrue()) {
                throw AppError{"FORBIDDEN", "not you"};
            }
            co_return Replacement(R"({"replaced":true})");
        });
    options.hooks = {hooks};
    {
        ToolRunner runner(std::move(options));
        ToolCall call;
        call.toolName = "t";
        CHECK(dataOf(runner.runBlocking(call).result) == "1");
        CHECK(seen == R"({"replaced":true})");
        json::Document deny;
        REQUIRE(deny.readView(R"({"deny":true})").has_value());
        call.arguments = deny.root();
        CHECK(codeOf(runner.runBlocking(call).result) == "FORBIDDEN");
    }
    keep.reset();
    loop.join();
}
