// SPDX-License-Identifier: Apache-2.0
// The one strict JSON reader for everything that comes from outside, and the value it makes.
//
// A Document is a flat tape over the text that it was read from. Nothing is converted: a number
// keeps its digits, an object its order, every value its own bytes (raw()). No function here
// recurses, so depth costs memory in proportion and never the stack.
#pragma once

#include "support/result.h"

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace tenon::json {

enum class Kind : std::uint8_t { Null, Boolean, Number, String, Array, Object };

std::string_view nameOf(Kind kind); // "null", "boolean", "number", "string", "array", "object"

class Document;
class Value;
class Items;
class Members;

struct ReadLimits {
    std::size_t bytesMax = 16U << 20;
    std::uint32_t depthMax = 128;
    // false: a key twice in one object and a lone surrogate are noted (Document::flaw), for those
    // who can then answer better than "syntax error". The text is not to be used beyond that.
    bool refuseFlaws = true;
};

// A value inside a Document, valid as long as it and neither moved nor re-read. Cheap to copy.
// A default-made Value is "missing": false in a condition, of kind Null, of no members.
class Value {
public:
    Value() = default;

    explicit operator bool() const { return document_ != nullptr; }
    Kind kind() const;
    bool isObject() const { return kind() == Kind::Object; }
    bool isArray() const { return kind() == Kind::Array; }
    bool isString() const { return kind() == Kind::String; }
    bool isNumber() const { return kind() == Kind::Number; }
    bool isInteger() const; // a number without a fraction: 3, 3.0, 30e-1
    bool isTrue() const;
    bool isFalse() const;
    bool isNull() const { return kind() == Kind::Null; }

    std::string_view raw() const;    // its bytes in the text, quotes and all
    std::string_view string() const; // decoded; "" unless a string
    std::string_view number() const { return isNumber() ? raw() : std::string_view(); }
    std::size_t size() const;                      // of an array or object
    Value operator[](std::string_view key) const;  // missing unless an object with that key
    Items items() const;                           // none unless an array
    Members members() const;                       // in order; none unless an object
    std::uint32_t index() const { return index_; } // its place on the tape, unique within it

    // For those who walk the tape by hand. The first item of an array is at index() + 1, and the
    // next one at past(); an object's first key (a string) is there, its value behind it.
    std::uint32_t past() const; // the place behind the value and all that it holds
    Value at(std::uint32_t index) const { return {document_, index}; }

private:
    friend class Document;
    friend class Items;
    friend class Members;
    Value(const Document *document, std::uint32_t index) : document_(document), index_(index) {}

    const Document *document_ = nullptr;
    std::uint32_t index_ = 0;
};

struct Member {
    std::string_view key; // decoded
    Value value;
};

class Document {
public:
    Document() = default;

    // Reads one JSON text that the caller keeps alive and unchanged; earlier content is dropped and
    // its memory used again. Refused, with line and column: bytes that are not UTF-8, lone
    // surrogates, a key twice in one object, anything RFC 8259 does not have, and what is beyond
    // the limits.
    Result<void> readView(std::string_view text, const ReadLimits &limits = {});
    // The same over a text of its own.
    static Result<Document> read(std::string text, const ReadLimits &limits = {});

    Value root() const { return empty() ? Value() : Value(this, 0); } // missing before a read
    std::string_view text() const { return owned_.empty() ? view_ : std::string_view(owned_); }
    bool empty() const { return used_ == 0; }
    // The deepest nesting of arrays and objects; 0 for a scalar.
    std::uint32_t depth() const { return depth_; }
    // The first flaw in words, or "" (only with refuseFlaws off).
    const std::string &flaw() const { return flaw_; }

private:
    friend class Value;
    friend class Items;
    friend class Members;
    friend class Reader;
    struct Node {
        std::uint32_t start, end; // its bytes in the text
        std::uint32_t next;       // the node behind it and all that it holds
        std::uint32_t count;      // members or items; of an escaped string: its size in decoded_
        std::uint32_t decoded;    // of an escaped string: where in decoded_
        Kind kind;
        bool flag; // Boolean: its value; String: escaped; Number: an integer
    };
    std::string_view stringOf(const Node &node) const {
        return node.flag ? std::string_view(decoded_).substr(node.decoded, node.count)
                         : text().substr(node.start + 1, node.end - node.start - 2);
    }

    std::string_view view_;
    std::string owned_;
    std::string decoded_; // strings that held escapes
    std::string flaw_;
    std::vector<Node> nodes_; // the tape, and room to use again
    std::uint32_t used_ = 0;  // of nodes_
    std::uint32_t depth_ = 0;
    std::vector<std::uint32_t> open_; // the reader's stack, kept for its memory
};

class Items {
public:
    class Iterator {
    public:
        Iterator(const Document *document, std::uint32_t index)
            : document_(document), index_(index) {}
        Value operator*() const { return {document_, index_}; }
        Iterator &operator++() {
            index_ = document_->nodes_[index_].next;
            return *this;
        }
        bool operator!=(const Iterator &other) const { return index_ != other.index_; }

    private:
        const Document *document_;
        std::uint32_t index_;
    };
    Iterator begin() const { return {document_, begin_}; }
    Iterator end() const { return {document_, end_}; }

private:
    friend class Value;
    const Document *document_ = nullptr;
    std::uint32_t begin_ = 0, end_ = 0;
};

class Members {
public:
    class Iterator {
    public:
        Iterator(const Document *document, std::uint32_t index)
            : document_(document), index_(index) {}
        Member operator*() const {
            return {document_->stringOf(document_->nodes_[index_]), {document_, index_ + 1}};
        }
        Iterator &operator++() {
            index_ = document_->nodes_[index_ + 1].next;
            return *this;
        }
        bool operator!=(const Iterator &other) const { return index_ != other.index_; }

    private:
        const Document *document_;
        std::uint32_t index_;
    };
    Iterator begin() const { return {document_, begin_}; }
    Iterator end() const { return {document_, end_}; }

private:
    friend class Value;
    const Document *document_ = nullptr;
    std::uint32_t begin_ = 0, end_ = 0;
};

inline Kind Value::kind() const {
    return document_ ? document_->nodes_[index_].kind : Kind::Null;
}

inline bool Value::isInteger() const {
    return isNumber() && document_->nodes_[index_].flag;
}

inline std::uint32_t Value::past() const {
    return document_ ? document_->nodes_[index_].next : 0;
}

inline std::string_view Value::raw() const {
    if (!document_) {
        return {};
    }
    const auto &node = document_->nodes_[index_];
    return document_->text().substr(node.start, node.end - node.start);
}

inline std::string_view Value::string() const {
    return isString() ? document_->stringOf(document_->nodes_[index_]) : std::string_view();
}

// Whether arrays and objects lie within one another more than `levels` deep, the value itself
// counted.
bool isDeeperThan(Value value, std::uint32_t levels);

// The same JSON value: numbers by value and exactly, objects without regard to order.
bool equal(Value a, Value b);

} // namespace tenon::json
