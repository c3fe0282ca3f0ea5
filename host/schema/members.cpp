// SPDX-License-Identifier: Apache-2.0
// The operations that apply nodes to the items of an array or the members of an object.
#include "schema/machine.h"

#include "support/text.h"

#include <algorithm>
#include <unordered_set>

namespace tenon::schema {

using json::Value;

namespace {

// Marks: an ordinal, the first so many, or all of them.
constexpr std::uint32_t kAll = UINT32_MAX;
constexpr std::uint32_t kFirst = 1U << 31U;
constexpr std::uint32_t kLastStage = UINT32_MAX; // of an operation's parts: none is left

} // namespace

Machine::Goes Machine::items(Frame &frame, const ArrayRules &rules) {
    if (frame.begun) {
        frame.ok = childOk_ && frame.ok;
    } else {
        frame.begun = true;
        frame.at = frame.value().index() + 1;
        frame.ordinal = 0;
        if (frame.collect) {
            const bool all = rules.items != kNone || frame.value().size() <= rules.prefix.size();
            stacks_.marks.push_back(all ? kAll
                                        : kFirst | static_cast<std::uint32_t>(rules.prefix.size()));
        }
    }
    const auto end = frame.value().past();
    while (frame.at != end && goesOn(frame)) {
        const NodeIndex node =
            frame.ordinal < rules.prefix.size() ? rules.prefix[frame.ordinal] : rules.items;
        if (node == kNone) {
            break;
        }
        const Value item = frame.value().at(frame.at);
        const Step step{Step::Reach::Item, true, frame.ordinal++, item};
        frame.at = item.past();
        if (!spend(1)) {
            return Goes::On;
        }
        if (!start(frame, node, step)) {
            return Goes::Wait;
        }
        frame.ok = childOk_ && frame.ok;
    }
    return Goes::On;
}

Machine::Goes Machine::contains(Frame &frame, const ContainsRules &rules) {
    const auto count = [&] {
        if (childOk_) {
            ++frame.hits;
            if (frame.collect) {
                stacks_.marks.push_back(frame.ordinal - 1);
            }
        }
    };
    if (frame.begun) {
        count();
    } else {
        frame.begun = true;
        frame.at = frame.value().index() + 1;
        frame.ordinal = 0;
    }
    const auto end = frame.value().past();
    const bool untilEnd = frame.collect || rules.most != UINT64_MAX;
    while (frame.at != end && (untilEnd || frame.hits < rules.least)) {
        const Value item = frame.value().at(frame.at);
        const Step step{Step::Reach::Item, true, frame.ordinal++, item};
        frame.at = item.past();
        if (!spend(1)) {
            return Goes::On;
        }
        if (!start(frame, rules.node, step, Trial::Quiet)) {
            return Goes::Wait;
        }
        count();
    }
    const bool few = frame.hits < rules.least;
    if (few || frame.hits > rules.most) {
        frame.ok = issue(
            atFrame(frame), few ? "contains" : "maxContains",
            [&] {
                return concat(few ? "at least " : "at most ", few ? rules.least : rules.most,
                              " items of the kind that \"contains\" describes");
            },
            [&] { return counted(frame.hits, "such item"); }, frame.value());
    }
    return Goes::On;
}

Machine::Goes Machine::properties(Frame &frame, const ObjectRules &rules) {
    if (frame.begun) {
        frame.ok = childOk_ && frame.ok;
    } else {
        frame.begun = true;
        frame.at = frame.value().index() + 1;
        frame.ordinal = frame.guess = 0;
        frame.matched = false;
        if (frame.collect && rules.additional != kNone) {
            stacks_.marks.push_back(kAll);
        }
    }
    const auto end = frame.value().past();
    while (frame.at != end && goesOn(frame) && exhausted_.empty()) {
        Step member{Step::Reach::Member, true, 0, frame.value().at(frame.at + 1)};
        const NodeIndex node = nextFor(frame, rules, member);
        member.ofSchema = frame.found != kNone;
        if (frame.stage == kLastStage) { // nothing more for this one
            if (frame.collect && frame.matched) {
                stacks_.marks.push_back(frame.ordinal);
            }
            frame.at = member.value.past();
            ++frame.ordinal;
            frame.stage = 0;
            frame.matched = false;
        }
        // Most keys have a type and nothing else.
        const bool simple = frame.found != kNone && rules.patterns.empty() &&
                            rules.properties.takesType(frame.found, typeOf(member.value));
        if (node != kNone && (!simple || !spend(1))) {
            if (!start(frame, node, member)) {
                return Goes::Wait;
            }
            frame.ok = childOk_ && frame.ok;
        }
    }
    if (frame.hits < rules.required && goesOn(frame)) {
        requireKeys(frame, rules);
    }
    return Goes::On;
}

// The next node for a member: what names its key, what matches it, or what is for all others.
NodeIndex Machine::nextFor(Frame &frame, const ObjectRules &rules, const Step &member) {
    const std::string_view key = member.value.at(frame.at).string();
    if (frame.stage == 0) {
        spend(1);
        frame.found = rules.properties.find(key, frame.guess);
        if (frame.found != kNone) {
            frame.guess = frame.found + 1;
            frame.hits += rules.properties.isRequired(frame.found) ? 1 : 0;
            const NodeIndex node = rules.properties.nodeAt(frame.found);
            if (node != kNone) {
                frame.matched = true;
                frame.stage = rules.patterns.empty() ? kLastStage : 1;
                return node;
            }
        }
        frame.stage = 1;
    }
    while (frame.stage <= rules.patterns.size()) {
        const auto &[pattern, node] = rules.patterns[frame.stage++ - 1];
        if (matches(pattern, key)) {
            frame.matched = true;
            return node;
        }
    }
    frame.stage = kLastStage;
    if (frame.matched || rules.additional == kNone) {
        return kNone;
    }
    if (program_.refusesAll(rules.additional)) {
        const Step step{Step::Reach::Member, frame.found != kNone, 0, member.value};
        unknownKey(frame, step, "additionalProperties");
        return kNone;
    }
    return rules.additional;
}

void Machine::unknownKey(Frame &frame, const Step &member, std::string_view keyword) {
    const std::string_view key = member.value.at(member.value.index() - 1).string();
    const bool own = keyword == "additionalProperties";
    // Looking for the key that was meant costs more than other words.
    spend(frame.loud ? program_.objects.size() + key.size() : 0);
    frame.ok = issue(
        {&member, frame.loud, frame.issuesEnd}, keyword,
        [&] { return keysExpected(program_, frame.node, own ? Among::Own : Among::InPlace, key); },
        [&] { return concat("the unknown key ", printable(key, 100)); }, member.value);
}

// Those that are not there, in the order of their names.
void Machine::requireKeys(Frame &frame, const ObjectRules &rules) {
    frame.ok = false;
    if (!frame.loud) {
        return;
    }
    std::unordered_set<std::string_view> given;
    for (const auto member : frame.value().members()) {
        given.insert(member.key);
    }
    std::vector<std::string_view> absent;
    for (const auto &property : rules.properties.list()) {
        if (property.required && !given.contains(property.key)) {
            absent.push_back(property.key);
        }
    }
    spend(given.size() + rules.properties.list().size());
    const auto room = std::min<std::size_t>(absent.size(), frame.issuesEnd - issues_->size());
    std::partial_sort(absent.begin(), absent.begin() + static_cast<std::ptrdiff_t>(room),
                      absent.end());
    absent.resize(room);
    for (const auto key : absent) {
        missingKey(atFrame(frame), "required", key, "a value: this key is required");
    }
}

Machine::Goes Machine::propertyNames(Frame &frame, NodeIndex node) {
    if (frame.begun) {
        frame.ok = childOk_ && frame.ok;
    } else {
        frame.begun = true;
        frame.at = frame.value().index() + 1;
    }
    const auto end = frame.value().past();
    while (frame.at != end && goesOn(frame) && spend(1)) {
        const Step name{Step::Reach::Name, false, 0, frame.value().at(frame.at)};
        frame.at = frame.value().at(frame.at + 1).past();
        if (!start(frame, node, name)) {
            return Goes::Wait;
        }
        frame.ok = childOk_ && frame.ok;
    }
    return Goes::On;
}

// Turns the marks of the frame into a bit for each item or member. False when all have one.
bool Machine::markBits(Frame &frame) {
    auto &bits = stacks_.bits;
    frame.bits = static_cast<std::uint32_t>(bits.size());
    const auto size = frame.value().size();
    bits.resize(bits.size() + size, 0);
    spend(stacks_.marks.size() - frame.marksBefore);
    for (std::size_t i = frame.marksBefore; i < stacks_.marks.size(); ++i) {
        const std::uint32_t mark = stacks_.marks[i];
        if (mark == kAll) {
            return false;
        }
        if ((mark & kFirst) != 0) {
            const auto first = std::min<std::size_t>(mark & ~kFirst, size);
            std::fill_n(bits.begin() + frame.bits, first, 1);
        } else {
            bits[frame.bits + mark] = 1;
        }
    }
    return true;
}

// What no schema of an object knows: where two apply to it, each knows keys of its own.
void Machine::settleUnknown() {
    unknown_.clear();
    auto &all = stacks_.unknown;
    if (issues_ != nullptr || (childOk_ && exhausted_.empty())) {
        std::sort(all.begin(), all.end());
        for (auto first = all.begin(); first != all.end();) {
            const auto object = first->object;
            const auto last = std::find_if(
                first, all.end(), [&](const Unknown &other) { return other.object != object; });
            const auto schemas =
                last - std::lower_bound(first, last, Unknown{object, kNone, kNone});
            while (first != last && first->member != kNone) {
                const auto next = std::upper_bound(first, last, *first);
                if (next - first == schemas) {
                    unknown_.push_back(*first);
                }
                first = next;
            }
            first = last;
        }
    }
    all.clear();
}

// Notes the keys that nothing here evaluated. Whether that counts is settled at the end: another
// schema may know them.
Machine::Goes Machine::close(Frame &frame) {
    const Value object = frame.value();
    stacks_.unknown.push_back({object.index(), kNone, frame.node});
    if (!spend(object.size()) || !markBits(frame)) {
        return Goes::On;
    }
    std::uint32_t ordinal = 0;
    for (const auto member : object.members()) {
        if (stacks_.bits[frame.bits + ordinal++] == 0) {
            stacks_.unknown.push_back({object.index(), member.value.index(), frame.node});
        }
    }
    return Goes::On;
}

Machine::Goes Machine::unevaluated(Frame &frame, const Op &op) {
    const bool object = frame.value().isObject();
    if (frame.begun) {
        frame.ok = childOk_ && frame.ok;
    } else {
        frame.begun = true;
        frame.at = frame.value().index() + 1;
        frame.ordinal = 0;
        if (!spend(frame.value().size()) || !markBits(frame)) {
            return Goes::On;
        }
    }
    const auto end = frame.value().past();
    while (frame.at != end && goesOn(frame) && spend(1)) {
        const Value value = frame.value().at(object ? frame.at + 1 : frame.at);
        const Step step{object ? Step::Reach::Member : Step::Reach::Item, !object, frame.ordinal,
                        value};
        frame.at = value.past();
        if (stacks_.bits[frame.bits + frame.ordinal++] != 0) {
            continue;
        }
        // After a failure the marks of what failed are gone: its keys are known all the same.
        if (!frame.ok && spend(kStepsPerIssue) &&
            (!object || isKnown(program_, frame.node, value.at(value.index() - 1).string()))) {
            continue;
        }
        if (object && program_.refusesAll(op.first)) {
            unknownKey(frame, step, "unevaluatedProperties");
            continue;
        }
        if (!start(frame, op.first, step)) {
            return Goes::Wait;
        }
        frame.ok = childOk_ && frame.ok;
    }
    stacks_.marks.push_back(kAll);
    return Goes::On;
}

// What the frames do for a flat node, in one go: most arguments are of this kind.
bool Machine::flat(NodeIndex node, const Step &step) {
    const Op *op = program_.begin(node);
    for (; looksAtValueAlone(op->code); ++op) {
        if (!spend(1) || !look(*op, step.value, {})) {
            return false;
        }
    }
    const ObjectRules &rules = program_.objects[op->first];
    std::size_t required = 0;
    std::uint32_t guess = 0;
    const auto end = step.value.past();
    for (auto at = step.value.index() + 1; at != end && spend(1);) {
        const Value member = step.value.at(at + 1);
        const auto place = rules.properties.find(member.at(at).string(), guess);
        NodeIndex child = kNone;
        if (place != kNone) {
            guess = place + 1;
            required += rules.properties.isRequired(place) ? 1 : 0;
            child = rules.properties.nodeAt(place);
        }
        at = member.past();
        const bool simple = place != kNone && rules.properties.takesType(place, typeOf(member));
        child = child == kNone ? rules.additional : child;
        if (child == kNone || (simple && spend(1))) {
            continue;
        }
        const Step inside{Step::Reach::Member, true, 0, member};
        if (!leaf(program_.targetOf(child), inside, false, 0)) {
            return false;
        }
    }
    return spend(1) && required == rules.required;
}

} // namespace tenon::schema
