// SPDX-License-Identifier: Apache-2.0
// Nothing of a cause reaches a caller. Every place that can throw throws everything that causes.h
// has; every byte of every frontend is searched, and those who should know of it must.
#include "../../fixtures/causes.h"
#include "frontends_testing.h"
#include "plugin/loader.h"
#include "runner/audit/audit.h"
#include "runner/own_tools.h"
#include "runner/throw_site.h"

#include <cstdio>
#include <fcntl.h>
#include <fstream>
#include <set>
#include <unistd.h>

using namespace tenon;
using namespace tenon::testing;
using causes::Cause;

namespace {

// What goes to standard error meanwhile: the log.
class LogBytes {
public:
    LogBytes() : file_(std::tmpfile()), before_(dup(STDERR_FILENO)) {
        dup2(fileno(file_), STDERR_FILENO);
    }
    ~LogBytes() {
        dup2(before_, STDERR_FILENO);
        close(before_);
        std::fclose(file_);
    }
    std::string take() {
        std::string out(static_cast<std::size_t>(lseek(fileno(file_), 0, SEEK_END)), '\0');
        const auto got = pread(fileno(file_), out.data(), out.size(), 0);
        REQUIRE(got == static_cast<ssize_t>(out.size()));
        return out;
    }

private:
    std::FILE *file_;
    int before_;
};

const std::shared_ptr<const Masker> &masker() {
    static const auto kMasker =
        std::make_shared<const Masker>(std::vector<std::string>{"EXAMPLE-SECRET-1"});
    return kMasker;
}

Log &theLog() {
    static Log log(LogLevel::Debug);
    static const bool masks = (log.mask(masker()), true);
    static_cast<void>(masks);
    return log;
}

const plugin::LoadedPlugin &thrower() {
    static const auto kLoaded = *plugin::loadFile(TENON_FIXTURES "/thrower.so", {}, theLog());
    return kLoaded;
}

// Who hears of the cause besides the log.
enum class Told {
    Nobody,
    Hooks // onToolError, `error` of afterToolCall, and errorMessage of the audit
};

using Raise = std::function<void()>;

struct Place {
    ThrowSite site;
    std::string what;
    Told told;
    std::string outcome;
    std::string tool = "fine";
    std::function<void(ToolRunnerOptions &, const Raise &)> arrange = [](auto &, auto &) {};
    // What is noted of a cause, where the place says it in another way.
    std::function<std::string(const Cause &)> noted = [](const Cause &cause) {
        return cause.noted;
    };
    // MCP alone: the way out throws when it is to take a message with this in it.
    std::string onMessage = {};
    bool unanswered = false;
};

template <class Event, class Answer> Hook<Event, Answer> rejecting(const Raise &raise) {
    return Hook<Event, Answer>::suspending([raise](const Event &, Continuation<Answer> answer) {
        std::thread([raise, answer] {
            try {
                raise();
            } catch (...) {
                answer.reject(std::current_exception());
            }
        }).detach();
    });
}

// Throws as a refusal that claims to be the host's.
void asHostsOwn(const Raise &raise) {
    try {
        raise();
    } catch (const std::exception &error) {
        throw AppError{"INTERNAL_SERVER_ERROR", error.what()};
    } catch (...) {
        throw AppError{"PLUGIN_CRASHED", "LEAKMARK LeakedNoException"};
    }
}

// What asHostsOwn has in its message.
std::string messageOf(const Cause &cause) {
    return cause.name == "nested exceptions"      ? "LEAKMARK outer"
           : cause.name == "what is no exception" ? "LEAKMARK LeakedNoException"
                                                  : cause.noted;
}

// A handler that cannot even say whether it can take calls.
class ThrowingHandler : public Handler {
public:
    explicit ThrowingHandler(Raise raise) : raise_(std::move(raise)) {}
    void invoke(const CallPtr &call) noexcept override { call->finish(Output{}); }
    std::string unavailable() const override { return raise_(), std::string(); }

private:
    Raise raise_;
};

// Everywhere that a hook or a function of the embedder's is called.
std::vector<Place> embedderPlaces() {
    using Options = ToolRunnerOptions;
    const auto addHooks = [](Options &options, auto change) {
        ToolHooks hooks;
        change(hooks);
        options.hooks.push_back(std::move(hooks));
    };
    using Text = std::optional<std::string>;
    const auto refusing = [](Options &options) {
        options.lifecycle.beforeHandle = [](const BeforeToolCall &) {
            throw AppError{"NOT_FOUND", "gone"};
        };
    };
    return {
        {ThrowSite::BeforeToolCall, "plain", Told::Nobody, "internal", "fine",
         [=](Options &options, const Raise &raise) {
             addHooks(options, [&](ToolHooks &hooks) {
                 hooks.beforeToolCall = [raise](const BeforeToolCall &) { return raise(), Text(); };
             });
         }},
        {ThrowSite::BeforeToolCall, "suspended", Told::Nobody, "internal", "fine",
         [=](Options &options, const Raise &raise) {
             addHooks(options, [&](ToolHooks &hooks) {
                 hooks.beforeToolCall = rejecting<BeforeToolCall, Text>(raise);
             });
         }},
        {ThrowSite::Policy, "", Told::Nobody, "internal", "fine",
         [](Options &options, const Raise &raise) {
             options.policy = [raise](const BeforeToolCall &) {
                 return raise(), PolicyAnswer::Allow;
             };
         }},
        {ThrowSite::RequiredScopes, "", Told::Hooks, "internal", "fine",
         [](Options &options, const Raise &raise) {
             options.lifecycle.requiredScopes = [raise](const BeforeToolCall &) {
                 return raise(), std::vector<std::string>();
             };
         }},
        {ThrowSite::BeforeHandle, "plain", Told::Hooks, "internal", "fine",
         [](Options &options, const Raise &raise) {
             options.lifecycle.beforeHandle = [raise](const BeforeToolCall &) { raise(); };
         }},
        {ThrowSite::BeforeHandle, "suspended", Told::Hooks, "internal", "fine",
         [](Options &options, const Raise &raise) {
             options.lifecycle.beforeHandle = rejecting<BeforeToolCall, Seen>(raise);
         }},
        {ThrowSite::AfterHandle, "plain", Told::Hooks, "internal", "fine",
         [](Options &options, const Raise &raise) {
             options.lifecycle.afterHandle = [raise](const AfterHandle &) {
                 return raise(), Text();
             };
         }},
        {ThrowSite::AfterHandle, "suspended", Told::Hooks, "internal", "fine",
         [](Options &options, const Raise &raise) {
             options.lifecycle.afterHandle = rejecting<AfterHandle, Text>(raise);
         }},
        {ThrowSite::OnToolError, "plain", Told::Nobody, "failed", "fine",
         [=](Options &options, const Raise &raise) {
             refusing(options);
             addHooks(options, [&](ToolHooks &hooks) {
                 hooks.onToolError = [raise](const ToolErrorEvent &) { raise(); };
             });
         }},
        {ThrowSite::OnToolError, "suspended", Told::Nobody, "failed", "fine",
         [=](Options &options, const Raise &raise) {
             refusing(options);
             addHooks(options, [&](ToolHooks &hooks) {
                 hooks.onToolError = rejecting<ToolErrorEvent, Seen>(raise);
             });
         }},
        {ThrowSite::ErrorHint, "", Told::Nobody, "failed", "fine",
         [=](Options &options, const Raise &raise) {
             refusing(options);
             options.errorHint = [raise](std::string_view, std::string_view) {
                 return raise(), std::string();
             };
         }},
        {ThrowSite::AfterToolCall, "plain", Told::Nobody, "ok", "fine",
         [=](Options &options, const Raise &raise) {
             addHooks(options, [&](ToolHooks &hooks) {
                 hooks.afterToolCall = [raise](const AfterToolCall &) { raise(); };
             });
         }},
        {ThrowSite::AfterToolCall, "suspended", Told::Nobody, "ok", "fine",
         [=](Options &options, const Raise &raise) {
             addHooks(options, [&](ToolHooks &hooks) {
                 hooks.afterToolCall = rejecting<AfterToolCall, Seen>(raise);
             });
         }},
        {ThrowSite::Unavailable, "", Told::Hooks, "internal", "unavailable"},
        {ThrowSite::BeforeToolCall, "with a code of the host's own", Told::Nobody, "internal",
         "fine",
         [=](Options &options, const Raise &raise) {
             addHooks(options, [&](ToolHooks &hooks) {
                 hooks.beforeToolCall = [raise](const BeforeToolCall &) {
                     return asHostsOwn(raise), Text();
                 };
             });
         },
         messageOf},
        {ThrowSite::BeforeHandle, "with a code of the host's own", Told::Hooks, "internal", "fine",
         [](Options &options, const Raise &raise) {
             options.lifecycle.beforeHandle = [raise](const BeforeToolCall &) {
                 asHostsOwn(raise);
             };
         },
         messageOf},
        {ThrowSite::Handler, "a tool of this program", Told::Hooks, "internal", "own"},
        {ThrowSite::Handler, "a tool of this program, where it was read", Told::Hooks, "internal",
         "own_here"},
    };
}

// A plugin's throws come over the ABI, and are those of the handler.
std::vector<Place> pluginPlaces() {
    const auto byMessage = [](const Cause &cause) -> std::string {
        return cause.name == "nested exceptions"      ? "LEAKMARK outer"
               : cause.name == "what is no exception" ? "LEAKMARK LeakedNoException"
               : cause.name == "ten megabytes"        ? "fail() was given more than"
                                                      : cause.noted;
    };
    const auto nothing = [](const Cause &) { return "its result is not "; };
    const auto site = ThrowSite::Handler;
    return {
        {site, "a plugin", Told::Hooks, "internal", "now"},
        {site, "a plugin, where the request was read", Told::Hooks, "internal", "here"},
        {site, "a plugin, on another thread", Told::Hooks, "internal", "later"},
        {site, "a plugin, after some output", Told::Hooks, "internal", "after_output"},
        {site, "a plugin, between reports", Told::Hooks, "internal", "reporting"},
        {site, "a plugin with the host's own code", Told::Hooks, "internal", "own_code",
         [](auto &, auto &) {}, byMessage},
        {site, "a plugin with a code that is none", Told::Hooks, "internal", "no_code",
         [](auto &, auto &) {}, byMessage},
        {site, "a plugin that is told to stop", Told::Nobody, "timeout", "cancelled"},
        {site, "a plugin's result that is no JSON", Told::Nobody, "mismatch failed", "no_json",
         [](auto &, auto &) {}, nothing},
        {site, "a plugin's result that is not what it declares", Told::Nobody, "mismatch",
         "mismatch", [](auto &, auto &) {}, nothing},
    };
}

// The way out of MCP is a function of the embedder's.
std::vector<Place> wayOutPlaces() {
    const auto as = [](ThrowSite site, std::string tool, std::string message, bool unanswered) {
        Place place{site, "", Told::Nobody, "ok", std::move(tool)};
        place.onMessage = std::move(message);
        place.unanswered = unanswered;
        return place;
    };
    return {as(ThrowSite::Progress, "reports", "notifications/progress", false),
            as(ThrowSite::Answering, "fine", R"("id":"call")", true)};
}

// What those who should know have heard.
struct Heard {
    std::mutex mutex;
    std::vector<std::string> toHooks;
    std::vector<audit::Row> rows;

    static std::string wordsOf(const HandlerOutcome &error) {
        const auto *cause = std::get_if<RawCause>(&error);
        return cause ? concat(cause->type, ": ", cause->message) : "";
    }
    std::vector<ToolHooks> hooks() {
        ToolHooks hooks;
        hooks.onToolError = [this](const ToolErrorEvent &event) {
            const std::lock_guard lock(mutex);
            toHooks.push_back(wordsOf(event.error));
        };
        hooks.afterToolCall = [this](const AfterToolCall &event) {
            const std::lock_guard lock(mutex);
            toHooks.push_back(event.error ? wordsOf(*event.error) : "");
        };
        return {hooks, audit::createAuditHook(
                           [this](audit::Row row) {
                               const std::lock_guard lock(mutex);
                               rows.push_back(std::move(row));
                           },
                           audit::Sanitiser(masker()))};
    }
};

std::shared_ptr<const catalog::MountedCatalog> catalogThatRaises(const Raise &raise) {
    const auto definition = [](std::string name, std::string more = "") {
        return concat(R"({"name":")", name,
                      R"(","description":"d","inputSchema":{"type":"object"})", more, "}");
    };
    const auto fine = [](CallContext &, json::Value) { return Output{R"({"n":1})", {}}; };
    const auto raising = [raise](CallContext &, json::Value) -> HandlerOutcome {
        raise();
        return Output{};
    };
    const auto reporting = [](CallContext &call, json::Value) {
        call.progress({1, 2, "half"});
        call.log(CallLogLevel::Info, "half");
        return Output{R"({"n":1})", {}};
    };
    auto own =
        mountOwnTools("own", "1",
                      {{definition("fine"), fine},
                       {definition("reports"), reporting},
                       {definition("own"), raising},
                       {definition("own_here", R"(,"execution":{"blocking":false})"), raising}});
    REQUIRE(own.has_value());
    catalog::Mount strangers;
    strangers.catalog = thrower().catalog;
    strangers.handler = thrower().instance;
    strangers.origin = "thrower";
    catalog::Mount down;
    down.catalog = catalogOf(toolJson("unavailable"));
    down.handler = std::make_shared<ThrowingHandler>(raise);
    down.origin = "down";
    auto made = catalog::MountedCatalog::make({*own, strangers, down});
    REQUIRE(made.has_value());
    return *made;
}

void checkNotes(const Place &place, const Cause &cause, const Heard &heard,
                const std::string &log) {
    const auto noted = place.noted(cause);
    INFO("the log: " << log.substr(0, 2'000));
    CHECK(log.find(noted) != std::string::npos);
    CHECK(log.find("hunter2") == std::string::npos);
    CHECK(log.find("EXAMPLE-SECRET-1") == std::string::npos);
    CHECK(log.find("eyJhbGci") == std::string::npos);
    CHECK(log.size() < 100'000);

    REQUIRE(heard.rows.size() == 1);
    const auto &row = heard.rows[0];
    std::string json;
    audit::appendJson(json, row);
    INFO("the row: " << json.substr(0, 2'000));
    CHECK(has(place.outcome, row.outcome));
    if (place.told == Told::Hooks) {
        CHECK(row.errorMessage.find(noted) != std::string::npos);
    } else { // it is what the caller was told
        for (const auto &secret : cause.secrets) {
            INFO(secret);
            CHECK(row.errorMessage.find(secret) == std::string::npos);
        }
    }
    CHECK(json.find("hunter2") == std::string::npos);
    CHECK(json.find("EXAMPLE-SECRET-1") == std::string::npos);
    CHECK(json.find("eyJhbGci") == std::string::npos);
    CHECK(json.size() < 20'000);

    std::size_t told = 0;
    for (const auto &words : heard.toHooks) {
        told += words.empty() ? 0 : 1;
        CHECK(words.find("***") == std::string::npos); // hooks get what was thrown
    }
    CHECK(told == (place.told == Told::Hooks ? 2 : 0));
}

void check(const Place &place, std::size_t which, Frontend frontend) {
    const Cause &cause = causes::all()[which];
    INFO("thrown in " << nameOf(place.site) << " (" << place.what << "): " << cause.name
                      << ", through " << nameOf(frontend));
    const Raise raise = cause.raise;
    Heard heard;
    LogBytes log;
    ToolRunnerOptions options;
    options.catalog = catalogThatRaises(raise);
    options.log = &theLog();
    options.hooks = heard.hooks();
    place.arrange(options, raise);
    ToolRunner runner(std::move(options));
    Through through{place.tool, concat(R"({"cause":)", which, "}"), {}, {}, {}};
    if (!place.onMessage.empty()) {
        through.onSend = [&](std::string_view message) {
            if (message.find(place.onMessage) != message.npos) {
                raise();
            }
        };
    }
    if (place.unanswered) {
        through.endsUnanswered = [&] {
            return log.take().find("the caller may have been told nothing") != std::string::npos;
        };
    }
    const auto bytes = callThrough(frontend, runner, through);
    CHECK(runner.shutdown(std::chrono::seconds(5)));
    for (const auto &secret : cause.secrets) {
        INFO(secret);
        INFO(printable(bytes, 2'000));
        CHECK(bytes.find(secret) == std::string::npos);
    }
    CHECK(invalidUtf8At(bytes) == bytes.npos);
    checkNotes(place, cause, heard, log.take());
}

} // namespace

TEST_CASE("nothing of a cause reaches a caller, wherever it is thrown and whoever asks") {
    auto places = embedderPlaces();
    for (auto &&more : {pluginPlaces(), wayOutPlaces()}) {
        places.insert(places.end(), more.begin(), more.end());
    }
    for (const auto &place : places) {
        for (std::size_t which = 0; which < causes::all().size(); ++which) {
            for (const auto frontend : kFrontends) {
                const bool mcp = frontend == Frontend::McpLegacy || frontend == Frontend::McpModern;
                if (mcp || place.onMessage.empty()) {
                    check(place, which, frontend);
                }
            }
        }
    }
}

namespace {

// What an embedder's own listener throws.
class ThrowingListener : public WaitingListener {
public:
    ThrowingListener(ThrowSite site, Raise raise) : site_(site), raise_(std::move(raise)) {}
    std::size_t render(const ToolResult &given, const std::string &failure) override {
        throwAt(ThrowSite::Rendering);
        return WaitingListener::render(given, failure);
    }
    void onProgress(const Progress &progress) override {
        throwAt(ThrowSite::Progress);
        WaitingListener::onProgress(progress);
    }
    void onLog(CallLogLevel, std::string_view) override { throwAt(ThrowSite::CallLog); }
    void onDone(ToolResult given, std::string failure) override {
        WaitingListener::onDone(std::move(given), std::move(failure));
        throwAt(ThrowSite::Answering);
    }

private:
    void throwAt(ThrowSite site) const {
        if (site == site_) {
            raise_();
        }
    }
    ThrowSite site_;
    Raise raise_;
};

constexpr std::array kOfListeners{ThrowSite::Rendering, ThrowSite::Progress, ThrowSite::CallLog,
                                  ThrowSite::Answering};

} // namespace

TEST_CASE("what a listener throws ends in the log, and the call ends all the same") {
    for (const auto site : kOfListeners) {
        for (const auto &cause : causes::all()) {
            INFO(nameOf(site) << ": " << cause.name);
            Heard heard;
            LogBytes log;
            ToolRunnerOptions options;
            options.catalog = catalogThatRaises([] {});
            options.log = &theLog();
            options.hooks = heard.hooks();
            ToolRunner runner(std::move(options));
            ToolCall call;
            call.toolName = "reports";
            const auto listener = std::make_shared<ThrowingListener>(site, cause.raise);
            runner.run(call, listener);
            REQUIRE(listener->wait());
            CHECK(runner.shutdown(std::chrono::seconds(5)));
            CHECK(listener->dones == 1);
            const bool failed = site == ThrowSite::Rendering;
            CHECK(codeOf(listener->result) == (failed ? "INTERNAL_SERVER_ERROR" : ""));
            for (const auto &secret : cause.secrets) {
                CHECK(listener->failureJson.find(secret) == std::string::npos);
            }
            const Place place{site, "", Told::Nobody, failed ? "internal" : "ok"};
            checkNotes(place, cause, heard, log.take());
        }
    }
}

TEST_CASE("every place that can throw has its case here") {
    std::set<std::string_view> covered;
    auto places = embedderPlaces();
    for (auto &&more : {pluginPlaces(), wayOutPlaces()}) {
        places.insert(places.end(), more.begin(), more.end());
    }
    for (const auto &place : places) {
        covered.insert(nameOf(place.site));
    }
    for (const auto site : kOfListeners) {
        covered.insert(nameOf(site));
    }
    int sites = 0;
    for (; !nameOf(static_cast<ThrowSite>(sites)).empty(); ++sites) {
        INFO("no case throws from " << nameOf(static_cast<ThrowSite>(sites)));
        CHECK(covered.contains(nameOf(static_cast<ThrowSite>(sites))));
    }
    CHECK(sites > 10);
}
