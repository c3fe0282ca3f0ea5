// SPDX-License-Identifier: Apache-2.0
#include "refusal.h"

#include <everyday/json_check.h>
#include <everyday/json_pointer.h>

using namespace everyday;

namespace {

JsonFound query(const std::string &document, const std::string &pointer) {
    return jsonQuery({{document}, pointer});
}
std::string valueAt(const std::string &document, const std::string &pointer) {
    return query(document, pointer).value.text;
}
Refusal refused(const std::string &document, const std::string &pointer) {
    return refusalOf([&] { query(document, pointer); });
}
// As text inside a JSON string.
Refusal refusedText(const std::string &text) {
    return refusalOf([&] { checkJson(text); });
}
std::string repeated(const std::string &part, int times) {
    std::string out;
    for (int i = 0; i < times; ++i) {
        out += part;
    }
    return out;
}

} // namespace

TEST_CASE("the examples of RFC 6901 lead where it says") {
    const std::string document = R"({"foo":["bar","baz"],"":0,"a/b":1,"c%d":2,"e^f":3,"g|h":4,)"
                                 R"("i\\j":5,"k\"l":6," ":7,"m~n":8})";
    CHECK(valueAt(document, "") == document);
    CHECK(valueAt(document, "/foo") == R"(["bar","baz"])");
    CHECK(valueAt(document, "/foo/0") == R"("bar")");
    CHECK(valueAt(document, "/") == "0");
    CHECK(valueAt(document, "/a~1b") == "1");
    CHECK(valueAt(document, "/c%d") == "2");
    CHECK(valueAt(document, "/e^f") == "3");
    CHECK(valueAt(document, "/g|h") == "4");
    CHECK(valueAt(document, "/i\\j") == "5");
    CHECK(valueAt(document, "/k\"l") == "6");
    CHECK(valueAt(document, "/ ") == "7");
    CHECK(valueAt(document, "/m~0n") == "8");
}

TEST_CASE("~01 is the key ~1 and not the key /") {
    CHECK(valueAt(R"({"~1":1,"/":2})", "/~01") == "1");
    CHECK(valueAt(R"({"~1":1,"/":2})", "/~1") == "2");
}

TEST_CASE("a tilde that is not followed by 0 or 1 is refused with its position") {
    CHECK(holds(refused(R"({"a":1})", "/a/b~2").message, "position 4"));
    CHECK(holds(refused(R"({"a":1})", "/~").message, "position 1"));
    CHECK(holds(refused(R"({"a":1})", "/~").hint, "~0"));
}

TEST_CASE("digits of numbers are those of the document") {
    const std::string document =
        R"({"big":123456789012345678901234567890,"exp":1E+400,"pi":3.14159265358979323846,)"
        R"("z":1.0})";
    CHECK(valueAt(document, "/big") == "123456789012345678901234567890");
    CHECK(valueAt(document, "/exp") == "1E+400");
    CHECK(valueAt(document, "/pi") == "3.14159265358979323846");
    CHECK(valueAt(document, "/z") == "1.0");
}

TEST_CASE("a string document is read as JSON text, digits unchanged there too") {
    CHECK(valueAt(R"("{\"a\": [1, 2.50]}")", "/a/1") == "2.50");
    CHECK(valueAt(R"("{\"id\":9007199254740993}")", "/id") == "9007199254740993");
    CHECK(query(R"("\"text\"")", "").type == "string");
    CHECK(valueAt(R"(" \n [1] ")", "") == "[1]");
}

TEST_CASE("type and length tell what was found") {
    const std::string document = R"({"o":{"a":1,"b":{}},"a":[[],{}],"s":"x","b":false,"n":null})";
    CHECK(query(document, "/o").type == "object");
    CHECK(query(document, "/o").length == 2);
    CHECK(query(document, "/a").type == "array");
    CHECK(query(document, "/a").length == 2);
    CHECK(query(document, "/a/0").length == 0);
    CHECK(query(document, "/s").type == "string");
    CHECK_FALSE(query(document, "/s").length.has_value());
    CHECK(query(document, "/b").type == "boolean");
    CHECK(query(document, "/n").type == "null");
    CHECK(valueAt(document, "/n") == "null");
}

TEST_CASE("a key written with escapes in the document is found by what it means") {
    CHECK(valueAt(R"({"\u00e9\ud83d\ude00":1})", "/\u00E9\U0001F600") == "1");
    CHECK(valueAt(R"({"a\nb":1})", "/a\nb") == "1");
}

TEST_CASE("a missing key is refused naming the keys at the place where it stopped") {
    const auto refusal = refused(R"({"user":{"name":1,"mail":2}})", "/user/nam");
    CHECK(refusal.code == "NOT_FOUND");
    CHECK(refusal.message ==
          R"(There is no key "nam" in the value at "/user": its keys are "name" and "mail".)");
    CHECK(holds(refusal.hint, "\"name\""));
    CHECK(refused("{}", "/a").message ==
          "There is no key \"a\" in the document: it is an empty object.");
}

TEST_CASE("of many keys only the first are named, and how many more there are") {
    std::string document = "{";
    for (int i = 0; i < 50; ++i) {
        document += (i > 0 ? ",\"k" : "\"k") + std::to_string(i) + "\":0";
    }
    const auto refusal = refused(document + "}", "/other");
    CHECK(holds(refusal.message, "\"k19\" and 30 more"));
    CHECK_FALSE(holds(refusal.message, "\"k20\""));
}

TEST_CASE("an index past the end is refused naming the array's length") {
    CHECK(
        refused("[1,2,3]", "/3").message ==
        R"("3" is not an element of the document: it is past the end; the array has 3 elements.)");
    CHECK(refused("[1,2,3]", "/3").hint == "Use an index from 0 to 2.");
    CHECK(holds(refused("[]", "/0").message, "has 0 elements"));
    CHECK(holds(refused("[1]", "/99999999999999999999999999").message, "past the end"));
}

TEST_CASE("what is no index is refused: a dash, leading zeros, signs, words and nothing") {
    CHECK(holds(refused("[1]", "/-").message, "after the last element"));
    CHECK(holds(refused("[1,2]", "/01").message, "leading zeros"));
    CHECK(holds(refused("[1,2]", "/00").message, "leading zeros"));
    CHECK(valueAt("[1,2]", "/0") == "1");
    for (const auto *token : {"+1", "-1", "1.0", "one", "", " 1"}) {
        CHECK(holds(refused("[1,2]", std::string("/") + token).message, "whole number"));
    }
}

TEST_CASE("a dash is an ordinary key of an object, and so are digits") {
    CHECK(valueAt(R"({"-":1,"01":2})", "/-") == "1");
    CHECK(valueAt(R"({"-":1,"01":2})", "/01") == "2");
}

TEST_CASE("a pointer that goes on below a scalar is refused naming the type") {
    const auto refusal = refused(R"({"a":{"b":12}})", "/a/b/c");
    CHECK(refusal.message ==
          R"(There is no "c" in the value at "/a/b": it is a number, and holds nothing else.)");
    CHECK(holds(refused(R"({"a":null})", "/a/0").message, "it is null"));
}

TEST_CASE("a pointer in another notation is refused with the right one") {
    CHECK(holds(refused("{}", "a/b").message, "does not begin with '/'"));
    CHECK(holds(refused("{}", "#/a").hint, "URIs"));
    CHECK(holds(refused("{}", "$.a[0]").hint, "JSONPath"));
}

TEST_CASE("a key that stands twice is refused only where the pointer goes through it") {
    const std::string document = R"("{\"a\":1,\"a\":2,\"b\":3}")";
    CHECK(refused(document, "/a").code == "CONFLICT");
    CHECK(valueAt(document, "/b") == "3");
}

TEST_CASE("text that is not JSON is refused with line, column and what was expected") {
    const auto refusal = refusedText("{\n  \"\u00E9\": [1,]\n}");
    CHECK(holds(refusal.message, "seen \"]\" at line 2, column 11; expected a value"));
    CHECK(holds(refusedText("").message, "seen its end at line 1, column 1"));
    CHECK(holds(refusedText("{\"a\":1,}").message, "a key in double quotes"));
    CHECK(holds(refusedText("{'a':1}").message, "a key in double quotes"));
    CHECK(holds(refusedText("{\"a\" 1}").message, "':'"));
    CHECK(holds(refusedText("[1 2]").message, "',' or ']'"));
    CHECK(holds(refusedText("{\"a\":1 \"b\":2}").message, "',' or '}'"));
    CHECK(holds(refusedText("[1] 2").message, "one JSON value only"));
    CHECK(holds(refusedText("[1").message, "seen its end"));
}

TEST_CASE("text with numbers or words that JSON does not have is refused") {
    for (const auto *text : {"01", "-", "1.", ".5", "+1", "1e", "1e+", "0x1", "NaN", "Infinity",
                             "-Infinity", "tru", "nulls", "True", "1_000", "--1"}) {
        CHECK_FALSE(refusedText(text).message.empty());
    }
    for (const auto *text : {"0", "-0", "0.5", "1E5", "1e-5", "-12.50e+3", "true", " null "}) {
        CHECK_NOTHROW(checkJson(text));
    }
}

TEST_CASE("text with broken strings is refused") {
    for (const auto *text : {R"(")", R"("a)", R"("\)", R"("\x41")", R"("\u12")", R"("\u12G4")",
                             "\"a\nb\"", "\"\t\""}) {
        CHECK_FALSE(refusedText(text).message.empty());
    }
    CHECK(holds(refusedText(R"("\ud800")").message, "low surrogate"));
    CHECK(holds(refusedText(R"("\ud800\u0041")").message, "low surrogate"));
    CHECK(holds(refusedText(R"("\udc00")").message, "high surrogate"));
    CHECK_NOTHROW(checkJson(R"("\ud83d\ude00 \" \\ \/ \b\f\n\r\t \u0000")"));
}

TEST_CASE("text nested deeper than a thousand is refused, and a thousand is not") {
    CHECK_NOTHROW(checkJson(repeated("[", 1000) + repeated("]", 1000)));
    CHECK(holds(refusedText(repeated("[", 1001) + repeated("]", 1001)).message, "1000"));
    CHECK(holds(refusedText(repeated("[", 1000000)).message, "1000"));
}
