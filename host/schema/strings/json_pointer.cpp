// SPDX-License-Identifier: Apache-2.0
#include "schema/strings/json_pointer.h"

#include <charconv>

namespace tenon::schema {

using json::Value;

std::optional<std::string> keyOfToken(std::string_view token) {
    std::string out(token);
    for (std::size_t i = 0; (i = out.find('~', i)) != std::string::npos; ++i) {
        if (i + 1 == out.size() || (out[i + 1] != '0' && out[i + 1] != '1')) {
            return std::nullopt;
        }
        out.replace(i, 2, out[i + 1] == '0' ? "~" : "/");
    }
    return out;
}

Value childOf(Value parent, std::string_view key) {
    if (!parent.isArray()) {
        return parent[key];
    }
    std::size_t want = 0;
    const auto *const last = key.data() + key.size();
    const auto read = std::from_chars(key.data(), last, want);
    if (read.ec != std::errc() || read.ptr != last || (key.size() > 1 && key[0] == '0')) {
        return {};
    }
    for (const Value item : parent.items()) {
        if (want-- == 0) {
            return item;
        }
    }
    return {};
}

} // namespace tenon::schema
