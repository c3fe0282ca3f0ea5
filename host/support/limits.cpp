// SPDX-License-Identifier: Apache-2.0
#include "support/limits.h"

#include <array>

namespace tenon {

namespace {

constexpr std::uint64_t kSizeMost = UINT32_MAX; // of any text here, since its places are 32 bits
constexpr std::uint64_t kDepthMost = 10'000;

template <auto kMember>
constexpr LimitEntry entry(std::string_view name, LimitEntry::Unit unit,
                           std::uint64_t most = kSizeMost) {
    return {name, unit, most,
            [](const Limits &limits) { return static_cast<std::uint64_t>(limits.*kMember); },
            [](Limits &limits, std::uint64_t value) {
                auto &member = limits.*kMember;
                member = static_cast<std::remove_reference_t<decltype(member)>>(value);
            }};
}

} // namespace

std::span<const LimitEntry> limitEntries() {
    using Unit = LimitEntry::Unit;
    static constexpr std::array kEntries{
        entry<&Limits::catalogBytesMax>("catalogBytes", Unit::Bytes),
        entry<&Limits::toolsMax>("tools", Unit::Count),
        entry<&Limits::schemaBytesPerToolMax>("schemaBytesPerTool", Unit::Bytes),
        entry<&Limits::schemaBytesMax>("schemaBytes", Unit::Bytes),
        entry<&Limits::schemaDepthMax>("schemaDepth", Unit::Count, kDepthMost),
        entry<&Limits::subschemasMax>("subschemas", Unit::Count),
        entry<&Limits::titleBytesMax>("titleBytes", Unit::Bytes),
        entry<&Limits::descriptionBytesMax>("descriptionBytes", Unit::Bytes),
        entry<&Limits::iconBytesMax>("iconBytes", Unit::Bytes),
        entry<&Limits::configSchemaBytesMax>("configSchemaBytes", Unit::Bytes),
        entry<&Limits::argumentsBytesMax>("argumentsBytes", Unit::Bytes),
        entry<&Limits::resultBytesMax>("resultBytes", Unit::Bytes),
        entry<&Limits::jsonDepthMax>("jsonDepth", Unit::Count, kDepthMost),
        entry<&Limits::validationStepsMax>("validationSteps", Unit::Count, UINT64_MAX / 2),
        entry<&Limits::messageBytesMax>("messageBytes", Unit::Bytes)};
    return kEntries;
}

} // namespace tenon
