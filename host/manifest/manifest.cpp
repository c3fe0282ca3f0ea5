// SPDX-License-Identifier: Apache-2.0
#include "manifest/manifest.h"

#include "manifest/reader.h"

#include <algorithm>
#include <array>
#include <cerrno>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <utility>

namespace tenon::manifest {

namespace {

// Keys that the guide has and this version does not serve yet: a clear refusal, never silence.
constexpr std::array<std::string_view, 9> kLater{"frontends", "policy",           "surfaces",
                                                 "log",       "requestStateKeys", "artifacts",
                                                 "metrics",   "integers",         "cancelGrace"};
constexpr std::array<std::string_view, 3> kLaterOfPlugin{"grants", "secrets", "sha256"};
constexpr std::array<std::string_view, 1> kLaterOfTools{"rename"};

} // namespace

void ManifestReader::server(const YamlNode &node) {
    if (!isMap(node, "server")) {
        return;
    }
    checkKeys(node, {"name", "version", "instructions"});
    if (const auto *name = node.find("name")) {
        manifest_.serverName = text(*name);
    }
    if (const auto *version = node.find("version")) {
        manifest_.serverVersion = text(*version);
    }
    if (const auto *instructions = node.find("instructions")) {
        manifest_.instructions = text(*instructions);
    }
}

void ManifestReader::limits(const YamlNode &node) {
    if (!isMap(node, "limits")) {
        return;
    }
    std::vector<std::string_view> names;
    for (const auto &entry : limitEntries()) {
        names.push_back(entry.name);
        if (const auto *given = node.find(entry.name)) {
            const auto value = entry.unit == LimitEntry::Unit::Bytes ? size(*given) : count(*given);
            if (value > entry.most) {
                problem(*given, concat(value, " stands here; expected at most ", entry.most));
            } else {
                entry.set(manifest_.limits, value);
            }
        }
    }
    checkKeys(node, names);
}

void ManifestReader::arguments(const YamlNode &node, schema::Options &options) {
    if (!isMap(node, "arguments")) {
        return;
    }
    checkKeys(node, {"coerce", "defaults", "formats", "unknownKeys"});
    if (const auto *coerce = node.find("coerce")) {
        options.coerce = boolean(*coerce);
    }
    if (const auto *defaults = node.find("defaults")) {
        options.fillDefaults = boolean(*defaults);
    }
    if (const auto *formats = node.find("formats")) {
        options.formats = choice(*formats, {"annotate", "assert"}) == 1 ? schema::Formats::Assert
                                                                        : schema::Formats::Annotate;
    }
    if (const auto *unknown = node.find("unknownKeys")) {
        options.unknownKeys = choice(*unknown, {"allow", "refuse"}) == 1
                                  ? schema::UnknownKeys::Refuse
                                  : schema::UnknownKeys::Allow;
    }
}

void ManifestReader::plugin(const YamlNode &node) {
    if (!isMap(node, "a plugin")) {
        return;
    }
    checkKeys(node,
              {"path", "isolation", "config", "tools", "prefix", "timeout", "concurrency",
               "required", "arguments"},
              kLaterOfPlugin);
    PluginEntry &entry = manifest_.plugins.emplace_back();
    entry.arguments = arguments_;
    if (const auto *own = node.find("arguments")) {
        arguments(*own, entry.arguments);
    }
    entry.where = concat(name_, ":", node.line, ":", node.column);
    const auto *path = node.find("path");
    if (path == nullptr || (path->kind == Kind::Scalar && path->text.empty())) {
        problem(node, "the plugin has no path; expected \"path: ./plugins/name.so\"");
    } else if (path->text.starts_with('~')) {
        problem(*path, "~ is not expanded; write the whole path, or one relative to this file");
    } else {
        text(*path);
        entry.path = fromFolder(path->text);
    }
    if (const auto *isolation = node.find("isolation")) {
        entry.trusted = text(*isolation) == "none";
        if (isolation->text == "process") {
            problem(*isolation,
                    "isolation: process is not served by this version of Tenon; expected "
                    "none, for a plugin that is trusted");
        } else if (!entry.trusted) {
            problem(*isolation,
                    concat(printable(isolation->text, 60), " stands here; expected none"));
        }
    }
    if (const auto *config = node.find("config"); config && isMap(*config, "config")) {
        auto json = toJson(*config, name_);
        if (json) {
            entry.config = std::move(*json);
        } else {
            problems_ += concat(problems_.empty() ? "" : "\n", json.error().message);
        }
    }
    if (const auto *tools = node.find("tools"); tools && isMap(*tools, "tools")) {
        checkKeys(*tools, {"allow", "deny"}, kLaterOfTools);
        if (const auto *allow = tools->find("allow")) {
            entry.allow = words(*allow);
            if (allow->kind == Kind::Sequence && allow->items.empty()) {
                problem(*allow, "the list allows no tool; name some, or leave the plugin out");
            }
        }
        if (const auto *deny = tools->find("deny")) {
            entry.deny = words(*deny);
        }
    }
    if (const auto *prefix = node.find("prefix")) {
        entry.prefix = text(*prefix);
    }
    if (const auto *timeout = node.find("timeout")) {
        entry.timeoutMs = duration(*timeout);
    }
    if (const auto *concurrency = node.find("concurrency")) {
        entry.concurrency = count(*concurrency);
    }
    if (const auto *required = node.find("required")) {
        entry.required = boolean(*required);
    }
}

void ManifestReader::audit(const YamlNode &node) {
    AuditEntry &entry = manifest_.audit;
    entry.given = true;
    if (node.kind == Kind::Scalar && (node.text == "off" || node.text == "false")) {
        entry.store = AuditEntry::Store::Off;
        return;
    }
    if (node.kind != Kind::Map) {
        problem(node, concat(seen(node), " stands here; expected off, or a map such as "
                                         "{sqlite: ./audit.db} or {jsonl: ./audit.jsonl}"));
        return;
    }
    checkKeys(node, {"sqlite", "jsonl", "delivery", "rotate", "retention", "mask"});
    for (const auto &[key, store] : {std::pair("sqlite", AuditEntry::Store::Sqlite),
                                     std::pair("jsonl", AuditEntry::Store::JsonLines)}) {
        const auto *path = node.find(key);
        if (path == nullptr) {
            continue;
        }
        if (!entry.path.empty()) {
            problem(*path, "sqlite and jsonl are both given; expected one of them");
        }
        entry.store = store;
        entry.path = fromFolder(text(*path));
    }
    if (const auto *delivery = node.find("delivery")) {
        entry.sync = choice(*delivery, {"async", "sync"}) == 1;
    }
    if (const auto *rotate = node.find("rotate"); rotate && isMap(*rotate, "rotate")) {
        checkKeys(*rotate, {"size", "age"});
        if (const auto *bytes = rotate->find("size")) {
            entry.rotateBytes = size(*bytes);
        }
        if (const auto *age = rotate->find("age")) {
            entry.rotateSeconds = std::max(duration(*age, kAgesMsMax) / 1'000, std::uint64_t{1});
        }
    }
    if (const auto *retention = node.find("retention")) {
        entry.retentionSeconds =
            retention->text == "forever"
                ? 0
                : std::max(duration(*retention, kAgesMsMax) / 1'000, std::uint64_t{1});
    }
    if (const auto *mask = node.find("mask")) {
        entry.mask = words(*mask);
    }
}

Result<Manifest> ManifestReader::run(const YamlNode &root) {
    if (!isMap(root, "the manifest")) {
        return Error{"manifest.invalid", problems_};
    }
    checkKeys(root, {"tenon", "server", "plugins", "arguments", "limits", "audit"}, kLater);
    const auto *version = root.find("tenon");
    if (version == nullptr || version->text != "1") {
        problem(version ? *version : root,
                concat("\"tenon\" is ", version ? printable(version->text, 60) : "missing",
                       "; expected \"tenon: 1\", the manifest's version"));
    }
    if (const auto *node = root.find("server")) {
        server(*node);
    }
    if (const auto *node = root.find("limits")) {
        limits(*node);
    }
    if (const auto *node = root.find("arguments")) {
        arguments(*node, arguments_);
    }
    if (const auto *node = root.find("audit")) {
        audit(*node);
    }
    const auto *plugins = root.find("plugins");
    if (plugins == nullptr || plugins->kind != Kind::Sequence || plugins->items.empty()) {
        problem(plugins ? *plugins : root,
                "there are no plugins; expected \"plugins:\" and a list, each with a path");
    } else {
        for (const auto &node : plugins->items) {
            plugin(node);
        }
    }
    if (!problems_.empty()) {
        return Error{"manifest.invalid", problems_};
    }
    return manifest_;
}

Result<Manifest> readManifestText(const std::string &text, const std::string &name,
                                  const std::string &folder) {
    const auto root = readYaml(text, name);
    return root ? ManifestReader(name, folder).run(*root) : Result<Manifest>(root.error());
}

Result<Manifest> readManifest(const std::string &path) {
    std::ifstream file(path, std::ios::binary);
    std::error_code failed;
    if (!file || std::filesystem::is_directory(path, failed)) {
        return Error{"manifest.not_found",
                     concat(printable(path), ": ", file ? "is a directory" : std::strerror(errno),
                            "; expected a manifest (tenon.yaml)")};
    }
    std::string text(kManifestBytesMax + 1, '\0'); // some files have no end
    file.read(text.data(), static_cast<std::streamsize>(text.size()));
    text.resize(static_cast<std::size_t>(file.gcount()));
    if (text.size() > kManifestBytesMax) {
        return Error{"manifest.yaml", concat(printable(path), ": has more than ", kManifestBytesMax,
                                             " bytes, the limit")};
    }
    const auto folder = std::filesystem::absolute(path).parent_path();
    return readManifestText(text, printable(path), folder.string());
}

} // namespace tenon::manifest
