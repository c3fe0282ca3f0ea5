// SPDX-License-Identifier: Apache-2.0
// text_search: where a literal text or an RE2 regular expression stands in a given text.
#pragma once

#include <tenon/fields.hpp>

#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <vector>

namespace everyday {

struct TextSearch {
    std::string text;
    std::string pattern;
    bool regex = false;
    bool ignoreCase = false;
    std::optional<std::int64_t> contextLines;
    std::int64_t maxMatches = 100;
};
inline void describe(tenon::Fields<TextSearch> &f) {
    f.field("text", &TextSearch::text, "The text to search in.");
    f.field("pattern", &TextSearch::pattern,
            "What to find: taken literally, or as an RE2 regular expression when regex is true "
            "(no look-around, no back-references). There ^ and $ match at every line; write (?s) "
            "in front to let '.' match line ends, \\r?$ for lines that end in CR LF.");
    f.field("regex", &TextSearch::regex, "Take pattern as a regular expression.")
        .optional()
        .raw("default", "false");
    f.field("ignoreCase", &TextSearch::ignoreCase,
            "Letters match whatever their case (Unicode simple folding).")
        .optional()
        .raw("default", "false");
    f.field("contextLines", &TextSearch::contextLines,
            "Give with each match the line where it begins and so many lines before and after; 0 "
            "gives that line alone; left out, no lines are given.")
        .range(0, 20);
    f.field("maxMatches", &TextSearch::maxMatches,
            "List at most so many matches; all are counted in any case.")
        .range(1, 1000)
        .optional()
        .raw("default", "100");
}

struct MatchGroup {
    std::int64_t index = 0;
    std::optional<std::string> name;
    std::string text;
};
inline void describe(tenon::Fields<MatchGroup> &f) {
    f.field("index", &MatchGroup::index, "From 1, by opening parenthesis.");
    f.field("name", &MatchGroup::name, "Of a named group.");
    f.field("text", &MatchGroup::text);
}

struct MatchContext {
    std::uint64_t firstLine = 0;
    std::vector<std::string> lines;
};
inline void describe(tenon::Fields<MatchContext> &f) {
    f.field("firstLine", &MatchContext::firstLine, "The number of the first of these lines.");
    f.field("lines", &MatchContext::lines,
            "Without their line ends; of a line over 500 characters a part, cut ends shown as "
            "\xE2\x80\xA6.");
}

struct TextMatch {
    std::uint64_t line = 0;
    std::uint64_t column = 0;
    std::uint64_t offset = 0;
    std::uint64_t length = 0;
    std::string text;
    std::optional<std::vector<MatchGroup>> groups;
    std::optional<MatchContext> context;
};
inline void describe(tenon::Fields<TextMatch> &f) {
    f.field("line", &TextMatch::line, "From 1; lines end at LF.");
    f.field("column", &TextMatch::column,
            "From 1, in characters (Unicode code points), within the line.");
    f.field("offset", &TextMatch::offset, "From 0, in bytes of UTF-8, within the text.");
    f.field("length", &TextMatch::length, "Of the whole match, in bytes of UTF-8.");
    f.field("text", &TextMatch::text,
            "What matched; beyond 2000 characters it is cut and ends in \xE2\x80\xA6.");
    f.field("groups", &TextMatch::groups,
            "Of an expression with groups: those that took part in the match.");
    f.field("context", &TextMatch::context);
}

struct TextMatches {
    std::uint64_t count = 0;
    bool truncated = false;
    std::vector<TextMatch> matches;
};
inline void describe(tenon::Fields<TextMatches> &f) {
    f.field("count", &TextMatches::count, "All matches in the text, listed or not.");
    f.field("truncated", &TextMatches::truncated,
            "True when not all are listed: there are more than maxMatches, or the list would "
            "pass 256 KiB.");
    f.field("matches", &TextMatches::matches,
            "In the order of the text. Matches never overlap: the search goes on behind each.");
}

// cancelled is asked between matches.
TextMatches textSearch(
    const TextSearch &in, const std::function<bool()> &cancelled = [] { return false; });

} // namespace everyday
