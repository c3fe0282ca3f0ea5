// SPDX-License-Identifier: Apache-2.0
#include "schema/strings/format.h"

#include "schema/strings/format_checks.h"
#include "schema/strings/pattern.h"

#include <algorithm>
#include <iterator>

namespace tenon::schema {

namespace {

using std::string_view;

bool isUuid(string_view text) {
    constexpr string_view kShape = "xxxxxxxx-xxxx-xxxx-xxxx-xxxxxxxxxxxx";
    constexpr string_view kHex = "0123456789abcdefABCDEF";
    return std::equal(
        text.begin(), text.end(), kShape.begin(), kShape.end(),
        [&](char c, char shape) { return shape == '-' ? c == '-' : kHex.find(c) != kHex.npos; });
}

// RFC 6901
bool isJsonPointer(string_view text) {
    for (auto at = text.find('~'); at != text.npos; at = text.find('~', at + 1)) {
        if (at + 1 == text.size() || (text[at + 1] != '0' && text[at + 1] != '1')) {
            return false;
        }
    }
    return text.empty() || text[0] == '/';
}

bool isRelativeJsonPointer(string_view text) {
    const auto digits = std::min(text.find_first_not_of("0123456789"), text.size());
    if (digits == 0 || (digits > 1 && text[0] == '0')) {
        return false;
    }
    text.remove_prefix(digits);
    return text == "#" || isJsonPointer(text);
}

constexpr Format kFormats[] = {
    {"date", "a date such as 2024-05-01", isDate},
    {"date-time", "a date and time such as 2024-05-01T13:45:00Z", isDateTime},
    {"duration", "a duration such as P3DT12H or PT30M", isDuration},
    {"email", "an e-mail address such as name@example.com", isEmail},
    {"hostname", "a host name such as www.example.com", isHostname},
    {"idn-email", "an e-mail address such as name@example.com", isIdnEmail},
    {"idn-hostname", "a host name such as www.example.com", isIdnHostname},
    {"ipv4", "an IPv4 address such as 192.0.2.1", isIpv4},
    {"ipv6", "an IPv6 address such as 2001:db8::1", isIpv6},
    {"iri", "an absolute IRI such as https://example.com/path", isIri},
    {"iri-reference", "an IRI or a relative reference such as ../path#part", isIriReference},
    {"json-pointer", "a JSON Pointer such as /items/0/name", isJsonPointer},
    {"regex", "a regular expression of ECMA-262 such as ^[a-z]+$", isEcmaRegex},
    {"relative-json-pointer", "a relative JSON Pointer such as 1/name", isRelativeJsonPointer},
    {"time", "a time with an offset such as 13:45:00Z or 13:45:00+02:00", isTime},
    {"uri", "an absolute URI such as https://example.com/path", isUri},
    {"uri-reference", "a URI or a relative reference such as ../path#part", isUriReference},
    {"uri-template", "a URI template such as https://example.com/{name}", isUriTemplate},
    {"uuid", "a UUID such as 123e4567-e89b-12d3-a456-426614174000", isUuid},
};

} // namespace

const Format *findFormat(string_view name) {
    const auto *const found =
        std::find_if(std::begin(kFormats), std::end(kFormats),
                     [&](const Format &format) { return format.name == name; });
    return found == std::end(kFormats) ? nullptr : found;
}

} // namespace tenon::schema
