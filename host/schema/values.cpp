// SPDX-License-Identifier: Apache-2.0
// The operations that look at a value alone, and what an issue says of its place.
#include "schema/machine.h"

#include "json/number.h"
#include "json/writer.h"
#include "support/text.h"

#include <algorithm>

namespace tenon::schema {

using json::Kind;
using json::Value;

namespace {

constexpr std::size_t kBytesPerStep = 16;
constexpr std::uint64_t kPatternCostPerStep = 8; // of a pattern whose time is not linear
constexpr std::size_t kFewItems = 12;            // compared each with each

std::size_t codePoints(std::string_view text) {
    return static_cast<std::size_t>(std::count_if(text.begin(), text.end(), [](char c) {
        return (static_cast<unsigned char>(c) & 0xC0U) != 0x80U;
    }));
}

} // namespace

std::string Machine::pointer(const Step *beyond, Keys keys) const {
    std::string out;
    const auto add = [&](const Step &step) {
        if (step.reach == Step::Reach::Item) {
            out += concat("/", step.item);
        } else if (step.reach != Step::Reach::Same) {
            const auto key =
                step.reach == Step::Reach::Name ? step.value.index() : step.value.index() - 1;
            const bool hidden = keys == Keys::OfSchema && !step.ofSchema;
            out += hidden ? "/*" : tokenOf(step.value.at(key).string());
        }
    };
    for (std::size_t i = base_; i < stacks_.frames.size(); ++i) {
        add(stacks_.frames[i].step);
    }
    if (beyond != nullptr) {
        add(*beyond);
    }
    return out;
}

bool Machine::leaf(NodeIndex node, const Step &step, bool loud, std::uint32_t issuesEnd) {
    bool ok = true;
    const At at{&step, loud, issuesEnd};
    for (const Op *op = program_.begin(node);
         op != program_.end(node) && (ok || hasRoom(loud, issuesEnd)); ++op) {
        ok = spend(1) && look(*op, step.value, at) && ok;
    }
    return ok;
}

bool Machine::look(const Op &op, Value value, const At &at) {
    switch (op.code) {
    case OpCode::Never:
        return issue(
            at, "false", [] { return "nothing here"; }, value);
    case OpCode::Type:
        return (typeOf(value) & op.first) != 0 ||
               issue(
                   at, "type", [&] { return typesOf(op.first); }, value);
    case OpCode::Enum: return oneOfValues(op, value, at);
    case OpCode::Const:
        return (spend(value.raw().size() / kBytesPerStep) && json::equal(op.value, value)) ||
               issue(
                   at, "const", [&] { return printable(op.value.raw(), 500); }, value);
    case OpCode::Minimum:
    case OpCode::Maximum:
    case OpCode::ExclusiveMinimum:
    case OpCode::ExclusiveMaximum:
    case OpCode::MultipleOf: return !value.isNumber() || number(op, value, at);
    case OpCode::MinLength:
    case OpCode::MaxLength:
    case OpCode::Pattern:
    case OpCode::Format: return !value.isString() || string(op, value, at);
    case OpCode::MinItems:
    case OpCode::MaxItems: return !value.isArray() || size(op, value, at);
    case OpCode::MinProperties:
    case OpCode::MaxProperties: return !value.isObject() || size(op, value, at);
    case OpCode::UniqueItems: return !value.isArray() || unique(value, at);
    case OpCode::DependentRequired:
        return !value.isObject() || dependentKeys(program_.dependents[op.first], value, at);
    default: return false;
    }
}

bool Machine::oneOfValues(const Op &op, Value value, const At &at) {
    const auto steps = 1 + value.raw().size() / kBytesPerStep;
    const bool isString = value.isString();
    const std::string_view text = value.string();
    for (const Value item : op.value.items()) {
        const bool alike = item.kind() == value.kind();
        if (!spend(alike ? steps : 1)) {
            return false;
        }
        if (alike) {
            if (isString ? item.string() == text : json::equal(item, value)) {
                return true;
            }
        }
    }
    return issue(
        at, "enum", [&] { return valuesOf(op.value, value); }, value);
}

bool Machine::number(const Op &op, Value value, const At &at) {
    const auto bound = op.value.raw();
    if (!spend((value.raw().size() + bound.size()) / kBytesPerStep)) {
        return false;
    }
    const auto check = [&](bool ok, std::string_view keyword, std::string_view words) {
        return ok ||
               issue(
                   at, keyword, [&] { return concat("a number ", words, " ", bound); }, value);
    };
    if (op.code == OpCode::MultipleOf) {
        return check(json::isMultipleOf(value.raw(), bound), "multipleOf", "that is a multiple of");
    }
    const int order = json::compareNumbers(value.raw(), bound);
    switch (op.code) {
    case OpCode::Minimum: return check(order >= 0, "minimum", "of at least");
    case OpCode::Maximum: return check(order <= 0, "maximum", "of at most");
    case OpCode::ExclusiveMinimum: return check(order > 0, "exclusiveMinimum", "above");
    default: return check(order < 0, "exclusiveMaximum", "below");
    }
}

bool Machine::matches(std::uint32_t pattern, std::string_view text) {
    if (!spend(1 + text.size() / kBytesPerStep)) {
        return false;
    }
    std::uint64_t cost = 0;
    const auto match = program_.patterns[pattern]->search(text, cost);
    spend(cost / kPatternCostPerStep);
    if (match == Pattern::Match::TooCostly) {
        exhaust("without more work for a \"pattern\" than is allowed");
    }
    return match == Pattern::Match::Yes;
}

bool Machine::string(const Op &op, Value value, const At &at) {
    const auto text = value.string();
    if (op.code == OpCode::Pattern) {
        return matches(op.first, text) ||
               issue(
                   at, "pattern",
                   [&] {
                       return concat("a string that matches ",
                                     printable(program_.patterns[op.first]->source(), 300));
                   },
                   value);
    }
    if (!spend(text.size() / kBytesPerStep)) {
        return false;
    }
    if (op.code == OpCode::Format) {
        const Format &format = *program_.formats[op.first];
        return format.check(text) ||
               issue(
                   at, "format", [&] { return std::string(format.expected); }, value);
    }
    const auto length = codePoints(text);
    const bool least = op.code == OpCode::MinLength;
    return (least ? length >= op.first : length <= op.first) ||
           issue(
               at, least ? "minLength" : "maxLength",
               [&] {
                   return concat(least ? "at least " : "at most ", op.value.raw(), " characters");
               },
               [&] { return counted(length, "character"); }, value);
}

// Of an array or object.
bool Machine::size(const Op &op, Value value, const At &at) {
    const bool least = op.code == OpCode::MinItems || op.code == OpCode::MinProperties;
    const bool array = value.isArray();
    const auto size = value.size();
    const std::string_view what = array ? "item" : "key";
    const std::string_view keyword =
        array ? (least ? "minItems" : "maxItems") : (least ? "minProperties" : "maxProperties");
    return (least ? size >= op.first : size <= op.first) ||
           issue(
               at, keyword,
               [&] {
                   return concat(least ? "at least " : "at most ", op.value.raw(), " ", what, "s");
               },
               [&] { return counted(size, what); }, value);
}

bool Machine::unique(Value value, const At &at) {
    const auto looks = std::min(value.size(), kFewItems); // at each item
    if (!spend(value.size() + looks * (value.raw().size() / kBytesPerStep))) {
        return false;
    }
    const auto twice = [&](std::string_view text) {
        return issue(
            at, "uniqueItems", [] { return "items that all differ"; },
            [&] { return concat("the item ", printable(text, 100), " twice"); }, value);
    };
    if (value.size() <= kFewItems) {
        for (const Value item : value.items()) {
            for (auto other = value.index() + 1; other != item.index();
                 other = value.at(other).past()) {
                if (json::equal(value.at(other), item)) {
                    return twice(json::identity(item));
                }
            }
        }
        return true;
    }
    std::vector<std::string> seen;
    seen.reserve(value.size());
    for (const Value item : value.items()) {
        seen.push_back(json::identity(item));
    }
    std::sort(seen.begin(), seen.end());
    const auto twin = std::adjacent_find(seen.begin(), seen.end());
    return twin == seen.end() || twice(*twin);
}

void Machine::missingKey(const At &at, std::string_view keyword, std::string_view key,
                         std::string_view expected) {
    if (hasRoom(at.loud, at.issuesEnd) && spend(kStepsPerIssue + stacks_.frames.size())) {
        const std::string token = tokenOf(key);
        issues_->push_back({pointer(at.step, Keys::All) + token, std::string(keyword),
                            std::string(expected), "no such key", "null",
                            pointer(at.step, Keys::OfSchema) + token});
    }
}

bool Machine::dependentKeys(const std::vector<DependentKeys> &rules, Value value, const At &at) {
    bool ok = true;
    // A look at every key, so that it costs as many steps.
    const auto has = [&](std::string_view key) { return spend(value.size()) && value[key]; };
    for (const auto &[key, needs] : rules) {
        if (!has(key)) {
            continue;
        }
        for (const auto other : needs) {
            if (!has(other) && exhausted_.empty()) {
                ok = false;
                missingKey(at, "dependentRequired", other,
                           at.loud
                               ? concat("a value, since the key ", printable(key, 100), " is given")
                               : "");
            }
        }
    }
    return ok && exhausted_.empty();
}

} // namespace tenon::schema
