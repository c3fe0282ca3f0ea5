// SPDX-License-Identifier: Apache-2.0
// Months and days on the calendar, and differences in them.
#pragma once

#include <everyday/zoned.h>

namespace everyday {

struct CalendarSum {
    date::local_seconds local;
    bool clamped = false;
    std::string note;
};
// Months first, to the last day of a month that is too short; then days. In any year: see
// checkYear.
CalendarSum addCalendar(date::local_seconds local, std::int64_t months, std::int64_t days);

struct Elapsed {
    std::chrono::seconds seconds{0};
    std::int32_t nanoseconds = 0;
};
Elapsed elapsedBetween(const Instant &early, const Instant &late);

struct CalendarDifference {
    std::int64_t years = 0, months = 0, days = 0;
    std::int64_t totalDays = 0; // beside the others: all in whole days
    Elapsed rest;
};
// The most months, then days, then elapsed time that lead from early to late on that clock; a
// local time on the way that the zone skips or has twice is resolved as "compatible".
CalendarDifference calendarBetween(const Instant &early, const Instant &late, const Clock &clock);

// ISO 8601, as P1Y2M3DT4H5M6.5S; nothing at all is PT0S.
std::string formatDuration(const CalendarDifference &parts);

} // namespace everyday
