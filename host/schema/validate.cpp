// SPDX-License-Identifier: Apache-2.0
// Value -> issues: a first run answers yes or no; a value that is refused is run again to say why.
#include "schema/machine.h"
#include "schema/words.h"

#include "support/text.h"

#include <algorithm>

namespace tenon::schema {

std::string Issue::sentence() const {
    return concat(printable(path), path.empty() ? "" : ": ", "expected ", expected, ", found ",
                  found);
}

namespace {

// The same may be asked by several subschemas.
void removeTwins(std::vector<Issue> &issues) {
    for (std::size_t i = 0; i < issues.size(); ++i) {
        const auto isTwin = [&, &one = issues[i]](const Issue &other) {
            return other.path == one.path && other.expected == one.expected;
        };
        issues.erase(std::remove_if(issues.begin() + static_cast<std::ptrdiff_t>(i) + 1,
                                    issues.end(), isTwin),
                     issues.end());
    }
}

} // namespace

std::vector<Issue> Schema::validate(json::Value value, std::size_t issuesMax) const {
    std::vector<Issue> issues;
    Machine quick(*program_, stepsMax_);
    if (quick.run(0, value)) {
        return issues;
    }
    issuesMax = std::max<std::size_t>(issuesMax, 1);
    Machine slow(*program_, stepsMax_, &issues, issuesMax);
    slow.run(0, value);
    for (const auto &unknown : slow.unknown()) { // all else is as it should be
        if (issues.size() == issuesMax) {
            break;
        }
        const json::Value member = value.at(unknown.member);
        const auto key = value.at(unknown.member - 1).string();
        const auto path = pointerTo(value, unknown.member);
        issues.push_back({path, "unknownKeys",
                          keysExpected(*program_, unknown.node, Among::InPlace, key),
                          concat("the unknown key ", printable(key, 100)), kindOf(member), path});
    }
    removeTwins(issues);
    issues.resize(std::min(issues.size(), issuesMax));
    if (!quick.limit().empty() || issues.empty()) {
        const auto limit = quick.limit().empty() ? slow.limit() : quick.limit();
        issues.resize(std::min(issues.size(), issuesMax - 1));
        issues.insert(issues.begin(), {"", "limit", concat("a value that can be checked ", limit),
                                       "one that cannot", "a value", ""});
    }
    return issues;
}

} // namespace tenon::schema
