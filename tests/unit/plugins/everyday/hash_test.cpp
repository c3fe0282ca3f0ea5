// SPDX-License-Identifier: Apache-2.0
#include "refusal.h"

#include <everyday/base64.h>
#include <everyday/hash.h>

using namespace everyday;

namespace {

std::string digestOf(const std::string &algorithm, const std::string &text) {
    return hash({algorithm, text, std::nullopt, "hex"}).digest;
}
std::string decoded(const std::string &base64) {
    return base64Decode(base64);
}
Refusal base64Refusal(const std::string &base64) {
    return refusalOf([&] { base64Decode(base64); });
}

} // namespace

TEST_CASE("each algorithm gives the known digest of the empty text and of abc") {
    CHECK(digestOf("md5", "") == "d41d8cd98f00b204e9800998ecf8427e");
    CHECK(digestOf("md5", "abc") == "900150983cd24fb0d6963f7d28e17f72");
    CHECK(digestOf("sha1", "") == "da39a3ee5e6b4b0d3255bfef95601890afd80709");
    CHECK(digestOf("sha1", "abc") == "a9993e364706816aba3e25717850c26c9cd0d89d");
    CHECK(digestOf("sha256", "") ==
          "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855");
    CHECK(digestOf("sha256", "abc") ==
          "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad");
    CHECK(digestOf("sha384", "abc") ==
          "cb00753f45a35e8bb5a03d699ac65007272c32ab0eded1631a8b605a43ff5bed8086072ba1e7cc2358baeca"
          "134c825a7");
    CHECK(digestOf("sha512", "abc") ==
          "ddaf35a193617abacc417349ae20413112e6fa4e89a97ea20a9eeee64b55d39a2192992a274fc1a836ba3c2"
          "3a3feebbd454d4423643ce80e2a9ac94fa54ca49f");
}

TEST_CASE("a text is hashed as its UTF-8 bytes and the bytes are counted") {
    const auto out = hash({"sha256", "h\u00E9llo", std::nullopt, "hex"});
    CHECK(out.digest == "3c48591d8d098a4538f5e013dfcf406e948eac4d3277b10bf614e295d6068179");
    CHECK(out.bytes == 6);
    CHECK(digestOf("md5", "h\u00E9llo") == "be50e8478cf24ff3595bc7307fb91b50");
}

TEST_CASE("bytes in base64 are hashed, zero bytes and invalid UTF-8 included") {
    const auto out = hash({"sha256", std::nullopt, "AP/+", "hex"}); // 00 FF FE
    CHECK(out.digest == "d590f90f7944340fb253f0c59cb89fd41d4ec255ff246f524f8f7c94f0a233e5");
    CHECK(out.bytes == 3);
}

TEST_CASE("a digest can be had in base64") {
    CHECK(hash({"sha256", "abc", std::nullopt, "base64"}).digest ==
          "ungWv48Bz+pBQUDeXa4iI7ADYaOWF3qctBD/YfIAFa0=");
}

TEST_CASE("exactly one of text and base64 is taken, an empty text being a text") {
    CHECK(holds(refusalOf([] { hash({"md5", {}, {}, "hex"}); }).message, "Neither"));
    CHECK(holds(refusalOf([] { hash({"md5", "a", "YQ==", "hex"}); }).message, "Both"));
    CHECK(hash({"md5", "", {}, "hex"}).bytes == 0);
    CHECK(hash({"md5", {}, "", "hex"}).digest == "d41d8cd98f00b204e9800998ecf8427e");
}

TEST_CASE("an unknown algorithm is refused with those that exist") {
    const auto refusal = refusalOf([] { digestOf("sha3", "a"); });
    CHECK(refusal.message == "There is no algorithm \"sha3\".");
    CHECK(refusal.hint == R"(Use "md5", "sha1", "sha256", "sha384" or "sha512".)");
}

TEST_CASE("base64 goes both ways for the vectors of RFC 4648") {
    const std::pair<const char *, const char *> vectors[] = {{"", ""},
                                                             {"f", "Zg=="},
                                                             {"fo", "Zm8="},
                                                             {"foo", "Zm9v"},
                                                             {"foob", "Zm9vYg=="},
                                                             {"fooba", "Zm9vYmE="},
                                                             {"foobar", "Zm9vYmFy"}};
    for (const auto &[plain, base64] : vectors) {
        CHECK(decoded(base64) == plain);
        const std::string text = plain;
        CHECK(base64Encode({reinterpret_cast<const std::uint8_t *>(text.data()), text.size()}) ==
              base64);
    }
}

TEST_CASE("invalid base64 is refused with the position and what stood there") {
    CHECK(holds(base64Refusal("YW*j").message, "'*' at position 2"));
    CHECK(holds(base64Refusal("YWJj\nYWJj").message, "the byte 0x0A at position 4"));
    CHECK(holds(base64Refusal("YWJj\nYWJj").hint, "line breaks"));
    CHECK(holds(base64Refusal("YW-_").message, "'-' at position 2"));
    CHECK(holds(base64Refusal("YW-_").hint, "base64url"));
    CHECK(holds(base64Refusal("\u00E9abc").message, "the byte 0xC3 at position 0"));
}

TEST_CASE("base64 without padding, with padding inside or with too much of it is refused") {
    CHECK(holds(base64Refusal("YQ").message, "its end at position 2"));
    CHECK(holds(base64Refusal("YWJjY").message, "its end at position 5"));
    CHECK(holds(base64Refusal("YQ==YQ==").message, "'=' at position 2"));
    CHECK(holds(base64Refusal("YQ==YQ==").hint, "joined"));
    CHECK(holds(base64Refusal("Y===").message, "'=' at position 1"));
    CHECK(holds(base64Refusal("====").message, "'=' at position 0"));
    CHECK(holds(base64Refusal("YQ=a").message, "'=' at position 2"));
}

TEST_CASE("base64 with bits that belong to no byte is refused, since two texts would be one") {
    CHECK(decoded("YQ==") == "a");
    CHECK(holds(base64Refusal("YR==").message, "'R' at position 1"));
    CHECK(decoded("YWI=") == "ab");
    CHECK(holds(base64Refusal("YWJ=").message, "'J' at position 2"));
}
