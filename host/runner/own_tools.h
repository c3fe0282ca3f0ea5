// SPDX-License-Identifier: Apache-2.0
// Tools that are functions of this program: the embedder's own, beside those of plugins.
#pragma once

#include "catalog/mounted.h"
#include "json/document.h"
#include "support/limits.h"
#include "support/result.h"

#include <functional>
#include <string>
#include <string_view>
#include <vector>

namespace tenon {

struct OwnTool {
    // One tool of a catalog, as JSON (sdk/README.md has its form): name, description, inputSchema,
    // and whatever else it declares.
    std::string definition;
    // Runs one call: on the pool, several at once, or where the message was read if the definition
    // says "execution":{"blocking":false}. The arguments are valid against inputSchema, and live as
    // long as this runs. What it throws is a throw of the handler: an AppError is for the caller,
    // anything else is for the log, the hooks and the audit.
    std::function<HandlerOutcome(CallContext &call, json::Value arguments)> run;
};

// A catalog of these tools and what runs them. Fails, naming every problem, where a plugin's
// catalog would be refused.
Result<catalog::Mount> mountOwnTools(std::string_view id, std::string_view version,
                                     std::vector<OwnTool> tools, const Limits &limits = {});

} // namespace tenon
