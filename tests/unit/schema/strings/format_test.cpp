// SPDX-License-Identifier: Apache-2.0
#include "json/document.h"
#include "schema/strings/format.h"

#include <catch2/catch.hpp>

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <set>
#include <string>

using tenon::json::Document;
using tenon::json::Value;
using tenon::schema::findFormat;

namespace {

constexpr std::string_view kNames[] = {"date",          "date-time",
                                       "duration",      "email",
                                       "hostname",      "idn-email",
                                       "idn-hostname",  "ipv4",
                                       "ipv6",          "iri",
                                       "iri-reference", "json-pointer",
                                       "regex",         "relative-json-pointer",
                                       "time",          "uri",
                                       "uri-reference", "uri-template",
                                       "uuid"};

Document read(const std::filesystem::path &path) {
    std::ifstream file(path);
    std::string text((std::istreambuf_iterator<char>(file)), std::istreambuf_iterator<char>());
    auto document = Document::read(std::move(text));
    INFO(path << (document ? "" : document.error().message));
    REQUIRE(document.has_value());
    return std::move(*document);
}

bool is(std::string_view name, std::string_view text) {
    const auto *const format = findFormat(name);
    INFO(name);
    REQUIRE(format != nullptr);
    return format->check(text);
}

} // namespace

TEST_CASE("Formats give the verdicts of the official test suite") {
    int tests = 0;
    std::set<std::string> seen;
    for (const char *draft : {"draft2020-12", "draft7"}) {
        const auto folder = std::filesystem::path(TENON_TEST_DATA "/json-schema-test-suite/tests") /
                            draft / "optional/format";
        for (const auto &entry : std::filesystem::directory_iterator(folder)) {
            const Document file = read(entry.path());
            for (const Value group : file.root().items()) {
                const std::string name(group["schema"]["format"].string());
                const auto *const format = findFormat(name);
                INFO(entry.path() << " " << name);
                REQUIRE((format != nullptr) == (entry.path().filename() != "unknown.json"));
                seen.insert(name);
                for (const Value test : group["tests"].items()) {
                    const Value data = test["data"];
                    INFO(test["description"].string() << ": " << data.raw());
                    const bool valid =
                        !data.isString() || format == nullptr || format->check(data.string());
                    CHECK(valid == test["valid"].isTrue());
                    ++tests;
                }
            }
        }
    }
    CHECK(tests == 1440);
    seen.erase("unknown");
    CHECK(seen.size() == std::size(kNames));
}

TEST_CASE("Every format has a name and says what it expects, with an example that it takes") {
    for (const auto name : kNames) {
        const auto *const format = findFormat(name);
        REQUIRE(format != nullptr);
        CHECK(format->name == name);
        const auto example = format->expected.find(" such as ");
        INFO(format->expected);
        REQUIRE(example != std::string_view::npos);
        const auto words = format->expected.substr(example + 9);
        CHECK(format->check(words.substr(0, words.find(" or "))));
        CHECK_FALSE(format->check("\x01 {"));
    }
    for (const auto *unknown : {"", "Date", "date ", "int32", "byte", "password"}) {
        CHECK(findFormat(unknown) == nullptr);
    }
}

TEST_CASE("No text is too long or too odd for a format") {
    const std::string longs[] = {std::string(100'000, 'a'),          std::string(100'000, '1'),
                                 std::string(100'000, ':'),          std::string(100'000, '.'),
                                 std::string(100'000, '['),          std::string(100'000, '('),
                                 "xn--" + std::string(100'000, '9'), std::string(100'000, '\0')};
    for (const auto name : kNames) {
        for (const auto &text : longs) {
            is(name, text);
        }
        for (unsigned code = 0; code < 0x80; ++code) {
            const std::string one(1, static_cast<char>(code));
            is(name, one);
            is(name, "http://[" + one);
            is(name, one + "@" + one);
            is(name, "{" + one + "}");
        }
    }
    CHECK_FALSE(is("hostname", longs[0]));
    CHECK_FALSE(is("idn-hostname", longs[6]));
}

TEST_CASE("Dates, times and durations are those of RFC 3339") {
    CHECK(is("date", "2000-02-29"));
    CHECK_FALSE(is("date", "1900-02-29"));
    CHECK_FALSE(is("date-time", "2024-05-01 13:45:00Z"));
    CHECK(is("time", "23:59:60.5Z"));
    CHECK_FALSE(is("time", "13:45:00.Z"));
    CHECK_FALSE(is("time", "13:45Z"));
    CHECK_FALSE(is("time", "13:45:00+0200"));
    CHECK_FALSE(is("duration", "P1H"));
    CHECK_FALSE(is("duration", "PW"));
    CHECK_FALSE(is("duration", "P1DT"));
    CHECK_FALSE(is("duration", "P1D1D"));
}

TEST_CASE("Host names beyond ASCII are checked in both of their forms") {
    CHECK(is("idn-hostname", "b\xC3\xBC"
                             "cher.example"));
    CHECK(is("idn-hostname", "xn--bcher-kva.example"));
    CHECK(is("hostname", "xn--bcher-kva.example"));
    CHECK(is("hostname", "XN--BCHER-KVA.example"));
    CHECK_FALSE(is("hostname", "b\xC3\xBC"
                               "cher.example"));
    CHECK_FALSE(is("idn-hostname", "B\xC3\xBC"
                                   "cher.example")); // no upper case in IDNA2008
    CHECK_FALSE(is("hostname", "xn--b!cher-kva.example"));
    CHECK_FALSE(is("hostname", "xn--"));
    CHECK_FALSE(is("hostname", "xn--99999999"));
    CHECK_FALSE(is("idn-hostname", "ab--c.example"));
    CHECK(is("hostname", "r3---sn.example"));
    CHECK_FALSE(is("idn-hostname", "\xE2\x84\xAB")); // the angstrom sign is not stable
    CHECK_FALSE(is("idn-hostname", "\xEF\xAC\x81")); // nor is the ligature fi
    CHECK_FALSE(is("idn-hostname", "\xF0\x9F\x90\xB2"));
    CHECK(is("idn-hostname", "\xD7\x90\xD7\x91.example"));
    CHECK_FALSE(is("idn-hostname", "\xD7\x90\xD7\x91.1example")); // every label obeys, if one must
    CHECK(is("hostname", std::string(63, 'a') + "." + std::string(63, 'b') + "." +
                             std::string(63, 'c') + "." + std::string(61, 'd')));
    CHECK_FALSE(is("hostname", std::string(63, 'a') + "." + std::string(63, 'b') + "." +
                                   std::string(63, 'c') + "." + std::string(62, 'd')));
}

TEST_CASE("A zero width non-joiner stands between letters that would join") {
    const std::string nonJoiner = "\xE2\x80\x8C";
    const std::string beh = "\xD8\xA8";
    const std::string alef = "\xD8\xA7";  // joins what is before it, nothing behind
    const std::string hamza = "\xD8\xA1"; // joins nothing
    const std::string fatha = "\xD9\x8E"; // a mark
    CHECK(is("idn-hostname", beh + nonJoiner + beh));
    CHECK(is("idn-hostname", beh + fatha + nonJoiner + fatha + alef));
    CHECK_FALSE(is("idn-hostname", alef + nonJoiner + beh));
    CHECK_FALSE(is("idn-hostname", hamza + nonJoiner + beh));
    CHECK_FALSE(is("idn-hostname", beh + nonJoiner + hamza));
    CHECK_FALSE(is("idn-hostname", beh + nonJoiner));
    CHECK_FALSE(is("idn-hostname", "a" + nonJoiner + "b"));
}

TEST_CASE("Mail addresses are the mailboxes of RFC 5321") {
    CHECK(is("email", "a+b@example.co.uk"));
    CHECK(is("email", "\"a\\\"b\"@example.com"));
    CHECK_FALSE(is("email", "\"a\"b\"@example.com"));
    CHECK_FALSE(is("email", "\"ab\\\"@example.com"));
    CHECK_FALSE(is("email", "\xC3\xA9@example.com"));
    CHECK_FALSE(is("email", "a@[::1]"));
    CHECK_FALSE(is("email", "a@[127.0.0.1"));
    CHECK_FALSE(is("email", std::string(65, 'a') + "@example.com"));
    CHECK_FALSE(is("email", "a@b@c"));
}

TEST_CASE("URIs are those of RFC 3986 to the letter") {
    CHECK(is("uri", "http://user:pw@host:8080/p;a=1/../q?x=%20#f?/"));
    CHECK(is("uri", "http://[v1.a:b]/"));
    CHECK(is("uri", "a:"));
    CHECK(is("uri", "http://host:"));
    CHECK_FALSE(is("uri", "http://[v.a]/"));
    CHECK_FALSE(is("uri", "http://[::1"));
    CHECK_FALSE(is("uri", "http://[::1]x"));
    CHECK_FALSE(is("uri", "http://a#b#c"));
    CHECK_FALSE(is("uri", "http://host/\xC3\xA9"));
    CHECK_FALSE(is("iri", "http://host/\xEE\x80\x80")); // private use is for queries
    CHECK(is("iri", "http://host/?\xEE\x80\x80"));
    CHECK_FALSE(is("iri", "http://host/\xEF\xB7\x90")); // no character
    CHECK(is("uri-reference", "a/b:c"));
    CHECK_FALSE(is("uri-reference", "a b"));
    CHECK_FALSE(is("uri-template", "{a.}"));
    CHECK_FALSE(is("uri-template", "{a:}"));
    CHECK_FALSE(is("uri-template", "{*}"));
    CHECK_FALSE(is("uri-template", "{{a}}"));
}
