// SPDX-License-Identifier: Apache-2.0
#include <everyday/units.h>

#include <everyday/nearest.h>
#include <everyday/unit_table.h>

#include <tenon/context.hpp>

#include <algorithm>
#include <cmath>

namespace everyday {
namespace {

using tenon::ToolError;

std::string lower(std::string_view word) {
    std::string out(word);
    std::transform(out.begin(), out.end(), out.begin(), [](char c) {
        return c >= 'A' && c <= 'Z' ? static_cast<char>(c - 'A' + 'a') : c;
    });
    return out;
}

// Calls visit(name) for each; stops when it answers true.
template <class Visit> bool anyName(const Unit &unit, Visit visit) {
    for (std::string_view left = unit.names;;) {
        const std::size_t bar = std::min(left.find('|'), left.size());
        if (visit(left.substr(0, bar))) {
            return true;
        }
        if (bar == left.size()) {
            return false;
        }
        left.remove_prefix(bar + 1);
    }
}

std::string shownName(const Unit &unit) {
    return std::string(unit.names.substr(0, unit.names.find('|')));
}

std::string shown(const Unit &unit) {
    const std::string symbol(unit.symbol), name = shownName(unit);
    return name == symbol ? symbol : symbol + " (" + name + ")";
}

// Short words are symbols, whose letter case tells units apart; long ones are names.
constexpr std::size_t kNameLengthMin = 4;

const Unit *find(std::string_view word) {
    for (const Unit &unit : unitTable()) {
        if (unit.symbol == word || anyName(unit, [&](auto name) { return name == word; })) {
            return &unit;
        }
    }
    if (word.size() < kNameLengthMin) {
        return nullptr;
    }
    const std::string folded = lower(word);
    const std::string singular = folded.ends_with('s') ? folded.substr(0, folded.size() - 1) : "";
    for (const Unit &unit : unitTable()) {
        const auto same = [&](std::string_view name) {
            return name.size() + 1 >= kNameLengthMin &&
                   (lower(name) == folded || lower(name) == singular);
        };
        if (same(unit.symbol) || anyName(unit, same)) {
            return &unit;
        }
    }
    return nullptr;
}

void refuseAmbiguous(std::string_view word) {
    const std::string folded = lower(word);
    for (const AmbiguousUnit &unit : ambiguousUnits()) {
        const std::string known = lower(unit.word);
        const bool named = known.size() >= kNameLengthMin - 1 && known != "cal" &&
                           (folded == known || folded == known + "s");
        if (word == unit.word || named) {
            throw ToolError("BAD_REQUEST", "The unit " + inQuotes(word) +
                                               " is used for several things: expected one of them.")
                .hint("Use " + std::string(unit.meanings) + ".");
        }
    }
}

const Unit &unitOf(std::string_view word) {
    if (const Unit *unit = find(word)) {
        return *unit;
    }
    refuseAmbiguous(word);
    std::vector<std::string> words;
    std::vector<const Unit *> units;
    for (const Unit &unit : unitTable()) {
        words.emplace_back(unit.symbol);
        anyName(unit, [&](std::string_view name) {
            words.emplace_back(name);
            return false;
        });
    }
    std::vector<std::string> near;
    for (const auto &candidate : nearest(word, words, 6)) {
        const std::string text = shown(*find(candidate));
        if (std::find(near.begin(), near.end(), text) == near.end() && near.size() < 4) {
            near.push_back(text);
        }
    }
    throw ToolError("BAD_REQUEST", "There is no unit " + inQuotes(word) + ".")
        .hint(near.empty() ? "Units are of length, mass, temperature, volume, area, speed, data "
                             "size, time, energy, pressure or angle, such as km, lb, C, gal_us, "
                             "m2, km/h, MiB, h, kWh, psi, deg."
                           : "Nearest: " + listed(near) + ".");
}

std::uint64_t product(std::uint64_t a, std::uint64_t b) {
    std::uint64_t out = 0;
    if (__builtin_mul_overflow(a, b, &out)) {
        throw std::logic_error("two unit factors are too large for their exact product");
    }
    return out;
}

// from / to, in lowest terms.
Ratio quotient(const Ratio &from, const Ratio &to) {
    const auto numerators = std::gcd(from.numerator, to.numerator);
    const auto denominators = std::gcd(from.denominator, to.denominator);
    return {product(from.numerator / numerators, to.denominator / denominators),
            product(to.numerator / numerators, from.denominator / denominators),
            from.exponent - to.exponent};
}

Rounded scaledBy(const Decimal &value, const Ratio &ratio) {
    Rounded out =
        scaled(value.digits, ratio.numerator, ratio.denominator, value.exponent + ratio.exponent);
    out.value = value.negative ? -out.value : out.value;
    return out;
}

[[noreturn]] void refuseBelowZero(double value, const Unit &from) {
    const double zero = static_cast<double>(-from.offsetHundredths) / 100;
    throw ToolError("BAD_REQUEST", tenon::JsonWriter().number(value).take() + " " +
                                       std::string(from.symbol) +
                                       " is below absolute zero, which is " +
                                       tenon::JsonWriter().number(zero).take() + " " +
                                       std::string(from.symbol) + ".")
        .hint("Only temperatures are converted here, not differences of temperature: multiply "
              "those by 9/5 or 5/9 yourself.");
}

__extension__ typedef __int128 Signed; // ISO C++ has no name for it

Signed power(int exponent) {
    Signed out = 1;
    for (int i = 0; i < exponent; ++i) {
        out *= 10;
    }
    return out;
}

Rounded temperature(double value, const Unit &from, const Unit &to) {
    const Decimal decimal = shortestDecimal(value);
    const Ratio ratio = quotient(from.toBase, to.toBase);
    constexpr int kExponentMin = -16, kExponentMax = 12;
    if (decimal.digits != 0 &&
        (decimal.exponent < kExponentMin || decimal.exponent > kExponentMax)) {
        // So small or so large that the offset or the value is lost in rounding anyhow.
        const auto kelvins = (static_cast<long double>(value) +
                              static_cast<long double>(from.offsetHundredths) / 100) *
                             static_cast<long double>(ratio.numerator) /
                             static_cast<long double>(ratio.denominator);
        if (kelvins < 0) {
            refuseBelowZero(value, from);
        }
        const auto offset = static_cast<long double>(to.offsetHundredths) / 100;
        return {static_cast<double>(kelvins - offset), false};
    }
    // All in units of 10^exponent; offsets are hundredths.
    const int exponent = std::min(decimal.exponent, -2);
    const Signed digits = static_cast<Signed>(decimal.digits) * power(decimal.exponent - exponent);
    const Signed hundredth = power(-2 - exponent);
    const Signed absolute =
        (decimal.negative ? -digits : digits) + from.offsetHundredths * hundredth;
    if (absolute < 0) {
        refuseBelowZero(value, from);
    }
    const auto denominator = static_cast<Signed>(ratio.denominator);
    const Signed result = absolute * static_cast<Signed>(ratio.numerator) -
                          to.offsetHundredths * hundredth * denominator;
    const bool negative = result < 0;
    Rounded out = scaled(static_cast<Wide>(negative ? -result : result), 1,
                         static_cast<Wide>(denominator), exponent);
    out.value = negative ? -out.value : out.value;
    return out;
}

} // namespace

UnitConverted unitConvert(const UnitConvert &in) {
    if (!std::isfinite(in.value)) {
        throw ToolError("BAD_REQUEST", "The value is not a finite number.")
            .hint("Give an ordinary number.");
    }
    const Unit &from = unitOf(in.from);
    const Unit &to = unitOf(in.to);
    if (from.dimension != to.dimension) {
        throw ToolError("BAD_REQUEST", "The unit " + shown(from) + " is of " +
                                           std::string(nameOf(from.dimension)) + " and " +
                                           shown(to) + " is of " +
                                           std::string(nameOf(to.dimension)) +
                                           ": expected two units of one dimension.")
            .hint("Choose a unit of " + std::string(nameOf(from.dimension)) + " to convert to.");
    }
    Rounded result;
    if (from.dimension == Dimension::Temperature) {
        result = temperature(in.value, from, to);
    } else {
        const Ratio ratio = quotient(from.toBase, to.toBase);
        result = scaledBy(shortestDecimal(in.value), ratio);
        result.exact = result.exact && from.precision == to.precision;
    }
    if (!std::isfinite(result.value) || (result.value == 0 && in.value != 0 && !result.exact)) {
        throw ToolError("BAD_REQUEST", std::string("The result is too ") +
                                           (result.value == 0 ? "small" : "large") +
                                           " for a number.")
            .hint("Choose a unit that is nearer in size to " + shown(from) + ".");
    }
    const auto equation = [&](double value, const Unit &unit) {
        return tenon::JsonWriter().number(value).take() + " " + std::string(unit.symbol);
    };
    return {result.value,           std::string(from.symbol),
            std::string(to.symbol), std::string(nameOf(from.dimension)),
            result.exact,           equation(in.value, from) + " = " + equation(result.value, to)};
}

} // namespace everyday
