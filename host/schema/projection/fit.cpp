// SPDX-License-Identifier: Apache-2.0
#include "schema/projection/fit.h"

#include "support/text.h"

#include <algorithm>
#include <array>
#include <set>

namespace tenon::schema {

namespace {

using Kind = TreeNode::Kind;

// "Property keys should match pattern", those of the root alone, or the whole request fails:
// https://github.com/decocms/studio/pull/6874
bool isAnthropicKey(std::string_view key) {
    return !key.empty() && key.size() <= 64 && std::all_of(key.begin(), key.end(), [](char c) {
        return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') ||
               c == '_' || c == '.' || c == '-';
    });
}

// Of one subschema, where OpenAI wants an object.
bool holdsSchema(std::string_view keyword) {
    static constexpr std::array<std::string_view, 7> kHold{
        "items", "contains", "not", "if", "then", "else", "propertyNames"};
    return std::find(kHold.begin(), kHold.end(), keyword) != kHold.end();
}

class Fitter {
public:
    Fitter(SchemaTree &tree, Provider provider, Losses &losses)
        : tree_(tree), provider_(provider), losses_(losses), gemini_(tree, losses) {}

    void run() {
        if (provider_ == Provider::Gemini) {
            gemini_.nameRoot();
        }
        pass();
        if (provider_ == Provider::Gemini) {
            gemini_.breakCycles();
        }
        const auto schemas = tree_.schemas(tree_.root);
        if (std::any_of(schemas.begin(), schemas.end(), [&](NodeId id) {
                return tree_[id].wider;
            })) { // now what a reference leads to may take more
            definitionsWider_ = true;
            pass();
        }
    }

private:
    void pass() {
        const auto schemas = tree_.schemas(tree_.root);
        for (auto schema = schemas.rbegin(); schema != schemas.rend(); ++schema) {
            gather(*schema);
            negations(*schema);
            switch (provider_) {
            case Provider::Anthropic:
                if (*schema == tree_.root) {
                    anthropicKeys();
                }
                break;
            case Provider::OpenAi: openAi(*schema); break;
            case Provider::Gemini: gemini_.fit(*schema); break;
            case Provider::AiSdk: break;
            }
            if (tree_[*schema].wider) {
                unevaluated(*schema);
            }
        }
    }

    void gather(NodeId schema) {
        if (tree_.has(schema, "$ref")) {
            refers_.insert(schema);
        }
        const auto take = [&](NodeId part) {
            tree_[schema].wider |= tree_[part].wider;
            if (refers_.contains(part)) {
                refers_.insert(schema);
            }
        };
        for (const auto &[key, value] : tree_[schema].members) {
            if (tree_[value].kind == Kind::Schema) {
                take(value);
            }
            if (key == "$defs") {
                continue;
            }
            for (const auto &part : tree_[value].members) {
                if (tree_[value].kind != Kind::Schema) {
                    take(part.second);
                }
            }
        }
    }
    bool isWider(NodeId schema) const {
        return tree_[schema].wider || (definitionsWider_ && refers_.contains(schema));
    }
    bool hasWider(NodeId list) const {
        const auto &members = tree_[list].members;
        return std::any_of(members.begin(), members.end(),
                           [&](const auto &member) { return isWider(member.second); });
    }

    // Where a part that takes more makes the whole take less.
    void negations(NodeId schema) {
        const auto drop = [&](std::initializer_list<std::string_view> keywords) {
            widen(schema, concat("\"", *keywords.begin(),
                                 "\" is left out, for it would refuse more than the tool does"));
            for (const auto keyword : keywords) {
                tree_.erase(schema, keyword);
            }
        };
        const auto wide = [&](std::string_view keyword) {
            const auto part = tree_.find(schema, keyword);
            return part != kNoNode && isWider(part);
        };
        if (wide("not")) {
            drop({"not"});
        }
        if (wide("if")) {
            drop({"if", "then", "else"});
        }
        if (wide("contains") && tree_.has(schema, "maxContains")) {
            drop({"maxContains"});
        }
        if (const auto list = tree_.find(schema, "oneOf"); list != kNoNode && hasWider(list)) {
            if (tree_.has(schema, "anyOf")) {
                drop({"oneOf"});
            } else {
                tree_.rename(schema, "oneOf", "anyOf");
                widen(schema, "\"oneOf\" became \"anyOf\", for its branches may overlap now");
            }
        }
    }
    void unevaluated(NodeId schema) {
        for (const auto *keyword : {"unevaluatedProperties", "unevaluatedItems"}) {
            if (tree_.has(schema, keyword)) {
                widen(schema, concat("\"", keyword, "\" is left out with what it looks at"));
                tree_.erase(schema, keyword);
            }
        }
    }

    void anthropicKeys() {
        const auto schema = tree_.root;
        const auto keys = tree_.find(schema, "properties");
        std::set<std::string> gone;
        for (const auto &member : tree_[keys].members) {
            if (!isAnthropicKey(member.first)) {
                gone.insert(member.first);
            }
        }
        for (const auto &key : gone) {
            widen(schema, concat("the key ", printable(quoted(key), 80),
                                 " is not taken by Anthropic (it takes 1 to 64 of A-Z, a-z, 0-9, "
                                 "\"_\", \".\" and \"-\") and left out"));
            tree_.erase(keys, key);
        }
        if (gone.empty()) {
            return;
        }
        tree_.erase(schema, "additionalProperties"); // else it would refuse the keys
        std::vector<std::string> required;
        for (const auto &name : tree_.words(tree_.find(schema, "required"))) {
            if (!gone.contains(name)) {
                required.push_back(quoted(name));
            }
        }
        required.empty() ? tree_.erase(schema, "required")
                         : tree_.setText(schema, "required", arrayOf(required));
    }

    // "array schema missing items": https://github.com/sigoden/aichat/pull/1049; and subschemas are
    // objects there.
    void openAi(NodeId schema) {
        for (auto &[key, value] : std::vector(tree_[schema].members)) {
            if (holdsSchema(key)) {
                tree_.set(schema, key, asObject(value));
            }
            if (tree_[value].kind == Kind::Map || tree_[value].kind == Kind::List) {
                for (auto &part : tree_[value].members) {
                    part.second = asObject(part.second);
                }
            }
        }
        const auto types = tree_.words(tree_.find(schema, "type"));
        if (std::find(types.begin(), types.end(), "array") != types.end() &&
            !tree_.has(schema, "items")) {
            tree_.set(schema, "items", tree_.make(Kind::Schema, tree_[schema].at + "/items"));
        }
    }
    NodeId asObject(NodeId schema) {
        if (tree_[schema].kind != Kind::Text) {
            return schema;
        }
        const auto object = tree_.make(Kind::Schema);
        if (tree_[schema].is("false")) {
            tree_.set(object, "not", tree_.make(Kind::Schema));
        }
        return object;
    }

    void widen(NodeId schema, std::string words) {
        schema::widen(tree_, losses_, schema, std::move(words));
    }

    SchemaTree &tree_;
    Provider provider_;
    Losses &losses_;
    std::set<NodeId> refers_;
    bool definitionsWider_ = false;
    GeminiFitter gemini_;
};

// The value that a key of a branch must have, or nothing.
std::vector<std::string> valuesOf(const SchemaTree &tree, NodeId schema) {
    const auto constant = tree.find(schema, "const");
    return constant != kNoNode ? std::vector{tree[constant].text}
                               : tree.values(tree.find(schema, "enum"));
}

bool haveNoCommon(const std::vector<std::vector<std::string>> &sets) {
    std::set<std::string> seen;
    for (const auto &set : sets) {
        for (const auto &value : std::set<std::string>(set.begin(), set.end())) {
            // Texts tell strings apart, and only those.
            if (!value.starts_with('"') || value.find('\\') != value.npos ||
                !seen.insert(value).second) {
                return false;
            }
        }
        if (set.empty()) {
            return false;
        }
    }
    return true;
}

} // namespace

void fit(SchemaTree &tree, Provider provider, Losses &losses) {
    Fitter(tree, provider, losses).run();
}

bool isNever(const SchemaTree &tree, NodeId schema) {
    if (tree[schema].is("false")) {
        return true;
    }
    const auto negated = tree.find(schema, "not");
    if (negated == kNoNode) {
        return false;
    }
    const auto &members = tree[negated].members;
    return tree[negated].is("true") ||
           (tree[negated].kind == Kind::Schema &&
            std::all_of(members.begin(), members.end(),
                        [](const auto &member) { return isAnnotation(member.first); }));
}

bool areDisjoint(const SchemaTree &tree, NodeId list) {
    std::vector<NodeId> branches;
    for (const auto &member : tree[list].members) {
        auto branch = member.second;
        for (const auto &reference : tree.words(tree.find(branch, "$ref"))) {
            branch = tree.target(reference);
        }
        branches.push_back(branch);
    }
    std::vector<std::vector<std::string>> types;
    for (const auto branch : branches) {
        auto &own = types.emplace_back();
        for (const auto &type : tree.words(tree.find(branch, "type"))) {
            own.push_back(type == "integer" ? "\"number\"" : quoted(type));
        }
    }
    if (haveNoCommon(types)) {
        return true;
    }
    const auto keys = branches.empty() ? kNoNode : tree.find(branches[0], "properties");
    for (std::size_t i = 0; keys != kNoNode && i < tree[keys].members.size(); ++i) {
        const auto &name = tree[keys].members[i].first;
        std::vector<std::vector<std::string>> values;
        for (const auto branch : branches) {
            const auto required = tree.words(tree.find(branch, "required"));
            const auto kinds = tree.words(tree.find(branch, "type"));
            const bool must = std::find(required.begin(), required.end(), name) != required.end() &&
                              kinds == std::vector<std::string>{"object"};
            const auto form = tree.find(tree.find(branch, "properties"), name);
            values.push_back(must && form != kNoNode ? valuesOf(tree, form)
                                                     : std::vector<std::string>());
        }
        if (haveNoCommon(values)) {
            return true;
        }
    }
    return false;
}

} // namespace tenon::schema
