// SPDX-License-Identifier: Apache-2.0
// Expected values were computed with exact fractions and rounded once.
#include "refusal.h"

#include <everyday/decimal.h>
#include <everyday/unit_table.h>
#include <everyday/units.h>

#include <limits>
#include <set>

using namespace everyday;

namespace {

UnitConverted convert(double value, const std::string &from, const std::string &to) {
    return unitConvert({value, from, to});
}
Refusal refused(double value, const std::string &from, const std::string &to) {
    return refusalOf([&] { convert(value, from, to); });
}
// Exact to the last bit, and said to be exact or not.
void checkExact(double value, const char *from, const char *to, double expected) {
    INFO(value << " " << from << " to " << to);
    CHECK(convert(value, from, to).value == expected);
    CHECK(convert(value, from, to).exact);
}
void checkRounded(double value, const char *from, const char *to, double expected) {
    INFO(value << " " << from << " to " << to);
    CHECK(convert(value, from, to).value == expected);
    CHECK_FALSE(convert(value, from, to).exact);
}

} // namespace

TEST_CASE("conversions that have a finite decimal are exact") {
    checkExact(1, "in", "cm", 2.54);
    checkExact(0.1, "ft", "in", 1.2); // 0.1 * 12 is 1.2000000000000002 in doubles
    checkExact(26.2, "mi", "km", 42.1648128);
    checkExact(1, "lb", "kg", 0.45359237);
    checkExact(1, "oz", "g", 28.349523125);
    checkExact(1, "st", "lb", 14);
    checkExact(1, "short_ton", "lb", 2000);
    checkExact(1, "long_ton", "lb", 2240);
    checkExact(1, "gal_us", "L", 3.785411784);
    checkExact(1, "gal_us", "in3", 231);
    checkExact(1, "gal_uk", "L", 4.54609);
    checkExact(1, "gal_us", "floz_us", 128);
    checkExact(1, "gal_us", "tsp_us", 768);
    checkExact(1, "gal_uk", "floz_uk", 160);
    checkExact(1, "bbl", "gal_us", 42);
    checkExact(1, "acre", "m2", 4046.8564224);
    checkExact(1, "mi2", "acre", 640);
    checkExact(1, "mph", "m/s", 0.44704);
    checkExact(1, "kn", "km/h", 1.852);
    checkExact(1, "nmi", "m", 1852);
    checkExact(1, "wk", "min", 10080);
    checkExact(1, "kWh", "MJ", 3.6);
    checkExact(1, "kcal", "J", 4184);
    checkExact(1, "eV", "J", 1.602176634e-19);
    checkExact(1, "atm", "Torr", 760);
    checkExact(30, "inHg", "mbar", 1015.9165921023);
    checkExact(1, "turn", "gon", 400);
    checkExact(1, "deg", "arcsec", 3600);
    checkExact(-40, "cm", "mm", -400);
    checkExact(0, "mi", "km", 0);
}

TEST_CASE("conversions without a finite decimal are the nearest double") {
    checkRounded(5, "km", "mi", 3.1068559611866697);
    checkRounded(32, "psi", "kPa", 220.63223338138755);
    checkRounded(1, "atm", "psi", 14.695948775513449);
    checkRounded(1, "Torr", "Pa", 133.32236842105263);
    checkRounded(12, "gal_us", "gal_uk", 9.992090215547867);
    checkRounded(100, "mph", "kn", 86.89762419006479);
    checkRounded(1, "BTU", "kWh", 0.0002930710701722222);
    checkRounded(1, "ly", "au", 63241.07708426628);
}

TEST_CASE("powers of ten and of two are told apart for sizes of data") {
    checkExact(1, "kB", "B", 1000);
    checkExact(1, "KiB", "B", 1024);
    checkExact(1, "TiB", "TB", 1.099511627776);
    checkExact(1, "GB", "Gbit", 8);
    checkExact(500, "GB", "MB", 500000);
    checkRounded(500, "GB", "GiB", 465.66128730773926); // 21 decimals are more than a double has
    checkExact(1, "MiB", "Mibit", 8);
    checkExact(1, "EiB", "GiB", 1073741824);
    CHECK(convert(1, "MB", "MiB").value == 0.95367431640625);
}

TEST_CASE("temperatures have their offsets, exactly") {
    checkExact(100, "C", "F", 212);
    checkExact(-40, "C", "F", -40);
    checkExact(98.6, "F", "C", 37);
    checkExact(0, "K", "C", -273.15);
    checkExact(-459.67, "F", "K", 0);
    checkExact(-273.15, "C", "K", 0);
    checkExact(25, "celsius", "kelvin", 298.15);
    checkExact(491.67, "R", "C", 0);
    checkExact(0, "C", "R", 491.67);
    checkRounded(0, "F", "C", -17.77777777777778);
    checkExact(1e-10, "C", "K", 273.1500000001);
    CHECK(convert(1e-300, "K", "C").value == -273.15);
    CHECK(convert(1e300, "C", "K").value == 1e300);
    CHECK(convert(1.0e10, "F", "F").value == 1.0e10);
}

TEST_CASE("a temperature below absolute zero is refused") {
    CHECK(refused(-300, "C", "F").message == "-300 C is below absolute zero, which is -273.15 C.");
    CHECK(holds(refused(-459.68, "F", "C").message, "-459.67 F"));
    CHECK(holds(refused(-1e-300, "K", "C").message, "absolute zero"));
    CHECK(holds(refused(-1e300, "C", "K").message, "absolute zero"));
    CHECK(holds(refused(-300, "C", "F").hint, "differences"));
}

TEST_CASE("angles in radians are as near as a double can be, and not called exact") {
    checkRounded(180, "deg", "rad", 3.141592653589793);
    checkRounded(1, "rad", "deg", 57.29577951308232);
    checkRounded(1, "turn", "rad", 6.283185307179586);
    checkExact(1, "rad", "mrad", 1000);
}

TEST_CASE("units are known by symbol, by name, in plural and in other letters") {
    CHECK(convert(1, "kilometres", "m").from == "km");
    CHECK(convert(1, "Kilometers", "METRE").to == "m");
    CHECK(convert(1, "feet", "inches").value == 12);
    CHECK(convert(1, "lbs", "ounces").value == 16);
    CHECK(convert(1, "\u00B5m", "nm").value == 1000);
    CHECK(convert(1, "\u03BCs", "ns").value == 1000);
    CHECK(convert(1, "\u00B0C", "\u00B0F").value == 33.8);
    CHECK(convert(1, "m\u00B2", "cm^2").value == 10000);
    CHECK(convert(36, "kph", "metres per second").value == 10);
    CHECK(convert(1, "US gallons", "us pint").value == 8);
    CHECK(convert(1, "Megabytes", "kilobytes").value == 1000);
}

TEST_CASE("the letter case of a symbol tells units apart") {
    CHECK(convert(1, "MJ", "kJ").value == 1000);
    CHECK(convert(1, "nm", "m").value == 1e-9);
    CHECK(convert(1, "NM", "m").value == 1852);
    CHECK(holds(refused(1, "KM", "m").hint, "\"km (kilometre)\""));
    CHECK(holds(refused(1, "kwh", "J").hint, "\"kWh (kilowatt-hour)\""));
}

TEST_CASE("a word for several units is refused with the choices") {
    CHECK(refused(1, "KB", "B").hint == "Use kB (1000 bytes) or KiB (1024 bytes).");
    for (const auto *word : {"gallon", "Gallons", "gal", "pint", "cup", "cups", "ton", "Tons", "b",
                             "Mb", "mb", "Cal", "calories", "fl oz", "month", "years", "tbsp"}) {
        CHECK(holds(refused(1, word, "L").message, "used for several things"));
    }
}

TEST_CASE("an unknown unit is refused with the nearest") {
    CHECK(refused(1, "kilometrs", "m").message == "There is no unit \"kilometrs\".");
    CHECK(holds(refused(1, "kilometrs", "m").hint, "\"km (kilometre)\""));
    CHECK(holds(refused(1, "m", "farenheit").hint, "\"F (degree Fahrenheit)\""));
    CHECK(holds(refused(1, "qwxyzqwxyz", "m").hint, "Units are of length"));
    CHECK(holds(refused(1, "", "m").message, "There is no unit \"\""));
}

TEST_CASE("units of different dimensions are refused naming both") {
    CHECK(refused(1, "km", "kg").message ==
          "The unit km (kilometre) is of length and kg (kilogram) is of mass: expected two units "
          "of one dimension.");
    CHECK(holds(refused(1, "L", "m2").message, "of volume and m2 (square metre) is of area"));
}

TEST_CASE("what is not finite, before or after, is refused") {
    CHECK(holds(refused(std::numeric_limits<double>::infinity(), "m", "km").message, "finite"));
    CHECK(holds(refused(std::numeric_limits<double>::quiet_NaN(), "C", "K").message, "finite"));
    CHECK(holds(refused(1e308, "ly", "nm").message, "too large"));
    CHECK(holds(refused(1e-320, "nm", "ly").message, "too small"));
    CHECK(convert(-1e308, "m", "km").value == -1e305);
    CHECK(convert(1.7976931348623157e308, "m", "m").value == 1.7976931348623157e308);
    CHECK(convert(5e-324, "m", "m").value == 5e-324);
}

TEST_CASE("the result says which units were understood, and shows the equation") {
    const auto out = convert(1, "inch", "centimeters");
    CHECK(out.from == "in");
    CHECK(out.to == "cm");
    CHECK(out.dimension == "length");
    CHECK(out.text == "1 in = 2.54 cm");
}

TEST_CASE("every word for a unit belongs to one unit only") {
    std::set<std::string> words;
    for (const Unit &unit : unitTable()) {
        std::set<std::string> own = {std::string(unit.symbol)};
        std::string names(unit.names);
        for (std::size_t bar = 0; bar != std::string::npos; names.erase(0, bar + 1)) {
            bar = names.find('|');
            own.insert(names.substr(0, bar));
            if (bar == std::string::npos) {
                break;
            }
        }
        for (const auto &word : own) {
            INFO(word);
            CHECK(words.insert(word).second);
            CHECK(convert(300, word, std::string(unit.symbol)).value == 300);
        }
    }
}

TEST_CASE("every pair of units of a dimension converts there and back") {
    for (const Unit &from : unitTable()) {
        for (const Unit &to : unitTable()) {
            if (from.dimension != to.dimension) {
                continue;
            }
            INFO(from.symbol << " to " << to.symbol);
            const double value = 1234.5678901234567; // 17 digits: the most that a double shows
            const auto there =
                convert(value, std::string(from.symbol), std::string(to.symbol)).value;
            const auto back =
                convert(there, std::string(to.symbol), std::string(from.symbol)).value;
            CHECK(back == Approx(value).epsilon(1e-12));
        }
    }
}

TEST_CASE("the shortest decimal of a double is taken apart exactly") {
    const auto parts = shortestDecimal(-1234.5);
    CHECK(parts.negative);
    CHECK(parts.digits == 12345);
    CHECK(parts.exponent == -1);
    CHECK(shortestDecimal(1e22).digits == 1);
    CHECK(shortestDecimal(1e22).exponent == 22);
    CHECK(shortestDecimal(0).digits == 0);
    CHECK(shortestDecimal(5e-324).exponent == -324);
}
