// SPDX-License-Identifier: Apache-2.0
#include "runner/audit/sanitiser.h"

#include "json/writer.h"
#include "support/text.h"

#include <catch2/catch.hpp>

using namespace tenon;
using audit::Sanitiser;

namespace {

std::string jsonOf(const std::string &text) {
    json::Document document;
    const auto read = document.readView(text, {text.size(), UINT32_MAX});
    INFO((read ? "" : read.error().message));
    REQUIRE(read.has_value());
    audit::JsonText json;
    Sanitiser().json(document.root(), json);
    const auto &out = json.text;
    json::Document again;
    const auto valid = again.readView(out, {out.size(), UINT32_MAX});
    INFO(out.substr(0, 300));
    REQUIRE(valid.has_value());
    CHECK(out.size() <= Sanitiser::kJsonBytesMax);
    return out;
}

std::string repeated(std::string_view part, std::size_t times) {
    std::string out;
    for (std::size_t i = 0; i < times; ++i) {
        out += part;
    }
    return out;
}

} // namespace

TEST_CASE("a payload that has nothing to hide is kept as it came, on one line") {
    CHECK(jsonOf(R"({ "a" : [1, 2.50, null, true], "b": {"c": "d\n\"é"} })") ==
          R"({"a":[1,2.50,null,true],"b":{"c":"d\n\"é"}})");
    CHECK(jsonOf("{}") == "{}");
    CHECK(Sanitiser().json("").text.empty());
    CHECK(Sanitiser().json("{oops").text == R"("{oops")");
}

TEST_CASE("secrets in a payload are masked at any depth, under any of their names") {
    const auto out =
        jsonOf(R"({"url":"https://u:p4ss@host.invalid/x?token=T0k","password":"hunter2",
        "nested":{"api_key":"K","list":[{"secret":{"a":1}},{"Authorization":["x"]}]},
        "max_tokens":5,"pwd":null,"text":"Bearer abcdef"})");
    CHECK(out == R"({"url":"https://***@host.invalid/x?token=***","password":"***",)"
                 R"("nested":{"api_key":"***","list":[{"secret":"***"},{"Authorization":"***"}]},)"
                 R"("max_tokens":5,"pwd":null,"text":"Bearer ***"})");
}

TEST_CASE("what is too deep or too long is cut with a notice, and the rest stays valid") {
    const auto deep = jsonOf(repeated(R"({"a":)", 60) + "1" + repeated("}", 60));
    CHECK(deep == repeated(R"({"a":)", 20) + R"("[cut, more than 20 deep]")" + repeated("}", 20));

    const auto text = jsonOf(R"({"a":")" + repeated("x ", 50'000) + R"(","b":1,"c":2})");
    CHECK(text.find(" [cut, 100000 bytes]\"") != text.npos);
    CHECK(text.find(R"("[cut]":"2 more keys"})") != text.npos);

    const auto list = jsonOf("[" + repeated("12345,", 50'000) + "1]");
    CHECK(list.find("more items]\"]") != list.npos);
    const auto keys = jsonOf("{\"" + repeated("k ", 500) + "\":1}");
    CHECK(keys.find(R"(k  [cut, 1000 bytes]":1})") != keys.npos);
    // Each of these bytes takes six.
    jsonOf(R"({"a":")" + repeated("\\u0001", 16'000) + R"("})");
    jsonOf(R"({"a":")" + repeated("\xE2\x80\xAE", 5'000) + R"("})");
    jsonOf(R"({"a":")" + repeated("\xF0\x9F\x8D\xB8", 10'000) + R"("})");
    jsonOf(repeated("[", 19) + "\"" + repeated("y ", 15'000) + "\"" + repeated("]", 19));
    jsonOf(repeated(R"({"k":[")" + repeated("z ", 1'000) + "\",", 10) + "1" + repeated("]}", 10));
    jsonOf(std::string(50'000, '7'));
}

TEST_CASE("binary data in a payload becomes its type and size") {
    CHECK(jsonOf(R"({"image":"data:image/png;base64,)" + std::string(4'000, 'A') + R"("})") ==
          R"({"image":"[image/png, 3000 bytes]"})");
    CHECK(jsonOf(R"({"data":")" + repeated("Qk1a", 200) + R"("})") ==
          R"({"data":"[base64, 600 bytes]"})");
    CHECK(jsonOf(R"({"data":")" + repeated(repeated("Qk1a", 19) + "\\r\\n", 10) + R"(Qk1="})")
              .find("[base64, ") != std::string::npos);
    CHECK(jsonOf(R"({"digest":")" + std::string(128, 'a') + R"("})") ==
          R"({"digest":")" + std::string(128, 'a') + R"("})");
}

TEST_CASE("text that only looks encoded is kept") {
    for (const auto &text :
         {repeated("src/main\\nlib/util\\nTests/Unit2\\n", 25),       // lines of many lengths
          repeated("Src/main1\\n", 60) + "lib/a/longer/one",          // the last is longer
          repeated("Src/main1\\n", 60) + "\\n" + "Src/main1",         // an empty line
          std::string(800, 'Q'), repeated("0123456789abcdef", 50)}) { // no letters of both cases
        const auto json = R"({"a":")" + text + R"("})";
        CHECK(jsonOf(json) == json);
    }
}

TEST_CASE("the type of a data URI is a media type or not said") {
    const Sanitiser knowing(
        std::make_shared<const Masker>(std::vector<std::string>{"EXAMPLE-SECRET-1", "secret-2"}));
    const std::pair<const char *, const char *> rows[] = {
        {"image/svg+xml", "image/svg+xml"},
        {"text/plain;charset=utf-8", "text/plain"},
        {"EXAMPLE-SECRET-1", "data"},
        {"x/EXAMPLE-SECRET-1", "data"},
        {"image/secret-2", "data"},
        {"a/b/c", "data"},
        {"image/", "data"},
        {"/png", "data"},
        {"", "data"},
        {"password=x", "data"},
    };
    for (const auto &[type, said] : rows) {
        INFO(type);
        CHECK(knowing.json(concat("\"data:", type, ";base64,AAAA\"")).text ==
              concat("\"[", said, ", 3 bytes]\""));
    }
}

TEST_CASE("a known secret that is a number is masked") {
    const Sanitiser knowing(
        std::make_shared<const Masker>(std::vector<std::string>{"12345678", "-2.5e1"}));
    CHECK(knowing.json(R"({"a":12345678,"b":[-2.5e1,1234567],"12345678":1})").text ==
          R"({"a":"***","b":["***",1234567],"***":1})");
}

TEST_CASE("control, separating and bidirectional characters are escaped, in JSON and in texts") {
    struct Row {
        const char *bytes, *escape;
    };
    for (const auto &[bytes, escape] :
         {Row{"\xC2\x85", "\\u0085"}, Row{"\xE2\x80\xA8", "\\u2028"},
          Row{"\xE2\x80\xA9", "\\u2029"}, Row{"\xE2\x80\xAE", "\\u202e"}, Row{"\x7F", "\\u007f"},
          Row{"\xC2\x9B", "\\u009b"}, Row{"\xE2\x81\xA6", "\\u2066"}}) {
        INFO(escape);
        CHECK(jsonOf(concat(R"({"n)", bytes, R"(":"a)", bytes, "b\"}")) ==
              concat(R"({"n)", escape, R"(":"a)", escape, "b\"}"));
        CHECK(Sanitiser().text(concat("a", bytes, "b")) == concat("a", escape, "b"));
    }
    CHECK(jsonOf(R"({"a":"\u0000\u001b[2J"})") == R"({"a":"\u0000\u001b[2J"})");
    CHECK(Sanitiser().text(std::string_view("a\0b\x1B\r\n", 6)) ==
          "a\\u0000b\\u001b\\u000d\\u000a");
    CHECK(Sanitiser().text("\xC3\x28") == "\xEF\xBF\xBD(");
}

TEST_CASE("a text is cut with a notice, and a secret on the cut is still masked") {
    CHECK(Sanitiser().text(std::string(10 << 20, 'x'), 100) ==
          std::string(100, 'x') + " [cut, 10485760 bytes]");
    const Sanitiser knowing(
        std::make_shared<const Masker>(std::vector<std::string>{"EXAMPLE-SECRET-1"}));
    const auto cut = knowing.text(std::string(90, 'x') + "EXAMPLE-SECRET-1 and more of it all", 95);
    CHECK(cut.find("EXAMPLE") == cut.npos);
    // A character is never split.
    const auto whole = Sanitiser().text(repeated("\xC3\xA9", 100), 51);
    CHECK(whole == repeated("\xC3\xA9", 25) + " [cut, 200 bytes]");
    // Masks make no room for what stands behind the cut.
    const std::string room = "password=" + std::string(3'000, 'p') + " ";
    const auto dots = room + std::string(4'000 - room.size() - 15, '.') + "EXAMPLE-SECRET-1 tail";
    CHECK(knowing.text(dots) ==
          "password=*** " + std::string(4'000 - room.size() - 15, '.') + "*** [cut, 4006 bytes]");
    for (std::size_t dotCount = 960; dotCount < 2'050; ++dotCount) { // the end of what is looked at
        const auto text = room + std::string(dotCount, '.') + "EXAMPLE-SECRET-1";
        CHECK(knowing.text(text).find("EXAMPLE") == text.npos);
        CHECK(knowing.json(concat("\"", text, "\"")).text.find("EXAMPLE") == text.npos);
    }
}
