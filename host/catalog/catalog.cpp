// SPDX-License-Identifier: Apache-2.0
#include "catalog/catalog.h"

#include "json/number.h"
#include "json/writer.h"
#include "support/digest.h"
#include "support/text.h"

#include <algorithm>
#include <array>
#include <unordered_map>

namespace tenon::catalog {

using json::Kind;
using json::Value;

namespace {

constexpr std::uint32_t kDepthMax = 20'000; // of a catalog; its schemas have a limit of their own

constexpr std::size_t kExamplesMax = 32;            // of one tool
constexpr std::uint64_t kExampleStepsMax = 200'000; // of checking one

bool isNameByte(char c) {
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '_' ||
           c == '-' || c == '.';
}

std::string lower(std::string_view text) {
    std::string out(text);
    std::transform(out.begin(), out.end(), out.begin(), [](char c) {
        return c >= 'A' && c <= 'Z' ? static_cast<char>(c + ('a' - 'A')) : c;
    });
    return out;
}

// A schema or object on one line: line breaks are not content, and a stdio message has none.
std::string oneLine(Value value) {
    const auto raw = value.raw();
    return raw.find_first_of("\n\r") == raw.npos ? std::string(raw) : json::compact(value);
}

} // namespace

bool isToolName(std::string_view name) {
    return !name.empty() && name.size() <= 128 && std::all_of(name.begin(), name.end(), isNameByte);
}

bool isPortableName(std::string_view name) {
    return isToolName(name) && name.size() <= 64 && name.find('.') == name.npos &&
           (name[0] < '0' || name[0] > '9') && name[0] != '-';
}

std::string exportedName(std::string_view name) {
    if (isPortableName(name)) {
        return std::string(name);
    }
    std::string out(name.substr(0, 55));
    std::replace(out.begin(), out.end(), '.', '_');
    if (out[0] == '-' || (out[0] >= '0' && out[0] <= '9')) {
        out[0] = '_';
    }
    return concat(out, "_", sha256Hex(name).substr(0, 8));
}

class CatalogReader {
public:
    CatalogReader(Catalog &catalog, const Limits &limits, const schema::Options &arguments)
        : catalog_(catalog), limits_(limits), arguments_(arguments) {}

    std::string read(Value root);

private:
    template <class... Parts> void problem(const Parts &...parts) {
        if (++problems_ <= 50) {
            text_ += concat(text_.empty() ? "" : "\n  ", parts...);
        }
    }
    std::string text(Value from, std::string_view key, std::string_view where, std::size_t most,
                     std::string_view ceiling = "");
    std::string objectOf(Value from, std::string_view key, std::string_view where, Kind kind);
    void noteUnserved(Value root);
    void noteUnknown(Value tool, const std::string &where);
    void tools(Value list);
    void tool(Value value, std::size_t index);
    void schemas(Tool &tool, Value value, const std::string &where);
    void execution(Tool &tool, Value value, const std::string &where);
    void examples(Tool &tool, Value value, const std::string &where);
    void uniqueNames();

    Catalog &catalog_;
    const Limits &limits_;
    schema::Options arguments_;
    std::string text_;
    std::size_t problems_ = 0;
    std::size_t schemaBytes_ = 0;
};

std::string CatalogReader::read(Value root) {
    if (!root.isObject()) {
        return concat("the catalog is ", json::nameOf(root.kind()), "; expected an object");
    }
    catalog_.id_ = text(root, "id", "the catalog", 128);
    catalog_.version_ = text(root, "version", "the catalog", 64);
    catalog_.description_ =
        text(root, "description", "the catalog", limits_.descriptionBytesMax, "descriptionBytes");
    if (catalog_.id_.empty() || !isToolName(catalog_.id_)) {
        problem("\"id\" is \"", printable(catalog_.id_, 100),
                "\"; expected 1 to 128 of A-Z a-z 0-9 _ . -");
    }
    if (catalog_.version_.empty()) {
        problem("\"version\" is missing; expected the plugin's version, such as \"1.0.0\"");
    }
    if (const Value unknown = root["unknownKeys"]; unknown.string() == "refuse") {
        arguments_.unknownKeys = schema::UnknownKeys::Refuse;
    } else if (unknown && unknown.string() != "allow") {
        problem("\"unknownKeys\" is ", printable(unknown.raw(), 60),
                "; expected \"allow\" or \"refuse\"");
    }
    noteUnserved(root);
    tools(root["tools"]);
    uniqueNames();
    if (schemaBytes_ > limits_.schemaBytesMax) {
        problem("the tools' schemas have ", schemaBytes_, " bytes; the limit is ",
                limits_.schemaBytesMax, " (limits.schemaBytes)");
    }
    catalog_.digest_ = sha256Hex(json::canonical(root));
    return problems_ > 50 ? concat(text_, "\n  and ", problems_ - 50, " more") : text_;
}

std::string CatalogReader::text(Value from, std::string_view key, std::string_view where,
                                std::size_t most, std::string_view ceiling) {
    const Value value = from[key];
    if (value && !value.isString()) {
        problem(where, ": \"", key, "\" is ", json::nameOf(value.kind()), "; expected a string");
    }
    if (value.string().size() > most) {
        problem(where, ": \"", key, "\" has ", value.string().size(), " bytes; the limit is ", most,
                ceiling.empty() ? "" : concat(" (limits.", ceiling, ")"));
    }
    return std::string(value.string());
}

std::string CatalogReader::objectOf(Value from, std::string_view key, std::string_view where,
                                    Kind kind) {
    const Value value = from[key];
    if (!value) {
        return "";
    }
    if (value.kind() != kind) {
        problem(where, ": \"", key, "\" is ", json::nameOf(value.kind()), "; expected ",
                json::nameOf(kind));
        return "";
    }
    return oneLine(value);
}

// A member that no host reads is most often misspelled.
void CatalogReader::noteUnknown(Value tool, const std::string &where) {
    static constexpr std::array<std::string_view, 12> kKnown{
        "name",  "title", "description", "inputSchema", "outputSchema", "annotations",
        "icons", "_meta", "execution",   "examples",    "transports",   "taskSupport"};
    for (const auto member : tool.members()) {
        if (std::find(kKnown.begin(), kKnown.end(), member.key) == kKnown.end()) {
            catalog_.notes_.push_back(concat(where, ": the key \"", printable(member.key, 60),
                                             "\" is not known and was ignored; expected ",
                                             listed({kKnown.begin(), kKnown.end()})));
        }
    }
}

void CatalogReader::noteUnserved(Value root) {
    static constexpr std::array<std::string_view, 6> kServed{"id",    "version",     "description",
                                                             "tools", "unknownKeys", "$schema"};
    for (const auto member : root.members()) {
        const bool served = std::find(kServed.begin(), kServed.end(), member.key) != kServed.end();
        if (!served && !(member.value.isArray() && member.value.size() == 0)) {
            catalog_.notes_.push_back(
                concat("\"", printable(member.key, 60), "\" is not served by this host"));
        }
    }
}

void CatalogReader::tools(Value list) {
    if (list && !list.isArray()) {
        problem("\"tools\" is ", json::nameOf(list.kind()), "; expected an array");
    }
    if (list.size() > limits_.toolsMax) {
        problem("there are ", list.size(), " tools; the limit is ", limits_.toolsMax,
                " (limits.tools)");
        return;
    }
    std::size_t index = 0;
    for (const Value value : list.items()) {
        tool(value, index++);
    }
}

void CatalogReader::tool(Value value, std::size_t index) {
    const Value name = value["name"];
    const std::string where = isToolName(name.string()) ? concat("tool \"", name.string(), "\"")
                                                        : concat("tools[", index, "]");
    if (!value.isObject()) {
        problem(where, " is ", json::nameOf(value.kind()), "; expected an object");
        return;
    }
    if (!isToolName(name.string())) {
        problem(where, ": \"name\" is ", name ? printable(name.raw(), 150) : "missing",
                "; expected a string of 1 to 128 of A-Z a-z 0-9 _ . -");
    }
    Tool &tool = catalog_.tools_.emplace_back();
    tool.name = name.string();
    tool.title = text(value, "title", where, limits_.titleBytesMax, "titleBytes");
    tool.description =
        text(value, "description", where, limits_.descriptionBytesMax, "descriptionBytes");
    tool.annotationsJson = objectOf(value, "annotations", where, Kind::Object);
    tool.iconsJson = objectOf(value, "icons", where, Kind::Array);
    if (tool.iconsJson.size() > limits_.iconBytesMax) {
        problem(where, ": \"icons\" has ", tool.iconsJson.size(), " bytes; the limit is ",
                limits_.iconBytesMax, " (limits.iconBytes)");
    }
    tool.metaJson = objectOf(value, "_meta", where, Kind::Object);
    noteUnknown(value, where);
    execution(tool, value, where);
    schemas(tool, value, where);
    examples(tool, value, where);
}

void CatalogReader::schemas(Tool &tool, Value value, const std::string &where) {
    const auto compile = [&](std::string_view key, std::size_t bytes, std::string &text) {
        std::shared_ptr<const schema::Schema> compiled;
        if (bytes > limits_.schemaBytesPerToolMax) {
            problem(where, ": \"", key, "\" has ", bytes, " canonical bytes",
                    key == "inputSchema" ? " with name and description" : "", "; the limit is ",
                    limits_.schemaBytesPerToolMax, " (limits.schemaBytesPerTool)");
            return compiled;
        }
        text = oneLine(value[key]);
        auto options = arguments_;
        if (key != "inputSchema") { // a tool's own answer is taken as it is
            options = {};
            options.unknownKeys = schema::UnknownKeys::Drop;
            options.mend = options.fillDefaults = false;
        }
        if (auto result = schema::Schema::compile(value[key], limits_, options); result) {
            compiled = *result;
            for (const auto &note : compiled->notes()) {
                catalog_.notes_.push_back(concat(where, ": \"", key, "\": ", note));
            }
        } else {
            problem(where, ": \"", key, "\": ", result.error().message);
        }
        return compiled;
    };
    const Value input = value["inputSchema"];
    if (!input.isObject() || input["type"].string() != "object") {
        problem(where, ": \"inputSchema\" is ", input ? printable(input.raw(), 100) : "missing",
                "; expected an object schema: {\"type\":\"object\", ...}");
        return;
    }
    json::Writer measured; // with the keys in canonical order
    measured.object().key("description").string(tool.description);
    measured.key("inputSchema").raw(json::canonical(input)).key("name").string(tool.name);
    tool.schemaBytes = measured.endObject().text().size();
    schemaBytes_ += tool.schemaBytes;
    tool.input = compile("inputSchema", tool.schemaBytes, tool.inputSchemaJson);
    if (const Value output = value["outputSchema"]; output) {
        tool.outputIsObject = output["type"].string() == "object";
        tool.output =
            compile("outputSchema", json::canonical(output).size(), tool.outputSchemaJson);
    }
}

void CatalogReader::execution(Tool &tool, Value value, const std::string &where) {
    const Value hints = value["execution"];
    if (hints && !hints.isObject()) {
        problem(where, ": \"execution\" is ", json::nameOf(hints.kind()), "; expected an object");
        return;
    }
    if (const Value concurrency = hints["concurrency"]; concurrency.string() == "serial") {
        tool.execution.concurrency = Concurrency::Serial;
    } else if (concurrency && concurrency.string() != "parallel") {
        problem(where, ": execution.concurrency is ", printable(concurrency.raw(), 60),
                "; expected \"serial\" or \"parallel\"");
    }
    const auto flag = [&](Value from, std::string_view key, bool fallback) {
        const Value given = from[key];
        if (given && given.kind() != Kind::Boolean) {
            problem(where, ": \"", key, "\" is ", printable(given.raw(), 60),
                    "; expected true or false");
        }
        return given ? given.isTrue() : fallback;
    };
    tool.execution.blocking = flag(hints, "blocking", true);
    const Value annotations = value["annotations"];
    const bool readOnly = flag(annotations, "readOnlyHint", false);
    const bool repeatable = flag(annotations, "idempotentHint", false);
    tool.execution.idempotent = flag(hints, "idempotent", readOnly || repeatable);
    if (const Value timeout = hints["timeoutMs"]; timeout) {
        const auto ms = timeout.isNumber() ? json::toInt64(timeout.raw()) : std::nullopt;
        if (!ms || *ms <= 0 || *ms > 86'400'000) {
            problem(where, ": execution.timeoutMs is ", printable(timeout.raw(), 60),
                    "; expected whole milliseconds from 1 to 86400000 (a day)");
        } else {
            tool.execution.timeoutMs = static_cast<std::uint64_t>(*ms);
        }
    }
}

void CatalogReader::examples(Tool &tool, Value value, const std::string &where) {
    const Value list = value["examples"];
    if (list && !list.isArray()) {
        problem(where, ": \"examples\" is ", json::nameOf(list.kind()), "; expected an array");
    }
    // By the author's own schema: how an operator wants arguments read is not the author's fault.
    Limits limits = limits_;
    limits.validationStepsMax = kExampleStepsMax;
    const auto plain = list.size() > 0 && tool.input
                           ? schema::Schema::compile(value["inputSchema"], limits)
                           : Error{"", ""};
    if (list.size() > kExamplesMax) {
        problem(where, ": \"examples\" has ", list.size(), " items; the limit is ", kExamplesMax);
        return;
    }
    std::size_t index = 0;
    for (const Value example : list.items()) {
        const Value arguments = example["arguments"];
        if (!arguments.isObject()) {
            problem(where, ": examples[", index, "] has no \"arguments\"; expected an object");
        } else if (plain) {
            for (const auto &issue : (*plain)->validate(arguments, 3)) {
                problem(where, ": examples[", index, "]: ", issue.sentence());
            }
        }
        tool.exampleArguments.push_back(oneLine(arguments));
        ++index;
    }
}

void CatalogReader::uniqueNames() {
    std::unordered_map<std::string, std::string_view> seen;
    for (const Tool &tool : catalog_.tools_) {
        const auto [other, fresh] = seen.emplace(lower(tool.name), tool.name);
        if (!fresh && !tool.name.empty()) {
            const bool same = other->second == tool.name;
            problem(same ? "two tools have the name \"" : "the names \"", other->second,
                    same ? "" : concat("\" and \"", tool.name),
                    same ? "\"; expected each name once"
                         : "\" are equal but for letter case; expected names that differ by more");
        }
    }
}

Result<std::shared_ptr<const Catalog>>
Catalog::fromJson(std::string_view text, const Limits &limits, const schema::Options &arguments) {
    if (text.size() > limits.catalogBytesMax) {
        return Error{"catalog.json",
                     concat("the catalog has ", text.size(), " bytes; the limit is ",
                            limits.catalogBytesMax, " (limits.catalogBytes)")};
    }
    json::Document document;
    if (auto read = document.readView(text, {limits.catalogBytesMax, kDepthMax}); !read) {
        return Error{"catalog.json",
                     concat("the catalog is not strict JSON: ", read.error().message)};
    }
    const std::shared_ptr<Catalog> catalog(new Catalog);
    const auto problems = CatalogReader(*catalog, limits, arguments).read(document.root());
    if (!problems.empty()) {
        return Error{"catalog.invalid", concat("the catalog is not valid:\n  ", problems)};
    }
    return std::shared_ptr<const Catalog>(catalog);
}

} // namespace tenon::catalog
