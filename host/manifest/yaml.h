// SPDX-License-Identifier: Apache-2.0
// YAML as a tree of our own: every node with its place, scalars as they were written. The YAML
// library's own typing guesses, and it is silent about duplicates; so only its parser is used.
#pragma once

#include "support/result.h"

#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace tenon::manifest {

constexpr std::size_t kManifestBytesMax = 1U << 20;

struct YamlNode {
    enum class Kind { Scalar, Sequence, Map };
    Kind kind = Kind::Scalar;
    int line = 0, column = 0; // from 1
    std::string text;         // of a scalar, as written; "" of null (~, null, or nothing)
    bool quoted = false;
    std::vector<YamlNode> items;                        // of a sequence
    std::vector<std::pair<YamlNode, YamlNode>> members; // of a map, keys are scalars

    // In yaml.cpp: a pair of nodes cannot be looked into before the node is whole.
    YamlNode();
    ~YamlNode();
    YamlNode(const YamlNode &);
    YamlNode(YamlNode &&) noexcept;
    YamlNode &operator=(const YamlNode &);
    YamlNode &operator=(YamlNode &&) noexcept;

    const YamlNode *find(std::string_view key) const;
};

// Reads one document. Refused, with file:line:column: what is not YAML, a key twice in one map,
// anchors, aliases, tags, a second document, tabs, controls, text that is not UTF-8, more than
// 1 MiB, depth 32 or 50,000 nodes. `name` is what the messages call the file.
Result<YamlNode> readYaml(const std::string &text, std::string_view name);

// A tree as JSON, by the YAML core schema: true, false, null, and numbers as JSON writes them;
// everything else is text. A plain word that older YAML takes for something else (no, on, 010) is
// refused: it must be quoted, or written as what is meant.
Result<std::string> toJson(const YamlNode &node, std::string_view name);

} // namespace tenon::manifest
