// SPDX-License-Identifier: Apache-2.0
// The tools of all plugins under the names that callers use: one generation of what is served.
#pragma once

#include "catalog/catalog.h"
#include "catalog/handler.h"

#include <functional>
#include <map>
#include <memory>
#include <string>
#include <vector>

namespace tenon::catalog {

// One catalog and what runs it.
struct Mount {
    std::shared_ptr<const Catalog> catalog;
    std::shared_ptr<Handler> handler;
    std::string origin;              // where it came from, for messages: a path
    std::string prefix;              // put before each name
    std::size_t concurrencyMax = 16; // calls at once
    std::uint64_t timeoutMs = 0;     // 0: the host's default
    std::vector<std::string> allow;  // plugin names of tools to mount; empty: all
    std::vector<std::string> deny;   // and not to mount
};

struct MountedTool {
    std::string name; // mounted
    const Tool *tool;
    std::size_t mount; // index
};

// Immutable.
class MountedCatalog {
public:
    // Fails when two tools come under one name (but for letter case), naming both origins, and
    // when a filter names no tool.
    static Result<std::shared_ptr<const MountedCatalog>> make(std::vector<Mount> mounts);

    const std::vector<Mount> &mounts() const { return mounts_; }
    const std::vector<MountedTool> &tools() const { return tools_; } // mount order, then declared
    const MountedTool *find(std::string_view name) const;
    // The mounted name nearest to one that is not there, or "".
    std::string nearestTo(std::string_view name) const;
    const std::string &digest() const { return digest_; } // over names and catalogs, 64 hex digits

private:
    MountedCatalog() = default;

    std::vector<Mount> mounts_;
    std::vector<MountedTool> tools_;
    std::map<std::string, std::size_t, std::less<>> byName_;
    std::string digest_;
};

} // namespace tenon::catalog
