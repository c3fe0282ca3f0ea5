// SPDX-License-Identifier: Apache-2.0
// The formats that JSON Schema names, as checks of a text.
#pragma once

#include <string_view>

namespace tenon::schema {

struct Format {
    std::string_view name;
    std::string_view expected;            // in words: "a date such as 2024-05-01"
    bool (*check)(std::string_view text); // of UTF-8; never throws
};

// nullptr: nobody knows it, which is no error.
const Format *findFormat(std::string_view name);

} // namespace tenon::schema
