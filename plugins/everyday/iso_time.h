// SPDX-License-Identifier: Apache-2.0
// Times as text: the strict part of ISO 8601 that RFC 3339 shares, in years 0001 to 9999.
#pragma once

#include <date/date.h>

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

namespace everyday {

// A point in time, to the nanosecond.
struct Instant {
    date::sys_seconds seconds;
    std::int32_t nanoseconds = 0;

    friend bool operator<(const Instant &a, const Instant &b) {
        return a.seconds != b.seconds ? a.seconds < b.seconds : a.nanoseconds < b.nanoseconds;
    }
};

// What a text says: a date, a time of day, an offset from UTC where it has one.
struct WrittenTime {
    date::local_seconds local;
    std::int32_t nanoseconds = 0;
    bool dateOnly = false;
    std::optional<std::chrono::seconds> offset;
};

// 2026-01-31, 2026-01-31T09:30, 2026-01-31T09:30:00.25, each but the first also with Z or +02:00.
// Throws tenon::ToolError that names the field, what was seen and the position.
WrittenTime parseTime(std::string_view field, std::string_view text);

// Throws tenon::ToolError where local lies outside the years 0001 to 9999.
void checkYear(date::local_seconds local);

std::string formatDate(date::local_seconds local);
// With seconds always, with a fraction where there is one, without an offset.
std::string formatLocal(date::local_seconds local, std::int32_t nanoseconds);
// +02:00; +00:19:32 for the local mean times of the past. Zero is +00:00.
std::string formatOffset(std::chrono::seconds offset);
std::string formatUtc(const Instant &instant);
// ".25" for 250,000,000 nanoseconds, "" for none.
std::string formatFraction(std::int32_t nanoseconds);
std::string weekdayName(date::local_seconds local);

} // namespace everyday
