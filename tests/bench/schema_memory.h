// SPDX-License-Identifier: Apache-2.0
// What the whole process asks of malloc, by whatever name: schema_memory.cpp replaces it.
#pragma once

#include <cstddef>
#include <cstdint>

namespace tenon::bench {

struct Memory {
    std::uint64_t allocations = 0; // since the start
    std::int64_t liveBytes = 0;    // not freed yet
};
Memory memory();

} // namespace tenon::bench
