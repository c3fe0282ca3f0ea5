// SPDX-License-Identifier: Apache-2.0
// Code points of text that is known to be UTF-8. Private to this folder.
#pragma once

#include <algorithm>
#include <cstdint>
#include <string>
#include <string_view>

namespace tenon::schema {

// The first code point of a text that is not empty; the text begins behind it then.
inline std::uint32_t takeCodePoint(std::string_view &text) {
    const auto first = static_cast<unsigned char>(text[0]);
    const std::size_t bytes = first < 0x80 ? 1U : first < 0xE0 ? 2U : first < 0xF0 ? 3U : 4U;
    std::uint32_t code = bytes == 1 ? first : first & (0xFFU >> (bytes + 1));
    const std::size_t end = std::min(bytes, text.size());
    for (std::size_t i = 1; i < end; ++i) {
        code = (code << 6) | (static_cast<unsigned char>(text[i]) & 0x3FU);
    }
    text.remove_prefix(end);
    return code;
}

inline void appendCodePoint(std::string &out, std::uint32_t code) {
    const auto byte = [&](std::uint32_t bits) { out += static_cast<char>(bits); };
    if (code < 0x80) {
        return byte(code);
    }
    if (code < 0x800) {
        byte(0xC0U | (code >> 6));
    } else {
        if (code < 0x10000) {
            byte(0xE0U | (code >> 12));
        } else {
            byte(0xF0U | (code >> 18));
            byte(0x80U | ((code >> 12) & 0x3FU));
        }
        byte(0x80U | ((code >> 6) & 0x3FU));
    }
    byte(0x80U | (code & 0x3FU));
}

} // namespace tenon::schema
