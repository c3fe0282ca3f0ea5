// SPDX-License-Identifier: Apache-2.0
// Any bytes as a plugin's catalog.
#include "catalog/catalog.h"
#include "check.h"

using namespace tenon;
using namespace tenon::fuzz;

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t *data, std::size_t size) {
    const auto text = textOf(data, size);
    const auto made = catalog::Catalog::fromJson(text, limits());
    if (!made) {
        must(!made.error().message.empty(), "a refusal has words");
        return 0;
    }
    const auto again = catalog::Catalog::fromJson(text, limits());
    must(again && (*again)->digest() == (*made)->digest(), "the same catalog has the same digest");
    for (const auto &tool : (*made)->tools()) {
        must(catalog::isToolName(tool.name), "a tool's name is one");
    }
    return 0;
}
