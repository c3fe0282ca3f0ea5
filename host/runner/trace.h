// SPDX-License-Identifier: Apache-2.0
// W3C trace context, without allocating.
#pragma once

#include <array>
#include <string_view>

namespace tenon {

class Trace {
public:
    // A child of the span that a traceparent names; a trace of its own where that is "" or not
    // well-formed.
    static Trace childOf(std::string_view traceparent);

    std::string_view traceId() const { return part(3, 32); }
    std::string_view spanId() const { return part(36, 16); }
    // "" at the root of a trace.
    std::string_view parentSpanId() const { return {parent_.data(), hasParent_ ? 16U : 0U}; }
    // "00-<traceId>-<spanId>-<flags>"
    std::string_view traceparent() const { return {text_.data(), text_.size()}; }

private:
    std::string_view part(std::size_t from, std::size_t size) const {
        return std::string_view(text_.data(), text_.size()).substr(from, size);
    }

    std::array<char, 55> text_{};
    std::array<char, 16> parent_{};
    bool hasParent_ = false;
};

} // namespace tenon
