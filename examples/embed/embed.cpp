// SPDX-License-Identifier: Apache-2.0
// A program with tools of its own beside those of a plugin: one catalog, one runner, one audit.
//
//   embed PLUGIN.so AUDIT.jsonl
//
// calls one tool of each, and then as somebody who may not.
#include "tenon.h"

#include <iostream>
#include <map>

using namespace tenon;

namespace {

// What this program has and no plugin does: its own state.
const std::map<std::string, int, std::less<>> kStock{{"bolts", 120}, {"nuts", 0}};

// A tool is a catalog entry and a function. What it throws as an AppError is for the caller;
// anything else is for the log and the audit, and the caller reads "Internal server error".
HandlerOutcome stock(CallContext &, json::Value arguments) {
    const auto found = kStock.find(arguments["part"].string());
    if (found == kStock.end()) {
        AppError error{"NOT_FOUND", "There is no such part."};
        error.hint = "Parts: bolts, nuts.";
        throw error;
    }
    return Output{"{\"count\":" + std::to_string(found->second) + "}", {}};
}

constexpr auto kStockTool = R"({
    "name": "stock", "description": "How many of a part are in stock.",
    "inputSchema": {"type": "object", "properties": {"part": {"type": "string"}},
                    "required": ["part"]},
    "outputSchema": {"type": "object", "properties": {"count": {"type": "integer"}},
                     "required": ["count"]}})";

// The one line that keeps an audit, and what it needs.
ToolHooks auditTo(const std::string &path, Log &log) {
    auto sink = audit::JsonlSink::open(path, audit::Rotation());
    const auto delivery = std::make_shared<audit::Delivery>(
        std::move(*sink), audit::DeliveryOptions(), path, log); // *sink throws what is wrong
    return audit::createAuditHook(delivery);
}

void call(ToolRunner &runner, const Caller &caller, std::string_view tool, std::string_view text) {
    json::Document arguments;
    if (const auto read = arguments.readView(text); !read) {
        std::cout << read.error().message << '\n';
        return;
    }
    ToolCall asked;
    asked.toolName = tool;
    asked.arguments = arguments.root();
    asked.caller = &caller;
    const auto finished = runner.runBlocking(asked); // run() is the same without waiting
    const auto *output = std::get_if<Output>(&finished.result);
    std::cout << tool << ": " << (output ? output->data : finished.failureJson) << '\n';
}

int run(const std::string &pluginPath, const std::string &auditPath) {
    Log log(LogLevel::Warning); // to stderr
    const auto plugin = *plugin::loadFile(pluginPath, {}, log);
    catalog::Mount strangers;
    strangers.catalog = plugin.catalog;
    strangers.handler = plugin.instance;
    strangers.origin = pluginPath;

    ToolRunnerOptions options;
    options.catalog = *catalog::MountedCatalog::make(
        {*mountOwnTools("warehouse", "1.0.0", {{kStockTool, stock}}), strangers});
    options.log = &log;
    options.hooks.push_back(auditTo(auditPath, log));
    options.lifecycle.requiredScopes = [](const BeforeToolCall &event) {
        return event.toolName == "stock" ? std::vector<std::string>{"warehouse"}
                                         : std::vector<std::string>();
    };
    const auto runner = *createToolRunner(std::move(options));

    Caller ada;
    ada.userId = "ada";
    ada.scopes = {"warehouse"};
    call(*runner, ada, "stock", R"({"part":"bolts"})");
    call(*runner, ada, "stock", R"({"part":"gears"})");
    call(*runner, ada, "unit_convert", R"({"value":5,"from":"km","to":"mi"})");
    Caller bob;
    bob.userId = "bob";
    call(*runner, bob, "stock", R"({"part":"bolts"})");
    if (!runner->shutdown(std::chrono::seconds(5))) {
        std::_Exit(1); // a plugin's thread is stuck in a call: nothing of it is touched again
    }
    return 0; // the audit is flushed as it goes
}

} // namespace

int main(int argc, char **argv) {
    if (argc != 3) {
        std::cerr << "usage: embed PLUGIN.so AUDIT.jsonl\n";
        return 2;
    }
    try {
        return run(argv[1], argv[2]);
    } catch (const std::exception &error) { // `*` of a failed Result throws what its error says
        std::cerr << "embed: " << error.what() << '\n';
        return 1;
    }
}
