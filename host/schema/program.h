// SPDX-License-Identifier: Apache-2.0
// The compiled form of a schema: private to this folder.
#pragma once

#include "json/document.h"
#include "schema/properties.h"
#include "schema/schema.h"
#include "schema/strings/format.h"
#include "schema/strings/pattern.h"

#include <cstdint>
#include <cstring>
#include <memory>
#include <string_view>
#include <unordered_map>
#include <vector>

namespace tenon::schema {

enum class OpCode : std::uint8_t {
    // These look at the value alone.
    Never,   // the schema `false`
    Type,    // first: mask of TypeBit
    Enum,    // value: array
    Const,   // value
    Minimum, // value: the bound
    Maximum,
    ExclusiveMinimum,
    ExclusiveMaximum,
    MultipleOf,
    MinLength, // first: the bound, in code points
    MaxLength,
    Pattern, // first: index into patterns
    Format,  // first: index into formats
    MinItems,
    MaxItems,
    UniqueItems,
    MinProperties,
    MaxProperties,
    DependentRequired, // first: index into dependents
    // These apply other nodes.
    Items,           // first: index into arrays
    Contains,        // first: index into contains
    Properties,      // first: index into objects
    PropertyNames,   // first: node
    Ref,             // first: node. Each branch of allOf is one too
    DynamicRef,      // first: the node where it leads at first; count: index into dynamics
    DependentSchema, // first: node; value: the key, a string
    AnyOf,           // first, count: run of children
    OneOf,
    Not,                   // first: node
    If,                    // first: run of children if, then, else (kNone where absent)
    UnevaluatedItems,      // first: node; these come last in their node
    UnevaluatedProperties, // first: node
    Close                  // the policy for unknown keys; last of all
};
constexpr bool looksAtValueAlone(OpCode code) {
    return code <= OpCode::DependentRequired;
}

enum TypeBit : std::uint32_t {
    kNullBit = 1,
    kBooleanBit = 2,
    kNumberBit = 4,
    kIntegerBit = 8,
    kStringBit = 16,
    kArrayBit = 32,
    kObjectBit = 64,
    kAllBits = 127
};
// One bit; of a number, integer or not.
inline std::uint32_t typeOf(json::Value value) {
    if (value.isNumber()) {
        return value.isInteger() ? kIntegerBit : kNumberBit;
    }
    static constexpr std::uint32_t kBits[] = {kNullBit,   kBooleanBit, kNumberBit,
                                              kStringBit, kArrayBit,   kObjectBit};
    return kBits[static_cast<std::size_t>(value.kind())];
}

struct Op {
    OpCode code;
    std::uint32_t first = 0;
    std::uint32_t count = 0;
    json::Value value = {};
};

struct ObjectRules {
    std::size_t required = 0; // how many of the properties are
    NodeIndex additional = kNone;
    std::vector<std::pair<std::uint32_t, NodeIndex>> patterns; // pattern index, node
    PropertyTable properties;                                  // required ones without schema too
    std::size_t fallbacks = 0;
};

struct ArrayRules {
    std::vector<NodeIndex> prefix;
    NodeIndex items = kNone; // of what follows
};

struct ContainsRules {
    NodeIndex node = kNone;
    std::uint64_t least = 1;
    std::uint64_t most = UINT64_MAX;
};

struct DependentKeys {
    std::string_view key;
    std::vector<std::string_view> needs;
};

struct Node {
    std::uint32_t begin = 0; // its operations
    std::uint32_t end = 0;
    NodeIndex target = kNone;  // where it leads, if it is nothing but a Ref
    bool leaf = false;         // every operation looks at the value alone
    bool flat = false;         // all but the last, which applies leaves to the members
    std::uint8_t onlyType = 0; // the mask of its Type, if that is its only operation
    bool collects = false;     // an operation asks what others evaluated
};

// What is rarely asked of a node.
struct NodeFacts {
    std::uint32_t resource = 0;     // where it stands, for $dynamicRef
    std::uint32_t types = kAllBits; // of values that it may take, at most
    json::Value fallback = {};      // its "default"
};

struct Program {
    // What most runs read, first.
    std::vector<Node> nodes;
    std::vector<Op> ops;
    std::vector<ObjectRules> objects;
    std::vector<ArrayRules> arrays;
    std::vector<NodeIndex> children;
    std::vector<ContainsRules> contains;
    std::vector<std::unique_ptr<const Pattern>> patterns;
    std::vector<const Format *> formats;
    std::vector<std::vector<DependentKeys>> dependents;
    // For each name that a $dynamicRef has: the nodes of that $dynamicAnchor, by resource.
    std::vector<std::unordered_map<std::uint32_t, NodeIndex>> dynamics;
    std::vector<NodeFacts> facts;                       // of each node
    std::vector<std::unique_ptr<json::Document>> texts; // what the views above point into
    bool hasDefaults = false;
    UnknownKeys unknownKeys = UnknownKeys::Allow;
    std::vector<std::string> notes;

    const Op *begin(NodeIndex node) const { return ops.data() + nodes[node].begin; }
    const Op *end(NodeIndex node) const { return ops.data() + nodes[node].end; }
    NodeIndex targetOf(NodeIndex node) const {
        while (nodes[node].target != kNone) {
            node = nodes[node].target;
        }
        return node;
    }
    bool refusesAll(NodeIndex node) const { // the schema `false`
        return begin(node) != end(node) && begin(node)->code == OpCode::Never;
    }
};

} // namespace tenon::schema
