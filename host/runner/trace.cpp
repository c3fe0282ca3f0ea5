// SPDX-License-Identifier: Apache-2.0
#include "runner/trace.h"

#include <algorithm>
#include <cstdint>
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

void writeHex(char *out, std::uint64_t bits) {
    static constexpr char kHex[] = "0123456789abcdef";
    bits |= bits == 0 ? 1U : 0U; // an id of zeros is not valid
    for (int i = 15; i >= 0; --i, bits >>= 4U) {
        out[i] = kHex[bits & 15U];
    }
}

bool isTraceparent(std::string_view text) {
    static constexpr std::string_view kShape = "hh-hhhhhhhhhhhhhhhhhhhhhhhhhhhhhhhh-hhhhhhhhhhhhhhhh-hh";
    const auto fits = [](char c, char shape) {
        return shape == '-' ? c == '-' : (c >= '0' && c <= '9') || (c >= 'a' && c <= 'f');
    };
    return text.size() == kShape.size() &&
           std::equal(text.begin(), text.end(), kShape.begin(), fits) &&
           text.substr(0, 2) != "ff" && text.substr(3, 32).find_first_not_of('0') != text.npos &&
           text.substr(36, 16).find_first_not_of('0') != text.npos;
}

} // namespace

Trace Trace::childOf(std::string_view traceparent) {
    Trace trace;
    trace.hasParent_ = isTraceparent(traceparent);
    if (trace.hasParent_) {
        std::copy(traceparent.begin(), traceparent.end(), trace.text_.begin());
        std::copy_n(traceparent.begin() + 36, 16, trace.parent_.begin());
    } else {
        writeHex(&trace.text_[3], randomBits());
        writeHex(&trace.text_[19], randomBits());
        trace.text_[35] = trace.text_[52] = '-';
        trace.text_[53] = '0';
        trace.text_[54] = '1';
    }
    trace.text_[0] = trace.text_[1] = '0';
    trace.text_[2] = '-';
    writeHex(&trace.text_[36], randomBits());
    return trace;
}

} // namespace tenon
