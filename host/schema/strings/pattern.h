// SPDX-License-Identifier: Apache-2.0
// Regular expressions as JSON Schema means them: ECMA-262 with the u flag, on code points.
//
// RE2 runs what it can, in time linear in the text. Look-around, back-references and large counts
// run on PCRE2, which gives up when a search would cost much more than 50 ms.
#pragma once

#include "support/result.h"

#include <cstdint>
#include <memory>
#include <string>
#include <string_view>

namespace tenon::schema {

class Pattern {
public:
    // The error says what is wrong and where. Legal without the u flag only, and taken all the same
    // for the tools that use it: escapes that need none (\-, \@), a lone "{", "}" or "]".
    static Result<std::unique_ptr<const Pattern>> compile(std::string_view source);
    ~Pattern();
    Pattern(const Pattern &) = delete;
    Pattern &operator=(const Pattern &) = delete;

    enum class Match { No, Yes, TooCostly }; // TooCostly: given up at a limit
    // Whether it matches somewhere in a text, which is UTF-8. Thread-safe. Adds to `cost` what a
    // search costs that is not in linear time: units of a nanosecond or two, the same for the same
    // text.
    Match search(std::string_view utf8, std::uint64_t &cost) const noexcept;
    Match search(std::string_view utf8) const noexcept {
        std::uint64_t cost = 0;
        return search(utf8, cost);
    }
    bool linear() const;        // never TooCostly: in time linear in the text
    std::size_t weight() const; // instructions of the engine's program, about
    std::string_view source() const { return source_; }

private:
    struct Engines;
    Pattern(std::string_view source, std::unique_ptr<const Engines> engines);

    std::string source_;
    std::unique_ptr<const Engines> engines_;
};

// Whether text is an ECMA-262 regular expression, the format "regex": nothing is forgiven but a
// needless "\" before punctuation.
bool isEcmaRegex(std::string_view text);

} // namespace tenon::schema
