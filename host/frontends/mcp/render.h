// SPDX-License-Identifier: Apache-2.0
// Values -> wire JSON of one revision. What does not depend on a request is made once.
#pragma once

#include "catalog/mounted.h"
#include "frontends/mcp/revision.h"

#include <array>
#include <string>
#include <string_view>

namespace tenon::mcp {

struct ServerInfo {
    std::string name = "tenon";
    std::string version;
    std::string instructions;
};

// The rendered parts of one catalog generation. Immutable.
class Rendered {
public:
    Rendered(const catalog::MountedCatalog &catalog, const ServerInfo &info);

    // The whole result object of these methods.
    const std::string &toolsList(Revision revision) const {
        return toolsLists_[static_cast<std::size_t>(revision)];
    }
    const std::string &discover() const { return discover_; }
    std::string initialize(Revision revision) const;

    // The result object of tools/call.
    std::string callOutput(const Output &output, const catalog::Tool &tool,
                           Revision revision) const;
    std::string callFailure(std::string_view failureJson, Revision revision) const;
    // A result object of no content: {} and what the revision adds.
    std::string empty(Revision revision) const;

private:
    // Closes a result object with its _meta; the last key before it is written.
    std::string_view tail(Revision revision) const {
        return isModern(revision) ? modernTail_ : legacyTail_;
    }

    std::string serverInfo_, instructions_;
    std::string legacyTail_, modernTail_;
    std::string discover_;
    std::array<std::string, kRevisionNames.size()> toolsLists_;
};

} // namespace tenon::mcp
