// SPDX-License-Identifier: Apache-2.0
#include "support/masker.h"

#include "support/log.h"
#include "support/text.h"

#include <catch2/catch.hpp>

#include <algorithm>
#include <ctime>

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

TEST_CASE("a secret is masked to its end, however it is written") {
    const Masker masker;
    const std::pair<const char *, const char *> rows[] = {
        // Behind the name of a scheme.
        {"authorization=Bearer T0k3n", "authorization=***"},
        {"api_key: Bearer T0k3n", "api_key: ***"},
        {"token=Bearer T0k3n", "token=***"},
        {"access_token: Bearer T0k3n", "access_token: ***"},
        {"Authorization = Bearer T0k3n", "Authorization = ***"},
        {"authorization=Basic dXNlcjpw", "authorization=***"},
        {"authorization=Basic dXNlcjpw, user: ada", "authorization=***, user: ada"},
        {"Authorization: Bearer abc.DEF-1", "Authorization: ***"},
        {"Authorization: Basic dXNlcjpwYXNz", "Authorization: ***"},
        {"Authorization: Basic dXNlcjpwYXNz was refused", "Authorization: ***"},
        {"Authorization: Digest username=\"u\", response=\"r\"\nHost: x",
         "Authorization: ***\nHost: x"},
        {"authorization=Digest username=\"u\", response=\"r\"", "authorization=***"},
        {R"({"Authorization":"Bearer x y","n":1})", R"({"Authorization":"***","n":1})"},
        {"unexpected token: T0k3nT0k3n", "unexpected token: ***"},
        // User-info whose password looks like a port at first.
        {"postgres://u:9f/8abc@host/db", "postgres://***@host/db"},
        {"amqp://user:1?x@host", "amqp://***@host"},
        {"postgres://u:1#x@host", "postgres://***@host"},
        {"postgres://u:123456/x@host", "postgres://***@host"},
        {"http://[u:p4ss@host/", "http://***@host/"},
        {"http://host:8080?mail=a@b", "http://host:8080?mail=a@b"},
        // Other signs between a name and a value.
        {"password := \"hunter2\"", "password := \"***\""},
        {"password=>hunter2", "password=>***"},
        {"password=\"a b\";x=1", "password=\"***\";x=1"},
        {"'password' => 'hunter2'", "'password' => '***'"},
        {"password==hunter2;", "password==***;"},
        // In brackets.
        {R"({"password":["hunter2"]})", R"({"password":***})"},
        {R"({"credentials":{"id":"a","key":"hunter2"}})", R"({"credentials":***})"},
        {R"({"credentials":{"id":{},"key":"}\"}hunter2"},"n":1})", R"({"credentials":***,"n":1})"},
        {R"({\"credentials\":{\"key\":\"a\\\"}b\"},\"n\":1})", R"({\"credentials\":***,\"n\":1})"},
        {"{'password': ['it}]'], 'n': 1}", "{'password': ***, 'n': 1}"},
        {"password=(x)", "password=***"},
        {"password=(don't) x", "password=*** x"},
        {"password=[x]", "password=***"},
        {"password=[x and no end", "password=***"},
        // Behind a "/".
        {"/password:hunter2", "/password:***"},
        {"/pwd=hunter2", "/pwd=***"},
        {"https://host/token=abc", "https://host/token=***"},
        {R"({"/password": "hunter2"})", R"({"/password": "***"})"},
        // JSON in JSON.
        {R"({\"password\":\"hun\\\"ter2\"})", R"({\"password\":\"***\"})"},
        {R"({\"password\":\"hunter2\\\\\",\"n\":1})", R"({\"password\":\"***\",\"n\":1})"},
        {R"({\\\"password\\\":\\\"hun\\\\\\\"ter2\\\",\\\"n\\\":1})",
         R"({\\\"password\\\":\\\"***\\\",\\\"n\\\":1})"},
        // Headers.
        {"Cookie: a=\"b\"; sid=SECRET", "Cookie: ***"},
        {"Cookie: \"b\"; sid=SECRET\r\nHost: x", "Cookie: ***\r\nHost: x"},
        {"curl -H \"Cookie: a=\"b\"; sid=SECRET\" https://x failed",
         "curl -H \"Cookie: ***\" https://x failed"},
        {R"({"headers":["Cookie: a=\"b\", c=d","Host: x"]})",
         R"({"headers":["Cookie: ***","Host: x"]})"},
        // Other names.
        {"DB_PASS=x1y2", "DB_PASS=***"},
        {"SMTP_PASS: x1y2", "SMTP_PASS: ***"},
        {R"({"db_pass":"x"})", R"({"db_pass":"***"})"},
        {"AccountKey=abc==;x=1", "AccountKey=***;x=1"},
        // Options of a command.
        {"--password hunter2", "--password ***"},
        {"ran x --db-password 'a b' --user ada", "ran x --db-password '***' --user ada"},
        {"--api-key=K in a text", "--api-key=*** in a text"},
        {R"(["curl","--token","abc"])", R"(["curl","--token","***"])"},
        {R"([\"curl\",\"--token\",\"abc\",\"x\"])", R"([\"curl\",\"--token\",\"***\",\"x\"])"},
        // A word alone.
        {"password: hunter2", "password: ***"},
        {"password: hunter2 was refused", "password: *** was refused"},
        {"password: hunter", "password: ***"},
        {"password: hunter, user: ada", "password: ***, user: ada"},
        {"password: hunter; user: ada", "password: ***; user: ada"},
        {"password: hunter\nuser: ada", "password: ***\nuser: ada"},
        {"password=hunter was refused", "password=*** was refused"},
        {"bearer abcdefghijklmnop was refused", "bearer *** was refused"},
        {"bearer a-b was refused", "bearer *** was refused"},
    };
    for (const auto &[text, expected] : rows) {
        INFO(text);
        CHECK(masker.masked(text) == expected);
    }
}

TEST_CASE("what is only said of a secret is kept") {
    const Masker masker;
    for (const char *text : {"Authorization: denied because role admin lacks scope X",
                             "setAuthorization: caller must pass three words here",
                             "the cookie: value was too long for the header",
                             "invalid credentials: user locked out",
                             "cannot read secret: permission denied",
                             "cannot read secret: permission denied: /x",
                             "bearer token is invalid",
                             "missing bearer token",
                             "the bearer is missing.",
                             "Authorization: Bearer token required",
                             "authorization: token was rejected",
                             "http://[::1]/path/@you",
                             "http://host:8080/@you",
                             "/password: expected string, found integer",
                             "/db/token: hunter2 is not of the list",
                             "unexpected token: }",
                             "unexpected token: foo",
                             "unexpected token: \"x1\"",
                             "the option --password is required",
                             "use --password or --token",
                             "--password, --token",
                             "a -- b ---- c --",
                             "compass=1 bypass: 2 encompass=3",
                             "password: the user's one"}) {
        CHECK(masker.masked(text) == text);
    }
}

TEST_CASE("no more than is asked for is shown, and nothing of a secret on the cut") {
    const Masker masker({"EXAMPLE-SECRET-1"});
    const std::string text = "ab EXAMPLE-SECRET-1 \xC3\xA9 password=hunter2 z";
    const std::pair<std::size_t, const char *> rows[] = {
        {0, ""},
        {3, "ab "},
        {4, "ab ***"},
        {18, "ab ***"},
        {19, "ab ***"},
        {20, "ab *** "},
        {21, "ab *** "},
        {22, "ab *** \xC3\xA9"},
        {32, "ab *** \xC3\xA9 password="},
        {33, "ab *** \xC3\xA9 password=***"},
        {SIZE_MAX, "ab *** \xC3\xA9 password=*** z"},
    };
    for (const auto &[end, expected] : rows) {
        INFO(end);
        CHECK(masker.masked(text, end) == expected);
    }
    CHECK(masker.masked("plain", 3) == "pla");
    CHECK(masker.masked("\xC3\xA9\xC3\xA9", 3) == "\xC3\xA9");
}

TEST_CASE("a secret name is known in any spelling") {
    const Masker masker({}, {"Badge-No"});
    for (const char *name :
         {"password",      "PASSWORD",      "userPassword", "db_passwd",   "api_key",
          "apiKey",        "API-KEY",       "token",        "accessToken", "x-auth-token",
          "client_secret", "Authorization", "cookie",       "Set-Cookie",  "private.key",
          "pwd",           "otp",           "credentials",  "badgeno",     "sessionId",
          "DB_PASS",       "db-pass",       "smtpPass",     "AccountKey",  "pass"}) {
        INFO(name);
        CHECK(masker.isSecretName(name));
    }
    for (const char *name :
         {"", "max_tokens", "tokenizer", "key", "id", "compass", "author", "monkey", "pint", "path",
          "bypass", "ByPass", "encompass", "EnCompass", "passes", "PASSED"}) {
        INFO(name);
        CHECK_FALSE(masker.isSecretName(name));
    }
}

namespace {

std::string repeated(std::string_view part, std::size_t bytes) {
    std::string out;
    while (out.size() < bytes) {
        out += part;
    }
    return out;
}

// Of this thread, for masking texts of `bytes` that have kBytes together; the least of some tries.
double secondsFor(const Masker &masker, std::string_view part, std::size_t bytes) {
    static constexpr std::size_t kBytes = 1U << 17;
    const std::string text = repeated(part, bytes);
    const auto now = [] {
        timespec time{};
        REQUIRE(clock_gettime(CLOCK_THREAD_CPUTIME_ID, &time) == 0);
        return static_cast<double>(time.tv_sec) + static_cast<double>(time.tv_nsec) / 1e9;
    };
    double least = 1e9;
    for (int i = 0; i < 5; ++i) {
        const double start = now();
        for (std::size_t done = 0; done < kBytes; done += text.size()) {
            CHECK_FALSE(masker.masked(text).empty());
        }
        least = std::min(least, now() - start);
    }
    return least;
}

} // namespace

// A byte of a text of 64 KiB and of 128 KiB costs what it does in a text of 512 bytes: whoever
// looks at the next 1,000 bytes at each sign fails the first, whoever looks at all the rest fails
// both.
TEST_CASE("masking costs time in proportion to the text, whatever it is made of") {
    const Masker masker({"aaaaaaaaab"});
    for (const char *part : {"password=",
                             "password=(",
                             "password={\"",
                             "password=\\",
                             "password=''",
                             "password: a ",
                             "password: a b ",
                             "password: (a) ",
                             "\"password\":\"\\\"",
                             "token\":\"\\",
                             "a://",
                             "://",
                             "a://u:",
                             "a://@/",
                             "a://u:1/@",
                             "://[",
                             "http://h:1/x@",
                             "a://u:p@ ",
                             "=",
                             ":=>",
                             "--",
                             " --",
                             " --password ",
                             "--password \"",
                             "bearer ",
                             "bearer a",
                             "authorization: Digest ",
                             "authorization:",
                             "\"cookie:",
                             "cookie: a\n",
                             "\"cookie: \"x",
                             "\"",
                             "\\",
                             "r",
                             "a",
                             " ",
                             "password= ",
                             "token: "}) {
        INFO(part);
        const double small = secondsFor(masker, part, 512);
        CHECK(secondsFor(masker, part, 1U << 16) < small * 4);
        CHECK(secondsFor(masker, part, 1U << 17) < small * 4);
    }
}
