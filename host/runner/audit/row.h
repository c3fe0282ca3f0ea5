// SPDX-License-Identifier: Apache-2.0
// One row of the audit: what is kept of one call. One table of columns, which every sink and reader
// goes by, says how a row is laid out.
#pragma once

#include "json/document.h"
#include "support/result.h"

#include <cstdint>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

namespace tenon::audit {

// A JSON value as text, on one line; "" when there is none.
struct JsonText {
    std::string text;
    bool operator==(const JsonText &) const = default;
};

// Every text in it is masked, printable and capped (sanitiser.h) before it gets here.
struct Row {
    std::string id;        // a UUID; rises within one process in the order of delivery
    std::string startedAt; // RFC 3339, UTC, milliseconds: "2026-11-30T21:44:27.123Z"
    double durationMs = 0;
    std::string source; // mcp, agent, cli, internal
    std::string kind;   // "tool"; "gap": rows were lost here, errorDetail has how many
    std::string toolName, plugin, pluginVersion, catalogDigest;
    std::string method, path; // "TOOL", "/{source}/{tool}"
    bool ok = false;
    std::string outcome;
    std::uint64_t round = 1;      // of a call that asks for input: from 1
    std::uint64_t statusCode = 0; // HTTP
    std::string errorCode, errorMessage;
    JsonText errorDetail, payload;
    JsonText coerced;                // an array of JSON Pointers
    std::uint64_t resultSize = 0;    // bytes of the tool's data and content
    std::uint64_t responseBytes = 0; // and of what the frontend made of them for its caller
    std::string traceId, spanId, parentSpanId;
    std::string userId, authMethod, clientId, clientName, protocolVersion, ipAddress, userAgent;
    JsonText dimensions; // an object
    bool operator==(const Row &) const = default;
};

// A column and the member of Row behind it.
struct Column {
    using Field = std::variant<std::string Row::*, JsonText Row::*, std::uint64_t Row::*,
                               double Row::*, bool Row::*>;
    std::string_view name; // as sinks write it
    Field field;
};

// In the order in which sinks write them: id and startedAt come first.
const std::vector<Column> &columns();

// Makes it a row like a new one, its memory kept.
void clear(Row &row);

// The row as one JSON object on one line. Empty texts are left out; numbers and ok always stand.
void appendJson(std::string &out, const Row &row);

// The row that appendJson wrote; keys that it does not know are ignored. Fails when the value is no
// object with an id, or when a member has another type than its column.
Result<Row> rowOfJson(json::Value value);

} // namespace tenon::audit
