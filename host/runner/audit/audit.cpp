// SPDX-License-Identifier: Apache-2.0
#include "runner/audit/audit.h"

#include "json/writer.h"
#include "runner/audit/stamps.h"
#include "runner/errors.h"
#include "support/text.h"

namespace tenon::audit {

namespace {

constexpr std::size_t kNameBytesMax = 256;

void fillError(Row &row, const AppError &error, const HandlerOutcome *thrown,
               const Sanitiser &sanitiser) {
    row.statusCode = static_cast<std::uint64_t>(statusOf(error));
    row.errorCode = sanitiser.text(error.code, kNameBytesMax);
    row.errorDetail = sanitiser.json(error.details);
    // Where the caller is told nothing of the cause, the operator is.
    const bool scrubbed = error.code == "INTERNAL_SERVER_ERROR" || error.code == "PLUGIN_CRASHED";
    const auto *cause = scrubbed && thrown ? std::get_if<RawCause>(thrown) : nullptr;
    const auto &message = cause == nullptr         ? error.message
                          : cause->message.empty() ? cause->type
                                                   : cause->message;
    row.errorMessage = sanitiser.text(message);
}

void fillCaller(Row &row, const Caller &caller, const Sanitiser &sanitiser) {
    const auto name = [&](const std::string &text) { return sanitiser.text(text, kNameBytesMax); };
    row.userId = name(caller.userId);
    row.authMethod = name(caller.authMethod);
    row.clientId = name(caller.clientId);
    row.clientName = name(caller.clientName);
    row.protocolVersion = name(caller.protocolVersion);
    row.ipAddress = name(caller.ipAddress);
    row.userAgent = name(caller.userAgent);
}

JsonText dimensionsOf(const std::map<std::string, std::string> &dimensions,
                      const Sanitiser &sanitiser) {
    if (dimensions.empty()) {
        return {};
    }
    json::Writer out;
    out.object();
    for (const auto &[key, value] : dimensions) {
        out.key(validUtf8(key)).string(validUtf8(value));
    }
    return sanitiser.json(out.endObject().text());
}

JsonText coercedOf(const std::vector<schema::Change> &changes, const Sanitiser &sanitiser) {
    if (changes.empty()) {
        return {};
    }
    json::Writer out;
    out.array();
    for (const auto &change : changes) {
        out.string(change.path);
    }
    return sanitiser.json(out.endArray().text());
}

} // namespace

void fillRow(Row &row, const AfterToolCall &event, const Sanitiser &sanitiser) {
    clear(row);
    row.startedAt = timeText(event.startedAt);
    row.durationMs = event.durationMs;
    row.source = nameOf(event.context.caller.source);
    row.kind = "tool";
    row.toolName = sanitiser.text(event.toolName, kNameBytesMax);
    row.plugin = sanitiser.text(event.catalog.id(), kNameBytesMax);
    row.pluginVersion = sanitiser.text(event.catalog.version(), kNameBytesMax);
    row.catalogDigest = event.catalog.digest();
    row.method = "TOOL";
    row.path.append("/").append(row.source).append("/").append(row.toolName);
    row.outcome = nameOf(event.outcome);
    row.round = event.round;
    row.responseBytes = event.responseBytes;
    if (const auto *output = std::get_if<Output>(&event.result)) {
        row.ok = true;
        row.statusCode = 200;
        row.resultSize = output->bytes();
    } else if (const auto *error = std::get_if<AppError>(&event.result)) {
        fillError(row, *error, event.error, sanitiser);
    } else {
        fillError(row, inputRequiredError(std::get<InputRequired>(event.result)), nullptr,
                  sanitiser);
    }
    sanitiser.json(event.args, row.payload);
    row.coerced = coercedOf(event.changes, sanitiser);
    row.traceId = event.context.trace.traceId();
    row.spanId = event.context.trace.spanId();
    row.parentSpanId = event.context.trace.parentSpanId();
    fillCaller(row, event.context.caller, sanitiser);
    row.dimensions = dimensionsOf(event.context.dimensions, sanitiser);
}

ToolHooks createAuditHook(std::function<void(Row)> sink, Sanitiser sanitiser) {
    ToolHooks hooks;
    hooks.afterToolCall = [sink = std::move(sink),
                           sanitiser = std::move(sanitiser)](const AfterToolCall &event) {
        Row row;
        fillRow(row, event, sanitiser);
        sink(std::move(row));
    };
    return hooks;
}

ToolHooks createAuditHook(std::shared_ptr<Delivery> delivery, Sanitiser sanitiser) {
    ToolHooks hooks;
    hooks.afterToolCall = [delivery = std::move(delivery),
                           sanitiser = std::move(sanitiser)](const AfterToolCall &event) {
        Row row = delivery->spare();
        fillRow(row, event, sanitiser);
        delivery->add(std::move(row));
    };
    return hooks;
}

} // namespace tenon::audit
