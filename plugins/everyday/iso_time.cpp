// SPDX-License-Identifier: Apache-2.0
#include <everyday/iso_time.h>

#include <everyday/nearest.h>

#include <tenon/context.hpp>

#include <array>

namespace everyday {
namespace {

using std::chrono::hours;
using std::chrono::minutes;
using std::chrono::seconds;

class Parser {
public:
    Parser(std::string_view field, std::string_view text) : field_(field), text_(text) {}

    WrittenTime run() {
        WrittenTime out;
        const auto day = date();
        out.local = date::local_seconds(date::local_days(day));
        out.dateOnly = at_ == text_.size();
        if (out.dateOnly) {
            return out;
        }
        if (!take('T')) {
            refuse("'T' between date and time, or the end");
        }
        out.local += hours(part("an hour", 23));
        if (!take(':')) {
            refuse("':' and the minutes");
        }
        out.local += minutes(part("minutes", 59));
        if (take(':')) {
            out.local += seconds(part("seconds (leap seconds cannot be used)", 59));
            out.nanoseconds = take('.') ? fraction() : 0;
        }
        if (at_ < text_.size()) {
            out.offset = offset();
        }
        if (at_ < text_.size()) {
            refuse("the end");
        }
        return out;
    }

private:
    [[noreturn]] void refuse(const std::string &expected) const {
        const std::string seen = at_ < text_.size() ? inQuotes(text_.substr(at_)) : "its end";
        throw tenon::ToolError("BAD_REQUEST", "The " + std::string(field_) + " " + inQuotes(text_) +
                                                  " has " + seen + " at position " +
                                                  std::to_string(at_) + ": expected " + expected +
                                                  ".")
            .hint("Write ISO 8601 with all digits: 2026-01-31, 2026-01-31T09:30:00, "
                  "2026-01-31T09:30:00Z or 2026-01-31T09:30:00+02:00.");
    }
    bool take(char c) {
        const bool there = at_ < text_.size() && text_[at_] == c;
        at_ += there ? 1 : 0;
        return there;
    }
    bool digitAt(std::size_t at) const {
        return at < text_.size() && text_[at] >= '0' && text_[at] <= '9';
    }
    int number(std::size_t digits, int min, int max, const std::string &expected) {
        int out = 0;
        for (std::size_t i = 0; i < digits; ++i) {
            if (!digitAt(at_ + i)) {
                refuse(expected);
            }
            out = out * 10 + (text_[at_ + i] - '0');
        }
        if (out < min || out > max) {
            refuse(expected);
        }
        at_ += digits;
        return out;
    }
    int part(const std::string &what, int max) {
        return number(2, 0, max, what + " of two digits, 00 to " + std::to_string(max));
    }
    date::year_month_day date() {
        const date::year year{number(4, 1, 9999, "a year of four digits, 0001 to 9999")};
        const std::string dash = "'-': dates are written YYYY-MM-DD";
        if (!take('-')) {
            refuse(dash);
        }
        const int month = number(2, 1, 12, "a month of two digits, 01 to 12");
        if (!take('-')) {
            refuse(dash);
        }
        const auto last = year / month / date::last;
        const auto days = static_cast<unsigned>(last.day());
        const int day =
            number(2, 1, static_cast<int>(days),
                   "a day of two digits, 01 to " + std::to_string(days) + " in that month");
        return year / month / day;
    }
    std::int32_t fraction() {
        std::int32_t out = 0;
        std::size_t count = 0;
        for (; digitAt(at_); ++at_, ++count) {
            if (count == 9) {
                refuse("at most 9 digits of a second's fraction");
            }
            out = out * 10 + (text_[at_] - '0');
        }
        if (count == 0) {
            refuse("digits of a second's fraction");
        }
        for (; count < 9; ++count) {
            out *= 10;
        }
        return out;
    }
    seconds offset() {
        if (take('Z')) {
            return seconds(0);
        }
        const bool minus = take('-');
        if (!minus && !take('+')) {
            refuse("Z, or an offset such as +02:00, or the end");
        }
        seconds out = hours(part("hours of the offset", 23));
        if (!take(':')) {
            refuse("':' and the minutes of the offset");
        }
        out += minutes(part("minutes of the offset", 59));
        out += seconds(take(':') ? part("seconds of the offset", 59) : 0);
        return minus ? -out : out;
    }

    std::string_view field_, text_;
    std::size_t at_ = 0;
};

std::string padded(long long value, std::size_t width) {
    const std::string digits = std::to_string(value);
    return std::string(width > digits.size() ? width - digits.size() : 0, '0') + digits;
}

} // namespace

WrittenTime parseTime(std::string_view field, std::string_view text) {
    return Parser(field, text).run();
}

void checkYear(date::local_seconds local) {
    using namespace date;
    if (local < local_days(year(1) / 1 / 1) || local >= local_days(year(10000) / 1 / 1)) {
        throw tenon::ToolError("BAD_REQUEST",
                               "The result is outside the years 0001 to 9999, here or in UTC.")
            .hint("Only these years can be written as ISO 8601 dates: use a smaller amount.");
    }
}

std::string formatDate(date::local_seconds local) {
    const date::year_month_day day{date::floor<date::days>(local)};
    return padded(static_cast<int>(day.year()), 4) + "-" +
           padded(static_cast<unsigned>(day.month()), 2) + "-" +
           padded(static_cast<unsigned>(day.day()), 2);
}

std::string formatFraction(std::int32_t nanoseconds) {
    if (nanoseconds == 0) {
        return "";
    }
    std::string digits = padded(nanoseconds, 9);
    digits.erase(digits.find_last_not_of('0') + 1);
    return "." + digits;
}

std::string formatLocal(date::local_seconds local, std::int32_t nanoseconds) {
    const auto inDay = (local - date::floor<date::days>(local)).count();
    return formatDate(local) + "T" + padded(inDay / 3600, 2) + ":" + padded(inDay / 60 % 60, 2) +
           ":" + padded(inDay % 60, 2) + formatFraction(nanoseconds);
}

std::string formatOffset(std::chrono::seconds offset) {
    const auto all = offset.count() < 0 ? -offset.count() : offset.count();
    return (offset.count() < 0 ? "-" : "+") + padded(all / 3600, 2) + ":" +
           padded(all / 60 % 60, 2) + (all % 60 != 0 ? ":" + padded(all % 60, 2) : "");
}

std::string formatUtc(const Instant &instant) {
    return formatLocal(date::local_seconds(instant.seconds.time_since_epoch()),
                       instant.nanoseconds) +
           "Z";
}

std::string weekdayName(date::local_seconds local) {
    static constexpr std::array kNames = {"Sunday",   "Monday", "Tuesday", "Wednesday",
                                          "Thursday", "Friday", "Saturday"};
    return kNames[date::weekday(date::floor<date::days>(local)).c_encoding()];
}

} // namespace everyday
