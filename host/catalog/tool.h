// SPDX-License-Identifier: Apache-2.0
// A tool as its plugin declared it: an immutable value inside a Catalog.
#pragma once

#include "schema/schema.h"

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <vector>

namespace tenon::catalog {

enum class Concurrency { Parallel, Serial };

struct ExecutionHints {
    Concurrency concurrency = Concurrency::Parallel;
    bool blocking = true;    // false: may run on the thread that read the request
    bool idempotent = false; // annotations.idempotentHint or readOnlyHint say so too
    std::optional<std::uint64_t> timeoutMs;
};

// Every *Json field is the author's own bytes, on one line, or "" when it was not given.
struct Tool {
    std::string name;
    std::string title;
    std::string description;
    std::string inputSchemaJson;
    std::string outputSchemaJson;
    std::string annotationsJson;
    std::string iconsJson;
    std::string metaJson;
    std::vector<std::string> exampleArguments; // JSON objects that the input schema takes
    ExecutionHints execution;
    std::shared_ptr<const schema::Schema> input;  // never null
    std::shared_ptr<const schema::Schema> output; // null: no output schema
    bool outputIsObject = false;                  // its root says "type": "object"
    // Of the canonical {name, description, inputSchema}: one measure everywhere.
    std::size_t schemaBytes = 0;

    bool safeToRepeat() const { return execution.idempotent; }
};

} // namespace tenon::catalog
