// SPDX-License-Identifier: Apache-2.0
// The steps up to the outcome. The closing ones: call_end.cpp. How a call suspends, stops and talks
// to its listener: call_flow.cpp.
#include "runner/call_hook.h"

#include "json/writer.h"
#include "runner/errors.h"
#include "support/text.h"

#include <algorithm>

namespace tenon {

std::string_view nameOf(Outcome outcome) {
    static constexpr std::array<std::string_view, 13> kNames{
        "ok",      "refused", "invalid",   "forbidden",  "mismatch",    "failed",        "internal",
        "crashed", "timeout", "cancelled", "overloaded", "unavailable", "input_required"};
    return kNames[static_cast<std::size_t>(outcome)];
}

Call::Call(ToolRunner::Parts &parts, std::size_t tool, const ToolCall &request,
           std::shared_ptr<CallListener> listener)
    : parts_(parts), catalog_(parts.options.catalog), toolIndex_(tool),
      name_(parts.options.catalog->tools()[tool].name),
      tool_(*parts.options.catalog->tools()[tool].tool),
      mount_(parts.options.catalog->mounts()[parts.options.catalog->tools()[tool].mount]),
      listener_(std::move(listener)), round_(request.round) {
    if (request.ambient != nullptr) {
        context_.dimensions = request.ambient->dimensions;
    }
    context_.trace = Trace::childOf(request.ambient ? request.ambient->traceparent : "");
    // Written last: nothing of the ambient context can stand for them.
    if (request.caller != nullptr) {
        context_.caller = *request.caller;
    }
    context_.toolCallId = request.toolCallId;
    const auto fallback =
        mount_.timeoutMs != 0 ? std::chrono::milliseconds(mount_.timeoutMs) : parts.options.timeout;
    deadline_ = started_ + (tool_.execution.timeoutMs
                                ? std::chrono::milliseconds(*tool_.execution.timeoutMs)
                                : fallback);
}

void Call::advance() {
    using StepFunction = Goes (Call::*)();
    static constexpr std::array<StepFunction, 10> kSteps{
        &Call::before, &Call::checkArguments, &Call::policy, &Call::beforeHandle,
        &Call::handle, &Call::afterHandle,    &Call::output, &Call::error,
        &Call::render, &Call::after};
    while (step_ != Step::Done) {
        if ((this->*kSteps[static_cast<std::size_t>(step_)])() == Goes::Suspended) {
            return;
        }
    }
    done();
}

Call::Goes Call::before() {
    began_ = true;
    if (stoppedBetweenSteps()) {
        return Goes::On;
    }
    const auto &hooks = parts_.options.hooks;
    while (hook_ < hooks.size() && !hooks[hook_].beforeToolCall) {
        ++hook_;
    }
    if (hook_ == hooks.size()) {
        step_ = Step::Arguments;
        return Goes::On;
    }
    const auto &hook = hooks[hook_++].beforeToolCall;
    return runHook(ThrowSite::BeforeToolCall, hook, beforeEvent(), &Call::onBefore);
}

void Call::onBefore(Answered<std::optional<std::string>> answer) {
    if (auto *thrown = std::get_if<HandlerOutcome>(&answer)) {
        concludeUntold(std::move(*thrown), Outcome::Refused);
        return;
    }
    auto &text = std::get<std::optional<std::string>>(answer);
    if (!text) {
        return;
    }
    auto read = json::Document::read(std::move(*text), {parts_.options.limits.argumentsBytesMax,
                                                        parts_.options.limits.jsonDepthMax});
    if (!read || !read->root().isObject()) {
        concludeUntold(
            RawCause{"invalid replacement",
                     read ? "it answered with JSON that is no object" : read.error().message,
                     nullptr, nameOf(ThrowSite::BeforeToolCall)},
            Outcome::Internal);
        return;
    }
    replaced_ = std::move(*read);
    effective_ = replaced_.root();
}

Call::Goes Call::checkArguments() {
    const auto size = given().raw().size();
    const auto limit = parts_.options.limits.argumentsBytesMax;
    if (size > limit) {
        conclude(AppError{"PAYLOAD_TOO_LARGE",
                          concat("The arguments have ", size, " bytes; the limit is ", limit,
                                 " (limits.argumentsBytes).")},
                 Outcome::Invalid);
        return Goes::On;
    }
    if (const auto depth = parts_.options.limits.jsonDepthMax; json::isDeeperThan(given(), depth)) {
        conclude(AppError{"VALIDATION_ERROR", concat("The arguments are nested more than ", depth,
                                                     " deep, the limit (limits.jsonDepth).")},
                 Outcome::Invalid);
        return Goes::On;
    }
    auto prepared = tool_.input->prepare(given());
    changes_ = std::move(prepared.changes);
    if (!prepared.document.empty()) {
        replaced_ = std::move(prepared.document);
        effective_ = replaced_.root();
    }
    if (!prepared.issues.empty()) {
        conclude(validationError(prepared.issues), Outcome::Invalid);
        return Goes::On;
    }
    step_ = Step::Policy;
    return Goes::On;
}

Call::Goes Call::policy() {
    step_ = Step::BeforeHandle;
    if (!parts_.options.policy) {
        return Goes::On;
    }
    auto answer = PolicyAnswer::Deny;
    if (auto thrown =
            guarded(ThrowSite::Policy, [&] { answer = parts_.options.policy(beforeEvent()); })) {
        concludeUntold(std::move(*thrown), Outcome::Forbidden);
    } else if (answer == PolicyAnswer::Deny) {
        conclude(AppError{"FORBIDDEN", concat("Policy does not allow \"", name_, "\".")},
                 Outcome::Forbidden);
    }
    return Goes::On;
}

Call::Goes Call::beforeHandle() {
    step_ = Step::Handle;
    const auto &lifecycle = parts_.options.lifecycle;
    if (lifecycle.requiredScopes && lacksScopes()) {
        return Goes::On;
    }
    return lifecycle.beforeHandle ? runHook(ThrowSite::BeforeHandle, lifecycle.beforeHandle,
                                            beforeEvent(), &Call::onBeforeHandle)
                                  : Goes::On;
}

bool Call::lacksScopes() {
    std::vector<std::string> required;
    if (auto thrown = guarded(ThrowSite::RequiredScopes, [&] {
            required = parts_.options.lifecycle.requiredScopes(beforeEvent());
        })) {
        concludeThrown(std::move(*thrown));
        return true;
    }
    const auto &held = context_.caller.scopes;
    std::vector<std::string_view> missing;
    for (const auto &scope : required) {
        if (std::find(held.begin(), held.end(), scope) == held.end()) {
            missing.push_back(scope);
        }
    }
    if (missing.empty()) {
        return false;
    }
    json::Writer details;
    details.object().key("missingScopes").array();
    for (const auto scope : missing) {
        details.string(validUtf8(scope));
    }
    const bool known = !context_.caller.userId.empty();
    AppError error{known ? "FORBIDDEN" : "UNAUTHORIZED",
                   concat("\"", name_, "\" needs the ", missing.size() > 1 ? "scopes " : "scope ",
                          listed(missing),
                          known ? ", which the caller was not granted."
                                : ", and the caller is not authenticated.")};
    error.details = details.endArray().endObject().take();
    error.hint = known ? "Call as somebody who has them, or ask for them."
                       : "Authenticate as somebody who has them.";
    conclude(std::move(error), Outcome::Forbidden);
    return true;
}

void Call::onBeforeHandle(Answered<Seen> answer) {
    if (auto *thrown = std::get_if<HandlerOutcome>(&answer)) {
        concludeThrown(std::move(*thrown));
    }
}

Call::Goes Call::handle() {
    if (stoppedBetweenSteps()) {
        return Goes::On;
    }
    std::string reason;
    if (auto thrown =
            guarded(ThrowSite::Unavailable, [&] { reason = mount_.handler->unavailable(); })) {
        concludeThrown(std::move(*thrown));
        return Goes::On;
    }
    if (!reason.empty()) {
        parts_.options.log->warning(concat(name_, " is unavailable: ", reason));
        conclude(AppError{"PLUGIN_UNAVAILABLE",
                          concat("The plugin of \"", name_, "\" takes no calls at present.")},
                 Outcome::Unavailable);
        return Goes::On;
    }
    suspend(Suspension::Handler);
    if (stop_.load() != Stop::None && resume(inHandler_)) { // it came between the two lines above
        concludeStopped();
        return Goes::On;
    }
    if (isInline()) {
        invokedAt_ = Clock::now();
    }
    insideHandler_ = true;
    mount_.handler->invoke(shared_from_this());
    insideHandler_ = false;
    if (isInline() && handlerTook_ == Clock::duration::zero()) { // it answers later
        handlerTook_ = Clock::now() - invokedAt_;
    }
    if (threadLost_.exchange(false)) {
        parts_.scheduler.regainThread();
    }
    return Goes::Suspended; // finish() has gone on, or will
}

void Call::finish(HandlerOutcome outcome) {
    if (!resume(inHandler_)) {            // answered for already, or twice: the runner may be gone
        if (abandoned_.exchange(false)) { // and then it is not
            swallow(outcome, "after the call had ended");
            --parts_.abandoned;
        }
        return;
    }
    if (isInline()) {
        handlerTook_ = Clock::now() - invokedAt_;
    }
    if (stop_.load() != Stop::None) {
        swallow(outcome, "after it was told to stop");
        concludeStopped();
    } else if (auto *output = std::get_if<tenon::Output>(&outcome)) {
        *result_ = std::move(*output);
        step_ = Step::AfterHandle;
    } else if (auto *input = std::get_if<InputRequired>(&outcome)) {
        conclude(std::move(*input), Outcome::InputRequired);
    } else if (auto *refusal = std::get_if<AppError>(&outcome)) {
        concludeThrown(normalizeRefusal(std::move(*refusal)));
    } else {
        concludeThrown(std::move(outcome));
    }
    advance();
}

Call::Goes Call::afterHandle() {
    if (stoppedBetweenSteps()) {
        return Goes::On;
    }
    step_ = Step::Output;
    const auto &hook = parts_.options.lifecycle.afterHandle;
    if (!hook) {
        return Goes::On;
    }
    const auto &output = std::get<tenon::Output>(*result_);
    return runHook(ThrowSite::AfterHandle, hook,
                   AfterHandle{name_, args_, effective_, context_, tool_, output},
                   &Call::onAfterHandle);
}

void Call::onAfterHandle(Answered<std::optional<std::string>> answer) {
    if (auto *thrown = std::get_if<HandlerOutcome>(&answer)) {
        concludeThrown(std::move(*thrown));
    } else if (auto &data = std::get<std::optional<std::string>>(answer)) {
        std::get<tenon::Output>(*result_).data = std::move(*data);
    }
}

// Leaves the output as the schema has it, or tells the reason that it is not: types, never values.
bool Call::checkOutput(tenon::Output &output) {
    if (output.data.empty()) {
        if (tool_.output) {
            mismatch("expected a JSON result, found none");
        }
        return !tool_.output;
    }
    json::Document document;
    if (const auto read = document.readView(output.data, {output.data.size(), UINT32_MAX}); !read) {
        parts_.options.log->error(
            concat(name_, ": its result is not strict JSON: ", read.error().message));
        mismatch("expected strict JSON, found text that is none");
        return false;
    }
    if (const auto depth = parts_.options.limits.jsonDepthMax; document.depth() > depth) {
        mismatch(concat("expected at most ", depth, " levels of nesting (limits.jsonDepth), found ",
                        document.depth()));
        return false;
    }
    if (tool_.output) {
        const auto prepared = tool_.output->prepare(document.root(), 1);
        if (!prepared.issues.empty()) {
            const auto &issue = prepared.issues[0];
            mismatch(concat(issue.shape, issue.shape.empty() ? "" : ": ", "expected ",
                            issue.expected, ", found ", issue.kind));
            return false;
        }
        if (!prepared.document.empty()) { // without keys that the schema does not know
            output.data = prepared.document.text();
        }
    }
    return true;
}

void Call::mismatch(const std::string &reason) {
    parts_.options.log->error(concat(name_, ": its result is not what it declares: ", reason));
    conclude(AppError{"INTERNAL_SERVER_ERROR",
                      concat("The tool's result is not what it declares: ", reason, ".")},
             Outcome::Mismatch);
}

// Text as JSON can carry it, and no more JSON than there is: what goes into a message as it is.
bool Call::checkContent(tenon::Output &output) {
    for (auto &block : output.content) {
        for (auto *text : {&block.text, &block.mimeType, &block.uri, &block.name, &block.title,
                           &block.description}) {
            if (invalidUtf8At(*text) != std::string::npos) {
                *text = validUtf8(*text);
            }
        }
        for (const auto *json : {&block.annotations, &block.meta}) {
            json::Document document;
            if (!json->empty() && (!document.readView(*json, {json->size(), UINT32_MAX}) ||
                                   !document.root().isObject())) {
                mismatch("expected a JSON object as annotations or meta of a content block, found "
                         "text that is none");
                return false;
            }
        }
    }
    return true;
}

Call::Goes Call::output() {
    if (stoppedBetweenSteps()) {
        return Goes::On;
    }
    auto &output = std::get<tenon::Output>(*result_);
    const auto limit = parts_.options.limits.resultBytesMax;
    if (const auto size = std::max(output.bytes(), output.overflow); size > limit) {
        conclude(
            AppError{"PAYLOAD_TOO_LARGE", concat("The result has ", size, " bytes; the limit is ",
                                                 limit, " (limits.resultBytes).")},
            Outcome::Mismatch);
        return Goes::On;
    }
    if (checkOutput(output) && checkContent(output)) {
        if (output.data.empty() && output.content.empty()) {
            output.data = R"({"status":"ok"})";
        }
        close(Step::Render);
    }
    return Goes::On;
}

} // namespace tenon
