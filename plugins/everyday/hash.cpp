// SPDX-License-Identifier: Apache-2.0
#include <everyday/hash.h>

#include <everyday/base64.h>
#include <everyday/nearest.h>

#include <tenon/context.hpp>

#include <md5.h>
#include <sha1.h>
#include <sha2.h>

#include <array>

namespace everyday {
namespace {

using Bytes = std::span<const std::uint8_t>;

template <class State, std::size_t size, auto init, auto update, auto final>
std::vector<std::uint8_t> digestWith(Bytes bytes) {
    State state;
    init(&state);
    update(&state, bytes.data(), bytes.size());
    std::vector<std::uint8_t> out(size);
    final(out.data(), &state);
    return out;
}

struct Algorithm {
    std::string_view name;
    std::vector<std::uint8_t> (*digest)(Bytes);
};
constexpr std::array kAlgorithms = {
    Algorithm{"md5", &digestWith<MD5_CTX, MD5_DIGEST_LENGTH, MD5Init, MD5Update, MD5Final>},
    Algorithm{"sha1", &digestWith<SHA1_CTX, SHA1_DIGEST_LENGTH, SHA1Init, SHA1Update, SHA1Final>},
    Algorithm{"sha256",
              &digestWith<SHA2_CTX, SHA256_DIGEST_LENGTH, SHA256Init, SHA256Update, SHA256Final>},
    Algorithm{"sha384",
              &digestWith<SHA2_CTX, SHA384_DIGEST_LENGTH, SHA384Init, SHA384Update, SHA384Final>},
    Algorithm{"sha512",
              &digestWith<SHA2_CTX, SHA512_DIGEST_LENGTH, SHA512Init, SHA512Update, SHA512Final>},
};

const Algorithm &algorithmOf(const std::string &name) {
    std::vector<std::string> names;
    for (const auto &algorithm : kAlgorithms) {
        if (algorithm.name == name) {
            return algorithm;
        }
        names.emplace_back(algorithm.name);
    }
    throw tenon::ToolError("BAD_REQUEST", "There is no algorithm " + inQuotes(name) + ".")
        .hint("Use " + listed(names) + ".");
}

std::string hex(Bytes bytes) {
    static constexpr char kHex[] = "0123456789abcdef";
    std::string out;
    for (const auto byte : bytes) {
        out += {kHex[byte >> 4], kHex[byte & 15]};
    }
    return out;
}

} // namespace

Digest hash(const Hash &in) {
    if (in.text.has_value() == in.base64.has_value()) {
        throw tenon::ToolError("BAD_REQUEST",
                               in.text ? "Both text and base64 were given: expected one of them."
                                       : "Neither text nor base64 was given: expected one of them.")
            .hint("Use text for a text, base64 for bytes; an empty text is text \"\".");
    }
    const Algorithm &algorithm = algorithmOf(in.algorithm);
    if (in.encoding != "hex" && in.encoding != "base64") {
        throw tenon::ToolError("BAD_REQUEST", "There is no encoding " + inQuotes(in.encoding) + ".")
            .hint("Use hex or base64.");
    }
    const std::string input = in.text ? *in.text : base64Decode(*in.base64);
    const auto digest =
        algorithm.digest({reinterpret_cast<const std::uint8_t *>(input.data()), input.size()});
    return {in.encoding == "hex" ? hex(digest) : base64Encode(digest), in.algorithm, in.encoding,
            input.size()};
}

} // namespace everyday
