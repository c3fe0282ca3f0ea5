// SPDX-License-Identifier: Apache-2.0
// The compiled form of a schema: private to this folder.
#pragma once

#include "json/document.h"

#include <re2/re2.h>

#include <cstdint>
#include <memory>
#include <optional>
#include <string_view>
#include <unordered_map>
#include <vector>

namespace tenon::schema {

// A subschema is a run of operations; kNone is no subschema.
using NodeIndex = std::uint32_t;
constexpr NodeIndex kNone = UINT32_MAX;

enum class OpCode : std::uint8_t {
    Never, // the schema `false`
    Type,  // first: mask of TypeBit
    Enum,  // value: array
    Const,
    Minimum, // value: the bound
    Maximum,
    ExclusiveMinimum,
    ExclusiveMaximum,
    MultipleOf,
    MinLength, // first: the bound, in code points
    MaxLength,
    Pattern, // first: index into patterns
    Array,   // first: index into arrays
    Object,  // first: index into objects
    AllOf,   // first, count: run of children
    AnyOf,
    OneOf,
    Not, // first: node
    If,  // first: run of children if, then, else (kNone where absent)
    Ref  // first: node
};

enum TypeBit : std::uint32_t {
    kNullBit = 1,
    kBooleanBit = 2,
    kNumberBit = 4,
    kIntegerBit = 8,
    kStringBit = 16,
    kArrayBit = 32,
    kObjectBit = 64
};

struct Op {
    OpCode code;
    std::uint32_t first = 0;
    std::uint32_t count = 0;
    json::Value value = {};
};

struct Pattern {
    std::string_view source;
    std::unique_ptr<RE2> regex;
};

struct Property {
    NodeIndex node = kNone;
    bool required = false;
};

struct ObjectRules {
    std::unordered_map<std::string_view, Property> properties; // required ones without schema too
    std::size_t required = 0;                                  // how many of them are
    std::vector<std::pair<std::uint32_t, NodeIndex>> patterns; // pattern index, node
    NodeIndex additional = kNone;
    NodeIndex names = kNone;
    std::uint64_t sizeMin = 0;
    std::uint64_t sizeMax = UINT64_MAX;
    std::vector<std::pair<std::string_view, std::vector<std::string_view>>> dependentRequired;
    std::vector<std::pair<std::string_view, NodeIndex>> dependentSchemas;
};

struct ArrayRules {
    std::vector<NodeIndex> prefix;
    NodeIndex items = kNone;
    NodeIndex contains = kNone;
    std::uint64_t containsMin = 1;
    std::uint64_t containsMax = UINT64_MAX;
    std::uint64_t sizeMin = 0;
    std::uint64_t sizeMax = UINT64_MAX;
    bool unique = false;
};

struct Node {
    std::uint32_t begin = 0; // its operations
    std::uint32_t end = 0;
};

struct Program {
    json::Document source; // what the views above point into
    std::vector<Node> nodes;
    std::vector<Op> ops;
    std::vector<NodeIndex> children;
    std::vector<Pattern> patterns;
    std::vector<ObjectRules> objects;
    std::vector<ArrayRules> arrays;
};

} // namespace tenon::schema
