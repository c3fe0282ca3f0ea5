// SPDX-License-Identifier: Apache-2.0
#include "schema/words.h"

#include "support/text.h"

#include <algorithm>
#include <array>

namespace tenon::schema {

namespace {

constexpr std::size_t kBranchesTold = 8;
constexpr std::size_t kNodesLookedAt = 256;

std::string withArticle(std::string_view word) {
    const bool vowel = std::string_view("aeio").find(word[0]) != std::string_view::npos;
    return concat(vowel ? "an " : "a ", word);
}

// How far a branch is from fitting: not of this type at all, of another kind by one of its
// constants, or of this kind and wrong in some places.
std::size_t distance(const std::vector<Issue> &issues, const Issue &choice) {
    std::size_t worst = 0;
    for (const auto &issue : issues) {
        const bool fixed = issue.keyword == "const" || issue.keyword == "enum";
        const bool here = issue.path == choice.path;
        const bool another = here && (fixed || issue.keyword == "type" || issue.keyword == "false");
        worst = std::max<std::size_t>(worst, another ? 2'000 : fixed ? 1'000 : 0);
    }
    return worst + issues.size();
}

} // namespace

std::string tokenOf(std::string_view key) {
    std::string token = "/";
    for (const char c : printable(key, 100)) {
        c == '~' ? token += "~0" : c == '/' ? token += "~1" : token += c;
    }
    return token;
}

std::string kindOf(json::Value value) {
    return value.isNull() ? "null" : withArticle(json::nameOf(value.kind()));
}

std::string foundOf(json::Value value) {
    if (value.isArray() || value.isObject() || value.isNull()) {
        return kindOf(value);
    }
    return concat("the ", json::nameOf(value.kind()), " ", printable(value.raw(), 100));
}

std::string typesOf(std::uint32_t mask) {
    static constexpr std::array<std::pair<std::uint32_t, std::string_view>, 7> kNames{
        {{kStringBit, "string"},
         {kIntegerBit, "integer"},
         {kNumberBit, "number"},
         {kBooleanBit, "boolean"},
         {kObjectBit, "object"},
         {kArrayBit, "array"},
         {kNullBit, "null"}}};
    std::string out;
    for (const auto &[bit, name] : kNames) {
        const bool said = bit == kIntegerBit && (mask & kNumberBit) != 0; // it is one
        if ((mask & bit) != 0 && !said) {
            out += (out.empty() ? "" : " or ") + (bit == kNullBit ? "null" : withArticle(name));
        }
    }
    return out;
}

std::string keysExpected(const Program &program, NodeIndex node, Among among,
                         std::string_view found) {
    std::vector<NodeIndex> open{node};
    std::vector<std::string_view> keys;
    std::string patterns;
    for (std::size_t i = 0; i < open.size() && i < kNodesLookedAt; ++i) {
        for (const Op *op = program.begin(open[i]); op != program.end(open[i]); ++op) {
            if (op->code == OpCode::Properties) {
                const ObjectRules &rules = program.objects[op->first];
                for (const auto &property : rules.properties.list()) {
                    if (property.node != kNone) {
                        keys.push_back(property.key);
                    }
                }
                for (const auto &[pattern, schema] : rules.patterns) {
                    patterns += concat(" or keys that match ",
                                       printable(program.patterns[pattern]->source(), 100));
                }
            } else if (among == Among::InPlace && op->code == OpCode::Ref) {
                open.push_back(op->first);
            } else if (among == Among::InPlace &&
                       (op->code == OpCode::AnyOf || op->code == OpCode::OneOf)) {
                open.insert(open.end(), program.children.begin() + op->first,
                            program.children.begin() + op->first + op->count);
            }
        }
    }
    std::sort(keys.begin(), keys.end());
    keys.erase(std::unique(keys.begin(), keys.end()), keys.end());
    if (keys.empty()) {
        return patterns.empty() ? "no keys at all" : concat("only", patterns.substr(3));
    }
    const auto near = nearest(found, keys);
    return concat("only the keys ", listed(keys), patterns,
                  near.empty() ? "" : concat(" (did you mean ", near, "?)"));
}

std::vector<Issue> closestOf(std::vector<std::vector<Issue>> branches, const Issue &choice) {
    std::size_t best = 0, least = SIZE_MAX;
    bool alone = false;
    std::string reasons;
    for (std::size_t i = 0; i < branches.size(); ++i) {
        const auto far = distance(branches[i], choice);
        alone = far < least || (alone && far > least);
        best = far < least ? i : best;
        least = std::min(least, far);
        if (i < kBranchesTold && !branches[i].empty()) {
            const Issue &first = branches[i][0];
            const auto below = std::string_view(first.shape).substr(choice.shape.size());
            reasons += concat(reasons.empty() ? "" : "; or ", below, below.empty() ? "" : ": ",
                              first.expected);
        }
    }
    if (alone && branches.size() > 1 && least < 1'000) {
        return std::move(branches[best]);
    }
    Issue all = choice;
    all.expected = concat("one of these shapes: ", reasons);
    return {all};
}

} // namespace tenon::schema
