// SPDX-License-Identifier: Apache-2.0
// Any bytes as an operator's file, and as plain YAML.
#include "check.h"
#include "manifest/manifest.h"
#include "manifest/yaml.h"

using namespace tenon;
using namespace tenon::fuzz;

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t *data, std::size_t size) {
    const std::string text(textOf(data, size));
    const auto made = manifest::readManifestText(text, "tenon.yaml", "/nowhere");
    must(made || !made.error().message.empty(), "a refusal has words");
    const auto tree = manifest::readYaml(text, "tenon.yaml");
    if (!tree) {
        must(!made, "a manifest is YAML");
        return 0;
    }
    if (const auto json = manifest::toJson(*tree, "tenon.yaml")) {
        readAgain(*json, "toJson() writes JSON");
    }
    return 0;
}
