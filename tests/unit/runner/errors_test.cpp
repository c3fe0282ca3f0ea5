// SPDX-License-Identifier: Apache-2.0
#include "testing.h"

#include "runner/throw_site.h"

using namespace tenon;
using namespace tenon::testing;

TEST_CASE(
    "a failure is rendered once, its keys in one order, the message first among the details") {
    AppError error{"NOT_FOUND", "no such thing"};
    error.details = R"({"z":1,"message":"displaced","a":[1, 2]})";
    error.hint = "look again";
    CHECK(toolResultFromError(error, false, "from the host") ==
          R"({"error":"NOT_FOUND","retryable":false,"details":{"message":"no such thing","z":1,)"
          R"("a":[1,2]},"_hint":"look again from the host"})");
}

TEST_CASE("details that are no object become a value, even if they are no JSON") {
    AppError error{"CONFLICT", "m"};
    error.details = "[3]";
    CHECK(toolResultFromError(error, false) ==
          R"({"error":"CONFLICT","retryable":false,"details":{"message":"m","value":[3]}})");
    error.details = "{oops";
    CHECK(toolResultFromError(error, false) ==
          R"({"error":"CONFLICT","retryable":false,"details":{"message":"m","value":"{oops"}})");
}

TEST_CASE("the host's hint stands alone when the error has none") {
    CHECK(toolResultFromError({"CONFLICT", "m"}, false, "h") ==
          R"({"error":"CONFLICT","retryable":false,"details":{"message":"m"},"_hint":"h"})");
}

TEST_CASE("one table says what a code means") {
    struct Row {
        const char *code;
        int status, exit;
        bool retryable;
    };
    const Row rows[] = {
        {"BAD_REQUEST", 400, 8, false},        {"VALIDATION_ERROR", 400, 8, false},
        {"UNAUTHORIZED", 401, 9, false},       {"FORBIDDEN", 403, 3, false},
        {"NOT_FOUND", 404, 4, false},          {"TIMEOUT", 408, 7, false},
        {"CONFLICT", 409, 5, false},           {"INPUT_REQUIRED", 409, 5, false},
        {"PAYLOAD_TOO_LARGE", 413, 8, false},  {"RATE_LIMITED", 429, 6, true},
        {"CANCELLED", 499, 130, false},        {"INTERNAL_SERVER_ERROR", 500, 1, false},
        {"NOT_IMPLEMENTED", 501, 1, false},    {"PLUGIN_CRASHED", 502, 10, false},
        {"PLUGIN_UNAVAILABLE", 503, 10, true}, {"OVERLOADED", 503, 11, true},
        {"MY_OWN_CODE", 500, 1, false}};
    for (const auto &row : rows) {
        INFO(row.code);
        const AppError error{row.code, "m"};
        CHECK(statusOf(error) == row.status);
        CHECK(meaningOf(row.code).exitCode == row.exit);
        CHECK(isRetryable(error, false) == row.retryable);
    }
    CHECK(isRetryable({"PLUGIN_CRASHED", "m"}, true));
    AppError declared{"CONFLICT", "m"};
    declared.retryable = true;
    CHECK(isRetryable(declared, false));
    AppError own{"MY_OWN_CODE", "m"};
    own.status = 504;
    CHECK(isRetryable(own, false));
}

TEST_CASE("a plugin cannot speak with the host's own codes, nor with a code that is none") {
    for (const char *code : {"INTERNAL_SERVER_ERROR", "PLUGIN_CRASHED", "PLUGIN_X", "OVERLOADED",
                             "lower", "AB", "9AB", "A B", ""}) {
        INFO(code);
        CHECK(std::holds_alternative<RawCause>(normalizeRefusal({code, "m"})));
    }
    CHECK(std::holds_alternative<AppError>(normalizeRefusal({"MY_CODE_2", "m"})));
}

TEST_CASE("an exception becomes its type and whole message, nested ones included") {
    try {
        try {
            throw std::runtime_error("inner");
        } catch (...) {
            std::throw_with_nested(std::logic_error("outer"));
        }
    } catch (...) {
        const auto cause =
            std::get<RawCause>(thrownBy(ThrowSite::Handler, std::current_exception()));
        CHECK(cause.message == "outer: inner");
    }
    try {
        throw 42;
    } catch (...) {
        const auto cause =
            std::get<RawCause>(thrownBy(ThrowSite::Handler, std::current_exception()));
        CHECK(cause.type == "int");
    }
}

TEST_CASE("a raw cause is replaced whole: neither its text nor its type is in the error") {
    Log log(LogLevel::Off);
    const auto error = normalizeError({"std::secret_type", "postgres://u:p@h/db"}, "t", log);
    const auto shown = toolResultFromError(error, false);
    CHECK(shown == R"({"error":"INTERNAL_SERVER_ERROR","retryable":false,"details":{"message":)"
                   R"("Internal server error"}})");
}

TEST_CASE("a trace is carried on as a child, and a malformed one is begun anew") {
    const auto child = Trace::childOf("00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-00");
    CHECK(child.traceId() == "0af7651916cd43dd8448eb211c80319c");
    CHECK(child.parentSpanId() == "b7ad6b7169203331");
    CHECK(child.spanId().size() == 16);
    CHECK(child.traceparent().substr(0, 36) == "00-0af7651916cd43dd8448eb211c80319c-");
    CHECK(child.traceparent().substr(52) == "-00");
    for (const char *bad : {"", "00-0AF7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01", "x",
                            "00-00000000000000000000000000000000-b7ad6b7169203331-01",
                            "00-0af7651916cd43dd8448eb211c80319c-0000000000000000-01"}) {
        INFO(bad);
        const auto fresh = Trace::childOf(bad);
        CHECK(fresh.parentSpanId().empty());
        CHECK(fresh.traceId() != "0af7651916cd43dd8448eb211c80319c");
        CHECK(fresh.traceparent().size() == 55);
    }
    CHECK(Trace::childOf("").spanId() != Trace::childOf("").spanId());
}
