// SPDX-License-Identifier: Apache-2.0
#include <everyday/decimal.h>

#include <charconv>
#include <cmath>
#include <limits>
#include <string>
#include <string_view>

namespace everyday {
namespace {

constexpr std::size_t kFractionDigitsMax = 60; // far more than a double can tell apart

std::string digitsOf(Wide value) {
    std::string out;
    do {
        out.insert(out.begin(), static_cast<char>('0' + static_cast<int>(value % 10)));
        value /= 10;
    } while (value != 0);
    return out;
}

} // namespace

Decimal shortestDecimal(double value) {
    char buffer[32];
    const auto end =
        std::to_chars(buffer, buffer + sizeof buffer, value, std::chars_format::scientific).ptr;
    Decimal out;
    const std::string_view text(buffer, static_cast<std::size_t>(end - buffer));
    const std::size_t e = text.find('e');
    bool fraction = false;
    for (const char c : text.substr(0, e)) {
        out.negative = out.negative || c == '-';
        fraction = fraction || c == '.';
        if (c >= '0' && c <= '9') {
            out.digits = out.digits * 10 + static_cast<std::uint64_t>(c - '0');
            out.exponent -= fraction ? 1 : 0;
        }
    }
    const std::size_t power = e + (text[e + 1] == '+' ? 2 : 1);
    int exponent = 0;
    std::from_chars(text.data() + power, text.data() + text.size(), exponent);
    out.exponent += exponent;
    while (out.digits != 0 && out.digits % 10 == 0) {
        out.digits /= 10;
        ++out.exponent;
    }
    return out;
}

Rounded scaled(Wide digits, std::uint64_t numerator, Wide denominator, int exponent) {
    if (digits == 0 || numerator == 0) {
        return {0, true};
    }
    const Wide product = digits * numerator;
    std::string text = digitsOf(product / denominator);
    Wide rest = product % denominator;
    for (std::size_t i = 0; i < kFractionDigitsMax && rest != 0; ++i) {
        rest *= 10;
        text += static_cast<char>('0' + static_cast<int>(rest / denominator));
        rest %= denominator;
        --exponent;
    }
    // A rest that is left only matters for which side of a tie the number is on.
    text += rest != 0 ? "1e" : "0e";
    text += std::to_string(exponent - 1);
    Rounded out;
    const auto read = std::from_chars(text.data(), text.data() + text.size(), out.value);
    if (read.ec != std::errc()) {
        const bool large = static_cast<int>(text.find('e')) + exponent > 0;
        return {large ? std::numeric_limits<double>::infinity() : 0.0, false};
    }
    if (rest == 0) {
        std::size_t kept = text.find('e');
        int power = exponent - 1;
        for (; kept > 1 && text[kept - 1] == '0'; --kept) {
            ++power;
        }
        const std::size_t first = std::min(text.find_first_not_of('0'), kept);
        const Decimal shortest = shortestDecimal(out.value);
        out.exact = text.substr(first, kept - first) == digitsOf(shortest.digits) &&
                    power == shortest.exponent;
    }
    return out;
}

} // namespace everyday
