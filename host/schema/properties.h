// SPDX-License-Identifier: Apache-2.0
// The keys that an object's schema names: private to this folder.
#pragma once

#include "json/document.h"

#include <cstdint>
#include <cstring>
#include <string_view>
#include <unordered_map>
#include <vector>

namespace tenon::schema {

// A subschema is a node: a run of operations, all of which must hold. kNone is no subschema.
using NodeIndex = std::uint32_t;
constexpr NodeIndex kNone = UINT32_MAX;

struct Program;

struct Property {
    std::string_view key;
    NodeIndex node = kNone; // kNone: only required
    bool required = false;
    json::Value fallback = {}; // the default that fills its place; missing: none
};

// The keys that an object's schema names. Looking one up reads as little memory as can be: that is
// where the time of a validation goes.
class PropertyTable {
public:
    Property &add(std::string_view key); // the one of this key, new or known
    std::vector<Property> &list() { return list_; }
    const std::vector<Property> &list() const { return list_; }
    void seal(const Program &program); // makes what follows ready, once all is there

    // Its place in the list, or kNone. `guess` is looked at first: keys mostly come in order.
    [[gnu::always_inline]] std::uint32_t find(std::string_view key, std::uint32_t guess) const {
        const Ends ends = endsOf(key);
        return guess < slots_.size() && matches(guess, key, ends) ? guess : lookUp(key, ends);
    }
    NodeIndex nodeAt(std::uint32_t place) const { return slots_[place].node; }
    // Whether nothing but its type is asked of the value, and it has it.
    bool takesType(std::uint32_t place, std::uint32_t type) const {
        return (slots_[place].onlyType & type) != 0;
    }
    bool isRequired(std::uint32_t place) const { return slots_[place].required; }

private:
    // All of a key of up to 16 bytes, and both ends of a longer one.
    struct Ends {
        std::uint64_t first = 0, last = 0;
        bool operator==(const Ends &) const = default;
    };
    struct Slot {
        Ends ends;
        std::uint32_t size;
        NodeIndex node;
        bool required;
        std::uint8_t onlyType; // as that of its node
    };
    static Ends endsOf(std::string_view key) {
        const auto load = [&](std::size_t at, std::size_t size) {
            std::uint64_t bytes = 0;
            std::memcpy(&bytes, key.data() + at, size);
            return bytes;
        };
        const std::size_t size = key.size();
        if (size >= 8) {
            return {load(0, 8), load(size - 8, 8)};
        }
        if (size >= 4) {
            return {load(0, 4), load(size - 4, 4)};
        }
        return {size >= 2 ? load(0, 2) : 0, size >= 1 ? load(size - 1, 1) : 0};
    }
    bool matches(std::uint32_t place, std::string_view key, const Ends &ends) const {
        const Slot &slot = slots_[place];
        return slot.size == key.size() && slot.ends == ends &&
               (key.size() <= 16 || list_[place].key == key);
    }
    std::uint32_t lookUp(std::string_view key, const Ends &ends) const;

    std::vector<Slot> slots_;
    std::vector<Property> list_; // in declared order
    std::unordered_map<std::string_view, std::uint32_t> byKey_;
};

} // namespace tenon::schema
