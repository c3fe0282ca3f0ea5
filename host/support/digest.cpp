// SPDX-License-Identifier: Apache-2.0
#include "support/digest.h"

#include <sha2.h>

#include <cstdint>

namespace tenon {

std::string sha256Hex(std::string_view bytes) {
    char hex[SHA256_DIGEST_STRING_LENGTH];
    SHA256Data(reinterpret_cast<const std::uint8_t *>(bytes.data()), bytes.size(), hex);
    return hex;
}

void appendBase64(std::string &out, std::string_view bytes) {
    static constexpr char kAlphabet[] =
        "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
    out.reserve(out.size() + (bytes.size() + 2) / 3 * 4);
    for (std::size_t i = 0; i < bytes.size(); i += 3) {
        const auto byte = [&](std::size_t k) -> std::uint32_t {
            return i + k < bytes.size() ? static_cast<unsigned char>(bytes[i + k]) : 0U;
        };
        const std::uint32_t group = (byte(0) << 16) | (byte(1) << 8) | byte(2);
        out += kAlphabet[group >> 18];
        out += kAlphabet[(group >> 12) & 63U];
        out += i + 1 < bytes.size() ? kAlphabet[(group >> 6) & 63U] : '=';
        out += i + 2 < bytes.size() ? kAlphabet[group & 63U] : '=';
    }
}

} // namespace tenon
