// SPDX-License-Identifier: Apache-2.0
// The door of files: what is refused, and in which words.
#include "plugin/info.h"
#include "plugin/loader.h"
#include "testing.h"

#include <filesystem>
#include <fstream>
#include <sys/stat.h>
#include <unistd.h>

using namespace tenon;
using namespace tenon::testing;

namespace {

const std::string kFixtures = TENON_FIXTURES;

std::string refusalOf(const std::string &path) {
    Log log(LogLevel::Off);
    const auto loaded = plugin::loadFile(path, {}, log);
    REQUIRE(loaded.has_error());
    return loaded.error().code + " " + loaded.error().message;
}

// A folder that is gone at the end of a test.
struct Folder {
    std::filesystem::path path;
    Folder() {
        char name[] = "/tmp/tenon-test-XXXXXX";
        path = mkdtemp(name);
    }
    ~Folder() { std::filesystem::remove_all(path); }
    std::string write(const std::string &name, const std::string &bytes) const {
        std::ofstream(path / name, std::ios::binary) << bytes;
        return (path / name).string();
    }
};

std::string bytesOf(const std::string &path) {
    std::ifstream file(path, std::ios::binary);
    return {std::istreambuf_iterator<char>(file), {}};
}

} // namespace

TEST_CASE("each kind of file that is no plugin has its own message") {
    const Folder folder;
    has(refusalOf((folder.path / "nope.so").string()), "plugin.not_found");
    has(refusalOf(folder.path.string()), "is a directory; expected a plugin file");
    has(refusalOf(folder.write("empty.so", "")), "has 0 bytes, too short for an ELF file");
    has(refusalOf(folder.write("text.so", std::string(100, 'x'))),
        "is not an ELF file: it begins with \"xxxxxxxx\"");
    has(refusalOf(""), "no path was given");
    REQUIRE(mkfifo((folder.path / "fifo.so").c_str(), 0600) == 0);
    has(refusalOf((folder.path / "fifo.so").string()), "is not a regular file");
    has(refusalOf("/dev/null"), "is not a regular file");
}

TEST_CASE("a file for another machine is refused with both sides named") {
    const Folder folder;
    std::string bytes = bytesOf(kFixtures + "/echo.so");
    std::string small = bytes;
    small[4] = 1; // ELFCLASS32
    has(refusalOf(folder.write("small.so", small)), "is a 32-bit ELF file; this host is ");
    std::string other = bytes;
    other[18] = static_cast<char>(0x16); // EM_S390
    has(refusalOf(folder.write("other.so", other)), "is built for ELF machine 22; this host is ");
    std::string program = bytes;
    program[16] = 2; // ET_EXEC
    has(refusalOf(folder.write("program.so", program)), "not a shared library");
    has(refusalOf(kFixtures + "/wrong_target.so"), "is built for \"vax-bsd\"; this host is ");
}

TEST_CASE("another major version is refused before any code of the plugin runs") {
    // Its constructor ends the process.
    has(refusalOf(kFixtures + "/wrong_major.so"), "speaks ABI major 2; this host speaks 1");
}

TEST_CASE(
    "a plugin without record, entry, table or a needed symbol is refused by what is missing") {
    has(refusalOf(kFixtures + "/no_info.so"), "has no Tenon info record (no section .tenon.info)");
    has(refusalOf(kFixtures + "/no_symbol.so"), "does not export tenon_plugin_v1");
    has(refusalOf(kFixtures + "/no_table.so"), "answered TENON_OK and gave no table");
    has(refusalOf(kFixtures + "/short_table.so"), "its table has 40 bytes; expected at least 112");
    has(refusalOf(kFixtures + "/undefined.so"), "undefined symbol: fixture_missing_function");
    has(refusalOf(kFixtures + "/borrowed_entry.so"),
        "only a library that it needs exports tenon_plugin_v1");
}

TEST_CASE("a file cut anywhere is refused and never crashes the reader") {
    const Folder folder;
    const std::string bytes = bytesOf(kFixtures + "/echo.so");
    for (std::size_t size = 0; size < bytes.size(); size += 1 + size / 7) {
        CHECK(plugin::readInfo(folder.write("cut.so", bytes.substr(0, size))).has_error());
    }
}

TEST_CASE("a section table of random bytes never crashes the reader") {
    const Folder folder;
    std::string bytes = bytesOf(kFixtures + "/echo.so");
    std::uint64_t offset = 0;
    bytes.copy(reinterpret_cast<char *>(&offset), 8, 40); // e_shoff
    std::uint32_t state = 1;
    for (int round = 0; round < 500; ++round) {
        std::string damaged = bytes;
        for (int i = 0; i < 20; ++i) {
            state = state * 1664525U + 1013904223U;
            const auto at = round % 2 == 0 ? offset + (state >> 8U) % (bytes.size() - offset)
                                           : (state >> 8U) % 64U;
            damaged[at] = static_cast<char>(state >> 24U);
        }
        static_cast<void>(plugin::readInfo(folder.write("damaged.so", damaged)));
    }
    SUCCEED();
}

TEST_CASE("a good plugin is loaded with what its file says of itself") {
    const auto info = plugin::readInfo(kFixtures + "/echo.so");
    REQUIRE(info.has_value());
    CHECK(info->id == "echo");
    CHECK(info->version == "1.0.0");
    CHECK(info->abiMajor == 1);
    Log log(LogLevel::Off);
    const auto loaded = plugin::loadFile(kFixtures + "/echo.so", {}, log);
    REQUIRE(loaded.has_value());
    CHECK(loaded->catalog->tools().size() == 1);
    CHECK(loaded->catalog->digest().size() == 64);
}

TEST_CASE("a plugin's exception shows its cause to hooks and log, and nothing to the caller") {
    const std::string secret = "postgres://user:s3cret@db/x";
    Log log(LogLevel::Off);
    const auto loaded = plugin::loadFile(kFixtures + "/probe.so", {}, log);
    REQUIRE(loaded.has_value());
    catalog::Mount mount;
    mount.catalog = loaded->catalog;
    mount.handler = loaded->instance;
    ToolRunnerOptions options;
    options.catalog = *catalog::MountedCatalog::make({mount});
    options.log = &log;
    std::string onError, after;
    ToolHooks watching;
    watching.onToolError = [&](const ToolErrorEvent &event) {
        const auto *cause = std::get_if<RawCause>(&event.error);
        onError = cause ? cause->message : "";
    };
    watching.afterToolCall = [&](const AfterToolCall &event) {
        const auto *cause = std::get_if<RawCause>(event.error);
        after = cause ? cause->message : "";
    };
    options.hooks = {watching};
    ToolRunner runner(std::move(options));
    json::Document arguments;
    const std::string json = R"({"what":")" + secret + "\"}";
    REQUIRE(arguments.readView(json).has_value());
    ToolCall call;
    call.toolName = "throw";
    call.arguments = arguments.root();
    const auto finished = runner.runBlocking(call);
    CHECK(onError == secret);
    CHECK(after == secret);
    CHECK(finished.failureJson ==
          R"({"error":"INTERNAL_SERVER_ERROR","retryable":false,"details":{"message":)"
          R"("Internal server error"}})");
    json::Document none;
    REQUIRE(none.readView("{}").has_value());
    call.toolName = "throw_int";
    call.arguments = none.root();
    CHECK(codeOf(runner.runBlocking(call).result) == "INTERNAL_SERVER_ERROR");
    CHECK(onError == "thrown, not a std::exception");
    CHECK(runner.shutdown(std::chrono::seconds(1)));
}

TEST_CASE(
    "what an asynchronous handler throws is what it answers, and a dropped reply is a fault") {
    Log log(LogLevel::Off);
    const auto loaded = plugin::loadFile(kFixtures + "/deferred.so", {}, log);
    REQUIRE(loaded.has_value());
    catalog::Mount mount;
    mount.catalog = loaded->catalog;
    mount.handler = loaded->instance;
    ToolRunnerOptions options;
    options.catalog = *catalog::MountedCatalog::make({mount});
    options.log = &log;
    std::string onError;
    ToolHooks watching;
    watching.onToolError = [&](const ToolErrorEvent &event) {
        const auto *cause = std::get_if<RawCause>(&event.error);
        onError = cause ? cause->message : "";
    };
    options.hooks = {watching};
    ToolRunner runner(std::move(options));
    const auto codeOfCall = [&](std::string_view tool, const std::string &arguments) {
        json::Document document;
        REQUIRE(document.readView(arguments).has_value());
        ToolCall call;
        call.toolName = tool;
        call.arguments = document.root();
        return codeOf(runner.runBlocking(call).result);
    };
    CHECK(codeOfCall("drop", "{}") == "INTERNAL_SERVER_ERROR");
    CHECK(onError == "the handler dropped its reply without an answer");
    CHECK(codeOfCall("throw_async", R"({"what":"s3cret"})") == "INTERNAL_SERVER_ERROR");
    CHECK(onError == "s3cret");
    CHECK(codeOfCall("throw_async", R"({"what":"refusal"})") == "CONFLICT");
    CHECK(runner.shutdown(std::chrono::seconds(1)));
}
