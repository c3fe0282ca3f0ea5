// SPDX-License-Identifier: Apache-2.0
#include "json/number.h"

#include <algorithm>
#include <charconv>
#include <limits>

namespace tenon::json {

namespace {

// value = (negative ? -1 : 1) * 0.d1d2d3... * 10^scale, digits without zeros at either end; zero
// has no digits. A scale beyond a quarter of int64 is clamped: no two numbers of one text that
// could be told apart reach there.
struct Decimal {
    bool negative = false;
    std::string digits;
    std::int64_t scale = 0;

    std::int64_t lowest() const { return scale - static_cast<std::int64_t>(digits.size()); }
};

constexpr std::int64_t kScaleMax = std::numeric_limits<std::int64_t>::max() / 4;

// Of "e-5", or of nothing.
std::int64_t exponentOf(std::string_view text) {
    if (text.empty()) {
        return 0;
    }
    text.remove_prefix(1);
    const bool down = text.starts_with('-');
    text.remove_prefix(down || text.starts_with('+') ? 1 : 0);
    std::int64_t exponent = 0;
    const auto read = std::from_chars(text.data(), text.data() + text.size(), exponent);
    exponent = read.ec == std::errc() ? std::min(exponent, kScaleMax) : kScaleMax;
    return down ? -exponent : exponent;
}

Decimal decimalOf(std::string_view text) {
    Decimal out;
    if (text.starts_with('-')) {
        out.negative = true;
        text.remove_prefix(1);
    }
    const auto e = std::min(text.find_first_of("eE"), text.size());
    const std::int64_t exponent = exponentOf(text.substr(e));
    text = text.substr(0, e);
    const auto point = std::min(text.find('.'), text.size());
    out.digits = text.substr(0, point);
    out.digits += text.substr(std::min(point + 1, text.size()));
    out.scale = static_cast<std::int64_t>(point) + exponent;
    const auto lead = out.digits.find_first_not_of('0');
    if (lead == std::string::npos) {
        return {};
    }
    out.digits.erase(0, lead);
    out.scale -= static_cast<std::int64_t>(lead);
    out.digits.erase(out.digits.find_last_not_of('0') + 1);
    out.scale = std::clamp(out.scale, -kScaleMax, kScaleMax);
    return out;
}

std::optional<std::int64_t> plainInt64(std::string_view text) {
    std::int64_t value = 0;
    const auto read = std::from_chars(text.data(), text.data() + text.size(), value);
    const bool whole = read.ec == std::errc() && read.ptr == text.data() + text.size();
    return whole ? std::optional(value) : std::nullopt;
}

// The digits of an integral decimal, written out, while there are at most `most` of them.
std::optional<std::string> writtenOut(const Decimal &decimal, std::int64_t most) {
    if (decimal.lowest() < 0 || decimal.scale > most) {
        return std::nullopt;
    }
    return decimal.digits + std::string(static_cast<std::size_t>(decimal.lowest()), '0');
}

// a mod b for a of any length, b of at most 18 digits.
std::uint64_t remainder(std::string_view digits, std::uint64_t zeros, std::uint64_t divisor) {
    __extension__ using Wide = unsigned __int128;
    std::uint64_t rest = 0;
    for (const char c : digits) {
        rest = static_cast<std::uint64_t>((Wide{rest} * 10 + static_cast<unsigned>(c - '0')) %
                                          divisor);
    }
    std::uint64_t power = 10 % divisor;
    for (; zeros > 0; zeros >>= 1U) {
        if ((zeros & 1U) != 0) {
            rest = static_cast<std::uint64_t>(Wide{rest} * power % divisor);
        }
        power = static_cast<std::uint64_t>(Wide{power} * power % divisor);
    }
    return rest;
}

} // namespace

int compareNumbers(std::string_view a, std::string_view b) {
    const auto left = plainInt64(a);
    const auto right = plainInt64(b);
    if (left && right) {
        return *left < *right ? -1 : static_cast<int>(*left > *right);
    }
    const Decimal x = decimalOf(a);
    const Decimal y = decimalOf(b);
    const auto signOf = [](const Decimal &d) { return d.digits.empty() ? 0 : d.negative ? -1 : 1; };
    if (signOf(x) != signOf(y)) {
        return signOf(x) < signOf(y) ? -1 : 1;
    }
    int larger = x.scale < y.scale ? -1 : static_cast<int>(x.scale > y.scale);
    if (larger == 0 || x.digits.empty()) {
        const int order = x.digits.compare(y.digits);
        larger = order < 0 ? -1 : static_cast<int>(order > 0);
    }
    return x.negative ? -larger : larger;
}

// By where the last digit that counts stands, in one pass.
bool isInteger(std::string_view number) {
    const auto end = std::min(number.find_first_of("eE"), number.size());
    const auto mantissa = number.substr(0, end);
    const auto last = mantissa.find_last_of("123456789");
    if (last == mantissa.npos) {
        return true; // zero
    }
    const auto point = mantissa.find('.');
    if (point == mantissa.npos && end == number.size()) {
        return true;
    }
    const auto units = std::min(point, mantissa.size()); // behind the digit of the ones
    const std::int64_t power = last < units ? static_cast<std::int64_t>(units - last) - 1
                                            : -static_cast<std::int64_t>(last - units);
    return power + exponentOf(number.substr(end)) >= 0;
}

std::size_t significantDigits(std::string_view number) {
    return decimalOf(number).digits.size();
}

bool isMultipleOf(std::string_view value, std::string_view divisor) {
    const Decimal x = decimalOf(value);
    const Decimal y = decimalOf(divisor);
    if (x.digits.empty()) {
        return true;
    }
    std::uint64_t m = 0;
    std::from_chars(y.digits.data(), y.digits.data() + y.digits.size(), m);
    const std::int64_t shift = x.lowest() - y.lowest();
    if (shift >= 0) { // x is digits * 10^shift steps of y's last digit
        return remainder(x.digits, static_cast<std::uint64_t>(shift), m) == 0;
    }
    // Every multiple of y ends at y's last digit or above; x, without zeros at its end, is below.
    return false;
}

std::optional<std::int64_t> toInt64(std::string_view number) {
    if (const auto plain = plainInt64(number)) {
        return plain;
    }
    const Decimal decimal = decimalOf(number);
    const auto digits = writtenOut(decimal, 19);
    return digits ? plainInt64((decimal.negative ? "-" : "") + (digits->empty() ? "0" : *digits))
                  : std::nullopt;
}

std::string exactNumber(std::string_view number) {
    const Decimal decimal = decimalOf(number);
    if (decimal.digits.empty()) {
        return "0";
    }
    const std::string digits = (decimal.negative ? "-" : "") + decimal.digits;
    return decimal.lowest() == 0 ? digits : digits + "e" + std::to_string(decimal.lowest());
}

double toDouble(std::string_view number) {
    double value = 0;
    const auto read = std::from_chars(number.data(), number.data() + number.size(), value);
    if (read.ec != std::errc()) { // out of range: from_chars leaves the value alone
        const Decimal decimal = decimalOf(number);
        value = decimal.scale > 0 ? std::numeric_limits<double>::infinity() : 0.0;
        value = decimal.negative ? -value : value;
    }
    return value;
}

std::string ecmaNumber(double value) {
    if (value == 0) {
        return "0"; // -0 too
    }
    char buffer[32];
    const auto end =
        std::to_chars(buffer, buffer + sizeof buffer, value, std::chars_format::scientific).ptr;
    const Decimal decimal = decimalOf({buffer, static_cast<std::size_t>(end - buffer)});
    const auto count = static_cast<std::int64_t>(decimal.digits.size());
    const std::int64_t n = decimal.scale; // the value is 0.digits * 10^n
    std::string out = decimal.negative ? "-" : "";
    if (n > 21 || n <= -6) {
        out += decimal.digits[0];
        if (count > 1) {
            out += "." + decimal.digits.substr(1);
        }
        return out + (n > 0 ? "e+" : "e") + std::to_string(n - 1);
    }
    if (n <= 0) {
        return out + "0." + std::string(static_cast<std::size_t>(-n), '0') + decimal.digits;
    }
    if (count <= n) {
        return out + decimal.digits + std::string(static_cast<std::size_t>(n - count), '0');
    }
    const auto whole = static_cast<std::size_t>(n);
    return out + decimal.digits.substr(0, whole) + "." + decimal.digits.substr(whole);
}

} // namespace tenon::json
