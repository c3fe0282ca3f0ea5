// SPDX-License-Identifier: Apache-2.0
#include "runner/trace.h"

#include <algorithm>
#include <charconv>
#include <random>

namespace tenon {

namespace {

// SplitMix64: ids need to be unlike one another, not secret.
std::uint64_t randomBits() {
    thread_local std::uint64_t state = [] {
        std::random_device device;
        return (std::uint64_t{device()} << 32U) | device();
    }();
    state += 0x9E3779B97F4A7C15ULL;
    std::uint64_t z = state;
    z = (z ^ (z >> 30U)) * 0xBF58476D1CE4E5B9ULL;
    z = (z ^ (z >> 27U)) * 0x94D049BB133111EBULL;
    return z ^ (z >> 31U);
}

std::uint64_t randomId() {
    const std::uint64_t bits = randomBits();
    return bits != 0 ? bits : 1; // an id of zeros is not valid
}

void appendHex(std::string &out, std::uint64_t bits, std::size_t digits) {
    static constexpr char kHex[] = "0123456789abcdef";
    const auto begin = out.size();
    out.resize(begin + digits);
    for (auto at = begin + digits; at > begin; bits >>= 4U) {
        out[--at] = kHex[bits & 15U];
    }
}

std::uint64_t numberOf(std::string_view hex) {
    std::uint64_t value = 0;
    std::from_chars(hex.data(), hex.data() + hex.size(), value, 16);
    return value;
}

bool isTraceparent(std::string_view text) {
    static constexpr std::string_view kShape =
        "hh-hhhhhhhhhhhhhhhhhhhhhhhhhhhhhhhh-hhhhhhhhhhhhhhhh-hh";
    const auto fits = [](char c, char shape) {
        return shape == '-' ? c == '-' : (c >= '0' && c <= '9') || (c >= 'a' && c <= 'f');
    };
    // A later version may have more behind what this one has.
    const bool whole =
        text.size() == kShape.size() ||
        (text.size() > kShape.size() && text.substr(0, 2) != "00" && text[kShape.size()] == '-');
    return whole &&
           std::equal(kShape.begin(), kShape.end(), text.begin(),
                      [&](char shape, char c) { return fits(c, shape); }) &&
           text.substr(0, 2) != "ff" && text.substr(3, 32).find_first_not_of('0') != text.npos &&
           text.substr(36, 16).find_first_not_of('0') != text.npos;
}

} // namespace

Trace Trace::childOf(std::string_view traceparent) {
    Trace trace;
    if (!traceparent.empty() && isTraceparent(traceparent)) {
        trace.traceHigh_ = numberOf(traceparent.substr(3, 16));
        trace.traceLow_ = numberOf(traceparent.substr(19, 16));
        trace.parent_ = numberOf(traceparent.substr(36, 16));
        trace.flags_ = static_cast<std::uint8_t>(numberOf(traceparent.substr(53, 2)));
    } else {
        trace.traceHigh_ = randomId();
        trace.traceLow_ = randomId();
    }
    trace.span_ = randomId();
    return trace;
}

std::string Trace::traceId() const {
    std::string out;
    appendHex(out, traceHigh_, 16);
    appendHex(out, traceLow_, 16);
    return out;
}

std::string Trace::spanId() const {
    std::string out;
    appendHex(out, span_, 16);
    return out;
}

std::string Trace::parentSpanId() const {
    std::string out;
    if (parent_ != 0) {
        appendHex(out, parent_, 16);
    }
    return out;
}

std::string Trace::traceparent() const {
    std::string out = "00-";
    out.reserve(55);
    appendHex(out, traceHigh_, 16);
    appendHex(out, traceLow_, 16);
    out += '-';
    appendHex(out, span_, 16);
    out += '-';
    appendHex(out, flags_, 2);
    return out;
}

} // namespace tenon
