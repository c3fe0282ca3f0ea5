// SPDX-License-Identifier: Apache-2.0
// The documents that a schema may speak of, and where its references lead: the schema itself, the
// standard's metaschemas, and what the caller gave. Nothing is fetched. Private to this folder.
#pragma once

#include "schema/dialect.h"
#include "schema/schema.h"

#include <algorithm>
#include <map>
#include <memory>
#include <set>
#include <string>
#include <unordered_map>
#include <vector>

namespace tenon::schema {

using ResourceIndex = std::uint32_t;

// A value in one of the documents, and the resource that it belongs to.
struct Location {
    json::Value value;
    std::uint32_t document = 0;
    ResourceIndex resource = 0;

    std::uint64_t key() const { return std::uint64_t{document} << 32U | value.index(); }
};

// A schema with a URI of its own: a document's root, or what has an $id.
struct Resource {
    std::string uri; // without fragment; "" for a root without $id
    Location root;
    Dialect dialect;
    std::map<std::string, Location, std::less<>> anchors;
    std::set<std::string, std::less<>> dynamicAnchors; // those of them that $dynamicRef looks for
};

class Documents {
public:
    Documents(std::vector<std::unique_ptr<json::Document>> &texts, const Limits &limits,
              const Options &options)
        : texts_(texts), limits_(limits), options_(options) {}

    // Reads the schema itself; first of all.
    Result<Location> addRoot(std::string_view text);
    const Resource &resource(ResourceIndex index) const { return resources_[index]; }
    std::size_t size() const { return resources_.size(); }
    // Whether a document is one of the standard's metaschemas.
    bool isBuiltin(std::uint32_t document) const { return builtin_.contains(document); }

    // Where a $ref of this resource leads. The error says what was expected instead.
    Result<Location> resolve(ResourceIndex from, std::string_view reference);
    // A subschema of a location's value, in its own resource if it begins one.
    Location below(const Location &parent, json::Value child) const;

private:
    Result<Location> add(std::string_view uri, std::string_view text, std::string_view what,
                         Dialect unlessSaid);
    Result<void> index(Location root, std::string_view uri, Dialect dialect);
    Result<void> indexObject(Location &at);
    Result<void> enter(Location &at, std::string_view id);
    Result<void> name(const Location &at, std::string_view anchor, bool dynamic);
    Result<Dialect> dialectOf(json::Value uri, Dialect unlessSaid);
    Result<Dialect> customDialect(std::string_view uri, std::string_view metaschema);
    Result<ResourceIndex> find(const std::string &uri, Dialect unlessSaid);
    Result<Location> pointer(Location at, std::string_view pointer) const;
    std::string_view given(std::string_view uri) const;

    std::vector<std::unique_ptr<json::Document>> &texts_;
    const Limits &limits_;
    const Options &options_;
    std::vector<Resource> resources_;
    std::set<std::uint32_t> builtin_; // of texts_
    std::map<std::string, ResourceIndex, std::less<>> byUri_;
    std::unordered_map<std::uint64_t, ResourceIndex> roots_; // by Location::key()
};

// Calls `each` with every subschema right below a schema.
template <class Each> void forSubschemas(json::Value schema, const Dialect &dialect, Each each) {
    const auto isSchema = [](json::Value value) {
        return value.isObject() || value.kind() == json::Kind::Boolean;
    };
    for (const auto member : schema.members()) {
        const auto *keyword =
            std::find_if(kHolders.begin(), kHolders.end(), [&](const auto &known) {
                return known.name == member.key && known.isOf(dialect);
            });
        if (keyword == kHolders.end()) {
            continue;
        }
        if (isSchema(member.value) && keyword->holds != Holds::Map &&
            keyword->holds != Holds::MapOrLists) {
            each(member.value);
            continue;
        }
        for (const auto item : member.value.items()) {
            each(item);
        }
        for (const auto entry : member.value.members()) {
            if (isSchema(entry.value)) {
                each(entry.value);
            }
        }
    }
}

} // namespace tenon::schema
