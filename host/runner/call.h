// SPDX-License-Identifier: Apache-2.0
// One run of one call: the order of runner.md as a row of steps. Private to this folder.
//
// A step either goes on to the next one at once, on the same thread (the plain path, which is all
// that most calls ever take), or leaves the call suspended: in the queue, in a hook, or in its
// handler. Whoever ends the suspension goes on with the steps. Each suspension has a number; what
// comes back with an old one (a late result, a second answer) finds that it is too late.
#pragma once

#include "runner/deadlines.h"
#include "runner/runner.h"
#include "runner/throw_site.h"

#include <array>
#include <mutex>
#include <optional>
#include <thread>

namespace tenon {

// What all calls of a runner share.
struct ToolRunner::Parts {
    explicit Parts(ToolRunnerOptions given)
        : options(std::move(given)), slowStrikes(options.catalog->tools().size()),
          scheduler(options.concurrency) {}

    const ToolRunnerOptions options;
    std::vector<std::atomic<int>> slowStrikes; // by tool: see Call::runInline
    std::mutex mutex;                          // of the three below
    std::condition_variable ended;
    std::vector<std::weak_ptr<Call>> outlasting; // calls that go on after run() returned
    std::size_t outlastingCount = 0;             // of them, those not yet over
    std::atomic<int> abandoned = 0;              // handlers that were given up and not come back
    // Last, so that their threads are gone before anything that these use: first that of the
    // deadlines, which hands work to the pool.
    Scheduler scheduler;
    Deadlines deadlines;
};

class Call final : public CallContext, public std::enable_shared_from_this<Call> {
public:
    Call(ToolRunner::Parts &parts, std::size_t tool, const ToolCall &request,
         std::shared_ptr<CallListener> listener);

    // Begins: here, or on the pool.
    void begin(const ToolCall &request);
    enum class Stop { None, Cancelled, TimedOut };
    void stop(Stop reason);

    // CallContext
    std::string_view toolName() const override { return tool_.name; }
    std::string_view arguments() const override { return given().raw(); }
    const Caller &caller() const override { return context_.caller; }
    std::string traceparent() const override { return context_.trace.traceparent(); }
    bool cancelled() const override { return stop_.load() != Stop::None; }
    Clock::time_point deadline() const override { return deadline_; }
    void progress(const Progress &progress) override;
    void log(CallLogLevel level, std::string_view message) override;
    void finish(HandlerOutcome outcome) override;

private:
    // In order. Error and After run for every call that got past the queue, and for those that did
    // not.
    enum class Step {
        Before,
        Arguments,
        Policy,
        BeforeHandle,
        Handle,
        AfterHandle,
        Output,
        Error,
        Render,
        After,
        Done
    };
    enum class Goes { On, Suspended };
    enum class Suspension { None, Queue, Hook, Handler };

    void advance();
    Goes before();
    Goes checkArguments();
    Goes policy();
    Goes beforeHandle();
    Goes handle();
    Goes afterHandle();
    Goes output();
    Goes error();
    Goes render();
    Goes after();
    void done();

    // What a hook answered, or what it threw.
    template <class Answer> using Answered = std::variant<Answer, HandlerOutcome>;
    template <class Event, class Answer>
    Goes runHook(ThrowSite site, const Hook<Event, Answer> &hook, Event event,
                 void (Call::*answered)(Answered<Answer>));
    void onBefore(Answered<std::optional<std::string>> answer);
    void onBeforeHandle(Answered<Seen> answer);
    void onAfterHandle(Answered<std::optional<std::string>> answer);
    void onWatched(Answered<Seen> answer);
    // Whether the caller lacks a scope; the call is then refused.
    bool lacksScopes();

    // The outcome stands; the closing steps follow.
    void close(Step step);
    // The call ends this way.
    void conclude(ToolResult result, Outcome outcome);
    void concludeStopped();
    // The call ends by what was thrown where nothing is told of it: a refusal with the outcome
    // given, or a raw cause.
    void concludeUntold(HandlerOutcome thrown, Outcome refusal);
    // What was thrown where the call goes on all the same, or has ended already.
    void swallow(const HandlerOutcome &thrown, std::string_view what) const;
    // Ends the call on a pool thread: hooks and listeners may wait, timers and readers may not.
    void endStopped();
    void concludeThrown(HandlerOutcome thrown);
    bool stoppedBetweenSteps();
    bool checkOutput(Output &output);
    bool checkContent(Output &output);
    void mismatch(const std::string &reason);

    std::uint64_t suspend(Suspension kind);
    bool resume(std::uint64_t number);
    void giveUp();
    bool mayRunInline() const;
    void runInline();
    bool isInline() const { return inlineOn_ == std::this_thread::get_id(); }
    // Whoever calls these holds mutex_, and the call is not over.
    void armGrace();
    void addTimer(Clock::time_point due, void (*work)(Call &));
    // What a hook that was given up, or has answered already, throws.
    void swallowLate(const HandlerOutcome &thrown);
    void afterWatchGrace(std::function<void(Call &)> giveUp);
    void outlastRun();
    WorkKey workKey() const;
    std::string hostHint(const std::string &code) const;
    json::Value given() const { return effective_ ? effective_ : args_; }
    BeforeToolCall beforeEvent() const { return {name_, args_, effective_, context_, tool_}; }

    ToolRunner::Parts &parts_; // gone when the call is over, unlike what follows
    const std::shared_ptr<const catalog::MountedCatalog> catalog_;
    const std::size_t toolIndex_;
    const std::string &name_; // mounted
    const catalog::Tool &tool_;
    const catalog::Mount &mount_;
    const std::shared_ptr<CallListener> listener_;
    ToolCallContext context_;
    const Clock::time_point started_ = Clock::now();
    const std::chrono::system_clock::time_point startedAt_ = std::chrono::system_clock::now();
    const std::uint32_t round_;
    Clock::time_point deadline_;
    // Of a call that runs where it was read, and of that thread alone: how long its handler kept
    // it.
    std::thread::id inlineOn_;
    Clock::time_point invokedAt_;
    Clock::duration handlerTook_{};

    json::Document none_, replaced_; // behind args_ when none came, and behind effective_
    json::Value args_, effective_;
    std::vector<schema::Change> changes_; // of the arguments, to make them fit

    Step step_ = Step::Before;
    std::size_t hook_ = 0; // of the step that runs several
    ToolResult results_[2];
    ToolResult *result_ = &results_[0]; // the other one once a hook that may read it was given up
    Outcome outcome_ = Outcome::Ok;
    std::optional<HandlerOutcome> thrown_;
    std::string failureJson_; // of result_, as the caller reads it
    std::size_t responseBytes_ = 0;

    std::mutex mutex_; // of the eight below
    Suspension suspension_ = Suspension::None;
    std::shared_ptr<Call> self_; // while suspended: whoever should go on may forget the call
    std::uint64_t suspensions_ = 0;
    std::uint64_t inHandler_ = 0; // the number of that suspension
    std::vector<Deadlines::Key> timers_;
    bool outlasts_ = false; // counted in Parts
    bool over_ = false;     // the listener knows
    std::atomic<Stop> stop_ = Stop::None;
    std::atomic<bool> closing_ = false;       // the outcome stands
    std::atomic<bool> insideHandler_ = false; // a thread is in Handler::invoke
    std::atomic<bool> threadLost_ = false;    // and was given up
    std::atomic<bool> abandoned_ = false;     // the handler was, and has not come back
    bool began_ = false;                      // it got past the queue
    bool pooled_ = false;                     // it holds a place of the scheduler's
    bool hookGivenUp_ = false;                // which may still read its event

    std::mutex listening_; // of what the listener is told
    bool told_ = false;
    double progressDone_ = -1e308;
    double progressTokens_ = 32;
    Clock::time_point progressAt_ = started_;
};

} // namespace tenon
