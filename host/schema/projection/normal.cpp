// SPDX-License-Identifier: Apache-2.0
// A schema as it was written -> the tree of projection_tree.h: the spelling of 2020-12, no
// identifiers, and each subschema that is referred to once, under "$defs".
#include "json/writer.h"
#include "schema/dialect.h"
#include "schema/projection/places.h"
#include "schema/projection/tree.h"
#include "schema/strings/json_pointer.h"
#include "support/text.h"

#include <algorithm>
#include <array>
#include <map>
#include <set>

namespace tenon::schema {

namespace {

using json::Value;
using Kind = TreeNode::Kind;

// Identifiers, and words to other authors.
constexpr std::array<std::string_view, 11> kLeftOut{
    "$schema",     "$id",   "$anchor",     "$dynamicAnchor",   "$vocabulary",  "$comment",
    "definitions", "$defs", "$dynamicRef", "$recursiveAnchor", "$recursiveRef"};

// A name that stands in a "$ref" as it is.
std::string definitionName(std::string_view token) {
    std::string out;
    for (const char c : token.substr(0, 64)) {
        const bool plain = (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') ||
                           (c >= '0' && c <= '9') || c == '_' || c == '-' || c == '.';
        out += plain ? c : '_';
    }
    return out.empty() ? "schema" : out;
}

// The keyword that draft-04 wrote as true beside a bound, or "".
std::string_view exclusiveOf(std::string_view bound) {
    return bound == "minimum" ? "exclusiveMinimum" : bound == "maximum" ? "exclusiveMaximum" : "";
}

class Normalizer {
public:
    Normalizer(Value root, Losses &losses) : root_(root), places_(root), losses_(losses) {
        findTargets();
        nameTargets();
    }

    SchemaTree run() {
        tree_.root = tree_.make(Kind::Schema);
        definitions_ = tree_.make(Kind::Map);
        fill(tree_.root, root_);
        while (!open_.empty()) {
            const auto [node, value] = open_.back();
            open_.pop_back();
            fill(node, value);
        }
        for (const auto &[index, name] : names_) { // in the document's order
            if (const auto made = made_.find(index); made != made_.end()) {
                tree_.set(definitions_, name, made->second);
            }
        }
        if (!tree_[definitions_].members.empty()) {
            tree_.set(tree_.root, "$defs", definitions_);
        }
        return std::move(tree_);
    }

private:
    void findTargets() {
        for (std::size_t i = 0; i < places_.all().size(); ++i) { // which may find more places
            if (const auto target = places_.target(places_.all()[i])) {
                places_.addPointed(target);
                // A root that takes more than objects is not what its projection is.
                if (target.index() != root_.index() || root_["type"].string() != "object") {
                    names_[target.index()];
                    targets_[target.index()] = target;
                }
            }
        }
    }

    void nameTargets() {
        std::set<std::string> taken;
        for (const bool ownNames : {true, false}) {
            for (auto &[index, name] : names_) {
                const auto &pointer = places_.of(targets_.at(index)).pointer;
                const auto last = pointer.rfind('/');
                const bool own = pointer.substr(0, last) == "/$defs" ||
                                 pointer.substr(0, last) == "/definitions";
                if (own == ownNames) {
                    const auto plain = pointer.empty()
                                           ? "root"
                                           : definitionName(*keyOfToken(pointer.substr(last + 1)));
                    name = plain;
                    for (int i = 2; !taken.insert(name).second; ++i) {
                        name = concat(plain, "_", i);
                    }
                }
            }
        }
    }

    NodeId reference(Value target) {
        const auto named = names_.find(target.index());
        if (named == names_.end()) {
            return tree_.text("\"#\"");
        }
        if (!made_.contains(named->first)) {
            const bool object = target.isObject();
            made_[named->first] = object ? tree_.make(Kind::Schema, places_.of(target).pointer)
                                         : tree_.text(std::string(target.raw()));
            if (object) {
                open_.emplace_back(made_[named->first], target);
            }
        }
        return tree_.text(quoted("#/$defs/" + named->second));
    }

    // A subschema in its place; one that is referred to stands under $defs, and here as well by a
    // reference.
    NodeId part(Value schema) {
        if (!schema.isObject()) {
            return tree_.text(schema.isFalse() ? "false" : "true");
        }
        const auto node = tree_.make(Kind::Schema, places_.of(schema).pointer);
        if (names_.contains(schema.index())) {
            tree_.set(node, "$ref", reference(schema));
        } else {
            open_.emplace_back(node, schema);
        }
        return node;
    }
    NodeId parts(Value list) {
        const auto node = tree_.make(Kind::List);
        for (const auto item : list.items()) {
            tree_[node].members.emplace_back("", part(item));
        }
        return node;
    }
    NodeId partsByName(Value map) {
        const auto node = tree_.make(Kind::Map);
        for (const auto &[key, value] : map.members()) {
            tree_[node].members.emplace_back(key, part(value));
        }
        return node;
    }

    void fill(NodeId node, Value schema) {
        const bool old = places_.of(schema).dialect.isDraft07();
        const bool alone = old && schema["$ref"]; // its siblings mean nothing there
        for (const auto &[key, value] : schema.members()) {
            if (alone && key != "$ref" && !isAnnotation(key)) {
                continue;
            }
            if (key == "$ref" || (key == "$dynamicRef" && !old)) {
                refer(node, schema, key);
            } else if (std::find(kLeftOut.begin(), kLeftOut.end(), key) != kLeftOut.end()) {
                continue;
            } else if (key == "items" || key == "additionalItems") {
                items(node, schema, key, value, old);
            } else if (key == "dependencies") {
                dependencies(node, value);
            } else if (const auto exclusive = exclusiveOf(key); schema[exclusive].isTrue()) {
                tree_.setText(node, exclusive, std::string(value.raw())); // as draft-04 wrote it
            } else if (key.starts_with("exclusiveM") && value.kind() == json::Kind::Boolean) {
                continue;
            } else {
                member(node, key, value, places_.of(schema).dialect);
            }
        }
    }

    void member(NodeId node, std::string_view key, Value value, const Dialect &dialect) {
        for (const auto &holder : kHolders) {
            if (holder.name == key && holder.isOf(dialect)) {
                tree_.set(node, key,
                          holder.holds == Holds::Map    ? partsByName(value)
                          : holder.holds == Holds::List ? parts(value)
                                                        : part(value));
                return;
            }
        }
        tree_.setText(node, key, json::compact(value));
    }

    void refer(NodeId node, Value schema, std::string_view key) {
        const auto target = places_.target(schema);
        if (key == "$dynamicRef" && schema["$ref"]) {
            lose(node, concat("\"$dynamicRef\" beside \"$ref\" is left out"));
        } else if (!target) {
            lose(node, concat("\"", key, "\" leads to ", printable(schema[key].raw(), 200),
                              ", which is not one place in this schema; left out"));
        } else {
            tree_.set(node, "$ref", reference(target));
            tree_[node].dynamic = key == "$dynamicRef";
        }
    }

    void items(NodeId node, Value schema, std::string_view key, Value value, bool old) {
        const bool listed = schema["items"].isArray();
        if (key == "items" && listed) {
            if (old) {
                tree_.set(node, "prefixItems", parts(value));
            }
        } else if (key == "items") {
            tree_.set(node, "items", part(value));
        } else if (old && listed) {
            tree_.set(node, "items", part(value));
        }
    }

    void dependencies(NodeId node, Value value) {
        json::Writer names;
        names.object();
        const auto schemas = tree_.make(Kind::Map);
        bool any = false;
        for (const auto &[key, needs] : value.members()) {
            if (needs.isArray()) {
                names.key(key).raw(json::compact(needs));
                any = true;
            } else {
                tree_[schemas].members.emplace_back(key, part(needs));
            }
        }
        if (any) {
            tree_.setText(node, "dependentRequired", names.endObject().take());
        }
        if (!tree_[schemas].members.empty()) {
            tree_.set(node, "dependentSchemas", schemas);
        }
    }

    void lose(NodeId node, std::string words) { widen(tree_, losses_, node, std::move(words)); }

    Value root_;
    Places places_;
    Losses &losses_;
    SchemaTree tree_;
    NodeId definitions_ = kNoNode;
    std::map<std::uint32_t, std::string> names_; // of what is referred to, mostly but for the root
    std::map<std::uint32_t, Value> targets_;     // the same ones
    std::map<std::uint32_t, NodeId> made_;       // and what they became
    std::vector<std::pair<NodeId, Value>> open_;
};

} // namespace

SchemaTree normalized(Value schema, Losses &losses) {
    if (!schema.isObject()) {
        json::Document none;
        static_cast<void>(none.readView("{}"));
        return Normalizer(none.root(), losses).run();
    }
    return Normalizer(schema, losses).run();
}

} // namespace tenon::schema
