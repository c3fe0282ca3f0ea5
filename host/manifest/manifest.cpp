// SPDX-License-Identifier: Apache-2.0
#include "manifest/manifest.h"

#include "manifest/yaml.h"
#include "support/text.h"

#include <algorithm>
#include <array>
#include <cerrno>
#include <charconv>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <optional>
#include <set>

namespace tenon::manifest {

namespace {

using Kind = YamlNode::Kind;

// Keys that the guide has and this version does not serve yet: a clear refusal, never silence.
constexpr std::array kLater{"frontends",        "policy",    "audit",   "surfaces", "log",
                            "requestStateKeys", "artifacts", "metrics", "integers", "cancelGrace"};
constexpr std::array kLaterOfPlugin{"grants", "secrets", "sha256"};

class ManifestReader {
public:
    ManifestReader(std::string name, std::string folder)
        : name_(std::move(name)), folder_(std::move(folder)) {}

    Result<Manifest> run(const YamlNode &root);

private:
    void problem(const YamlNode &node, std::string_view what) {
        problems_ += concat(problems_.empty() ? "" : "\n", name_, ":", node.line, ":", node.column,
                            ": ", what);
    }
    bool isMap(const YamlNode &node, std::string_view what) {
        if (node.kind != Kind::Map) {
            problem(node, concat(what, " is no map; expected \"key: value\" lines"));
        }
        return node.kind == Kind::Map;
    }
    // Every key is one of these, or begins with x-.
    void checkKeys(const YamlNode &map, const std::vector<std::string_view> &known,
                   const auto &later);
    std::string text(const YamlNode &node);
    bool boolean(const YamlNode &node);
    std::uint64_t duration(const YamlNode &node);
    std::uint64_t count(const YamlNode &node);
    // What stands somewhere, in words.
    static std::string seen(const YamlNode &node);
    std::vector<std::string> words(const YamlNode &node);
    void server(const YamlNode &node);
    void limits(const YamlNode &node);
    std::uint64_t size(const YamlNode &node);
    void arguments(const YamlNode &node, schema::Options &options);
    std::size_t choice(const YamlNode &node, const std::vector<std::string_view> &words);
    void plugin(const YamlNode &node);

    std::string name_, folder_;
    std::string problems_;
    schema::Options arguments_; // of all plugins, unless they say otherwise
    Manifest manifest_;
};

void ManifestReader::checkKeys(const YamlNode &map, const std::vector<std::string_view> &known,
                               const auto &later) {
    for (const auto &[key, value] : map.members) {
        if (key.text.starts_with("x-") ||
            std::find(known.begin(), known.end(), key.text) != known.end()) {
            continue;
        }
        if (std::find(later.begin(), later.end(), key.text) != later.end()) {
            problem(key, concat("the key \"", key.text,
                                "\" is not served by this version of Tenon; leave it out"));
            continue;
        }
        const auto near = nearest(key.text, known);
        problem(key,
                concat("unknown key \"", printable(key.text, 100), "\"; expected ", listed(known),
                       near.empty() ? "" : concat(" (did you mean ", near, "?)")));
    }
}

std::string ManifestReader::text(const YamlNode &node) {
    if (node.kind != Kind::Scalar) {
        problem(node, "a list or a map stands here; expected text");
    } else if (node.text.empty() && !node.quoted) {
        problem(node, "nothing stands here; expected text, or \"\" for none");
    }
    return node.text;
}

bool ManifestReader::boolean(const YamlNode &node) {
    const bool yes = node.text == "true" || node.text == "True" || node.text == "TRUE";
    const bool no = node.text == "false" || node.text == "False" || node.text == "FALSE";
    if (node.kind != Kind::Scalar || node.quoted || (!yes && !no)) {
        problem(node, concat(node.kind == Kind::Scalar ? printable(node.text, 60) : "a list or map",
                             " stands here; expected true or false, without quotes"));
    }
    return yes;
}

std::string ManifestReader::seen(const YamlNode &node) {
    if (node.kind != Kind::Scalar) {
        return node.kind == Kind::Map ? "a map" : "a list";
    }
    return node.quoted         ? concat("\"", printable(node.text, 60), "\"")
           : node.text.empty() ? "nothing"
                               : printable(node.text, 60);
}

std::uint64_t ManifestReader::count(const YamlNode &node) {
    std::uint64_t value = 0;
    const auto *end = node.text.data() + node.text.size();
    const auto read = std::from_chars(node.text.data(), end, value);
    if (node.kind != Kind::Scalar || node.quoted || node.text.starts_with('0') ||
        read.ec != std::errc() || read.ptr != end) {
        problem(node, concat(seen(node), " stands here; expected a whole number from 1"));
        return 1;
    }
    return value;
}

std::uint64_t ManifestReader::duration(const YamlNode &node) {
    static constexpr std::array<std::pair<std::string_view, std::uint64_t>, 4> kUnits{
        {{"ms", 1}, {"s", 1'000}, {"m", 60'000}, {"h", 3'600'000}}};
    std::uint64_t value = 0;
    const auto *end = node.text.data() + node.text.size();
    const auto read = std::from_chars(node.text.data(), end, value);
    const std::string_view unit(read.ptr, static_cast<std::size_t>(end - read.ptr));
    for (const auto &[name, ms] : kUnits) {
        if (read.ec == std::errc() && unit == name && value > 0 && value <= 86'400'000 / ms) {
            return value * ms;
        }
    }
    problem(node,
            concat(seen(node),
                   " stands here; expected a duration such as 500ms, 30s, 5m or 1h, up to a day"));
    return 1;
}

std::vector<std::string> ManifestReader::words(const YamlNode &node) {
    std::vector<std::string> out;
    if (node.kind != Kind::Sequence) {
        problem(node, "expected a list, such as [first, second]");
    }
    for (const auto &item : node.items) {
        out.push_back(text(item));
    }
    return out;
}

void ManifestReader::server(const YamlNode &node) {
    if (!isMap(node, "server")) {
        return;
    }
    checkKeys(node, {"name", "version", "instructions"}, std::array<std::string_view, 0>());
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

// Bytes: 32KiB, 1MiB, or a plain number of them.
std::uint64_t ManifestReader::size(const YamlNode &node) {
    static constexpr std::array<std::pair<std::string_view, std::uint64_t>, 5> kUnits{
        {{"", 1}, {"B", 1}, {"KiB", 1U << 10U}, {"MiB", 1U << 20U}, {"GiB", 1U << 30U}}};
    std::uint64_t value = 0;
    const auto *end = node.text.data() + node.text.size();
    const auto read = std::from_chars(node.text.data(), end, value);
    const std::string_view unit(read.ptr, static_cast<std::size_t>(end - read.ptr));
    for (const auto &[name, bytes] : kUnits) {
        if (node.kind == Kind::Scalar && !node.quoted && !node.text.starts_with('0') &&
            read.ec == std::errc() && unit == name && value <= UINT32_MAX / bytes) {
            return value * bytes;
        }
    }
    problem(node, concat(seen(node),
                         " stands here; expected bytes such as 4096, 32KiB or 1MiB, below 4GiB"));
    return 1;
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
    checkKeys(node, names, std::array<std::string_view, 0>());
}

// Which of a few words stands here.
std::size_t ManifestReader::choice(const YamlNode &node,
                                   const std::vector<std::string_view> &words) {
    const auto found = std::find(words.begin(), words.end(), node.text);
    if (node.kind != Kind::Scalar || found == words.end()) {
        problem(node, concat(node.kind == Kind::Scalar ? printable(node.text, 60) : "a list or map",
                             " stands here; expected ", words[0], " or ", words[1]));
        return 0;
    }
    return static_cast<std::size_t>(found - words.begin());
}

void ManifestReader::arguments(const YamlNode &node, schema::Options &options) {
    if (!isMap(node, "arguments")) {
        return;
    }
    checkKeys(node, {"coerce", "defaults", "formats", "unknownKeys"},
              std::array<std::string_view, 0>());
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
        entry.path = (std::filesystem::path(folder_) / path->text).lexically_normal().string();
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
        checkKeys(*tools, {"allow", "deny"}, std::array{"rename"});
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

Result<Manifest> ManifestReader::run(const YamlNode &root) {
    if (!isMap(root, "the manifest")) {
        return Error{"manifest.invalid", problems_};
    }
    checkKeys(root, {"tenon", "server", "plugins", "arguments", "limits"}, kLater);
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

} // namespace

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
