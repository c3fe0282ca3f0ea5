// SPDX-License-Identifier: Apache-2.0
// What a refused value is told, that numbers are exact, and that no schema costs without bound. The
// verdicts of each keyword are the official suite's: suite_test.cpp.
#include "schema/schema.h"
#include "support/text.h"

#include <catch2/catch.hpp>

#include <chrono>

using Catch::Matchers::Contains;
using tenon::concat;
using tenon::Limits;
using tenon::json::Document;
using tenon::schema::Issue;
using tenon::schema::Schema;

namespace {

std::vector<Issue> issuesOf(std::string_view schema, std::string_view value,
                            const Limits &limits = {}, std::size_t issuesMax = 20) {
    Document schemaText, document;
    REQUIRE(schemaText.readView(schema).has_value());
    REQUIRE(document.readView(value, {64U << 20, 1'000'000}).has_value());
    const auto compiled = Schema::compile(schemaText.root(), limits);
    INFO((compiled ? "" : compiled.error().message));
    REQUIRE(compiled.has_value());
    return (*compiled)->validate(document.root(), issuesMax);
}

bool valid(std::string_view schema, std::string_view value) {
    return issuesOf(schema, value).empty();
}

// The sentences, one a line.
std::string told(std::string_view schema, std::string_view value) {
    std::string out;
    for (const auto &issue : issuesOf(schema, value)) {
        out += concat(issue.sentence(), "\n");
    }
    return out;
}

std::string repeated(std::string_view part, std::size_t times) {
    std::string out;
    for (std::size_t i = 0; i < times; ++i) {
        out += part;
    }
    return out;
}

double secondsOf(const auto &work) {
    const auto start = std::chrono::steady_clock::now();
    work();
    return std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
}

bool endsInLimit(const std::vector<Issue> &issues) {
    return !issues.empty() && issues[0].keyword == "limit";
}

} // namespace

TEST_CASE("Every keyword tells what it expected and what it found") {
    const std::tuple<std::string_view, std::string_view, std::string_view> cases[] = {
        {R"({"type":"integer"})", R"("ten")", R"(expected an integer, found the string "ten")"},
        {R"({"type":["string","null"]})", "5", "expected a string or null, found the number 5"},
        {R"({"type":"object"})", "[1,2]", "expected an object, found an array"},
        {R"({"type":"array"})", R"({"a":1})", "expected an array, found an object"},
        {R"({"type":"boolean"})", "null", "expected a boolean, found null"},
        {R"({"type":"integer"})", "1.5", "expected an integer, found the number 1.5"},
        {R"({"type":"number"})", "true", "expected a number, found the boolean true"},
        {R"({"enum":["a","b"]})", R"("c")", R"(expected one of ["a","b"], found the string "c")"},
        {R"({"const":5})", "6", "expected 5, found the number 6"},
        {R"({"minimum":1})", "0", "expected a number of at least 1, found the number 0"},
        {R"({"maximum":1.5})", "2", "expected a number of at most 1.5, found the number 2"},
        {R"({"exclusiveMinimum":0})", "0", "expected a number above 0, found the number 0"},
        {R"({"exclusiveMaximum":3})", "3", "expected a number below 3, found the number 3"},
        {R"({"multipleOf":0.01})", "0.295",
         "expected a number that is a multiple of 0.01, found the number 0.295"},
        {R"({"minLength":2})", R"("x")", "expected at least 2 characters, found 1 character"},
        {R"({"maxLength":2})", R"("abc")", "expected at most 2 characters, found 3 characters"},
        {R"({"pattern":"^a+$"})", R"("b")",
         R"(expected a string that matches ^a+$, found the string "b")"},
        {R"({"minItems":2})", "[1]", "expected at least 2 items, found 1 item"},
        {R"({"maxItems":1})", "[1,2]", "expected at most 1 items, found 2 items"},
        {R"({"uniqueItems":true})", "[1,2,1.0]",
         "expected items that all differ, found the item 1 twice"},
        {R"({"contains":{"type":"string"},"minContains":2})", R"([1,"a"])",
         R"(expected at least 2 items of the kind that "contains" describes, found 1 such item)"},
        {R"({"contains":{"type":"string"},"maxContains":1})", R"(["b","a"])",
         R"(expected at most 1 items of the kind that "contains" describes, found 2 such items)"},
        {R"({"minProperties":1})", "{}", "expected at least 1 keys, found 0 keys"},
        {R"({"maxProperties":1})", R"({"a":1,"b":2})", "expected at most 1 keys, found 2 keys"},
        {R"({"required":["q"]})", "{}",
         "/q: expected a value: this key is required, found no such key"},
        {R"({"dependentRequired":{"a":["b"]}})", R"({"a":1})",
         "/b: expected a value, since the key a is given, found no such key"},
        {R"({"not":{"type":"string"}})", R"("x")",
         R"(expected a value that the schema under "not" refuses, found the string "x")"},
        {R"({"properties":{"a":false}})", R"({"a":1})",
         "/a: expected nothing here, found the number 1"},
        {R"({"oneOf":[{"type":"number"},{"minimum":1}]})", "5",
         "expected exactly one of the shapes to fit, found 2 that fit"},
        {"false", "1", "expected nothing here, found the number 1"}};
    for (const auto &[schema, value, sentence] : cases) {
        CAPTURE(schema, value);
        CHECK(told(schema, value) == concat(sentence, "\n"));
    }
}

TEST_CASE("An unknown key is told which keys there are and which is nearest") {
    const auto *schema = R"({"properties":{"maxDepth":{"type":"integer"},"path":{}},
                             "additionalProperties":false})";
    CHECK(told(schema, R"({"depth":1})") ==
          "/depth: expected only the keys maxDepth and path (did you mean maxDepth?), found the "
          "unknown key depth\n");
    CHECK(told(R"({"additionalProperties":false})", R"({"x":1})") ==
          "/x: expected no keys at all, found the unknown key x\n");
    CHECK(told(R"({"patternProperties":{"^x-":{}},"additionalProperties":false})", R"({"y":1})") ==
          "/y: expected only keys that match ^x-, found the unknown key y\n");
    CHECK(told(R"({"properties":{"a":{}},"patternProperties":{"^x-":{}},
                   "additionalProperties":false})",
               R"({"yyyy":1})") ==
          "/yyyy: expected only the keys a or keys that match ^x-, found the unknown key yyyy\n");
    // A required key that no property declares is not one that may be given.
    CHECK_THAT(told(R"({"properties":{"a":{}},"required":["b"],"additionalProperties":false})",
                    R"({"b":1})"),
               Contains("expected only the keys a, found the unknown key b"));
}

TEST_CASE("A typo is told together with the key that is missing for it") {
    const auto *schema = R"({"type":"object","properties":{"current":{"type":"string"}},
                             "required":["current"],"additionalProperties":false})";
    CHECK(told(schema, R"({"curent":"x"})") ==
          "/curent: expected only the keys current (did you mean current?), found the unknown key "
          "curent\n"
          "/current: expected a value: this key is required, found no such key\n");
}

TEST_CASE("Several issues come at once, each with its path, in the value's order") {
    const auto *schema = R"({"properties":{"items":{"type":"array","items":{
        "type":"object","properties":{"n":{"type":"integer"}},"additionalProperties":false}}}})";
    CHECK(told(schema, R"({"items":[{"pattern":"x"},{"n":1},{"n":"2","m":3},7]})") ==
          "/items/0/pattern: expected only the keys n, found the unknown key pattern\n"
          "/items/2/n: expected an integer, found the string \"2\"\n"
          "/items/2/m: expected only the keys n, found the unknown key m\n"
          "/items/3: expected an object, found the number 7\n");
}

TEST_CASE("A path is a JSON Pointer, with its escapes") {
    const auto issues = issuesOf(R"({"additionalProperties":{"items":{"type":"null"}}})",
                                 R"({"a/b~c":[null,1],"":[2]})");
    REQUIRE(issues.size() == 2);
    CHECK(issues[0].path == "/a~1b~0c/1");
    CHECK(issues[1].path == "//0");
    CHECK(issues[0].keyword == "type");
    CHECK(issues[0].kind == "a number");
}

TEST_CASE("No more issues come than were asked for") {
    std::string many = "[";
    for (int i = 0; i < 100; ++i) {
        many += "\"x\",";
    }
    many.back() = ']';
    const auto *schema = R"({"items":{"type":"integer"}})";
    CHECK(issuesOf(schema, many).size() == 20);
    CHECK(issuesOf(schema, many, {}, 1).size() == 1);
    CHECK(issuesOf(schema, many, {}, 100).size() == 100);
    CHECK(issuesOf(schema, many, {}, 1000).size() == 100);
}

TEST_CASE("anyOf tells what each alternative would have taken") {
    const auto *schema = R"({"type":"object","anyOf":[
        {"properties":{"content":{"type":"string"}},"required":["content"]},
        {"properties":{"source_url":{"type":"string"}},"required":["source_url"]}]})";
    const auto sentence = told(schema, "{}");
    CHECK_THAT(sentence, Contains("expected one of these shapes: "));
    CHECK_THAT(sentence, Contains("/content: a value: this key is required"));
    CHECK_THAT(sentence, Contains("or /source_url: a value: this key is required"));
    CHECK(valid(schema, R"({"content":"x"})"));
    CHECK_THAT(told(R"({"oneOf":[{"type":"string"},{"type":"null"}]})", "1"),
               Contains("expected one of these shapes: a string; or null, found the number 1"));
}

TEST_CASE("A long or unprintable value is shown short and safe") {
    const std::string value = concat("\"", std::string(1000, 'x'), "\"");
    CHECK_THAT(told(R"({"type":"integer"})", value), Contains("more bytes)"));
    CHECK(told(R"({"type":"integer"})", value).size() < 250);
    CHECK(told(R"({"type":"integer"})", "\"\xE2\x80\xAE\"") ==
          "expected an integer, found the string \"\\u202e\"\n");
}

TEST_CASE("Numbers are compared exactly") {
    CHECK(valid(R"({"const":9007199254740993})", "9007199254740993"));
    CHECK_FALSE(valid(R"({"const":9007199254740993})", "9007199254740992"));
    CHECK_FALSE(valid(R"({"maximum":9007199254740992})", "9007199254740993"));
    CHECK(valid(R"({"type":"integer"})", "123456789012345678901234567890"));
    CHECK(valid(R"({"type":"integer"})", "1e400"));
    CHECK(valid(R"({"type":"integer"})", "1.0"));
    CHECK_FALSE(valid(R"({"type":"integer"})", "1.5"));
    CHECK(valid(R"({"enum":[1]})", "1.0"));
    CHECK(valid(R"({"exclusiveMaximum":1e401})", "1e400"));
}

TEST_CASE("Integers go with floating bounds, and multiples are decimal") {
    const auto *schema = R"({"type":"integer","maximum":1e+32,"minimum":0.5})";
    CHECK_FALSE(valid(schema, "0"));
    CHECK(valid(schema, "1"));
    CHECK(valid(schema, "9223372036854775807"));
    CHECK(valid(schema, "100000000000000000000000000000000"));
    CHECK_FALSE(valid(schema, "100000000000000000000000000000001"));
    CHECK(valid(R"({"type":"number","multipleOf":0.01})", "0.29"));
    CHECK_FALSE(valid(R"({"type":"number","multipleOf":0.01})", "0.295"));
}

TEST_CASE("Items are unique by value, exactly") {
    const auto *schema = R"({"uniqueItems":true})";
    CHECK(valid(schema, "[9007199254740992,9007199254740993]"));
    CHECK(valid(schema, R"([1,"1",true,null,[],{},[1],{"a":1}])"));
    CHECK_FALSE(valid(schema, "[1e400,10e399]"));
    CHECK_FALSE(valid(schema, R"([{"a":1,"b":2},{"b":2.0,"a":1}])"));
    CHECK_FALSE(valid(schema, R"(["A","\u0041"])"));
}

TEST_CASE("Length is counted in code points") {
    CHECK(valid(R"({"maxLength":1})", "\"\xF0\x9F\x8D\xB8\""));
    CHECK(valid(R"({"minLength":2})", R"("\ud83c\udf78x")"));
    CHECK_FALSE(valid(R"({"minLength":2})", "\"\xF0\x9F\x8D\xB8\""));
}

TEST_CASE(
    "A type that lists null passes null through, one that does not refuses it with its path") {
    const auto *schema = R"({"properties":{"query":{"type":"string"},"since":{"type":"string"},
                             "cursor":{"type":["string","null"]}},"required":["query"]})";
    CHECK(told(schema, R"({"query":"a","since":null,"cursor":null})") ==
          "/since: expected a string, found null\n");
}

TEST_CASE("A format is an annotation, whatever its name") {
    CHECK(valid(R"({"type":"string","format":"date-time"})", R"("not a date")"));
    CHECK(valid(R"({"format":"made-up"})", R"("x")"));
    CHECK(valid(R"({"format":"uri"})", R"("::")"));
}

TEST_CASE("A recursive schema checks a tree of 30 levels and tells the path of what is wrong") {
    const auto *schema = R"({"type":"object","properties":{"nodes":{"type":"array","items":
        {"type":"object","properties":{"v":{"type":"string"},
         "kids":{"type":"array","items":{"$ref":"#/properties/nodes/items"}}}}}}})";
    const auto tree = [](std::string_view leaf) {
        return concat(R"({"nodes":[)", repeated(R"({"v":"x","kids":[)", 29), R"({"v":)", leaf, "}",
                      repeated("]}", 29), "]}");
    };
    CHECK(valid(schema, tree("\"x\"")));
    CHECK(told(schema, tree("5")) == concat("/nodes/0", repeated("/kids/0", 29),
                                            "/v: expected a string, found the number 5\n"));
}

TEST_CASE("A $dynamicRef that leads to itself for ever ends in a limit issue, not in a hang") {
    const auto *schema = R"({"$id":"a","$dynamicAnchor":"n","$ref":"b","$defs":{
        "b":{"$id":"b","$dynamicRef":"#n","$defs":{"x":{"$dynamicAnchor":"n"}}}}})";
    CHECK(secondsOf([&] { CHECK(endsInLimit(issuesOf(schema, "1"))); }) < 5);
    CHECK(issuesOf(schema, "1")[0].sentence() ==
          "expected a value that can be checked without a \"$dynamicRef\" that leads back to "
          "itself for ever, found one that cannot");
}

TEST_CASE("A limit issue is counted among those that were asked for") {
    Limits limits;
    limits.validationStepsMax = 5;
    for (const std::size_t most : {1U, 2U, 20U}) {
        const auto issues = issuesOf(R"({"items":{"type":"string"}})", "[1,2,3,4,5]", limits, most);
        CHECK(issues.size() == 1);
        CHECK(issuesOf(R"({"items":{"type":"integer"}})", "[1,2,3,4,5]", limits, most).size() == 1);
        CHECK(
            endsInLimit(issuesOf(R"({"items":{"type":"integer"}})", "[1,2,3,4,5]", limits, most)));
    }
}

TEST_CASE("The step budget is exact: what needs it all is checked, what needs more is refused") {
    Limits limits;
    limits.validationStepsMax = 11; // one for the array, and an item's look and its type five times
    CHECK(issuesOf(R"({"items":{"type":"integer"}})", "[1,2,3,4,5]", limits).empty());
    limits.validationStepsMax = 10;
    CHECK(endsInLimit(issuesOf(R"({"items":{"type":"integer"}})", "[1,2,3,4,5]", limits)));
}

TEST_CASE("Depth costs no stack: a value far deeper than any caller's is checked to its bottom") {
    const auto deep = [](std::string_view inside) {
        return concat(std::string(200'000, '['), inside, std::string(200'000, ']'));
    };
    const auto *schema = R"({"type":"array","items":{"anyOf":[{"$ref":"#"},{"const":"end"}]}})";
    CHECK(issuesOf(R"({"type":"array","items":{"$ref":"#"}})", deep("")).empty());
    CHECK(issuesOf(schema, deep("\"end\"")).empty());
    CHECK(issuesOf(schema, deep("5"), {}, 1).size() == 1);
}

TEST_CASE("Alternatives that multiply with depth end within the step budget") {
    const auto *schema = R"({"$defs":{"n":{"anyOf":[
        {"properties":{"k":{"$ref":"#/$defs/n"}},"required":["x"]},
        {"properties":{"k":{"$ref":"#/$defs/n"}},"required":["y"]},
        {"properties":{"k":{"$ref":"#/$defs/n"}},"required":["z"]}]}},"$ref":"#/$defs/n"})";
    const std::string value = repeated(R"({"k":)", 60) + "{}" + std::string(60, '}');
    CHECK(secondsOf([&] { CHECK_FALSE(issuesOf(schema, value).empty()); }) < 10);
}

TEST_CASE("No keyword is free: many rules over a large value end within the step budget") {
    std::string keys = "{", items = "[", required = "[", enumeration = "[", patterns = "{";
    for (int i = 0; i < 200'000; ++i) {
        keys += concat("\"", i, "\":0,");
        items += "\"e2999\",";
    }
    for (int i = 0; i < 3'000; ++i) {
        required += concat("\"", i + 190'000, "\",");
        enumeration += concat("\"e", i, "\",");
        patterns += concat("\"^p", i, "$\":true,");
    }
    for (auto *object : {&keys, &patterns}) {
        object->back() = '}';
    }
    for (auto *array : {&items, &required, &enumeration}) {
        array->back() = ']';
    }
    const std::string long1 = concat("\"", std::string(4'000'000, 'x'), "\"");
    const std::string long2 = concat("1", std::string(4'000'000, '3'));
    const auto all = [](std::string_view one) {
        return concat(R"({"allOf":[)", repeated(concat(one, ","), 2'999), one, "]}");
    };
    const std::pair<std::string, const std::string &> cases[] = {
        {concat(R"({"dependentRequired":{"1":)", required, "}}"), keys},
        {concat(R"({"patternProperties":)", patterns, "}"), keys},
        {concat(R"({"items":{"enum":)", enumeration, "}}"), items},
        {all(R"({"pattern":"x$"})"), long1},
        {all(R"({"minLength":1})"), long1},
        {all(R"({"multipleOf":1})"), long2},
        {all(R"({"maximum":1e9000000})"), long2}};
    Limits limits;
    limits.validationStepsMax = 1'000'000;
    for (const auto &[schema, value] : cases) {
        CAPTURE(schema.substr(0, 60));
        CHECK(secondsOf([&] { CHECK(endsInLimit(issuesOf(schema, value, limits))); }) < 5);
    }
}

TEST_CASE("Rules about a size cost nothing, however large the value is") {
    std::string items = "[";
    for (int i = 0; i < 200'000; ++i) {
        items += "0,";
    }
    items.back() = ']';
    const auto schema =
        concat(R"({"allOf":[)", repeated(R"({"maxItems":300000,"minItems":1},)", 2'999),
               R"({"uniqueItems":false}]})");
    Limits limits;
    limits.validationStepsMax = 20'000;
    CHECK(issuesOf(schema, items, limits).empty());
}

TEST_CASE("A hundred thousand items are found to differ, or not, in a moment") {
    std::string items = "[";
    for (int i = 0; i < 100'000; ++i) {
        items += concat(R"({"id":)", i, R"(,"name":"n"},)");
    }
    const std::string differ = items + "0]";
    const std::string twice = items + R"({"name":"n","id":5e0}])";
    CHECK(secondsOf([&] { CHECK(valid(R"({"uniqueItems":true})", differ)); }) < 5);
    CHECK(secondsOf([&] { CHECK_FALSE(valid(R"({"uniqueItems":true})", twice)); }) < 5);
}

TEST_CASE("A million keys and a string of 100 MB are checked in a moment, or refused by a limit") {
    std::string keys = "{";
    for (int i = 0; i < 1'000'000; ++i) {
        keys += concat("\"", i, "\":0,");
    }
    keys.back() = '}';
    const auto *closed = R"({"properties":{"a":{}},"additionalProperties":false})";
    CHECK(secondsOf([&] { CHECK(issuesOf(closed, keys).size() == 20); }) < 5);
    CHECK(secondsOf([&] {
              CHECK(valid(
                  R"({"propertyNames":{"maxLength":9},"additionalProperties":{"type":"integer"}})",
                  keys));
          }) < 5);
    Document text;
    const std::string large = concat("\"", std::string(100'000'000, 'x'), "\"");
    REQUIRE(text.readView(large, {large.size(), 1}).has_value());
    Document source;
    REQUIRE(source.readView(R"({"minLength":1,"pattern":"^x+y$"})").has_value());
    const auto schema = Schema::compile(source.root(), Limits());
    REQUIRE(schema.has_value());
    CHECK(secondsOf([&] { CHECK_FALSE((*schema)->validate(text.root()).empty()); }) < 5);
}

TEST_CASE("A pattern that could take for ever is given up in a moment, wherever it stands") {
    const std::string text = concat("\"", std::string(30'000, 'x'), "Ay\"");
    for (const auto *schema :
         {R"({"pattern":"(?=a|x)(x+x+)+y"})", R"({"not":{"pattern":"(?=a|x)(x+x+)+y"}})",
          R"({"anyOf":[{"pattern":"(?=a|x)(x+x+)+y"},true]})"}) {
        CAPTURE(schema);
        CHECK(secondsOf([&] { CHECK(endsInLimit(issuesOf(schema, text))); }) < 5);
    }
    CHECK(secondsOf([&] { CHECK_FALSE(valid(R"({"pattern":"^(x+x+)+y$"})", text)); }) < 5);
}

TEST_CASE("Of a choice, the closest branch is what is told, and all when none is closer") {
    const auto *shapes = R"({"oneOf":[
        {"properties":{"kind":{"const":"circle"},"radius":{"type":"number"}},"required":["kind",
         "radius"]},
        {"properties":{"kind":{"const":"square"},"side":{"type":"number"}},"required":["kind",
         "side"]}]})";
    CHECK(told(shapes, R"({"kind":"circle","radius":"5"})") ==
          "/radius: expected a number, found the string \"5\"\n");
    CHECK(told(shapes, R"({"kind":"square"})") ==
          "/side: expected a value: this key is required, found no such key\n");
    CHECK(told(
              R"({"properties":{"a":{"anyOf":[{"type":"object","required":["x"]},
         {"type":"null"}]}}})",
              R"({"a":{}})") ==
          "/a/x: expected a value: this key is required, found no such key\n");
    CHECK(
        told(R"({"type":"object","anyOf":[{"required":["content"]},{"required":["source_url"]}]})",
             "{}") == "expected one of these shapes: /content: a value: this key is required; or "
                      "/source_url: a value: this key is required, found an object\n");
}

TEST_CASE(
    "Where every branch wants something of one key, that key is told, with all that it may be") {
    std::string shapes = R"({"oneOf":[)";
    for (int i = 0; i < 30; ++i) {
        shapes += concat(R"({"properties":{"kind":{"const":"v)", i,
                         R"("},"n":{}},"required":["kind"]},)");
    }
    shapes.back() = ']';
    const auto one = told(shapes + "}", R"({"n":1,"kind":"v99"})");
    CHECK_THAT(one, Contains("/kind: expected \"v0\"; or \"v1\"; or ") &&
                        Contains("; or one of 22 more, found the string \"v99\""));
    CHECK_THAT(told(R"({"enum":["celsius","kelvin"]})", R"("celcius")"),
               Contains("(did you mean \"celsius\"?)"));
}

TEST_CASE("What an issue says is bounded, however the choices are nested") {
    std::string schema = concat(R"({"const":")", std::string(450, 'c'), R"("})");
    for (int level = 0; level < 5; ++level) {
        std::string branches;
        for (int i = 0; i < 4; ++i) {
            branches += concat(i == 0 ? "" : ",", schema.size() < 4'000 ? schema : "{\"const\":1}");
        }
        schema = concat(R"({"anyOf":[)", branches, "]}");
    }
    const auto issues = issuesOf(schema, "[]");
    REQUIRE(issues.size() == 1);
    CHECK(issues[0].sentence().size() < 2'000);
}

TEST_CASE("A key whose value failed is still a known key to unevaluatedProperties") {
    CHECK(told(R"({"allOf":[{"properties":{"a":{"type":"integer"},"b":{}}}],
                   "unevaluatedProperties":false})",
               R"({"a":"x","b":1,"c":2})") ==
          "/a: expected an integer, found the string \"x\"\n"
          "/c: expected only the keys a and b, found the unknown key c\n");
}

TEST_CASE("After a failure, unevaluated keys and items are not judged by mistake") {
    CHECK(told(R"({"allOf":[{"properties":{"y":{"type":"string"},"z":{"type":"object"}}}],
                   "unevaluatedProperties":{"type":"integer"}})",
               R"({"y":true,"z":{}})") == "/y: expected a string, found the boolean true\n");
    CHECK(told(R"({"allOf":[{"prefixItems":[{"type":"string"},{}]}],"unevaluatedItems":false})",
               "[1,2]") == "/0: expected a string, found the number 1\n");
}

TEST_CASE("A choice that is nested in itself tells what is wrong at its bottom, in a moment") {
    const auto *schema = R"({"$defs":{"e":{"anyOf":[{"type":"number","minimum":0},
        {"type":"array","items":{"$ref":"#/$defs/e"}}]}},"$ref":"#/$defs/e"})";
    const auto value =
        concat(std::string(60, '['), repeated("1,", 40'000), "\"x\"", std::string(60, ']'));
    CHECK(secondsOf([&] {
              const auto text = told(schema, value);
              CHECK_THAT(text, Contains("/40000: expected one of these shapes: a number; or an "
                                        "array, found the string \"x\""));
          }) < 5);
}

TEST_CASE("The same reason is told once, and a limit that was reached stands alone") {
    CHECK(told(R"({"allOf":[{"type":"string"},{"type":"string"}]})", "1") ==
          "expected a string, found the number 1\n");
    const auto issues = issuesOf(R"({"properties":{"a":{"pattern":"^(?=(a+)+$)(a+)+$"}}})",
                                 concat(R"({"a":")", std::string(60, 'a'), R"(b"})"));
    REQUIRE(issues.size() == 1);
    CHECK(endsInLimit(issues));
}

TEST_CASE("Long numbers and words that are not needed cost no time") {
    const auto number = concat(R"({"n":1.)", std::string(4'000'000, '0'), "1}");
    std::string doubled = R"({"type":"number"})";
    for (int i = 0; i < 8; ++i) {
        doubled = concat(R"({"allOf":[)", doubled, ",", doubled, "]}");
    }
    CHECK(secondsOf(
              [&] { CHECK(valid(concat(R"({"properties":{"n":)", doubled, "}}"), number)); }) < 3);

    std::string properties, items = "[";
    for (int i = 0; i < 200; ++i) {
        properties += concat(i == 0 ? "" : ",", "\"property_number_", i, "\":{}");
    }
    for (int i = 0; i < 20'000; ++i) {
        items += R"({"property_numbr_1":1,"propertynumber_2":2},)";
    }
    items += "5]";
    const auto schema = concat(R"({"items":{"anyOf":[{"type":"object","properties":{)", properties,
                               R"(},"additionalProperties":false},{"type":"object"}]}})");
    CHECK(secondsOf([&] { CHECK(issuesOf(schema, items).size() == 1); }) < 3);
}

TEST_CASE("unevaluatedProperties names the keys that some branch knows") {
    const auto *schema = R"({"allOf":[{"properties":{"path":{}}}],"properties":{"depth":{}},
                             "unevaluatedProperties":false})";
    CHECK(valid(schema, R"({"path":1,"depth":2})"));
    CHECK(told(schema, R"({"paht":1})") == "/paht: expected only the keys depth and path (did you "
                                           "mean path?), found the unknown key paht\n");
}

TEST_CASE("Formats are checked when that is asked for, and say what they look like") {
    tenon::schema::Options options;
    options.formats = tenon::schema::Formats::Assert;
    Document schema, value;
    REQUIRE(schema.readView(R"({"format":"date"})").has_value());
    REQUIRE(value.readView(R"("tomorrow")").has_value());
    const auto compiled = Schema::compile(schema.root(), Limits(), options);
    REQUIRE(compiled.has_value());
    const auto issues = (*compiled)->validate(value.root());
    REQUIRE(issues.size() == 1);
    CHECK(issues[0].keyword == "format");
    CHECK_THAT(issues[0].sentence(), Contains("expected a date such as") && Contains("tomorrow"));
}

TEST_CASE("Many missing keys of a large object are told in bounded time") {
    std::string keys = "{", required = "[";
    for (int i = 0; i < 200'000; ++i) {
        keys += concat("\"", i, "\":0,");
    }
    for (int i = 0; i < 4'000; ++i) {
        required += concat("\"r", i, "\",");
    }
    keys.back() = '}';
    required.back() = ']';
    CHECK(secondsOf([&] {
              CHECK(issuesOf(concat(R"({"required":)", required, "}"), keys).size() == 20);
          }) < 5);
}
