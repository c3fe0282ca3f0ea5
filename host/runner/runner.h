// SPDX-License-Identifier: Apache-2.0
// THE ONE CALL PATH. Every call of every frontend, and of an embedder, goes through a ToolRunner;
// README.md has the order of its steps.
#pragma once

#include "catalog/mounted.h"
#include "runner/hooks.h"
#include "runner/scheduler.h"
#include "support/limits.h"
#include "support/log.h"
#include "support/result.h"

#include <functional>
#include <memory>
#include <string_view>
#include <vector>

namespace tenon {

// Where the host's own rules decide about a call before its handler runs.
enum class PolicyAnswer { Allow, Deny };

struct ToolRunnerOptions {
    std::shared_ptr<const catalog::MountedCatalog> catalog;
    Log *log = nullptr;           // must outlive the runner
    std::vector<ToolHooks> hooks; // run in this order
    ToolLifecycle lifecycle;
    std::function<PolicyAnswer(const BeforeToolCall &)> policy; // empty: everything is allowed
    std::function<std::string(std::string_view tool, std::string_view code)> errorHint;
    Limits limits;
    ConcurrencyLimits concurrency;
    std::chrono::milliseconds timeout{60'000}; // of a tool that states none and has no mount's
    // How long a cancelled or timed-out handler may take to come back before it is answered for.
    std::chrono::milliseconds cancelGrace{2'000};
    // How long a hook that suspends may take once the outcome stands (onToolError, afterToolCall)
    // before the call goes on without it. Until then the call's own time limit counts.
    std::chrono::milliseconds watchGrace{5'000};
};

// One call as a frontend asks for it.
struct ToolCall {
    std::string_view toolName; // mounted
    // Missing: {}. Valid as long as the listener lives: let it own them.
    json::Value arguments;
    const Caller *caller = nullptr; // null: internal
    std::string_view toolCallId;
    const AmbientContext *ambient = nullptr;
    bool mayRunHere = true;  // false: on the pool whatever the tool says, so that it can be stopped
    std::uint32_t round = 1; // of a call that was asked for input: 2 when it comes with answers
};

// What a frontend hears of a call. Called from any thread, never two at once for one call, and
// nothing after onDone, which comes exactly once.
class CallListener {
public:
    virtual ~CallListener() = default;
    virtual bool wantsProgress() const { return false; }
    virtual void onProgress(const Progress &progress) { static_cast<void>(progress); }
    virtual void onLog(CallLogLevel level, std::string_view message) {
        static_cast<void>(level), static_cast<void>(message);
    }
    // Makes what goes to the caller, and gives its size in bytes; it goes out in onDone. Called
    // before the afterToolCall hooks, so that they can tell the size; once more if it throws, with
    // the INTERNAL_SERVER_ERROR that the call then ends with. failureJson is the failure as it is
    // shown (toolResultFromError), INPUT_REQUIRED where input is; "" when there is none.
    virtual std::size_t render(const ToolResult &result, const std::string &failureJson) {
        const auto *output = std::get_if<Output>(&result);
        return output ? output->bytes() : failureJson.size();
    }
    virtual void onDone(ToolResult result, std::string failureJson) = 0;
};

class Call; // one run, private to this folder

// A call in flight, for cancelling it. Copies are the same call.
class CallHandle {
public:
    CallHandle() = default;
    explicit CallHandle(std::shared_ptr<Call> call) : call_(std::move(call)) {}
    // Asks the handler to end; the call is then answered CANCELLED. Does nothing once it is over.
    void cancel() const;

private:
    std::shared_ptr<Call> call_;
};

// Thread-safe.
class ToolRunner {
public:
    explicit ToolRunner(ToolRunnerOptions options);
    // Waits until every call is over: call shutdown() first, and do not get here if it says false.
    ~ToolRunner();
    ToolRunner(const ToolRunner &) = delete;
    ToolRunner &operator=(const ToolRunner &) = delete;

    // Runs one call. The listener hears of its end before or after this returns. A tool that the
    // catalog does not have ends as NOT_FOUND, naming the nearest.
    CallHandle run(const ToolCall &call, std::shared_ptr<CallListener> listener);

    // The same for those without an event loop: waits for the end.
    struct Finished {
        ToolResult result;
        std::string failureJson;
    };
    Finished runBlocking(const ToolCall &call);

    // Waits for running calls, cancels what is left after `most`, and waits for that within the
    // grace. False when a handler is still running: the process must then leave by _exit.
    bool shutdown(std::chrono::milliseconds most);

    // How many calls run and wait, wherever they run. One that is on its way from run() to the pool
    // may be counted twice for that moment.
    Load load() const;

    const catalog::MountedCatalog &catalog() const;
    const Limits &limits() const;

    struct Parts; // private to this folder

private:
    std::atomic<std::size_t> inRun_ = 0; // threads that are in it with a call
    std::unique_ptr<Parts> parts_;
};

// The runner of a catalog. Fails when the options make none: no catalog or no log.
Result<std::unique_ptr<ToolRunner>> createToolRunner(ToolRunnerOptions options);

} // namespace tenon
