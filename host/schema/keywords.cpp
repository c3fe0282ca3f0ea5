// SPDX-License-Identifier: Apache-2.0
// The compiler's keywords: a function for each family.
#include "schema/compiler.h"

#include "json/number.h"
#include "support/text.h"

#include <algorithm>
#include <array>

namespace tenon::schema {

namespace {

constexpr std::size_t kPatternWeightMax =
    500'000; // of all patterns: a few MB, and less than a second

} // namespace

using json::Kind;
using json::Value;

void Compiler::types() {
    const Value type = at_.value["type"];
    if (!type) {
        return;
    }
    std::uint32_t mask = 0;
    const auto addType = [&](Value name) {
        static const std::unordered_map<std::string_view, std::uint32_t> kBits{
            {"null", kNullBit},       {"boolean", kBooleanBit}, {"number", kNumberBit},
            {"integer", kIntegerBit}, {"string", kStringBit},   {"array", kArrayBit},
            {"object", kObjectBit}};
        const auto bit = kBits.find(name.string());
        if (!name.isString() || bit == kBits.end()) {
            failKeyword("type",
                        "null, boolean, number, integer, string, array, object or a list of them",
                        type);
            return;
        }
        mask |= bit->second;
    };
    if (type.isArray() && type.size() > 0) {
        for (const Value name : type.items()) {
            addType(name);
        }
    } else {
        addType(type);
    }
    add({OpCode::Type, (mask & kNumberBit) != 0 ? mask | kIntegerBit : mask});
}

void Compiler::values() {
    if (const Value list = at_.value["enum"]; list) {
        if (!list.isArray()) {
            failKeyword("enum", "an array", list);
        }
        add({OpCode::Enum, 0, 0, list});
    }
    if (const Value constant = at_.value["const"]; constant) {
        add({OpCode::Const, 0, 0, constant});
    }
}

// "exclusiveMinimum": true beside a "minimum", as many tools still write it: it has one meaning.
bool Compiler::readAsOfDraft04(std::string_view keyword, Value bound) {
    const bool lower = keyword == "exclusiveMinimum";
    const Value inclusive = at_.value[lower ? "minimum" : "maximum"];
    if ((!lower && keyword != "exclusiveMaximum") || bound.kind() != Kind::Boolean ||
        !inclusive.isNumber()) {
        return false;
    }
    if (bound.isTrue()) {
        add({lower ? OpCode::ExclusiveMinimum : OpCode::ExclusiveMaximum, 0, 0, inclusive});
    }
    program_.notes.push_back(concat("\"", keyword, "\": ", bound.raw(),
                                    " is of draft-04, and was read as there; expected \"", keyword,
                                    "\": ", inclusive.raw()));
    return true;
}

void Compiler::numbers() {
    static constexpr std::array<std::pair<std::string_view, OpCode>, 5> kBounds{
        {{"minimum", OpCode::Minimum},
         {"maximum", OpCode::Maximum},
         {"exclusiveMinimum", OpCode::ExclusiveMinimum},
         {"exclusiveMaximum", OpCode::ExclusiveMaximum},
         {"multipleOf", OpCode::MultipleOf}}};
    for (const auto &[keyword, code] : kBounds) {
        const Value bound = at_.value[keyword];
        if (!bound || readAsOfDraft04(keyword, bound)) {
            continue;
        }
        if (!bound.isNumber() ||
            (code == OpCode::MultipleOf && json::compareNumbers(bound.raw(), "0") <= 0)) {
            failKeyword(keyword, "a number (above 0 for multipleOf)", bound);
            return;
        }
        if (code == OpCode::MultipleOf && json::significantDigits(bound.raw()) > 18) {
            failKeyword(keyword, "a number of at most 18 significant digits", bound);
            return;
        }
        add({code, 0, 0, bound});
    }
}

// A keyword whose value is a count; fallback when it is absent.
std::uint64_t Compiler::count(std::string_view keyword, std::uint64_t fallback) {
    const Value value = at_.value[keyword];
    if (!value) {
        return fallback;
    }
    const bool whole = value.isInteger() && json::compareNumbers(value.raw(), "0") >= 0;
    if (!whole || value.raw().size() > 100) {
        failKeyword(keyword, "a whole number from 0", value);
        return fallback;
    }
    const auto number = json::toInt64(value.raw()); // beyond it: as good as without end
    return number ? static_cast<std::uint64_t>(*number) : UINT64_MAX;
}

// An operation on a size.
void Compiler::counted(std::string_view keyword, OpCode code) {
    if (at_.value[keyword]) {
        const auto bound = std::min<std::uint64_t>(count(keyword, 0), UINT32_MAX);
        add({code, static_cast<std::uint32_t>(bound), 0, at_.value[keyword]});
    }
}

void Compiler::strings() {
    counted("minLength", OpCode::MinLength);
    counted("maxLength", OpCode::MaxLength);
    if (const Value source = at_.value["pattern"]; source) {
        if (!source.isString()) {
            failKeyword("pattern", "a regular expression as a string", source);
            return;
        }
        add({OpCode::Pattern, pattern(source.string())});
    }
}

std::uint32_t Compiler::pattern(std::string_view source) {
    if (patternWeight_ > kPatternWeightMax) {
        return 0; // refused already
    }
    const auto [known, fresh] =
        patternOf_.emplace(source, static_cast<std::uint32_t>(program_.patterns.size()));
    if (fresh) {
        auto compiled = Pattern::compile(source);
        if (!compiled) {
            fail(concat("the pattern \"", printable(source, 200),
                        "\" cannot be compiled: ", compiled.error().message));
        }
        patternWeight_ += compiled ? (*compiled)->weight() : 0;
        if (patternWeight_ > kPatternWeightMax) {
            fail(concat("with the pattern \"", printable(source, 200),
                        "\" the patterns of this schema come to ", patternWeight_,
                        " instructions; the limit is ", kPatternWeightMax));
        }
        program_.patterns.push_back(compiled ? std::move(*compiled) : nullptr);
    }
    return known->second;
}

void Compiler::format() {
    const Value name = at_.value["format"];
    if (name && !name.isString()) {
        failKeyword("format", "the name of a format as a string", name);
    }
    if (!name || (options_.formats != Formats::Assert && !has(kFormatAssertion))) {
        return;
    }
    if (const Format *known = findFormat(name.string())) {
        program_.formats.push_back(known);
        add({OpCode::Format, static_cast<std::uint32_t>(program_.formats.size() - 1)});
    }
}

void Compiler::arrays() {
    if (has(kValidation)) {
        counted("minItems", OpCode::MinItems);
        counted("maxItems", OpCode::MaxItems);
        const Value unique = at_.value["uniqueItems"];
        if (unique && unique.kind() != Kind::Boolean) {
            failKeyword("uniqueItems", "true or false", unique);
        }
        if (unique.isTrue()) {
            add({OpCode::UniqueItems});
        }
    }
    const bool draft07 = dialect_.isDraft07();
    Value prefix = draft07 ? Value() : at_.value["prefixItems"];
    std::string_view rest = "items";
    if (const Value items = at_.value["items"]; items.isArray()) {
        if (!draft07) {
            failKeyword("items",
                        "a schema (lists are \"prefixItems\" in 2020-12; a \"$schema\" of "
                        "draft-07 would allow them)",
                        items);
            return;
        }
        prefix = items;
        rest = "additionalItems";
    }
    if (prefix && (!prefix.isArray() || (!draft07 && prefix.size() == 0))) {
        failKeyword("prefixItems", "a list of schemas", prefix);
        return;
    }
    if (!prefix && !at_.value[rest]) {
        return;
    }
    ArrayRules rules;
    for (const Value item : prefix.items()) {
        rules.prefix.push_back(node(item, alone()));
    }
    rules.items = nodeUnder(rest, alone());
    program_.arrays.push_back(std::move(rules));
    add({OpCode::Items, static_cast<std::uint32_t>(program_.arrays.size() - 1)});
}

void Compiler::contains() {
    const bool bounds = has(kValidation) && !dialect_.isDraft07();
    const ContainsRules rules{nodeUnder("contains", Applied::Asking),
                              bounds ? count("minContains", 1) : 1,
                              bounds ? count("maxContains", UINT64_MAX) : UINT64_MAX};
    if (rules.node != kNone) {
        program_.contains.push_back(rules);
        add({OpCode::Contains, static_cast<std::uint32_t>(program_.contains.size() - 1)});
    }
}

void Compiler::objects() {
    if (has(kValidation)) {
        counted("minProperties", OpCode::MinProperties);
        counted("maxProperties", OpCode::MaxProperties);
    }
    ObjectRules rules;
    for (const auto member : membersOf("properties")) {
        rules.properties.add(member.key).node = node(member.value, alone());
    }
    if (has(kValidation)) {
        for (const auto key : strings("required", at_.value["required"])) {
            auto &property = rules.properties.add(key);
            rules.required += property.required ? 0 : 1;
            property.required = true;
        }
    }
    for (const auto member : membersOf("patternProperties")) {
        rules.patterns.emplace_back(pattern(member.key), node(member.value, alone()));
    }
    rules.additional = nodeUnder("additionalProperties", alone());
    // To the policy for unknown keys, one that is required is known.
    if (options_.unknownKeys != UnknownKeys::Allow && rules.patterns.empty() &&
        rules.additional == kNone) {
        for (auto &property : rules.properties.list()) {
            property.node = property.node == kNone ? anything() : property.node;
        }
    }
    if (!rules.properties.list().empty() || !rules.patterns.empty() || rules.additional != kNone) {
        program_.objects.push_back(std::move(rules));
        add({OpCode::Properties, static_cast<std::uint32_t>(program_.objects.size() - 1)});
    }
    if (const auto names = nodeUnder("propertyNames", alone()); names != kNone) {
        add({OpCode::PropertyNames, names});
    }
}

// A node without operations.
NodeIndex Compiler::anything() {
    if (anything_ == kNone) {
        anything_ = static_cast<NodeIndex>(program_.nodes.size());
        program_.nodes.emplace_back();
        program_.facts.emplace_back();
    }
    return anything_;
}

void Compiler::dependents() {
    std::vector<DependentKeys> keys;
    if (!dialect_.isDraft07()) {
        if (has(kValidation)) {
            for (const auto member : membersOf("dependentRequired")) {
                keys.push_back({member.key, strings("dependentRequired", member.value)});
            }
        }
    }
    const auto schemaFor = [&](const json::Member &member) {
        add({OpCode::DependentSchema, node(member.value, inPlace()), 0,
             member.value.at(member.value.index() - 1)});
    };
    for (const auto member : membersOf("dependencies")) { // 2020-12 keeps it for old schemas
        if (member.value.isArray()) {
            keys.push_back({member.key, strings("dependencies", member.value)});
        }
    }
    if (!keys.empty()) {
        program_.dependents.push_back(std::move(keys));
        add({OpCode::DependentRequired,
             static_cast<std::uint32_t>(program_.dependents.size() - 1)});
    }
    for (const auto member : at_.value["dependencies"].members()) {
        if (!member.value.isArray()) {
            schemaFor(member);
        }
    }
    for (const auto member :
         dialect_.isDraft07() ? json::Members() : membersOf("dependentSchemas")) {
        schemaFor(member);
    }
}

void Compiler::applicators() {
    const auto listOf = [&](std::string_view keyword) {
        const Value list = at_.value[keyword];
        if (list && (list.size() == 0 || !list.isArray())) {
            failKeyword(keyword, "a list of at least one schema", list);
        }
        return list.items();
    };
    for (const Value item : listOf("allOf")) {
        add({OpCode::Ref, node(item, inPlace())});
    }
    for (const auto &[keyword, code] :
         {std::pair("anyOf", OpCode::AnyOf), std::pair("oneOf", OpCode::OneOf)}) {
        const auto list = listOf(keyword);
        if (at_.value[keyword]) {
            addRun(code, [&](auto push) {
                for (const Value item : list) {
                    push(node(item, inPlace()));
                }
            });
        }
    }
    if (const Value inner = at_.value["not"]; inner) {
        add({OpCode::Not, node(inner, Applied::Asking)});
    }
    if (at_.value["if"]) {
        addRun(OpCode::If, [&](auto push) {
            push(nodeUnder("if", Applied::Asking));
            push(nodeUnder("then", inPlace()));
            push(nodeUnder("else", inPlace()));
        });
    }
}

json::Members Compiler::membersOf(std::string_view keyword) {
    const Value value = at_.value[keyword];
    if (value && !value.isObject()) {
        failKeyword(keyword, "an object", value);
    }
    return value.members();
}

std::vector<std::string_view> Compiler::strings(std::string_view keyword, Value list) {
    std::vector<std::string_view> out;
    if (list && !list.isArray()) {
        failKeyword(keyword, "an array of strings", list);
    }
    for (const Value item : list.items()) {
        if (!item.isString()) {
            failKeyword(keyword, "an array of strings", list);
            break;
        }
        out.push_back(item.string());
    }
    return out;
}

template <class Fill> void Compiler::addRun(OpCode code, Fill fill) {
    const auto first = static_cast<std::uint32_t>(program_.children.size());
    fill([&](NodeIndex child) { program_.children.push_back(child); });
    add({code, first, static_cast<std::uint32_t>(program_.children.size()) - first});
}

} // namespace tenon::schema
