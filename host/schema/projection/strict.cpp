// SPDX-License-Identifier: Apache-2.0
// The strict forms. A schema has one only where it says the same there, but for annotations.
//
// OpenAI: https://platform.openai.com/docs/guides/structured-outputs#supported-schemas
// Anthropic: https://platform.claude.com/docs/en/build-with-claude/structured-outputs
#include "schema/projection/fit.h"

#include "support/text.h"

#include <algorithm>
#include <set>
#include <span>

namespace tenon::schema {

namespace {

using Kind = TreeNode::Kind;

constexpr std::string_view kOpenAiKeywords[] = {"$ref",
                                                "$defs",
                                                "type",
                                                "enum",
                                                "const",
                                                "anyOf",
                                                "properties",
                                                "items",
                                                "required",
                                                "title",
                                                "pattern",
                                                "format",
                                                "minimum",
                                                "additionalProperties",
                                                "maximum",
                                                "minItems",
                                                "maxItems",
                                                "multipleOf",
                                                "description",
                                                "exclusiveMinimum",
                                                "exclusiveMaximum"};
constexpr std::string_view kOpenAiFormats[] = {"date-time", "time", "date", "duration", "email",
                                               "hostname",  "ipv4", "ipv6", "uuid"};
constexpr std::string_view kAnthropicKeywords[] = {"$ref",
                                                   "$defs",
                                                   "type",
                                                   "enum",
                                                   "const",
                                                   "anyOf",
                                                   "allOf",
                                                   "properties",
                                                   "required",
                                                   "items",
                                                   "title",
                                                   "description",
                                                   "default",
                                                   "format",
                                                   "pattern",
                                                   "minItems",
                                                   "additionalProperties"};
constexpr std::string_view kAnthropicFormats[] = {"date-time", "time", "date", "duration", "email",
                                                  "hostname",  "uri",  "ipv4", "ipv6",     "uuid"};

bool isIn(std::span<const std::string_view> list, std::string_view word) {
    return std::find(list.begin(), list.end(), word) != list.end();
}
bool isIn(const std::vector<std::string> &list, std::string_view word) {
    return std::find(list.begin(), list.end(), word) != list.end();
}

// Look-around, back-references and word boundaries.
bool isPlainPattern(std::string_view pattern) {
    for (std::size_t i = 0; i + 1 < pattern.size(); ++i) {
        if (pattern[i] == '\\') {
            const char c = pattern[++i];
            if ((c >= '1' && c <= '9') || c == 'b' || c == 'B' || c == 'k') {
                return false;
            }
        } else if (pattern[i] == '(' && pattern[i + 1] == '?' && i + 2 < pattern.size() &&
                   pattern[i + 2] != ':') {
            return false;
        }
    }
    return true;
}

std::string typeOfValue(std::string_view json) {
    switch (json[0]) {
    case '"': return "string";
    case 'n': return "null";
    case 't':
    case 'f': return "boolean";
    case '{': return "object";
    case '[': return "array";
    default: return "number";
    }
}

class StrictMaker {
public:
    StrictMaker(SchemaTree &tree, Provider provider)
        : tree_(tree), openAi_(provider == Provider::OpenAi), name_(nameOf(provider)) {}

    StrictForm run() {
        if (openAi_) {
            untoldNulls_ = untoldNulls(tree_);
        }
        prepare();
        const auto schemas = tree_.schemas(tree_.root);
        for (auto schema = schemas.rbegin(); schema != schemas.rend(); ++schema) {
            make(*schema);
        }
        tree_.dropUnusedDefinitions();
        if (openAi_) {
            const auto over = overOpenAiBudgets(tree_);
            form_.reasons.insert(form_.reasons.end(), over.begin(), over.end());
        } else {
            recursion();
        }
        return std::move(form_);
    }

private:
    void no(NodeId schema, std::string words) {
        form_.reasons.push_back({schema, std::move(words)});
    }
    // What is not taken goes at once: nobody needs to hear what is wrong inside it.
    void prepare() {
        std::vector<NodeId> open{tree_.root};
        while (!open.empty()) {
            const auto schema = open.back();
            open.pop_back();
            if (tree_[schema].kind == Kind::Schema && !isNever(tree_, schema)) {
                choices(schema);
                for (const auto &member : std::vector(tree_[schema].members)) {
                    if (!isIn(taken(), member.first) && !isAnnotation(member.first)) {
                        no(schema, concat("\"", member.first, "\" is not taken by ", name_,
                                          "'s strict form"));
                        tree_.erase(schema, member.first);
                        left_.insert(schema);
                    }
                }
            }
            for (const auto &member : tree_[schema].members) {
                open.push_back(member.second);
            }
        }
    }
    std::span<const std::string_view> taken() const {
        return openAi_ ? std::span<const std::string_view>(kOpenAiKeywords)
                       : std::span<const std::string_view>(kAnthropicKeywords);
    }

    void make(NodeId schema) {
        if (isNever(tree_, schema)) {
            return; // what holds it sees to it
        }
        parts(schema);
        keywords(schema);
        values(schema);
        const auto types = tree_.words(tree_.find(schema, "type"));
        if (types.empty() && !left_.contains(schema) && !tree_.has(schema, "anyOf") &&
            !tree_.has(schema, "allOf") && !tree_.has(schema, "$ref") &&
            !tree_.has(schema, "enum") && !tree_.has(schema, "const")) {
            no(schema,
               concat("it takes values of every type; ", name_, "'s strict form asks for one"));
        }
        if (isIn(types, "object") || tree_.has(schema, "properties") ||
            tree_.has(schema, "required") || tree_.has(schema, "additionalProperties")) {
            object(schema);
        }
        if (isIn(types, "array") && !left_.contains(schema)) {
            array(schema);
        }
        reference(schema);
        const auto untold = untoldNulls_.find(schema);
        if (untold != untoldNulls_.end() && !left_.contains(schema)) {
            no(schema, untold->second);
        }
        form_.unions += types.size() > 1 || tree_.has(schema, "anyOf") ? 1 : 0;
    }

    // Branches that take nothing go.
    void dropNever(NodeId list) {
        if (list == kNoNode) {
            return;
        }
        auto kept = tree_[list].members;
        std::erase_if(kept, [&](const auto &member) { return isNever(tree_, member.second); });
        if (!kept.empty()) {
            tree_[list].members = kept;
        }
    }

    // What is a choice of one, or of disjoint branches, is "anyOf".
    void choices(NodeId schema) {
        dropNever(tree_.find(schema, "anyOf"));
        dropNever(tree_.find(schema, "oneOf"));
        const auto one = tree_.find(schema, "oneOf"), all = tree_.find(schema, "allOf");
        if (one != kNoNode && !tree_.has(schema, "anyOf") && areDisjoint(tree_, one)) {
            tree_.rename(schema, "oneOf", "anyOf");
        }
        if (all != kNoNode && tree_[all].members.size() == 1 && !tree_.has(schema, "anyOf")) {
            tree_.rename(schema, "allOf", "anyOf");
        }
    }

    void parts(NodeId schema) {
        for (const auto &[key, value] : tree_[schema].members) {
            const auto kind = tree_[value].kind;
            for (const auto &part : tree_[value].members) {
                if ((kind == Kind::List || kind == Kind::Map) &&
                    (tree_[part.second].kind == Kind::Text || isNever(tree_, part.second))) {
                    no(schema, concat("a schema in \"", printable(key, 80),
                                      "\" takes everything or nothing, which ", name_,
                                      "'s strict form does not"));
                }
            }
        }
    }

    void keywords(NodeId schema) {
        const auto formats = openAi_ ? std::span<const std::string_view>(kOpenAiFormats)
                                     : std::span<const std::string_view>(kAnthropicFormats);
        for (const auto &[key, value] : std::vector(tree_[schema].members)) {
            const auto words = tree_.words(value);
            if (!isIn(taken(), key)) {
                form_.lost.push_back(
                    {schema, concat("\"", printable(key, 80), "\" is not taken by ", name_,
                                    "'s strict form and left out")});
                tree_.erase(schema, key);
            } else if (key == "format" && (words.empty() || !isIn(formats, words[0]))) {
                form_.lost.push_back(
                    {schema, concat("the format ", printable(tree_[value].text, 80),
                                    " is not taken by ", name_, "'s strict form and left out")});
                tree_.erase(schema, key);
            } else if (key == "pattern" && (words.empty() || !isPlainPattern(words[0]))) {
                no(schema, concat("the pattern ", printable(tree_[value].text, 80), " uses what ",
                                  name_, "'s strict form does not take"));
            } else if (!openAi_ && key == "minItems" && tree_[value].text != "0" &&
                       tree_[value].text != "1") {
                no(schema, concat("\"minItems\" is ", tree_[value].text,
                                  "; Anthropic's strict form takes 0 and 1"));
            } else if (key == "allOf") {
                for (const auto &part : tree_[value].members) {
                    if (tree_.has(part.second, "$ref")) {
                        no(schema, "\"allOf\" with \"$ref\" is not taken by Anthropic's strict "
                                   "form");
                    }
                }
            }
        }
    }

    // Listed values are simple ones, and OpenAI wants their type beside them.
    void values(NodeId schema) {
        std::vector<std::string> values;
        for (const auto *keyword : {"enum", "const"}) {
            const auto node = tree_.find(schema, keyword);
            if (node != kNoNode && values.empty()) {
                values = keyword[0] == 'e' ? tree_.values(node) : std::vector{tree_[node].text};
            }
        }
        std::vector<std::string> types;
        for (const auto &value : values) {
            const auto type = typeOfValue(value);
            if (type == "object" || type == "array") {
                no(schema, concat("a listed value is ", type == "array" ? "an array" : "an object",
                                  ", which ", name_, "'s strict form does not take"));
            }
            if (!isIn(types, quoted(type))) {
                types.push_back(quoted(type));
            }
        }
        if (openAi_ && !types.empty() && !tree_.has(schema, "type")) {
            tree_.insertAfter(schema, "", "type",
                              tree_.text(types.size() == 1 ? types[0] : arrayOf(types)));
        }
    }

    void object(NodeId schema) {
        const auto further = tree_.find(schema, "additionalProperties");
        if (further == kNoNode || !tree_[further].is("false")) {
            no(schema, concat("it takes further keys (\"additionalProperties\" is not false), "
                              "which ",
                              name_, "'s strict form does not"));
            return;
        }
        if (!tree_.has(schema, "properties")) {
            tree_.insertAfter(schema, "type", "properties", tree_.make(Kind::Map));
        }
        const auto keys = tree_.find(schema, "properties");
        const auto required = tree_.words(tree_.find(schema, "required"));
        for (const auto &name : required) {
            if (!tree_.has(keys, name)) {
                no(schema, concat("the required key ", printable(quoted(name), 80),
                                  " is none of its properties"));
            }
        }
        std::vector<std::string> all;
        for (auto &[name, form] : tree_[keys].members) {
            all.push_back(quoted(name));
            if (isIn(required, name)) {
                continue;
            }
            ++form_.optionalKeys;
            if (openAi_ && tree_[form].kind == Kind::Schema) {
                form = orNull(form);
            }
        }
        if (openAi_) {
            tree_.setText(schema, "required", arrayOf(all));
        }
    }

    void array(NodeId schema) {
        const auto items = tree_.find(schema, "items");
        if (items == kNoNode || tree_[items].kind != Kind::Schema || isNever(tree_, items)) {
            no(schema,
               concat("its items have no schema, which ", name_, "'s strict form asks for"));
        }
    }

    // "$ref cannot have keywords": https://github.com/camel-ai/camel/issues/3001
    void reference(NodeId schema) {
        if (!openAi_ || !tree_.has(schema, "$ref") || tree_[schema].members.size() == 1) {
            return;
        }
        if (tree_.has(schema, "anyOf")) {
            no(schema, "\"$ref\" beside \"anyOf\" is not taken by OpenAI's strict form");
            return;
        }
        const auto only = tree_.make(Kind::Schema, tree_[schema].at);
        tree_.set(only, "$ref", tree_.find(schema, "$ref"));
        const auto list = tree_.make(Kind::List);
        tree_[list].members.emplace_back("", only);
        tree_.set(schema, "$ref", list);
        tree_.rename(schema, "$ref", "anyOf");
    }

    // An optional key is one that may be null: such a null is dropped before the tool's own schema
    // judges, and untoldNulls() knows where it could not be.
    NodeId orNull(NodeId schema) {
        auto types = tree_.words(tree_.find(schema, "type"));
        const auto choice = tree_.find(schema, "anyOf");
        if (!types.empty() && choice == kNoNode && !tree_.has(schema, "$ref")) {
            if (!isIn(types, "null")) {
                types.emplace_back("null");
                std::transform(types.begin(), types.end(), types.begin(), quoted);
                tree_.setText(schema, "type", arrayOf(types));
            }
            for (const auto *keyword : {"const", "enum"}) {
                if (const auto listed = tree_.find(schema, keyword); listed != kNoNode) {
                    auto values =
                        keyword[0] == 'e' ? tree_.values(listed) : std::vector{tree_[listed].text};
                    if (!isIn(values, "null")) {
                        values.emplace_back("null");
                    }
                    tree_.setText(schema, keyword, arrayOf(values));
                    tree_.rename(schema, keyword, "enum");
                }
            }
            return schema;
        }
        const auto null = tree_.make(Kind::Schema);
        tree_.setText(null, "type", "\"null\"");
        if (types.empty() && choice != kNoNode && !tree_.has(schema, "enum")) {
            const auto &options = tree_[choice].members;
            if (std::none_of(options.begin(), options.end(), [&](const auto &option) {
                    return isIn(tree_.words(tree_.find(option.second, "type")), "null") &&
                           !tree_.has(option.second, "enum") && !tree_.has(option.second, "const");
                })) {
                tree_[choice].members.emplace_back("", null);
            }
            return schema;
        }
        const auto list = tree_.make(Kind::List);
        tree_[list].members = {{"", schema}, {"", null}};
        const auto either = tree_.make(Kind::Schema, tree_[schema].at);
        tree_.set(either, "anyOf", list);
        return either;
    }

    void recursion() {
        for (const auto &reference : cyclicReferences(tree_)) {
            no(reference.schema, "it leads back to itself, which Anthropic's strict form does not "
                                 "take");
        }
    }

    SchemaTree &tree_;
    bool openAi_;
    std::string_view name_;
    std::set<NodeId> left_; // what lost a keyword
    std::map<NodeId, std::string> untoldNulls_;
    StrictForm form_;
};

} // namespace

StrictForm makeStrict(SchemaTree &tree, Provider provider) {
    return StrictMaker(tree, provider).run();
}

} // namespace tenon::schema
