// SPDX-License-Identifier: Apache-2.0
// Where the subschemas of a document stand and what their references lead to: private to the
// projections.
#pragma once

#include "json/document.h"
#include "schema/dialect.h"

#include <cstdint>
#include <map>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace tenon::schema {

class Places {
public:
    struct Place {
        std::string pointer, base; // base: of its references, a URI or ""
        Dialect dialect;
    };
    explicit Places(json::Value root);

    const Place &of(json::Value schema) const { return places_.at(schema.index()); }
    bool knows(json::Value schema) const { return places_.contains(schema.index()); }
    // What the schema's own reference leads to, or a missing value.
    json::Value target(json::Value schema) const;
    // Every subschema that was found so far.
    const std::vector<json::Value> &all() const { return found_; }
    // One that target() gave, and that stands where only a JSON Pointer leads to.
    void addPointed(json::Value schema);

private:
    using Open = std::vector<std::pair<json::Value, Place>>;

    void add(json::Value schema, Place place);
    void identify(json::Value schema, Place &at);
    static void children(json::Value schema, const Place &at, Open &open);
    json::Value resolve(std::string_view uri) const;
    json::Value pointed(json::Value from, std::string_view pointer) const;
    json::Value dynamicTarget(const Place &at, std::string_view reference) const;

    json::Value root_;
    std::map<std::uint32_t, Place> places_;
    std::vector<json::Value> found_;
    std::map<std::string, json::Value, std::less<>> byUri_;
    std::map<std::string, std::vector<json::Value>, std::less<>> dynamic_;
    mutable std::map<std::uint32_t, std::string> pointers_; // of what pointers led to
};

} // namespace tenon::schema
