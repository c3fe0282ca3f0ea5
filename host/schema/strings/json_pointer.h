// SPDX-License-Identifier: Apache-2.0
// The steps of a JSON Pointer (RFC 6901).
#pragma once

#include "json/document.h"

#include <optional>
#include <string>
#include <string_view>

namespace tenon::schema {

// A token as the key that it stands for: ~1 is "/" and ~0 is "~"; none if it has another "~".
std::optional<std::string> keyOfToken(std::string_view token);

// The member or item of a key; missing if there is none.
json::Value childOf(json::Value parent, std::string_view key);

} // namespace tenon::schema
