// SPDX-License-Identifier: Apache-2.0
// What a key may be that several schemas speak of.
#include "schema/projection/tree.h"

#include <algorithm>
#include <array>
#include <set>

namespace tenon::schema {

namespace {

using Kind = TreeNode::Kind;

std::string quotedAll(std::vector<std::string> words) {
    std::transform(words.begin(), words.end(), words.begin(), quoted);
    return arrayOf(words);
}

void addNew(std::vector<std::string> &to, const std::vector<std::string> &from) {
    for (const auto &value : from) {
        if (std::find(to.begin(), to.end(), value) == to.end()) {
            to.push_back(value);
        }
    }
}

// Of forms that list values and say no more: one that lists them all.
NodeId mergedValues(SchemaTree &tree, const std::vector<NodeId> &forms) {
    std::vector<std::string> values, types;
    std::size_t typed = 0;
    std::string description;
    for (const auto form : forms) {
        bool listed = false;
        for (const auto &[key, value] : tree[form].members) {
            if (key == "enum" || key == "const") {
                const auto more =
                    key == "enum" ? tree.values(value) : std::vector{tree[value].text};
                listed = !listed && !more.empty();
                addNew(values, more);
            } else if (key == "type") {
                addNew(types, tree.words(value));
                ++typed;
            } else if (key == "description" && description.empty()) {
                description = tree[value].text;
            } else if (!isAnnotation(key)) {
                return kNoNode;
            }
        }
        if (!listed) {
            return kNoNode;
        }
    }
    const auto merged = tree.make(Kind::Schema, tree[forms[0]].at);
    if (typed == forms.size()) {
        tree.setText(merged, "type", types.size() == 1 ? quoted(types[0]) : quotedAll(types));
    }
    tree.setText(merged, "enum", arrayOf(values));
    if (!description.empty()) {
        tree.setText(merged, "description", description);
    }
    return merged;
}

// Whether a keyword with this text may be put into the schema and mean there what it did.
bool sameOrNew(const SchemaTree &tree, NodeId schema, std::string_view key, std::string_view text) {
    // Those change what stands beside them.
    static constexpr std::array<std::string_view, 11> kEntangled{
        "$ref",     "additionalProperties", "unevaluatedProperties", "items", "unevaluatedItems",
        "contains", "minContains",          "maxContains",           "if",    "then",
        "else"};
    if (std::find(kEntangled.begin(), kEntangled.end(), key) != kEntangled.end()) {
        return false;
    }
    const auto known = tree.find(schema, key);
    return known == kNoNode || tree[known].is(text);
}

} // namespace

NodeId eitherOf(SchemaTree &tree, const std::vector<NodeId> &forms) {
    std::vector<NodeId> distinct;
    std::set<std::string> seen;
    for (const auto form : forms) {
        const auto text = tree.write(form);
        if (text == "{}" || text == "true") {
            return form;
        }
        if (seen.insert(text).second) {
            distinct.push_back(form);
        }
    }
    if (distinct.size() == 1) {
        return distinct[0];
    }
    if (const auto merged = mergedValues(tree, distinct); merged != kNoNode) {
        return merged;
    }
    const auto list = tree.make(Kind::List);
    for (const auto form : distinct) {
        tree[list].members.emplace_back("", form);
    }
    const auto choice = tree.make(Kind::Schema, tree[distinct[0]].at);
    tree.set(choice, "anyOf", list);
    return choice;
}

NodeId bothOf(SchemaTree &tree, NodeId first, NodeId second) {
    if (tree[first].is("true") || tree.write(first) == tree.write(second)) {
        return tree[first].is("true") ? second : first;
    }
    const auto merged = tree.copy(first);
    if (merged == kNoNode) {
        return first; // it is a superset of both
    }
    const auto &more = tree[second].members;
    const bool plain = tree[merged].kind == Kind::Schema && tree[second].kind == Kind::Schema &&
                       std::all_of(more.begin(), more.end(), [&](const auto &member) {
                           return isAnnotation(member.first) ||
                                  (tree[member.second].kind == Kind::Text &&
                                   sameOrNew(tree, merged, member.first, tree[member.second].text));
                       });
    if (plain) {
        for (const auto &[key, value] : more) {
            if (!tree.has(merged, key)) {
                tree.set(merged, key, value);
            }
        }
        return merged;
    }
    const auto list = tree.make(Kind::List);
    tree[list].members = {{"", first}, {"", second}};
    const auto joined = tree.make(Kind::Schema, tree[first].at);
    tree.set(joined, "allOf", list);
    return joined;
}

} // namespace tenon::schema
