// SPDX-License-Identifier: Apache-2.0
// The manifest's reader: what a node must be, and what is said where it is not. Private to this
// folder.
#pragma once

#include "manifest/manifest.h"
#include "manifest/yaml.h"
#include "support/text.h"

#include <span>

namespace tenon::manifest {

constexpr std::uint64_t kDayMs = 86'400'000;
constexpr std::uint64_t kAgesMsMax = 36'500 * kDayMs;

using Kind = YamlNode::Kind;

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
                   std::span<const std::string_view> later = {});
    std::string text(const YamlNode &node);
    bool boolean(const YamlNode &node);
    // In milliseconds, at least one.
    std::uint64_t duration(const YamlNode &node, std::uint64_t most = kDayMs);
    std::uint64_t count(const YamlNode &node);
    // What stands somewhere, in words.
    static std::string seen(const YamlNode &node);
    std::vector<std::string> words(const YamlNode &node);
    // A path of the file, which begins at its folder.
    std::string fromFolder(const std::string &path) const;
    void server(const YamlNode &node);
    void limits(const YamlNode &node);
    void audit(const YamlNode &node);
    std::uint64_t size(const YamlNode &node);
    void arguments(const YamlNode &node, schema::Options &options);
    std::size_t choice(const YamlNode &node, const std::vector<std::string_view> &words);
    void plugin(const YamlNode &node);

    std::string name_, folder_;
    std::string problems_;
    schema::Options arguments_; // of all plugins, unless they say otherwise
    Manifest manifest_;
};

} // namespace tenon::manifest
