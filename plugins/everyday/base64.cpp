// SPDX-License-Identifier: Apache-2.0
#include <everyday/base64.h>

#include <tenon/context.hpp>

namespace everyday {
namespace {

constexpr std::string_view kAlphabet =
    "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";

[[noreturn]] void refuse(std::size_t position, const std::string &seen, const std::string &expected,
                         const std::string &hint) {
    throw tenon::ToolError("BAD_REQUEST", "The base64 text has " + seen + " at position " +
                                              std::to_string(position) + ": " + expected + ".")
        .hint(hint);
}

std::string shown(char c) {
    static constexpr char kHex[] = "0123456789ABCDEF";
    const auto byte = static_cast<unsigned char>(c);
    if (byte > 0x20 && byte < 0x7F) {
        return std::string("'") + c + "'";
    }
    return std::string("the byte 0x") + kHex[byte >> 4] + kHex[byte & 15];
}

std::uint32_t valueOf(char c) {
    const auto upper = static_cast<std::uint32_t>(c - 'A');
    const auto lower = static_cast<std::uint32_t>(c - 'a');
    const auto digit = static_cast<std::uint32_t>(c - '0');
    return upper < 26   ? upper
           : lower < 26 ? lower + 26
           : digit < 10 ? digit + 52
           : c == '+'   ? 62
           : c == '/'   ? 63
                        : 64;
}

std::uint32_t digitAt(std::string_view text, std::size_t position) {
    const char c = text[position];
    const auto value = valueOf(c);
    if (value == 64) {
        const bool urlSafe = c == '-' || c == '_';
        const bool space = c == ' ' || c == '\n' || c == '\r' || c == '\t';
        refuse(position, shown(c), "expected one of A-Z a-z 0-9 + /",
               urlSafe ? "This looks like base64url: replace '-' with '+' and '_' with '/'."
               : space ? "Remove white space and line breaks."
               : c == '='
                   ? "Padding stands at the end only: give one base64 text, not several joined."
                   : "Give the bytes in standard base64, or use the field text for plain text.");
    }
    return value;
}

// The last group: two or three digits, then padding.
void decodeLast(std::string_view text, std::size_t at, std::string &out) {
    const std::size_t digits = text[at + 2] == '=' ? 2 : 3;
    if (digits == 2 && text[at + 3] != '=') {
        refuse(at + 3, shown(text[at + 3]), "expected a second '='", "Pad with '=='.");
    }
    std::uint32_t bits = 0;
    for (std::size_t i = 0; i < digits; ++i) {
        bits = bits << 6 | digitAt(text, at + i);
    }
    const std::uint32_t unused = digits == 2 ? 4 : 2;
    if ((bits & ((1U << unused) - 1)) != 0) {
        refuse(at + digits - 1, shown(text[at + digits - 1]),
               "its last " + std::to_string(unused) + " bits belong to no byte and must be zero",
               "The text was cut or changed: encode the bytes again.");
    }
    bits >>= unused;
    if (digits == 3) {
        out += static_cast<char>(bits >> 8 & 0xFF);
    }
    out += static_cast<char>(bits & 0xFF);
}

} // namespace

std::string base64Encode(std::span<const std::uint8_t> bytes) {
    std::string out;
    out.reserve((bytes.size() + 2) / 3 * 4);
    for (std::size_t i = 0; i < bytes.size(); i += 3) {
        const std::size_t count = std::min<std::size_t>(3, bytes.size() - i);
        std::uint32_t bits = 0;
        for (std::size_t j = 0; j < 3; ++j) {
            bits = bits << 8 | (j < count ? bytes[i + j] : 0U);
        }
        for (std::size_t j = 0; j < 4; ++j) {
            out += j <= count ? kAlphabet[bits >> (18 - 6 * j) & 63] : '=';
        }
    }
    return out;
}

std::string base64Decode(std::string_view text) {
    std::string out;
    out.reserve(text.size() / 4 * 3);
    const bool padded = text.size() % 4 == 0 && text.ends_with('=');
    const std::size_t whole = (text.size() - (padded ? 4 : 0)) / 4 * 4;
    for (std::size_t i = 0; i < whole; i += 4) {
        const std::uint32_t bits = digitAt(text, i) << 18 | digitAt(text, i + 1) << 12 |
                                   digitAt(text, i + 2) << 6 | digitAt(text, i + 3);
        out += static_cast<char>(bits >> 16);
        out += static_cast<char>(bits >> 8 & 0xFF);
        out += static_cast<char>(bits & 0xFF);
    }
    if (padded) {
        decodeLast(text, whole, out);
    } else if (whole < text.size()) {
        for (std::size_t i = whole; i < text.size(); ++i) {
            digitAt(text, i); // a wrong character is the better message
        }
        refuse(text.size(), "its end", "expected a length that is a multiple of 4",
               "Pad with '=', or check that the text was not cut.");
    }
    return out;
}

} // namespace everyday
