// SPDX-License-Identifier: Apache-2.0
// What an embedder may watch, refuse and replace. Each hook takes one event object, so that a field
// can be added without breaking anyone, and is either a plain function or one that suspends.
#pragma once

#include "catalog/catalog.h"
#include "catalog/handler.h"
#include "json/document.h"
#include "runner/trace.h"

#include <chrono>
#include <exception>
#include <functional>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <type_traits>
#include <variant>

namespace tenon {

// A hook that only watches answers with this.
struct Seen {};

// The answer of a suspended hook, given once, from any thread.
template <class Answer> class Continuation {
public:
    using Settle = std::function<void(std::variant<Answer, std::exception_ptr>)>;
    explicit Continuation(Settle settle) : settle_(std::move(settle)) {}
    void resolve(Answer answer) const { settle_(std::move(answer)); }
    void reject(std::exception_ptr error) const { settle_(std::move(error)); }

private:
    Settle settle_;
};

// Made of a plain function Event -> Answer (void where the answer is Seen), or of
// suspending(function (Event, Continuation<Answer>)). The event stays valid until it is answered.
template <class Event, class Answer> class Hook {
public:
    using Plain = std::function<Answer(const Event &)>;
    using Suspending = std::function<void(const Event &, Continuation<Answer>)>;

    Hook() = default;
    template <class Function>
    requires std::is_invocable_v<Function &, const Event &>
    Hook(Function function) { // NOLINT: a function is a hook
        if constexpr (std::is_void_v<std::invoke_result_t<Function &, const Event &>>) {
            plain_ = [f = std::move(function)](const Event &event) mutable {
                f(event);
                return Answer{};
            };
        } else {
            plain_ = std::move(function);
        }
    }
    static Hook suspending(Suspending function) {
        Hook hook;
        hook.suspending_ = std::move(function);
        return hook;
    }

    explicit operator bool() const { return plain_ || suspending_; }
    const Plain &plain() const { return plain_; }
    const Suspending &suspendingForm() const { return suspending_; }

private:
    Plain plain_;
    Suspending suspending_;
};

// One call's own context: forked from the ambient one, seen by no other call.
struct ToolCallContext {
    Caller caller;
    std::string toolCallId;                        // the caller's id of the call, as text
    Trace trace;                                   // the call's span, a child of the ambient one
    std::map<std::string, std::string> dimensions; // copied from the ambient context
};

struct BeforeToolCall {
    std::string_view toolName;
    json::Value args;          // as the caller sent them
    json::Value effectiveArgs; // missing unless an earlier beforeToolCall replaced them
    const ToolCallContext &context;
    const catalog::Tool &endpoint;
};

struct ToolErrorEvent {
    std::string_view toolName;
    const HandlerOutcome &error; // as thrown: an AppError or a RawCause
    const ToolCallContext &context;
    const catalog::Tool &endpoint;
};

// The table of outcomes, one word each.
enum class Outcome {
    Ok,
    Refused,
    Invalid,
    Forbidden,
    Mismatch,
    Failed,
    Internal,
    Crashed,
    Timeout,
    Cancelled,
    Overloaded,
    Unavailable,
    InputRequired
};
std::string_view nameOf(Outcome outcome); // as the audit writes it: "ok", "refused", ...

struct AfterToolCall {
    std::string_view toolName;
    json::Value args;          // as the caller sent them
    json::Value effectiveArgs; // missing unless a beforeToolCall replaced or the runner mended them
    const ToolCallContext &context;
    const catalog::Tool &endpoint;
    const ToolResult &result;
    Outcome outcome;
    double durationMs;           // from when the runner was asked until now
    const HandlerOutcome *error; // as thrown; null but on the throw path
    // What the runner did to make the arguments fit their schema (schema::Schema::prepare).
    const std::vector<schema::Change> &changes;
    const catalog::Catalog &catalog; // of the tool's plugin
    std::chrono::system_clock::time_point startedAt;
    std::uint32_t round;          // ToolCall::round
    std::size_t responseBytes;    // of what the frontend made of the result for its caller
    std::string_view failureJson; // the failure as the caller reads it; "" when there is none
};

struct ToolHooks {
    // May refuse by throwing an AppError, or answer with a JSON object that replaces the arguments.
    Hook<BeforeToolCall, std::optional<std::string>> beforeToolCall;
    // Watches what was thrown, before it is scrubbed. What it throws is logged and swallowed.
    Hook<ToolErrorEvent, Seen> onToolError;
    // Watches every outcome, exactly once. What it throws is logged and swallowed.
    Hook<AfterToolCall, Seen> afterToolCall;
};

struct AfterHandle {
    std::string_view toolName;
    json::Value args;          // as the caller sent them
    json::Value effectiveArgs; // missing unless they were replaced
    const ToolCallContext &context;
    const catalog::Tool &endpoint;
    const Output &output;
};

// The gate that all frontends share. A throw from any of them is a throw of the call.
struct ToolLifecycle {
    // The scopes that a caller must hold for this call, all of them. A caller who lacks one is
    // refused before beforeHandle: FORBIDDEN, naming it; UNAUTHORIZED if nobody is authenticated.
    std::function<std::vector<std::string>(const BeforeToolCall &)> requiredScopes;
    Hook<BeforeToolCall, Seen> beforeHandle;
    Hook<AfterHandle, std::optional<std::string>> afterHandle; // may replace the data (JSON)
};

// What calls are made within, if anything: a request, an agent's step.
struct AmbientContext {
    std::string traceparent; // W3C; "" or malformed: a new trace
    std::map<std::string, std::string> dimensions;
};

} // namespace tenon
