// SPDX-License-Identifier: Apache-2.0
#include "frontends/mcp/request.h"
#include "support/text.h"

#include <catch2/catch.hpp>

using Catch::Matchers::Contains;
using tenon::concat;
using tenon::json::Document;
using tenon::mcp::kModern;
using tenon::mcp::Request;
using tenon::mcp::Revision;

namespace {

// A request and the document that it points into.
struct Read {
    Read(std::string given, Revision legacy) : text(std::move(given)) {
        REQUIRE(document.readView(text).has_value());
        const auto envelope = tenon::transport::readEnvelope(document.root());
        request = tenon::mcp::readRequest(envelope, legacy);
    }
    std::string text;
    Document document;
    Request request;
};

Read readParams(std::string_view params, std::string_view method = "tools/call",
                Revision legacy = Revision::R2025_06_18) {
    return {
        concat(R"({"jsonrpc":"2.0","id":"i","method":")", method, R"(","params":)", params, "}"),
        legacy};
}

Read readMeta(std::string_view meta, std::string_view method = "tools/call") {
    return readParams(concat(R"({"_meta":)", meta, "}"), method);
}

constexpr std::string_view kVersion = R"("io.modelcontextprotocol/protocolVersion":"2026-07-28")";
constexpr std::string_view kCapabilities = R"("io.modelcontextprotocol/clientCapabilities":{})";

std::string modern(std::string_view more) {
    return concat("{", kVersion, ",", kCapabilities, more.empty() ? "" : ",", more, "}");
}

// The error's code and message; the whole error must be JSON and name the request.
std::string errorOf(const Read &read) {
    Document error;
    INFO(read.request.error);
    REQUIRE(error.readView(read.request.error).has_value());
    CHECK(error.root()["id"].raw() == R"("i")");
    const auto body = error.root()["error"];
    return concat(body["code"].raw(), " ", body["message"].string());
}

} // namespace

TEST_CASE("A request without a revision of its own is of the legacy one that was settled") {
    for (const auto revision : {Revision::R2024_11_05, Revision::R2025_11_25}) {
        const auto read = readParams(R"({"name":"t"})", "tools/call", revision);
        CHECK(read.request.error.empty());
        CHECK(read.request.revision == revision);
        CHECK(read.request.id == R"("i")");
        CHECK(read.request.idValue.string() == "i");
        CHECK(read.request.method == "tools/call");
        CHECK(read.request.params["name"].string() == "t");
        CHECK(read.request.progressToken.empty());
    }
    CHECK(readParams("null").request.error.empty());
    CHECK(readMeta("{}").request.revision == Revision::R2025_06_18);
}

TEST_CASE("A modern request says its revision and its client's capabilities, and who it is") {
    const auto read = readMeta(modern(
        R"("io.modelcontextprotocol/clientInfo":{"name":"c","version":"1.10"},)"
        R"("io.modelcontextprotocol/logLevel":"info","progressToken":"p","traceparent":"00-a")"));
    CHECK(read.request.error.empty());
    CHECK(read.request.revision == kModern);
    CHECK(read.request.caller.source == tenon::Source::Mcp);
    CHECK(read.request.caller.clientName == "c");
    CHECK(read.request.caller.clientVersion == "1.10");
    CHECK(read.request.caller.protocolVersion == "2026-07-28");
    CHECK(read.request.caller.userId.empty()); // what a client claims is no proof
    CHECK(read.request.progressToken == R"("p")");
    CHECK(read.request.traceparent == "00-a");
}

TEST_CASE("A modern request that leaves something out is told what is missing") {
    CHECK(errorOf(readMeta(concat("{", kCapabilities, "}"))) ==
          "-32602 _meta[\"io.modelcontextprotocol/protocolVersion\"] is missing; expected "
          "\"2026-07-28\"");
    CHECK(errorOf(readMeta(concat("{", kVersion, "}"))) ==
          "-32602 _meta[\"io.modelcontextprotocol/clientCapabilities\"] is missing; expected an "
          "object");
    CHECK_THAT(errorOf(readMeta(R"({"io.modelcontextprotocol/clientInfo":{}})")),
               Contains("protocolVersion\"] is missing"));
    CHECK_THAT(errorOf(readMeta(R"({"io.modelcontextprotocol/protocolVersion":5})")),
               Contains("protocolVersion\"] is 5; expected \"2026-07-28\""));
    CHECK_THAT(errorOf(readMeta(
                   concat("{", kVersion, R"(,"io.modelcontextprotocol/clientCapabilities":[]})"))),
               Contains("clientCapabilities\"] is []; expected an object"));
    CHECK_THAT(errorOf(readMeta(modern(R"("io.modelcontextprotocol/clientInfo":"c")"))),
               Contains("clientInfo\"] is \"c\"; expected an object with name and version"));
    CHECK_THAT(errorOf(readMeta(modern(R"("io.modelcontextprotocol/logLevel":"loud")"))),
               Contains("logLevel\"] is \"loud\"; expected a level such as \"info\""));
    CHECK_THAT(errorOf(readMeta(modern(R"("io.modelcontextprotocol/logLevel":1)"))),
               Contains("logLevel\"] is 1"));
}

TEST_CASE("server/discover belongs to the modern revision, whatever it carries") {
    CHECK_THAT(errorOf(readParams("{}", "server/discover")),
               Contains("-32602 ") && Contains("protocolVersion\"] is missing"));
    CHECK(readMeta(modern(""), "server/discover").request.error.empty());
}

TEST_CASE("Another revision per request is refused with those that there are") {
    for (const auto *version : {"2025-11-25", "2026-07-29", "banana", ""}) {
        CAPTURE(version);
        const auto read = readMeta(concat(R"({"io.modelcontextprotocol/protocolVersion":")",
                                          version, "\",", kCapabilities, "}"));
        CHECK_THAT(errorOf(read), Contains(concat("-32022 protocol version \"", version,
                                                  "\" is not supported per request")));
        Document error;
        REQUIRE(error.readView(read.request.error).has_value());
        CHECK(error.root()["error"]["data"].raw() ==
              concat(R"({"supported":["2026-07-28"],"requested":")", version, "\"}"));
    }
}

TEST_CASE("A progress token keeps its type and digits; one of another kind is refused") {
    for (const auto *token : {"0", "\"0\"", "12345678901234567", "-1", "\"\""}) {
        CAPTURE(token);
        const auto read = readMeta(concat(R"({"progressToken":)", token, "}"));
        CHECK(read.request.error.empty());
        CHECK(read.request.progressToken == token);
    }
    for (const auto *token : {R"({"a":1})", "[1]", "true", "1.5", "null"}) {
        CAPTURE(token);
        CHECK(
            errorOf(readMeta(concat(R"({"progressToken":)", token, "}"))) ==
            concat("-32602 \"progressToken\" is ", token, "; expected a string or a whole number"));
    }
}

TEST_CASE("_meta that is no object is refused") {
    for (const auto *meta : {"[]", "5", "\"x\"", "null"}) {
        CAPTURE(meta);
        CHECK(errorOf(readMeta(meta)) == "-32602 \"_meta\" is no object; expected one");
    }
}

TEST_CASE("Other keys of _meta, and odd values of those that do not matter, are passed over") {
    const auto read = readMeta(R"({"com.example/x":[1],"traceparent":5,"protocolVersion":"x"})");
    CHECK(read.request.error.empty());
    CHECK(read.request.revision == Revision::R2025_06_18);
    CHECK(read.request.traceparent.empty());
}
