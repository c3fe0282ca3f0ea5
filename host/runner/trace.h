// SPDX-License-Identifier: Apache-2.0
// W3C trace context. Kept as numbers: most calls end before anybody asks for the text.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

namespace tenon {

class Trace {
public:
    // A child of the span that a traceparent names; a trace of its own where that is "" or not
    // well-formed.
    static Trace childOf(std::string_view traceparent);

    // In lower-case hex digits.
    std::string traceId() const;      // 32
    std::string spanId() const;       // 16
    std::string parentSpanId() const; // 16, or "" at the root of a trace
    std::string traceparent() const;  // "00-<traceId>-<spanId>-<flags>"

private:
    std::uint64_t traceHigh_ = 0, traceLow_ = 0;
    std::uint64_t span_ = 0, parent_ = 0; // parent 0: none
    std::uint8_t flags_ = 1;
};

} // namespace tenon
