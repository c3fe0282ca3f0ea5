// SPDX-License-Identifier: Apache-2.0
// The words that a caller may have meant, and lists of words for error messages.
#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace everyday {

// At most countMax of known, the nearest to seen first; empty when none is near. Letter case, and
// '_' and ' ', count little; a word that holds seen, or is held by it, is near.
std::vector<std::string> nearest(std::string_view seen, const std::vector<std::string> &known,
                                 std::size_t countMax = 3);

// `"a", "b" or "c"`, cut after countMax words with the number of those that were left out.
std::string listed(const std::vector<std::string> &words, std::string_view conjunction = "or",
                   std::size_t countMax = 20);

// The word in double quotes, cut to a readable length at a character's end.
std::string inQuotes(std::string_view word);

} // namespace everyday
