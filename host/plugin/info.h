// SPDX-License-Identifier: Apache-2.0
// What a plugin file says of itself, read from its bytes without running any of its code.
#pragma once

#include "support/result.h"

#include <cstdint>
#include <string>

namespace tenon::plugin {

struct PluginInfo {
    std::uint32_t abiMajor = 0;
    std::uint32_t abiMinor = 0;
    std::string target, id, version;
};

// Checks that path is a readable, regular ELF library of this machine's architecture whose info
// record has this host's target and major version. Every read is bounded by the file's size.
Result<PluginInfo> readInfo(const std::string &path);

} // namespace tenon::plugin
