// SPDX-License-Identifier: Apache-2.0
// One time zone: its file (TZif, RFC 9636) and what it says of an instant or of a local time.
//
// Why not a library: <date/tz.h> over the system's zone files does not read the rule at their end,
// so that summer time ends for good in 2037, and Debian ships it only as a shared library, which
// lists the whole zone directory before its first answer.
#pragma once

#include <everyday/posix_rule.h>

#include <cstdint>
#include <stdexcept>

namespace everyday {

// begin <= t < end: as long as offset does not change. The ends of time are the type's.
struct ZoneSpan {
    date::sys_seconds begin, end;
    Offset offset;
};

// What a local time is in a zone. Gap: it is skipped, first and second are the spans before and
// after. Overlap: it comes twice, in first and then in second.
struct LocalLookup {
    enum class Kind { Unique, Gap, Overlap } kind = Kind::Unique;
    ZoneSpan first, second;
};

struct ZoneFileError : std::runtime_error {
    using std::runtime_error::runtime_error;
};

class Zone {
public:
    // Throws ZoneFileError. Any bytes are safe.
    static Zone parse(std::string_view file);
    static Zone fixed(Offset offset);

    ZoneSpan at(date::sys_seconds instant) const;
    LocalLookup find(date::local_seconds local) const;

private:
    ZoneSpan ruled(date::sys_seconds instant) const;

    std::vector<date::sys_seconds> changes_; // ascending
    std::vector<std::uint8_t> typeOf_;       // of each change: an index into types_
    std::vector<Offset> types_;              // the first is that before all changes
    std::optional<PosixRule> rule_;          // after the last change
};

} // namespace everyday
