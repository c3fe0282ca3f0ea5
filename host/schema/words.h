// SPDX-License-Identifier: Apache-2.0
// How an issue speaks: where, what was expected, what was found. Private to this folder.
#pragma once

#include "json/document.h"

#include <cstdint>
#include <string>
#include <string_view>

namespace tenon::schema {

// The place of a value, as a chain on the stack of the calls below.
struct Place {
    const Place *parent = nullptr;
    std::string_view key = {};
    std::size_t item = SIZE_MAX; // SIZE_MAX: key is it
    bool ofSchema = true;        // the key is one that the schema names

    enum class Keys { All, OfSchema }; // the others are shown as *
    // As a JSON Pointer; long keys are cut.
    std::string pointer(Keys keys = Keys::All) const;
};

// "an object", "null"
std::string kindOf(json::Value value);
// The same with a short value: "the string "ten"".
std::string foundOf(json::Value value);
// The types of a mask of TypeBit: "a string or null".
std::string typesOf(std::uint32_t mask);

} // namespace tenon::schema
