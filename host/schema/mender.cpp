// SPDX-License-Identifier: Apache-2.0
#include "schema/mender.h"

#include "json/writer.h"
#include "schema/words.h"
#include "support/text.h"

#include <algorithm>
#include <unordered_set>

namespace tenon::schema {

using json::Value;

namespace {

constexpr int kRoundsMax = 8;         // JSON within a string within a string ...
constexpr std::size_t kNodesMax = 64; // that apply to one value; beyond them nothing is mended
constexpr std::uint64_t kStepsPerBranch = 20;  // of a choice: it is looked at in several ways
constexpr std::size_t kConstantBytesMax = 200; // of a text that may be a constant

} // namespace

void Mender::changed(std::size_t place, std::string_view what) {
    if (changes_->size() >= kChangesMax) {
        return;
    }
    std::vector<std::string> tokens;
    for (; place != 0; place = places_[place].parent) {
        const Place &at = places_[place];
        tokens.push_back(at.item == SIZE_MAX ? tokenOf(at.key) : concat("/", at.item));
    }
    std::string path;
    for (auto token = tokens.rbegin(); token != tokens.rend(); ++token) {
        path += *token;
    }
    changes_->push_back({std::move(path), std::string(what)});
}

Mender::Round Mender::round(Value root, std::vector<Change> &changes, std::string &text) {
    changes_ = &changes;
    json::Edits edits(root);
    edits_ = &edits;
    places_.assign(1, {});
    open_.push_back({root, {0}, 0});
    while (!open_.empty() && root.raw().size() + added_ <= rules_.limits.bytesMax && spend(1)) {
        const Open open = std::move(open_.back());
        open_.pop_back();
        const auto nodes = closure(open.nodes, open.value);
        if (open.value.isString()) {
            readString(open);
        } else if (open.value.isObject()) {
            object(open, nodes);
        } else if (open.value.isArray()) {
            array(open, nodes);
        }
    }
    if (root.raw().size() + added_ > rules_.limits.bytesMax) {
        return Round::TooLarge;
    }
    if (edits.empty() || !spend(0)) {
        return Round::Nothing;
    }
    text = edits.apply();
    return Round::Edited;
}

// These nodes and all that apply along with them for certain. Of a choice, the one branch that the
// value can be meant for, if it can be told.
std::vector<NodeIndex> Mender::closure(const std::vector<NodeIndex> &nodes, Value value) const {
    std::vector<NodeIndex> out = nodes;
    for (std::size_t i = 0; i < out.size() && out.size() < kNodesMax; ++i) {
        for (const Op *op = program_.begin(out[i]); op != program_.end(out[i]) && spend(1); ++op) {
            if (op->code == OpCode::Ref) {
                out.push_back(op->first);
            } else if (op->code == OpCode::AnyOf || op->code == OpCode::OneOf) {
                if (const NodeIndex branch = chosen(*op, value); branch != kNone) {
                    out.push_back(branch);
                }
            }
        }
    }
    if (out.size() >= kNodesMax) {
        out.clear();
    }
    return out;
}

NodeIndex Mender::chosen(const Op &choice, Value value) const {
    const std::uint32_t type = typeOf(value);
    NodeIndex only = kNone;
    for (std::uint32_t i = 0; i < choice.count; ++i) {
        if (!spend(kStepsPerBranch)) {
            return kNone;
        }
        const NodeIndex branch = program_.children[choice.first + i];
        if ((program_.facts[branch].types & type) == 0 || contradicts(branch, value)) {
            continue;
        }
        if (only != kNone) {
            return kNone;
        }
        only = branch;
    }
    return only;
}

// Whether the keys of an object say that it is meant for another branch: one has a value that
// cannot stand there, one is missing, or one is not known.
bool Mender::contradicts(NodeIndex branch, Value object) const {
    std::vector<NodeIndex> nodes{branch};
    for (std::size_t i = 0; i < nodes.size() && nodes.size() < kNodesMax; ++i) {
        forOps({nodes[i]}, OpCode::Ref, [&](const Op &op) { nodes.push_back(op.first); });
    }
    bool found = false;
    forOps(nodes, OpCode::Properties, [&](const Op &op) {
        const ObjectRules &rules = program_.objects[op.first];
        std::size_t required = 0;
        for (const auto member : object.members()) {
            if (found || !spend(2)) {
                break;
            }
            const auto place = rules.properties.find(member.key, 0);
            required += place != kNone && rules.properties.isRequired(place) ? 1 : 0;
            const NodeIndex node = place != kNone ? rules.properties.nodeAt(place) : kNone;
            const bool unknown = node == kNone && rules.patterns.empty() &&
                                 rules.additional != kNone && program_.refusesAll(rules.additional);
            found = found || unknown || (node != kNone && cannotBe(node, member.value));
        }
        found = found || (object.isObject() && required < rules.required) || !spend(0);
    });
    return found;
}

// Whether a value is of no use there, not even mended.
bool Mender::cannotBe(NodeIndex node, Value value) const {
    const bool mendable = value.isString() || value.isNull();
    bool found = !mendable && (program_.facts[node].types & typeOf(value)) == 0;
    // A text may be the constant that it would be read as.
    json::Document inside;
    const bool isText = value.isString() && value.raw().size() < kConstantBytesMax &&
                        inside.readView(value.string()).has_value();
    const auto is = [&](Value fixed) {
        return json::equal(fixed, value) || (isText && json::equal(fixed, inside.root()));
    };
    forOps({node}, OpCode::Const,
           [&](const Op &fixed) { found = found || !(value.isNull() || is(fixed.value)); });
    forOps({node}, OpCode::Enum, [&](const Op &fixed) {
        bool any = value.isNull() || !spend(fixed.value.size());
        for (const Value item : fixed.value.items()) {
            any = any || is(item);
        }
        found = found || !any;
    });
    return found;
}

std::uint32_t Mender::typesOf(const std::vector<NodeIndex> &nodes) const {
    std::uint32_t types = kAllBits;
    for (const NodeIndex node : nodes) {
        types &= program_.facts[node].types;
    }
    return types;
}

bool Mender::readString(const Open &open) {
    const std::uint32_t types = typesOf(open.nodes);
    if (types == 0 || (types & kStringBit) != 0) {
        return false;
    }
    json::Document inside;
    if (!inside.readView(open.value.string(), rules_.limits) ||
        (typeOf(inside.root()) & types) == 0) {
        return false;
    }
    edits_->replace(open.value, std::string(inside.root().raw()));
    changed(open.place, concat("read from a string as ", json::nameOf(inside.root().kind())));
    return true;
}

std::vector<NodeIndex> Mender::nodesFor(std::string_view key,
                                        const std::vector<NodeIndex> &nodes) const {
    std::vector<NodeIndex> out;
    forOps(nodes, OpCode::Properties, [&](const Op &op) {
        const ObjectRules &rules = program_.objects[op.first];
        const auto found = rules.properties.find(key, 0);
        bool matched = false;
        if (found != kNone && rules.properties.nodeAt(found) != kNone) {
            out.push_back(rules.properties.nodeAt(found));
            matched = true;
        }
        for (const auto &[pattern, node] : rules.patterns) {
            const Pattern &regex = *program_.patterns[pattern];
            if (!regex.linear() || !spend(1 + key.size() / 16)) {
                matched = true; // or not: then nothing is known of the key
            } else if (regex.search(key) == Pattern::Match::Yes) {
                out.push_back(node);
                matched = true;
            }
        }
        if (!matched && rules.additional != kNone) {
            out.push_back(rules.additional);
        }
    });
    return out;
}

// Whether an object may go without a key that its schema names: it is optional, or has a default.
bool Mender::isOptional(std::string_view key, const std::vector<NodeIndex> &nodes) const {
    bool named = false;
    bool required = false;
    bool hasDefault = false;
    forOps(nodes, OpCode::Properties, [&](const Op &op) {
        const auto &properties = program_.objects[op.first].properties;
        if (const auto place = properties.find(key, 0); place != kNone) {
            named = named || properties.nodeAt(place) != kNone;
            required = required || properties.isRequired(place);
            hasDefault = hasDefault || properties.list()[place].fallback;
        }
    });
    return named && (!required || (hasDefault && rules_.fillDefaults));
}

void Mender::object(const Open &open, const std::vector<NodeIndex> &nodes) {
    std::vector<std::uint32_t> dropped;
    for (const auto member : open.value.members()) {
        if (!spend(nodes.size())) {
            return;
        }
        auto inside = nodesFor(member.key, nodes);
        const bool drop = work_ == Work::Coerce && member.value.isNull() && !inside.empty() &&
                          typesOf(inside) != 0 && (typesOf(inside) & kNullBit) == 0 &&
                          isOptional(member.key, nodes);
        if (drop) {
            dropped.push_back(member.value.index());
            changed(placeBelow(open.place, member.key),
                    "null was dropped, since the key is optional and does not take it");
        } else if (!inside.empty() && mayHold(member.value)) {
            open_.push_back({member.value, std::move(inside), placeBelow(open.place, member.key)});
        }
    }
    const std::string added = work_ == Work::FillDefaults ? defaultsFor(open, nodes) : "";
    if (!dropped.empty() || !added.empty()) {
        edits_->changeMembers(open.value, dropped, added);
    }
}

// Members to be added, as they are written.
std::string Mender::defaultsFor(const Open &open, const std::vector<NodeIndex> &nodes) {
    std::unordered_set<std::string_view> given;
    std::string out;
    forOps(nodes, OpCode::Properties, [&](const Op &op) {
        const ObjectRules &rules = program_.objects[op.first];
        if (rules.fallbacks == 0) {
            return;
        }
        if (given.empty()) {
            for (const auto member : open.value.members()) {
                given.insert(member.key);
            }
        }
        if (!spend(rules.properties.list().size())) {
            return;
        }
        for (const auto &property : rules.properties.list()) {
            if (!property.fallback || !given.insert(property.key).second) {
                continue;
            }
            out += out.empty() ? "" : ",";
            json::appendQuoted(out, property.key);
            out += concat(":", property.fallback.raw());
            added_ += property.key.size() + property.fallback.raw().size();
            if (added_ > rules_.limits.bytesMax) {
                return;
            }
            changed(placeBelow(open.place, property.key), "its default was filled in");
        }
    });
    return out;
}

void Mender::array(const Open &open, const std::vector<NodeIndex> &nodes) {
    std::vector<const ArrayRules *> all;
    forOps(nodes, OpCode::Items, [&](const Op &op) { all.push_back(&program_.arrays[op.first]); });
    std::size_t i = 0;
    for (const Value item : open.value.items()) {
        if (all.empty() || !spend(all.size())) {
            return;
        }
        std::vector<NodeIndex> inside;
        for (const auto *rules : all) {
            const NodeIndex node = i < rules->prefix.size() ? rules->prefix[i] : rules->items;
            if (node != kNone) {
                inside.push_back(node);
            }
        }
        if (!inside.empty() && mayHold(item)) {
            open_.push_back({item, std::move(inside), placeBelow(open.place, "", i)});
        }
        ++i;
    }
}

Mended mend(const Program &program, Value value, Mender::Work work, const Mender::Rules &rules) {
    Mended out;
    for (int round = 0; round < kRoundsMax; ++round) {
        std::string text;
        const auto done = Mender(program, work, rules).round(value, out.changes, text);
        if (done == Mender::Round::Nothing) {
            break;
        }
        auto read = json::Document::read(std::move(text), rules.limits);
        if (done == Mender::Round::TooLarge) { // all is left as it was
            return {{}, {}, true};
        }
        if (!read) { // too deep
            break;
        }
        out.document = std::move(*read);
        value = out.document.root();
    }
    return out;
}

} // namespace tenon::schema
