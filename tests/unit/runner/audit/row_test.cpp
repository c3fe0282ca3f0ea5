// SPDX-License-Identifier: Apache-2.0
#include "runner/audit/row.h"

#include "runner/audit/stamps.h"
#include "support/text.h"

#include <catch2/catch.hpp>

#include <set>
#include <type_traits>

using namespace tenon;
using namespace tenon::audit;

namespace {

// A row that has something in every column.
Row fullRow() {
    Row row;
    unsigned n = 0;
    for (const auto &column : columns()) {
        ++n;
        std::visit(
            [&](auto field) {
                auto &value = row.*field;
                using Value = std::remove_reference_t<decltype(value)>;
                if constexpr (std::is_same_v<Value, JsonText>) {
                    value.text = concat(R"({"n":[)", n, R"(,"é\n"]})");
                } else if constexpr (std::is_same_v<Value, std::string>) {
                    value = concat("text \"", n, "\"");
                } else if constexpr (std::is_same_v<Value, bool>) {
                    value = true;
                } else {
                    value =
                        static_cast<Value>(n) + (std::is_same_v<Value, double> ? Value(1) / 4 : 0);
                }
            },
            column.field);
    }
    return row;
}

Result<Row> reread(const std::string &text) {
    json::Document document;
    const auto read = document.readView(text);
    REQUIRE(read.has_value());
    return rowOfJson(document.root());
}

} // namespace

TEST_CASE("a row is one line of JSON from which the same row can be read") {
    const auto row = fullRow();
    std::string text;
    appendJson(text, row);
    CHECK(text.starts_with(R"({"id":)"));
    CHECK(text.find('\n') == text.npos);
    const auto again = reread(text);
    REQUIRE(again.has_value());
    CHECK(*again == row);

    Row small;
    small.id = "1";
    text.clear();
    appendJson(text, small);
    CHECK(text == R"({"id":"1","durationMs":0,"ok":false,"round":1,"statusCode":0,)"
                  R"("resultSize":0,"responseBytes":0})");
    CHECK(*reread(text) == small);
}

TEST_CASE("what is no row is refused, and keys of a later version are passed over") {
    CHECK(reread(R"({"id":"1","later":{"a":1}})").has_value());
    for (const char *bad : {"[]", "{}", "3", R"({"id":""})", R"({"id":1})", R"({"id":"1","ok":1})",
                            R"({"id":"1","round":"1"})", R"({"id":"1","round":-1})",
                            R"({"id":"1","round":1.5})", R"({"id":"1","toolName":7})"}) {
        INFO(bad);
        CHECK_FALSE(reread(bad).has_value());
    }
}

TEST_CASE("every column has a name of its own, and a time is 24 characters that sort") {
    std::set<std::string_view> names;
    for (const auto &column : columns()) {
        names.insert(column.name);
    }
    CHECK(names.size() == columns().size());
    using namespace std::chrono;
    CHECK(timeText(SystemTime(milliseconds(0))) == "1970-01-01T00:00:00.000Z");
    CHECK(timeText(sys_days(year(2026) / 11 / 30) + hours(21) + minutes(44) + seconds(27) +
                   milliseconds(123)) == "2026-11-30T21:44:27.123Z");
    CHECK(timeText(sys_days(year(2024) / 2 / 29) + hours(23) + minutes(59) + seconds(59) +
                   milliseconds(999)) == "2024-02-29T23:59:59.999Z");
    SystemTime back;
    CHECK(parseTime("2026-11-30T21:44:27.123Z", back));
    CHECK(timeText(back) == "2026-11-30T21:44:27.123Z");
    for (const char *bad : {"", "2026-11-31T00:00:00.000Z", "2026-11-30T24:00:00.000Z",
                            "2026-11-30 21:44:27.123Z", "2026-11-30T21:44:27Z"}) {
        CHECK_FALSE(parseTime(bad, back));
    }
}
