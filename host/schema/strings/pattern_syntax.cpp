// SPDX-License-Identifier: Apache-2.0
// One pass over the pattern with a list of its open groups: nothing here recurses.
#include "schema/strings/pattern_syntax.h"

#include "schema/strings/pattern_scan.h"
#include "support/text.h"

#include <algorithm>
#include <vector>

namespace tenon::schema {

namespace {

using std::string_view;

constexpr std::size_t kBytesMax = 16U << 10;
constexpr std::size_t kNestingMax = 200;
constexpr std::uint32_t kCountMax = 65'535;   // PCRE2's
constexpr std::uint32_t kRe2CountMax = 1'000; // RE2's

// Parts of a class that an engine cannot look up in a table of bytes.
std::size_t partsBeyondLatin1(string_view inside) {
    std::size_t parts = 0;
    for (auto at = inside.find('\\'); at != inside.npos; at = inside.find('\\', at + 1)) {
        const bool code = inside.substr(at, 3) == "\\x{";
        parts += code && inside.find('}', at) - at <= 5 ? 0 : 1;
    }
    return parts;
}

class Translator {
public:
    Translator(string_view source, Strictness strictness)
        : in_(source), strict_(strictness == Strictness::Strict) {}

    Result<Translation> run() {
        if (in_.rest().size() > kBytesMax) {
            in_.fail(concat("it has ", in_.rest().size(), " bytes, the limit is ", kBytesMax));
        } else if (invalidUtf8At(in_.rest()) != string_view::npos) {
            in_.fail("it is not UTF-8");
        }
        groups_ = in_.groups();
        while (!in_.failed() && !in_.atEnd()) {
            term();
        }
        if (!in_.failed() && !open_.empty()) {
            in_.failAt(open_.back().at, "this group is never closed; expected \")\"");
        }
        if (in_.failed()) {
            return in_.error();
        }
        return std::move(out_);
    }

private:
    // What a quantifier would be about.
    enum class Last { Nothing, Assertion, LookAhead, Atom };
    struct Open {
        std::size_t at;
        Last becomes; // what the group is once closed
    };

    void emit(string_view text) {
        out_.re2 += text;
        out_.pcre2 += text;
    }
    void emit(string_view text, Last last) {
        emit(text);
        last_ = last;
    }

    void term() {
        const auto at = in_.at();
        switch (in_.peek()) {
        case '^': in_.skip(1), emit("\\A", Last::Assertion); return;
        case '$': in_.skip(1), emit("\\z", Last::Assertion); return;
        case '|': in_.skip(1), emit("|", Last::Nothing); return;
        case '.':
            in_.skip(1);
            emit(R"([^\x{A}\x{D}\x{2028}\x{2029}])", Last::Atom);
            return;
        case '(': group(); return;
        case ')': close(); return;
        case '[': characterClass(); return;
        case '*': in_.skip(1), quantify(at, "*"); return;
        case '+': in_.skip(1), quantify(at, "+"); return;
        case '?': in_.skip(1), quantify(at, "?"); return;
        case '{': braces(); return;
        case '}':
        case ']': loneBracket(); return;
        case '\\': escape(); return;
        default: literal(in_.codePoint());
        }
    }

    void loneBracket() {
        if (strict_) {
            return in_.fail(concat("a lone \"", in_.peek(), "\"; expected \"\\", in_.peek(), "\""));
        }
        literal(in_.codePoint());
    }

    void literal(std::uint32_t code) {
        CharacterSet set;
        appendRange(set, code, code);
        if (set.re2.empty()) { // half of a surrogate pair: no text has it
            return emitClass(set, Negated::No);
        }
        emit(set.re2, Last::Atom);
    }

    void group() {
        const auto at = in_.at();
        Last becomes = Last::Atom;
        if (in_.take("(?:")) {
            emit("(?:");
        } else if (in_.take("(?=") || in_.take("(?!")) {
            becomes = Last::LookAhead;
        } else if (in_.take("(?<=") || in_.take("(?<!")) {
            becomes = Last::Assertion;
        } else if (in_.take("(?<")) {
            if (const string_view name = in_.groupName(); !isFirst(groups_, name, ++captures_)) {
                in_.failAt(at, concat("a second group of the name \"", name, "\""));
            }
            emit("(");
        } else if (in_.rest().starts_with("(?")) {
            in_.fail(concat("\"", in_.excerpt(3),
                            "\" begins no group of ECMA-262; expected (?:, (?=, (?!, (?<=, (?<! or "
                            "(?<name>"));
        } else {
            in_.skip(1);
            ++captures_;
            emit("(");
        }
        if (becomes != Last::Atom) {
            emit(in_.textSince(at));
            out_.needsPcre2 = true;
        }
        open_.push_back({at, becomes});
        last_ = Last::Nothing;
        if (open_.size() > kNestingMax) {
            in_.failAt(at, concat("groups nested deeper than ", kNestingMax, ", the limit"));
        }
    }

    void close() {
        if (open_.empty()) {
            return in_.fail("\")\" closes no group; expected \"\\)\"");
        }
        in_.skip(1);
        emit(")", open_.back().becomes);
        open_.pop_back();
    }

    void braces() {
        const auto at = in_.at();
        const auto counts = in_.counts();
        if (!counts) {
            return loneBracket();
        }
        if (counts->most < counts->least) {
            return in_.failAt(at, "the counts are out of order; expected {least,most}");
        }
        const auto bound = counts->most == kUnbounded ? counts->least : counts->most;
        if (bound > kCountMax && !strict_) {
            return in_.failAt(at, concat("a count above ", kCountMax, ", the limit"));
        }
        out_.needsPcre2 = out_.needsPcre2 || bound > kRe2CountMax;
        out_.leastMax = std::max(out_.leastMax, counts->least);
        out_.counted = std::min(out_.counted * std::max(bound, 1U), std::uint64_t{kCountMax});
        quantify(at, in_.textSince(at));
    }

    void quantify(std::size_t at, string_view quantifier) {
        const bool allowed = last_ == Last::Atom || (last_ == Last::LookAhead && !strict_);
        if (!allowed) {
            return in_.failAt(at, concat("there is nothing that \"", quantifier,
                                         "\" could repeat; expected something before it"));
        }
        emit(quantifier, Last::Nothing);
        if (in_.take("?")) {
            emit("?");
        }
    }

    void escape() {
        const char letter = in_.peek(1);
        if (letter == 'b' || letter == 'B') {
            emit(letter == 'b' ? "\\b" : "\\B", Last::Assertion);
            out_.needsPcre2 = out_.needsPcre2 || letter == 'B'; // RE2's looks into characters
            return in_.skip(2);
        }
        if (letter == 'k' || (letter >= '1' && letter <= '9')) {
            return backReference();
        }
        if (const auto set = in_.setEscape()) {
            return emitClass(*set, Negated::No);
        }
        literal(in_.characterEscape(InClass::No, strict_));
    }

    void backReference() {
        const auto at = in_.at();
        std::size_t group = 0;
        if (in_.take("\\k<")) {
            const string_view name = in_.groupName();
            const auto found = std::find(groups_.begin(), groups_.end(), name);
            group = static_cast<std::size_t>(found - groups_.begin()) + 1;
        } else if (!in_.take("\\k")) {
            in_.skip(1);
            group = in_.number();
        }
        if (group == 0 || group > groups_.size()) {
            return in_.failAt(at,
                              concat("\"", in_.textSince(at),
                                     "\" refers to no group; the pattern has ", groups_.size()));
        }
        emit(concat("\\g{", group, "}"), Last::Atom);
        out_.needsPcre2 = true;
    }

    enum class Negated { No, Yes };
    void emitClass(const CharacterSet &set, Negated negated) {
        out_.needsPcre2 = out_.needsPcre2 || (set.re2.empty() && !set.pcre2.empty());
        const auto whole = [&](string_view inside) {
            if (inside.empty()) { // nothing, or anything
                return concat(negated == Negated::Yes ? "[" : "[^", R"(\x{0}-\x{10FFFF}])");
            }
            return concat(negated == Negated::Yes ? "[^" : "[", inside, "]");
        };
        out_.re2 += whole(set.re2);
        out_.pcre2 += whole(set.pcre2);
        out_.classPartsMax = std::max(out_.classPartsMax, partsBeyondLatin1(set.pcre2));
        last_ = Last::Atom;
    }

    // A part of a class: a set, or one character.
    struct Part {
        std::optional<CharacterSet> set;
        std::uint32_t code = 0;
        char escape = '\0'; // of a set: its letter
    };
    Part classPart() {
        if (in_.peek() != '\\') {
            return {std::nullopt, in_.codePoint()};
        }
        const char letter = in_.peek(1);
        if (auto set = in_.setEscape()) {
            return {std::move(set), 0, letter};
        }
        return {std::nullopt, in_.characterEscape(InClass::Yes, strict_)};
    }

    void characterClass() {
        const auto at = in_.at();
        in_.skip(1);
        const auto negated = in_.take("^") ? Negated::Yes : Negated::No;
        CharacterSet all;
        bool beyondRe2 = false;
        std::string escapes;
        const auto add = [&](const Part &part) {
            if (!part.set) {
                return appendRange(all, part.code, part.code);
            }
            beyondRe2 = beyondRe2 || (part.set->re2.empty() && !part.set->pcre2.empty());
            all.re2 += part.set->re2;
            all.pcre2 += part.set->pcre2;
            escapes += part.escape;
        };
        while (!in_.failed() && !in_.atEnd() && in_.peek() != ']') {
            const auto partAt = in_.at();
            const Part first = classPart();
            if (in_.peek() != '-' || in_.peek(1) == ']' || in_.rest().size() < 2) {
                add(first);
                continue;
            }
            in_.skip(1);
            const Part last = classPart();
            if (!first.set && !last.set) {
                if (first.code > last.code) {
                    in_.failAt(partAt,
                               concat("the range \"", in_.textSince(partAt), "\" is out of order"));
                }
                appendRange(all, first.code, last.code);
                continue;
            }
            if (strict_) {
                in_.failAt(partAt, concat("\"", in_.textSince(partAt),
                                          "\" is no range; expected a character on both sides"));
            }
            add(first);
            add({std::nullopt, '-'});
            add(last);
        }
        if (in_.atEnd()) {
            return in_.failAt(at, "this class is never closed; expected \"]\"");
        }
        in_.skip(1);
        for (const string_view both : {"dD", "wW", "sS"}) { // [\s\S] is how many write "anything"
            const auto has = [&](char letter) { return escapes.find(letter) != std::string::npos; };
            if (has(both[0]) && has(both[1])) {
                all = {};
                appendRange(all, 0, kCodePointMax);
            }
        }
        emitClass(all, negated);
        out_.needsPcre2 = out_.needsPcre2 || beyondRe2;
    }

    static bool isFirst(const std::vector<string_view> &groups, string_view name,
                        std::size_t number) {
        const auto found = std::find(groups.begin(), groups.end(), name);
        return number == static_cast<std::size_t>(found - groups.begin()) + 1;
    }

    Scanner in_;
    bool strict_;
    Translation out_;
    std::vector<string_view> groups_; // the names of the capturing groups, "" where none
    std::size_t captures_ = 0;        // that have begun
    std::vector<Open> open_;
    Last last_ = Last::Nothing;
};

} // namespace

Result<Translation> translatePattern(string_view source, Strictness strictness) {
    return Translator(source, strictness).run();
}

} // namespace tenon::schema
