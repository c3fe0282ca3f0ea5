// SPDX-License-Identifier: Apache-2.0
// The official JSON Schema test suite as the hardest of tools: each schema is what one key of a
// tool takes. What the schema takes, its projections for every provider take too.
#include "json/writer.h"
#include "provider_rules.h"
#include "schema/projection/projection.h"
#include "schema/schema.h"
#include "support/text.h"

#include <catch2/catch.hpp>

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <set>
#include <vector>

using namespace tenon;
using json::Value;
using schema::Provider;
using testing::Rules;

namespace {

// Files with groups that need documents which are not built in; those groups are no tools.
const std::set<std::string> kNeedDocuments{"draft2020-12/dynamicRef.json",
                                           "draft2020-12/refRemote.json",
                                           "draft2020-12/vocabulary.json", "draft7/refRemote.json"};

constexpr std::pair<Provider, Rules> kForms[] = {{Provider::Anthropic, Rules::Anthropic},
                                                 {Provider::OpenAi, Rules::OpenAi},
                                                 {Provider::Gemini, Rules::Gemini},
                                                 {Provider::AiSdk, Rules::AiSdk}};

std::string textOf(const std::filesystem::path &path) {
    std::ifstream file(path, std::ios::binary);
    return std::string(std::istreambuf_iterator<char>(file), {});
}

// A tool with one key that takes what the schema takes. The schema stays a document of its own, for
// its references are relative to it.
std::string toolOf(Value schema, std::string_view draft) {
    json::Writer out;
    out.object();
    if (draft == "draft7") {
        out.key("$schema").string("http://json-schema.org/draft-07/schema#");
    }
    out.key("type").string("object").key("properties").object().key("v");
    const auto id = schema["$id"].string();
    if (!schema.isObject() || (!id.empty() && id[0] != '#')) {
        out.raw(schema.raw());
    } else {
        out.object().key("$id").string("urn:suite");
        if (draft == "draft7" && schema["$ref"]) { // beside which an $id is nothing
            out.key("allOf").array().object().key("$ref").raw(schema["$ref"].raw());
            out.endObject().endArray();
        }
        for (const auto &[key, value] : schema.members()) {
            if (key != "$id" && !(draft == "draft7" && key == "$ref")) {
                out.key(key).raw(value.raw());
            }
        }
        out.endObject();
    }
    return out.endObject().key("required").array().string("v").endArray().endObject().take();
}

struct Count {
    std::size_t groups = 0, values = 0;
    std::set<std::string> refused; // files
};

void checkGroup(Value group, std::string_view draft, const std::string &file, Count &count) {
    const auto text = toolOf(group["schema"], draft);
    const auto tool = json::Document::read(text);
    REQUIRE(tool.has_value());
    CAPTURE(text);
    const auto original = schema::Schema::compile(tool->root(), Limits());
    if (!original) {
        INFO(original.error().message);
        CHECK(kNeedDocuments.count(file) > 0);
        count.refused.insert(file);
        return;
    }
    ++count.groups;
    for (const auto &[provider, rules] : kForms) {
        const auto made = schema::project(tool->root(), provider);
        const auto document = json::Document::read(made.json);
        REQUIRE(document.has_value());
        CAPTURE(nameOf(provider), made.json);
        CHECK(testing::violations(document->root(), rules) == std::vector<std::string>());
        const auto projection = schema::Schema::compile(document->root(), Limits());
        INFO((projection ? "" : projection.error().message));
        REQUIRE(projection.has_value());
        for (const auto test : group["tests"].items()) {
            const auto instance = json::Document::read(concat(R"({"v":)", test["data"].raw(), "}"));
            REQUIRE(instance.has_value());
            if ((*original)->validate(instance->root()).empty()) {
                CAPTURE(test["data"].raw());
                CHECK((*projection)->validate(instance->root()).empty());
                ++count.values;
            }
        }
    }
}

} // namespace

TEST_CASE("What a schema of the official suite takes, its projections take") {
    Count count;
    for (const std::string draft : {"draft2020-12", "draft7"}) {
        std::vector<std::filesystem::path> files;
        for (const auto &entry : std::filesystem::directory_iterator(
                 TENON_TEST_DATA "/json-schema-test-suite/tests/" + draft)) {
            if (entry.path().extension() == ".json") {
                files.push_back(entry.path());
            }
        }
        std::sort(files.begin(), files.end());
        REQUIRE(files.size() > 30);
        for (const auto &path : files) {
            const auto file = concat(draft, "/", path.filename().string());
            const auto document = json::Document::read(textOf(path));
            REQUIRE(document.has_value());
            for (const auto group : document->root().items()) {
                INFO(file << ": " << group["description"].string());
                checkGroup(group, draft, file, count);
            }
        }
    }
    CAPTURE(count.groups, count.values);
    CHECK(count.refused == kNeedDocuments);
    CHECK(count.groups > 550);
    CHECK(count.values > 4'000);
}
