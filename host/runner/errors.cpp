// SPDX-License-Identifier: Apache-2.0
#include "runner/errors.h"

#include "json/writer.h"
#include "support/text.h"

#include <algorithm>
#include <array>
#include <cstdlib>
#include <cxxabi.h>

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

bool isCode(std::string_view code) {
    const auto part = [](char c) {
        return (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '_';
    };
    return code.size() >= 3 && code.size() <= 64 && code[0] >= 'A' && code[0] <= 'Z' &&
           std::all_of(code.begin(), code.end(), part);
}

// Codes that speak for the host: a plugin cannot say them of itself.
bool isHostsOwn(std::string_view code) {
    return code == "INTERNAL_SERVER_ERROR" || code == "OVERLOADED" || code.starts_with("PLUGIN_");
}

std::string typeName(const std::type_info &type) {
    int status = 0;
    char *plain = abi::__cxa_demangle(type.name(), nullptr, nullptr, &status);
    std::string name = status == 0 && plain != nullptr ? plain : type.name();
    std::free(plain);
    return name;
}

// The message of an exception and of those nested in it, outermost first.
std::string wholeMessage(const std::exception &error) {
    std::string message = error.what();
    const std::exception *at = &error;
    std::exception_ptr hold;
    for (int depth = 0; depth < 16; ++depth) {
        const auto *nested = dynamic_cast<const std::nested_exception *>(at);
        if (nested == nullptr || !nested->nested_ptr()) {
            break;
        }
        hold = nested->nested_ptr();
        try {
            std::rethrow_exception(hold);
        } catch (const std::exception &inner) {
            message += concat(": ", inner.what());
            at = &inner; // alive as long as hold
        } catch (...) {
            return message + ": (something that is not a std::exception)";
        }
    }
    return message;
}

// details with the message first; anything that is no object becomes {"value": ...}.
void writeDetails(json::Writer &out, const AppError &error) {
    out.object().key("message").string(validUtf8(error.message));
    json::Document details;
    if (!error.details.empty() && details.readView(error.details)) {
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
    for (const auto &known : kCodes) {
        if (known.code == code) {
            return known;
        }
    }
    return {code, 500, 1};
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

AppError normalizeError(const RawCause &cause, std::string_view what, Log &log) {
    log.error(concat(what, " failed: ", cause.type, ": ", cause.message));
    return {"INTERNAL_SERVER_ERROR", "Internal server error"};
}

HandlerOutcome normalizeRefusal(AppError error) {
    if (isHostsOwn(error.code)) {
        return RawCause{concat("a refusal with the host's own code ", error.code), error.message};
    }
    if (!isCode(error.code)) {
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

HandlerOutcome outcomeOfCurrentException() {
    try {
        throw;
    } catch (const AppError &error) {
        return error;
    } catch (const std::exception &error) {
        return RawCause{typeName(typeid(error)), wholeMessage(error), std::current_exception()};
    } catch (...) {
        const auto *type = abi::__cxa_current_exception_type();
        return RawCause{type ? typeName(*type) : "unknown", "thrown, not a std::exception",
                        std::current_exception()};
    }
}

std::string toolResultFromError(const AppError &error, bool safeToRepeat,
                                std::string_view hostHint) {
    json::Writer out;
    out.object().key("error").string(error.code);
    out.key("retryable").boolean(isRetryable(error, safeToRepeat)).key("details");
    writeDetails(out, error);
    if (!error.hint.empty() || !hostHint.empty()) {
        const bool both = !error.hint.empty() && !hostHint.empty();
        out.key("_hint").string(concat(validUtf8(error.hint), both ? " " : "", hostHint));
    }
    return out.endObject().take();
}

} // namespace tenon
