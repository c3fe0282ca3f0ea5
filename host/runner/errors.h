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

int statusOf(const AppError &error);
// What the error declares; else by status (429, 503, 504), and after TIMEOUT or PLUGIN_CRASHED only
// when the call is safe to repeat.
bool isRetryable(const AppError &error, bool safeToRepeat);

// A raw failure on its way to a caller: logged with its cause at error level, and replaced by
// INTERNAL_SERVER_ERROR, "Internal server error", 500, nothing more. `what` names the call.
AppError normalizeError(const RawCause &cause, std::string_view what, Log &log);
// A refusal of a plugin, checked: one that claims a code of the host's own, or whose code is none,
// is a raw cause.
HandlerOutcome normalizeRefusal(AppError error);
// Arguments that the schema refused: all issues, in words and as data.
AppError validationError(const std::vector<schema::Issue> &issues);

// The exception that is being handled, as what it is: an AppError by what it declares, anything
// else as a RawCause with its type and its whole message.
HandlerOutcome outcomeOfCurrentException();

// What a model or a script reads of a failure, keys in this order:
// {"error":CODE,"retryable":bool,"details":{"message":...,...},"_hint":"..."}
std::string toolResultFromError(const AppError &error, bool safeToRepeat,
                                std::string_view hostHint = {});

} // namespace tenon
