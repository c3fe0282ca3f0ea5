// SPDX-License-Identifier: Apache-2.0
// Tools for a model's program: definitions in the provider's form, its calls in, its results out.
#pragma once

#include "runner/runner.h"
#include "json/document.h"

#include <memory>
#include <string>
#include <vector>

namespace tenon::agent {

enum class Format { Anthropic };

// Reads a --format word; the error names those that there are.
Result<Format> formatOf(std::string_view word);

// Thread-safe.
class Agent {
public:
    explicit Agent(ToolRunner &runner);

    // The definitions as a JSON array, in the catalog's order. Fails, naming the tool, when the
    // provider would refuse one of them.
    Result<std::string> tools(Format format) const;

    // Runs a provider's calls (an array of content blocks of one assistant turn; blocks that are no
    // calls are left out) at once and gives its results, in order: for Anthropic one user message
    // of tool_result blocks. A call that cannot run is answered by a failure.
    Result<std::string> execute(Format format, json::Value calls);

private:
    struct Name {
        std::string exported; // what the provider sees
        const catalog::MountedTool *tool;
    };
    const Name *byExported(std::string_view exported) const;

    ToolRunner &runner_;
    std::vector<Name> names_;
};

// The toolset of a runner's catalog; runner must outlive it.
std::unique_ptr<Agent> mountAgent(ToolRunner &runner);

} // namespace tenon::agent
