// SPDX-License-Identifier: Apache-2.0
// The definitions of real tools: each one loads, but for those listed below with the reason, goes
// out to every provider in a form that it takes, and is neither narrower there nor, in a strict
// form, wider.
#include "json/writer.h"
#include "provider_rules.h"
#include "schema/projection/projection.h"
#include "schema/schema.h"
#include "support/text.h"

#include <catch2/catch.hpp>

#include <fstream>
#include <iterator>
#include <map>
#include <set>
#include <vector>

using namespace tenon;
using json::Value;
using schema::Provider;
using schema::Strictness;
using testing::Rules;
using CompiledSchema = std::shared_ptr<const schema::Schema>;

namespace {

struct Tool {
    std::string id, name;
    std::shared_ptr<json::Document> schema;
};

json::Document read(std::string text) {
    auto document = json::Document::read(std::move(text));
    INFO((document ? "" : document.error().message));
    REQUIRE(document.has_value());
    return std::move(*document);
}

// BFCL's types are those of several programming languages; this is its own table for them
// (GORILLA_TO_OPENAPI), but that "any" says nothing instead of "string".
void writeType(json::Writer &out, Value type) {
    static const std::map<std::string_view, std::string_view> kTypes{
        {"dict", "object"}, {"float", "number"}, {"tuple", "array"}, {"list", "array"}};
    if (type.string() == "any") {
        return;
    }
    const auto found = kTypes.find(type.string());
    out.key("type");
    found == kTypes.end() ? out.raw(type.raw()) : out.string(found->second);
}

void translate(json::Writer &out, Value schema) {
    if (!schema.isObject()) {
        out.raw(schema.raw());
        return;
    }
    out.object();
    for (const auto &[key, value] : schema.members()) {
        if (key == "type" && value.isString()) {
            writeType(out, value);
        } else if (key == "properties" && value.isObject()) {
            out.key(key).object();
            for (const auto &[name, part] : value.members()) {
                out.key(name);
                translate(out, part);
            }
            out.endObject();
        } else if (key == "items") {
            out.key(key);
            translate(out, value);
        } else {
            out.key(key).raw(value.raw());
        }
    }
    out.endObject();
}

std::vector<Tool> toolsOf(const std::string &file) {
    std::vector<Tool> out;
    std::ifstream lines(TENON_TEST_DATA "/tools/" + file, std::ios::binary);
    for (std::string line; std::getline(lines, line);) {
        const auto tool = read(line);
        const auto schema = tool.root()["inputSchema"];
        json::Writer text;
        if (file == "bfcl.jsonl") {
            translate(text, schema);
        }
        out.push_back({std::string(tool.root()["id"].string()),
                       std::string(tool.root()["name"].string()),
                       std::make_shared<json::Document>(
                           read(file == "bfcl.jsonl" ? text.take() : std::string(schema.raw())))});
    }
    return out;
}

CompiledSchema compiled(Value schema) {
    const auto made = schema::Schema::compile(schema, Limits());
    INFO((made ? "" : made.error().message));
    REQUIRE(made.has_value());
    return *made;
}

struct Form {
    Provider provider;
    Strictness strictness;
    Rules rules;
};
constexpr Form kForms[] = {{Provider::Anthropic, Strictness::Loose, Rules::Anthropic},
                           {Provider::Anthropic, Strictness::Strict, Rules::AnthropicStrict},
                           {Provider::OpenAi, Strictness::Loose, Rules::OpenAi},
                           {Provider::OpenAi, Strictness::Strict, Rules::OpenAiStrict},
                           {Provider::Gemini, Strictness::Loose, Rules::Gemini},
                           {Provider::AiSdk, Strictness::Loose, Rules::AiSdk}};

// Values that a schema of the corpus may take, from what it lists and says: some do not fit, which
// is for validation to say. Deterministic: `turn` chooses.
class Instances {
public:
    explicit Instances(Value root) : root_(root) {}

    std::string of(std::size_t turn) {
        turn_ = turn;
        json::Writer out;
        write(out, root_, 0);
        return out.take();
    }

private:
    std::size_t next() { return turn_ = turn_ * 1103515245 + 12345; }
    bool chance(std::size_t of) { return next() / 65536 % of == 0; }
    Value pick(Value list) {
        std::size_t i = list.size() == 0 ? 0 : next() / 65536 % list.size();
        for (const auto item : list.items()) {
            if (i-- == 0) {
                return item;
            }
        }
        return {};
    }

    void write(json::Writer &out, Value schema, int depth) {
        if (const auto ref = schema["$ref"]; ref && depth < 6) {
            write(out, pointed(ref.string()), depth + 1);
        } else if (const auto constant = schema["const"]) {
            out.raw(constant.raw());
        } else if (schema["default"] && chance(2)) {
            out.raw(schema["default"].raw());
        } else if (schema["enum"]) {
            out.raw(pick(schema["enum"]).raw());
        } else if (schema["anyOf"].size() > 0) {
            write(out, pick(schema["anyOf"]), depth);
        } else {
            const auto type = schema["type"];
            ofType(out, schema, type.isArray() ? pick(type).string() : type.string(), depth);
        }
    }
    void ofType(json::Writer &out, Value schema, std::string_view type, int depth) {
        if (type == "object") {
            object(out, schema, depth);
        } else if (type == "array") {
            out.array();
            const auto least = schema["minItems"].raw();
            std::size_t count = depth > 6 ? 0 : next() / 65536 % 3;
            count += least.empty() ? 0 : std::stoul(std::string(least));
            for (std::size_t i = 0; i < count; ++i) {
                write(out, schema["items"], depth + 1);
            }
            out.endArray();
        } else if (type == "integer" || type == "number") {
            const auto least = schema["minimum"];
            least ? out.raw(least.raw())
                  : out.raw(type == "number" && chance(2) ? "1.5"
                            : chance(2)                   ? "7"
                                                          : "-3");
        } else if (type == "boolean") {
            out.boolean(chance(2));
        } else if (type == "null" || (type.empty() && chance(3))) {
            out.null();
        } else {
            out.string(chance(2) ? "2024-05-01" : "text of some length");
        }
    }
    void object(json::Writer &out, Value schema, int depth) {
        out.object();
        std::set<std::string_view> required;
        for (const auto name : schema["required"].items()) {
            required.insert(name.string());
        }
        for (const auto &[name, part] : schema["properties"].members()) {
            if (required.count(name) > 0 || (depth < 5 && !chance(3))) {
                out.key(name);
                chance(9) ? static_cast<void>(out.null()) : write(out, part, depth + 1);
            }
        }
        if (chance(4)) {
            out.key("not in the schema").number(1);
        }
        out.endObject();
    }
    Value pointed(std::string_view reference) const {
        auto at = root_;
        reference.remove_prefix(1);
        while (!reference.empty()) {
            reference.remove_prefix(1);
            const auto token = reference.substr(0, reference.find('/'));
            reference.remove_prefix(token.size());
            at = at[token];
        }
        return at;
    }

    Value root_;
    std::size_t turn_ = 0;
};

struct Count {
    std::size_t tools = 0, strictOpenAi = 0, strictAnthropic = 0, accepted = 0, strictChecked = 0;
};

void checkForm(const Tool &tool, const CompiledSchema &original, const Form &form,
               const std::vector<json::Document> &accepted, Count &count) {
    const auto made = schema::project(tool.schema->root(), form.provider, form.strictness);
    const auto document = read(made.json);
    CAPTURE(nameOf(form.provider), made.json);
    if (form.strictness == Strictness::Strict && !made.strict) {
        CHECK_FALSE(made.notStrict.empty());
        return;
    }
    CHECK(testing::violations(document.root(), form.rules) == std::vector<std::string>());
    const auto projection = compiled(document.root());
    if (!made.strict) {
        for (const auto &value : accepted) {
            CAPTURE(value.text());
            CHECK(projection->validate(value.root()).empty());
        }
        return;
    }
    (form.provider == Provider::OpenAi ? count.strictOpenAi : count.strictAnthropic) += 1;
    Instances instances(document.root());
    for (std::size_t turn = 0; turn < 8; ++turn) {
        const auto value = read(instances.of(turn));
        if (projection->validate(value.root()).empty()) {
            CAPTURE(value.text());
            CHECK(original->prepare(value.root()).issues.empty()); // drops null of optional keys
            ++count.strictChecked;
        }
    }
}

Count check(const std::vector<Tool> &tools) {
    Count count;
    for (const auto &tool : tools) {
        CAPTURE(tool.id, tool.schema->text());
        ++count.tools;
        const auto original = compiled(tool.schema->root());
        Instances instances(tool.schema->root());
        std::vector<json::Document> accepted;
        for (std::size_t turn = 0; turn < 8; ++turn) {
            auto value = read(instances.of(turn));
            if (original->validate(value.root()).empty()) {
                accepted.push_back(std::move(value));
            }
        }
        count.accepted += accepted.size();
        for (const auto &form : kForms) {
            checkForm(tool, original, form, accepted, count);
        }
    }
    return count;
}

} // namespace

TEST_CASE("Every tool of LiveMCPBench loads, and goes out to every provider") {
    const auto count = check(toolsOf("livemcpbench.jsonl"));
    CAPTURE(count.accepted, count.strictOpenAi, count.strictAnthropic, count.strictChecked);
    CHECK(count.tools == 527);
    CHECK(count.accepted > 2'000);
    CHECK(count.strictOpenAi > 50);
    CHECK(count.strictAnthropic > 50);
    CHECK(count.strictChecked > 300);
}

TEST_CASE("Every function of BFCL loads, with its types translated, and goes out") {
    const auto count = check(toolsOf("bfcl.jsonl"));
    CAPTURE(count.accepted);
    CHECK(count.tools == 1'729);
    CHECK(count.accepted > 7'000);
}
