// SPDX-License-Identifier: Apache-2.0
#include "frontends/agent/agent.h"
#include "support/text.h"
#include "testing.h"

#include <set>
#include <thread>

using Catch::Matchers::Contains;
using namespace tenon;
using agent::Agent;
using agent::Format;
using agent::Strictness;
using tenon::testing::toolJson;

namespace {

using Handle = tenon::testing::FunctionHandler::Function;

// A runner of these tools, all of them handled by one function.
struct Host {
    explicit Host(const std::string &tools, Handle handle = echo) {
        ToolRunnerOptions options;
        options.catalog = tenon::testing::mountedOf(
            tools, std::make_shared<tenon::testing::FunctionHandler>(std::move(handle)));
        options.log = &log;
        auto made = createToolRunner(std::move(options));
        REQUIRE(made.has_value());
        runner = std::move(*made);
        tools_ = agent::mountAgent(*runner);
    }
    ~Host() { runner->shutdown(std::chrono::seconds(5)); }
    Host(const Host &) = delete;
    Host &operator=(const Host &) = delete;

    static std::optional<HandlerOutcome> echo(const CallPtr &call) {
        return Output{std::string(call->arguments()), {}, 0};
    }
    json::Document definitions(Format format = Format::Anthropic,
                               Strictness strictness = Strictness::Loose) const {
        const auto tools = tools_->tools(format, strictness);
        INFO((tools ? "" : tools.error().message));
        REQUIRE(tools.has_value());
        return std::move(*json::Document::read(*tools));
    }
    std::vector<std::string> names() const {
        std::vector<std::string> out;
        const auto document = definitions();
        for (const auto tool : document.root().items()) {
            out.emplace_back(tool["name"].string());
        }
        return out;
    }
    // The message of the results.
    json::Document execute(std::string_view calls) const {
        json::Document document;
        REQUIRE(document.readView(calls).has_value());
        const auto message = tools_->execute(Format::Anthropic, document.root());
        INFO((message ? "" : message.error().message));
        REQUIRE(message.has_value());
        return std::move(*json::Document::read(*message));
    }
    Error refusal(std::string_view calls) const {
        json::Document document;
        REQUIRE(document.readView(calls).has_value());
        const auto message = tools_->execute(Format::Anthropic, document.root());
        REQUIRE_FALSE(message.has_value());
        return message.error();
    }

    Log log{LogLevel::Off};
    std::unique_ptr<ToolRunner> runner;
    std::unique_ptr<Agent> tools_;
};

constexpr Format kFormats[] = {Format::Anthropic, Format::OpenAi, Format::OpenAiChat,
                               Format::Gemini, Format::AiSdk};

// A tool that has a strict form.
constexpr const char *kClosedTool =
    R"({"name":"find","description":"Finds","inputSchema":{"type":"object","properties":{
        "q":{"type":"string"},"n":{"type":"integer"}},"required":["q"],
        "additionalProperties":false}})";

std::string use(std::string_view id, std::string_view name, std::string_view input) {
    return concat(R"({"type":"tool_use","id":")", id, R"(","name":")", name, R"(","input":)", input,
                  "}");
}

json::Value resultAt(const json::Document &message, std::size_t place) {
    std::size_t i = 0;
    for (const auto result : message.root()["content"].items()) {
        if (i++ == place) {
            return result;
        }
    }
    return {};
}

std::string textOf(json::Value result) {
    return std::string((*result["content"].items().begin())["text"].string());
}

} // namespace

TEST_CASE("A format is known by its name, and an unknown one is told which there are") {
    for (const auto format : kFormats) {
        const auto found = agent::formatOf(agent::wordOf(format));
        REQUIRE(found.has_value());
        CHECK(*found == format);
    }
    for (const auto *other : {"", "Anthropic", "made-up"}) {
        const auto format = agent::formatOf(other);
        REQUIRE_FALSE(format.has_value());
        CHECK_THAT(format.error().message,
                   Contains(concat("the format is \"", other,
                                   "\"; expected one of anthropic, "
                                   "openai, openai-chat, gemini and ai-sdk")));
    }
    CHECK_THAT(agent::formatOf("open-ai").error().message, Contains("(did you mean openai?)"));
}

TEST_CASE("Each format declares a tool as its provider wants it") {
    const Host host(kClosedTool);
    const std::string_view schema =
        R"({"type":"object","properties":{"q":{"type":"string"},"n":{"type":"integer"}},)"
        R"("required":["q"],"additionalProperties":false})";
    const auto text = [&](Format format) { return *host.tools_->tools(format); };
    CHECK(text(Format::Anthropic) ==
          concat(R"([{"name":"find","description":"Finds","input_schema":)", schema, "}]"));
    CHECK(text(Format::OpenAi) ==
          concat(R"([{"type":"function","name":"find","description":"Finds","parameters":)", schema,
                 R"(,"strict":false}])"));
    CHECK(text(Format::OpenAiChat) ==
          concat(R"([{"type":"function","function":{"name":"find","description":"Finds",)",
                 R"("parameters":)", schema, R"(,"strict":false}}])"));
    CHECK(text(Format::Gemini) ==
          concat(R"([{"name":"find","description":"Finds","parametersJsonSchema":)", schema, "}]"));
    CHECK(text(Format::AiSdk) ==
          concat(R"([{"name":"find","description":"Finds","inputSchema":)", schema, "}]"));
}

TEST_CASE("The strict form is used where a tool has one, and said so") {
    const Host host(std::string(kClosedTool) + "," + toolJson("free"));
    for (const auto format : {Format::OpenAi, Format::OpenAiChat, Format::Anthropic}) {
        CAPTURE(agent::wordOf(format));
        const auto document = host.definitions(format, Strictness::Strict);
        std::vector<json::Value> tools;
        for (const auto tool : document.root().items()) {
            tools.push_back(format == Format::OpenAiChat ? tool["function"] : tool);
        }
        REQUIRE(tools.size() == 2);
        CHECK(tools[0]["strict"].isTrue());
        CHECK_FALSE(tools[1]["strict"].isTrue());
        if (format != Format::Anthropic) {
            CHECK(tools[1]["strict"].isFalse());
            CHECK(tools[0]["parameters"]["required"].size() == 2);
            CHECK(tools[0]["parameters"]["properties"]["n"]["type"].raw() ==
                  R"(["integer","null"])");
        }
        const auto &notes = host.tools_->explain(format, Strictness::Strict);
        REQUIRE(notes.size() == 1);
        CHECK_THAT(notes[0], Contains("free: not strict: the root: it takes further keys"));
    }
    for (const auto format : {Format::Gemini, Format::AiSdk}) {
        CHECK(*host.tools_->tools(format, Strictness::Strict) == *host.tools_->tools(format));
        CHECK_THAT(host.tools_->explain(format, Strictness::Strict)[0],
                   Contains("find: not strict:") && Contains("has no strict form"));
    }
}

TEST_CASE("Anthropic's limits on strict tools hold over all tools, in the catalog's order") {
    const auto strictOf = [](const std::string &tools) {
        const Host host(tools);
        std::size_t strict = 0;
        const auto document = host.definitions(Format::Anthropic, Strictness::Strict);
        for (const auto tool : document.root().items()) {
            strict += tool["strict"].isTrue() ? 1U : 0U;
        }
        const auto &notes = host.tools_->explain(Format::Anthropic, Strictness::Strict);
        CHECK(notes.size() == document.root().size() - strict);
        return std::pair(strict, notes.empty() ? "" : notes[0]);
    };
    const auto many = [](int count, std::string_view properties) {
        std::string tools;
        for (int i = 0; i < count; ++i) {
            tools += concat(i > 0 ? "," : "", R"({"name":"t)", i, R"(","inputSchema":{)",
                            R"("type":"object","additionalProperties":false,"properties":{)",
                            properties, "}}}");
        }
        return tools;
    };
    CHECK(strictOf(many(20, "")) == std::pair(std::size_t(20), std::string()));
    const auto [tools, tooMany] = strictOf(many(21, ""));
    CHECK(tools == 20);
    CHECK_THAT(tooMany, Contains("t20: not strict: with it the strict tools would have 21 members, "
                                 "and Anthropic takes 20"));
    const auto [optional, tooOptional] =
        strictOf(many(3, R"("a":{"type":"string"},"b":{"type":"string"},"c":{"type":"string"},
            "d":{"type":"string"},"e":{"type":"string"},"f":{"type":"string"},
            "g":{"type":"string"},"h":{"type":"string"},"i":{"type":"string"})"));
    CHECK(optional == 2);
    CHECK_THAT(tooOptional, Contains("t2: not strict") && Contains("27 optional keys"));
    const auto [unions, tooMixed] = strictOf(many(17, R"("a":{"type":["string","null"]})"));
    CHECK(unions == 16);
    CHECK_THAT(tooMixed, Contains("t16: not strict") && Contains("17 keys of several types"));
}

TEST_CASE("More tools than a provider takes are refused with the count and what to set (N07)") {
    std::string tools;
    for (int i = 0; i < 300; ++i) {
        tools += concat(i > 0 ? "," : "", toolJson(concat("t", i)));
    }
    const Host host(tools);
    for (const auto format : {Format::OpenAi, Format::OpenAiChat}) {
        const auto made = host.tools_->tools(format);
        REQUIRE_FALSE(made.has_value());
        CHECK(made.error().code == "agent.tools");
        CHECK_THAT(made.error().message, Contains("there are 300 tools, and OpenAI takes 128") &&
                                             Contains("set \"tools.allow\""));
    }
    for (const auto format : {Format::Anthropic, Format::Gemini, Format::AiSdk}) {
        CHECK(host.definitions(format).root().size() == 300);
    }
}

TEST_CASE("A description too long for OpenAI is cut between characters, and that is told") {
    std::string exact, over;
    for (int i = 0; i < 512; ++i) {
        exact += "\U0001F600"; // of two UTF-16 units
    }
    over = exact + "x";
    const auto tool = [](std::string_view name, std::string_view description) {
        return concat(R"({"name":")", name, R"(","description":")", description,
                      R"(","inputSchema":{"type":"object"}})");
    };
    const Host host(tool("exact", exact) + "," + tool("over", over));
    const auto document = host.definitions(Format::OpenAi);
    auto item = document.root().items().begin();
    CHECK((*item)["description"].string() == exact);
    ++item;
    CHECK((*item)["description"].string() == concat(exact.substr(0, 511 * 4), "\u2026"));
    CHECK(host.tools_->explain(Format::OpenAi) ==
          std::vector<std::string>{
              "over: the description is cut at 1024 characters, which OpenAI takes"});
    CHECK_THAT(*host.tools_->tools(Format::Anthropic), Contains(over));
    CHECK(host.tools_->explain(Format::Anthropic).empty());
}

TEST_CASE("What a provider is not told is explained, tool by tool") {
    const Host host(R"({"name":"a.b","inputSchema":{"type":"object","properties":{
        "w[1]":{"type":"string"},"p":{"type":"string","pattern":"a"}}}})");
    const auto lines = [&](Format format) {
        std::string out;
        for (const auto &line : host.tools_->explain(format)) {
            out += line + "\n";
        }
        return out;
    };
    const auto alias = catalog::exportedName("a.b");
    CHECK_THAT(lines(Format::Anthropic),
               Contains(concat("a.b: Anthropic sees it as \"", alias, "\"")) &&
                   Contains("a.b: the root: the key \"w[1]\" is not taken by Anthropic"));
    CHECK_THAT(lines(Format::Gemini),
               Contains("a.b: /properties/p: \"pattern\" is not taken by Gemini and left out"));
    CHECK(lines(Format::AiSdk) == concat("a.b: the AI SDK sees it as \"", alias, "\"\n"));
}

TEST_CASE("Definitions are made once, and are the same bytes from run to run") {
    const std::string tools = std::string(kClosedTool) + "," + toolJson("a.b");
    const Host one(tools), two(tools);
    for (const auto format : kFormats) {
        for (const auto strictness : {Strictness::Loose, Strictness::Strict}) {
            const auto &made = one.tools_->tools(format, strictness);
            CHECK(&made == &one.tools_->tools(format, strictness));
            CHECK(*made == *two.tools_->tools(format, strictness));
        }
    }
}

TEST_CASE("Many threads may ask for definitions at once") {
    const Host host(kClosedTool);
    std::vector<std::thread> threads;
    std::vector<const void *> seen(8);
    for (std::size_t i = 0; i < seen.size(); ++i) {
        threads.emplace_back([&, i] { seen[i] = host.tools_->tools(Format::Gemini)->data(); });
    }
    for (auto &thread : threads) {
        thread.join();
    }
    CHECK(std::set<const void *>(seen.begin(), seen.end()).size() == 1);
}

TEST_CASE("Two hundred tools that share a definition cost its bytes once each (N09)") {
    const std::string shared = concat(R"("$defs":{"S":{"type":"object","description":")",
                                      std::string(5'000, 's'), R"("}}})");
    std::string tools;
    for (int i = 0; i < 100; ++i) {
        tools +=
            concat(i > 0 ? "," : "", R"({"name":"t)", i,
                   R"(","inputSchema":{"type":"object","properties":{"a":{"$ref":"#/$defs/S"},)"
                   R"("b":{"$ref":"#/$defs/S"},"c":{"$ref":"#/$defs/S"}},)",
                   shared, "}");
    }
    const Host host(tools);
    for (const auto format : kFormats) {
        CHECK(host.tools_->tools(format)->size() < 100 * 5'400);
    }
}

TEST_CASE("Calls of the other formats are refused until they are run") {
    const Host host(kClosedTool);
    json::Document calls;
    REQUIRE(calls.readView("[]").has_value());
    for (const auto format : kFormats) {
        const auto made = host.tools_->execute(format, calls.root());
        CHECK(made.has_value() == (format == Format::Anthropic));
        if (!made) {
            CHECK(made.error().code == "agent.format");
            CHECK_THAT(made.error().message,
                       Contains(concat("calls in the format \"", agent::wordOf(format),
                                       "\" are not run yet; expected \"anthropic\"")));
        }
    }
}

TEST_CASE("Definitions come in the catalog's order with name, description and input schema") {
    const Host host(R"({"name":"b","description":"B","inputSchema":
        {"$schema":"https://json-schema.org/draft/2020-12/schema","type":"object",
         "properties":{"q":{"$ref":"#/$defs/Q"}},"$defs":{"Q":{"type":"object",
         "additionalProperties":false}}}})"
                    "," +
                    toolJson("a"));
    const auto document = host.definitions();
    CHECK(host.names() == std::vector<std::string>{"b", "a"});
    const auto first = *document.root().items().begin();
    CHECK(first["description"].string() == "B");
    const auto schema = first["input_schema"]; // self-contained: references keep what they refer to
    CHECK_FALSE(schema["$schema"]);
    CHECK(schema["type"].string() == "object");
    CHECK(schema["$defs"]["Q"]["additionalProperties"].isFalse());
    CHECK(schema["properties"]["q"]["$ref"].string() == "#/$defs/Q");
}

TEST_CASE("Alternatives at the root become properties of it, and the tool still judges (S03)") {
    for (const auto *keyword : {"anyOf", "oneOf", "allOf"}) {
        CAPTURE(keyword);
        const Host host(concat(
            R"({"name":"t","inputSchema":{"type":"object","properties":{"q":{"type":"string"}},")",
            keyword, R"(":[{"properties":{"content":{"type":"string"}},"required":["content"]},)",
            R"({"properties":{"url":{"type":"string"}},"required":["url"]}]}})"));
        const auto tools = host.tools_->tools(Format::Anthropic);
        REQUIRE(tools.has_value());
        CHECK_THAT(*tools, Contains(R"("input_schema":{"type":"object","properties":{"q":)"));
        CHECK_THAT(*tools, Contains(R"("content":{"type":"string"},"url":{"type":"string"}})"));
        CHECK_THAT(*tools, !Contains(keyword));
        const auto message = host.execute(concat("[", use("1", "t", "{}"), "]"));
        CHECK(resultAt(message, 0)["is_error"].isTrue());
    }
}

TEST_CASE("A name one character too long for a provider leaves under an alias (N01)") {
    const std::string prefix = "observability_service_plugin_core_"; // of 34
    const auto exact = prefix + std::string(30, 'x'), over = prefix + std::string(31, 'x');
    const Host host(toolJson(exact) + "," + toolJson(over));
    for (const auto format : kFormats) {
        const auto document = host.definitions(format);
        std::vector<std::string> names;
        for (const auto tool : document.root().items()) {
            names.emplace_back(
                (format == Format::OpenAiChat ? tool["function"] : tool)["name"].string());
        }
        CHECK(names == std::vector{exact, catalog::exportedName(over)});
        CHECK(names[1].size() == 64);
    }
    // Reversible: the alias runs the tool.
    const auto message =
        host.execute(concat("[", use("1", catalog::exportedName(over), R"({"a":1})"), "]"));
    CHECK(textOf(resultAt(message, 0)) == R"({"a":1})");
}

TEST_CASE("Names that MCP does not take are refused when the catalog is read (N03)") {
    for (const auto *name : {"user-profile/update", "über", "a b", ""}) {
        const auto made = catalog::Catalog::fromJson(
            concat(R"({"id":"test","version":"1","tools":[)", toolJson(name), "]}"), Limits());
        CAPTURE(name);
        REQUIRE_FALSE(made.has_value());
        CHECK_THAT(made.error().message, Contains("A-Z a-z 0-9 _ . -"));
    }
}

TEST_CASE(
    "Every exported name is one that all providers take, and stays what it was where it can") {
    const std::string shared(70, 's');
    const Host host(toolJson("read_file") + "," + toolJson("admin.tools.list") + "," +
                    toolJson("9lives") + "," + toolJson("-dash") + "," + toolJson(shared + "_one") +
                    "," + toolJson(shared + "_two") + "," + toolJson(std::string(128, '.')));
    const auto names = host.names();
    CHECK(names[0] == "read_file");
    std::set<std::string> all;
    for (const auto &name : names) {
        CAPTURE(name);
        CHECK(catalog::isPortableName(name));
        CHECK(all.insert(name).second);
    }
}

TEST_CASE("An exported name depends on the tool's name alone, not on its neighbours") {
    const auto one = toolJson(std::string(70, 's') + "_one"),
               two = toolJson(std::string(70, 's') + "_two");
    const auto forward = Host(one + "," + two).names(), backward = Host(two + "," + one).names();
    CHECK(forward[0] == backward[1]);
    CHECK(forward[1] == backward[0]);
    // 55 characters, and the first 8 digits of the SHA-256 of "admin.tools.list".
    CHECK(Host(toolJson("admin.tools.list")).names()[0] == "admin_tools_list_ce33de31");
}

TEST_CASE("An alias that is another tool's own name is an error, never a silent winner") {
    const Host host(toolJson("admin.tools.list") + "," + toolJson("admin_tools_list_ce33de31"));
    const auto tools = host.tools_->tools(Format::Anthropic);
    REQUIRE_FALSE(tools.has_value());
    CHECK(tools.error().code == "agent.name");
    CHECK_THAT(tools.error().message, Contains("two tools would both be called") &&
                                          Contains("\"admin.tools.list\" and \"admin_tools") &&
                                          Contains("set a prefix or deny one"));
}

TEST_CASE("Calls run by the exported name or the mounted one") {
    const Host host(toolJson("admin.tools.list"));
    const auto message = host.execute(
        concat("[", use("1", host.names()[0], "{}"), ",", use("2", "admin.tools.list", "{}"), "]"));
    CHECK_FALSE(resultAt(message, 0)["is_error"]);
    CHECK_FALSE(resultAt(message, 1)["is_error"]);
}

TEST_CASE("Results come as one user message, each with its call's id, in the order of the calls") {
    std::thread late;
    const Host host(toolJson("t"), [&](const CallPtr &call) -> std::optional<HandlerOutcome> {
        if (call->arguments().find("slow") != std::string_view::npos) {
            late = std::thread([call] {
                std::this_thread::sleep_for(std::chrono::milliseconds(30));
                call->finish(Output{R"("slow")", {}, 0});
            });
            return std::nullopt;
        }
        return Output{R"("fast")", {}, 0};
    });
    const auto message =
        host.execute(concat("[", use("a", "t", R"({"slow":1})"), ",",
                            R"({"type":"text","text":"thinking"},)", use("b\\n", "t", "{}"), "]"));
    late.join();
    CHECK(message.root()["role"].string() == "user");
    REQUIRE(message.root()["content"].size() == 2);
    CHECK(resultAt(message, 0)["type"].string() == "tool_result");
    CHECK(resultAt(message, 0)["tool_use_id"].string() == "a");
    CHECK(textOf(resultAt(message, 0)) == R"("slow")");
    CHECK(resultAt(message, 1)["tool_use_id"].string() == "b\n");
    CHECK(textOf(resultAt(message, 1)) == R"("fast")");
}

TEST_CASE("No calls make an empty message") {
    const Host host(toolJson("t"));
    CHECK(host.execute("[]").root()["content"].size() == 0);
    CHECK(host.execute(R"([{"type":"text","text":"x"}])").root()["content"].size() == 0);
}

TEST_CASE("A call that cannot run is answered by a failure, and the others run") {
    const Host host(R"({"name":"find","inputSchema":{"type":"object",
        "properties":{"n":{"type":"integer"}},"required":["n"]}})");
    const auto message = host.execute(concat(
        "[", use("1", "fnid", "{}"), ",", use("2", "find", "{}"), ",", use("3", "find", "\"text\""),
        ",", use("4", "find", R"({"n":9007199254740993})"), "]"));
    REQUIRE(message.root()["content"].size() == 4);
    CHECK(resultAt(message, 0)["is_error"].isTrue());
    CHECK_THAT(textOf(resultAt(message, 0)), Contains("NOT_FOUND") && Contains("find"));
    CHECK(resultAt(message, 1)["is_error"].isTrue());
    CHECK_THAT(textOf(resultAt(message, 1)), Contains("VALIDATION_ERROR") && Contains("/n"));
    CHECK(resultAt(message, 2)["is_error"].isTrue());
    CHECK_FALSE(resultAt(message, 3)["is_error"]);
    CHECK(textOf(resultAt(message, 3)) == R"({"n":9007199254740993})");
}

TEST_CASE("Missing and null input is a call without arguments") {
    const Host host(toolJson("t"));
    const auto message = host.execute(
        concat(R"([{"type":"tool_use","id":"1","name":"t"},)", use("2", "t", "null"), "]"));
    CHECK(textOf(resultAt(message, 0)) == "{}");
    CHECK(textOf(resultAt(message, 1)) == "{}");
}

TEST_CASE("What is no list of calls is refused whole, with what was expected") {
    const Host host(toolJson("t"));
    CHECK(host.refusal("{}").code == "agent.calls");
    const auto other = host.refusal(R"([{"type":"function_call","call_id":"1","name":"t"}])");
    CHECK(other.code == "agent.calls");
    CHECK_THAT(other.message, Contains("is in OpenAI's form; expected tool_use blocks"));
    CHECK_THAT(host.refusal("{}").message,
               Contains("\"calls\" is object; expected an array of tool_use blocks"));
    for (const auto *call : {R"([{"type":"tool_use","name":"t","input":{}}])",
                             R"([{"type":"tool_use","id":"1","input":{}}])",
                             R"([{"type":"tool_use","id":1,"name":"t"}])"}) {
        CHECK_THAT(host.refusal(call).message, Contains("has no \"id\" or no \"name\"; expected"));
    }
    const auto missing = host.tools_->execute(Format::Anthropic, json::Value());
    REQUIRE_FALSE(missing.has_value());
    CHECK_THAT(missing.error().message, Contains("\"calls\" is missing"));
}

TEST_CASE("Content blocks become the provider's: text and images, others told in words") {
    const Host host(toolJson("t"), [](const CallPtr &) -> std::optional<HandlerOutcome> {
        ContentBlock text, image, link;
        text.text = "hello";
        image.type = ContentBlock::Type::Image;
        image.data = "foo";
        image.mimeType = "image/png";
        link.type = ContentBlock::Type::Link;
        link.uri = "file:///r";
        link.name = "Report";
        return Output{R"({"n":1})", {text, image, link}, 0};
    });
    const auto message = host.execute(concat("[", use("1", "t", "{}"), "]"));
    const auto content = resultAt(message, 0)["content"];
    REQUIRE(content.size() == 4);
    CHECK_THAT(std::string(content.raw()),
               Contains(R"({"type":"text","text":"{\"n\":1}"},{"type":"text","text":"hello"},)"
                        R"({"type":"image","source":{"type":"base64","media_type":"image/png",)"
                        R"("data":"Zm9v"}})") &&
                   Contains("Report") && Contains("file:///r"));
}

TEST_CASE("Two hundred calls at once all come back, each in its place") {
    const Host host(toolJson("t", R"(,"execution":{"blocking":true})"));
    std::string calls = "[";
    for (int i = 0; i < 200; ++i) {
        calls += use(concat(i), "t", concat(R"({"i":)", i, "}")) + (i < 199 ? "," : "]");
    }
    const auto message = host.execute(calls);
    std::size_t i = 0;
    for (const auto result : message.root()["content"].items()) {
        CHECK(result["tool_use_id"].string() == concat(i));
        CHECK(textOf(result) == concat(R"({"i":)", i++, "}"));
    }
    CHECK(i == 200);
}
