// SPDX-License-Identifier: Apache-2.0
// Expected values were computed with Python's zoneinfo, or by hand where Python has none.
#include "refusal.h"

#include <everyday/time_tools.h>

using namespace everyday;

namespace {

ZoneDatabase &zones() {
    static ZoneDatabase database;
    return database;
}
TimeAdd amounts(const std::string &time, const std::string &zone) {
    TimeAdd in;
    in.time = time;
    in.zone = zone;
    return in;
}
TimeDifference between(const std::string &start, const std::string &end,
                       const std::string &zone = "") {
    return timeBetween(
        {start, end, zone.empty() ? std::nullopt : std::optional(zone), "compatible"}, zones());
}

} // namespace

TEST_CASE("a difference is told in whole days, on the calendar and as elapsed time") {
    const auto out = between("2024-02-29", "2026-12-24");
    CHECK(out.totalDays == 1029);
    CHECK(out.duration == "P2Y9M25D"); // 29 February 2024, 29 November 2026, 24 December
    CHECK(out.elapsed == "PT24696H");
    CHECK(out.totalSeconds == 88905600);
    CHECK_FALSE(out.negative);
    CHECK(between("2026-01-31", "2026-02-28").duration == "P1M");
    CHECK(between("2026-01-31", "2026-03-01").duration == "P1M1D");
    CHECK(between("2026-01-31", "2026-03-31").duration == "P2M");
    CHECK(between("2024-02-29", "2025-02-28").duration == "P1Y");
    CHECK(between("2026-05-05", "2026-05-05").duration == "PT0S");
    CHECK(between("2026-05-05", "2026-05-05").elapsed == "PT0S");
}

TEST_CASE("a difference back in time is negative, and its parts lead from the earlier time") {
    const auto out = between("2026-12-24", "2026-01-31T12:00");
    CHECK(out.negative);
    CHECK(out.totalDays == -326);
    CHECK(out.totalSeconds == -28209600);
    CHECK(out.elapsed == "-PT7836H");
    CHECK(out.duration == "-P10M23DT12H");
    CHECK(out.months == 10);
}

TEST_CASE("a day over a clock change is a day on the calendar and 23 or 25 hours of time") {
    const auto spring = between("2026-03-28T12:00", "2026-03-29T12:00", "Europe/Berlin");
    CHECK(spring.duration == "P1D");
    CHECK(spring.elapsed == "PT23H");
    const auto autumn = between("2026-10-24T12:00", "2026-10-25T12:00", "Europe/Berlin");
    CHECK(autumn.duration == "P1D");
    CHECK(autumn.elapsed == "PT25H");
    CHECK(autumn.totalDays == 1);
}

TEST_CASE("times within an overlap are a difference of elapsed time") {
    const auto out =
        between("2026-10-25T02:30:00+02:00", "2026-10-25T02:10:00+01:00", "Europe/Berlin");
    CHECK(out.elapsed == "PT40M");
    CHECK(out.duration == "PT40M");
    CHECK_FALSE(out.negative);
    const auto day =
        between("2026-10-24T02:30:00+02:00", "2026-10-25T02:10:00+01:00", "Europe/Berlin");
    CHECK(day.duration == "P1DT40M");
    CHECK(day.elapsed == "PT24H40M");
}

TEST_CASE("fractions of seconds are kept, and borrowed where they have to be") {
    const auto out = between("2026-01-01T00:00:00.75Z", "2026-01-01T00:01:02.5Z");
    CHECK(out.elapsed == "PT1M1.75S");
    CHECK(out.seconds == 1.75);
    CHECK(out.totalSeconds == 61.75);
    CHECK(between("2026-01-01T00:00:00.000000001Z", "2026-01-01T00:00:01Z").elapsed ==
          "PT0.999999999S");
}

TEST_CASE("offsets of both times count, and zones are not needed with them") {
    CHECK(between("2026-01-01T00:00:00+01:00", "2026-01-01T00:00:00Z").elapsed == "PT1H");
    CHECK(between("2026-01-01T00:00:00Z", "2026-01-31T23:30:00-05:00").duration == "P1MT4H30M");
}

TEST_CASE("a time with an offset cannot be compared with one without, unless a zone says where") {
    CHECK(holds(refusalOf([] { between("2026-01-01T00:00:00Z", "2026-01-02"); }).message,
                "the end has none"));
    CHECK(between("2026-01-01T00:00:00Z", "2026-01-02T01:00", "Europe/Berlin").elapsed == "PT24H");
}

TEST_CASE("the whole range of years can be told") {
    const auto out = between("0001-01-01T00:00:00", "9999-12-31T23:59:59");
    CHECK(out.totalDays == 3652058);
    CHECK(out.totalSeconds == 315537897599.0);
    CHECK(out.duration == "P9998Y11M30DT23H59M59S");
    CHECK(between("9990-01-01", "9999-12-31", "Europe/Berlin").duration == "P9Y11M30D");
}

TEST_CASE("adding a difference to the earlier time gives the later one") {
    const char *times[] = {"2024-01-31T00:30:00", "2024-02-29T23:59:59", "2026-03-28T02:30:00",
                           "2026-03-29T03:00:00", "2026-10-25T01:59:59", "2026-10-26T02:30:00",
                           "2030-12-31T12:00:00"};
    for (const auto *start : times) {
        for (const auto *end : times) {
            const auto parts = between(start, end, "Europe/Berlin");
            TimeAdd in = amounts(parts.negative ? end : start, "Europe/Berlin");
            in.years = parts.years, in.months = parts.months, in.days = parts.days;
            in.hours = parts.hours, in.minutes = parts.minutes;
            in.seconds = static_cast<std::int64_t>(parts.seconds);
            const auto expected =
                timeAdd(amounts(parts.negative ? start : end, "Europe/Berlin"), zones());
            CHECK(timeAdd(in, zones()).result.time == expected.result.time);
        }
    }
}
