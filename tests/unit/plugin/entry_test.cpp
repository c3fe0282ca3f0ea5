// SPDX-License-Identifier: Apache-2.0
// The in-memory door: each broken plugin is a few lines.
#include "plugin/loader.h"
#include "testing.h"

#include <tenon/abi.h>

#include <thread>

using namespace tenon;
using namespace tenon::testing;

namespace {

tenon_text text(std::string_view words) {
    return {words.data(), words.size()};
}

// A plugin whose parts a test replaces. One at a time, as an entry has no argument.
struct Fake {
    std::string catalog = R"({"id":"fake","version":"1.0.0","tools":[{"name":"t","description":"d",
                             "inputSchema":{"type":"object"}}]})";
    std::string configSchema = R"({"type":"object"})";
    std::function<std::uint32_t(const tenon_host *, const tenon_invocation *)> run;
    tenon_status createAnswer = TENON_OK;
    bool makesInstance = true;
    std::string reason;
    const tenon_host *host = nullptr;
    int stops = 0, destroys = 0;
    tenon_plugin table{};

    Fake();
};
Fake *fake = nullptr;

tenon_status writeSchema(const tenon_sink *out) {
    return out->write(out->context, text(fake->configSchema));
}
tenon_status create(const tenon_host *host, const tenon_create *args, tenon_instance **out) {
    fake->host = host;
    if (!fake->reason.empty()) {
        args->out->fail(args->out->context, text(fake->reason));
    }
    *out = fake->makesInstance ? reinterpret_cast<tenon_instance *>(fake) : nullptr;
    return fake->createAnswer;
}
tenon_status writeCatalog(tenon_instance *, const tenon_sink *out) {
    return out->write(out->context, text(fake->catalog));
}
std::uint32_t invoke(tenon_instance *, const tenon_invocation *invocation) {
    return fake->run ? fake->run(fake->host, invocation) : TENON_DONE;
}
void stop(tenon_instance *) {
    ++fake->stops;
}
void destroy(tenon_instance *) {
    ++fake->destroys;
}
tenon_status entry(const tenon_host *, const tenon_plugin **out) {
    *out = &fake->table;
    return TENON_OK;
}

Fake::Fake() {
    table = {
        sizeof table,  1,       0,       0,     text("fake"), text("1.0.0"), &writeSchema, &create,
        &writeCatalog, &invoke, nullptr, &stop, &destroy,     nullptr};
    fake = this;
}

std::string refusalOf(Fake &, tenon_entry_v1 door = &entry, const std::string &config = "{}") {
    Log log(LogLevel::Off);
    plugin::LoadOptions options;
    options.config = config;
    const auto loaded = plugin::loadEntry("fake.so", door, options, log);
    REQUIRE(loaded.has_error());
    INFO(loaded.error().message);
    CHECK(loaded.error().message.find("fake.so") == 0); // it names the offender
    return loaded.error().code + " " + loaded.error().message;
}

// Loads the fake and runs one call of "t" with it.
ToolRunner::Finished runOnce(Fake &, const Limits &limits = {}) {
    Log log(LogLevel::Off);
    plugin::LoadOptions options;
    options.limits = limits;
    auto loaded = plugin::loadEntry("fake.so", &entry, options, log);
    REQUIRE(loaded.has_value());
    catalog::Mount mount;
    mount.catalog = loaded->catalog;
    mount.handler = loaded->instance;
    mount.origin = "fake.so";
    ToolRunnerOptions runnerOptions;
    runnerOptions.catalog = *catalog::MountedCatalog::make({mount});
    runnerOptions.log = &log;
    runnerOptions.limits = limits;
    runnerOptions.cancelGrace = std::chrono::milliseconds(50);
    ToolRunner runner(std::move(runnerOptions));
    ToolCall call;
    call.toolName = "t";
    auto finished = runner.runBlocking(call);
    CHECK(runner.shutdown(std::chrono::seconds(1)));
    return finished;
}

} // namespace

TEST_CASE("a good table is loaded, stopped and destroyed once") {
    Fake good;
    runOnce(good);
    CHECK(good.stops == 1);
    CHECK(good.destroys == 1);
}

TEST_CASE("an entry that does not speak this ABI, fails, or gives nothing is refused") {
    Fake f;
    has(refusalOf(f,
                  [](const tenon_host *, const tenon_plugin **) -> tenon_status {
                      return TENON_UNSUPPORTED;
                  }),
        "does not speak ABI 1.0");
    has(refusalOf(f, [](const tenon_host *, const tenon_plugin **) -> tenon_status { return 77; }),
        "answered status 77; expected TENON_OK");
    has(refusalOf(
            f, [](const tenon_host *, const tenon_plugin **) -> tenon_status { return TENON_OK; }),
        "gave no table");
}

TEST_CASE("a short table, another version and a missing function are each named") {
    {
        Fake f;
        f.table.struct_size = TENON_SIZE_PLUGIN_V1_0 - 8;
        has(refusalOf(f), "its table has 104 bytes; expected at least 112");
    }
    {
        Fake f;
        f.table.abi_major = 0;
        has(refusalOf(f), "its table is of ABI 0.0; this host serves 1.0 to 1.0");
    }
    {
        Fake f;
        f.table.abi_minor = 9;
        has(refusalOf(f), "its table is of ABI 1.9");
    }
    {
        Fake f;
        f.table.invoke = nullptr;
        has(refusalOf(f), "its table has no invoke(), which is required");
    }
    {
        Fake f;
        f.table.destroy = nullptr;
        has(refusalOf(f), "its table has no destroy()");
    }
}

TEST_CASE("a table longer than this host knows is taken: it is from a later minor") {
    struct Longer {
        tenon_plugin known;
        void *later[4];
    };
    static Longer longer;
    Fake f;
    longer.known = f.table;
    longer.known.struct_size = sizeof longer;
    Log log(LogLevel::Off);
    const auto loaded = plugin::loadEntry(
        "fake.so",
        [](const tenon_host *, const tenon_plugin **out) -> tenon_status {
            *out = &longer.known;
            return TENON_OK;
        },
        {}, log);
    CHECK(loaded.has_value());
}

TEST_CASE(
    "create that fails or makes nothing is refused with the plugin's reason, and not destroyed") {
    {
        Fake f;
        f.createAnswer = TENON_ERROR;
        f.reason = "no such database";
        has(refusalOf(f), "create() failed: no such database");
        CHECK(f.destroys == 0);
    }
    {
        Fake f;
        f.createAnswer = TENON_ERROR;
        has(refusalOf(f), "create() failed without a reason");
    }
    {
        Fake f;
        f.makesInstance = false;
        has(refusalOf(f), "create() answered TENON_OK and made no instance");
    }
}

TEST_CASE("a config is checked against the plugin's schema before create") {
    Fake f;
    f.configSchema = R"({"type":"object","properties":{"root":{"type":"string"}},
                        "required":["root"],"additionalProperties":false})";
    const auto words = refusalOf(f, &entry, R"({"rot":1})");
    has(words, "/rot: expected only the keys root (did you mean root?)");
    has(words, "/root: expected a value");
    CHECK(f.host == nullptr);
    has(refusalOf(f, &entry, "[1]"), "not a JSON object");
    f.configSchema = "{";
    has(refusalOf(f), "config schema is not strict JSON");
}

TEST_CASE("a catalog that is broken is refused after create, and the instance is destroyed") {
    for (const auto &[catalog, words] : std::vector<std::pair<std::string, std::string>>{
             {"{", "not strict JSON"},
             {"", "not strict JSON"},
             {R"({"id":"fake","version":"1.0.0","tools":[{"name":"a b"}]})", "\"name\" is \"a b\""},
             {R"({"id":"fake","id":"fake","version":"1.0.0"})", "stands twice"},
             {"{\"id\":\"fa\xC3\x28\"}", "not UTF-8"},
             {R"({"id":"other","version":"1.0.0"})",
              "its catalog is of other 1.0.0; its table says fake"},
         }) {
        Fake f;
        f.catalog = catalog;
        has(refusalOf(f), words);
        CHECK(f.stops == 1);
        CHECK(f.destroys == 1);
    }
}

TEST_CASE("a catalog above the ceiling is refused while it is written") {
    Fake f;
    f.catalog = std::string(2000, ' ');
    Log log(LogLevel::Off);
    plugin::LoadOptions options;
    options.limits.catalogBytesMax = 1000;
    const auto loaded = plugin::loadEntry("fake.so", &entry, options, log);
    REQUIRE(loaded.has_error());
    CHECK(loaded.error().message.find("more than 1000 bytes were written, the limit") !=
          std::string::npos);
}

TEST_CASE("what a handler pushes is what the caller gets") {
    Fake f;
    f.run = [](const tenon_host *host, const tenon_invocation *in) {
        CHECK(std::string_view(in->name.data, in->name.size) == "t");
        CHECK(std::string_view(in->input.data, in->input.size) == "{}");
        CHECK(host->result(host->context, in->call, text("[1]")) == TENON_OK);
        CHECK(host->result(host->context, in->call, text("[2]")) == TENON_OK); // replaces
        tenon_content block{};
        block.struct_size = sizeof block;
        block.type = TENON_CONTENT_TEXT;
        block.text = text("bad \xC3\x28 bytes");
        CHECK(host->content(host->context, in->call, &block) == TENON_OK);
        return TENON_DONE;
    };
    const auto finished = runOnce(f);
    const auto &output = std::get<Output>(finished.result);
    CHECK(output.data == "[2]");
    REQUIRE(output.content.size() == 1);
    CHECK(output.content[0].text == "bad \xEF\xBF\xBD( bytes");
}

TEST_CASE("a double, late or invented completion is refused and changes nothing") {
    Fake f;
    // Looked at when the runner is gone: complete() lets the test go on while invoke still runs.
    static std::vector<tenon_status> answers;
    static tenon_call old = 0;
    for (int round = 0; round < 2; ++round) {
        answers.clear();
        f.run = [](const tenon_host *host, const tenon_invocation *in) {
            const tenon_call call = in->call;
            answers.push_back(host->result(host->context, call, text("1")));
            answers.push_back(host->complete(host->context, call));
            answers.push_back(host->complete(host->context, call));
            answers.push_back(host->result(host->context, call, text("2")));
            answers.push_back(host->complete(host->context, call + 1));
            answers.push_back(host->complete(host->context, 0));
            answers.push_back(host->result(host->context, old, text("3")));
            old = call;
            return TENON_PENDING;
        };
        CHECK(dataOf(runOnce(f).result) == "1");
        CHECK(answers == std::vector<tenon_status>{TENON_OK, TENON_OK, TENON_STALE, TENON_STALE,
                                                   TENON_STALE, TENON_STALE, TENON_STALE});
    }
    // Answering TENON_DONE after complete() is a mistake that changes nothing either.
    f.run = [](const tenon_host *host, const tenon_invocation *in) {
        host->result(host->context, in->call, text("1"));
        host->complete(host->context, in->call);
        return TENON_DONE;
    };
    CHECK(dataOf(runOnce(f).result) == "1");
}

TEST_CASE("annotations and meta leave on one line, whatever lines they came in") {
    Fake f;
    f.run = [](const tenon_host *host, const tenon_invocation *in) {
        tenon_content block{};
        block.struct_size = sizeof block;
        block.type = TENON_CONTENT_TEXT;
        block.annotations = text("{\n\"priority\": 1\n}");
        block.meta = text("{\r\n}");
        CHECK(host->content(host->context, in->call, &block) == TENON_OK);
        return TENON_DONE;
    };
    const auto finished = runOnce(f);
    const auto &content = std::get<Output>(finished.result).content;
    REQUIRE(content.size() == 1);
    CHECK(content[0].annotations == R"({"priority":1})");
    CHECK(content[0].meta == "{}");
}

TEST_CASE("a content block beyond the ceiling is not forgotten when a result follows") {
    Fake f;
    f.run = [](const tenon_host *host, const tenon_invocation *in) {
        const std::string large(2000, 'x');
        tenon_content block{};
        block.struct_size = sizeof block;
        block.type = TENON_CONTENT_TEXT;
        block.text = text(large);
        CHECK(host->content(host->context, in->call, &block) == TENON_LIMIT);
        CHECK(host->result(host->context, in->call, text("1")) == TENON_OK);
        return TENON_DONE;
    };
    Limits limits;
    limits.resultBytesMax = 1000;
    CHECK(codeOf(runOnce(f, limits).result) == "PAYLOAD_TOO_LARGE");
    // Empty blocks are not free.
    f.run = [](const tenon_host *host, const tenon_invocation *in) {
        tenon_content block{};
        block.struct_size = sizeof block;
        block.type = TENON_CONTENT_TEXT;
        tenon_status last = TENON_OK;
        for (int i = 0; i < 10 && last == TENON_OK; ++i) {
            last = host->content(host->context, in->call, &block);
        }
        CHECK(last == TENON_LIMIT);
        return TENON_DONE;
    };
    CHECK(codeOf(runOnce(f, limits).result) == "PAYLOAD_TOO_LARGE");
    // A result beyond it is, when a smaller one follows.
    f.run = [](const tenon_host *host, const tenon_invocation *in) {
        const std::string large(2000, '1');
        CHECK(host->result(host->context, in->call, text(large)) == TENON_LIMIT);
        CHECK(host->result(host->context, in->call, text("1")) == TENON_OK);
        return TENON_DONE;
    };
    CHECK(dataOf(runOnce(f, limits).result) == "1");
}

TEST_CASE(
    "what a call was given stays readable until it is completed, whatever the caller was told") {
    static std::string seen;
    static tenon_status answer = TENON_OK;
    static std::thread late;
    {
        Log log(LogLevel::Off);
        // A plugin that was given up is never touched again, and never freed.
        static auto *const f = new Fake;
        f->run = [](const tenon_host *host, const tenon_invocation *in) {
            late = std::thread([host, call = in->call, input = in->input] {
                std::this_thread::sleep_for(std::chrono::milliseconds(300));
                seen = std::string_view(input.data, input.size);
                answer = host->complete(host->context, call);
            });
            return TENON_PENDING;
        };
        auto loaded = plugin::loadEntry("fake.so", &entry, {}, log);
        REQUIRE(loaded.has_value());
        static const auto *const forGood = new auto(loaded->instance);
        CHECK(*forGood != nullptr);
        catalog::Mount mount;
        mount.catalog = loaded->catalog;
        mount.handler = loaded->instance;
        ToolRunnerOptions options;
        options.catalog = *catalog::MountedCatalog::make({mount});
        options.log = &log;
        options.timeout = std::chrono::milliseconds(20);
        options.cancelGrace = std::chrono::milliseconds(20);
        ToolRunner runner(std::move(options));
        {
            json::Document arguments;
            const std::string large = "{\"text\":\"" + std::string(100'000, 'x') + "\"}";
            REQUIRE(arguments.readView(large).has_value());
            ToolCall call;
            call.toolName = "t";
            call.arguments = arguments.root();
            CHECK(codeOf(runner.runBlocking(call).result) == "TIMEOUT");
        }
        CHECK_FALSE(runner.shutdown(std::chrono::milliseconds(0)));
        late.join();
        CHECK(seen == "{\"text\":\"" + std::string(100'000, 'x') + "\"}");
        CHECK(answer == TENON_STALE);
        CHECK(runner.shutdown(std::chrono::milliseconds(0)));
        CHECK(f->destroys == 0);
    }
}

TEST_CASE("output that breaks the ABI ends the call as a fault, never as undefined behaviour") {
    const std::vector<std::function<std::uint32_t(const tenon_host *, const tenon_invocation *)>>
        broken{
            [](const tenon_host *host, const tenon_invocation *in) {
                tenon_content block{};
                block.struct_size = 8;
                CHECK(host->content(host->context, in->call, &block) == TENON_INVALID);
                return TENON_DONE;
            },
            [](const tenon_host *host, const tenon_invocation *in) {
                tenon_content block{};
                block.struct_size = sizeof block;
                block.type = 99;
                CHECK(host->content(host->context, in->call, &block) == TENON_INVALID);
                return TENON_DONE;
            },
            [](const tenon_host *host, const tenon_invocation *in) {
                CHECK(host->content(host->context, in->call, nullptr) == TENON_INVALID);
                return TENON_DONE;
            },
            [](const tenon_host *host, const tenon_invocation *in) {
                CHECK(host->fail(host->context, in->call, nullptr) == TENON_INVALID);
                return TENON_DONE;
            },
            [](const tenon_host *, const tenon_invocation *) { return 7U; },
            [](const tenon_host *host, const tenon_invocation *in) {
                tenon_content block{};
                block.struct_size = sizeof block;
                block.type = TENON_CONTENT_TEXT;
                block.annotations = text("{broken");
                CHECK(host->content(host->context, in->call, &block) == TENON_INVALID);
                return TENON_DONE;
            },
        };
    for (const auto &run : broken) {
        Fake f;
        f.run = run;
        CHECK(codeOf(runOnce(f).result) == "INTERNAL_SERVER_ERROR");
    }
}

TEST_CASE("a result that is not JSON never reaches the caller") {
    for (const std::string bad : {"{", "NaN", "{\"a\":1,\"a\":2}", "\"\xC3\x28\""}) {
        Fake f;
        f.run = [&](const tenon_host *host, const tenon_invocation *in) {
            host->result(host->context, in->call, text(bad));
            return TENON_DONE;
        };
        const auto finished = runOnce(f);
        CHECK(codeOf(finished.result) == "INTERNAL_SERVER_ERROR");
        CHECK(finished.failureJson.find("strict JSON") != std::string::npos);
    }
}

TEST_CASE("output above the ceiling is cut as it is pushed, and the refusal names limit and size") {
    Fake f;
    f.run = [](const tenon_host *host, const tenon_invocation *in) {
        const std::string large = "\"" + std::string(2000, 'x') + "\"";
        CHECK(host->result(host->context, in->call, text(large)) == TENON_LIMIT);
        return TENON_DONE;
    };
    Limits limits;
    limits.resultBytesMax = 1000;
    const auto finished = runOnce(f, limits);
    CHECK(codeOf(finished.result) == "PAYLOAD_TOO_LARGE");
    CHECK(finished.failureJson.find("2002 bytes; the limit is 1000") != std::string::npos);
}

TEST_CASE("what a host does not have is NULL, and what it has stays the same") {
    Fake f;
    f.run = [](const tenon_host *host, const tenon_invocation *in) {
        CHECK(host->get_extension(host->context, text("tenon.none/1")) == nullptr);
        CHECK(host->get_extension(host->context, {nullptr, 0}) == nullptr);
        const auto *caller = static_cast<const tenon_caller_v1 *>(
            host->get_extension(host->context, text(TENON_EXT_CALLER)));
        REQUIRE(caller != nullptr);
        tenon_caller out{};
        CHECK(caller->get(host->context, in->call, &out) == TENON_INVALID);
        out.struct_size = sizeof out;
        CHECK(caller->get(host->context, in->call, &out) == TENON_OK);
        CHECK(std::string_view(out.source.data, out.source.size) == "internal");
        CHECK(out.traceparent.size == 55);
        CHECK(caller->get(host->context, 12345, &out) == TENON_STALE);
        const auto *cancellation = static_cast<const tenon_cancellation_v1 *>(
            host->get_extension(host->context, text(TENON_EXT_CANCELLATION)));
        CHECK(cancellation->requested(host->context, in->call) == 0);
        CHECK(cancellation->requested(host->context, 12345) == 1);
        CHECK(cancellation->remaining_ms(host->context, in->call) > 1000);
        CHECK(cancellation->remaining_ms(host->context, in->call) <= 60'000);
        CHECK(cancellation->remaining_ms(host->context, 12345) == 0);
        return TENON_DONE;
    };
    runOnce(f);
}
