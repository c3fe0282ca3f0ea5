// SPDX-License-Identifier: Apache-2.0
#include "schema/strings/format_checks.h"
#include "schema/strings/uri.h"
#include "schema/strings/utf8.h"

#include <algorithm>

namespace tenon::schema {

namespace {

using std::string_view;

constexpr string_view kUnreserved = "-._~";
constexpr string_view kSubDelimiters = "!$&'()*+,;=";

// What may stand beyond ASCII: nothing, RFC 3987's ucschar, or its iprivate as well.
enum class Beyond { None, Letters, Private };

bool isHexDigit(char c) {
    return (c >= '0' && c <= '9') || (c >= 'a' && c <= 'f') || (c >= 'A' && c <= 'F');
}
bool isAlphanumeric(std::uint32_t c) {
    return (c >= '0' && c <= '9') || (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z');
}

bool isBeyond(std::uint32_t code, Beyond beyond) {
    const bool isPrivate = (code >= 0xE000 && code < 0xF900) || code >= 0xF0000;
    if (beyond == Beyond::None || code < 0xA0 || (code & 0xFFFE) == 0xFFFE) {
        return false; // the last two of each plane are no characters
    }
    if (isPrivate) {
        return beyond == Beyond::Private;
    }
    return !(code >= 0xFDD0 && code < 0xFDF0) && !(code >= 0xFFF0 && code < 0x10000) &&
           !(code >= 0xE0000 && code < 0xE1000);
}

bool isEscape(string_view text) {
    return text.size() > 2 && text[0] == '%' && isHexDigit(text[1]) && isHexDigit(text[2]);
}

// Made of unreserved characters, %XX, those of others, and what may stand beyond ASCII.
bool isMadeOf(string_view text, string_view others, Beyond beyond) {
    while (!text.empty()) {
        if (isEscape(text)) {
            text.remove_prefix(3);
            continue;
        }
        const auto code = takeCodePoint(text);
        const auto isOneOf = [&](string_view set) {
            return code < 0x80 && set.find(static_cast<char>(code)) != set.npos;
        };
        if (!isAlphanumeric(code) && !isOneOf(kUnreserved) && !isOneOf(kSubDelimiters) &&
            !isOneOf(others) && !isBeyond(code, beyond)) {
            return false;
        }
    }
    return true;
}

// What stands between the brackets: an IPv6 address, or one of a version to come: "v1.fe".
bool isIpLiteral(string_view text) {
    if (!text.starts_with('v') && !text.starts_with('V')) {
        return isIpv6(text);
    }
    const auto dot = text.find('.');
    return dot != text.npos && dot > 1 && dot + 1 < text.size() &&
           std::all_of(text.begin() + 1, text.begin() + static_cast<std::ptrdiff_t>(dot),
                       isHexDigit) &&
           text.find('%') == text.npos && isMadeOf(text.substr(dot + 1), ":", Beyond::None);
}

bool isAuthority(string_view text, Beyond beyond) {
    if (const auto at = text.find('@'); at != text.npos) {
        if (!isMadeOf(text.substr(0, at), ":", beyond)) {
            return false;
        }
        text.remove_prefix(at + 1);
    }
    if (text.starts_with('[')) {
        const auto end = text.find(']');
        if (end == text.npos || !isIpLiteral(text.substr(1, end - 1))) {
            return false;
        }
        text.remove_prefix(end + 1);
    } else {
        const auto end = std::min(text.find(':'), text.size());
        if (!isMadeOf(text.substr(0, end), "", beyond)) {
            return false;
        }
        text.remove_prefix(end);
    }
    if (text.empty()) {
        return true;
    }
    return text[0] == ':' && text.find_first_not_of("0123456789", 1) == text.npos;
}

bool isReference(string_view text, Beyond beyond) {
    const UriParts parts = uriParts(text);
    const string_view first = parts.path.substr(0, parts.path.find('/'));
    if (!parts.scheme && !parts.authority && first.find(':') != first.npos) {
        return false; // or it would be read as a scheme
    }
    const auto inQuery = beyond == Beyond::None ? beyond : Beyond::Private;
    return (!parts.authority || isAuthority(*parts.authority, beyond)) &&
           isMadeOf(parts.path, ":@/", beyond) &&
           (!parts.query || isMadeOf(*parts.query, ":@/?", inQuery)) &&
           (!parts.fragment || isMadeOf(*parts.fragment, ":@/?", beyond));
}

// RFC 6570, 2.3: "name", "name:3", "name*".
bool isVariable(string_view text) {
    if (text.ends_with('*')) {
        text.remove_suffix(1);
    } else if (const auto colon = text.find(':'); colon != text.npos) {
        const string_view length = text.substr(colon + 1);
        if (length.empty() || length.size() > 4 || length[0] == '0' ||
            length.find_first_not_of("0123456789") != length.npos) {
            return false;
        }
        text = text.substr(0, colon);
    }
    for (bool mayBeDot = false; !text.empty();) {
        const bool dot = text[0] == '.';
        if (dot ? !mayBeDot || text.size() == 1
                : !isEscape(text) && text[0] != '_' &&
                      !isAlphanumeric(static_cast<unsigned char>(text[0]))) {
            return false;
        }
        text.remove_prefix(isEscape(text) ? 3 : 1);
        mayBeDot = !dot;
        if (text.empty()) {
            return true;
        }
    }
    return false;
}

bool isTemplateExpression(string_view text) {
    if (!text.empty() && string_view("+#./;?&").find(text[0]) != string_view::npos) {
        text.remove_prefix(1);
    }
    for (;;) {
        const auto comma = text.find(',');
        if (!isVariable(text.substr(0, comma))) {
            return false;
        }
        if (comma == text.npos) {
            return true;
        }
        text.remove_prefix(comma + 1);
    }
}

} // namespace

bool isUri(string_view text) {
    return isAbsoluteUri(text) && isReference(text, Beyond::None);
}

bool isUriReference(string_view text) {
    return isReference(text, Beyond::None);
}

bool isIri(string_view text) {
    return isAbsoluteUri(text) && isReference(text, Beyond::Letters);
}

bool isIriReference(string_view text) {
    return isReference(text, Beyond::Letters);
}

bool isUriTemplate(string_view text) {
    while (!text.empty()) {
        if (text[0] == '{') {
            const auto end = text.find('}');
            if (end == text.npos || !isTemplateExpression(text.substr(1, end - 1))) {
                return false;
            }
            text.remove_prefix(end + 1);
        } else if (isEscape(text)) {
            text.remove_prefix(3);
        } else {
            const auto code = takeCodePoint(text);
            const bool ascii =
                code > ' ' && code < 0x7F &&
                string_view("\"%<>\\^`{|}").find(static_cast<char>(code)) == string_view::npos;
            if (!ascii && !isBeyond(code, Beyond::Private)) {
                return false;
            }
        }
    }
    return true;
}

} // namespace tenon::schema
