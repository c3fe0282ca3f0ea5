// SPDX-License-Identifier: Apache-2.0
#include "manifest/yaml.h"
#include "support/text.h"

#include <catch2/catch.hpp>

#include <chrono>

using Catch::Matchers::Contains;
using tenon::concat;
using tenon::manifest::readYaml;
using tenon::manifest::YamlNode;

namespace {

YamlNode read(const std::string &text) {
    auto node = readYaml(text, "t.yaml");
    INFO((node ? "" : node.error().message));
    REQUIRE(node.has_value());
    return std::move(*node);
}

std::string refusal(const std::string &text) {
    const auto node = readYaml(text, "t.yaml");
    if (node) {
        return "";
    }
    CHECK(node.error().code == "manifest.yaml");
    return node.error().message;
}

// A text as JSON, or the refusal of it.
std::string json(const std::string &text) {
    const auto out = toJson(read(text), "t.yaml");
    return out ? *out : out.error().message;
}

double secondsOf(const auto &work) {
    const auto start = std::chrono::steady_clock::now();
    work();
    return std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
}

} // namespace

TEST_CASE("A tree has its scalars as written and its places from 1") {
    const auto root = read("a: 1.10\nb:\n  - \"x y\"\n  - {k: v}\n");
    REQUIRE(root.kind == YamlNode::Kind::Map);
    REQUIRE(root.find("a") != nullptr);
    CHECK(root.find("a")->text == "1.10");
    CHECK_FALSE(root.find("a")->quoted);
    CHECK(root.find("a")->line == 1);
    CHECK(root.find("a")->column == 4);
    const auto *list = root.find("b");
    REQUIRE(list != nullptr);
    REQUIRE(list->items.size() == 2);
    CHECK(list->items[0].text == "x y");
    CHECK(list->items[0].quoted);
    CHECK(list->items[0].line == 3);
    CHECK(list->items[0].column == 5);
    CHECK(list->items[1].members[0].first.text == "k");
    CHECK(root.find("c") == nullptr);
}

TEST_CASE("Text is never retyped: versions, dates, times and words stay what was written") {
    for (const auto *text : {"1.10", "1e3", "2025-01-01", "12:30", "no", "yes", "off", "010",
                             "0x1F", "True", ".inf", "1_000"}) {
        CAPTURE(text);
        CHECK(read(concat("v: ", text)).find("v")->text == text);
    }
    for (const auto *null : {"null", "Null", "~", ""}) {
        const auto root = read(concat("v: ", null));
        CHECK(root.find("v")->text.empty());
        CHECK_FALSE(root.find("v")->quoted);
    }
    CHECK(read("v: \"null\"").find("v")->text == "null");
    CHECK(read("v: costs $5 or $HOME, regex ^a$").find("v")->text ==
          "costs $5 or $HOME, regex ^a$");
    CHECK(read(R"(v: "^\\$[0-9]+$")").find("v")->text == "^\\$[0-9]+$");
    CHECK(read("v: |\n  two\n  lines\n").find("v")->text == "two\nlines\n");
}

TEST_CASE("As JSON the core schema holds: true, false, null and JSON's numbers; the rest is text") {
    CHECK(json("[true, True, FALSE, false]") == "[true,true,false,false]");
    CHECK(json("[null, Null, NULL, ~, ]") == "[null,null,null,null]");
    CHECK(json("{a: , b: x}") == R"({"a":null,"b":"x"})");
    CHECK(json("[0, -5, 1.10, 1e3, 9007199254740993]") == "[0,-5,1.10,1e3,9007199254740993]");
    CHECK(json("[+5, .5, 5., 0x1F, 0o17, 1_000, .inf, .nan, 12:30, 2025-01-01, tRUE]") ==
          R"(["+5",".5","5.","0x1F","0o17","1_000",".inf",".nan","12:30","2025-01-01","tRUE"])");
    CHECK(json(R"(["yes", 'no', "010", "1", "true", "null", "~", ""])") ==
          R"(["yes","no","010","1","true","null","~",""])");
    CHECK(json("a: |\n  true\n") == "{\"a\":\"true\\n\"}");
    CHECK(json("{z: {y: [x]}, \"1\": {}, e: []}") == R"({"z":{"y":["x"]},"1":{},"e":[]})");
    CHECK(json("plain") == R"("plain")");
}

TEST_CASE(
    "A plain word that older YAML reads otherwise is refused with its place and the way out") {
    for (const auto *word : {"yes", "No", "ON", "off", "y", "N", "010", "00", "0_7"}) {
        CAPTURE(word);
        CHECK(json(concat("k: [a, ", word, "]")) ==
              concat("t.yaml:1:8: the plain word ", word,
                     " is read differently by different programs; write \"", word,
                     "\" in quotes, or true, false or the number that is meant"));
    }
}

TEST_CASE("A key twice in one map is refused with both lines, quoted or not") {
    CHECK(refusal("a: 1\nb: 2\na: 3\n") ==
          "t.yaml:3:1: the key \"a\" stands twice in one map (first in line 1); expected each key "
          "once");
    CHECK_THAT(refusal("\"name\": a\nname: b\n"),
               Contains("t.yaml:2:1: the key \"name\" stands twice"));
    CHECK_THAT(refusal("o: {k: 1, k: 2}\n"), Contains("t.yaml:1:11: the key \"k\" stands twice"));
    CHECK_THAT(refusal("- {x: {k: [], k: {}}}\n"), Contains("the key \"k\" stands twice"));
    CHECK_THAT(refusal("a:\nb:\na:\n"), Contains("the key \"a\" stands twice"));
    CHECK(refusal("a: {k: 1}\nb: {k: 1}\n").empty());
}

TEST_CASE("Anchors, aliases and tags are refused, each with the way out") {
    CHECK(refusal("a: &x 1\n") ==
          "t.yaml:1:4: an anchor (&name) is not supported: write the value out");
    CHECK_THAT(refusal("a: &x [1]\nb: *x\n"), Contains("an anchor (&name) is not supported"));
    CHECK_THAT(refusal("a: &x {k: 1}\n"), Contains("an anchor (&name)"));
    CHECK_THAT(refusal("a: &x\n"), Contains("an anchor (&name)"));
    CHECK_THAT(refusal("&a [*a]\n"), Contains("an anchor (&name)"));
    CHECK_FALSE(refusal("b: *x\n").empty());
    CHECK(refusal("a: !!str 5\n") ==
          "t.yaml:1:4: the tag tag:yaml.org,2002:str is not supported: leave it out");
    CHECK_THAT(refusal("a: !secret [x]\n"), Contains("the tag !secret is not supported"));
    CHECK_THAT(refusal("a: !!map {}\n"), Contains("is not supported: leave it out"));
}

TEST_CASE("An alias bomb is refused at once") {
    std::string bomb = "a: &a [x,x,x,x,x,x,x,x,x]\n";
    for (char c = 'b'; c <= 'i'; ++c) {
        bomb += concat(c, ": &", c, " [");
        for (int i = 0; i < 9; ++i) {
            bomb += concat(i ? ",*" : "*", static_cast<char>(c - 1));
        }
        bomb += "]\n";
    }
    CHECK(secondsOf([&] { CHECK_THAT(refusal(bomb), Contains("t.yaml:1:4: an anchor")); }) < 1);
}

TEST_CASE("A second document is refused, a marker before the first is not") {
    CHECK(refusal("---\na: 1\n").empty());
    CHECK(refusal("---\na: 1\n...\n").empty());
    CHECK(refusal("a: 1\n---\nb: 2\n") == "t.yaml:3:1: a second document begins here, or the "
                                          "indentation is wrong; expected one document");
    CHECK_THAT(refusal("- a\nb: 1\n"),
               Contains("t.yaml:2:1: ") && Contains("indentation is wrong"));
}

TEST_CASE("A tab as indentation is told with its place; elsewhere it is text") {
    CHECK(refusal("plugins:\n\t- name: a\n") ==
          "t.yaml:2:1: a tab is not allowed as indentation; use spaces");
    CHECK(refusal("a:\n  \tb: 1\n") ==
          "t.yaml:2:3: a tab is not allowed as indentation; use spaces");
    CHECK(read("a: x\ty\n").find("a")->text == "x\ty");
    CHECK(refusal("a: 1\n\t\nb: 2\n") ==
          "t.yaml:2:1: a tab is not allowed as indentation; use spaces");
    CHECK(refusal("a: 1 \t\nb:\t2\n").empty());
}

TEST_CASE("Text that is not UTF-8 is told with its place") {
    CHECK(refusal("a: 1\nb: caf\xE9\n") ==
          "t.yaml:2:7: the text is not UTF-8; save the file as UTF-8");
    CHECK_THAT(refusal("\xFF\xFE"
                       "a"),
               Contains("t.yaml:1:1: the text is not UTF-8"));
    CHECK(read("a: caf\xC3\xA9 \xF0\x9F\x8D\xB8").find("a")->text ==
          "caf\xC3\xA9 \xF0\x9F\x8D\xB8");
}

TEST_CASE("A quote that is never closed does not swallow the rest of the file") {
    CHECK(refusal("b: 1\na: \"x\nc: 2\n") ==
          "t.yaml:2:4: the text that begins with \" has no closing \"");
    CHECK(refusal("a: 'x\nb: 1\n") == "t.yaml:1:4: the text that begins with ' has no closing '");
    CHECK(refusal("- \"x\\\"\n") == "t.yaml:1:3: the text that begins with \" has no closing \"");
    CHECK_FALSE(refusal("a: \"x").empty());
    CHECK_FALSE(refusal("a: 'x''\n").empty());
    CHECK_THAT(refusal("\xEF\xBB\xBF"
                       "a: \"x\n"),
               Contains("has no closing \""));
    CHECK(read("a: 'it''s'").find("a")->text == "it's");
    CHECK(read("a: 'two\n  lines'\nb: \"q\\\"q\"").find("b")->text == "q\"q");
    CHECK(read("\xEF\xBB\xBF"
               "caf\xC3\xA9: \"x\"\nb: 'y'")
              .find("b")
              ->text == "y");
    CHECK(read("a: it's\nb: 5\" tape").find("b")->text == "5\" tape"); // quotes within plain words
}

TEST_CASE("A bare control character is refused with its place, the one that ends the parser's "
          "input too") {
    CHECK(
        refusal("a: 1\nb: x # \x04\nc: 2\n") ==
        "t.yaml:2:8: a control character (byte 4) stands bare; write it as an escape within double "
        "quotes");
    CHECK_THAT(refusal(std::string("a: x\0y", 6)),
               Contains("t.yaml:1:5: a control character (byte 0)"));
    CHECK_THAT(refusal("a: \x1B[31m"), Contains("(byte 27)"));
    CHECK_THAT(refusal("a: \x7F"), Contains("(byte 127)"));
    CHECK(read("a: \"\\x1b\\0\"").find("a")->text == std::string("\x1B\0", 2));
    CHECK(read("a: 1\r\nb: 2\r\n").find("b")->text == "2");
}

TEST_CASE("What is no YAML is told with its place") {
    CHECK_THAT(refusal("a: [1, 2\n"), Contains("t.yaml:"));
    CHECK_THAT(refusal("a: b: c\n"), Contains("t.yaml:1:"));
    CHECK_THAT(refusal(": :\n  - }"), Contains("t.yaml:"));
    CHECK_THAT(refusal(""),
               Contains("t.yaml:1:1: the file is empty; expected a map that begins with "
                        "\"tenon: 1\""));
    CHECK_THAT(refusal("# only a comment\n\n"), Contains("the file is empty"));
    CHECK_THAT(refusal("? [a, b]\n: 1\n"), Contains("a key is a list or a map; expected a word"));
}

TEST_CASE("Depth 32 is read and depth 33 is refused") {
    const auto nested = [](std::size_t depth) {
        return std::string(depth, '[') + "x" + std::string(depth, ']');
    };
    CHECK(refusal(nested(32)).empty());
    CHECK_THAT(refusal(nested(33)), Contains("t.yaml:1:33: nesting is deeper than 32, the limit"));
}

TEST_CASE("A bomb of 100,000 brackets, dashes or braces ends in an error") {
    const std::pair<std::string_view, std::size_t> parts[] = {
        {"[", 100'000}, {"{a: ", 100'000}, {"- ", 100'000}, {"? ", 100'000}, {"[{", 100'000}};
    for (const auto &[part, times] : parts) {
        std::string text;
        for (std::size_t i = 0; i < times; ++i) {
            text += part;
        }
        CAPTURE(part);
        CHECK(secondsOf([&] { CHECK_FALSE(refusal(text).empty()); }) < 2);
    }
}

TEST_CASE("50,000 values are read and one more is refused") {
    std::string list = "[";
    for (int i = 0; i < 49'998; ++i) {
        list += "x,";
    }
    CHECK(refusal(list + "x]").empty()); // and the list itself
    CHECK_THAT(refusal(list + "x,x]"), Contains("more than 50000 values, the limit"));
}

TEST_CASE("A text of 1 MiB is read and one byte more is refused with its size") {
    const std::string text = concat("a: ", std::string((1U << 20) - 3, 'x'));
    CHECK(refusal(text).empty());
    CHECK(refusal(text + "x") == "t.yaml: has 1048577 bytes; the limit is 1048576");
}

TEST_CASE("Many keys, and many lines before a tab, are read in bounded time") {
    std::string keys;
    for (int i = 0; i < 24'000; ++i) {
        keys += concat("key_", i, ": 1\n");
    }
    CHECK(secondsOf([&] { CHECK(refusal(keys).empty()); }) < 2);
    CHECK_THAT(refusal(keys + "key_77: 2\n"), Contains("\"key_77\" stands twice"));
    CHECK(secondsOf([&] { CHECK(refusal(std::string(1'000'000, '\n') + "a: x\ty\n").empty()); }) <
          2);
}
