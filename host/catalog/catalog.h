// SPDX-License-Identifier: Apache-2.0
// What one plugin offers: validated whole, then frozen and shared by pointer.
#pragma once

#include "catalog/tool.h"
#include "json/document.h"
#include "support/limits.h"
#include "support/result.h"

#include <memory>
#include <string>
#include <string_view>
#include <vector>

namespace tenon::catalog {

class Catalog {
public:
    // Reads and checks a plugin's catalog (sdk/README.md has its form). The error lists every
    // problem that was found, not the first.
    // `arguments` is how the tools' arguments are read; the catalog itself may ask for
    // "unknownKeys": "refuse".
    static Result<std::shared_ptr<const Catalog>>
    fromJson(std::string_view json, const Limits &limits, const schema::Options &arguments = {});
    Catalog(const Catalog &) = delete;
    Catalog &operator=(const Catalog &) = delete;

    const std::string &id() const { return id_; }
    const std::string &version() const { return version_; }
    const std::string &description() const { return description_; }
    const std::vector<Tool> &tools() const { return tools_; } // in declaration order
    const std::string &digest() const { return digest_; } // SHA-256 of the canonical bytes, in hex
    // What was declared and is not served by this host, in words.
    const std::vector<std::string> &notes() const { return notes_; }

private:
    friend class CatalogReader;
    Catalog() = default;

    std::string id_, version_, description_, digest_;
    std::vector<Tool> tools_;
    std::vector<std::string> notes_;
};

// MCP names: 1 to 128 of A-Za-z0-9_.-
bool isToolName(std::string_view name);

// Names that every model provider takes as they are: ^[A-Za-z_][A-Za-z0-9_-]{0,63}$
bool isPortableName(std::string_view name);

// The portable name of a tool: its own, or that with its odd characters replaced and a short hash
// of the whole, so that two names never become one. The same in every run, whatever else is
// mounted.
std::string exportedName(std::string_view name);

} // namespace tenon::catalog
