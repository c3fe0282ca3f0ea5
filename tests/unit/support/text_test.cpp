// SPDX-License-Identifier: Apache-2.0
#include "support/text.h"

#include <catch2/catch.hpp>

using tenon::concat;
using tenon::invalidUtf8At;
using tenon::listed;
using tenon::nearest;
using tenon::printable;
using tenon::validUtf8;

namespace {

constexpr auto npos = std::string_view::npos;

} // namespace

TEST_CASE("concat writes text, characters and whole numbers as they read") {
    CHECK(concat("seen ", 3, " of ", std::string("name"), '!') == "seen 3 of name!");
    CHECK(concat(std::size_t{0}, ' ', UINT64_MAX, ' ', INT64_MIN) ==
          "0 18446744073709551615 -9223372036854775808");
    CHECK(concat().empty());
}

TEST_CASE("Every code point of RFC 3629 is UTF-8 at the edges of its length") {
    for (const std::string_view text : {
             "",
             "\x7F",             // U+007F, the last of one byte
             "\xC2\x80",         // U+0080, the first of two
             "\xDF\xBF",         // U+07FF
             "\xE0\xA0\x80",     // U+0800
             "\xED\x9F\xBF",     // U+D7FF, before the surrogates
             "\xEE\x80\x80",     // U+E000, behind them
             "\xEF\xBF\xBF",     // U+FFFF
             "\xF0\x90\x80\x80", // U+10000
             "\xF4\x8F\xBF\xBF"  // U+10FFFF, the last there is
         }) {
        CAPTURE(text);
        CHECK(invalidUtf8At(text) == npos);
        CHECK(validUtf8(text) == text);
    }
    CHECK(invalidUtf8At(std::string_view("\0", 1)) == npos);
}

TEST_CASE("Overlong forms, surrogates, lone tails and cut sequences are not UTF-8") {
    for (const std::string_view bad : {"\x80",
                                       "\xBF", // a tail without a head
                                       "\xC0\x80",
                                       "\xC1\xBF", // overlong: U+0000 and U+007F in two bytes
                                       "\xE0\x80\x80",
                                       "\xE0\x9F\xBF", // overlong in three
                                       "\xF0\x80\x80\x80",
                                       "\xF0\x8F\xBF\xBF", // overlong in four
                                       "\xED\xA0\x80",
                                       "\xED\xBF\xBF",     // U+D800 and U+DFFF
                                       "\xF4\x90\x80\x80", // U+110000
                                       "\xF5\x80\x80\x80",
                                       "\xFE",
                                       "\xFF", // bytes that never occur
                                       "\xC2",
                                       "\xE2\x82",
                                       "\xF0\x9F\x8D", // cut short
                                       "\xC2"
                                       "A",
                                       "\xE2\x82"
                                       "A",
                                       "\xF0\x9F\x8D"
                                       "A"}) {
        const std::string text = concat("ok ", bad);
        CAPTURE(text);
        CHECK(invalidUtf8At(text) == 3);
        CHECK(invalidUtf8At(validUtf8(text)) == npos);
    }
    CHECK(invalidUtf8At("caf\xE9.txt") == 3);
}

TEST_CASE("validUtf8 puts U+FFFD for each wrong byte and keeps the rest") {
    CHECK(validUtf8("\xC3(") == "\xEF\xBF\xBD(");
    CHECK(validUtf8("a\xFF\xFE"
                    "b\xF0\x9F\x8D\xB8") == "a\xEF\xBF\xBD\xEF\xBF\xBD"
                                            "b\xF0\x9F\x8D\xB8");
    CHECK(validUtf8("\xE2\x82") == "\xEF\xBF\xBD\xEF\xBF\xBD");
}

TEST_CASE("printable escapes what could forge or hide a line") {
    CHECK(printable("a\nb\rc\x1B[31m") == "a\\u000ab\\u000dc\\u001b[31m");
    CHECK(printable(std::string_view("\0\x7F", 2)) == "\\u0000\\u007f");
    CHECK(printable("\xC2\x85\xC2\x9B") == "\\u0085\\u009b");         // NEL and a C1 control
    CHECK(printable("\xE2\x80\xA8\xE2\x80\xA9") == "\\u2028\\u2029"); // separators
    CHECK(printable("\xE2\x80\xAE\xE2\x81\xA6") == "\\u202e\\u2066"); // bidirectional
    CHECK(printable("\xE2\x80\x8E\xE2\x80\x8F\xD8\x9C") == "\\u200e\\u200f\\u061c");
    CHECK(printable("\xEF\xBB\xBF") == "\\ufeff");
}

TEST_CASE("printable leaves ordinary text of every script, and tabs, alone") {
    const std::string_view text = "tab\there, \xC3\xBC\x62\x65r \xF0\x9F\x8D\xB8 \xC2\xA0 \"q\" \\";
    CHECK(printable(text) == text);
    CHECK(printable("caf\xE9") == "caf\xEF\xBF\xBD");
}

TEST_CASE("printable cuts at its limit and says how much it cut") {
    CHECK(printable("12345678", 8) == "12345678");
    CHECK(printable("123456789", 8) == "12345678... (1 more bytes)");
    CHECK(printable(std::string(100'000, 'x')).ends_with("... (84000 more bytes)"));
}

TEST_CASE("nearest finds the word that was meant") {
    const std::vector<std::string_view> keys{"query", "maxDepth", "readOnly", "path"};
    CHECK(nearest("qeury", keys) == "query");
    CHECK(nearest("max_depth", keys) == "maxDepth");
    CHECK(nearest("MAXDEPTH", keys) == "maxDepth");
    CHECK(nearest("depth", keys) == "maxDepth"); // a part of it
    CHECK(nearest("read-only", keys) == "readOnly");
    CHECK(nearest("paths", keys) == "path");
    CHECK(nearest("current", {"curent"}) == "curent");
}

TEST_CASE("nearest is silent rather than wrong") {
    CHECK(nearest("colour", {"query", "path"}).empty());
    CHECK(nearest("x", {"y", "z"}).empty()); // one letter, and another one
    CHECK(nearest("", {"a", "query"}).empty());
    CHECK(nearest("query", {}).empty());
    CHECK(nearest(std::string(257, 'a'), {"a"}).empty());
    CHECK(nearest("abcdef", {std::string_view("abcdeg"), "abcdex"}) == "abcdeg"); // the first
}

TEST_CASE("listed joins words as a sentence does and stops at its limit") {
    CHECK(listed({}).empty());
    CHECK(listed({"a"}) == "a");
    CHECK(listed({"a", "b"}) == "a and b");
    CHECK(listed({"a", "b", "c"}) == "a, b and c");
    CHECK(listed({"a", "b", "c"}, 2) == "a, b and 1 more");
    CHECK(listed(std::vector<std::string_view>(25, "w")).ends_with("w and 5 more"));
}
