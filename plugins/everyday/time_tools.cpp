// SPDX-License-Identifier: Apache-2.0
#include <everyday/time_tools.h>

#include <everyday/calendar.h>
#include <everyday/nearest.h>

#include <tenon/context.hpp>

namespace everyday {
namespace {

using std::chrono::seconds;
using tenon::ToolError;

// The written offset has to be one that the zone has at that local time; where the zone has the
// time twice, it says which of the two is meant.
Instant withOffset(const WrittenTime &time, const Clock &clock) {
    const Instant instant{date::sys_seconds(time.local.time_since_epoch() - *time.offset),
                          time.nanoseconds};
    if (localOf(instant, clock) == time.local) {
        return instant;
    }
    const std::string written = formatOffset(*time.offset);
    const std::string there = formatLocal(localOf(instant, clock), time.nanoseconds) +
                              formatOffset(clock.zone->at(instant.seconds).offset.utc);
    throw ToolError("CONFLICT", "The time is written with the offset " + written +
                                    ", which is not the one of " + clock.name +
                                    " at that time: there it would be " + there + ".")
        .hint("If the instant is right, leave from out; if the local time is right, leave the "
              "offset (or Z) out.");
}

struct Start {
    Instant instant;
    Clock clock;
};

// A time with an offset is an instant, whatever the zone; one without is local to the clock.
Start startOf(const WrittenTime &time, const std::optional<std::string> &zone,
              const std::string &policy, const std::string &of, ZoneDatabase &database,
              std::vector<Resolution> &out) {
    Clock clock = clockOf(time, zone, database);
    if (time.offset) {
        return {{date::sys_seconds(time.local.time_since_epoch() - *time.offset), time.nanoseconds},
                std::move(clock)};
    }
    const Instant instant = resolve(time.local, time.nanoseconds, clock, policy, of, out);
    return {instant, std::move(clock)};
}

TimeView dateView(date::local_seconds local) {
    checkYear(local);
    TimeView out;
    out.time = formatDate(local);
    out.weekday = weekdayName(local);
    return out;
}

void checkAmounts(const TimeAdd &in) {
    const struct {
        const char *name;
        std::int64_t amount, max;
    } all[] = {{"years", in.years, 9998},
               {"months", in.months, 119976},
               {"weeks", in.weeks, 521775},
               {"days", in.days, 3652424},
               {"hours", in.hours, 87658176},
               {"minutes", in.minutes, 5259490560},
               {"seconds", in.seconds, 315569433600}};
    for (const auto &each : all) {
        if (each.amount > each.max || each.amount < -each.max) {
            throw ToolError("BAD_REQUEST", "The amount of " + std::string(each.name) + " is " +
                                               std::to_string(each.amount) + ": expected -" +
                                               std::to_string(each.max) + " to " +
                                               std::to_string(each.max) + ".")
                .hint("No larger amount stays within the years 0001 to 9999.");
        }
    }
}

void checkDateOnly(const TimeAdd &in) {
    if (in.zone || in.hours != 0 || in.minutes != 0 || in.seconds != 0) {
        throw ToolError("BAD_REQUEST",
                        "The time " + inQuotes(in.time) +
                            " is a date: expected only years, months, weeks and days, and no zone.")
            .hint("Write a time of day too, as in " + in.time + "T00:00:00.");
    }
}

} // namespace

Instant systemNow() {
    using std::chrono::milliseconds;
    const auto now = std::chrono::floor<milliseconds>(std::chrono::system_clock::now());
    const auto whole = std::chrono::floor<seconds>(now);
    return {whole, static_cast<std::int32_t>((now - whole).count() * 1'000'000)};
}

TimeView timeNow(const TimeNow &in, const Instant &now, ZoneDatabase &database) {
    return viewOf(now, {Clock::Kind::Named, in.zone, database.find(in.zone)});
}

TimeConverted timeConvert(const TimeConvert &in, ZoneDatabase &database) {
    const WrittenTime time = parseTime("time", in.time);
    if (time.dateOnly) {
        throw ToolError("BAD_REQUEST",
                        "The time " + inQuotes(in.time) + " is a date: expected a time of day too.")
            .hint("Write " + in.time + "T00:00:00 for its midnight.");
    }
    if (!time.offset && !in.from) {
        throw ToolError("BAD_REQUEST", "The time " + inQuotes(in.time) +
                                           " has no offset and from names no zone: it is no "
                                           "instant yet.")
            .hint("Give the zone of the time in from, or write the time with Z or an offset.");
    }
    TimeConverted out;
    const Clock to{Clock::Kind::Named, in.to, database.find(in.to)};
    const Clock from = clockOf(time, in.from, database);
    const Instant instant = time.offset ? withOffset(time, from)
                                        : resolve(time.local, time.nanoseconds, from,
                                                  in.disambiguation, "time", out.resolutions);
    out.from = viewOf(instant, from);
    out.to = viewOf(instant, to);
    return out;
}

TimeAdded timeAdd(const TimeAdd &in, ZoneDatabase &database) {
    checkAmounts(in);
    const WrittenTime time = parseTime("time", in.time);
    if (time.dateOnly) {
        checkDateOnly(in);
    }
    TimeAdded out;
    auto [instant, clock] =
        startOf(time, in.zone, in.disambiguation, "start", database, out.resolutions);
    const auto local = localOf(instant, clock);
    out.start = time.dateOnly ? dateView(local) : viewOf(instant, clock);

    const CalendarSum sum = addCalendar(local, in.years * 12 + in.months, in.weeks * 7 + in.days);
    checkYear(sum.local);
    out.clamped = sum.clamped;
    if (sum.clamped) {
        out.clampedNote = sum.note;
    }
    if (time.dateOnly) {
        out.result = dateView(sum.local);
        return out;
    }
    if (sum.local != local) {
        instant = resolve(sum.local, instant.nanoseconds, clock, in.disambiguation, "result",
                          out.resolutions);
    }
    instant.seconds += seconds(in.hours * 3600 + in.minutes * 60 + in.seconds);
    out.result = viewOf(instant, clock);
    return out;
}

TimeDifference timeBetween(const TimeBetween &in, ZoneDatabase &database) {
    const WrittenTime first = parseTime("start", in.start);
    const WrittenTime second = parseTime("end", in.end);
    if (!in.zone && first.offset.has_value() != second.offset.has_value()) {
        const bool start = first.offset.has_value();
        throw ToolError("BAD_REQUEST", std::string("The ") + (start ? "start" : "end") +
                                           " has an offset and the " + (start ? "end" : "start") +
                                           " has none: they cannot be compared.")
            .hint("Write both with an offset, or give the zone of the one without.");
    }
    TimeDifference out;
    const Start start =
        startOf(first, in.zone, in.disambiguation, "start", database, out.resolutions);
    const Start end = startOf(second, in.zone, in.disambiguation, "end", database, out.resolutions);
    out.negative = end.instant < start.instant;
    const Instant &early = out.negative ? end.instant : start.instant;
    const Instant &late = out.negative ? start.instant : end.instant;
    const CalendarDifference parts = calendarBetween(early, late, start.clock);
    const double sign = out.negative ? -1 : 1;
    const Elapsed elapsed = elapsedBetween(early, late);
    out.elapsed = (out.negative ? "-" : "") + formatDuration({0, 0, 0, 0, elapsed});
    out.totalSeconds = sign * (static_cast<double>(elapsed.seconds.count()) +
                               static_cast<double>(elapsed.nanoseconds) / 1e9);
    out.totalDays = out.negative ? -parts.totalDays : parts.totalDays;
    out.duration = (out.negative ? "-" : "") + formatDuration(parts);
    out.years = parts.years;
    out.months = parts.months;
    out.days = parts.days;
    const auto rest = parts.rest.seconds.count();
    out.hours = rest / 3600;
    out.minutes = rest / 60 % 60;
    out.seconds =
        static_cast<double>(rest % 60) + static_cast<double>(parts.rest.nanoseconds) / 1e9;
    return out;
}

} // namespace everyday
