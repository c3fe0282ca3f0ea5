// SPDX-License-Identifier: Apache-2.0
// The audit as a hook: one row of every call, whatever came of it.
#pragma once

#include "runner/audit/delivery.h"
#include "runner/audit/sanitiser.h"
#include "runner/hooks.h"

#include <functional>
#include <memory>

namespace tenon::audit {

// Makes row what is kept of a finished call, but for its id, which whoever delivers it gives.
void fillRow(Row &row, const AfterToolCall &event, const Sanitiser &sanitiser);

// Hooks that give each call's row to a function of the embedder's, on the call's own thread and
// before its answer goes out.
ToolHooks createAuditHook(std::function<void(Row)> sink, Sanitiser sanitiser = Sanitiser());

// The same, to a file:
//
//     options.hooks.push_back(audit::createAuditHook(delivery));
ToolHooks createAuditHook(std::shared_ptr<Delivery> delivery, Sanitiser sanitiser = Sanitiser());

} // namespace tenon::audit
