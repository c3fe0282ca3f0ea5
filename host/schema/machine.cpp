// SPDX-License-Identifier: Apache-2.0
// The frames: how a run begins, goes on and ends.
#include "schema/machine.h"

#include "support/text.h"

#include <algorithm>

namespace tenon::schema {

using json::Value;

namespace {

constexpr std::uint32_t kBranchIssuesMax = 8;
constexpr std::size_t kKept = 4'096; // entries of a stack that a thread keeps between runs

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
    if (base_ == 0 && (stacks_.frames.capacity() > kKept || stacks_.marks.capacity() > kKept ||
                       stacks_.bits.capacity() > kKept)) {
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
    settleUnknown();
    const bool refused = program_.unknownKeys == UnknownKeys::Refuse && !unknown_.empty();
    return childOk_ && exhausted_.empty() && !refused;
}

std::string Machine::limit() const {
    if (exhausted_.empty() || exhausted_ == "steps") {
        return exhausted_.empty() ? ""
                                  : concat("within ", stepsMax_, " steps (limits.validationSteps)");
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
    if (starting.onlyType != 0 && (starting.onlyType & typeOf(step.value)) != 0) {
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
    frame.unknownBefore = static_cast<std::uint32_t>(stacks_.unknown.size());
    // Without a $dynamicRef the compiler has made sure that this comes to an end.
    if (frame.inPlace > 2 * program_.nodes.size() + 2) {
        exhaust("without a \"$dynamicRef\" that leads back to itself for ever");
    }
    return false;
}

void Machine::leave() {
    const Frame &frame = stacks_.frames.back();
    childOk_ = frame.ok;
    if (!frame.ok || frame.step.reach != Step::Reach::Same) {
        stacks_.marks.resize(frame.marksBefore);
    }
    if (!frame.ok && issues_ == nullptr) {
        stacks_.unknown.resize(frame.unknownBefore);
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
    case OpCode::Close: return isObject ? close(frame) : Goes::On;
    default: frame.ok = look(op, frame.value(), atFrame(frame)) && frame.ok; return Goes::On;
    }
}

} // namespace tenon::schema
