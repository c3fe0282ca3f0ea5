// SPDX-License-Identifier: Apache-2.0
#include "catalog/catalog.h"
#include "support/text.h"

#include <catch2/catch.hpp>

using Catch::Matchers::Contains;
using tenon::concat;
using tenon::Limits;
using tenon::catalog::Catalog;
using tenon::catalog::isPortableName;
using tenon::catalog::isToolName;
using tenon::catalog::Tool;

namespace {

using CatalogPtr = std::shared_ptr<const Catalog>;

std::string withTools(std::string_view tools) {
    return concat(R"({"id":"p","version":"1.0.0","tools":[)", tools, "]}");
}

// A tool with these further members (",..." or "").
std::string tool(std::string_view name, std::string_view more = "") {
    return concat(R"({"name":")", name, R"(","inputSchema":{"type":"object"})", more, "}");
}

CatalogPtr read(std::string_view json, const Limits &limits = {}) {
    const auto made = Catalog::fromJson(json, limits);
    INFO((made ? "" : made.error().message));
    REQUIRE(made.has_value());
    return *made;
}

std::string refusal(std::string_view json, const Limits &limits = {}) {
    const auto made = Catalog::fromJson(json, limits);
    return made ? "" : made.error().message;
}

} // namespace

TEST_CASE("A tool name is 1 to 128 of letters, digits, _ . -") {
    for (const std::string &good : {std::string("a"), std::string("admin.tools.list"),
                                    std::string("9"), std::string("-._"), std::string(128, 'x')}) {
        CAPTURE(good);
        CHECK(isToolName(good));
    }
    for (const std::string &bad : {std::string(), std::string("user/update"), std::string("a b"),
                                   std::string("\xC3\xBC\x62\x65r"), std::string("a\n"),
                                   std::string(1, '\0'), std::string(129, 'x')}) {
        CAPTURE(bad);
        CHECK_FALSE(isToolName(bad));
    }
}

TEST_CASE("A portable name fits every provider as it is") {
    CHECK(isPortableName("read_file"));
    CHECK(isPortableName("_a-9"));
    CHECK(isPortableName(std::string(64, 'x')));
    for (const std::string &bad : {std::string(65, 'x'), std::string("a.b"), std::string("9a"),
                                   std::string("-a"), std::string()}) {
        CAPTURE(bad);
        CHECK_FALSE(isPortableName(bad));
    }
}

TEST_CASE("A whole catalog is read, in declaration order") {
    const auto catalog = read(R"({"id":"acme.tools","version":"2.1.0","description":"D","tools":[
        {"name":"z","title":"Zed","description":"Does z",
         "inputSchema":{"type":"object","properties":{"n":{"type":"integer"}}},
         "outputSchema":{"type":"object"},"annotations":{"readOnlyHint":true},
         "icons":[{"src":"data:,"}],"_meta":{"k":1},
         "examples":[{"arguments":{"n":1}}],
         "execution":{"concurrency":"serial","blocking":false,"timeoutMs":1500}},
        {"name":"a","inputSchema":{"type":"object"}}]})");
    CHECK(catalog->id() == "acme.tools");
    CHECK(catalog->version() == "2.1.0");
    CHECK(catalog->description() == "D");
    REQUIRE(catalog->tools().size() == 2);
    const Tool &z = catalog->tools()[0];
    CHECK(z.name == "z");
    CHECK(z.title == "Zed");
    CHECK(z.description == "Does z");
    CHECK(z.inputSchemaJson == R"({"type":"object","properties":{"n":{"type":"integer"}}})");
    CHECK(z.annotationsJson == R"({"readOnlyHint":true})");
    CHECK(z.iconsJson == R"([{"src":"data:,"}])");
    CHECK(z.metaJson == R"({"k":1})");
    CHECK(z.exampleArguments == std::vector<std::string>{R"({"n":1})"});
    CHECK(z.execution.concurrency == tenon::catalog::Concurrency::Serial);
    CHECK_FALSE(z.execution.blocking);
    CHECK(z.execution.timeoutMs == 1500U);
    CHECK(z.input != nullptr);
    CHECK(z.output != nullptr);
    const Tool &a = catalog->tools()[1];
    CHECK(a.name == "a");
    CHECK(a.execution.blocking);
    CHECK_FALSE(a.execution.timeoutMs);
    CHECK(a.output == nullptr);
}

TEST_CASE("Schemas over several lines come out on one, with the author's numbers and order") {
    const auto catalog =
        read(withTools("{\"name\":\"t\",\"inputSchema\":{ \"type\" : \"object\",\r\n"
                       "  \"maxProperties\": 1e1 }}"));
    CHECK(catalog->tools()[0].inputSchemaJson == R"({"type":"object","maxProperties":1e1})");
}

TEST_CASE("A tool is safe to repeat when it is read-only, idempotent, or says so") {
    const std::pair<std::string_view, bool> cases[] = {
        {"", false},
        {R"(,"annotations":{"readOnlyHint":true})", true},
        {R"(,"annotations":{"idempotentHint":true})", true},
        {R"(,"annotations":{"readOnlyHint":false})", false},
        {R"(,"execution":{"idempotent":true})", true},
        {R"(,"annotations":{"readOnlyHint":true},"execution":{"idempotent":false})", false}};
    for (const auto &[more, expected] : cases) {
        CAPTURE(more);
        CHECK(read(withTools(tool("t", more)))->tools()[0].safeToRepeat() == expected);
    }
}

TEST_CASE("Every problem is reported at once, each with its tool") {
    const auto message = refusal(R"({"id":"bad id","tools":[
        {"name":"a b","inputSchema":{"type":"object"}},
        {"name":"t","inputSchema":{"type":"string"}},
        {"name":"u"},
        {"name":"v","inputSchema":{"type":"object","properties":{"x":{"type":"int"}}}},
        5]})");
    CHECK_THAT(message, Contains("\"id\" is \"bad id\"; expected 1 to 128 of A-Z a-z 0-9 _ . -"));
    CHECK_THAT(message, Contains("\"version\" is missing; expected the plugin's version"));
    CHECK_THAT(message,
               Contains("tools[0]: \"name\" is \"a b\"; expected a string of 1 to 128 of"));
    CHECK_THAT(message,
               Contains("tool \"t\": \"inputSchema\" is {\"type\":\"string\"}; expected an "
                        "object schema: {\"type\":\"object\", ...}"));
    CHECK_THAT(message, Contains("tool \"u\": \"inputSchema\" is missing"));
    CHECK_THAT(message, Contains("tool \"v\": \"inputSchema\": in the schema {\"type\":\"int\"}"));
    CHECK_THAT(message, Contains("tools[4] is number; expected an object"));
}

TEST_CASE("More than fifty problems are counted, not shown") {
    std::string tools;
    for (int i = 0; i < 60; ++i) {
        tools += concat(i ? "," : "", R"({"name":"t)", i, "\"}");
    }
    const auto message = refusal(withTools(tools));
    CHECK_THAT(message, Contains("and 10 more"));
    CHECK_THAT(message, Contains("t49") && !Contains("t50"));
}

TEST_CASE("Members of the wrong kind are named with what they are") {
    const std::pair<std::string_view, std::string_view> cases[] = {
        {R"(,"title":5)", "\"title\" is number; expected a string"},
        {R"(,"description":null)", "\"description\" is null; expected a string"},
        {R"(,"annotations":[])", "\"annotations\" is array; expected object"},
        {R"(,"annotations":{"readOnlyHint":"yes"})",
         "\"readOnlyHint\" is \"yes\"; expected true or"},
        {R"(,"icons":{})", "\"icons\" is object; expected array"},
        {R"(,"_meta":"x")", "\"_meta\" is string; expected object"},
        {R"(,"execution":[])", "\"execution\" is array; expected an object"},
        {R"(,"execution":{"concurrency":"one"})", "expected \"serial\" or \"parallel\""},
        {R"(,"execution":{"blocking":1})", "\"blocking\" is 1; expected true or false"},
        {R"(,"execution":{"timeoutMs":0})", "expected whole milliseconds from 1 to 86400000"},
        {R"(,"execution":{"timeoutMs":86400001})",
         "expected whole milliseconds from 1 to 86400000"},
        {R"(,"execution":{"timeoutMs":1.5})", "execution.timeoutMs is 1.5"},
        {R"(,"outputSchema":5)", "\"outputSchema\": in the schema 5: expected an object, true or"},
        {R"(,"examples":{})", "\"examples\" is object; expected an array"},
        {R"(,"examples":[{}])", "examples[0] has no \"arguments\"; expected an object"}};
    for (const auto &[more, expected] : cases) {
        CAPTURE(more);
        CHECK_THAT(refusal(withTools(tool("t", more))),
                   Contains(concat("tool \"t\": ", expected)) || Contains(std::string(expected)));
        CHECK_THAT(refusal(withTools(tool("t", more))), Contains("tool \"t\": "));
    }
    CHECK_THAT(refusal("[]"), Contains("the catalog is array; expected an object"));
    CHECK_THAT(refusal(R"({"id":"p","version":"1","tools":{}})"),
               Contains("\"tools\" is object; expected an array"));
}

TEST_CASE("An example that its own schema refuses is a problem of the catalog") {
    CHECK_THAT(
        refusal(withTools(R"({"name":"t","inputSchema":{"type":"object",
                   "properties":{"n":{"type":"integer"}}},
                   "examples":[{"arguments":{"n":1}},{"arguments":{"n":"x"}}]})")),
        Contains("tool \"t\": examples[1]: /n: expected an integer, found the string \"x\""));
}

TEST_CASE("Names that differ by letter case alone are refused") {
    CHECK_THAT(refusal(withTools(tool("read") + "," + tool("Read"))),
               Contains("the names \"read\" and \"Read\" are equal but for letter case"));
    CHECK_FALSE(refusal(withTools(tool("read") + "," + tool("read"))).empty());
    CHECK(refusal(withTools(tool("read") + "," + tool("read_"))).empty());
}

TEST_CASE("A catalog that is not strict JSON is refused with its place") {
    CHECK_THAT(refusal("{\"id\":\"p\",\n \"id\":\"q\"}"),
               Contains("the catalog is not strict JSON: line 2, column ") &&
                   Contains("the key \"id\" stands twice in one object"));
    CHECK_THAT(refusal(R"({"id":"p","version":"1","tools":[{"name":"t","name":"u"}]})"),
               Contains("the key \"name\" stands twice"));
    CHECK_FALSE(refusal("").empty());
    CHECK_FALSE(refusal("{\"id\":\"\xFF\"}").empty());
    CHECK_FALSE(refusal(std::string(100'000, '[')).empty());
}

TEST_CASE("The digest is of the canonical bytes") {
    const auto one = read(R"({"id":"p","version":"1","tools":[]})");
    const auto same = read("{ \"tools\" : [ ],\n\"version\":\"\\u0031\",\"id\":\"p\" }");
    const auto other = read(R"({"id":"p","version":"2","tools":[]})");
    CHECK(one->digest() == "41a543557e905ec73191d9eac488f12023221c84668a3d18f10b3e1d2c680886");
    CHECK(one->digest() == same->digest());
    CHECK(one->digest() != other->digest());
}

TEST_CASE("What this host does not serve is noted, empty lists aside") {
    const auto catalog = read(R"({"$schema":"x","id":"p","version":"1","tools":[],"prompts":[],
                                  "resources":[{"uri":"x:y"}]})");
    CHECK(catalog->notes() == std::vector<std::string>{"\"resources\" is not served by this host"});
}

TEST_CASE("Schema bytes are those of the canonical name, description and input schema") {
    const auto catalog = read(withTools(R"({"name":"t","description":"d","title":"not counted",
        "inputSchema": {  "type":"object" , "a":1.0 }})"));
    CHECK(
        catalog->tools()[0].schemaBytes ==
        std::string_view(R"({"description":"d","inputSchema":{"a":1,"type":"object"},"name":"t"})")
            .size());
}

TEST_CASE("A tool of exactly the schema bytes is taken and one byte more is refused by the limit") {
    const std::string_view measured =
        R"({"description":"","inputSchema":{"type":"object"},"name":"t"})";
    Limits limits;
    limits.schemaBytesPerToolMax = measured.size() + 3;
    CHECK(refusal(withTools(tool("t", R"(,"description":"123")")), limits).empty());
    CHECK_THAT(refusal(withTools(tool("t", R"(,"description":"1234")")), limits),
               Contains(concat("tool \"t\": \"inputSchema\" has ", measured.size() + 4,
                               " canonical bytes with name and description; the limit is ",
                               measured.size() + 3, " (limits.schemaBytesPerTool)")));
    // White space is not counted.
    CHECK(refusal(withTools("{\"name\":\"t\",\"inputSchema\":{\"type\":  \n\n\n\n  \"object\"}}"),
                  limits)
              .empty());
    const std::string output(
        limits.schemaBytesPerToolMax - std::string_view(R"({"title":""})").size(), 'x');
    CHECK(refusal(withTools(tool("t", concat(R"(,"outputSchema":{"title":")", output, "\"}"))),
                  limits)
              .empty());
    CHECK_THAT(
        refusal(withTools(tool("t", concat(R"(,"outputSchema":{"title":"x)", output, "\"}"))),
                limits),
        Contains("\"outputSchema\" has ") && Contains("limits.schemaBytesPerTool"));
}

TEST_CASE("Each ceiling of a catalog holds at its limit and names itself one above") {
    Limits limits;
    limits.toolsMax = 2;
    CHECK(refusal(withTools(tool("a") + "," + tool("b")), limits).empty());
    CHECK_THAT(refusal(withTools(tool("a") + "," + tool("b") + "," + tool("c")), limits),
               Contains("there are 3 tools; the limit is 2 (limits.tools)"));

    limits = {};
    limits.schemaBytesMax =
        2 *
        std::string_view(R"({"description":"","inputSchema":{"type":"object"},"name":"a"})").size();
    CHECK(refusal(withTools(tool("a") + "," + tool("b")), limits).empty());
    CHECK_THAT(refusal(withTools(tool("a") + "," + tool("bb")), limits),
               Contains("the limit is") && Contains("(limits.schemaBytes)"));

    limits = {};
    limits.titleBytesMax = limits.descriptionBytesMax = 4;
    CHECK(refusal(withTools(tool("a", R"(,"title":"1234","description":"1234")")), limits).empty());
    CHECK_THAT(refusal(withTools(tool("a", R"(,"title":"12345")")), limits),
               Contains("\"title\" has 5 bytes; the limit is 4 (limits.titleBytes)"));
    CHECK_THAT(refusal(withTools(tool("a", R"(,"description":"12345")")), limits),
               Contains("\"description\" has 5 bytes; the limit is 4 (limits.descriptionBytes)"));

    const std::string text = withTools(tool("a"));
    limits = {};
    limits.catalogBytesMax = text.size();
    CHECK(refusal(text, limits).empty());
    CHECK_THAT(refusal(text + " ", limits),
               Contains(concat("the catalog has ", text.size() + 1, " bytes; the limit is ",
                               text.size(), " (limits.catalogBytes)")));

    limits = {};
    limits.iconBytesMax = 12;
    CHECK(refusal(withTools(tool("a", R"(,"icons":["12345678"])")), limits).empty());
    CHECK_THAT(refusal(withTools(tool("a", R"(,"icons":["123456789"])")), limits),
               Contains("\"icons\" has 13 bytes; the limit is 12 (limits.iconBytes)"));
}

TEST_CASE("A catalog may refuse unknown keys of arguments, and never of results") {
    const auto issues = [](std::string_view more) {
        const auto catalog =
            read(concat(R"({"id":"p","version":"1",)", more, R"("tools":[{"name":"t",
            "inputSchema":{"type":"object","properties":{"a":{}}},
            "outputSchema":{"type":"object","properties":{"a":{}}}}]})"));
        tenon::json::Document value;
        REQUIRE(value.readView(R"({"b":1})").has_value());
        CHECK(catalog->tools()[0].output->validate(value.root()).empty());
        return catalog->tools()[0].input->validate(value.root()).size();
    };
    CHECK(issues("") == 0);
    CHECK(issues(R"("unknownKeys":"allow",)") == 0);
    CHECK(issues(R"("unknownKeys":"refuse",)") == 1);
    CHECK_THAT(refusal(R"({"id":"p","version":"1","unknownKeys":true,"tools":[]})"),
               Contains("\"unknownKeys\" is true; expected \"allow\" or \"refuse\""));
}

TEST_CASE("A default that its own schema refuses is noted") {
    const auto catalog = read(withTools(
        R"({"name":"t","inputSchema":{"type":"object","properties":{"a":{"type":"string",
         "default":null}}}})"));
    REQUIRE(catalog->notes().size() == 1);
    CHECK_THAT(catalog->notes()[0],
               Contains("tool \"t\": \"inputSchema\": the default null of \"a\" is refused"));
}

TEST_CASE("Ten thousand tools are read in bounded time, and a name repeated among them is found") {
    std::string tools;
    for (int i = 0; i < 9'999; ++i) {
        tools += tool(concat("tool_", i)) + ",";
    }
    CHECK(read(withTools(tools + tool("last")))->tools().size() == 10'000);
    CHECK_THAT(refusal(withTools(tools + tool("Tool_77"))),
               Contains("\"tool_77\" and \"Tool_77\""));
}

TEST_CASE("A member of a tool that no host reads is noted with the names that there are") {
    const auto catalog = read(withTools(tool("t", R"(,"anotations":{"readOnlyHint":true})")));
    REQUIRE(catalog->notes().size() == 1);
    CHECK_THAT(catalog->notes()[0], Contains("tool \"t\": the key \"anotations\" is not known") &&
                                        Contains("annotations"));
}
