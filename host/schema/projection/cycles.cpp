// SPDX-License-Identifier: Apache-2.0
// Which references of a projection lead back to where they stand, and what Gemini makes of them.
#include "schema/projection/fit.h"
#include "support/text.h"

#include <algorithm>
#include <map>

namespace tenon::schema {

namespace {

using Kind = TreeNode::Kind;

class CycleFinder {
public:
    explicit CycleFinder(const SchemaTree &tree) : tree_(tree) {
        addStart(tree.root);
        if (const auto definitions = tree.find(tree.root, "$defs"); definitions != kNoNode) {
            for (const auto &member : tree[definitions].members) {
                addStart(member.second);
            }
        }
        leads_.resize(starts_.size());
        reached_.resize(starts_.size());
    }

    std::vector<CyclicReference> run() {
        for (std::size_t from = 0; from < starts_.size(); ++from) {
            follow(from);
        }
        std::vector<CyclicReference> out;
        for (const auto &edge : edges_) {
            if (reaches(edge.to, edge.from)) {
                out.push_back(edge.reference);
            }
        }
        return out;
    }

private:
    struct Edge {
        std::size_t from, to;
        CyclicReference reference;
    };

    void addStart(NodeId schema) {
        places_.emplace(schema, starts_.size());
        starts_.push_back(schema);
    }

    void follow(std::size_t from) {
        std::vector<CyclicReference> open{{starts_[from], kNoNode, ""}};
        while (!open.empty()) {
            const auto at = open.back();
            open.pop_back();
            for (const auto &text : tree_.words(tree_.find(at.schema, "$ref"))) {
                if (const auto to = places_.find(tree_.target(text)); to != places_.end()) {
                    edges_.push_back({from, to->second, at});
                    leads_[from].push_back(to->second);
                }
            }
            for (const auto &[key, value] : tree_[at.schema].members) {
                if (key == "$defs") {
                    continue;
                }
                if (tree_[value].kind == Kind::Schema) {
                    open.push_back({value, at.owner, at.key});
                    continue;
                }
                for (const auto &[name, part] : tree_[value].members) {
                    open.push_back(key == "properties" ? CyclicReference{part, at.schema, name}
                                                       : CyclicReference{part, at.owner, at.key});
                }
            }
        }
    }

    bool reaches(std::size_t from, std::size_t to) {
        auto &known = reached_[from];
        if (known.empty()) {
            known.resize(starts_.size());
            known[from] = true;
            std::vector<std::size_t> open{from};
            while (!open.empty()) {
                const auto at = open.back();
                open.pop_back();
                for (const auto next : leads_[at]) {
                    if (!known[next]) {
                        known[next] = true;
                        open.push_back(next);
                    }
                }
            }
        }
        return known[to];
    }

    const SchemaTree &tree_;
    std::map<NodeId, std::size_t> places_; // of the root and the definitions, in starts_
    std::vector<NodeId> starts_;
    std::vector<Edge> edges_;
    std::vector<std::vector<std::size_t>> leads_;
    std::vector<std::vector<bool>> reached_; // from a start, made when it is asked for
};

} // namespace

std::vector<CyclicReference> cyclicReferences(const SchemaTree &tree) {
    return CycleFinder(tree).run();
}

void GeminiFitter::nameRoot() {
    const auto root = tree_.root;
    if (!tree_.refersToRoot()) {
        return;
    }
    if (!tree_.has(root, "$defs")) {
        tree_.set(root, "$defs", tree_.make(Kind::Map));
    }
    const auto definitions = tree_.find(root, "$defs");
    std::string name = "root";
    while (tree_.has(definitions, name)) {
        name += '_';
    }
    for (const auto id : tree_.schemas(root)) {
        if (const auto ref = tree_.find(id, "$ref"); ref != kNoNode && tree_[ref].is("\"#\"")) {
            tree_.setText(id, "$ref", quoted("#/$defs/" + name));
        }
    }
    tree_.erase(root, "$defs"); // which the copy needs not
    auto copy = tree_.copy(root);
    tree_.set(root, "$defs", definitions);
    if (copy == kNoNode) {
        widen(root, "the schema is too large to be repeated where it refers to itself; left open");
        copy = tree_.make(Kind::Schema);
    }
    tree_.set(definitions, name, copy);
}

// A cycle may only pass through keys that are not required.
void GeminiFitter::breakCycles() {
    for (const auto &[schema, owner, key] : cyclicReferences(tree_)) {
        if (owner == kNoNode) {
            widen(schema, "a reference that leads back to itself is taken by Gemini under optional "
                          "keys only; left open");
            tree_.erase(schema, "$ref");
            continue;
        }
        const auto names = tree_.words(tree_.find(owner, "required"));
        if (std::find(names.begin(), names.end(), key) == names.end()) {
            continue;
        }
        std::vector<std::string> kept;
        for (const auto &name : names) {
            if (name != key) {
                kept.push_back(quoted(name));
            }
        }
        kept.empty() ? tree_.erase(owner, "required")
                     : tree_.setText(owner, "required", arrayOf(kept));
        widen(owner, concat("the key ", printable(quoted(key), 80),
                            " leads back to its own schema, which Gemini takes under optional keys "
                            "only; it is shown as optional"));
    }
}

} // namespace tenon::schema
