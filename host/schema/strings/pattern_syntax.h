// SPDX-License-Identifier: Apache-2.0
// ECMA-262 patterns, checked and put in the words of the two engines. Private to this folder.
#pragma once

#include "support/result.h"

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

namespace tenon::schema {

// What to do with what is ECMA-262 only without the u flag and means one thing all the same.
enum class Strictness { Forgiving, Strict };

// A pattern in the syntax of both engines; where re2 and pcre2 differ, it is in Unicode properties.
struct Translation {
    std::string re2;
    std::string pcre2;
    bool needsPcre2 = false;       // it has what RE2 has not
    std::uint32_t leastMax = 0;    // the largest "at least" of a quantifier
    std::uint64_t counted = 1;     // the counts of all quantifiers, multiplied: what RE2 unrolls
    std::size_t classPartsMax = 0; // beyond Latin-1, of the largest class
};

Result<Translation> translatePattern(std::string_view source, Strictness strictness);

// A set of characters, as it stands between the brackets of a class.
struct CharacterSet {
    std::string re2; // "": RE2 cannot say it
    std::string pcre2;
};

// \p{...}, or \P{...} if negated: "L", "gc=Letter", "Script=Greek", "Alphabetic". None: unknown.
std::optional<CharacterSet> propertySet(std::string_view words, bool negated);

} // namespace tenon::schema
