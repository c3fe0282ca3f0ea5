// SPDX-License-Identifier: Apache-2.0
#include "refusal.h"

#include <everyday/zone_database.h>

#include <algorithm>

using namespace everyday;
using namespace std::chrono_literals;
using date::sys_seconds;
using Kind = LocalLookup::Kind;

namespace {

date::sys_seconds utc(int year, unsigned month, unsigned day, std::chrono::seconds time = 0s) {
    return sys_seconds(date::sys_days(date::year(year) / month / day)) + time;
}
date::local_seconds local(int year, unsigned month, unsigned day, std::chrono::seconds time = 0s) {
    return date::local_seconds(utc(year, month, day, time).time_since_epoch());
}

std::string bigEndian(std::int64_t value, std::size_t bytes) {
    std::string out;
    for (std::size_t i = bytes; i-- > 0;) {
        out += static_cast<char>(static_cast<std::uint64_t>(value) >> (8 * i) & 0xFF);
    }
    return out;
}
// A block of a zone file: header, changes, two types (UTC+0 "AAA", UTC+1 daylight "BBB").
std::string block(char version, std::size_t timeBytes, const std::vector<std::int64_t> &changes,
                  const std::string &typeOf, std::int64_t leaps = 0) {
    const auto count = static_cast<std::int64_t>(changes.size());
    std::string out = "TZif" + std::string(1, version) + std::string(15, '\0');
    for (const std::int64_t number :
         {std::int64_t{0}, std::int64_t{0}, leaps, count, std::int64_t{2}, std::int64_t{8}}) {
        out += bigEndian(number, 4);
    }
    for (const auto change : changes) {
        out += bigEndian(change, timeBytes);
    }
    return out + typeOf + bigEndian(0, 4) + std::string(2, '\0') + bigEndian(3600, 4) + "\1\4" +
           std::string("AAA\0BBB\0", 8);
}
std::string fileOf(const std::vector<std::int64_t> &changes, const std::string &typeOf,
                   const std::string &rule) {
    return block('2', 4, {}, "") + block('2', 8, changes, typeOf) + "\n" + rule + "\n";
}
std::string problemOf(const std::string &file) {
    try {
        Zone::parse(file);
    } catch (const ZoneFileError &error) {
        return error.what();
    }
    return "";
}
Zone ruled(const std::string &rule) {
    return Zone::parse(fileOf({}, "", rule));
}

} // namespace

TEST_CASE("a zone file's changes hold until its last, and its rule after that") {
    const Zone zone = Zone::parse(fileOf({0, 1000}, std::string("\1\0", 2), "CCC-2"));
    CHECK(zone.at(sys_seconds(-1s)).offset.abbreviation == "AAA");
    CHECK(zone.at(sys_seconds(0s)).offset.abbreviation == "BBB");
    CHECK(zone.at(sys_seconds(0s)).offset.daylight);
    CHECK(zone.at(sys_seconds(999s)).offset.utc == 1h);
    CHECK(zone.at(sys_seconds(999s)).end == sys_seconds(1000s));
    CHECK(zone.at(sys_seconds(1000s)).offset.abbreviation == "CCC");
    CHECK(zone.at(sys_seconds(1000s)).offset.utc == 2h);
}

TEST_CASE("a file of version 1 is read by its 32-bit block, and an empty rule changes nothing") {
    const Zone old = Zone::parse(block('\0', 4, {0}, "\1"));
    CHECK(old.at(sys_seconds(-1s)).offset.utc == 0s);
    CHECK(old.at(sys_seconds(99999999999s)).offset.utc == 1h);
    const Zone noRule = Zone::parse(fileOf({0}, "\1", ""));
    CHECK(noRule.at(sys_seconds(99999999999s)).offset.utc == 1h);
}

TEST_CASE("a damaged zone file is refused with what is wrong with it") {
    const std::string good = fileOf({0, 1000}, std::string("\1\0", 2), "CCC-2");
    CHECK(problemOf(good).empty());
    for (std::size_t size = 0; size < good.size(); ++size) {
        CHECK_FALSE(problemOf(good.substr(0, size)).empty());
    }
    CHECK(problemOf("TZxx" + good.substr(4)) == "the file does not begin with TZif");
    CHECK(problemOf(fileOf({5, 5}, std::string("\1\0", 2), "")) == "its changes are not in order");
    CHECK(problemOf(fileOf({5}, "\2", "")) == "a change names a type that does not exist");
    CHECK(problemOf(fileOf({}, "", "nonsense!")) == "the rule at its end cannot be read");
    CHECK(problemOf(block('\0', 4, {}, "", 1)) == "the file counts leap seconds");
}

TEST_CASE("rules are read in all their forms, and nothing else is") {
    for (const auto *rule :
         {"UTC0", "<+0545>-5:45", "EST5EDT,M3.2.0,M11.1.0", "IST-1GMT0,M10.5.0,M3.5.0/1",
          "EET-2EEST,M3.4.4/50,M10.4.4/50", "<-02>2<-01>,M3.5.0/-1,M10.5.0/0",
          "AAA3BBB,J60/2:30:15,300", "XXX3EDT4,0/0,J365/23"}) {
        CHECK(PosixRule::parse(rule).has_value());
    }
    for (const auto *rule :
         {"", "AB3", "EST", "EST25", "EST5EDT", "EST5EDT,M3.2.0", "EST5EDT,M13.2.0,M11.1.0",
          "EST5EDT,M3.6.0,M11.1.0", "EST5EDT,M3.2.7,M11.1.0", "EST5EDT,J0,J100", "EST5EDT,366,1",
          "EST5EDT,M3.2.0,M11.1.0,", "<+05-5", "EST5:60", "EST5EDT,M3.2.0/168,M11.1.0"}) {
        CHECK_FALSE(PosixRule::parse(rule).has_value());
    }
}

TEST_CASE("a rule gives changes on the right days of any year") {
    const Zone zone = ruled("CET-1CEST,M3.5.0,M10.5.0/3");
    CHECK(zone.at(utc(2026, 3, 29, 1h) - 1s).offset.abbreviation == "CET");
    CHECK(zone.at(utc(2026, 3, 29, 1h)).offset.abbreviation == "CEST");
    CHECK(zone.at(utc(2026, 10, 25, 1h) - 1s).offset.abbreviation == "CEST");
    CHECK(zone.at(utc(2026, 10, 25, 1h)).offset.abbreviation == "CET");
    CHECK(zone.at(utc(2400, 7, 1)).offset.abbreviation == "CEST");
    const Zone leap = ruled("AAA0BBB,J60,300"); // 1 March in any year; day 300 counts 29 February
    CHECK(leap.at(utc(2024, 3, 1, 2h)).begin == utc(2024, 3, 1, 2h));
    CHECK(leap.at(utc(2023, 3, 1, 2h)).begin == utc(2023, 3, 1, 2h));
    CHECK(leap.at(utc(2024, 3, 1, 2h)).end == utc(2024, 10, 27, 1h));
    CHECK(leap.at(utc(2023, 3, 1, 2h)).end == utc(2023, 10, 28, 1h));
}

TEST_CASE("a rule of daylight saving all year round never leaves it") {
    const Zone zone = ruled("XXX3EDT4,0/0,J365/23");
    for (int day = 0; day < 800; ++day) {
        CHECK(zone.at(utc(2026, 1, 1) + date::days(day)).offset.abbreviation == "EDT");
    }
    CHECK(zone.find(local(2026, 1, 1)).kind == Kind::Unique);
}

TEST_CASE("on the southern half of the earth summer time spans the new year") {
    const Zone zone = ruled("AEST-10AEDT,M10.1.0,M4.1.0/3");
    CHECK(zone.at(utc(2026, 1, 1)).offset.daylight);
    CHECK_FALSE(zone.at(utc(2026, 7, 1)).offset.daylight);
    CHECK(zone.at(utc(2026, 12, 31)).end == utc(2027, 4, 3, 16h));
}

TEST_CASE("gaps and overlaps are found to the second") {
    const Zone zone = ruled("CET-1CEST,M3.5.0,M10.5.0/3");
    CHECK(zone.find(local(2026, 3, 29, 2h) - 1s).kind == Kind::Unique);
    CHECK(zone.find(local(2026, 3, 29, 2h)).kind == Kind::Gap);
    CHECK(zone.find(local(2026, 3, 29, 3h) - 1s).kind == Kind::Gap);
    CHECK(zone.find(local(2026, 3, 29, 3h)).kind == Kind::Unique);
    CHECK(zone.find(local(2026, 10, 25, 2h) - 1s).kind == Kind::Unique);
    CHECK(zone.find(local(2026, 10, 25, 2h)).kind == Kind::Overlap);
    CHECK(zone.find(local(2026, 10, 25, 3h) - 1s).kind == Kind::Overlap);
    CHECK(zone.find(local(2026, 10, 25, 3h)).kind == Kind::Unique);
    CHECK(zone.find(local(2026, 10, 25, 2h)).first.offset.utc == 2h);
    CHECK(zone.find(local(2026, 10, 25, 2h)).second.offset.utc == 1h);
}

TEST_CASE("UTC needs no database, and without one other zones are refused with what is missing") {
    ZoneDatabase none("/nonexistent/zoneinfo");
    CHECK(none.find("UTC")->at(sys_seconds(0s)).offset.abbreviation == "UTC");
    const auto refusal = refusalOf([&] { none.find("Europe/Berlin"); });
    CHECK(refusal.code == "ZONES_MISSING");
    CHECK(holds(refusal.hint, "tzdata"));
}

TEST_CASE("the system's zones are read once each and found again") {
    ZoneDatabase zones;
    const auto berlin = zones.find("Europe/Berlin");
    CHECK(berlin == zones.find("Europe/Berlin"));
    // After 2037 only the rule at the end of the file knows of summer time.
    const auto newYork = zones.find("America/New_York");
    CHECK(newYork->at(utc(2040, 7, 1, 16h)).offset.abbreviation == "EDT");
    CHECK(newYork->at(utc(1850, 1, 1)).offset.utc == -(4h + 56min + 2s));
}

TEST_CASE("an unknown zone is refused naming the nearest") {
    ZoneDatabase zones;
    const auto hintFor = [&](const std::string &name) {
        return refusalOf([&] { zones.find(name); }).hint;
    };
    CHECK(hintFor("Berlin") == "Nearest: \"Europe/Berlin\".");
    CHECK(hintFor("europe/berlin") == "Nearest: \"Europe/Berlin\".");
    CHECK(holds(hintFor("Europe/Berln"), "Nearest: \"Europe/Berlin\""));
    CHECK(hintFor("New York") == "Nearest: \"America/New_York\".");
    CHECK(holds(hintFor("America/Buenos_Aires_"), "\"America/Buenos_Aires\""));
    CHECK(holds(hintFor("Mars/Olympus_Mons"), "Area/City"));
    CHECK(holds(hintFor(""), "Area/City"));
}

TEST_CASE("a zone's name never leads to another file") {
    ZoneDatabase zones;
    for (const auto *name :
         {"../zoneinfo/Europe/Berlin", "/usr/share/zoneinfo/Europe/Berlin",
          "Europe/../Europe/Berlin", "Europe//Berlin", "Europe/Berlin/", "Europe", "./UTC",
          "right/Europe/Berlin", "posix/Europe/Berlin", "tzdata.zi", "zone1970.tab", "localtime",
          "posixrules", "Europe/Berlin\n"}) {
        CHECK(refusalOf([&] { zones.find(name); }).code == "BAD_REQUEST");
    }
    CHECK(refusalOf([&] { zones.find(std::string("Europe/Berlin\0x", 15)); }).code ==
          "BAD_REQUEST");
}

TEST_CASE("every zone of the system can be read and answers for any century") {
    ZoneDatabase zones;
    const auto names = zones.names();
    CHECK(names.size() > 400);
    CHECK(std::binary_search(names.begin(), names.end(), "Etc/GMT+12"));
    for (const auto &name : names) {
        const auto zone = zones.find(name);
        for (int year = 1; year < 10000; year += 909) {
            const auto found = zone->find(local(year, 7, 1, 12h));
            CHECK(found.kind == Kind::Unique);
        }
    }
}
