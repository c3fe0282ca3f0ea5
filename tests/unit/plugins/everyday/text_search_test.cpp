// SPDX-License-Identifier: Apache-2.0
#include "refusal.h"

#include <everyday/text_search.h>

using namespace everyday;

namespace {

TextSearch literal(const std::string &text, const std::string &pattern) {
    TextSearch in;
    in.text = text;
    in.pattern = pattern;
    return in;
}
TextSearch regex(const std::string &text, const std::string &pattern) {
    TextSearch in = literal(text, pattern);
    in.regex = true;
    return in;
}
// "line:column@offset" of each match.
std::vector<std::string> placesOf(const TextSearch &in) {
    std::vector<std::string> out;
    for (const auto &match : textSearch(in).matches) {
        out.push_back(std::to_string(match.line) + ":" + std::to_string(match.column) + "@" +
                      std::to_string(match.offset));
    }
    return out;
}
using Places = std::vector<std::string>;

} // namespace

TEST_CASE("a literal pattern is found as it is, metacharacters included") {
    CHECK(placesOf(literal("a.b a+b (a.b)", "a.b")) == Places{"1:1@0", "1:10@9"});
    CHECK(placesOf(literal("x\\d\\d", "\\d")) == Places{"1:2@1", "1:4@3"});
    CHECK(placesOf(literal("abc", "d")).empty());
}

TEST_CASE("columns count characters and offsets count bytes") {
    // e-acute has two bytes, the euro sign three, the face four.
    const std::string text = "\u00E9\u20AC\U0001F600x\n\U0001F600x";
    CHECK(placesOf(literal(text, "x")) == Places{"1:4@9", "2:2@15"});
    CHECK(textSearch(literal(text, "\U0001F600")).matches[0].length == 4);
}

TEST_CASE("a combining mark is a character of its own in columns") {
    CHECK(placesOf(literal("e\u0301x", "x")) == Places{"1:3@3"});
}

TEST_CASE("lines end at LF, and a CR is a character of its line") {
    CHECK(placesOf(literal("a\r\nb\rx\nx", "x")) == Places{"2:3@5", "3:1@7"});
    CHECK(placesOf(literal("\n\nx", "x")) == Places{"3:1@2"});
    CHECK(placesOf(literal("a\nb", "\n")) == Places{"1:2@1"});
}

TEST_CASE("matches do not overlap") {
    CHECK(placesOf(literal("aaaaa", "aa")) == Places{"1:1@0", "1:3@2"});
    CHECK(textSearch(literal("aaaaa", "aa")).count == 2);
}

TEST_CASE("case is ignored by Unicode's simple folding") {
    TextSearch in =
        literal("STRASSE Stra\u00DFe \u00C9T\u00C9 \u03A3\u03C3\u03C2", "\u00E9t\u00E9");
    in.ignoreCase = true;
    CHECK(placesOf(in) == Places{"1:16@16"});
    in.pattern = "\u03C3"; // all three sigmas
    CHECK(textSearch(in).count == 3);
    in.pattern = "strasse"; // one character does not fold to two
    CHECK(textSearch(in).count == 1);
    in.regex = true;
    in.pattern = "s.r";
    CHECK(textSearch(in).count == 2);
}

TEST_CASE("an empty pattern is refused") {
    CHECK(holds(refusalOf([] { textSearch(literal("abc", "")); }).message, "pattern is empty"));
    CHECK(holds(refusalOf([] { textSearch(regex("abc", "")); }).hint, "^$"));
}

TEST_CASE("an invalid expression is refused with RE2's own words and nothing of ours") {
    const auto message = [](const std::string &pattern) {
        return refusalOf([&] { textSearch(regex("x", pattern)); }).message;
    };
    CHECK(message("a(b") == "The pattern is not a regular expression of RE2: missing ): a(b.");
    CHECK(holds(message("a**"), "bad repetition operator: **"));
    CHECK(holds(message("[z-a]"), "invalid character class range: z-a"));
    CHECK(holds(message("(?=x)"), "invalid perl operator: (?="));
    CHECK(holds(message("(a)\\1"), "invalid escape sequence: \\1"));
    CHECK(holds(message("a{1001}"), "invalid repetition size: {1001}"));
    CHECK(holds(message("((a{100}){100}){100}"), "invalid repetition size"));
}

TEST_CASE("the anchors of an expression match at every line") {
    CHECK(placesOf(regex("ab\nab\nb", "^a")) == Places{"1:1@0", "2:1@3"});
    CHECK(placesOf(regex("ab\nab\nb", "b$")) == Places{"1:2@1", "2:2@4", "3:1@6"});
    CHECK(placesOf(regex("a\r\nb", "a\\r?$")) == Places{"1:1@0"});
    CHECK(placesOf(regex("ab\nab", "\\Aa")) == Places{"1:1@0"});
}

TEST_CASE("an anchor or a word boundary sees the text before, not only what is left to search") {
    CHECK(placesOf(regex("aaa", "^a")) == Places{"1:1@0"});
    CHECK(placesOf(regex("aba b", "\\bb|a")) == Places{"1:1@0", "1:3@2", "1:5@4"});
}

TEST_CASE("the dot stops at line ends unless the expression says (?s)") {
    CHECK(textSearch(regex("a\nb", "a.b")).count == 0);
    CHECK(textSearch(regex("a\nb", "(?s)a.b")).matches[0].text == "a\nb");
}

TEST_CASE("empty matches are reported once per place, and not right behind a match") {
    CHECK(placesOf(regex("baac", "a*")) == Places{"1:1@0", "1:2@1", "1:5@4"});
    CHECK(placesOf(regex("a\n\nb", "^$")) == Places{"2:1@2"});
    CHECK(placesOf(regex("", "^$")) == Places{"1:1@0"});
    CHECK(placesOf(regex("\u00E9\u00E9", "x*")) == Places{"1:1@0", "1:2@2", "1:3@4"});
    CHECK(placesOf(regex("a\n", "$")) == Places{"1:2@1", "2:1@2"});
}

TEST_CASE("a pattern that would split a character is refused") {
    const auto refusal = refusalOf([] { textSearch(regex("\u00E9", "\\C")); });
    CHECK(holds(refusal.message, "part of a character, at byte 0"));
    CHECK(textSearch(regex("ab", "\\C")).count == 2);
}

TEST_CASE("groups that took part are listed with index and name") {
    const auto out = textSearch(regex("k=v; q", "(?P<key>\\w)(=(?P<value>\\w))?"));
    REQUIRE(out.matches.size() == 2);
    const auto &groups = *out.matches[0].groups;
    REQUIRE(groups.size() == 3);
    CHECK(groups[0].name == "key");
    CHECK(groups[0].text == "k");
    CHECK_FALSE(groups[1].name.has_value());
    CHECK(groups[2].index == 3);
    CHECK(groups[2].text == "v");
    CHECK(out.matches[1].groups->size() == 1);
    CHECK_FALSE(textSearch(literal("a", "a")).matches[0].groups.has_value());
    CHECK(textSearch(regex("b", "(a*)b")).matches[0].groups->at(0).text.empty());
}

TEST_CASE("more matches than asked for are counted but not listed") {
    TextSearch in = regex("x x x x x", "(x)");
    in.maxMatches = 2;
    const auto out = textSearch(in);
    CHECK(out.matches.size() == 2);
    CHECK(out.count == 5);
    CHECK(out.truncated);
    in.maxMatches = 5;
    CHECK_FALSE(textSearch(in).truncated);
}

TEST_CASE("context gives the line and those around it, with the first one's number") {
    TextSearch in = literal("one\r\ntwo\nthree\nfour\nfive\n", "three");
    CHECK_FALSE(textSearch(in).matches[0].context.has_value());
    in.contextLines = 0;
    CHECK(textSearch(in).matches[0].context->lines == std::vector<std::string>{"three"});
    CHECK(textSearch(in).matches[0].context->firstLine == 3);
    in.contextLines = 2;
    CHECK(textSearch(in).matches[0].context->firstLine == 1);
    CHECK(textSearch(in).matches[0].context->lines ==
          std::vector<std::string>{"one", "two", "three", "four", "five"});
    in.contextLines = 20;
    CHECK(textSearch(in).matches[0].context->lines.size() == 5);
    in.pattern = "one";
    in.contextLines = 1;
    CHECK(textSearch(in).matches[0].context->lines == std::vector<std::string>{"one", "two"});
}

TEST_CASE("context of empty lines and of a match at the very end is right") {
    TextSearch in = literal("\n\nx\n", "x");
    in.contextLines = 2;
    CHECK(textSearch(in).matches[0].context->lines == std::vector<std::string>{"", "", "x"});
    in = regex("a\n", "\\z");
    in.contextLines = 1;
    CHECK(textSearch(in).matches[0].line == 2);
    CHECK(textSearch(in).matches[0].context->lines == std::vector<std::string>{"a", ""});
}

TEST_CASE("of a long line the part around the match is shown") {
    TextSearch in = literal(std::string(3000, 'a') + "NEEDLE" + std::string(3000, 'b'), "NEEDLE");
    in.contextLines = 0;
    const auto line = textSearch(in).matches[0].context->lines[0];
    CHECK(line == "\u2026" + std::string(250, 'a') + "NEEDLE" + std::string(244, 'b') + "\u2026");
    in.text = std::string(3000, 'a') + "NEEDLE";
    CHECK(textSearch(in).matches[0].context->lines[0] ==
          "\u2026" + std::string(494, 'a') + "NEEDLE");
}

TEST_CASE("a long match is cut at a character, and its length stays true") {
    std::string text;
    for (int i = 0; i < 5000; ++i) {
        text += "\u20AC";
    }
    const auto match = textSearch(regex(text, ".+")).matches[0];
    CHECK(match.length == 15000);
    CHECK(match.text == text.substr(0, 6000) + "\u2026");
}

TEST_CASE("the list stays under its ceiling of bytes, and all matches are counted") {
    TextSearch in = regex(std::string(2000 * 300, 'a'), "a{1000}a{1000}");
    in.maxMatches = 1000;
    const auto out = textSearch(in);
    CHECK(out.count == 300);
    CHECK(out.truncated);
    CHECK(out.matches.size() == 124); // 2100 bytes each within 256 KiB
}

TEST_CASE("zero bytes in text and pattern are ordinary characters") {
    CHECK(placesOf(literal(std::string("a\0b\0", 4), std::string("\0", 1))) ==
          Places{"1:2@1", "1:4@3"});
}

TEST_CASE("an expression that makes backtracking engines hang answers at once") {
    CHECK(textSearch(regex(std::string(20000, 'a'), "(a+)+$b")).count == 0);
    CHECK(textSearch(regex(std::string(20000, 'a'), "(a|aa)+x")).count == 0);
}

TEST_CASE("an expression too large to run fast is refused") {
    const auto refusal = refusalOf([] { textSearch(regex("x", "\\pL{60}")); });
    CHECK(holds(refusal.message, "instructions: expected at most 50000"));
    CHECK(textSearch(regex("x", "\\pL{1,30}")).count == 1);
}

TEST_CASE("a cancelled search stops between matches") {
    int asked = 0;
    CHECK(refusalOf([&] { textSearch(literal("aaaa", "a"), [&] { return ++asked > 2; }); }).code ==
          "CANCELLED");
    CHECK(asked == 3);
}
