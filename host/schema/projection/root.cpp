// SPDX-License-Identifier: Apache-2.0
// The root of a tool's schema as every provider takes it: one object with its keys, and nothing
// that chooses between schemas. Alternatives and conditions become a superset of their keys.
#include "schema/projection/tree.h"
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

// What is known of the keys of an object.
struct Key {
    std::string name;
    NodeId form;
    bool partly = false; // an alternative without the key would take any value for it
};
struct Shape {
    std::vector<Key> keys;
    std::set<std::string> required;
    bool closed = false;   // no further keys
    bool patterns = false; // further keys by pattern or schema
    bool never = false;    // takes no object

    Key *find(std::string_view name) {
        const auto found = std::find_if(keys.begin(), keys.end(),
                                        [&](const Key &key) { return key.name == name; });
        return found == keys.end() ? nullptr : &*found;
    }
};

// A schema that applies to the root object itself, or a choice between such schemas.
struct Part {
    NodeId schema;      // kNoNode: a choice, or nothing known
    std::size_t parent; // itself for the root
    bool choice = false;
    bool asked = false; // an "if": it names keys, and what they are is for "then" and "else" to say
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
        if (parts_.size() >= kPartsMax) {
            schema = kNoNode; // nothing is known of it
            tooMany_ = true;
        }
        parts_.push_back({schema, parent, choice});
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
                tooMany_ = true;
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

    Shape own(NodeId schema) const {
        Shape shape;
        if (schema == kNoNode) {
            return shape;
        }
        shape.never = tree_[schema].is("false");
        if (const auto keys = tree_.find(schema, "properties"); keys != kNoNode) {
            for (const auto &[name, form] : tree_[keys].members) {
                shape.keys.push_back({name, form});
            }
        }
        for (auto &name : tree_.words(tree_.find(schema, "required"))) {
            shape.required.insert(std::move(name));
        }
        const auto types = tree_.words(tree_.find(schema, "type"));
        shape.never |=
            !types.empty() && std::find(types.begin(), types.end(), "object") == types.end();
        shape.patterns = tree_.has(schema, "patternProperties");
        const auto further = tree_.find(schema, "additionalProperties");
        if (further != kNoNode && !tree_[further].is("false")) {
            shape.patterns = true;
        }
        shape.patterns |= tree_[schema].wider;
        shape.closed = further != kNoNode && tree_[further].is("false") && !shape.patterns;
        return shape;
    }

    // All of the parts hold.
    void join(Part &whole) {
        auto &shape = whole.shape = own(whole.schema);
        for (const auto index : whole.parts) {
            auto &part = parts_[index].shape;
            for (auto &key : part.keys) {
                auto *const known = shape.find(key.name);
                if (known == nullptr) {
                    shape.keys.push_back(std::move(key));
                } else if (known->partly) {
                    *known = std::move(key);
                } else if (!key.partly) {
                    known->form = bothOf(tree_, known->form, key.form);
                }
            }
            shape.required.merge(part.required);
            shape.closed |= part.closed;
            shape.patterns |= part.patterns;
            shape.never |= part.never;
        }
        const auto unevaluated = tree_.find(whole.schema, "unevaluatedProperties");
        if (unevaluated != kNoNode) {
            const bool closes = tree_[unevaluated].is("false") && !shape.patterns;
            shape.closed |= closes;
            shape.patterns |= !closes;
        }
        if (whole.asked) {
            for (auto &key : shape.keys) {
                key = {key.name, tree_.make(Kind::Schema), true};
            }
        }
    }

    // One of the parts holds.
    void choose(Part &whole) {
        std::vector<Shape *> options;
        for (const auto index : whole.parts) {
            if (!parts_[index].shape.never) {
                options.push_back(&parts_[index].shape);
            }
        }
        auto &shape = whole.shape;
        shape.never = options.empty();
        for (auto *const option : options) {
            for (const auto &key : option->keys) {
                if (shape.find(key.name) == nullptr) {
                    shape.keys.push_back(oneOf(key.name, options));
                }
            }
            shape.patterns |= option->patterns;
        }
        shape.closed = !options.empty() && std::all_of(options.begin(), options.end(),
                                                       [](const Shape *o) { return o->closed; });
        if (!options.empty()) {
            for (const auto &name : options.front()->required) {
                if (std::all_of(options.begin(), options.end(),
                                [&](const Shape *o) { return o->required.contains(name); })) {
                    shape.required.insert(name);
                }
            }
        }
    }

    Key oneOf(const std::string &name, const std::vector<Shape *> &options) {
        std::vector<NodeId> forms;
        bool partly = false;
        for (auto *const option : options) {
            if (const auto *const key = option->find(name)) {
                forms.push_back(key->form);
                partly |= key->partly;
            } else if (option->required.contains(name)) {
                return {name, tree_.make(Kind::Schema)}; // it may be anything there
            } else {
                partly |= !option->closed;
            }
        }
        return {name, eitherOf(tree_, forms), partly};
    }

    SchemaTree &tree_;
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
