// SPDX-License-Identifier: Apache-2.0
// A light JSON reader and writer for plugins: no dependency, no tree, one pass.
//
// The reader is for text that the host has checked (arguments, config): it throws JsonError where
// the text is not what was asked for. On any other text it is memory-safe, but no judge of what is
// JSON: raw() takes some text that is none.
#pragma once

#include <charconv>
#include <cmath>
#include <cstdint>
#include <cstring>
#include <limits>
#include <stdexcept>
#include <string>
#include <string_view>
#include <utility>

namespace tenon {

// Any JSON value as its text. As a field it takes whatever the caller sent, digits unchanged; as
// a result it is passed on as it is.
struct Json {
    std::string text = "null";
};

struct JsonError : std::runtime_error {
    using std::runtime_error::runtime_error;
};

class JsonWriter {
public:
    JsonWriter &beginObject() { return open('{'); }
    JsonWriter &endObject() { return close('}'); }
    JsonWriter &beginArray() { return open('['); }
    JsonWriter &endArray() { return close(']'); }

    JsonWriter &key(std::string_view name) {
        separate();
        quote(name);
        out_ += ':';
        first_ = true;
        return *this;
    }
    JsonWriter &string(std::string_view text) {
        separate();
        quote(text);
        return *this;
    }
    JsonWriter &boolean(bool value) { return raw(value ? "true" : "false"); }
    JsonWriter &null() { return raw("null"); }
    JsonWriter &integer(std::int64_t value) { return digits(value); }
    JsonWriter &unsignedInteger(std::uint64_t value) { return digits(value); }
    // Throws for NaN and infinities: JSON has no word for them.
    JsonWriter &number(double value) {
        if (!std::isfinite(value)) {
            throw JsonError("a number is not finite: JSON cannot carry it");
        }
        const bool whole = value == std::floor(value) && std::fabs(value) < 1e15;
        return whole ? digits(static_cast<std::int64_t>(value)) : digits(value);
    }
    // Appends a value that is JSON already.
    JsonWriter &raw(std::string_view json) {
        separate();
        out_ += json;
        return *this;
    }

    const std::string &text() const { return out_; }
    std::string take() { return std::move(out_); }

private:
    JsonWriter &open(char bracket) {
        separate();
        out_ += bracket;
        first_ = true;
        return *this;
    }
    JsonWriter &close(char bracket) {
        out_ += bracket;
        first_ = false;
        return *this;
    }
    void separate() {
        if (!first_) {
            out_ += ',';
        }
        first_ = false;
    }
    template <class Number> JsonWriter &digits(Number value) {
        char buffer[32];
        const auto end = std::to_chars(buffer, buffer + sizeof buffer, value).ptr;
        return raw({buffer, static_cast<std::size_t>(end - buffer)});
    }
    void quote(std::string_view text) {
        static constexpr char kHex[] = "0123456789abcdef";
        out_ += '"';
        std::size_t clean = 0;
        for (std::size_t i = 0; i < text.size(); ++i) {
            const auto c = static_cast<unsigned char>(text[i]);
            if (c >= 0x20 && c != '"' && c != '\\') {
                continue;
            }
            out_.append(text.substr(clean, i - clean));
            clean = i + 1;
            switch (c) {
            case '"': out_ += "\\\""; break;
            case '\\': out_ += "\\\\"; break;
            case '\n': out_ += "\\n"; break;
            case '\r': out_ += "\\r"; break;
            case '\t': out_ += "\\t"; break;
            default: out_.append({'\\', 'u', '0', '0', kHex[c >> 4], kHex[c & 15]});
            }
        }
        out_.append(text.substr(clean));
        out_ += '"';
    }

    std::string out_;
    bool first_ = true; // nothing stands before the next value in its container
};

class JsonReader {
public:
    explicit JsonReader(std::string_view text) : at_(text.data()), end_(at_ + text.size()) {}

    // The first character of the next value: { [ " t f n or a digit or '-'; 0 at the end.
    char peek() {
        while (at_ < end_ && (*at_ == ' ' || *at_ == '\n' || *at_ == '\r' || *at_ == '\t')) {
            ++at_;
        }
        return at_ < end_ ? *at_ : '\0';
    }

    bool null() { return peek() == 'n' && (take("null"), true); }

    bool boolean() {
        const bool value = peek() == 't';
        take(value ? "true" : "false");
        return value;
    }

    std::string string() {
        std::string out;
        expect('"', "a string");
        for (;;) {
            const auto left = static_cast<std::size_t>(end_ - at_);
            const auto *quote = static_cast<const char *>(std::memchr(at_, '"', left));
            if (quote == nullptr) {
                fail("a finished string");
            }
            const auto clean = static_cast<std::size_t>(quote - at_);
            const auto *escape = static_cast<const char *>(std::memchr(at_, '\\', clean));
            const char *stop = escape != nullptr ? escape : quote;
            out.append(at_, stop);
            at_ = stop + 1;
            if (escape == nullptr) {
                return out;
            }
            unescape(out);
        }
    }

    // The text of a number, digits as they were sent.
    std::string_view numberText() {
        peek();
        const char *start = at_;
        while (at_ < end_ && ((*at_ >= '0' && *at_ <= '9') || *at_ == '-' || *at_ == '+' ||
                              *at_ == '.' || *at_ == 'e' || *at_ == 'E')) {
            ++at_;
        }
        if (at_ == start) {
            fail("a number");
        }
        return {start, static_cast<std::size_t>(at_ - start)};
    }

    double number() {
        const auto text = numberText();
        double value = 0;
        const auto read = std::from_chars(text.data(), text.data() + text.size(), value);
        if (read.ec != std::errc()) {
            fail("a number within the range of a double");
        }
        return value;
    }

    // Exact: "1.0" and "1e3" are integers, "1.5" and what does not fit are not.
    template <class Integer = std::int64_t> Integer integer() {
        const auto text = numberText();
        Integer value = 0;
        const auto read = std::from_chars(text.data(), text.data() + text.size(), value);
        if (read.ec == std::errc() && read.ptr == text.data() + text.size()) {
            return value;
        }
        double wide = 0;
        const auto again = std::from_chars(text.data(), text.data() + text.size(), wide);
        // Beyond 2^53 a double no longer knows every integer: only plain digits are taken there.
        if (again.ec != std::errc() || wide != std::floor(wide) ||
            std::fabs(wide) > 9007199254740992.0 ||
            wide < static_cast<double>(std::numeric_limits<Integer>::min()) ||
            wide > static_cast<double>(std::numeric_limits<Integer>::max())) {
            fail("an integer that fits");
        }
        return static_cast<Integer>(wide);
    }

    // Calls visit(key, reader) for each member; visit must consume the value.
    template <class Visit> void object(Visit visit) {
        expect('{', "an object");
        if (peek() == '}') {
            ++at_;
            return;
        }
        do {
            peek();
            const std::string key = string();
            expect(':', "':'");
            visit(std::string_view(key), *this);
        } while (more('}'));
    }

    // Calls visit(reader) for each element; visit must consume it.
    template <class Visit> void array(Visit visit) {
        expect('[', "an array");
        if (peek() == ']') {
            ++at_;
            return;
        }
        do {
            visit(*this);
        } while (more(']'));
    }

    // Consumes the next value and gives its text.
    std::string_view raw() {
        peek();
        const char *start = at_;
        std::size_t depth = 0;
        do {
            const char c = peek();
            if (c == '"') {
                skipString();
            } else if (c == '{' || c == '[') {
                ++depth;
                ++at_;
            } else if (c == '}' || c == ']') {
                if (depth == 0) {
                    fail("a value");
                }
                --depth;
                ++at_;
            } else if (c == '\0') {
                fail("a value");
            } else if (c == ',' || c == ':') {
                ++at_;
            } else {
                skipScalar();
            }
        } while (depth > 0);
        return {start, static_cast<std::size_t>(at_ - start)};
    }

private:
    [[noreturn]] void fail(const char *expected) const {
        throw JsonError(std::string("the value is not ") + expected);
    }
    void expect(char c, const char *what) {
        if (peek() != c) {
            fail(what);
        }
        ++at_;
    }
    bool more(char close) {
        const char c = peek();
        if (c != ',' && c != close) {
            fail("well-formed: ',' or a closing bracket is missing");
        }
        ++at_;
        return c == ',';
    }
    void take(std::string_view word) {
        if (static_cast<std::size_t>(end_ - at_) < word.size() ||
            std::string_view(at_, word.size()) != word) {
            fail("the word that was expected");
        }
        at_ += word.size();
    }
    void skipString() {
        for (++at_; at_ < end_ && *at_ != '"'; ++at_) {
            if (*at_ == '\\' && at_ + 1 < end_) {
                ++at_;
            }
        }
        if (at_ == end_) {
            fail("a finished string");
        }
        ++at_;
    }
    void skipScalar() {
        const char *start = at_;
        while (at_ < end_ &&
               std::string_view(" \t\r\n,:{}[]\"").find(*at_) == std::string_view::npos) {
            ++at_;
        }
        if (at_ == start) {
            fail("a value");
        }
    }
    unsigned hex4() {
        unsigned value = 0;
        if (end_ - at_ < 4 || std::from_chars(at_, at_ + 4, value, 16).ptr != at_ + 4) {
            fail("four hexadecimal digits after \\u");
        }
        at_ += 4;
        return value;
    }
    void unescape(std::string &out) {
        const char c = at_ < end_ ? *at_++ : '\0';
        static constexpr std::string_view kFrom = "\"\\/bfnrt";
        static constexpr std::string_view kTo = "\"\\/\b\f\n\r\t";
        if (const auto i = kFrom.find(c); c != '\0' && i != std::string_view::npos) {
            out += kTo[i];
            return;
        }
        if (c != 'u') {
            fail("a known escape");
        }
        unsigned code = hex4();
        if (code >= 0xD800 && code < 0xE000) {
            const bool high = code < 0xDC00 && end_ - at_ >= 6 && at_[0] == '\\' && at_[1] == 'u';
            at_ += high ? 2 : 0;
            const unsigned low = high ? hex4() : 0;
            if (low < 0xDC00 || low >= 0xE000) {
                fail("made of whole characters: it has a lone surrogate");
            }
            code = 0x10000 + ((code - 0xD800) << 10) + (low - 0xDC00);
        }
        appendUtf8(out, code);
    }
    static void appendUtf8(std::string &out, unsigned code) {
        const auto tail = [&](int shift) {
            return static_cast<char>(0x80 | ((code >> shift) & 63));
        };
        if (code < 0x80) {
            out += static_cast<char>(code);
        } else if (code < 0x800) {
            out.append({static_cast<char>(0xC0 | (code >> 6)), tail(0)});
        } else if (code < 0x10000) {
            out.append({static_cast<char>(0xE0 | (code >> 12)), tail(6), tail(0)});
        } else {
            out.append({static_cast<char>(0xF0 | (code >> 18)), tail(12), tail(6), tail(0)});
        }
    }

    const char *at_;
    const char *end_;
};

} // namespace tenon
