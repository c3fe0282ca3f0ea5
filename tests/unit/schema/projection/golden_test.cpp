// SPDX-License-Identifier: Apache-2.0
// Hard schemas in golden/ (NAME.schema.json) and what they become (NAME.projections.json), byte for
// byte. TENON_WRITE_GOLDEN=1 writes the latter again; read the difference before you keep it.
#include "json/writer.h"
#include "provider_rules.h"
#include "schema/projection/projection.h"
#include "support/text.h"

#include <catch2/catch.hpp>

#include <algorithm>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <iterator>

using namespace tenon;
using schema::Provider;
using schema::Strictness;
using tenon::testing::Rules;

namespace {

const std::filesystem::path kFolder = TENON_TEST_DATA "/../unit/schema/projection/golden";

std::string textOf(const std::filesystem::path &path) {
    std::ifstream file(path, std::ios::binary);
    return std::string(std::istreambuf_iterator<char>(file), {});
}

struct Form {
    std::string_view title;
    Provider provider;
    Strictness strictness;
    Rules rules, otherwise; // otherwise: when it cannot be strict
};
constexpr Form kForms[] = {
    {"anthropic", Provider::Anthropic, Strictness::Loose, Rules::Anthropic, Rules::Anthropic},
    {"anthropic --strict", Provider::Anthropic, Strictness::Strict, Rules::AnthropicStrict,
     Rules::Anthropic},
    {"openai", Provider::OpenAi, Strictness::Loose, Rules::OpenAi, Rules::OpenAi},
    {"openai --strict", Provider::OpenAi, Strictness::Strict, Rules::OpenAiStrict, Rules::OpenAi},
    {"gemini", Provider::Gemini, Strictness::Loose, Rules::Gemini, Rules::Gemini},
    {"ai-sdk", Provider::AiSdk, Strictness::Loose, Rules::AiSdk, Rules::AiSdk}};

void writeWords(json::Writer &out, std::string_view key, const std::vector<std::string> &words) {
    if (words.empty()) {
        return;
    }
    out.key(key).array();
    for (const auto &sentence : words) {
        out.string(sentence);
    }
    out.endArray();
}

// Of every form; where a strict one is not to be had, why not.
std::string projections(json::Value schema) {
    json::Writer out;
    out.object();
    for (const auto &form : kForms) {
        const auto made = schema::project(schema, form.provider, form.strictness);
        const auto read = json::Document::read(made.json);
        REQUIRE(read.has_value());
        CAPTURE(form.title, made.json);
        CHECK(testing::violations(read->root(), made.strict ? form.rules : form.otherwise).empty());
        out.key(form.title).object();
        writeWords(out, "notStrict", made.notStrict);
        if (made.notStrict.empty()) {
            writeWords(out, "lost", made.lost);
            out.key("schema").raw(made.json);
        }
        out.endObject();
    }
    const auto document = json::Document::read(out.endObject().take());
    return concat(json::pretty(document->root()), "\n");
}

} // namespace

TEST_CASE("Projections are byte for byte what the golden files say, and what providers take") {
    const char *const write = std::getenv("TENON_WRITE_GOLDEN");
    std::vector<std::filesystem::path> schemas;
    for (const auto &entry : std::filesystem::directory_iterator(kFolder)) {
        if (entry.path().string().ends_with(".schema.json")) {
            schemas.push_back(entry.path());
        }
    }
    std::sort(schemas.begin(), schemas.end());
    CHECK(schemas.size() == 13);
    for (const auto &path : schemas) {
        CAPTURE(path.string());
        const auto document = json::Document::read(textOf(path));
        REQUIRE(document.has_value());
        const auto made = projections(document->root());
        auto golden = path;
        golden.replace_extension("").replace_extension(".projections.json");
        if (write != nullptr && std::string_view(write) == "1") {
            std::ofstream(golden, std::ios::binary) << made;
        }
        CHECK(made == textOf(golden));
        CHECK(made == projections(document->root()));
    }
}
