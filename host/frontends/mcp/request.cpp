// SPDX-License-Identifier: Apache-2.0
#include "frontends/mcp/request.h"

#include "json/writer.h"
#include "support/text.h"

namespace tenon::mcp {

namespace {

constexpr int kUnsupportedProtocolVersion = -32022;

struct Meta {
    json::Value protocolVersion, clientCapabilities, clientInfo, logLevel, other;
    json::Value progressToken, traceparent;
};

Meta readMeta(json::Value meta) {
    static constexpr std::string_view kOurs = "io.modelcontextprotocol/";
    Meta out;
    for (const auto &[key, value] : meta.members()) {
        if (key.starts_with(kOurs)) {
            const auto name = key.substr(kOurs.size());
            (name == "protocolVersion"      ? out.protocolVersion
             : name == "clientCapabilities" ? out.clientCapabilities
             : name == "clientInfo"         ? out.clientInfo
             : name == "logLevel"           ? out.logLevel
                                            : out.other) = value;
        } else if (key == "progressToken") {
            out.progressToken = value;
        } else if (key == "traceparent") {
            out.traceparent = value;
        }
    }
    return out;
}

bool isLogLevel(std::string_view word) {
    for (const std::string_view known :
         {"debug", "info", "notice", "warning", "error", "critical", "alert", "emergency"}) {
        if (known == word) {
            return true;
        }
    }
    return false;
}

// What a modern request must say of itself; the error message, or "".
std::string modernProblem(const Request &request, const Meta &meta) {
    const auto invalid = [&](std::string_view key, json::Value found, std::string_view expected) {
        return transport::errorMessage(request.id, transport::kInvalidParams,
                                       concat("_meta[\"io.modelcontextprotocol/", key, "\"] is ",
                                              found ? printable(found.raw(), 60) : "missing",
                                              "; expected ", expected));
    };
    if (!meta.protocolVersion.isString()) {
        return invalid("protocolVersion", meta.protocolVersion, "\"2026-07-28\"");
    }
    if (meta.protocolVersion.string() != mcp::nameOf(kModern)) {
        const std::string data = json::Writer()
                                     .object()
                                     .key("supported")
                                     .array()
                                     .string(mcp::nameOf(kModern))
                                     .endArray()
                                     .key("requested")
                                     .raw(meta.protocolVersion.raw())
                                     .endObject()
                                     .take();
        return transport::errorMessage(
            request.id, kUnsupportedProtocolVersion,
            concat("protocol version ", printable(meta.protocolVersion.raw(), 60),
                   " is not supported per request; expected \"2026-07-28\", or \"initialize\" for "
                   "an older one"),
            data);
    }
    if (!meta.clientCapabilities.isObject()) {
        return invalid("clientCapabilities", meta.clientCapabilities, "an object");
    }
    if (meta.clientInfo && !meta.clientInfo.isObject()) {
        return invalid("clientInfo", meta.clientInfo, "an object with name and version");
    }
    if (meta.logLevel && !isLogLevel(meta.logLevel.string())) {
        return invalid("logLevel", meta.logLevel, "a level such as \"info\"");
    }
    return "";
}

} // namespace

Request readRequest(const transport::Envelope &envelope, Revision legacy) {
    Request out;
    out.revision = legacy;
    out.id = envelope.id;
    out.idValue = envelope.idValue;
    out.method = envelope.method;
    out.params = envelope.params;
    json::Value metaValue;
    for (const auto &[key, value] : envelope.params.members()) {
        if (key == "_meta") {
            metaValue = value;
        } else if (key == "name") {
            out.name = value;
        } else if (key == "arguments") {
            out.arguments = value;
        }
    }
    const Meta meta = readMeta(metaValue);
    const bool claims = meta.protocolVersion || meta.clientCapabilities || meta.clientInfo ||
                        meta.logLevel || envelope.method == "server/discover";
    if (claims) {
        out.revision = kModern;
        out.error = modernProblem(out, meta);
        out.caller.source = Source::Mcp;
        out.caller.clientName = meta.clientInfo["name"].string();
        out.caller.clientVersion = meta.clientInfo["version"].string();
        out.caller.protocolVersion = mcp::nameOf(kModern);
    }
    if (out.error.empty() && metaValue && !metaValue.isObject()) {
        out.error = transport::errorMessage(out.id, transport::kInvalidParams,
                                            "\"_meta\" is no object; expected one");
    }
    if (const auto token = meta.progressToken; token && out.error.empty()) {
        if (transport::idKey(token).empty()) {
            out.error =
                transport::errorMessage(out.id, transport::kInvalidParams,
                                        concat("\"progressToken\" is ", printable(token.raw(), 60),
                                               "; expected a string or a whole number"));
        }
        out.progressToken = token.raw();
    }
    out.traceparent = meta.traceparent.string();
    return out;
}

} // namespace tenon::mcp
