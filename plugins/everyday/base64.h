// SPDX-License-Identifier: Apache-2.0
// Base64 as RFC 4648 section 4 has it: the standard alphabet, padding required, one spelling only.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <string_view>

namespace everyday {

std::string base64Encode(std::span<const std::uint8_t> bytes);

// Throws tenon::ToolError that names the position (in bytes, from 0) and what stood there.
std::string base64Decode(std::string_view text);

} // namespace everyday
