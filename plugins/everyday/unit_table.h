// SPDX-License-Identifier: Apache-2.0
// The units that unit_convert knows, as exact multiples of one base unit per dimension.
#pragma once

#include <everyday/decimal.h>

#include <span>
#include <string_view>

namespace everyday {

enum class Dimension {
    Length,
    Mass,
    Temperature,
    Volume,
    Area,
    Speed,
    Data,
    Time,
    Energy,
    Pressure,
    Angle
};
std::string_view nameOf(Dimension dimension);

enum class Precision { Exact, Rounded }; // Rounded: the factor is irrational

struct Unit {
    std::string_view symbol;
    std::string_view names; // separated by '|'; the first is the one to show
    Dimension dimension;
    Ratio toBase;
    Precision precision = Precision::Exact;
    std::int64_t offsetHundredths = 0; // of a temperature: added before toBase is applied
};
std::span<const Unit> unitTable();

// A word that people use for several units, so that none can be chosen for them.
struct AmbiguousUnit {
    std::string_view word;
    std::string_view meanings; // what to say instead
};
std::span<const AmbiguousUnit> ambiguousUnits();

} // namespace everyday
