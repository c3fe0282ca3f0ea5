// SPDX-License-Identifier: Apache-2.0
// Runs a program over a value, with a stack of its own: neither the depth of the value nor that of
// the schema costs a call. Private to this folder.
//
// A frame is one node applied to one value. An operation that applies other nodes begins one, waits
// for its verdict and goes on where it stopped. Nodes that look at the value alone need no frame.
//
// What unevaluatedProperties and unevaluatedItems must know is a list of marks: the places of
// members and items that an operation on the same value has evaluated. A frame that fails, or that
// is about another value, takes its marks with it.
#pragma once

#include "schema/program.h"
#include "schema/schema.h"
#include "schema/words.h"

#include <string_view>
#include <tuple>
#include <unordered_set>
#include <vector>

namespace tenon::schema {

// How a frame came to its value from the frame below it.
struct Step {
    enum class Reach : std::uint8_t { Same, Item, Member, Name };
    Reach reach = Reach::Same;
    bool ofSchema = true;   // Member, Name: the key is one that the schema names
    std::uint32_t item = 0; // Item: which
    json::Value value = {}; // what it came to
};

class Machine {
public:
    // Without a place for issues it stops at the first failure, and allocates nothing that an
    // earlier run on this thread did not.
    Machine(const Program &program, std::uint64_t stepsMax, std::vector<Issue> *issues = nullptr,
            std::size_t issuesMax = 0);
    ~Machine();
    Machine(const Machine &) = delete;
    Machine &operator=(const Machine &) = delete;

    // A member that the policy for unknown keys is about, by the places of both; of kNone: that a
    // schema has judged the object. `node` is that schema.
    struct Unknown {
        std::uint32_t object, member;
        NodeIndex node;

        bool operator<(const Unknown &other) const {
            return std::tie(object, member) < std::tie(other.object, other.member);
        }
    };

    // Whether the value is valid; false as well when it cannot be told within the limits.
    bool run(NodeIndex node, json::Value value);
    // Why it could not be told, in words; "" when it could.
    std::string limit() const;
    // What the last run found that no schema knows, each member once.
    const std::vector<Unknown> &unknown() const { return unknown_; }
    std::uint64_t stepsLeft() const { return stepsLeft_; }

private:
    // What a frame hands on to those that it begins.
    struct Asked {
        bool loud = false;           // its issues are wanted
        bool collect = false;        // marks are
        std::uint32_t issuesEnd = 0; // as many issues as there may be before it stops
        std::uint32_t inPlace = 0;   // frames below it that are about the same value
    };
    struct Frame : Asked {
        Step step;
        NodeIndex node = kNone;
        std::uint32_t op = 0; // the operation it is at
        bool ok = true;
        // How much of each stack is from below it.
        std::uint32_t marksBefore = 0, bitsBefore = 0, branchesBefore = 0, unknownBefore = 0;
        // Of the operation at hand:
        bool begun = false;
        bool matched = false;        // Properties: something applied to the member
        bool telling = false;        // AnyOf, OneOf: no branch fits, and each says why
        std::uint32_t stage = 0;     // which part of it is next
        std::uint32_t at = 0;        // the place of the item or key that is next
        std::uint32_t ordinal = 0;   // its number
        std::uint32_t found = kNone; // Properties: the place of the key in the list, or kNone
        std::uint32_t guess = 0;     // and of the next one, most likely
        std::uint32_t marks = 0;     // how much of these was there before it
        std::uint32_t bits = 0;
        std::uint32_t issues = 0;
        std::uint64_t hits = 0;

        json::Value value() const { return step.value; }
    };
    static constexpr std::uint64_t kStepsPerIssue = 50;

    enum class Goes { On, Wait };
    enum class Trial { None, Branch, Quiet }; // a branch's issues are kept apart

    // Begins a node on a value. True when its verdict stands already, in childOk_.
    bool start(const Asked &from, NodeIndex node, const Step &step, Trial trial = Trial::None);
    void leave();
    Goes apply(Frame &frame, const Op &op);

    // members.cpp: operations that apply nodes to items and members.
    bool flat(NodeIndex node, const Step &step);
    Goes items(Frame &frame, const ArrayRules &rules);
    Goes contains(Frame &frame, const ContainsRules &rules);
    Goes properties(Frame &frame, const ObjectRules &rules);
    NodeIndex nextFor(Frame &frame, const ObjectRules &rules, const Step &member);
    void requireKeys(Frame &frame, const ObjectRules &rules);
    void unknownKey(Frame &frame, const Step &member, std::string_view keyword);
    Goes propertyNames(Frame &frame, NodeIndex node);
    Goes unevaluated(Frame &frame, const Op &op);
    bool markBits(Frame &frame);
    void settleUnknown();
    Goes close(Frame &frame);

    // branches.cpp: operations that apply nodes to the same value.
    bool follow(Frame &frame, NodeIndex node, Trial trial);
    Goes reference(Frame &frame, NodeIndex node);
    NodeIndex dynamicTarget(const Op &op);
    Goes dependentSchema(Frame &frame, const Op &op);
    Goes choice(Frame &frame, const Op &op);
    static std::uint64_t choiceKey(const Frame &frame) {
        return std::uint64_t{frame.op} << 32U | frame.value().index();
    }
    void settleBranch(Frame &frame);
    void endChoice(Frame &frame, const Op &op);
    Goes negation(Frame &frame, NodeIndex node);
    Goes conditional(Frame &frame, const Op &op);

    // values.cpp: operations that look at the value alone.
    struct At {           // where issues of one go
        const Step *step; // beyond the frames, or null
        bool loud;
        std::uint32_t issuesEnd;
    };
    bool leaf(NodeIndex node, const Step &step, bool loud, std::uint32_t issuesEnd);
    bool look(const Op &op, json::Value value, const At &at);
    bool number(const Op &op, json::Value value, const At &at);
    bool string(const Op &op, json::Value value, const At &at);
    bool size(const Op &op, json::Value value, const At &at);
    bool oneOfValues(const Op &op, json::Value value, const At &at);
    bool unique(json::Value value, const At &at);
    bool dependentKeys(const std::vector<DependentKeys> &rules, json::Value value, const At &at);
    bool matches(std::uint32_t pattern, std::string_view text);
    void missingKey(const At &at, std::string_view keyword, std::string_view key,
                    std::string_view expected);

    // Takes steps off the budget; false once it is used up.
    bool spend(std::uint64_t steps) {
        if (stepsLeft_ < steps) {
            return exhaust("steps");
        }
        stepsLeft_ -= steps;
        return true;
    }
    bool exhaust(std::string_view what) {
        exhausted_ = exhausted_.empty() ? what : exhausted_;
        return false;
    }
    bool hasRoom(bool loud, std::uint32_t issuesEnd) const {
        return loud && exhausted_.empty() && issues_->size() < issuesEnd;
    }
    bool goesOn(const Frame &frame) const {
        return frame.ok || hasRoom(frame.loud, frame.issuesEnd);
    }
    At atFrame(const Frame &frame) const { return {nullptr, frame.loud, frame.issuesEnd}; }
    // Adds an issue if it is wanted; false always. `expected` and `found` give its words.
    bool issue(const At &at, std::string_view keyword, const auto &expected, const auto &found,
               json::Value value);
    bool issue(const At &at, std::string_view keyword, const auto &expected, json::Value value) {
        return issue(
            at, keyword, expected, [&] { return foundOf(value); }, value);
    }
    std::string pointer(const Step *beyond, Keys keys) const;

    struct Stacks { // kept by the thread, for their memory
        std::vector<Frame> frames;
        std::vector<std::uint32_t> marks;
        std::vector<char> bits;                   // what unevaluated() found marked
        std::vector<std::vector<Issue>> branches; // of choices that fail, each branch's issues
        std::vector<Unknown> unknown;             // a failed frame takes its own with it
    };
    static Stacks &stacksOfThread();

    const Program &program_;
    Stacks &stacks_;
    const std::size_t base_; // frames of others, below
    std::uint64_t stepsLeft_;
    const std::uint64_t stepsMax_;
    std::vector<Issue> *issues_;
    std::uint32_t issuesMax_;
    std::string_view exhausted_; // what ran out, or ""
    bool childOk_ = true;
    std::vector<Unknown> unknown_;
    std::unordered_set<std::uint64_t> failed_; // choices of which no branch fits, by choiceKey()
};

bool Machine::issue(const At &at, std::string_view keyword, const auto &expected, const auto &found,
                    json::Value value) {
    if (hasRoom(at.loud, at.issuesEnd) && spend(kStepsPerIssue + stacks_.frames.size())) {
        issues_->push_back({pointer(at.step, Keys::All), std::string(keyword), expected(), found(),
                            kindOf(value), pointer(at.step, Keys::OfSchema)});
    }
    return false;
}

} // namespace tenon::schema
