// SPDX-License-Identifier: Apache-2.0
#include "support/text.h"

#include "support/scan.h"

#include <algorithm>
#include <numeric>

namespace tenon {

namespace {

struct Decoded {
    std::uint32_t code;
    std::size_t bytes; // 0: not UTF-8
};

Decoded decode(std::string_view text, std::size_t at) {
    const auto byte = [&](std::size_t i) -> std::uint32_t {
        return at + i < text.size() ? static_cast<unsigned char>(text[at + i]) : 0U;
    };
    const auto tail = [&](std::size_t i) { return (byte(i) & 0xC0U) == 0x80U; };
    const std::uint32_t first = byte(0);
    if (first < 0x80) {
        return {first, 1};
    }
    if (first >= 0xC2 && first < 0xE0 && tail(1)) {
        return {((first & 0x1FU) << 6) | (byte(1) & 0x3FU), 2};
    }
    if (first >= 0xE0 && first < 0xF0 && tail(1) && tail(2)) {
        const auto code = ((first & 0x0FU) << 12) | ((byte(1) & 0x3FU) << 6) | (byte(2) & 0x3FU);
        const bool surrogate = code >= 0xD800 && code < 0xE000;
        return {code, code >= 0x800 && !surrogate ? 3U : 0U};
    }
    if (first >= 0xF0 && first < 0xF5 && tail(1) && tail(2) && tail(3)) {
        const auto code = ((first & 0x07U) << 18) | ((byte(1) & 0x3FU) << 12) |
                          ((byte(2) & 0x3FU) << 6) | (byte(3) & 0x3FU);
        return {code, code >= 0x10000 && code < 0x110000 ? 4U : 0U};
    }
    return {0, 0};
}

// Controls (C0 but tab, DEL, C1), line and paragraph separators, bidirectional formatting.
bool unsafeToShow(std::uint32_t code) {
    return (code < 0x20 && code != '\t') || (code >= 0x7F && code < 0xA0) || code == 0x2028 ||
           code == 0x2029 || code == 0x200E || code == 0x200F ||
           (code >= 0x202A && code <= 0x202E) || (code >= 0x2066 && code <= 0x2069) ||
           code == 0x061C || code == 0xFEFF;
}

std::size_t editDistance(std::string_view a, std::string_view b) {
    std::vector<std::size_t> row(b.size() + 1);
    std::iota(row.begin(), row.end(), std::size_t{0});
    for (std::size_t i = 0; i < a.size(); ++i) {
        std::size_t diagonal = row[0]++;
        for (std::size_t j = 0; j < b.size(); ++j) {
            const std::size_t change = diagonal + (a[i] == b[j] ? 0 : 1);
            diagonal = row[j + 1];
            row[j + 1] = std::min({row[j] + 1, row[j + 1] + 1, change});
        }
    }
    return row[b.size()];
}

} // namespace

std::size_t invalidUtf8At(std::string_view text) {
    const char *const end = text.data() + text.size();
    const auto asciiEnd = [&](std::size_t from) {
        return static_cast<std::size_t>(skipAscii(text.data() + from, end) - text.data());
    };
    for (std::size_t at = asciiEnd(0); at < text.size(); at = asciiEnd(at)) {
        const auto bytes = decode(text, at).bytes;
        if (bytes == 0) {
            return at;
        }
        at += bytes;
    }
    return std::string_view::npos;
}

std::string validUtf8(std::string_view text) {
    std::string out;
    for (auto bad = invalidUtf8At(text); bad != text.npos; bad = invalidUtf8At(text)) {
        out += text.substr(0, bad);
        out += "\xEF\xBF\xBD";
        text.remove_prefix(bad + 1);
    }
    out += text;
    return out;
}

std::string printable(std::string_view text, std::size_t bytesMax) {
    static constexpr char kHex[] = "0123456789abcdef";
    std::string out;
    std::size_t at = 0;
    while (at < text.size() && out.size() < bytesMax) {
        const auto [code, bytes] = decode(text, at);
        if (bytes == 0) {
            out += "\xEF\xBF\xBD";
        } else if (unsafeToShow(code)) {
            out += "\\u";
            for (int shift = 12; shift >= 0; shift -= 4) {
                out += kHex[(code >> shift) & 15U];
            }
        } else {
            out += text.substr(at, bytes);
        }
        at += std::max<std::size_t>(bytes, 1);
    }
    if (at < text.size()) {
        out += concat("... (", text.size() - at, " more bytes)");
    }
    return out;
}

std::string folded(std::string_view name) {
    std::string out(name.size(), '\0');
    std::size_t size = 0;
    for (const char c : name) {
        if (c != '_' && c != '-' && c != '.' && c != ' ') {
            out[size++] = c >= 'A' && c <= 'Z' ? static_cast<char>(c + ('a' - 'A')) : c;
        }
    }
    out.resize(size);
    return out;
}

std::string nearest(std::string_view word, const std::vector<std::string_view> &candidates) {
    if (word.size() > 256) {
        return "";
    }
    const std::string plain = folded(word);
    std::string_view best;
    std::size_t bestDistance = plain.size() / 3 + 1;
    for (const auto candidate : candidates) {
        const std::string other = folded(candidate);
        if (other.size() > 256) {
            continue;
        }
        const bool part = plain.size() >= 3 && other.find(plain) != std::string::npos;
        const std::size_t distance = part ? 1 : editDistance(plain, other);
        const bool shares = distance < plain.size(); // else nothing of the word is left
        if (shares && (distance < bestDistance || (distance == bestDistance && best.empty()))) {
            best = candidate;
            bestDistance = distance;
        }
    }
    return std::string(best);
}

std::string listed(const std::vector<std::string_view> &words, std::size_t most) {
    std::string out;
    const std::size_t shown = std::min(words.size(), most);
    for (std::size_t i = 0; i < shown; ++i) {
        if (i > 0) {
            out += i + 1 == words.size() ? " and " : ", ";
        }
        out += words[i];
    }
    return shown < words.size() ? concat(out, " and ", words.size() - shown, " more") : out;
}

} // namespace tenon
