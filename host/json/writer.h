// SPDX-License-Identifier: Apache-2.0
// JSON text, written in one pass.
#pragma once

#include "json/document.h"

#include <concepts>
#include <string>
#include <string_view>

namespace tenon::json {

// Appends text, which must be UTF-8, in quotes and escaped.
void appendQuoted(std::string &out, std::string_view text);

// A string of commas and colons in the right places. Example:
//     Writer().object().key("id").number(3).key("ok").boolean(true).end('}').take()
class Writer {
public:
    Writer() = default;
    explicit Writer(std::string start) : out_(std::move(start)) {}

    Writer &object() { return begin('{'); }
    Writer &array() { return begin('['); }
    Writer &endObject() { return end('}'); }
    Writer &endArray() { return end(']'); }
    Writer &key(std::string_view name);
    Writer &string(std::string_view text);
    Writer &boolean(bool value) { return raw(value ? "true" : "false"); }
    Writer &null() { return raw("null"); }
    template <std::integral Number> Writer &number(Number value) {
        return raw(std::to_string(value));
    }
    Writer &number(double value); // must be finite
    // A value that is JSON already.
    Writer &raw(std::string_view json);

    const std::string &text() const { return out_; }
    std::string take() { return std::move(out_); }

private:
    Writer &begin(char bracket);
    Writer &end(char bracket);
    void separate() {
        if (!first_) {
            out_ += ',';
        }
        first_ = false;
    }

    std::string out_;
    bool first_ = true;
};

// Canonical JSON (RFC 8785): keys by UTF-16 code units, numbers as ECMAScript writes them, no white
// space. Equal values have equal canonical bytes.
std::string canonical(Value value);

// Canonical but for numbers, which are exact: two values have the same identity if and only if they
// are equal.
std::string identity(Value value);

// The same value with no white space between its parts, every number and key as it stands.
std::string compact(Value value);

// The same value over several lines, two spaces a level, for people.
std::string pretty(Value value);

} // namespace tenon::json
