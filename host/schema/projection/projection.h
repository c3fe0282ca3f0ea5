// SPDX-License-Identifier: Apache-2.0
// A tool's schema as a model provider takes it.
//
// Presentation only: the tool's own schema judges every call. What the tool takes, the projection
// takes too (and a strict one once null for an optional key is dropped). One thing is narrower, on
// purpose: a key that only some alternatives at the root speak of, by name or by
// "additionalProperties" and its like, has the form which those give it.
#pragma once

#include "json/document.h"

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

namespace tenon::schema {

// Whose rules. OpenAi serves both of its APIs, and AiSdk is the Vercel AI SDK.
enum class Provider { Anthropic, OpenAi, Gemini, AiSdk };

// Strict: where the provider has a form that binds the model to the schema, and it loses nothing.
enum class Strictness { Loose, Strict };

struct Projection {
    std::string json;    // one line, members in the author's order
    bool strict = false; // in the strict form
    // What the provider is not told, in words, each with the place in the original:
    // "/properties/a: "pattern" is not taken by Gemini and left out".
    std::vector<std::string> lost;
    std::vector<std::string> notStrict; // strict was asked for: why it cannot be, in the same words
    // Of a strict form: what Anthropic limits over all tools of a request.
    std::size_t optionalKeys = 0;
    std::size_t unions = 0;
};

// The schema of an object, of either draft. References to what is not in the document are left out
// as lost. Costs time and memory in proportion to the schema, whatever it refers to.
Projection project(json::Value schema, Provider provider,
                   Strictness strictness = Strictness::Loose);

std::string_view nameOf(Provider provider); // "Anthropic"

} // namespace tenon::schema
