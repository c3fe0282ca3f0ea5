// SPDX-License-Identifier: Apache-2.0
#include "frontends/cli/cli.h"
#include "runner/errors.h"
#include "support/text.h"
#include "testing.h"

using Catch::Matchers::Contains;
using namespace tenon;
using namespace tenon::cli;

namespace {

std::shared_ptr<const catalog::MountedCatalog> mounted(const std::string &tools) {
    return tenon::testing::mountedOf(
        tools, std::make_shared<tenon::testing::FunctionHandler>(
                   [](const CallPtr &) { return std::optional<HandlerOutcome>(Output{}); }));
}

const std::string kTools = R"(
    {"name":"read_file","description":"Reads a file.\nSecond line","inputSchema":{"type":"object",
     "properties":{"path":{"type":"string","description":"Where it is"},
                   "limit":{"type":["integer","null"],"default":5},
                   "mode":{"enum":["text","raw"]}},"required":["path"]},
     "examples":[{"arguments":{"path":"it's"}}]},
    {"name":"list","description":"Lists a folder","inputSchema":{"type":"object"}})";

PreparedCall prepared(const std::string &tool, const std::vector<std::string> &words) {
    return prepareCall(*mounted(kTools), tool, words, [](std::string_view) -> Result<std::string> {
        return Error{"cli.file", "nothing to read"};
    });
}

} // namespace

TEST_CASE("The list has a line for each tool, its name and the first line of what it does") {
    CHECK(listTools(*mounted(kTools), "", ListForm::Lines).out == "read_file  Reads a file.\n"
                                                                  "list       Lists a folder\n");
    CHECK(listTools(*mounted(kTools), "folder", ListForm::Lines).out ==
          "list       Lists a folder\n");
    CHECK(listTools(*mounted(kTools), "no such words", ListForm::Lines).out.empty());
    CHECK(listTools(*mounted(kTools), "", ListForm::Lines).exitCode == 0);
}

TEST_CASE("The list shows the name that models see where a provider would refuse the tool's own") {
    const auto out =
        listTools(*mounted(R"({"name":"a.b","description":"D","inputSchema":{"type":"object"}})"),
                  "", ListForm::Lines)
            .out;
    CHECK(out == concat("a.b  D (to models: ", catalog::exportedName("a.b"), ")\n"));
}

TEST_CASE("Sizes are the schema bytes of each tool, largest first, and their sum") {
    const auto catalog = mounted(kTools);
    const auto bytes = [&](std::string_view name) {
        return catalog->find(name)->tool->schemaBytes;
    };
    const auto out = listTools(*catalog, "", ListForm::Sizes).out;
    CHECK(out == concat("      ", bytes("read_file"), "  read_file\n       ", bytes("list"),
                        "  list\n      ", bytes("read_file") + bytes("list"),
                        "  bytes in 2 tools\n"));
    CHECK(listTools(*catalog, "nothing", ListForm::Sizes).out == "        0  bytes in 0 tools\n");
}

TEST_CASE("A description cannot put control characters on the terminal") {
    const auto out = listTools(*mounted(R"({"name":"t","description":"a\u001b[31mb\u202ec",
                                            "inputSchema":{"type":"object"}})"),
                               "", ListForm::Lines)
                         .out;
    CHECK(out == "t  a\\u001b[31mb\\u202ec\n");
}

TEST_CASE("As JSON the list is one array of definitions, filtered the same") {
    const auto printed = listTools(*mounted(kTools), "folder", ListForm::Json);
    json::Document document;
    REQUIRE(document.readView(printed.out).has_value());
    REQUIRE(document.root().size() == 1);
    const auto tool = *document.root().items().begin();
    CHECK(tool["name"].string() == "list");
    CHECK(tool["description"].string() == "Lists a folder");
    CHECK(tool["plugin"].string() == "test");
    CHECK(tool["inputSchema"].raw() == R"({"type":"object"})");
    CHECK(listTools(*mounted(kTools), "nothing", ListForm::Json).out == "[]\n");
}

TEST_CASE("A call is prepared as its arguments in JSON") {
    const auto call = prepared("read_file", {"--path", "a b", "--limit", "3"});
    CHECK_FALSE(call.instead);
    CHECK(call.arguments.root().raw() == R"({"path":"a b","limit":3})");
}

TEST_CASE("A word that is not UTF-8 and a usage error end with the usage exit code, on stderr") {
    for (const auto &words :
         {std::vector<std::string>{"--path", "caf\xE9"}, std::vector<std::string>{"--path"},
          std::vector<std::string>{"--args", "[1]"},
          std::vector<std::string>{"a", "1", "raw", "too many"}}) {
        const auto call = prepared("read_file", words);
        REQUIRE(call.instead);
        CHECK(call.instead->exitCode == kExitUsage);
        CHECK(call.instead->out.empty());
        CHECK_THAT(call.instead->err,
                   Catch::Matchers::StartsWith("tenon: ") && Catch::Matchers::EndsWith("\n"));
    }
    CHECK_THAT(prepared("read_file", {"--path", "caf\xE9"}).instead->err, Contains("not UTF-8"));
}

TEST_CASE("An unknown tool is left to the runner, which knows the nearest") {
    const auto call = prepared("raed_file", {"--help"});
    CHECK_FALSE(call.instead);
}

TEST_CASE("--help shows the tool, but not where it is a value") {
    const auto help = prepared("read_file", {"--path", "x", "--help"});
    REQUIRE(help.instead);
    CHECK(help.instead->exitCode == 0);
    CHECK_THAT(help.instead->out, Contains("read_file: Reads a file."));
    const auto value = prepared("read_file", {"--", "--help"});
    CHECK_FALSE(value.instead);
    CHECK(value.arguments.root().raw() == R"({"path":"--help"})");
    CHECK(prepared("read_file", {"--path=--help"}).arguments.root()["path"].string() == "--help");
}

TEST_CASE(
    "Help shows fields, types, what is required, defaults, enums and an example that pastes") {
    const auto catalog = mounted(kTools);
    CHECK(helpOf(*catalog->find("read_file")) == "read_file: Reads a file.\\u000aSecond line\n\n"
                                                 "  --path string (required)\n"
                                                 "      Where it is\n"
                                                 "  --limit integer|null default 5\n"
                                                 "  --mode JSON enum [\"text\",\"raw\"]\n"
                                                 "\nExample: --args '{\"path\":\"it'\\''s\"}'\n");
}

TEST_CASE("Help is safe to show, whatever a schema says") {
    const auto catalog = mounted(R"({"name":"t","description":"d","inputSchema":{"type":"object",
        "properties":{"\u001b[31m":{"type":"string","default":"\u202e","description":"\u0007"}}},
        "examples":[{"arguments":{"k":")"
                                 "\xE2\x80\xAE"
                                 R"("}}]})");
    const auto help = helpOf(*catalog->find("t"));
    CHECK(help.find('\x1B') == help.npos);
    CHECK(help.find('\a') == help.npos);
    CHECK(help.find("\xE2\x80\xAE") == help.npos);
}

TEST_CASE("A result's data is printed on one line, or over several for people") {
    const ToolResult result = Output{R"({"id":9007199254740993, "x":[1.50]})", {}, 0};
    const auto line = printResult(result, "", Layout::Line);
    CHECK(line.out == "{\"id\":9007199254740993,\"x\":[1.50]}\n");
    CHECK(line.err.empty());
    CHECK(line.exitCode == 0);
    CHECK(printResult(result, "", Layout::Pretty).out ==
          "{\n  \"id\": 9007199254740993,\n  \"x\": [\n    1.50\n  ]\n}\n");
}

TEST_CASE("Text alone is printed as it is, other blocks as JSON") {
    ContentBlock text;
    text.text = "one";
    ContentBlock image;
    image.type = ContentBlock::Type::Image;
    image.data = "foo";
    image.mimeType = "image/png";
    CHECK(printResult(Output{"", {text, text}, 0}, "", Layout::Line).out == "one\none\n");
    CHECK(printResult(Output{"", {text, image}, 0}, "", Layout::Line).out ==
          R"([{"type":"text","text":"one"},{"type":"image","mimeType":"image/png","data":"Zm9v"}])"
          "\n");
    CHECK(printResult(Output{}, "", Layout::Line).out == "\n");
}

TEST_CASE("A failure goes to stderr with the exit code of its code") {
    const std::pair<std::string_view, int> codes[] = {
        {"VALIDATION_ERROR", 8},   {"NOT_FOUND", 4},
        {"FORBIDDEN", 3},          {"TIMEOUT", 7},
        {"CANCELLED", 130},        {"CONFLICT", 5},
        {"RATE_LIMITED", 6},       {"PLUGIN_CRASHED", 10},
        {"OVERLOADED", 11},        {"INTERNAL_SERVER_ERROR", 1},
        {"MADE_UP_BY_A_PLUGIN", 1}};
    for (const auto &[code, exitCode] : codes) {
        CAPTURE(code);
        const auto printed =
            printResult(AppError{std::string(code), "m"}, R"({"error":"X"})", Layout::Line);
        CHECK(printed.out.empty());
        CHECK(printed.err == "{\"error\":\"X\"}\n");
        CHECK(printed.exitCode == exitCode);
    }
}

TEST_CASE("A tool that asks for input is told that a pipe cannot give it") {
    const auto failure = toolResultFromError(inputRequiredError(InputRequired{}), true);
    const auto printed = printResult(InputRequired{}, failure, Layout::Line);
    CHECK(printed.out.empty());
    CHECK_THAT(printed.err, Contains("\"error\":\"INPUT_REQUIRED\""));
    CHECK(printed.exitCode == 5);
}
