// SPDX-License-Identifier: Apache-2.0
// time_now, time_convert, time_add and time_between.
#pragma once

#include <everyday/zoned.h>

namespace everyday {

struct TimeNow {
    std::string zone = "UTC";
};
inline void describe(tenon::Fields<TimeNow> &f) {
    f.field("zone", &TimeNow::zone, "An IANA zone, such as Europe/Berlin.")
        .optional()
        .raw("default", "\"UTC\"");
}
// now: the present, from the system's clock or from a test.
TimeView timeNow(const TimeNow &in, const Instant &now, ZoneDatabase &database);
Instant systemNow(); // to the millisecond

struct TimeConvert {
    std::string time;
    std::optional<std::string> from;
    std::string to;
    std::string disambiguation = "compatible";
};
inline void describe(tenon::Fields<TimeConvert> &f) {
    f.field("time", &TimeConvert::time,
            "ISO 8601: 2026-01-31T09:30:00, which needs from, or with Z or an offset.");
    f.field("from", &TimeConvert::from,
            "The IANA zone of the time. If the time has an offset too, it must be one that this "
            "zone has at that time.");
    f.field("to", &TimeConvert::to, "The IANA zone to convert to.");
    f.field("disambiguation", &TimeConvert::disambiguation, kDisambiguation)
        .oneOf({"compatible", "earlier", "later", "reject"})
        .optional()
        .raw("default", "\"compatible\"");
}
struct TimeConverted {
    TimeView from;
    TimeView to;
    std::vector<Resolution> resolutions;
};
inline void describe(tenon::Fields<TimeConverted> &f) {
    f.field("from", &TimeConverted::from, "The time as it was understood.");
    f.field("to", &TimeConverted::to, "The same instant in the zone asked for.");
    f.field("resolutions", &TimeConverted::resolutions, "Where the zone's clocks left a choice.");
}
TimeConverted timeConvert(const TimeConvert &in, ZoneDatabase &database);

struct TimeAdd {
    std::string time;
    std::optional<std::string> zone;
    std::int64_t years = 0, months = 0, weeks = 0, days = 0, hours = 0, minutes = 0, seconds = 0;
    std::string disambiguation = "compatible";
};
inline void describe(tenon::Fields<TimeAdd> &f) {
    f.field("time", &TimeAdd::time,
            "ISO 8601: a date (2026-01-31), a local time (2026-01-31T09:30:00) or one with Z or "
            "an offset.");
    f.field("zone", &TimeAdd::zone,
            "The IANA zone whose calendar and clock changes count. A time with an offset is first "
            "converted to it; one without is taken as local there.");
    const auto amount = [&](std::string name, std::int64_t TimeAdd::*member, std::string_view text,
                            double max) {
        f.field(std::move(name), member, text).range(-max, max).optional().raw("default", "0");
    };
    amount("years", &TimeAdd::years, "Negative to subtract, as for all amounts.", 9998);
    amount("months", &TimeAdd::months, "Added with years, first.", 119976);
    amount("weeks", &TimeAdd::weeks, "Added with days, on the calendar.", 521775);
    amount("days", &TimeAdd::days,
           "Added second: the same time on another day, be that day 23, 24 or 25 hours long.",
           3652424);
    amount("hours", &TimeAdd::hours, "Added last, as elapsed time, with minutes and seconds.",
           87658176);
    amount("minutes", &TimeAdd::minutes, "", 5259490560);
    amount("seconds", &TimeAdd::seconds, "", 315569433600);
    f.field("disambiguation", &TimeAdd::disambiguation, kDisambiguation)
        .oneOf({"compatible", "earlier", "later", "reject"})
        .optional()
        .raw("default", "\"compatible\"");
}
struct TimeAdded {
    TimeView start;
    TimeView result;
    bool clamped = false;
    std::optional<std::string> clampedNote;
    std::vector<Resolution> resolutions;
};
inline void describe(tenon::Fields<TimeAdded> &f) {
    f.field("start", &TimeAdded::start, "The time as it was understood.");
    f.field("result", &TimeAdded::result);
    f.field("clamped", &TimeAdded::clamped,
            "True when the month arrived at is too short for the day, so that its last day was "
            "taken: 31 January and 1 month is 28 or 29 February.");
    f.field("clampedNote", &TimeAdded::clampedNote);
    f.field("resolutions", &TimeAdded::resolutions, "Where the zone's clocks left a choice.");
}
TimeAdded timeAdd(const TimeAdd &in, ZoneDatabase &database);

struct TimeBetween {
    std::string start;
    std::string end;
    std::optional<std::string> zone;
    std::string disambiguation = "compatible";
};
inline void describe(tenon::Fields<TimeBetween> &f) {
    f.field("start", &TimeBetween::start,
            "ISO 8601; a date stands for its midnight. Either both times have an offset or Z, or "
            "neither has, or zone says where those without are.");
    f.field("end", &TimeBetween::end, "As start.");
    f.field("zone", &TimeBetween::zone,
            "The IANA zone of times without an offset, and whose calendar counts; left out, the "
            "calendar is that of start's own offset.");
    f.field("disambiguation", &TimeBetween::disambiguation, kDisambiguation)
        .oneOf({"compatible", "earlier", "later", "reject"})
        .optional()
        .raw("default", "\"compatible\"");
}
struct TimeDifference {
    bool negative = false;
    std::string elapsed;
    double totalSeconds = 0;
    std::int64_t totalDays = 0;
    std::string duration;
    std::int64_t years = 0, months = 0, days = 0, hours = 0, minutes = 0;
    double seconds = 0;
    std::vector<Resolution> resolutions;
};
inline void describe(tenon::Fields<TimeDifference> &f) {
    f.field("negative", &TimeDifference::negative,
            "True when end is before start; the parts below then lead from end to start.");
    f.field("elapsed", &TimeDifference::elapsed, "Exact elapsed time, ISO 8601, as PT25H30M.");
    f.field("totalSeconds", &TimeDifference::totalSeconds, "Elapsed, negative when end is first.");
    f.field("totalDays", &TimeDifference::totalDays,
            "Whole days on the calendar, negative when end is first.");
    f.field("duration", &TimeDifference::duration,
            "On the calendar, ISO 8601, as P1Y2M3DT4H: adding it to the earlier time gives the "
            "later.");
    f.field("years", &TimeDifference::years, "The parts of duration, never negative.");
    f.field("months", &TimeDifference::months);
    f.field("days", &TimeDifference::days);
    f.field("hours", &TimeDifference::hours);
    f.field("minutes", &TimeDifference::minutes);
    f.field("seconds", &TimeDifference::seconds);
    f.field("resolutions", &TimeDifference::resolutions, "Where the zone's clocks left a choice.");
}
TimeDifference timeBetween(const TimeBetween &in, ZoneDatabase &database);

} // namespace everyday
