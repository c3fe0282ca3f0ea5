// SPDX-License-Identifier: Apache-2.0
// What is known of the keys of an object that several schemas speak of: private to the projections.
#pragma once

#include "schema/projection/tree.h"

#include <functional>
#include <map>
#include <set>
#include <string>
#include <string_view>
#include <vector>

namespace tenon::schema {

struct Key {
    std::string name;
    NodeId form;
    bool partly = false; // an alternative that says nothing of the key would take any value for it
};
// Of the keys that are not named, from "additionalProperties" and its like.
struct Further {
    std::vector<NodeId> forms; // each such key has one of these; none: nothing is said
    bool partly = false;       // as above
};
struct Shape {
    std::vector<Key> keys;
    std::map<std::string, std::size_t, std::less<>> places; // in keys
    Further further;
    std::set<std::string> required;
    bool closed = false;   // no further keys
    bool patterns = false; // further keys by pattern or schema
    bool never = false;    // takes no object

    Key *find(std::string_view name) {
        const auto found = places.find(name);
        return found == places.end() ? nullptr : &keys[found->second];
    }
    const Key *find(std::string_view name) const {
        const auto found = places.find(name);
        return found == places.end() ? nullptr : &keys[found->second];
    }
    void add(Key key) {
        places.emplace(key.name, keys.size());
        keys.push_back(std::move(key));
    }
};

class ShapeMaker {
public:
    explicit ShapeMaker(SchemaTree &tree) : tree_(tree) {}

    // Of a schema by itself, without what applies beside it; kNoNode says nothing.
    Shape own(NodeId schema);
    // Of one that may say anything.
    Shape unknown();
    // What holds where all of them do, the first of them the own one of the schema.
    Shape allOf(NodeId schema, const std::vector<const Shape *> &parts);
    // What holds where one of them does.
    Shape oneOf(const std::vector<const Shape *> &options);

private:
    void ownFurther(NodeId schema, Shape &shape);
    NodeId smallOrOpen(NodeId form);
    void add(Further &to, NodeId form);
    void meet(Further &to, const Further &more);
    void merge(Key &known, const Key &more);
    void meetFurther(Shape &shape, const std::vector<const Shape *> &parts);
    void unevaluated(NodeId schema, Shape &shape);
    Key eitherKey(const std::string &name, const std::vector<const Shape *> &options);

    SchemaTree &tree_;
};

} // namespace tenon::schema
