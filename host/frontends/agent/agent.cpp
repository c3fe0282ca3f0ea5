// SPDX-License-Identifier: Apache-2.0
#include "frontends/agent/agent.h"

#include "json/writer.h"
#include "support/digest.h"
#include "support/text.h"

#include <condition_variable>
#include <map>
#include <mutex>
#include <set>

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

// The schema as Anthropic takes it: its root a plain object schema without $schema and without
// alternatives. Their properties all become optional ones of the root, so that nothing which the
// tool takes is refused; what it does not take is still refused when it is called.
std::string projectSchema(const catalog::MountedTool &tool) {
    json::Document document;
    static_cast<void>(document.readView(tool.tool->inputSchemaJson));
    json::Writer out, properties;
    out.object();
    properties.object();
    std::set<std::string_view> named;
    const auto take = [&](json::Value schema) {
        for (const auto &[key, value] : schema["properties"].members()) {
            if (named.insert(key).second) {
                properties.key(key).raw(value.raw());
            }
        }
    };
    take(document.root());
    for (const auto &[key, value] : document.root().members()) {
        if (key == "anyOf" || key == "oneOf" || key == "allOf") {
            for (const auto branch : value.items()) {
                take(branch);
            }
        } else if (key != "$schema" && key != "properties") {
            out.key(key).raw(value.raw());
        }
    }
    return out.key("properties").raw(properties.endObject().text()).endObject().take();
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
    Listener(std::shared_ptr<Step> step, std::size_t place, std::string id, json::Value input)
        : step_(std::move(step)), place_(place), id_(std::move(id)) {
        if (input && !input.isNull()) {
            const json::ReadLimits as{input.raw().size(), UINT32_MAX};
            arguments_ = *json::Document::read(std::string(input.raw()), as);
        }
    }
    json::Value arguments() const { return arguments_.root(); }

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
    json::Document arguments_; // its own: a handler that is given up may read on
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
        out.object().key("name").string(exported);
        out.key("description").string(tool->tool->description);
        out.key("input_schema").raw(projectSchema(*tool)).endObject();
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
        const auto type = block["type"];
        if (!type.isString()) {
            return Error{"agent.calls", concat("the block ", printable(block.raw(), 200),
                                               " has no \"type\"; expected content blocks as the "
                                               "provider sent them")};
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
    const Caller caller{Source::Agent, "", "", "", ""};
    for (std::size_t i = 0; i < uses.size(); ++i) {
        const auto name = uses[i]["name"].string();
        const Name *known = byExported(name);
        ToolCall call;
        call.toolName = known ? std::string_view(known->tool->name) : name;
        call.toolCallId = uses[i]["id"].string();
        const auto listener =
            std::make_shared<Listener>(step, i, std::string(call.toolCallId), uses[i]["input"]);
        call.arguments = listener->arguments();
        call.caller = &caller;
        call.mayRunHere = false; // the calls of a step run beside one another
        runner_.run(call, listener);
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
