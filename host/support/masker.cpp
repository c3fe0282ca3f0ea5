// SPDX-License-Identifier: Apache-2.0
#include "support/masker.h"

#include "support/secret_shapes.h"
#include "support/text.h"

#include <algorithm>
#include <array>
#include <functional>

namespace tenon {

using namespace shapes;

namespace {

constexpr std::size_t kSecretBytesMin = 4; // shorter ones would mask half of all words
constexpr std::size_t kNameBytesMax = 80;
constexpr std::string_view kMask = "***";

constexpr std::array<std::string_view, 12> kWithin{
    "password",  "passwd",     "passphrase",    "secret",           "apikey",    "privatekey",
    "accesskey", "credential", "authorization", "connectionstring", "clientkey", "accountkey"};
constexpr std::array<std::string_view, 8> kAtEnd{"token", "pwd",       "cookie", "bearer",
                                                 "jwt",   "sessionid", "sessid", "signature"};
constexpr std::array<std::string_view, 8> kWhole{"auth", "pin",  "otp", "cvv",
                                                 "cvc",  "pass", "dsn", "cookies"};

bool contains(std::string_view all, std::string_view part) {
    return all.find(part) != all.npos;
}

bool isOneOf(std::string_view name, const auto &list, auto matches) {
    return std::any_of(list.begin(), list.end(),
                       [&](const auto &one) { return matches(name, one); });
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
