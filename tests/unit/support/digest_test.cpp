// SPDX-License-Identifier: Apache-2.0
#include "support/digest.h"
#include "support/result.h"

#include <catch2/catch.hpp>

#include <stdexcept>

namespace {

std::string base64(std::string_view bytes) {
    std::string out;
    tenon::appendBase64(out, bytes);
    return out;
}

} // namespace

TEST_CASE("sha256Hex gives the digests of FIPS 180-4") {
    CHECK(tenon::sha256Hex("") ==
          "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855");
    CHECK(tenon::sha256Hex("abc") ==
          "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad");
    CHECK(tenon::sha256Hex("abcdbcdecdefdefgefghfghighijhijkijkljklmklmnlmnomnopnopq") ==
          "248d6a61d20638b8e5c026930c3e6039a33ce45964ff2167f6ecedd419db06c1");
    CHECK(tenon::sha256Hex(std::string(1'000'000, 'a')) ==
          "cdc76e5c9914fb9281a1c7e284d73e67f1809a48a497200e046d39ccc7112cd0");
}

TEST_CASE("sha256Hex counts bytes, NUL too") {
    CHECK(tenon::sha256Hex(std::string_view("\0", 1)) ==
          "6e340b9cffb37a989ca544e6bb780a2c78901d3fb33738768511a30617afa01d");
}

TEST_CASE("appendBase64 gives the vectors of RFC 4648") {
    CHECK(base64("").empty());
    CHECK(base64("f") == "Zg==");
    CHECK(base64("fo") == "Zm8=");
    CHECK(base64("foo") == "Zm9v");
    CHECK(base64("foob") == "Zm9vYg==");
    CHECK(base64("fooba") == "Zm9vYmE=");
    CHECK(base64("foobar") == "Zm9vYmFy");
    CHECK(base64("\xFB\xFF\xFE") == "+//+");
    CHECK(base64(std::string_view("\0\0\0", 3)) == "AAAA");
}

TEST_CASE("appendBase64 adds to what is there") {
    std::string out = "data:";
    tenon::appendBase64(out, "foo");
    CHECK(out == "data:Zm9v");
}

TEST_CASE("A Result holds its value or says why there is none") {
    const tenon::Result<int> good = 3;
    const tenon::Result<int> bad = tenon::Error{"test.failed", "seen 1; expected 2"};
    CHECK(good.value() == 3);
    REQUIRE_FALSE(bad.has_value());
    CHECK(bad.error().code == "test.failed");
    CHECK_THROWS_WITH(bad.value(), Catch::Matchers::Contains("seen 1; expected 2"));
    CHECK_THROWS_AS(bad.value(), std::logic_error);
}
