// SPDX-License-Identifier: Apache-2.0
#include "json/document.h"
#include "support/text.h"

#include <catch2/catch.hpp>

#include <chrono>
#include <vector>

using tenon::concat;
using tenon::json::Document;
using tenon::json::equal;
using tenon::json::Kind;
using tenon::json::ReadLimits;
using tenon::json::Value;

namespace {

Document read(std::string text, const ReadLimits &limits = {}) {
    auto document = Document::read(std::move(text), limits);
    REQUIRE(document.has_value());
    return std::move(*document);
}

bool same(std::string a, std::string b) {
    const ReadLimits deep{64U << 20, 1'000'000};
    const Document left = read(std::move(a), deep);
    const Document right = read(std::move(b), deep);
    const bool yes = equal(left.root(), right.root());
    CHECK(equal(right.root(), left.root()) == yes);
    return yes;
}

} // namespace

TEST_CASE("Each kind has its name and says what it is") {
    const Document document = read(R"([null,true,false,1,"s",[],{}])");
    std::vector<std::string> names;
    for (const Value item : document.root().items()) {
        names.emplace_back(nameOf(item.kind()));
    }
    CHECK(names == std::vector<std::string>{"null", "boolean", "boolean", "number", "string",
                                            "array", "object"});
    const auto *text = "[true]";
    const Document one = read(text);
    const Value yes = *one.root().items().begin();
    CHECK(yes.isTrue());
    CHECK_FALSE(yes.isFalse());
    CHECK_FALSE(yes.isNull());
}

TEST_CASE("Members come in order, items come in order, and values keep their own bytes") {
    const Document document = read(R"({"z": [1, 2.50 ,"\u0041"], "a": {"x" : 1E5}, "m":-0})");
    std::string keys;
    for (const auto member : document.root().members()) {
        keys += concat(member.key, " ");
    }
    CHECK(keys == "z a m ");
    CHECK(document.root()["z"].raw() == R"([1, 2.50 ,"\u0041"])");
    CHECK(document.root()["z"].size() == 3);
    CHECK(document.root()["a"].raw() == R"({"x" : 1E5})");
    CHECK(document.root()["a"]["x"].number() == "1E5");
    CHECK(document.root()["m"].number() == "-0");
}

TEST_CASE("Big and exact numbers keep their digits") {
    const Document document = read("[9007199254740993,1e400,0.29,-123456789012345678901234567890]");
    std::vector<std::string_view> digits;
    for (const Value item : document.root().items()) {
        digits.push_back(item.number());
    }
    CHECK(digits == std::vector<std::string_view>{"9007199254740993", "1e400", "0.29",
                                                  "-123456789012345678901234567890"});
}

TEST_CASE("A key is found by what it means, not by how it was written") {
    const Document document = read(R"({"\u0061\"b":1,"":2,"a.b":3})");
    CHECK(document.root()["a\"b"].raw() == "1");
    CHECK(document.root()[""].raw() == "2");
    CHECK(document.root()["a.b"].raw() == "3");
}

TEST_CASE("A missing value is false, null, empty and has no members") {
    const Document document = read(R"({"n":null,"s":"x"})");
    const Value missing = document.root()["other"];
    CHECK_FALSE(missing);
    CHECK(missing.kind() == Kind::Null);
    CHECK(missing.raw().empty());
    CHECK(missing.string().empty());
    CHECK(missing.number().empty());
    CHECK(missing.size() == 0);
    CHECK_FALSE(missing["deeper"]["still"]);
    for (const Value item : missing.items()) {
        FAIL("an item of nothing: " << item.raw());
    }
    for (const auto member : missing.members()) {
        FAIL("a member of nothing: " << member.key);
    }
    CHECK(document.root()["n"]); // null is there
    CHECK(document.root()["n"].isNull());
    CHECK_FALSE(document.root()["s"]["x"]);
}

TEST_CASE("A value of another kind answers as if it had nothing of that kind") {
    const Document document = read(R"(["text",5,true,{"k":1}])");
    auto at = document.root().items().begin();
    CHECK((*at).number().empty());
    ++at;
    CHECK((*at).string().empty());
    CHECK_FALSE((*at).isTrue());
    CHECK((*at).size() == 0);
}

TEST_CASE("A document read over a view points into it, and one that was given its text owns it") {
    std::string text = R"({"a":"plain","b":"esc\naped"})";
    Document document;
    REQUIRE(document.readView(text).has_value());
    CHECK(document.root()["a"].raw().data() == text.data() + 5);
    const Document owning = read(text);
    text.assign(text.size(), '?');
    CHECK(owning.root()["a"].string() == "plain");
    CHECK(owning.root()["b"].string() == "esc\naped");
}

TEST_CASE("A moved document reads the same, short texts too") {
    for (const std::string &text :
         {std::string("[7]"), concat("[\"", std::string(100, 'x'), "\"]")}) {
        Document first = read(text);
        const Document second = std::move(first);
        CHECK(second.root().raw() == text);
        const Document third = second;
        CHECK(third.root().raw() == text);
    }
}

TEST_CASE("Empty arrays and objects have no members, nested ones keep their sizes") {
    const Document document = read(R"({"a":[],"b":{},"c":[[],[[]],{}],"d":[[1,2],[3]]})");
    CHECK(document.root().size() == 4);
    CHECK(document.root()["a"].size() == 0);
    CHECK(document.root()["c"].size() == 3);
    CHECK(document.root()["d"].size() == 2);
}

TEST_CASE("Equal is by value: numbers exactly, objects in any order, strings by meaning") {
    CHECK(same(R"({"a":1,"b":[true,null]})", R"({ "b" : [true, null], "a" : 1.0 })"));
    CHECK(same("100", "1e2"));
    CHECK(same("0", "-0.0"));
    CHECK(same(R"("\u0041")", R"("A")"));
    CHECK_FALSE(same("9007199254740993", "9007199254740992"));
    CHECK_FALSE(same("1e400", "1e401"));
    CHECK(same("1e400", "10e399"));
    CHECK_FALSE(same("[1,2]", "[2,1]"));
    CHECK_FALSE(same("[1]", "[1,1]"));
    CHECK_FALSE(same(R"({"a":1})", R"({"b":1})"));
    CHECK_FALSE(same(R"({"a":1})", R"({"a":1,"b":1})"));
    CHECK_FALSE(same("0", "false"));
    CHECK_FALSE(same("\"1\"", "1"));
    CHECK_FALSE(same("[]", "{}"));
    CHECK_FALSE(same("\"\"", "null"));
}

TEST_CASE("Equal needs no stack for depth") {
    const std::string deep = std::string(100'000, '[') + std::string(100'000, ']');
    CHECK(same(deep, deep));
}

TEST_CASE("Equal compares two objects of 200,000 keys in any order in bounded time") {
    std::string up = "{", down = "{";
    for (int i = 0; i < 200'000; ++i) {
        up += concat("\"k", i, "\":", i, ",");
        down += concat("\"k", 199'999 - i, "\":", 199'999 - i, ",");
    }
    up.back() = '}';
    down.back() = '}';
    const auto start = std::chrono::steady_clock::now();
    CHECK(same(up, down));
    down.replace(down.find("\"k5\":5"), 6, "\"k5\":6");
    CHECK_FALSE(same(up, down));
    CHECK(std::chrono::steady_clock::now() - start < std::chrono::seconds(5));
}
