// SPDX-License-Identifier: Apache-2.0
// The steps themselves. How a call suspends, stops and talks to its listener: call_flow.cpp.
#include "runner/call.h"

#include "runner/errors.h"
#include "support/text.h"

namespace tenon {

std::string_view nameOf(Outcome outcome) {
    static constexpr std::array<std::string_view, 13> kNames{
        "ok",      "refused", "invalid",   "forbidden",  "mismatch",    "failed",        "internal",
        "crashed", "timeout", "cancelled", "overloaded", "unavailable", "input_required"};
    return kNames[static_cast<std::size_t>(outcome)];
}

Call::Call(ToolRunner::Parts &parts, std::size_t tool, const ToolCall &request,
           std::shared_ptr<CallListener> listener)
    : parts_(parts), toolIndex_(tool), name_(parts.options.catalog->tools()[tool].name),
      tool_(*parts.options.catalog->tools()[tool].tool),
      mount_(parts.options.catalog->mounts()[parts.options.catalog->tools()[tool].mount]),
      listener_(std::move(listener)) {
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
    static constexpr std::array<StepFunction, 9> kSteps{
        &Call::before,       &Call::checkArguments, &Call::policy,
        &Call::beforeHandle, &Call::handle,         &Call::afterHandle,
        &Call::output,       &Call::error,          &Call::after};
    while (step_ != Step::Done) {
        if ((this->*kSteps[static_cast<std::size_t>(step_)])() == Goes::Suspended) {
            return;
        }
    }
    done();
}

// Runs one hook and hands its answer, or what it threw, to `answered`.
template <class Event, class Answer>
Call::Goes Call::runHook(const Hook<Event, Answer> &hook, Event event,
                         void (Call::*answered)(std::variant<Answer, std::exception_ptr>)) {
    std::variant<Answer, std::exception_ptr> answer;
    if (hook.plain()) {
        try {
            answer = hook.plain()(event);
        } catch (...) {
            answer = std::current_exception();
        }
        (this->*answered)(std::move(answer));
        return Goes::On;
    }
    const auto number = suspend(Suspension::Hook);
    const auto kept = std::make_shared<Event>(std::move(event));
    const Continuation<Answer> goOn(
        [self = shared_from_this(), kept, number, answered](auto settled) {
            if (self->resume(number)) {
                (self.get()->*answered)(std::move(settled));
                self->advance();
            }
        });
    try {
        hook.suspendingForm()(*kept, goOn);
    } catch (...) {
        goOn.reject(std::current_exception());
    }
    return Goes::Suspended;
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
    return runHook(hook, beforeEvent(), &Call::onBefore);
}

void Call::onBefore(std::variant<std::optional<std::string>, std::exception_ptr> answer) {
    if (auto *error = std::get_if<std::exception_ptr>(&answer)) {
        try {
            std::rethrow_exception(*error);
        } catch (...) {
            auto thrown = outcomeOfCurrentException();
            if (auto *refusal = std::get_if<AppError>(&thrown)) {
                conclude(std::move(*refusal), Outcome::Refused);
            } else {
                conclude(normalizeError(std::get<RawCause>(thrown),
                                        concat("beforeToolCall of ", name_), *parts_.options.log),
                         Outcome::Internal);
            }
        }
        return;
    }
    auto &text = std::get<std::optional<std::string>>(answer);
    if (!text) {
        return;
    }
    auto read = json::Document::read(std::move(*text), {parts_.options.limits.argumentsBytesMax,
                                                        parts_.options.limits.jsonDepthMax});
    if (!read || !read->root().isObject()) {
        const RawCause cause{"invalid replacement",
                             read ? "beforeToolCall answered with JSON that is no object"
                                  : read.error().message};
        conclude(normalizeError(cause, concat("beforeToolCall of ", name_), *parts_.options.log),
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
    try {
        if (parts_.options.policy(beforeEvent()) == PolicyAnswer::Deny) {
            conclude(AppError{"FORBIDDEN", concat("Policy does not allow \"", name_, "\".")},
                     Outcome::Forbidden);
        }
    } catch (...) {
        auto thrown = outcomeOfCurrentException();
        const auto *cause = std::get_if<RawCause>(&thrown);
        conclude(cause ? normalizeError(*cause, concat("policy for ", name_), *parts_.options.log)
                       : std::get<AppError>(thrown),
                 cause ? Outcome::Internal : Outcome::Forbidden);
    }
    return Goes::On;
}

Call::Goes Call::beforeHandle() {
    step_ = Step::Handle;
    const auto &hook = parts_.options.lifecycle.beforeHandle;
    return hook ? runHook(hook, beforeEvent(), &Call::onBeforeHandle) : Goes::On;
}

void Call::onBeforeHandle(std::variant<Seen, std::exception_ptr> answer) {
    if (auto *error = std::get_if<std::exception_ptr>(&answer)) {
        try {
            std::rethrow_exception(*error);
        } catch (...) {
            concludeThrown(outcomeOfCurrentException());
        }
    }
}

Call::Goes Call::handle() {
    if (stoppedBetweenSteps()) {
        return Goes::On;
    }
    if (const auto reason = mount_.handler->unavailable(); !reason.empty()) {
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
    insideHandler_ = true;
    mount_.handler->invoke(shared_from_this());
    insideHandler_ = false;
    if (threadLost_.exchange(false)) {
        parts_.scheduler.regainThread();
    }
    return Goes::Suspended; // finish() has gone on, or will
}

void Call::finish(HandlerOutcome outcome) {
    if (!resume(inHandler_)) { // answered for already, or twice
        if (abandoned_.exchange(false)) {
            --parts_.abandoned;
        }
        return;
    }
    if (stop_.load() != Stop::None) {
        concludeStopped();
    } else if (auto *output = std::get_if<tenon::Output>(&outcome)) {
        result_ = std::move(*output);
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
    step_ = Step::Output;
    const auto &hook = parts_.options.lifecycle.afterHandle;
    if (!hook) {
        return Goes::On;
    }
    const auto &output = std::get<tenon::Output>(result_);
    return runHook(hook, AfterHandle{name_, args_, effective_, context_, tool_, output},
                   &Call::onAfterHandle);
}

void Call::onAfterHandle(std::variant<std::optional<std::string>, std::exception_ptr> answer) {
    if (auto *error = std::get_if<std::exception_ptr>(&answer)) {
        try {
            std::rethrow_exception(*error);
        } catch (...) {
            concludeThrown(outcomeOfCurrentException());
        }
    } else if (auto &data = std::get<std::optional<std::string>>(answer)) {
        std::get<tenon::Output>(result_).data = std::move(*data);
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

Call::Goes Call::output() {
    auto &output = std::get<tenon::Output>(result_);
    const auto limit = parts_.options.limits.resultBytesMax;
    if (const auto size = std::max(output.bytes(), output.overflow); size > limit) {
        conclude(
            AppError{"PAYLOAD_TOO_LARGE", concat("The result has ", size, " bytes; the limit is ",
                                                 limit, " (limits.resultBytes).")},
            Outcome::Failed);
        return Goes::On;
    }
    if (checkOutput(output)) {
        if (output.data.empty() && output.content.empty()) {
            output.data = R"({"status":"ok"})";
        }
        close(Step::After);
    }
    return Goes::On;
}

Call::Goes Call::error() {
    const auto &hooks = parts_.options.hooks;
    while (hook_ < hooks.size() && !hooks[hook_].onToolError) {
        ++hook_;
    }
    if (hook_ == hooks.size()) {
        step_ = Step::After;
        hook_ = 0;
        return Goes::On;
    }
    const auto &hook = hooks[hook_++].onToolError;
    return runHook(hook, ToolErrorEvent{name_, *thrown_, context_, tool_}, &Call::onWatched);
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
    return runHook(hook,
                   AfterToolCall{name_, args_, effective_, context_, tool_, result_, outcome_,
                                 took.count(), thrown_ ? &*thrown_ : nullptr, changes_},
                   &Call::onWatched);
}

void Call::onWatched(std::variant<Seen, std::exception_ptr> answer) {
    if (auto *error = std::get_if<std::exception_ptr>(&answer)) {
        try {
            std::rethrow_exception(*error);
        } catch (...) {
            const auto thrown = outcomeOfCurrentException();
            const auto *cause = std::get_if<RawCause>(&thrown);
            parts_.options.log->error(concat(
                "a hook that watches ", name_,
                " threw, and was ignored: ", cause ? cause->type : std::get<AppError>(thrown).code,
                ": ", cause ? cause->message : std::get<AppError>(thrown).message));
        }
    }
}

void Call::close(Step step) {
    closing_.store(true, std::memory_order_release);
    step_ = step;
    hook_ = 0;
}

void Call::conclude(ToolResult result, Outcome outcome) {
    result_ = std::move(result);
    outcome_ = outcome;
    close(thrown_ ? Step::Error : Step::After);
}

void Call::concludeThrown(HandlerOutcome thrown) {
    thrown_ = std::move(thrown);
    if (const auto *cause = std::get_if<RawCause>(&*thrown_)) {
        conclude(normalizeError(*cause, name_, *parts_.options.log), Outcome::Internal);
    } else {
        conclude(std::get<AppError>(*thrown_), Outcome::Failed);
    }
}

} // namespace tenon
