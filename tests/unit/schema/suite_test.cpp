// SPDX-License-Identifier: Apache-2.0
// The official JSON Schema test suite: every required and every optional test of 2020-12 and
// draft-07, but for those that are written down below with the reason. A test that newly passes
// fails here until it is taken off the list.
#include "schema/schema.h"
#include "support/text.h"

#include <catch2/catch.hpp>

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <vector>

using tenon::concat;
using tenon::Limits;
using tenon::json::Document;
using tenon::json::Value;
using tenon::schema::Formats;
using tenon::schema::Options;
using tenon::schema::Schema;

namespace {

namespace fs = std::filesystem;

struct Exception {
    std::string_view file, group; // "*": every group of the file
    std::string_view reason;
};

// Groups that are refused when they are compiled.
constexpr Exception kRefused[] = {
    {"draft2020-12/optional/cross-draft.json", "*", "draft 2019-09 is not read"},
    {"draft7/optional/cross-draft.json", "*", "draft 2019-09 is not read"},
};

// Groups with a verdict that is not the suite's.
constexpr Exception kOtherVerdict[] = {
    {"draft7/optional/content.json", "*", "contents are never decoded: 2020-12 forbids it too"},
};

template <std::size_t size>
bool isListed(const Exception (&list)[size], std::string_view file, std::string_view group) {
    return std::any_of(std::begin(list), std::end(list), [&](const Exception &entry) {
        return entry.file == file && (entry.group == "*" || entry.group == group);
    });
}

std::string textOf(const fs::path &path) {
    std::ifstream file(path, std::ios::binary);
    REQUIRE(file.good());
    return std::string(std::istreambuf_iterator<char>(file), {});
}

std::vector<fs::path> filesBelow(const fs::path &folder) {
    std::vector<fs::path> files;
    for (const auto &entry : fs::recursive_directory_iterator(folder)) {
        if (entry.path().extension() == ".json") {
            files.push_back(entry.path());
        }
    }
    std::sort(files.begin(), files.end());
    return files;
}

// The suite's server is at localhost:1234; its documents are given to the compiler.
std::map<std::string, std::string> remotes() {
    const fs::path folder = TENON_TEST_DATA "/json-schema-test-suite/remotes";
    std::map<std::string, std::string> out;
    for (const auto &path : filesBelow(folder)) {
        out.emplace("http://localhost:1234/" + fs::relative(path, folder).string(), textOf(path));
    }
    return out;
}

struct Count {
    std::size_t groups = 0, tests = 0, wrong = 0;
};

class Suite {
public:
    explicit Suite(std::string draft) : draft_(std::move(draft)) { options_.documents = remotes(); }

    Count run() {
        const fs::path folder = concat(TENON_TEST_DATA "/json-schema-test-suite/tests/", draft_);
        for (const auto &path : filesBelow(folder)) {
            const auto name = fs::relative(path, folder.parent_path()).string();
            // What the folder is about is switched on for it.
            options_.formats = name.find("/optional/format/") != name.npos ||
                                       name.find("/ecmascript-regex.json") != name.npos
                                   ? Formats::Assert
                                   : Formats::Annotate;
            auto document = Document::read(textOf(path));
            REQUIRE(document.has_value());
            for (const Value group : document->root().items()) {
                this->group(name, group);
            }
        }
        return count_;
    }

private:
    void group(const std::string &file, Value group) {
        const auto name = group["description"].string();
        INFO(file << ": " << name << ": " << group["schema"].raw());
        ++count_.groups;
        // Without a $schema the suite means the draft whose folder it is.
        auto text = std::string(group["schema"].raw());
        if (draft_ == "draft7" && group["schema"].isObject() && !group["schema"]["$schema"]) {
            text.insert(1, concat("\"$schema\":\"http://json-schema.org/draft-07/schema#\"",
                                  group["schema"].size() > 0 ? "," : ""));
        }
        const auto source = Document::read(text);
        REQUIRE(source.has_value());
        const auto schema = Schema::compile(source->root(), Limits(), options_);
        const bool refused = isListed(kRefused, file, name);
        INFO((schema ? "compiled" : schema.error().message));
        CHECK(schema.has_value() != refused);
        if (!schema) {
            count_.wrong += group["tests"].size();
            return;
        }
        std::size_t wrong = 0;
        const bool otherVerdict = isListed(kOtherVerdict, file, name);
        for (const Value test : group["tests"].items()) {
            ++count_.tests;
            const auto issues = (*schema)->validate(test["data"]);
            INFO("instance: " << test["description"].string() << ": " << test["data"].raw());
            INFO((issues.empty() ? "no issue" : issues[0].sentence()));
            const bool right = issues.empty() == test["valid"].isTrue();
            wrong += right ? 0 : 1;
            if (!otherVerdict) {
                CHECK(right);
            }
        }
        if (otherVerdict) {
            CHECK(wrong > 0); // else: take it off the list
        }
        count_.wrong += wrong;
    }

    const std::string draft_;
    Options options_;
    Count count_;
};

} // namespace

TEST_CASE("The official suite's verdicts for 2020-12 are ours, required and optional") {
    const Count count = Suite("draft2020-12").run();
    CHECK(count.groups == 461);
    CHECK(count.tests == 2224);
    CHECK(count.wrong == 1);
}

TEST_CASE("The official suite's verdicts for draft-07 are ours, required and optional") {
    const Count count = Suite("draft7").run();
    CHECK(count.groups == 321);
    CHECK(count.tests == 1719);
    CHECK(count.wrong == 6);
}
