// SPDX-License-Identifier: Apache-2.0
// Between the runner and whoever does the work, so that neither knows the other.
#pragma once

#include "catalog/result.h"

#include <atomic>
#include <chrono>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

namespace tenon {

using Clock = std::chrono::steady_clock;

enum class Source { Mcp, Agent, Cli, Internal };
std::string_view nameOf(Source source); // "mcp", "agent", "cli", "internal"

// Who calls. What a client claims of itself is not proof of anything.
struct Caller {
    Source source = Source::Internal;
    std::string userId; // the authenticated principal, or ""
    std::string clientName, clientVersion, protocolVersion;
    std::string authMethod, clientId; // how the principal was authenticated, and as which client
    std::string ipAddress, userAgent; // of a network's client
    std::vector<std::string> scopes;  // that the principal was granted
};

struct Progress {
    double done = 0;
    double total = 0; // 0: not known
    std::string_view message;
};

enum class CallLogLevel { Debug = 1, Info, Warning, Error };

// One call, as its handler sees it. Thread-safe; lives until the handler has finished it, and
// longer if the handler keeps it.
class CallContext {
public:
    virtual ~CallContext() = default;

    virtual std::string_view toolName() const = 0;  // as the plugin declared it
    virtual std::string_view arguments() const = 0; // JSON, valid against the input schema
    virtual const Caller &caller() const = 0;
    virtual std::string traceparent() const = 0; // W3C, of this call's span
    virtual bool cancelled() const = 0;
    virtual Clock::time_point deadline() const = 0; // time_point::max(): none
    virtual void progress(const Progress &progress) = 0;
    virtual void log(CallLogLevel level, std::string_view message) = 0;
    // Ends the handler's part. The first one counts; any later one is ignored.
    virtual void finish(HandlerOutcome outcome) = 0;
};

using CallPtr = std::shared_ptr<CallContext>;

// What runs the calls of one plugin, or of an embedder's own tools.
class Handler {
public:
    virtual ~Handler() = default;

    // Runs one call and ends it with call->finish(), before or after it returns, from any thread.
    // Called on several threads at once. Nothing is thrown. What the call's functions give stays
    // valid while the handler holds it, also when the call was answered for meanwhile.
    virtual void invoke(const CallPtr &call) noexcept = 0;
    // The call should end soon; it still ends by finish().
    virtual void cancel(const CallPtr &call) noexcept { static_cast<void>(call); }
    // The call ignored its cancellation past the grace and was answered for: what it holds is not
    // to be trusted again.
    virtual void abandon(const CallPtr &call) noexcept { static_cast<void>(call); }
    // No call follows: frees what it holds. Called at shutdown, when the process cannot wait for
    // its destructor.
    virtual void stop() noexcept {}
    // Whether a tool declared non-blocking may run where its message was read.
    virtual bool mayRunInline() const noexcept { return false; }
    // "" while it can take calls; else why not, for the operator.
    virtual std::string unavailable() const { return ""; }
};

} // namespace tenon
