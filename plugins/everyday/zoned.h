// SPDX-License-Identifier: Apache-2.0
// Between local times and instants: the one policy for times that a zone skips or has twice.
#pragma once

#include <everyday/iso_time.h>
#include <everyday/zone_database.h>

#include <tenon/fields.hpp>

namespace everyday {

// How a written time was read where the zone's clocks leave a choice.
struct Resolution {
    std::string of;
    std::string kind;
    std::string note;
};
inline void describe(tenon::Fields<Resolution> &f) {
    f.field("of", &Resolution::of, "Which time: time, start, end or result.");
    f.field("kind", &Resolution::kind, "gap: clocks skip this time; overlap: clocks show it twice.")
        .oneOf({"gap", "overlap"});
    f.field("note", &Resolution::note, "What was taken, and why there was a choice.");
}

// A time as shown to the caller. Without zone and offset only time and weekday are known.
struct TimeView {
    std::string time;
    std::string weekday;
    std::optional<std::string> zone;
    std::optional<std::string> abbreviation;
    std::optional<bool> daylightSaving;
    std::optional<std::string> utc;
    std::optional<std::int64_t> unixSeconds;
};
inline void describe(tenon::Fields<TimeView> &f) {
    f.field("time", &TimeView::time, "ISO 8601, with the offset that is in force then.");
    f.field("weekday", &TimeView::weekday);
    f.field("zone", &TimeView::zone, "The IANA name, where the time is in a zone.");
    f.field("abbreviation", &TimeView::abbreviation, "What people there call the time, as CEST.");
    f.field("daylightSaving", &TimeView::daylightSaving, "As the time zone database has it.");
    f.field("utc", &TimeView::utc, "The same instant in UTC.");
    f.field("unixSeconds", &TimeView::unixSeconds,
            "Seconds since 1970-01-01T00:00:00Z, rounded down.");
}

// Whose local time is meant: a named zone's, that of a fixed offset, or nobody's.
struct Clock {
    enum class Kind { Named, Offset, Floating } kind = Kind::Floating;
    std::string name;
    std::shared_ptr<const Zone> zone;
};
// name, where given; else the offset that the time was written with; else nobody's.
Clock clockOf(const WrittenTime &time, const std::optional<std::string> &name,
              ZoneDatabase &database);

// Adds the words of the field "disambiguation", which those who resolve take.
inline constexpr std::string_view kDisambiguation =
    "For a local time that the zone's clocks skip or show twice: compatible moves a skipped time "
    "forward by the length of the gap and takes the first of two; earlier and later take that "
    "instant; reject refuses. The result says where this was needed.";

// Where policy was needed it is reported in out under the name of.
Instant resolve(date::local_seconds local, std::int32_t nanoseconds, const Clock &clock,
                const std::string &policy, const std::string &of, std::vector<Resolution> &out);

date::local_seconds localOf(const Instant &instant, const Clock &clock);
TimeView viewOf(const Instant &instant, const Clock &clock);

} // namespace everyday
