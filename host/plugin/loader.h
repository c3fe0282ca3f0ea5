// SPDX-License-Identifier: Apache-2.0
// FILE -> CATALOG + HANDLER, in small named steps, each with its own refusal:
//
//   resolve -> readInfo -> openLibrary -> findEntry -> negotiate -> checkTable -> checkConfig
//           -> create -> readCatalog
//
// Two doors lead into the chain: a path, and an entry that is already in memory.
#pragma once

#include "catalog/catalog.h"
#include "plugin/instance.h"
#include "support/limits.h"
#include "support/log.h"
#include "support/result.h"

#include <memory>
#include <string>

namespace tenon::plugin {

struct LoadOptions {
    std::string config = "{}"; // a JSON object
    Limits limits;
    schema::Options arguments; // how its tools' arguments are read
};

struct LoadedPlugin {
    std::shared_ptr<const catalog::Catalog> catalog;
    std::shared_ptr<Instance> instance;
    std::string origin; // the absolute path, or the name that was given
};

// Loads a plugin file into this process: `isolation: none`. The library is never unloaded. Call it
// on one thread at a time. log must outlive the instance.
Result<LoadedPlugin> loadFile(const std::string &path, const LoadOptions &options, Log &log);

// The same chain from "negotiate" on, for an entry of this process: tests, and hosts with plugins
// linked in.
Result<LoadedPlugin> loadEntry(const std::string &origin, tenon_entry_v1 entry,
                               const LoadOptions &options, Log &log);

} // namespace tenon::plugin
