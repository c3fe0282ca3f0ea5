// SPDX-License-Identifier: Apache-2.0
// The audit as a hook: one row of every call, whatever came of it.
#pragma once

#include "runner/audit/sanitiser.h"
#include "runner/hooks.h"

#include <functional>

namespace tenon::audit {

// What is kept of a finished call, but for its id, which whoever delivers it gives.
Row rowOf(const AfterToolCall &event, const Sanitiser &sanitiser);

// Hooks that give each call's row to a function of the embedder's, on the call's own thread and
// before its answer goes out. For files, deliver with Delivery (delivery.h):
//
//     options.hooks.push_back(audit::createAuditHook(
//         [delivery](audit::Row row) { delivery->add(std::move(row)); }));
ToolHooks createAuditHook(std::function<void(Row)> sink, Sanitiser sanitiser = Sanitiser());

} // namespace tenon::audit
