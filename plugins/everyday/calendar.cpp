// SPDX-License-Identifier: Apache-2.0
#include <everyday/calendar.h>

#include <array>

namespace everyday {

CalendarSum addCalendar(date::local_seconds local, std::int64_t months, std::int64_t days) {
    using namespace date;
    CalendarSum out;
    const auto day = floor<date::days>(local);
    const auto timeOfDay = local - day;
    const year_month_day from{day};
    const year_month month = from.year() / from.month() + date::months(static_cast<int>(months));
    const auto lastDay = (month / last).day();
    out.clamped = from.day() > lastDay;
    if (out.clamped) {
        static constexpr std::array kNames = {"January",   "February", "March",    "April",
                                              "May",       "June",     "July",     "August",
                                              "September", "October",  "November", "December"};
        out.note = std::string(kNames[static_cast<unsigned>(month.month()) - 1]) + " " +
                   std::to_string(static_cast<int>(month.year())) + " has no day " +
                   std::to_string(static_cast<unsigned>(from.day())) + ": its last day, " +
                   std::to_string(static_cast<unsigned>(lastDay)) + ", was taken.";
    }
    const local_days inMonth = local_days(month / std::min(from.day(), lastDay));
    out.local = local_seconds(inMonth + date::days(static_cast<int>(days))) + timeOfDay;
    return out;
}

Elapsed elapsedBetween(const Instant &early, const Instant &late) {
    Elapsed out{late.seconds - early.seconds, late.nanoseconds - early.nanoseconds};
    if (out.nanoseconds < 0) {
        out.nanoseconds += 1'000'000'000;
        out.seconds -= std::chrono::seconds(1);
    }
    return out;
}

namespace {

// The most steps after which reached(steps) still holds, from a guess that is off by few.
template <class Reached> std::int64_t mostSteps(std::int64_t guess, Reached reached) {
    guess = std::max<std::int64_t>(guess, 0);
    while (guess > 0 && !reached(guess)) {
        --guess;
    }
    while (reached(guess + 1)) {
        ++guess;
    }
    return guess;
}

} // namespace

CalendarDifference calendarBetween(const Instant &early, const Instant &late, const Clock &clock) {
    const auto from = localOf(early, clock), to = localOf(late, clock);
    const auto instantAfter = [&](std::int64_t months, std::int64_t days) {
        if (months == 0 && days == 0) {
            return early; // not resolved anew: early may be the second of two
        }
        std::vector<Resolution> unused;
        return resolve(addCalendar(from, months, days).local, early.nanoseconds, clock,
                       "compatible", "", unused);
    };
    const auto reaches = [&](std::int64_t months, std::int64_t days) {
        return !(late < instantAfter(months, days));
    };
    const auto wholeDays = [](date::local_seconds a, date::local_seconds b) {
        return static_cast<std::int64_t>(date::floor<date::days>(b - a).count());
    };
    const date::year_month_day fromDay{date::floor<date::days>(from)};
    const date::year_month_day toDay{date::floor<date::days>(to)};
    const auto monthGuess =
        (toDay.year() / toDay.month() - fromDay.year() / fromDay.month()).count();

    CalendarDifference out;
    const auto months = mostSteps(monthGuess, [&](auto steps) { return reaches(steps, 0); });
    const auto middle = addCalendar(from, months, 0).local;
    out.days = mostSteps(wholeDays(middle, to), [&](auto steps) { return reaches(months, steps); });
    out.totalDays = mostSteps(wholeDays(from, to), [&](auto steps) { return reaches(0, steps); });
    out.rest = elapsedBetween(instantAfter(months, out.days), late);
    out.years = months / 12;
    out.months = months % 12;
    return out;
}

std::string formatDuration(const CalendarDifference &parts) {
    const auto part = [](std::int64_t amount, char unit) {
        return amount == 0 ? "" : std::to_string(amount) + unit;
    };
    const std::string dates =
        part(parts.years, 'Y') + part(parts.months, 'M') + part(parts.days, 'D');
    const auto rest = parts.rest.seconds.count();
    std::string times = part(rest / 3600, 'H') + part(rest / 60 % 60, 'M');
    if (rest % 60 != 0 || parts.rest.nanoseconds != 0) {
        times += std::to_string(rest % 60) + formatFraction(parts.rest.nanoseconds) + "S";
    }
    if (dates.empty() && times.empty()) {
        return "PT0S";
    }
    return "P" + dates + (times.empty() ? "" : "T" + times);
}

} // namespace everyday
