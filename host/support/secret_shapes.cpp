// SPDX-License-Identifier: Apache-2.0
#include "support/secret_shapes.h"

#include "support/text.h"

#include <array>

namespace tenon::shapes {

namespace {

bool isDigit(char c) {
    return c >= '0' && c <= '9';
}

} // namespace

char lower(char c) {
    return c >= 'A' && c <= 'Z' ? static_cast<char>(c + ('a' - 'A')) : c;
}

bool isLetter(char c) {
    return lower(c) >= 'a' && lower(c) <= 'z';
}

bool isQuote(char c) {
    return c == '"' || c == '\'';
}

bool isNamePart(char c) {
    return isLetter(c) || isDigit(c) || c == '_' || c == '-' || c == '.';
}

namespace {

constexpr std::size_t kNameBytesMax = 80;
constexpr std::size_t kAuthorityBytesMax = 1'000;
constexpr std::size_t kBracketBytesMax = 2'000;
constexpr std::size_t kWordBytesMax = 20;  // of a plain sentence
constexpr std::size_t kTokenBytesMin = 16; // of one that is letters alone
constexpr std::array<std::string_view, 5> kSchemes{"bearer", "basic", "token", "digest",
                                                   "negotiate"};

bool isTokenPart(char c) {
    return isNamePart(c) || c == '~' || c == '+' || c == '/' || c == '=';
}

bool isSpace(char c) {
    return c == ' ' || c == '\t' || c == '\r' || c == '\n';
}

bool isOneOf(std::string_view word, const auto &list) {
    return std::find(list.begin(), list.end(), word) != list.end();
}

std::size_t endOf(std::string_view text, std::size_t at, std::string_view stops) {
    return std::min(text.find_first_of(stops, at), text.size());
}

std::size_t escapesBefore(std::string_view text, std::size_t at) {
    auto first = at;
    while (first > 0 && text[first - 1] == '\\') {
        --first;
    }
    return at - first;
}

// Whether a quote that has `run` backslashes before it ends a text whose opening quote has
// `escapes` of them. Each level of JSON within JSON makes 2n+1 of n.
bool closes(std::size_t run, std::size_t escapes) {
    for (; escapes > 0 && run % 2 == 1; escapes /= 2) {
        run /= 2;
    }
    return run % 2 == 0;
}

// The closing quote of a text that begins at `at`, or the end.
std::size_t closingQuote(std::string_view text, std::size_t at, char quote, std::size_t escapes) {
    for (std::size_t run = 0; at < text.size(); ++at) {
        if (text[at] == quote && closes(run, escapes)) {
            break;
        }
        run = text[at] == '\\' ? run + 1 : 0;
    }
    return at;
}

// Behind the partner of the bracket at `at`; the end where none is near.
std::size_t behindPartner(std::string_view text, std::size_t at) {
    const char open = text[at];
    const char close = open == '(' ? ')' : open == '[' ? ']' : '}';
    const auto near = text.substr(0, at + kBracketBytesMax);
    std::size_t depth = 0;
    for (auto i = at; i < near.size(); ++i) {
        const char c = near[i];
        if (c == open) {
            ++depth;
        } else if (c == close && --depth == 0) {
            return i + 1;
        } else if (c == '"' || (c == '\'' && !isNamePart(near[i - 1]))) { // no apostrophe
            i = closingQuote(near, i + 1, c, escapesBefore(near, i));
        }
    }
    return text.size();
}

// A port is digits alone. What is behind it and no path is a port's only with http: other schemes
// are those of databases and queues, and have passwords like "1?x".
bool isPort(std::string_view authority, bool http) {
    const auto end = behind(authority, 0, "0123456789");
    return end > 0 && end <= 5 &&
           (end == authority.size() || authority[end] == '/' ||
            (http && hasAt(authority, end, "?#")));
}

} // namespace

bool isCompound(std::string_view name) {
    for (std::size_t i = 1; i < name.size(); ++i) {
        const bool hump =
            name[i] >= 'A' && name[i] <= 'Z' && name[i - 1] >= 'a' && name[i - 1] <= 'z';
        if (hump || name[i] == '_' || name[i] == '-') {
            return true;
        }
    }
    return false;
}

bool endsInPass(std::string_view name) {
    if (name.size() < 5 || folded(name.substr(name.size() - 4)) != "pass") {
        return false;
    }
    const char first = name[name.size() - 4], before = name[name.size() - 5];
    return !isLetter(before) || (first == 'P' && lower(before) == before);
}

bool hasAt(std::string_view text, std::size_t at, std::string_view these) {
    return at < text.size() && these.find(text[at]) != these.npos;
}

std::size_t behind(std::string_view text, std::size_t at, std::string_view skipped) {
    return std::min(text.find_first_not_of(skipped, at), text.size());
}

std::size_t nextSign(std::string_view text, std::size_t at) {
    for (; at < text.size(); ++at) {
        const char c = text[at];
        if (c == ':' || c == '=' ||
            (lower(c) == 'r' && at >= 5 && lower(text[at - 1]) == 'e' &&
             lower(text[at - 5]) == 'b') ||
            (c == '-' && at + 1 < text.size() && text[at + 1] == '-' &&
             (at == 0 || !isNamePart(text[at - 1])))) {
            break;
        }
    }
    return at;
}

Named nameBefore(std::string_view text, std::size_t at) {
    auto last = at;
    while (last > 0 && text[last - 1] == ' ' && at - last < 4) {
        --last;
    }
    const bool quoted = last > 0 && (text[last - 1] == '"' || text[last - 1] == '\'');
    last -= quoted ? 1 : 0;
    while (quoted && last > 0 && text[last - 1] == '\\' && at - last < 16) { // JSON within JSON
        --last;
    }
    auto first = last;
    while (first > 0 && last - first < kNameBytesMax && isNamePart(text[first - 1])) {
        --first;
    }
    while (first < last && text[first] == '-') { // of an option
        ++first;
    }
    return {text.substr(first, last - first), first, quoted};
}

std::size_t endOfWord(std::string_view text, std::size_t at) {
    auto end = at;
    for (; end < text.size() && isLetter(text[end]); ++end) {
        const bool hump = end > at && lower(text[end]) != text[end] &&
                          lower(text[end - 1]) == text[end - 1]; // dXNlcjpw
        if (hump || end - at >= kWordBytesMax) {
            return at;
        }
    }
    return end;
}

bool isSentence(std::string_view text, std::size_t at) {
    const auto space = endOfWord(text, at);
    if (space == at || space == text.size() || text[space] != ' ') {
        return false;
    }
    const auto end = endOfWord(text, space + 1);
    if (end < text.size() && text[end] == ':') { // no key:value
        return end > space + 1 && (end + 1 == text.size() || isSpace(text[end + 1]));
    }
    return end > space + 1 && (end == text.size() || hasAt(text, end, " \t\r\n,.;!?)'"));
}

std::size_t behindScheme(std::string_view text, std::size_t at) {
    const auto word = text.substr(at, endOfWord(text, at) - at);
    const auto begin = behind(text, at + word.size(), " \t");
    const bool scheme = begin > at + word.size() && begin < text.size() && !isSpace(text[begin]) &&
                        isOneOf(folded(word), kSchemes);
    return scheme ? begin : at;
}

std::size_t endOfUserInfo(std::string_view text, std::size_t at, Finder &stops, Finder &signs) {
    const auto end = std::min(stops.from(at), at + kAuthorityBytesMax);
    const auto first = signs.from(at);
    if (first >= end) {
        return at;
    }
    auto authority = text.substr(at, end - at);
    const auto colon = authority.find(':');
    const auto slash = authority.find_first_of("/?#\\");
    const auto scheme = text.substr(0, at - 3);
    const bool http = scheme.ends_with("http") || scheme.ends_with("https");
    // A password may have signs in it that end a host.
    if (first - at < slash || colon > slash || authority[0] == '[' ||
        isPort(authority.substr(std::min(colon, authority.size() - 1) + 1), http)) {
        authority = authority.substr(0, slash);
    }
    const auto sign = authority.rfind('@');
    return sign == authority.npos ? at : at + sign;
}

Span valueAt(std::string_view text, std::size_t at) {
    static constexpr std::string_view kValueStops = " \t\r\n&;,\"'<>()[]{}`";
    auto begin = at;
    while (begin + 1 < text.size() && text[begin] == '\\') { // JSON within JSON
        ++begin;
    }
    const char c = text[begin];
    if (isQuote(c)) {
        const auto escapes = begin - at;
        const auto close = closingQuote(text, begin + 1, c, escapes);
        return {begin + 1, close - std::min(escapesBefore(text, close), escapes)};
    }
    const bool bracket = c == '(' || c == '[' || c == '{';
    return {begin, bracket ? behindPartner(text, begin) : endOf(text, begin, kValueStops)};
}

std::size_t endOfHeader(std::string_view text, std::size_t name, std::size_t at) {
    const char quote = name > 0 && isQuote(text[name - 1]) ? text[name - 1] : '\n';
    const auto escapes = quote == '\n' ? 0 : escapesBefore(text, name - 1);
    for (std::size_t run = 0; at < text.size() && text[at] != '\n' && text[at] != '\r'; ++at) {
        if (text[at] == quote && closes(run, escapes) &&
            (at + 1 == text.size() || hasAt(text, at + 1, " \t\r\n,])}\\\"'"))) { // not of a="b";
            break;
        }
        run = text[at] == '\\' ? run + 1 : 0;
    }
    return at;
}

Span afterBearer(std::string_view text, std::size_t at) {
    static constexpr std::array<std::string_view, 4> kWords{"token", "tokens", "auth", "scheme"};
    if (at < 5 || folded(text.substr(at - 5, 6)) != "bearer") {
        return {at, at};
    }
    const auto begin = behind(text, at + 1, " \t\r\n");
    auto end = begin;
    while (begin > at + 1 && end < text.size() && isTokenPart(text[end])) {
        ++end;
    }
    const auto token = text.substr(begin, end - begin);
    const auto word = token.substr(0, token.find_last_not_of('.') + 1);
    const bool last = end == text.size() || hasAt(text, end, ",;\r\n\"'");
    const bool plain =
        word.size() < kTokenBytesMin && std::all_of(word.begin(), word.end(), isLetter);
    const bool said = plain && (!last || isOneOf(folded(word), kWords));
    return {begin, said ? begin : end};
}

bool isToken(std::string_view value) {
    return value.size() >= 8 && std::all_of(value.begin(), value.end(), isTokenPart) &&
           std::any_of(value.begin(), value.end(), isDigit) &&
           std::any_of(value.begin(), value.end(), isLetter);
}

} // namespace tenon::shapes
