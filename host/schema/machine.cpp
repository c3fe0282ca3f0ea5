// SPDX-License-Identifier: Apache-2.0
// The frames, and the operations that apply other nodes.
#include "schema/machine.h"

#include "support/text.h"

#include <algorithm>
#include <iterator>
#include <unordered_set>
#include <utility>

namespace tenon::schema {

using json::Value;

namespace {

constexpr std::uint32_t kBranchIssuesMax = 8;
constexpr std::size_t kFramesKept = 4'096; // memory that a thread keeps between runs
// Marks: an ordinal, the first so many, or all of them.
constexpr std::uint32_t kAll = UINT32_MAX;
constexpr std::uint32_t kFirst = 1U << 31U;
constexpr std::uint32_t kLastStage = UINT32_MAX; // of an operation's parts: none is left

} // namespace

Machine::Stacks &Machine::stacksOfThread() {
    static thread_local Stacks stacks;
    return stacks;
}

Machine::Machine(const Program &program, std::uint64_t stepsMax, std::vector<Issue> *issues,
                 std::size_t issuesMax)
    : program_(program), stacks_(stacksOfThread()), base_(stacks_.frames.size()),
      stepsLeft_(stepsMax), stepsMax_(stepsMax), issues_(issues),
      issuesMax_(static_cast<std::uint32_t>(std::min<std::size_t>(issuesMax, 1'000))) {}

Machine::~Machine() {
    if (base_ == 0 && stacks_.frames.capacity() > kFramesKept) {
        stacks_ = {};
    }
}

bool Machine::run(NodeIndex node, Value value) {
    const std::size_t marksBefore = stacks_.marks.size();
    const Asked asked{issues_ != nullptr, false, issuesMax_, 0};
    bool settled = start(asked, node, {Step::Reach::Same, true, 0, value});
    while (!settled) {
        Frame &frame = stacks_.frames.back();
        const Op *op = program_.ops.data() + frame.op;
        if (!exhausted_.empty() || op == program_.end(frame.node) || !goesOn(frame)) {
            leave();
        } else if (spend(1) && apply(frame, *op) == Goes::On) {
            ++frame.op;
            frame.begun = false;
            frame.stage = 0;
            frame.hits = 0;
        }
        settled = stacks_.frames.size() == base_;
    }
    stacks_.marks.resize(marksBefore);
    return childOk_ && exhausted_.empty();
}

std::string Machine::limit() const {
    if (exhausted_.empty() || exhausted_ == "steps") {
        return exhausted_.empty() ? "" : concat("within ", stepsMax_, " steps");
    }
    return std::string(exhausted_);
}

bool Machine::start(const Asked &from, NodeIndex node, const Step &step, Trial trial) {
    node = program_.targetOf(node);
    const Node &starting = program_.nodes[node];
    const bool loud = from.loud && trial != Trial::Quiet;
    const std::uint32_t issuesEnd =
        loud && trial == Trial::Branch
            ? static_cast<std::uint32_t>(issues_->size()) + kBranchIssuesMax
            : from.issuesEnd;
    if ((starting.onlyType & typeOf(step.value)) != 0) {
        childOk_ = spend(1);
        return true;
    }
    if (starting.leaf) {
        childOk_ = leaf(node, step, loud, issuesEnd);
        return true;
    }
    const bool same = step.reach == Step::Reach::Same;
    const bool collect = starting.collects || (same && from.collect);
    if (starting.flat && !loud && !collect && step.value.isObject()) {
        childOk_ = flat(node, step);
        return true;
    }
    const std::uint32_t inPlace = same ? from.inPlace + 1 : 0;
    Frame &frame = stacks_.frames.emplace_back(); // `from` may have moved
    frame.loud = loud;
    frame.collect = collect;
    frame.issuesEnd = issuesEnd;
    frame.inPlace = inPlace;
    frame.step = step;
    frame.node = node;
    frame.op = starting.begin;
    frame.marksBefore = static_cast<std::uint32_t>(stacks_.marks.size());
    frame.bitsBefore = static_cast<std::uint32_t>(stacks_.bits.size());
    frame.branchesBefore = static_cast<std::uint32_t>(stacks_.branches.size());
    // Without a $dynamicRef the compiler has made sure that this comes to an end.
    if (frame.inPlace > 2 * program_.nodes.size() + 2) {
        exhaust("without a \"$dynamicRef\" that leads back to itself for ever");
    }
    return false;
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

void Machine::leave() {
    const Frame &frame = stacks_.frames.back();
    childOk_ = frame.ok;
    if (!frame.ok || frame.step.reach != Step::Reach::Same) {
        stacks_.marks.resize(frame.marksBefore);
    }
    stacks_.bits.resize(frame.bitsBefore);
    stacks_.branches.resize(frame.branchesBefore);
    stacks_.frames.pop_back();
}

Machine::Goes Machine::apply(Frame &frame, const Op &op) {
    const bool isArray = frame.value().isArray();
    const bool isObject = frame.value().isObject();
    switch (op.code) {
    case OpCode::Items: return isArray ? items(frame, program_.arrays[op.first]) : Goes::On;
    case OpCode::Contains: return isArray ? contains(frame, program_.contains[op.first]) : Goes::On;
    case OpCode::Properties:
        return isObject ? properties(frame, program_.objects[op.first]) : Goes::On;
    case OpCode::PropertyNames: return isObject ? propertyNames(frame, op.first) : Goes::On;
    case OpCode::Ref: return reference(frame, op.first);
    case OpCode::DynamicRef: return reference(frame, frame.begun ? kNone : dynamicTarget(op));
    case OpCode::DependentSchema: return isObject ? dependentSchema(frame, op) : Goes::On;
    case OpCode::AnyOf:
    case OpCode::OneOf: return choice(frame, op);
    case OpCode::Not: return negation(frame, op.first);
    case OpCode::If: return conditional(frame, op);
    case OpCode::UnevaluatedItems: return isArray ? unevaluated(frame, op) : Goes::On;
    case OpCode::UnevaluatedProperties: return isObject ? unevaluated(frame, op) : Goes::On;
    default: frame.ok = look(op, frame.value(), atFrame(frame)) && frame.ok; return Goes::On;
    }
}

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
            [&] { return concat(frame.hits, " such items"); }, frame.value());
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
    std::sort(absent.begin(), absent.end());
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

// Applies a node to the frame's own value. True when its verdict is there.
bool Machine::follow(Frame &frame, NodeIndex node, Trial trial) {
    return start(frame, node, {Step::Reach::Same, true, 0, frame.value()}, trial);
}

Machine::Goes Machine::reference(Frame &frame, NodeIndex node) {
    if (!std::exchange(frame.begun, true) && !follow(frame, node, Trial::None)) {
        return Goes::Wait;
    }
    frame.ok = childOk_ && frame.ok;
    return Goes::On;
}

// The outermost resource on the way here that has the $dynamicAnchor.
NodeIndex Machine::dynamicTarget(const Op &op) {
    const auto &targets = program_.dynamics[op.count];
    for (std::size_t i = base_; i < stacks_.frames.size() && spend(1); ++i) {
        const auto found = targets.find(program_.facts[stacks_.frames[i].node].resource);
        if (found != targets.end()) {
            return found->second;
        }
    }
    return op.first;
}

Machine::Goes Machine::dependentSchema(Frame &frame, const Op &op) {
    if (!frame.begun && (!spend(frame.value().size()) || !frame.value()[op.value.string()])) {
        return Goes::On;
    }
    return reference(frame, op.first);
}

// anyOf ends at the first branch that fits, oneOf at the second, unless the marks or the issues of
// all are wanted.
Machine::Goes Machine::choice(Frame &frame, const Op &op) {
    if (frame.begun) {
        settleBranch(frame);
    } else {
        frame.begun = true;
        frame.branches = static_cast<std::uint32_t>(stacks_.branches.size());
    }
    const std::uint64_t enough = op.code == OpCode::AnyOf ? 1 : 2;
    while (frame.stage < op.count && (frame.collect || frame.hits < enough)) {
        frame.issues = frame.loud ? static_cast<std::uint32_t>(issues_->size()) : 0;
        frame.marks = static_cast<std::uint32_t>(stacks_.marks.size());
        if (!follow(frame, program_.children[op.first + frame.stage++], Trial::Branch)) {
            return Goes::Wait;
        }
        settleBranch(frame);
    }
    endChoice(frame, op);
    return Goes::On;
}

void Machine::settleBranch(Frame &frame) {
    frame.hits += childOk_ ? 1 : 0;
    if (!frame.loud) {
        return;
    }
    const auto first = issues_->begin() + frame.issues;
    stacks_.branches.emplace_back(std::make_move_iterator(first),
                                  std::make_move_iterator(issues_->end()));
    issues_->erase(first, issues_->end());
}

void Machine::endChoice(Frame &frame, const Op &op) {
    const bool any = op.code == OpCode::AnyOf;
    if (frame.hits == 0) {
        if (frame.loud && issues_->size() < frame.issuesEnd) {
            const auto own = stacks_.branches.begin() + frame.branches;
            const Issue choice{pointer(nullptr, Keys::All),
                               any ? "anyOf" : "oneOf",
                               "",
                               foundOf(frame.value()),
                               kindOf(frame.value()),
                               pointer(nullptr, Keys::OfSchema)};
            auto closest = closestOf(
                {std::make_move_iterator(own), std::make_move_iterator(stacks_.branches.end())},
                choice);
            issues_->insert(issues_->end(), std::make_move_iterator(closest.begin()),
                            std::make_move_iterator(closest.end()));
        }
        frame.ok = false;
    } else if (!any && frame.hits > 1) {
        frame.ok = issue(
            atFrame(frame), "oneOf", [] { return "exactly one of the shapes to fit"; },
            [&] { return concat(frame.hits, " that fit"); }, frame.value());
    }
    stacks_.branches.resize(frame.branchesBefore);
}

Machine::Goes Machine::negation(Frame &frame, NodeIndex node) {
    if (!frame.begun) {
        frame.begun = true;
        frame.marks = static_cast<std::uint32_t>(stacks_.marks.size());
        if (!follow(frame, node, Trial::Quiet)) {
            return Goes::Wait;
        }
    }
    stacks_.marks.resize(frame.marks); // what was evaluated in there does not count
    if (childOk_) {
        frame.ok = issue(
            atFrame(frame), "not", [] { return "a value that the schema under \"not\" refuses"; },
            frame.value());
    }
    return Goes::On;
}

Machine::Goes Machine::conditional(Frame &frame, const Op &op) {
    if (!frame.begun) {
        frame.begun = true;
        if (!follow(frame, program_.children[op.first], Trial::Quiet)) {
            return Goes::Wait;
        }
    }
    if (frame.stage++ == 0) { // the verdict is that of "if"
        const NodeIndex branch = program_.children[op.first + (childOk_ ? 1 : 2)];
        if (branch == kNone) {
            return Goes::On;
        }
        if (!follow(frame, branch, Trial::None)) {
            return Goes::Wait;
        }
    }
    frame.ok = childOk_ && frame.ok;
    return Goes::On;
}

// Turns the marks of the frame into a bit for each item or member. False when all have one.
bool Machine::markBits(Frame &frame) {
    auto &bits = stacks_.bits;
    frame.bits = static_cast<std::uint32_t>(bits.size());
    const auto size = frame.value().size();
    bits.resize(bits.size() + size, 0);
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

} // namespace tenon::schema
