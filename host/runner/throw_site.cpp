// SPDX-License-Identifier: Apache-2.0
#include "runner/throw_site.h"

#include "runner/errors.h"
#include "support/text.h"

#include <cstdlib>
#include <cxxabi.h>

namespace tenon {

namespace {

std::string typeName(const std::type_info &type) {
    int status = 0;
    char *plain = abi::__cxa_demangle(type.name(), nullptr, nullptr, &status);
    std::string name = status == 0 && plain != nullptr ? plain : type.name();
    std::free(plain);
    return name;
}

std::string_view wordsOf(const std::exception &error) {
    const char *words = error.what();
    return words != nullptr ? words : "";
}

// The message of an exception and of those nested in it, outermost first.
std::string wholeMessage(const std::exception &error) {
    std::string message(wordsOf(error));
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
            message += concat(": ", wordsOf(inner));
            at = &inner; // alive as long as hold
        } catch (...) {
            return message + ": (something that is not a std::exception)";
        }
    }
    return message;
}

} // namespace

std::string_view nameOf(ThrowSite site) {
    switch (site) {
    case ThrowSite::BeforeToolCall: return "beforeToolCall";
    case ThrowSite::Policy: return "policy";
    case ThrowSite::RequiredScopes: return "requiredScopes";
    case ThrowSite::BeforeHandle: return "beforeHandle";
    case ThrowSite::Unavailable: return "unavailable";
    case ThrowSite::Handler: return "handler";
    case ThrowSite::AfterHandle: return "afterHandle";
    case ThrowSite::OnToolError: return "onToolError";
    case ThrowSite::ErrorHint: return "errorHint";
    case ThrowSite::Rendering: return "rendering";
    case ThrowSite::AfterToolCall: return "afterToolCall";
    case ThrowSite::Answering: return "answering";
    case ThrowSite::Progress: return "progress";
    case ThrowSite::CallLog: return "log";
    }
    return "";
}

HandlerOutcome thrownBy(ThrowSite site, std::exception_ptr error) noexcept {
    RawCause cause;
    cause.where = nameOf(site);
    if (!error) {
        cause.type = "no exception";
        cause.message = "it was rejected without one";
        return cause;
    }
    try {
        std::rethrow_exception(error);
    } catch (const AppError &refusal) {
        auto outcome = normalizeRefusal(refusal);
        if (!std::holds_alternative<RawCause>(outcome)) {
            return outcome;
        }
        cause = std::move(std::get<RawCause>(outcome));
        cause.where = nameOf(site);
    } catch (const std::exception &thrown) {
        cause.type = typeName(typeid(thrown));
        cause.message = wholeMessage(thrown);
    } catch (...) {
        const auto *type = abi::__cxa_current_exception_type();
        cause.type = type ? typeName(*type) : "unknown";
        cause.message = "thrown, not a std::exception";
    }
    cause.exception = std::move(error);
    return cause;
}

} // namespace tenon
