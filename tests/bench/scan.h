// SPDX-License-Identifier: Apache-2.0
// Finds its way through one line of JSON and builds nothing. It checks the shape well enough to
// trust what it finds; it is no validator.
#pragma once

#include <cstddef>
#include <cstring>
#include <string_view>

namespace tenon::bench {

class Scanner {
public:
    explicit Scanner(std::string_view text) : text_(text) {}

    // Calls visit(key, value), both as they stand, for each member; false when text is no object.
    template <class Visit> bool object(Visit visit) {
        if (!take('{')) {
            return false;
        }
        if (take('}')) {
            return atEnd();
        }
        do {
            const auto key = string();
            if (key.empty() || !take(':')) {
                return false;
            }
            const auto value = skip();
            if (value.empty()) {
                return false;
            }
            visit(key.substr(1, key.size() - 2), value);
        } while (take(','));
        return take('}') && atEnd();
    }

    // Calls visit(value) for each element; false when text is no array.
    template <class Visit> bool array(Visit visit) {
        if (!take('[')) {
            return false;
        }
        if (take(']')) {
            return atEnd();
        }
        do {
            const auto value = skip();
            if (value.empty()) {
                return false;
            }
            visit(value);
        } while (take(','));
        return take(']') && atEnd();
    }

private:
    void space() {
        while (at_ < text_.size() && (text_[at_] == ' ' || text_[at_] == '\t' ||
                                      text_[at_] == '\r' || text_[at_] == '\n')) {
            ++at_;
        }
    }
    bool take(char c) {
        space();
        if (at_ == text_.size() || text_[at_] != c) {
            return false;
        }
        ++at_;
        return true;
    }
    bool atEnd() {
        space();
        return at_ == text_.size();
    }
    // The string at the cursor with its quotes; empty when there is none.
    std::string_view string() {
        space();
        const auto start = at_;
        if (at_ == text_.size() || text_[at_] != '"') {
            return {};
        }
        for (++at_; at_ < text_.size() && text_[at_] != '"'; ++at_) {
            at_ += text_[at_] == '\\' ? 1 : 0;
        }
        if (at_ >= text_.size()) {
            return {};
        }
        ++at_;
        return text_.substr(start, at_ - start);
    }
    // The value at the cursor; empty when there is none.
    std::string_view skip() {
        space();
        const auto start = at_;
        std::size_t depth = 0;
        do {
            const char c = at_ < text_.size() ? text_[at_] : '\0';
            if (c == '"') {
                if (string().empty()) {
                    return {};
                }
                continue;
            }
            depth += c == '{' || c == '[' ? 1 : 0;
            if (c == '}' || c == ']') {
                if (depth == 0) {
                    return {};
                }
                --depth;
            } else if (c == '\0') {
                return {};
            } else if (depth == 0) {
                return scalar(start);
            }
            ++at_;
        } while (depth > 0);
        return text_.substr(start, at_ - start);
    }
    std::string_view scalar(std::size_t start) {
        const auto end = text_.find_first_of(",}] \t\r\n", start);
        at_ = end == std::string_view::npos ? text_.size() : end;
        return text_.substr(start, at_ - start);
    }

    std::string_view text_;
    std::size_t at_ = 0;
};

} // namespace tenon::bench
