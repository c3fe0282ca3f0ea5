// SPDX-License-Identifier: Apache-2.0
// hash: message digests of a text or of bytes.
#pragma once

#include <tenon/fields.hpp>

#include <cstdint>
#include <optional>
#include <string>

namespace everyday {

struct Hash {
    std::string algorithm = "sha256";
    std::optional<std::string> text;
    std::optional<std::string> base64;
    std::string encoding = "hex";
};
inline void describe(tenon::Fields<Hash> &f) {
    f.field("algorithm", &Hash::algorithm,
            "md5 and sha1 are broken for security: use them only to compare with existing values.")
        .oneOf({"md5", "sha1", "sha256", "sha384", "sha512"})
        .optional()
        .raw("default", "\"sha256\"");
    f.field("text", &Hash::text,
            "The text to hash; its UTF-8 bytes are hashed exactly as given, nothing is trimmed. "
            "Give either text or base64.");
    f.field("base64", &Hash::base64,
            "The bytes to hash, in standard base64 with padding. Give either text or base64.");
    f.field("encoding", &Hash::encoding, "How the digest is written: hex is in lower case.")
        .oneOf({"hex", "base64"})
        .optional()
        .raw("default", "\"hex\"");
}

struct Digest {
    std::string digest;
    std::string algorithm;
    std::string encoding;
    std::uint64_t bytes = 0;
};
inline void describe(tenon::Fields<Digest> &f) {
    f.field("digest", &Digest::digest);
    f.field("algorithm", &Digest::algorithm);
    f.field("encoding", &Digest::encoding);
    f.field("bytes", &Digest::bytes, "How many bytes were hashed.");
}

Digest hash(const Hash &in);

} // namespace everyday
