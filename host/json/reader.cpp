// SPDX-License-Identifier: Apache-2.0
// Document's reader: one pass, a stack of open containers, no recursion.
#include "json/document.h"
#include "support/text.h"

#include <algorithm>
#include <cstring>

namespace tenon::json {

class Reader {
public:
    Reader(Document &document, std::string_view text, const ReadLimits &limits)
        : document_(document), limits_(limits), begin_(text.data()), at_(text.data()),
          end_(text.data() + text.size()) {}

    bool run();
    Error error() const;

private:
    using Node = Document::Node;
    enum class Next { Value, FirstItem, FirstMember, Member, AfterValue };

    bool step(Next &next);
    bool value(Next &next);
    bool afterValue(Next &next);
    bool memberKey(Next &next);
    bool open(Kind kind);
    bool close();
    bool keysUnique(std::uint32_t object);
    bool twice(std::string_view key);
    bool string();
    bool escape(std::string &out);
    bool hex4(std::uint32_t &out);
    bool number();
    bool word(std::string_view word, Kind kind, bool flag);

    void skipSpace() {
        while (at_ < end_ && (*at_ == ' ' || *at_ == '\n' || *at_ == '\r' || *at_ == '\t')) {
            ++at_;
        }
    }
    char here() const { return at_ < end_ ? *at_ : '\0'; }
    std::uint32_t offset(const char *at) const { return static_cast<std::uint32_t>(at - begin_); }
    Node &add(Kind kind, const char *start) {
        auto &nodes = document_.nodes_;
        const auto next = static_cast<std::uint32_t>(nodes.size() + 1);
        return nodes.emplace_back(Node{offset(start), offset(at_), next, 0, 0, kind, false});
    }
    bool fail(std::string message) {
        message_ = std::move(message);
        return false;
    }
    bool failExpected(std::string_view expected) {
        return fail(concat("expected ", expected, ", found ", seen()));
    }
    std::string seen() const;

    Document &document_;
    const ReadLimits &limits_;
    const char *begin_;
    const char *at_;
    const char *end_;
    std::string message_;
    std::vector<std::string_view> keys_;
};

std::string Reader::seen() const {
    if (at_ == end_) {
        return "the end of the text";
    }
    const auto byte = static_cast<unsigned char>(*at_);
    return byte > 0x20 && byte < 0x7F ? concat("'", *at_, "'")
                                      : concat("the byte ", static_cast<int>(byte));
}

Error Reader::error() const {
    const std::string_view before(begin_, static_cast<std::size_t>(at_ - begin_));
    const auto line = 1 + std::count(before.begin(), before.end(), '\n');
    const auto column = before.size() - (before.rfind('\n') + 1) + 1; // npos + 1 is 0
    return {"json.syntax", concat("line ", line, ", column ", column, ": ", message_)};
}

bool Reader::run() {
    document_.nodes_.clear();
    document_.decoded_.clear();
    document_.duplicate_.clear();
    document_.open_.clear();
    const auto size = static_cast<std::size_t>(end_ - begin_);
    if (size > limits_.bytesMax || size > UINT32_MAX - 1) {
        return fail(concat("the text has ", size, " bytes; the limit is ", limits_.bytesMax));
    }
    Next next = Next::Value;
    do {
        skipSpace();
        if (!step(next)) {
            return false;
        }
    } while (next != Next::AfterValue || !document_.open_.empty());
    skipSpace();
    return at_ == end_ || failExpected("the end of the text after one value");
}

bool Reader::step(Next &next) {
    switch (next) {
    case Next::FirstItem:
        if (here() == ']') {
            next = Next::AfterValue;
            return close();
        }
        return value(next);
    case Next::Value: return value(next);
    case Next::FirstMember:
        if (here() == '}') {
            next = Next::AfterValue;
            return close();
        }
        return memberKey(next);
    case Next::Member: return memberKey(next);
    case Next::AfterValue: return afterValue(next);
    }
    return false;
}

bool Reader::value(Next &next) {
    next = Next::AfterValue;
    switch (here()) {
    case '{': next = Next::FirstMember; return open(Kind::Object);
    case '[': next = Next::FirstItem; return open(Kind::Array);
    case '"': return string();
    case 't': return word("true", Kind::Boolean, true);
    case 'f': return word("false", Kind::Boolean, false);
    case 'n': return word("null", Kind::Null, false);
    default: return number();
    }
}

bool Reader::afterValue(Next &next) {
    const bool object = document_.nodes_[document_.open_.back()].kind == Kind::Object;
    if (here() == ',') {
        ++at_;
        next = object ? Next::Member : Next::Value;
        return true;
    }
    if (here() != (object ? '}' : ']')) {
        return failExpected(object ? "',' or '}' after a member" : "',' or ']' after an item");
    }
    return close();
}

bool Reader::memberKey(Next &next) {
    ++document_.nodes_[document_.open_.back()].count;
    if (here() != '"') {
        return failExpected("a key in double quotes");
    }
    if (!string()) {
        return false;
    }
    skipSpace();
    if (here() != ':') {
        return failExpected("':' after a key");
    }
    ++at_;
    next = Next::Value;
    return true;
}

bool Reader::open(Kind kind) {
    if (document_.open_.size() == limits_.depthMax) {
        return fail(concat("nesting is deeper than the limit of ", limits_.depthMax));
    }
    const char *start = at_++;
    document_.open_.push_back(static_cast<std::uint32_t>(document_.nodes_.size()));
    add(kind, start);
    return true;
}

bool Reader::close() {
    const auto index = document_.open_.back();
    document_.open_.pop_back();
    ++at_;
    auto &nodes = document_.nodes_;
    nodes[index].end = offset(at_);
    nodes[index].next = static_cast<std::uint32_t>(nodes.size());
    if (nodes[index].kind == Kind::Object) {
        return keysUnique(index);
    }
    std::uint32_t count = 0;
    for (auto i = index + 1; i < nodes.size(); i = nodes[i].next) {
        ++count;
    }
    nodes[index].count = count;
    return true;
}

bool Reader::keysUnique(std::uint32_t object) {
    const auto &nodes = document_.nodes_;
    if (nodes[object].count < 2) {
        return true;
    }
    keys_.clear();
    for (auto i = object + 1; i < nodes[object].next; i = nodes[i + 1].next) {
        keys_.push_back(document_.stringOf(nodes[i]));
    }
    if (keys_.size() > 8) {
        std::sort(keys_.begin(), keys_.end());
        const auto twin = std::adjacent_find(keys_.begin(), keys_.end());
        return twin == keys_.end() || twice(*twin);
    }
    for (std::size_t i = 1; i < keys_.size(); ++i) {
        for (std::size_t j = 0; j < i; ++j) {
            if (keys_[i] == keys_[j]) {
                return twice(keys_[i]);
            }
        }
    }
    return true;
}

bool Reader::twice(std::string_view key) {
    if (limits_.refuseDuplicates) {
        return fail(concat("the key \"", printable(key, 100), "\" stands twice in one object"));
    }
    document_.duplicate_ = key;
    return true;
}

// Eight bytes at once: true when none is a quote, a backslash, a control or beyond ASCII.
static bool plainEight(const char *at) {
    std::uint64_t bytes = 0;
    std::memcpy(&bytes, at, sizeof bytes);
    constexpr std::uint64_t kOnes = 0x0101010101010101ULL;
    constexpr std::uint64_t kHigh = 0x8080808080808080ULL;
    const auto hasZero = [](std::uint64_t x) { return (x - kOnes) & ~x & kHigh; };
    const auto hasBelow20 = (bytes - kOnes * 0x20) & ~bytes & kHigh;
    return ((bytes & kHigh) | hasBelow20 | hasZero(bytes ^ (kOnes * '"')) |
            hasZero(bytes ^ (kOnes * '\\'))) == 0;
}

bool Reader::string() {
    const char *start = at_++;
    auto &decoded = document_.decoded_;
    const auto decodedStart = decoded.size();
    const char *clean = at_; // what is not yet in decoded, once there was an escape
    bool escaped = false;
    bool ascii = true;
    for (;;) {
        while (end_ - at_ >= 8 && plainEight(at_)) {
            at_ += 8;
        }
        if (at_ == end_) {
            return fail("the text ends inside a string");
        }
        const auto byte = static_cast<unsigned char>(*at_);
        if (byte == '"') {
            break;
        }
        if (byte < 0x20) {
            return fail(concat("a control character (byte ", static_cast<int>(byte),
                               ") stands bare in a string: write it as \\u"));
        }
        ascii = ascii && byte < 0x80;
        if (byte != '\\') {
            ++at_;
            continue;
        }
        escaped = true;
        decoded.append(clean, at_);
        if (!escape(decoded)) {
            return false;
        }
        clean = at_;
    }
    const std::string_view body(start + 1, static_cast<std::size_t>(at_ - start - 1));
    if (const auto bad = ascii ? body.npos : invalidUtf8At(body); bad != body.npos) {
        at_ = start + 1 + bad;
        return fail(concat("the string is not UTF-8: ", seen()));
    }
    ++at_;
    Node &node = add(Kind::String, start);
    if (escaped) {
        decoded.append(clean, at_ - 1);
        node.flag = true;
        node.decoded = static_cast<std::uint32_t>(decodedStart);
        node.count = static_cast<std::uint32_t>(decoded.size() - decodedStart);
    }
    return true;
}

bool Reader::hex4(std::uint32_t &out) {
    out = 0;
    for (int i = 0; i < 4; ++i, ++at_) {
        const char c = here();
        if (c >= '0' && c <= '9') {
            out = out * 16 + static_cast<std::uint32_t>(c - '0');
        } else if ((c | 0x20) >= 'a' && (c | 0x20) <= 'f') {
            out = out * 16 + static_cast<std::uint32_t>((c | 0x20) - 'a' + 10);
        } else {
            return failExpected("four hexadecimal digits after \\u");
        }
    }
    return true;
}

static void appendUtf8(std::string &out, std::uint32_t code) {
    const auto tail = [&](int shift) { return static_cast<char>(0x80U | ((code >> shift) & 63U)); };
    if (code < 0x80) {
        out += static_cast<char>(code);
    } else if (code < 0x800) {
        out += static_cast<char>(0xC0U | (code >> 6));
        out += tail(0);
    } else if (code < 0x10000) {
        out += static_cast<char>(0xE0U | (code >> 12));
        out += tail(6);
        out += tail(0);
    } else {
        out += static_cast<char>(0xF0U | (code >> 18));
        out += tail(12);
        out += tail(6);
        out += tail(0);
    }
}

bool Reader::escape(std::string &out) {
    const char *start = at_++;
    static constexpr std::string_view kFrom = "\"\\/bfnrt";
    static constexpr std::string_view kTo = "\"\\/\b\f\n\r\t";
    if (const auto i = kFrom.find(here()); at_ < end_ && i != std::string_view::npos) {
        out += kTo[i];
        ++at_;
        return true;
    }
    if (here() != 'u') {
        return failExpected("one of \" \\ / b f n r t u after a backslash");
    }
    ++at_;
    std::uint32_t code = 0;
    if (!hex4(code)) {
        return false;
    }
    const auto lone = [&] {
        at_ = start;
        return fail("a lone surrogate (\\ud800 to \\udfff without its other half) is no character");
    };
    if (code >= 0xDC00 && code < 0xE000) {
        return lone();
    }
    if (code >= 0xD800 && code < 0xDC00) {
        std::uint32_t low = 0;
        if (end_ - at_ < 6 || at_[0] != '\\' || at_[1] != 'u') {
            return lone();
        }
        at_ += 2;
        if (!hex4(low)) {
            return false;
        }
        if (low < 0xDC00 || low >= 0xE000) {
            return lone();
        }
        code = 0x10000 + ((code - 0xD800) << 10) + (low - 0xDC00);
    }
    appendUtf8(out, code);
    return true;
}

bool Reader::number() {
    const char *start = at_;
    const auto digits = [&] {
        const char *first = at_;
        while (here() >= '0' && here() <= '9') {
            ++at_;
        }
        return at_ > first;
    };
    if (here() == '-') {
        ++at_;
    }
    if (here() == '0') {
        ++at_;
        if (here() >= '0' && here() <= '9') {
            return fail("a number may not begin with 0 and another digit");
        }
    } else if (!digits()) {
        return failExpected(at_ > start ? "a digit after '-'" : "a JSON value");
    }
    if (here() == '.') {
        ++at_;
        if (!digits()) {
            return failExpected("a digit after '.'");
        }
    }
    if (here() == 'e' || here() == 'E') {
        ++at_;
        if (here() == '+' || here() == '-') {
            ++at_;
        }
        if (!digits()) {
            return failExpected("a digit in the exponent");
        }
    }
    add(Kind::Number, start);
    return true;
}

bool Reader::word(std::string_view word, Kind kind, bool flag) {
    const char *start = at_;
    if (static_cast<std::size_t>(end_ - at_) < word.size() ||
        std::string_view(at_, word.size()) != word) {
        return failExpected("a JSON value");
    }
    at_ += word.size();
    add(kind, start).flag = flag;
    return true;
}

Result<void> Document::readView(std::string_view text, const ReadLimits &limits) {
    owned_.clear();
    view_ = text;
    Reader reader(*this, text, limits);
    if (reader.run()) {
        return {};
    }
    Error error = reader.error();
    nodes_.clear();
    return error;
}

Result<Document> Document::read(std::string text, const ReadLimits &limits) {
    Document document;
    if (auto done = document.readView(text, limits); !done) {
        return done.error();
    }
    document.owned_ = std::move(text);
    return document;
}

} // namespace tenon::json
