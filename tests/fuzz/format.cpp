// SPDX-License-Identifier: Apache-2.0
// Any text by every format.
#include "schema/strings/format.h"
#include "check.h"

#include <array>

using namespace tenon;
using namespace tenon::fuzz;

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t *data, std::size_t size) {
    static constexpr std::array kNames{
        "date",
        "time",
        "date-time",
        "duration",
        "email",
        "idn-email",
        "hostname",
        "idn-hostname",
        "ipv4",
        "ipv6",
        "uri",
        "uri-reference",
        "iri",
        "iri-reference",
        "uri-template",
        "uuid",
        "json-pointer",
        "regex",
        "relative-json-pointer",
    };
    std::string quoted = "\"";
    quoted += textOf(data, size);
    quoted += '"';
    json::Document document;
    if (!document.readView(quoted)) {
        return 0; // a format sees the text of a JSON string
    }
    for (const auto *name : kNames) {
        const auto *format = schema::findFormat(name);
        must(format != nullptr, "the formats of JSON Schema are known");
        const auto text = document.root().string();
        must(format->check(text) == format->check(std::string(text)), "a text is one or is not");
    }
    return 0;
}
