// SPDX-License-Identifier: Apache-2.0
// The compiled form of a schema: private to this folder.
#pragma once

#include "json/document.h"
#include "schema/format.h"
#include "schema/pattern.h"

#include <cstdint>
#include <memory>
#include <string_view>
#include <unordered_map>
#include <vector>

namespace tenon::schema {

// A subschema is a node: a run of operations, all of which must hold. kNone is no subschema.
using NodeIndex = std::uint32_t;
constexpr NodeIndex kNone = UINT32_MAX;

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
    Not,                  // first: node
    If,                   // first: run of children if, then, else (kNone where absent)
    UnevaluatedItems,     // first: node; these two come last in their node
    UnevaluatedProperties // first: node; count: 1 if only the policy for unknown keys asks for it
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
std::uint32_t typeOf(json::Value value); // one bit; of a number, integer or not
std::uint32_t bitsOf(json::Value value); // the same, and an integer is a number too

struct Op {
    OpCode code;
    std::uint32_t first = 0;
    std::uint32_t count = 0;
    json::Value value = {};
};

struct Property {
    std::string_view key;
    NodeIndex node = kNone; // kNone: only required
    bool required = false;
    json::Value fallback = {}; // the default that fills its place; missing: none
};

// The keys that an object's schema names.
class PropertyTable {
public:
    Property &add(std::string_view key); // the one of this key, new or known
    std::vector<Property> &list() { return list_; }
    const std::vector<Property> &list() const { return list_; }
    // Its place in the list, or kNone. `guess` is looked at first: keys mostly come in order.
    std::uint32_t find(std::string_view key, std::uint32_t guess) const {
        return guess < list_.size() && list_[guess].key == key ? guess : lookUp(key);
    }

private:
    std::uint32_t lookUp(std::string_view key) const;

    std::vector<Property> list_; // in declared order
    std::unordered_map<std::string_view, std::uint32_t> byKey_;
};

struct ObjectRules {
    PropertyTable properties; // required ones without schema too
    std::size_t required = 0; // how many of them are
    std::size_t fallbacks = 0;
    std::vector<std::pair<std::uint32_t, NodeIndex>> patterns; // pattern index, node
    NodeIndex additional = kNone;
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
    std::uint32_t resource = 0;     // where it stands, for $dynamicRef
    std::uint32_t types = kAllBits; // of values that it may take, at most
    NodeIndex target = kNone;       // where it leads, if it is nothing but a Ref
    bool leaf = false;              // every operation looks at the value alone
    bool collects = false;          // an operation asks what others evaluated
    json::Value fallback = {};      // its "default"
};

struct Program {
    std::vector<std::unique_ptr<json::Document>> texts; // what the views above point into
    std::vector<Node> nodes;
    std::vector<Op> ops;
    std::vector<NodeIndex> children;
    std::vector<std::unique_ptr<const Pattern>> patterns;
    std::vector<const Format *> formats;
    std::vector<ArrayRules> arrays;
    std::vector<ContainsRules> contains;
    std::vector<ObjectRules> objects;
    std::vector<std::vector<DependentKeys>> dependents;
    // For each name that a $dynamicRef has: the nodes of that $dynamicAnchor, by resource.
    std::vector<std::unordered_map<std::uint32_t, NodeIndex>> dynamics;
    bool hasDefaults = false;
    std::vector<std::string> notes;

    const Op *begin(NodeIndex node) const { return ops.data() + nodes[node].begin; }
    const Op *end(NodeIndex node) const { return ops.data() + nodes[node].end; }
    bool refusesAll(NodeIndex node) const { // the schema `false`
        return begin(node) != end(node) && begin(node)->code == OpCode::Never;
    }
};

} // namespace tenon::schema
