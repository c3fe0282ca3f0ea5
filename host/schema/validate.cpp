// SPDX-License-Identifier: Apache-2.0
// Value -> issues: a first run answers yes or no; a value that is refused is run again to say why.
#include "schema/machine.h"

#include "support/text.h"

#include <algorithm>

namespace tenon::schema {

std::string Issue::sentence() const {
    return concat(path.empty() ? "" : path, path.empty() ? "" : ": ", "expected ", expected,
                  ", found ", found);
}

std::vector<Issue> Schema::validate(json::Value value, std::size_t issuesMax) const {
    std::vector<Issue> issues;
    Machine quick(*program_, stepsMax_);
    if (quick.run(0, value)) {
        return issues;
    }
    issuesMax = std::max<std::size_t>(issuesMax, 1);
    Machine slow(*program_, stepsMax_, &issues, issuesMax);
    slow.run(0, value);
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
