// SPDX-License-Identifier: Apache-2.0
#include "json/document.h"

#include "json/number.h"

#include <algorithm>
#include <array>
#include <utility>

namespace tenon::json {

std::string_view nameOf(Kind kind) {
    static constexpr std::array<std::string_view, 6> kNames{"null",   "boolean", "number",
                                                            "string", "array",   "object"};
    return kNames[static_cast<std::size_t>(kind)];
}

bool Value::isTrue() const {
    return kind() == Kind::Boolean && document_->nodes_[index_].flag;
}

bool Value::isFalse() const {
    return kind() == Kind::Boolean && !document_->nodes_[index_].flag;
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

namespace {

using Pairs = std::vector<std::pair<Value, Value>>;

// By key: a search for each key of the other would be quadratic.
std::vector<Member> sortedMembers(Value object) {
    std::vector<Member> out;
    out.reserve(object.size());
    for (const auto member : object.members()) {
        out.push_back(member);
    }
    std::sort(out.begin(), out.end(),
              [](const Member &a, const Member &b) { return a.key < b.key; });
    return out;
}

bool pairMembers(Value left, Value right, Pairs &open) {
    const auto ours = sortedMembers(left);
    const auto theirs = sortedMembers(right);
    for (std::size_t i = 0; i < ours.size(); ++i) {
        if (ours[i].key != theirs[i].key) {
            return false;
        }
        open.emplace_back(ours[i].value, theirs[i].value);
    }
    return true;
}

// Compares what needs no look inside, and leaves the parts of containers in `open`.
bool equalOutside(Value left, Value right, Pairs &open) {
    if (left.kind() != right.kind() || left.size() != right.size()) {
        return false;
    }
    switch (left.kind()) {
    case Kind::Null: return true;
    case Kind::Boolean: return left.isTrue() == right.isTrue();
    case Kind::Number: return compareNumbers(left.raw(), right.raw()) == 0;
    case Kind::String: return left.string() == right.string();
    case Kind::Array: {
        auto other = right.items().begin();
        for (const Value item : left.items()) {
            open.emplace_back(item, *other);
            ++other;
        }
        return true;
    }
    case Kind::Object: return pairMembers(left, right, open);
    }
    return false;
}

} // namespace

bool isDeeperThan(Value value, std::uint32_t levels) {
    std::vector<std::uint32_t> open; // where each container that holds the present place ends
    const auto end = value.past();
    if (end - value.index() <= levels) { // so many values cannot be so deep
        return false;
    }
    for (auto at = value.index(); at != end; ++at) {
        while (!open.empty() && open.back() <= at) {
            open.pop_back();
        }
        const Value here = value.at(at);
        if (here.size() > 0 || here.isArray() || here.isObject()) {
            open.push_back(here.past());
            if (open.size() > levels) {
                return true;
            }
        }
    }
    return false;
}

bool equal(Value a, Value b) {
    if (a.isString() && b.isString()) {
        return a.string() == b.string();
    }
    Pairs open;
    if (!equalOutside(a, b, open)) {
        return false;
    }
    while (!open.empty()) {
        const auto [left, right] = open.back();
        open.pop_back();
        if (!equalOutside(left, right, open)) {
            return false;
        }
    }
    return true;
}

} // namespace tenon::json
