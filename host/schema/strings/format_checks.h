// SPDX-License-Identifier: Apache-2.0
// The checks behind the formats, each named after what its text is. Private to this folder.
#pragma once

#include <string_view>

namespace tenon::schema {

// format_time.cpp: RFC 3339
bool isDateTime(std::string_view text);
bool isDate(std::string_view text);
bool isTime(std::string_view text);
bool isDuration(std::string_view text);

// format_host.cpp: RFC 1123, RFC 5891, RFC 5321
bool isHostname(std::string_view text);
bool isIdnHostname(std::string_view text);
bool isEmail(std::string_view text);
bool isIdnEmail(std::string_view text);
bool isIpv4(std::string_view text);
bool isIpv6(std::string_view text);

// format_label.cpp: a label that is not all ASCII (RFC 5892)
bool isIdnLabel(std::string_view label);
enum class Direction { LeftToRight, RightToLeft };
Direction directionOf(std::string_view label);
// In a name that has a label from right to left, every label keeps to the rule of RFC 5893.
bool keepsBidiRule(std::string_view label);

// format_uri.cpp: RFC 3986, RFC 3987, RFC 6570
bool isUri(std::string_view text);
bool isUriReference(std::string_view text);
bool isIri(std::string_view text);
bool isIriReference(std::string_view text);
bool isUriTemplate(std::string_view text);

} // namespace tenon::schema
