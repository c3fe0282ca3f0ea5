// SPDX-License-Identifier: Apache-2.0
#include "schema/documents.h"

#include "schema/strings/json_pointer.h"
#include "schema/strings/uri.h"
#include "support/text.h"

#include <algorithm>

namespace tenon::schema {

using json::Value;

namespace {

constexpr std::string_view kDialects =
    "\"https://json-schema.org/draft/2020-12/schema\", "
    "\"http://json-schema.org/draft-07/schema#\" or no $schema (2020-12)";

bool isAnchor(Value anchor) {
    const auto name = anchor.string();
    const auto isLetter = [](char c) {
        return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_';
    };
    return !name.empty() && isLetter(name[0]) && std::all_of(name.begin(), name.end(), [&](char c) {
        return isLetter(c) || (c >= '0' && c <= '9') || c == '-' || c == '.';
    });
}

Error problem(std::string message) {
    return {"schema.invalid", std::move(message)};
}

} // namespace

Result<Location> Documents::addRoot(std::string_view text) {
    return add("", text, "the schema", {});
}

Result<Location> Documents::add(std::string_view uri, std::string_view text, std::string_view what,
                                Dialect unlessSaid) {
    auto read = json::Document::read(std::string(text), {text.size(), UINT32_MAX});
    if (!read) {
        return problem(concat(what, " cannot be read: ", read.error().message));
    }
    if (read->depth() > limits_.schemaDepthMax) {
        return problem(concat(what, " is nested ", read->depth(), " deep; the limit is ",
                              limits_.schemaDepthMax, " (limits.schemaDepth)"));
    }
    texts_.push_back(std::make_unique<json::Document>(std::move(*read)));
    const Location root{texts_.back()->root(), static_cast<std::uint32_t>(texts_.size() - 1),
                        static_cast<ResourceIndex>(resources_.size())};
    auto dialect = dialectOf(root.value["$schema"], unlessSaid);
    if (!dialect) {
        return dialect.error();
    }
    if (auto done = index(root, uri, *dialect); !done) {
        return done.error();
    }
    return root;
}

// Every subschema below a root, from a work list: the resources that they begin, and the names that
// they have.
Result<void> Documents::index(Location root, std::string_view uri, Dialect dialect) {
    resources_.push_back({std::string(uri), root, dialect, {}, {}});
    roots_[root.key()] = root.resource;
    byUri_.emplace(uri, root.resource);
    std::vector<Location> open{root};
    while (!open.empty()) {
        Location at = open.back();
        open.pop_back();
        if (!at.value.isObject()) {
            continue;
        }
        if (auto done = indexObject(at); !done) {
            return done;
        }
        forSubschemas(at.value, resources_[at.resource].dialect, [&](Value child) {
            open.push_back({child, at.document, at.resource});
        });
    }
    return {};
}

// What an object says of itself; `at` moves into the resource that it begins.
Result<void> Documents::indexObject(Location &at) {
    const Value schema = at.value;
    const bool draft07 = resources_[at.resource].dialect.isDraft07();
    const Value id = schema["$id"];
    if (id && !id.isString()) {
        return problem(
            concat("\"$id\" is ", printable(id.raw(), 200), "; expected a URI as a string"));
    }
    if (id && !(draft07 && schema["$ref"])) {
        const auto split = splitFragment(id.string());
        if (!split.fragment.empty() && !draft07) {
            return problem(concat("\"$id\" is ", printable(id.raw(), 200),
                                  "; expected a URI without a fragment (a name within the "
                                  "document is \"$anchor\")"));
        }
        if (!split.document.empty()) {
            if (auto done = enter(at, split.document); !done) {
                return done;
            }
        }
        if (!split.fragment.empty()) {
            if (auto done = name(at, split.fragment, false); !done) {
                return done;
            }
        }
    }
    if (draft07) {
        return {};
    }
    for (const std::string_view keyword : {"$anchor", "$dynamicAnchor"}) {
        if (const Value anchor = schema[keyword]; anchor) {
            if (!isAnchor(anchor)) {
                return problem(concat("\"", keyword, "\" is ", printable(anchor.raw(), 200),
                                      "; expected a name of letters, digits, _ - and . that begins "
                                      "with a letter or _"));
            }
            if (auto done = name(at, anchor.string(), keyword == "$dynamicAnchor"); !done) {
                return done;
            }
        }
    }
    return {};
}

Result<void> Documents::enter(Location &at, std::string_view id) {
    const std::string uri = resolveUri(resources_[at.resource].uri, id);
    const bool isRoot = roots_.contains(at.key());
    auto dialect = resources_[at.resource].dialect;
    if (!isRoot && at.value["$schema"]) {
        auto own = dialectOf(at.value["$schema"], dialect);
        if (!own) {
            return own.error();
        }
        dialect = *own;
    }
    if (!isRoot) {
        at.resource = static_cast<ResourceIndex>(resources_.size());
        resources_.push_back({"", at, dialect, {}, {}});
        roots_[at.key()] = at.resource;
    }
    resources_[at.resource].uri = uri;
    const auto [other, fresh] = byUri_.emplace(uri, at.resource);
    if (!fresh && other->second != at.resource) {
        return problem(concat("two schemas have the \"$id\" ", printable(uri, 200),
                              "; expected each to have its own"));
    }
    return {};
}

Result<void> Documents::name(const Location &at, std::string_view anchor, bool dynamic) {
    Resource &resource = resources_[at.resource];
    const auto [other, fresh] = resource.anchors.emplace(anchor, at);
    if (!fresh && other->second.value.index() != at.value.index()) {
        return problem(concat("two subschemas have the anchor ", printable(anchor, 200),
                              "; expected each to have its own"));
    }
    if (dynamic) {
        resource.dynamicAnchors.emplace(anchor);
    }
    return {};
}

Result<Dialect> Documents::dialectOf(Value uri, Dialect unlessSaid) {
    if (!uri) {
        return unlessSaid;
    }
    if (const auto builtin = builtinDialect(uri.string())) {
        return *builtin;
    }
    const auto document = splitFragment(uri.string()).document;
    if (const auto text = given(document); !text.empty()) {
        return customDialect(document, text);
    }
    return problem(concat("\"$schema\" is ", printable(uri.raw(), 200), "; expected ", kDialects));
}

// The dialect of a metaschema that the caller gave: 2020-12 with the vocabularies that it names.
Result<Dialect> Documents::customDialect(std::string_view uri, std::string_view metaschema) {
    json::Document document;
    if (auto read = document.readView(metaschema, {metaschema.size(), limits_.schemaDepthMax});
        !read) {
        return problem(concat("the metaschema ", uri, " cannot be read: ", read.error().message));
    }
    const auto base = builtinDialect(document.root()["$schema"].string());
    if (!base || base->isDraft07()) {
        return problem(concat("the metaschema ", uri, " has the \"$schema\" ",
                              printable(document.root()["$schema"].raw(), 200),
                              "; expected \"https://json-schema.org/draft/2020-12/schema\""));
    }
    const Value vocabularies = document.root()["$vocabulary"];
    if (!vocabularies) {
        return *base;
    }
    Dialect dialect{Draft::Draft202012, kOther};
    for (const auto [name, required] : vocabularies.members()) {
        if (const auto known = vocabularyOf(name)) {
            dialect.vocabularies |= *known;
        } else if (required.isTrue()) {
            return problem(concat("the metaschema ", uri, " requires the vocabulary ",
                                  printable(name, 200),
                                  ", which is not known; expected those of "
                                  "2020-12"));
        }
    }
    return dialect;
}

std::string_view Documents::given(std::string_view uri) const {
    const auto found = options_.documents.find(std::string(uri));
    return found == options_.documents.end() ? std::string_view() : found->second;
}

// What says no dialect of its own has that of the schema which refers to it.
Result<ResourceIndex> Documents::find(const std::string &uri, Dialect unlessSaid) {
    if (const auto known = byUri_.find(uri); known != byUri_.end()) {
        return known->second;
    }
    std::string_view text = given(uri);
    if (text.empty()) {
        text = builtinMetaschema(uri);
        builtin_.insert(static_cast<std::uint32_t>(texts_.size()));
    }
    if (text.empty()) {
        return problem("a reference within the document (\"#/...\", or the \"$id\" of one of its "
                       "schemas) or one to a standard metaschema; nothing is fetched");
    }
    const auto added = add(uri, text, concat("the document ", uri), unlessSaid);
    return added ? Result<ResourceIndex>(added->resource) : added.error();
}

Result<Location> Documents::resolve(ResourceIndex from, std::string_view reference) {
    const auto split = splitFragment(reference);
    ResourceIndex resource = from;
    if (!split.document.empty()) {
        const auto found =
            find(resolveUri(resources_[from].uri, split.document), resources_[from].dialect);
        if (!found) {
            return found.error();
        }
        resource = *found;
    }
    const std::string fragment = percentDecoded(split.fragment);
    if (fragment.empty() || fragment[0] == '/') {
        return pointer(resources_[resource].root, fragment);
    }
    const auto &anchors = resources_[resource].anchors;
    const auto anchor = anchors.find(fragment);
    if (anchor == anchors.end()) {
        return problem("a JSON Pointer to a subschema of this document, or one of its anchors");
    }
    return anchor->second;
}

Result<Location> Documents::pointer(Location at, std::string_view pointer) const {
    while (!pointer.empty() && at.value) {
        const auto end = std::min(pointer.find('/', 1), pointer.size());
        const auto token = keyOfToken(pointer.substr(1, end - 1));
        pointer.remove_prefix(end);
        at = below(at, token ? childOf(at.value, *token) : Value());
    }
    if (!at.value) {
        return problem("a JSON Pointer to a subschema of this document, or one of its anchors");
    }
    return at;
}

Location Documents::below(const Location &parent, Value child) const {
    Location at{child, parent.document, parent.resource};
    if (const auto root = roots_.find(at.key()); child && root != roots_.end()) {
        at.resource = root->second;
    }
    return at;
}

} // namespace tenon::schema
