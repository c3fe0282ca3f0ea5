// SPDX-License-Identifier: Apache-2.0
// The manifest's audit -> what delivers its rows.
#pragma once

#include "manifest/manifest.h"
#include "runner/audit/delivery.h"
#include "support/masker.h"

#include <memory>
#include <string>

namespace tenon::app {

// Whether a command keeps an audit that no manifest asks for.
enum class AuditDefault { None, Kept };

// What must be masked: the values under secret names in the plugins' config, and the names that the
// manifest adds.
std::shared_ptr<const Masker> maskerOf(const manifest::Manifest &manifest);

// $XDG_STATE_HOME/tenon/audit.db, or that of ~/.local/state; "" when there is no home.
std::string defaultAuditPath();

// Where the audit of a manifest is ("": that of ./tenon.yaml, or else the default one).
Result<std::string> auditPathOf(const std::string &manifest);

// Null when none is kept. Fails when the manifest asks for one that cannot be opened; one that is
// kept by default is then left out, with a warning.
Result<std::shared_ptr<audit::Delivery>> openAudit(const manifest::AuditEntry &entry,
                                                   AuditDefault byDefault, Log &log);

} // namespace tenon::app
