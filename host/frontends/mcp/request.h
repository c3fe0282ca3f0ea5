// SPDX-License-Identifier: Apache-2.0
// An envelope as a request of one revision: which era it speaks, and what its _meta says.
#pragma once

#include "catalog/handler.h"
#include "frontends/mcp/revision.h"
#include "json/document.h"
#include "transport/jsonrpc.h"

#include <string>
#include <string_view>

namespace tenon::mcp {

struct Request {
    std::string error; // the whole error message to answer with; "" when there is none
    Revision revision = kNewestLegacy;
    std::string_view id, method;
    json::Value idValue;
    json::Value params;
    json::Value name, arguments;    // of tools/call; missing where params has none
    std::string_view progressToken; // its own bytes, or ""
    std::string_view traceparent;
    Caller caller; // of a modern request: what it says of its client
};

// legacy is the revision of requests that carry none.
Request readRequest(const transport::Envelope &envelope, Revision legacy);

} // namespace tenon::mcp
