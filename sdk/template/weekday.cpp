// SPDX-License-Identifier: Apache-2.0
// A plugin of one tool: the weekday of a date. Make it yours: rename the file, the id and the tool,
// and say in the descriptions what a caller needs to know.
#include <tenon/plugin.hpp>

#include <array>
#include <charconv>
#include <chrono>
#include <cstdint>
#include <string>
#include <string_view>

// What the tool takes. Its fields make the input schema: the host checks each call against it.
struct Date {
    std::string date;
};

inline void describe(tenon::Fields<Date> &f) {
    f.field("date", &Date::date, "A date of the Gregorian calendar, such as 2026-12-24.")
        .pattern("^[0-9]{4}-[0-9]{2}-[0-9]{2}$");
}

// What it gives. Its fields make the output schema.
struct Weekday {
    std::string weekday;
    std::int32_t dayOfYear = 0;
};

TENON_FIELDS(Weekday, weekday, dayOfYear)

namespace {

// These are digits: the schema's pattern was checked.
int numberAt(std::string_view text, std::size_t from, std::size_t size) {
    int value = 0;
    std::from_chars(text.data() + from, text.data() + from + size, value);
    return value;
}

Weekday weekdayOf(const Date &in, tenon::Context &) {
    using namespace std::chrono;
    static constexpr std::array kNames{"Sunday",   "Monday", "Tuesday", "Wednesday",
                                       "Thursday", "Friday", "Saturday"};
    const year_month_day date{year(numberAt(in.date, 0, 4)),
                              month(static_cast<unsigned>(numberAt(in.date, 5, 2))),
                              day(static_cast<unsigned>(numberAt(in.date, 8, 2)))};
    if (!date.ok()) {
        throw tenon::ToolError("BAD_REQUEST", "There is no day " + in.date + ".")
            .hint("Months are 01 to 12, days 01 to the last one of that month.");
    }
    const days sinceNewYear = sys_days(date) - sys_days(date.year() / January / 1);
    return {kNames[weekday(date).c_encoding()],
            static_cast<std::int32_t>(sinceNewYear.count()) + 1};
}

} // namespace

TENON_PLUGIN(plugin, "weekday", "1.0.0") {
    plugin.description("The weekday of a date.");
    plugin
        .tool<Date>("weekday", "Tells the weekday of a date, and which day of its year it is.",
                    weekdayOf)
        .readOnly()
        .idempotent()
        .nonBlocking()
        .example(R"({"date":"2026-12-24"})");
}
