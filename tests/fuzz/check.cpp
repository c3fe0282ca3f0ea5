// SPDX-License-Identifier: Apache-2.0
#include "check.h"

#include "json/writer.h"

#include <algorithm>
#include <cstdlib>
#include <iostream>

namespace tenon::fuzz {

Halves halvesOf(std::string_view text) {
    const auto end = std::min(text.find('\n'), text.size());
    return {text.substr(0, end), text.substr(std::min(end + 1, text.size()))};
}

void must(bool holds, std::string_view promise) {
    if (!holds) {
        std::cerr << "does not hold: " << promise << '\n';
        std::abort();
    }
}

json::Document readAgain(std::string text, std::string_view promise) {
    auto read = json::Document::read(std::move(text));
    if (!read) {
        std::cerr << read.error().message << '\n';
    }
    must(read.has_value(), promise);
    return std::move(*read);
}

namespace {

bool isLimited(const std::vector<schema::Issue> &issues) {
    return std::any_of(issues.begin(), issues.end(),
                       [](const auto &issue) { return issue.keyword == "limit"; });
}

} // namespace

Limits limits() {
    Limits limits;
    limits.validationStepsMax = 100'000;
    return limits;
}

void checkValue(const schema::Schema &schema, json::Value value, Defaults defaults) {
    const auto issues = schema.validate(value);
    for (const auto &issue : issues) {
        const auto quoted = json::Writer().string(issue.sentence()).take();
        readAgain(quoted, "a sentence is text in UTF-8");
        must(!issue.keyword.empty() && !issue.expected.empty(), "an issue names what it is about");
    }
    const auto prepared = schema.prepare(value);
    const bool changed = !prepared.document.empty();
    must(changed == !prepared.changes.empty(), "a changed value says what was changed");
    const auto first = schema.validate(value, 1);
    const auto again = schema.validate(changed ? prepared.document.root() : value);
    if (isLimited(issues) || isLimited(prepared.issues) || isLimited(first) || isLimited(again)) {
        return; // patterns may spend by the clock, so what is too costly is not so every time
    }
    must(first.empty() == issues.empty(), "how many issues are wanted does not change the verdict");
    must(again.empty() == prepared.issues.empty(), "a value is judged as it was prepared");
    if (issues.empty() && defaults == Defaults::Ignored) {
        must(!changed && prepared.issues.empty(), "a valid value is left as it is");
    }
}

} // namespace tenon::fuzz
