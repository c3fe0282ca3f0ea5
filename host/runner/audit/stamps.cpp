// SPDX-License-Identifier: Apache-2.0
#include "runner/audit/stamps.h"

#include <algorithm>
#include <atomic>
#include <charconv>
#include <cstdint>
#include <random>

namespace tenon::audit {

namespace {

constexpr unsigned kCounterBits = 12; // "rand_a"; past its end the milliseconds run ahead

std::uint64_t nextTick() {
    static std::atomic<std::uint64_t> last = 0;
    const auto now = std::chrono::duration_cast<std::chrono::milliseconds>(
        std::chrono::system_clock::now().time_since_epoch());
    const auto first = static_cast<std::uint64_t>(now.count()) << kCounterBits;
    auto before = last.load();
    std::uint64_t next = 0;
    do {
        next = first > before ? first : before + 1;
    } while (!last.compare_exchange_weak(before, next));
    return next;
}

// SplitMix64 from a random start: no two processes run alike.
std::uint64_t randomBits() {
    static std::atomic<std::uint64_t> state = [] {
        std::random_device device;
        return (std::uint64_t{device()} << 32U) | device();
    }();
    std::uint64_t z = state.fetch_add(0x9E3779B97F4A7C15ULL);
    z = (z ^ (z >> 30U)) * 0xBF58476D1CE4E5B9ULL;
    z = (z ^ (z >> 27U)) * 0x94D049BB133111EBULL;
    return z ^ (z >> 31U);
}

bool isShaped(std::string_view text, std::string_view shape) {
    const auto fits = [](char c, char wanted) {
        return wanted == '0' ? c >= '0' && c <= '9' : c == wanted;
    };
    return text.size() == shape.size() && std::equal(text.begin(), text.end(), shape.begin(), fits);
}

} // namespace

void nextRowId(std::string &id) {
    static constexpr char kHex[] = "0123456789abcdef";
    const auto tick = nextTick();
    const auto high = (tick >> kCounterBits << 16U) | 0x7000U | (tick & 0xFFFU);
    const auto low = (randomBits() >> 2U) | (std::uint64_t{2} << 62U);
    id.resize(36);
    std::size_t at = 0;
    for (unsigned digit = 0; digit < 32; ++digit) {
        if (digit == 8 || digit == 12 || digit == 16 || digit == 20) {
            id[at++] = '-';
        }
        const auto bits = digit < 16 ? high : low;
        id[at++] = kHex[(bits >> (60U - 4U * (digit % 16U))) & 15U];
    }
}

std::string timeText(SystemTime time) {
    using namespace std::chrono;
    const auto day = floor<days>(time);
    const year_month_day date(day);
    const auto ms = static_cast<unsigned>(floor<milliseconds>(time - day).count());
    std::string text = "0000-00-00T00:00:00.000Z";
    const auto put = [&](std::size_t at, std::size_t digits, unsigned value) {
        for (auto i = at + digits; i > at; value /= 10) {
            text[--i] = static_cast<char>('0' + value % 10);
        }
    };
    put(0, 4, static_cast<unsigned>(static_cast<int>(date.year())));
    put(5, 2, static_cast<unsigned>(date.month()));
    put(8, 2, static_cast<unsigned>(date.day()));
    put(11, 2, ms / 3'600'000);
    put(14, 2, ms / 60'000 % 60);
    put(17, 2, ms / 1'000 % 60);
    put(20, 3, ms % 1'000);
    return text;
}

bool parseTime(std::string_view text, SystemTime &out) {
    using namespace std::chrono;
    if (!isShaped(text, "0000-00-00T00:00:00.000Z")) {
        return false;
    }
    const auto number = [&](std::size_t at, std::size_t digits) {
        unsigned value = 0;
        std::from_chars(text.data() + at, text.data() + at + digits, value);
        return value;
    };
    const year_month_day date(year(static_cast<int>(number(0, 4))), month(number(5, 2)),
                              day(number(8, 2)));
    if (!date.ok() || number(11, 2) > 23 || number(14, 2) > 59 || number(17, 2) > 60) {
        return false;
    }
    out = sys_days(date) + hours(number(11, 2)) + minutes(number(14, 2)) + seconds(number(17, 2)) +
          milliseconds(number(20, 3));
    return true;
}

} // namespace tenon::audit
