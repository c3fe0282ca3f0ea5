// SPDX-License-Identifier: Apache-2.0
// How an issue speaks: where, what was expected, what was found. Private to this folder.
#pragma once

#include "schema/program.h"
#include "schema/schema.h"

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace tenon::schema {

enum class Keys { All, OfSchema }; // in a place; the others are shown as *
// "/" and the key as a token of a JSON Pointer; a very long one is cut.
std::string tokenOf(std::string_view key);

// "an object", "null"
std::string kindOf(json::Value value);
// The same with a short value: "the string "ten"".
std::string foundOf(json::Value value);
// "1 item", "2 items"
std::string counted(std::uint64_t count, std::string_view noun);
// "one of ["a","b"] (did you mean "a"?)"
std::string valuesOf(json::Value list, json::Value found);
// The types of a mask of TypeBit: "a string or null".
std::string typesOf(std::uint32_t mask);
// Which keys an object may have by a node, or by all that apply with it, and the one that was meant
// by `found`: "only the keys a and b (did you mean a?)".
enum class Among { Own, InPlace };
std::string keysExpected(const Program &program, NodeIndex node, Among among,
                         std::string_view found);

// Whether any schema that applies along with a node has something to say of a key.
bool isKnown(const Program &program, NodeIndex node, std::string_view key);

// The JSON Pointer from a value to another one that it holds, by its place on the tape.
std::string pointerTo(json::Value root, std::uint32_t index);

// What to say of a choice none of whose branches fits: the issues of the closest one, or a single
// issue that lists what each wants. `choice` holds the rest of what an issue says.
std::vector<Issue> closestOf(std::vector<std::vector<Issue>> branches, const Issue &choice);

} // namespace tenon::schema
