// SPDX-License-Identifier: Apache-2.0
// Punycode (RFC 3492): a label of a host name beyond ASCII as letters, digits and hyphens, without
// the "xn--". Private to this folder.
#pragma once

#include <optional>
#include <string>
#include <string_view>

namespace tenon::schema {

std::string punycodeOf(std::string_view label);
// The label that was encoded; none for what is no Punycode.
std::optional<std::string> fromPunycode(std::string_view encoded);

} // namespace tenon::schema
