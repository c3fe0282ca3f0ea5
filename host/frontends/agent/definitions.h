// SPDX-License-Identifier: Apache-2.0
// Tools as each provider wants them declared: names, descriptions, schemas, and the provider's
// limits over all of them.
#pragma once

#include "catalog/mounted.h"
#include "schema/projection/projection.h"
#include "support/result.h"

#include <string>
#include <string_view>
#include <vector>

namespace tenon::agent {

// OpenAi is the Responses API, OpenAiChat is Chat Completions, AiSdk the Vercel AI SDK.
enum class Format { Anthropic, OpenAi, OpenAiChat, Gemini, AiSdk };
constexpr std::size_t kFormats = 5;

// Reads a --format word; the error names those that there are.
Result<Format> formatOf(std::string_view word);
std::string_view wordOf(Format format); // "openai-chat"

struct ExportedTool {
    std::string exported; // what the provider sees
    const catalog::MountedTool *tool;
};

struct Definitions {
    // A JSON array in the order of the tools; fails when the provider would refuse the request.
    Result<std::string> json;
    // "TOOL: what the provider is not told", tool by tool.
    std::vector<std::string> notes;
};

// Strict: the provider's strict form for each tool that has one within the provider's limits.
Definitions define(const std::vector<ExportedTool> &tools, Format format,
                   schema::Strictness strictness);

} // namespace tenon::agent
