// SPDX-License-Identifier: Apache-2.0
// The root of a tool's schema as every provider takes it: one object with its keys, and nothing
// that chooses between schemas. Alternatives and conditions become a superset of their keys.
#include "schema/projection/shapes.h"
#include "support/text.h"

#include <algorithm>
#include <array>
#include <set>

namespace tenon::schema {

namespace {

using Kind = TreeNode::Kind;

// More than this is not looked into: a schema that doubles itself stays finite.
constexpr std::size_t kPartsMax = 10'000;
constexpr std::size_t kKeysMax = 5'000; // over all parts

constexpr std::array<std::string_view, 8> kChoices{"$ref", "allOf", "anyOf", "oneOf",
                                                   "not",  "if",    "then",  "else"};

// A schema that applies to the root object itself, or a choice between such schemas.
struct Part {
    NodeId schema;      // kNoNode: a choice, or nothing known
    std::size_t parent; // itself for the root
    bool choice = false;
    bool asked = false; // an "if": it names keys, and what they are is for "then" and "else" to say
    bool unknown = false; // not looked into: it may say anything
    std::vector<std::size_t> parts = {};
    Shape shape = {};
};

class Flattener {
public:
    explicit Flattener(SchemaTree &tree) : tree_(tree) {}

    // Whether there was more than is looked into.
    bool tooMany() const { return tooMany_; }

    Shape run() {
        parts_.push_back({tree_.root, 0});
        for (std::size_t i = 0; i < parts_.size(); ++i) { // which grows
            if (!parts_[i].choice && parts_[i].schema != kNoNode) {
                expand(i);
            }
        }
        for (std::size_t i = parts_.size(); i-- > 0;) { // parts behind their wholes
            parts_[i].choice ? choose(parts_[i]) : join(parts_[i]);
        }
        return std::move(parts_[0].shape);
    }

private:
    std::size_t add(std::size_t parent, NodeId schema, bool choice = false) {
        const bool full = parts_.size() >= kPartsMax;
        tooMany_ |= full;
        parts_.push_back({full ? kNoNode : schema, parent, choice});
        parts_.back().unknown = full;
        parts_[parent].parts.push_back(parts_.size() - 1);
        return parts_.size() - 1;
    }

    void addChoice(std::size_t part, NodeId list) {
        const auto choice = add(part, kNoNode, true);
        for (const auto &option : tree_[list].members) {
            add(choice, option.second);
        }
    }

    void expand(std::size_t part) {
        const auto schema = parts_[part].schema;
        if (const auto keys = tree_.find(schema, "properties"); keys != kNoNode) {
            keys_ += tree_[keys].members.size();
            if (keys_ > kKeysMax && part != 0) {
                parts_[part].schema = kNoNode;
                parts_[part].unknown = tooMany_ = true;
                return;
            }
        }
        for (const auto &reference : tree_.words(tree_.find(schema, "$ref"))) {
            const auto target = tree_.target(reference);
            add(part, isAbove(part, target) ? kNoNode : target);
        }
        if (const auto all = tree_.find(schema, "allOf"); all != kNoNode) {
            for (const auto &member : tree_[all].members) {
                add(part, member.second);
            }
        }
        for (const auto *keyword : {"anyOf", "oneOf"}) {
            if (const auto list = tree_.find(schema, keyword); list != kNoNode) {
                addChoice(part, list);
            }
        }
        if (tree_.has(schema, "if")) {
            const auto choice = add(part, kNoNode, true);
            const auto both = add(choice, kNoNode);
            parts_[add(both, tree_.find(schema, "if"))].asked = true;
            add(both, tree_.find(schema, "then"));
            add(choice, tree_.find(schema, "else")); // none: nothing is known
        }
        if (const auto dependent = tree_.find(schema, "dependentSchemas"); dependent != kNoNode) {
            for (const auto &member : tree_[dependent].members) {
                const auto choice = add(part, kNoNode, true);
                add(choice, member.second);
                add(choice, kNoNode); // the key may be absent
            }
        }
    }

    bool isAbove(std::size_t part, NodeId schema) const {
        for (std::size_t i = part;; i = parts_[i].parent) {
            if (parts_[i].schema == schema && !parts_[i].choice) {
                return true;
            }
            if (i == 0) {
                return false;
            }
        }
    }

    // All of the parts hold.
    void join(Part &whole) {
        const auto own = whole.unknown ? shapes_.unknown() : shapes_.own(whole.schema);
        std::vector<const Shape *> all{&own};
        for (const auto index : whole.parts) {
            all.push_back(&parts_[index].shape);
        }
        whole.shape = shapes_.allOf(whole.schema, all);
        if (whole.asked) {
            for (auto &key : whole.shape.keys) {
                key = {key.name, tree_.make(Kind::Schema), true};
            }
            whole.shape.further = {{}, true};
        }
        forget(whole);
    }
    // One of the parts holds.
    void choose(Part &whole) {
        std::vector<const Shape *> options;
        for (const auto index : whole.parts) {
            if (!parts_[index].shape.never) {
                options.push_back(&parts_[index].shape);
            }
        }
        whole.shape = shapes_.oneOf(options);
        forget(whole);
    }
    void forget(const Part &whole) {
        for (const auto index : whole.parts) {
            parts_[index].shape = {};
        }
    }

    SchemaTree &tree_;
    ShapeMaker shapes_{tree_};
    std::vector<Part> parts_;
    std::size_t keys_ = 0;
    bool tooMany_ = false;
};

// A root that is a reference and no more stands for what it refers to.
void followRoot(SchemaTree &tree) {
    for (std::set<NodeId> seen; tree.has(tree.root, "$ref");) {
        const auto &members = tree[tree.root].members;
        const bool alone = std::all_of(members.begin(), members.end(), [](const auto &member) {
            return member.first == "$ref" || member.first == "$defs" || isAnnotation(member.first);
        });
        const auto reference = tree.words(tree.find(tree.root, "$ref"));
        const auto target = reference.empty() ? kNoNode : tree.target(reference[0]);
        if (!alone || target == kNoNode || target == tree.root || !seen.insert(target).second) {
            return;
        }
        const auto copy = tree.copy(target);
        if (copy == kNoNode) {
            return;
        }
        tree[tree.root].wider |= tree[target].wider;
        tree.erase(tree.root, "$ref");
        const auto definitions = tree.find(tree.root, "$defs");
        tree.erase(tree.root, "$defs");
        for (const auto &[key, value] : std::vector(tree[copy].members)) {
            if (!tree.has(tree.root, key)) {
                tree.set(tree.root, key, value);
            }
        }
        tree.set(tree.root, "$defs", definitions);
    }
}

void writeShape(SchemaTree &tree, Shape shape, Losses &losses) {
    const auto root = tree.root;
    const auto keys = tree.make(Kind::Map);
    for (const auto &key : shape.keys) {
        const bool own = tree.find(tree.find(root, "properties"), key.name) == key.form;
        auto form = own ? key.form : tree.copy(key.form);
        if (form == kNoNode) {
            form = tree.make(Kind::Schema);
            losses.push_back({root, concat("the form of the key ", printable(quoted(key.name), 80),
                                           " is too large to be repeated; it is left open")});
        }
        tree[keys].members.emplace_back(key.name, form);
    }
    tree.set(root, "properties", keys);
    std::vector<std::string> required;
    for (const auto &name : tree.words(tree.find(root, "required"))) { // the author's order
        required.push_back(quoted(name));
        shape.required.erase(name);
    }
    for (const auto &name : shape.required) {
        required.push_back(quoted(name));
    }
    if (!required.empty()) {
        tree.setText(root, "required", arrayOf(required));
    }
    if (tree.has(root, "unevaluatedProperties") && !shape.closed) {
        losses.push_back({root, "\"unevaluatedProperties\" is left out with the schemas that it "
                                "looks at"});
    }
    tree.erase(root, "unevaluatedProperties");
    if (shape.closed) {
        tree.setText(root, "additionalProperties", "false");
    }
}

} // namespace

void flattenRoot(SchemaTree &tree, Losses &losses) {
    const auto before = losses.size();
    followRoot(tree);
    const auto root = tree.root;
    if (!tree.has(root, "properties")) {
        tree.insertAfter(root, "type", "properties", tree.make(Kind::Map));
    }
    if (!tree.has(root, "type")) {
        tree.insertAfter(root, "", "type", tree.text("\"object\""));
    }
    tree.setText(root, "type", "\"object\"");
    const bool chooses = std::any_of(kChoices.begin(), kChoices.end(),
                                     [&](auto keyword) { return tree.has(root, keyword); });
    if (chooses) {
        Flattener flattener(tree);
        writeShape(tree, flattener.run(), losses);
        if (flattener.tooMany()) {
            losses.push_back({root,
                              "its choices have more parts or keys than are looked into: some "
                              "keys are not listed"});
        }
    }
    for (const auto *keyword : {"$ref", "allOf", "anyOf", "oneOf", "if"}) {
        if (tree.has(root, keyword)) {
            losses.push_back({root, concat("\"", keyword,
                                           "\" is not taken at the root: its keys stand in "
                                           "\"properties\", all together")});
        }
    }
    for (const auto *keyword : {"not", "enum", "const"}) {
        if (tree.has(root, keyword)) {
            losses.push_back(
                {root, concat("\"", keyword, "\" is not taken at the root and left out")});
        }
        tree.erase(root, keyword);
    }
    for (const auto keyword : kChoices) {
        tree.erase(root, keyword);
    }
    tree[root].wider |= losses.size() > before && tree.refersToRoot();
}

} // namespace tenon::schema
