// SPDX-License-Identifier: Apache-2.0
#include "schema/projection/tree.h"

#include "json/writer.h"

#include <algorithm>
#include <array>
#include <map>

namespace tenon::schema {

namespace {

// What copies may add to a tree: far more than a schema needs that does not double itself.
constexpr std::size_t kCopiedNodesMax = 20'000;

auto memberOf(auto &node, std::string_view key) {
    return std::find_if(node.members.begin(), node.members.end(),
                        [&](const auto &member) { return member.first == key; });
}

} // namespace

NodeId SchemaTree::text(std::string json) {
    nodes_.push_back({TreeNode::Kind::Text, std::move(json), {}, "", false, false});
    return static_cast<NodeId>(nodes_.size() - 1);
}

NodeId SchemaTree::make(TreeNode::Kind kind, std::string at) {
    nodes_.push_back({kind, "", {}, std::move(at), false, false});
    return static_cast<NodeId>(nodes_.size() - 1);
}

NodeId SchemaTree::find(NodeId id, std::string_view key) const {
    if (id == kNoNode) {
        return kNoNode;
    }
    const auto found = memberOf(nodes_[id], key);
    return found == nodes_[id].members.end() ? kNoNode : found->second;
}

void SchemaTree::set(NodeId id, std::string_view key, NodeId value) {
    auto &node = nodes_[id];
    if (const auto found = memberOf(node, key); found != node.members.end()) {
        found->second = value;
    } else {
        node.members.emplace_back(key, value);
    }
}

void SchemaTree::insertAfter(NodeId id, std::string_view before, std::string_view key,
                             NodeId value) {
    auto &members = nodes_[id].members;
    auto place = memberOf(nodes_[id], before);
    place = place == members.end() ? members.begin() : place + 1;
    members.emplace(place, key, value);
}

void SchemaTree::erase(NodeId id, std::string_view key) {
    auto &members = nodes_[id].members;
    members.erase(std::remove_if(members.begin(), members.end(),
                                 [&](const auto &member) { return member.first == key; }),
                  members.end());
}

void SchemaTree::rename(NodeId id, std::string_view from, std::string_view to) {
    if (const auto found = memberOf(nodes_[id], from); found != nodes_[id].members.end()) {
        found->first = to;
    }
}

std::vector<NodeId> SchemaTree::schemas(NodeId from) const {
    std::vector<NodeId> out, open{from};
    while (!open.empty()) {
        const auto id = open.back();
        open.pop_back();
        if (nodes_[id].kind == TreeNode::Kind::Schema) {
            out.push_back(id);
        }
        const auto &members = nodes_[id].members;
        for (auto member = members.rbegin(); member != members.rend(); ++member) {
            open.push_back(member->second);
        }
    }
    return out;
}

NodeId SchemaTree::copy(NodeId from) {
    std::vector<NodeId> originals{from}; // parents before their parts
    for (std::size_t i = 0; i < originals.size(); ++i) {
        for (const auto &member : nodes_[originals[i]].members) {
            originals.push_back(member.second);
        }
        if (copied_ + originals.size() > kCopiedNodesMax) {
            return kNoNode;
        }
    }
    copied_ += originals.size();
    const auto first = static_cast<NodeId>(nodes_.size());
    NodeId next = first + 1; // where the parts of the node at hand go
    for (const auto original : originals) {
        auto &made = nodes_.emplace_back(nodes_[original]);
        for (auto &member : made.members) {
            member.second = next++;
        }
    }
    return first;
}

NodeId SchemaTree::target(std::string_view reference) const {
    constexpr std::string_view kDefs = "#/$defs/";
    if (reference == "#") {
        return root;
    }
    return reference.starts_with(kDefs) ? find(find(root, "$defs"), reference.substr(kDefs.size()))
                                        : kNoNode;
}

bool SchemaTree::refersToRoot() const {
    const auto all = schemas(root);
    return std::any_of(all.begin(), all.end(), [&](NodeId id) {
        const auto reference = find(id, "$ref");
        return reference != kNoNode && nodes_[reference].is("\"#\"");
    });
}

void SchemaTree::dropUnusedDefinitions() {
    const auto definitions = find(root, "$defs");
    if (definitions == kNoNode) {
        return;
    }
    const auto held = nodes_[definitions].members;
    nodes_[definitions].members.clear(); // so that the root's own schemas are seen alone
    std::map<std::string, NodeId> unused;
    for (const auto &[name, schema] : held) {
        unused.emplace("#/$defs/" + name, schema);
    }
    std::vector<NodeId> open{root};
    while (!open.empty()) {
        const auto from = open.back();
        open.pop_back();
        for (const auto id : schemas(from)) {
            for (const auto &reference : words(find(id, "$ref"))) {
                if (const auto found = unused.find(reference); found != unused.end()) {
                    open.push_back(found->second);
                    unused.erase(found);
                }
            }
        }
    }
    for (const auto &member : held) {
        if (!unused.contains("#/$defs/" + member.first)) {
            nodes_[definitions].members.push_back(member);
        }
    }
    if (nodes_[definitions].members.empty()) {
        erase(root, "$defs");
    }
}

std::string SchemaTree::write(NodeId from) const {
    struct Open {
        NodeId id;
        std::size_t next = 0;
    };
    json::Writer out;
    std::vector<Open> open;
    const auto begin = [&](NodeId id) {
        if (nodes_[id].kind == TreeNode::Kind::Text) {
            out.raw(nodes_[id].text);
            return;
        }
        nodes_[id].kind == TreeNode::Kind::List ? out.array() : out.object();
        open.push_back({id});
    };
    begin(from);
    while (!open.empty()) {
        auto &last = open.back();
        const auto &node = nodes_[last.id];
        const bool list = node.kind == TreeNode::Kind::List;
        if (last.next == node.members.size()) {
            list ? out.endArray() : out.endObject();
            open.pop_back();
            continue;
        }
        const auto &[key, value] = node.members[last.next++];
        if (!list) {
            out.key(key);
        }
        begin(value);
    }
    return out.take();
}

std::vector<std::string> SchemaTree::words(NodeId id) const {
    std::vector<std::string> out;
    json::Document document;
    if (id == kNoNode || nodes_[id].kind != TreeNode::Kind::Text ||
        !document.readView(nodes_[id].text)) {
        return out;
    }
    if (document.root().isString()) {
        out.emplace_back(document.root().string());
    }
    for (const auto item : document.root().items()) {
        if (item.isString()) {
            out.emplace_back(item.string());
        }
    }
    return out;
}

std::vector<std::string> SchemaTree::values(NodeId id) const {
    std::vector<std::string> out;
    json::Document document;
    if (id == kNoNode || nodes_[id].kind != TreeNode::Kind::Text ||
        !document.readView(nodes_[id].text)) {
        return out;
    }
    if (!document.root().isArray()) {
        return {nodes_[id].text};
    }
    for (const auto item : document.root().items()) {
        out.emplace_back(item.raw());
    }
    return out;
}

void widen(SchemaTree &tree, Losses &losses, NodeId schema, std::string words) {
    losses.push_back({schema, std::move(words)});
    tree[schema].wider = true;
}

std::string arrayOf(const std::vector<std::string> &values) {
    json::Writer out;
    out.array();
    for (const auto &value : values) {
        out.raw(value);
    }
    return out.endArray().take();
}

std::string quoted(std::string_view text) {
    std::string out;
    json::appendQuoted(out, text);
    return out;
}

bool isAnnotation(std::string_view keyword) {
    static constexpr std::array<std::string_view, 35> kAssertions{"type",
                                                                  "enum",
                                                                  "const",
                                                                  "minimum",
                                                                  "maximum",
                                                                  "exclusiveMinimum",
                                                                  "exclusiveMaximum",
                                                                  "multipleOf",
                                                                  "minLength",
                                                                  "maxLength",
                                                                  "pattern",
                                                                  "items",
                                                                  "prefixItems",
                                                                  "contains",
                                                                  "minContains",
                                                                  "maxContains",
                                                                  "minItems",
                                                                  "maxItems",
                                                                  "uniqueItems",
                                                                  "properties",
                                                                  "patternProperties",
                                                                  "additionalProperties",
                                                                  "propertyNames",
                                                                  "required",
                                                                  "minProperties",
                                                                  "maxProperties",
                                                                  "dependentRequired",
                                                                  "dependentSchemas",
                                                                  "allOf",
                                                                  "anyOf",
                                                                  "oneOf",
                                                                  "not",
                                                                  "if",
                                                                  "unevaluatedProperties",
                                                                  "unevaluatedItems"};
    return keyword != "then" && keyword != "else" && keyword != "$ref" && keyword != "$defs" &&
           std::find(kAssertions.begin(), kAssertions.end(), keyword) == kAssertions.end();
}

} // namespace tenon::schema
