// SPDX-License-Identifier: Apache-2.0
// uuid: identifiers of RFC 9562, version 4 (random) and version 7 (ordered by time).
#pragma once

#include <tenon/fields.hpp>

#include <array>
#include <cstdint>
#include <functional>
#include <span>
#include <string>
#include <vector>

namespace everyday {

struct Uuid {
    std::string version = "v4";
    std::int64_t count = 1;
};
inline void describe(tenon::Fields<Uuid> &f) {
    f.field("version", &Uuid::version,
            "v4 is random and tells nothing; v7 starts with the time of its making and sorts by "
            "it, which suits database keys.")
        .oneOf({"v4", "v7"})
        .optional()
        .raw("default", "\"v4\"");
    f.field("count", &Uuid::count, "How many to make.")
        .range(1, 100)
        .optional()
        .raw("default", "1");
}

struct Uuids {
    std::vector<std::string> uuids;
};
inline void describe(tenon::Fields<Uuids> &f) {
    f.field("uuids", &Uuids::uuids,
            "In lower case. Those of v7 are in ascending order, each greater than the one before.");
}

// Where randomness and time come from: the kernel, or a test.
struct UuidSource {
    std::function<void(std::span<std::uint8_t>)> fill;
    std::function<std::uint64_t()> unixMs;
};
UuidSource systemUuidSource();

Uuids makeUuids(const Uuid &in, const UuidSource &source);

// The parts as RFC 9562 lays them out; version and variant are put in here.
std::string uuidV4(std::array<std::uint8_t, 16> random);
// unixMs: 48 bits; counter: 12 bits; the last 62 bits of random are used.
std::string uuidV7(std::uint64_t unixMs, std::uint16_t counter, std::uint64_t random);

} // namespace everyday
