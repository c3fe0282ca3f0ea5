// SPDX-License-Identifier: Apache-2.0
#include "frontends/agent/agent.h"

#include "json/writer.h"
#include "support/digest.h"
#include "support/text.h"

#include <condition_variable>
#include <map>
#include <mutex>

namespace tenon::agent {

namespace {

// A name that every provider takes: as it is, or with its odd characters replaced and a short hash
// of the whole, so that two names never become one.
std::string exportedName(const std::string &name) {
    if (catalog::isPortableName(name)) {
        return name;
    }
    std::string out = name.substr(0, 55);
    for (char &c : out) {
        c = c == '.' ? '_' : c;
    }
    if (out[0] == '-' || (out[0] >= '0' && out[0] <= '9')) {
        out[0] = '_';
    }
    return concat(out, "_", sha256Hex(name).substr(0, 8));
}

// The schema as Anthropic takes it: its root a plain object schema, without $schema.
Result<std::string> projectSchema(const catalog::MountedTool &tool) {
    json::Document document;
    static_cast<void>(document.readView(tool.tool->inputSchemaJson));
    json::Writer out;
    out.object();
    for (const auto &[key, value] : document.root().members()) {
        if (key == "anyOf" || key == "oneOf" || key == "allOf") {
            return Error{"agent.schema",
                         concat("the input schema of \"", tool.name, "\" has ", key,
                                " at its root, "
                                "which the provider refuses; put it under \"properties\"")};
        }
        if (key != "$schema") {
            out.key(key).raw(value.raw());
        }
    }
    return out.endObject().take();
}

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

// The results of one step, each in its call's place.
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
        std::unique_lock lock(mutex_);
        ended_.wait(lock, [&] { return left_ == 0; });
        return results_;
    }

private:
    std::mutex mutex_;
    std::condition_variable ended_;
    std::vector<std::string> results_;
    std::size_t left_;
};

class Listener : public CallListener {
public:
    Listener(std::shared_ptr<Step> step, std::size_t place, std::string id)
        : step_(std::move(step)), place_(place), id_(std::move(id)) {}
    void onDone(ToolResult result, std::string failureJson) override {
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
        step_->set(place_, out.endObject().take());
    }

private:
    std::shared_ptr<Step> step_;
    std::size_t place_;
    std::string id_;
};

} // namespace

Result<Format> formatOf(std::string_view word) {
    if (word == "anthropic") {
        return Format::Anthropic;
    }
    return Error{"agent.format",
                 concat("the format is \"", printable(word, 60), "\"; expected \"anthropic\"")};
}

Agent::Agent(ToolRunner &runner) : runner_(runner) {
    for (const auto &tool : runner.catalog().tools()) {
        names_.push_back({exportedName(tool.name), &tool});
    }
}

const Agent::Name *Agent::byExported(std::string_view exported) const {
    for (const auto &name : names_) {
        if (name.exported == exported) {
            return &name;
        }
    }
    return nullptr;
}

Result<std::string> Agent::tools(Format format) const {
    static_cast<void>(format);                         // there is one
    std::map<std::string_view, std::string_view> seen; // by exported name
    json::Writer out;
    out.array();
    for (const auto &[exported, tool] : names_) {
        if (const auto [other, fresh] = seen.emplace(exported, tool->name); !fresh) {
            return Error{"agent.name", concat("two tools would both be called \"", exported,
                                              "\" by the provider: \"", other->second, "\" and \"",
                                              tool->name, "\"; set a prefix or deny one")};
        }
        auto schema = projectSchema(*tool);
        if (!schema) {
            return schema.error();
        }
        out.object().key("name").string(exported);
        out.key("description").string(tool->tool->description);
        out.key("input_schema").raw(*schema).endObject();
    }
    return out.endArray().take();
}

Result<std::string> Agent::execute(Format format, json::Value calls) {
    static_cast<void>(format);
    if (!calls.isArray()) {
        return Error{"agent.calls",
                     concat("\"calls\" is ", calls ? json::nameOf(calls.kind()) : "missing",
                            "; expected an array of tool_use blocks")};
    }
    std::vector<json::Value> uses;
    for (const auto block : calls.items()) {
        if (block["type"].string() != "tool_use") {
            continue;
        }
        if (!block["id"].isString() || !block["name"].isString()) {
            return Error{"agent.calls", concat("the call ", printable(block.raw(), 200),
                                               " has no \"id\" or no \"name\"; expected a tool_use "
                                               "block as the provider sent it")};
        }
        uses.push_back(block);
    }
    const auto step = std::make_shared<Step>(uses.size());
    const Caller caller{Source::Agent, "", "", "", ""};
    for (std::size_t i = 0; i < uses.size(); ++i) {
        const auto name = uses[i]["name"].string();
        const auto input = uses[i]["input"];
        const Name *known = byExported(name);
        ToolCall call;
        call.toolName = known ? std::string_view(known->tool->name) : name;
        call.arguments = input.isNull() ? json::Value() : input;
        call.caller = &caller;
        call.toolCallId = uses[i]["id"].string();
        runner_.run(call, std::make_shared<Listener>(step, i, std::string(call.toolCallId)));
    }
    json::Writer out;
    out.object().key("role").string("user").key("content").array();
    for (const auto &result : step->wait()) {
        out.raw(result);
    }
    return out.endArray().endObject().take();
}

std::unique_ptr<Agent> mountAgent(ToolRunner &runner) {
    return std::make_unique<Agent>(runner);
}

} // namespace tenon::agent
