// SPDX-License-Identifier: Apache-2.0
// The calls that a plugin has in flight, by generational handle: what it pushed so far, and whose
// call it is. A late, second or invented completion finds nothing here.
#pragma once

#include "catalog/handler.h"

#include <tenon/abi.h>

#include <mutex>
#include <optional>
#include <vector>

namespace tenon::plugin {

// What a plugin pushed for one call.
struct Pushed {
    CallPtr call;
    Output output;
    std::size_t bytes = 0; // of output
    // The size at which a result, or a content block, passed the ceiling; 0: none did.
    std::size_t resultOverflow = 0, contentOverflow = 0;
    std::optional<AppError> failure;
    std::optional<RawCause> raw;
    std::string traceparent; // once the plugin asked for it
};

// Thread-safe.
class CallTable {
public:
    tenon_call begin(CallPtr call);
    // The call's context, or null when the handle is stale.
    CallPtr find(tenon_call handle);
    // Runs change(Pushed &) -> tenon_status under the lock; TENON_STALE when the handle is.
    template <class Change> tenon_status change(tenon_call handle, Change change) {
        const std::lock_guard lock(mutex_);
        Slot *slot = slotOf(handle);
        return slot != nullptr && !slot->abandoned ? change(*slot->pushed) : TENON_STALE;
    }
    // From now on the handle is stale for the plugin; what it may still read is kept until end().
    void abandon(const CallPtr &call);
    // Ends the handle, also an abandoned one. Exactly one caller gets what was pushed.
    std::optional<Pushed> end(tenon_call handle);
    // The handle of a call, or 0.
    tenon_call handleOf(const CallPtr &call) const;

private:
    struct Slot {
        std::uint32_t generation = 1;
        std::optional<Pushed> pushed; // empty: free
        bool abandoned = false;
    };
    Slot *slotOf(tenon_call handle);

    mutable std::mutex mutex_;
    std::vector<Slot> slots_;
    std::vector<std::uint32_t> free_;
};

} // namespace tenon::plugin
