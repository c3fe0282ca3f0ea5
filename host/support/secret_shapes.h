// SPDX-License-Identifier: Apache-2.0
// How names and values stand in a text that somebody wrote: key=value, JSON and JSON within JSON,
// headers, URLs, sentences. Knows no secret names. Private to the masker.
//
// A place is an index into the text; one that is the text's size is its end. Every function looks
// at a bounded part of the text, or at each byte once.
#pragma once

#include <algorithm>
#include <string>
#include <string_view>

namespace tenon::shapes {

struct Span {
    std::size_t begin, end; // empty: nothing is there
};

char lower(char c);
bool isLetter(char c);
bool isQuote(char c);
bool isNamePart(char c);

// access_token, apiKey: a name that no plain sentence has.
bool isCompound(std::string_view name);

// db_pass, smtpPass; no compass.
bool endsInPass(std::string_view name);

// Whether text has one of these characters at `at`.
bool hasAt(std::string_view text, std::size_t at, std::string_view these);

// Behind these characters.
std::size_t behind(std::string_view text, std::size_t at, std::string_view skipped);

// Where text has one of the signs that a secret may stand behind: ":", "=", the end of "Bearer",
// the
// "--" of an option.
std::size_t nextSign(std::string_view text, std::size_t at);

// The name that stands before the sign at `at`.
struct Named {
    std::string_view name; // "" where none does
    std::size_t begin;
    bool quoted;
};
Named nameBefore(std::string_view text, std::size_t at);

// The end of what can be a word of a sentence; `at` where none is.
std::size_t endOfWord(std::string_view text, std::size_t at);

// Whether two words of a sentence stand at `at`.
bool isSentence(std::string_view text, std::size_t at);

// Behind "Bearer " and its like, or `at`.
std::size_t behindScheme(std::string_view text, std::size_t at);

// Finds the next of some characters; looks at each but once if it is asked for rising places, all
// of them beyond 0.
class Finder {
public:
    Finder(std::string_view text, std::string_view wanted) : text_(text), wanted_(wanted) {}
    std::size_t from(std::size_t at) {
        if (next_ < at) {
            next_ = std::min(text_.find_first_of(wanted_, at), text_.size());
        }
        return next_;
    }

private:
    std::string_view text_, wanted_;
    std::size_t next_ = 0;
};

// user:password of scheme://user:password@host, where `at` is behind "://": its end, or `at`. stops
// finds what ends a URL, and signs "@".
std::size_t endOfUserInfo(std::string_view text, std::size_t at, Finder &stops, Finder &signs);

// The value that begins at `at`: quoted, in brackets or bare.
Span valueAt(std::string_view text, std::size_t at);

// The end of a header's value: that of its line, or of the quoted text that the header is in, which
// begins before `name`.
std::size_t endOfHeader(std::string_view text, std::size_t name, std::size_t at);

// A token behind the "Bearer" that ends at `at`. Words of a sentence are none.
Span afterBearer(std::string_view text, std::size_t at);

// Whether a value can be no word of a program's text: "unexpected token: x".
bool isToken(std::string_view value);

} // namespace tenon::shapes
