// SPDX-License-Identifier: Apache-2.0
#include "runner/errors.h"

#include "json/writer.h"
#include "support/text.h"

#include <algorithm>
#include <array>

namespace tenon {

namespace {

constexpr std::size_t kIssuesBytesMax = 4'000; // of their sentences: a model reads them all

constexpr std::array kCodes{
    CodeMeaning{"BAD_REQUEST", 400, 8},
    CodeMeaning{"VALIDATION_ERROR", 400, 8},
    CodeMeaning{"UNAUTHORIZED", 401, 9},
    CodeMeaning{"FORBIDDEN", 403, 3},
    CodeMeaning{"NOT_FOUND", 404, 4},
    CodeMeaning{"TIMEOUT", 408, 7},
    CodeMeaning{"CONFLICT", 409, 5},
    CodeMeaning{"INPUT_REQUIRED", 409, 5},
    CodeMeaning{"PAYLOAD_TOO_LARGE", 413, 8},
    CodeMeaning{"RATE_LIMITED", 429, 6},
    CodeMeaning{"CANCELLED", 499, 130},
    CodeMeaning{"INTERNAL_SERVER_ERROR", 500, 1},
    CodeMeaning{"NOT_IMPLEMENTED", 501, 1},
    CodeMeaning{"PLUGIN_CRASHED", 502, 10},
    CodeMeaning{"PLUGIN_UNAVAILABLE", 503, 10},
    CodeMeaning{"OVERLOADED", 503, 11},
};

const CodeMeaning *find(std::string_view code) {
    const auto *known = std::find_if(kCodes.begin(), kCodes.end(),
                                     [&](const auto &one) { return one.code == code; });
    return known == kCodes.end() ? nullptr : known;
}

// Codes that speak for the host: a plugin cannot say them of itself.
bool isHostsOwn(std::string_view code) {
    return code == "INTERNAL_SERVER_ERROR" || code == "OVERLOADED" || code.starts_with("PLUGIN_");
}

// details with the message first; anything that is no object becomes {"value": ...}.
void writeDetails(json::Writer &out, const AppError &error) {
    out.object().key("message").string(validUtf8(error.message));
    json::Document details;
    const json::ReadLimits any{error.details.size(), UINT32_MAX};
    if (!error.details.empty() && !details.readView(error.details, any)) {
        out.key("value").string(validUtf8(error.details));
    } else if (!error.details.empty()) {
        const auto value = details.root();
        if (!value.isObject()) {
            out.key("value").raw(json::compact(value));
        }
        for (const auto member : value.members()) {
            if (member.key != "message") {
                out.key(member.key).raw(json::compact(member.value));
            }
        }
    }
    out.endObject();
}

} // namespace

CodeMeaning meaningOf(std::string_view code) {
    const auto *known = find(code);
    return known ? *known : CodeMeaning{code, 500, 1};
}

bool isHostCode(std::string_view code) {
    return find(code) != nullptr;
}

int statusOf(const AppError &error) {
    return error.status != 0 ? error.status : meaningOf(error.code).status;
}

bool isRetryable(const AppError &error, bool safeToRepeat) {
    if (error.retryable) {
        return *error.retryable;
    }
    if (error.code == "TIMEOUT" || error.code == "PLUGIN_CRASHED") {
        return safeToRepeat;
    }
    const int status = statusOf(error);
    return status == 429 || status == 503 || status == 504;
}

AppError normalizeError(const RawCause &cause, std::string_view call, Log &log) {
    log.error(concat(call, " failed in ", cause.where, ": ", cause.type, ": ", cause.message));
    if (cause.crashed) {
        return {"PLUGIN_CRASHED", "The tool's plugin crashed while it ran the call."};
    }
    return {"INTERNAL_SERVER_ERROR", "Internal server error"};
}

void logSwallowed(const HandlerOutcome &thrown, std::string_view call, std::string_view what,
                  Log &log) {
    const auto *refusal = std::get_if<AppError>(&thrown);
    if (const auto *cause = std::get_if<RawCause>(&thrown)) {
        log.error(concat(call, " failed in ", cause->where, ", ", what, ": ", cause->type, ": ",
                         cause->message));
    } else if (refusal != nullptr) {
        log.warning(
            concat(call, " was refused, ", what, ": ", refusal->code, ": ", refusal->message));
    }
}

bool isErrorCode(std::string_view code) {
    const auto part = [](char c) {
        return (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '_';
    };
    return code.size() >= 3 && code.size() <= 64 && code[0] >= 'A' && code[0] <= 'Z' &&
           std::all_of(code.begin(), code.end(), part);
}

HandlerOutcome normalizeRefusal(AppError error) {
    if (isHostsOwn(error.code)) {
        return RawCause{concat("a refusal with the host's own code ", error.code), error.message};
    }
    if (!isErrorCode(error.code)) {
        return RawCause{concat("a refusal with the code \"", printable(error.code, 100),
                               "\"; expected ^[A-Z][A-Z0-9_]{2,63}$"),
                        error.message};
    }
    return error;
}

AppError validationError(const std::vector<schema::Issue> &issues) {
    std::string sentences;
    json::Writer list;
    list.array();
    std::size_t told = 0;
    for (const auto &issue : issues) {
        if (sentences.size() > kIssuesBytesMax) {
            sentences += concat("; and ", issues.size() - told, " more");
            break;
        }
        ++told;
        sentences += concat(sentences.empty() ? "" : "; ", issue.sentence());
        list.object()
            .key("path")
            .string(issue.path)
            .key("expected")
            .string(issue.expected)
            .key("found")
            .string(issue.found)
            .endObject();
    }
    AppError error{"VALIDATION_ERROR", concat("The arguments are not valid: ", sentences, ".")};
    error.details =
        json::Writer().object().key("issues").raw(list.endArray().text()).endObject().take();
    return error;
}

AppError inputRequiredError(const InputRequired &input) {
    json::Writer details;
    details.object().key("requests").object();
    for (const auto &request : input.requests) {
        details.key(validUtf8(request.key)).object();
        details.key("method").string(validUtf8(request.method));
        json::Document params;
        const json::ReadLimits any{request.params.size(), UINT32_MAX};
        if (params.readView(request.params, any)) {
            details.key("params").raw(json::compact(params.root()));
        }
        details.endObject();
    }
    AppError error{"INPUT_REQUIRED", "The tool needs input that cannot be asked for here."};
    error.details = details.endObject().endObject().take();
    return error;
}

std::string toolResultFromError(const AppError &error, bool safeToRepeat,
                                std::string_view hostHint) {
    json::Writer out;
    out.object().key("error").string(error.code);
    out.key("retryable").boolean(isRetryable(error, safeToRepeat)).key("details");
    writeDetails(out, error);
    if (!error.hint.empty() || !hostHint.empty()) {
        const bool both = !error.hint.empty() && !hostHint.empty();
        out.key("_hint").string(
            concat(validUtf8(error.hint), both ? " " : "", validUtf8(hostHint)));
    }
    return out.endObject().take();
}

} // namespace tenon
