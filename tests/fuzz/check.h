// SPDX-License-Identifier: Apache-2.0
// What all targets share: a broken promise ends the process, which is how a fuzzer learns of it.
#pragma once

#include "json/document.h"
#include "schema/schema.h"

#include <cstddef>
#include <cstdint>
#include <string_view>

// What libFuzzer calls for each input, and replay.cpp for each seed. Always 0.
extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t *data, std::size_t size);

namespace tenon::fuzz {

inline std::string_view textOf(const std::uint8_t *data, std::size_t size) {
    return {reinterpret_cast<const char *>(data), size};
}

// The text before the first line feed, and the text behind it.
struct Halves {
    std::string_view first, second;
};
Halves halvesOf(std::string_view text);

// Says what does not hold and aborts.
void must(bool holds, std::string_view promise);

// Reads a text that must be JSON.
json::Document readAgain(std::string text, std::string_view promise);

// Holds a compiled schema to all that it promises about one value. A default may make a valid value
// invalid, so one promise more holds of schemas that fill none in.
enum class Defaults { Ignored, Filled };
void checkValue(const schema::Schema &schema, json::Value value, Defaults defaults);

// Ceilings that keep one input below a second.
Limits limits();

} // namespace tenon::fuzz
