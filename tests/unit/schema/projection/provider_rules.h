// SPDX-License-Identifier: Apache-2.0
// What each provider refuses in a tool's schema, as published: a judge of projections that shares
// nothing with what makes them.
#pragma once

#include "json/document.h"

#include <string>
#include <string_view>
#include <vector>

namespace tenon::testing {

enum class Rules { Anthropic, AnthropicStrict, OpenAi, OpenAiStrict, Gemini, AiSdk };

// Each reason, with the place: "/properties/a: the keyword "not"". None: the provider takes it.
std::vector<std::string> violations(json::Value schema, Rules rules);

// The same for the name of a tool.
std::vector<std::string> nameViolations(std::string_view name);

} // namespace tenon::testing
