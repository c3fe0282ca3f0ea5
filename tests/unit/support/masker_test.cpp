// SPDX-License-Identifier: Apache-2.0
#include "support/masker.h"

#include "support/log.h"
#include "support/text.h"

#include <catch2/catch.hpp>

#include <chrono>

using namespace tenon;

TEST_CASE("what looks like a secret is masked where it stands, and nothing around it") {
    const Masker masker({"EXAMPLE-SECRET-1", "abc", "pa\"ss"}, {"ssn"});
    const std::pair<const char *, const char *> rows[] = {
        // Known ones, wherever they stand; three letters would mask half of all words.
        {"x EXAMPLE-SECRET-1EXAMPLE-SECRET-1 y", "x *** y"},
        {"abc", "abc"},
        {R"(say pa"ss now)", "say *** now"},
        // URL user-info, with odd signs in it too.
        {"GET https://u:p4ss@host.invalid/x?token=T0k&b=1",
         "GET https://***@host.invalid/x?token=***&b=1"},
        {"postgres://u:p/a@ss@db:5432/x", "postgres://***@db:5432/x"},
        {"https://user@host/a", "https://***@host/a"},
        {"http://host:8080/~me/@you", "http://host:8080/~me/@you"},
        {"https://host/a@b:c", "https://host/a@b:c"},
        {"two: ftp://a:b@c and redis://:pw@d", "two: ftp://***@c and redis://***@d"},
        // Tokens.
        {"Authorization: Bearer abc.DEF-1", "Authorization: ***"},
        {"the bearer  x1y2 was refused", "the bearer  *** was refused"},
        {"forbearer x", "forbearer ***"},
        {"for r and R", "for r and R"},
        // Names with values.
        {"Server=db;Password=hun=ter2;Port=1", "Server=db;Password=***;Port=1"},
        {"password: hunter2, user: ada", "password: ***, user: ada"},
        {"api_key = K1", "api_key = ***"},
        {R"({"token":"a\"b","n":1})", R"({"token":"***","n":1})"},
        {R"({\"token\":\"abc\",\"n\":1})", R"({\"token\":\"***\",\"n\":1})"},
        {"{'client_secret': 'x y'}", "{'client_secret': '***'}"},
        {"ssn=123-45 ssn: 678", "ssn=*** ssn: ***"},
        {"Cookie: a=b; c=d\nHost: x", "Cookie: ***\nHost: x"},
        {"AWS_SECRET_ACCESS_KEY=wJalr", "AWS_SECRET_ACCESS_KEY=***"},
        {"access_token: abc", "access_token: ***"},
        // Words of a sentence, and counts.
        {"unexpected token: }", "unexpected token: }"},
        {"/password: expected string, found integer", "/password: expected string, found integer"},
        {"max_tokens=5 tokens: 7", "max_tokens=5 tokens: 7"},
        {"a=b c:d e==f ::: ===", "a=b c:d e==f ::: ==="},
        {"password", "password"},
        {"password=", "password="},
        {"", ""},
    };
    for (const auto &[text, expected] : rows) {
        CHECK(masker.masked(text) == expected);
    }
}

TEST_CASE("a secret name is known in any spelling") {
    const Masker masker({}, {"Badge-No"});
    for (const char *name :
         {"password",      "PASSWORD",      "userPassword", "db_passwd",   "api_key",
          "apiKey",        "API-KEY",       "token",        "accessToken", "x-auth-token",
          "client_secret", "Authorization", "cookie",       "Set-Cookie",  "private.key",
          "pwd",           "otp",           "credentials",  "badgeno",     "sessionId"}) {
        INFO(name);
        CHECK(masker.isSecretName(name));
    }
    for (const char *name : {"", "max_tokens", "tokenizer", "key", "id", "compass", "author",
                             "monkey", "pint", "path"}) {
        INFO(name);
        CHECK_FALSE(masker.isSecretName(name));
    }
}

TEST_CASE("masking costs time in proportion to the text, whatever it is made of") {
    const Masker masker({"aaaaaaaaab"});
    for (const char *part :
         {"password=", "a://", "://", "=", "bearer ", "\"", "token\":\"\\", "r", "a"}) {
        INFO(part);
        std::string text;
        while (text.size() < 1'000'000) {
            text += part;
        }
        const auto start = std::chrono::steady_clock::now();
        CHECK(masker.masked(text).size() > 0);
        CHECK(std::chrono::steady_clock::now() - start < std::chrono::seconds(5));
    }
}
