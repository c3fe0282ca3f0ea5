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
    // Exactly, if all else is as it should be; else those that nothing here has a word for.
    const bool exact = !quick.unknown().empty();
    for (const auto &unknown : exact ? quick.unknown() : slow.unknown()) {
        const auto key = value.at(unknown.member - 1).string();
        if (issues.size() >= issuesMax || program_->unknownKeys != UnknownKeys::Refuse) {
            break;
        }
        if (exact || !isKnown(*program_, unknown.node, key)) {
            issues.push_back({pointerTo(value, unknown.member), "unknownKeys",
                              keysExpected(*program_, unknown.node, Among::InPlace, key),
                              concat("the unknown key ", printable(key, 100)),
                              kindOf(value.at(unknown.member)), "/*"});
        }
    }
    removeTwins(issues);
    issues.resize(std::min(issues.size(), issuesMax));
    if (!quick.limit().empty() || issues.empty()) {
        const bool told = !quick.limit().empty();
        issues.resize(std::min(issues.size(), issuesMax - 1));
        issues.insert(issues.begin(),
                      {"", "limit",
                       told ? concat("a value that can be checked ", quick.limit())
                            : "a value that the schema takes",
                       told ? "one that cannot" : "one that it does not, too large to say where",
                       "a value", ""});
    }
    return issues;
}

} // namespace tenon::schema
