// SPDX-License-Identifier: Apache-2.0
// The rule for years to come at the end of a zone file: a POSIX TZ string, as in
// "CET-1CEST,M3.5.0,M10.5.0/3" (RFC 9636, 3.3).
#pragma once

#include <date/date.h>

#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace everyday {

// What clocks show beside UTC.
struct Offset {
    std::chrono::seconds utc{0};
    bool daylight = false;
    std::string abbreviation;
};

class PosixRule {
public:
    // Nothing when the text is not such a rule.
    static std::optional<PosixRule> parse(std::string_view text);

    struct Change {
        date::sys_seconds at;
        const Offset *offset; // from then on
    };
    // The changes of the years around, in order; empty when the offset never changes.
    std::vector<Change> changesAround(date::year year) const;
    const Offset &standard() const { return standard_; }

private:
    // Mm.w.d, Jn or n, and the time on that day.
    struct Day {
        enum class Kind { MonthWeekday, JulianNoLeap, ZeroBased } kind = Kind::MonthWeekday;
        int month = 0, week = 0, weekday = 0, day = 0;
        std::chrono::seconds time = std::chrono::hours(2);

        date::local_seconds in(date::year year) const;
    };
    class Parser;

    Offset standard_;
    std::optional<Offset> daylight_;
    Day start_, end_;
};

} // namespace everyday
