// SPDX-License-Identifier: Apache-2.0
// The C++20 layer over abi.h: a plugin in ten lines.
//
//     #include <tenon/plugin.hpp>
//
//     struct Greet { std::string name; };
//     TENON_FIELDS(Greet, name)
//
//     TENON_PLUGIN(plugin, "greet", "1.0.0") {
//         plugin.tool<Greet>("greet", "Greets somebody by name.",
//                            [](const Greet &in, tenon::Context &) { return "Hello, " + in.name;
//                            });
//     }
//
// The body runs once per instance. What a handler may return: a described struct (a JSON result,
// its output schema derived), a std::string (a text block), tenon::Json (a JSON result), or void.
// What it may throw: tenon::ToolError, a refusal that the caller reads; anything else is a fault:
// the caller learns nothing of it, the operator's log and hooks do. Handlers run on several
// threads at once unless the tool is serial().
#pragma once

#include <tenon/context.hpp>
#include <tenon/fields.hpp>

#include <memory>
#include <string>
#include <vector>

namespace tenon {

// Hints and limits of one tool; each function returns the tool, so that they chain.
class Tool {
public:
    Tool &title(std::string_view text) { return set(title_, text); }
    Tool &outputSchema(std::string_view json) { return set(outputSchema_, json); }
    // A declared example: the arguments as JSON. A host refuses one that the schema does not take.
    Tool &example(std::string_view arguments) {
        examples_.emplace_back(arguments);
        return *this;
    }
    Tool &readOnly() { return annotate("readOnlyHint", true).annotate("destructiveHint", false); }
    Tool &destructive(bool value) { return annotate("destructiveHint", value); }
    Tool &openWorld(bool value) { return annotate("openWorldHint", value); }
    Tool &idempotent() {
        idempotent_ = true;
        return annotate("idempotentHint", true);
    }
    // Calls of this tool come one at a time.
    Tool &serial() {
        serial_ = true;
        return *this;
    }
    // It answers within a fraction of a millisecond and never waits: it may run on the thread that
    // read the request. A tool found to take longer is moved off that thread.
    Tool &nonBlocking() {
        blocking_ = false;
        return *this;
    }
    Tool &timeoutMs(std::uint64_t limit) {
        timeoutMs_ = limit;
        return *this;
    }

    const std::string &name() const { return name_; }
    void writeTo(JsonWriter &out) const;

private:
    friend class Plugin;
    using Run = std::function<std::uint32_t(Context &, std::string_view)>;

    Tool &set(std::string &field, std::string_view value) {
        field = value;
        return *this;
    }
    Tool &annotate(std::string_view key, bool value) {
        for (auto &[known, old] : annotations_) {
            if (known == key) {
                old = value;
                return *this;
            }
        }
        annotations_.emplace_back(key, value);
        return *this;
    }

    std::string name_, title_, description_, inputSchema_, outputSchema_;
    std::vector<std::string> examples_;
    std::vector<std::pair<std::string, bool>> annotations_;
    bool idempotent_ = false, serial_ = false, blocking_ = true;
    std::uint64_t timeoutMs_ = 0; // 0: the host's default
    Run run_;
};

// No arguments, or no config.
struct None {};
inline void describe(Fields<None> &) {}

// One instance of a plugin: what its body is given to fill.
class Plugin {
public:
    Plugin(const tenon_host *host, std::string_view id, std::string_view version,
           std::string_view config)
        : host_(host), id_(id), version_(version), config_(config) {}
    Plugin(const Plugin &) = delete;
    Plugin &operator=(const Plugin &) = delete;

    // A tool whose handler answers before it returns: handler(const In &, Context &) -> Out.
    template <Described In, class Handler>
    Tool &tool(std::string_view name, std::string_view description, Handler handler) {
        static_assert(std::is_invocable_v<Handler &, const In &, Context &>,
                      "the handler of a tool takes (const In &, tenon::Context &)");
        using Out = std::invoke_result_t<Handler &, const In &, Context &>;
        Tool &tool = add(name, description, Codec<In>::schema());
        if constexpr (Described<Out>) {
            tool.outputSchema_ = Codec<Out>::schema();
        }
        tool.run_ = [handler = std::move(handler)](Context &context, std::string_view arguments) {
            const In in = readArguments<In>(arguments);
            if constexpr (std::is_void_v<Out>) {
                handler(in, context);
            } else {
                context.give(handler(in, context));
            }
            return TENON_DONE;
        };
        return tool;
    }

    // A tool whose handler takes the call away: handler(In, Reply) returns at once, and the Reply,
    // handed to wherever the work is done, answers later from any thread.
    template <Described In, class Handler>
    Tool &asyncTool(std::string_view name, std::string_view description, Handler handler) {
        static_assert(std::is_invocable_v<Handler &, In, Reply>,
                      "the handler of an asyncTool takes (In, tenon::Reply)");
        Tool &tool = add(name, description, Codec<In>::schema());
        tool.run_ = [handler = std::move(handler)](Context &context, std::string_view arguments) {
            In in = readArguments<In>(arguments);
            const Reply reply(context);
            try {
                handler(std::move(in), reply);
            } catch (...) { // the first answer counts: one that was given already stands
                reply.run([error = std::current_exception()] { std::rethrow_exception(error); });
            }
            return TENON_PENDING;
        };
        return tool;
    }

    void description(std::string_view text) { description_ = text; }
    // The plugin's config; pair it with TENON_CONFIG(Config), which lets the host check it first.
    template <Described Config> Config config() const { return readArguments<Config>(config_); }
    // Runs when the host stops the instance: join every thread that was started here.
    void onStop(std::function<void()> stop) { stop_ = std::move(stop); }
    void log(Level level, std::string_view message) const { contextOf(0).log(level, message); }

    Context contextOf(tenon_call call) const { return {host_, call}; }

    // The doors of the C table (entry.hpp).
    std::string catalog() const;
    std::uint32_t invoke(const tenon_invocation &invocation) const;
    void stop() {
        if (stop_) {
            stop_();
        }
    }

private:
    template <class In> static In readArguments(std::string_view json) {
        In in{};
        try {
            JsonReader reader(json);
            Codec<In>::read(reader, in);
        } catch (const JsonError &error) {
            throw ToolError("VALIDATION_ERROR", error.what());
        }
        return in;
    }
    Tool &add(std::string_view name, std::string_view description, std::string schema) {
        Tool &tool = *tools_.emplace_back(std::make_unique<Tool>());
        tool.name_ = name;
        tool.description_ = description;
        tool.inputSchema_ = std::move(schema);
        return tool;
    }

    const tenon_host *host_;
    std::string id_, version_, config_, description_;
    std::vector<std::unique_ptr<Tool>> tools_; // addresses stay: tool() hands out references
    std::function<void()> stop_;
};

inline void Tool::writeTo(JsonWriter &out) const {
    out.beginObject().key("name").string(name_);
    if (!title_.empty()) {
        out.key("title").string(title_);
    }
    out.key("description").string(description_).key("inputSchema").raw(inputSchema_);
    if (!outputSchema_.empty()) {
        out.key("outputSchema").raw(outputSchema_);
    }
    if (!annotations_.empty()) {
        out.key("annotations").beginObject();
        for (const auto &[key, value] : annotations_) {
            out.key(key).boolean(value);
        }
        out.endObject();
    }
    out.key("execution").beginObject();
    out.key("concurrency").string(serial_ ? "serial" : "parallel");
    out.key("blocking").boolean(blocking_);
    if (idempotent_) {
        out.key("idempotent").boolean(true);
    }
    if (timeoutMs_ != 0) {
        out.key("timeoutMs").unsignedInteger(timeoutMs_);
    }
    out.endObject();
    if (!examples_.empty()) {
        out.key("examples").beginArray();
        for (const auto &arguments : examples_) {
            out.beginObject().key("arguments").raw(arguments).endObject();
        }
        out.endArray();
    }
    out.endObject();
}

inline std::string Plugin::catalog() const {
    JsonWriter out;
    out.beginObject().key("id").string(id_).key("version").string(version_);
    if (!description_.empty()) {
        out.key("description").string(description_);
    }
    out.key("tools").beginArray();
    for (const auto &tool : tools_) {
        tool->writeTo(out);
    }
    return out.endArray().endObject().take();
}

inline std::uint32_t Plugin::invoke(const tenon_invocation &invocation) const {
    Context context = contextOf(invocation.call);
    const auto name = view(invocation.name);
    for (const auto &tool : tools_) {
        if (invocation.kind == TENON_KIND_TOOL && tool->name_ == name) {
            return tool->run_(context, view(invocation.input));
        }
    }
    throw ToolError("NOT_FOUND", "This plugin has no tool named " + std::string(name) + ".");
}

} // namespace tenon

#include <tenon/entry.hpp>
