// SPDX-License-Identifier: Apache-2.0
#include "manifest/manifest.h"
#include "support/text.h"

#include <catch2/catch.hpp>

#include <filesystem>
#include <fstream>
#include <unistd.h>

using Catch::Matchers::Contains;
using tenon::concat;
using tenon::manifest::Manifest;
using tenon::manifest::readManifest;
using tenon::manifest::readManifestText;

namespace {

Manifest read(const std::string &text) {
    const auto manifest = readManifestText(text, "t.yaml", "/etc/tenon");
    INFO((manifest ? "" : manifest.error().message));
    REQUIRE(manifest.has_value());
    return *manifest;
}

std::string refusal(const std::string &text) {
    const auto manifest = readManifestText(text, "t.yaml", "/etc/tenon");
    return manifest ? "" : manifest.error().message;
}

// A manifest of one plugin with these further lines, each indented by four spaces.
std::string withPlugin(const std::string &lines) {
    return concat("tenon: 1\nplugins:\n  - path: ./p.so\n", lines);
}

struct Folder {
    Folder() : path(std::filesystem::temp_directory_path() / concat("tenon_unit_", getpid())) {
        std::filesystem::create_directories(path);
    }
    ~Folder() {
        std::error_code ignored;
        std::filesystem::remove_all(path, ignored);
    }
    Folder(const Folder &) = delete;
    Folder &operator=(const Folder &) = delete;
    std::string write(const std::string &name, const std::string &text) const {
        std::ofstream(path / name, std::ios::binary) << text;
        return (path / name).string();
    }
    std::filesystem::path path;
};

} // namespace

TEST_CASE("A manifest is read whole") {
    const auto manifest = read(R"(tenon: 1
server:
  name: acme-tools
  version: 1.10
  instructions: Use $HOME for $5.
plugins:
  - path: ./plugins/coding.so
    isolation: none
    config: {root: ./workspace, depth: 3, on2: "no", big: 9007199254740993}
    tools: {allow: [a, "b"], deny: [c]}
    prefix: code_
    timeout: 30s
    concurrency: 4
    required: true
  - path: /opt/x.so
)");
    CHECK(manifest.serverName == "acme-tools");
    CHECK(manifest.serverVersion == "1.10");
    CHECK(manifest.instructions == "Use $HOME for $5.");
    REQUIRE(manifest.plugins.size() == 2);
    const auto &first = manifest.plugins[0];
    CHECK(first.path == "/etc/tenon/plugins/coding.so");
    CHECK(first.trusted);
    CHECK(first.config == R"({"root":"./workspace","depth":3,"on2":"no","big":9007199254740993})");
    CHECK(first.allow == std::vector<std::string>{"a", "b"});
    CHECK(first.deny == std::vector<std::string>{"c"});
    CHECK(first.prefix == "code_");
    CHECK(first.timeoutMs == 30'000);
    CHECK(first.concurrency == 4);
    CHECK(first.required);
    CHECK(first.where == "t.yaml:7:5");
    const auto &second = manifest.plugins[1];
    CHECK(second.path == "/opt/x.so");
    CHECK_FALSE(second.trusted);
    CHECK(second.config == "{}");
    CHECK(second.timeoutMs == 0);
    CHECK(second.concurrency == 0);
    CHECK_FALSE(second.required);
}

TEST_CASE("Every path is taken from the manifest's folder, and never from a search path") {
    const std::pair<std::string_view, std::string_view> paths[] = {
        {"libx.so", "/etc/tenon/libx.so"},
        {"./a/../b.so", "/etc/tenon/b.so"},
        {"../up.so", "/etc/up.so"},
        {"\"with space.so\"", "/etc/tenon/with space.so"},
        {"/abs/x.so", "/abs/x.so"}};
    for (const auto &[written, path] : paths) {
        CHECK(read(concat("tenon: 1\nplugins:\n  - path: ", written, "\n")).plugins[0].path ==
              path);
    }
    CHECK(refusal("tenon: 1\nplugins:\n  - path: ~/x.so\n") ==
          "t.yaml:3:11: ~ is not expanded; write the whole path, or one relative to this file");
}

TEST_CASE("Every problem is listed at once, each with its place") {
    const auto message = refusal("tenon: 2\n"
                                 "pluginz: []\n"
                                 "server: [x]\n"
                                 "plugins:\n"
                                 "  - isolation: none\n"
                                 "  - path: a.so\n"
                                 "    timeout: 5\n"
                                 "    concurrency: 0\n"
                                 "    required: no\n"
                                 "    conifg: {}\n");
    CHECK_THAT(message, Contains("t.yaml:1:8: \"tenon\" is 2; expected \"tenon: 1\""));
    CHECK_THAT(message, Contains("t.yaml:2:1: unknown key \"pluginz\"; expected tenon, server, "
                                 "plugins, arguments, limits and audit (did you mean plugins?)"));
    CHECK_THAT(message, Contains("t.yaml:3:9: server is no map; expected \"key: value\" lines"));
    CHECK_THAT(message,
               Contains("t.yaml:5:5: the plugin has no path; expected \"path: ./plugins/"));
    CHECK_THAT(message,
               Contains("t.yaml:7:14: 5 stands here; expected a duration such as 500ms, 30s"));
    CHECK_THAT(message, Contains("t.yaml:8:18: 0 stands here; expected a whole number from 1"));
    CHECK_THAT(message,
               Contains("t.yaml:9:15: no stands here; expected true or false, without quotes"));
    CHECK_THAT(message, Contains("t.yaml:10:5: unknown key \"conifg\"") &&
                            Contains("(did you mean config?)"));
    CHECK(std::count(message.begin(), message.end(), '\n') == 7);
}

TEST_CASE("A manifest must say its version and have plugins") {
    CHECK_THAT(refusal("plugins: [{path: a.so}]\n"),
               Contains("\"tenon\" is missing; expected \"tenon: 1\", the manifest's version"));
    CHECK_THAT(refusal("tenon: 1\n"),
               Contains("there are no plugins; expected \"plugins:\" and a list"));
    CHECK_THAT(refusal("tenon: 1\nplugins: []\n"), Contains("t.yaml:2:10: there are no plugins"));
    CHECK_THAT(refusal("tenon: 1\nplugins: {path: a.so}\n"), Contains("there are no plugins"));
    CHECK_THAT(refusal("tenon: 1\nplugins: [a.so]\n"), Contains("a plugin is no map"));
    CHECK_THAT(refusal("- tenon\n"), Contains("t.yaml:1:1: the manifest is no map"));
    CHECK_THAT(refusal("tenon: 1\ntenon: 1\n"), Contains("stands twice in one map"));
}

TEST_CASE("Booleans are true and false, not their older words nor quoted text") {
    for (const auto *yes : {"true", "True", "TRUE"}) {
        CHECK(read(withPlugin(concat("    required: ", yes, "\n"))).plugins[0].required);
    }
    for (const auto *no : {"false", "False", "FALSE"}) {
        CHECK_FALSE(read(withPlugin(concat("    required: ", no, "\n"))).plugins[0].required);
    }
    for (const auto *wrong : {"yes", "no", "on", "\"true\"", "1", "", "[true]", "tRUE"}) {
        CAPTURE(wrong);
        CHECK_THAT(refusal(withPlugin(concat("    required: ", wrong, "\n"))),
                   Contains("expected true or false, without quotes"));
    }
}

TEST_CASE("A text field keeps what was written: no is no, and 1.10 is 1.10") {
    const auto manifest = read("tenon: 1\nserver: {name: no, version: 1e3, instructions: \"yes\"}\n"
                               "plugins: [{path: a.so, prefix: 010}]\n");
    CHECK(manifest.serverName == "no");
    CHECK(manifest.serverVersion == "1e3");
    CHECK(manifest.instructions == "yes");
    CHECK(manifest.plugins[0].prefix == "010");
    CHECK_THAT(refusal("tenon: 1\nserver: {name: ~}\nplugins: [{path: a.so}]\n"),
               Contains("t.yaml:2:16: nothing stands here; expected text, or \"\" for none"));
    CHECK(read("tenon: 1\nplugins: [{path: a.so, prefix: \"\"}]\n").plugins[0].prefix.empty());
    CHECK_THAT(refusal("tenon: 1\nserver: {name: [x]}\nplugins: [{path: a.so}]\n"),
               Contains("t.yaml:2:16: a list or a map stands here; expected text"));
}

TEST_CASE("Durations have a unit and reach a day") {
    const std::pair<std::string_view, std::uint64_t> good[] = {
        {"1ms", 1},        {"500ms", 500},      {"30s", 30'000},        {"5m", 300'000},
        {"1h", 3'600'000}, {"24h", 86'400'000}, {"86400s", 86'400'000}, {"86400000ms", 86'400'000}};
    for (const auto &[text, ms] : good) {
        CAPTURE(text);
        CHECK(read(withPlugin(concat("    timeout: ", text, "\n"))).plugins[0].timeoutMs == ms);
    }
    for (const auto *wrong : {"30", "s", "0s", "-1s", "1.5s", "30 s", "25h", "86401s", "86400001ms",
                              "99999999999999999999s", "1d", "1S", "[1s]", ""}) {
        CAPTURE(wrong);
        CHECK_THAT(refusal(withPlugin(concat("    timeout: ", wrong, "\n"))),
                   Contains("expected a duration such as 500ms, 30s, 5m or 1h, up to a day"));
    }
}

TEST_CASE("Counts are whole numbers from 1") {
    CHECK(read(withPlugin("    concurrency: 1\n")).plugins[0].concurrency == 1);
    for (const auto *wrong : {"0", "-1", "1.0", "1e3", "many", "", "[1]", "99999999999999999999"}) {
        CAPTURE(wrong);
        CHECK_THAT(refusal(withPlugin(concat("    concurrency: ", wrong, "\n"))),
                   Contains("expected a whole number from 1"));
    }
}

TEST_CASE("Tool filters are lists of words") {
    CHECK_THAT(refusal(withPlugin("    tools: {allow: read}\n")),
               Contains("expected a list, such as [first, second]"));
    CHECK_THAT(refusal(withPlugin("    tools: [read]\n")), Contains("tools is no map"));
    CHECK_THAT(refusal(withPlugin("    tools: {allow: [[a]]}\n")), Contains("expected text"));
    CHECK_THAT(refusal(withPlugin("    tools: {alow: [a]}\n")), Contains("(did you mean allow?)"));
}

TEST_CASE("Isolation is said in so many words, and what is not served is refused") {
    CHECK_FALSE(read(withPlugin("")).plugins[0].trusted);
    CHECK_THAT(refusal(withPlugin("    isolation: process\n")),
               Contains("isolation: process is not served by this version of Tenon"));
    CHECK_THAT(refusal(withPlugin("    isolation: None\n")),
               Contains("None stands here; expected none"));
}

TEST_CASE("Limits are set by name, in bytes with their unit or as counts") {
    const auto limits =
        read(withPlugin("limits:\n  schemaBytesPerTool: 32KiB\n  resultBytes: 1MiB\n"
                        "  argumentsBytes: 4096\n  jsonDepth: 200\n"))
            .limits;
    CHECK(limits.schemaBytesPerToolMax == 32U << 10);
    CHECK(limits.resultBytesMax == 1U << 20);
    CHECK(limits.argumentsBytesMax == 4'096);
    CHECK(limits.jsonDepthMax == 200);
    CHECK(limits.messageBytesMax == tenon::Limits().messageBytesMax);
    for (const auto &entry : tenon::limitEntries()) { // each by its own name
        const auto set = read(withPlugin(concat("limits: {", entry.name, ": 77}\n"))).limits;
        CAPTURE(std::string(entry.name));
        CHECK(entry.get(set) == 77);
        CHECK(entry.get(tenon::Limits()) != 77);
    }
}

TEST_CASE("A limit that is none is refused with its place") {
    const std::tuple<std::string_view, std::string_view> wrong[] = {
        {"argumentBytes: 5", "unknown key \"argumentBytes\""},
        {"resultBytes: 1MB", "expected bytes such as 4096, 32KiB or 1MiB, below 4GiB"},
        {"resultBytes: 0", "expected bytes"},
        {"resultBytes: 5GiB", "expected bytes"},
        {"resultBytes: -1", "expected bytes"},
        {"resultBytes: [1]", "a list stands here; expected bytes"},
        {"resultBytes: 010", "expected bytes"},
        {"resultBytes: \"5\"", "\"5\" stands here; expected bytes"},
        {"jsonDepth: {a: 1}", "a map stands here"},
        {"tools: 3KiB", "expected a whole number from 1"},
        {"jsonDepth: 10001", "10001 stands here; expected at most 10000"}};
    for (const auto &[line, expected] : wrong) {
        CAPTURE(std::string(line));
        const auto message = refusal(concat("limits:\n  ", line, "\n", withPlugin("")));
        CHECK_THAT(message, Contains("t.yaml:2:"));
        CHECK_THAT(message, Contains(std::string(expected)));
    }
    CHECK_THAT(refusal(withPlugin("limits: [1]\n")), Contains("limits is no map"));
}

TEST_CASE("How arguments are read is said for all plugins, and for one") {
    using tenon::schema::Formats;
    using tenon::schema::UnknownKeys;
    const auto manifest =
        read("tenon: 1\narguments: {formats: assert, unknownKeys: refuse}\nplugins:\n"
             "  - path: a.so\n"
             "  - path: b.so\n    arguments: {unknownKeys: allow, coerce: false, "
             "defaults: false}\n");
    const auto &first = manifest.plugins[0].arguments;
    CHECK(first.formats == Formats::Assert);
    CHECK(first.unknownKeys == UnknownKeys::Refuse);
    CHECK(first.coerce);
    CHECK(first.fillDefaults);
    const auto &second = manifest.plugins[1].arguments;
    CHECK(second.formats == Formats::Assert);
    CHECK(second.unknownKeys == UnknownKeys::Allow);
    CHECK_FALSE(second.coerce);
    CHECK_FALSE(second.fillDefaults);
    CHECK_THAT(refusal(withPlugin("arguments: {formats: strict}\n")),
               Contains("strict stands here; expected annotate or assert"));
    CHECK_THAT(refusal(withPlugin("arguments: {coerce: no}\n")),
               Contains("expected true or false"));
    CHECK_THAT(refusal(withPlugin("arguments: {unknown: refuse}\n")),
               Contains("expected coerce, defaults, formats and unknownKeys"));
}

TEST_CASE("A key that a later version serves is refused in words, never passed over") {
    for (const auto *key : {"frontends", "policy", "surfaces", "log", "metrics"}) {
        CAPTURE(key);
        CHECK_THAT(refusal(withPlugin(concat(key, ": {}\n"))),
                   Contains(concat("the key \"", key,
                                   "\" is not served by this version of Tenon; leave it out")));
    }
    for (const auto *key : {"grants", "secrets", "sha256"}) {
        CHECK_THAT(refusal(withPlugin(concat("    ", key, ": {}\n"))),
                   Contains("is not served by this version"));
    }
    CHECK_THAT(refusal(withPlugin("    tools: {rename: {}}\n")), Contains("is not served"));
}

TEST_CASE("Keys that begin with x- may stand in any map") {
    CHECK(read("x-owner: team\ntenon: 1\nserver: {x-a: [1]}\n"
               "plugins: [{path: a.so, x-note: {deep: y}, tools: {x-b: 1}}]\n")
              .plugins.size() == 1);
}

TEST_CASE("A plugin's configuration becomes JSON, ambiguous words refused with their place") {
    CHECK(read(withPlugin("    config: {a: true, b: \"yes\", c: [1.10, ~]}\n")).plugins[0].config ==
          R"({"a":true,"b":"yes","c":[1.10,null]})");
    CHECK_THAT(refusal(withPlugin("    config: {a: no}\n")),
               Contains("t.yaml:4:17: the plain word no"));
    CHECK_THAT(refusal(withPlugin("    config: [1]\n")), Contains("config is no map"));
}

TEST_CASE("A manifest file is read, its paths taken from its folder") {
    const Folder folder;
    const auto path = folder.write("tenon.yaml", "tenon: 1\nplugins: [{path: p.so}]\n");
    const auto manifest = readManifest(path);
    REQUIRE(manifest.has_value());
    CHECK(manifest->plugins[0].path == (folder.path / "p.so").string());
    CHECK(manifest->plugins[0].where == path + ":2:11");
}

TEST_CASE("A file that is not there, is a folder or is too large is refused in words") {
    const Folder folder;
    const auto missing = readManifest((folder.path / "missing.yaml").string());
    REQUIRE_FALSE(missing.has_value());
    CHECK(missing.error().code == "manifest.not_found");
    CHECK_THAT(missing.error().message,
               Contains("missing.yaml: No such file or directory; expected a "
                        "manifest (tenon.yaml)"));
    const auto directory = readManifest(folder.path.string());
    REQUIRE_FALSE(directory.has_value());
    CHECK_THAT(directory.error().message, Contains("is a directory; expected a manifest"));
    const auto large = readManifest(folder.write("large.yaml", std::string(3U << 20, '\n')));
    REQUIRE_FALSE(large.has_value());
    CHECK_THAT(large.error().message,
               Contains("large.yaml: has more than 1048576 bytes, the limit"));
}

TEST_CASE("An endless file is refused, not read for ever") {
    const auto endless = readManifest("/dev/zero");
    REQUIRE_FALSE(endless.has_value());
    CHECK_THAT(endless.error().message,
               Contains("/dev/zero: has more than 1048576 bytes, the limit"));
}

TEST_CASE("The audit's keys say where rows are kept, how they get there and how long they stay") {
    const auto auditOf = [](const std::string &text) {
        const auto read = readManifestText(withPlugin(text), "t.yaml", "/m");
        INFO((read ? "" : read.error().message));
        REQUIRE(read.has_value());
        return read->audit;
    };
    using Store = tenon::manifest::AuditEntry::Store;
    CHECK(auditOf("").store == Store::Default);
    CHECK_FALSE(auditOf("").given);
    CHECK(auditOf("audit: off\n").store == Store::Off);
    CHECK(auditOf("audit: off\n").given);
    const auto plain = auditOf("audit: {sqlite: ./a/../audit.db}\n");
    CHECK(plain.store == Store::Sqlite);
    CHECK(plain.path == "/m/audit.db");
    CHECK_FALSE(plain.sync);
    CHECK(plain.rotateBytes == 64U << 20);
    CHECK(plain.rotateSeconds == 0);
    CHECK(plain.retentionSeconds == 30 * 86'400);
    const auto full = auditOf("audit: {jsonl: /var/log/a.jsonl, delivery: sync, "
                              "rotate: {size: 1MiB, age: 7d}, retention: forever, mask: [ssn]}\n");
    CHECK(full.store == Store::JsonLines);
    CHECK(full.path == "/var/log/a.jsonl");
    CHECK(full.sync);
    CHECK(full.rotateBytes == 1U << 20);
    CHECK(full.rotateSeconds == 7 * 86'400);
    CHECK(full.retentionSeconds == 0);
    CHECK(full.mask == std::vector<std::string>{"ssn"});
    CHECK(auditOf("audit: {retention: 90d}\n").store == Store::Default);

    CHECK_THAT(refusal(withPlugin("audit: ./a.db\n")), Contains("expected off, or a map such as"));
    CHECK_THAT(refusal(withPlugin("audit: {sqlite: a, jsonl: b}\n")), Contains("both given"));
    CHECK_THAT(refusal(withPlugin("audit: {delivery: fast}\n")),
               Contains("fast stands here; expected async or sync"));
    CHECK_THAT(refusal(withPlugin("audit: {rotate: {size: 0x1}}\n")), Contains("expected bytes"));
    CHECK_THAT(refusal(withPlugin("audit: {retention: 30}\n")),
               Contains("30 stands here; expected a duration such as 500ms, 30s, 5m or 30d"));
    CHECK_THAT(refusal(withPlugin("audit: {sqlit: a}\n")), Contains("did you mean sqlite?"));
    CHECK_THAT(refusal(withPlugin("audit: {mask: ssn}\n")), Contains("expected a list"));
}
