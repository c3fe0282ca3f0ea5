// SPDX-License-Identifier: Apache-2.0
// Program + value -> issues. A first run only answers yes or no and allocates nothing; a value that
// is refused is run again to say why.
#include "json/number.h"
#include "json/writer.h"
#include "schema/program.h"
#include "schema/schema.h"
#include "schema/words.h"
#include "support/text.h"

#include <algorithm>
#include <array>
#include <unordered_set>

namespace tenon::schema {

namespace {

using json::Kind;
using json::Value;

constexpr int kNestingMax = 1'000; // of subschemas applied within one another
constexpr std::size_t kBytesPerStep = 16;

std::uint32_t bitsOf(Value value) {
    switch (value.kind()) {
    case Kind::Null: return kNullBit;
    case Kind::Boolean: return kBooleanBit;
    case Kind::Number:
        return kNumberBit | (json::isInteger(value.raw()) ? std::uint32_t{kIntegerBit} : 0U);
    case Kind::String: return kStringBit;
    case Kind::Array: return kArrayBit;
    case Kind::Object: return kObjectBit;
    }
    return 0;
}

std::size_t codePoints(std::string_view text) {
    return static_cast<std::size_t>(std::count_if(text.begin(), text.end(), [](char c) {
        return (static_cast<unsigned char>(c) & 0xC0U) != 0x80U;
    }));
}

class Run {
public:
    // Without a place for issues it stops at the first one.
    Run(const Program &program, std::uint64_t stepsMax, std::vector<Issue> *issues,
        std::size_t issuesMax)
        : program_(program), stepsLeft_(stepsMax), issues_(issues), issuesMax_(issuesMax) {}

    bool node(NodeIndex index, Value value, const Place &place);
    bool exhausted() const { return exhausted_; }

private:
    // What op() calls is out of line, so that a deep recursion has small frames.
    bool op(const Op &op, Value value, const Place &place);
    [[gnu::noinline]] bool number(const Op &op, Value value, const Place &place);
    [[gnu::noinline]] bool string(const Op &op, Value value, const Place &place);
    [[gnu::noinline]] bool array(const ArrayRules &rules, Value value, const Place &place);
    bool unique(Value value, const Place &place);
    [[gnu::noinline]] bool object(const ObjectRules &rules, Value value, const Place &place);
    bool member(const ObjectRules &rules, const json::Member &member, const Place &place);
    std::string knownKeys(const ObjectRules &rules,
                          const std::vector<std::string_view> &names) const;
    bool missing(const ObjectRules &rules, Value value, const Place &place);
    bool dependents(const ObjectRules &rules, Value value, const Place &place);
    bool anyOf(const Op &op, Value value, const Place &place);
    bool oneOf(const Op &op, Value value, const Place &place);
    bool matches(std::uint32_t pattern, std::string_view text);

    // The same value against another subschema, only to know whether it fits.
    bool fits(NodeIndex index, Value value, const Place &place) {
        auto *const issues = std::exchange(issues_, nullptr);
        const bool yes = node(index, value, place);
        issues_ = issues;
        return yes;
    }
    // Takes steps off the budget; false once it is used up.
    bool spend(std::uint64_t steps) {
        exhausted_ = exhausted_ || stepsLeft_ < steps;
        stepsLeft_ -= exhausted_ ? 0 : steps;
        return !exhausted_;
    }
    // A look at every key, so that it costs as many steps.
    bool has(Value object, std::string_view key) { return spend(object.size()) && object[key]; }
    // Goes on where issues are collected and there is room; false always.
    bool goOn(bool ok) const { return ok || (issues_ != nullptr && issues_->size() < issuesMax_); }
    bool issue(const Place &place, std::string_view keyword, const auto &expected,
               const auto &found, Value value) {
        if (issues_ != nullptr && issues_->size() < issuesMax_) {
            issues_->push_back({place.pointer(), std::string(keyword), expected(), found(),
                                kindOf(value), place.pointer(Place::Keys::OfSchema)});
        }
        return false;
    }
    bool issue(const Place &place, std::string_view keyword, const auto &expected, Value value) {
        return issue(
            place, keyword, expected, [&] { return foundOf(value); }, value);
    }

    const Program &program_;
    std::uint64_t stepsLeft_;
    std::vector<Issue> *issues_;
    std::size_t issuesMax_;
    int nesting_ = 0;
    bool exhausted_ = false;
};

bool Run::node(NodeIndex index, Value value, const Place &place) {
    const Node &node = program_.nodes[index];
    if (nesting_ == kNestingMax || exhausted_) {
        exhausted_ = true;
        return false;
    }
    ++nesting_;
    bool ok = true;
    // A long string or number is read by most operations from end to end.
    const bool isText = value.isString() || value.isNumber();
    const std::uint64_t steps = 1 + (isText ? value.raw().size() / kBytesPerStep : 0);
    for (auto i = node.begin; i < node.end && goOn(ok); ++i) {
        ok = spend(steps) && op(program_.ops[i], value, place) && ok;
    }
    --nesting_;
    return ok;
}

bool Run::op(const Op &op, Value value, const Place &place) {
    switch (op.code) {
    case OpCode::Never:
        return issue(
            place, "false", [] { return "nothing here"; }, value);
    case OpCode::Type:
        return (bitsOf(value) & op.first) != 0 ||
               issue(
                   place, "type", [&] { return typesOf(op.first); }, value);
    case OpCode::Enum:
        for (const Value item : op.value.items()) {
            if (!spend(1)) {
                return false;
            }
            if (json::equal(item, value)) {
                return true;
            }
        }
        return issue(
            place, "enum", [&] { return concat("one of ", printable(op.value.raw(), 500)); },
            value);
    case OpCode::Const:
        return json::equal(op.value, value) ||
               issue(
                   place, "const", [&] { return printable(op.value.raw(), 500); }, value);
    case OpCode::Minimum:
    case OpCode::Maximum:
    case OpCode::ExclusiveMinimum:
    case OpCode::ExclusiveMaximum:
    case OpCode::MultipleOf: return !value.isNumber() || number(op, value, place);
    case OpCode::MinLength:
    case OpCode::MaxLength:
    case OpCode::Pattern: return !value.isString() || string(op, value, place);
    case OpCode::Array: return !value.isArray() || array(program_.arrays[op.first], value, place);
    case OpCode::Object:
        return !value.isObject() || object(program_.objects[op.first], value, place);
    case OpCode::AllOf: {
        bool ok = true;
        for (std::uint32_t i = 0; i < op.count && goOn(ok); ++i) {
            ok = node(program_.children[op.first + i], value, place) && ok;
        }
        return ok;
    }
    case OpCode::AnyOf: return anyOf(op, value, place);
    case OpCode::OneOf: return oneOf(op, value, place);
    case OpCode::Not:
        return (!fits(op.first, value, place) && !exhausted_) ||
               issue(
                   place, "not", [] { return "a value that the schema under \"not\" refuses"; },
                   value);
    case OpCode::If: {
        const bool condition = fits(program_.children[op.first], value, place);
        const NodeIndex then = program_.children[op.first + (condition ? 1 : 2)];
        return then == kNone || node(then, value, place);
    }
    case OpCode::Ref: return node(op.first, value, place);
    }
    return false;
}

bool Run::number(const Op &op, Value value, const Place &place) {
    const auto bound = op.value.raw();
    const auto check = [&](bool ok, std::string_view keyword, std::string_view words) {
        return ok ||
               issue(
                   place, keyword, [&] { return concat("a number ", words, " ", bound); }, value);
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

bool Run::matches(std::uint32_t pattern, std::string_view text) {
    return spend(1 + text.size() / kBytesPerStep) &&
           RE2::PartialMatch(re2::StringPiece(text.data(), text.size()),
                             *program_.patterns[pattern].regex);
}

bool Run::string(const Op &op, Value value, const Place &place) {
    const auto text = value.string();
    if (op.code == OpCode::Pattern) {
        return matches(op.first, text) ||
               issue(
                   place, "pattern",
                   [&] {
                       return concat("a string that matches ",
                                     printable(program_.patterns[op.first].source, 300));
                   },
                   value);
    }
    const auto length = codePoints(text);
    const bool least = op.code == OpCode::MinLength;
    return (least ? length >= op.first : length <= op.first) ||
           issue(
               place, least ? "minLength" : "maxLength",
               [&] { return concat(least ? "at least " : "at most ", op.first, " characters"); },
               [&] { return concat(length, " characters"); }, value);
}

bool Run::array(const ArrayRules &rules, Value value, const Place &place) {
    bool ok = true;
    const auto size = value.size();
    if (size < rules.sizeMin || size > rules.sizeMax) {
        const bool few = size < rules.sizeMin;
        ok = issue(
            place, few ? "minItems" : "maxItems",
            [&] {
                return few ? concat("at least ", rules.sizeMin, " items")
                           : concat("at most ", rules.sizeMax, " items");
            },
            [&] { return concat(size, " items"); }, value);
    }
    std::size_t i = 0;
    std::uint64_t contained = 0;
    for (const Value item : value.items()) {
        if (!goOn(ok)) {
            return false;
        }
        if (!spend(1)) {
            return false;
        }
        const Place at{&place, "", i};
        const NodeIndex schema = i < rules.prefix.size() ? rules.prefix[i] : rules.items;
        ok = (schema == kNone || node(schema, item, at)) && ok;
        contained += rules.contains != kNone && fits(rules.contains, item, at) ? 1 : 0;
        ++i;
    }
    if (rules.contains != kNone &&
        (contained < rules.containsMin || contained > rules.containsMax)) {
        const bool few = contained < rules.containsMin;
        ok = issue(
            place, few ? "contains" : "maxContains",
            [&] {
                return concat(few ? "at least " : "at most ",
                              few ? rules.containsMin : rules.containsMax,
                              " items of the kind that \"contains\" describes");
            },
            [&] { return concat(contained, " such items"); }, value);
    }
    return (!rules.unique || !goOn(ok) || unique(value, place)) && ok;
}

bool Run::unique(Value value, const Place &place) {
    if (!spend(value.raw().size() / kBytesPerStep)) {
        return false;
    }
    std::vector<std::string> seen;
    for (const Value item : value.items()) {
        seen.push_back(json::identity(item));
    }
    std::sort(seen.begin(), seen.end());
    const auto twin = std::adjacent_find(seen.begin(), seen.end());
    return twin == seen.end() ||
           issue(
               place, "uniqueItems", [] { return "items that all differ"; },
               [&] { return concat("the item ", printable(*twin, 100), " twice"); }, value);
}

bool Run::object(const ObjectRules &rules, Value value, const Place &place) {
    bool ok = true;
    std::size_t required = 0;
    for (const auto entry : value.members()) {
        if (!goOn(ok)) {
            return false;
        }
        if (!spend(1)) {
            return false;
        }
        const auto known = rules.properties.find(entry.key);
        required += known != rules.properties.end() && known->second.required ? 1 : 0;
        ok = member(rules, entry, place) && ok;
    }
    if (required < rules.required && goOn(ok)) {
        ok = missing(rules, value, place);
    }
    const auto size = value.size();
    if ((size < rules.sizeMin || size > rules.sizeMax) && goOn(ok)) {
        const bool few = size < rules.sizeMin;
        ok = issue(
            place, few ? "minProperties" : "maxProperties",
            [&] {
                return few ? concat("at least ", rules.sizeMin, " keys")
                           : concat("at most ", rules.sizeMax, " keys");
            },
            [&] { return concat(size, " keys"); }, value);
    }
    return (!goOn(ok) || dependents(rules, value, place)) && ok;
}

// Which keys an object may have, in words.
std::string Run::knownKeys(const ObjectRules &rules,
                           const std::vector<std::string_view> &names) const {
    std::string out = names.empty() ? "" : concat("only the keys ", listed(names));
    for (const auto &[pattern, schema] : rules.patterns) {
        out += concat(out.empty() ? "only keys that match " : " or keys that match ",
                      printable(program_.patterns[pattern].source, 100));
    }
    return out.empty() ? "no keys at all" : out;
}

bool Run::member(const ObjectRules &rules, const json::Member &member, const Place &place) {
    const auto known = rules.properties.find(member.key);
    const Place at{&place, member.key, SIZE_MAX, known != rules.properties.end()};
    bool ok = true;
    bool matched = known != rules.properties.end() && known->second.node != kNone;
    if (matched) {
        ok = node(known->second.node, member.value, at);
    }
    for (const auto &[pattern, schema] : rules.patterns) {
        if (goOn(ok) && matches(pattern, member.key)) {
            matched = true;
            ok = node(schema, member.value, at) && ok;
        }
    }
    if (rules.names != kNone && goOn(ok)) {
        std::string key;
        json::appendQuoted(key, member.key);
        json::Document name;
        ok = name.readView(key).has_value() && node(rules.names, name.root(), at) && ok;
    }
    if (matched || rules.additional == kNone || !goOn(ok)) {
        return ok;
    }
    const Node &additional = program_.nodes[rules.additional];
    const bool refusesAll =
        additional.begin < additional.end && program_.ops[additional.begin].code == OpCode::Never;
    if (!refusesAll) {
        return node(rules.additional, member.value, at) && ok;
    }
    return issue(
        at, "additionalProperties",
        [&] {
            std::vector<std::string_view> keys;
            for (const auto &[key, property] : rules.properties) {
                if (property.node != kNone) {
                    keys.push_back(key);
                }
            }
            std::sort(keys.begin(), keys.end());
            const auto near = nearest(member.key, keys);
            return concat(knownKeys(rules, keys),
                          near.empty() ? "" : concat(" (did you mean ", near, "?)"));
        },
        [&] { return concat("the unknown key ", printable(member.key, 100)); }, member.value);
}

bool Run::missing(const ObjectRules &rules, Value value, const Place &place) {
    if (issues_ == nullptr) {
        return false;
    }
    std::unordered_set<std::string_view> given;
    for (const auto entry : value.members()) {
        given.insert(entry.key);
    }
    std::vector<std::string_view> absent;
    for (const auto &[key, property] : rules.properties) {
        if (property.required && !given.contains(key)) {
            absent.push_back(key);
        }
    }
    std::sort(absent.begin(), absent.end());
    for (const auto key : absent) {
        issue(
            {&place, key}, "required", [] { return "a value: this key is required"; },
            [] { return "no such key"; }, {});
    }
    return false;
}

bool Run::dependents(const ObjectRules &rules, Value value, const Place &place) {
    bool ok = true;
    for (const auto &[key, needed] : rules.dependentRequired) {
        for (const auto other : needed) {
            if (goOn(ok) && has(value, key) && !has(value, other) && !exhausted_) {
                ok = issue(
                    {&place, other}, "dependentRequired",
                    [&, present = key] {
                        return concat("a value, since the key ", present, " is given");
                    },
                    [] { return "no such key"; }, {});
            }
        }
    }
    for (const auto &[key, schema] : rules.dependentSchemas) {
        if (goOn(ok) && has(value, key)) {
            ok = node(schema, value, place) && ok;
        }
    }
    return ok;
}

// The first issue of each alternative, so that the reader can choose one and mend it.
bool Run::anyOf(const Op &op, Value value, const Place &place) {
    for (std::uint32_t i = 0; i < op.count; ++i) {
        if (fits(program_.children[op.first + i], value, place)) {
            return true;
        }
    }
    if (issues_ == nullptr) {
        return false;
    }
    std::string reasons;
    for (std::uint32_t i = 0; i < std::min(op.count, 8U); ++i) {
        std::vector<Issue> found;
        auto *const issues = std::exchange(issues_, &found);
        const auto most = std::exchange(issuesMax_, 1);
        node(program_.children[op.first + i], value, place);
        issues_ = issues;
        issuesMax_ = most;
        if (!found.empty()) {
            reasons +=
                concat(reasons.empty() ? "" : "; or ", found[0].path.empty() ? "" : found[0].path,
                       found[0].path.empty() ? "" : ": ", found[0].expected);
        }
    }
    return issue(
        place, op.code == OpCode::AnyOf ? "anyOf" : "oneOf",
        [&] { return concat("one of these shapes: ", reasons); }, value);
}

bool Run::oneOf(const Op &op, Value value, const Place &place) {
    std::uint32_t fitting = 0;
    for (std::uint32_t i = 0; i < op.count; ++i) {
        fitting += fits(program_.children[op.first + i], value, place) ? 1 : 0;
    }
    if (fitting == 0) {
        return anyOf(op, value, place);
    }
    return fitting == 1 || issue(
                               place, "oneOf", [] { return "exactly one of the shapes to fit"; },
                               [&] { return concat(fitting, " that fit"); }, value);
}

} // namespace

std::string Issue::sentence() const {
    return concat(path.empty() ? "" : path, path.empty() ? "" : ": ", "expected ", expected,
                  ", found ", found);
}

std::vector<Issue> Schema::validate(json::Value value, std::size_t issuesMax) const {
    std::vector<Issue> issues;
    const Place root;
    Run quick(*program_, stepsMax_, nullptr, 0);
    if (quick.node(0, value, root) && !quick.exhausted()) {
        return issues;
    }
    Run slow(*program_, stepsMax_, &issues, issuesMax);
    slow.node(0, value, root);
    if (quick.exhausted() || slow.exhausted() || issues.empty()) {
        issues.resize(std::min(issues.size(), std::max<std::size_t>(issuesMax, 1) - 1));
        issues.insert(issues.begin(), {"", "limit",
                                       concat("a value that can be checked within ", stepsMax_,
                                              " steps and ", kNestingMax, " nested subschemas"),
                                       "one that cannot", "a value", ""});
    }
    return issues;
}

} // namespace tenon::schema
