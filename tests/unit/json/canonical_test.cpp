// SPDX-License-Identifier: Apache-2.0
// Canonical JSON against the vectors of RFC 8785 (JCS).
#include "json/number.h"
#include "json/writer.h"

#include <catch2/catch.hpp>

#include <bit>

using tenon::json::canonical;
using tenon::json::Document;
using tenon::json::ecmaNumber;
using tenon::json::exactNumber;
using tenon::json::identity;

namespace {

Document read(std::string_view text) {
    Document document;
    REQUIRE(document.readView(text).has_value());
    return document;
}

std::string canonicalOf(std::string_view text) {
    return canonical(read(text).root());
}

std::string identityOf(std::string_view text) {
    return identity(read(text).root());
}

} // namespace

TEST_CASE("Numbers are written as in RFC 8785 appendix B") {
    const std::pair<std::uint64_t, std::string_view> vectors[] = {
        {0x0000000000000000, "0"},
        {0x8000000000000000, "0"},
        {0x0000000000000001, "5e-324"},
        {0x8000000000000001, "-5e-324"},
        {0x7fefffffffffffff, "1.7976931348623157e+308"},
        {0xffefffffffffffff, "-1.7976931348623157e+308"},
        {0x4340000000000000, "9007199254740992"},
        {0xc340000000000000, "-9007199254740992"},
        {0x4430000000000000, "295147905179352830000"},
        {0x44b52d02c7e14af5, "9.999999999999997e+22"},
        {0x44b52d02c7e14af6, "1e+23"},
        {0x44b52d02c7e14af7, "1.0000000000000001e+23"},
        {0x444b1ae4d6e2ef4e, "999999999999999700000"},
        {0x444b1ae4d6e2ef4f, "999999999999999900000"},
        {0x444b1ae4d6e2ef50, "1e+21"},
        {0x3eb0c6f7a0b5ed8c, "9.999999999999997e-7"},
        {0x3eb0c6f7a0b5ed8d, "0.000001"},
        {0x41b3de4355555553, "333333333.3333332"},
        {0x41b3de4355555554, "333333333.33333325"},
        {0x41b3de4355555555, "333333333.3333333"},
        {0x41b3de4355555556, "333333333.3333334"},
        {0x41b3de4355555557, "333333333.33333343"},
        {0xbecbf647612f3696, "-0.0000033333333333333333"},
        {0x43143ff3c1cb0959, "1424953923781206.2"}};
    for (const auto &[bits, text] : vectors) {
        CAPTURE(text);
        CHECK(ecmaNumber(std::bit_cast<double>(bits)) == text);
        CHECK(canonicalOf(text) == text); // and it stands still
    }
}

TEST_CASE("The example of RFC 8785 section 3.2.2 comes out byte for byte") {
    CHECK(canonicalOf(R"({
          "numbers": [333333333.33333329, 1E30, 4.50, 2e-3, 0.000000000000000000000000001],
          "string": "\u20ac$\u000F\u000aA'\u0042\u0022\u005c\\\"\/",
          "literals": [null, true, false]
        })") == "{\"literals\":[null,true,false],"
                "\"numbers\":[333333333.3333333,1e+30,4.5,0.002,1e-27],"
                "\"string\":\"\xE2\x82\xAC$\\u000f\\nA'B\\\"\\\\\\\\\\\"/\"}");
}

TEST_CASE("Keys are ordered by UTF-16 code units, as in RFC 8785 section 3.2.3") {
    CHECK(canonicalOf(R"({
          "\u20ac": "Euro Sign",
          "\r": "Carriage Return",
          "\ufb33": "Hebrew Letter Dalet With Dagesh",
          "1": "One",
          "\ud83d\ude00": "Emoji: Grinning Face",
          "\u0080": "Control",
          "\u00f6": "Latin Small Letter O With Diaeresis"
        })") == "{\"\\r\":\"Carriage Return\",\"1\":\"One\",\"\xC2\x80\":\"Control\","
                "\"\xC3\xB6\":\"Latin Small Letter O With Diaeresis\","
                "\"\xE2\x82\xAC\":\"Euro Sign\","
                "\"\xF0\x9F\x98\x80\":\"Emoji: Grinning Face\","
                "\"\xEF\xAC\xB3\":\"Hebrew Letter Dalet With Dagesh\"}");
}

TEST_CASE("Keys that begin alike, the shorter one first, and pairs against the rest") {
    CHECK(canonicalOf(R"({"ab":1,"a":2,"":3,"aa":4,"b":5,"B":6})") ==
          R"({"":3,"B":6,"a":2,"aa":4,"ab":1,"b":5})");
    // U+D7FF, then U+10000 and U+10FFFF (surrogates in UTF-16), then U+E000 and U+FFFF.
    CHECK(canonicalOf(R"({"\uffff":5,"\udbff\udfff":3,"\ue000":4,"\ud800\udc00":2,"\ud7ff":1})") ==
          "{\"\xED\x9F\xBF\":1,\"\xF0\x90\x80\x80\":2,\"\xF4\x8F\xBF\xBF\":3,"
          "\"\xEE\x80\x80\":4,\"\xEF\xBF\xBF\":5}");
}

TEST_CASE("Nested objects are sorted, arrays are not, and no white space is left") {
    CHECK(canonicalOf(
              "{ \"b\" : [ { \"z\" : 1 , \"y\" : { \"d\" : 1, \"c\" : 2 } }, 0 ], \"a\" : { } }") ==
          R"({"a":{},"b":[{"y":{"c":2,"d":1},"z":1},0]})");
}

TEST_CASE("Equal values have equal canonical bytes, also beyond the doubles") {
    CHECK(canonicalOf(R"({"a":1.0,"b":"\u0041"})") == canonicalOf(R"({"b":"A","a":10e-1})"));
    CHECK(canonicalOf("1e400") == canonicalOf("10e399"));
    CHECK(canonicalOf("-1.5e400") == "-15e399");
    CHECK(canonicalOf("-0") == "0");
    CHECK(canonicalOf("1e-400") == "0");
    CHECK(canonicalOf("9007199254740993") == "9007199254740992"); // RFC 8785: as a double
}

TEST_CASE("Strings keep DEL, line separators and every character beyond ASCII") {
    CHECK(canonicalOf(R"("\u007f\u2028\u00e9\/")") == "\"\x7F\xE2\x80\xA8\xC3\xA9/\"");
    CHECK(canonicalOf(R"("\b\t\n\f\r\u0001")") == R"("\b\t\n\f\r\u0001")");
}

TEST_CASE("Identity is the same for equal values and differs for all others") {
    CHECK(identityOf("9007199254740993") != identityOf("9007199254740992"));
    CHECK(identityOf("1e400") == identityOf("10e399"));
    CHECK(identityOf("[1.0,{\"b\":1,\"a\":2}]") == identityOf("[1,{\"a\":2.0,\"b\":10e-1}]"));
    CHECK(identityOf("\"1\"") != identityOf("1"));
    CHECK(identityOf("0") != identityOf("false"));
}

TEST_CASE("exactNumber has one spelling for each value") {
    CHECK(exactNumber("0") == "0");
    CHECK(exactNumber("-0.000e5") == "0");
    CHECK(exactNumber("1200") == "12e2");
    CHECK(exactNumber("1.2e3") == "12e2");
    CHECK(exactNumber("-0.5") == "-5e-1");
    CHECK(exactNumber("9007199254740993") == "9007199254740993");
    CHECK(exactNumber("5") == "5");
}
