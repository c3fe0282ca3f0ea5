// SPDX-License-Identifier: Apache-2.0
// Changes to the text of a value: what is not changed keeps its bytes.
#pragma once

#include "json/document.h"

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace tenon::json {

class Edits {
public:
    // root, and so its document, must outlive this.
    explicit Edits(Value root) : root_(root) {}

    // A value that root holds becomes this JSON text. No two edits may be of the same place.
    void replace(Value value, std::string text);
    // An object loses the members whose values stand at `dropped` (index(), ascending), and gets
    // `added` at its end: members as they are written, with commas between them, or "".
    void changeMembers(Value object, const std::vector<std::uint32_t> &dropped,
                       std::string_view added);

    bool empty() const { return edits_.empty(); }
    std::string apply() const; // the new text of root

private:
    struct Edit {
        std::size_t start, end; // in the text of root
        std::string text;
    };
    void put(const char *start, const char *end, std::string text);

    Value root_;
    std::vector<Edit> edits_;
};

} // namespace tenon::json
