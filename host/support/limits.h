// SPDX-License-Identifier: Apache-2.0
// The ceilings and their defaults, in one place. An operator sets them in the manifest, under
// `limits`; a refusal names the ceiling, its limit and the size that was seen.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string_view>

namespace tenon {

struct Limits {
    // Catalogs, checked once at load.
    std::size_t catalogBytesMax = 16U << 20;
    std::size_t toolsMax = 10'000;                 // of one catalog
    std::size_t schemaBytesPerToolMax = 64U << 10; // of {name, description, inputSchema}
    std::size_t schemaBytesMax = 8U << 20;         // over all tools of a catalog
    std::uint32_t schemaDepthMax = 64;
    std::size_t subschemasMax = 5'000; // of one schema
    std::size_t titleBytesMax = 256;
    std::size_t descriptionBytesMax = 16U << 10;
    std::size_t iconBytesMax = 64U << 10; // all icons of one tool
    std::size_t configSchemaBytesMax = 256U << 10;

    // Calls.
    std::size_t argumentsBytesMax = 4U << 20;
    std::size_t resultBytesMax = 8U << 20; // the result and its content blocks together
    std::uint32_t jsonDepthMax = 128;
    std::uint64_t validationStepsMax = 10'000'000;

    // Messages of a transport.
    std::size_t messageBytesMax = 16U << 20;
};

// A ceiling by its name: what a manifest calls it, and a refusal ("limits.schemaBytes").
struct LimitEntry {
    enum class Unit { Bytes, Count };
    std::string_view name;
    Unit unit;
    std::uint64_t most; // that it may be set to
    std::uint64_t (*get)(const Limits &limits);
    void (*set)(Limits &limits, std::uint64_t value);
};
// All of them, in the order above.
std::span<const LimitEntry> limitEntries();

} // namespace tenon
