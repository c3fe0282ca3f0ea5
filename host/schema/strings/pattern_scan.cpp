// SPDX-License-Identifier: Apache-2.0
#include "schema/strings/pattern_scan.h"

#include "schema/strings/utf8.h"
#include "support/text.h"

#include <algorithm>
#include <charconv>
#include <iterator>

namespace tenon::schema {

namespace {

using std::string_view;

struct Range {
    std::uint32_t first, last;
};

constexpr Range kDigits[] = {{'0', '9'}};
constexpr Range kWordCharacters[] = {{'0', '9'}, {'A', 'Z'}, {'_', '_'}, {'a', 'z'}};
// ECMA-262's WhiteSpace and LineTerminator.
constexpr Range kSpaces[] = {{0x09, 0x0D},     {0x20, 0x20},     {0xA0, 0xA0},     {0x1680, 0x1680},
                             {0x2000, 0x200A}, {0x2028, 0x2029}, {0x202F, 0x202F}, {0x205F, 0x205F},
                             {0x3000, 0x3000}, {0xFEFF, 0xFEFF}};

template <std::size_t size> CharacterSet setOf(const Range (&ranges)[size], bool negated) {
    CharacterSet set;
    std::uint32_t next = 0;
    for (const auto [first, last] : ranges) {
        negated ? appendRange(set, next, first - 1) : appendRange(set, first, last);
        next = last + 1;
    }
    if (negated) {
        appendRange(set, next, kCodePointMax);
    }
    return set;
}

bool isDigit(char c) {
    return c >= '0' && c <= '9';
}
bool isLetter(char c) {
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z');
}
bool isSurrogate(std::uint32_t code) {
    return code >= 0xD800 && code < 0xE000;
}

std::string inEngines(std::uint32_t code) {
    if (code < 0x80 && (isDigit(static_cast<char>(code)) || isLetter(static_cast<char>(code)))) {
        return std::string(1, static_cast<char>(code));
    }
    char digits[8] = {};
    const auto end = std::to_chars(std::begin(digits), std::end(digits), code, 16).ptr;
    return concat("\\x{", string_view(digits, static_cast<std::size_t>(end - digits)), "}");
}

// What the letters of other languages' escapes are in ECMA-262.
string_view insteadOf(char letter) {
    switch (letter) {
    case 'A': return "expected \"^\"";
    case 'Z':
    case 'z': return "expected \"$\"";
    case 'a': return "expected \"\\x07\"";
    case 'e': return "expected \"\\x1B\"";
    case 'h': return "expected \"[ \\t]\"";
    default: return "expected the character alone, or one of \\b \\d \\s \\w";
    }
}

} // namespace

void appendRange(CharacterSet &set, std::uint32_t first, std::uint32_t last) {
    first = isSurrogate(first) ? 0xE000 : first;
    last = isSurrogate(last) ? 0xD7FF : last;
    if (first <= last) {
        const std::string range =
            first == last ? inEngines(first) : concat(inEngines(first), "-", inEngines(last));
        set.re2 += range;
        set.pcre2 += range;
    }
}

string_view Scanner::excerpt(std::size_t characters) const {
    Scanner ahead(rest());
    for (std::size_t i = 0; i < characters && !ahead.atEnd(); ++i) {
        ahead.codePoint();
    }
    return ahead.textSince(0);
}

void Scanner::failAt(std::size_t at, string_view message) {
    if (!failed()) {
        const auto before = source_.substr(0, at);
        const auto characters = std::count_if(before.begin(), before.end(), [](char c) {
            return (static_cast<unsigned char>(c) & 0xC0U) != 0x80U;
        });
        message_ = concat("at character ", characters + 1, ": ", message);
    }
    at_ = source_.size();
}

std::uint32_t Scanner::codePoint() {
    string_view rest = source_.substr(at_);
    const auto code = takeCodePoint(rest);
    at_ = source_.size() - rest.size();
    return code;
}

std::uint32_t Scanner::number() {
    constexpr std::uint32_t kCap = 1'000'000'000;
    std::uint64_t value = 0;
    for (; isDigit(peek()); ++at_) {
        value =
            std::min<std::uint64_t>(value * 10 + static_cast<std::uint64_t>(peek() - '0'), kCap);
    }
    return static_cast<std::uint32_t>(value);
}

string_view Scanner::groupName() {
    const auto begin = at_;
    const auto part = [](char c) {
        return isLetter(c) || isDigit(c) || c == '_' || c == '$' || (c & '\x80') != 0;
    };
    while (part(peek())) {
        ++at_;
    }
    const string_view name = textSince(begin);
    if (name.empty() || isDigit(name[0]) || peek() != '>') {
        failAt(begin, "expected a group's name and \">\"");
        return {};
    }
    ++at_;
    return name;
}

std::optional<Counts> Scanner::counts() {
    const auto begin = at_;
    Counts counts{};
    ++at_; // the brace
    const bool least = isDigit(peek());
    counts.least = counts.most = number();
    if (take(",")) {
        counts.most = isDigit(peek()) ? number() : kUnbounded;
    }
    if (!least || !take("}")) {
        at_ = begin;
        return std::nullopt;
    }
    return counts;
}

std::optional<CharacterSet> Scanner::setEscape() {
    const char letter = peek(1);
    switch (letter) {
    case 'd':
    case 'D': at_ += 2; return setOf(kDigits, letter == 'D');
    case 'w':
    case 'W': at_ += 2; return setOf(kWordCharacters, letter == 'W');
    case 's':
    case 'S': at_ += 2; return setOf(kSpaces, letter == 'S');
    case 'p':
    case 'P': return property();
    default: return std::nullopt;
    }
}

std::optional<CharacterSet> Scanner::property() {
    const auto begin = at_;
    const bool negated = peek(1) == 'P';
    at_ += 2;
    const auto end = rest().find('}');
    if (peek() != '{' || end == string_view::npos) {
        failAt(begin, "expected a property's name in braces, such as \\p{Letter}");
        return std::nullopt;
    }
    const string_view words = rest().substr(1, end - 1);
    at_ += end + 1;
    auto set = propertySet(words, negated);
    if (!set) {
        failAt(begin, concat("no Unicode property \"", printable(words, 60),
                             "\"; expected one as in \\p{Letter}, \\p{Script=Greek} or "
                             "\\p{Alphabetic}"));
    }
    return set;
}

std::optional<std::uint32_t> Scanner::hexDigits(std::size_t count) {
    std::uint32_t value = 0;
    const string_view digits = rest().substr(0, count);
    const auto *const end = digits.data() + digits.size();
    if (digits.size() < count || std::from_chars(digits.data(), end, value, 16).ptr != end) {
        return std::nullopt;
    }
    at_ += count;
    return value;
}

// Behind its "\u".
std::uint32_t Scanner::unicodeEscape() {
    const auto begin = at_;
    if (peek() == '{') {
        const auto count = rest().substr(0, 64).find('}');
        ++at_;
        const auto code =
            count == string_view::npos || count < 2 ? std::nullopt : hexDigits(count - 1);
        if (!code || *code > kCodePointMax) {
            failAt(begin, "expected the hex digits of a code point up to 10FFFF and \"}\"");
            return 0;
        }
        ++at_;
        return *code;
    }
    const auto high = hexDigits(4);
    if (!high) {
        fail("expected four hex digits, or a code point in braces, behind \"\\u\"");
        return 0;
    }
    const auto behind = at_;
    if (*high >= 0xD800 && *high < 0xDC00 && take("\\u")) {
        const auto low = hexDigits(4);
        if (low && *low >= 0xDC00 && *low < 0xE000) {
            return 0x10000 + ((*high - 0xD800) << 10) + (*low - 0xDC00);
        }
        at_ = behind;
    }
    return *high;
}

// Behind its "\0": without the u flag, up to two digits more count.
std::uint32_t Scanner::octalEscape(bool strict) {
    std::uint32_t code = 0;
    if (strict && isDigit(peek())) {
        fail("a digit behind \"\\0\"; expected \"\\x00\" or another \\x escape");
    }
    for (int i = 0; i < 2 && peek() >= '0' && peek() <= '7'; ++i, ++at_) {
        code = code * 8 + static_cast<std::uint32_t>(peek() - '0');
    }
    return code;
}

std::uint32_t Scanner::characterEscape(InClass inClass, bool strict) {
    const auto begin = at_;
    ++at_;
    if (atEnd()) {
        failAt(begin, "a lone \"\\\" at the end; expected \"\\\\\"");
        return 0;
    }
    const char letter = peek();
    if (!isLetter(letter) && !isDigit(letter)) {
        if (strict && static_cast<unsigned char>(letter) >= 0x80) {
            failAt(begin, "a needless \"\\\"; expected the character alone");
            return 0;
        }
        return codePoint();
    }
    ++at_;
    switch (letter) {
    case 't': return '\t';
    case 'n': return '\n';
    case 'v': return '\v';
    case 'f': return '\f';
    case 'r': return '\r';
    case '0': return octalEscape(strict);
    case 'u': return unicodeEscape();
    case 'x':
        if (const auto code = hexDigits(2)) {
            return *code;
        }
        failAt(begin, "expected two hex digits behind \"\\x\"");
        return 0;
    case 'c':
        if (isLetter(peek())) {
            return static_cast<std::uint32_t>(source_[at_++]) % 32;
        }
        failAt(begin, "expected a letter behind \"\\c\"");
        return 0;
    default: break;
    }
    if (letter == 'b' && inClass == InClass::Yes) {
        return '\b';
    }
    failAt(begin, concat("\"\\", letter, "\" is not ECMA-262; ", insteadOf(letter)));
    return 0;
}

std::vector<string_view> Scanner::groups() const {
    std::vector<string_view> names;
    bool inClass = false;
    for (Scanner ahead = *this; !ahead.atEnd(); ahead.skip(1)) {
        const char c = ahead.peek();
        if (c == '\\') {
            ahead.skip(1);
        } else if (inClass || c == '[') {
            inClass = c != ']';
        } else if (c == '(' && ahead.peek(1) != '?') {
            names.emplace_back();
        } else if (ahead.rest().starts_with("(?<") && ahead.peek(3) != '=' &&
                   ahead.peek(3) != '!') {
            const string_view rest = ahead.rest().substr(3);
            names.push_back(rest.substr(0, rest.find('>')));
        }
    }
    return names;
}

} // namespace tenon::schema
