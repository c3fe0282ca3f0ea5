// SPDX-License-Identifier: Apache-2.0
#include "schema/strings/uri.h"

#include <catch2/catch.hpp>

using tenon::schema::isAbsoluteUri;
using tenon::schema::percentDecoded;
using tenon::schema::resolveUri;
using tenon::schema::splitFragment;

namespace {

struct Resolved {
    std::string_view reference, expected;
};

constexpr std::string_view kBase = "http://a/b/c/d;p?q";

} // namespace

TEST_CASE("References resolve as the examples of RFC 3986, 5.4.1, do") {
    constexpr Resolved kNormal[] = {
        {"g:h", "g:h"},
        {"g", "http://a/b/c/g"},
        {"./g", "http://a/b/c/g"},
        {"g/", "http://a/b/c/g/"},
        {"/g", "http://a/g"},
        {"//g", "http://g"},
        {"?y", "http://a/b/c/d;p?y"},
        {"g?y", "http://a/b/c/g?y"},
        {"#s", "http://a/b/c/d;p?q#s"},
        {"g#s", "http://a/b/c/g#s"},
        {"g?y#s", "http://a/b/c/g?y#s"},
        {";x", "http://a/b/c/;x"},
        {"g;x", "http://a/b/c/g;x"},
        {"g;x?y#s", "http://a/b/c/g;x?y#s"},
        {"", "http://a/b/c/d;p?q"},
        {".", "http://a/b/c/"},
        {"./", "http://a/b/c/"},
        {"..", "http://a/b/"},
        {"../", "http://a/b/"},
        {"../g", "http://a/b/g"},
        {"../..", "http://a/"},
        {"../../", "http://a/"},
        {"../../g", "http://a/g"},
    };
    for (const auto &[reference, expected] : kNormal) {
        INFO(reference);
        CHECK(resolveUri(kBase, reference) == expected);
    }
}

TEST_CASE("References resolve as the abnormal examples of RFC 3986, 5.4.2, do") {
    constexpr Resolved kAbnormal[] = {
        {"../../../g", "http://a/g"},
        {"../../../../g", "http://a/g"},
        {"/./g", "http://a/g"},
        {"/../g", "http://a/g"},
        {"g.", "http://a/b/c/g."},
        {".g", "http://a/b/c/.g"},
        {"g..", "http://a/b/c/g.."},
        {"..g", "http://a/b/c/..g"},
        {"./../g", "http://a/b/g"},
        {"./g/.", "http://a/b/c/g/"},
        {"g/./h", "http://a/b/c/g/h"},
        {"g/../h", "http://a/b/c/h"},
        {"g;x=1/./y", "http://a/b/c/g;x=1/y"},
        {"g;x=1/../y", "http://a/b/c/y"},
        {"g?y/./x", "http://a/b/c/g?y/./x"},
        {"g?y/../x", "http://a/b/c/g?y/../x"},
        {"g#s/./x", "http://a/b/c/g#s/./x"},
        {"g#s/../x", "http://a/b/c/g#s/../x"},
        {"http:g", "http:g"},
    };
    for (const auto &[reference, expected] : kAbnormal) {
        INFO(reference);
        CHECK(resolveUri(kBase, reference) == expected);
    }
}

TEST_CASE("A base may be anything that an $id is") {
    struct {
        std::string_view base, reference, expected;
    } const kCases[] = {
        {"", "item.json", "item.json"},
        {"", "a/../b", "a/../b"},
        {"http://localhost:1234/sibling_id/base/", "foo.json",
         "http://localhost:1234/sibling_id/base/foo.json"},
        {"http://localhost", "foo.json", "http://localhost/foo.json"},
        {"http://localhost?q", "", "http://localhost?q"},
        {"http://example.com/a.json#frag", "", "http://example.com/a.json"},
        {"http://example.com/a.json#frag", "#", "http://example.com/a.json#"},
        {"http://example.com/ref/absref.json", "/absref/foobar.json",
         "http://example.com/absref/foobar.json"},
        {"urn:uuid:deadbeef-1234-00ff-ff00-4321feebdaed", "#/$defs/bar",
         "urn:uuid:deadbeef-1234-00ff-ff00-4321feebdaed#/$defs/bar"},
        {"urn:example:root?+r#old", "#anchor", "urn:example:root?+r#anchor"},
        {"urn:example:root", "urn:example:other#x", "urn:example:other#x"},
        {"tag:example.com,2020:a", "b", "tag:b"},
        {"file:///folder/file.json", "other.json", "file:///folder/other.json"},
        {"c:/folder/x", "y", "c:/folder/y"},
        {"folder/a.json", "b.json", "folder/b.json"},
        {"folder/a.json", "#x", "folder/a.json#x"},
        {"folder/a.json", "../../b.json", "../b.json"},
        {"a.json", "http://x/../y", "http://x/y"},
        {"//host/a", "b", "//host/b"},
        {"s:/a", "/..//b", "s:/.//b"},
    };
    for (const auto &[base, reference, expected] : kCases) {
        INFO(base << " and " << reference);
        CHECK(resolveUri(base, reference) == expected);
    }
}

TEST_CASE("A relative base resolves in two steps as in one") {
    const auto once = resolveUri("http://a/b/c/d", resolveUri("x/y", "../../z"));
    CHECK(once == resolveUri(resolveUri("http://a/b/c/d", "x/y"), "../../z"));
}

TEST_CASE("A fragment is what follows the first number sign") {
    const auto some = splitFragment("http://a/b#/x#y");
    CHECK(some.document == "http://a/b");
    CHECK(some.fragment == "/x#y");
    CHECK(some.hasFragment);
    const auto empty = splitFragment("a#");
    CHECK(empty.document == "a");
    CHECK(empty.fragment.empty());
    CHECK(empty.hasFragment);
    const auto none = splitFragment("a");
    CHECK(none.document == "a");
    CHECK_FALSE(none.hasFragment);
}

TEST_CASE("Percent signs are decoded where two hex digits follow") {
    CHECK(percentDecoded("/a%20b%2Fc%2fd") == "/a b/c/d");
    CHECK(percentDecoded("%E2%82%AC") == "\xE2\x82\xAC");
    CHECK(percentDecoded("100%") == "100%");
    CHECK(percentDecoded("%4") == "%4");
    CHECK(percentDecoded("%zz%+1%-1% 1%0x") == "%zz%+1%-1% 1%0x");
    CHECK(percentDecoded("%25") == "%");
    CHECK(percentDecoded("").empty());
}

TEST_CASE("A URI is absolute when it has a scheme") {
    CHECK(isAbsoluteUri("http://a"));
    CHECK(isAbsoluteUri("urn:x"));
    CHECK(isAbsoluteUri("a+b-1.c:"));
    CHECK_FALSE(isAbsoluteUri(""));
    CHECK_FALSE(isAbsoluteUri("a/b:c"));
    CHECK_FALSE(isAbsoluteUri("1a:b"));
    CHECK_FALSE(isAbsoluteUri("//host"));
    CHECK_FALSE(isAbsoluteUri("#a:b"));
    CHECK_FALSE(isAbsoluteUri(":b"));
}
