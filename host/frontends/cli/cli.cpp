// SPDX-License-Identifier: Apache-2.0
#include "frontends/cli/cli.h"

#include "frontends/cli/arguments.h"
#include "json/writer.h"
#include "runner/errors.h"
#include "support/digest.h"
#include "support/text.h"

#include <algorithm>

namespace tenon::cli {

namespace {

void writeTool(json::Writer &out, const catalog::MountedTool &mounted, const std::string &plugin) {
    const catalog::Tool &tool = *mounted.tool;
    out.object().key("name").string(mounted.name);
    out.key("description").string(tool.description);
    out.key("plugin").string(plugin).key("inputSchema").raw(tool.inputSchemaJson);
    if (!tool.outputSchemaJson.empty()) {
        out.key("outputSchema").raw(tool.outputSchemaJson);
    }
    if (!tool.annotationsJson.empty()) {
        out.key("annotations").raw(tool.annotationsJson);
    }
    out.endObject();
}

std::string firstLine(std::string_view text) {
    return printable(text.substr(0, text.find('\n')), 100);
}

std::string linesOf(const std::vector<const catalog::MountedTool *> &tools, std::size_t width) {
    std::string out;
    for (const auto *tool : tools) {
        const auto alias = catalog::exportedName(tool->name);
        std::string name = tool->name;
        name.resize(std::max(name.size(), width), ' ');
        out += concat(name, "  ", firstLine(tool->tool->description),
                      alias == tool->name ? "" : concat(" (to models: ", alias, ")"), '\n');
    }
    return out;
}

std::string sizesOf(std::vector<const catalog::MountedTool *> tools) {
    std::stable_sort(tools.begin(), tools.end(), [](const auto *a, const auto *b) {
        return a->tool->schemaBytes > b->tool->schemaBytes;
    });
    std::string out;
    std::size_t sum = 0;
    const auto line = [&](std::size_t bytes, std::string_view name) {
        const std::string number = std::to_string(bytes);
        out += concat(std::string(number.size() < 9 ? 9 - number.size() : 0, ' '), number, "  ",
                      name, '\n');
    };
    for (const auto *tool : tools) {
        line(tool->tool->schemaBytes, tool->name);
        sum += tool->tool->schemaBytes;
    }
    line(sum, concat("bytes in ", tools.size(), tools.size() == 1 ? " tool" : " tools"));
    return out;
}

std::string typeOf(json::Value schema) {
    const auto type = schema["type"];
    if (type.isString()) {
        return std::string(type.string());
    }
    std::string out;
    for (const auto one : type.items()) {
        out += concat(out.empty() ? "" : "|", one.string());
    }
    return out.empty() ? "JSON" : out;
}

std::string shellQuoted(std::string_view word) {
    std::string out = "'";
    for (const char c : word) {
        out += c == '\'' ? std::string_view("'\\''") : std::string_view(&c, 1);
    }
    return out + "'";
}

// One content block as JSON, for results that are more than text.
void writeBlock(json::Writer &out, const ContentBlock &block) {
    using Type = ContentBlock::Type;
    static constexpr std::string_view kNames[] = {"text", "image", "audio", "resource",
                                                  "resource_link"};
    out.object().key("type").string(kNames[static_cast<std::size_t>(block.type)]);
    const auto optional = [&](std::string_view key, const std::string &value) {
        if (!value.empty()) {
            out.key(key).string(value);
        }
    };
    optional("uri", block.uri);
    optional("name", block.name);
    optional("mimeType", block.mimeType);
    if (block.type == Type::Image || block.type == Type::Audio || block.binary) {
        std::string data;
        appendBase64(data, block.data);
        out.key("data").string(data);
    } else if (block.type != Type::Link) {
        out.key("text").string(block.text);
    }
    out.endObject();
}

std::string textOf(const Output &output, Layout layout) {
    if (!output.data.empty()) {
        json::Document document;
        if (!document.readView(output.data, {output.data.size(), UINT32_MAX})) {
            return output.data;
        }
        return layout == Layout::Pretty ? json::pretty(document.root())
                                        : json::compact(document.root());
    }
    const bool onlyText =
        std::all_of(output.content.begin(), output.content.end(), [](const ContentBlock &block) {
            return block.type == ContentBlock::Type::Text;
        });
    if (onlyText) {
        std::string out;
        for (const auto &block : output.content) {
            out += concat(out.empty() ? "" : "\n", block.text);
        }
        return out;
    }
    json::Writer out;
    out.array();
    for (const auto &block : output.content) {
        writeBlock(out, block);
    }
    return out.endArray().take();
}

} // namespace

Printed listTools(const catalog::MountedCatalog &catalog, std::string_view filter, ListForm form) {
    std::vector<const catalog::MountedTool *> found;
    std::size_t width = 0;
    for (const auto &tool : catalog.tools()) {
        if (tool.name.find(filter) != std::string::npos ||
            tool.tool->description.find(filter) != std::string::npos) {
            found.push_back(&tool);
        }
        width = std::max(width, std::min<std::size_t>(tool.name.size(), 40));
    }
    switch (form) {
    case ListForm::Lines: return {linesOf(found, width), ""};
    case ListForm::Sizes: return {sizesOf(found), ""};
    case ListForm::Json: break;
    }
    json::Writer list;
    list.array();
    for (const auto *tool : found) {
        writeTool(list, *tool, catalog.mounts()[tool->mount].catalog->id());
    }
    return {concat(list.endArray().text(), '\n'), ""};
}

PreparedCall
prepareCall(const catalog::MountedCatalog &catalog, const std::string &toolName,
            const std::vector<std::string> &words,
            const std::function<Result<std::string>(std::string_view path)> &readText) {
    PreparedCall call;
    const auto *tool = catalog.find(toolName);
    if (tool == nullptr) {
        return call; // the runner says NOT_FOUND, with the nearest name
    }
    const auto options = std::find(words.begin(), words.end(), "--"); // values alone behind it
    if (std::find(words.begin(), options, "--help") != options) {
        call.instead = Printed{helpOf(*tool), "", kExitOk};
        return call;
    }
    auto text = readArguments(*tool->tool, words, readText);
    if (!text) {
        call.instead = Printed{"", concat("tenon: ", text.error().message, '\n'), kExitUsage};
        return call;
    }
    auto read = json::Document::read(std::move(*text));
    if (read) {
        call.arguments = std::move(*read);
    } else {
        call.instead = Printed{"",
                               concat("tenon: the arguments are not text that JSON can carry: ",
                                      read.error().message, '\n'),
                               kExitUsage};
    }
    return call;
}

Printed printResult(const ToolResult &result, const std::string &failureJson, Layout layout) {
    if (const auto *output = std::get_if<Output>(&result)) {
        return {concat(textOf(*output, layout), '\n'), "", kExitOk};
    }
    const auto *error = std::get_if<AppError>(&result);
    return {"", concat(failureJson, '\n'),
            meaningOf(error ? error->code : "INPUT_REQUIRED").exitCode};
}

std::string helpOf(const catalog::MountedTool &mounted) {
    const catalog::Tool &tool = *mounted.tool;
    std::string out = concat(mounted.name, ": ", printable(tool.description), "\n\n");
    json::Document schema;
    if (!schema.readView(tool.inputSchemaJson)) {
        return out;
    }
    const auto required = schema.root()["required"];
    for (const auto member : schema.root()["properties"].members()) {
        bool needed = false;
        for (const auto key : required.items()) {
            needed = needed || key.string() == member.key;
        }
        out += concat("  --", printable(member.key, 100), " ", typeOf(member.value),
                      needed ? " (required)" : "");
        for (const std::string_view note : {"default", "enum"}) {
            if (const auto value = member.value[note]; value) {
                out += concat(" ", note, " ", printable(value.raw(), 200));
            }
        }
        const auto description = member.value["description"].string();
        out += concat(description.empty() ? "" : "\n      ", printable(description, 500), "\n");
    }
    if (!tool.exampleArguments.empty()) {
        out += concat("\nExample: --args ", shellQuoted(printable(tool.exampleArguments[0])), "\n");
    }
    return out;
}

} // namespace tenon::cli
