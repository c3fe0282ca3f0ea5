// SPDX-License-Identifier: Apache-2.0
// OpenAI's strict form leaves an optional key out by null, and Schema::prepare drops that null
// again. This finds where it could not: null is a value of the key, or the object stands in a
// choice whose branches prepare() cannot tell apart.
#include "json/number.h"
#include "schema/program.h"
#include "schema/projection/fit.h"
#include "support/text.h"

#include <algorithm>
#include <set>

namespace tenon::schema {

namespace {

using Kind = TreeNode::Kind;

constexpr std::size_t kFormsMax = 32;              // of one branch
constexpr std::size_t kComparisonsMax = 1'000'000; // of keys, over all branches
constexpr const char *kInPlace[] = {"$ref", "allOf", "anyOf", "oneOf"};

std::uint32_t bitOf(std::string_view type) {
    static constexpr std::pair<std::string_view, std::uint32_t> kBits[] = {
        {"null", kNullBit},     {"boolean", kBooleanBit}, {"number", kNumberBit | kIntegerBit},
        {"string", kStringBit}, {"integer", kIntegerBit}, {"array", kArrayBit},
        {"object", kObjectBit}};
    for (const auto &[name, bit] : kBits) {
        if (name == type) {
            return bit;
        }
    }
    return 0;
}

// One text for all spellings of a listed value; none for arrays and objects.
std::string canonical(std::string_view text) {
    json::Document document;
    if (!document.readView(text)) {
        return "";
    }
    const auto value = document.root();
    return value.isString()                      ? quoted(value.string())
           : value.isNumber()                    ? json::exactNumber(value.raw())
           : value.isObject() || value.isArray() ? ""
                                                 : std::string(value.raw());
}

// An object schema by itself, without what applies beside it.
struct OwnKeys {
    std::map<std::string_view, NodeId> keys;
    std::set<std::string, std::less<>> required;
    bool closed = false;
};

class NullFinder {
public:
    explicit NullFinder(const SchemaTree &tree)
        : tree_(tree), schemas_(tree.schemas(tree.root)), types_(tree.size(), kAllBits),
          typed_(tree.size(), false), mends_(tree.size(), false) {}

    std::map<NodeId, std::string> run() {
        for (auto schema = schemas_.rbegin(); schema != schemas_.rend(); ++schema) {
            findTypes(*schema);
        }
        findMended();
        for (const auto schema : schemas_) {
            optionalKeys(schema);
            if (tree_[schema].dynamic) {
                found_.emplace(schema, "\"$dynamicRef\" is not taken by OpenAI's strict form");
            }
            if (mends_[schema]) {
                besideKeys(schema);
                choice(schema, "anyOf");
                choice(schema, "oneOf");
            }
        }
        return std::move(found_);
    }

private:
    const OwnKeys &keysOf(NodeId schema) {
        const auto [found, isNew] = keys_.try_emplace(schema);
        auto &own = found->second;
        if (isNew) {
            if (const auto keys = tree_.find(schema, "properties"); keys != kNoNode) {
                for (const auto &[name, form] : tree_[keys].members) {
                    own.keys.emplace(name, form);
                }
            }
            for (auto &name : tree_.words(tree_.find(schema, "required"))) {
                own.required.insert(std::move(name));
            }
            const auto further = tree_.find(schema, "additionalProperties");
            own.closed = further != kNoNode && tree_[further].is("false") &&
                         !tree_.has(schema, "patternProperties");
        }
        return own;
    }

    // What applies to the same value: by itself, or as one of a choice.
    std::vector<NodeId> partsOf(NodeId schema, std::string_view keyword) const {
        std::vector<NodeId> out;
        const auto held = tree_.find(schema, keyword);
        if (held == kNoNode) {
            return out;
        }
        if (keyword == "$ref") {
            const auto words = tree_.words(held);
            const auto target = words.empty() ? kNoNode : tree_.target(words[0]);
            if (target != kNoNode) {
                out.push_back(target);
            }
            return out;
        }
        for (const auto &member : tree_[held].members) {
            out.push_back(member.second);
        }
        return out;
    }

    // The types of values that a schema may take, of its parts first.
    void findTypes(NodeId start) {
        std::vector<NodeId> open{start};
        std::set<NodeId> entered;
        while (!open.empty()) {
            const auto schema = open.back();
            if (typed_[schema] || !entered.insert(schema).second) {
                if (!typed_[schema]) {
                    types_[schema] = typesOf(schema);
                    typed_[schema] = true;
                }
                open.pop_back();
                continue;
            }
            for (const auto *keyword : kInPlace) {
                for (const auto part : partsOf(schema, keyword)) {
                    if (!typed_[part] && !entered.contains(part)) {
                        open.push_back(part);
                    }
                }
            }
        }
    }
    std::uint32_t typesOf(NodeId schema) const {
        if (tree_[schema].is("false")) {
            return 0;
        }
        std::uint32_t types = kAllBits;
        if (const auto own = tree_.find(schema, "type"); own != kNoNode) {
            std::uint32_t named = 0;
            for (const auto &word : tree_.words(own)) {
                named |= bitOf(word);
            }
            types &= named;
        }
        for (const auto *keyword : {"enum", "const"}) {
            if (tree_.has(schema, keyword)) {
                std::uint32_t listed = 0;
                for (const auto &text : listedIn(schema, keyword)) {
                    json::Document value;
                    listed |= value.readView(text) ? typeOf(value.root()) : kAllBits;
                }
                types &= listed;
            }
        }
        for (const std::string_view keyword : kInPlace) {
            const bool choice = keyword == "anyOf" || keyword == "oneOf";
            std::uint32_t either = choice && tree_.has(schema, keyword) ? 0U : kAllBits;
            for (const auto part : partsOf(schema, keyword)) {
                either = choice ? either | types_[part] : either & types_[part];
            }
            types &= either;
        }
        return types;
    }
    std::vector<std::string> listedIn(NodeId schema, std::string_view keyword) const {
        const auto listed = tree_.find(schema, keyword);
        return keyword == "enum" ? tree_.values(listed) : std::vector{tree_[listed].text};
    }

    // Schemas whose values may hold a null to be dropped: those with optional keys, and all that
    // hold or refer to such.
    void findMended() {
        std::map<NodeId, std::vector<NodeId>> holders;
        std::vector<NodeId> open;
        for (const auto schema : schemas_) {
            for (const auto target : partsOf(schema, "$ref")) {
                holders[target].push_back(schema);
            }
            for (const auto &[key, value] : tree_[schema].members) {
                holders[value].push_back(schema);
                for (const auto &part : tree_[value].members) {
                    if (tree_[value].kind != Kind::Schema && key != "$defs") {
                        holders[part.second].push_back(schema);
                    }
                }
            }
            const auto &own = keysOf(schema);
            if (std::any_of(own.keys.begin(), own.keys.end(),
                            [&](const auto &key) { return !own.required.contains(key.first); })) {
                open.push_back(schema);
            }
        }
        while (!open.empty()) {
            const auto schema = open.back();
            open.pop_back();
            if (!mends_[schema]) {
                mends_[schema] = true;
                const auto &more = holders[schema];
                open.insert(open.end(), more.begin(), more.end());
            }
        }
    }

    void optionalKeys(NodeId schema) {
        const auto &own = keysOf(schema);
        for (const auto &[name, form] : own.keys) {
            if (own.required.contains(name)) {
                continue;
            }
            if ((types_[form] & kNullBit) != 0) {
                found_.emplace(form, "it is optional and may be null, which stands for an absent "
                                     "key in OpenAI's strict form");
            } else if (types_[form] == 0) {
                found_.emplace(form, "it takes no value, where OpenAI's strict form would take "
                                     "null for an absent key");
            }
        }
    }

    void besideKeys(NodeId schema) {
        for (const auto *own : {"properties", "required", "additionalProperties"}) {
            for (const auto *other : kInPlace) {
                if (tree_.has(schema, own) && tree_.has(schema, other)) {
                    found_.emplace(schema, concat("\"", own, "\" beside \"", other,
                                                  "\" is not taken with optional keys: null for "
                                                  "an absent one could not be dropped"));
                    return;
                }
            }
        }
    }

    void choice(NodeId schema, std::string_view keyword) {
        const auto branches = partsOf(schema, keyword);
        for (std::size_t i = 0; i < branches.size(); ++i) {
            for (std::size_t j = 0; mends_[branches[i]] && j < branches.size(); ++j) {
                if (j == i || (types_[branches[i]] & types_[branches[j]] & kHolders) == 0) {
                    continue;
                }
                if (!isTold(branches[i], branches[j])) {
                    found_.emplace(
                        schema,
                        concat("no required or unknown key tells the branches ", std::min(i, j) + 1,
                               " and ", std::max(i, j) + 1, " of \"", keyword,
                               "\" apart, so null for an absent key could not be dropped"));
                    return;
                }
            }
        }
    }

    // Whether no value of a branch, with its nulls, can be meant for another branch.
    bool isTold(NodeId branch, NodeId other) {
        std::vector<NodeId> forms{branch};
        for (std::size_t i = 0; i < forms.size(); ++i) {
            const auto form = forms[i];
            bool whole = true;
            for (const auto *keyword : kInPlace) {
                for (const auto part : partsOf(form, keyword)) {
                    whole = false;
                    if (std::find(forms.begin(), forms.end(), part) == forms.end()) {
                        forms.push_back(part);
                    }
                }
            }
            if (forms.size() > kFormsMax || (whole && mends_[form] && !isToldAlone(form, other))) {
                return false;
            }
        }
        return true;
    }
    bool isToldAlone(NodeId form, NodeId other) {
        const auto common = types_[form] & types_[other] & kHolders;
        const auto items = tree_.find(form, "items");
        if ((common & kArrayBit) != 0 && items != kNoNode && mends_[items]) {
            return false;
        }
        if ((common & kObjectBit) == 0) {
            return true;
        }
        std::vector<NodeId> parts{other};
        for (std::size_t i = 0; i < parts.size() && i < kFormsMax; ++i) {
            if (contradicts(keysOf(form), keysOf(parts[i]))) {
                return true;
            }
            for (const auto *keyword : {"$ref", "allOf"}) {
                for (const auto part : partsOf(parts[i], keyword)) {
                    parts.push_back(part);
                }
            }
        }
        return false;
    }

    // Whether an object with all keys of the first, the optional ones perhaps null, has a key that
    // the second does not take, or lacks one. No more than prepare() finds.
    bool contradicts(const OwnKeys &first, const OwnKeys &second) {
        comparisons_ += first.keys.size() + second.required.size() + 1;
        if (comparisons_ > kComparisonsMax) {
            return false;
        }
        for (const auto &name : second.required) {
            if (!first.keys.contains(name)) {
                return true;
            }
        }
        for (const auto &[name, form] : first.keys) {
            const auto other = second.keys.find(name);
            if (other == second.keys.end()) {
                if (second.closed) {
                    return true;
                }
                continue;
            }
            const auto types = types_[form];
            const bool given = first.required.contains(name) && (types & kNullBit) == 0;
            const bool plain = (types & (kStringBit | kNullBit)) == 0;
            if (given && ((plain && (types & types_[other->second]) == 0) ||
                          haveNoCommonValue(form, other->second))) {
                return true;
            }
        }
        return false;
    }
    // A text may be meant as the value that it spells.
    bool haveNoCommonValue(NodeId form, NodeId other) {
        const auto &values = valuesOf(form), &others = valuesOf(other);
        comparisons_ += values.size();
        return !values.empty() && !others.empty() &&
               std::none_of(values.begin(), values.end(), [&](const auto &value) {
                   json::Document text;
                   const bool spells = value.starts_with('"') && text.readView(value);
                   return value.empty() || others.contains(value) ||
                          (spells && others.contains(canonical(text.root().string())));
               });
    }
    const std::set<std::string> &valuesOf(NodeId schema) {
        const auto [found, isNew] = values_.try_emplace(schema);
        const auto *keyword = tree_.has(schema, "const") ? "const" : "enum";
        if (isNew && tree_.has(schema, keyword)) {
            for (const auto &text : listedIn(schema, keyword)) {
                found->second.insert(canonical(text));
            }
        }
        return found->second;
    }

    static constexpr std::uint32_t kHolders = kObjectBit | kArrayBit;

    const SchemaTree &tree_;
    const std::vector<NodeId> schemas_;
    std::vector<std::uint32_t> types_; // by node
    std::vector<bool> typed_, mends_;
    std::map<NodeId, OwnKeys> keys_;
    std::map<NodeId, std::set<std::string>> values_; // canonical
    std::size_t comparisons_ = 0;
    std::map<NodeId, std::string> found_;
};

} // namespace

std::map<NodeId, std::string> untoldNulls(const SchemaTree &tree) {
    return NullFinder(tree).run();
}

} // namespace tenon::schema
