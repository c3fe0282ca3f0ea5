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
#include <unordered_map>

namespace tenon::manifest {

namespace {

constexpr std::size_t kDepthMax = 32;
constexpr std::size_t kNodesMax = 50'000;

Error at(std::string_view name, int line, int column, std::string_view what) {
    return {"manifest.yaml", concat(name, ":", line, ":", column, ": ", what)};
}

// What the parser tells, as a tree. Throws Error out of the parser: it has no other way to stop.
class Builder : public YAML::EventHandler {
public:
    Builder(std::string_view name, std::string_view text, YamlNode &root)
        : name_(name), text_(text), root_(root) {}

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
        checkClosed(mark);
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
    void OnMapEnd() override { open_.pop_back(); }

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
        open_.push_back({&node, false, {}});
    }
    // The parser takes the end of the file for a closing quote.
    void checkClosed(const YAML::Mark &mark) const {
        const auto start = static_cast<std::size_t>(std::max(mark.pos, 0));
        const char quote = start < text_.size() ? text_[start] : '\0';
        if (quote != '"' && quote != '\'') {
            return;
        }
        for (std::size_t i = start + 1; i < text_.size(); ++i) {
            const bool escape = quote == '"' ? text_[i] == '\\' : text_.substr(i, 2) == "''";
            if (!escape && text_[i] == quote) {
                return;
            }
            i += escape ? 1 : 0;
        }
        refuse(mark, concat("the text that begins with ", quote, " has no closing ", quote));
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
        Open &parent = open_.back();
        if (parent.node->kind == YamlNode::Kind::Sequence) {
            return parent.node->items.emplace_back(std::move(node));
        }
        parent.hasKey = !parent.hasKey;
        auto &members = parent.node->members;
        if (!parent.hasKey) {
            checkKey(parent, members.back().first);
            return members.back().second = std::move(node);
        }
        if (kind != YamlNode::Kind::Scalar) {
            refuse(mark, "a key is a list or a map; expected a word");
        }
        return members.emplace_back(std::move(node), YamlNode()).first;
    }
    struct Open {
        YamlNode *node;
        bool hasKey;                               // a key waits for its value
        std::unordered_map<std::string, int> keys; // and the line of each
    };
    void checkKey(Open &map, const YamlNode &key) const {
        const auto [first, fresh] = map.keys.emplace(key.text, key.line);
        if (!fresh) {
            throw at(name_, key.line, key.column,
                     concat("the key \"", printable(key.text, 100),
                            "\" stands twice in one map (first in line ", first->second,
                            "); expected each key once"));
        }
    }

    std::string_view name_;
    std::string_view text_; // what the marks count in
    YamlNode &root_;
    std::vector<Open> open_;
    std::size_t nodes_ = 0;
};

bool isControl(char c) {
    const auto byte = static_cast<unsigned char>(c);
    return (byte < 0x20 && c != '\t' && c != '\n' && c != '\r') || byte == 0x7F;
}

// Tabs, controls (one of them ends the parser's input) and bytes that are not UTF-8, before the
// parser sees them.
Result<void> checkText(const std::string &text, std::string_view name) {
    if (text.size() > kManifestBytesMax) {
        return Error{"manifest.yaml", concat(name, ": has ", text.size(), " bytes; the limit is ",
                                             kManifestBytesMax)};
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
    if (const auto control = std::find_if(text.begin(), text.end(), isControl);
        control != text.end()) {
        const auto [line, column] = placeOf(static_cast<std::size_t>(control - text.begin()));
        return at(name, line, column,
                  concat("a control character (byte ", static_cast<int>(*control),
                         ") stands bare; write it as an escape within double quotes"));
    }
    std::size_t start = 0;
    while (start < text.size()) {
        const auto end = std::min(text.find('\n', start), text.size());
        const auto tab = text.find_first_not_of(' ', start);
        if (tab < end && text[tab] == '\t') {
            const auto [line, column] = placeOf(tab);
            return at(name, line, column, "a tab is not allowed as indentation; use spaces");
        }
        start = end + 1;
    }
    return {};
}

} // namespace

YamlNode::YamlNode() = default;
YamlNode::~YamlNode() = default;
YamlNode::YamlNode(const YamlNode &) = default;
YamlNode::YamlNode(YamlNode &&) noexcept = default;
YamlNode &YamlNode::operator=(const YamlNode &) = default;
YamlNode &YamlNode::operator=(YamlNode &&) noexcept = default;

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
    std::string_view content = text;
    content.remove_prefix(content.starts_with("\xEF\xBB\xBF") ? 3 : 0);
    try {
        std::istringstream stream(text);
        YAML::Parser parser(stream);
        Builder builder(name, content, root);
        if (!parser.HandleNextDocument(builder)) {
            return at(name, 1, 1,
                      "the file is empty; expected a map that begins with \"tenon: 1\"");
        }
        YamlNode second;
        Builder more(name, content, second);
        if (parser.HandleNextDocument(more)) {
            return at(name, second.line, second.column,
                      "a second document begins here, or the indentation is wrong; expected one "
                      "document");
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
    const bool oldNumber =
        word.size() > 1 && word[0] == '0' && word.find_first_not_of("01234567_") == word.npos;
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
