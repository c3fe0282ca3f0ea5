// SPDX-License-Identifier: Apache-2.0
#include "schema/projection/places.h"

#include "schema/strings/json_pointer.h"
#include "schema/strings/uri.h"
#include "support/text.h"

#include <algorithm>

namespace tenon::schema {

using json::Value;

namespace {

std::string escaped(std::string_view token) {
    std::string out;
    for (const char c : token) {
        out += c == '~' ? "~0" : c == '/' ? "~1" : std::string(1, c);
    }
    return out;
}

// A longer pointer helps nobody, and those of deep schemas would add up.
constexpr std::size_t kPointerBytesMax = 2'000;

std::string below(const std::string &pointer, std::string_view token) {
    return pointer.size() < kPointerBytesMax ? concat(pointer, "/", token) : pointer;
}

} // namespace

Places::Places(Value root) : root_(root) {
    byUri_[""] = root;
    add(root, {"", "", {}});
}

Value Places::target(Value schema) const {
    const auto reference = schema["$ref"];
    if (reference.isString()) {
        return resolve(resolveUri(of(schema).base, reference.string()));
    }
    const auto dynamic = schema["$dynamicRef"];
    return dynamic.isString() ? dynamicTarget(of(schema), dynamic.string()) : Value();
}

void Places::addPointed(Value schema) {
    if (!knows(schema)) {
        add(schema, {pointers_.at(schema.index()), of(root_).base, of(root_).dialect});
    }
}

void Places::add(Value schema, Place place) {
    Open open{{schema, std::move(place)}};
    while (!open.empty()) {
        auto [value, at] = std::move(open.back());
        open.pop_back();
        if (knows(value) || !(value.isObject() || value.isTrue() || value.isFalse())) {
            continue;
        }
        identify(value, at);
        found_.push_back(value);
        children(value, at, open);
        places_[value.index()] = std::move(at);
    }
}

void Places::identify(Value schema, Place &at) {
    if (const auto dialect = builtinDialect(schema["$schema"].string())) {
        at.dialect = *dialect;
    }
    const bool old = at.dialect.isDraft07();
    const auto id = schema["$id"].string();
    if (old && id.starts_with('#')) {
        byUri_.emplace(concat(at.base, id), schema);
    } else if (!id.empty() && !(old && schema["$ref"])) {
        const auto uri = resolveUri(at.base, id);
        at.base = std::string(splitFragment(uri).document);
        byUri_.emplace(at.base, schema);
    }
    for (const auto *keyword : {"$anchor", "$dynamicAnchor"}) {
        if (const auto anchor = schema[keyword]; anchor.isString() && !old) {
            byUri_.emplace(concat(at.base, "#", anchor.string()), schema);
            if (keyword[1] == 'd') {
                dynamic_[std::string(anchor.string())].push_back(schema);
            }
        }
    }
}

void Places::children(Value schema, const Place &at, Open &open) {
    for (const auto &[key, value] : schema.members()) {
        const auto *const holder =
            std::find_if(kHolders.begin(), kHolders.end(), [&, k = key](const auto &known) {
                return known.name == k && known.isOf(at.dialect);
            });
        if (holder == kHolders.end()) {
            continue;
        }
        const auto pointer = below(at.pointer, key);
        if (holder->holds == Holds::Map || holder->holds == Holds::MapOrLists) {
            for (const auto &[name, part] : value.members()) {
                open.push_back({part, {below(pointer, escaped(name)), at.base, at.dialect}});
            }
            continue;
        }
        std::size_t i = 0;
        for (const auto part : value.items()) {
            open.push_back({part, {below(pointer, concat(i++)), at.base, at.dialect}});
        }
        open.push_back({value, {pointer, at.base, at.dialect}});
    }
}

Value Places::resolve(std::string_view uri) const {
    if (const auto whole = byUri_.find(uri); whole != byUri_.end()) {
        return whole->second;
    }
    const auto [document, fragment, hasFragment] = splitFragment(uri);
    const auto resource = byUri_.find(document);
    if (resource == byUri_.end()) {
        return {};
    }
    return fragment.empty() ? resource->second
                            : pointed(resource->second, percentDecoded(fragment));
}

Value Places::pointed(Value from, std::string_view pointer) const {
    auto at = knows(from) ? of(from).pointer : std::string();
    while (from && pointer.starts_with('/')) {
        pointer.remove_prefix(1);
        const auto key = keyOfToken(pointer.substr(0, pointer.find('/')));
        pointer.remove_prefix(std::min(pointer.size(), pointer.find('/')));
        from = key ? childOf(from, *key) : Value();
        at = below(at, escaped(key.value_or("")));
    }
    if (!pointer.empty() || !(from.isObject() || from.isTrue() || from.isFalse())) {
        return {};
    }
    pointers_.emplace(from.index(), at);
    return from;
}

// As it would be for a caller who came by no other resource, if there is one answer.
Value Places::dynamicTarget(const Place &at, std::string_view reference) const {
    const auto plain = resolve(resolveUri(at.base, reference));
    const auto name = splitFragment(reference).fragment;
    const auto anchors = dynamic_.find(name);
    const bool one = anchors == dynamic_.end() || anchors->second.size() == 1;
    return one ? plain : Value();
}

} // namespace tenon::schema
