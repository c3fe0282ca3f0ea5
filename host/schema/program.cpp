// SPDX-License-Identifier: Apache-2.0
#include "schema/program.h"

namespace tenon::schema {

Property &PropertyTable::add(std::string_view key) {
    const auto [known, fresh] = byKey_.emplace(key, static_cast<std::uint32_t>(list_.size()));
    if (fresh) {
        list_.emplace_back().key = key;
    }
    return list_[known->second];
}

std::uint32_t PropertyTable::lookUp(std::string_view key) const {
    const auto found = byKey_.find(key);
    return found == byKey_.end() ? kNone : found->second;
}

} // namespace tenon::schema
