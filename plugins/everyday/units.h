// SPDX-License-Identifier: Apache-2.0
// unit_convert: a value in one unit, in another of the same dimension.
#pragma once

#include <tenon/fields.hpp>

#include <string>

namespace everyday {

struct UnitConvert {
    double value = 0;
    std::string from;
    std::string to;
};
inline void describe(tenon::Fields<UnitConvert> &f) {
    f.field("value", &UnitConvert::value, "The number to convert.");
    f.field("from", &UnitConvert::from,
            "The unit of the value: a symbol (km, lb, C, gal_us, KiB) or a name (kilometre, US "
            "gallon). Symbols keep their letter case: kB is 1000 bytes, KiB 1024.")
        .minLength(1)
        .maxLength(64);
    f.field("to", &UnitConvert::to, "The unit to convert to, of the same dimension.")
        .minLength(1)
        .maxLength(64);
}

struct UnitConverted {
    double value = 0;
    std::string from;
    std::string to;
    std::string dimension;
    bool exact = false;
    std::string text;
};
inline void describe(tenon::Fields<UnitConverted> &f) {
    f.field("value", &UnitConverted::value);
    f.field("from", &UnitConverted::from, "The symbol of the unit that was understood.");
    f.field("to", &UnitConverted::to, "The symbol of the unit that was understood.");
    f.field("dimension", &UnitConverted::dimension);
    f.field("exact", &UnitConverted::exact,
            "True when value is the exact result for the decimal number given; otherwise it is "
            "the nearest double, good to about 16 digits.");
    f.field("text", &UnitConverted::text, "The conversion as an equation, such as 1 in = 2.54 cm.");
}

UnitConverted unitConvert(const UnitConvert &in);

} // namespace everyday
