// SPDX-License-Identifier: Apache-2.0
#include "support/masker.h"

#include <algorithm>
#include <array>
#include <functional>

namespace tenon {

namespace {

struct Span {
    std::size_t begin, end;
};

constexpr std::size_t kSecretBytesMin = 4; // shorter ones would mask half of all words
constexpr std::size_t kNameBytesMax = 80;
constexpr std::size_t kAuthorityBytesMax = 1'000;
constexpr std::size_t kBracketBytesMax = 2'000;
constexpr std::size_t kWordBytesMax = 20;  // of a plain sentence
constexpr std::size_t kTokenBytesMin = 16; // of one that is letters alone
constexpr std::string_view kMask = "***";

constexpr std::array<std::string_view, 12> kWithin{
    "password",  "passwd",     "passphrase",    "secret",           "apikey",    "privatekey",
    "accesskey", "credential", "authorization", "connectionstring", "clientkey", "accountkey"};
constexpr std::array<std::string_view, 8> kAtEnd{"token", "pwd",       "cookie", "bearer",
                                                 "jwt",   "sessionid", "sessid", "signature"};
constexpr std::array<std::string_view, 8> kWhole{"auth", "pin",  "otp", "cvv",
                                                 "cvc",  "pass", "dsn", "cookies"};
constexpr std::array<std::string_view, 5> kSchemes{"bearer", "basic", "token", "digest",
                                                   "negotiate"};

char lower(char c) {
    return c >= 'A' && c <= 'Z' ? static_cast<char>(c + ('a' - 'A')) : c;
}

bool isLetter(char c) {
    return lower(c) >= 'a' && lower(c) <= 'z';
}

bool isDigit(char c) {
    return c >= '0' && c <= '9';
}

bool isNamePart(char c) {
    return isLetter(c) || isDigit(c) || c == '_' || c == '-' || c == '.';
}

bool isTokenPart(char c) {
    return isNamePart(c) || c == '~' || c == '+' || c == '/' || c == '=';
}

bool isQuote(char c) {
    return c == '"' || c == '\'';
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

// Whether text has one of these characters at `at`.
bool hasAt(std::string_view text, std::size_t at, std::string_view these) {
    return at < text.size() && these.find(text[at]) != these.npos;
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

// db_pass, smtpPass; no compass.
bool endsInPass(std::string_view name) {
    if (name.size() < 5 || folded(name.substr(name.size() - 4)) != "pass") {
        return false;
    }
    const char first = name[name.size() - 4], before = name[name.size() - 5];
    return !isLetter(before) || (first == 'P' && lower(before) == before);
}

// Where text has one of the signs that a secret may stand behind: ":", "=", the end of "Bearer",
// the
// "--" of an option.
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

std::size_t endOf(std::string_view text, std::size_t at, std::string_view stops) {
    return std::min(text.find_first_of(stops, at), text.size());
}

std::size_t behind(std::string_view text, std::size_t at, std::string_view skipped) {
    return std::min(text.find_first_not_of(skipped, at), text.size());
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

// The name that stands before the sign at `at`.
struct Named {
    std::string_view name; // "" where none does
    std::size_t begin;
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
    while (first < last && text[first] == '-') { // of an option
        ++first;
    }
    return {text.substr(first, last - first), first, quoted};
}

// The end of what can be a word of a sentence; `at` where none is.
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

// Whether two words of a sentence stand at `at`.
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

// Behind "Bearer " and its like, or `at`.
std::size_t behindScheme(std::string_view text, std::size_t at) {
    const auto word = text.substr(at, endOfWord(text, at) - at);
    const auto begin = behind(text, at + word.size(), " \t");
    const bool scheme = begin > at + word.size() && begin < text.size() && !isSpace(text[begin]) &&
                        isOneOf(folded(word), kSchemes, std::equal_to<>());
    return scheme ? begin : at;
}

// Finds the next of some characters; looks at each but once if it is asked for rising places, all
// of them beyond 0.
class Finder {
public:
    Finder(std::string_view text, std::string_view wanted) : text_(text), wanted_(wanted) {}
    std::size_t from(std::size_t at) {
        next_ = next_ < at ? endOf(text_, at, wanted_) : next_;
        return next_;
    }

private:
    std::string_view text_, wanted_;
    std::size_t next_ = 0;
};

// A port is digits alone. What is behind it and no path is a port's only with http: other schemes
// are those of databases and queues, and have passwords like "1?x".
bool isPort(std::string_view authority, bool http) {
    const auto end = behind(authority, 0, "0123456789");
    return end > 0 && end <= 5 &&
           (end == authority.size() || authority[end] == '/' ||
            (http && hasAt(authority, end, "?#")));
}

// user:password of scheme://user:password@host, where `at` is behind "://".
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

// The value that begins at `at`: quoted, in brackets or bare. Inside the text.
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

// The end of a header's value: that of its line, or of the quoted text that the header is in, which
// begins before `name`.
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

// A token behind the "Bearer" that ends at `at`. Words of a sentence are none.
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
    const bool said = plain && (!last || isOneOf(folded(word), kWords, std::equal_to<>()));
    return {begin, said ? begin : end};
}

// Whether a value can be no word of a program's text: "unexpected token: x".
bool isToken(std::string_view value) {
    return value.size() >= 8 && std::all_of(value.begin(), value.end(), isTokenPart) &&
           std::any_of(value.begin(), value.end(), isDigit) &&
           std::any_of(value.begin(), value.end(), isLetter);
}

bool isInsideCharacter(std::string_view text, std::size_t at) {
    return at < text.size() && (static_cast<unsigned char>(text[at]) & 0xC0U) == 0x80U;
}

} // namespace

struct Masker::Range : Span {};

Masker::Masker(std::vector<std::string> secrets, const std::vector<std::string> &names) {
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
           isOneOf(word, names_, equals) || (endsInPass(name) && word != "bypass");
}

void Masker::findKnown(std::string_view text, std::vector<Range> &ranges) const {
    for (const auto &secret : secrets_) {
        for (std::size_t at = 0; (at = text.find(secret, at)) != text.npos; at += secret.size()) {
            ranges.push_back({{at, at + secret.size()}});
        }
    }
}

// The next two look at what may be secret because of the sign at `at`; an empty range where nothing
// is.

Masker::Range Masker::afterOption(std::string_view text, std::size_t at) const {
    static constexpr std::array<std::string_view, 3> kJoins{"and", "or", "nor"};
    auto end = at + 2;
    while (end < text.size() && end - at < kNameBytesMax && isNamePart(text[end])) {
        ++end;
    }
    if (!isSecretName(text.substr(at + 2, end - at - 2))) {
        return {{at, at}};
    }
    const auto quote = behind(text, end, "\\\"'"); // of one in a list of arguments
    const auto begin = behind(text, quote, ", \t");
    if (begin == quote || begin == text.size() || text[begin] == '-' || isSentence(text, begin) ||
        isOneOf(text.substr(begin, endOfWord(text, begin) - begin), kJoins, std::equal_to<>())) {
        return {{at, at}};
    }
    return {valueAt(text, begin)};
}

Masker::Range Masker::afterName(std::string_view text, std::size_t at) const {
    const Named named = nameBefore(text, at);
    if (!isSecretName(named.name)) {
        return {{at, at}};
    }
    const auto sign = behind(text, at, ":=>");
    const auto begin = behind(text, sign, " \t\r\n");
    // What is said of a name: "token: ..." may be the words of a sentence, "/password: ..." is.
    const bool said = text[at] == ':' && sign == at + 1 && begin > sign && !named.quoted;
    if (begin == text.size() || (said && named.begin > 0 && text[named.begin - 1] == '/')) {
        return {{at, at}};
    }
    const auto credentials = behindScheme(text, begin);
    const bool scheme = credentials > begin && text[begin] != lower(text[begin]);
    if (said && isSentence(text, scheme ? credentials : begin)) {
        return {{at, at}};
    }
    const std::string word = folded(named.name);
    const bool cookie = word.ends_with("cookie");
    const bool common = !cookie && !isCompound(named.name) && !isOneOf(word, kWithin, contains) &&
                        !isOneOf(word, names_, std::equal_to<>());
    const Span value = valueAt(text, credentials);
    if (said && common && !isToken(text.substr(value.begin, value.end - value.begin))) {
        return {{at, at}};
    }
    const bool digest = credentials > begin && lower(text[begin]) == 'd';
    const bool header = cookie || (contains(word, "authorization") && (text[at] == ':' || digest));
    const bool quoted = credentials == begin && value.begin > begin &&
                        isQuote(text[value.begin - 1]) && !hasAt(text, value.end + 1, ";");
    if (header && !quoted) {
        return {{begin, endOfHeader(text, named.begin, begin)}};
    }
    return {{credentials > begin ? begin : value.begin, value.end}};
}

void Masker::findLookalikes(std::string_view text, std::vector<Range> &ranges) const {
    Finder stops(text, " \t\r\n\"'<>`"), signs(text, "@");
    for (std::size_t at = nextSign(text, 0); at < text.size(); at = nextSign(text, at + 1)) {
        Range found{{at, at}};
        if (text[at] == '-') {
            found = afterOption(text, at);
        } else if (isLetter(text[at])) {
            found = {afterBearer(text, at)};
        } else if (text.substr(at, 3) == "://") {
            found = {{at + 3, endOfUserInfo(text, at + 3, stops, signs)}};
        } else {
            found = afterName(text, at);
        }
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

std::string Masker::masked(std::string_view text, std::size_t sourceEnd) const {
    sourceEnd = std::min(sourceEnd, text.size());
    for (int i = 0; i < 3 && sourceEnd > 0 && isInsideCharacter(text, sourceEnd); ++i) {
        --sourceEnd;
    }
    if (isClean(text)) {
        return std::string(text.substr(0, sourceEnd));
    }
    std::vector<Range> ranges;
    findKnown(text, ranges);
    findLookalikes(text, ranges);
    std::sort(ranges.begin(), ranges.end(),
              [](const Range &a, const Range &b) { return a.begin < b.begin; });
    std::string out;
    std::size_t done = 0;
    for (const auto &range : ranges) {
        if (range.begin >= sourceEnd) {
            break;
        }
        if (range.end <= done) {
            continue;
        }
        if (range.begin > done || out.empty()) {
            out += text.substr(done, range.begin - done);
            out += kMask;
        }
        done = range.end;
    }
    if (done < sourceEnd) {
        out += text.substr(done, sourceEnd - done);
    }
    return out;
}

} // namespace tenon
