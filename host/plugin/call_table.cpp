// SPDX-License-Identifier: Apache-2.0
#include "plugin/call_table.h"

#include <utility>

namespace tenon::plugin {

namespace {

tenon_call handleFor(std::uint32_t generation, std::size_t index) {
    return (static_cast<tenon_call>(generation) << 32U) | index;
}

} // namespace

tenon_call CallTable::begin(CallPtr call) {
    const std::lock_guard lock(mutex_);
    if (free_.empty()) {
        free_.push_back(static_cast<std::uint32_t>(slots_.size()));
        slots_.emplace_back();
    }
    const auto index = free_.back();
    free_.pop_back();
    slots_[index].pushed.emplace().call = std::move(call);
    slots_[index].abandoned = false;
    return handleFor(slots_[index].generation, index);
}

CallTable::Slot *CallTable::slotOf(tenon_call handle) {
    const auto index = static_cast<std::uint32_t>(handle);
    if (index >= slots_.size() || slots_[index].generation != handle >> 32U ||
        !slots_[index].pushed) {
        return nullptr;
    }
    return &slots_[index];
}

CallPtr CallTable::find(tenon_call handle) {
    const std::lock_guard lock(mutex_);
    const Slot *slot = slotOf(handle);
    return slot != nullptr && !slot->abandoned ? slot->pushed->call : nullptr;
}

void CallTable::abandon(const CallPtr &call) {
    const std::lock_guard lock(mutex_);
    for (auto &slot : slots_) {
        slot.abandoned = slot.abandoned || (slot.pushed && slot.pushed->call == call);
    }
}

std::optional<Pushed> CallTable::end(tenon_call handle) {
    const std::lock_guard lock(mutex_);
    Slot *slot = slotOf(handle);
    if (slot == nullptr) {
        return std::nullopt;
    }
    std::optional<Pushed> pushed = std::move(slot->pushed);
    slot->pushed.reset();
    if (++slot->generation != 0) { // a slot whose generations are used up is never used again
        free_.push_back(static_cast<std::uint32_t>(handle));
    }
    return pushed;
}

tenon_call CallTable::handleOf(const CallPtr &call) const {
    const std::lock_guard lock(mutex_);
    for (std::size_t i = 0; i < slots_.size(); ++i) {
        if (slots_[i].pushed && slots_[i].pushed->call == call) {
            return handleFor(slots_[i].generation, i);
        }
    }
    return 0;
}

} // namespace tenon::plugin
