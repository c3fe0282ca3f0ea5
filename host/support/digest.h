// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <string_view>

namespace tenon {

// SHA-256 of bytes in 64 lower-case hexadecimal digits (libmd).
std::string sha256Hex(std::string_view bytes);

// Standard base64 with padding (RFC 4648 section 4), appended to out.
void appendBase64(std::string &out, std::string_view bytes);

} // namespace tenon
