// SPDX-License-Identifier: Apache-2.0
// The operations that apply nodes to the same value: references, choices, conditions.
#include "schema/machine.h"

#include "support/text.h"

#include <iterator>
#include <utility>

namespace tenon::schema {

using json::Value;

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

// anyOf ends at the first branch that fits, oneOf at the second, unless the marks of all are
// wanted. Only when none fits are the branches asked again for their issues.
Machine::Goes Machine::choice(Frame &frame, const Op &op) {
    if (frame.begun) {
        settleBranch(frame);
    }
    // Where reasons are wanted, what failed once is not tried again on the way down to them.
    if (!std::exchange(frame.begun, true) && failed_.contains(choiceKey(frame))) {
        frame.telling = hasRoom(frame.loud, frame.issuesEnd);
        frame.stage = frame.telling ? 0 : op.count;
    }
    // What a branch knows counts for the policy for unknown keys.
    const bool all = frame.collect || program_.unknownKeys != UnknownKeys::Allow;
    const std::uint64_t enough = op.code == OpCode::AnyOf ? 1 : 2;
    const auto asks = [&] { return frame.telling || all || frame.hits < enough; };
    for (;;) {
        while (frame.stage < op.count && asks()) {
            frame.issues = frame.loud ? static_cast<std::uint32_t>(issues_->size()) : 0;
            const NodeIndex branch = program_.children[op.first + frame.stage++];
            if (!follow(frame, branch, frame.telling ? Trial::Branch : Trial::Quiet)) {
                return Goes::Wait;
            }
            settleBranch(frame);
        }
        if (frame.telling || frame.hits > 0) {
            break;
        }
        if (issues_ != nullptr && program_.dynamics.empty()) {
            failed_.insert(choiceKey(frame));
        }
        if (!hasRoom(frame.loud, frame.issuesEnd)) {
            break;
        }
        frame.telling = true;
        frame.stage = 0;
    }
    endChoice(frame, op);
    return Goes::On;
}

void Machine::settleBranch(Frame &frame) {
    if (!frame.telling) {
        frame.hits += childOk_ ? 1 : 0;
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
        if (frame.telling) {
            const auto own = stacks_.branches.begin() + frame.branchesBefore;
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
    frame.telling = false;
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

} // namespace tenon::schema
