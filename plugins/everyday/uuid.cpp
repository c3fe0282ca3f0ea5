// SPDX-License-Identifier: Apache-2.0
#include <everyday/uuid.h>

#include <everyday/nearest.h>

#include <tenon/context.hpp>

#include <chrono>
#include <system_error>

#include <sys/random.h>
#include <unistd.h>

namespace everyday {
namespace {

constexpr std::size_t kRequestBytesMax = 256; // above this the kernel may give less than asked

// getentropy is getrandom(2) with its retries on Linux, and exists on macOS too.
void fillFromKernel(std::span<std::uint8_t> out) {
    while (!out.empty()) {
        const auto part = out.first(std::min(out.size(), kRequestBytesMax));
        if (getentropy(part.data(), part.size()) != 0) {
            throw std::system_error(errno, std::generic_category(), "getentropy");
        }
        out = out.subspan(part.size());
    }
}

std::string formatted(const std::array<std::uint8_t, 16> &bytes) {
    static constexpr char kHex[] = "0123456789abcdef";
    std::string out;
    for (std::size_t i = 0; i < bytes.size(); ++i) {
        if (i == 4 || i == 6 || i == 8 || i == 10) {
            out += '-';
        }
        out += {kHex[bytes[i] >> 4], kHex[bytes[i] & 15]};
    }
    return out;
}

std::string marked(std::array<std::uint8_t, 16> bytes, std::uint8_t version) {
    bytes[6] = static_cast<std::uint8_t>((bytes[6] & 0x0F) | version << 4);
    bytes[8] = static_cast<std::uint8_t>((bytes[8] & 0x3F) | 0x80);
    return formatted(bytes);
}

template <std::unsigned_integral T> T randomOf(const UuidSource &source) {
    std::array<std::uint8_t, sizeof(T)> bytes{};
    source.fill(bytes);
    T out = 0;
    for (const auto byte : bytes) {
        out = static_cast<T>(out << 8 | byte);
    }
    return out;
}

} // namespace

UuidSource systemUuidSource() {
    return {&fillFromKernel, [] {
                const auto now = std::chrono::system_clock::now().time_since_epoch();
                const auto ms = std::chrono::duration_cast<std::chrono::milliseconds>(now).count();
                return static_cast<std::uint64_t>(ms);
            }};
}

std::string uuidV4(std::array<std::uint8_t, 16> random) {
    return marked(random, 4);
}

std::string uuidV7(std::uint64_t unixMs, std::uint16_t counter, std::uint64_t random) {
    std::array<std::uint8_t, 16> bytes{};
    for (std::size_t i = 0; i < 6; ++i) {
        bytes[i] = static_cast<std::uint8_t>(unixMs >> (40 - 8 * i) & 0xFF);
    }
    bytes[6] = static_cast<std::uint8_t>(counter >> 8 & 0xFF);
    bytes[7] = static_cast<std::uint8_t>(counter & 0xFF);
    for (std::size_t i = 0; i < 8; ++i) {
        bytes[8 + i] = static_cast<std::uint8_t>(random >> (56 - 8 * i) & 0xFF);
    }
    return marked(bytes, 7);
}

Uuids makeUuids(const Uuid &in, const UuidSource &source) {
    if (in.count < 1 || in.count > 100) {
        throw tenon::ToolError("BAD_REQUEST",
                               "The count is " + std::to_string(in.count) + ": expected 1 to 100.")
            .hint("For more, call again.");
    }
    if (in.version != "v4" && in.version != "v7") {
        throw tenon::ToolError("BAD_REQUEST", "There is no version " + inQuotes(in.version) + ".")
            .hint("Use v4 or v7.");
    }
    Uuids out;
    if (in.version == "v4") {
        for (std::int64_t i = 0; i < in.count; ++i) {
            std::array<std::uint8_t, 16> random{};
            source.fill(random);
            out.uuids.push_back(uuidV4(random));
        }
        return out;
    }
    // RFC 9562, 6.2, method 1: one time for the call, and a counter of 12 bits that starts at a
    // random number of 11 bits, so that 100 steps cannot overflow it.
    const std::uint64_t unixMs = source.unixMs();
    auto counter = static_cast<std::uint16_t>(randomOf<std::uint16_t>(source) & 0x7FF);
    for (std::int64_t i = 0; i < in.count; ++i) {
        out.uuids.push_back(uuidV7(unixMs, counter++, randomOf<std::uint64_t>(source)));
    }
    return out;
}

} // namespace everyday
