// SPDX-License-Identifier: Apache-2.0
#include "frontends/agent/agent.h"

#include "json/writer.h"
#include "support/digest.h"
#include "support/text.h"

#include <condition_variable>

namespace tenon::agent {

namespace {

void writeContent(json::Writer &out, const Output &output) {
    const auto text = [&](std::string_view words) {
        out.object().key("type").string("text").key("text").string(words).endObject();
    };
    if (!output.data.empty()) {
        text(output.data);
    }
    for (const auto &block : output.content) {
        if (block.type == ContentBlock::Type::Text) {
            text(block.text);
        } else if (block.type == ContentBlock::Type::Image) {
            std::string data;
            appendBase64(data, block.data);
            out.object().key("type").string("image").key("source").object();
            out.key("type").string("base64").key("media_type").string(block.mimeType);
            out.key("data").string(data).endObject().endObject();
        } else {
            text(!block.text.empty()
                     ? block.text
                     : concat("(", block.mimeType, " ", block.name, " ", block.uri, ")"));
        }
    }
}

} // namespace

// The calls of one step and their results, each in its place.
class Step {
public:
    explicit Step(std::size_t calls) : results_(calls), left_(calls) {}
    void set(std::size_t place, std::string result) {
        const std::lock_guard lock(mutex_);
        results_[place] = std::move(result);
        if (--left_ == 0) {
            ended_.notify_all();
        }
    }
    std::vector<std::string> wait() {
        std::vector<CallHandle> over; // a call has its listener, which has this: given up here
        std::unique_lock lock(mutex_);
        ended_.wait(lock, [&] { return left_ == 0; });
        over.swap(calls_);
        lock.unlock();
        return std::move(results_);
    }
    void started(CallHandle call) {
        const std::unique_lock lock(mutex_);
        if (cancelled_) {
            call.cancel();
        }
        calls_.push_back(std::move(call));
    }
    void cancel() {
        std::vector<CallHandle> calls;
        {
            const std::lock_guard lock(mutex_);
            cancelled_ = true;
            calls = calls_;
        }
        for (const auto &call : calls) {
            call.cancel();
        }
    }

private:
    std::mutex mutex_;
    std::vector<CallHandle> calls_;
    bool cancelled_ = false;
    std::condition_variable ended_;
    std::vector<std::string> results_;
    std::size_t left_;
};

namespace {

class Listener : public CallListener {
public:
    Listener(std::shared_ptr<Step> step, std::size_t place, std::string id, json::Value input)
        : step_(std::move(step)), place_(place), id_(std::move(id)) {
        if (input && !input.isNull()) {
            const json::ReadLimits as{input.raw().size(), UINT32_MAX};
            arguments_ = *json::Document::read(std::string(input.raw()), as);
        }
    }
    json::Value arguments() const { return arguments_.root(); }

    std::size_t render(const ToolResult &result, const std::string &failureJson) override {
        json::Writer out;
        out.object().key("type").string("tool_result").key("tool_use_id").string(id_);
        out.key("content").array();
        const auto *output = std::get_if<Output>(&result);
        if (output != nullptr) {
            writeContent(out, *output);
        } else {
            out.object().key("type").string("text").key("text").string(failureJson).endObject();
        }
        out.endArray();
        if (output == nullptr) {
            out.key("is_error").boolean(true);
        }
        rendered_ = out.endObject().take();
        return rendered_.size();
    }
    void onDone(ToolResult, std::string) override { step_->set(place_, std::move(rendered_)); }

private:
    std::shared_ptr<Step> step_;
    std::size_t place_;
    std::string id_;
    std::string rendered_;
    json::Document arguments_; // its own: a handler that is given up may read on
};

} // namespace

Agent::Agent(ToolRunner &runner) : runner_(runner) {
    for (const auto &tool : runner.catalog().tools()) {
        tools_.push_back({catalog::exportedName(tool.name), &tool});
    }
    for (const auto &tool : tools_) {
        byExported_.emplace(tool.exported, &tool);
    }
}

const ExportedTool *Agent::byExported(std::string_view exported) const {
    const auto found = byExported_.find(exported);
    return found == byExported_.end() ? nullptr : found->second;
}

const Definitions &Agent::made(Format format, Strictness strictness) const {
    auto &made =
        made_[static_cast<std::size_t>(format) * 2 + (strictness == Strictness::Strict ? 1 : 0)];
    std::call_once(made.once, [&] { made.definitions = define(tools_, format, strictness); });
    return made.definitions;
}

const Result<std::string> &Agent::tools(Format format, Strictness strictness) const {
    return made(format, strictness).json;
}

const std::vector<std::string> &Agent::explain(Format format, Strictness strictness) const {
    return made(format, strictness).notes;
}

Result<std::string> Agent::execute(Format format, json::Value calls) {
    if (format != Format::Anthropic) {
        return Error{"agent.format", concat("calls in the format \"", wordOf(format),
                                            "\" are not run yet; expected \"anthropic\"")};
    }
    if (!calls.isArray()) {
        return Error{"agent.calls",
                     concat("\"calls\" is ", calls ? json::nameOf(calls.kind()) : "missing",
                            "; expected an array of tool_use blocks")};
    }
    std::vector<json::Value> uses;
    for (const auto block : calls.items()) {
        const auto type = block["type"];
        if (!type.isString()) {
            return Error{"agent.calls", concat("the block ", printable(block.raw(), 200),
                                               " has no \"type\"; expected content blocks as the "
                                               "provider sent them")};
        }
        if (type.string() == "function_call" || type.string() == "function") {
            return Error{"agent.calls", concat("the call ", printable(block.raw(), 200),
                                               " is in OpenAI's form; expected tool_use blocks, "
                                               "Anthropic's")};
        }
        if (type.string() != "tool_use") {
            continue; // text, thinking: nothing to run
        }
        if (!block["id"].isString() || !block["name"].isString()) {
            return Error{"agent.calls", concat("the call ", printable(block.raw(), 200),
                                               " has no \"id\" or no \"name\"; expected a tool_use "
                                               "block as the provider sent it")};
        }
        uses.push_back(block);
    }
    const auto step = std::make_shared<Step>(uses.size());
    {
        const std::lock_guard lock(mutex_);
        steps_.insert(step.get());
    }
    Caller caller;
    caller.source = Source::Agent;
    for (std::size_t i = 0; i < uses.size(); ++i) {
        const auto name = uses[i]["name"].string();
        const ExportedTool *known = byExported(name);
        ToolCall call;
        call.toolName = known ? std::string_view(known->tool->name) : name;
        call.toolCallId = uses[i]["id"].string();
        const auto listener =
            std::make_shared<Listener>(step, i, std::string(call.toolCallId), uses[i]["input"]);
        call.arguments = listener->arguments();
        call.caller = &caller;
        call.mayRunHere = false; // the calls of a step run beside one another
        step->started(runner_.run(call, listener));
    }
    json::Writer out;
    out.object().key("role").string("user").key("content").array();
    for (const auto &result : step->wait()) {
        out.raw(result);
    }
    {
        const std::lock_guard lock(mutex_);
        steps_.erase(step.get());
    }
    return out.endArray().endObject().take();
}

void Agent::cancelAll() {
    const std::lock_guard lock(mutex_);
    for (auto *step : steps_) {
        step->cancel();
    }
}

std::unique_ptr<Agent> mountAgent(ToolRunner &runner) {
    return std::make_unique<Agent>(runner);
}

} // namespace tenon::agent
