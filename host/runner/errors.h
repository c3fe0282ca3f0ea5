// SPDX-License-Identifier: Apache-2.0
// The one place where a failure becomes what a caller sees.
#pragma once

#include "catalog/handler.h"
#include "schema/schema.h"
#include "support/log.h"

#include <string>
#include <string_view>
#include <vector>

namespace tenon {

// What a code means everywhere; a code that is not the host's is a plugin's own.
struct CodeMeaning {
    std::string_view code;
    int status;   // HTTP
    int exitCode; // of the command line
};
CodeMeaning meaningOf(std::string_view code);
bool isHostCode(std::string_view code);

int statusOf(const AppError &error);
// What the error declares; else by status (429, 503, 504), and after TIMEOUT or PLUGIN_CRASHED only
// when the call is safe to repeat.
bool isRetryable(const AppError &error, bool safeToRepeat);

// A raw failure on its way to a caller: logged with its cause at error level, and replaced by
// INTERNAL_SERVER_ERROR, "Internal server error", 500 (PLUGIN_CRASHED where it is a crash), nothing
// more. `call` names the call for the log.
AppError normalizeError(const RawCause &cause, std::string_view call, Log &log);
// The log's word of what was thrown where the call goes on all the same, or has ended already; what
// came of it is said in words. Nothing for outcomes that nobody threw.
void logSwallowed(const HandlerOutcome &thrown, std::string_view call, std::string_view what,
                  Log &log);
// ^[A-Z][A-Z0-9_]{2,63}$
bool isErrorCode(std::string_view code);
// A refusal of a plugin, checked: one that claims a code of the host's own, or whose code is none,
// is a raw cause.
HandlerOutcome normalizeRefusal(AppError error);
// Arguments that the schema refused: all issues, in words and as data.
AppError validationError(const std::vector<schema::Issue> &issues);

// INPUT_REQUIRED, with what is asked for in the details: for callers that cannot be asked.
AppError inputRequiredError(const InputRequired &input);

// What a model or a script reads of a failure, keys in this order:
// {"error":CODE,"retryable":bool,"details":{"message":...,...},"_hint":"..."}
std::string toolResultFromError(const AppError &error, bool safeToRepeat,
                                std::string_view hostHint = {});

} // namespace tenon
