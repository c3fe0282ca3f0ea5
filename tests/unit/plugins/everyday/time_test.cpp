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
TimeConverted convert(const std::string &time, const std::string &from, const std::string &to,
                      const std::string &policy = "compatible") {
    return timeConvert({time, from.empty() ? std::nullopt : std::optional(from), to, policy},
                       zones());
}
std::string converted(const std::string &time, const std::string &from, const std::string &to,
                      const std::string &policy = "compatible") {
    return convert(time, from, to, policy).to.time;
}
TimeAdd amounts(const std::string &time, const std::string &zone = "") {
    TimeAdd in;
    in.time = time;
    in.zone = zone.empty() ? std::nullopt : std::optional(zone);
    return in;
}
std::string sum(TimeAdd in, std::int64_t TimeAdd::*unit, std::int64_t amount) {
    in.*unit = amount;
    return timeAdd(in, zones()).result.time;
}
Refusal unread(const std::string &time) {
    return refusalOf([&] { parseTime("time", time); });
}

} // namespace

TEST_CASE("the present is shown in UTC with Z and in a zone with its offset") {
    const Instant now{date::sys_seconds(std::chrono::seconds(1782889200)), 250'000'000};
    const auto utc = timeNow({}, now, zones());
    CHECK(utc.time == "2026-07-01T07:00:00.25Z");
    CHECK(utc.weekday == "Wednesday");
    const auto berlin = timeNow({"Europe/Berlin"}, now, zones());
    CHECK(berlin.time == "2026-07-01T09:00:00.25+02:00");
    CHECK(berlin.abbreviation == "CEST");
    CHECK(berlin.daylightSaving == true);
    CHECK(berlin.utc == "2026-07-01T07:00:00.25Z");
    CHECK(berlin.unixSeconds == 1782889200);
    CHECK(timeNow({"Asia/Kathmandu"}, now, zones()).time == "2026-07-01T12:45:00.25+05:45");
}

TEST_CASE("the system's clock has milliseconds and nothing finer") {
    const Instant now = systemNow();
    CHECK(now.nanoseconds % 1'000'000 == 0);
    CHECK(now.nanoseconds >= 0);
    CHECK(now.seconds.time_since_epoch().count() > 1'700'000'000);
}

TEST_CASE("times are read in the forms of ISO 8601 that the tools promise") {
    CHECK(parseTime("t", "2026-01-31").dateOnly);
    CHECK_FALSE(parseTime("t", "2026-01-31T00:00").dateOnly);
    CHECK_FALSE(parseTime("t", "2026-01-31T00:00").offset.has_value());
    CHECK(parseTime("t", "2026-01-31T00:00Z").offset->count() == 0);
    CHECK(parseTime("t", "2026-01-31T00:00:00-04:30").offset->count() == -16200);
    CHECK(parseTime("t", "2026-01-31T00:00:00+00:19:32").offset->count() == 1172);
    CHECK(parseTime("t", "2026-01-31T00:00:00.5").nanoseconds == 500'000'000);
    CHECK(parseTime("t", "2026-01-31T00:00:00.123456789Z").nanoseconds == 123'456'789);
    CHECK(parseTime("t", "2024-02-29").dateOnly);
    CHECK(parseTime("t", "2000-02-29").dateOnly);
}

TEST_CASE("what is not such a time is refused with the position and what was expected") {
    CHECK(unread("2026-13-01").message == "The time \"2026-13-01\" has \"13-01\" at position 5: "
                                          "expected a month of two digits, 01 to 12.");
    CHECK(holds(unread("2026-02-29").message, "01 to 28 in that month"));
    CHECK(holds(unread("1900-02-29").message, "01 to 28"));
    CHECK(holds(unread("2026-04-31").message, "01 to 30"));
    CHECK(holds(unread("2026-01-00").message, "a day"));
    CHECK(holds(unread("2026-01-31T24:00").message, "00 to 23"));
    CHECK(holds(unread("2026-01-31T23:60").message, "00 to 59"));
    CHECK(holds(unread("2016-12-31T23:59:60Z").message, "leap seconds"));
    CHECK(holds(unread("2026-01-31 09:30").message, "'T'"));
    CHECK(holds(unread("2026-01-31t09:30").message, "'T'"));
    CHECK(holds(unread("2026-01-31T09").message, "its end at position 13"));
    CHECK(holds(unread("2026-01-31T09:30:00.").message, "digits of a second's fraction"));
    CHECK(holds(unread("2026-01-31T09:30:00.1234567890").message, "at most 9"));
    CHECK(holds(unread("2026-01-31T09:30:00+0200").message, "minutes of the offset"));
    CHECK(holds(unread("2026-01-31T09:30:00+24:00").message, "hours of the offset"));
    CHECK(holds(unread("2026-01-31T09:30:00 Europe/Berlin").message, "Z, or an offset"));
    CHECK(holds(unread("2026-01-31T09:30:00ZZ").message, "expected the end"));
    for (const auto *text : {"", "20260131", "26-01-31", "2026-1-31", "0000-01-01", "+2026-01-31",
                             "31.01.2026", "now", "2026-W05-6", "1769848200", " 2026-01-31"}) {
        CHECK(holds(unread(text).hint, "2026-01-31T09:30:00Z"));
    }
}

TEST_CASE("a time is converted with the offsets in force at that date") {
    CHECK(converted("2026-07-01T09:00:00", "Europe/Berlin", "America/New_York") ==
          "2026-07-01T03:00:00-04:00");
    // Between the two changes in March the distance is five hours, not six.
    CHECK(converted("2026-03-15T09:00", "Europe/Berlin", "America/New_York") ==
          "2026-03-15T04:00:00-04:00");
    CHECK(converted("2026-01-01T00:00", "Pacific/Kiritimati", "Etc/GMT+12") ==
          "2025-12-30T22:00:00-12:00");
    CHECK(converted("2026-07-01T00:00:00.5", "Asia/Kathmandu", "UTC") == "2026-06-30T18:15:00.5Z");
    CHECK(converted("2040-07-01T12:00:00", "America/New_York", "UTC") == "2040-07-01T16:00:00Z");
    CHECK(converted("2099-07-01T13:00:00Z", "", "America/Nuuk") == "2099-07-01T12:00:00-01:00");
    CHECK(converted("1850-01-01T00:00:00Z", "", "America/New_York") ==
          "1849-12-31T19:03:58-04:56:02");
}

TEST_CASE("daylight saving is what the database says, in Ireland the winter") {
    CHECK(convert("2026-01-15T12:00:00Z", "", "Europe/Dublin").to.abbreviation == "GMT");
    CHECK(convert("2026-07-15T12:00:00Z", "", "Europe/Dublin").to.abbreviation == "IST");
}

TEST_CASE("a time in a gap is moved forward by its length, and the result says so") {
    const auto out = convert("2026-03-29T02:30:00", "Europe/Berlin", "UTC");
    CHECK(out.to.time == "2026-03-29T01:30:00Z");
    CHECK(out.from.time == "2026-03-29T03:30:00+02:00");
    REQUIRE(out.resolutions.size() == 1);
    CHECK(out.resolutions[0].of == "time");
    CHECK(out.resolutions[0].kind == "gap");
    CHECK(out.resolutions[0].note ==
          "2026-03-29T02:30:00 does not exist in Europe/Berlin: clocks went from "
          "2026-03-29T02:00:00+01:00 to 2026-03-29T03:00:00+02:00; 2026-03-29T03:30:00+02:00 was "
          "taken (disambiguation compatible).");
    CHECK(converted("2026-03-29T02:30:00", "Europe/Berlin", "UTC", "later") ==
          "2026-03-29T01:30:00Z");
    CHECK(converted("2026-03-29T02:30:00", "Europe/Berlin", "UTC", "earlier") ==
          "2026-03-29T00:30:00Z");
    CHECK(convert("2026-03-29T02:30:00", "Europe/Berlin", "UTC", "earlier").from.time ==
          "2026-03-29T01:30:00+01:00");
}

TEST_CASE("of a time that comes twice the first is taken, and the result says so") {
    const auto out = convert("2026-10-25T02:30:00", "Europe/Berlin", "UTC");
    CHECK(out.to.time == "2026-10-25T00:30:00Z");
    CHECK(out.resolutions[0].kind == "overlap");
    CHECK(holds(out.resolutions[0].note, "comes twice in Europe/Berlin: first at +02:00, then at "
                                         "+01:00; 2026-10-25T02:30:00+02:00 was taken"));
    CHECK(converted("2026-10-25T02:30:00", "Europe/Berlin", "UTC", "later") ==
          "2026-10-25T01:30:00Z");
    CHECK(convert("2026-10-25T03:00:00", "Europe/Berlin", "UTC").resolutions.empty());
}

TEST_CASE("gaps and overlaps of half an hour, at midnight and of a whole day are seen") {
    CHECK(converted("2026-10-04T02:15:00", "Australia/Lord_Howe", "UTC") == "2026-10-03T15:45:00Z");
    CHECK(converted("2026-04-05T01:45:00", "Australia/Lord_Howe", "UTC") == "2026-04-04T14:45:00Z");
    CHECK(converted("2026-04-05T01:45:00", "Australia/Lord_Howe", "UTC", "later") ==
          "2026-04-04T15:15:00Z");
    CHECK(converted("2026-09-06T00:30:00", "America/Santiago", "UTC") == "2026-09-06T04:30:00Z");
    // Samoa left out 30 December 2011.
    const auto samoa = convert("2011-12-30T12:00:00", "Pacific/Apia", "UTC");
    CHECK(samoa.to.time == "2011-12-30T22:00:00Z");
    CHECK(samoa.from.time == "2011-12-31T12:00:00+14:00");
    CHECK(samoa.resolutions[0].kind == "gap");
}

TEST_CASE("with disambiguation reject a gap and an overlap are refused") {
    const auto gap =
        refusalOf([] { convert("2026-03-29T02:30", "Europe/Berlin", "UTC", "reject"); });
    CHECK(gap.code == "CONFLICT");
    CHECK(holds(gap.message, "does not exist"));
    const auto twice =
        refusalOf([] { convert("2026-10-25T02:30", "Europe/Berlin", "UTC", "reject"); });
    CHECK(holds(twice.message, "comes twice"));
    CHECK(holds(twice.hint, "Write the offset"));
    CHECK(holds(refusalOf([] { convert("2026-01-01T00:00", "UTC", "UTC", "x"); }).hint, "reject"));
}

TEST_CASE("a written offset chooses between the two of an overlap") {
    CHECK(converted("2026-10-25T02:30:00+01:00", "Europe/Berlin", "UTC") == "2026-10-25T01:30:00Z");
    CHECK(converted("2026-10-25T02:30:00+02:00", "Europe/Berlin", "UTC") == "2026-10-25T00:30:00Z");
    CHECK(convert("2026-10-25T02:30:00+02:00", "Europe/Berlin", "UTC").resolutions.empty());
}

TEST_CASE("a written offset that the zone does not have then is refused") {
    const auto refusal = refusalOf([] { convert("2026-07-01T09:00:00Z", "Europe/Berlin", "UTC"); });
    CHECK(refusal.code == "CONFLICT");
    CHECK(holds(refusal.message, "there it would be 2026-07-01T11:00:00+02:00"));
    CHECK(holds(
        refusalOf([] { convert("2026-03-29T02:30:00+01:00", "Europe/Berlin", "UTC"); }).message,
        "2026-03-29T03:30:00+02:00"));
}

TEST_CASE("a time that is no instant, or a date, is not converted") {
    CHECK(
        holds(refusalOf([] { convert("2026-07-01T09:00:00", "", "UTC"); }).message, "no instant"));
    CHECK(holds(refusalOf([] { convert("2026-07-01", "UTC", "UTC"); }).hint, "T00:00:00"));
}

TEST_CASE("times beyond the years 0001 to 9999 are refused in whichever zone they fall") {
    CHECK(converted("9999-12-31T23:59:59Z", "", "UTC") == "9999-12-31T23:59:59Z");
    CHECK(holds(refusalOf([] { convert("9999-12-31T23:59:59Z", "", "Asia/Tokyo"); }).message,
                "outside the years"));
    CHECK(holds(refusalOf([] { convert("0001-01-01T00:00:00+01:00", "", "UTC"); }).message,
                "outside the years"));
}

TEST_CASE("a month added to its 31st is the last day of a shorter month, and this is said") {
    TimeAdd in = amounts("2026-01-31");
    in.months = 1;
    const auto out = timeAdd(in, zones());
    CHECK(out.result.time == "2026-02-28");
    CHECK(out.result.weekday == "Saturday");
    CHECK(out.clamped);
    CHECK(out.clampedNote == "February 2026 has no day 31: its last day, 28, was taken.");
    CHECK(sum(amounts("2024-01-31"), &TimeAdd::months, 1) == "2024-02-29");
    CHECK(sum(amounts("2026-03-31"), &TimeAdd::months, -1) == "2026-02-28");
    CHECK(sum(amounts("2024-02-29"), &TimeAdd::years, 1) == "2025-02-28");
    CHECK(sum(amounts("2024-02-29"), &TimeAdd::years, 4) == "2028-02-29");
    CHECK(sum(amounts("2024-02-29"), &TimeAdd::years, -124) == "1900-02-28");
    CHECK(sum(amounts("2026-12-31"), &TimeAdd::months, 2) == "2027-02-28");
    in.months = 2;
    CHECK_FALSE(timeAdd(in, zones()).clamped);
    CHECK_FALSE(timeAdd(in, zones()).clampedNote.has_value());
}

TEST_CASE("months come before days, so that the order of fields cannot matter") {
    TimeAdd in = amounts("2026-01-30");
    in.months = 1;
    in.days = 1;
    CHECK(timeAdd(in, zones()).result.time == "2026-03-01"); // 28 February, then a day
    in = amounts("2026-03-31");
    in.years = 1;
    in.months = -13;
    in.weeks = 1;
    in.days = -7;
    CHECK(timeAdd(in, zones()).result.time == "2026-02-28");
}

TEST_CASE("days go over leap days and ends of years") {
    CHECK(sum(amounts("2024-02-28"), &TimeAdd::days, 1) == "2024-02-29");
    CHECK(sum(amounts("2026-12-31"), &TimeAdd::days, 1) == "2027-01-01");
    CHECK(sum(amounts("2026-01-01"), &TimeAdd::weeks, -1) == "2025-12-25");
    CHECK(sum(amounts("0001-01-01"), &TimeAdd::days, 3652058) == "9999-12-31");
}

TEST_CASE("a day added is the same time on the next day, 24 hours are not") {
    const auto before = amounts("2026-03-28T12:00:00", "Europe/Berlin");
    CHECK(sum(before, &TimeAdd::days, 1) == "2026-03-29T12:00:00+02:00");
    CHECK(sum(before, &TimeAdd::hours, 24) == "2026-03-29T13:00:00+02:00");
    const auto autumn = amounts("2026-10-24T12:00:00", "Europe/Berlin");
    CHECK(sum(autumn, &TimeAdd::days, 1) == "2026-10-25T12:00:00+01:00");
    CHECK(sum(autumn, &TimeAdd::hours, 24) == "2026-10-25T11:00:00+01:00");
    CHECK(sum(autumn, &TimeAdd::seconds, 86400) == "2026-10-25T11:00:00+01:00");
}

TEST_CASE("a sum that falls into a gap is moved forward, one that comes twice is the first") {
    TimeAdd in = amounts("2026-03-28T02:30:00", "Europe/Berlin");
    in.days = 1;
    const auto out = timeAdd(in, zones());
    CHECK(out.result.time == "2026-03-29T03:30:00+02:00");
    REQUIRE(out.resolutions.size() == 1);
    CHECK(out.resolutions[0].of == "result");
    in.disambiguation = "earlier";
    CHECK(timeAdd(in, zones()).result.time == "2026-03-29T01:30:00+01:00");
    in.disambiguation = "reject";
    CHECK(refusalOf([&] { timeAdd(in, zones()); }).code == "CONFLICT");
    CHECK(sum(amounts("2026-10-24T02:30:00", "Europe/Berlin"), &TimeAdd::days, 1) ==
          "2026-10-25T02:30:00+02:00");
}

TEST_CASE("elapsed time goes through both of an overlap's hours") {
    const auto first = amounts("2026-10-25T02:30:00+02:00", "Europe/Berlin");
    CHECK(sum(first, &TimeAdd::hours, 1) == "2026-10-25T02:30:00+01:00");
    CHECK(sum(first, &TimeAdd::minutes, 120) == "2026-10-25T03:30:00+01:00");
    // Nothing added: the second of the two stays the second.
    CHECK(sum(amounts("2026-10-25T02:30:00+01:00", "Europe/Berlin"), &TimeAdd::days, 0) ==
          "2026-10-25T02:30:00+01:00");
}

TEST_CASE("a time with an offset is shown in the zone given, or keeps its offset") {
    const auto inZone = amounts("2026-03-28T11:00:00Z", "Europe/Berlin");
    CHECK(sum(inZone, &TimeAdd::days, 1) == "2026-03-29T12:00:00+02:00");
    CHECK(sum(amounts("2026-03-28T12:00:00+01:00"), &TimeAdd::days, 1) ==
          "2026-03-29T12:00:00+01:00");
    CHECK(sum(amounts("2026-03-28T12:00:00.75Z"), &TimeAdd::seconds, -1) ==
          "2026-03-28T11:59:59.75Z");
}

TEST_CASE("a time without zone and offset stays one") {
    const auto out = timeAdd(amounts("2026-03-29T02:30:00"), zones());
    CHECK(out.result.time == "2026-03-29T02:30:00");
    CHECK_FALSE(out.result.utc.has_value());
    CHECK_FALSE(out.result.unixSeconds.has_value());
    CHECK(sum(amounts("2026-12-31T23:59:59"), &TimeAdd::seconds, 1) == "2027-01-01T00:00:00");
}

TEST_CASE("hours cannot be added to a date, and a date has no zone") {
    CHECK(holds(refusalOf([] { sum(amounts("2026-01-01"), &TimeAdd::hours, 1); }).hint,
                "2026-01-01T00:00:00"));
    CHECK(holds(refusalOf([] { timeAdd(amounts("2026-01-01", "UTC"), zones()); }).message,
                "is a date"));
}

TEST_CASE("sums beyond the years 0001 to 9999, and amounts beyond them, are refused") {
    CHECK(holds(refusalOf([] { sum(amounts("9999-12-31"), &TimeAdd::days, 1); }).message,
                "outside the years"));
    CHECK(holds(refusalOf([] { sum(amounts("0001-01-01T00:00"), &TimeAdd::seconds, -1); }).message,
                "outside the years"));
    CHECK(holds(refusalOf([] { sum(amounts("2026-01-01"), &TimeAdd::years, 9999); }).message,
                "amount of years is 9999: expected -9998 to 9998"));
    CHECK(holds(
        refusalOf([] { sum(amounts("2026-01-01T00:00"), &TimeAdd::seconds, INT64_MIN); }).message,
        "amount of seconds"));
    TimeAdd most = amounts("9999-01-01T00:00:00", "Europe/Berlin");
    most.years = 9998, most.months = 119976, most.weeks = 521775, most.days = 3652424;
    CHECK(holds(refusalOf([&] { timeAdd(most, zones()); }).message, "outside the years"));
    most.years = most.months = most.weeks = most.days = 0;
    most.hours = 87658176, most.minutes = 5259490560, most.seconds = 315569433600;
    CHECK(holds(refusalOf([&] { timeAdd(most, zones()); }).message, "outside the years"));
}

TEST_CASE("weekdays are right at the ends of the calendar") {
    CHECK(timeAdd(amounts("0001-01-01"), zones()).result.weekday == "Monday");
    CHECK(timeAdd(amounts("9999-12-31"), zones()).result.weekday == "Friday");
    CHECK(timeAdd(amounts("2000-02-29"), zones()).result.weekday == "Tuesday");
    CHECK(timeAdd(amounts("1969-12-31T23:59:59.5Z"), zones()).result.unixSeconds == -1);
}
