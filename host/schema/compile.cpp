// SPDX-License-Identifier: Apache-2.0
#include "schema/compiler.h"

#include "schema/finish.h"
#include "schema/words.h"
#include "support/text.h"

#include <algorithm>

namespace tenon::schema {

namespace {

using json::Value;

constexpr std::size_t kProblemsMax = 5;

} // namespace

Result<void> Compiler::run(std::string_view text) {
    const auto root = documents_.addRoot(text);
    if (!root) {
        return root.error();
    }
    node(*root, Applied::Alone);
    while (!pending_.empty() && problems_.size() < kProblemsMax &&
           locations_.size() <= limits_.subschemasMax) {
        const Pending next = pending_.back();
        pending_.pop_back();
        at_ = next.at;
        dialect_ = documents_.resource(at_.resource).dialect;
        applied_ = next.applied;
        compile(next.node);
        if (pending_.empty()) {
            dynamicTargets();
        }
    }
    if (!problems_.empty()) {
        std::string all;
        for (const auto &problem : problems_) {
            all += concat(all.empty() ? "" : "; ", problem);
        }
        return Error{"schema.invalid", all};
    }
    program_.unknownKeys = options_.unknownKeys;
    return finish(program_, limits_);
}

void Compiler::fail(std::string_view message) {
    const std::string place = pointerTo(program_.texts[at_.document]->root(), at_.value.index());
    problems_.push_back(concat("in the schema ", printable(at_.value.raw(), 120), ": ", message,
                               place.empty() ? "" : concat(" (at ", place, ")")));
}

void Compiler::failKeyword(std::string_view keyword, std::string_view expected, Value found) {
    fail(concat("\"", keyword, "\" is ", printable(found.raw(), 80), "; expected ", expected));
}

NodeIndex Compiler::node(const Location &at, Applied applied) {
    // The difference matters to the policy for unknown keys alone.
    applied = options_.unknownKeys == UnknownKeys::Allow ? Applied::InPlace : applied;
    const auto [known, fresh] = nodeOf_[static_cast<std::size_t>(applied)].emplace(
        at.key(), static_cast<NodeIndex>(program_.nodes.size()));
    if (fresh) {
        program_.nodes.emplace_back();
        program_.facts.emplace_back().resource = at.resource;
        pending_.push_back({known->second, at, applied});
        const bool isNew = locations_.insert(at.key()).second;
        if (isNew && locations_.size() == limits_.subschemasMax + 1) {
            fail(concat("more than ", limits_.subschemasMax,
                        " subschemas, the limit (limits.subschemas)"));
        }
    }
    return known->second;
}

void Compiler::compile(NodeIndex index) {
    program_.nodes[index].begin = static_cast<std::uint32_t>(program_.ops.size());
    const Value schema = at_.value;
    if (schema.isFalse()) {
        add({OpCode::Never});
    } else if (schema.isObject()) {
        object();
        if (!documents_.isBuiltin(at_.document)) { // a metaschema's defaults are for its readers
            program_.facts[index].fallback = schema["default"];
        }
    } else if (!schema.isTrue()) {
        fail("expected an object, true or false");
    }
    program_.nodes[index].end = static_cast<std::uint32_t>(program_.ops.size());
}

// In the order of cost; what asks for the others' verdicts comes last.
void Compiler::object() {
    if (dialect_.isDraft07() && at_.value["$ref"]) { // all beside it is ignored
        references();
        close();
        return;
    }
    definitions();
    if (has(kValidation)) {
        types();
        values();
        numbers();
        strings();
    }
    format();
    olderKeywords();
    if (has(kApplicator)) {
        arrays();
        contains();
        objects();
        dependents();
    }
    references();
    if (has(kApplicator)) {
        applicators();
    }
    unevaluated();
    close();
}

// Also those that nothing refers to: what is wrong in them is better known now than later.
void Compiler::definitions() {
    for (const std::string_view keyword : {"$defs", "definitions"}) {
        if (keyword == "$defs" && dialect_.isDraft07()) {
            continue;
        }
        for (const auto member : membersOf(keyword)) {
            node(member.value, Applied::InPlace);
        }
    }
}

// Keywords of other drafts that 2020-12 would pass over, and so take more than was meant.
void Compiler::olderKeywords() {
    if (dialect_.isDraft07()) {
        return;
    }
    for (const std::string_view keyword : {"$recursiveRef", "$recursiveAnchor"}) {
        if (at_.value[keyword]) {
            fail(concat("\"", keyword, "\" is of draft 2019-09; expected \"$dynamic",
                        keyword.substr(10), "\", as it is called in 2020-12"));
        }
    }
    if (at_.value["additionalItems"] && !at_.value["items"]) {
        fail("\"additionalItems\" is of older drafts; expected \"items\" beside \"prefixItems\", "
             "or a \"$schema\" of draft-07");
    }
}

void Compiler::references() {
    if (const Value ref = at_.value["$ref"]; ref) {
        const auto target = ref.isString() ? documents_.resolve(at_.resource, ref.string())
                                           : Error{"", "a URI reference as a string"};
        if (target) {
            add({OpCode::Ref, node(*target, inPlace())});
        } else {
            failKeyword("$ref", target.error().message, ref);
        }
    }
    if (const Value ref = at_.value["$dynamicRef"]; ref && !dialect_.isDraft07()) {
        dynamicReference(ref);
    }
}

void Compiler::dynamicReference(Value ref) {
    const auto target = ref.isString() ? documents_.resolve(at_.resource, ref.string())
                                       : Error{"", "a URI reference as a string"};
    if (!target) {
        failKeyword("$dynamicRef", target.error().message, ref);
        return;
    }
    const auto &resource = documents_.resource(target->resource);
    const std::string_view text = ref.string();
    const auto name = text.substr(std::min(text.find('#'), text.size() - 1) + 1);
    const NodeIndex first = node(*target, inPlace());
    const auto anchor = resource.anchors.find(name);
    if (!resource.dynamicAnchors.contains(name) || anchor == resource.anchors.end()) {
        add({OpCode::Ref, first}); // no $dynamicAnchor there: an ordinary reference
        return;
    }
    const auto [known, fresh] =
        dynamicOf_.emplace(name, static_cast<std::uint32_t>(program_.dynamics.size()));
    if (fresh) {
        program_.dynamics.emplace_back();
    }
    add({OpCode::DynamicRef, first, known->second});
}

// The nodes that a $dynamicRef may find, in all resources that are known by now.
void Compiler::dynamicTargets() {
    for (const auto &[name, index] : dynamicOf_) {
        for (ResourceIndex i = 0; i < documents_.size(); ++i) {
            const auto &resource = documents_.resource(i);
            if (resource.dynamicAnchors.contains(name)) {
                program_.dynamics[index][i] =
                    node(resource.anchors.find(name)->second, Applied::InPlace);
            }
        }
    }
}

void Compiler::unevaluated() {
    if (!has(kUnevaluated) || dialect_.isDraft07()) {
        return;
    }
    for (const auto &[keyword, code] :
         {std::pair("unevaluatedItems", OpCode::UnevaluatedItems),
          std::pair("unevaluatedProperties", OpCode::UnevaluatedProperties)}) {
        if (const Value inner = at_.value[keyword]; inner) {
            add({code, node(inner, alone())});
        }
    }
}

// The policy for unknown keys, wherever a schema judges a value of its own. finish() takes it back
// where no keys are named.
void Compiler::close() {
    if (options_.unknownKeys != UnknownKeys::Allow && applied_ == Applied::Alone) {
        add({OpCode::Close});
    }
}

Schema::Schema(std::unique_ptr<Program> program, const Limits &limits, const Options &options)
    : program_(std::move(program)), stepsMax_(limits.validationStepsMax),
      bytesMax_(limits.argumentsBytesMax), depthMax_(limits.jsonDepthMax), mends_(options.mend),
      coerce_(options.coerce), fillDefaults_(options.fillDefaults) {}

Schema::~Schema() = default;

const std::vector<std::string> &Schema::notes() const {
    return program_->notes;
}

Result<std::shared_ptr<const Schema>> Schema::compile(json::Value schema, const Limits &limits,
                                                      const Options &options) {
    auto program = std::make_unique<Program>();
    if (auto done = Compiler(*program, limits, options).run(schema.raw()); !done) {
        return done.error();
    }
    return std::shared_ptr<const Schema>(new Schema(std::move(program), limits, options));
}

} // namespace tenon::schema
