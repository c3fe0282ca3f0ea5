// SPDX-License-Identifier: Apache-2.0
// What a tool's refusal says, for tests of it.
#pragma once

#include <tenon/context.hpp>

#include <catch2/catch.hpp>

#include <string>

struct Refusal {
    std::string code, message, hint;
};

template <class Work> Refusal refusalOf(Work work) {
    try {
        work();
    } catch (const tenon::ToolError &error) {
        const auto failure = error.failure();
        return {error.code(), error.what(), std::string(tenon::view(failure.hint))};
    }
    FAIL("nothing was refused");
    return {};
}

inline bool holds(const std::string &text, const std::string &part) {
    return text.find(part) != std::string::npos;
}
