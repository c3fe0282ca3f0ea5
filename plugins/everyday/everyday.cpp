// SPDX-License-Identifier: Apache-2.0
// The plugin: names and describes each tool, and hands its arguments to the function that does it.
#include <everyday/hash.h>
#include <everyday/json_pointer.h>
#include <everyday/text_search.h>
#include <everyday/time_tools.h>
#include <everyday/units.h>
#include <everyday/uuid.h>

#include <tenon/plugin.hpp>

using namespace everyday;

namespace {

void addTextTools(tenon::Plugin &plugin) {
    plugin
        .tool<TextSearch>(
            "text_search",
            "Finds every place where a literal text or an RE2 regular expression stands in a text "
            "that you pass, with line, column, byte offset and what matched. Searches only that "
            "text: it reads no files. Matches do not overlap; all are counted, at most maxMatches "
            "are listed.",
            [](const TextSearch &in, tenon::Context &context) {
                return textSearch(in, [&] { return context.cancelled(); });
            })
        .title("Search in a text")
        .readOnly()
        .idempotent()
        .openWorld(false)
        .example(R"({"text":"one fish\ntwo fish","pattern":"(?P<count>\\w+) fish","regex":true})");
    plugin
        .tool<JsonQuery>(
            "json_query",
            "Takes one value out of a JSON document by its JSON Pointer (RFC 6901), digits of "
            "numbers unchanged. When the pointer leads nowhere, the error names the keys or the "
            "number of elements at the place where it stopped. It selects one place only: no "
            "wildcards, filters or JSONPath.",
            [](const JsonQuery &in, tenon::Context &) { return jsonQuery(in); })
        .title("Query a JSON document")
        .readOnly()
        .idempotent()
        .openWorld(false)
        .example(R"({"document":{"users":[{"id":12345678901234567890}]},"pointer":"/users/0/id"})");
    plugin
        .tool<Hash>("hash",
                    "Computes the MD5, SHA-1, SHA-256, SHA-384 or SHA-512 digest of a text (its "
                    "UTF-8 bytes) or of bytes given in base64. Use it to compare or verify "
                    "content; it is not a way to store passwords.",
                    [](const Hash &in, tenon::Context &) { return hash(in); })
        .title("Hash a text or bytes")
        .readOnly()
        .idempotent()
        .openWorld(false)
        .example(R"({"algorithm":"sha256","text":"abc"})");
}

// The time tools are not declared non-blocking: the first use of a zone reads its file.
void addTimeTools(tenon::Plugin &plugin) {
    const auto zones = std::make_shared<ZoneDatabase>();
    plugin
        .tool<TimeNow>("time_now",
                       "Tells the present date and time, to the millisecond, in UTC or in a time "
                       "zone, with weekday, offset and Unix time.",
                       [zones](const TimeNow &in, tenon::Context &) {
                           return timeNow(in, systemNow(), *zones);
                       })
        .title("Current time")
        .readOnly()
        .openWorld(false)
        .example(R"({"zone":"Europe/Berlin"})");
    plugin
        .tool<TimeConvert>(
            "time_convert",
            "Converts a time from one time zone to another, with the offsets in "
            "force at that date. For the present time use time_now.",
            [zones](const TimeConvert &in, tenon::Context &) { return timeConvert(in, *zones); })
        .title("Convert between time zones")
        .readOnly()
        .idempotent()
        .openWorld(false)
        .example(
            R"({"time":"2026-07-01T09:00:00","from":"Europe/Berlin","to":"America/New_York"})");
    plugin
        .tool<TimeAdd>("time_add",
                       "Adds or subtracts years, months, weeks, days, hours, minutes and seconds. "
                       "Years and months are added first (a day that the month does not have "
                       "becomes its last day, which is said), then weeks and days on the calendar, "
                       "then the rest as elapsed time. With a zone, clock changes are taken into "
                       "account.",
                       [zones](const TimeAdd &in, tenon::Context &) { return timeAdd(in, *zones); })
        .title("Add to a date or time")
        .readOnly()
        .idempotent()
        .openWorld(false)
        .example(R"({"time":"2026-01-31T09:30:00","zone":"Europe/Berlin","months":1})");
    plugin
        .tool<TimeBetween>(
            "time_between",
            "Tells how long it is from one date or time to another: exact elapsed "
            "time, whole days, and years, months, days and hours on the calendar. "
            "Negative when end is before start.",
            [zones](const TimeBetween &in, tenon::Context &) { return timeBetween(in, *zones); })
        .title("Time between two dates")
        .readOnly()
        .idempotent()
        .openWorld(false)
        .example(R"({"start":"2026-01-31","end":"2026-12-24"})");
}

void addNumberTools(tenon::Plugin &plugin) {
    plugin
        .tool<UnitConvert>(
            "unit_convert",
            "Converts a number between units of length, mass, temperature, volume, area, speed, "
            "data size, time, energy, pressure or angle, by exact factors, and says whether the "
            "result is exact. Words that mean several units (gallon, ton, KB) are refused with the "
            "choices. It knows no currencies.",
            [](const UnitConvert &in, tenon::Context &) { return unitConvert(in); })
        .title("Convert units")
        .readOnly()
        .idempotent()
        .openWorld(false)
        .nonBlocking()
        .example(R"({"value":5,"from":"km","to":"mi"})");
    plugin
        .tool<Uuid>("uuid",
                    "Makes new UUIDs (RFC 9562): random ones (v4) or ones ordered by time (v7), "
                    "from the system's secure random numbers. Every call gives others.",
                    [source = systemUuidSource()](const Uuid &in, tenon::Context &) {
                        return makeUuids(in, source);
                    })
        .title("Make UUIDs")
        .readOnly()
        .openWorld(false)
        .nonBlocking()
        .example(R"({"version":"v7","count":3})");
}

} // namespace

TENON_PLUGIN(plugin, "everyday", "1.0.0") {
    plugin.description("Small tools of every day: search in texts, times and time zones, units, "
                       "hashes, UUIDs, values of JSON documents.");
    addTextTools(plugin);
    addTimeTools(plugin);
    addNumberTools(plugin);
}
