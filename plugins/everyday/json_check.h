// SPDX-License-Identifier: Apache-2.0
// A strict check of JSON text (RFC 8259) that came inside a string, where the host did not look.
#pragma once

#include <string_view>

namespace everyday {

// Throws tenon::ToolError that names line and column (in characters, from 1) and what was expected
// there. Bounded in depth, without recursion. Lone surrogates are refused: they are no text.
void checkJson(std::string_view text);

} // namespace everyday
