// SPDX-License-Identifier: Apache-2.0
// What makes a schema, and in which words everything else is refused.
#include "schema/schema.h"
#include "support/text.h"

#include <catch2/catch.hpp>

using Catch::Matchers::Contains;
using tenon::concat;
using tenon::Limits;
using tenon::json::Document;
using tenon::schema::Schema;

namespace {

// The refusal's message; "" when the schema compiles.
std::string refusal(std::string_view text, const Limits &limits = {}) {
    Document document;
    REQUIRE(document.readView(text, {16U << 20, 1'000}).has_value());
    const auto compiled = Schema::compile(document.root(), limits);
    if (compiled) {
        return "";
    }
    CHECK(compiled.error().code == "schema.invalid");
    return compiled.error().message;
}

bool compiles(std::string_view text) {
    return refusal(text).empty();
}

std::string nestedNot(int depth) {
    std::string out = "true";
    for (int i = 0; i < depth; ++i) {
        out = concat(R"({"not":)", out, "}");
    }
    return out;
}

} // namespace

TEST_CASE("Objects and booleans are schemas and nothing else is") {
    CHECK(compiles("{}"));
    CHECK(compiles("true"));
    CHECK(compiles("false"));
    for (const auto *text : {"null", "1", "\"string\"", "[]", R"({"properties":{"a":5}})",
                             R"({"items":"string"})", R"({"not":null})", R"({"anyOf":[3]})"}) {
        CAPTURE(text);
        CHECK_THAT(refusal(text), Contains("expected an object, true or false"));
    }
}

TEST_CASE("Each keyword with a value of the wrong kind is named with what was expected") {
    const std::tuple<std::string_view, std::string_view, std::string_view> wrong[] = {
        {"type", R"("text")", "null, boolean, number, integer, string, array, object"},
        {"type", "[]", "or a list of them"},
        {"type", R"(["string",5])", "or a list of them"},
        {"type", "{}", "or a list of them"},
        {"enum", R"("a")", "an array"},
        {"minimum", R"("1")", "a number"},
        {"maximum", "null", "a number"},
        {"exclusiveMinimum", "true", "a number"}, // draft 4 wrote booleans here
        {"exclusiveMaximum", "false", "a number"},
        {"multipleOf", "1234567890123456789", "at most 18 significant digits"},
        {"multipleOf", "0", "above 0 for multipleOf"},
        {"multipleOf", "-1", "above 0 for multipleOf"},
        {"minLength", "-1", "a whole number from 0"},
        {"maxLength", "1.5", "a whole number from 0"},
        {"minItems", R"("2")", "a whole number from 0"},
        {"maxItems", "1e-1", "a whole number from 0"},
        {"minProperties", "null", "a whole number from 0"},
        {"maxProperties", "[]", "a whole number from 0"},
        {"pattern", "5", "a regular expression as a string"},
        {"prefixItems", "{}", "a list of schemas"},
        {"uniqueItems", R"("true")", "true or false"},
        {"items", "[{}]", "lists are \"prefixItems\" in 2020-12"},
        {"properties", "[]", "an object"},
        {"patternProperties", "5", "an object"},
        {"required", R"("a")", "an array of strings"},
        {"required", "[1]", "an array of strings"},
        {"required", "true", "an array of strings"}, // draft 3
        {"dependentRequired", "[]", "an object"},
        {"dependentSchemas", "[]", "an object"},
        {"allOf", "[]", "a list of at least one schema"},
        {"anyOf", "{}", "a list of at least one schema"},
        {"oneOf", R"("x")", "a list of at least one schema"}};
    for (const auto &[keyword, value, expected] : wrong) {
        CAPTURE(keyword, value);
        const auto message = refusal(concat("{\"", keyword, "\":", value, "}"));
        CHECK_THAT(message, Contains(concat("in the schema {\"", keyword, "\":", value, "}: \"",
                                            keyword, "\" is ", value, "; expected ")));
        CHECK_THAT(message, Contains(std::string(expected)));
    }
    CHECK_THAT(refusal(R"({"dependentRequired":{"a":"b"}})"),
               Contains("\"dependentRequired\" is \"b\"; expected an array of strings"));
}

TEST_CASE("A keyword of another draft that would be passed over is refused with what to write") {
    CHECK_THAT(refusal(R"({"$recursiveRef":"#"})"),
               Contains("is of draft 2019-09; expected \"$dynamicRef\""));
    CHECK_THAT(refusal(R"({"properties":{"a":{"$recursiveAnchor":true}}})"),
               Contains("expected \"$dynamicAnchor\""));
    CHECK_THAT(refusal(R"({"prefixItems":[{}],"additionalItems":false})"),
               Contains("expected \"items\" beside \"prefixItems\""));
    CHECK(compiles(R"({"items":{},"additionalItems":false})")); // says nothing in any draft
}

TEST_CASE("An exclusive bound as draft-04 wrote it, beside its bound, is read so and noted") {
    Document source, document;
    REQUIRE(source
                .readView(R"({"minimum":0,"exclusiveMinimum":true,"maximum":9,
                                "exclusiveMaximum":false})")
                .has_value());
    const auto schema = Schema::compile(source.root(), Limits());
    REQUIRE(schema.has_value());
    for (const auto &[text, valid] :
         {std::pair("0", false), {"1", true}, {"9", true}, {"10", false}}) {
        REQUIRE(document.readView(text).has_value());
        CHECK((*schema)->validate(document.root()).empty() == valid);
    }
    REQUIRE((*schema)->notes().size() == 2);
    CHECK((*schema)->notes()[0] ==
          "\"exclusiveMinimum\": true is of draft-04, and was read as there; "
          "expected \"exclusiveMinimum\": 0");
}

TEST_CASE("A count beyond every size compiles") {
    CHECK(compiles(R"({"maxItems":1e400,"minLength":0.0,"maxLength":18446744073709551616})"));
}

TEST_CASE("Every problem of a schema is told, each with its place, up to five") {
    const auto message = refusal(R"({"properties":{"a":{"type":"x"},"b/c":{"minLength":-1}}})");
    CHECK_THAT(message, Contains("\"type\" is \"x\"") && Contains("(at /properties/a)"));
    CHECK_THAT(message, Contains("\"minLength\" is -1") && Contains("(at /properties/b~1c)"));
    const auto many = refusal(R"({"prefixItems":[1,2,3,4,5,6,7,8]})");
    CHECK_THAT(many, Contains("(at /prefixItems/3)") && !Contains("(at /prefixItems/2)"));
}

TEST_CASE(
    "A word that is a keyword elsewhere is plain data in const, enum, names and unknown keys") {
    CHECK(compiles(R"({"const":{"unevaluatedItems":1},"enum":[{"$ref":"x"}]})"));
    CHECK(compiles(R"({"properties":{"$ref":{"type":"string"},"$id":{},"dependencies":{}}})"));
    CHECK(compiles(R"({"x-note":{"$anchor":"a"},"default":{"$ref":"http://h/"},"examples":[5]})"));
}

TEST_CASE("Annotations and formats compile, known or not") {
    CHECK(compiles(R"({"title":"T","description":"D","deprecated":true,"readOnly":true,
                       "format":"made-up","contentEncoding":"base64","$comment":"c"})"));
}

TEST_CASE("$schema may be 2020-12, draft-07 or absent, and another draft is refused by name") {
    CHECK(compiles(R"({"$schema":"http://json-schema.org/draft-07/schema#"})"));
    CHECK(compiles(R"({"$schema":"https://json-schema.org/draft-07/schema"})"));
    for (const auto *other :
         {"http://json-schema.org/draft-03/schema#", "http://json-schema.org/draft-06/schema#",
          "https://json-schema.org/draft/2019-09/schema", "http://json-schema.org/schema#",
          "http://example.com/mine"}) {
        CAPTURE(other);
        CHECK_THAT(refusal(concat(R"({"$schema":")", other, "\"}")),
                   Contains("expected \"https://json-schema.org/draft/2020-12/schema\", "
                            "\"http://json-schema.org/draft-07/schema#\" or no $schema"));
    }
    CHECK(compiles(R"({"$schema":"https://json-schema.org/draft/2020-12/schema"})"));
    CHECK(compiles(R"({"$schema":"https://json-schema.org/draft/2020-12/schema#"})"));
    const auto message = refusal(R"({"$schema":"http://json-schema.org/draft-04/schema#"})");
    CHECK_THAT(message, Contains("\"$schema\" is \"http://json-schema.org/draft-04/schema#\""));
    CHECK_THAT(message, Contains("expected \"https://json-schema.org/draft/2020-12/schema\""));
    CHECK_FALSE(compiles(R"({"$schema":5})"));
}

TEST_CASE("A reference stays within the document: a pointer, with its escapes, to a subschema") {
    CHECK(compiles(R"({"properties":{"a":{"$ref":"#"}}})"));
    CHECK(compiles(R"({"$defs":{"a/b":{},"c~d":{},"e f":{},"%":{}},
        "allOf":[{"$ref":"#/$defs/a~1b"},{"$ref":"#/$defs/c~0d"},{"$ref":"#/$defs/e%20f"},
                 {"$ref":"#/$defs/%25"}]})"));
    CHECK(compiles(R"({"prefixItems":[{},{"$ref":"#/prefixItems/0"}]})"));
    CHECK(compiles(R"({"$defs":{"a~1b":{}},"$ref":"#/$defs/a~01b"})"));
    for (const auto *pointer :
         {"#/$defs/none", "#/prefixItems/1", "#/prefixItems/00", "#/prefixItems/0x",
          "#/prefixItems/-1", "#/prefixItems/", "#name", "#/$defs/a/deeper"}) {
        CAPTURE(pointer);
        const auto message =
            refusal(concat(R"({"$defs":{"a":{}},"prefixItems":[{}],"$ref":")", pointer, "\"}"));
        CHECK_THAT(message, Contains(concat("\"$ref\" is \"", pointer,
                                            "\"; expected a JSON Pointer "
                                            "to a subschema of this "
                                            "document")));
    }
}

TEST_CASE("Nothing is ever fetched") {
    for (const auto *reference :
         {R"("http://localhost/x.json")", R"("other.json#/a")", R"("//host/x")",
          R"("urn:uuid:deadbeef")", R"("file:///etc/passwd")"}) {
        CAPTURE(reference);
        const auto message = refusal(concat(R"({"$ref":)", reference, "}"));
        CHECK_THAT(message, Contains(concat("\"$ref\" is ", reference,
                                            "; expected a reference "
                                            "within the document")));
        CHECK_THAT(message, Contains("nothing is fetched"));
    }
}

TEST_CASE("A schema with an $id is found by it, and its own references count from there") {
    CHECK(compiles(R"({"$id":"https://example.com/s","type":"object"})"));
    CHECK(compiles(R"({"$id":"https://example.com/s","$ref":"b#/$defs/c",
                       "$defs":{"a":{"$id":"b","$defs":{"c":{}}}}})"));
    CHECK(
        compiles(R"({"$defs":{"a":{"$id":"x","$ref":"#name","$defs":{"b":{"$anchor":"name"}}}}})"));
    CHECK_THAT(refusal(R"({"$ref":"#name","$defs":{"a":{"$id":"x","$anchor":"name"}}})"),
               Contains("expected a JSON Pointer to a subschema of this document, or one of its "
                        "anchors"));
    CHECK_THAT(refusal(R"({"$defs":{"a":{"$id":"x"},"b":{"$id":"x"}}})"),
               Contains("two schemas have the \"$id\" x"));
    CHECK_THAT(refusal(R"({"$defs":{"a":{"$anchor":"x"},"b":{"$anchor":"x"}}})"),
               Contains("two subschemas have the anchor x"));
    CHECK_THAT(refusal(R"({"$id":"https://example.com/s#part"})"),
               Contains("expected a URI without a fragment"));
}

TEST_CASE("A name that is none, and a definition that is no schema, are refused") {
    for (const auto *text : {R"({"$anchor":"a b"})", R"({"$anchor":5})", R"({"$anchor":""})",
                             R"({"properties":{"x":{"$dynamicAnchor":"#a"}}})"}) {
        CAPTURE(text);
        CHECK_THAT(refusal(text), Contains("expected a name of letters, digits, _ - and ."));
    }
    CHECK_THAT(refusal(R"({"$id":5})"), Contains("\"$id\" is 5; expected a URI as a string"));
    CHECK_THAT(refusal(R"({"$defs":[]})"), Contains("\"$defs\" is []; expected an object"));
    CHECK_THAT(refusal(R"({"$defs":{"a":5}})"), Contains("expected an object, true or false"));
    CHECK_THAT(refusal(R"({"$defs":{"a":{"$ref":"http://h/x"}}})"), Contains("nothing is fetched"));
}

TEST_CASE("The standard's metaschemas may be referred to, and documents that the caller gave") {
    CHECK(compiles(R"({"$ref":"https://json-schema.org/draft/2020-12/schema"})"));
    CHECK(compiles(
        R"({"$ref":"https://json-schema.org/draft/2020-12/meta/validation#/$defs/simpleTypes"})"));
    CHECK(
        compiles(R"({"$ref":"http://json-schema.org/draft-07/schema#/definitions/stringArray"})"));
    tenon::schema::Options options;
    options.documents["http://localhost/x.json"] = R"({"$defs":{"a":{"type":"integer"}}})";
    Document document;
    REQUIRE(document.readView(R"({"$ref":"http://localhost/x.json#/$defs/a"})").has_value());
    CHECK(Schema::compile(document.root(), Limits(), options).has_value());
    options.documents["http://localhost/x.json"] = "{";
    const auto broken = Schema::compile(document.root(), Limits(), options);
    REQUIRE_FALSE(broken.has_value());
    CHECK_THAT(broken.error().message,
               Contains("the document http://localhost/x.json cannot be read: line 1, column 2"));
}

TEST_CASE("A schema that refers to itself for the same value is refused: it has no end") {
    for (const auto *text :
         {R"({"$ref":"#"})", R"({"$ref":""})", R"({"allOf":[{"$ref":"#"}]})",
          R"({"anyOf":[{"type":"null"},{"$ref":"#"}]})", R"({"not":{"$ref":"#"}})",
          R"({"if":true,"then":{"$ref":"#"}})", R"({"dependentSchemas":{"a":{"$ref":"#"}}})",
          R"({"$ref":"#/$defs/a","$defs":{"a":{"$ref":"#/$defs/b"},"b":{"$ref":"#/$defs/a"}}})"}) {
        CAPTURE(text);
        CHECK_THAT(refusal(text), Contains("the schema refers to itself without end"));
    }
}

TEST_CASE("A recursive schema compiles to a finite program") {
    CHECK(compiles(R"({"type":"object","properties":{"nodes":{"type":"array","items":
        {"type":"object","properties":{"v":{"type":"string"},
         "kids":{"type":"array","items":{"$ref":"#/properties/nodes/items"}}}}}}})"));
    CHECK(compiles(R"({"$ref":"#/$defs/a","$defs":{"a":{"items":{"$ref":"#/$defs/b"}},
                       "b":{"$ref":"#/$defs/a"}}})"));
}

TEST_CASE("A pattern that cannot be compiled is shown with the reason") {
    for (const auto *pattern : {"(", "[a-", "*", "a{2,1}", "[b-a]", "(?<n>a)(?<n>b)"}) {
        CAPTURE(pattern);
        CHECK_THAT(refusal(concat(R"({"pattern":")", pattern, "\"}")),
                   Contains("cannot be compiled"));
        CHECK_FALSE(compiles(concat(R"({"patternProperties":{")", pattern, "\":{}}}")));
    }
    CHECK_THAT(refusal(R"({"pattern":"(a"})"), Contains("the pattern \"(a\" cannot be compiled: "));
}

TEST_CASE("Schema depth at its limit compiles and one level more is refused") {
    const Limits limits; // a not is one level of objects
    CHECK(refusal(nestedNot(static_cast<int>(limits.schemaDepthMax)), limits).empty());
    CHECK_THAT(refusal(nestedNot(static_cast<int>(limits.schemaDepthMax) + 1), limits),
               Contains("the schema is nested 65 deep; the limit is 64 (limits.schemaDepth)"));
}

TEST_CASE("Subschemas at their limit compile and one more is refused by the limit's name") {
    Limits limits;
    limits.subschemasMax = 4;
    CHECK(refusal(R"({"properties":{"a":{},"b":{},"c":{}}})", limits).empty());
    CHECK_THAT(refusal(R"({"properties":{"a":{},"b":{},"c":{},"d":{}}})", limits),
               Contains("more than 4 subschemas, the limit (limits.subschemas)"));
    CHECK(refusal(R"({"allOf":[{"$ref":"#/$defs/a"},{"$ref":"#/$defs/a"}],"$defs":{"a":{}}})",
                  limits)
              .empty()); // the same subschema counts once
}

TEST_CASE("The error shows the subschema that is wrong, cut when it is long") {
    CHECK_THAT(refusal(R"({"properties":{"deep":{"properties":{"x":{"type":"strin"}}}}})"),
               Contains(R"(in the schema {"type":"strin"}: "type" is "strin")"));
    CHECK_THAT(refusal(concat(R"({"minLength":-1,"description":")", std::string(1000, 'x'), "\"}")),
               Contains("more bytes)"));
    CHECK_THAT(refusal("{\"type\":\"\\u001b[31m\"}"), !Contains("\x1B"));
}

TEST_CASE("A missing schema is refused") {
    CHECK_FALSE(Schema::compile(tenon::json::Value(), Limits()).has_value());
}
