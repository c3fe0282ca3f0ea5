// SPDX-License-Identifier: Apache-2.0
// The wiring: options -> plugins -> catalog -> runner.
#pragma once

#include "app/delivery.h"
#include "runner/metrics.h"
#include "runner/runner.h"
#include "support/log.h"
#include "support/result.h"

#include <memory>
#include <string>
#include <vector>

namespace tenon::app {

struct HostOptions {
    std::string manifest;             // a path, or "": plugins are given by path
    std::vector<std::string> plugins; // paths
    std::string isolation;            // "none", or "": not said
    AuditDefault audit = AuditDefault::None;
};

// What serves and calls need. The runner goes before what it refers to.
struct Host {
    std::string serverName = "tenon", serverVersion, instructions;
    std::shared_ptr<audit::Delivery> audit; // null: none is kept
    std::unique_ptr<Metrics> metrics;
    std::unique_ptr<ToolRunner> runner;
};

// Loads the plugins and makes the runner. A plugin that fails is left out with its reason in the
// log, unless it is required or none is left. log must outlive the host.
Result<Host> makeHost(const HostOptions &options, Log &log);

} // namespace tenon::app
