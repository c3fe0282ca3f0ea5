// SPDX-License-Identifier: Apache-2.0
// A schema on the first line and a value behind it. White space in either decides nothing.
#include "check.h"
#include "json/writer.h"

using namespace tenon;
using namespace tenon::fuzz;

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t *data, std::size_t size) {
    const auto [first, second] = halvesOf(textOf(data, size));
    json::Document schema, value;
    if (!schema.readView(first) || !value.readView(second)) {
        return 0;
    }
    schema::Options options;
    options.formats = schema::Formats::Assert;
    const auto compiled = schema::Schema::compile(schema.root(), limits(), options);
    const auto spaced = readAgain(json::pretty(schema.root()), "pretty() writes JSON");
    const auto same = schema::Schema::compile(spaced.root(), limits(), options);
    must(compiled.has_value() == same.has_value(), "white space does not make a schema valid");
    if (!compiled) {
        return 0;
    }
    checkValue(**compiled, value.root(), Defaults::Filled);
    const auto compact = readAgain(json::compact(value.root()), "compact() writes JSON");
    must((*compiled)->validate(value.root()).empty() == (*same)->validate(compact.root()).empty(),
         "white space does not make a value valid");
    return 0;
}
