// SPDX-License-Identifier: Apache-2.0
// json_query: one value of a JSON document, found by its JSON Pointer (RFC 6901).
#pragma once

#include <tenon/fields.hpp>

#include <cstdint>
#include <optional>
#include <string>

namespace everyday {

struct JsonQuery {
    tenon::Json document;
    std::string pointer;
};
inline void describe(tenon::Fields<JsonQuery> &f) {
    f.field("document", &JsonQuery::document,
            "The JSON document: an object, an array or another value as it is, or a string that "
            "holds JSON text. A string is always read as JSON text.");
    f.field("pointer", &JsonQuery::pointer,
            "A JSON Pointer: \"\" is the whole document, \"/a/0\" the first element of member a; "
            "in a key, ~1 stands for / and ~0 for ~.")
        .maxLength(4096);
}

struct JsonFound {
    tenon::Json value;
    std::string type;
    std::optional<std::uint64_t> length;
};
inline void describe(tenon::Fields<JsonFound> &f) {
    f.field("value", &JsonFound::value, "The value, digits of numbers unchanged.");
    f.field("type", &JsonFound::type)
        .oneOf({"object", "array", "string", "number", "boolean", "null"});
    f.field("length", &JsonFound::length, "Of an object its members, of an array its elements.");
}

JsonFound jsonQuery(const JsonQuery &in);

} // namespace everyday
