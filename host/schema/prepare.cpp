// SPDX-License-Identifier: Apache-2.0
// Schema::prepare: what a model sent, mended where its meaning is beyond doubt.
//
// A round looks at every value with the nodes that apply to it and notes edits of the text; what is
// not edited keeps its bytes. The next round reads the new text, until one finds nothing to do.
#include "schema/machine.h"

#include "json/edits.h"
#include "json/writer.h"
#include "support/text.h"

#include <algorithm>
#include <unordered_set>

namespace tenon::schema {

using json::Value;

namespace {

constexpr int kRoundsMax = 8;         // JSON within a string within a string ...
constexpr std::size_t kNodesMax = 64; // that apply to one value; beyond them nothing is mended

class Mender {
public:
    enum class Work { Coerce, FillDefaults };

    Mender(const Program &program, Work work, const json::ReadLimits &limits)
        : program_(program), work_(work), limits_(limits) {}

    // One round. True when there were edits, and `text` is the new text.
    bool round(Value root, std::vector<Change> &changes, std::string &text);

private:
    struct Open {
        Value value;
        std::vector<NodeIndex> nodes; // each applies to it
        std::size_t place = 0;        // index into places_
    };
    struct Place { // a link of the way from the root
        std::size_t parent;
        std::string_view key;
        std::size_t item; // SIZE_MAX: key is it
    };
    std::vector<NodeIndex> closure(const std::vector<NodeIndex> &nodes, Value value) const;
    NodeIndex chosen(const Op &choice, Value value) const;
    bool contradicts(NodeIndex branch, Value object) const;
    std::uint32_t typesOf(const std::vector<NodeIndex> &nodes) const;
    bool readString(const Open &open);
    void object(const Open &open, const std::vector<NodeIndex> &nodes);
    void array(const Open &open, const std::vector<NodeIndex> &nodes);
    std::vector<NodeIndex> nodesFor(std::string_view key,
                                    const std::vector<NodeIndex> &nodes) const;
    bool isRequired(std::string_view key, const std::vector<NodeIndex> &nodes) const;
    std::string defaultsFor(const Open &open, const std::vector<NodeIndex> &nodes);

    template <class Each>
    void forOps(const std::vector<NodeIndex> &nodes, OpCode code, Each each) const {
        for (const NodeIndex node : nodes) {
            for (const Op *op = program_.begin(node); op != program_.end(node); ++op) {
                if (op->code == code) {
                    each(*op);
                }
            }
        }
    }
    std::size_t placeBelow(std::size_t parent, std::string_view key, std::size_t item = SIZE_MAX) {
        places_.push_back({parent, key, item});
        return places_.size() - 1;
    }
    void changed(std::size_t place, std::string_view what);

    const Program &program_;
    const Work work_;
    const json::ReadLimits limits_;
    json::Edits *edits_ = nullptr;
    std::vector<Open> open_;
    std::vector<Place> places_; // the first is the root
    std::vector<Change> *changes_ = nullptr;
};

void Mender::changed(std::size_t place, std::string_view what) {
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

bool Mender::round(Value root, std::vector<Change> &changes, std::string &text) {
    changes_ = &changes;
    json::Edits edits(root);
    edits_ = &edits;
    places_.assign(1, {});
    open_.push_back({root, {0}, 0});
    while (!open_.empty()) {
        const Open open = std::move(open_.back());
        open_.pop_back();
        const auto nodes = closure(open.nodes, open.value);
        if (open.value.isString() && work_ == Work::Coerce) {
            readString(open);
        } else if (open.value.isObject()) {
            object(open, nodes);
        } else if (open.value.isArray()) {
            array(open, nodes);
        }
    }
    if (edits.empty()) {
        return false;
    }
    text = edits.apply();
    return true;
}

// These nodes and all that apply along with them for certain. Of a choice, the one branch that the
// value can be meant for, if it can be told.
std::vector<NodeIndex> Mender::closure(const std::vector<NodeIndex> &nodes, Value value) const {
    std::vector<NodeIndex> out = nodes;
    for (std::size_t i = 0; i < out.size() && out.size() < kNodesMax; ++i) {
        for (const Op *op = program_.begin(out[i]); op != program_.end(out[i]); ++op) {
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

// Whether a key with a fixed value says that the object is meant for another branch.
bool Mender::contradicts(NodeIndex branch, Value object) const {
    std::vector<NodeIndex> nodes{branch};
    bool contradicts = false;
    for (std::size_t i = 0; i < nodes.size() && nodes.size() < kNodesMax; ++i) {
        forOps({nodes[i]}, OpCode::Ref, [&](const Op &op) { nodes.push_back(op.first); });
    }
    forOps(nodes, OpCode::Properties, [&](const Op &op) {
        for (const auto &property : program_.objects[op.first].properties.list()) {
            const Value member = property.node == kNone ? Value() : object[property.key];
            if (!member || contradicts) {
                continue;
            }
            forOps({property.node}, OpCode::Const, [&](const Op &fixed) {
                contradicts = contradicts || !json::equal(fixed.value, member);
            });
            forOps({property.node}, OpCode::Enum, [&](const Op &fixed) {
                bool any = false;
                for (const Value item : fixed.value.items()) {
                    any = any || json::equal(item, member);
                }
                contradicts = contradicts || !any;
            });
        }
    });
    return contradicts;
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
    if (!inside.readView(open.value.string(), limits_) || (typeOf(inside.root()) & types) == 0) {
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
            if (regex.linear() && regex.search(key) == Pattern::Match::Yes) {
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

bool Mender::isRequired(std::string_view key, const std::vector<NodeIndex> &nodes) const {
    bool required = false;
    forOps(nodes, OpCode::Properties, [&](const Op &op) {
        const auto &properties = program_.objects[op.first].properties;
        const auto found = properties.find(key, 0);
        required = required || (found != kNone && properties.isRequired(found));
    });
    return required;
}

void Mender::object(const Open &open, const std::vector<NodeIndex> &nodes) {
    std::vector<std::uint32_t> dropped;
    for (const auto member : open.value.members()) {
        auto inside = nodesFor(member.key, nodes);
        const bool drop = work_ == Work::Coerce && member.value.isNull() && !inside.empty() &&
                          typesOf(inside) != 0 && (typesOf(inside) & kNullBit) == 0 &&
                          !isRequired(member.key, nodes);
        if (drop) {
            dropped.push_back(member.value.index());
            changed(placeBelow(open.place, member.key),
                    "null was dropped, since the key is optional and does not take it");
        } else if (!inside.empty()) {
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
        for (const auto &property : rules.properties.list()) {
            if (!property.fallback || !given.insert(property.key).second) {
                continue;
            }
            out += out.empty() ? "" : ",";
            json::appendQuoted(out, property.key);
            out += concat(":", property.fallback.raw());
            changed(placeBelow(open.place, property.key), "its default was filled in");
        }
    });
    return out;
}

void Mender::array(const Open &open, const std::vector<NodeIndex> &nodes) {
    std::size_t i = 0;
    for (const Value item : open.value.items()) {
        std::vector<NodeIndex> inside;
        forOps(nodes, OpCode::Items, [&](const Op &op) {
            const ArrayRules &rules = program_.arrays[op.first];
            const NodeIndex node = i < rules.prefix.size() ? rules.prefix[i] : rules.items;
            if (node != kNone) {
                inside.push_back(node);
            }
        });
        if (!inside.empty()) {
            open_.push_back({item, std::move(inside), placeBelow(open.place, "", i)});
        }
        ++i;
    }
}

// The text of a value without these members, and what each was.
std::string without(Value root, const std::vector<Machine::Dropped> &dropped,
                    std::vector<Change> &changes) {
    json::Edits edits(root);
    for (auto first = dropped.begin(); first != dropped.end();) {
        std::vector<std::uint32_t> members;
        const auto object = first->object;
        for (; first != dropped.end() && first->object == object; ++first) {
            members.push_back(first->member);
            const Value key = root.at(first->member - 1);
            changes.push_back(
                {tokenOf(key.string()), "left out: the schema does not know the key"});
        }
        edits.changeMembers(root.at(object), members, "");
    }
    return edits.apply();
}

} // namespace

Prepared Schema::prepare(Value value, std::size_t issuesMax) const {
    Prepared out;
    Machine quick(*program_, stepsMax_);
    bool valid = quick.run(0, value);
    if (valid && !quick.dropped().empty()) {
        auto read = json::Document::read(without(value, quick.dropped(), out.changes),
                                         {value.raw().size(), UINT32_MAX});
        out.document = std::move(*read);
        return out;
    }
    const bool fill = fillDefaults_ && program_->hasDefaults;
    if ((valid && !fill) || (!valid && !coerce_ && !fill) || !quick.limit().empty()) {
        out.issues = valid ? std::vector<Issue>() : validate(value, issuesMax);
        return out;
    }
    const json::ReadLimits limits{bytesMax_, depthMax_};
    const auto current = [&] { return out.document.empty() ? value : out.document.root(); };
    // Rounds of one kind of work. What they make is kept unless it turns valid into not valid.
    const auto mend = [&](Mender::Work work) {
        json::Document kept;
        auto changes = out.changes;
        Value at = current();
        for (int round = 0; round < kRoundsMax; ++round) {
            std::string text;
            if (!Mender(*program_, work, limits).round(at, changes, text)) {
                break;
            }
            auto read = json::Document::read(std::move(text), limits);
            if (!read) { // too large, or too deep
                return;
            }
            kept = std::move(*read);
            at = kept.root();
        }
        if (kept.empty()) {
            return;
        }
        const bool validNow = Machine(*program_, stepsMax_).run(0, kept.root());
        if (validNow || !valid) {
            valid = validNow;
            out.document = std::move(kept);
            out.changes = std::move(changes);
        }
    };
    if (!valid && coerce_) {
        mend(Mender::Work::Coerce);
    }
    if (fill) {
        mend(Mender::Work::FillDefaults);
    }
    if (!valid) {
        out.issues = validate(current(), issuesMax);
    }
    return out;
}

} // namespace tenon::schema
