// SPDX-License-Identifier: Apache-2.0
#include "runner/audit/report.h"

#include "json/document.h"
#include "json/number.h"

#include <catch2/catch.hpp>

#include <algorithm>
#include <random>

using namespace tenon;
using namespace tenon::audit;

namespace {

Row called(const std::string &tool, double millis, bool ok = true) {
    Row row;
    row.startedAt = "2026-11-30T21:44:27.123Z";
    row.kind = "tool";
    row.toolName = tool;
    row.durationMs = millis;
    row.ok = ok;
    row.outcome = ok ? "ok" : "failed";
    return row;
}

} // namespace

TEST_CASE("Each row is a line for people, its columns below one another") {
    RowLines lines;
    auto failed = called("files.read", 1234.56, false);
    failed.userId = "ann";
    failed.clientName = "editor";
    failed.clientId = "c1";
    failed.errorCode = "NOT_FOUND";
    failed.errorMessage = "there is no such file";
    auto other = called("t", 0.5);
    other.clientId = "c2";
    CHECK(lines.add(failed).empty());
    CHECK(lines.add(other).empty());
    CHECK(lines.flush() ==
          "2026-11-30T21:44:27.123Z  failed  1235ms  files.read  ann/editor  NOT_FOUND: there is "
          "no such file\n"
          "2026-11-30T21:44:27.123Z  ok       0.5ms  t           c2\n");
    CHECK(lines.flush().empty());
    CHECK(lines.add(called("t", 2)) == "2026-11-30T21:44:27.123Z  ok         2ms  t           -\n");
    CHECK(lines.add(called("a-longer-name", 2)) ==
          "2026-11-30T21:44:27.123Z  ok         2ms  a-longer-name  -\n");
}

TEST_CASE("A hundred rows wait for one another; then they are printed as they come") {
    RowLines lines;
    std::string text;
    for (int n = 0; n < 100; ++n) {
        CHECK(text.empty());
        text = lines.add(called("tool", n));
    }
    CHECK(std::count(text.begin(), text.end(), '\n') == 100);
    CHECK_FALSE(lines.add(called("tool", 1)).empty());
}

TEST_CASE("What a caller wrote cannot move the cursor, forge a line or fill the screen") {
    RowLines lines;
    auto row = called("na\tme\x1B[2J\r\nok", 1, false);
    row.userId = "\xE2\x80\xAE"
                 "txt\xC2\x85";
    row.errorMessage = std::string(50'000, 'x');
    lines.add(row);
    const auto line = lines.flush();
    CHECK(line.find("na me\\u001b[2J\\u000d\\u000aok") != line.npos);
    CHECK(line.find("\\u202etxt\\u0085") != line.npos);
    CHECK(std::count_if(line.begin(), line.end(),
                        [](char c) { return static_cast<unsigned char>(c) < 0x20; }) == 1);
    CHECK(line.size() < 3'000);
    CHECK(line.find("... (48000 more bytes)") != line.npos);
}

TEST_CASE("Columns are counted in characters, not in bytes") {
    RowLines lines;
    lines.add(called("na\xC3\xAFve", 1));
    lines.add(called("plain", 1));
    const auto text = lines.flush();
    CHECK(text.find("na\xC3\xAFve  -\n") != text.npos);
    CHECK(text.find("plain  -\n") != text.npos);
}

TEST_CASE("Durations have four digits") {
    CHECK(millisText(0) == "0");
    CHECK(millisText(12) == "12");
    CHECK(millisText(0.12345) == "0.1235");
    CHECK(millisText(12.345678) == "12.35");
    CHECK(millisText(99.996) == "100");
    CHECK(millisText(123456.7) == "123500");
    CHECK(millisText(-3) == "0");
    CHECK(millisText(std::numeric_limits<double>::quiet_NaN()) == "0");
    CHECK(millisText(std::numeric_limits<double>::infinity()) == "1000000000000");
}

TEST_CASE("Counts of each tool: calls, failures, percentiles and when it was last seen") {
    ToolCounts counts;
    CHECK(counts.isEmpty());
    CHECK(counts.json() == R"({"tools":[],"lostRows":0})");
    for (int n = 1; n <= 100; ++n) {
        counts.add(called("b", n, n % 10 != 0));
    }
    auto row = called("a\tb\"", 0.25);
    row.startedAt = "2026-11-30T22:00:00.000Z";
    counts.add(row);
    counts.add(called("a\tb\"", 0.75));
    CHECK(counts.text() ==
          "tool  calls  failed  p50 ms  p90 ms  p99 ms  max ms  last seen\n"
          "a b\"      2       0    0.25    0.75    0.75    0.75  2026-11-30T22:00:00.000Z\n"
          "b       100      10      50      90      99     100  2026-11-30T21:44:27.123Z\n");
    const auto json = counts.json();
    CHECK(json == R"({"tools":[{"tool":"a\tb\"","calls":2,"failed":0,"p50Ms":0.25,"p90Ms":0.75,)"
                  R"("p99Ms":0.75,"maxMs":0.75,"lastSeen":"2026-11-30T22:00:00.000Z"},)"
                  R"({"tool":"b","calls":100,"failed":10,"p50Ms":50,"p90Ms":90,"p99Ms":99,)"
                  R"("maxMs":100,"lastSeen":"2026-11-30T21:44:27.123Z"}],"lostRows":0})");
}

TEST_CASE("Percentiles are those of the durations themselves, to the digits that are shown") {
    std::mt19937 random(7);
    std::lognormal_distribution<double> spread(1, 3);
    for (const std::size_t count : {1U, 2U, 3U, 10U, 99U, 1'000U}) {
        ToolCounts counts;
        std::vector<double> durations;
        for (std::size_t n = 0; n < count; ++n) {
            durations.push_back(spread(random));
            counts.add(called("tool", durations.back()));
        }
        std::sort(durations.begin(), durations.end());
        json::Document document;
        const auto json = counts.json();
        REQUIRE(document.readView(json).has_value());
        const auto tool = *document.root()["tools"].items().begin();
        for (const std::size_t percent : {50U, 90U, 99U}) {
            const auto rank = (count * percent + 99) / 100;
            CHECK(tool["p" + std::to_string(percent) + "Ms"].number() ==
                  millisText(durations[rank - 1]));
        }
        CHECK(tool["maxMs"].number() == millisText(durations.back()));
    }
}

TEST_CASE("Rows that were lost are told, and are no calls") {
    ToolCounts counts;
    Row gap;
    gap.kind = "gap";
    gap.errorDetail.text = R"({"rows":7})";
    counts.add(gap);
    gap.errorDetail.text = R"({"rows":5})";
    counts.add(gap);
    gap.errorDetail.text = "";
    counts.add(gap);
    CHECK_FALSE(counts.isEmpty());
    CHECK(counts.json() == R"({"tools":[],"lostRows":12})");
    CHECK(counts.text().find("12 rows were lost") != std::string::npos);
}

TEST_CASE("Callers who ask for ever new tools do not fill the memory") {
    ToolCounts counts;
    for (int n = 0; n < 10'500; ++n) {
        counts.add(called(std::to_string(n), 1));
    }
    const auto text = counts.text();
    CHECK(std::count(text.begin(), text.end(), '\n') == 10'002);
    CHECK(text.find("\n(other tools)    500 ") != text.npos);
}
