// SPDX-License-Identifier: Apache-2.0
// JSON-RPC 2.0 envelopes. Knows no tools and no MCP.
#pragma once

#include "json/document.h"

#include <string>
#include <string_view>

namespace tenon::transport {

enum RpcCode : int {
    kParseError = -32700,
    kInvalidRequest = -32600,
    kMethodNotFound = -32601,
    kInvalidParams = -32602,
    kInternalError = -32603
};

// One message, taken apart. Views into the document that it was read from.
struct Envelope {
    enum class Kind { Request, Notification, Response, Invalid };
    Kind kind = Kind::Invalid;
    std::string_view id; // its own bytes; of a request, or of an invalid message with a valid one
    json::Value idValue; // of a request
    std::string_view method;
    json::Value params;  // missing when absent or null
    std::string problem; // of an invalid message: what was seen, what was expected
};

Envelope readEnvelope(json::Value message);

// "42" and "\"42\"" stay different; a string's escapes do not matter.
std::string idKey(json::Value id);

// {"jsonrpc":"2.0","id":...,"error":{...}}; id "" is null, data "" is none.
std::string errorMessage(std::string_view id, int code, std::string_view message,
                         std::string_view data = {});
// {"jsonrpc":"2.0","id":...,"result":...}
std::string resultMessage(std::string_view id, std::string_view result);

} // namespace tenon::transport
