// SPDX-License-Identifier: Apache-2.0
#include "schema/projection/shapes.h"

#include <algorithm>

namespace tenon::schema {

namespace {

constexpr std::size_t kFormsMax = 8; // of keys that are not named; more than these leave them open
constexpr std::size_t kFormBytesMax = 4'000; // of such a form, which may come to stand at each key
constexpr std::size_t kSpeakersMax = 64;     // parts that are asked of each key by themselves

} // namespace

Shape ShapeMaker::own(NodeId schema) {
    Shape shape;
    if (schema == kNoNode) {
        shape.further.partly = true;
        return shape;
    }
    if (tree_[schema].wider) {
        shape = unknown();
    }
    shape.never = tree_[schema].is("false");
    if (const auto keys = tree_.find(schema, "properties"); keys != kNoNode) {
        for (const auto &[name, form] : tree_[keys].members) {
            shape.add({name, form});
        }
    }
    for (auto &name : tree_.words(tree_.find(schema, "required"))) {
        shape.required.insert(std::move(name));
    }
    const auto types = tree_.words(tree_.find(schema, "type"));
    shape.never |= !types.empty() && std::find(types.begin(), types.end(), "object") == types.end();
    ownFurther(schema, shape);
    return shape;
}

Shape ShapeMaker::unknown() {
    Shape shape;
    shape.further = {{tree_.make(TreeNode::Kind::Schema)}, true};
    shape.patterns = true;
    return shape;
}

void ShapeMaker::ownFurther(NodeId schema, Shape &shape) {
    if (const auto patterns = tree_.find(schema, "patternProperties"); patterns != kNoNode) {
        for (const auto &member : std::vector(tree_[patterns].members)) {
            add(shape.further, smallOrOpen(member.second));
        }
        shape.patterns = true;
    }
    const auto rest = tree_.find(schema, "additionalProperties");
    const bool open = rest == kNoNode || tree_[rest].is("true");
    const bool shut = !open && tree_[rest].is("false");
    if (!open && !shut) {
        add(shape.further, smallOrOpen(rest));
    }
    shape.patterns |= rest != kNoNode && !shut;
    shape.further.partly |= open;
    shape.closed = shut && !shape.patterns;
}

NodeId ShapeMaker::smallOrOpen(NodeId form) {
    return tree_.write(form).size() <= kFormBytesMax ? form : tree_.make(TreeNode::Kind::Schema);
}

void ShapeMaker::add(Further &to, NodeId form) {
    if (std::find(to.forms.begin(), to.forms.end(), form) != to.forms.end()) {
        return;
    }
    if (to.forms.size() >= kFormsMax) {
        to.forms.assign(1, tree_.make(TreeNode::Kind::Schema));
    } else {
        to.forms.push_back(form);
    }
}

// Both hold. What is partly said does not bind, and what is said for certain binds alone.
void ShapeMaker::meet(Further &to, const Further &more) {
    if (more.forms.empty()) {
        return;
    }
    if (to.forms.empty() || (to.partly && !more.partly)) {
        to = more;
    } else if (to.partly) {
        for (const auto form : more.forms) {
            add(to, form);
        }
    }
}
void ShapeMaker::merge(Key &known, const Key &more) {
    if (known.partly && more.partly) {
        known.form = eitherOf(tree_, {known.form, more.form});
    } else if (known.partly) {
        known = more;
    } else if (!more.partly) {
        known.form = bothOf(tree_, known.form, more.form);
    }
}

Shape ShapeMaker::allOf(NodeId schema, const std::vector<const Shape *> &parts) {
    Shape shape;
    shape.further.partly = true;
    for (const auto *const part : parts) {
        for (const auto &key : part->keys) {
            if (auto *const known = shape.find(key.name)) {
                merge(*known, key);
            } else {
                shape.add(key);
            }
        }
        meet(shape.further, part->further);
        shape.required.insert(part->required.begin(), part->required.end());
        shape.closed |= part->closed;
        shape.patterns |= part->patterns;
        shape.never |= part->never;
    }
    meetFurther(shape, parts);
    unevaluated(schema, shape);
    return shape;
}

// What the parts that do not name a key say of it all the same. One that says so for certain does
// not name the key at all, if that is named partly in the end.
void ShapeMaker::meetFurther(Shape &shape, const std::vector<const Shape *> &parts) {
    std::vector<const Shape *> speakers;
    for (const auto *const part : parts) {
        if (!part->further.forms.empty()) {
            speakers.push_back(part);
        }
    }
    for (auto &key : shape.keys) {
        if (!key.partly || speakers.empty()) {
            continue;
        }
        Further said;
        if (speakers.size() > kSpeakersMax) {
            said = shape.further;
        }
        for (std::size_t i = 0; speakers.size() <= kSpeakersMax && i < speakers.size(); ++i) {
            if (speakers[i]->find(key.name) == nullptr) {
                meet(said, speakers[i]->further);
            }
        }
        if (!said.forms.empty()) {
            merge(key, {key.name, eitherOf(tree_, said.forms), said.partly});
        }
    }
}

// It is for keys that nothing else names where it applies: not those of another alternative.
void ShapeMaker::unevaluated(NodeId schema, Shape &shape) {
    const auto rest = tree_.find(schema, "unevaluatedProperties");
    if (rest == kNoNode) {
        return;
    }
    const bool closes = tree_[rest].is("false") && !shape.patterns;
    shape.closed |= closes;
    shape.patterns |= !closes;
    if (tree_[rest].is("false") || tree_[rest].is("true")) {
        return;
    }
    const auto form = smallOrOpen(rest);
    for (auto &key : shape.keys) {
        if (key.partly) {
            key.form = eitherOf(tree_, {key.form, form});
        }
    }
    if (shape.further.partly) {
        add(shape.further, form);
    }
}

Shape ShapeMaker::oneOf(const std::vector<const Shape *> &options) {
    Shape shape;
    shape.never = options.empty();
    shape.closed = !options.empty();
    for (const auto *const option : options) {
        for (const auto &key : option->keys) {
            if (shape.find(key.name) == nullptr) {
                shape.add(eitherKey(key.name, options));
            }
        }
        for (const auto form : option->further.forms) {
            add(shape.further, form);
        }
        shape.further.partly |= option->further.partly && !option->closed;
        shape.patterns |= option->patterns;
        shape.closed &= option->closed;
    }
    if (!options.empty()) {
        for (const auto &name : options.front()->required) {
            if (std::all_of(options.begin(), options.end(),
                            [&](const Shape *o) { return o->required.contains(name); })) {
                shape.required.insert(name);
            }
        }
    }
    return shape;
}

Key ShapeMaker::eitherKey(const std::string &name, const std::vector<const Shape *> &options) {
    std::vector<NodeId> forms;
    Further rest; // of the options that do not name it
    for (const auto *const option : options) {
        if (const auto *const key = option->find(name)) {
            forms.push_back(key->form);
            rest.partly |= key->partly;
            continue;
        }
        const bool open = option->further.partly && !option->closed;
        if (open && option->required.contains(name)) {
            return {name, tree_.make(TreeNode::Kind::Schema)}; // it may be anything there
        }
        rest.partly |= open;
        for (const auto form : option->further.forms) {
            add(rest, form);
        }
        if (rest.forms.size() == 1 && tree_[rest.forms[0]].kind == TreeNode::Kind::Schema &&
            tree_[rest.forms[0]].members.empty()) {
            return {name, rest.forms[0]}; // as well
        }
    }
    forms.insert(forms.end(), rest.forms.begin(), rest.forms.end());
    return {name, eitherOf(tree_, forms), rest.partly};
}

} // namespace tenon::schema
