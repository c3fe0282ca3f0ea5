// SPDX-License-Identifier: Apache-2.0
// URI references as $id and $ref use them (RFC 3986, section 5): resolved as text and compared as
// text. Nothing is normalised but the dot segments that resolving removes.
#pragma once

#include <optional>
#include <string>
#include <string_view>

namespace tenon::schema {

// A reference as seen from a base, which may be relative itself; from no base (""), as it is.
std::string resolveUri(std::string_view base, std::string_view reference);

struct SplitUri {
    std::string_view document; // what is before the "#"
    std::string_view fragment; // what is behind it, still percent-encoded
    bool hasFragment;          // "a#" has an empty one, "a" has none
};
SplitUri splitFragment(std::string_view uri);

// text with its %XX as the bytes they stand for; a "%" without two hex digits stays.
std::string percentDecoded(std::string_view text);

// The parts of a URI or of a reference (RFC 3986, appendix B): any text has them.
struct UriParts {
    std::optional<std::string_view> scheme, authority, query, fragment;
    std::string_view path;
};
UriParts uriParts(std::string_view uri);

// Whether it begins with a scheme.
bool isAbsoluteUri(std::string_view uri);

} // namespace tenon::schema
