// SPDX-License-Identifier: Apache-2.0
// What is mended in a model's arguments, and above all what is not.
#include "schema/schema.h"
#include "support/text.h"

#include <catch2/catch.hpp>

#include <chrono>

using Catch::Matchers::Contains;
using tenon::concat;
using tenon::Limits;
using tenon::json::Document;
using tenon::schema::Options;
using tenon::schema::Schema;
using tenon::schema::UnknownKeys;

namespace {

std::shared_ptr<const Schema> schemaOf(std::string_view text, const Options &options = {}) {
    Document document;
    REQUIRE(document.readView(text).has_value());
    auto compiled = Schema::compile(document.root(), Limits(), options);
    INFO((compiled ? "" : compiled.error().message));
    REQUIRE(compiled.has_value());
    return *compiled;
}

struct Outcome {
    std::string text;    // what the plugin gets
    bool same;           // the caller's own bytes
    std::string changes; // one a line
    std::string issues;  // one a line
};

Outcome prepared(std::string_view schema, std::string_view value, const Options &options = {}) {
    Document document;
    REQUIRE(document.readView(value).has_value());
    const auto done = schemaOf(schema, options)->prepare(document.root());
    Outcome out{std::string(done.document.empty() ? value : done.document.text()),
                done.document.empty(), "", ""};
    for (const auto &change : done.changes) {
        out.changes += concat(change.path, ": ", change.what, "\n");
    }
    for (const auto &issue : done.issues) {
        out.issues += concat(issue.sentence(), "\n");
    }
    return out;
}

// The value after it was mended; fails when it is still refused.
std::string mended(std::string_view schema, std::string_view value) {
    const auto out = prepared(schema, value);
    CHECK(out.issues == "");
    CHECK(out.changes.empty() == out.same);
    return out.text;
}

// That nothing is mended and the value is refused; gives the issues.
std::string refused(std::string_view schema, std::string_view value) {
    const auto out = prepared(schema, value);
    CHECK(out.same);
    CHECK(out.issues != "");
    return out.issues;
}

} // namespace

TEST_CASE("A valid value keeps its own bytes, whatever they look like") {
    const auto *schema = R"({"properties":{"content":{"type":"string"},"n":{"type":"number"}}})";
    for (const auto *value :
         {R"({"content":"{\"a\":1}"})", R"({"content":"5"})", R"({"content":"true"})",
          R"({"content":""})", R"({"content":"null"})", R"({"content":"[1]"})",
          R"({ "n" : 12345678901234567890123 , "x" : [ 1.50 ] })", R"({"n":0.1000})"}) {
        CAPTURE(value);
        const auto out = prepared(schema, value);
        CHECK(out.same);
        CHECK(out.issues == "");
    }
}

TEST_CASE("A string is read as JSON where the schema wants something else") {
    CHECK(
        mended(
            R"({"properties":{"user":{"type":"object","properties":{"age":{"type":"integer"}}}}})",
            R"({"user":"{\"name\":\"A\",\"age\":5}"})") == R"({"user":{"name":"A","age":5}})");
    CHECK(mended(R"({"properties":{"a":{"type":"array","items":{"type":"integer"}}}})",
                 R"({"a":"[1, 2]","b":" kept "})") == R"({"a":[1, 2],"b":" kept "})");
    CHECK(mended(R"({"properties":{"n":{"type":"integer"}}})", R"({"n":"12345678901234567890"})") ==
          R"({"n":12345678901234567890})");
    CHECK(mended(R"({"properties":{"n":{"type":"number"}}})", R"({"n":"1.50"})") ==
          R"({"n":1.50})");
    CHECK(mended(R"({"properties":{"b":{"type":"boolean"}}})", R"({"b":"true"})") ==
          R"({"b":true})");
    CHECK(mended(R"({"properties":{"n":{"type":["integer","null"]}}})", R"({"n":"null"})") ==
          R"({"n":null})");
    CHECK(mended(R"({"type":"object"})", R"("{\"a\":1}")") == R"({"a":1})");
    CHECK(mended(R"({"properties":{"n":{"enum":[1,2]}}})", R"({"n":"2"})") == R"({"n":2})");
    CHECK(mended(R"({"items":{"$ref":"#/$defs/i"},"$defs":{"i":{"allOf":[{"type":"integer"}]}}})",
                 R"(["1",2,"3"])") == "[1,2,3]");
}

TEST_CASE("JSON within JSON within JSON is read to its end") {
    CHECK(mended(R"({"properties":{"a":{"type":"object","properties":{"b":{"type":"array","items":
                     {"type":"integer"}}}}}})",
                 R"({"a":"{\"b\":\"[\\\"7\\\"]\"}"})") == R"({"a":{"b":[7]}})");
}

TEST_CASE("What would lose something, or is no JSON, is left as it came and refused") {
    const auto *integer = R"({"properties":{"n":{"type":"integer"}}})";
    for (const auto *text :
         {R"("1.5")", R"("1e-1")", R"("five")", R"("")", R"("0x10")", R"("+5")", R"("1,000")",
          R"("05")", R"("NaN")", R"("true")", R"("[1]")", R"("5 apples")"}) {
        CAPTURE(text);
        CHECK_THAT(refused(integer, concat(R"({"n":)", text, "}")),
                   Contains(concat("/n: expected an integer, found the string ", text)));
    }
    CHECK_THAT(refused(R"({"properties":{"b":{"type":"boolean"}}})", R"({"b":"True"})"),
               Contains("/b: expected a boolean, found the string \"True\""));
    CHECK_THAT(refused(R"({"properties":{"user":{"type":"object"}}})", R"({"user":"{broken"})"),
               Contains(R"(/user: expected an object, found the string "{broken")"));
    CHECK_THAT(
        refused(R"({"properties":{"user":{"type":"object"}}})", R"({"user":"{\"a\":1,\"a\":2}"})"),
        Contains("/user: expected an object"));
    refused(R"({"properties":{"s":{"type":"string"}}})", R"({"s":5})"); // a number is no string
}

TEST_CASE("A string stays where some branch takes strings, also if others do not") {
    for (const auto *schema :
         {R"({"properties":{"v":{"anyOf":[{"type":"integer"},{"type":"string","minLength":9}]}}})",
          R"({"properties":{"v":{"type":["integer","string"],"minLength":9}}})",
          R"({"properties":{"v":{"minLength":9}}})",
          R"({"properties":{"v":{"not":{"type":"string"}}}})",
          R"({"properties":{"v":{"enum":["a",5]}}})"}) {
        CAPTURE(schema);
        refused(schema, R"({"v":"5"})");
    }
}

TEST_CASE("null for an optional key that does not take it is dropped, and nowhere else") {
    const auto *schema = R"({"properties":{"query":{"type":"string"},"since":{"type":"string"},
        "limit":{"type":"integer"},"cursor":{"type":["string","null"]}},"required":["query"]})";
    const auto out =
        prepared(schema, R"({"since": null, "query":"a", "cursor":null,"limit":null })");
    CHECK(out.text == R"({"query":"a", "cursor":null})");
    CHECK(out.changes ==
          "/since: null was dropped, since the key is optional and does not take it\n"
          "/limit: null was dropped, since the key is optional and does not take it\n");
    CHECK(mended(schema, R"({"query":"a","since":null,"limit":null,"x":null})") ==
          R"({"query":"a","x":null})");
    CHECK(mended(R"({"properties":{"a":{"type":"string"}}})", R"({ "a" : null })") == "{}");
    CHECK(mended(R"({"properties":{"o":{"properties":{"a":{"type":"string"}}}}})",
                 R"({"o":{"b":1,"a":null}})") == R"({"o":{"b":1}})");
    CHECK_THAT(refused(schema, R"({"query":null})"),
               Contains("/query: expected a string, found null"));
    refused(R"({"items":{"type":"string"}})", "[null]");
    CHECK_THAT(refused(R"({"properties":{"a":{}},"additionalProperties":false})", R"({"z":null})"),
               Contains("unknown key z"));
}

TEST_CASE(
    "Absent keys get their defaults, nested ones too, and nothing that was given is touched") {
    const auto *schema =
        R"({"properties":{"q":{"type":"string"},"page":{"type":"number","default":10},
        "cursor":{"anyOf":[{"type":"string"},{"type":"null"}],"default":null},
        "o":{"type":"object","properties":{"deep":{"default":{"x":[1.0]}}}}},"required":["q"]})";
    CHECK(mended(schema, R"({"q":"a"})") == R"({"q":"a","page":10,"cursor":null})");
    CHECK(mended(schema, R"({"q":"a","page":0,"cursor":null})") ==
          R"({"q":"a","page":0,"cursor":null})");
    CHECK(mended(schema, R"({"q":"","page":1,"cursor":"","o":{}})") ==
          R"({"q":"","page":1,"cursor":"","o":{"deep":{"x":[1.0]}}})");
    CHECK(mended(R"({"properties":{"a":{"default":false}}})", "{}") == R"({"a":false})");
    CHECK(mended(R"({"required":["a"],"properties":{"a":{"$ref":"#/$defs/a"}},
                     "$defs":{"a":{"type":"integer","default":5}}})",
                 "{}") == R"({"a":5})");
    CHECK(mended(R"({"properties":{"o":{"default":{},"properties":{"a":{"default":1}}}}})", "{}") ==
          R"({"o":{"a":1}})");
    CHECK(mended(R"({"items":{"properties":{"a":{"default":1}}}})", R"([{},{"a":2},3])") ==
          R"([{"a":1},{"a":2},3])");
    CHECK(mended(R"({"properties":{"a\"b":{"default":1}}})", "{}") == R"({"a\"b":1})");
}

TEST_CASE("Defaults of the branch that an object is meant for are filled in, of no other") {
    const auto *schema = R"({"properties":{"shape":{"oneOf":[
        {"properties":{"kind":{"const":"a"},"n":{"default":1}},"required":["kind"]},
        {"properties":{"kind":{"enum":["b"]},"m":{"default":2}},"required":["kind"]}]},
        "maybe":{"anyOf":[{"$ref":"#/$defs/o"},{"type":"null"}]}},
        "$defs":{"o":{"type":"object","properties":{"k":{"default":3},"i":{"type":"integer"}}}}})";
    CHECK(mended(schema, R"({"shape":{"kind":"b"}})") == R"({"shape":{"kind":"b","m":2}})");
    CHECK(mended(schema, R"({"maybe":{"i":"4"}})") == R"({"maybe":{"i":4,"k":3}})");
    CHECK(mended(schema, R"({"maybe":null})") == R"({"maybe":null})");
    CHECK(
        mended(
            R"({"anyOf":[{"properties":{"a":{"default":1}}},{"properties":{"b":{"default":2}}}]})",
            "{}") == "{}"); // either may be meant
}

TEST_CASE("A default that makes a value invalid is not filled in") {
    CHECK(mended(R"({"properties":{"a":{"default":1}},"maxProperties":1})", R"({"b":2})") ==
          R"({"b":2})");
    const auto schema = schemaOf(R"({"properties":{"a":{"type":"string","default":null}}})");
    Document empty;
    REQUIRE(empty.readView("{}").has_value());
    CHECK(schema->prepare(empty.root()).document.empty());
    REQUIRE(schema->notes().size() == 1);
    CHECK(schema->notes()[0] ==
          "the default null of \"a\" is refused by its own schema, so it fills no absent key");
}

TEST_CASE("Strings are read, nulls dropped and defaults filled in one call") {
    CHECK(mended(R"({"properties":{"a":{"type":"integer"},"b":{"type":"string"},
                     "c":{"type":"integer","default":3}},"required":["a"]})",
                 R"({"a":"1","b":null,"c":null})") == R"({"a":1,"c":3})");
}

TEST_CASE("null is dropped for keys that a schema names, and is data in a map") {
    refused(R"({"properties":{"h":{"type":"object","additionalProperties":{"type":"string"}}}})",
            R"({"h":{"PATH":null}})");
    refused(R"({"patternProperties":{"^x":{"type":"string"}}})", R"({"x":null})");
    // A key with a default is optional, whatever "required" says.
    CHECK(mended(R"({"properties":{"n":{"type":"integer","default":5}},"required":["n"]})",
                 R"({"n":null})") == R"({"n":5})");
}

TEST_CASE("A key that a pattern with look-around may match is not taken for another one") {
    const auto *schema = R"x({"patternProperties":{"^(?!x)":{"type":["string","null"]}},
                              "additionalProperties":{"type":"integer"}})x";
    CHECK_THAT(refused(schema, R"({"a":null,"xn":"7"})"), Contains("/xn: expected an integer"));
}

TEST_CASE("Of a choice, the branch is found by keys that are missing, unknown or of another kind") {
    const auto *schema = R"({"properties":{"u":{"anyOf":[
        {"properties":{"a":{"type":"string"},"x":{"type":"integer"}},"required":["a"],
         "additionalProperties":false},
        {"properties":{"b":{"type":"string"},"y":{"type":"integer"}},"required":["b"],
         "additionalProperties":false}]}}})";
    CHECK(mended(schema, R"({"u":{"a":"s","x":null}})") == R"({"u":{"a":"s"}})");
    CHECK(mended(schema, R"({"u":{"b":"s","y":"5"}})") == R"({"u":{"b":"s","y":5}})");
    // A text may be the constant that tells the branches apart: then neither is chosen.
    refused(
        R"({"oneOf":[{"properties":{"k":{"const":1},"v":{"type":"string","minLength":9}},
         "required":["k"]},
                         {"properties":{"k":{"type":"string"},"v":{"type":"integer"}},
         "required":["k"]}]})",
        R"({"k":"1","v":"5"})");
}

TEST_CASE("Defaults that would go beyond the size of arguments are a refusal, and cost no memory") {
    const auto text = concat(R"({"properties":{"a":{"items":{"properties":{"k":{"default":")",
                             std::string(60'000, 'x'), R"("}}}}}})");
    std::string items = R"({"a":[)";
    for (int i = 0; i < 90'000; ++i) {
        items += "{},";
    }
    items.back() = ']';
    const auto start = std::chrono::steady_clock::now();
    const auto out = prepared(text, items + "}");
    CHECK(out.same);
    CHECK_THAT(out.issues, Contains("at most 4194304 bytes with all defaults filled in "
                                    "(limits.argumentsBytes)"));
    CHECK(std::chrono::steady_clock::now() - start < std::chrono::seconds(3));
}

TEST_CASE(
    "As many changes are told as someone reads, and arguments that are schemas stay as sent") {
    const auto schema =
        schemaOf(R"({"additionalProperties":{"$ref":"#"},"properties":{"n":{"type":"string"}}})");
    std::string text = "{";
    for (int i = 0; i < 1'000; ++i) {
        text += concat("\"k", i, "\":{\"n\":null},");
    }
    text.back() = '}';
    Document document;
    REQUIRE(document.readView(text).has_value());
    const auto done = schema->prepare(document.root());
    CHECK(done.issues.empty());
    CHECK(done.changes.size() == 100);
    CHECK(mended(R"({"properties":{"x":{"$ref":"https://json-schema.org/draft/2020-12/schema"}}})",
                 R"({"x":{"type":"string"}})") == R"({"x":{"type":"string"}})");
}

TEST_CASE("An issue is about the mended value, with the caller's text where it was not mended") {
    const auto out = prepared(R"({"properties":{"u":{"type":"object","properties":{"age":
                                  {"type":"integer"}},"required":["name"]}}})",
                              R"({"u":"{\"age\":\"x\"}"})");
    CHECK_THAT(out.issues, Contains("/u/age: expected an integer, found the string \"x\"") &&
                               Contains("/u/name: expected a value"));
}

TEST_CASE("Coercion and defaults can each be switched off") {
    Options options;
    options.coerce = false;
    CHECK(prepared(R"({"properties":{"a":{"type":"integer"},"b":{"default":1}}})", R"({"a":"5"})",
                   options)
              .issues != "");
    CHECK(prepared(R"({"properties":{"b":{"default":1}}})", "{}", options).text == R"({"b":1})");
    options.fillDefaults = false;
    CHECK(prepared(R"({"properties":{"b":{"default":1}}})", "{}", options).same);
}

TEST_CASE("Unknown keys can be refused wherever a schema names keys and leaves others open") {
    Options options;
    options.unknownKeys = UnknownKeys::Refuse;
    const auto issues = [&](std::string_view schema, std::string_view value) {
        return prepared(schema, value, options).issues;
    };
    CHECK_THAT(issues(R"({"type":"object","properties":{"maxDepth":{}}})", R"({"depth":1})"),
               Contains("/depth: expected only the keys maxDepth") &&
                   Contains("found the unknown key depth"));
    CHECK_THAT(issues(R"({"properties":{"o":{"$ref":"#/$defs/o"}},
                          "$defs":{"o":{"properties":{"a":{}}}}})",
                      R"({"o":{"b":1}})"),
               Contains("/o/b: expected only the keys a"));
    const auto *either = R"({"items":{"anyOf":[{"properties":{"a":{}},"required":["a"]},
                                               {"properties":{"b":{}},"required":["b"]}]}})";
    CHECK(issues(either, R"([{"a":1,"b":2}])") == ""); // both fit, and each knows its key
    CHECK_THAT(issues(either, R"([{"a":1},{"a":1,"b2":2}])"),
               Contains("/1/b2: expected only the keys a and b (did you mean b?), found the "
                        "unknown key b2"));
    const auto *merged = R"({"allOf":[{"$ref":"#/$defs/a"},{"properties":{"b":{}}}],
                             "$defs":{"a":{"properties":{"a":{}}}}})";
    CHECK(issues(merged, R"({"a":1,"b":2})") == "");
    CHECK_THAT(issues(merged, R"({"a":1,"c":2})"), Contains("/c: expected only the keys a and b"));
    const auto *patterns = R"({"properties":{"a":{}},"patternProperties":{"^x":{}}})";
    CHECK(issues(patterns, R"({"a":1,"x1":2})") == "");
    CHECK_THAT(issues(patterns, R"({"y":2})"), Contains("only the keys a or keys that match ^x"));
    // Open on purpose, or free-form: no key is unknown.
    for (const auto *open :
         {R"({"properties":{"a":{}},"additionalProperties":true})", R"({"type":"object"})", "{}",
          R"({"properties":{"a":{}},"unevaluatedProperties":{}})",
          R"({"allOf":[{"$ref":"#/$defs/m"}],"$defs":{"m":{"type":"object"}}})"}) {
        CAPTURE(open);
        CHECK(issues(open, R"({"z":1})") == "");
    }
    CHECK(issues(R"({"properties":{"a":{}}})", R"({"a":{"z":1}})") == "");
}

TEST_CASE("Refusing unknown keys never takes what the schema itself refuses, nor hides a mistake") {
    Options options;
    options.unknownKeys = UnknownKeys::Refuse;
    const auto issues = [&](std::string_view schema, std::string_view value) {
        return prepared(schema, value, options).issues;
    };
    // What only asks is as open as ever: to close it would open what it guards.
    const std::pair<const char *, const char *> guarded[] = {
        {R"({"properties":{"a":{}},"not":{"properties":{"a":{"properties":{"b":{"const":1}},
         "required":["b"]}},"required":["a"]}})",
         R"({"a":{"b":1,"c":2}})"},
        {R"({"properties":{"a":{}},"if":{"properties":{"a":{"properties":{"k":{"const":1}}}}},
         "then":{"required":["z"]}})",
         R"({"a":{"k":1,"c":2}})"},
        {R"({"contains":{"properties":{"t":{"const":1}},"required":["t"]},
         "minContains":0,"maxContains":0})",
         R"([{"t":1,"o":2}])"},
        {R"({"oneOf":[{"properties":{"a":{}}},{"properties":{"a":{},"b":{}}}]})",
         R"({"a":1,"b":2})"}};
    for (const auto &[schema, value] : guarded) {
        CAPTURE(schema);
        CHECK(issues(schema, value) != "");
    }
    // What some part opens or names is known.
    const std::pair<const char *, const char *> known[] = {
        {R"({"additionalProperties":true,"anyOf":[{"properties":{"a":{}}}]})", R"({"a":1,"c":1})"},
        {R"({"anyOf":[{"properties":{"a":{}}}],"oneOf":[{"properties":{"c":{}}}]})",
         R"({"a":1,"c":1})"},
        {R"({"$ref":"#/$defs/a","anyOf":[{"properties":{"x":{}}}],
         "$defs":{"a":{"properties":{"k":{}}}}})",
         R"({"k":1,"x":1})"},
        {R"({"contains":{"properties":{"t":{"const":1}},"required":["t"]}})", R"([{"t":1,"o":2}])"},
        {R"({"allOf":[{"properties":{"o":{"properties":{"a":{}}}}},
         {"properties":{"o":{"properties":{"b":{}}}}}]})",
         R"({"o":{"a":1,"b":2}})"}};
    for (const auto &[schema, value] : known) {
        CAPTURE(schema);
        CHECK(issues(schema, value) == "");
    }
    CHECK_THAT(
        issues(R"({"allOf":[{"$ref":"#/$defs/a"}],"$defs":{"a":{"allOf":[{"$ref":"#/$defs/b"}]},
                          "b":{"properties":{"k":{}}}}})",
               R"({"zzz":2})"),
        Contains("unknown key zzz"));
    CHECK(issues(R"({"properties":{"a":{}},"required":["b"]})", R"({"a":1,"b":2})") == "");
    // Two schemas judge x, and each knows a key of it: neither is told as unknown.
    const auto twice = issues(R"({"properties":{"y":{"type":"integer"}},"allOf":[
        {"properties":{"x":{"properties":{"a":{}}}}},
        {"properties":{"x":{"properties":{"b":{}}}}}]})",
                              R"({"x":{"a":1,"b":2,"c":3},"y":"no"})");
    CHECK_THAT(twice, Contains("/y: expected an integer") && Contains("unknown key c") &&
                          !Contains("unknown key a") && !Contains("unknown key b"));
    // An unknown key is told beside what else is wrong.
    const auto both = issues(R"({"properties":{"current":{},"n":{"type":"integer"}},
                                 "required":["current"]})",
                             R"({"curent":"x","n":"y"})");
    CHECK_THAT(both, Contains("/current: expected a value") && Contains("unknown key curent") &&
                         Contains("/n: expected an integer") && !Contains("unknown key n"));
}

TEST_CASE("Unknown keys can be left out, wherever they stand, and nothing else is") {
    Options options;
    options.unknownKeys = UnknownKeys::Drop;
    options.mend = options.fillDefaults = false;
    const auto kept = [&](std::string_view schema, std::string_view value) {
        const auto out = prepared(schema, value, options);
        CHECK(out.issues == "");
        return out.text;
    };
    const auto *nested = R"({"properties":{"a":{"type":"integer"},"o":{"properties":{"b":{}}},
                             "l":{"items":{"properties":{"c":{}},"additionalProperties":true}}}})";
    CHECK(kept(nested,
               R"({"x":1, "a":2,"y":{"a":1} ,"o":{"b":1,"z":0},"l":[{"c":1,"d":2}],"w":0})") ==
          R"({"a":2,"o":{"b":1},"l":[{"c":1,"d":2}]})");
    CHECK(kept(nested, R"({"x":1})") == "{}");
    CHECK(kept(nested, R"({ "a" : 1.0 })") == R"({ "a" : 1.0 })");
    // Keys that a pattern, a reference or a branch knows stay, by the branch that fits.
    CHECK(kept(R"({"properties":{"a":{}},"patternProperties":{"^x-":{}}})",
               R"({"x-1":1,"y":2,"a":3})") == R"({"x-1":1,"a":3})");
    CHECK(kept(R"({"allOf":[{"$ref":"#/$defs/r"}],"properties":{"a":{}},
                   "$defs":{"r":{"properties":{"b":{}}}}})",
               R"({"a":1,"b":2,"c":3})") == R"({"a":1,"b":2})");
    const auto *choice = R"({"oneOf":[
        {"properties":{"k":{"const":1},"a":{}},"required":["k"]},
        {"properties":{"k":{"const":2},"b":{}},"required":["k"]}]})";
    CHECK(kept(choice, R"({"k":1,"a":1,"b":1})") == R"({"k":1,"a":1})");
    CHECK(kept(choice, R"({"k":2,"a":1,"b":1})") == R"({"k":2,"b":1})");
    // Where two schemas are for one value, what either knows stays.
    CHECK(kept(R"({"properties":{"v":{"properties":{"a":{}}}},
                   "patternProperties":{"v":{"properties":{"b":{}}}}})",
               R"({"v":{"a":1,"b":2,"c":3}})") == R"({"v":{"a":1,"b":2}})");
    // Free-form objects and what is open on purpose.
    CHECK(kept(R"({"properties":{"m":{"type":"object"}}})", R"({"m":{"z":1}})") ==
          R"({"m":{"z":1}})");
    CHECK(prepared(nested, R"({"a":"x","y":1})", options).same); // refused, and shown as it is
}

TEST_CASE("Keys are left out only where the value stays valid, and after it was mended") {
    Options options;
    options.unknownKeys = UnknownKeys::Drop;
    const auto kept = [&](std::string_view schema, std::string_view value) {
        const auto out = prepared(schema, value, options);
        CHECK(out.issues == "");
        return out.text;
    };
    for (const auto &[schema, value] :
         {std::pair(R"({"properties":{"a":{}},"required":["b"]})", R"({"a":1,"b":2})"),
          std::pair(R"({"properties":{"a":{}},"minProperties":1})", R"({"b":1})"),
          std::pair(R"({"properties":{"a":{}},"dependentRequired":{"a":["b"]}})",
                    R"({"a":1,"b":2})"),
          std::pair(R"({"uniqueItems":true,"items":{"properties":{"a":{}}}})",
                    R"([{"a":1,"b":2},{"a":1,"b":3}])")}) {
        CAPTURE(schema);
        CHECK(kept(schema, value) == value);
    }
    CHECK(kept(R"({"properties":{"a":{"type":"integer"},"d":{"default":3}}})",
               R"({"a":"1","b":2})") == R"({"a":1,"d":3})");
    // What any branch knows is known, in whatever order they stand.
    for (const auto *schema :
         {R"({"anyOf":[{"items":{"properties":{"a":{}}}},{"items":{"properties":{"b":{}}}}]})",
          R"({"anyOf":[{"items":{"properties":{"b":{}}}},{"items":{"properties":{"a":{}}}}]})"}) {
        CHECK(kept(schema, R"([{"b":1,"c":2}])") == R"([{"b":1}])");
    }
}

TEST_CASE("What was mended in one round stays when the next one goes too deep") {
    const auto deep = std::string(126, '[') + std::string(126, ']');
    const auto out = prepared(R"({"properties":{"n":{"type":"integer"},"o":{"properties":{"p":
        {"properties":{"q":{"type":"object","properties":{"r":{"type":"array"}}}}}}}}})",
                              concat(R"({"n":"5","o":{"p":{"q":"{\"r\":\")", deep, R"(\"}"}}})"));
    CHECK_THAT(out.text, Contains(R"("n":5)"));
}

TEST_CASE("Mending costs no more than reading: nothing multiplies, and nothing recurses") {
    const auto schema = schemaOf(R"({"items":{"type":"object","properties":{
        "a":{"type":"integer","default":1},"b":{"type":"string"}}}})");
    std::string items = "[";
    for (int i = 0; i < 20'000; ++i) {
        items += R"({"b":null},)";
    }
    items.back() = ']';
    Document document;
    REQUIRE(document.readView(items).has_value());
    const auto start = std::chrono::steady_clock::now();
    const auto done = schema->prepare(document.root());
    CHECK(done.issues.empty());
    CHECK(done.document.root().size() == 20'000);
    CHECK(std::chrono::steady_clock::now() - start < std::chrono::seconds(5));
}
