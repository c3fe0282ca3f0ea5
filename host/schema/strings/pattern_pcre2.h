// SPDX-License-Identifier: Apache-2.0
// PCRE2 with a bound on what one search may cost. Private to this folder.
#pragma once

#include "support/result.h"

#include <cstdint>
#include <memory>
#include <string>
#include <string_view>

struct pcre2_real_code_8;

namespace tenon::schema {

class Pcre2 {
public:
    // What makes one item of an expression cost more than a step.
    struct Weight {
        std::uint32_t leastMax = 0;    // the largest "at least" of a quantifier
        std::size_t classPartsMax = 0; // beyond Latin-1, of the largest class
    };
    // An expression in PCRE2's own syntax. The error holds PCRE2's words only.
    static Result<Pcre2> compile(const std::string &expression, const Weight &weight);

    enum class Found { No, Yes, TooCostly };
    // Adds what it costs to `cost`, in units of a nanosecond or two; the same for the same text.
    Found search(std::string_view utf8, std::uint64_t &cost) const noexcept; // thread-safe

private:
    struct Free {
        void operator()(pcre2_real_code_8 *code) const;
    };
    std::unique_ptr<pcre2_real_code_8, Free> code_;
    std::int64_t itemCost_ = 0; // of an item of the expression at one place, at most
    std::int64_t characterCost_ = 1;
    bool refersBack_ = false;
};

} // namespace tenon::schema
