// SPDX-License-Identifier: Apache-2.0
#include "runner/audit/files.h"

#include "runner/audit/audit_testing.h"

#include <set>
#include <thread>

using namespace tenon::audit;
using namespace tenon::audit::testing;
using namespace std::chrono_literals;

namespace {

SystemTime timeOf(std::string_view text) {
    SystemTime time;
    REQUIRE(parseTime(text, time));
    return time;
}

void setAge(const std::string &path, std::chrono::seconds age) {
    std::filesystem::last_write_time(path, std::filesystem::file_time_type::clock::now() - age);
}

} // namespace

TEST_CASE("A time reads back as it was written") {
    for (const std::string_view text :
         {"2026-11-30T21:44:27.123Z", "1970-01-01T00:00:00.000Z", "2028-02-29T23:59:59.999Z"}) {
        CHECK(timeText(timeOf(text)) == text);
    }
    SystemTime time;
    for (const std::string_view text :
         {"", "2026-11-30T21:44:27Z", "2026-11-30 21:44:27.123Z", "2026-02-30T21:44:27.123Z",
          "2026-11-30T24:44:27.123Z", "2026-11-30T21:60:27.123Z", "2026-11-30T21:44:27.123+",
          "2026-11-30T21:44:2x.123Z", "2026-13-30T21:44:27.123Z", "2026-11-30T21:44:27.1234Z"}) {
        INFO(text);
        CHECK_FALSE(parseTime(text, time));
    }
}

TEST_CASE("Ids are UUIDs of version 7 that rise, whichever thread asks for one") {
    std::vector<std::vector<std::string>> ids(4, std::vector<std::string>(20'000));
    std::vector<std::thread> threads;
    for (auto &mine : ids) {
        threads.emplace_back([&mine] {
            for (auto &id : mine) {
                nextRowId(id);
            }
        });
    }
    std::set<std::string> all;
    for (std::size_t i = 0; i < ids.size(); ++i) {
        threads[i].join();
        CHECK(std::is_sorted(ids[i].begin(), ids[i].end()));
        all.insert(ids[i].begin(), ids[i].end());
    }
    CHECK(all.size() == 80'000);
    const auto &id = *all.begin();
    REQUIRE(id.size() == 36);
    CHECK(id[14] == '7');
    CHECK(std::string_view("89ab").find(id[19]) != std::string_view::npos);
    CHECK(id.find_first_not_of("0123456789abcdef-") == id.npos);
    CHECK((id[8] == '-' && id[13] == '-' && id[18] == '-' && id[23] == '-'));
    const auto milliseconds = std::stoll(id.substr(0, 8) + id.substr(9, 4), nullptr, 16);
    const auto now = std::chrono::system_clock::now().time_since_epoch() / 1ms;
    CHECK(std::abs(now - milliseconds) < 60'000);
}

TEST_CASE("An archive is named after the time when it was put aside") {
    const auto time = timeOf("2026-11-30T21:44:27.999Z");
    CHECK(archiveName("audit.jsonl", time) == "audit.jsonl.20261130T214427Z");
    CHECK(archiveName("/a-b/c:d", time, 12) == "/a-b/c:d.20261130T214427Z.12");
}

TEST_CASE("Only what archiveName gives is taken for an archive") {
    CHECK(isArchiveOf("a.jsonl", "a.jsonl.20261130T214427Z"));
    CHECK(isArchiveOf("a.jsonl", "a.jsonl.20261130T214427Z.1"));
    CHECK(isArchiveOf("a.jsonl", "a.jsonl.20261130T214427Z.9999"));
    for (const std::string_view name :
         {"", "a.jsonl", "a.jsonl.1", "a.jsonl.gz", "b.jsonl.20261130T214427Z",
          "a.jsonl.20261130T214427", "a.jsonl.20261130T214427Z.", "a.jsonl.20261130T214427Z.0",
          "a.jsonl.20261130T214427Z.01", "a.jsonl.20261130T214427Z.gz",
          "a.jsonl.20261130T214427Z.10000", "a.jsonl.20261130T214427Z.99999999999999999999",
          "a.jsonl.20261130T214427Z-wal", "a.jsonl.20261131T214427Z", "a.jsonl.20261130T254427Z",
          "a.jsonl-20261130T214427Z", "a.jsonl.2026113OT214427Z", "xa.jsonl.20261130T214427Z"}) {
        INFO(name);
        CHECK_FALSE(isArchiveOf("a.jsonl", name));
    }
}

TEST_CASE("Archives are listed oldest first, by number within a second") {
    const Folder folder;
    const auto path = folder / "a";
    const std::vector<std::string> names{path + ".20251231T235959Z", path + ".20261130T214427Z",
                                         path + ".20261130T214427Z.2",
                                         path + ".20261130T214427Z.10", path + ".20261130T214428Z"};
    for (const auto at : {3U, 0U, 4U, 2U, 1U}) {
        writeFile(names[at], "x");
    }
    writeFile(path, "live");
    writeFile(path + ".old", "a stranger's");
    std::filesystem::create_directory(path + ".20200101T000000Z");
    std::filesystem::create_symlink(path, path + ".20200102T000000Z");
    CHECK(archivesOf(path) == names);
    CHECK(archivesOf(folder / "other").empty());
    CHECK(archivesOf(folder / "no/such/folder").empty());
}

TEST_CASE("Archives are found beside a path without a folder") {
    const Folder folder;
    const auto before = std::filesystem::current_path();
    std::filesystem::current_path(folder.path);
    writeFile("a.20261130T214427Z", "x");
    const auto found = archivesOf("a");
    std::filesystem::current_path(before);
    CHECK(found == std::vector<std::string>{"a.20261130T214427Z"});
}

TEST_CASE("What was last written too long ago is deleted, and nothing else") {
    const Folder folder;
    const auto path = folder / "a";
    const auto old = path + ".20200101T000000Z";
    const auto young = path + ".20200102T000000Z"; // of an old name, but written lately
    const auto stranger = path + ".20200101T000000Z.gz";
    for (const auto &name : {path, old, young, stranger}) {
        writeFile(name, "x");
        setAge(name, name == young ? 10s : 1000s);
    }
    const auto deleted = deleteOlder(path, std::chrono::system_clock::now() - 100s);
    CHECK(deleted.names == std::vector<std::string>{old});
    CHECK(deleted.fault.empty());
    CHECK_FALSE(std::filesystem::exists(old));
    CHECK((std::filesystem::exists(path) && std::filesystem::exists(young) &&
           std::filesystem::exists(stranger)));
    CHECK(deleteOlder(path, std::chrono::system_clock::now() - 100s).names.empty());
}

TEST_CASE("Putting aside never overwrites: a taken name gets a number") {
    const Folder folder;
    const auto path = folder / "a";
    const auto now = timeOf("2026-11-30T21:44:27.000Z");
    for (const std::string_view content : {"first", "second", "third"}) {
        writeFile(path, content);
        REQUIRE(putAside(path, path, now).has_value());
        CHECK_FALSE(std::filesystem::exists(path));
    }
    const auto archives = archivesOf(path);
    REQUIRE(archives.size() == 3);
    CHECK(archives[0] == archiveName(path, now));
    CHECK(archives[2] == archiveName(path, now, 2));
    CHECK(contentOf(archives[0]) == "first");
    CHECK(contentOf(archives[1]) == "second");
    CHECK(contentOf(archives[2]) == "third");
}

TEST_CASE("A file that cannot be put aside stays, and the reason is told") {
    const Folder folder;
    const auto path = folder / std::string(250, 'a'); // no room for the stamp
    writeFile(path, "content");
    const auto aside = putAside(path, path, std::chrono::system_clock::now());
    REQUIRE_FALSE(aside.has_value());
    CHECK(aside.error().message.find("File name too long") != std::string::npos);
    CHECK(contentOf(path) == "content");
    CHECK_FALSE(
        putAside(folder / "none", folder / "none", std::chrono::system_clock::now()).has_value());
}
