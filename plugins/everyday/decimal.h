// SPDX-License-Identifier: Apache-2.0
// Exact arithmetic for unit conversion: a decimal number times a fraction, rounded once.
#pragma once

#include <cstdint>
#include <numeric>

namespace everyday {

__extension__ typedef unsigned __int128 Wide; // ISO C++ has no name for it

// numerator / denominator * 10^exponent, in lowest terms but for the power of ten.
struct Ratio {
    std::uint64_t numerator = 1;
    std::uint64_t denominator = 1;
    int exponent = 0;
};

// digits * 10^exponent, with a sign: the shortest decimal that names a double.
struct Decimal {
    bool negative = false;
    std::uint64_t digits = 0;
    int exponent = 0;
};
Decimal shortestDecimal(double value); // finite

struct Rounded {
    double value = 0;
    bool exact = false; // value's shortest decimal is the whole truth
};
// The double nearest to digits * numerator / denominator * 10^exponent, infinite or 0 where it is
// out of range. digits * numerator must fit in 128 bits, denominator in 120.
Rounded scaled(Wide digits, std::uint64_t numerator, Wide denominator, int exponent);

} // namespace everyday
