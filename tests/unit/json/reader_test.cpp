// SPDX-License-Identifier: Apache-2.0
// The strict reader against RFC 8259 and RFC 3629: what it takes, what it refuses, in which words.
#include "json/document.h"
#include "support/text.h"

#include <catch2/catch.hpp>

#include <chrono>

using Catch::Matchers::Contains;
using tenon::concat;
using tenon::json::Document;
using tenon::json::Kind;
using tenon::json::ReadLimits;

namespace {

bool reads(std::string_view text, const ReadLimits &limits = {}) {
    return Document().readView(text, limits).has_value();
}

// The message of a refusal; "" when the text was taken.
std::string refusal(std::string_view text, const ReadLimits &limits = {}) {
    const auto read = Document().readView(text, limits);
    if (read) {
        return "";
    }
    CHECK(read.error().code == "json.syntax");
    return read.error().message;
}

std::string decoded(std::string_view text) {
    Document document;
    REQUIRE(document.readView(text).has_value());
    REQUIRE(document.root().isString());
    return std::string(document.root().string());
}

std::string repeated(std::string_view part, std::size_t times) {
    std::string out;
    out.reserve(part.size() * times);
    for (std::size_t i = 0; i < times; ++i) {
        out += part;
    }
    return out;
}

std::string nested(std::size_t depth) {
    return std::string(depth, '[') + std::string(depth, ']');
}

double secondsOf(const auto &work) {
    const auto start = std::chrono::steady_clock::now();
    work();
    return std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
}

} // namespace

TEST_CASE("Any value may be a whole JSON text, with white space around it") {
    for (const auto *text : {"null", "true", "false", "0", "\"\"", "[]", "{}", " \t\r\n [ ] \n"}) {
        CAPTURE(text);
        CHECK(reads(text));
    }
}

TEST_CASE("What RFC 8259 does not have is refused") {
    for (const std::string_view text : {"",
                                        " ",
                                        "nul",
                                        "nulll",
                                        "TRUE",
                                        "True",
                                        "NaN",
                                        "Infinity",
                                        "-Infinity",
                                        "undefined",
                                        "'a'",
                                        "[1,]",
                                        "[,1]",
                                        "[1 2]",
                                        "[1",
                                        "]",
                                        "{",
                                        "}",
                                        "{\"a\"}",
                                        "{\"a\":}",
                                        "{\"a\":1,}",
                                        "{a:1}",
                                        "{'a':1}",
                                        "{1:1}",
                                        "{\"a\" 1}",
                                        "{\"a\":1 \"b\":2}",
                                        "[}",
                                        "{]",
                                        "1 2",
                                        "{}{}",
                                        "[]x",
                                        "// c\n1",
                                        "/* c */ 1",
                                        "1 // c",
                                        "\"a",
                                        "\"\\",
                                        "\"\\u12\"",
                                        "\"\\x41\"",
                                        "\"\\'\"",
                                        "\"\\U0041\"",
                                        "\"\\u00g0\"",
                                        "\"a\nb\"",
                                        "\"a\tb\"",
                                        "\xEF\xBB\xBF{}",
                                        "\xC2\xA0"
                                        "1",
                                        "\v1",
                                        "\f1"}) {
        CAPTURE(text);
        CHECK_FALSE(reads(text));
    }
    CHECK_FALSE(reads(std::string_view("1\0", 2)));
    CHECK_FALSE(reads(std::string_view("\"\0\"", 3)));
    CHECK_FALSE(reads(std::string_view("\0", 1)));
}

TEST_CASE("Numbers are those of RFC 8259 and no others") {
    for (const auto *text : {"0", "-0", "1", "-1", "10", "0.5", "-0.5e-10", "1E5", "1e+5", "1e400",
                             "0e0", "123456789012345678901234567890", "1.000"}) {
        CAPTURE(text);
        Document document;
        REQUIRE(document.readView(text).has_value());
        CHECK(document.root().number() == text);
    }
    for (const auto *text : {"+1", "01", "-01", "00", ".5", "5.", "-", "1e", "1e+", "1.e5", "1.5.5",
                             "0x10", "1_000", "--1", "- 1", "1e5.5", "1f", "٣"}) {
        CAPTURE(text);
        CHECK_FALSE(reads(text));
    }
}

TEST_CASE("A refusal says where it is, what was seen and what was expected") {
    CHECK(refusal("{\"a\":1,\n  \"b\" 2}") ==
          "line 2, column 7: expected ':' after a key, found '2'");
    CHECK(refusal("[1") == "line 1, column 3: expected ',' or ']' after an item, found the end of "
                           "the text");
    CHECK(refusal("{\"a\":1") ==
          "line 1, column 7: expected ',' or '}' after a member, found the end of the text");
    CHECK(refusal("NaN") == "line 1, column 1: expected a JSON value, found 'N'");
    CHECK(refusal("-Infinity") == "line 1, column 2: expected a digit after '-', found 'I'");
    CHECK(refusal("{} {}") ==
          "line 1, column 4: expected the end of the text after one value, found '{'");
    CHECK(refusal("{a:1}") == "line 1, column 2: expected a key in double quotes, found 'a'");
    CHECK(refusal("\xEF\xBB\xBF{}") ==
          "line 1, column 1: the text begins with a byte order mark, which JSON does not have");
    CHECK(refusal("012") == "line 1, column 2: a number may not begin with 0 and another digit");
    CHECK(refusal("1.x") == "line 1, column 3: expected a digit after '.', found 'x'");
    CHECK(refusal("1e") == "line 1, column 3: expected a digit in the exponent, found the end of "
                           "the text");
    CHECK_THAT(refusal("\"\\x\""),
               Contains("expected one of \" \\ / b f n r t u after a backslash"));
    CHECK_THAT(refusal("\"\\u12G4\""), Contains("expected four hexadecimal digits after \\u"));
    CHECK_THAT(refusal("\"a\nb\""),
               Contains("a control character (byte 10) stands bare in a string: write it as \\u"));
    CHECK_THAT(refusal("\"ab"), Contains("the text ends inside a string"));
}

TEST_CASE("Every escape means its character") {
    CHECK(decoded(R"("\"\\\/\b\f\n\r\t")") == "\"\\/\b\f\n\r\t");
    CHECK(decoded(R"("\u0041\u00e9\u20AC\uFFFF")") == "A\xC3\xA9\xE2\x82\xAC\xEF\xBF\xBF");
    CHECK(decoded(R"("\u0000")") == std::string(1, '\0'));
    CHECK(decoded(R"("before \u0041 after")") == "before A after");
    CHECK(decoded(R"("\\u0041")") == "\\u0041");
    CHECK(decoded("\"\x7F\"") == "\x7F"); // DEL may stand bare
}

TEST_CASE("An escaped surrogate pair is one character, the same as its raw UTF-8") {
    CHECK(decoded(R"("\ud83c\udf78")") == "\xF0\x9F\x8D\xB8");
    CHECK(decoded(R"("\uD83C\uDF78")") == "\xF0\x9F\x8D\xB8");
    CHECK(decoded("\"\xF0\x9F\x8D\xB8\"") == "\xF0\x9F\x8D\xB8");
    CHECK(decoded(R"("\ud800\udc00")") == "\xF0\x90\x80\x80"); // U+10000
    CHECK(decoded(R"("\udbff\udfff")") == "\xF4\x8F\xBF\xBF"); // U+10FFFF
}

TEST_CASE("A lone surrogate is refused in each of its forms") {
    for (const auto *text : {R"("\ud800")", R"("\udbff")",         // high, at the end
                             R"("\ud800x")", R"("\ud800 \udc00")", // high, then something else
                             R"("\ud800\n")", R"("\ud800\u0041")", R"("\ud800\ud800")",
                             R"("\ud800\ud800\udc00")", R"("\udc00")", R"("\udfff")", // low, first
                             R"("\udc00\ud800")", R"("x\udc00y")", R"({"\ud800":1})"}) {
        CAPTURE(text);
        CHECK_THAT(refusal(text), Contains("lone surrogate"));
    }
    CHECK_THAT(refusal(R"(["\ud83c"])"), Contains("line 1, column 3: a lone surrogate"));
    CHECK_THAT(refusal("\"\xED\xA0\x80\""), Contains("not UTF-8")); // raw, as CESU-8 writes it
    CHECK_FALSE(reads(R"("\ud800\u")"));
    CHECK_FALSE(reads(R"("\ud800\u12")"));
    CHECK_FALSE(reads("\"\\ud800"));
}

TEST_CASE("Bytes that are not UTF-8 are refused at their place, in keys too") {
    for (const std::string_view bad :
         {"\x80", "\xC0\x80", "\xC1\xBF", "\xE0\x80\x80", "\xE0\x9F\xBF", "\xF0\x80\x80\x80",
          "\xF0\x8F\xBF\xBF", "\xED\xA0\x80", "\xED\xBF\xBF", "\xF4\x90\x80\x80", "\xFF", "\xC2",
          "\xE2\x82", "\xF0\x9F\x8D"}) {
        CAPTURE(bad);
        CHECK(refusal(concat("[\"ab", bad, "\"]")) ==
              concat("line 1, column 5: the string is not UTF-8: the byte ",
                     static_cast<int>(static_cast<unsigned char>(bad[0]))));
        CHECK_FALSE(reads(concat("{\"", bad, "\":1}")));
        CHECK_FALSE(reads(concat("[", bad, "]")));
        CHECK_FALSE(reads(concat("\"\\n", bad, " and more than eight bytes\"")));
    }
}

TEST_CASE("A quote, a backslash or a control is seen at every place of a long string") {
    for (std::size_t place = 0; place < 40; ++place) {
        CAPTURE(place);
        const std::string before(place, 'x');
        CHECK(decoded(concat("\"", before, "\\n", "rest\"")) == concat(before, "\nrest"));
        CHECK(decoded(concat("\"", before, "\"")) == before);
        CHECK(decoded(concat("\"", before, "\xC3\xA9 tail tail\"")) ==
              concat(before, "\xC3\xA9 tail tail"));
        CHECK_FALSE(reads(concat("\"", before, "\x1F", "rest rest\"")));
        CHECK_FALSE(reads(concat("\"", before, "\xFF", "rest rest\"")));
        CHECK_FALSE(reads(concat("\"", before)));
    }
}

TEST_CASE("A key twice in one object is refused at every level") {
    for (const auto *text :
         {R"({"a":1,"a":1})", R"({"o":{"a":1,"b":2,"a":3}})", R"([[{"x":{"a":1,"a":2}}]])",
          R"({"":1,"":2})", R"({"a":1,"\u0061":2})", R"({"\ud83c\udf78":1,"🍸":2})"}) {
        CAPTURE(text);
        CHECK_THAT(refusal(text), Contains("stands twice in one object"));
    }
    CHECK_THAT(refusal(R"({"o":{"a":1,"a":3}})"), Contains("the key \"a\" stands twice"));
    CHECK(reads(R"({"a":{"a":{"a":1}},"b":{"a":1}})")); // each object has its own keys
    CHECK(reads(R"({"a":1,"A":2,"a ":3})"));
}

TEST_CASE("A key twice among many is found too") {
    for (std::size_t twin = 0; twin < 20; ++twin) {
        std::string text = "{";
        for (std::size_t i = 0; i < 20; ++i) {
            text += concat("\"k", i, "\":", i, ",");
        }
        CAPTURE(twin);
        CHECK_THAT(refusal(concat(text, "\"k", twin, "\":0}")),
                   Contains(concat("the key \"k", twin, "\" stands twice")));
    }
}

TEST_CASE("With duplicates allowed the first one seen is noted and the text is read") {
    Document document;
    const ReadLimits lenient{16U << 20, 128, false};
    REQUIRE(document.readView(R"({"m":1,"p":{"x":1,"x":2}})", lenient).has_value());
    CHECK(document.flaw() == "the key \"x\" stands twice in one object; expected each key once");
    CHECK(document.root()["p"].size() == 2);
    REQUIRE(document.readView("{}", lenient).has_value());
    CHECK(document.flaw().empty());
    REQUIRE(document.readView(R"({"":1,"":2})", lenient).has_value());
    CHECK_THAT(document.flaw(), Contains("the key \"\" stands twice"));
}

TEST_CASE("With flaws allowed a lone surrogate is noted, and what is around it is read") {
    Document document;
    const ReadLimits lenient{16U << 20, 128, false};
    for (const auto *text : {R"({"id":7,"q":"a\ud83c"})", R"({"id":7,"q":"\udf78"})",
                             R"({"id":7,"q":"\ud83cA"})", R"({"id":7,"q":"\ud83c\ud83c"})"}) {
        CAPTURE(text);
        REQUIRE(document.readView(text, lenient).has_value());
        CHECK_THAT(document.flaw(), Contains("lone surrogate"));
        CHECK(document.root()["id"].raw() == "7");
    }
    CHECK_FALSE(document.readView(R"("\ud83c\u12")", lenient).has_value());
    REQUIRE(document.readView(R"("\ud83c\udf78")", lenient).has_value());
    CHECK(document.flaw().empty());
}

TEST_CASE("Depth 128 is read and depth 129 is refused, by name of the limit") {
    CHECK(reads(nested(128)));
    CHECK(refusal(nested(129)) == "line 1, column 129: nesting is deeper than the limit of 128");
    CHECK(reads(repeated("{\"a\":", 127) + "[]" + std::string(127, '}')));
    CHECK_THAT(refusal(repeated("{\"a\":", 128) + "[]" + std::string(128, '}')),
               Contains("deeper than the limit of 128"));
    CHECK(reads("1", {100, 0}));
    CHECK_FALSE(reads("[]", {100, 0}));
}

TEST_CASE("A text of exactly the limit's bytes is read and one byte more is refused") {
    const std::string text = concat("\"", std::string(98, 'x'), "\"");
    CHECK(reads(text, {100}));
    CHECK(refusal(text + " ", {100}) ==
          "line 1, column 1: the text has 101 bytes; the limit is 100");
}

TEST_CASE("A bomb of 100,000 brackets ends in an error, or is read without the stack") {
    CHECK_THAT(refusal(std::string(100'000, '[')), Contains("deeper than the limit of 128"));
    CHECK_THAT(refusal(repeated("{\"a\":", 100'000)), Contains("deeper than the limit of 128"));
    CHECK_THAT(refusal(repeated("[{\"a\":", 50'000)), Contains("deeper than the limit of 128"));
    CHECK(reads(nested(100'000), {1U << 20, 1'000'000}));
    CHECK_FALSE(reads(std::string(100'000, '['), {1U << 20, 1'000'000}));
}

TEST_CASE("A million keys are read, or found to hold a duplicate, in bounded time") {
    std::string text = "{";
    for (int i = 0; i < 1'000'000; ++i) {
        text += concat("\"", i, "\":0,");
    }
    const std::string twice = concat(text, "\"777\":0}");
    text.back() = '}';
    Document document;
    const ReadLimits limits{64U << 20, 128};
    CHECK(secondsOf([&] { REQUIRE(document.readView(text, limits).has_value()); }) < 5);
    CHECK(document.root().size() == 1'000'000);
    CHECK(secondsOf([&] { CHECK_THAT(refusal(twice, limits), Contains("\"777\"")); }) < 5);
}

TEST_CASE("A document that failed to read is empty and can be read into again") {
    Document document;
    REQUIRE(document.readView("[1,2,3]").has_value());
    REQUIRE_FALSE(document.readView("[1,2,").has_value());
    CHECK(document.empty());
    REQUIRE(document.readView(R"({"a":"\n"})").has_value());
    CHECK(document.root()["a"].string() == "\n");
    CHECK(document.root().kind() == Kind::Object);
}
