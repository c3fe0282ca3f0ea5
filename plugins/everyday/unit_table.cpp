// SPDX-License-Identifier: Apache-2.0
// Factors are those of the SI brochure and of NIST SP 811: where a unit has several definitions,
// the international one. An acre, 4046.8564224 square metres, is written
// {40468564224, 1, -7}.
#include <everyday/unit_table.h>

#include <array>

namespace everyday {
namespace {

using enum Dimension;

constexpr Ratio si(int exponent) {
    return {1, 1, exponent};
}
constexpr Ratio bits(int shift, std::uint64_t bitsEach) {
    return {(std::uint64_t{1} << shift) * bitsEach, 1, 0};
}
constexpr Ratio decimalBits(int exponent, std::uint64_t bitsEach) {
    return {bitsEach, 1, exponent};
}
// 180 * 3600 / pi, to the 19 digits that fit.
constexpr std::uint64_t kArcsecondsPerRadian = 2062648062470963552;

constexpr auto kUnits = std::to_array<Unit>({
    // metres
    {"nm", "nanometre|nanometer", Length, si(-9)},
    {"um", "micrometre|micrometer|\u00B5m|\u03BCm|micron", Length, si(-6)},
    {"mm", "millimetre|millimeter", Length, si(-3)},
    {"cm", "centimetre|centimeter", Length, si(-2)},
    {"dm", "decimetre|decimeter", Length, si(-1)},
    {"m", "metre|meter", Length, si(0)},
    {"km", "kilometre|kilometer", Length, si(3)},
    {"in", "inch|inches", Length, {254, 1, -4}},
    {"ft", "foot|feet", Length, {3048, 1, -4}},
    {"yd", "yard", Length, {9144, 1, -4}},
    {"mi", "mile", Length, {1609344, 1, -3}},
    {"nmi", "nautical mile|NM", Length, {1852, 1, 0}},
    {"au", "astronomical unit|AU", Length, {149597870700, 1, 0}},
    {"ly", "light-year|light year|lightyear", Length, {9460730472580800, 1, 0}},
    // grams
    {"ug", "microgram|\u00B5g|\u03BCg|mcg", Mass, si(-6)},
    {"mg", "milligram", Mass, si(-3)},
    {"g", "gram|gramme", Mass, si(0)},
    {"kg", "kilogram|kilo", Mass, si(3)},
    {"t", "tonne|metric ton", Mass, si(6)},
    {"gr", "grain", Mass, {6479891, 1, -8}},
    {"ct", "carat", Mass, {2, 1, -1}},
    {"oz", "ounce", Mass, {28349523125, 1, -9}},
    {"lb", "pound|lbs", Mass, {45359237, 1, -5}},
    {"st", "stone", Mass, {635029318, 1, -5}},
    {"short_ton", "short ton|US ton", Mass, {90718474, 1, -2}},
    {"long_ton", "long ton|imperial ton", Mass, {10160469088, 1, -4}},
    // kelvins
    {"K", "kelvin", Temperature, si(0)},
    {"C", "degree Celsius|celsius|\u00B0C|degC|degrees Celsius|centigrade", Temperature, si(0),
     Precision::Exact, 27315},
    {"F",
     "degree Fahrenheit|fahrenheit|\u00B0F|degF|degrees Fahrenheit",
     Temperature,
     {5, 9, 0},
     Precision::Exact,
     45967},
    {"R", "degree Rankine|rankine|\u00B0R|degR|degrees Rankine", Temperature, {5, 9, 0}},
    // litres
    {"mm3", "cubic millimetre|cubic millimeter|mm\u00B3|mm^3", Volume, si(-6)},
    {"mL", "millilitre|milliliter|ml|cm3|cm\u00B3|cm^3|cc|cubic centimetre|cubic centimeter",
     Volume, si(-3)},
    {"cL", "centilitre|centiliter|cl", Volume, si(-2)},
    {"dL", "decilitre|deciliter|dl", Volume, si(-1)},
    {"L", "litre|liter|l|dm3|dm\u00B3|dm^3", Volume, si(0)},
    {"m3", "cubic metre|cubic meter|m\u00B3|m^3|kL", Volume, si(3)},
    {"in3", "cubic inch|cubic inches|in\u00B3|in^3|cu in", Volume, {16387064, 1, -9}},
    {"ft3", "cubic foot|cubic feet|ft\u00B3|ft^3|cu ft", Volume, {28316846592, 1, -9}},
    {"yd3", "cubic yard|yd\u00B3|yd^3|cu yd", Volume, {764554857984, 1, -9}},
    {"tsp_us", "US teaspoon", Volume, {492892159375, 1, -14}},
    {"tbsp_us", "US tablespoon", Volume, {1478676478125, 1, -14}},
    {"floz_us", "US fluid ounce|US fl oz", Volume, {295735295625, 1, -13}},
    {"cup_us", "US cup", Volume, {2365882365, 1, -10}},
    {"pt_us", "US pint", Volume, {473176473, 1, -9}},
    {"qt_us", "US quart", Volume, {946352946, 1, -9}},
    {"gal_us", "US gallon", Volume, {3785411784, 1, -9}},
    {"bbl", "oil barrel", Volume, {158987294928, 1, -9}},
    {"floz_uk", "imperial fluid ounce|UK fluid ounce|imperial fl oz", Volume, {284130625, 1, -10}},
    {"pt_uk", "imperial pint|UK pint", Volume, {56826125, 1, -8}},
    {"qt_uk", "imperial quart|UK quart", Volume, {11365225, 1, -7}},
    {"gal_uk", "imperial gallon|UK gallon", Volume, {454609, 1, -5}},
    // square metres
    {"mm2", "square millimetre|square millimeter|mm\u00B2|mm^2", Area, si(-6)},
    {"cm2", "square centimetre|square centimeter|cm\u00B2|cm^2", Area, si(-4)},
    {"m2", "square metre|square meter|m\u00B2|m^2|sqm", Area, si(0)},
    {"ha", "hectare", Area, si(4)},
    {"km2", "square kilometre|square kilometer|km\u00B2|km^2", Area, si(6)},
    {"in2", "square inch|square inches|in\u00B2|in^2|sq in", Area, {64516, 1, -8}},
    {"ft2", "square foot|square feet|ft\u00B2|ft^2|sq ft|sqft", Area, {9290304, 1, -8}},
    {"yd2", "square yard|yd\u00B2|yd^2|sq yd", Area, {83612736, 1, -8}},
    {"acre", "acre|ac", Area, {40468564224, 1, -7}},
    {"mi2", "square mile|mi\u00B2|mi^2|sq mi", Area, {2589988110336, 1, -6}},
    // metres per second
    {"m/s", "metre per second|meter per second|metres per second|meters per second|mps", Speed,
     si(0)},
    {"km/h",
     "kilometre per hour|kilometer per hour|kilometres per hour|kilometers per hour|kph|kmh|km/hr",
     Speed,
     {5, 18, 0}},
    {"mph", "mile per hour|miles per hour|mi/h", Speed, {44704, 1, -5}},
    {"kn", "knot|kt|kts", Speed, {463, 900, 0}},
    {"ft/s", "foot per second|feet per second|fps", Speed, {3048, 1, -4}},
    {"c", "speed of light", Speed, {299792458, 1, 0}},
    // bits
    {"bit", "bit", Data, bits(0, 1)},
    {"kbit", "kilobit", Data, decimalBits(3, 1)},
    {"Mbit", "megabit", Data, decimalBits(6, 1)},
    {"Gbit", "gigabit", Data, decimalBits(9, 1)},
    {"Tbit", "terabit", Data, decimalBits(12, 1)},
    {"Kibit", "kibibit", Data, bits(10, 1)},
    {"Mibit", "mebibit", Data, bits(20, 1)},
    {"Gibit", "gibibit", Data, bits(30, 1)},
    {"B", "byte", Data, bits(0, 8)},
    {"kB", "kilobyte", Data, decimalBits(3, 8)},
    {"MB", "megabyte", Data, decimalBits(6, 8)},
    {"GB", "gigabyte", Data, decimalBits(9, 8)},
    {"TB", "terabyte", Data, decimalBits(12, 8)},
    {"PB", "petabyte", Data, decimalBits(15, 8)},
    {"EB", "exabyte", Data, decimalBits(18, 8)},
    {"KiB", "kibibyte", Data, bits(10, 8)},
    {"MiB", "mebibyte", Data, bits(20, 8)},
    {"GiB", "gibibyte", Data, bits(30, 8)},
    {"TiB", "tebibyte", Data, bits(40, 8)},
    {"PiB", "pebibyte", Data, bits(50, 8)},
    {"EiB", "exbibyte", Data, bits(60, 8)},
    // seconds
    {"ns", "nanosecond", Time, si(-9)},
    {"us", "microsecond|\u00B5s|\u03BCs", Time, si(-6)},
    {"ms", "millisecond", Time, si(-3)},
    {"s", "second|sec|secs", Time, si(0)},
    {"min", "minute|mins", Time, {60, 1, 0}},
    {"h", "hour|hr|hrs", Time, {3600, 1, 0}},
    {"d", "day", Time, {86400, 1, 0}},
    {"wk", "week|wks", Time, {604800, 1, 0}},
    // joules
    {"J", "joule", Energy, si(0)},
    {"kJ", "kilojoule", Energy, si(3)},
    {"MJ", "megajoule", Energy, si(6)},
    {"GJ", "gigajoule", Energy, si(9)},
    {"Wh", "watt-hour|watt hour", Energy, {3600, 1, 0}},
    {"kWh", "kilowatt-hour|kilowatt hour", Energy, {3600, 1, 3}},
    {"MWh", "megawatt-hour|megawatt hour", Energy, {3600, 1, 6}},
    {"cal", "thermochemical calorie|small calorie", Energy, {4184, 1, -3}},
    {"kcal", "kilocalorie|food calorie", Energy, {4184, 1, 0}},
    {"BTU", "British thermal unit|Btu|BTU (IT)", Energy, {105505585262, 1, -8}},
    {"eV", "electronvolt|electron volt", Energy, {1602176634, 1, -28}},
    {"ft_lbf",
     "foot-pound|foot pound|foot-pound force|ft lbf|ft-lb",
     Energy,
     {13558179483314004, 1, -16}},
    // pascals
    {"Pa", "pascal", Pressure, si(0)},
    {"hPa", "hectopascal", Pressure, si(2)},
    {"kPa", "kilopascal", Pressure, si(3)},
    {"MPa", "megapascal", Pressure, si(6)},
    {"mbar", "millibar", Pressure, si(2)},
    {"bar", "bar", Pressure, si(5)},
    {"atm", "standard atmosphere|atmosphere", Pressure, {101325, 1, 0}},
    {"Torr", "torr", Pressure, {20265, 152, 0}},
    {"mmHg",
     "millimetre of mercury|millimeter of mercury|millimetres of mercury",
     Pressure,
     {133322387415, 1, -9}},
    {"inHg", "inch of mercury|inches of mercury", Pressure, {3386388640341, 1, -9}},
    {"psi",
     "pound per square inch|pounds per square inch|lbf/in2",
     Pressure,
     {44482216152605, 64516, -5}},
    // arcseconds
    {"arcsec", "arcsecond|second of arc", Angle, si(0)},
    {"arcmin", "arcminute|minute of arc", Angle, {60, 1, 0}},
    {"deg", "degree|\u00B0", Angle, {3600, 1, 0}},
    {"gon", "gradian|grad", Angle, {3240, 1, 0}},
    {"turn", "turn|revolution|rev", Angle, {1296000, 1, 0}},
    {"rad", "radian", Angle, {kArcsecondsPerRadian, 1, -13}, Precision::Rounded},
    {"mrad", "milliradian", Angle, {kArcsecondsPerRadian, 1, -16}, Precision::Rounded},
});

constexpr auto kAmbiguous = std::to_array<AmbiguousUnit>({
    {"KB", "kB (1000 bytes) or KiB (1024 bytes)"},
    {"kb", "kbit (1000 bits) or kB (1000 bytes)"},
    {"Kb", "kbit (1000 bits) or Kibit (1024 bits)"},
    {"b", "bit or B (byte)"},
    {"mb", "Mbit (megabit), MB (megabyte) or mbar (millibar)"},
    {"Mb", "Mbit (megabit) or MB (megabyte)"},
    {"gb", "Gbit (gigabit) or GB (gigabyte)"},
    {"Gb", "Gbit (gigabit) or GB (gigabyte)"},
    {"Tb", "Tbit (terabit) or TB (terabyte)"},
    {"Mbps", "Mbit or MB: rates of data are no unit here, convert the amount"},
    {"teaspoon", "tsp_us (US teaspoon) or 5 mL (metric teaspoon)"},
    {"tsp", "tsp_us (US teaspoon) or 5 mL (metric teaspoon)"},
    {"tablespoon", "tbsp_us (US tablespoon) or 15 mL (metric tablespoon)"},
    {"tbsp", "tbsp_us (US tablespoon) or 15 mL (metric tablespoon)"},
    {"cup", "cup_us (US cup) or 250 mL (metric cup)"},
    {"fl oz", "floz_us (US fluid ounce) or floz_uk (imperial fluid ounce)"},
    {"floz", "floz_us (US fluid ounce) or floz_uk (imperial fluid ounce)"},
    {"fluid ounce", "floz_us (US fluid ounce) or floz_uk (imperial fluid ounce)"},
    {"pint", "pt_us (US pint) or pt_uk (imperial pint)"},
    {"pt", "pt_us (US pint) or pt_uk (imperial pint)"},
    {"quart", "qt_us (US quart) or qt_uk (imperial quart)"},
    {"qt", "qt_us (US quart) or qt_uk (imperial quart)"},
    {"gallon", "gal_us (US gallon) or gal_uk (imperial gallon)"},
    {"gal", "gal_us (US gallon) or gal_uk (imperial gallon)"},
    {"ton", "t (tonne, 1000 kg), short_ton (2000 lb) or long_ton (2240 lb)"},
    {"Cal", "kcal (food calorie) or cal (thermochemical calorie)"},
    {"calorie", "kcal (food calorie) or cal (thermochemical calorie)"},
    {"month", "d (days): months differ in length, use time_add or time_between for dates"},
    {"year", "d (days): years differ in length, use time_add or time_between for dates"},
});

} // namespace

std::string_view nameOf(Dimension dimension) {
    static constexpr std::string_view kNames[] = {"length", "mass",     "temperature", "volume",
                                                  "area",   "speed",    "data size",   "time",
                                                  "energy", "pressure", "angle"};
    return kNames[static_cast<std::size_t>(dimension)];
}

std::span<const Unit> unitTable() {
    return kUnits;
}
std::span<const AmbiguousUnit> ambiguousUnits() {
    return kAmbiguous;
}

} // namespace everyday
