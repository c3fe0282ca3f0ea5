// SPDX-License-Identifier: Apache-2.0
// Many bytes at a time over text that is mostly plain.
#pragma once

#include <bit>
#include <cstdint>
#include <cstring>

#if defined(__SSE2__)
#include <emmintrin.h>
#endif

namespace tenon {

// What ends a run of plain bytes.
enum class StopAt { Special, SpecialOrBeyondAscii };

// The first byte from `at` on that is a quote, a backslash or a control character (or, if asked,
// beyond ASCII), or `end`.
template <StopAt stop> inline const char *skipPlain(const char *at, const char *end) {
#if defined(__SSE2__)
    for (; end - at >= 16; at += 16) {
        const __m128i bytes = _mm_loadu_si128(reinterpret_cast<const __m128i *>(at));
        const auto equals = [&](char c) { return _mm_cmpeq_epi8(bytes, _mm_set1_epi8(c)); };
        // As signed bytes, those beyond ASCII are below 0x20 too.
        __m128i low = _mm_cmplt_epi8(bytes, _mm_set1_epi8(0x20));
        if constexpr (stop == StopAt::Special) {
            low = _mm_andnot_si128(_mm_cmplt_epi8(bytes, _mm_setzero_si128()), low);
        }
        const __m128i found = _mm_or_si128(low, _mm_or_si128(equals('"'), equals('\\')));
        if (const int mask = _mm_movemask_epi8(found); mask != 0) {
            return at + std::countr_zero(static_cast<unsigned>(mask));
        }
    }
#endif
    static_assert(std::endian::native == std::endian::little);
    constexpr std::uint64_t kOnes = 0x0101010101010101ULL;
    constexpr std::uint64_t kHigh = 0x8080808080808080ULL;
    for (; end - at >= 8; at += 8) {
        std::uint64_t bytes = 0;
        std::memcpy(&bytes, at, sizeof bytes);
        const auto zeros = [](std::uint64_t x) { return (x - kOnes) & ~x; };
        // The lowest bit that is set is exact; those above it may be carries.
        std::uint64_t found = ((bytes - kOnes * 0x20) & ~bytes) | zeros(bytes ^ (kOnes * '"')) |
                              zeros(bytes ^ (kOnes * '\\'));
        if constexpr (stop == StopAt::SpecialOrBeyondAscii) {
            found |= bytes;
        }
        if ((found & kHigh) != 0) {
            return at + std::countr_zero(found & kHigh) / 8;
        }
    }
    for (; at < end; ++at) {
        const auto byte = static_cast<unsigned char>(*at);
        if (byte < 0x20 || byte == '"' || byte == '\\' ||
            (stop == StopAt::SpecialOrBeyondAscii && byte >= 0x80)) {
            break;
        }
    }
    return at;
}

// The first byte from `at` on that is beyond ASCII, or `end`.
inline const char *skipAscii(const char *at, const char *end) {
    for (; end - at >= 8; at += 8) {
        std::uint64_t bytes = 0;
        std::memcpy(&bytes, at, sizeof bytes);
        if ((bytes & 0x8080808080808080ULL) != 0) {
            break;
        }
    }
    while (at < end && static_cast<unsigned char>(*at) < 0x80) {
        ++at;
    }
    return at;
}

} // namespace tenon
