// SPDX-License-Identifier: Apache-2.0
// The `tenon` program: words of the command line -> one command.
#include "app/commands.h"
#include "frontends/cli/cli.h"
#include "support/text.h"

#include <CLI/CLI.hpp>

#include <filesystem>
#include <sstream>
#include <unistd.h>

namespace tenon::app {

namespace {

bool isPluginPath(const std::string &word) {
    return word.find('/') != word.npos || word.ends_with(".so") || word.ends_with(".dylib");
}

struct Words {
    HostOptions host;
    std::string logLevel;
    bool stdio = false, json = false, sizes = false, strict = false, explain = false;
    std::string format = "anthropic";
    pid_t pid = 0;
    AuditRequest audit;
    std::vector<std::string> auditWords;
};

void addHostOptions(CLI::App &command, Words &words) {
    command.add_option("--manifest", words.host.manifest,
                       "The operator's file; ./tenon.yaml when no plugin is given");
    command
        .add_option("--isolation", words.host.isolation,
                    "none: the plugins are trusted and run inside this process")
        ->check([](const std::string &word) {
            return word == "none" ? std::string()
                                  : concat("it is ", printable(word, 60),
                                           "; expected none, for plugins that are trusted: this "
                                           "version runs every plugin inside its own process");
        });
    command.add_option("--log-level", words.logLevel, "debug, info, warning, error or off")
        ->check(CLI::IsMember({"debug", "info", "warning", "error", "off"}));
    command.prefix_command();
}

// The words that are left: plugins first, then what the command takes.
Result<std::vector<std::string>> takePlugins(CLI::App &command, Words &words) {
    auto left = command.remaining();
    std::size_t plugins = 0;
    while (plugins < left.size() && words.host.manifest.empty() && isPluginPath(left[plugins])) {
        words.host.plugins.push_back(left[plugins++]);
    }
    left.erase(left.begin(), left.begin() + static_cast<std::ptrdiff_t>(plugins));
    if (words.host.plugins.empty() && words.host.manifest.empty()) {
        if (!std::filesystem::exists("tenon.yaml")) {
            return Error{"cli.configuration",
                         "no plugin and no manifest were given, and there is no tenon.yaml here; "
                         "expected --manifest FILE or the path of a plugin (./name.so)"};
        }
        words.host.manifest = "tenon.yaml";
    }
    return left;
}

// The parser would only say that a command is missing.
std::string unknownCommand(const CLI::App &app, int argc, char **argv) {
    if (argc < 2 || argv[1][0] == '-') {
        return "";
    }
    std::vector<std::string_view> names;
    for (const auto *command : app.get_subcommands([](const CLI::App *) { return true; })) {
        names.push_back(command->get_name());
        if (names.back() == argv[1]) {
            return "";
        }
    }
    const auto near = nearest(argv[1], names);
    return concat("there is no command ", printable(argv[1], 100), "; expected ", listed(names),
                  near.empty() ? "" : concat(" (did you mean ", near, "?)"));
}

int usage(std::string_view problem) {
    writeAll(STDERR_FILENO, concat("tenon: ", problem, "\n"));
    return cli::kExitUsage;
}

template <class Request>
Request request(const Words &words, LogLevel level, transport::OwnStdio io) {
    Request made;
    made.host = words.host;
    made.logLevel = level;
    parseLogLevel(words.logLevel, made.logLevel);
    made.stdio = io;
    return made;
}

int auditOf(Words &words, transport::OwnStdio io) {
    AuditRequest &request = words.audit;
    request.stdio = io;
    for (const auto &word : words.auditWords) {
        if (word == "tail") {
            request.tail = true;
        } else if (request.path.empty()) {
            request.path = word;
        } else {
            return usage(concat("the word ", printable(word, 100), " is left over; expected ",
                                "tenon audit [tail] [PATH] [OPTIONS]"));
        }
    }
    if (!request.path.empty() && !words.host.manifest.empty()) {
        return usage("a path and --manifest were both given; expected one of them");
    }
    if (request.path.empty()) {
        auto path = auditPathOf(words.host.manifest);
        if (!path) {
            return refuse(path.error());
        }
        request.path = std::move(*path);
    }
    return audit(request);
}

int run(CLI::App &app, Words &words, transport::OwnStdio io) {
    CLI::App &command = *app.get_subcommands().front();
    const std::string name = command.get_name();
    if (name == "metrics") {
        return metrics({io, words.pid});
    }
    if (name == "audit") {
        return auditOf(words, io);
    }
    CLI::App &leaf = name == "agent" ? *command.get_subcommands().front() : command;
    auto left = takePlugins(leaf, words);
    if (!left) {
        return refuse(left.error());
    }
    if (name == "call") {
        if (left->empty()) {
            return usage(
                "no tool was named; expected tenon call [PLUGIN.so] TOOL [--field value ...]");
        }
        auto call = request<CallRequest>(words, LogLevel::Warning, io);
        call.tool = left->front();
        call.words.assign(left->begin() + 1, left->end());
        return app::call(call);
    }
    if (name == "list") {
        auto list = request<ListRequest>(words, LogLevel::Warning, io);
        for (const auto &word : *left) {
            if (word == "--json") {
                words.json = true;
            } else if (word == "--sizes") {
                words.sizes = true;
            } else if (list.filter.empty()) {
                list.filter = word;
            } else {
                return usage(concat("the word ", printable(word, 100), " is left over"));
            }
        }
        if (words.json && words.sizes) {
            return usage("--json and --sizes were both given; expected one of them");
        }
        list.form = words.json    ? cli::ListForm::Json
                    : words.sizes ? cli::ListForm::Sizes
                                  : cli::ListForm::Lines;
        return app::list(list);
    }
    if (!left->empty()) {
        return usage(concat("the word ", printable(left->front(), 100),
                            " is left over; options stand before the plugin's path"));
    }
    if (name == "serve") {
        return words.stdio ? serve(request<ServeRequest>(words, LogLevel::Info, io))
                           : usage("nothing to serve on; expected --stdio");
    }
    auto agent = request<AgentRequest>(words, LogLevel::Warning, io);
    agent.format = words.format;
    agent.strictness = words.strict ? schema::Strictness::Strict : schema::Strictness::Loose;
    agent.explain = words.explain;
    return leaf.get_name() == "tools" ? agentTools(agent) : agentExecute(agent);
}

void addAudit(CLI::App &app, Words &words) {
    auto &command = *app.add_subcommand("audit", "Print rows of the audit: [tail] [PATH]");
    command.add_option("--manifest", words.host.manifest,
                       "The audit of this manifest; ./tenon.yaml, or else serve's default one");
    command.add_option("--tool", words.audit.tool, "Only calls of this tool");
    command.add_flag("--failed", words.audit.failedOnly, "Only calls that did not go well");
    command.add_option("--since", words.audit.since, "Only since then: 30m, 2d, or a time");
    command.add_option("--limit", words.audit.limit, "Only the newest so many");
    command.add_flag("--json", words.audit.json, "As JSON, a row a line");
    command.add_flag("--counts", words.audit.counts,
                     "Instead of rows: calls, failures and latencies of each tool");
    command.add_flag("--follow", words.audit.follow, "Go on with the rows that come");
    command.add_option("words", words.auditWords,
                       "tail: only the newest 20; and the path of an audit");
    command.footer("tenon audit [OPTIONS] [tail] [PATH]");
}

int parseAndRun(int argc, char **argv) {
    const auto io = transport::takeStdio(); // before anything else: see stdio.h
    Words words;
    CLI::App app("Serves tools of plugins over MCP, to agents and on the command line.", "tenon");
    app.set_version_flag("--version", TENON_VERSION);
    app.require_subcommand(1);
    auto &serveCommand = *app.add_subcommand("serve", "Serve the tools over MCP");
    serveCommand.add_flag("--stdio", words.stdio, "Over standard input and output");
    addHostOptions(serveCommand, words);
    auto &callCommand =
        *app.add_subcommand("call", "Call one tool: [PLUGIN.so] TOOL [--field value]");
    addHostOptions(callCommand, words);
    auto &listCommand = *app.add_subcommand("list", "List the tools: [PLUGIN.so] [FILTER]");
    listCommand.add_flag("--json", words.json, "As JSON, with schemas");
    listCommand.add_flag("--sizes", words.sizes, "How many bytes each tool takes, largest first");
    addHostOptions(listCommand, words);
    auto &agent = *app.add_subcommand("agent", "Tools for a model's program");
    agent.require_subcommand(1);
    for (const auto &[name, text] :
         {std::pair("tools", "Print the tool definitions"),
          std::pair("execute", "Run the provider's calls from stdin, print its results")}) {
        auto &command = *agent.add_subcommand(name, text);
        command.add_option("--format", words.format,
                           "anthropic, openai, openai-chat, gemini or ai-sdk");
        if (command.get_name() == "tools") {
            command.add_flag("--strict", words.strict,
                             "The provider's strict form for the tools that lose nothing by it");
            command.add_flag("--explain", words.explain,
                             "Print what the definitions leave out, a line each");
        }
        addHostOptions(command, words);
    }
    addAudit(app, words);
    auto &metricsCommand =
        *app.add_subcommand("metrics", "Print the figures of the running serves, for Prometheus");
    metricsCommand.add_option("--pid", words.pid, "Of this process alone")
        ->check(CLI::PositiveNumber);
    serveCommand.footer("tenon serve --stdio [OPTIONS] [PLUGIN.so ...]");
    callCommand.footer("tenon call [OPTIONS] [PLUGIN.so ...] TOOL [--field value ...]\n"
                       "tenon call [OPTIONS] [PLUGIN.so ...] TOOL --help");
    listCommand.footer("tenon list [OPTIONS] [PLUGIN.so ...] [FILTER]");
    if (const auto problem = unknownCommand(app, argc, argv); !problem.empty()) {
        return usage(problem);
    }
    try {
        app.parse(argc, argv);
    } catch (const CLI::ParseError &error) {
        std::ostringstream out, err;
        const int code = app.exit(error, out, err);
        writeAll(STDERR_FILENO, err.str());
        return writeOut(io.out, out.str(), code == 0 ? cli::kExitOk : cli::kExitUsage);
    }
    return run(app, words, io);
}

} // namespace

} // namespace tenon::app

int main(int argc, char **argv) {
    try {
        return tenon::app::parseAndRun(argc, argv);
    } catch (const std::exception &error) { // a bug of ours: say so, and nothing on stdout
        tenon::app::writeAll(STDERR_FILENO, tenon::concat("tenon: internal error: ",
                                                          tenon::printable(error.what()), "\n"));
        return 1;
    }
}
