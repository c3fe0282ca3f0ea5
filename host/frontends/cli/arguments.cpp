// SPDX-License-Identifier: Apache-2.0
#include "frontends/cli/arguments.h"

#include "json/writer.h"
#include "support/text.h"

#include <algorithm>
#include <optional>

namespace tenon::cli {

namespace {

using json::Value;

// What a schema can take, as far as words need to know it.
struct Takes {
    bool any = false; // no type is stated
    bool string = false, boolean = false, array = false, object = false, other = false;
};

// The schema, or what it refers to.
Value referred(Value root, Value schema) {
    for (int i = 0; i < 8 && schema["$ref"].string().starts_with("#/$defs/"); ++i) {
        schema = root["$defs"][schema["$ref"].string().substr(8)];
    }
    return schema;
}

// The schema of an array's items, in an alternative too.
Value itemsOf(Value root, Value schema) {
    schema = referred(root, schema);
    Value out = schema["items"];
    for (const auto key : {"anyOf", "oneOf"}) {
        for (const Value branch : schema[key].items()) {
            out = out ? out : referred(root, branch)["items"];
        }
    }
    return out;
}

Takes takesOf(Value root, Value schema, int depth = 0) {
    Takes out;
    schema = referred(root, schema);
    const auto add = [&](std::string_view type) {
        (type == "string"    ? out.string
         : type == "boolean" ? out.boolean
         : type == "array"   ? out.array
         : type == "object"  ? out.object
                             : out.other) = true;
    };
    const Value type = schema["type"];
    if (type.isString()) {
        add(type.string());
    }
    for (const Value one : type.items()) {
        add(one.string());
    }
    for (const auto key : {"anyOf", "oneOf"}) {
        for (const Value branch : schema[key].items()) {
            const Takes inner = depth < 8 ? takesOf(root, branch, depth + 1) : Takes();
            out.string |= inner.string;
            out.boolean |= inner.boolean;
            out.array |= inner.array;
            out.object |= inner.object;
            out.other |= inner.other;
        }
    }
    for (const Value one : schema["enum"].items()) {
        add(one.isNumber() ? "number" : json::nameOf(one.kind()));
    }
    out.any = !(out.string || out.boolean || out.array || out.object || out.other);
    return out;
}

bool isJson(const std::string &word) {
    json::Document document;
    return document.readView(word).has_value();
}

std::string quoted(std::string_view text) {
    std::string out;
    json::appendQuoted(out, text);
    return out;
}

// A tree of what was given so far; leaves hold JSON text.
struct Given {
    std::string json;                  // of a leaf
    std::vector<std::string> elements; // of a repeated key
    std::vector<std::pair<std::string, Given>> members;
    bool given = false; // by a word, and so not to be given again

    Given &at(const std::string &key) {
        for (auto &[known, value] : members) {
            if (known == key) {
                return value;
            }
        }
        return members.emplace_back(key, Given()).second;
    }
    void write(json::Writer &out) const {
        if (!json.empty()) {
            out.raw(json);
        } else if (!elements.empty()) {
            out.array();
            for (const auto &element : elements) {
                out.raw(element);
            }
            out.endArray();
        } else {
            out.object();
            for (const auto &[key, value] : members) {
                value.write(out.key(key));
            }
            out.endObject();
        }
    }
};

class Parser {
public:
    Parser(const catalog::Tool &tool,
           const std::function<Result<std::string>(std::string_view)> &readFile)
        : tool_(tool), readFile_(readFile) {
        static_cast<void>(schema_.readView(tool.inputSchemaJson));
        for (const auto member : root()["properties"].members()) {
            fields_.push_back(member.key);
        }
    }

    Result<std::string> run(const std::vector<std::string> &words) {
        bool onlyValues = false;
        std::vector<std::string> bare;
        for (std::size_t i = 0; i < words.size() && problem_.empty(); ++i) {
            const std::string &word = words[i];
            if (!onlyValues && word == "--") {
                onlyValues = true;
            } else if (!onlyValues && word.size() > 2 && word.starts_with("--")) {
                i += option(std::string_view(word).substr(2),
                            i + 1 < words.size() ? &words[i + 1] : nullptr);
            } else {
                bare.push_back(word);
            }
        }
        for (const auto &word : bare) { // after the options: they fill the fields that are left
            positional(word);
        }
        if (!problem_.empty()) {
            return Error{"cli.usage", problem_};
        }
        json::Writer out;
        given_.write(out);
        return out.take();
    }

private:
    Value root() const { return schema_.root(); }

    void fail(std::string problem) {
        problem_ = problem_.empty() ? std::move(problem) : std::move(problem_);
    }

    // The schema of a dotted key; missing where the schema has none.
    Value schemaOf(std::string_view key) const {
        Value at = root();
        while (at && !key.empty()) {
            at = referred(root(), at);
            if (const Value whole = at["properties"][key]; whole) {
                return whole;
            }
            const auto dot = std::min(key.find('.'), key.size());
            at = at["properties"][key.substr(0, dot)];
            key.remove_prefix(std::min(dot + 1, key.size()));
        }
        return at;
    }

    // Consumes an option; how many of the following words belong to it.
    std::size_t option(std::string_view text, const std::string *next) {
        const auto equals = text.find('=');
        std::string key(text.substr(0, equals));
        std::optional<std::string> value;
        if (equals != text.npos) {
            value = text.substr(equals + 1);
        }
        const bool declared = bool(root()["properties"][key]);
        if (key == "args" && !declared) {
            base(value ? *value : next ? *next : "");
            return value ? 0 : 1;
        }
        if (!value && takesOf(root(), schemaOf(key)).boolean && schemaOf(key)) {
            const bool word = next && (*next == "true" || *next == "false");
            set(key, word ? *next : "true");
            return word ? 1 : 0;
        }
        if (!value && key.starts_with("no-") && !schemaOf(key) &&
            takesOf(root(), schemaOf(key.substr(3))).boolean) {
            set(key.substr(3), "false");
            return 0;
        }
        if (!value && next == nullptr) {
            fail(concat("--", printable(key, 100), " has no value; expected --",
                        printable(key, 100), " VALUE"));
            return 0;
        }
        set(key, value ? *value : *next);
        return value ? 0 : 1;
    }

    void positional(const std::string &word) {
        while (nextField_ < fields_.size() && isGiven(fields_[nextField_])) {
            ++nextField_;
        }
        if (nextField_ == fields_.size()) {
            fail(concat("the word ", printable(word, 100), " is left over; ", tool_.name, " takes ",
                        fields_.empty() ? "no arguments" : concat("the fields ", listed(fields_))));
            return;
        }
        set(std::string(fields_[nextField_++]), word);
    }
    bool isGiven(std::string_view key) const {
        return std::any_of(given_.members.begin(), given_.members.end(),
                           [&](const auto &member) { return member.first == key; });
    }

    // --args: the object that other words override.
    void base(const std::string &text) {
        std::string json = text;
        if (text == "-" || text.starts_with('@')) {
            auto read = readFile_(text == "-" ? text : text.substr(1));
            if (!read) {
                return fail(read.error().message);
            }
            json = std::move(*read);
        }
        json::Document document;
        const auto read = document.readView(json);
        if (!read || !document.root().isObject()) {
            return fail(concat("--args is not a JSON object: ",
                               read ? concat("it is ", json::nameOf(document.root().kind()))
                                    : read.error().message));
        }
        for (const auto member : document.root().members()) {
            fill(given_.at(std::string(member.key)), member.value);
        }
    }
    // Puts a value of the base where nothing was given by words. Depth is bounded by the reader.
    static void fill(Given &field, Value value) {
        if (field.json.empty() && field.elements.empty() && field.members.empty()) {
            field.json = json::compact(value);
        } else if (field.json.empty() && field.elements.empty()) {
            for (const auto member : value.members()) {
                fill(field.at(std::string(member.key)), member.value);
            }
        }
    }

    void set(const std::string &key, const std::string &word) {
        const Value schema = schemaOf(key);
        Given *at = &given_;
        std::string_view rest = key;
        const bool whole = bool(root()["properties"][key]); // a key may have dots of its own
        for (auto dot = rest.find('.'); !whole && dot != rest.npos; dot = rest.find('.')) {
            at = &nested(*at, std::string(rest.substr(0, dot)));
            rest.remove_prefix(dot + 1);
        }
        Given &leaf = at->at(std::string(rest));
        const Takes takes = takesOf(root(), schema);
        if (!leaf.given && takes.array && !takes.string &&
            !(word.starts_with('[') && isJson(word))) {
            leaf.json.clear();
            leaf.elements.push_back(valueOf(takesOf(root(), itemsOf(root(), schema)), word));
        } else if (leaf.given || !leaf.elements.empty() || !leaf.members.empty()) {
            fail(concat("the field ", printable(key, 100), " was given twice; expected one value"));
        } else {
            leaf = Given();
            leaf.given = true;
            leaf.json = valueOf(takes, word);
        }
    }
    // The object under a key, taken apart if --args gave it whole.
    static Given &nested(Given &parent, const std::string &key) {
        Given &field = parent.at(key);
        if (!field.json.empty()) {
            json::Document document;
            if (document.readView(field.json) && document.root().isObject()) {
                for (const auto member : document.root().members()) {
                    field.members.emplace_back(std::string(member.key), Given()).second.json =
                        json::compact(member.value);
                }
            }
            field.json.clear();
        }
        return field;
    }

    static std::string valueOf(const Takes &takes, const std::string &word) {
        if (takes.string || word.empty()) {
            return quoted(word);
        }
        return isJson(word) ? word : quoted(word);
    }

    const catalog::Tool &tool_;
    const std::function<Result<std::string>(std::string_view)> &readFile_;
    json::Document schema_;
    std::vector<std::string_view> fields_;
    std::size_t nextField_ = 0;
    Given given_;
    std::string problem_;
};

} // namespace

Result<std::string>
readArguments(const catalog::Tool &tool, const std::vector<std::string> &words,
              const std::function<Result<std::string>(std::string_view path)> &readFile) {
    return Parser(tool, readFile).run(words);
}

} // namespace tenon::cli
