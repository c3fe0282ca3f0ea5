// SPDX-License-Identifier: Apache-2.0
// Every place where code that is not the runner's may throw into a call. The host catches such
// throws through guarded() and thrownBy() alone, which ask for the place: a new place is a new word
// here, and tests/unit/runner/leak_test.cpp fails until it has a case.
#pragma once

#include "catalog/result.h"

#include <exception>
#include <optional>
#include <string_view>

namespace tenon {

enum class ThrowSite {
    BeforeToolCall,
    Policy,
    RequiredScopes,
    BeforeHandle,
    Unavailable, // Handler::unavailable
    Handler,     // of this program's own tools (own_tools.h); a plugin's throws come over the ABI
    AfterHandle,
    OnToolError,
    ErrorHint,
    Rendering, // CallListener::render
    AfterToolCall,
    Answering, // CallListener::onDone
    Progress,  // CallListener::onProgress
    CallLog    // CallListener::onLog
};

// As RawCause::where has it; "" for what is none of them.
std::string_view nameOf(ThrowSite site);

// An exception as what it is: an AppError by what it declares, anything else (an AppError whose
// code is none or the host's own, too: normalizeRefusal) as a RawCause with its type, its whole
// message and where it was thrown.
HandlerOutcome thrownBy(ThrowSite site, std::exception_ptr error) noexcept;

// Runs a function and gives what it threw, or nothing.
template <class Function>
std::optional<HandlerOutcome> guarded(ThrowSite site, Function &&function) noexcept {
    try {
        function();
        return std::nullopt;
    } catch (...) {
        return thrownBy(site, std::current_exception());
    }
}

} // namespace tenon
