// SPDX-License-Identifier: Apache-2.0
#include <everyday/zoned.h>

#include <everyday/nearest.h>

#include <tenon/context.hpp>

namespace everyday {
namespace {

using tenon::ToolError;
using Kind = LocalLookup::Kind;

std::string shown(date::sys_seconds at, std::int32_t nanoseconds, const Offset &offset) {
    const date::local_seconds local((at + offset.utc).time_since_epoch());
    return formatLocal(local, nanoseconds) + formatOffset(offset.utc);
}

void checkPolicy(const std::string &policy) {
    if (policy != "compatible" && policy != "earlier" && policy != "later" && policy != "reject") {
        throw ToolError("BAD_REQUEST", "There is no disambiguation " + inQuotes(policy) + ".")
            .hint("Use compatible, earlier, later or reject.");
    }
}

} // namespace

Clock clockOf(const WrittenTime &time, const std::optional<std::string> &name,
              ZoneDatabase &database) {
    if (name) {
        return {Clock::Kind::Named, *name, database.find(*name)};
    }
    const Offset offset{time.offset.value_or(std::chrono::seconds(0)), false, ""};
    return {time.offset ? Clock::Kind::Offset : Clock::Kind::Floating, "",
            std::make_shared<Zone>(Zone::fixed(offset))};
}

Instant resolve(date::local_seconds local, std::int32_t nanoseconds, const Clock &clock,
                const std::string &policy, const std::string &of, std::vector<Resolution> &out) {
    checkPolicy(policy);
    const LocalLookup found = clock.zone->find(local);
    const date::sys_seconds asUtc(local.time_since_epoch());
    if (found.kind == Kind::Unique) {
        return {asUtc - found.first.offset.utc, nanoseconds};
    }
    const bool gap = found.kind == Kind::Gap;
    const std::string before = formatOffset(found.first.offset.utc);
    const std::string after = formatOffset(found.second.offset.utc);
    std::string why = formatLocal(local, nanoseconds);
    if (gap) {
        const date::local_seconds from(
            (found.second.begin + found.first.offset.utc).time_since_epoch());
        const date::local_seconds to(
            (found.second.begin + found.second.offset.utc).time_since_epoch());
        why += " does not exist in " + clock.name + ": clocks went from " + formatLocal(from, 0) +
               before + " to " + formatLocal(to, 0) + after;
    } else {
        why += " comes twice in " + clock.name + ": first at " + before + ", then at " + after;
    }
    if (policy == "reject") {
        throw ToolError("CONFLICT", why + ".")
            .hint(gap ? "Choose a time that exists, or let disambiguation be compatible, earlier "
                        "or later."
                      : "Write the offset that is meant, or let disambiguation be earlier or "
                        "later.");
    }
    // In a gap the offset before it gives the later instant, in an overlap the earlier one.
    const bool early = gap ? policy == "earlier" : policy != "later";
    const Offset &used = gap == early ? found.second.offset : found.first.offset;
    const Instant instant{asUtc - used.utc, nanoseconds};
    const Offset &then = clock.zone->at(instant.seconds).offset;
    out.push_back({of, gap ? "gap" : "overlap",
                   why + "; " + shown(instant.seconds, nanoseconds, then) +
                       " was taken (disambiguation " + policy + ")."});
    return instant;
}

date::local_seconds localOf(const Instant &instant, const Clock &clock) {
    const auto offset = clock.zone->at(instant.seconds).offset.utc;
    return date::local_seconds((instant.seconds + offset).time_since_epoch());
}

TimeView viewOf(const Instant &instant, const Clock &clock) {
    checkYear(date::local_seconds(instant.seconds.time_since_epoch()));
    const Offset offset = clock.zone->at(instant.seconds).offset;
    const auto local = localOf(instant, clock);
    checkYear(local);
    TimeView out;
    out.time = formatLocal(local, instant.nanoseconds);
    out.weekday = weekdayName(local);
    if (clock.kind == Clock::Kind::Floating) {
        return out;
    }
    const bool utc = clock.name == "UTC" || (clock.name.empty() && offset.utc.count() == 0);
    out.time += utc ? "Z" : formatOffset(offset.utc);
    out.utc = formatUtc(instant);
    out.unixSeconds = instant.seconds.time_since_epoch().count();
    if (clock.kind == Clock::Kind::Named) {
        out.zone = clock.name;
        out.abbreviation = offset.abbreviation;
        out.daylightSaving = offset.daylight;
    }
    return out;
}

} // namespace everyday
