// SPDX-License-Identifier: Apache-2.0
// Schemas that nobody thought of: a strict form takes nothing that the tool refuses, and the keys
// of a root that chooses are not narrower than the tool. Random, and the same in each run.
#include "json/writer.h"
#include "provider_rules.h"
#include "schema/projection/projection.h"
#include "schema/schema.h"
#include "support/text.h"

#include <catch2/catch.hpp>

#include <random>
#include <set>
#include <string>
#include <vector>

using namespace tenon;
using json::Value;
using schema::Provider;
using schema::Strictness;
using testing::Rules;
using CompiledSchema = std::shared_ptr<const schema::Schema>;

namespace {

json::Document read(const std::string &text) {
    auto document = json::Document::read(text);
    INFO((document ? "" : document.error().message) << text);
    REQUIRE(document.has_value());
    return std::move(*document);
}

CompiledSchema compiled(Value schema) {
    const auto made = schema::Schema::compile(schema, Limits());
    INFO((made ? "" : made.error().message) << schema.raw());
    REQUIRE(made.has_value());
    return *made;
}

class Dice {
public:
    explicit Dice(std::uint32_t seed) : engine_(seed) {}
    std::size_t below(std::size_t count) { return engine_() % count; }
    bool chance(std::size_t of) { return below(of) == 0; }
    template <class... Texts> std::string one(Texts... texts) {
        const std::string all[] = {texts...};
        return all[below(sizeof...(texts))];
    }

private:
    std::mt19937 engine_;
};

std::string listed(const std::vector<std::string> &texts) {
    std::string out;
    for (const auto &text : texts) {
        out += concat(out.empty() ? "" : ",", text);
    }
    return out;
}

// Tools whose objects are all closed, with unions of objects of every kind.
class ClosedTools {
public:
    explicit ClosedTools(std::uint32_t seed) : dice_(seed) {}

    std::string next() {
        // The last one is no choice, so that a choice of it does not lead back to itself.
        const std::vector<std::string> definitions{concat(R"("d0":)", choice(1)),
                                                   concat(R"("d1":)", choice(1)),
                                                   concat(R"("d2":)", object(1, ""))};
        auto text = object(3, "");
        text.pop_back();
        return concat(text, R"(,"$defs":{)", listed(definitions), "}}");
    }

private:
    std::string form(int depth) {
        switch (dice_.below(depth > 0 ? 12 : 6)) {
        case 6: return object(depth - 1, "");
        case 7:
        case 8:
        case 9: return choice(depth);
        case 10: return concat(R"({"type":"array","items":)", form(depth - 1), "}");
        case 11: return reference();
        default: return scalar();
        }
    }
    std::string reference() {
        return concat(R"({"$ref":"#/$defs/)", dice_.one("d0", "d1", "d2"), R"("})");
    }
    std::string scalar() {
        return dice_.one(
            R"({"type":"string"})", R"({"type":"integer"})", R"({"type":"number"})",
            R"({"type":"boolean"})", R"({"const":"x"})", R"({"const":1})", R"({"enum":["x","y"]})",
            R"({"enum":["y",2,true]})", R"({"type":["string","integer"]})",
            dice_.chance(8) ? R"({"type":["string","null"]})" : R"({"type":"string"})",
            dice_.chance(8) ? R"({"type":"null"})" : R"({"type":"integer"})",
            dice_.chance(8) ? R"({"type":"string","const":1})" : R"({"type":"integer"})");
    }

    // The tag is a required key by which branches may be told apart.
    std::string object(int depth, const std::string &tag) {
        std::vector<std::string> keys, required;
        if (!tag.empty()) {
            keys.push_back(concat(R"("t":)", tag));
            if (!dice_.chance(5)) {
                required.push_back(R"("t")");
            }
        }
        for (const auto *name : {"a", "b", "c", "e", "f"}) {
            if (dice_.chance(3)) {
                keys.push_back(concat('"', name, "\":", form(depth)));
                if (dice_.chance(2)) {
                    required.push_back(concat('"', name, '"'));
                }
            }
        }
        return concat(R"({"type":"object","properties":{)", listed(keys), R"(},"required":[)",
                      listed(required), R"(],"additionalProperties":false})");
    }

    std::string choice(int depth) {
        const bool tagged = dice_.chance(2);
        std::vector<std::string> branches;
        for (const auto *tag : {R"({"const":"x"})", R"({"const":"y"})", R"({"enum":["z","w"]})"}) {
            if (branches.size() < 2 || dice_.chance(3)) {
                branches.push_back(tagged            ? object(depth - 1, tag)
                                   : dice_.chance(8) ? R"({"$ref":"#/$defs/d2"})"
                                   : dice_.chance(8) ? choice(depth - 1)
                                   : dice_.chance(6) ? scalar()
                                                     : object(depth - 1, ""));
            }
        }
        std::string beside;
        if (dice_.chance(20)) {
            beside = dice_.one(R"("required":["a"],)",
                               R"("type":"object","properties":{"a":{"type":["string","null"]}},)"
                               R"("required":["a"],"additionalProperties":false,)");
        }
        return concat("{", beside, '"', dice_.one("anyOf", "oneOf"), R"(":[)", listed(branches),
                      "]}");
    }

    Dice dice_;
};

// Values that a strict form takes: it has types, listed values, keys, items and "anyOf" only.
class Instances {
public:
    Instances(Value root, std::uint32_t seed) : root_(root), dice_(seed) {}

    std::string next() {
        json::Writer out;
        write(out, root_, 0);
        return out.take();
    }

private:
    Value pick(Value list) {
        auto left = dice_.below(list.size());
        for (const auto item : list.items()) {
            if (left-- == 0) {
                return item;
            }
        }
        return {};
    }
    void write(json::Writer &out, Value schema, int depth) {
        if (depth > 20) { // of a tool that refers to itself without end
            out.null();
        } else if (const auto reference = schema["$ref"]) {
            write(out, root_["$defs"][reference.string().substr(8)], depth + 1);
        } else if (schema["anyOf"]) {
            write(out, pick(schema["anyOf"]), depth + 1);
        } else if (schema["const"]) {
            out.raw(schema["const"].raw());
        } else if (schema["enum"]) {
            out.raw(pick(schema["enum"]).raw());
        } else {
            const auto type = schema["type"];
            ofType(out, schema, type.isArray() ? pick(type).string() : type.string(), depth);
        }
    }
    void ofType(json::Writer &out, Value schema, std::string_view type, int depth) {
        if (type == "object") {
            std::set<std::string_view> required;
            for (const auto name : schema["required"].items()) {
                required.insert(name.string());
            }
            out.object();
            for (const auto &[name, form] : schema["properties"].members()) {
                if (required.contains(name) || dice_.chance(2)) {
                    out.key(name);
                    write(out, form, depth + 1);
                }
            }
            out.endObject();
        } else if (type == "array") {
            out.array();
            for (auto count = dice_.below(3); count > 0; --count) {
                write(out, schema["items"], depth + 1);
            }
            out.endArray();
        } else if (type == "null") {
            out.null();
        } else {
            out.raw(type == "string"    ? dice_.one(R"("x")", R"("w")", R"("5")")
                    : type == "boolean" ? dice_.one("true", "false")
                    : type == "integer" ? dice_.one("1", "2")
                                        : dice_.one("1", "1.5"));
        }
    }

    Value root_;
    Dice dice_;
};

// Tools whose roots choose between alternatives, each of which says what every key is.
class ChoosingTools {
public:
    explicit ChoosingTools(std::uint32_t seed) : dice_(seed) {}

    std::string next() {
        std::vector<std::string> parts{R"("type":"object")"};
        if (dice_.chance(3)) {
            parts.push_back(concat(R"("properties":{"a":)", scalar(), "}"));
        }
        if (dice_.chance(4)) {
            parts.push_back(rest());
        }
        parts.push_back(dice_.chance(5) ? concat(R"("allOf":[{)", choice(), "},{", choice(), "}]")
                                        : choice());
        if (dice_.chance(6)) {
            parts.push_back(concat(R"("unevaluatedProperties":)", scalar()));
        }
        parts.push_back(
            concat(R"("$defs":{"d0":)", alternative(0), R"(,"d1":)", alternative(0), "}"));
        return concat("{", listed(parts), "}");
    }
    // An object of the keys that the tools speak of, and one that none of them names.
    std::string value() {
        std::vector<std::string> keys;
        for (const auto *name : {"a", "b", "k", "ka", "z"}) {
            if (dice_.chance(2)) {
                keys.push_back(concat('"', name, "\":", dice_.one("1", "\"x\"", "true", "1.5")));
            }
        }
        return concat("{", listed(keys), "}");
    }

private:
    std::string scalar() {
        return dice_.one(R"({"type":"string"})", R"({"type":"integer"})", R"({"type":"boolean"})",
                         R"({"const":1})", R"({"const":"x"})", R"({"type":"number"})");
    }
    std::string choice() {
        std::vector<std::string> alternatives{alternative(2), alternative(2)};
        if (dice_.chance(3)) {
            alternatives.push_back(alternative(2));
        }
        return concat('"', dice_.one("anyOf", "oneOf"), R"(":[)", listed(alternatives), "]");
    }
    std::string alternative(int depth) {
        switch (dice_.below(depth > 0 ? 7 : 3)) {
        case 3: return concat(R"({"$ref":"#/$defs/)", dice_.one("d0", "d1"), R"("})");
        case 4: return concat("{", choiceOf(depth), "}");
        case 5: return concat(R"({"allOf":[)", named(), ",{", rest(), "}]}");
        case 6:
            return concat(R"({"anyOf":[)", named(), ",", named(), R"(],"unevaluatedProperties":)",
                          dice_.one("false", scalar()), "}");
        default: {
            auto text = named();
            text.pop_back();
            return concat(text, ",", rest(), "}");
        }
        }
    }
    std::string choiceOf(int depth) {
        return concat('"', dice_.one("anyOf", "oneOf"), R"(":[)", alternative(depth - 1), ",",
                      alternative(depth - 1), "]");
    }
    std::string named() {
        std::vector<std::string> keys, required;
        for (const auto *name : {"a", "b", "k", "ka"}) {
            if (dice_.chance(3)) {
                keys.push_back(concat('"', name, "\":", scalar()));
                if (dice_.chance(3)) {
                    required.push_back(concat('"', name, '"'));
                }
            }
        }
        return concat(R"({"properties":{)", listed(keys), R"(},"required":[)", listed(required),
                      "]}");
    }
    std::string rest() {
        const auto further =
            concat(R"("additionalProperties":)", dice_.one("false", scalar(), scalar()));
        return dice_.chance(3) ? concat(R"("patternProperties":{"^k":)", scalar(), "},", further)
                               : further;
    }

    Dice dice_;
};

} // namespace

TEST_CASE("What a strict form takes the tool takes, once null for absent keys is dropped") {
    std::size_t strictOpenAi = 0, strictAnthropic = 0, taken = 0, dropped = 0;
    ClosedTools tools(20'250'611);
    for (std::uint32_t seed = 0; seed < 1'500; ++seed) {
        const auto tool = read(tools.next());
        CAPTURE(tool.text());
        const auto original = compiled(tool.root());
        for (const auto provider : {Provider::OpenAi, Provider::Anthropic}) {
            const auto made = schema::project(tool.root(), provider, Strictness::Strict);
            CHECK(made.notStrict.empty() == made.strict);
            if (!made.strict) {
                continue;
            }
            const bool openAi = provider == Provider::OpenAi;
            (openAi ? strictOpenAi : strictAnthropic) += 1;
            const auto document = read(made.json);
            const auto projection = compiled(document.root());
            CAPTURE(nameOf(provider), made.json);
            CHECK(testing::violations(document.root(),
                                      openAi ? Rules::OpenAiStrict : Rules::AnthropicStrict) ==
                  std::vector<std::string>());
            Instances instances(document.root(), seed);
            for (int turn = 0; turn < 20; ++turn) {
                const auto value = read(instances.next());
                CAPTURE(value.text());
                if (!projection->validate(value.root()).empty()) {
                    continue;
                }
                ++taken;
                const bool valid = original->validate(value.root()).empty();
                dropped += valid ? 0 : 1;
                CHECK((openAi ? original->prepare(value.root()).issues.empty() : valid));
            }
        }
    }
    CAPTURE(strictOpenAi, strictAnthropic, taken, dropped);
    CHECK(strictOpenAi > 300);
    CHECK(strictAnthropic > 300);
    CHECK(taken > 10'000);
    CHECK(dropped > 2'000);
}

TEST_CASE("Keys are not narrowed where every alternative at the root says what they are") {
    std::size_t taken = 0;
    ChoosingTools tools(20'250'612);
    for (int i = 0; i < 600; ++i) {
        const auto tool = read(tools.next());
        CAPTURE(tool.text());
        const auto original = compiled(tool.root());
        for (const auto provider :
             {Provider::Anthropic, Provider::OpenAi, Provider::Gemini, Provider::AiSdk}) {
            const auto made = schema::project(tool.root(), provider);
            const auto document = read(made.json);
            const auto projection = compiled(document.root());
            CAPTURE(nameOf(provider), made.json);
            for (int turn = 0; turn < 30; ++turn) {
                const auto value = read(tools.value());
                if (original->validate(value.root()).empty()) {
                    CAPTURE(value.text());
                    CHECK(projection->validate(value.root()).empty());
                    ++taken;
                }
            }
        }
    }
    CAPTURE(taken);
    CHECK(taken > 5'000);
}
