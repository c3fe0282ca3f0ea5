// SPDX-License-Identifier: Apache-2.0
#include <everyday/posix_rule.h>

#include <algorithm>

namespace everyday {

using std::chrono::hours;
using std::chrono::minutes;
using std::chrono::seconds;

// Each step answers false where the text is not what it should be.
class PosixRule::Parser {
public:
    explicit Parser(std::string_view text) : text_(text) {}

    bool run(PosixRule &out) {
        seconds west{0};
        if (!name(out.standard_.abbreviation) || !time(west, 24)) {
            return false;
        }
        out.standard_.utc = -west;
        if (text_.empty()) {
            return true;
        }
        Offset &daylight = out.daylight_.emplace();
        daylight.daylight = true;
        if (!name(daylight.abbreviation)) {
            return false;
        }
        west -= hours(1);
        if (!text_.starts_with(',') && !time(west, 24)) {
            return false;
        }
        daylight.utc = -west;
        return day(out.start_) && day(out.end_) && text_.empty();
    }

private:
    bool take(char c) {
        const bool there = text_.starts_with(c);
        text_.remove_prefix(there ? 1 : 0);
        return there;
    }
    bool name(std::string &out) {
        const bool angled = take('<');
        std::size_t size = 0;
        while (size < text_.size() && inName(text_[size], angled)) {
            ++size;
        }
        out = text_.substr(0, size);
        text_.remove_prefix(size);
        return size >= 3 && (!angled || take('>'));
    }
    static bool inName(char c, bool angled) {
        const bool letter = (c >= 'A' && c <= 'Z') || (c >= 'a' && c <= 'z');
        return letter || (angled && ((c >= '0' && c <= '9') || c == '+' || c == '-'));
    }
    bool number(int &out, int min, int max) {
        std::size_t size = 0;
        for (out = 0; size < text_.size() && size < 4; ++size) {
            const char c = text_[size];
            if (c < '0' || c > '9') {
                break;
            }
            out = out * 10 + (c - '0');
        }
        text_.remove_prefix(size);
        return size > 0 && out >= min && out <= max;
    }
    bool time(seconds &out, int hoursMax) {
        const bool minus = take('-');
        if (!minus) {
            take('+');
        }
        int h = 0, m = 0, s = 0;
        if (!number(h, 0, hoursMax) || (take(':') && !number(m, 0, 59)) ||
            (take(':') && !number(s, 0, 59))) {
            return false;
        }
        out = hours(h) + minutes(m) + seconds(s);
        out = minus ? -out : out;
        return true;
    }
    bool day(Day &out) {
        if (!take(',')) {
            return false;
        }
        bool good = false;
        if (take('M')) {
            out.kind = Day::Kind::MonthWeekday;
            good = number(out.month, 1, 12) && take('.') && number(out.week, 1, 5) && take('.') &&
                   number(out.weekday, 0, 6);
        } else if (take('J')) {
            out.kind = Day::Kind::JulianNoLeap;
            good = number(out.day, 1, 365);
        } else {
            out.kind = Day::Kind::ZeroBased;
            good = number(out.day, 0, 365);
        }
        return good && (!take('/') || time(out.time, 167));
    }

    std::string_view text_;
};

std::optional<PosixRule> PosixRule::parse(std::string_view text) {
    PosixRule rule;
    return Parser(text).run(rule) ? std::optional(std::move(rule)) : std::nullopt;
}

date::local_seconds PosixRule::Day::in(date::year year) const {
    using namespace date;
    local_days on;
    if (kind == Kind::MonthWeekday) {
        const auto inMonth = year / date::month(static_cast<unsigned>(month));
        const date::weekday which{static_cast<unsigned>(weekday)};
        on = week == 5 ? local_days(inMonth / which[last])
                       : local_days(inMonth / which[static_cast<unsigned>(week)]);
    } else {
        const bool behindLeapDay = kind == Kind::JulianNoLeap && day >= 60 && year.is_leap();
        const int index = kind == Kind::ZeroBased ? day : day - 1 + (behindLeapDay ? 1 : 0);
        on = local_days(year / January / 1) + days(index);
    }
    return local_seconds(on) + time;
}

std::vector<PosixRule::Change> PosixRule::changesAround(date::year year) const {
    std::vector<Change> out;
    if (!daylight_) {
        return out;
    }
    for (const auto which : {year - date::years(1), year, year + date::years(1)}) {
        const auto at = [&](const Day &day, const Offset &before) {
            return date::sys_seconds(day.in(which).time_since_epoch() - before.utc);
        };
        out.push_back({at(end_, *daylight_), &standard_});
        out.push_back({at(start_, standard_), &*daylight_});
    }
    // Daylight saving all the year ends in the second in which it starts: the start is meant.
    std::stable_sort(out.begin(), out.end(), [](auto &a, auto &b) { return a.at < b.at; });
    return out;
}

} // namespace everyday
