// SPDX-License-Identifier: Apache-2.0
// How an outcome comes to stand, and the steps that follow it.
#include "runner/call_hook.h"

#include "runner/errors.h"
#include "support/text.h"

namespace tenon {

Call::Goes Call::error() {
    const auto &hooks = parts_.options.hooks;
    while (hook_ < hooks.size() && !hooks[hook_].onToolError) {
        ++hook_;
    }
    if (hook_ == hooks.size()) {
        step_ = Step::Render;
        return Goes::On;
    }
    const auto &hook = hooks[hook_++].onToolError;
    return runHook(ThrowSite::OnToolError, hook, ToolErrorEvent{name_, *thrown_, context_, tool_},
                   &Call::onWatched);
}

// What the caller gets is made here, before the last hooks: they can tell how large it is, and a
// frontend that cannot render a result ends the call like any other failure.
Call::Goes Call::render() {
    step_ = Step::After;
    hook_ = 0;
    for (const bool last : {false, true}) {
        if (const auto *error = std::get_if<AppError>(result_)) {
            failureJson_ = toolResultFromError(*error, tool_.safeToRepeat(), hostHint(error->code));
        } else if (const auto *input = std::get_if<InputRequired>(result_)) {
            const auto asked = inputRequiredError(*input);
            failureJson_ = toolResultFromError(asked, true, hostHint(asked.code));
        }
        const std::lock_guard lock(listening_); // one call of the listener's at a time
        auto thrown = guarded(ThrowSite::Rendering,
                              [&] { responseBytes_ = listener_->render(*result_, failureJson_); });
        if (!thrown) {
            break;
        }
        responseBytes_ = 0;
        if (last) {
            swallow(*thrown, "and the caller is told nothing");
            break;
        }
        const auto *cause = std::get_if<RawCause>(&*thrown);
        const auto &refusal = cause ? *cause
                                    : RawCause{"AppError", std::get<AppError>(*thrown).message,
                                               nullptr, nameOf(ThrowSite::Rendering)};
        *result_ = normalizeError(refusal, name_, *parts_.options.log);
        outcome_ = Outcome::Internal;
    }
    return Goes::On;
}

Call::Goes Call::after() {
    const auto &hooks = parts_.options.hooks;
    while (hook_ < hooks.size() && !hooks[hook_].afterToolCall) {
        ++hook_;
    }
    if (hook_ == hooks.size()) {
        step_ = Step::Done;
        return Goes::On;
    }
    const auto &hook = hooks[hook_++].afterToolCall;
    const std::chrono::duration<double, std::milli> took = Clock::now() - started_;
    return runHook(ThrowSite::AfterToolCall, hook,
                   AfterToolCall{name_, args_, effective_, context_, tool_, *result_, outcome_,
                                 took.count(), thrown_ ? &*thrown_ : nullptr, changes_,
                                 *mount_.catalog, startedAt_, round_, responseBytes_, failureJson_},
                   &Call::onWatched);
}

void Call::onWatched(Answered<Seen> answer) {
    if (const auto *thrown = std::get_if<HandlerOutcome>(&answer)) {
        swallow(*thrown, "and the call went on without it");
    }
}

void Call::close(Step step) {
    closing_.store(true, std::memory_order_release);
    step_ = step;
    hook_ = 0;
}

void Call::conclude(ToolResult result, Outcome outcome) {
    *result_ = std::move(result);
    outcome_ = outcome;
    close(thrown_ ? Step::Error : Step::Render);
}

void Call::concludeThrown(HandlerOutcome thrown) {
    thrown_ = std::move(thrown);
    if (const auto *cause = std::get_if<RawCause>(&*thrown_)) {
        conclude(normalizeError(*cause, name_, *parts_.options.log),
                 cause->crashed ? Outcome::Crashed : Outcome::Internal);
    } else {
        conclude(std::get<AppError>(*thrown_), Outcome::Failed);
    }
}

void Call::concludeUntold(HandlerOutcome thrown, Outcome refusal) {
    if (const auto *cause = std::get_if<RawCause>(&thrown)) {
        conclude(normalizeError(*cause, name_, *parts_.options.log), Outcome::Internal);
    } else {
        conclude(std::move(std::get<AppError>(thrown)), refusal);
    }
}

void Call::swallowLate(const HandlerOutcome &thrown) {
    const std::lock_guard lock(mutex_);
    if (!over_) { // afterwards there may be no log any more
        swallow(thrown, "too late to matter");
    }
}

void Call::swallow(const HandlerOutcome &thrown, std::string_view what) const {
    logSwallowed(thrown, name_, what, *parts_.options.log);
}

} // namespace tenon
