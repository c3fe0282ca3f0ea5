// SPDX-License-Identifier: Apache-2.0
// Gemini's "parametersJsonSchema". What it takes of JSON Schema, and how it takes references, is
// published with "responseJsonSchema":
// https://pub.dev/documentation/googleapis/latest/aiplatform_v1/
//     GoogleCloudAiplatformV1GenerationConfig/responseJsonSchema.html
#include "json/number.h"
#include "schema/projection/fit.h"
#include "support/text.h"

#include <algorithm>
#include <array>

namespace tenon::schema {

namespace {

using Kind = TreeNode::Kind;

constexpr std::array<std::string_view, 20> kTaken{"$ref",
                                                  "$defs",
                                                  "type",
                                                  "format",
                                                  "title",
                                                  "description",
                                                  "enum",
                                                  "items",
                                                  "minItems",
                                                  "maxItems",
                                                  "minimum",
                                                  "prefixItems",
                                                  "maximum",
                                                  "anyOf",
                                                  "required",
                                                  "oneOf",
                                                  "properties",
                                                  "additionalProperties",
                                                  "propertyOrdering",
                                                  "$anchor"};

bool isTaken(std::string_view keyword) {
    return std::find(kTaken.begin(), kTaken.end(), keyword) != kTaken.end();
}

bool isNumber(std::string_view json) {
    return json[0] == '-' || (json[0] >= '0' && json[0] <= '9');
}

} // namespace

void GeminiFitter::widen(NodeId schema, std::string words) {
    schema::widen(tree_, losses_, schema, std::move(words));
}

void GeminiFitter::fit(NodeId schema) {
    if (isNever(tree_, schema)) {
        return; // what holds it sees to it
    }
    never(schema);
    joinAll(schema);
    oneOf(schema);
    values(schema);
    bounds(schema);
    keywords(schema);
    requiredKeys(schema);
    const auto types = tree_.words(tree_.find(schema, "type"));
    if (std::find(types.begin(), types.end(), "array") != types.end() &&
        !tree_.has(schema, "items")) {
        tree_.set(schema, "items", tree_.make(Kind::Schema)); // it asks for them; it says nothing
    }
    const bool alone = std::all_of(tree_[schema].members.begin(), tree_[schema].members.end(),
                                   [](const auto &member) { return member.first[0] == '$'; });
    if (tree_.has(schema, "$ref") && !alone) {
        if (tree_.has(schema, "anyOf")) {
            widen(schema, "\"$ref\" beside \"anyOf\" is not taken by Gemini and left out");
        } else {
            const auto only = tree_.make(Kind::Schema, tree_[schema].at);
            tree_.set(only, "$ref", tree_.find(schema, "$ref"));
            const auto list = tree_.make(Kind::List);
            tree_[list].members.emplace_back("", only);
            tree_.set(schema, "anyOf", list);
        }
        tree_.erase(schema, "$ref");
    }
}

// There is no "not", and no schema true or false but for further keys.
void GeminiFitter::never(NodeId schema) {
    neverKeys(schema);
    neverItems(schema);
    for (const auto *keyword : {"anyOf", "oneOf"}) {
        const auto list = tree_.find(schema, keyword);
        if (list == kNoNode) {
            continue;
        }
        auto kept = tree_[list].members;
        std::erase_if(kept, [&](const auto &member) { return isNever(tree_, member.second); });
        if (kept.empty() && !tree_[list].members.empty()) {
            widen(schema, concat("\"", keyword, "\" takes nothing; left out"));
            tree_.erase(schema, keyword);
        } else {
            tree_[list].members = kept;
        }
    }
    for (auto &[key, value] : std::vector(tree_[schema].members)) {
        if (key == "items" && tree_[value].is("true")) {
            tree_.set(schema, key, tree_.make(Kind::Schema));
        } else if (key == "additionalProperties" && isNever(tree_, value)) {
            tree_.setText(schema, key, "false");
        }
        if (tree_[value].kind != Kind::Map && tree_[value].kind != Kind::List) {
            continue;
        }
        for (auto &part : tree_[value].members) {
            const bool none = isNever(tree_, part.second);
            if (none) {
                widen(schema, concat("a schema in \"", key,
                                     "\" that takes nothing is not taken by Gemini; left open"));
            }
            if (none || tree_[part.second].kind == Kind::Text) {
                part.second = tree_.make(Kind::Schema);
            }
        }
    }
}

void GeminiFitter::neverKeys(NodeId schema) {
    const auto keys = tree_.find(schema, "properties");
    if (keys == kNoNode) {
        return;
    }
    const auto further = tree_.find(schema, "additionalProperties");
    const bool closed = further != kNoNode && tree_[further].is("false");
    for (const auto &[name, form] : std::vector(tree_[keys].members)) {
        if (!isNever(tree_, form)) {
            continue;
        }
        if (!closed) {
            widen(schema, concat("that the key ", printable(quoted(name), 80),
                                 " must not be there is not taken by Gemini and left out"));
        }
        tree_.erase(keys, name);
    }
}

void GeminiFitter::neverItems(NodeId schema) {
    const auto items = tree_.find(schema, "items");
    if (items == kNoNode || !isNever(tree_, items)) {
        return;
    }
    const auto first = tree_.find(schema, "prefixItems");
    const auto most = concat(first == kNoNode ? 0 : tree_[first].members.size());
    const auto known = tree_.find(schema, "maxItems");
    if (known == kNoNode || !isNumber(tree_[known].text) ||
        json::compareNumbers(most, tree_[known].text) < 0) {
        tree_.setText(schema, "maxItems", most);
    }
    tree_.erase(schema, "items");
}

// There is no "allOf": its parts become one schema where they do not speak of the same.
void GeminiFitter::joinAll(NodeId schema) {
    const auto all = tree_.find(schema, "allOf");
    if (all == kNoNode) {
        return;
    }
    const bool free = !tree_.has(schema, "anyOf") && !tree_.has(schema, "oneOf");
    if (tree_[all].members.size() == 1 && free) {
        tree_.rename(schema, "allOf", "anyOf");
        return;
    }
    tree_.erase(schema, "allOf");
    for (const auto &member : std::vector(tree_[all].members)) {
        if (!join(schema, member.second)) {
            widen(schema, "a part of \"allOf\" that speaks of the same as another is not taken by "
                          "Gemini and left out");
        }
    }
}

bool GeminiFitter::join(NodeId schema, NodeId part) {
    if (tree_.has(part, "$ref")) {
        if (tree_.has(schema, "anyOf") || tree_.has(schema, "oneOf")) {
            return false;
        }
        const auto list = tree_.make(Kind::List);
        tree_[list].members.emplace_back("", part);
        tree_.set(schema, "anyOf", list);
        return true;
    }
    const bool lists = tree_.has(schema, "items") || tree_.has(schema, "prefixItems");
    const bool chooses = tree_.has(schema, "anyOf") || tree_.has(schema, "oneOf");
    bool whole = true;
    for (const auto &[key, value] : std::vector(tree_[part].members)) {
        if ((lists && (key == "items" || key == "prefixItems")) ||
            (chooses && (key == "anyOf" || key == "oneOf"))) {
            whole = false;
        } else {
            whole &= joinMember(schema, key, value);
        }
    }
    return whole;
}

bool GeminiFitter::joinMember(NodeId schema, const std::string &key, NodeId value) {
    const auto known = tree_.find(schema, key);
    if (known == kNoNode) {
        tree_.set(schema, key, value);
        return true;
    }
    if (isAnnotation(key) || tree_.write(known) == tree_.write(value)) {
        return true;
    }
    if (key == "required") {
        auto names = tree_.values(known);
        for (const auto &name : tree_.values(value)) {
            if (std::find(names.begin(), names.end(), name) == names.end()) {
                names.push_back(name);
            }
        }
        tree_.setText(schema, key, arrayOf(names));
        return true;
    }
    if (key == "properties") {
        bool whole = true;
        for (const auto &[name, form] : tree_[value].members) {
            const auto same = tree_.find(known, name);
            if (same == kNoNode) {
                tree_.set(known, name, form);
            }
            whole &= same == kNoNode || tree_.write(same) == tree_.write(form);
        }
        return whole;
    }
    if (key == "additionalProperties" && tree_[value].is("false")) {
        tree_.set(schema, key, value);
        return true;
    }
    return false;
}

void GeminiFitter::oneOf(NodeId schema) {
    const auto list = tree_.find(schema, "oneOf");
    if (list == kNoNode) {
        return;
    }
    if (tree_.has(schema, "anyOf")) {
        widen(schema, "\"oneOf\" beside \"anyOf\" is not taken by Gemini and left out");
        tree_.erase(schema, "oneOf");
        return;
    }
    if (!areDisjoint(tree_, list)) {
        widen(schema, "\"oneOf\" is read as \"anyOf\" by Gemini");
    }
    tree_.rename(schema, "oneOf", "anyOf");
}

// Only strings and numbers are listed; other values become their types.
void GeminiFitter::values(NodeId schema) {
    if (const auto constant = tree_.find(schema, "const"); constant != kNoNode) {
        if (tree_.has(schema, "enum")) {
            tree_.erase(schema, "enum"); // the constant is the narrower one
        }
        tree_.rename(schema, "const", "enum");
        tree_.setText(schema, "enum", arrayOf({tree_[constant].text}));
    }
    const auto listed = tree_.find(schema, "enum");
    if (listed == kNoNode) {
        return;
    }
    std::vector<std::string> plain, types;
    bool wider = false;
    for (const auto &value : tree_.values(listed)) {
        const char first = value[0];
        if (first == '"' || isNumber(value)) {
            plain.push_back(value);
            continue;
        }
        const std::string type = first == 'n'   ? "null"
                                 : first == '{' ? "object"
                                 : first == '[' ? "array"
                                                : "boolean";
        wider |= type != "null";
        if (std::find(types.begin(), types.end(), type) == types.end()) {
            types.push_back(type);
        }
    }
    if (types.empty()) {
        return;
    }
    if (wider) {
        widen(schema, "values of \"enum\" that are no strings and no numbers are not taken by "
                      "Gemini; their types are");
    }
    tree_.erase(schema, "enum");
    if (plain.empty()) {
        std::transform(types.begin(), types.end(), types.begin(), quoted);
        tree_.setText(schema, "type", types.size() == 1 ? types[0] : arrayOf(types));
        return;
    }
    if (tree_.has(schema, "anyOf")) {
        widen(schema, "\"enum\" beside \"anyOf\" is left out");
        return;
    }
    const auto list = tree_.make(Kind::List);
    const auto listedOnes = tree_.make(Kind::Schema);
    tree_.setText(listedOnes, "enum", arrayOf(plain));
    tree_[list].members.emplace_back("", listedOnes);
    for (const auto &type : types) {
        const auto option = tree_.make(Kind::Schema);
        tree_.setText(option, "type", quoted(type));
        if (type == "array") {
            tree_.set(option, "items", tree_.make(Kind::Schema));
        }
        tree_[list].members.emplace_back("", option);
    }
    tree_.set(schema, "anyOf", list);
}

void GeminiFitter::bounds(NodeId schema) {
    for (const auto &[strictly, bound] :
         {std::pair("exclusiveMinimum", "minimum"), std::pair("exclusiveMaximum", "maximum")}) {
        const auto value = tree_.find(schema, strictly);
        if (value != kNoNode && !tree_.has(schema, bound)) {
            widen(schema,
                  concat("\"", strictly, "\" is not taken by Gemini and became \"", bound, "\""));
            tree_.rename(schema, strictly, bound);
        }
    }
}

void GeminiFitter::keywords(NodeId schema) {
    bool patterns = false;
    for (const auto &member : std::vector(tree_[schema].members)) {
        const auto &key = member.first;
        if (isTaken(key)) {
            continue;
        }
        patterns |= key == "patternProperties";
        const auto words =
            concat("\"", printable(key, 80), "\" is not taken by Gemini and left out");
        if (isAnnotation(key)) {
            losses_.push_back({schema, words});
        } else {
            widen(schema, words);
        }
        tree_.erase(schema, key);
    }
    if (patterns && tree_.has(schema, "additionalProperties")) {
        widen(schema, "\"additionalProperties\" is left out, for it would refuse the keys of "
                      "\"patternProperties\"");
        tree_.erase(schema, "additionalProperties");
    }
}

// "property is not defined": https://github.com/iBUHub/AIStudioToAPI/issues/154
void GeminiFitter::requiredKeys(NodeId schema) {
    for (const auto &name : tree_.words(tree_.find(schema, "required"))) {
        if (tree_.has(tree_.find(schema, "properties"), name)) {
            continue;
        }
        if (!tree_.has(schema, "properties")) {
            tree_.set(schema, "properties", tree_.make(Kind::Map));
        }
        tree_.set(tree_.find(schema, "properties"), name, tree_.make(Kind::Schema));
        if (tree_.has(schema, "additionalProperties")) { // which would have judged it
            widen(schema, concat("the required key ", printable(quoted(name), 80),
                                 " is none of the properties, as Gemini wants it; shown as open"));
        }
    }
}

} // namespace tenon::schema
