// SPDX-License-Identifier: Apache-2.0
// Schema text -> Program. Subschemas are compiled from a work list, so that nesting and cycles of
// $ref cost no stack.
#include "json/number.h"
#include "json/writer.h"
#include "schema/program.h"
#include "schema/schema.h"
#include "support/text.h"

#include <algorithm>
#include <array>
#include <charconv>
#include <unordered_map>

namespace tenon::schema {

namespace {

using json::Kind;
using json::Value;

constexpr std::array kUnsupported{
    std::string_view("$dynamicRef"),      std::string_view("$dynamicAnchor"),
    std::string_view("$anchor"),          std::string_view("$recursiveRef"),
    std::string_view("$recursiveAnchor"), std::string_view("unevaluatedProperties"),
    std::string_view("unevaluatedItems"), std::string_view("dependencies"),
    std::string_view("additionalItems")};

class Compiler {
public:
    Compiler(Program &program, const Limits &limits) : program_(program), limits_(limits) {}

    Result<void> run() {
        node(program_.source.root());
        while (!pending_.empty() && error_.empty()) {
            const auto [index, value] = pending_.back();
            pending_.pop_back();
            compile(index, value);
        }
        return error_.empty() ? Result<void>() : Error{"schema.invalid", error_};
    }

private:
    void fail(Value at, std::string_view message) {
        if (error_.empty()) {
            error_ = concat("in the schema ", printable(at.raw(), 120), ": ", message);
        }
    }
    void failKeyword(Value at, std::string_view keyword, std::string_view expected, Value found) {
        fail(at,
             concat("\"", keyword, "\" is ", printable(found.raw(), 80), "; expected ", expected));
    }

    // The node of a subschema; the same subschema is compiled once.
    NodeIndex node(Value value) {
        const auto [known, fresh] =
            nodeOf_.emplace(value.index(), static_cast<NodeIndex>(program_.nodes.size()));
        if (fresh) {
            program_.nodes.emplace_back();
            pending_.emplace_back(known->second, value);
            if (program_.nodes.size() > limits_.subschemasMax) {
                fail(value, concat("more than ", limits_.subschemasMax,
                                   " subschemas, the limit (subschemasMax)"));
            }
        }
        return known->second;
    }
    NodeIndex nodeUnder(Value schema, std::string_view keyword) {
        const Value value = schema[keyword];
        return value ? node(value) : kNone;
    }

    void compile(NodeIndex index, Value schema) {
        program_.nodes[index].begin = static_cast<std::uint32_t>(program_.ops.size());
        if (schema.isFalse()) {
            add({OpCode::Never});
        } else if (schema.isObject()) {
            object(schema);
        } else if (!schema.isTrue()) {
            fail(schema, "expected an object, true or false");
        }
        program_.nodes[index].end = static_cast<std::uint32_t>(program_.ops.size());
    }

    void object(Value schema) {
        refuseUnsupported(schema);
        reference(schema);
        types(schema);
        values(schema);
        numbers(schema);
        strings(schema);
        arrays(schema);
        objects(schema);
        applicators(schema);
    }

    void refuseUnsupported(Value schema) {
        for (const auto keyword : kUnsupported) {
            if (schema[keyword]) {
                fail(schema, concat("the keyword \"", keyword,
                                    "\" is not supported; expected the keywords that "
                                    "host/schema/README.md lists"));
            }
        }
        if (const Value dialect = schema["$schema"]; dialect) {
            if (dialect.string() != "https://json-schema.org/draft/2020-12/schema" &&
                dialect.string() != "https://json-schema.org/draft/2020-12/schema#") {
                failKeyword(schema, "$schema",
                            "\"https://json-schema.org/draft/2020-12/schema\" or no $schema",
                            dialect);
            }
        }
        if (schema["$id"] && schema.index() != 0) {
            fail(schema, "\"$id\" below the root is not supported: refer by \"#/...\" instead");
        }
        if (const Value items = schema["items"]; items.isArray()) {
            failKeyword(schema, "items", "a schema (lists are \"prefixItems\" in 2020-12)", items);
        }
    }

    void reference(Value schema) {
        const Value ref = schema["$ref"];
        if (!ref) {
            return;
        }
        if (!ref.isString() || !ref.string().starts_with('#')) {
            failKeyword(schema, "$ref",
                        "a reference within the document (\"#/...\"); nothing is "
                        "fetched",
                        ref);
            return;
        }
        const Value target = resolve(ref.string().substr(1));
        if (target) {
            add({OpCode::Ref, node(target)});
        } else {
            failKeyword(schema, "$ref", "a JSON Pointer to a subschema of this document", ref);
        }
    }

    // A JSON Pointer in a URI fragment; missing when it leads nowhere, or into a subschema with an
    // $id of its own, where "#" would mean another root.
    Value resolve(std::string_view pointer) const {
        Value at = program_.source.root();
        while (!pointer.empty() && at) {
            if (pointer[0] != '/' || (at.index() != 0 && at["$id"].isString())) {
                return {};
            }
            const auto end = std::min(pointer.find('/', 1), pointer.size());
            const std::string token = unescaped(pointer.substr(1, end - 1));
            pointer.remove_prefix(end);
            if (!at.isArray()) {
                at = at[token];
                continue;
            }
            std::size_t want = 0;
            const auto *const last = token.data() + token.size();
            const auto read = std::from_chars(token.data(), last, want);
            const bool isIndex = read.ec == std::errc() && read.ptr == last &&
                                 (token.size() == 1 || token[0] != '0');
            Value found;
            std::size_t i = 0;
            for (const Value item : at.items()) {
                if (isIndex && i++ == want) {
                    found = item;
                }
            }
            at = found;
        }
        return at;
    }
    static std::string unescaped(std::string_view token) {
        std::string out;
        for (std::size_t i = 0; i < token.size(); ++i) {
            unsigned byte = 0;
            if (token[i] == '%' && i + 2 < token.size() &&
                std::from_chars(token.data() + i + 1, token.data() + i + 3, byte, 16).ptr ==
                    token.data() + i + 3) {
                out += static_cast<char>(byte);
                i += 2;
            } else {
                out += token[i];
            }
        }
        for (std::size_t i = 0; (i = out.find('~', i)) != std::string::npos; ++i) {
            if (i + 1 < out.size() && (out[i + 1] == '0' || out[i + 1] == '1')) {
                out.replace(i, 2, out[i + 1] == '0' ? "~" : "/");
            }
        }
        return out;
    }

    void types(Value schema) {
        const Value type = schema["type"];
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
                failKeyword(schema, "type",
                            "null, boolean, number, integer, string, array, object or a list of "
                            "them",
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
        add({OpCode::Type, mask});
    }

    void values(Value schema) {
        if (const Value list = schema["enum"]; list) {
            if (!list.isArray()) {
                failKeyword(schema, "enum", "an array", list);
            }
            add({OpCode::Enum, 0, 0, list});
        }
        if (const Value constant = schema["const"]; constant) {
            add({OpCode::Const, 0, 0, constant});
        }
    }

    void numbers(Value schema) {
        static constexpr std::array<std::pair<std::string_view, OpCode>, 5> kBounds{
            {{"minimum", OpCode::Minimum},
             {"maximum", OpCode::Maximum},
             {"exclusiveMinimum", OpCode::ExclusiveMinimum},
             {"exclusiveMaximum", OpCode::ExclusiveMaximum},
             {"multipleOf", OpCode::MultipleOf}}};
        for (const auto &[keyword, code] : kBounds) {
            const Value bound = schema[keyword];
            if (!bound) {
                continue;
            }
            if (!bound.isNumber() ||
                (code == OpCode::MultipleOf && json::compareNumbers(bound.raw(), "0") <= 0)) {
                failKeyword(schema, keyword, "a number (above 0 for multipleOf)", bound);
                return;
            }
            add({code, 0, 0, bound});
        }
    }

    // A keyword whose value is a count; fallback when it is absent.
    std::uint64_t count(Value schema, std::string_view keyword, std::uint64_t fallback) {
        const Value value = schema[keyword];
        if (!value) {
            return fallback;
        }
        const auto number = value.isNumber() ? json::toInt64(value.raw()) : std::nullopt;
        if (!number || *number < 0) {
            failKeyword(schema, keyword, "a whole number from 0", value);
            return fallback;
        }
        return static_cast<std::uint64_t>(*number);
    }

    void strings(Value schema) {
        const auto bound = [&](std::string_view keyword, OpCode code) {
            if (schema[keyword]) {
                const auto value = std::min<std::uint64_t>(count(schema, keyword, 0), UINT32_MAX);
                add({code, static_cast<std::uint32_t>(value)});
            }
        };
        bound("minLength", OpCode::MinLength);
        bound("maxLength", OpCode::MaxLength);
        if (const Value source = schema["pattern"]; source) {
            if (!source.isString()) {
                failKeyword(schema, "pattern", "a regular expression as a string", source);
                return;
            }
            add({OpCode::Pattern, pattern(schema, source.string())});
        }
    }

    std::uint32_t pattern(Value schema, std::string_view source) {
        RE2::Options options;
        options.set_log_errors(false);
        options.set_max_mem(8 << 20);
        auto regex = std::make_unique<RE2>(re2::StringPiece(source.data(), source.size()), options);
        if (!regex->ok()) {
            fail(schema, concat("the pattern \"", printable(source, 200),
                                "\" cannot be compiled: ", regex->error()));
        }
        program_.patterns.push_back({source, std::move(regex)});
        return static_cast<std::uint32_t>(program_.patterns.size() - 1);
    }

    void arrays(Value schema) {
        static constexpr std::array<std::string_view, 6> kKeywords{
            "items", "prefixItems", "contains", "minItems", "maxItems", "uniqueItems"};
        if (std::none_of(kKeywords.begin(), kKeywords.end(),
                         [&](std::string_view keyword) { return bool(schema[keyword]); })) {
            return;
        }
        ArrayRules rules;
        if (const Value prefix = schema["prefixItems"]; prefix && !prefix.isArray()) {
            failKeyword(schema, "prefixItems", "a list of schemas", prefix);
        }
        if (const Value unique = schema["uniqueItems"]; unique && unique.kind() != Kind::Boolean) {
            failKeyword(schema, "uniqueItems", "true or false", unique);
        }
        for (const Value item : schema["prefixItems"].items()) {
            rules.prefix.push_back(node(item));
        }
        rules.items = nodeUnder(schema, "items");
        rules.contains = nodeUnder(schema, "contains");
        rules.containsMin = count(schema, "minContains", 1);
        rules.containsMax = count(schema, "maxContains", UINT64_MAX);
        rules.sizeMin = count(schema, "minItems", 0);
        rules.sizeMax = count(schema, "maxItems", UINT64_MAX);
        rules.unique = schema["uniqueItems"].isTrue();
        program_.arrays.push_back(std::move(rules));
        add({OpCode::Array, static_cast<std::uint32_t>(program_.arrays.size() - 1)});
    }

    void objects(Value schema) {
        static constexpr std::array<std::string_view, 9> kKeywords{
            "properties",    "patternProperties", "additionalProperties",
            "propertyNames", "required",          "minProperties",
            "maxProperties", "dependentRequired", "dependentSchemas"};
        if (std::none_of(kKeywords.begin(), kKeywords.end(),
                         [&](std::string_view keyword) { return bool(schema[keyword]); })) {
            return;
        }
        ObjectRules rules;
        for (const auto member : membersOf(schema, "properties")) {
            rules.properties[member.key].node = node(member.value);
        }
        for (const auto key : strings(schema, "required", schema["required"])) {
            auto &property = rules.properties[key];
            rules.required += property.required ? 0 : 1;
            property.required = true;
        }
        for (const auto member : membersOf(schema, "patternProperties")) {
            rules.patterns.emplace_back(pattern(schema, member.key), node(member.value));
        }
        rules.additional = nodeUnder(schema, "additionalProperties");
        rules.names = nodeUnder(schema, "propertyNames");
        rules.sizeMin = count(schema, "minProperties", 0);
        rules.sizeMax = count(schema, "maxProperties", UINT64_MAX);
        for (const auto member : membersOf(schema, "dependentRequired")) {
            rules.dependentRequired.emplace_back(
                member.key, strings(schema, "dependentRequired", member.value));
        }
        for (const auto member : membersOf(schema, "dependentSchemas")) {
            rules.dependentSchemas.emplace_back(member.key, node(member.value));
        }
        program_.objects.push_back(std::move(rules));
        add({OpCode::Object, static_cast<std::uint32_t>(program_.objects.size() - 1)});
    }

    json::Members membersOf(Value schema, std::string_view keyword) {
        const Value value = schema[keyword];
        if (value && !value.isObject()) {
            failKeyword(schema, keyword, "an object", value);
        }
        return value.members();
    }

    std::vector<std::string_view> strings(Value schema, std::string_view keyword, Value list) {
        std::vector<std::string_view> out;
        if (list && !list.isArray()) {
            failKeyword(schema, keyword, "an array of strings", list);
        }
        for (const Value item : list.items()) {
            if (!item.isString()) {
                failKeyword(schema, keyword, "an array of strings", list);
            }
            out.push_back(item.string());
        }
        return out;
    }

    void applicators(Value schema) {
        const auto run = [&](std::string_view keyword, OpCode code) {
            const Value list = schema[keyword];
            if (!list) {
                return;
            }
            if (list.size() == 0 || !list.isArray()) {
                failKeyword(schema, keyword, "a list of at least one schema", list);
                return;
            }
            addRun(code, [&](auto push) {
                for (const Value item : list.items()) {
                    push(node(item));
                }
            });
        };
        run("allOf", OpCode::AllOf);
        run("anyOf", OpCode::AnyOf);
        run("oneOf", OpCode::OneOf);
        if (const Value inner = schema["not"]; inner) {
            add({OpCode::Not, node(inner)});
        }
        if (schema["if"]) {
            addRun(OpCode::If, [&](auto push) {
                push(nodeUnder(schema, "if"));
                push(nodeUnder(schema, "then"));
                push(nodeUnder(schema, "else"));
            });
        }
    }

    template <class Fill> void addRun(OpCode code, Fill fill) {
        const auto first = static_cast<std::uint32_t>(program_.children.size());
        fill([&](NodeIndex child) { program_.children.push_back(child); });
        add({code, first, static_cast<std::uint32_t>(program_.children.size()) - first});
    }

    void add(Op op) { program_.ops.push_back(op); }

    Program &program_;
    const Limits &limits_;
    std::string error_;
    std::vector<std::pair<NodeIndex, Value>> pending_;
    std::unordered_map<std::uint32_t, NodeIndex> nodeOf_; // by place in the source
};

} // namespace

Schema::Schema(std::unique_ptr<Program> program, const Limits &limits)
    : program_(std::move(program)), stepsMax_(limits.validationStepsMax) {}

Schema::~Schema() = default;

Result<std::shared_ptr<const Schema>> Schema::compile(json::Value schema, const Limits &limits) {
    auto program = std::make_unique<Program>();
    auto source = json::Document::read(std::string(schema.raw()),
                                       {schema.raw().size(), limits.schemaDepthMax});
    if (!source) {
        return Error{"schema.invalid",
                     concat("the schema cannot be read: ", source.error().message)};
    }
    program->source = std::move(*source);
    if (auto done = Compiler(*program, limits).run(); !done) {
        return done.error();
    }
    return std::shared_ptr<const Schema>(new Schema(std::move(program), limits));
}

} // namespace tenon::schema
