// SPDX-License-Identifier: Apache-2.0
// A regular expression on the first line and a text behind it.
#include "schema/strings/pattern.h"
#include "check.h"

#include <array>

using namespace tenon;
using namespace tenon::fuzz;

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t *data, std::size_t size) {
    const auto [source, text] = halvesOf(textOf(data, size));
    // Both come out of JSON strings, so they are UTF-8.
    const auto isUtf8 = [](std::string_view part) {
        json::Document document;
        std::string quoted;
        for (const char c : part) {
            quoted += static_cast<unsigned char>(c) < 0x20 || c == '"' || c == '\\' ? ' ' : c;
        }
        quoted = '"' + quoted + '"';
        return document.readView(quoted).has_value();
    };
    if (!isUtf8(source) || !isUtf8(text)) {
        return 0;
    }
    (void)schema::isEcmaRegex(source);
    const auto compiled = schema::Pattern::compile(source);
    if (!compiled) {
        must(!compiled.error().message.empty(), "a refusal has words");
        return 0;
    }
    must((*compiled)->source() == source, "a pattern knows its source");
    static constexpr std::array<std::string_view, 4> kTexts{"", "aaaaaaaaaaaaaaaaaaaaaaaa!",
                                                            "x-1 foo_bar 2024", "日本 👍\n"};
    for (const auto other : kTexts) {
        (void)(*compiled)->search(other);
    }
    const auto match = (*compiled)->search(text);
    must((*compiled)->search(text) == match, "a text matches or does not");
    must(!(*compiled)->linear() || match != schema::Pattern::Match::TooCostly,
         "a linear pattern is never too costly");
    return 0;
}
