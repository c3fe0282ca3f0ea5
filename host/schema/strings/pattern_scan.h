// SPDX-License-Identifier: Apache-2.0
// The smallest parts of an ECMA-262 pattern, read from left to right. Private to this folder.
#pragma once

#include "schema/strings/pattern_syntax.h"

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace tenon::schema {

constexpr std::uint32_t kCodePointMax = 0x10FFFF;
constexpr std::uint32_t kUnbounded = UINT32_MAX;
struct Counts {
    std::uint32_t least, most; // most: kUnbounded if open
};

enum class InClass { No, Yes };

// The characters from first to last, but for halves of surrogate pairs.
void appendRange(CharacterSet &set, std::uint32_t first, std::uint32_t last);

class Scanner {
public:
    explicit Scanner(std::string_view source) : source_(source) {}

    std::size_t at() const { return at_; }
    bool atEnd() const { return at_ >= source_.size(); }
    std::string_view rest() const { return source_.substr(at_); }
    std::string_view textSince(std::size_t begin) const {
        return source_.substr(begin, at_ - begin);
    }
    std::string_view excerpt(std::size_t characters) const; // of what comes next
    char peek(std::size_t ahead = 0) const {
        return at_ + ahead < source_.size() ? source_[at_ + ahead] : '\0';
    }
    void skip(std::size_t bytes) { at_ += bytes; }
    bool take(std::string_view word) {
        const bool found = rest().starts_with(word);
        at_ += found ? word.size() : 0;
        return found;
    }

    // The first failure counts; after it everything is at the end.
    void fail(std::string_view message) { failAt(at_, message); }
    void failAt(std::size_t at, std::string_view message);
    bool failed() const { return !message_.empty(); }
    Error error() const { return {"schema.pattern", message_}; }

    std::uint32_t codePoint();      // only where there is one
    std::uint32_t number();         // its digits, capped far above any use
    std::string_view groupName();   // up to and with its ">"
    std::optional<Counts> counts(); // {2}, {2,} or {2,3}; none: nothing is taken
    // \d \D \w \W \s \S \p{..} \P{..}; none: nothing is taken.
    std::optional<CharacterSet> setEscape();
    // Any other escape, as the character that it means.
    std::uint32_t characterEscape(InClass inClass, bool strict);
    // The names of all the capturing groups of the pattern, "" where they have none.
    std::vector<std::string_view> groups() const;

private:
    std::optional<std::uint32_t> hexDigits(std::size_t count);
    std::uint32_t unicodeEscape();
    std::uint32_t octalEscape(bool strict);
    std::optional<CharacterSet> property();

    std::string_view source_;
    std::size_t at_ = 0;
    std::string message_;
};

} // namespace tenon::schema
