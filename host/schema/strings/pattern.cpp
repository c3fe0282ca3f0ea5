// SPDX-License-Identifier: Apache-2.0
#include "schema/strings/pattern.h"

#include "schema/strings/pattern_pcre2.h"
#include "schema/strings/pattern_syntax.h"
#include "support/text.h"

#include <re2/re2.h>

#include <optional>

namespace tenon::schema {

namespace {

std::unique_ptr<const RE2> compileRe2(const std::string &expression) {
    RE2::Options options;
    options.set_log_errors(false);
    options.set_max_mem(8 << 20);
    options.set_never_capture(true);
    auto regex = std::make_unique<const RE2>(expression, options);
    return regex->ok() ? std::move(regex) : nullptr;
}

// RE2 unrolls counts, and a long expression is as long a program. A search may then step through
// all of it at every byte, which takes a minute where the text is long, so PCRE2 takes the long
// texts.
constexpr std::size_t kStepsMax = 8'000'000;
bool isUnrolled(const Translation &translated, const RE2 &regex) {
    const int size = regex.ProgramSize();
    return size > 1'500 || (translated.counted > 32 && size > 200);
}

Error refused(std::string_view source, std::string_view why) {
    return {"schema.pattern",
            concat("the pattern \"", printable(source, 200), "\" is refused ", why)};
}

} // namespace

// One of them at least.
struct Pattern::Engines {
    std::unique_ptr<const RE2> re2;
    std::size_t re2BytesMax = SIZE_MAX; // the longest text for re2
    std::optional<Pcre2> pcre2;
};

Pattern::Pattern(std::string_view source, std::unique_ptr<const Engines> engines)
    : source_(source), engines_(std::move(engines)) {}
Pattern::~Pattern() = default;

Result<std::unique_ptr<const Pattern>> Pattern::compile(std::string_view source) {
    const auto translated = translatePattern(source, Strictness::Forgiving);
    if (!translated) {
        return refused(source, translated.error().message);
    }
    auto engines = std::make_unique<Engines>();
    if (!translated->needsPcre2) {
        engines->re2 = compileRe2(translated->re2);
    }
    if (engines->re2 && isUnrolled(*translated, *engines->re2)) {
        engines->re2BytesMax = kStepsMax / static_cast<std::size_t>(engines->re2->ProgramSize());
    }
    if (!engines->re2 || engines->re2BytesMax != SIZE_MAX) {
        auto made =
            Pcre2::compile(translated->pcre2, {translated->leastMax, translated->classPartsMax});
        if (made) {
            engines->pcre2 = std::move(*made);
        } else if (!engines->re2) {
            return refused(source, concat("by the engine PCRE2: ", made.error().message));
        }
    }
    return std::unique_ptr<const Pattern>(new Pattern(source, std::move(engines)));
}

Pattern::Match Pattern::search(std::string_view utf8, std::uint64_t &cost) const noexcept {
    if (engines_->re2 && utf8.size() <= engines_->re2BytesMax) {
        const bool found = RE2::PartialMatch({utf8.data(), utf8.size()}, *engines_->re2);
        return found ? Match::Yes : Match::No;
    }
    if (!engines_->pcre2) {
        return Match::TooCostly;
    }
    switch (engines_->pcre2->search(utf8, cost)) {
    case Pcre2::Found::Yes: return Match::Yes;
    case Pcre2::Found::No: return Match::No;
    default: return Match::TooCostly;
    }
}

std::size_t Pattern::weight() const {
    return engines_->re2 ? static_cast<std::size_t>(engines_->re2->ProgramSize())
                         : 10 * source_.size();
}

bool Pattern::linear() const {
    return engines_->re2 && engines_->re2BytesMax == SIZE_MAX;
}

bool isEcmaRegex(std::string_view text) {
    return translatePattern(text, Strictness::Strict).has_value();
}

} // namespace tenon::schema
