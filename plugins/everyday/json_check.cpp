// SPDX-License-Identifier: Apache-2.0
#include <everyday/json_check.h>

#include <everyday/nearest.h>

#include <tenon/context.hpp>

#include <vector>

namespace everyday {
namespace {

constexpr std::size_t kDepthMax = 1000;

class Checker {
public:
    explicit Checker(std::string_view text) : text_(text) {}

    void run() {
        value();
        while (!open_.empty()) {
            space();
            const char close = open_.back() == '{' ? '}' : ']';
            if (peek() == close) {
                ++at_;
                open_.pop_back();
            } else if (peek() == ',') {
                ++at_;
                space();
                if (open_.back() == '{') {
                    key();
                }
                value();
            } else {
                refuse(close == '}' ? "',' or '}'" : "',' or ']'");
            }
        }
        space();
        if (at_ < text_.size()) {
            refuse("the end: one JSON value only");
        }
    }

private:
    [[noreturn]] void refuse(std::string_view expected) const {
        std::size_t line = 1, column = 1;
        for (const char c : text_.substr(0, at_)) {
            line += c == '\n' ? 1 : 0;
            column = c == '\n' ? 1 : column + ((static_cast<unsigned char>(c) & 0xC0) != 0x80);
        }
        std::size_t end = at_ + 1; // one whole character
        while (end < text_.size() && (static_cast<unsigned char>(text_[end]) & 0xC0) == 0x80) {
            ++end;
        }
        const std::string seen =
            at_ < text_.size() ? inQuotes(text_.substr(at_, end - at_)) : "its end";
        throw tenon::ToolError("BAD_REQUEST", "The document is a string that is not JSON: seen " +
                                                  seen + " at line " + std::to_string(line) +
                                                  ", column " + std::to_string(column) +
                                                  "; expected " + std::string(expected) + ".")
            .hint("A string document is read as JSON text. Correct it, or pass the document as a "
                  "JSON value instead of a string.");
    }
    char peek() const { return at_ < text_.size() ? text_[at_] : '\0'; }
    void space() {
        while (peek() == ' ' || peek() == '\n' || peek() == '\r' || peek() == '\t') {
            ++at_;
        }
    }
    bool digit() const { return peek() >= '0' && peek() <= '9'; }
    void digits() {
        if (!digit()) {
            refuse("a digit");
        }
        while (digit()) {
            ++at_;
        }
    }

    // Reads a value; of an object or an array only what leads to its first scalar, or its end.
    void value() {
        for (space(); peek() == '{' || peek() == '['; space()) {
            if (open_.size() == kDepthMax) {
                refuse("a document nested no deeper than " + std::to_string(kDepthMax));
            }
            open_.push_back(text_[at_++]);
            space();
            if (peek() == (open_.back() == '{' ? '}' : ']')) {
                return; // run() closes it
            }
            if (open_.back() == '{') {
                key();
            }
        }
        scalar();
    }
    void key() {
        if (peek() != '"') {
            refuse("a key in double quotes");
        }
        string();
        space();
        if (peek() != ':') {
            refuse("':'");
        }
        ++at_;
    }
    void scalar() {
        const std::string_view rest = text_.substr(at_);
        for (const std::string_view word : {"true", "false", "null"}) {
            if (rest.starts_with(word)) {
                at_ += word.size();
                return;
            }
        }
        if (peek() == '"') {
            string();
        } else if (peek() == '-' || digit()) {
            number();
        } else {
            refuse("a value");
        }
    }
    void number() {
        at_ += peek() == '-' ? 1 : 0;
        if (peek() == '0') {
            ++at_;
            if (digit()) {
                refuse("no digit after a leading zero");
            }
        } else {
            digits();
        }
        if (peek() == '.') {
            ++at_;
            digits();
        }
        if (peek() == 'e' || peek() == 'E') {
            ++at_;
            at_ += peek() == '+' || peek() == '-' ? 1 : 0;
            digits();
        }
    }
    void string() {
        ++at_;
        while (peek() != '"') {
            if (at_ == text_.size()) {
                refuse("a closing '\"'");
            }
            if (static_cast<unsigned char>(text_[at_]) < 0x20) {
                refuse("an escape such as \\n in place of a control character");
            }
            if (text_[at_] == '\\') {
                escape();
            } else {
                ++at_;
            }
        }
        ++at_;
    }
    void escape() {
        ++at_;
        if (peek() == 'u') {
            const unsigned unit = hex4();
            if (unit >= 0xDC00 && unit < 0xE000) {
                refuse("a high surrogate before the low one");
            }
            if (unit >= 0xD800 && unit < 0xDC00) {
                if (text_.substr(at_, 2) != "\\u") {
                    refuse("a low surrogate, as \\uDC00, after the high one");
                }
                ++at_;
                if (const unsigned low = hex4(); low < 0xDC00 || low >= 0xE000) {
                    refuse("a low surrogate before this, after the high one");
                }
            }
            return;
        }
        if (at_ == text_.size() ||
            std::string_view("\"\\/bfnrt").find(text_[at_]) == std::string_view::npos) {
            refuse("one of \" \\ / b f n r t u after a backslash");
        }
        ++at_;
    }
    // At 'u'; leaves what follows the four digits.
    unsigned hex4() {
        unsigned unit = 0;
        ++at_;
        for (int i = 0; i < 4; ++i, ++at_) {
            const char c = peek();
            const bool letter = (c >= 'a' && c <= 'f') || (c >= 'A' && c <= 'F');
            if (!digit() && !letter) {
                refuse("four hexadecimal digits after \\u");
            }
            unit = unit << 4 | static_cast<unsigned>(digit() ? c - '0' : (c | 0x20) - 'a' + 10);
        }
        return unit;
    }

    std::string_view text_;
    std::size_t at_ = 0;
    std::string open_; // '{' and '[' that are not closed yet
};

} // namespace

void checkJson(std::string_view text) {
    Checker(text).run();
}

} // namespace everyday
