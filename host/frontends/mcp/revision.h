// SPDX-License-Identifier: Apache-2.0
// The revisions of the protocol, and what differs between them in shapes.
#pragma once

#include <array>
#include <optional>
#include <string_view>

namespace tenon::mcp {

// In order of time, so that "since" is a comparison.
enum class Revision { R2024_11_05, R2025_03_26, R2025_06_18, R2025_11_25, R2026_07_28 };

inline constexpr std::array<std::string_view, 5> kRevisionNames{
    "2024-11-05", "2025-03-26", "2025-06-18", "2025-11-25", "2026-07-28"};
inline constexpr Revision kNewestLegacy = Revision::R2025_11_25;
inline constexpr Revision kModern = Revision::R2026_07_28;

constexpr std::string_view nameOf(Revision revision) {
    return kRevisionNames[static_cast<std::size_t>(revision)];
}

constexpr std::optional<Revision> revisionOf(std::string_view name) {
    for (std::size_t i = 0; i < kRevisionNames.size(); ++i) {
        if (kRevisionNames[i] == name) {
            return static_cast<Revision>(i);
        }
    }
    return std::nullopt;
}

constexpr bool isModern(Revision revision) {
    return revision == kModern;
}

} // namespace tenon::mcp
