// SPDX-License-Identifier: Apache-2.0
#include "frontends/cli/arguments.h"
#include "json/writer.h"
#include "support/text.h"
#include "testing.h"

using Catch::Matchers::Contains;
using tenon::Error;
using tenon::Result;
using tenon::testing::catalogOf;
using Words = std::vector<std::string>;

namespace {

constexpr auto kSchema = R"({"type":"object","properties":{
    "s":{"type":"string"},"n":{"type":"integer"},"b":{"type":"boolean"},
    "to":{"type":"array","items":{"type":"string"}},
    "ids":{"type":"array","items":{"type":"integer"}},
    "o":{"type":"object","properties":{"k":{"type":"object","properties":{"z":{"type":"integer"}}},
                                       "name":{"type":"string"},"on":{"type":"boolean"}}},
    "u":{"anyOf":[{"type":"string"},{"type":"integer"}]},
    "any":{},
    "q":{"$ref":"#/$defs/Q"},"tags":{"$ref":"#/$defs/Tags"},
    "maybe":{"anyOf":[{"type":"array","items":{"type":"string"}},{"type":"null"}]},
    "level":{"enum":["low","high"]},"a.b":{"type":"string"}},
  "$defs":{"Q":{"type":"object","properties":{"text":{"type":"string"},"deep":{"type":"boolean"}}},
           "Tags":{"type":"array","items":{"type":"string"}}}})";

Result<std::string> parsed(const Words &words, std::string_view schema = kSchema) {
    const auto catalog = catalogOf(tenon::concat(R"({"name":"t","inputSchema":)", schema, "}"));
    return tenon::cli::readArguments(catalog->tools()[0], words,
                                     [](std::string_view path) -> Result<std::string> {
                                         if (path == "-") {
                                             return std::string(R"({"s":"from stdin"})");
                                         }
                                         if (path == "in.json") {
                                             return std::string("{\"n\": 1}\n");
                                         }
                                         return Error{"cli.file", "there is no such file"};
                                     });
}

std::string json(const Words &words, std::string_view schema = kSchema) {
    const auto out = parsed(words, schema);
    return out ? *out : "refused: " + out.error().message;
}

std::string refusal(const Words &words, std::string_view schema = kSchema) {
    const auto out = parsed(words, schema);
    if (out) {
        return "";
    }
    CHECK(out.error().code == "cli.usage");
    return out.error().message;
}

} // namespace

TEST_CASE("No words make an empty object") {
    CHECK(json({}) == "{}");
}

TEST_CASE("A string stays text, whatever it looks like") {
    for (const auto *word :
         {"123", "true", "null", "007", "{\"a\":1}", "[1]", "1e5", "\"x\"", "-1"}) {
        CAPTURE(word);
        std::string quoted;
        tenon::json::appendQuoted(quoted, word);
        CHECK(json({"--s", word}) == "{\"s\":" + quoted + "}");
        CHECK(json({std::string("--s=") + word}) == "{\"s\":" + quoted + "}");
    }
}

TEST_CASE("Other types are read as JSON; what is none is left for the schema's own words") {
    CHECK(json({"--n", "1.0"}) == R"({"n":1.0})");
    CHECK(json({"--n", "-5"}) == R"({"n":-5})");
    CHECK(json({"--n", "99999999999999999999"}) == R"({"n":99999999999999999999})");
    CHECK(json({"--n", "5x"}) == R"({"n":"5x"})");
    CHECK(json({"--n", ""}) == R"({"n":""})");
    CHECK(json({"--n", "007"}) == R"({"n":"007"})");
    CHECK(json({"--o", R"({"k":1})"}) == R"({"o":{"k":1}})");
    CHECK(json({"--any", "5"}) == R"({"any":5})");
    CHECK(json({"--any", "five"}) == R"({"any":"five"})");
    CHECK(json({"--level", "low"}) == R"({"level":"low"})");
}

TEST_CASE("Where text and something else would do, it is text") {
    CHECK(json({"--u", "5"}) == R"({"u":"5"})");
}

TEST_CASE("After = everything is the value, dashes, words and nothing too") {
    CHECK(json({"--s=-foo"}) == R"({"s":"-foo"})");
    CHECK(json({"--s=--help"}) == R"({"s":"--help"})");
    CHECK(json({"--s="}) == R"({"s":""})");
    CHECK(json({"--s=a=b"}) == R"({"s":"a=b"})");
    CHECK(json({"--s", ""}) == R"({"s":""})");
    CHECK(json({"--s", "-"}) == R"({"s":"-"})");
    CHECK(json({"--s", "-foo"}) == R"({"s":"-foo"})");
    CHECK(json({"--n", "-1"}) == R"({"n":-1})");
}

TEST_CASE("A boolean is a flag, a no-flag, or says its value") {
    CHECK(json({"--b"}) == R"({"b":true})");
    CHECK(json({"--no-b"}) == R"({"b":false})");
    CHECK(json({"--b", "true"}) == R"({"b":true})");
    CHECK(json({"--b", "false"}) == R"({"b":false})");
    CHECK(json({"--b=false"}) == R"({"b":false})");
    CHECK(json({"--b=maybe"}) == R"({"b":"maybe"})");
    CHECK(json({"--b", "--n", "1"}) == R"({"b":true,"n":1})");
    CHECK(json({"--b", "text"}) == R"({"b":true,"s":"text"})"); // a word of its own
    CHECK(json({"--o.on"}) == R"({"o":{"on":true}})");
    CHECK(json({"--q.deep"}) == R"({"q":{"deep":true}})");
}

TEST_CASE("A key is repeated for an array, or given as a whole list") {
    CHECK(json({"--to", "a", "--to=b"}) == R"({"to":["a","b"]})");
    CHECK(json({"--to", "5"}) == R"({"to":["5"]})");
    CHECK(json({"--ids", "1", "--ids", "2"}) == R"({"ids":[1,2]})");
    CHECK(json({"--ids", "[1,2]"}) == R"({"ids":[1,2]})");
    CHECK(json({"--to", "[not json"}) == R"({"to":["[not json"]})");
    CHECK_THAT(refusal({"--to", R"(["a"])", "--to", "b"}),
               Contains("the field to was given twice"));
    CHECK_THAT(refusal({"--to", "b", "--to", R"(["a"])"}),
               Contains("the field to was given twice"));
}

TEST_CASE("What takes one value and is given two is refused, not overwritten") {
    CHECK(refusal({"--s", "a", "--s", "b"}) == "the field s was given twice; expected one value");
    CHECK_THAT(refusal({"--o.k.z", "1", "--o.k.z=2"}), Contains("o.k.z was given twice"));
}

TEST_CASE("A dotted key is nested, unless a property has that name") {
    CHECK(json({"--o.k.z", "2", "--o.name", "7"}) == R"({"o":{"k":{"z":2},"name":"7"}})");
    CHECK(json({"--a.b", "x"}) == R"({"a.b":"x"})");
    CHECK(json({"--new.key", "1"}) == R"({"new":{"key":1}})");
}

TEST_CASE("References are followed for types, of nested keys and of items") {
    CHECK(json({"--q.text", "5"}) == R"({"q":{"text":"5"}})");
    CHECK(json({"--tags", "5", "--tags", "x"}) == R"({"tags":["5","x"]})");
    CHECK(json({"--maybe", "5"}) == R"({"maybe":["5"]})");
}

TEST_CASE("--args is the base that words override, whichever comes first") {
    const std::string base = R"({"to":["a"],"s":"S","o":{"k":{"z":1},"name":"x"}})";
    CHECK(json({"--args", base}) == base);
    CHECK(json({"--args=" + base, "--s", "T"}) ==
          R"({"to":["a"],"s":"T","o":{"k":{"z":1},"name":"x"}})");
    CHECK(json({"--args", base, "--o.k.z", "2"}) ==
          R"({"to":["a"],"s":"S","o":{"k":{"z":2},"name":"x"}})");
    CHECK(json({"--args", base, "--to", "b"}) ==
          R"({"to":["b"],"s":"S","o":{"k":{"z":1},"name":"x"}})");
    CHECK(json({"--args", base, "--o", R"({"k":1})"}) == R"({"to":["a"],"s":"S","o":{"k":1}})");
    CHECK(json({"--s", "T", "--args", base}) ==
          R"({"s":"T","to":["a"],"o":{"k":{"z":1},"name":"x"}})");
    CHECK(json({"--o.k.z", "2", "--args", base}) ==
          R"({"o":{"k":{"z":2},"name":"x"},"to":["a"],"s":"S"})");
}

TEST_CASE("--args comes from a file or from stdin too, its numbers as they stand") {
    CHECK(json({"--args", "@in.json", "--s", "x"}) == R"({"n":1,"s":"x"})");
    CHECK(json({"--args", "-"}) == R"({"s":"from stdin"})");
    CHECK(json({"--args", R"({"n": 9007199254740993})"}) == R"({"n":9007199254740993})");
    CHECK_THAT(refusal({"--args", "@missing.json"}), Contains("there is no such file"));
}

TEST_CASE("--args that is no JSON object is refused with its place") {
    CHECK(
        refusal({"--args", R"({"x":1)"}) ==
        "--args is not a JSON object: line 1, column 7: expected ',' or '}' after a member, found "
        "the end of the text");
    CHECK(refusal({"--args", "[1]"}) == "--args is not a JSON object: it is array");
    CHECK_THAT(refusal({"--args", ""}), Contains("--args is not a JSON object: line 1, column 1"));
    CHECK_THAT(refusal({"--args", "{} {}"}),
               Contains("expected the end of the text after one value"));
    CHECK_THAT(refusal({"--args", R"({"a":1,"a":2})"}), Contains("stands twice"));
    CHECK_THAT(refusal({"--args"}), Contains("--args is not a JSON object"));
}

TEST_CASE("A tool's own field called args is that field") {
    CHECK(json({"--args", "5"}, R"({"type":"object","properties":{"args":{"type":"integer"}}})") ==
          R"({"args":5})");
}

TEST_CASE("Bare words fill the fields that are left, in declaration order") {
    CHECK(json({"text", "5", "true"}) == R"({"s":"text","n":5,"b":true})");
    CHECK(json({"--s", "x", "5"}) == R"({"s":"x","n":5})");
    CHECK(json({"5", "--s", "x"}) == R"({"s":"x","n":5})");
    CHECK(json({"--", "--s", "-1"}) == R"({"s":"--s","n":-1})");
    CHECK(json({"-x"}) == R"({"s":"-x"})");
    CHECK(json({"-"}) == R"({"s":"-"})");
}

TEST_CASE("A word too many, or an option without its value, is refused with what is taken") {
    const auto *one = R"({"type":"object","properties":{"only":{"type":"string"}}})";
    CHECK(refusal({"a", "b"}, one) == "the word b is left over; t takes the fields only");
    CHECK(refusal({"a"}, R"({"type":"object"})") ==
          "the word a is left over; t takes no arguments");
    CHECK(refusal({"--s"}) == "--s has no value; expected --s VALUE");
}

TEST_CASE("A key that the schema does not have is passed on for the schema to judge") {
    CHECK(json({"--colour", "red"}) == R"({"colour":"red"})");
    CHECK(json({"--colour", "5"}) == R"({"colour":5})");
}
