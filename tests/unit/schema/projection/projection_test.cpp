// SPDX-License-Identifier: Apache-2.0
// What becomes of schemas for each provider. golden_test.cpp holds whole projections.
#include "provider_rules.h"
#include "schema/projection/projection.h"
#include "schema/schema.h"
#include "support/text.h"

#include <catch2/catch.hpp>

#include <string>
#include <vector>

using Catch::Matchers::Contains;
using namespace tenon;
using schema::Projection;
using schema::Provider;
using schema::Strictness;
using testing::Rules;

namespace {

constexpr Provider kAll[] = {Provider::Anthropic, Provider::OpenAi, Provider::Gemini,
                             Provider::AiSdk};

Projection projected(std::string_view text, Provider provider,
                     Strictness strictness = Strictness::Loose) {
    json::Document document;
    REQUIRE(document.readView(text).has_value());
    return schema::project(document.root(), provider, strictness);
}
Projection strict(std::string_view text, Provider provider) {
    return projected(text, provider, Strictness::Strict);
}

std::string all(const std::vector<std::string> &sentences) {
    std::string out;
    for (const auto &sentence : sentences) {
        out += concat(sentence, "\n");
    }
    return out;
}

bool takes(std::string_view schemaText, std::string_view value) {
    json::Document schema, instance;
    REQUIRE(schema.readView(schemaText).has_value());
    REQUIRE(instance.readView(value).has_value());
    const auto compiled = schema::Schema::compile(schema.root(), Limits());
    INFO((compiled ? "" : compiled.error().message));
    REQUIRE(compiled.has_value());
    return (*compiled)->validate(instance.root()).empty();
}

// An object of one key with this schema.
std::string keyed(std::string_view schema) {
    return concat(R"({"type":"object","properties":{"k":)", schema, "}}");
}
// What the key becomes for Gemini.
std::string geminiKey(std::string_view schema) {
    const auto made = projected(keyed(schema), Provider::Gemini).json;
    const std::string_view before = R"({"type":"object","properties":{"k":)";
    REQUIRE(made.substr(0, before.size()) == before);
    return made.substr(before.size(), made.size() - before.size() - 2);
}

} // namespace

TEST_CASE("What every provider takes goes out as it is, member for member, and nothing is lost") {
    const std::string plain =
        R"({"type":"object","title":"T","properties":{"b":{"type":"string","description":"é"},)"
        R"("a":{"type":"array","items":{"type":"integer","minimum":1}}},"required":["b"],)"
        R"("additionalProperties":false})";
    for (const auto provider : kAll) {
        CAPTURE(nameOf(provider));
        const auto made = projected(plain, provider);
        CHECK(made.json == plain);
        CHECK(made.lost.empty());
        CHECK(made.notStrict.empty());
        CHECK_FALSE(made.strict);
    }
}

TEST_CASE("The root is an object with properties, whatever was left unsaid") {
    for (const auto provider : kAll) {
        CHECK(projected("{}", provider).json == R"({"type":"object","properties":{}})");
        CHECK(projected("true", provider).json == R"({"type":"object","properties":{}})");
        CHECK(projected(R"({"type":["object","null"]})", provider).json ==
              R"({"type":"object","properties":{}})");
    }
}

TEST_CASE("Definitions stay while they are used, and references resolve (S01)") {
    const std::string text =
        R"({"type":"object","properties":{"q":{"$ref":"#/$defs/Q"}},"required":["q"],"$defs":{)"
        R"("unused":{"$ref":"#/$defs/also"},"also":{},"Q":{"type":"object","properties":{)"
        R"("limit":{"type":"integer"}},"additionalProperties":false}}})";
    for (const auto provider : kAll) {
        const auto made = projected(text, provider);
        CHECK(made.json ==
              R"({"type":"object","properties":{"q":{"$ref":"#/$defs/Q"}},"required":["q"],)"
              R"("$defs":{"Q":{"type":"object","properties":{"limit":{"type":"integer"}},)"
              R"("additionalProperties":false}}})");
        CHECK(made.lost.empty());
    }
}

TEST_CASE("A definition that many refer to stands in the projection once (N09)") {
    std::string text = R"({"type":"object","properties":{)";
    for (int i = 0; i < 200; ++i) {
        text += concat(i > 0 ? "," : "", R"("k)", i,
                       R"(":{"$ref":"#/$defs/Big","description":"one of many"})");
    }
    text += concat(R"(},"$defs":{"Big":{"type":"object","description":")", std::string(5'000, 'x'),
                   R"("}}})");
    for (const auto provider : kAll) {
        CHECK(projected(text, provider).json.size() < text.size() + 10'000);
    }
}

TEST_CASE("A recursive schema by JSON Pointer stays finite, and takes what it took (S17)") {
    const std::string text =
        R"({"type":"object","properties":{"nodes":{"type":"array","items":{"type":"object",)"
        R"("properties":{"v":{"type":"string"},"kids":{"type":"array","items":{)"
        R"("$ref":"#/properties/nodes/items"}}}}}}})";
    std::string tree = R"({"v":"leaf"})";
    for (int i = 0; i < 30; ++i) {
        tree = concat(R"({"v":"x","kids":[)", tree, "]}");
    }
    const auto good = concat(R"({"nodes":[)", tree, "]}");
    auto bad = good;
    bad.replace(bad.find("\"leaf\""), 6, "7");
    REQUIRE(takes(text, good));
    REQUIRE_FALSE(takes(text, bad));
    for (const auto provider : kAll) {
        const auto made = projected(text, provider);
        CHECK(made.json.size() < 2 * text.size());
        CHECK(made.lost.empty());
        CHECK(takes(made.json, good));
        CHECK_FALSE(takes(made.json, bad));
    }
}

TEST_CASE("Definitions that double one another at each level stay finite") {
    for (const auto *keyword : {"allOf", "anyOf", "oneOf"}) {
        std::string text = concat(R"({"type":"object",")", keyword,
                                  R"(":[{"$ref":"#/$defs/d0"},{"$ref":"#/$defs/d0"}],)",
                                  R"("properties":{"k":{"$ref":"#/$defs/d0"}},"$defs":{)");
        for (int i = 0; i < 40; ++i) {
            text += concat(R"("d)", i, R"(":{"properties":{"p)", i, R"(":{}},")", keyword,
                           R"(":[{"$ref":"#/$defs/d)", i + 1, R"("},{"$ref":"#/$defs/d)", i + 1,
                           R"("}]},)");
        }
        text += R"("d40":{"type":"object"}}})";
        for (const auto provider : kAll) {
            CAPTURE(keyword, nameOf(provider));
            CHECK(projected(text, provider).json.size() < 1'000'000);
        }
    }
}

TEST_CASE("Choices with more keys than are looked into are left open, and that is told") {
    std::string text = R"({"type":"object","properties":{"own":{}},"anyOf":[)";
    for (int i = 0; i < 6'000; ++i) {
        text += concat(i > 0 ? "," : "", R"({"properties":{"k)", i, R"(":{}}})");
    }
    const auto made = projected(text + "]}", Provider::AiSdk);
    CHECK_THAT(made.json, Contains("\"own\":{}") && Contains("\"k9\":{}"));
    CHECK_THAT(all(made.lost), Contains("the root: its choices have more parts or keys"));
}

TEST_CASE("Depth costs no stack") {
    std::string text = R"({"type":"object","properties":{"k":)";
    for (int i = 0; i < 20'000; ++i) {
        text += R"({"anyOf":[)";
    }
    text += "{}";
    for (int i = 0; i < 20'000; ++i) {
        text += "]}";
    }
    text += "}}";
    json::Document document;
    json::ReadLimits deep;
    deep.depthMax = 100'000;
    REQUIRE(document.readView(text, deep).has_value());
    for (const auto provider : kAll) {
        CHECK_FALSE(schema::project(document.root(), provider, Strictness::Strict).strict);
    }
}

TEST_CASE("Choices at the root become one list of keys (S03)") {
    for (const auto *keyword : {"anyOf", "oneOf", "allOf"}) {
        for (const auto provider : kAll) {
            CAPTURE(keyword, nameOf(provider));
            const auto made = projected(
                concat(R"({"type":"object","properties":{"q":{"type":"string"},"c":{}},)",
                       R"("required":["q"],")", keyword,
                       R"(":[{"properties":{"a":{"type":"string"}},"required":["a","c"]},)",
                       R"({"properties":{"b":{"type":"string"}},"required":["b","c"]}]})"),
                provider);
            const std::string_view required =
                std::string_view(keyword) == "allOf" ? R"(["q","a","b","c"])" : R"(["q","c"])";
            CHECK(made.json ==
                  concat(R"({"type":"object","properties":{"q":{"type":"string"},"c":{},)",
                         R"("a":{"type":"string"},"b":{"type":"string"}},"required":)", required,
                         "}"));
            CHECK_THAT(all(made.lost), Contains(concat("the root: \"", keyword, "\"")));
        }
    }
}

TEST_CASE("A key of several alternatives has the values or forms of all of them") {
    const auto made = projected(
        R"({"type":"object","oneOf":[
            {"properties":{"kind":{"const":"a","description":"which"},"x":{"type":"integer"}},
             "required":["kind"],"additionalProperties":false},
            {"properties":{"kind":{"enum":["b","c"]},"x":{"type":"string"}},
             "required":["kind","x"],"additionalProperties":false}]})",
        Provider::Anthropic);
    CHECK(made.json ==
          R"({"type":"object","properties":{"kind":{"enum":["a","b","c"],"description":"which"},)"
          R"("x":{"anyOf":[{"type":"integer"},{"type":"string"}]}},"required":["kind"],)"
          R"("additionalProperties":false})");
}

TEST_CASE("A root stays closed only if every alternative is") {
    const auto made = [](std::string_view second) {
        return projected(concat(R"({"type":"object","anyOf":[{"properties":{"a":{}},)",
                                R"("additionalProperties":false},)", second, "]}"),
                         Provider::AiSdk)
            .json;
    };
    CHECK_THAT(made(R"({"properties":{"b":{}},"additionalProperties":false})"),
               Contains(R"("additionalProperties":false)"));
    for (const auto *open : {R"({"properties":{"b":{}}})", "true", R"({"$ref":"#"})",
                             R"({"patternProperties":{"b":{}},"additionalProperties":false})"}) {
        CHECK_THAT(made(open), !Contains("additionalProperties"));
    }
}

TEST_CASE("What one alternative leaves open is not narrowed by what another says") {
    // "slow" is right with "other", which says nothing of the mode.
    const std::string text =
        R"({"type":"object","properties":{"mode":{"type":"string"}},"anyOf":[
            {"properties":{"mode":{"const":"fast"}},"required":["mode"]},{"required":["other"]}]})";
    REQUIRE(takes(text, R"({"mode":"slow","other":1})"));
    for (const auto provider : kAll) {
        CHECK(takes(projected(text, provider).json, R"({"mode":"slow","other":1})"));
    }
    const auto needed = projected(
        R"({"type":"object","anyOf":[{"properties":{"k":{"const":1}}},{"required":["k"]}]})",
        Provider::AiSdk);
    CHECK_THAT(needed.json, Contains(R"("k":{})"));
}

TEST_CASE("A key that only some alternatives name has their form, the one narrowing there is") {
    const std::string text = R"({"type":"object","anyOf":[{"properties":{"a":{"type":"string"}}},
                                 {"properties":{"b":{"type":"string"}}}]})";
    REQUIRE(takes(text, R"({"a":1,"b":"x"})")); // for nobody said what "a" is beside "b"
    CHECK_FALSE(takes(projected(text, Provider::AiSdk).json, R"({"a":1,"b":"x"})"));
}

TEST_CASE("What another alternative says of a key that it does not name is part of its form") {
    const auto form = [](std::string_view first, std::string_view second) {
        return projected(concat(R"({"type":"object","anyOf":[)", first, ",", second,
                                R"(],"$defs":{"D":{"additionalProperties":{"type":"string"}}}})"),
                         Provider::AiSdk)
            .json;
    };
    const auto *const names = R"({"properties":{"a":{"type":"integer"}},"required":["a"]})";
    const auto *const either = R"("a":{"anyOf":[{"type":"integer"},{"type":"string"}]})";
    for (const auto *second :
         {R"({"additionalProperties":{"type":"string"}})", R"({"$ref":"#/$defs/D"})",
          R"({"patternProperties":{"^a":{"type":"string"}}})",
          R"({"allOf":[{"properties":{"b":{}}},{"$ref":"#/$defs/D"}]})",
          R"({"anyOf":[{"properties":{"b":{}}},{"$ref":"#/$defs/D"}]})",
          R"({"unevaluatedProperties":{"type":"string"}})"}) {
        CHECK_THAT(form(names, second), Contains(either));
        CHECK_THAT(form(second, names), Contains(R"("a":{"anyOf":[)"));
    }
    for (const auto *silent : {R"({"additionalProperties":true})", R"({"properties":{"b":{}}})",
                               R"({"additionalProperties":false})", "true"}) {
        CHECK_THAT(form(names, silent), Contains(R"("a":{"type":"integer"})"));
    }
    // More forms than stand at one key.
    std::string patterns;
    for (int i = 0; i < 9; ++i) {
        patterns += concat(i > 0 ? "," : "", R"("^)", i, R"(":{"minimum":)", i, "}");
    }
    CHECK_THAT(form(names, concat(R"({"patternProperties":{)", patterns, "}}")),
               Contains(R"("a":{})"));
    // What holds for every alternative.
    CHECK_THAT(
        projected(concat(R"({"type":"object","additionalProperties":{"type":"string"},"anyOf":[)",
                         names, R"(,{"properties":{"b":{}}}]})"),
                  Provider::AiSdk)
            .json,
        Contains(R"("a":{"type":"string"})"));
    CHECK_THAT(projected(concat(R"({"type":"object","unevaluatedProperties":{"type":"string"},)",
                                R"("anyOf":[)", names, R"(,{"properties":{"b":{}}}]})"),
                         Provider::AiSdk)
                   .json,
               Contains(either));
}

TEST_CASE("What alternatives of several choices say of a key is part of its form") {
    const auto root = [](std::string_view keywords) {
        return concat(R"({"type":"object",)", keywords, "}");
    };
    const auto *const named = R"({"properties":{"a":{"type":"integer"}}})";
    const auto *const other = R"({"properties":{"b":{}},"required":["b"]})";
    const auto both = [&](std::string_view second) {
        return root(concat(R"("allOf":[{"anyOf":[)", named, ",", other, R"(]},{"anyOf":[)", second,
                           R"(,{"properties":{"c":{}},"required":["c"]}]}])"));
    };
    const auto patterns = [&](std::string_view more) {
        return root(concat(R"("anyOf":[)", named,
                           R"(,{"patternProperties":{"^b":{"type":"string"}},)", more, "}]"));
    };
    const auto named2 = both(R"({"properties":{"a":{"type":"string"}},"required":["a"]})");
    const auto further = both(R"({"additionalProperties":{"type":"string"}})");
    const auto beside = root(concat(R"("patternProperties":{"^b":{"type":"string"}},"anyOf":[)",
                                    named, R"(,{"properties":{"c":{}}}])"));
    for (const auto &[text, value] : {
             std::pair<std::string, std::string_view>{named2, R"({"a":1,"c":1})"},
             {named2, R"({"a":"x","b":1})"},
             {further, R"({"a":1,"c":1})"},
             {further, R"({"a":"x","b":"x"})"},
             {beside, R"({"a":1})"},
             {patterns(R"("required":["a"])"), R"({"a":true})"},
             {patterns(R"("allOf":[{"patternProperties":{"^a":{"type":"boolean"}}}])"),
              R"({"a":true})"},
         }) {
        CAPTURE(text, value);
        REQUIRE(takes(text, value));
        for (const auto provider : kAll) {
            CHECK(takes(projected(text, provider).json, value));
        }
    }
}

TEST_CASE("Conditions at the root name keys, and what they ask of them is no limit") {
    const std::string text = R"({"type":"object","if":{"properties":{"kind":{"const":"a"}}},
        "then":{"properties":{"x":{"type":"integer"}},"required":["x"]},
        "else":{"properties":{"y":{"type":"string"}}},"unevaluatedProperties":false})";
    for (const auto *value : {R"({"kind":"a","x":1})", R"({"kind":"b","y":"s"})", R"({"x":1})"}) {
        for (const auto provider : kAll) {
            CAPTURE(value);
            CHECK(takes(text, value) <= takes(projected(text, provider).json, value));
        }
    }
    CHECK_THAT(projected(text, Provider::AiSdk).json,
               Contains(R"("kind":{},"x":{"type":"integer"},"y":{"type":"string"})"));
}

TEST_CASE("A root that is a reference stands for what it refers to, with its own words kept") {
    for (const auto *keyword : {"$defs", "definitions"}) {
        const auto made = projected(
            concat(R"({"$ref":"#/)", keyword, R"(/In","description":"mine",")", keyword,
                   R"(":{"In":{"type":"object","description":"its","properties":{"a":{}},)",
                   R"("minProperties":1}}})"),
            Provider::Anthropic);
        CHECK(made.json == R"({"description":"mine","type":"object","properties":{"a":{}},)"
                           R"("minProperties":1})");
        CHECK(made.lost.empty());
    }
}

TEST_CASE("Draft-07 is told in the words of 2020-12") {
    const std::string text =
        R"({"$schema":"http://json-schema.org/draft-07/schema#","type":"object","properties":{
            "pair":{"items":[{"type":"string"},{"type":"number"}],"additionalItems":false},
            "list":{"items":{"type":"string"},"additionalItems":{"type":"number"}},
            "ref":{"$ref":"#/definitions/D","maxLength":1,"description":"d"}},
            "dependencies":{"a":["b"],"c":{"required":["d"]}},
            "definitions":{"D":{"$id":"#d","type":"string"}}})";
    const auto made = projected(text, Provider::AiSdk);
    CHECK(made.json ==
          R"({"type":"object","properties":{"pair":{"prefixItems":[{"type":"string"},)"
          R"({"type":"number"}],"items":false},"list":{"items":{"type":"string"}},)"
          R"("ref":{"$ref":"#/$defs/D","description":"d"}},"dependentRequired":{"a":["b"]},)"
          R"("dependentSchemas":{"c":{"required":["d"]}},"$defs":{"D":{"type":"string"}}})");
    CHECK(made.lost.empty());
}

TEST_CASE("Identifiers, anchors and pointers all become definitions of their own") {
    const std::string text = R"({"$id":"https://t.example/a/root","type":"object","properties":{
        "id":{"$ref":"item"},"whole":{"$ref":"https://t.example/a/item#"},"anchor":{"$ref":"#here"},
        "pointer":{"$ref":"#/properties/id2/items"},"id2":{"items":{"type":"null"}},
        "dynamic":{"$dynamicRef":"#there"},"root":{"$ref":"#"}},
        "$defs":{"x":{"$id":"item","type":"string"},"x y":{"$anchor":"here","type":"number"},
                 "z":{"$dynamicAnchor":"there","type":"boolean"}}})";
    const auto made = projected(text, Provider::AiSdk);
    CHECK(
        made.json ==
        R"({"type":"object","properties":{"id":{"$ref":"#/$defs/x"},"whole":{"$ref":"#/$defs/x"},)"
        R"("anchor":{"$ref":"#/$defs/x_y"},"pointer":{"$ref":"#/$defs/items"},)"
        R"("id2":{"items":{"$ref":"#/$defs/items"}},"dynamic":{"$ref":"#/$defs/z"},)"
        R"("root":{"$ref":"#"}},"$defs":{"items":{"type":"null"},"x":{"type":"string"},)"
        R"("x_y":{"type":"number"},"z":{"type":"boolean"}}})");
    CHECK(made.lost.empty());
}

TEST_CASE("A reference out of the document is left open and reported, never followed") {
    const auto made = projected(
        R"({"type":"object","properties":{"a":{"$ref":"https://other.example/s","title":"t"},
            "b":{"not":{"$ref":"#/$defs/none"}}}})",
        Provider::AiSdk);
    // "b" would refuse everything if its "not" were kept.
    CHECK(made.json == R"({"type":"object","properties":{"a":{"title":"t"},"b":{}}})");
    CHECK_THAT(all(made.lost), Contains("/properties/a: \"$ref\" leads to") &&
                                   Contains("/properties/b: \"not\" is left out"));
}

TEST_CASE("Anthropic refuses odd keys of the root, so they are left out and the rest is not lost") {
    const std::string longKey(65, 'k');
    const auto made =
        projected(concat(R"({"type":"object","properties":{"filter[id]":{},"a.b-c_D":{},")",
                         longKey, R"(":{},"n":{"properties":{"x y":{}}}},)",
                         R"("required":["filter[id]","n"],"additionalProperties":false})"),
                  Provider::Anthropic);
    CHECK(made.json == R"({"type":"object","properties":{"a.b-c_D":{},)"
                       R"("n":{"properties":{"x y":{}}}},"required":["n"]})");
    CHECK(made.lost.size() == 2);
    CHECK_THAT(all(made.lost), Contains("the root: the key \"filter[id]\" is not taken"));
}

TEST_CASE("OpenAI has items in every array, and objects for schemas") {
    const auto made = projected(
        R"({"type":"object","properties":{"l":{"type":["array","null"]},"t":true,"f":false,
            "o":{"additionalProperties":true,"anyOf":[true,{"items":false}]}}})",
        Provider::OpenAi);
    CHECK(made.json == R"({"type":"object","properties":{"l":{"type":["array","null"],"items":{}},)"
                       R"("t":{},"f":{"not":{}},"o":{"additionalProperties":true,)"
                       R"("anyOf":[{},{"items":{"not":{}}}]}}})");
    CHECK(made.lost.empty());
}

TEST_CASE("Gemini is told in the keywords that it reads") {
    CHECK(geminiKey(R"({"const":"a"})") == R"({"enum":["a"]})");
    CHECK(geminiKey(R"({"enum":["a",1,null]})") ==
          R"({"anyOf":[{"enum":["a",1]},{"type":"null"}]})");
    CHECK(geminiKey(R"({"const":true})") == R"({"type":"boolean"})");
    CHECK(geminiKey(R"({"enum":[null,[1]]})") == R"({"type":["null","array"],"items":{}})");
    CHECK(geminiKey(R"({"type":"number","exclusiveMinimum":3})") ==
          R"({"type":"number","minimum":3})");
    CHECK(geminiKey(R"({"type":"string","pattern":"a","minLength":1,"default":"x"})") ==
          R"({"type":"string"})");
    CHECK(geminiKey(R"({"oneOf":[{"type":"string"},{"type":"null"}]})") ==
          R"({"anyOf":[{"type":"string"},{"type":"null"}]})");
    CHECK(geminiKey(R"({"anyOf":[{"type":"number"},{"not":{}},false]})") ==
          R"({"anyOf":[{"type":"number"}]})");
    CHECK(geminiKey(R"({"type":"array","prefixItems":[{"type":"string"}],"items":false})") ==
          R"({"type":"array","prefixItems":[{"type":"string"}],"maxItems":1,"items":{}})");
    CHECK(geminiKey(R"({"allOf":[{"type":"string"},{"format":"date"}],"title":"t"})") ==
          R"({"title":"t","type":"string","format":"date"})");
    CHECK(geminiKey(R"({"patternProperties":{"^a":{}},"additionalProperties":false})") == "{}");
    CHECK(geminiKey(R"({"required":["a"]})") == R"({"required":["a"],"properties":{"a":{}}})");
}

TEST_CASE("A reference stands alone for Gemini: what is beside it is put around it") {
    const auto made = projected(
        R"({"type":"object","properties":{"a":{"$ref":"#/$defs/D","description":"mine"}},
            "$defs":{"D":{"type":"string"}}})",
        Provider::Gemini);
    CHECK(made.json == R"({"type":"object","properties":{"a":{"description":"mine",)"
                       R"("anyOf":[{"$ref":"#/$defs/D"}]}},"$defs":{"D":{"type":"string"}}})");
    CHECK(made.lost.empty());
}

TEST_CASE("A cycle passes under an optional key for Gemini, or is cut") {
    const auto made = projected(
        R"({"type":"object","properties":{"t":{"$ref":"#/$defs/T"},"l":{"$ref":"#/$defs/L"}},
            "required":["t"],"$defs":{
            "T":{"type":"object","properties":{"v":{},"next":{"$ref":"#/$defs/T"}},
                 "required":["v","next"]},
            "L":{"type":"array","items":{"$ref":"#/$defs/L"}}}})",
        Provider::Gemini);
    CHECK_THAT(made.json, Contains(R"("required":["t"])") && Contains(R"("required":["v"])") &&
                              Contains(R"("L":{"type":"array","items":{}})"));
    CHECK_THAT(all(made.lost), Contains("/$defs/T: the key \"next\" leads back") &&
                                   Contains("/$defs/L/items: a reference that leads back"));
}

TEST_CASE("What would refuse more once a part of it takes more is left out") {
    for (const auto *narrow :
         {R"({"not":{"pattern":"^a"}})", R"({"if":{"minLength":3},"then":{"type":"null"}})",
          R"({"oneOf":[{"type":"string","maxLength":1},{"type":"string","minLength":2}]})",
          R"({"contains":{"pattern":"a"},"maxContains":1})", R"({"not":{"$ref":"#/$defs/P"}})",
          R"({"patternProperties":{"a":{}},"unevaluatedProperties":false})"}) {
        const auto text = concat(R"({"type":"object","properties":{"k":)", narrow,
                                 R"(},"$defs":{"P":{"pattern":"a"}}})");
        const auto made = projected(text, Provider::Gemini);
        for (const auto *value :
             {"1", "\"b\"", "\"bb\"", "\"bbb\"", "[\"b\",\"b\",\"a\"]", R"({"a":1})", "null"}) {
            const auto instance = concat(R"({"k":)", value, "}");
            CAPTURE(text, instance, made.json);
            CHECK(takes(text, instance) <= takes(made.json, instance));
        }
        CHECK_FALSE(made.lost.empty());
    }
}

TEST_CASE("A root that takes more now does not refuse more where a part of it negates it") {
    const std::string text = R"({"type":"object","properties":{"k":{"not":{"$ref":"#"}}},
                                 "anyOf":[{"required":["a"]},{"required":["b"]}]})";
    REQUIRE(takes(text, R"({"a":1,"k":{}})"));
    for (const auto provider : kAll) {
        CHECK(takes(projected(text, provider).json, R"({"a":1,"k":{}})"));
    }
}

TEST_CASE("OpenAI's strict form requires every key and makes the optional ones nullable") {
    const auto made = strict(
        R"({"type":"object","properties":{"a":{"type":"string"},"b":{"type":"integer","minimum":1},
            "e":{"enum":["x","y"]},"c":{"const":3},"r":{"$ref":"#/$defs/R","description":"d"},
            "o":{"anyOf":[{"type":"string"},{"type":"integer"}]},"n":{"type":["null","string"]}},
            "required":["a","n"],"additionalProperties":false,
            "$defs":{"R":{"type":"object","additionalProperties":false}}})",
        Provider::OpenAi);
    CHECK(made.strict);
    CHECK(made.notStrict.empty());
    CHECK(made.lost.empty());
    CHECK(made.json ==
          R"({"type":"object","properties":{"a":{"type":"string"},)"
          R"("b":{"type":["integer","null"],"minimum":1},)"
          R"("e":{"type":["string","null"],"enum":["x","y",null]},)"
          R"("c":{"type":["number","null"],"enum":[3,null]},)"
          R"("r":{"anyOf":[{"$ref":"#/$defs/R"},{"type":"null"}],"description":"d"},)"
          R"("o":{"anyOf":[{"type":"string"},{"type":"integer"},{"type":"null"}]},)"
          R"("n":{"type":["null","string"]}},"required":["a","b","e","c","r","o","n"],)"
          R"("additionalProperties":false,"$defs":{"R":{"type":"object","properties":{},)"
          R"("additionalProperties":false,"required":[]}}})");
}

TEST_CASE("Anthropic's strict form keeps keys optional, and counts them and the unions") {
    const auto made = strict(
        R"({"type":"object","properties":{"a":{"type":"string","default":"x"},
            "b":{"type":["string","null"]},"c":{"anyOf":[{"type":"string"},{"type":"null"}]},
            "d":{"type":"array","items":{"type":"string"},"minItems":1}},
            "required":["d"],"additionalProperties":false})",
        Provider::Anthropic);
    CHECK(made.strict);
    CHECK_THAT(made.json, Contains(R"("required":["d"])") && Contains(R"("default":"x")"));
    CHECK(made.optionalKeys == 3);
    CHECK(made.unions == 2);
}

TEST_CASE(
    "A strict form is refused, with the place and the reason, where it would lose something") {
    struct Refused {
        std::string_view keySchema, reason;
        bool openAi, anthropic;
    };
    for (const auto &[keySchema, reason, openAi, anthropic] : {
             Refused{R"({"type":"object","properties":{}})", "takes further keys", true, true},
             Refused{R"({"type":"string","minLength":1})", "\"minLength\" is not taken", true,
                     true},
             Refused{R"({"type":"integer","minimum":1})", "\"minimum\" is not taken", false, true},
             Refused{R"({"not":{"type":"string"}})", "\"not\" is not taken", true, true},
             Refused{R"({"oneOf":[{"type":"string"},{"type":"string"}]})", "\"oneOf\" is not taken",
                     true, true},
             Refused{"{}", "values of every type", true, true},
             Refused{"true", "takes everything or nothing", true, true},
             Refused{R"({"type":"array"})", "its items have no schema", true, true},
             Refused{R"({"type":"array","items":{"type":"string"},"uniqueItems":true})",
                     "\"uniqueItems\"", true, true},
             Refused{R"({"type":"array","items":{"type":"string"},"minItems":2})",
                     "\"minItems\" is 2", false, true},
             Refused{R"({"enum":[{"a":1}]})", "a listed value is an object", true, true},
             Refused{R"({"type":"string","pattern":"(?=a)b"})", "the pattern", true, true},
             Refused{R"({"$ref":"#"})", "leads back to itself", false, true},
         }) {
        const auto text = concat(R"({"type":"object","properties":{"k":)", keySchema,
                                 R"(},"required":["k"],"additionalProperties":false})");
        for (const auto provider : {Provider::OpenAi, Provider::Anthropic}) {
            CAPTURE(text, nameOf(provider));
            const auto made = strict(text, provider);
            const bool refused = provider == Provider::OpenAi ? openAi : anthropic;
            CHECK(made.strict == !refused);
            CHECK(made.notStrict.empty() == !refused);
            if (refused) {
                CHECK_THAT(all(made.notStrict), Contains(std::string(reason)));
                CHECK(made.json == projected(text, provider).json);
            }
        }
    }
}

TEST_CASE("OpenAI has no strict form for an optional key that may be null, Anthropic has") {
    struct Optional {
        std::string_view form;
        bool strict;
    };
    for (const auto &[form, isStrict] : {
             Optional{R"({"type":["string","null"],"default":"dflt"})", false},
             Optional{R"({"type":["string","null"],"enum":["a","b"]})", true},
             Optional{R"({"enum":["a",null]})", false},
             Optional{R"({"type":"string","enum":["a",null]})", true},
             Optional{R"({"const":null})", false},
             Optional{R"({"anyOf":[{"type":"string"},{"type":"null"}]})", false},
             Optional{R"({"oneOf":[{"type":"string"},{"type":"null"}]})", false},
             Optional{R"({"anyOf":[{"type":"string"},{"$ref":"#/$defs/N"}]})", false},
             Optional{R"({"$ref":"#/$defs/N"})", false}, Optional{R"({"$ref":"#/$defs/S"})", true},
             Optional{R"({"allOf":[{"$ref":"#/$defs/N"}]})", false},
             Optional{R"({"type":"integer","allOf":[{"$ref":"#/$defs/N"}]})", true},
             Optional{R"({"type":"string","const":1})", false}, // nor is null right
         }) {
        const auto text = [&, key = form](std::string_view required) {
            return concat(R"({"type":"object","properties":{"u":)", key, R"(},"required":[)",
                          required, R"(],"additionalProperties":false,"$defs":{)",
                          R"("N":{"type":["integer","null"]},"S":{"type":"integer"}}})");
        };
        CAPTURE(form);
        const auto made = strict(text(""), Provider::OpenAi);
        CHECK(made.strict == isStrict);
        if (!isStrict) {
            REQUIRE(made.notStrict.size() == 1);
            CHECK_THAT(made.notStrict[0],
                       Contains("/properties/u: it is optional and may be null") ||
                           Contains("/properties/u: it takes no value"));
        }
        CHECK(strict(text("\"u\""), Provider::OpenAi).strict);
    }
    CHECK(strict(R"({"type":"object","properties":{"u":{"type":["string","null"]}},
                     "additionalProperties":false})",
                 Provider::Anthropic)
              .strict);
}

TEST_CASE("OpenAI has a strict form for a choice if keys tell which branch a null is meant for") {
    const auto object = [](std::string_view keys, std::string_view required) {
        return concat(R"({"type":"object","properties":{)", keys, R"(},"required":[)", required,
                      R"(],"additionalProperties":false})");
    };
    const auto made = [&](const std::string &first, const std::string &second) {
        return strict(concat(R"({"type":"object","properties":{"k":{"anyOf":[)", first, ",", second,
                             R"(]}},"required":["k"],"additionalProperties":false})"),
                      Provider::OpenAi);
    };
    const auto a = object(R"("a":{"type":"string"},"o":{"type":"string"})", R"("a")");
    // By a required key, an unknown one, the values or the type of a required one.
    CHECK(made(a, object(R"("b":{"type":"string"})", R"("b")")).strict);
    CHECK(made(a, object(R"("a":{"type":"string"})", R"("a")")).strict);
    CHECK_FALSE(made(a, object(R"("a":{"type":"string"})", "")).strict);
    CHECK(made(object(R"("t":{"const":1},"o":{"type":"string"})", R"("t")"),
               object(R"("t":{"enum":[2,"x"]},"o":{"type":"string"})", R"("t")"))
              .strict);
    CHECK(made(object(R"("t":{"type":"integer"},"o":{"type":"string"})", R"("t")"),
               object(R"("t":{"type":"boolean"},"o":{"type":"string"})", R"("t")"))
              .strict);
    CHECK(made(a, R"({"type":"array","items":{"type":"string"}})").strict);
    // Nothing tells them apart, or nothing that is always there.
    const auto mixed = object(R"("a":{"type":"integer"},"o":{"type":"string"})", R"("a")");
    const auto untold = made(a, mixed);
    CHECK_FALSE(untold.strict);
    CHECK(
        all(untold.notStrict) ==
        "/properties/k: no required or unknown key tells the branches 1 and 2 of \"anyOf\" apart, "
        "so null for an absent key could not be dropped\n");
    CHECK_FALSE(made(object(R"("t":{"const":"x"},"o":{"type":"string"})", ""),
                     object(R"("t":{"const":"y"},"o":{"type":"string"})", ""))
                    .strict);
    CHECK_FALSE(made(object(R"("t":{"const":1},"o":{"type":"string"})", R"("t")"),
                     object(R"("t":{"const":1.0},"o":{"type":"string"})", R"("t")"))
                    .strict);
    CHECK_FALSE(made(object(R"("t":{"const":1},"o":{"type":"string"})", R"("t")"),
                     object(R"("t":{"const":"1"},"o":{"type":"string"})", R"("t")"))
                    .strict); // for a text may be meant as what it spells
    CHECK_FALSE(made(concat(R"({"type":"array","items":)", a, "}"),
                     R"({"type":"array","items":{"type":"string"}})")
                    .strict);
    CHECK_FALSE(made(object(R"("t":{"enum":["x",null]},"o":{"type":"string"})", R"("t")"),
                     object(R"("t":{"const":"y"},"o":{"type":"string"})", R"("t")"))
                    .strict);
    // A branch that chooses is told by each of its own.
    const auto other = object(R"("b":{"type":"string"},"o":{"type":"string"})", R"("b")");
    const auto chooses = concat(R"({"anyOf":[)", a, ",", other, "]}");
    CHECK(made(chooses, object("", "")).strict);
    CHECK_FALSE(made(chooses, other).strict);
    // Without optional keys there is no null to drop.
    CHECK(made(object(R"("a":{"type":"string"})", R"("a")"),
               object(R"("a":{"type":"integer"})", R"("a")"))
              .strict);
    // What is required beside a choice may be optional in it.
    const auto beside = strict(
        concat(R"({"type":"object","properties":{"k":{"type":"object","properties":{"o":{)",
               R"("type":["string","null"]}},"required":["o"],"additionalProperties":false,)",
               R"("anyOf":[)", object(R"("o":{"type":"string"})", ""),
               R"(]}},"required":["k"],"additionalProperties":false})"),
        Provider::OpenAi);
    CHECK_FALSE(beside.strict);
    CHECK_THAT(all(beside.notStrict), Contains("\"properties\" beside \"anyOf\" is not taken"));
}

TEST_CASE("Annotations do not stand in the way of a strict form, and their loss is told") {
    const auto made = strict(R"({"type":"object","properties":{"k":{"type":"string","default":"a",
                   "format":"made-up","examples":["a"],"x-mine":1,"format2":0}},"required":["k"],
                   "additionalProperties":false})",
                             Provider::OpenAi);
    CHECK(made.strict);
    CHECK_THAT(made.json, Contains(R"("k":{"type":"string"})"));
    CHECK_THAT(all(made.lost), Contains("/properties/k: \"default\" is not taken") &&
                                   Contains("the format \"made-up\"") && Contains("\"x-mine\""));
}

TEST_CASE("A choice of branches that exclude one another is strict as \"anyOf\"") {
    const auto form = [](std::string_view first, std::string_view second) {
        return strict(concat(R"({"type":"object","properties":{"k":{"oneOf":[)", first, ",", second,
                             R"(]}},"required":["k"],"additionalProperties":false})"),
                      Provider::OpenAi);
    };
    const auto tagged = [](std::string_view value) {
        return concat(R"({"type":"object","properties":{"t":{"const":)", value,
                      R"(}},"required":["t"],"additionalProperties":false})");
    };
    CHECK_THAT(form(R"({"type":"string"})", R"({"type":"integer"})").json, Contains("anyOf"));
    CHECK_THAT(form(tagged("\"a\""), tagged("\"b\"")).json, Contains("anyOf"));
    CHECK_FALSE(form(R"({"type":"number"})", R"({"type":"integer"})").strict);
    CHECK_FALSE(form(tagged("\"a\""), tagged("\"a\"")).strict);
    CHECK_FALSE(form(tagged("1"), tagged("1.0")).strict); // one value in two spellings
}

TEST_CASE("OpenAI's budgets are kept: beyond one of them there is no strict form") {
    const auto keys = [](int count, std::string_view form) {
        std::string text = R"({"type":"object","properties":{)";
        for (int i = 0; i < count; ++i) {
            text += concat(i > 0 ? "," : "", R"("k)", i, R"(":)", form);
        }
        return strict(text + R"(},"additionalProperties":false})", Provider::OpenAi);
    };
    const auto valuesOf = [&](int count, std::size_t bytes) {
        std::string text = R"({"enum":[)";
        for (int i = 0; i < count; ++i) {
            const auto number = concat(i);
            text += concat(i > 0 ? "," : "", '"', number,
                           std::string(bytes - number.size() - 2, 'x'), '"');
        }
        return keys(1, text + "]}");
    };
    CHECK(keys(5'000, R"({"type":"string"})").strict);
    CHECK_THAT(all(keys(5'001, R"({"type":"string"})").notStrict), Contains("5001 properties"));
    CHECK(valuesOf(999, 8).strict);
    CHECK_THAT(all(valuesOf(1'001, 8).notStrict), Contains("enum values"));
    CHECK(valuesOf(249, 100).strict); // and null, since the key is optional
    CHECK_THAT(all(valuesOf(250, 100).notStrict), Contains("one long enum"));
    CHECK_THAT(all(valuesOf(200, 700).notStrict), Contains("bytes of keys and listed values"));
    const auto nested = [](int levels) {
        std::string text = R"({"type":"string"})";
        for (int i = 0; i < levels; ++i) {
            text = concat(R"({"type":"object","properties":{"k":)", text,
                          R"(},"required":["k"],"additionalProperties":false})");
        }
        return strict(text, Provider::OpenAi);
    };
    CHECK(nested(10).strict);
    CHECK_THAT(all(nested(11).notStrict), Contains("11 levels"));
}

TEST_CASE("Providers without a strict form say so") {
    for (const auto provider : {Provider::Gemini, Provider::AiSdk}) {
        const auto made = strict(R"({"type":"object"})", provider);
        CHECK_FALSE(made.strict);
        CHECK_THAT(all(made.notStrict), Contains("has no strict form"));
    }
}

TEST_CASE("The judge of provider rules finds each rule broken") {
    struct Broken {
        Rules rules;
        std::string_view schema, words;
    };
    const auto found = [](std::string_view text, Rules rules) {
        json::Document document;
        REQUIRE(document.readView(text).has_value());
        return all(testing::violations(document.root(), rules));
    };
    const std::string good = R"({"type":"object","properties":{"k":{"type":"string"}},)"
                             R"("required":["k"],"additionalProperties":false})";
    for (const auto rules : {Rules::Anthropic, Rules::AnthropicStrict, Rules::OpenAi,
                             Rules::OpenAiStrict, Rules::Gemini, Rules::AiSdk}) {
        CHECK(found(good, rules).empty());
    }
    for (const auto &[rules, schema, words] : {
             Broken{Rules::AiSdk, R"({"properties":{}})", "no plain object"},
             Broken{Rules::AiSdk, R"({"type":"object"})", "no plain object"},
             Broken{Rules::AiSdk, R"({"type":"object","properties":{},"anyOf":[]})", "\"anyOf\""},
             Broken{Rules::AiSdk, R"({"type":"object","properties":{},"not":{}})", "\"not\""},
             Broken{Rules::AiSdk, R"({"$schema":"x","type":"object","properties":{}})", "$schema"},
             Broken{Rules::AiSdk, R"({"type":"object","properties":{"a":{"$ref":"#/$defs/x"}}})",
                    "leads nowhere"},
             Broken{Rules::AiSdk, R"({"type":"object","properties":{},"$defs":{"x":{}}})",
                    "not used"},
             Broken{Rules::AiSdk, R"({"type":"object","properties":{"a":{"items":[{}]}}})",
                    "a list of items"},
             Broken{Rules::Anthropic, R"({"type":"object","properties":{"a b":{}}})", "the key"},
             Broken{Rules::OpenAi, R"({"type":"object","properties":{"a":true}})", "no object"},
             Broken{Rules::OpenAi, R"({"type":"object","properties":{"a":{"type":"array"}}})",
                    "without items"},
             Broken{Rules::Gemini, R"({"type":"object","properties":{"a":{"const":1}}})",
                    "\"const\""},
             Broken{Rules::Gemini, R"({"type":"object","properties":{"a":{"enum":[true]}}})",
                    "an enum value"},
             Broken{Rules::Gemini,
                    R"({"type":"object","properties":{"a":{"$ref":"#/$defs/x","title":"t"}},
                        "$defs":{"x":{}}})",
                    "siblings"},
             Broken{Rules::Gemini,
                    R"({"type":"object","properties":{"a":{"$ref":"#/$defs/x"}},"$defs":{"x":{
                        "properties":{"n":{"$ref":"#/$defs/x"}},"required":["n"]}}})",
                    "a cycle"},
             Broken{Rules::Gemini, R"({"type":"object","properties":{},"required":["a"]})",
                    "has no schema"},
             Broken{Rules::OpenAiStrict,
                    R"({"type":"object","properties":{"k":{"type":"string"}},"required":["k"]})",
                    "further keys"},
             Broken{Rules::OpenAiStrict,
                    R"({"type":"object","properties":{"k":{"type":"string"}},"required":[],
                        "additionalProperties":false})",
                    "is not required"},
             Broken{Rules::OpenAiStrict,
                    R"({"type":"object","properties":{"k":{}},"required":["k"],
                        "additionalProperties":false})",
                    "no type"},
             Broken{Rules::OpenAiStrict,
                    R"({"type":"object","properties":{"k":{"type":"string","format":"uri"}},
                        "required":["k"],"additionalProperties":false})",
                    "the format"},
             Broken{Rules::OpenAiStrict,
                    R"({"type":"object","properties":{"k":{"allOf":[{"type":"string"}]}},
                        "required":["k"],"additionalProperties":false})",
                    "\"allOf\""},
             Broken{Rules::AnthropicStrict,
                    R"({"type":"object","properties":{"k":{"$ref":"#"}},
                        "additionalProperties":false})",
                    "a cycle"},
             Broken{Rules::AnthropicStrict,
                    R"({"type":"object","properties":{"k":{"type":"string","minLength":1}},
                        "additionalProperties":false})",
                    "\"minLength\""},
         }) {
        CAPTURE(schema);
        CHECK_THAT(found(schema, rules), Contains(std::string(words)));
    }
    CHECK(testing::nameViolations("read_file").empty());
    for (const auto &name : {std::string(), std::string("a.b"), std::string("9a"),
                             std::string("-a"), std::string(65, 'a')}) {
        CHECK_FALSE(testing::nameViolations(name).empty());
    }
}
