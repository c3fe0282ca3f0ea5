// SPDX-License-Identifier: Apache-2.0
#include "schema/finish.h"

#include "schema/machine.h"
#include "support/text.h"

#include <algorithm>
#include <unordered_set>

namespace tenon::schema {

using json::Kind;
using json::Value;

namespace {

constexpr std::size_t kLooksMax = 64;                  // in search of a default, along references
constexpr std::uint64_t kDefaultsStepsMax = 1'000'000; // of the validation of all

// Calls `each` with every node that applies to the same value as this one.
enum class Asked { Too, Not };
template <class Each>
void forInPlace(const Program &program, NodeIndex node, Asked asked, Each each) {
    for (const Op *op = program.begin(node); op != program.end(node); ++op) {
        switch (op->code) {
        case OpCode::Ref:
        case OpCode::DynamicRef:
        case OpCode::DependentSchema: each(op->first); break;
        case OpCode::Not:
            if (asked == Asked::Too) {
                each(op->first);
            }
            break;
        case OpCode::AnyOf:
        case OpCode::OneOf:
        case OpCode::If:
            for (std::uint32_t i = op->code == OpCode::If && asked == Asked::Not ? 1 : 0;
                 i < op->count; ++i) {
                if (program.children[op->first + i] != kNone) {
                    each(program.children[op->first + i]);
                }
            }
            break;
        default: break;
        }
    }
}

// Whether a node comes back to itself on the same value: it would never come to an end.
bool hasCycle(const Program &program) {
    enum class Color : std::uint8_t { New, Open, Done };
    std::vector<Color> colors(program.nodes.size(), Color::New);
    std::vector<NodeIndex> open;
    for (NodeIndex start = 0; start < program.nodes.size(); ++start) {
        open.push_back(start);
        while (!open.empty()) {
            const NodeIndex node = open.back();
            if (colors[node] != Color::New) {
                colors[node] = Color::Done;
                open.pop_back();
                continue;
            }
            colors[node] = Color::Open;
            bool again = false;
            forInPlace(program, node, Asked::Too, [&](NodeIndex next) {
                again = again || colors[next] == Color::Open;
                if (colors[next] == Color::New) {
                    open.push_back(next);
                }
            });
            if (again) {
                return true;
            }
        }
    }
    return false;
}

std::uint32_t typesOf(const Program &program, const Op &op) {
    std::uint32_t types = 0;
    switch (op.code) {
    case OpCode::Never: return 0;
    case OpCode::Type: return op.first;
    case OpCode::Const: return typeOf(op.value);
    case OpCode::Enum:
        for (const Value item : op.value.items()) {
            types |= typeOf(item);
        }
        return types;
    case OpCode::Ref: return program.facts[op.first].types;
    case OpCode::AnyOf:
    case OpCode::OneOf:
        for (std::uint32_t i = 0; i < op.count; ++i) {
            types |= program.facts[program.children[op.first + i]].types;
        }
        return types;
    default: return kAllBits;
    }
}

// To a fixed point; each round only takes types away, and to stop early is to say too many.
void fillTypes(Program &program) {
    bool changed = true;
    for (int round = 0; changed && round < 64; ++round) {
        changed = false;
        for (NodeIndex node = 0; node < program.nodes.size(); ++node) {
            std::uint32_t types = program.facts[node].types;
            for (const Op *op = program.begin(node); op != program.end(node); ++op) {
                types &= typesOf(program, *op);
            }
            changed = changed || types != program.facts[node].types;
            program.facts[node].types = types;
        }
    }
}

// An object like most arguments: keys that are checked each by itself.
bool isFlat(const Program &program, NodeIndex node) {
    const Op *begin = program.begin(node);
    if (begin == program.end(node)) {
        return false;
    }
    const Op *last = program.end(node) - 1;
    if (last->code != OpCode::Properties ||
        !std::all_of(begin, last, [](const Op &op) { return looksAtValueAlone(op.code); })) {
        return false;
    }
    const ObjectRules &rules = program.objects[last->first];
    const auto isLeaf = [&](NodeIndex child) {
        return child == kNone || program.nodes[program.targetOf(child)].leaf;
    };
    const auto &list = rules.properties.list();
    return rules.patterns.empty() && isLeaf(rules.additional) &&
           std::all_of(list.begin(), list.end(),
                       [&](const Property &property) { return isLeaf(property.node); });
}

// Whether a node names keys, itself or in what applies with it; what only asks does not count.
bool namesKeys(const Program &program, NodeIndex node) {
    std::vector<NodeIndex> open{node};
    std::unordered_set<NodeIndex> seen{node};
    for (std::size_t i = 0; i < open.size(); ++i) {
        for (const Op *op = program.begin(open[i]); op != program.end(open[i]); ++op) {
            if (op->code == OpCode::Properties) {
                const auto &list = program.objects[op->first].properties.list();
                if (std::any_of(list.begin(), list.end(),
                                [](const Property &property) { return property.node != kNone; })) {
                    return true;
                }
            }
        }
        forInPlace(program, open[i], Asked::Not, [&](NodeIndex next) {
            if (seen.insert(next).second) {
                open.push_back(next);
            }
        });
    }
    return false;
}

// Objects of which no keys are named are free-form: the policy for unknown keys leaves them alone.
void takeBackPolicy(Program &program) {
    for (NodeIndex i = 0; i < program.nodes.size(); ++i) {
        Node &node = program.nodes[i];
        if (node.begin != node.end && program.ops[node.end - 1].code == OpCode::Close &&
            !namesKeys(program, i)) {
            --node.end;
        }
    }
}

void fillShapes(Program &program) {
    for (NodeIndex i = 0; i < program.nodes.size(); ++i) {
        Node &node = program.nodes[i];
        const Op *begin = program.begin(i);
        const Op *end = program.end(i);
        node.leaf =
            std::all_of(begin, end, [](const Op &op) { return looksAtValueAlone(op.code); });
        node.collects = std::any_of(
            begin, end, [](const Op &op) { return op.code >= OpCode::UnevaluatedItems; });
        // With a $dynamicRef somewhere, each step of the way counts.
        if (end - begin == 1 && begin->code == OpCode::Ref && program.dynamics.empty()) {
            node.target = begin->first;
        }
        if (end - begin == 1 && begin->code == OpCode::Type) {
            node.onlyType = static_cast<std::uint8_t>(begin->first);
        }
    }
    for (NodeIndex i = 0; i < program.nodes.size(); ++i) {
        program.nodes[i].flat = isFlat(program, i);
    }
    for (auto &rules : program.objects) {
        rules.properties.seal(program);
    }
}

// The default of a node, its own or the first one that its references have.
Value fallbackOf(const Program &program, NodeIndex node) {
    std::vector<NodeIndex> open{node};
    for (std::size_t i = 0; i < open.size() && i < kLooksMax; ++i) {
        if (const Value own = program.facts[open[i]].fallback) {
            return own;
        }
        for (const Op *op = program.begin(open[i]); op != program.end(open[i]); ++op) {
            if (op->code == OpCode::Ref) {
                open.push_back(op->first);
            }
        }
    }
    return {};
}

void fillDefaults(Program &program, const Limits &limits) {
    std::uint64_t stepsLeft = std::min(limits.validationStepsMax, kDefaultsStepsMax);
    for (auto &rules : program.objects) {
        for (auto &property : rules.properties.list()) {
            const Value fallback =
                property.node == kNone ? Value() : fallbackOf(program, property.node);
            if (!fallback) {
                continue;
            }
            Machine machine(program, stepsLeft);
            const bool valid = machine.run(property.node, fallback);
            stepsLeft = machine.stepsLeft();
            if (valid) {
                property.fallback = fallback;
                ++rules.fallbacks;
                program.hasDefaults = true;
            } else {
                program.notes.push_back(concat("the default ", printable(fallback.raw(), 80),
                                               " of \"", printable(property.key, 100),
                                               machine.limit().empty()
                                                   ? "\" is refused by its own schema"
                                                   : "\" takes too long to check",
                                               ", so it fills no absent key"));
            }
        }
    }
}

} // namespace

Result<void> finish(Program &program, const Limits &limits) {
    if (hasCycle(program)) {
        return Error{"schema.invalid",
                     "the schema refers to itself without end: a \"$ref\" leads back to its own "
                     "schema for the same value; expected each turn to go into a property or an "
                     "item"};
    }
    takeBackPolicy(program);
    fillShapes(program);
    fillTypes(program);
    fillDefaults(program, limits);
    return {};
}

} // namespace tenon::schema
