// SPDX-License-Identifier: Apache-2.0
// The operator's file: YAML -> Manifest. manifests/README.md is its guide.
#pragma once

#include "schema/schema.h"
#include "support/limits.h"
#include "support/result.h"

#include <cstdint>
#include <string>
#include <vector>

namespace tenon::manifest {

struct PluginEntry {
    std::string path;          // absolute: relative ones are taken from the manifest's folder
    bool trusted = false;      // isolation: none, in so many words
    std::string config = "{}"; // JSON
    std::vector<std::string> allow, deny; // the plugin's own tool names
    std::string prefix;
    std::uint64_t timeoutMs = 0;   // 0: the default
    std::uint64_t concurrency = 0; // 0: the default
    bool required = false;
    schema::Options arguments; // how its tools' arguments are read
    std::string where;         // file:line:column, for messages
};

// Where rows of calls are kept.
struct AuditEntry {
    enum class Store { Default, Off, Sqlite, JsonLines };
    Store store = Store::Default; // Default: as the command has it
    std::string path;             // absolute; "": the default one
    bool sync = false;
    std::uint64_t rotateBytes = 64U << 20; // 0, here and below: never
    std::uint64_t rotateSeconds = 0;
    std::uint64_t retentionSeconds = 30 * 86'400;
    std::vector<std::string> mask; // names whose values are masked, besides the usual ones
    bool given = false;            // the manifest speaks of it
};

struct Manifest {
    std::string serverName = "tenon";
    std::string serverVersion;
    std::string instructions;
    std::vector<PluginEntry> plugins;
    Limits limits;
    AuditEntry audit;
};

// Reads a manifest file. The error lists every problem that was found, each with file:line:column.
Result<Manifest> readManifest(const std::string &path);

// The same for a text; relative paths are taken from `folder`.
Result<Manifest> readManifestText(const std::string &text, const std::string &name,
                                  const std::string &folder);

} // namespace tenon::manifest
