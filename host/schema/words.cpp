// SPDX-License-Identifier: Apache-2.0
#include "schema/words.h"

#include "support/text.h"

#include <algorithm>
#include <array>
#include <optional>

namespace tenon::schema {

namespace {

constexpr std::size_t kBranchesTold = 8;
constexpr std::size_t kWordsBytesMax = 800; // of what one issue says was expected
constexpr std::size_t kKeyBytesMax = 200;   // in a path
constexpr std::size_t kNodesLookedAt = 256;
constexpr std::size_t kKeysCompared = 1'000; // with one that is not known

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
    for (const char c : key.size() <= kKeyBytesMax ? std::string(key) : printable(key, 100)) {
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

std::string counted(std::uint64_t count, std::string_view noun) {
    return concat(count, " ", noun, count == 1 ? "" : "s");
}

std::string valuesOf(json::Value list, json::Value found) {
    std::vector<std::string_view> texts;
    for (const json::Value item : list.items()) {
        if (item.isString()) {
            texts.push_back(item.string());
        }
    }
    const auto near = found.isString() ? nearest(found.string(), texts) : std::string();
    return concat("one of ", printable(list.raw(), 500),
                  near.empty() ? "" : concat(" (did you mean \"", printable(near, 100), "\"?)"));
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

namespace {

// A node and what applies along with it, each once.
std::vector<NodeIndex> closureOf(const Program &program, NodeIndex node, Among among) {
    std::vector<NodeIndex> open{node};
    const auto add = [&](NodeIndex next) {
        if (next != kNone && open.size() < kNodesLookedAt &&
            std::find(open.begin(), open.end(), next) == open.end()) {
            open.push_back(next);
        }
    };
    for (std::size_t i = 0; i < open.size() && among == Among::InPlace; ++i) {
        for (const Op *op = program.begin(open[i]); op != program.end(open[i]); ++op) {
            if (op->code == OpCode::Ref || op->code == OpCode::DependentSchema ||
                op->code == OpCode::DynamicRef) {
                add(op->first);
            } else if (op->code == OpCode::AnyOf || op->code == OpCode::OneOf ||
                       op->code == OpCode::If) {
                for (std::uint32_t k = 0; k < op->count; ++k) {
                    add(program.children[op->first + k]);
                }
            }
        }
    }
    return open;
}

template <class Each>
void forRules(const Program &program, NodeIndex node, Among among, Each each) {
    for (const NodeIndex one : closureOf(program, node, among)) {
        for (const Op *op = program.begin(one); op != program.end(one); ++op) {
            if (op->code == OpCode::Properties) {
                each(program.objects[op->first]);
            }
        }
    }
}

} // namespace

std::string keysExpected(const Program &program, NodeIndex node, Among among,
                         std::string_view found) {
    std::vector<std::string_view> keys;
    std::string patterns;
    forRules(program, node, among, [&](const ObjectRules &rules) {
        for (const auto &property : rules.properties.list()) {
            if (property.node != kNone) {
                keys.push_back(property.key);
            }
        }
        for (const auto &[pattern, schema] : rules.patterns) {
            patterns +=
                concat(" or keys that match ", printable(program.patterns[pattern]->source(), 100));
        }
    });
    std::sort(keys.begin(), keys.end());
    keys.erase(std::unique(keys.begin(), keys.end()), keys.end());
    if (keys.empty()) {
        return patterns.empty() ? "no keys at all" : concat("only", patterns.substr(3));
    }
    const auto near = keys.size() <= kKeysCompared ? nearest(found, keys) : std::string();
    return concat("only the keys ", printable(listed(keys), kWordsBytesMax), patterns,
                  near.empty() ? "" : concat(" (did you mean ", printable(near, 100), "?)"));
}

bool isKnown(const Program &program, NodeIndex node, std::string_view key) {
    bool known = false;
    forRules(program, node, Among::InPlace, [&](const ObjectRules &rules) {
        const auto place = rules.properties.find(key, 0);
        known = known || (place != kNone && rules.properties.nodeAt(place) != kNone) ||
                (rules.additional != kNone && !program.refusesAll(rules.additional));
        for (const auto &[pattern, schema] : rules.patterns) {
            const Pattern &regex = *program.patterns[pattern];
            known = known || !regex.linear() || regex.search(key) == Pattern::Match::Yes;
        }
    });
    return known;
}

std::string pointerTo(json::Value root, std::uint32_t index) {
    std::string out;
    json::Value at = root;
    while (at.index() != index && out.size() < 1'000) {
        json::Value inside;
        std::size_t i = 0;
        for (const json::Value item : at.items()) {
            if (item.index() <= index && index < item.past()) {
                inside = item;
                out += concat("/", i);
                break;
            }
            ++i;
        }
        for (const auto member : at.members()) {
            if (member.value.index() <= index && index < member.value.past()) {
                inside = member.value;
                out += tokenOf(member.key);
                break;
            }
        }
        if (!inside) {
            break;
        }
        at = inside;
    }
    return out;
}

namespace {

// "A; or B", each once and no longer than is useful.
std::string alternatives(const std::vector<std::string> &words) {
    std::string out;
    std::size_t told = 0;
    for (; told < words.size() && told < kBranchesTold && out.size() < kWordsBytesMax; ++told) {
        out += concat(told == 0 ? "" : "; or ", printable(words[told], kWordsBytesMax / 2));
    }
    return told == words.size() ? out : concat(out, "; or one of ", words.size() - told, " more");
}

void addOnce(std::vector<std::string> &words, std::string word) {
    if (std::find(words.begin(), words.end(), word) == words.end()) {
        words.push_back(std::move(word));
    }
}

// The issue of a branch that is about this place.
const Issue *issueAt(const std::vector<Issue> &issues, const std::string &path) {
    const auto found = std::find_if(issues.begin(), issues.end(),
                                    [&](const Issue &issue) { return issue.path == path; });
    return found == issues.end() ? nullptr : &*found;
}

// Where every branch has an issue about one place below the choice, such as the key that tells the
// shapes apart: what they want there.
std::optional<Issue> sharedIssue(const std::vector<std::vector<Issue>> &branches,
                                 const Issue &choice) {
    for (const auto &candidate : branches[0]) {
        std::vector<std::string> wanted;
        const bool shared = candidate.path != choice.path &&
                            std::all_of(branches.begin(), branches.end(), [&](const auto &branch) {
                                const auto *issue = issueAt(branch, candidate.path);
                                if (issue != nullptr) {
                                    addOnce(wanted, issue->expected);
                                }
                                return issue != nullptr;
                            });
        if (shared) {
            Issue out = candidate;
            out.keyword = choice.keyword;
            out.expected = alternatives(wanted);
            return out;
        }
    }
    return std::nullopt;
}

} // namespace

std::vector<Issue> closestOf(std::vector<std::vector<Issue>> branches, const Issue &choice) {
    std::size_t best = 0, least = SIZE_MAX;
    bool alone = false;
    std::vector<std::string> reasons;
    for (std::size_t i = 0; i < branches.size(); ++i) {
        const auto far = distance(branches[i], choice);
        alone = far < least || (alone && far > least);
        best = far < least ? i : best;
        least = std::min(least, far);
        if (!branches[i].empty()) {
            const Issue &first = branches[i][0];
            const auto below = std::string_view(first.shape).substr(choice.shape.size());
            addOnce(reasons, concat(below, below.empty() ? "" : ": ", first.expected));
        }
    }
    if (alone && branches.size() > 1 && least < 1'000) {
        return std::move(branches[best]);
    }
    if (auto shared = sharedIssue(branches, choice)) {
        return {*shared};
    }
    Issue all = choice;
    all.expected = reasons.empty() ? "a value that one of its shapes takes"
                                   : concat("one of these shapes: ", alternatives(reasons));
    return {all};
}

} // namespace tenon::schema
