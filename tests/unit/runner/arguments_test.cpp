// SPDX-License-Identifier: Apache-2.0
// What models really send, through the whole call: what the handler gets, or what the caller is
// told. Ids such as S05 are those of the failures that each test keeps away.
#include "testing.h"

#include "support/text.h"

using namespace tenon;
using namespace tenon::testing;

namespace {

struct Heard {
    bool ran = false;
    std::string arguments; // what the handler got
    std::string failure;   // what the caller is told, as JSON
};

Heard callWith(std::string_view schema, std::string_view text) {
    Heard heard;
    Log log(LogLevel::Off);
    ToolRunnerOptions options;
    options.catalog =
        mountedOf(concat(R"({"name":"t","description":"d","inputSchema":)", schema, "}"),
                  std::make_shared<FunctionHandler>([&](const CallPtr &call) {
                      heard.ran = true;
                      heard.arguments = call->arguments();
                      return Output{"", {}};
                  }));
    options.log = &log;
    ToolRunner runner(std::move(options));
    json::Document arguments;
    REQUIRE(arguments.readView(text).has_value());
    ToolCall call;
    call.toolName = "t";
    call.arguments = arguments.root();
    heard.failure = runner.runBlocking(call).failureJson;
    CHECK(heard.ran == heard.failure.empty());
    return heard;
}

// That the handler gets the very same bytes.
void passes(std::string_view schema, std::string_view text) {
    CAPTURE(std::string(text));
    CHECK(callWith(schema, text).arguments == text);
}

} // namespace

TEST_CASE("an object that was sent as a string arrives as the object that it holds (S05)") {
    const auto *schema = R"({"type":"object","properties":{"user":{"type":"object","properties":
        {"name":{"type":"string"},"age":{"type":"integer"}}}}})";
    CHECK(callWith(schema, R"({"user":"{\"name\":\"A\",\"age\":5}"})").arguments ==
          R"({"user":{"name":"A","age":5}})");
    const auto broken = callWith(schema, R"({"user":"{broken"})").failure;
    has(broken, "VALIDATION_ERROR");
    has(broken, R"("path":"/user")");
    has(broken, R"("expected":"an object")");
    has(broken, R"(the string \"{broken\")"); // the text as it came
}

TEST_CASE("a string that looks like JSON stays a string where strings are taken (S07)") {
    const auto *schema = R"({"type":"object","properties":{"path":{"type":"string"},
                             "content":{"type":"string"}}})";
    for (const auto *content : {R"("{\"a\":1}")", R"("5")", R"("true")", R"("")", R"("null")"}) {
        passes(schema, concat(R"({"path":"a.json","content":)", content, "}"));
    }
}

TEST_CASE("numbers are judged by their digits (S09, S11)") {
    const auto *bounds =
        R"({"type":"object","properties":{"n":{"type":"integer","maximum":1e+32,"minimum":0.5}}})";
    has(callWith(bounds, R"({"n":0})").failure, "a number of at least 0.5");
    passes(bounds, R"({"n":1})");
    passes(bounds, R"({"n":9223372036854775807})");
    const auto *cents =
        R"({"type":"object","properties":{"n":{"type":"number","multipleOf":0.01}}})";
    passes(cents, R"({"n":0.29})");
    has(callWith(cents, R"({"n":0.295})").failure, "a multiple of 0.01");
    passes(R"({"type":"object"})", R"({"id":9007199254740993,"d":1.10,"e":1E400})");
}

TEST_CASE("an escaped surrogate pair is one character, written either way (S13)") {
    const auto *schema = R"({"type":"object","properties":{"c":{"type":"string","maxLength":1}}})";
    passes(schema, R"({"c":"\ud83c\udf78"})");
    passes(schema, "{\"c\":\"\xF0\x9F\x8D\xB8\"}");
}

TEST_CASE("a misspelled key is named with the one that was meant, and nothing runs (S19, S21)") {
    const auto *closed =
        R"({"type":"object","properties":{"maxDepth":{"type":"integer","default":3}},
                             "additionalProperties":false})";
    const auto unknown = callWith(closed, R"({"max_depth":1})").failure;
    has(unknown, "the unknown key max_depth");
    has(unknown, "only the keys maxDepth (did you mean maxDepth?)");
    has(callWith(closed, R"({"depth":1})").failure, "only the keys maxDepth");

    const auto *nested =
        R"({"type":"object","properties":{"current":{},"items":{"type":"array","items":
        {"type":"object","properties":{"name":{}},"additionalProperties":false}}},
        "required":["current"],"additionalProperties":false})";
    const auto both = callWith(nested, R"({"curent":"x","items":[{"pattern":1}]})").failure;
    has(both, R"("path":"/current")"); // missing
    has(both, "the unknown key curent");
    has(both, R"("path":"/items/0/pattern")");
}

TEST_CASE("null for an optional key is taken as no value, and passed where it is one (S25)") {
    const auto *schema = R"({"type":"object","properties":{"query":{"type":"string"},
        "since":{"type":"string"},"cursor":{"type":["string","null"]}},"required":["query"]})";
    CHECK(callWith(schema, R"({"query":"a","since":null})").arguments == R"({"query":"a"})");
    passes(schema, R"({"query":"a","cursor":null})");
    has(callWith(schema, R"({"query":null})").failure, "expected a string, found null");
}

TEST_CASE("a default fills an absent key and never stands for what was given (S27)") {
    const auto *schema = R"({"type":"object","properties":{"q":{"type":"string"},
        "page":{"type":"number","default":10},
        "cursor":{"anyOf":[{"type":"string"},{"type":"null"}],"default":null}},"required":["q"]})";
    CHECK(callWith(schema, R"({"q":"a"})").arguments == R"({"q":"a","page":10,"cursor":null})");
    passes(schema, R"({"q":"a","page":0,"cursor":null})");
    passes(schema, R"({"q":"","page":0.0,"cursor":""})");
}

TEST_CASE("a choice at the root is refused with both ways to mend it (S03)") {
    const auto *schema = R"({"type":"object","anyOf":[
        {"properties":{"content":{"type":"string"}},"required":["content"]},
        {"properties":{"source_url":{"type":"string"}},"required":["source_url"]}]})";
    const auto empty = callWith(schema, "{}").failure;
    has(empty, "/content: a value: this key is required");
    has(empty, "/source_url: a value: this key is required");
    passes(schema, R"({"source_url":"x:y"})");
}

TEST_CASE("arguments of any depth that a message may have are checked to their bottom (S17)") {
    const auto *schema = R"({"type":"object","properties":{"nodes":{"type":"array","items":
        {"type":"object","properties":{"v":{"type":"string"},
         "kids":{"type":"array","items":{"$ref":"#/properties/nodes/items"}}}}}}})";
    std::string text = R"({"nodes":[)", end;
    for (int i = 0; i < 29; ++i) {
        text += R"({"kids":[)";
        end += "]}";
    }
    passes(schema, concat(text, R"({"v":"x"})", end, "]}"));
    has(callWith(schema, concat(text, R"({"v":{}})", end, "]}")).failure,
        "/kids/0/v: expected a string, found an object");
}
