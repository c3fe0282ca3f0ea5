// SPDX-License-Identifier: Apache-2.0
// Words of a command line -> the JSON arguments of a tool, by its input schema.
#pragma once

#include "catalog/tool.h"
#include "support/result.h"

#include <functional>
#include <string>
#include <string_view>
#include <vector>

namespace tenon::cli {

// Forms: --key value, --key=value, --flag and --no-flag (booleans), a key repeated for an array,
// --a.b value for a nested key, bare words for the properties in declaration order, --args JSON (or
// @file, or - for stdin) as the base that the others override, -- before words that are all values.
//
// A word becomes what the schema can take: text where it takes a string, else JSON. What does not
// fit is left for the schema's own words: the same errors as in every frontend.
//
// readFile gives the text behind @file and -.
Result<std::string>
readArguments(const catalog::Tool &tool, const std::vector<std::string> &words,
              const std::function<Result<std::string>(std::string_view path)> &readFile);

} // namespace tenon::cli
