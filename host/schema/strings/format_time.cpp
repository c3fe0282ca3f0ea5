// SPDX-License-Identifier: Apache-2.0
#include "schema/strings/format_checks.h"

#include <array>

namespace tenon::schema {

namespace {

using std::string_view;

bool isDigit(char c) {
    return c >= '0' && c <= '9';
}

// `digits` digits at the front of text, or -1; they are gone from text then.
int number(string_view &text, std::size_t digits) {
    int value = 0;
    for (std::size_t i = 0; i < digits; ++i) {
        if (i >= text.size() || !isDigit(text[i])) {
            return -1;
        }
        value = value * 10 + (text[i] - '0');
    }
    text.remove_prefix(digits);
    return value;
}

bool take(string_view &text, string_view anyOf) {
    if (text.empty() || anyOf.find(text[0]) == anyOf.npos) {
        return false;
    }
    text.remove_prefix(1);
    return true;
}

bool takeDigits(string_view &text) {
    const auto before = text.size();
    while (!text.empty() && isDigit(text[0])) {
        text.remove_prefix(1);
    }
    return text.size() < before;
}

bool takeDate(string_view &text) {
    constexpr std::array kDays{31, 28, 31, 30, 31, 30, 31, 31, 30, 31, 30, 31};
    const int year = number(text, 4);
    const int month = year >= 0 && take(text, "-") ? number(text, 2) : -1;
    const int day = month >= 1 && take(text, "-") ? number(text, 2) : -1;
    if (month < 1 || month > 12 || day < 1) {
        return false;
    }
    const bool leap = year % 4 == 0 && (year % 100 != 0 || year % 400 == 0);
    return day <= kDays[static_cast<std::size_t>(month) - 1] + (leap && month == 2 ? 1 : 0);
}

bool takeTime(string_view &text) {
    const int hour = number(text, 2);
    const int minute = hour >= 0 && take(text, ":") ? number(text, 2) : -1;
    const int second = minute >= 0 && take(text, ":") ? number(text, 2) : -1;
    if (hour > 23 || minute > 59 || second < 0 || second > 60) {
        return false;
    }
    if (take(text, ".") && !takeDigits(text)) {
        return false;
    }
    int offset = 0; // in minutes
    if (!take(text, "Zz")) {
        const bool east = text.starts_with('+');
        const int hours = take(text, "+-") ? number(text, 2) : -1;
        const int minutes = hours >= 0 && take(text, ":") ? number(text, 2) : -1;
        if (hours > 23 || minutes < 0 || minutes > 59) {
            return false;
        }
        offset = (hours * 60 + minutes) * (east ? 1 : -1);
    }
    // A leap second is the last of a day of UTC.
    constexpr int kDay = 24 * 60;
    return second < 60 || (hour * 60 + minute - offset + kDay) % kDay == kDay - 1;
}

// The parts of a duration that follow each other: "1Y2M" of units "YMD". None may be left out
// between two that are there.
bool takeParts(string_view &text, string_view units) {
    bool some = false;
    while (!text.empty() && isDigit(text[0])) {
        takeDigits(text);
        const auto unit = text.empty() ? units.npos : units.find(text[0]);
        if (unit == units.npos || (some && unit != 0)) {
            return false;
        }
        text.remove_prefix(1);
        units.remove_prefix(unit + 1);
        some = true;
    }
    return some;
}

} // namespace

bool isDate(string_view text) {
    return takeDate(text) && text.empty();
}

bool isTime(string_view text) {
    return takeTime(text) && text.empty();
}

bool isDateTime(string_view text) {
    return takeDate(text) && take(text, "Tt") && takeTime(text) && text.empty();
}

bool isDuration(string_view text) {
    if (!take(text, "P")) {
        return false;
    }
    if (text.ends_with('W')) {
        return takeDigits(text) && text == "W";
    }
    const bool timeOnly = text.starts_with('T');
    if (!timeOnly && !takeParts(text, "YMD")) {
        return false;
    }
    return (!timeOnly && text.empty()) ||
           (take(text, "T") && takeParts(text, "HMS") && text.empty());
}

} // namespace tenon::schema
