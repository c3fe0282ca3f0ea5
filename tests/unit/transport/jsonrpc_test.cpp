// SPDX-License-Identifier: Apache-2.0
#include "transport/jsonrpc.h"

#include <catch2/catch.hpp>

using Catch::Matchers::Contains;
using tenon::json::Document;
using tenon::transport::Envelope;
using tenon::transport::errorMessage;
using tenon::transport::idKey;
using tenon::transport::readEnvelope;
using tenon::transport::resultMessage;
using Kind = Envelope::Kind;

namespace {

// An envelope and the document that it points into.
struct Read {
    explicit Read(std::string_view given) : text(given) {
        REQUIRE(document.readView(text).has_value());
        envelope = readEnvelope(document.root());
    }
    std::string text;
    Document document;
    Envelope envelope;
};

Kind kindOf(std::string_view text) {
    return Read(text).envelope.kind;
}

std::string problemOf(std::string_view text) {
    const Read read(text);
    CHECK(read.envelope.kind == Kind::Invalid);
    return read.envelope.problem;
}

} // namespace

TEST_CASE("A request has an id and a method, a notification no id, a response no method") {
    const Read request(R"({"jsonrpc":"2.0","id":7,"method":"ping","params":{"a":1}})");
    CHECK(request.envelope.kind == Kind::Request);
    CHECK(request.envelope.id == "7");
    CHECK(request.envelope.method == "ping");
    CHECK(request.envelope.params["a"].raw() == "1");
    CHECK(kindOf(R"({"jsonrpc":"2.0","method":"notifications/x"})") == Kind::Notification);
    CHECK(kindOf(R"({"jsonrpc":"2.0","id":1,"result":{}})") == Kind::Response);
    CHECK(kindOf(R"({"jsonrpc":"2.0","id":null,"error":{"code":1,"message":"m"}})") ==
          Kind::Response);
    CHECK(kindOf(R"({"method":"ping","params":null,"id":"x","jsonrpc":"2.0"})") == Kind::Request);
}

TEST_CASE("Each valid id is kept in its own bytes") {
    for (const auto *id : {"1", "0", "-7", "9007199254740993", "\"1\"", "\"\"", "\"0\"",
                           R"("\u0041")", "123456789012345678901234567890"}) {
        CAPTURE(id);
        const Read read(std::string(R"({"jsonrpc":"2.0","method":"m","id":)") + id + "}");
        CHECK(read.envelope.kind == Kind::Request);
        CHECK(read.envelope.id == id);
    }
}

TEST_CASE("An id of another kind makes the message invalid and is not echoed") {
    for (const auto *id :
         {"true", "false", "{}", "[1]", "null", "1.5", "1e3", "1.0", "{\"a\":1}"}) {
        CAPTURE(id);
        const Read read(std::string(R"({"jsonrpc":"2.0","method":"m","id":)") + id + "}");
        CHECK(read.envelope.kind == Kind::Invalid);
        CHECK(read.envelope.id.empty());
        CHECK(read.envelope.problem ==
              std::string("\"id\" is ") + id + "; expected a string or a whole number");
    }
}

TEST_CASE("What is no JSON-RPC message says what was seen and what was expected") {
    CHECK(problemOf("[]") == "the message is array; expected one JSON-RPC object");
    CHECK(problemOf("5") == "the message is number; expected one JSON-RPC object");
    CHECK(problemOf("null") == "the message is null; expected one JSON-RPC object");
    CHECK(problemOf(R"({"id":1,"method":"m"})") == "\"jsonrpc\" is missing; expected \"2.0\"");
    CHECK(problemOf(R"({"jsonrpc":2.0,"method":"m"})") == "\"jsonrpc\" is 2.0; expected \"2.0\"");
    CHECK(problemOf(R"({"jsonrpc":"1.0","method":"m"})") ==
          "\"jsonrpc\" is \"1.0\"; expected \"2.0\"");
    CHECK(problemOf(R"({"jsonrpc":"2.0","id":1})") == "\"method\" is missing; expected a string");
    CHECK(problemOf(R"({"jsonrpc":"2.0","id":1,"method":5})") ==
          "\"method\" is 5; expected a string");
    CHECK(problemOf("{}") == "\"jsonrpc\" is missing; expected \"2.0\"");
    CHECK(problemOf(R"({"jsonrpc":"2.0","id":1,"method":"m","params":[1]})") ==
          "\"params\" is array; expected an object");
    CHECK(problemOf(R"({"jsonrpc":"2.0","id":1,"method":"m","params":"x"})") ==
          "\"params\" is string; expected an object");
}

TEST_CASE("An invalid message gives its id where it has a valid one, to be answered") {
    const Read read(R"({"jsonrpc":"1.0","id":"a","method":"m"})");
    CHECK(read.envelope.kind == Kind::Invalid);
    CHECK(read.envelope.id == "\"a\"");
}

TEST_CASE("Absent and null params are the same: missing") {
    CHECK_FALSE(Read(R"({"jsonrpc":"2.0","id":1,"method":"m"})").envelope.params);
    CHECK_FALSE(Read(R"({"jsonrpc":"2.0","id":1,"method":"m","params":null})").envelope.params);
    CHECK(Read(R"({"jsonrpc":"2.0","id":1,"method":"m","params":{}})").envelope.params);
}

TEST_CASE("A hostile id or version is shown short and safe") {
    const auto problem =
        problemOf(R"({"jsonrpc":"2.0","method":"m","id":[")" + std::string(5'000, 'x') + "\"]}");
    CHECK(problem.size() < 200);
    CHECK_THAT(problem, Contains("more bytes)"));
    CHECK_THAT(problemOf("{\"jsonrpc\":\"\xE2\x80\xAE\",\"method\":\"m\"}"), Contains("\\u202e"));
}

TEST_CASE("An id key tells numbers from strings and does not mind escapes") {
    const auto keyOf = [](std::string_view text) {
        Document document;
        REQUIRE(document.readView(text).has_value());
        return idKey(document.root());
    };
    CHECK(keyOf("101") != keyOf("\"101\""));
    CHECK(keyOf(R"("A")") == keyOf(R"("\u0041")"));
    CHECK(keyOf("0") != keyOf("\"\""));
    CHECK_FALSE(keyOf("\"\"").empty());
    CHECK(keyOf("9007199254740993") != keyOf("9007199254740992"));
    for (const auto *none : {"null", "true", "[]", "{}", "1.5"}) {
        CHECK(keyOf(none).empty());
    }
    CHECK(idKey(tenon::json::Value()).empty());
}

TEST_CASE("An error message has its members in order, and a null id when there is none") {
    CHECK(errorMessage("7", -32601, "no \"x\"\n") ==
          R"({"jsonrpc":"2.0","id":7,"error":{"code":-32601,"message":"no \"x\"\n"}})");
    CHECK(errorMessage("", tenon::transport::kParseError, "m", R"({"k":[1]})") ==
          R"({"jsonrpc":"2.0","id":null,"error":{"code":-32700,"message":"m","data":{"k":[1]}}})");
}

TEST_CASE("A result message has the id and the result as they were given") {
    CHECK(resultMessage("\"a\"", R"({"x":1})") == R"({"jsonrpc":"2.0","id":"a","result":{"x":1}})");
    CHECK(resultMessage("9007199254740993", "{}") ==
          R"({"jsonrpc":"2.0","id":9007199254740993,"result":{}})");
}
