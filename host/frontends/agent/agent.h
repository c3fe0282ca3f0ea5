// SPDX-License-Identifier: Apache-2.0
// Tools for a model's program: definitions in the provider's form, its calls in, its results out.
#pragma once

#include "frontends/agent/definitions.h"
#include "json/document.h"
#include "runner/runner.h"

#include <array>
#include <map>
#include <memory>
#include <mutex>
#include <set>
#include <string>
#include <vector>

namespace tenon::agent {

using schema::Strictness;

class Step; // one execute(), private to this folder

// Thread-safe.
class Agent {
public:
    explicit Agent(ToolRunner &runner);

    // The definitions as a JSON array, in the catalog's order: made when they are first asked for,
    // and the same bytes from then on. Fails, naming the tools, when the provider would refuse
    // the request. For Gemini it is the array of "functionDeclarations".
    const Result<std::string> &tools(Format format,
                                     Strictness strictness = Strictness::Loose) const;
    // What a provider is not told of the tools, a line each: "TOOL: what".
    const std::vector<std::string> &explain(Format format,
                                            Strictness strictness = Strictness::Loose) const;

    // Runs a provider's calls (an array of content blocks of one assistant turn; blocks that are no
    // calls are left out) at once and gives its results, in order: for Anthropic one user message
    // of tool_result blocks. A call that cannot run is answered by a failure. The other formats are
    // refused so far.
    Result<std::string> execute(Format format, json::Value calls);
    // Cancels every call of the steps that are running, from any thread: each is answered as
    // CANCELLED, and execute() returns.
    void cancelAll();

private:
    struct Made {
        std::once_flag once;
        Definitions definitions;
    };
    const Definitions &made(Format format, Strictness strictness) const;
    const ExportedTool *byExported(std::string_view exported) const;

    ToolRunner &runner_;
    std::vector<ExportedTool> tools_;
    std::map<std::string_view, const ExportedTool *> byExported_;
    mutable std::array<Made, kFormats * 2> made_; // loose, strict
    std::mutex mutex_;                            // of the steps that are running
    std::set<Step *> steps_;
};

// The toolset of a runner's catalog; runner must outlive it.
std::unique_ptr<Agent> mountAgent(ToolRunner &runner);

} // namespace tenon::agent
