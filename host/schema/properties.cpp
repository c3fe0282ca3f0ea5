// SPDX-License-Identifier: Apache-2.0
#include "schema/properties.h"

#include "schema/program.h"

namespace tenon::schema {

namespace {

constexpr std::size_t kFewKeys = 16; // looked through one by one

} // namespace

Property &PropertyTable::add(std::string_view key) {
    const auto [known, fresh] = byKey_.emplace(key, static_cast<std::uint32_t>(list_.size()));
    if (fresh) {
        list_.emplace_back().key = key;
    }
    return list_[known->second];
}

void PropertyTable::seal(const Program &program) {
    slots_.reserve(list_.size());
    for (const auto &property : list_) {
        const NodeIndex node = property.node;
        slots_.push_back({endsOf(property.key), static_cast<std::uint32_t>(property.key.size()),
                          node, property.required,
                          node == kNone ? std::uint8_t{0} : program.nodes[node].onlyType});
    }
}

std::uint32_t PropertyTable::lookUp(std::string_view key, const Ends &ends) const {
    if (slots_.size() > kFewKeys) {
        const auto found = byKey_.find(key);
        return found == byKey_.end() ? kNone : found->second;
    }
    for (std::uint32_t place = 0; place < slots_.size(); ++place) {
        if (matches(place, key, ends)) {
            return place;
        }
    }
    return kNone;
}

} // namespace tenon::schema
