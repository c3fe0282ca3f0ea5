// SPDX-License-Identifier: Apache-2.0
#include "support/masker.h"

#include <algorithm>
#include <array>

namespace tenon {

struct Masker::Range {
    std::size_t begin, end;
};

namespace {

constexpr std::size_t kSecretBytesMin = 4; // shorter ones would mask half of all words
constexpr std::size_t kNameBytesMax = 80;
constexpr std::size_t kAuthorityBytesMax = 1'000;
constexpr std::string_view kMask = "***";

constexpr std::array<std::string_view, 11> kWithin{
    "password",  "passwd",     "passphrase",    "secret",           "apikey",   "privatekey",
    "accesskey", "credential", "authorization", "connectionstring", "clientkey"};
constexpr std::array<std::string_view, 8> kAtEnd{"token", "pwd",       "cookie", "bearer",
                                                 "jwt",   "sessionid", "sessid", "signature"};
constexpr std::array<std::string_view, 8> kWhole{"auth", "pin",  "otp", "cvv",
                                                 "cvc",  "pass", "dsn", "cookies"};

char lower(char c) {
    return c >= 'A' && c <= 'Z' ? static_cast<char>(c + ('a' - 'A')) : c;
}

bool isNamePart(char c) {
    return (lower(c) >= 'a' && lower(c) <= 'z') || (c >= '0' && c <= '9') || c == '_' || c == '-' ||
           c == '.';
}

bool isTokenPart(char c) {
    return isNamePart(c) || c == '~' || c == '+' || c == '/' || c == '=';
}

bool isSpace(char c) {
    return c == ' ' || c == '\t' || c == '\r' || c == '\n';
}

// In small letters and without the signs that join words.
std::string folded(std::string_view name) {
    std::string out(name.size(), '\0');
    std::size_t size = 0;
    for (const char c : name) {
        if (c != '_' && c != '-' && c != '.' && c != ' ') {
            out[size++] = lower(c);
        }
    }
    out.resize(size);
    return out;
}

bool contains(std::string_view all, std::string_view part) {
    return all.find(part) != all.npos;
}

bool isOneOf(std::string_view name, const auto &list, auto matches) {
    return std::any_of(list.begin(), list.end(),
                       [&](const auto &one) { return matches(name, one); });
}

// access_token, apiKey: a name that no plain sentence has.
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

// Where text has one of the signs that a secret may stand behind: ":", "=", the end of "Bearer".
std::size_t nextSign(std::string_view text, std::size_t at) {
    for (; at < text.size(); ++at) {
        const char c = text[at];
        if (c == ':' || c == '=' ||
            (lower(c) == 'r' && at >= 5 && lower(text[at - 1]) == 'e' &&
             lower(text[at - 5]) == 'b')) {
            break;
        }
    }
    return at;
}

std::size_t endOf(std::string_view text, std::size_t at, std::string_view stops) {
    return std::min(text.find_first_of(stops, at), text.size());
}

// The end of a quoted text that begins at `at` (its quote), the closing quote not counted.
std::size_t endOfQuoted(std::string_view text, std::size_t at) {
    const char quote = text[at];
    for (++at; at < text.size() && text[at] != quote; ++at) {
        at += text[at] == '\\' ? 1 : 0;
    }
    return std::min(at, text.size());
}

// The name that stands before the sign at `at`.
struct Named {
    std::string_view name; // "" where none does
    bool quoted;
};

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
    const bool pointer = first > 0 && text[first - 1] == '/'; // "/password: expected ..."
    return {pointer ? std::string_view() : text.substr(first, last - first), quoted};
}

// user:password of scheme://user:password@host, where `at` is behind "://".
std::size_t endOfUserInfo(std::string_view text, std::size_t at) {
    static constexpr std::string_view kStops = " \t\r\n\"'<>`";
    const auto near = text.substr(0, at + kAuthorityBytesMax);
    auto authority = near.substr(at, endOf(near, at, kStops) - at);
    const auto colon = authority.find(':');
    const auto slash = authority.find_first_of("/?#\\");
    // A password may have signs in it that end a host; what stands behind a host is a port.
    const bool port = colon != authority.npos && colon + 1 < authority.size() &&
                      authority[colon + 1] >= '0' && authority[colon + 1] <= '9';
    const bool plain = authority.substr(0, slash).find('@') != authority.npos;
    if (plain || colon == authority.npos || colon > slash || port) {
        authority = authority.substr(0, slash);
    }
    const auto sign = authority.rfind('@');
    return sign == authority.npos ? at : at + sign;
}

} // namespace

Masker::Masker(std::vector<std::string> secrets, std::vector<std::string> names) {
    for (auto &secret : secrets) {
        if (secret.size() >= kSecretBytesMin) {
            reach_ = std::max(reach_, secret.size());
            secrets_.push_back(std::move(secret));
        }
    }
    for (const auto &name : names) {
        names_.push_back(folded(name));
    }
}

bool Masker::isSecretName(std::string_view name) const {
    if (name.empty() || name.size() > kNameBytesMax) {
        return false;
    }
    const std::string word = folded(name);
    for (auto rest = std::string_view(word); !rest.empty(); rest.remove_prefix(1)) {
        for (const auto part : kWithin) {
            if (rest[0] == part[0] && rest.starts_with(part)) {
                return true;
            }
        }
    }
    const auto ends = [](std::string_view all, std::string_view part) {
        return all.ends_with(part);
    };
    const auto equals = [](std::string_view all, std::string_view part) { return all == part; };
    return isOneOf(word, kAtEnd, ends) || isOneOf(word, kWhole, equals) ||
           isOneOf(word, names_, equals);
}

void Masker::findKnown(std::string_view text, std::vector<Range> &ranges) const {
    for (const auto &secret : secrets_) {
        for (std::size_t at = 0; (at = text.find(secret, at)) != text.npos; at += secret.size()) {
            ranges.push_back({at, at + secret.size()});
        }
    }
}

// Each of the next three looks at what may be secret because of the sign at `at`; an empty range
// where nothing is.

Masker::Range Masker::afterBearer(std::string_view text, std::size_t at) {
    const bool word = at >= 5 && folded(text.substr(at - 5, 6)) == "bearer";
    auto begin = at + 1;
    while (word && begin < text.size() && isSpace(text[begin])) {
        ++begin;
    }
    auto end = begin;
    while (word && begin > at + 1 && end < text.size() && isTokenPart(text[end])) {
        ++end;
    }
    return {begin, end};
}

Masker::Range Masker::afterName(std::string_view text, std::size_t at) const {
    static constexpr std::string_view kValueStops = " \t\r\n&;,\"'<>()[]{}`";
    const Named named = nameBefore(text, at);
    if (!isSecretName(named.name)) {
        return {at, at};
    }
    auto begin = at + 1;
    while (begin < text.size() && isSpace(text[begin])) {
        ++begin;
    }
    // "token: ..." may be the words of a sentence.
    const std::string word = folded(named.name);
    const bool cookie = word.ends_with("cookie");
    const bool sentence = text[at] == ':' && !named.quoted && begin > at + 1 && !cookie &&
                          !isCompound(named.name) && !isOneOf(word, kWithin, contains) &&
                          std::find(names_.begin(), names_.end(), word) == names_.end();
    if (sentence || begin == text.size()) {
        return {at, at};
    }
    const auto escapes = begin;
    while (begin + 1 < text.size() && text[begin] == '\\') { // JSON within JSON
        ++begin;
    }
    if (text[begin] == '"' || text[begin] == '\'') {
        return {begin + 1,
                begin > escapes ? endOf(text, begin + 1, "\\\"'") : endOfQuoted(text, begin)};
    }
    const bool line = cookie || (text[at] == ':' && contains(word, "authorization"));
    return {begin, endOf(text, begin, line ? "\r\n\"'" : kValueStops)};
}

void Masker::findLookalikes(std::string_view text, std::vector<Range> &ranges) const {
    for (std::size_t at = nextSign(text, 0); at < text.size(); at = nextSign(text, at + 1)) {
        const bool letter = lower(text[at]) == 'r';
        const bool url = !letter && text.substr(at, 3) == "://";
        const Range found = letter ? afterBearer(text, at)
                            : url  ? Range{at + 3, endOfUserInfo(text, at + 3)}
                                   : afterName(text, at);
        if (found.end > found.begin) {
            ranges.push_back(found);
            at = std::max(at, found.end - 1);
        }
    }
}

bool Masker::isClean(std::string_view text) const {
    return nextSign(text, 0) == text.size() &&
           std::none_of(secrets_.begin(), secrets_.end(),
                        [&](const std::string &secret) { return contains(text, secret); });
}

std::string Masker::masked(std::string_view text) const {
    if (isClean(text)) {
        return std::string(text);
    }
    std::vector<Range> ranges;
    findKnown(text, ranges);
    findLookalikes(text, ranges);
    if (ranges.empty()) {
        return std::string(text);
    }
    std::sort(ranges.begin(), ranges.end(),
              [](const Range &a, const Range &b) { return a.begin < b.begin; });
    std::string out;
    std::size_t done = 0;
    for (const auto &range : ranges) {
        if (range.end <= done || range.end <= range.begin) {
            continue;
        }
        if (range.begin > done || out.empty()) {
            out += text.substr(done, range.begin - done);
            out += kMask;
        }
        done = range.end;
    }
    out += text.substr(done);
    return out;
}

} // namespace tenon
