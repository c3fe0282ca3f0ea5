// SPDX-License-Identifier: Apache-2.0
#include "json/document.h"

#include "json/number.h"

#include <array>
#include <utility>

namespace tenon::json {

std::string_view nameOf(Kind kind) {
    static constexpr std::array<std::string_view, 6> kNames{"null",   "boolean", "number",
                                                            "string", "array",   "object"};
    return kNames[static_cast<std::size_t>(kind)];
}

std::string_view Document::stringOf(const Node &node) const {
    return node.flag ? std::string_view(decoded_).substr(node.decoded, node.count)
                     : text().substr(node.start + 1, node.end - node.start - 2);
}

void Document::own() {
    if (owned_.empty()) {
        owned_ = view_; // offsets stay what they are
    }
}

Kind Value::kind() const { return document_ ? document_->nodes_[index_].kind : Kind::Null; }

bool Value::isTrue() const {
    return kind() == Kind::Boolean && document_->nodes_[index_].flag;
}

bool Value::isFalse() const {
    return kind() == Kind::Boolean && !document_->nodes_[index_].flag;
}

std::string_view Value::raw() const {
    if (!document_) {
        return {};
    }
    const auto &node = document_->nodes_[index_];
    return document_->text().substr(node.start, node.end - node.start);
}

std::string_view Value::string() const {
    return isString() ? document_->stringOf(document_->nodes_[index_]) : std::string_view();
}

std::size_t Value::size() const {
    return isArray() || isObject() ? document_->nodes_[index_].count : 0;
}

Value Value::operator[](std::string_view key) const {
    for (const auto member : members()) {
        if (member.key == key) {
            return member.value;
        }
    }
    return {};
}

Items Value::items() const {
    Items items;
    if (isArray()) {
        items.document_ = document_;
        items.begin_ = index_ + 1;
        items.end_ = document_->nodes_[index_].next;
    }
    return items;
}

Members Value::members() const {
    Members members;
    if (isObject()) {
        members.document_ = document_;
        members.begin_ = index_ + 1;
        members.end_ = document_->nodes_[index_].next;
    }
    return members;
}

bool equal(Value a, Value b) {
    std::vector<std::pair<Value, Value>> open{{a, b}};
    while (!open.empty()) {
        const auto [left, right] = open.back();
        open.pop_back();
        if (left.kind() != right.kind() || left.size() != right.size()) {
            return false;
        }
        switch (left.kind()) {
        case Kind::Null: break;
        case Kind::Boolean:
            if (left.isTrue() != right.isTrue()) {
                return false;
            }
            break;
        case Kind::Number:
            if (compareNumbers(left.raw(), right.raw()) != 0) {
                return false;
            }
            break;
        case Kind::String:
            if (left.string() != right.string()) {
                return false;
            }
            break;
        case Kind::Array: {
            auto other = right.items().begin();
            for (const Value item : left.items()) {
                open.emplace_back(item, *other);
                ++other;
            }
            break;
        }
        case Kind::Object:
            for (const auto member : left.members()) {
                const Value other = right[member.key];
                if (!other) {
                    return false;
                }
                open.emplace_back(member.value, other);
            }
            break;
        }
    }
    return true;
}

} // namespace tenon::json
