// SPDX-License-Identifier: Apache-2.0
#include <everyday/text_search.h>

#include <everyday/nearest.h>

#include <tenon/context.hpp>

#include <re2/re2.h>

#include <algorithm>
#include <map>
#include <memory>

namespace everyday {
namespace {

using tenon::ToolError;

// With room for its states RE2 keeps to its fast automaton; a program of this size is at worst as
// many steps per byte.
constexpr std::int64_t kMatcherBytesMax = std::int64_t{64} << 20;
constexpr int kProgramSizeMax = 50000;
constexpr std::size_t kListedBytesMax = std::size_t{256} * 1024;
constexpr std::size_t kTextCharactersMax = 2000;
constexpr std::size_t kLineCharactersMax = 500;
constexpr std::string_view kCut = "\xE2\x80\xA6"; // an ellipsis

bool continues(char c) {
    return (static_cast<unsigned char>(c) & 0xC0) == 0x80;
}

// Whether a character of text begins, or the text ends, at offset.
bool atCharacter(std::string_view text, std::size_t offset) {
    return offset >= text.size() || !continues(text[offset]);
}

// The end of count characters from offset on, or the end of text.
std::size_t forward(std::string_view text, std::size_t offset, std::size_t count) {
    for (; count > 0 && offset < text.size(); --count) {
        do {
            ++offset;
        } while (!atCharacter(text, offset));
    }
    return offset;
}

// The begin of count characters before offset, or the begin of text.
std::size_t backward(std::string_view text, std::size_t offset, std::size_t count) {
    for (; count > 0 && offset > 0; --count) {
        do {
            --offset;
        } while (offset > 0 && continues(text[offset]));
    }
    return offset;
}

std::string clipped(std::string_view text) {
    const std::size_t end = forward(text, 0, kTextCharactersMax);
    return std::string(text.substr(0, end)) + std::string(end < text.size() ? kCut : "");
}

// The line, or the part of a long one that lies around offset.
std::string clippedLine(std::string_view line, std::size_t offset) {
    std::size_t begin = backward(line, std::min(offset, line.size()), kLineCharactersMax / 2);
    const std::size_t end = forward(line, begin, kLineCharactersMax);
    if (end == line.size()) {
        begin = std::min(begin, backward(line, end, kLineCharactersMax));
    }
    return std::string(begin > 0 ? kCut : "") + std::string(line.substr(begin, end - begin)) +
           std::string(end < line.size() ? kCut : "");
}

std::unique_ptr<RE2> compiled(const TextSearch &in) {
    if (in.pattern.empty()) {
        throw ToolError("BAD_REQUEST", "The pattern is empty: expected at least one character.")
            .hint("An empty pattern matches everywhere. To match empty lines use the regular "
                  "expression ^$.");
    }
    RE2::Options options;
    options.set_log_errors(false);
    options.set_max_mem(kMatcherBytesMax);
    options.set_literal(!in.regex);
    options.set_case_sensitive(!in.ignoreCase);
    std::unique_ptr<RE2> expression;
    // First as it was written, so that no error speaks of what the caller did not write.
    for (const std::string_view prefix : {"", "(?m)"}) {
        if (expression != nullptr && !in.regex) {
            break;
        }
        expression = std::make_unique<RE2>(std::string(prefix) + in.pattern, options);
        if (!expression->ok()) {
            throw ToolError("BAD_REQUEST", "The pattern is not a regular expression of RE2: " +
                                               expression->error() + ".")
                .hint("Escape characters that are meant literally with a backslash, or leave "
                      "regex out. RE2 has no look-around and no back-references.");
        }
        if (in.regex && expression->ProgramSize() > kProgramSizeMax) {
            throw ToolError("BAD_REQUEST", "The pattern makes a program of " +
                                               std::to_string(expression->ProgramSize()) +
                                               " instructions: expected at most " +
                                               std::to_string(kProgramSizeMax) + ".")
                .hint("Repeat less often: use * or + in place of large counts, and fewer classes "
                      "of all letters.");
        }
    }
    return expression;
}

// Lines and columns of offsets that only grow.
class Position {
public:
    explicit Position(std::string_view text) : text_(text) {}

    void advance(std::size_t offset) {
        for (; offset_ < offset; ++offset_) {
            if (text_[offset_] == '\n') {
                ++line;
                column = 1;
                lineBegin = offset_ + 1;
            } else if (!continues(text_[offset_])) {
                ++column;
            }
        }
    }

    std::uint64_t line = 1, column = 1;
    std::size_t lineBegin = 0;

private:
    std::string_view text_;
    std::size_t offset_ = 0;
};

MatchContext contextOf(std::string_view text, const Position &position, std::size_t offset,
                       std::int64_t around) {
    MatchContext out;
    out.firstLine = position.line;
    std::size_t begin = position.lineBegin;
    for (std::int64_t i = 0; i < around && begin > 0; ++i) {
        const auto before = begin < 2 ? std::string_view::npos : text.rfind('\n', begin - 2);
        begin = before == std::string_view::npos ? 0 : before + 1;
        --out.firstLine;
    }
    const std::uint64_t last = position.line + static_cast<std::uint64_t>(around);
    for (std::uint64_t number = out.firstLine; number <= last; ++number) {
        // What follows a final line end is no line, unless the match itself stands there.
        if (begin == text.size() && number > position.line) {
            break;
        }
        const std::size_t end = std::min(text.find('\n', begin), text.size());
        std::string_view line = text.substr(begin, end - begin);
        line.remove_suffix(line.ends_with('\r') ? 1 : 0);
        out.lines.push_back(clippedLine(line, number == position.line ? offset - begin : 0));
        if (end == text.size()) {
            break;
        }
        begin = end + 1;
    }
    return out;
}

std::size_t bytesOf(const TextMatch &match) {
    std::size_t bytes = 100 + match.text.size();
    for (const auto &group : match.groups.value_or(std::vector<MatchGroup>())) {
        bytes += 50 + group.text.size();
    }
    for (const auto &line : match.context.value_or(MatchContext()).lines) {
        bytes += 5 + line.size();
    }
    return bytes;
}

class Search {
public:
    Search(const TextSearch &in, const std::function<bool()> &cancelled)
        : in_(in), cancelled_(cancelled), expression_(compiled(in)),
          groups_(static_cast<std::size_t>(expression_->NumberOfCapturingGroups()) + 1),
          names_(expression_->CapturingGroupNames()), position_(in.text) {}

    TextMatches run() {
        std::size_t at = 0;
        std::optional<std::size_t> lastEnd;
        while (at <= in_.text.size() && find(at)) {
            const std::size_t begin = offsetOf(groups_[0]);
            const std::size_t end = begin + groups_[0].size();
            if (!atCharacter(in_.text, begin) || !atCharacter(in_.text, end)) {
                throw ToolError("BAD_REQUEST",
                                "The pattern matched a part of a character, at byte " +
                                    std::to_string(begin) + ": expected whole characters.")
                    .hint("\\C matches single bytes: use '.' or (?s:.) instead.");
            }
            // An empty match right behind another is no match of its own.
            if (end > begin || begin != lastEnd) {
                take(begin);
            }
            lastEnd = end;
            at = end > begin ? end : std::max(end + 1, forward(in_.text, end, 1));
        }
        return std::move(out_);
    }

private:
    bool find(std::size_t at) {
        if (cancelled_()) {
            throw ToolError("CANCELLED", "The search was cancelled.");
        }
        return expression_->Match(in_.text, at, in_.text.size(), RE2::UNANCHORED, groups_.data(),
                                  static_cast<int>(out_.truncated ? 1 : groups_.size()));
    }
    std::size_t offsetOf(const re2::StringPiece &part) const {
        return static_cast<std::size_t>(part.data() - in_.text.data());
    }
    void take(std::size_t begin) {
        ++out_.count;
        if (out_.truncated) {
            return;
        }
        if (out_.count > static_cast<std::uint64_t>(in_.maxMatches)) {
            out_.truncated = true;
            return;
        }
        TextMatch match = described(begin);
        bytes_ += bytesOf(match);
        out_.truncated = bytes_ > kListedBytesMax && !out_.matches.empty();
        if (!out_.truncated) {
            out_.matches.push_back(std::move(match));
        }
    }
    TextMatch described(std::size_t begin) {
        position_.advance(begin);
        TextMatch match;
        match.line = position_.line;
        match.column = position_.column;
        match.offset = begin;
        match.length = groups_[0].size();
        match.text = clipped({groups_[0].data(), groups_[0].size()});
        if (groups_.size() > 1) {
            match.groups.emplace();
        }
        for (std::size_t i = 1; i < groups_.size(); ++i) {
            if (groups_[i].data() == nullptr) {
                continue;
            }
            auto &group = match.groups->emplace_back();
            group.index = static_cast<std::int64_t>(i);
            group.text = clipped({groups_[i].data(), groups_[i].size()});
            if (const auto name = names_.find(static_cast<int>(i)); name != names_.end()) {
                group.name = name->second;
            }
        }
        if (in_.contextLines) {
            match.context = contextOf(in_.text, position_, begin, *in_.contextLines);
        }
        return match;
    }

    const TextSearch &in_;
    const std::function<bool()> &cancelled_;
    std::unique_ptr<RE2> expression_;
    std::vector<re2::StringPiece> groups_;
    const std::map<int, std::string> &names_;
    Position position_;
    TextMatches out_;
    std::size_t bytes_ = 0;
};

} // namespace

TextMatches textSearch(const TextSearch &in, const std::function<bool()> &cancelled) {
    return Search(in, cancelled).run();
}

} // namespace everyday
