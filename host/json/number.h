// SPDX-License-Identifier: Apache-2.0
// Arithmetic on the text of JSON numbers, exact where a schema asks for truth: 9007199254740993
// stays itself and 0.29 is a multiple of 0.01. All arguments are well-formed JSON numbers.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

namespace tenon::json {

// -1, 0 or 1 as a is less than, equal to or greater than b, by value.
int compareNumbers(std::string_view a, std::string_view b);

// True for 3, 3.0 and 30e-1.
bool isInteger(std::string_view number);

// How many digits it has without zeros at either end: 3 of 0.01020, 0 of zero.
std::size_t significantDigits(std::string_view number);

// Whether value is a whole multiple of divisor (> 0, of at most 18 significant digits).
bool isMultipleOf(std::string_view value, std::string_view divisor);

// The value if it is an integer that fits, "3.0" too.
std::optional<std::int64_t> toInt64(std::string_view number);

// The spelling that all numbers of this value share, and no other: "12e2", "-5e-1", "0".
std::string exactNumber(std::string_view number);

// The nearest double; infinite beyond its range.
double toDouble(std::string_view number);

// A finite double as ECMAScript and RFC 8785 write it.
std::string ecmaNumber(double value);

} // namespace tenon::json
