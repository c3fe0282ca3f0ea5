// SPDX-License-Identifier: Apache-2.0
// Document's reader: one pass, a stack of open containers, no recursion.
#include "json/document.h"
#include "json/number.h"
#include "support/scan.h"
#include "support/text.h"

#include <algorithm>

namespace tenon::json {

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

class Reader {
public:
    Reader(Document &document, std::string_view text, const ReadLimits &limits)
        : document_(document), limits_(limits), begin_(text.data()),
          end_(text.data() + text.size()) {}

    bool run();
    Error error() const;

private:
    using Node = Document::Node;
    enum class Next { Value, Key, After };

    // Each takes the place of the next byte and gives the place behind what it read, or nullptr
    // when it failed.
    const char *value(const char *at, Next &next);
    const char *key(const char *at, Next &next);
    const char *after(const char *at, Next &next);
    const char *open(const char *at, Kind kind, Next &next);
    const char *close(const char *at);
    const char *string(const char *at);
    const char *escape(const char *at, std::string &out);
    const char *hex4(const char *at, std::uint32_t &out);
    const char *number(const char *at);
    const char *word(const char *at, std::string_view word, Kind kind, bool flag);

    bool keysUnique(std::uint32_t object);
    bool twice(std::string_view key);
    bool flaw(const char *at, std::string message);

    const char *skipSpace(const char *at) const {
        while (at < end_ && (*at == ' ' || *at == '\n' || *at == '\r' || *at == '\t')) {
            ++at;
        }
        return at;
    }
    char here(const char *at) const { return at < end_ ? *at : '\0'; }
    std::uint32_t offset(const char *at) const { return static_cast<std::uint32_t>(at - begin_); }
    Node &add(Kind kind, const char *start, const char *end, bool flag = false) {
        auto &nodes = document_.nodes_;
        if (document_.used_ == nodes.size()) {
            nodes.resize(nodes.size() * 2 + 32);
        }
        const std::uint32_t next = ++document_.used_;
        return nodes[next - 1] = Node{offset(start), offset(end), next, 0, 0, kind, flag};
    }
    std::nullptr_t fail(const char *at, std::string message) {
        failedAt_ = at;
        message_ = std::move(message);
        return nullptr;
    }
    std::nullptr_t failExpected(const char *at, std::string_view expected) {
        return fail(at, concat("expected ", expected, ", found ", seen(at)));
    }
    std::string seen(const char *at) const;

    Document &document_;
    const ReadLimits &limits_;
    const char *const begin_;
    const char *const end_;
    const char *failedAt_ = nullptr;
    std::string message_;
};

std::string Reader::seen(const char *at) const {
    if (at == end_) {
        return "the end of the text";
    }
    const auto byte = static_cast<unsigned char>(*at);
    return byte > 0x20 && byte < 0x7F ? concat("'", *at, "'")
                                      : concat("the byte ", static_cast<int>(byte));
}

Error Reader::error() const {
    const std::string_view before(begin_, static_cast<std::size_t>(failedAt_ - begin_));
    const auto line = 1 + std::count(before.begin(), before.end(), '\n');
    const auto column = before.size() - (before.rfind('\n') + 1) + 1; // npos + 1 is 0
    return {"json.syntax", concat("line ", line, ", column ", column, ": ", message_)};
}

bool Reader::run() {
    document_.used_ = 0;
    document_.depth_ = 0;
    document_.decoded_.clear();
    document_.flaw_.clear();
    document_.open_.clear();
    const auto size = static_cast<std::size_t>(end_ - begin_);
    if (size > limits_.bytesMax || size > UINT32_MAX - 1) {
        fail(begin_, concat("the text has ", size, " bytes; the limit is ", limits_.bytesMax));
        return false;
    }
    const char *at = begin_;
    Next next = Next::Value;
    do {
        at = skipSpace(at);
        at = next == Next::Value ? value(at, next)
             : next == Next::Key ? key(at, next)
                                 : after(at, next);
        if (at == nullptr) {
            return false;
        }
    } while (next != Next::After || !document_.open_.empty());
    at = skipSpace(at);
    return at == end_ || failExpected(at, "the end of the text after one value");
}

const char *Reader::value(const char *at, Next &next) {
    next = Next::After;
    switch (here(at)) {
    case '"': return string(at);
    case '{': return open(at, Kind::Object, next);
    case '[': return open(at, Kind::Array, next);
    case 't': return word(at, "true", Kind::Boolean, true);
    case 'f': return word(at, "false", Kind::Boolean, false);
    case 'n': return word(at, "null", Kind::Null, false);
    default: return number(at);
    }
}

const char *Reader::open(const char *at, Kind kind, Next &next) {
    if (document_.open_.size() == limits_.depthMax) {
        return fail(at, concat("nesting is deeper than the limit of ", limits_.depthMax));
    }
    document_.open_.push_back(document_.used_);
    document_.depth_ =
        std::max(document_.depth_, static_cast<std::uint32_t>(document_.open_.size()));
    Node &node = add(kind, at, at);
    const char *const inside = skipSpace(at + 1);
    if (here(inside) == (kind == Kind::Object ? '}' : ']')) {
        return close(inside);
    }
    node.count = 1;
    next = kind == Kind::Object ? Next::Key : Next::Value;
    return inside;
}

const char *Reader::close(const char *at) {
    const auto index = document_.open_.back();
    document_.open_.pop_back();
    Node &node = document_.nodes_[index];
    node.end = offset(at + 1);
    node.next = document_.used_;
    if (node.kind == Kind::Object && node.count > 1 && !keysUnique(index)) {
        failedAt_ = at;
        return nullptr;
    }
    return at + 1;
}

const char *Reader::after(const char *at, Next &next) {
    Node &node = document_.nodes_[document_.open_.back()];
    const bool object = node.kind == Kind::Object;
    if (here(at) == ',') {
        ++node.count;
        next = object ? Next::Key : Next::Value;
        return at + 1;
    }
    if (here(at) != (object ? '}' : ']')) {
        return failExpected(at, object ? "',' or '}' after a member" : "',' or ']' after an item");
    }
    return close(at);
}

const char *Reader::key(const char *at, Next &next) {
    next = Next::Value;
    if (here(at) != '"') {
        return failExpected(at, "a key in double quotes");
    }
    at = string(at);
    if (at == nullptr) {
        return nullptr;
    }
    at = skipSpace(at);
    return here(at) == ':' ? at + 1 : failExpected(at, "':' after a key");
}

bool Reader::keysUnique(std::uint32_t object) {
    const auto &nodes = document_.nodes_;
    const auto end = nodes[object].next;
    if (nodes[object].count > 8) {
        std::vector<std::string_view> keys;
        keys.reserve(nodes[object].count);
        for (auto i = object + 1; i < end; i = nodes[i + 1].next) {
            keys.push_back(document_.stringOf(nodes[i]));
        }
        std::sort(keys.begin(), keys.end());
        const auto twin = std::adjacent_find(keys.begin(), keys.end());
        return twin == keys.end() || twice(*twin);
    }
    const auto size = [&](std::uint32_t i) { return nodes[i].end - nodes[i].start; };
    for (auto i = object + 1; i < end; i = nodes[i + 1].next) {
        for (auto j = nodes[i + 1].next; j < end; j = nodes[j + 1].next) {
            const bool mayBe = size(i) == size(j) || nodes[i].flag || nodes[j].flag;
            if (mayBe && document_.stringOf(nodes[i]) == document_.stringOf(nodes[j])) {
                return twice(document_.stringOf(nodes[i]));
            }
        }
    }
    return true;
}

bool Reader::twice(std::string_view key) {
    return flaw(nullptr, concat("the key \"", printable(key, 100),
                                "\" stands twice in one object; expected each key once"));
}

// True when it is only noted.
bool Reader::flaw(const char *at, std::string message) {
    if (limits_.refuseFlaws) {
        fail(at, std::move(message));
        return false;
    }
    if (document_.flaw_.empty()) {
        document_.flaw_ = std::move(message);
    }
    return true;
}

const char *Reader::string(const char *at) {
    const char *const start = at++;
    const char *clean = at; // what is not yet in decoded, once there was an escape
    auto &decoded = document_.decoded_;
    const auto decodedStart = decoded.size();
    bool escaped = false;
    bool ascii = true;
    for (;;) {
        at = skipPlain<StopAt::SpecialOrBeyondAscii>(at, end_);
        if (at == end_) {
            return fail(at, "the text ends inside a string");
        }
        const auto byte = static_cast<unsigned char>(*at);
        if (byte == '"') {
            break;
        }
        if (byte < 0x20) {
            return fail(at, concat("a control character (byte ", static_cast<int>(byte),
                                   ") stands bare in a string: write it as \\u"));
        }
        if (byte != '\\') {
            ascii = false;
            at = skipPlain<StopAt::Special>(at, end_);
            continue;
        }
        escaped = true;
        decoded.append(clean, at);
        at = escape(at, decoded);
        if (at == nullptr) {
            return nullptr;
        }
        clean = at;
    }
    if (!ascii) {
        const std::string_view text(start + 1, static_cast<std::size_t>(at - start - 1));
        if (const auto bad = invalidUtf8At(text); bad != text.npos) {
            const char *const where = start + 1 + bad;
            return fail(where, concat("the string is not UTF-8: ", seen(where)));
        }
    }
    Node &node = add(Kind::String, start, at + 1, escaped);
    if (escaped) {
        decoded.append(clean, at);
        node.decoded = static_cast<std::uint32_t>(decodedStart);
        node.count = static_cast<std::uint32_t>(decoded.size() - decodedStart);
    }
    return at + 1;
}

const char *Reader::hex4(const char *at, std::uint32_t &out) {
    out = 0;
    for (int i = 0; i < 4; ++i, ++at) {
        const char c = here(at);
        if (c >= '0' && c <= '9') {
            out = out * 16 + static_cast<std::uint32_t>(c - '0');
        } else if ((c | 0x20) >= 'a' && (c | 0x20) <= 'f') {
            out = out * 16 + static_cast<std::uint32_t>((c | 0x20) - 'a' + 10);
        } else {
            return failExpected(at, "four hexadecimal digits after \\u");
        }
    }
    return at;
}

const char *Reader::escape(const char *at, std::string &out) {
    const char *const start = at++;
    static constexpr std::string_view kFrom = "\"\\/bfnrt";
    static constexpr std::string_view kTo = "\"\\/\b\f\n\r\t";
    if (const auto i = kFrom.find(here(at)); at < end_ && i != std::string_view::npos) {
        out += kTo[i];
        return at + 1;
    }
    if (here(at) != 'u') {
        return failExpected(at, "one of \" \\ / b f n r t u after a backslash");
    }
    std::uint32_t code = 0;
    at = hex4(at + 1, code);
    if (at != nullptr && code >= 0xD800 && code < 0xE000) {
        const bool high = code < 0xDC00 && end_ - at >= 6 && at[0] == '\\' && at[1] == 'u';
        std::uint32_t low = 0;
        const char *const behind = high ? hex4(at + 2, low) : at;
        if (behind != nullptr && low >= 0xDC00 && low < 0xE000) {
            at = behind;
            code = 0x10000 + ((code - 0xD800) << 10U) + (low - 0xDC00);
        } else if (behind == nullptr ||
                   !flaw(start,
                         "a lone surrogate (\\ud800 to \\udfff without its other half) is no "
                         "character")) {
            return nullptr;
        } else {
            code = 0xFFFD;
        }
    }
    if (at != nullptr) {
        appendUtf8(out, code);
    }
    return at;
}

const char *Reader::number(const char *at) {
    const char *const start = at;
    const auto digits = [&] {
        const char *const first = at;
        while (here(at) >= '0' && here(at) <= '9') {
            ++at;
        }
        return at > first;
    };
    if (at == begin_ &&
        std::string_view(at, static_cast<std::size_t>(end_ - at)).starts_with("\xEF\xBB\xBF")) {
        return fail(at, "the text begins with a byte order mark, which JSON does not have");
    }
    at += here(at) == '-' ? 1 : 0;
    if (here(at) == '0') {
        ++at;
        if (here(at) >= '0' && here(at) <= '9') {
            return fail(at, "a number may not begin with 0 and another digit");
        }
    } else if (!digits()) {
        return failExpected(at, at > start ? "a digit after '-'" : "a JSON value");
    }
    const bool isPlain = here(at) != '.' && here(at) != 'e' && here(at) != 'E';
    if (here(at) == '.') {
        ++at;
        if (!digits()) {
            return failExpected(at, "a digit after '.'");
        }
    }
    if (here(at) == 'e' || here(at) == 'E') {
        ++at;
        at += here(at) == '+' || here(at) == '-' ? 1 : 0;
        if (!digits()) {
            return failExpected(at, "a digit in the exponent");
        }
    }
    const std::string_view text(start, static_cast<std::size_t>(at - start));
    add(Kind::Number, start, at, isPlain || isInteger(text));
    return at;
}

const char *Reader::word(const char *at, std::string_view word, Kind kind, bool flag) {
    if (static_cast<std::size_t>(end_ - at) < word.size() ||
        std::string_view(at, word.size()) != word) {
        return failExpected(at, "a JSON value");
    }
    add(kind, at, at + word.size(), flag);
    return at + word.size();
}

Result<void> Document::readView(std::string_view text, const ReadLimits &limits) {
    owned_.clear();
    view_ = text;
    Reader reader(*this, text, limits);
    if (reader.run()) {
        return {};
    }
    Error error = reader.error();
    used_ = 0;
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
