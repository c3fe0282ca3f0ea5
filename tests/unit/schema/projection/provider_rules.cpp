// SPDX-License-Identifier: Apache-2.0
// The rules are those of:
//   platform.claude.com/docs/en/build-with-claude/structured-outputs ("JSON Schema limitations")
//   platform.openai.com/docs/guides/structured-outputs ("Supported schemas")
//   pub.dev/documentation/google_cloud_aiplatform_v1beta1: GenerationConfig.responseJsonSchema
// and of the errors that the providers answer with.
#include "provider_rules.h"

#include "support/text.h"

#include <algorithm>
#include <map>
#include <set>

namespace tenon::testing {

namespace {

using json::Value;
using Words = std::set<std::string_view>;

const Words kOpenAiStrict{"type",
                          "properties",
                          "required",
                          "additionalProperties",
                          "items",
                          "enum",
                          "const",
                          "anyOf",
                          "$ref",
                          "$defs",
                          "title",
                          "description",
                          "pattern",
                          "format",
                          "multipleOf",
                          "minimum",
                          "maximum",
                          "minItems",
                          "maxItems",
                          "exclusiveMinimum",
                          "exclusiveMaximum"};
const Words kAnthropicStrict{"type",    "properties", "required", "additionalProperties",
                             "items",   "enum",       "const",    "anyOf",
                             "allOf",   "$ref",       "$defs",    "title",
                             "default", "format",     "minItems", "description",
                             "pattern"};
const Words kGemini{"$id",
                    "$defs",
                    "$ref",
                    "$anchor",
                    "type",
                    "format",
                    "title",
                    "description",
                    "enum",
                    "items",
                    "minItems",
                    "prefixItems",
                    "minimum",
                    "maxItems",
                    "maximum",
                    "anyOf",
                    "oneOf",
                    "required",
                    "properties",
                    "additionalProperties",
                    "propertyOrdering"};
const Words kRootRefuses{"anyOf", "oneOf", "allOf", "enum", "const",
                         "not",   "if",    "then",  "else", "$ref"};
const Words kNowhere{"$schema",
                     "$id",
                     "id",
                     "$anchor",
                     "definitions",
                     "$dynamicAnchor",
                     "$dynamicRef",
                     "$vocabulary",
                     "$recursiveRef",
                     "dependencies",
                     "additionalItems",
                     "$recursiveAnchor"};
const Words kMaps{"properties", "patternProperties", "$defs", "dependentSchemas"};
const Words kLists{"prefixItems", "anyOf", "oneOf", "allOf"};
const Words kSingles{"items",
                     "additionalProperties",
                     "unevaluatedItems",
                     "unevaluatedProperties",
                     "not",
                     "if",
                     "then",
                     "else",
                     "contains",
                     "propertyNames"};
const Words kFormats{"date-time", "time", "date", "duration", "email",
                     "hostname",  "ipv4", "ipv6", "uuid"};

// A subschema where it stands.
struct Spot {
    Value schema;
    std::string at;
    std::string keyword;        // that holds it
    std::string definition;     // whose it is, "" for the root's
    std::size_t level = 0;      // objects and arrays from there to it, itself included
    bool underOptional = false; // some key on the way is not required
};

bool contains(Value list, std::string_view word) {
    for (const auto item : list.items()) {
        if (item.string() == word) {
            return true;
        }
    }
    return list.string() == word;
}

bool isKey(std::string_view key) { // of Anthropic
    return !key.empty() && key.size() <= 64 &&
           key.find_first_not_of("abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ"
                                 "0123456789_.-") == key.npos;
}

class Judge {
public:
    Judge(Value root, Rules rules) : root_(root), rules_(rules) {
        strict_ = rules == Rules::OpenAiStrict || rules == Rules::AnthropicStrict;
    }

    std::vector<std::string> run() {
        rootForm();
        std::vector<Spot> open{{root_, "", "", "", 0, false}};
        while (!open.empty()) {
            auto spot = std::move(open.back());
            open.pop_back();
            if (isOf(spot.schema, "object") || isOf(spot.schema, "array")) {
                ++spot.level;
            }
            visit(spot);
            descend(spot, open);
        }
        if (rules_ == Rules::Gemini || rules_ == Rules::AnthropicStrict) {
            cycles();
        }
        unusedDefinitions();
        if (rules_ == Rules::OpenAiStrict) {
            totals();
        }
        return std::move(found_);
    }

private:
    static bool isOf(Value schema, std::string_view type) { return contains(schema["type"], type); }
    void no(const Spot &spot, std::string_view words) {
        found_.push_back(concat(spot.at.empty() ? "the root" : spot.at, ": ", words));
    }

    void rootForm() {
        const Spot root{root_, "", "", "", 0, false};
        if (root_["type"].string() != "object" || !root_["properties"].isObject()) {
            no(root, "no plain object");
        }
        for (const auto &[key, value] : root_.members()) {
            if (kRootRefuses.count(key) > 0) {
                no(root, concat("the keyword \"", key, "\" at the root"));
            }
        }
        if (rules_ == Rules::Anthropic || rules_ == Rules::AnthropicStrict) {
            for (const auto &[key, value] : root_["properties"].members()) {
                if (!isKey(key)) {
                    no(root, concat("the key \"", key, "\""));
                }
            }
        }
    }

    void visit(const Spot &spot) {
        if (!spot.schema.isObject()) {
            boolean(spot);
            return;
        }
        const Words *const taken = rules_ == Rules::Gemini            ? &kGemini
                                   : rules_ == Rules::OpenAiStrict    ? &kOpenAiStrict
                                   : rules_ == Rules::AnthropicStrict ? &kAnthropicStrict
                                                                      : nullptr;
        for (const auto &[key, value] : spot.schema.members()) {
            if (kNowhere.count(key) > 0 || (taken != nullptr && taken->count(key) == 0)) {
                no(spot, concat("the keyword \"", key, "\""));
            }
        }
        reference(spot);
        const bool arrays = rules_ == Rules::OpenAi || rules_ == Rules::Gemini || strict_;
        if (arrays && isOf(spot.schema, "array") && !spot.schema["items"].isObject()) {
            no(spot, "an array without items");
        }
        if (spot.schema["items"].isArray()) {
            no(spot, "a list of items");
        }
        if (rules_ == Rules::Gemini) {
            for (const auto value : spot.schema["enum"].items()) {
                if (!value.isString() && !value.isNumber()) {
                    no(spot, "an enum value that is no string and no number");
                }
            }
        }
        if (rules_ == Rules::Gemini || strict_) {
            for (const auto name : spot.schema["required"].items()) {
                if (!spot.schema["properties"][name.string()]) {
                    no(spot, concat("the required key ", name.raw(), " has no schema"));
                }
            }
        }
        if (strict_) {
            strict(spot);
        }
    }

    void boolean(const Spot &spot) {
        const bool further =
            spot.keyword == "additionalProperties" || spot.keyword.substr(0, 11) == "unevaluated";
        const bool free = rules_ == Rules::Anthropic || rules_ == Rules::AiSdk;
        if (!(spot.schema.isTrue() || spot.schema.isFalse()) || (!free && !further)) {
            no(spot, "a schema that is no object");
        }
    }

    void reference(const Spot &spot) {
        const auto ref = spot.schema["$ref"];
        if (!ref) {
            return;
        }
        const auto text = ref.string();
        const auto name = text.substr(0, 8) == "#/$defs/" ? text.substr(8) : std::string_view();
        if (text != "#" && (name.empty() || !root_["$defs"][name])) {
            no(spot, concat("the reference ", ref.raw(), " leads nowhere"));
            return;
        }
        leads_.push_back({spot.definition, std::string(name), spot.underOptional});
        if ((rules_ == Rules::Gemini || rules_ == Rules::OpenAiStrict) && spot.schema.size() != 1) {
            no(spot, "a reference with siblings");
        }
        if (rules_ == Rules::Gemini && text == "#") {
            no(spot, "a reference to the root");
        }
    }

    void strict(const Spot &spot) {
        const auto schema = spot.schema;
        const bool openAi = rules_ == Rules::OpenAiStrict;
        if (!schema["type"] && !schema["anyOf"] && !schema["$ref"] && !schema["allOf"] &&
            (openAi || (!schema["enum"] && !schema["const"]))) {
            no(spot, "no type");
        }
        if (isOf(schema, "object") || schema["properties"]) {
            if (!schema["additionalProperties"].isFalse()) {
                no(spot, "further keys");
            }
            for (const auto &[key, form] : schema["properties"].members()) {
                if (openAi && !contains(schema["required"], key)) {
                    no(spot, concat("the key \"", key, "\" is not required"));
                }
            }
        }
        const auto format = schema["format"];
        if (format && kFormats.count(format.string()) == 0 &&
            (openAi || format.string() != "uri")) {
            no(spot, concat("the format ", format.raw()));
        }
        if (!openAi) {
            anthropicStrict(spot);
        }
    }

    void anthropicStrict(const Spot &spot) {
        const auto least = spot.schema["minItems"];
        if (least && least.raw() != "0" && least.raw() != "1") {
            no(spot, "minItems above 1");
        }
        for (const auto value : spot.schema["enum"].items()) {
            if (value.isObject() || value.isArray()) {
                no(spot, "an enum value that is no simple one");
            }
        }
        for (const auto part : spot.schema["allOf"].items()) {
            if (part["$ref"]) {
                no(spot, "allOf with $ref");
            }
        }
        const auto pattern = spot.schema["pattern"].string();
        for (const auto *odd : {"(?=", "(?!", "(?<", "\\1", "\\2", "\\b", "\\B"}) {
            if (pattern.find(odd) != pattern.npos) {
                no(spot, concat("the pattern has ", odd));
            }
        }
    }

    void descend(const Spot &spot, std::vector<Spot> &open) {
        for (const auto &[key, value] : spot.schema.members()) {
            const auto at = concat(spot.at, "/", key);
            if (kMaps.count(key) > 0) {
                for (const auto &[name, part] : value.members()) {
                    const bool optional =
                        key == "properties" && !contains(spot.schema["required"], name);
                    const bool definition = key == "$defs";
                    if (definition && !spot.at.empty()) {
                        no(spot, "$defs below the root");
                    }
                    open.push_back({part, concat(at, "/", name), std::string(key),
                                    definition ? std::string(name) : spot.definition,
                                    definition ? 0 : spot.level,
                                    !definition && (spot.underOptional || optional)});
                }
                continue;
            }
            std::size_t i = 0;
            for (const auto part : value.items()) {
                if (kLists.count(key) > 0) {
                    open.push_back({part, concat(at, "/", i++), std::string(key), spot.definition,
                                    spot.level, spot.underOptional});
                }
            }
            if (kSingles.count(key) > 0 && !value.isArray()) {
                open.push_back(
                    {value, at, std::string(key), spot.definition, spot.level, spot.underOptional});
            }
        }
        deepest_ = std::max(deepest_, spot.level);
    }

    struct Lead {
        std::string from, to; // definitions, "" for the root
        bool underOptional;
    };

    // Gemini: each cycle passes under an optional key. Anthropic's strict form: there are none.
    void cycles() {
        std::map<std::string, std::set<std::string>> next;
        for (const auto &lead : leads_) {
            if (!lead.underOptional || rules_ != Rules::Gemini) {
                next[lead.from].insert(lead.to);
            }
        }
        for (const auto &[start, firsts] : next) {
            std::set<std::string> seen;
            std::vector<std::string> open(firsts.begin(), firsts.end());
            while (!open.empty()) {
                const auto at = open.back();
                open.pop_back();
                if (at == start) {
                    found_.push_back(concat("/$defs/", start, ": a cycle"));
                    break;
                }
                if (seen.insert(at).second && next.count(at) > 0) {
                    open.insert(open.end(), next[at].begin(), next[at].end());
                }
            }
        }
    }

    void unusedDefinitions() {
        std::set<std::string> used;
        for (bool grown = true; grown;) {
            grown = false;
            for (const auto &lead : leads_) {
                const bool lives = lead.from.empty() || used.count(lead.from) > 0;
                grown |= lives && used.insert(lead.to).second;
            }
        }
        for (const auto &[name, schema] : root_["$defs"].members()) {
            if (used.count(std::string(name)) == 0) {
                found_.push_back(concat("/$defs/", name, ": not used"));
            }
        }
    }

    void totals() {
        std::size_t properties = 0, values = 0, bytes = 0;
        std::vector<Value> open{root_};
        while (!open.empty()) {
            const auto at = open.back();
            open.pop_back();
            for (const auto &[key, value] : at.members()) {
                if (key == "properties" || key == "$defs") {
                    for (const auto &[name, part] : value.members()) {
                        properties += key == "properties" ? 1 : 0;
                        bytes += name.size();
                    }
                }
                std::size_t own = 0;
                for (const auto item : value.items()) {
                    own += key == "enum" ? item.string().size() : 0;
                    values += key == "enum" ? 1 : 0;
                    open.push_back(item);
                }
                bytes += own + (key == "const" ? value.string().size() : 0);
                if (key == "enum" && value.size() > 250 && own > 15'000) {
                    found_.push_back("an enum of more than 15,000 characters");
                }
                open.push_back(value);
            }
        }
        if (properties > 5'000 || values > 1'000 || bytes > 120'000 || deepest_ > 10) {
            found_.push_back(concat(properties, " properties, ", values, " enum values, ", bytes,
                                    " characters, ", deepest_, " levels"));
        }
    }

    Value root_;
    Rules rules_;
    bool strict_;
    std::vector<std::string> found_;
    std::vector<Lead> leads_;
    std::size_t deepest_ = 0;
};

} // namespace

std::vector<std::string> violations(Value schema, Rules rules) {
    return Judge(schema, rules).run();
}

std::vector<std::string> nameViolations(std::string_view name) {
    const bool first = !name.empty() && name[0] != '-' && !(name[0] >= '0' && name[0] <= '9');
    const bool plain = isKey(name) && name.find('.') == name.npos;
    return first && plain ? std::vector<std::string>()
                          : std::vector{concat("the name \"", name, "\"")};
}

} // namespace tenon::testing
