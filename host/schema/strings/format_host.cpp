// SPDX-License-Identifier: Apache-2.0
#include "schema/strings/format_checks.h"
#include "schema/strings/punycode.h"
#include "schema/strings/utf8.h"

#include <algorithm>
#include <optional>
#include <string>

namespace tenon::schema {

namespace {

using std::string_view;

constexpr std::size_t kLabelMax = 63;
constexpr std::size_t kNameMax = 253;
constexpr std::size_t kLocalPartMax = 64;

bool isDigit(char c) {
    return c >= '0' && c <= '9';
}
bool isAlphanumeric(char c) {
    return isDigit(c) || (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z');
}
bool isAscii(string_view text) {
    return std::all_of(text.begin(), text.end(), [](char c) { return (c & '\x80') == 0; });
}

// Letters, digits and hyphens, these neither first nor last.
bool isPlainLabel(string_view label) {
    return !label.empty() && label.size() <= kLabelMax && label.front() != '-' &&
           label.back() != '-' && std::all_of(label.begin(), label.end(), [](char c) {
               return isAlphanumeric(c) || c == '-';
           });
}

bool isEncoded(string_view label) {
    return label.size() >= 4 && (label[0] | 0x20) == 'x' && (label[1] | 0x20) == 'n' &&
           label.substr(2, 2) == "--";
}

std::string lower(string_view text) {
    std::string out(text);
    for (char &c : out) {
        c = c >= 'A' && c <= 'Z' ? static_cast<char>(c | 0x20) : c;
    }
    return out;
}

enum class Names { Ascii, International };

// A name, label by label: each in the form that people read.
class NameCheck {
public:
    explicit NameCheck(Names names) : names_(names) {}

    bool add(string_view label) {
        const auto readable = readableOf(label);
        if (!readable) {
            return false;
        }
        rightToLeft_ = rightToLeft_ ||
                       (!isAscii(*readable) && directionOf(*readable) == Direction::RightToLeft);
        (labels_ += *readable) += '.';
        return true;
    }

    bool isDone() const {
        if (bytes_ == 0 || bytes_ - 1 > kNameMax) {
            return false;
        }
        for (string_view rest = labels_; rightToLeft_ && !rest.empty();) {
            const auto end = rest.find('.');
            if (!keepsBidiRule(rest.substr(0, end))) {
                return false;
            }
            rest.remove_prefix(end + 1);
        }
        return true;
    }

private:
    // None for a label that is no label.
    std::optional<std::string> readableOf(string_view label) {
        if (!isAscii(label)) {
            const auto encoded = label.size() > 4 * kLabelMax ? 0 : 4 + punycodeOf(label).size();
            bytes_ += encoded + 1;
            const bool fits = encoded > 0 && encoded <= kLabelMax;
            return fits && isIdnLabel(label) ? std::optional(std::string(label)) : std::nullopt;
        }
        bytes_ += label.size() + 1;
        if (!isPlainLabel(label)) {
            return std::nullopt;
        }
        if (!isEncoded(label)) {
            const bool reserved =
                names_ == Names::International && label.size() > 3 && label.substr(2, 2) == "--";
            return reserved ? std::nullopt : std::optional(std::string(label));
        }
        const std::string encoded = lower(label.substr(4));
        auto decoded = fromPunycode(encoded);
        const bool canonical = decoded && !isAscii(*decoded) && punycodeOf(*decoded) == encoded;
        return canonical && isIdnLabel(*decoded) ? decoded : std::nullopt;
    }

    Names names_;
    std::string labels_;
    std::size_t bytes_ = 0; // of the name in ASCII, and a dot
    bool rightToLeft_ = false;
};

// Up to the next dot, which is gone then; names may have those of East Asia too.
string_view takeLabel(string_view &name, Names names) {
    const string_view all = name;
    while (!name.empty()) {
        const std::size_t end = all.size() - name.size();
        const auto code = takeCodePoint(name);
        const bool dot = code == '.' || (names == Names::International &&
                                         (code == 0x3002 || code == 0xFF0E || code == 0xFF61));
        if (dot) {
            return all.substr(0, end);
        }
    }
    return all;
}

bool isName(string_view text, Names names) {
    if (text.size() > 4 * kNameMax) {
        return false;
    }
    NameCheck check(names);
    for (bool more = true; more;) {
        const auto before = text.size();
        const string_view label = takeLabel(text, names);
        more = label.size() < before; // a dot, and another label behind it
        if ((names == Names::Ascii && !isAscii(label)) || !check.add(label)) {
            return false;
        }
    }
    return check.isDone();
}

bool isAtomCharacter(char c, Names names) {
    return isAlphanumeric(c) || string_view("!#$%&'*+-/=?^_`{|}~").find(c) != string_view::npos ||
           (names == Names::International && (c & '\x80') != 0);
}

bool isDotted(string_view local, Names names) {
    char before = '.';
    for (const char c : local) {
        if (c == '.' ? before == '.' : !isAtomCharacter(c, names)) {
            return false;
        }
        before = c;
    }
    return before != '.';
}

// What is between the quotes.
bool isQuoted(string_view inside, Names names) {
    for (std::size_t i = 0; i < inside.size(); ++i) {
        const bool escaped = inside[i] == '\\';
        i += escaped ? 1 : 0;
        const char c = i < inside.size() ? inside[i] : '\0';
        const bool beyond = (c & '\x80') != 0;
        const bool shown = c >= ' ' && c != '\x7F';
        if (beyond ? names == Names::Ascii || escaped : !shown || (c == '"' && !escaped)) {
            return false;
        }
    }
    return true;
}

bool isMailDomain(string_view domain, Names names) {
    if (!domain.starts_with('[')) {
        return isName(domain, names);
    }
    if (!domain.ends_with(']')) {
        return false;
    }
    const string_view address = domain.substr(1, domain.size() - 2);
    constexpr string_view kIpv6 = "ipv6:";
    return isIpv4(address) || (lower(address.substr(0, kIpv6.size())) == kIpv6 &&
                               isIpv6(address.substr(kIpv6.size())));
}

bool isMailbox(string_view text, Names names) {
    const auto at = text.rfind('@');
    if (at == text.npos || at == 0 || at > kLocalPartMax) {
        return false;
    }
    const string_view local = text.substr(0, at);
    const bool quoted = local.size() >= 2 && local.starts_with('"') && local.ends_with('"');
    return (quoted ? isQuoted(local.substr(1, local.size() - 2), names) : isDotted(local, names)) &&
           isMailDomain(text.substr(at + 1), names);
}

} // namespace

bool isHostname(string_view text) {
    return isName(text, Names::Ascii);
}

bool isIdnHostname(string_view text) {
    return isName(text, Names::International);
}

bool isEmail(string_view text) {
    return isMailbox(text, Names::Ascii);
}

bool isIdnEmail(string_view text) {
    return isMailbox(text, Names::International);
}

bool isIpv4(string_view text) {
    for (int part = 0; part < 4; ++part) {
        if (part > 0 && !text.starts_with('.')) {
            return false;
        }
        text.remove_prefix(part > 0 ? 1 : 0);
        int value = 0;
        std::size_t digits = 0;
        for (; digits < text.size() && digits < 4 && isDigit(text[digits]); ++digits) {
            value = value * 10 + (text[digits] - '0');
        }
        if (digits == 0 || value > 255 || (digits > 1 && text[0] == '0')) {
            return false;
        }
        text.remove_prefix(digits);
    }
    return text.empty();
}

bool isIpv6(string_view text) {
    constexpr string_view kHex = "0123456789abcdefABCDEF";
    std::size_t groups = 0;
    bool gap = false; // "::" was seen
    if (text.starts_with("::")) {
        text.remove_prefix(1);
    } else if (text.starts_with(':') || text.empty()) {
        return false;
    }
    while (!text.empty()) {
        if (text.starts_with(':')) { // the second of a gap
            if (gap) {
                return false;
            }
            gap = true;
            text.remove_prefix(1);
            continue;
        }
        const auto digits = std::min(text.find_first_not_of(kHex), text.size());
        if (text.substr(digits).starts_with('.')) {
            groups += 2;
            return isIpv4(text) && (gap ? groups < 8 : groups == 8);
        }
        if (digits == 0 || digits > 4) {
            return false;
        }
        ++groups;
        text.remove_prefix(digits);
        if (text.starts_with(':')) {
            if (text.size() == 1) {
                return false;
            }
            text.remove_prefix(1);
        } else if (!text.empty()) {
            return false;
        }
    }
    return gap ? groups < 8 : groups == 8;
}

} // namespace tenon::schema
