// SPDX-License-Identifier: Apache-2.0
// A schema that is being rewritten: private to the projections.
//
// Nodes live in one pool and know no parents, so that nothing here recurses and moving a subschema
// costs nothing. References are "#" or "#/$defs/NAME", and the definitions are the root's "$defs".
#pragma once

#include "json/document.h"

#include <cstdint>
#include <deque>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace tenon::schema {

using NodeId = std::uint32_t;
constexpr NodeId kNoNode = UINT32_MAX;

struct TreeNode {
    // Text is JSON that holds no schema, or the schemas true and false.
    enum class Kind { Text, Schema, Map, List };
    Kind kind;
    std::string text;
    std::vector<std::pair<std::string, NodeId>> members; // a List's have empty keys
    std::string at;                                      // of a Schema: its place in the original
    bool wider = false;   // of a Schema: it takes more than the original does
    bool dynamic = false; // of a Schema: its "$ref" was a "$dynamicRef"

    bool is(std::string_view json) const { return kind == Kind::Text && text == json; }
};

class SchemaTree {
public:
    NodeId text(std::string json);
    NodeId make(TreeNode::Kind kind, std::string at = "");
    TreeNode &operator[](NodeId id) { return nodes_[id]; }
    const TreeNode &operator[](NodeId id) const { return nodes_[id]; }
    std::size_t size() const { return nodes_.size(); }

    // A member of a Schema or Map, or kNoNode; kNoNode has none.
    NodeId find(NodeId id, std::string_view key) const;
    bool has(NodeId id, std::string_view key) const { return find(id, key) != kNoNode; }
    // In the place of the member of that name, else at the end.
    void set(NodeId id, std::string_view key, NodeId value);
    void setText(NodeId id, std::string_view key, std::string json) {
        set(id, key, text(std::move(json)));
    }
    // Behind the member `before`, at the front when that is "" or missing.
    void insertAfter(NodeId id, std::string_view before, std::string_view key, NodeId value);
    void erase(NodeId id, std::string_view key);
    void rename(NodeId id, std::string_view from, std::string_view to);

    // Every Schema node at and below a node, in order, parents before their parts.
    std::vector<NodeId> schemas(NodeId from) const;
    // A copy with all that it holds, or kNoNode when the copies would come to too many nodes.
    NodeId copy(NodeId from);
    // What a "$ref" of this tree refers to, or kNoNode.
    NodeId target(std::string_view reference) const;
    bool refersToRoot() const; // whether a "$ref" is "#"
    // Without the definitions that nothing refers to.
    void dropUnusedDefinitions();
    std::string write(NodeId from) const;

    // Of a text node that is an array of strings or a string: those; else none.
    std::vector<std::string> words(NodeId id) const;
    // Of a text node that is an array: its items, compact; of any other: itself.
    std::vector<std::string> values(NodeId id) const;

    NodeId root = kNoNode;

private:
    std::deque<TreeNode> nodes_; // stable places: references to nodes survive new ones
    std::size_t copied_ = 0;
};

// Something that the provider is not told.
struct Loss {
    NodeId node;
    std::string words;
};
using Losses = std::vector<Loss>;
// One that makes a schema take more.
void widen(SchemaTree &tree, Losses &losses, NodeId schema, std::string words);

// A JSON array of these JSON values.
std::string arrayOf(const std::vector<std::string> &values);
std::string quoted(std::string_view text);

// Keywords that say nothing about what is valid.
bool isAnnotation(std::string_view keyword);

// The schema in the spelling of 2020-12, its references within the tree (projection_normal.cpp).
SchemaTree normalized(json::Value schema, Losses &losses);

// Makes the root a plain object schema without alternatives, conditions or a reference
// (projection_root.cpp).
void flattenRoot(SchemaTree &tree, Losses &losses);

// A form for what is of one of these forms (projection_forms.cpp).
NodeId eitherOf(SchemaTree &tree, const std::vector<NodeId> &forms);
// A form for what is of both: one schema where they do not speak of the same, else "allOf".
NodeId bothOf(SchemaTree &tree, NodeId first, NodeId second);

} // namespace tenon::schema
