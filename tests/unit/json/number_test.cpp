// SPDX-License-Identifier: Apache-2.0
#include "json/number.h"

#include <catch2/catch.hpp>

#include <chrono>
#include <cmath>
#include <limits>
#include <string>

using namespace tenon::json;

TEST_CASE("Numbers compare by value, whatever their spelling") {
    const std::pair<std::string_view, std::string_view> equalPairs[] = {
        {"1", "1.0"},
        {"100", "1e2"},
        {"0.1", "1e-1"},
        {"0", "-0"},
        {"0", "0e999"},
        {"-5", "-50e-1"},
        {"1e400", "10E399"},
        {"0.0", "-0.000"},
        {"1200", "1.2e3"},
        {"123456789012345678901234567890", "1.2345678901234567890123456789e29"}};
    for (const auto &[a, b] : equalPairs) {
        CAPTURE(a, b);
        CHECK(compareNumbers(a, b) == 0);
        CHECK(compareNumbers(b, a) == 0);
    }
}

TEST_CASE("Order holds where doubles would not see it") {
    const std::pair<std::string_view, std::string_view> ordered[] = {
        {"9007199254740992", "9007199254740993"},
        {"9223372036854775807", "9223372036854775808"},
        {"9223372036854775807", "1e32"},
        {"18446744073709551615", "18446744073709551616"},
        {"0.1", "0.10000000000000000000000000001"},
        {"1e400", "1.1e400"},
        {"-1e401", "-1e400"},
        {"-1e400", "0"},
        {"1e-400", "1e-399"},
        {"0", "1e-400"},
        {"-2", "-1"},
        {"-1", "0.5"},
        {"0.5", "1"},
        {"9", "10"},
        {"99e-1", "10"},
        {"-9223372036854775809", "-9223372036854775808"}};
    for (const auto &[less, more] : ordered) {
        CAPTURE(less, more);
        CHECK(compareNumbers(less, more) == -1);
        CHECK(compareNumbers(more, less) == 1);
    }
}

TEST_CASE("An exponent of any size is compared in no time") {
    CHECK(compareNumbers("1e999999999999999999999", "1e400") == 1);
    CHECK(compareNumbers("1e-999999999999999999999", "1e-400") == -1);
    CHECK(compareNumbers("-1e999999999999999999999", "0") == -1);
    CHECK(compareNumbers("0e999999999999999999999", "0") == 0);
}

TEST_CASE("A whole number is an integer in each of its spellings") {
    for (const auto *yes : {"0", "-0", "3", "-3", "3.0", "3.000", "30e-1", "1e400", "1.5e1", "0.0",
                            "0e-5", "123456789012345678901234567890"}) {
        CAPTURE(yes);
        CHECK(isInteger(yes));
    }
    for (const auto *no : {"0.5", "3.1", "1e-1", "1.55e1", "1e-400", "30e-2", "-0.1"}) {
        CAPTURE(no);
        CHECK_FALSE(isInteger(no));
    }
}

TEST_CASE("Multiples are exact in decimals") {
    const std::pair<std::string_view, std::string_view> multiples[] = {
        {"0.29", "0.01"},
        {"0.3", "0.1"},
        {"19.99", "0.01"},
        {"4.35", "0.05"},
        {"0", "7"},
        {"10", "2.5"},
        {"1e400", "0.5"},
        {"15", "2.5"},
        {"-9", "3"},
        {"0.0075", "0.0001"},
        {"9007199254740993", "3"},
        {"1e18", "1000000000000000000"},
        {"123456789012345678901234567890", "10"},
        {"0.0", "0.3"}};
    for (const auto &[value, divisor] : multiples) {
        CAPTURE(value, divisor);
        CHECK(isMultipleOf(value, divisor));
    }
    const std::pair<std::string_view, std::string_view> others[] = {
        {"0.295", "0.01"},         {"0.00751", "0.0001"}, {"5", "10"},
        {"9007199254740993", "2"}, {"1", "0.3"},          {"1e400", "3"},
        {"1e400", "3e400"},        {"0.5", "1"},          {"123456789012345678901234567891", "10"}};
    for (const auto &[value, divisor] : others) {
        CAPTURE(value, divisor);
        CHECK_FALSE(isMultipleOf(value, divisor));
    }
}

TEST_CASE("Multiples of a huge exponent are decided at once") {
    const auto start = std::chrono::steady_clock::now();
    CHECK(isMultipleOf("1e999999999999", "0.5"));
    CHECK_FALSE(isMultipleOf("1e999999999999", "7"));
    CHECK_FALSE(isMultipleOf("1", "1e999999999999"));
    CHECK(isMultipleOf(std::string(100'000, '9'), "9"));
    CHECK(std::chrono::steady_clock::now() - start < std::chrono::seconds(1));
}

TEST_CASE("toInt64 takes each spelling of a whole number that fits, and no other") {
    CHECK(toInt64("0") == 0);
    CHECK(toInt64("-0") == 0);
    CHECK(toInt64("3.0") == 3);
    CHECK(toInt64("-30e-1") == -3);
    CHECK(toInt64("1e18") == 1'000'000'000'000'000'000);
    CHECK(toInt64("9223372036854775807") == std::numeric_limits<std::int64_t>::max());
    CHECK(toInt64("-9223372036854775808") == std::numeric_limits<std::int64_t>::min());
    CHECK(toInt64("9.223372036854775807e18") == std::numeric_limits<std::int64_t>::max());
    CHECK(toInt64("9007199254740993") == 9007199254740993);
    for (const auto *no : {"9223372036854775808", "-9223372036854775809", "1.5", "1e19", "1e400",
                           "1e-1", "1e999999999999999999999", "99999999999999999999"}) {
        CAPTURE(no);
        CHECK_FALSE(toInt64(no));
    }
}

TEST_CASE("toDouble is the nearest double, infinite beyond and zero below the range") {
    CHECK(toDouble("0.1") == 0.1);
    CHECK(toDouble("9007199254740993") == 9007199254740992.0);
    CHECK(toDouble("1.7976931348623157e308") == std::numeric_limits<double>::max());
    CHECK(toDouble("5e-324") == std::numeric_limits<double>::denorm_min());
    CHECK(toDouble("1e400") == std::numeric_limits<double>::infinity());
    CHECK(toDouble("-1e400") == -std::numeric_limits<double>::infinity());
    CHECK(toDouble("1e-400") == 0);
    CHECK(std::signbit(toDouble("-1e-400")));
    CHECK(toDouble("1e999999999999999999999") == std::numeric_limits<double>::infinity());
    CHECK(toDouble("0e999999999999999999999") == 0);
}
