// SPDX-License-Identifier: Apache-2.0
#include "schema/strings/uri.h"

#include <algorithm>
#include <charconv>
#include <vector>

namespace tenon::schema {

namespace {

using std::string_view;

// Up to the first of stops; that much of text is gone then.
string_view taken(string_view &text, string_view stops) {
    const string_view part = text.substr(0, text.find_first_of(stops));
    text.remove_prefix(part.size());
    return part;
}

bool isScheme(string_view text) {
    const auto letter = [](char c) { return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z'); };
    return !text.empty() && letter(text[0]) && std::all_of(text.begin(), text.end(), [&](char c) {
        return letter(c) || (c >= '0' && c <= '9') || c == '+' || c == '-' || c == '.';
    });
}

// "a/./b/../c" as "a/c". A ".." with nothing before it goes from a path that begins with "/" and
// stays in one that does not: a relative base may be resolved against another one later.
std::string withoutDots(string_view path) {
    const bool rooted = path.starts_with('/');
    std::vector<string_view> kept;
    bool open = false; // ends in a "/"
    for (string_view rest = path.substr(rooted ? 1 : 0);;) {
        const auto end = std::min(rest.find('/'), rest.size());
        const string_view segment = rest.substr(0, end);
        open = segment == "." || segment == "..";
        if (segment == ".." && !kept.empty() && kept.back() != "..") {
            kept.pop_back();
        } else if (!open || (segment == ".." && !rooted)) {
            kept.push_back(segment);
        }
        if (end == rest.size()) {
            break;
        }
        rest.remove_prefix(end + 1);
    }
    std::string out(rooted ? "/" : "");
    for (std::size_t i = 0; i < kept.size(); ++i) {
        out += kept[i];
        out += i + 1 < kept.size() || open ? "/" : "";
    }
    return out;
}

// The path of a reference, put where the last segment of the base's is.
std::string merged(const UriParts &base, string_view path) {
    const auto slash = base.path.rfind('/');
    if (slash == string_view::npos) {
        return std::string(base.authority && base.path.empty() ? "/" : "").append(path);
    }
    return std::string(base.path.substr(0, slash + 1)).append(path);
}

std::string joined(const UriParts &parts) {
    std::string out;
    if (parts.scheme) {
        out.append(*parts.scheme) += ':';
    }
    if (parts.authority) {
        out.append("//").append(*parts.authority);
    } else if (parts.path.starts_with("//")) {
        out += "/."; // or the path would be read as an authority
    }
    out += parts.path;
    if (parts.query) {
        (out += '?').append(*parts.query);
    }
    if (parts.fragment) {
        (out += '#').append(*parts.fragment);
    }
    return out;
}

} // namespace

UriParts uriParts(string_view uri) {
    UriParts parts;
    if (const auto colon = uri.find(':'); colon != uri.npos && isScheme(uri.substr(0, colon))) {
        parts.scheme = uri.substr(0, colon);
        uri.remove_prefix(colon + 1);
    }
    if (uri.starts_with("//")) {
        uri.remove_prefix(2);
        parts.authority = taken(uri, "/?#");
    }
    parts.path = taken(uri, "?#");
    if (uri.starts_with('?')) {
        parts.query = taken(uri, "#").substr(1);
    }
    if (uri.starts_with('#')) {
        parts.fragment = uri.substr(1);
    }
    return parts;
}

std::string resolveUri(string_view base, string_view reference) {
    if (base.empty()) {
        return std::string(reference);
    }
    const UriParts from = uriParts(base);
    UriParts to = uriParts(reference);
    std::string path;
    if (to.scheme || to.authority || to.path.starts_with('/')) {
        path = withoutDots(to.path);
    } else if (to.path.empty()) {
        path = from.path;
        to.query = to.query ? to.query : from.query;
    } else {
        path = withoutDots(merged(from, to.path));
    }
    if (!to.scheme && !to.authority) {
        to.authority = from.authority;
    }
    to.scheme = to.scheme ? to.scheme : from.scheme;
    to.path = path;
    return joined(to);
}

SplitUri splitFragment(string_view uri) {
    const auto hash = uri.find('#');
    return hash == uri.npos ? SplitUri{uri, {}, false}
                            : SplitUri{uri.substr(0, hash), uri.substr(hash + 1), true};
}

std::string percentDecoded(string_view text) {
    std::string out;
    out.reserve(text.size());
    for (std::size_t i = 0; i < text.size(); ++i) {
        const char *const digits = text.data() + i + 1;
        unsigned char byte = 0;
        if (text[i] == '%' && i + 2 < text.size() &&
            std::from_chars(digits, digits + 2, byte, 16).ptr == digits + 2) {
            out += static_cast<char>(byte);
            i += 2;
        } else {
            out += text[i];
        }
    }
    return out;
}

bool isAbsoluteUri(string_view uri) {
    return uriParts(uri).scheme.has_value();
}

} // namespace tenon::schema
