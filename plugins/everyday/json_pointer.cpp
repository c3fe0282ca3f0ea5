// SPDX-License-Identifier: Apache-2.0
#include <everyday/json_pointer.h>

#include <everyday/json_check.h>
#include <everyday/nearest.h>

#include <tenon/context.hpp>

#include <algorithm>

namespace everyday {
namespace {

using tenon::ToolError;

std::string typeOf(std::string_view json) {
    switch (tenon::JsonReader(json).peek()) {
    case '{': return "object";
    case '[': return "array";
    case '"': return "string";
    case 't':
    case 'f': return "boolean";
    case 'n': return "null";
    default: return "number";
    }
}

std::string named(const std::string &type) {
    return (type == "object" || type == "array" ? "an " : type == "null" ? "" : "a ") + type;
}

// Where the walk stands: the pointer so far, for messages.
std::string place(std::string_view pointer) {
    return pointer.empty() ? "the document" : "the value at " + inQuotes(pointer);
}

std::string unescaped(std::string_view token, std::size_t tokenAt) {
    std::string out;
    for (std::size_t i = 0; i < token.size(); ++i) {
        if (token[i] != '~') {
            out += token[i];
            continue;
        }
        const char next = i + 1 < token.size() ? token[i + 1] : '\0';
        if (next != '0' && next != '1') {
            throw ToolError("BAD_REQUEST", "The pointer has a '~' at position " +
                                               std::to_string(tokenAt + i) +
                                               " that is not followed by 0 or 1.")
                .hint("Write ~0 for '~' and ~1 for '/'.");
        }
        out += next == '0' ? '~' : '/';
        ++i;
    }
    return out;
}

std::size_t countOf(std::string_view json, const std::string &type) {
    tenon::JsonReader reader(json);
    std::size_t count = 0;
    if (type == "object") {
        reader.object([&](std::string_view, tenon::JsonReader &value) {
            value.raw();
            ++count;
        });
    } else {
        reader.array([&](tenon::JsonReader &value) {
            value.raw();
            ++count;
        });
    }
    return count;
}

std::string_view member(std::string_view object, const std::string &key, std::string_view walked) {
    std::optional<std::string_view> found;
    bool twice = false;
    std::vector<std::string> keys;
    tenon::JsonReader(object).object([&](std::string_view seen, tenon::JsonReader &reader) {
        const std::string_view value = reader.raw();
        keys.emplace_back(seen);
        if (seen == key) {
            twice = found.has_value();
            found = value;
        }
    });
    if (twice) {
        throw ToolError("CONFLICT",
                        "In " + place(walked) + " the key " + inQuotes(key) + " stands twice.")
            .hint("Which of the two is meant cannot be known: correct the document.");
    }
    if (!found) {
        const auto near = nearest(key, keys);
        throw ToolError("NOT_FOUND",
                        "There is no key " + inQuotes(key) + " in " + place(walked) +
                            (keys.empty() ? ": it is an empty object."
                                          : ": its keys are " + listed(keys, "and") + "."))
            .hint(near.empty()
                      ? "Use one of the keys that exist, or query " + inQuotes(walked) + "."
                      : "Nearest: " + listed(near) + ".");
    }
    return *found;
}

[[noreturn]] void refuseIndex(const std::string &token, std::string_view walked,
                              const std::string &why, std::size_t count) {
    throw ToolError("NOT_FOUND", inQuotes(token) + " is not an element of " + place(walked) + ": " +
                                     why + "; the array has " + std::to_string(count) +
                                     (count == 1 ? " element." : " elements."))
        .hint(count == 0 ? "The array is empty."
                         : "Use an index from 0 to " + std::to_string(count - 1) + ".");
}

std::string_view element(std::string_view array, const std::string &token,
                         std::string_view walked) {
    const std::size_t count = countOf(array, "array");
    const bool digits = !token.empty() && std::all_of(token.begin(), token.end(),
                                                      [](char c) { return c >= '0' && c <= '9'; });
    if (token == "-") {
        refuseIndex(token, walked, "'-' names the place after the last element", count);
    }
    if (!digits) {
        refuseIndex(token, walked, "an index is a whole number without a sign", count);
    }
    if (token.size() > 1 && token[0] == '0') {
        refuseIndex(token, walked, "an index has no leading zeros", count);
    }
    // More digits than the count has are past the end, whatever they say.
    if (token.size() > 18 || std::stoull(token) >= count) {
        refuseIndex(token, walked, "it is past the end", count);
    }
    std::size_t left = std::stoull(token) + 1;
    std::string_view found;
    tenon::JsonReader(array).array([&](tenon::JsonReader &reader) {
        const std::string_view value = reader.raw();
        found = --left == 0 ? value : found;
    });
    return found;
}

std::string_view walk(std::string_view document, std::string_view pointer) {
    std::string_view at = document;
    for (std::size_t i = 0; i < pointer.size();) {
        const std::size_t end = std::min(pointer.find('/', i + 1), pointer.size());
        const std::string token = unescaped(pointer.substr(i + 1, end - i - 1), i + 1);
        const std::string_view walked = pointer.substr(0, i);
        const std::string type = typeOf(at);
        if (type == "object") {
            at = member(at, token, walked);
        } else if (type == "array") {
            at = element(at, token, walked);
        } else {
            throw ToolError("NOT_FOUND", "There is no " + inQuotes(token) + " in " + place(walked) +
                                             ": it is " + named(type) + ", and holds nothing else.")
                .hint("End the pointer at " + inQuotes(walked) + ".");
        }
        i = end;
    }
    return at;
}

void checkStart(const std::string &pointer) {
    if (pointer.empty() || pointer[0] == '/') {
        return;
    }
    const bool fragment = pointer[0] == '#';
    const bool path = pointer[0] == '$';
    throw ToolError("BAD_REQUEST", "The pointer " + inQuotes(pointer) +
                                       " does not begin with '/' and is not empty.")
        .hint(fragment ? "The form with '#' is for URIs: leave '#' and %-escapes out."
              : path   ? "This looks like JSONPath: write $.a.b[0] as \"/a/b/0\"."
                       : "Write each key or index after a '/', as in \"/a/b/0\".");
}

} // namespace

JsonFound jsonQuery(const JsonQuery &in) {
    checkStart(in.pointer);
    std::string text = in.document.text;
    if (typeOf(text) == "string") {
        text = tenon::JsonReader(in.document.text).string();
        checkJson(text);
    }
    JsonFound out;
    tenon::JsonReader whole(text);
    out.value.text = walk(whole.raw(), in.pointer);
    out.type = typeOf(out.value.text);
    if (out.type == "object" || out.type == "array") {
        out.length = countOf(out.value.text, out.type);
    }
    return out;
}

} // namespace everyday
