// SPDX-License-Identifier: Apache-2.0
#include "json/writer.h"

#include <catch2/catch.hpp>

#include <limits>

using tenon::json::Document;
using tenon::json::Writer;

namespace {

std::string quoted(std::string_view text) {
    std::string out;
    tenon::json::appendQuoted(out, text);
    return out;
}

Document read(std::string_view text) {
    Document document;
    REQUIRE(document.readView(text, {text.size(), 1'000'000}).has_value());
    return document;
}

} // namespace

TEST_CASE("A quoted string escapes what JSON must escape and nothing else") {
    CHECK(quoted("") == R"("")");
    CHECK(quoted("plain \xC3\xBC / \x7F") == "\"plain \xC3\xBC / \x7F\"");
    CHECK(quoted("\"\\") == R"("\"\\")");
    CHECK(quoted("\b\f\n\r\t") == R"("\b\f\n\r\t")");
    CHECK(quoted(std::string_view("\0\x01\x0B\x1F", 4)) == R"("\u0000\u0001\u000b\u001f")");
    CHECK(quoted("\xE2\x80\xA8\xF0\x9F\x8D\xB8") == "\"\xE2\x80\xA8\xF0\x9F\x8D\xB8\"");
}

TEST_CASE("What was quoted reads back as the same bytes, wherever the escape stands") {
    for (std::size_t place = 0; place < 40; ++place) {
        for (const char c : {'"', '\\', '\n', '\x01', '\0'}) {
            std::string text(40, 'x');
            text[place] = c;
            const std::string json = quoted(text);
            CHECK(read(json).root().string() == text);
        }
    }
}

TEST_CASE("The writer puts commas and colons where they belong") {
    CHECK(Writer().object().endObject().take() == "{}");
    CHECK(Writer().array().endArray().take() == "[]");
    CHECK(Writer().object().key("id").number(3).key("ok").boolean(true).endObject().take() ==
          R"({"id":3,"ok":true})");
    CHECK(Writer()
              .array()
              .string("a")
              .null()
              .array()
              .endArray()
              .object()
              .key("k\n")
              .raw("[1, 2]")
              .endObject()
              .boolean(false)
              .endArray()
              .take() == R"(["a",null,[],{"k\n":[1, 2]},false])");
    CHECK(Writer()
              .object()
              .key("a")
              .object()
              .endObject()
              .key("b")
              .array()
              .endArray()
              .endObject()
              .take() == R"({"a":{},"b":[]})");
}

TEST_CASE("Whole numbers are written in full and doubles as ECMAScript writes them") {
    CHECK(Writer().number(INT64_MIN).take() == "-9223372036854775808");
    CHECK(Writer().number(UINT64_MAX).take() == "18446744073709551615");
    CHECK(Writer().number(0.1).take() == "0.1");
    CHECK(Writer().number(1e21).take() == "1e+21");
    CHECK(Writer().number(-0.0).take() == "0");
}

TEST_CASE("A writer goes on behind the text that it was given") {
    CHECK(Writer("event: ").array().number(1).number(2).endArray().take() == "event: [1,2]");
}

TEST_CASE("Compact takes out white space and leaves every number, string and order as it was") {
    const auto document =
        read("{ \"b\" : [ 1.50 , 1E5,\r\n\t9007199254740993 ],\n \"a\\u0041\" : \"\\/x y\" }");
    CHECK(tenon::json::compact(document.root()) == R"({"b":[1.50,1E5,9007199254740993],"a)"
                                                   R"(A":"\/x y"})");
}

TEST_CASE("Pretty writes two spaces a level and keeps empty things on their line") {
    const auto document = read(R"({"a":[1,{"b":null}],"c":{},"d":[]})");
    CHECK(tenon::json::pretty(document.root()) == "{\n"
                                                  "  \"a\": [\n"
                                                  "    1,\n"
                                                  "    {\n"
                                                  "      \"b\": null\n"
                                                  "    }\n"
                                                  "  ],\n"
                                                  "  \"c\": {},\n"
                                                  "  \"d\": []\n"
                                                  "}");
    CHECK(tenon::json::pretty(read("5").root()) == "5");
}

TEST_CASE("Writing needs no stack for depth") {
    const std::string deep = std::string(100'000, '[') + std::string(100'000, ']');
    CHECK(tenon::json::compact(read(deep).root()) == deep);
    CHECK(tenon::json::canonical(read(deep).root()) == deep);
}
