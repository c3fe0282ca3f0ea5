// SPDX-License-Identifier: Apache-2.0
#include "schema/words.h"

#include "schema/program.h"
#include "support/text.h"

#include <array>

namespace tenon::schema {

namespace {

std::string withArticle(std::string_view word) {
    const bool vowel = std::string_view("aeio").find(word[0]) != std::string_view::npos;
    return concat(vowel ? "an " : "a ", word);
}

} // namespace

std::string Place::pointer(Keys keys) const {
    std::string out;
    for (const Place *at = this; at->parent != nullptr; at = at->parent) {
        std::string token = "/";
        if (at->item != SIZE_MAX) {
            token += std::to_string(at->item);
        }
        const bool hidden = keys == Keys::OfSchema && !at->ofSchema;
        for (const char c : hidden ? "*" : printable(at->key, 100)) {
            c == '~' ? token += "~0" : c == '/' ? token += "~1" : token += c;
        }
        out.insert(0, token);
    }
    return out;
}

std::string kindOf(json::Value value) {
    return value.isNull() ? "null" : withArticle(json::nameOf(value.kind()));
}

std::string foundOf(json::Value value) {
    if (value.isArray() || value.isObject() || value.isNull()) {
        return kindOf(value);
    }
    return concat("the ", json::nameOf(value.kind()), " ", printable(value.raw(), 100));
}

std::string typesOf(std::uint32_t mask) {
    static constexpr std::array<std::pair<std::uint32_t, std::string_view>, 7> kNames{
        {{kStringBit, "string"},
         {kIntegerBit, "integer"},
         {kNumberBit, "number"},
         {kBooleanBit, "boolean"},
         {kObjectBit, "object"},
         {kArrayBit, "array"},
         {kNullBit, "null"}}};
    std::string out;
    for (const auto &[bit, name] : kNames) {
        if ((mask & bit) != 0) {
            out += (out.empty() ? "" : " or ") + (bit == kNullBit ? "null" : withArticle(name));
        }
    }
    return out;
}

} // namespace tenon::schema
