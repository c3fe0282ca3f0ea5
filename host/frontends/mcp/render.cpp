// SPDX-License-Identifier: Apache-2.0
#include "frontends/mcp/render.h"

#include "json/writer.h"
#include "support/digest.h"
#include "support/text.h"

namespace tenon::mcp {

namespace {

using json::Writer;

// Legacy revisions know structured content, and so output schemas, for objects only.
bool hasOutputSchema(const catalog::Tool &tool, Revision revision) {
    return tool.output && revision >= Revision::R2025_06_18 &&
           (tool.outputIsObject || isModern(revision));
}

std::string toolJson(const catalog::MountedTool &mounted, Revision revision) {
    const catalog::Tool &tool = *mounted.tool;
    Writer out;
    out.object().key("name").string(mounted.name);
    if (!tool.title.empty() && revision >= Revision::R2025_06_18) {
        out.key("title").string(tool.title);
    }
    out.key("description").string(tool.description);
    out.key("inputSchema").raw(tool.inputSchemaJson);
    if (hasOutputSchema(tool, revision)) {
        out.key("outputSchema").raw(tool.outputSchemaJson);
    }
    const auto optional = [&](std::string_view key, const std::string &json, Revision since) {
        if (!json.empty() && revision >= since) {
            out.key(key).raw(json);
        }
    };
    optional("annotations", tool.annotationsJson, Revision::R2025_03_26);
    optional("icons", tool.iconsJson, Revision::R2025_11_25);
    optional("_meta", tool.metaJson, Revision::R2025_06_18);
    return out.endObject().take();
}

std::string base64(std::string_view bytes) {
    std::string out;
    appendBase64(out, bytes);
    return out;
}

void optionalString(Writer &out, std::string_view key, const std::string &value) {
    if (!value.empty()) {
        out.key(key).string(value);
    }
}

void writeBlock(Writer &out, const ContentBlock &block, Revision revision) {
    using Type = ContentBlock::Type;
    out.object();
    const bool newerLink = block.type == Type::Link && revision < Revision::R2025_06_18;
    const bool newerAudio = block.type == Type::Audio && revision < Revision::R2025_03_26;
    if (newerLink || newerAudio) { // the revision has no such block: say what it was
        out.key("type").string("text").key("text");
        out.string(newerLink
                       ? concat(block.name, ": ", block.uri)
                       : concat("(audio, ", block.mimeType, ", ", block.data.size(), " bytes)"));
        out.endObject();
        return;
    }
    switch (block.type) {
    case Type::Text: out.key("type").string("text").key("text").string(block.text); break;
    case Type::Image:
    case Type::Audio:
        out.key("type").string(block.type == Type::Image ? "image" : "audio");
        out.key("data").string(base64(block.data)).key("mimeType").string(block.mimeType);
        break;
    case Type::Resource:
        out.key("type").string("resource").key("resource").object();
        out.key("uri").string(block.uri);
        optionalString(out, "mimeType", block.mimeType);
        out.key(block.binary ? "blob" : "text")
            .string(block.binary ? base64(block.data) : block.text);
        out.endObject();
        break;
    case Type::Link:
        out.key("type").string("resource_link").key("uri").string(block.uri);
        out.key("name").string(block.name.empty() ? block.uri : block.name);
        optionalString(out, "title", block.title);
        optionalString(out, "description", block.description);
        optionalString(out, "mimeType", block.mimeType);
        break;
    }
    if (!block.annotations.empty()) {
        out.key("annotations").raw(block.annotations);
    }
    if (!block.meta.empty() && revision >= Revision::R2025_06_18) {
        out.key("_meta").raw(block.meta);
    }
    out.endObject();
}

// On one line: a stdio message has no line feed in it.
std::string oneLine(std::string_view json) {
    json::Document document;
    return document.readView(json, {json.size(), UINT32_MAX}) ? json::compact(document.root())
                                                              : "null";
}

} // namespace

Rendered::Rendered(const catalog::MountedCatalog &catalog, const ServerInfo &info)
    : instructions_(info.instructions) {
    serverInfo_ = Writer()
                      .object()
                      .key("name")
                      .string(info.name)
                      .key("version")
                      .string(info.version)
                      .endObject()
                      .take();
    const std::string stamp = Writer()
                                  .object()
                                  .key("digest")
                                  .string(catalog.digest().substr(0, 16))
                                  .key("tools")
                                  .number(catalog.tools().size())
                                  .endObject()
                                  .take();
    legacyTail_ = concat(R"("_meta":{"tenon/catalog":)", stamp, "}}");
    modernTail_ = concat(R"("_meta":{"io.modelcontextprotocol/serverInfo":)", serverInfo_,
                         R"(,"tenon/catalog":)", stamp, "}}");
    for (std::size_t i = 0; i < kRevisionNames.size(); ++i) {
        const auto revision = static_cast<Revision>(i);
        Writer tools;
        tools.array();
        for (const auto &tool : catalog.tools()) {
            tools.raw(toolJson(tool, revision));
        }
        toolsLists_[i] = concat(isModern(revision) ? R"({"resultType":"complete",)" : "{",
                                R"("tools":)", tools.endArray().text(), ',',
                                isModern(revision) ? R"("ttlMs":60000,"cacheScope":"public",)" : "",
                                tail(revision));
    }
    Writer discover;
    discover.object().key("resultType").string("complete");
    discover.key("supportedVersions").array().string(mcp::nameOf(kModern)).endArray();
    discover.key("capabilities").raw(R"({"tools":{}})");
    if (!instructions_.empty()) {
        discover.key("instructions").string(instructions_);
    }
    discover.key("ttlMs").number(60'000).key("cacheScope").string("public");
    discover_ = concat(discover.text(), ',', modernTail_);
}

std::string Rendered::initialize(Revision revision) const {
    Writer out;
    out.object().key("protocolVersion").string(mcp::nameOf(revision));
    out.key("capabilities").raw(R"({"tools":{}})").key("serverInfo").raw(serverInfo_);
    if (!instructions_.empty()) {
        out.key("instructions").string(instructions_);
    }
    return out.endObject().take();
}

std::string Rendered::empty(Revision revision) const {
    return isModern(revision) ? concat(R"({"resultType":"complete",)", modernTail_) : "{}";
}

std::string Rendered::callOutput(const Output &output, const catalog::Tool &tool,
                                 Revision revision) const {
    const bool modern = isModern(revision);
    const bool multiline = output.data.find_first_of("\n\r") != std::string::npos;
    const std::string joined = multiline ? oneLine(output.data) : "";
    const std::string_view data = multiline ? joined : output.data;
    std::string start;
    start.reserve(2 * data.size() + output.bytes() + tail(revision).size() + 128);
    start += modern ? R"({"resultType":"complete","content":)" : R"({"content":)";
    Writer content(std::move(start));
    content.array();
    if (!data.empty()) { // the same in words, for clients that know no structured content
        content.object().key("type").string("text").key("text").string(data).endObject();
    }
    for (const auto &block : output.content) {
        writeBlock(content, block, revision);
    }
    std::string out = content.endArray().take();
    if (!data.empty() && hasOutputSchema(tool, revision)) {
        out += R"(,"structuredContent":)";
        out += data;
    }
    out += ',';
    out += tail(revision);
    return out;
}

std::string Rendered::callFailure(std::string_view failureJson, Revision revision) const {
    Writer out;
    out.object();
    if (isModern(revision)) {
        out.key("resultType").string("complete");
    }
    out.key("content").array().object().key("type").string("text").key("text").string(failureJson);
    out.endObject().endArray().key("isError").boolean(true);
    return concat(out.text(), ',', tail(revision));
}

} // namespace tenon::mcp
