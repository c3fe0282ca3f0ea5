// SPDX-License-Identifier: Apache-2.0
// Any JSON as a schema: refused with words, or run over a few values, the schema itself among them.
#include "check.h"

#include <array>

using namespace tenon;
using namespace tenon::fuzz;

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t *data, std::size_t size) {
    json::Document schema;
    if (!schema.readView(textOf(data, size))) {
        return 0;
    }
    schema::Options options;
    options.formats = schema::Formats::Assert;
    options.fillDefaults = false;
    const auto compiled = schema::Schema::compile(schema.root(), limits(), options);
    if (!compiled) {
        must(!compiled.error().message.empty(), "a refusal has words");
        return 0;
    }
    static constexpr std::array kValues{
        R"(null)",
        R"(true)",
        R"(0)",
        R"(-1.50e3)",
        R"(9007199254740993)",
        R"("")",
        R"("foo")",
        R"("2024-02-29")",
        R"("{\"a\":[1]}")",
        R"([])",
        R"([1,"1",1.0,null,[1]])",
        R"({})",
        R"({"a":1,"b":"x","foo":null,"":[{}]})",
        R"({"a":{"a":{"a":{"a":[]}}},"foo":["bar","baz"]})",
    };
    for (const auto *text : kValues) {
        const auto value = readAgain(text, "the values here are JSON");
        checkValue(**compiled, value.root(), Defaults::Ignored);
    }
    checkValue(**compiled, schema.root(), Defaults::Ignored);
    return 0;
}
