// SPDX-License-Identifier: Apache-2.0
// What is counted of calls, and the figures of the runner and the process.
#include "exposition_check.h"
#include "runner/metrics.h"
#include "testing.h"

#include <array>
#include <barrier>
#include <chrono>
#include <fcntl.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <thread>
#include <unistd.h>

using namespace tenon;
using namespace tenon::testing;
using namespace std::chrono_literals;

namespace {

// A runner whose calls are counted. The arguments say what a call does: {"code":CODE} fails with
// it, {"sleep":MS} takes that long, {"throw":true} throws.
class Counted {
public:
    explicit Counted(const std::string &tools = toolJson("t"), std::vector<ToolHooks> more = {},
                     ConcurrencyLimits concurrency = {})
        : catalog(mountedOf(tools, std::make_shared<FunctionHandler>(
                                       [this](const CallPtr &call) { return act(call); }))),
          metrics(catalog) {
        ToolRunnerOptions options;
        options.catalog = catalog;
        options.log = &log;
        options.concurrency = concurrency;
        options.hooks = std::move(more);
        options.hooks.push_back(metrics.hooks());
        runner = std::make_unique<ToolRunner>(std::move(options));
    }

    ToolResult call(const std::string &tool, const std::string &arguments = "{}",
                    Source source = Source::Mcp) {
        Caller caller;
        caller.source = source;
        const auto document = json::Document::read(arguments);
        ToolCall asked;
        asked.toolName = tool;
        asked.arguments = document->root();
        asked.caller = &caller;
        return runner->runBlocking(asked).result;
    }
    // Without waiting for its end.
    std::shared_ptr<WaitingListener> begin(const std::string &tool) {
        auto listener = std::make_shared<WaitingListener>();
        ToolCall asked;
        asked.toolName = tool;
        runner->run(asked, listener);
        return listener;
    }
    Exposition read(const std::vector<Gauge> &extra = {}) const {
        return readExposition(metrics.text(runner->load(), extra));
    }

    Log log{LogLevel::Off};
    std::atomic<bool> hold = false; // calls stay in their handler
    std::atomic<int> held = 0;
    std::shared_ptr<const catalog::MountedCatalog> catalog;
    Metrics metrics;
    std::unique_ptr<ToolRunner> runner;

private:
    std::optional<HandlerOutcome> act(const CallPtr &call) {
        ++held;
        for (int i = 0; i < 10'000 && hold; ++i) {
            std::this_thread::sleep_for(1ms);
        }
        --held;
        const auto document = json::Document::read(std::string(call->arguments()));
        const auto root = document->root();
        if (const auto code = root["code"]) {
            return AppError(std::string(code.string()), "refused");
        }
        if (root["sleep"]) {
            std::this_thread::sleep_for(25ms);
        }
        if (root["ask"]) {
            return InputRequired();
        }
        if (root["throw"]) {
            return RawCause{"std::runtime_error", "secret"};
        }
        return Output{"1", {}};
    }
};

std::string callsOf(std::string_view tool, std::string_view source, std::string_view code) {
    return concat("tenon_calls_total{code=\"", code, "\",source=\"", source, "\",tool=\"", tool,
                  "\"}");
}

std::string durationOf(std::string_view suffix, std::string_view tool, std::string_view source,
                       std::string_view le = "") {
    return concat("tenon_call_duration_seconds", suffix, "{", le.empty() ? "" : "le=\"", le,
                  le.empty() ? "" : "\",", "source=\"", source, "\",tool=\"", tool, "\"}");
}

// Tells the hook of a call that ended, without a runner.
void tellEnd(Counted &counted, const ToolResult &result, double milliseconds) {
    const ToolCallContext context{};
    const std::vector<schema::Change> changes;
    const auto &catalog = *counted.catalog->mounts()[0].catalog;
    const AfterToolCall event{"t",
                              {},
                              {},
                              context,
                              catalog.tools()[0],
                              result,
                              Outcome::Ok,
                              milliseconds,
                              nullptr,
                              changes,
                              catalog,
                              {},
                              1,
                              0,
                              ""};
    counted.metrics.hooks().afterToolCall.plain()(event);
}

// Gives a condition 10 s to come true.
bool comesTrue(const std::function<bool()> &condition) {
    for (int i = 0; i < 10'000 && !condition(); ++i) {
        std::this_thread::sleep_for(1ms);
    }
    return condition();
}

} // namespace

TEST_CASE("calls are counted by tool, source and what they ended with") {
    Counted counted(toolJson("a") + "," + toolJson("b"));
    CHECK(counted.read().count("tenon_calls_total") == 0);
    for (int i = 0; i < 3; ++i) {
        counted.call("a");
    }
    counted.call("a", "{}", Source::Cli);
    counted.call("a", R"({"code":"NOT_FOUND"})");
    counted.call("b", R"({"code":"MY_OWN"})", Source::Agent);
    counted.call("b", R"({"throw":true})", Source::Internal);
    counted.call("b", R"({"ask":true})");
    counted.call("none of them");
    const auto read = counted.read();
    CHECK(read[callsOf("a", "mcp", "OK")] == 3);
    CHECK(read[callsOf("a", "cli", "OK")] == 1);
    CHECK(read[callsOf("a", "mcp", "NOT_FOUND")] == 1);
    CHECK(read[callsOf("b", "agent", "MY_OWN")] == 1);
    CHECK(read[callsOf("b", "internal", "INTERNAL_SERVER_ERROR")] == 1);
    CHECK(read[callsOf("b", "mcp", "INPUT_REQUIRED")] == 1);
    CHECK(read.count("tenon_calls_total") == 6);
    CHECK(read.count("tenon_call_duration_seconds_count") == 5); // tool and source
}

TEST_CASE("a call that never reached its handler is counted with its code") {
    ToolHooks refusing;
    refusing.beforeToolCall = [](const BeforeToolCall &event) -> std::optional<std::string> {
        if (event.args["refuse"]) {
            throw AppError("FORBIDDEN", "no");
        }
        return std::nullopt;
    };
    Counted counted(R"({"name":"t","description":"d","inputSchema":{"type":"object",)"
                    R"("properties":{"n":{"type":"integer"}}}})",
                    {refusing});
    counted.call("t", R"({"refuse":1})");
    counted.call("t", R"({"n":"many"})");
    const auto read = counted.read();
    CHECK(read[callsOf("t", "mcp", "FORBIDDEN")] == 1);
    CHECK(read[callsOf("t", "mcp", "VALIDATION_ERROR")] == 1);
    CHECK(read[durationOf("_count", "t", "mcp")] == 2);
}

TEST_CASE("how long calls took is a histogram with its sum") {
    Counted counted;
    counted.call("t");
    const auto before = counted.read();
    CHECK(before[durationOf("_bucket", "t", "mcp", "60")] == 1);
    const auto start = Clock::now();
    counted.call("t", R"({"sleep":1})");
    const std::chrono::duration<double> took = Clock::now() - start;
    const auto read = counted.read();
    CHECK(read.count("tenon_call_duration_seconds_bucket") == 19);
    CHECK(read[durationOf("_count", "t", "mcp")] == 2);
    CHECK(read[durationOf("_bucket", "t", "mcp", "+Inf")] == 2);
    // The sleep is 25 ms at least; le is "at most".
    CHECK(read[durationOf("_bucket", "t", "mcp", "0.01")] ==
          before[durationOf("_bucket", "t", "mcp", "0.01")]);
    const double sum =
        read[durationOf("_sum", "t", "mcp")] - before[durationOf("_sum", "t", "mcp")];
    CHECK(sum >= 0.025);
    CHECK(sum <= took.count());
}

TEST_CASE("a call falls into the first bucket whose bound it does not pass") {
    Counted counted;
    for (const double milliseconds : {0.0, 0.1, 0.100001, 0.25, 1000.0, 60'000.0, 60'000.1, 1e7}) {
        tellEnd(counted, Output{"1", {}}, milliseconds);
    }
    const auto read = counted.read();
    const auto bucket = [&](std::string_view le) {
        return read[durationOf("_bucket", "t", "internal", le)];
    };
    CHECK(bucket("0.0001") == 2);
    CHECK(bucket("0.00025") == 4);
    CHECK(bucket("0.0005") == 4);
    CHECK(bucket("0.5") == 4);
    CHECK(bucket("1") == 5);
    CHECK(bucket("30") == 5);
    CHECK(bucket("60") == 6);
    CHECK(bucket("+Inf") == 8);
    CHECK(read[durationOf("_sum", "t", "internal")] == Approx(10'121.000450001));
}

TEST_CASE("the codes that a tool invents are counted by name up to a limit, then as other") {
    Counted counted(toolJson("inventor") + "," + toolJson("other_tool"));
    counted.call("inventor", R"({"code":"CONFLICT"})");
    for (std::size_t i = 0; i < 2 * Metrics::kOwnCodesMax; ++i) {
        counted.call("inventor", concat(R"({"code":"OWN_)", i, "\"}"));
    }
    counted.call("inventor", R"({"code":"OWN_0"})", Source::Cli);
    counted.call("inventor", R"({"code":"RATE_LIMITED"})"); // the host's have their place always
    counted.call("other_tool", R"({"code":"OWN_60"})");
    const auto read = counted.read();
    CHECK(read[callsOf("inventor", "mcp", "OWN_0")] == 1);
    CHECK(read[callsOf("inventor", "cli", "OWN_0")] == 1);
    CHECK(read[callsOf("inventor", "mcp", "OWN_31")] == 1);
    CHECK_FALSE(read.has(callsOf("inventor", "mcp", "OWN_32")));
    CHECK(read[callsOf("inventor", "mcp", "other")] == Metrics::kOwnCodesMax);
    CHECK(read[callsOf("inventor", "mcp", "CONFLICT")] == 1);
    CHECK(read[callsOf("inventor", "mcp", "RATE_LIMITED")] == 1);
    CHECK(read[callsOf("other_tool", "mcp", "OWN_60")] == 1);
}

TEST_CASE("a code that is none never becomes a label") {
    Counted counted;
    for (const auto &code :
         {std::string("OK"), std::string("other"), std::string(), std::string("a\"\n"),
          std::string("\xFF\xFE\xFD"), std::string(1'000'000, 'A')}) {
        tellEnd(counted, AppError(code, "no"), 1);
    }
    const auto read = counted.read();
    CHECK(read[callsOf("t", "internal", "other")] == 6);
    CHECK(read.count("tenon_calls_total") == 1);
}

TEST_CASE("calls that wait and calls that run are told, wherever they run") {
    const auto inlineTool = toolJson("here", R"(,"execution":{"blocking":false})");
    ConcurrencyLimits limits;
    limits.hostMax = 2;
    Counted counted(toolJson("pooled") + "," + inlineTool, {}, limits);
    const auto loadIs = [&](std::size_t running, std::size_t waiting) {
        return comesTrue([&] {
            const auto load = counted.runner->load();
            return load.running == running && load.waiting == waiting;
        });
    };
    CHECK(loadIs(0, 0));
    counted.hold = true;
    std::vector<std::shared_ptr<WaitingListener>> listeners;
    for (int i = 0; i < 5; ++i) {
        listeners.push_back(counted.begin("pooled"));
    }
    REQUIRE(comesTrue([&] { return counted.held == 2; }));
    CHECK(loadIs(2, 3));
    std::thread here([&] { listeners.push_back(counted.begin("here")); });
    REQUIRE(comesTrue([&] { return counted.held == 3; }));
    CHECK(loadIs(3, 3));
    const auto read = counted.read();
    CHECK(read["tenon_calls_in_flight"] == 3);
    CHECK(read["tenon_queue_depth"] == 3);
    counted.hold = false;
    here.join();
    for (const auto &listener : listeners) {
        CHECK(listener->wait());
    }
    CHECK(loadIs(0, 0));
}

TEST_CASE("a call that goes on after it left the thread that began it is in flight once") {
    Log log(LogLevel::Off);
    CallPtr kept;
    const auto handler = std::make_shared<FunctionHandler>(
        [&](const CallPtr &call) -> std::optional<HandlerOutcome> {
            kept = call;
            return std::nullopt;
        });
    ToolRunnerOptions options;
    options.catalog = mountedOf(toolJson("t", R"(,"execution":{"blocking":false})"), handler);
    options.log = &log;
    ToolRunner runner(std::move(options));
    const auto listener = std::make_shared<WaitingListener>();
    ToolCall asked;
    asked.toolName = "t";
    runner.run(asked, listener);
    REQUIRE(kept);
    CHECK(runner.load().running == 1);
    CHECK(runner.load().waiting == 0);
    kept->finish(Output{"1", {}});
    REQUIRE(listener->wait());
    CHECK(runner.load().running == 0);
    kept = nullptr;
}

TEST_CASE("no call is lost when threads call at once, also with codes never seen before") {
    Counted counted(toolJson("a", R"(,"execution":{"blocking":false})") + "," + toolJson("b"));
    constexpr int kThreads = 8, kCalls = 400;
    std::atomic<bool> reading = true;
    std::thread reader([&] {
        while (reading) {
            if (const Exposition read(counted.metrics.text(counted.runner->load()));
                !read.problems.empty()) {
                FAIL_CHECK(read.problems[0]);
            }
        }
    });
    std::vector<std::thread> threads;
    for (int t = 0; t < kThreads; ++t) {
        threads.emplace_back([&] {
            for (int i = 0; i < kCalls; ++i) {
                counted.call(i % 2 == 0 ? "a" : "b",
                             i % 4 < 2 ? "{}" : concat(R"({"code":"OWN_)", i / 4, "\"}"));
            }
        });
    }
    for (auto &thread : threads) {
        thread.join();
    }
    reading = false;
    reader.join();
    const auto read = counted.read();
    for (const auto *tool : {"a", "b"}) {
        double failed = 0;
        std::size_t names = 0;
        for (const auto &[series, value] : read.values) {
            const bool isCall = series.rfind("tenon_calls_total", 0) == 0;
            if (isCall && series.find(concat("tool=\"", tool, "\"")) != series.npos &&
                series.find("\"OK\"") == series.npos) {
                failed += value;
                ++names;
            }
        }
        CHECK(read[callsOf(tool, "mcp", "OK")] == kThreads * kCalls / 4);
        CHECK(failed == kThreads * kCalls / 4);
        CHECK(names == Metrics::kOwnCodesMax + 1);
        CHECK(read[durationOf("_count", tool, "mcp")] == kThreads * kCalls / 2);
    }
}

TEST_CASE("a new code that several threads bring at once is counted as one") {
    for (int repeat = 0; repeat < 20; ++repeat) {
        Counted counted;
        constexpr int kThreads = 4;
        std::barrier together(kThreads);
        std::vector<std::thread> threads;
        for (int t = 0; t < kThreads; ++t) {
            threads.emplace_back([&] {
                for (std::size_t i = 0; i < Metrics::kOwnCodesMax; ++i) {
                    together.arrive_and_wait();
                    tellEnd(counted, AppError(concat("OWN_", i), "no"), 1);
                }
            });
        }
        for (auto &thread : threads) {
            thread.join();
        }
        const auto read = counted.read();
        CHECK(read.count("tenon_calls_total") == Metrics::kOwnCodesMax);
        CHECK(read[callsOf("t", "internal", "OWN_31")] == kThreads);
    }
}

TEST_CASE("the catalog and figures of other parts are told") {
    Counted counted;
    const auto read =
        counted.read({{"tenon_audit_rows_total", "Rows.", 12, exposition::Kind::Counter},
                      {"tenon_plugins", "Plugins.", 1.5}});
    CHECK(read["tenon_catalog_info{digest=\"" + counted.catalog->digest() + "\"}"] == 1);
    CHECK(read["tenon_catalog_generation"] == 1);
    CHECK(read["tenon_audit_rows_total"] == 12);
    CHECK(read["tenon_plugins"] == 1.5);
    CHECK(read.types.at("tenon_audit_rows_total") == "counter");
    CHECK(read.types.at("tenon_plugins") == "gauge");
    CHECK_FALSE(read.has("tenon_plugin_restarts_total")); // nothing restarts plugins
}

TEST_CASE("one catalog that is mounted twice is counted under both names") {
    catalog::Mount mount;
    mount.catalog = catalogOf(toolJson("t"));
    mount.handler =
        std::make_shared<FunctionHandler>([](const CallPtr &) -> std::optional<HandlerOutcome> {
            return Output{"1", {}};
        });
    mount.origin = "one";
    auto other = mount;
    other.prefix = "a_prefix_that_is_too_long_to_be_kept_in_place_";
    const auto catalog = *catalog::MountedCatalog::make({mount, other});
    Metrics metrics(catalog);
    Log log(LogLevel::Off);
    ToolRunnerOptions options;
    options.catalog = catalog;
    options.log = &log;
    options.hooks = {metrics.hooks()};
    ToolRunner runner(std::move(options));
    for (const auto &tool : catalog->tools()) {
        ToolCall asked;
        asked.toolName = tool.name;
        runner.runBlocking(asked);
    }
    const auto read = readExposition(metrics.text(runner.load()));
    CHECK(read[callsOf("t", "internal", "OK")] == 1);
    CHECK(read[callsOf(other.prefix + "t", "internal", "OK")] == 1);
}

TEST_CASE("the process's figures are what the system says, whatever its name is") {
    std::array<char, 16> name{};
    REQUIRE(prctl(PR_GET_NAME, name.data()) == 0);
    REQUIRE(prctl(PR_SET_NAME, ") 7 (x) 9 9") == 0);
    Counted counted;
    const auto before = counted.read();
    std::array<int, 3> files{};
    for (auto &file : files) {
        file = open("/dev/null", O_RDONLY | O_CLOEXEC);
    }
    std::atomic<bool> go = true;
    std::thread thread([&] {
        while (go) {
        }
    });
    const auto secondsUsed = [] {
        rusage usage{};
        getrusage(RUSAGE_SELF, &usage);
        const auto seconds = [](const timeval &time) {
            return static_cast<double>(time.tv_sec) + static_cast<double>(time.tv_usec) / 1e6;
        };
        return seconds(usage.ru_utime) + seconds(usage.ru_stime);
    };
    const double used = secondsUsed(); // and then a few ticks of the clock that counts them
    CHECK(comesTrue([&] { return secondsUsed() > used + 0.05; }));
    const auto read = counted.read();
    go = false;
    thread.join();
    for (const int file : files) {
        close(file);
    }
    prctl(PR_SET_NAME, name.data());
    CHECK(read["process_open_fds"] == before["process_open_fds"] + 3);
    CHECK(read["process_threads"] == before["process_threads"] + 1);
    CHECK(read["process_cpu_seconds_total"] > before["process_cpu_seconds_total"]);
    rusage usage{};
    getrusage(RUSAGE_SELF, &usage);
    CHECK(read["process_cpu_seconds_total"] == Approx(secondsUsed()).margin(0.1));
    rlimit limit{};
    getrlimit(RLIMIT_NOFILE, &limit);
    CHECK(read["process_max_fds"] == static_cast<double>(limit.rlim_cur));
    CHECK(read["process_resident_memory_bytes"] > 1e6);
    CHECK(read["process_resident_memory_bytes"] <=
          static_cast<double>(usage.ru_maxrss) * 1024 + 1e6); // the system keeps it in batches
    CHECK(read["process_virtual_memory_bytes"] > read["process_resident_memory_bytes"]);
    const double now =
        std::chrono::duration<double>(std::chrono::system_clock::now().time_since_epoch()).count();
    CHECK(read["process_start_time_seconds"] < now);
    CHECK(read["process_start_time_seconds"] > now - 3600); // the tests take minutes
}
