// SPDX-License-Identifier: Apache-2.0
// Words: joining them, making them safe to show, finding the nearest.
#pragma once

#include <concepts>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace tenon {

inline void appendPart(std::string &out, std::string_view part) {
    out += part;
}
inline void appendPart(std::string &out, char part) {
    out += part;
}
template <std::integral Number>
requires(!std::same_as<Number, char> &&
         !std::same_as<Number, bool>) void appendPart(std::string &out, Number number) {
    out += std::to_string(number);
}

// concat("seen ", 3, " of ", name): one string of text and whole numbers.
template <class... Parts> std::string concat(const Parts &...parts) {
    std::string out;
    (appendPart(out, parts), ...);
    return out;
}

// Where text stops being UTF-8 (RFC 3629: no surrogates, no overlong forms), or npos.
std::size_t invalidUtf8At(std::string_view text);

// text with each byte that is not UTF-8 as U+FFFD.
std::string validUtf8(std::string_view text);

// text with control, bidirectional and line-separating characters as \u escapes and bytes that are
// not UTF-8 as U+FFFD, cut at bytesMax with a notice of what was cut: safe for logs and terminals.
std::string printable(std::string_view text, std::size_t bytesMax = 16000);

// A name in small letters and without the signs that join words: _ - . and the space.
std::string folded(std::string_view name);

// The candidate nearest to word by edits, or "" when none is near enough to be meant.
std::string nearest(std::string_view word, const std::vector<std::string_view> &candidates);

// "a, b and c", at most `most` of them and then "and N more".
std::string listed(const std::vector<std::string_view> &words, std::size_t most = 20);

} // namespace tenon
