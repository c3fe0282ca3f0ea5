// SPDX-License-Identifier: Apache-2.0
// A catalog as a command line: lists it, and calls a tool of it.
#pragma once

#include "runner/runner.h"

#include <functional>
#include <optional>
#include <string>
#include <vector>

namespace tenon::cli {

enum ExitCode : int { kExitOk = 0, kExitUsage = 2, kExitConfiguration = 12 };

// What a command leaves: text for stdout and stderr, and the exit code.
struct Printed {
    std::string out, err;
    int exitCode = kExitOk;
};

enum class Layout { Line, Pretty }; // JSON on one line, or for people

// Lines are "name  description", with the name that models see where theirs differs; sizes are the
// bytes of {name, description, inputSchema} as canonical JSON, largest first, and their sum.
enum class ListForm { Lines, Sizes, Json };
Printed listTools(const catalog::MountedCatalog &catalog, std::string_view filter, ListForm form);

// The arguments of a call, made of words.
struct PreparedCall {
    json::Document arguments;
    std::optional<Printed> instead; // set: nothing to run, this is to be printed
};
// readText gives what stands behind --args @file and --args - (stdin).
PreparedCall prepareCall(const catalog::MountedCatalog &catalog, const std::string &toolName,
                         const std::vector<std::string> &words,
                         const std::function<Result<std::string>(std::string_view path)> &readText);

// What a finished call prints: data to out, a failure to err with the exit code of its code.
Printed printResult(const ToolResult &result, const std::string &failureJson, Layout layout);

// Fields, types, defaults and an example of one tool.
std::string helpOf(const catalog::MountedTool &tool);

} // namespace tenon::cli
