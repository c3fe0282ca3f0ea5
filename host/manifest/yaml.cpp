// SPDX-License-Identifier: Apache-2.0
#include "manifest/yaml.h"

#include "json/document.h"
#include "json/writer.h"
#include "support/text.h"

#include <yaml-cpp/eventhandler.h>
#include <yaml-cpp/exceptions.h>
#include <yaml-cpp/parser.h>

#include <algorithm>
#include <array>
#include <sstream>

namespace tenon::manifest {

namespace {

constexpr std::size_t kBytesMax = 1U << 20;
constexpr std::size_t kDepthMax = 32;
constexpr std::size_t kNodesMax = 50'000;

Error at(std::string_view name, int line, int column, std::string_view what) {
    return {"manifest.yaml", concat(name, ":", line, ":", column, ": ", what)};
}

// What the parser tells, as a tree. Throws Error out of the parser: it has no other way to stop.
class Builder : public YAML::EventHandler {
public:
    Builder(std::string_view name, YamlNode &root) : name_(name), root_(root) {}

    void OnDocumentStart(const YAML::Mark &) override {}
    void OnDocumentEnd() override {}
    void OnAnchor(const YAML::Mark &mark, const std::string &) override { refuseAnchor(mark); }
    void OnAlias(const YAML::Mark &mark, YAML::anchor_t) override {
        refuse(mark, "an alias (*name) is not supported: write the value out");
    }
    void OnNull(const YAML::Mark &mark, YAML::anchor_t anchor) override {
        add(mark, "", anchor, YamlNode::Kind::Scalar);
    }
    void OnScalar(const YAML::Mark &mark, const std::string &tag, YAML::anchor_t anchor,
                  const std::string &value) override {
        YamlNode &node = add(mark, tag, anchor, YamlNode::Kind::Scalar);
        node.text = value;
        node.quoted = tag == "!";
    }
    void OnSequenceStart(const YAML::Mark &mark, const std::string &tag, YAML::anchor_t anchor,
                         YAML::EmitterStyle::value) override {
        open(add(mark, tag, anchor, YamlNode::Kind::Sequence), mark);
    }
    void OnSequenceEnd() override { open_.pop_back(); }
    void OnMapStart(const YAML::Mark &mark, const std::string &tag, YAML::anchor_t anchor,
                    YAML::EmitterStyle::value) override {
        open(add(mark, tag, anchor, YamlNode::Kind::Map), mark);
    }
    void OnMapEnd() override {
        open_.pop_back();
    }

private:
    [[noreturn]] void refuse(const YAML::Mark &mark, std::string_view what) const {
        throw at(name_, mark.line + 1, mark.column + 1, what);
    }
    [[noreturn]] void refuseAnchor(const YAML::Mark &mark) const {
        refuse(mark, "an anchor (&name) is not supported: write the value out");
    }
    void open(YamlNode &node, const YAML::Mark &mark) {
        if (open_.size() == kDepthMax) {
            refuse(mark, concat("nesting is deeper than ", kDepthMax, ", the limit"));
        }
        open_.push_back({&node, false});
    }
    // Where the next node goes: a map's key and value come in turn.
    YamlNode &add(const YAML::Mark &mark, const std::string &tag, YAML::anchor_t anchor,
                  YamlNode::Kind kind) {
        if (anchor != 0) {
            refuseAnchor(mark);
        }
        if (!tag.empty() && tag != "?" && tag != "!") {
            refuse(mark, concat("the tag ", printable(tag, 60), " is not supported: leave it out"));
        }
        if (++nodes_ > kNodesMax) {
            refuse(mark, concat("more than ", kNodesMax, " values, the limit"));
        }
        YamlNode node;
        node.kind = kind;
        node.line = mark.line + 1;
        node.column = mark.column + 1;
        if (open_.empty()) {
            root_ = std::move(node);
            return root_;
        }
        auto &[parent, hasKey] = open_.back();
        if (parent->kind == YamlNode::Kind::Sequence) {
            return parent->items.emplace_back(std::move(node));
        }
        hasKey = !hasKey;
        if (!hasKey) {
            checkKey(*parent, mark);
            return parent->members.back().second = std::move(node);
        }
        if (kind != YamlNode::Kind::Scalar) {
            refuse(mark, "a key is a list or a map; expected a word");
        }
        return parent->members.emplace_back(std::move(node), YamlNode()).first;
    }
    void checkKey(const YamlNode &map, const YAML::Mark &) const {
        const YamlNode &key = map.members.back().first;
        for (std::size_t i = 0; i + 1 < map.members.size(); ++i) {
            const YamlNode &other = map.members[i].first;
            if (other.text == key.text) {
                throw at(name_, key.line, key.column,
                         concat("the key \"", printable(key.text, 100),
                                "\" stands twice in one map (first in line ", other.line,
                                "); expected each key once"));
            }
        }
    }

    std::string_view name_;
    YamlNode &root_;
    std::vector<std::pair<YamlNode *, bool>> open_; // second: a key waits for its value
    std::size_t nodes_ = 0;
};

// Tabs and bytes that are not UTF-8, before the parser sees them.
Result<void> checkText(const std::string &text, std::string_view name) {
    if (text.size() > kBytesMax) {
        return Error{"manifest.yaml", concat(name, ": has ", text.size(), " bytes; the limit is ",
                                             kBytesMax)};
    }
    const auto placeOf = [&](std::size_t offset) {
        const auto before = text.substr(0, offset);
        const auto line = std::count(before.begin(), before.end(), '\n') + 1;
        return std::pair(static_cast<int>(line),
                         static_cast<int>(offset - (before.rfind('\n') + 1)) + 1);
    };
    if (const auto bad = invalidUtf8At(text); bad != std::string::npos) {
        const auto [line, column] = placeOf(bad);
        return at(name, line, column, "the text is not UTF-8; save the file as UTF-8");
    }
    std::size_t start = 0;
    while (start < text.size()) {
        const auto end = std::min(text.find('\n', start), text.size());
        const auto word = text.find_first_not_of(" \t", start);
        if (const auto tab = text.find('\t', start); tab < std::min(word, end) && word < end) {
            const auto [line, column] = placeOf(tab);
            return at(name, line, column, "a tab is not allowed as indentation; use spaces");
        }
        start = end + 1;
    }
    return {};
}

} // namespace

const YamlNode *YamlNode::find(std::string_view key) const {
    for (const auto &[name, value] : members) {
        if (name.text == key) {
            return &value;
        }
    }
    return nullptr;
}

Result<YamlNode> readYaml(const std::string &text, std::string_view name) {
    if (auto done = checkText(text, name); !done) {
        return done.error();
    }
    YamlNode root;
    try {
        std::istringstream stream(text);
        YAML::Parser parser(stream);
        Builder builder(name, root);
        if (!parser.HandleNextDocument(builder)) {
            return at(name, 1, 1, "the file is empty; expected a map that begins with \"tenon: 1\"");
        }
        YamlNode second;
        Builder more(name, second);
        if (parser.HandleNextDocument(more)) {
            return at(name, second.line, second.column, "a second document; expected one");
        }
    } catch (const Error &error) {
        return error;
    } catch (const YAML::Exception &error) {
        return at(name, error.mark.line + 1, error.mark.column + 1, error.msg);
    }
    return root;
}

namespace {

bool isAmbiguous(std::string_view word) {
    static constexpr std::array kWords{"yes", "no", "on", "off", "y", "n"};
    std::string lower(word);
    std::transform(lower.begin(), lower.end(), lower.begin(),
                   [](unsigned char c) { return static_cast<char>(std::tolower(c)); });
    const bool oldWord = std::find(kWords.begin(), kWords.end(), lower) != kWords.end();
    const bool oldNumber = word.size() > 1 && word[0] == '0' && word.find_first_not_of("01234567_") == word.npos;
    return oldWord || oldNumber;
}

Result<void> writeScalar(json::Writer &out, const YamlNode &node, std::string_view name) {
    if (node.quoted) {
        out.string(node.text);
        return {};
    }
    if (isAmbiguous(node.text)) {
        return at(name, node.line, node.column,
                  concat("the plain word ", printable(node.text, 60),
                         " is read differently by different programs; write \"", node.text,
                         "\" in quotes, or true, false or the number that is meant"));
    }
    const std::string &text = node.text;
    if (text.empty() || text == "~" || text == "null" || text == "Null" || text == "NULL") {
        out.null();
    } else if (text == "true" || text == "True" || text == "TRUE") {
        out.boolean(true);
    } else if (text == "false" || text == "False" || text == "FALSE") {
        out.boolean(false);
    } else {
        json::Document number;
        const bool isNumber = number.readView(text) && number.root().isNumber();
        isNumber ? out.raw(text) : out.string(text);
    }
    return {};
}

// Depth is bounded by kDepthMax.
Result<void> writeNode(json::Writer &out, const YamlNode &node, std::string_view name) {
    if (node.kind == YamlNode::Kind::Scalar) {
        return writeScalar(out, node, name);
    }
    const bool map = node.kind == YamlNode::Kind::Map;
    map ? out.object() : out.array();
    for (const auto &item : node.items) {
        if (auto done = writeNode(out, item, name); !done) {
            return done;
        }
    }
    for (const auto &[key, value] : node.members) {
        if (auto done = writeNode(out.key(key.text), value, name); !done) {
            return done;
        }
    }
    map ? out.endObject() : out.endArray();
    return {};
}

} // namespace

Result<std::string> toJson(const YamlNode &node, std::string_view name) {
    json::Writer out;
    if (auto done = writeNode(out, node, name); !done) {
        return done.error();
    }
    return out.take();
}

} // namespace tenon::manifest
