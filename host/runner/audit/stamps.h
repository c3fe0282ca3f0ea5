// SPDX-License-Identifier: Apache-2.0
// What tells rows apart and when they were: ids (UUIDs of version 7, RFC 9562) and times.
#pragma once

#include <chrono>
#include <string>
#include <string_view>

namespace tenon::audit {

using SystemTime = std::chrono::system_clock::time_point;

// Makes id the next one of this process, greater than all before it, as text too: milliseconds
// since 1970, a counter within the millisecond, random bits. Thread-safe.
void nextRowId(std::string &id);

// "2026-11-30T21:44:27.123Z", and back; false for text of another shape, and for no such day.
std::string timeText(SystemTime time);
bool parseTime(std::string_view text, SystemTime &out);

} // namespace tenon::audit
