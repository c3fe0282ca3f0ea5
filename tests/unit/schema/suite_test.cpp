// SPDX-License-Identifier: Apache-2.0
// The official JSON Schema test suite, draft 2020-12, the required files. What the compiler refuses
// is written down below, so that a group which newly compiles, or newly does not, fails this test.
// Every other group must give the right verdict on every instance.
#include "schema/schema.h"

#include <catch2/catch.hpp>

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <vector>

using tenon::Limits;
using tenon::json::Document;
using tenon::json::Value;
using tenon::schema::Schema;

namespace {

// The words of the refusals. One of them is expected wherever the table below names none.
constexpr std::string_view kKeyword = "is not supported; expected the keywords that";
constexpr std::string_view kNestedId = "\"$id\" below the root is not supported";
constexpr std::string_view kFetch = "nothing is fetched";
constexpr std::string_view kPointer = "expected a JSON Pointer to a subschema of this document";
constexpr std::string_view kDialect = "or no $schema";
constexpr std::string_view kUnicodeName = "the pattern \"^\\p{Letter}+$\" cannot be compiled";
constexpr std::string_view kWords[] = {kKeyword, kNestedId, kFetch, kPointer, kDialect};

struct Refused {
    std::string_view file, group; // "*": every group of the file
    std::string_view reason;      // part of the compiler's message; "": one of the words above
};

constexpr Refused kRefused[] = {
    {"anchor.json", "*", ""},
    {"dynamicRef.json", "*", ""},
    {"refRemote.json", "*", ""}, // documents that would have to be fetched
    {"unevaluatedItems.json", "*", ""},
    {"unevaluatedProperties.json", "*", ""},
    {"vocabulary.json", "*", kDialect}, // metaschemas of their own
    {"defs.json", "validate definition against metaschema", kFetch},
    {"not.json", "collect annotations inside a 'not', even if collection is disabled", kKeyword},
    {"pattern.json", "pattern with Unicode property escape requires unicode mode", kUnicodeName},
    {"patternProperties.json", "patternProperties with Unicode property escape", kUnicodeName},
    {"ref.json", "remote ref, containing refs itself", kFetch},
    {"ref.json", "Recursive references between schemas", kFetch},
    {"ref.json", "ref creates new scope when adjacent to keywords", kKeyword},
    {"ref.json", "refs with relative uris and defs", kFetch},
    {"ref.json", "relative refs with absolute uris and defs", kFetch},
    {"ref.json", "$id must be resolved against nearest parent, not just immediate parent", kFetch},
    {"ref.json", "order of evaluation: $id and $ref", kFetch},
    {"ref.json", "order of evaluation: $id and $anchor and $ref", kPointer},
    {"ref.json", "order of evaluation: $id and $ref on nested schema", kFetch},
    {"ref.json", "simple URN base URI with $ref via the URN", kFetch},
    {"ref.json", "URN base URI with URN and JSON pointer ref", kFetch},
    {"ref.json", "URN base URI with URN and anchor ref", kFetch},
    {"ref.json", "URN ref with nested pointer ref", kFetch},
    {"ref.json", "ref to if", kFetch},
    {"ref.json", "ref to then", kFetch},
    {"ref.json", "ref to else", kFetch},
    {"ref.json", "ref with absolute-path-reference", kFetch},
};

const Refused *refusedEntry(std::string_view file, std::string_view group) {
    const auto *const found =
        std::find_if(std::begin(kRefused), std::end(kRefused), [&](const Refused &entry) {
            return entry.file == file && (entry.group == "*" || entry.group == group);
        });
    return found == std::end(kRefused) ? nullptr : found;
}

bool isReason(const std::string &message, std::string_view reason) {
    const auto has = [&](std::string_view words) { return message.find(words) != message.npos; };
    return reason.empty() ? std::any_of(std::begin(kWords), std::end(kWords), has) : has(reason);
}

std::vector<std::filesystem::path> suiteFiles() {
    std::vector<std::filesystem::path> files;
    const std::filesystem::path folder =
        TENON_TEST_DATA "/json-schema-test-suite/tests/draft2020-12";
    for (const auto &entry : std::filesystem::directory_iterator(folder)) {
        if (entry.path().extension() == ".json") {
            files.push_back(entry.path());
        }
    }
    std::sort(files.begin(), files.end());
    return files;
}

Document readFile(const std::filesystem::path &path) {
    std::ifstream file(path, std::ios::binary);
    auto document = Document::read(std::string(std::istreambuf_iterator<char>(file), {}));
    REQUIRE(document.has_value());
    return std::move(*document);
}

void checkInstances(const Schema &schema, Value tests) {
    for (const Value test : tests.items()) {
        const auto issues = schema.validate(test["data"]);
        INFO("instance: " << test["description"].string() << ": " << test["data"].raw());
        INFO((issues.empty() ? "no issue" : issues[0].sentence()));
        CHECK(issues.empty() == test["valid"].isTrue());
    }
}

} // namespace

TEST_CASE("The official suite's verdicts are ours, but for the groups that are refused in words") {
    std::size_t groups = 0, refused = 0;
    const auto files = suiteFiles();
    CHECK(files.size() == 46);
    for (const auto &path : files) {
        const std::string file = path.filename().string();
        const Document document = readFile(path);
        for (const Value group : document.root().items()) {
            ++groups;
            const auto name = group["description"].string();
            INFO(file << ": " << name);
            const auto schema = Schema::compile(group["schema"], Limits());
            const Refused *expected = refusedEntry(file, name);
            if (schema) {
                CHECK(expected == nullptr); // it compiles now: take it off the list
                checkInstances(**schema, group["tests"]);
                continue;
            }
            ++refused;
            INFO("refused: " << schema.error().message);
            REQUIRE(expected != nullptr);
            CHECK(isReason(schema.error().message, expected->reason));
        }
    }
    CHECK(groups == 383);
    CHECK(refused == 136);
}
