// SPDX-License-Identifier: Apache-2.0
#include "refusal.h"

#include <everyday/uuid.h>

#include <algorithm>
#include <set>

using namespace everyday;

namespace {

// Every random byte is this one.
UuidSource sourceOf(std::uint8_t byte, std::uint64_t unixMs) {
    return {[byte](std::span<std::uint8_t> out) { std::fill(out.begin(), out.end(), byte); },
            [unixMs] { return unixMs; }};
}

} // namespace

TEST_CASE("a v4 UUID keeps its random bits around version and variant") {
    // RFC 9562, A.3
    CHECK(uuidV4({0x91, 0x91, 0x08, 0xF7, 0x52, 0xD1, 0x33, 0x20, 0x5B, 0xAC, 0xF8, 0x47, 0xDB,
                  0x41, 0x48, 0xA8}) == "919108f7-52d1-4320-9bac-f847db4148a8");
    CHECK(makeUuids({"v4", 1}, sourceOf(0x00, 0)).uuids[0] ==
          "00000000-0000-4000-8000-000000000000");
    CHECK(makeUuids({"v4", 1}, sourceOf(0xFF, 0)).uuids[0] ==
          "ffffffff-ffff-4fff-bfff-ffffffffffff");
}

TEST_CASE("a v7 UUID has the layout of RFC 9562") {
    // RFC 9562, A.6
    CHECK(uuidV7(0x017F22E279B0, 0xCC3, 0x18C4DC0C0C07398F) ==
          "017f22e2-79b0-7cc3-98c4-dc0c0c07398f");
}

TEST_CASE("v7 UUIDs of one call ascend, even within one millisecond and from the highest start") {
    const auto out = makeUuids({"v7", 100}, sourceOf(0xFF, 1645557742000)).uuids;
    CHECK(out.front() == "017f22e2-79b0-77ff-bfff-ffffffffffff");
    CHECK(out.back() == "017f22e2-79b0-7862-bfff-ffffffffffff"); // 0x7FF + 99
    CHECK(std::is_sorted(out.begin(), out.end()));
    CHECK(std::adjacent_find(out.begin(), out.end()) == out.end());
}

TEST_CASE("the kernel's random numbers give a hundred different UUIDs of either version") {
    for (const auto *version : {"v4", "v7"}) {
        const auto out = makeUuids({version, 100}, systemUuidSource()).uuids;
        CHECK(std::set<std::string>(out.begin(), out.end()).size() == 100);
        for (const auto &uuid : out) {
            CHECK(uuid.size() == 36);
            CHECK(uuid[14] == version[1]);
            CHECK(holds("89ab", std::string(1, uuid[19])));
        }
    }
}

TEST_CASE("a v7 UUID begins with the present time") {
    const auto source = systemUuidSource();
    const auto before = source.unixMs();
    const auto uuid = makeUuids({"v7", 1}, source).uuids[0];
    const auto ms = std::stoull(uuid.substr(0, 8) + uuid.substr(9, 4), nullptr, 16);
    CHECK(ms >= before);
    CHECK(ms <= source.unixMs());
}

TEST_CASE("a count outside 1 to 100 and another version are refused") {
    CHECK(holds(refusalOf([] { makeUuids({"v4", 0}, sourceOf(0, 0)); }).message, "count is 0"));
    CHECK(holds(refusalOf([] { makeUuids({"v4", 101}, sourceOf(0, 0)); }).message, "1 to 100"));
    CHECK(holds(refusalOf([] { makeUuids({"v1", 1}, sourceOf(0, 0)); }).hint, "v4 or v7"));
}
