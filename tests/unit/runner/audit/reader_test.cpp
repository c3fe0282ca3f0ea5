// SPDX-License-Identifier: Apache-2.0
#include "runner/audit/reader.h"

#include "runner/audit/jsonl_sink.h"
#include "runner/audit/sqlite_testing.h"

#include <catch2/catch.hpp>

#include <sys/file.h>

#include <thread>

using namespace tenon;
using namespace tenon::audit;
using namespace tenon::audit::testing;
using namespace std::chrono_literals;

namespace {

const Rotation kNoRotation{0, {}, {}};

// A sink of either form, which every test of both runs with.
std::unique_ptr<Sink> sinkOf(bool isDatabase, const std::string &path,
                             Rotation rotation = kNoRotation) {
    if (isDatabase) {
        return sinkAt(path, rotation);
    }
    auto made = JsonlSink::open(path, rotation);
    REQUIRE(made.has_value());
    return std::move(*made);
}

Summary summaryOf(const std::string &path, const Query &query, std::vector<Row> &rows) {
    const auto done = readRows(path, query, [&](const Row &row) {
        rows.push_back(row);
        return true;
    });
    INFO((done ? "" : done.error().message));
    REQUIRE(done.has_value());
    return *done;
}

std::string failureOf(const std::string &path, const Query &query = {}) {
    const auto done = readRows(path, query, [](const Row &) { return true; });
    REQUIRE(!done.has_value());
    return done.error().message;
}

void lineTo(const std::string &path, const Row &row) {
    std::string line;
    appendJson(line, row);
    std::ofstream(path, std::ios::app) << line << '\n';
}

Query newest(std::size_t last) {
    Query query;
    query.last = last;
    return query;
}

Follower followerOf(const std::string &path, const Query &query) {
    auto opened = Follower::open(path, query);
    INFO((opened ? "" : opened.error().message));
    REQUIRE(opened.has_value());
    return std::move(*opened);
}

// A follower and what it has given.
struct Followed {
    explicit Followed(const std::string &path, const Query &query = {})
        : follower(followerOf(path, query)) {}
    std::vector<int> poll() {
        std::vector<int> numbers;
        const auto goesOn = follower.poll([&](const Row &row) {
            numbers.push_back(numberOf(row));
            return true;
        });
        INFO((goesOn ? "" : goesOn.error().message));
        CHECK((goesOn && *goesOn));
        return numbers;
    }
    Follower follower;
};

} // namespace

TEST_CASE("Rows come in the order of writing, of either form and whatever the file's name") {
    const Folder folder;
    const bool isDatabase = GENERATE(true, false);
    const auto path = folder / GENERATE("audit.db", "audit.jsonl");
    const auto sink = sinkOf(isDatabase, path);
    auto rows = numberedRows(0, 700, 30'000);
    std::swap(rows[3].startedAt, rows[4].startedAt = "2026-01-01T00:00:00.000Z");
    REQUIRE(wrote(*sink, rows));
    std::vector<Row> found;
    const auto summary = summaryOf(path, {}, found);
    CHECK(summary.rows == 700);
    CHECK(summary.skippedLines == 0);
    CHECK(summary.notes.empty());
    const bool isSame = found == rows;
    CHECK(isSame);
}

TEST_CASE("A query keeps a tool's rows, the failed ones, and those since a time") {
    const Folder folder;
    const bool isDatabase = GENERATE(true, false);
    const auto path = folder / "audit";
    auto rows = numberedRows(0, 600);
    for (std::size_t n = 0; n < rows.size(); ++n) {
        rows[n].toolName = n % 2 == 0 ? "even" : "odd";
        rows[n].ok = n % 3 != 0;
        rows[n].startedAt = timeText(SystemTime(std::chrono::seconds(n)));
    }
    const auto sink = sinkOf(isDatabase, path);
    REQUIRE(wrote(*sink, {rows.begin(), rows.begin() + 300}));
    REQUIRE(sink->rotate().has_value());
    REQUIRE(wrote(*sink, {rows.begin() + 300, rows.end()}));
    const auto wanted = [&](const Query &query) {
        std::vector<int> numbers;
        for (const auto &row : rows) {
            if (fits(query, row)) {
                numbers.push_back(numberOf(row));
            }
        }
        return numbers;
    };
    Query query;
    query.tool = GENERATE("", "odd", "none");
    query.failedOnly = GENERATE(true, false);
    query.since = GENERATE("", "1970-01-01T00:04:50.000Z", "2001-01-01T00:00:00.000Z");
    const auto all = wanted(query);
    CHECK(differences(readNumbers(path, query), all) == "");
    query.last = 7;
    const auto least = all.size() > 7 ? all.end() - 7 : all.begin();
    CHECK(readNumbers(path, query) == std::vector<int>(least, all.end()));
}

TEST_CASE("The files put aside are read too, oldest first, and each row once") {
    const Folder folder;
    const bool isDatabase = GENERATE(true, false);
    const auto path = folder / "audit";
    const auto sink = sinkOf(isDatabase, path);
    for (std::size_t n = 0; n < 40; n += 10) {
        REQUIRE(wrote(*sink, numberedRows(n, 10)));
        REQUIRE(sink->rotate().has_value());
    }
    REQUIRE(archivesOf(path).size() == 4);
    // As when a process dies while it puts rows aside: they stand in two files, or in three.
    REQUIRE(wrote(*sink, numberedRows(30, 20)));
    CHECK(readNumbers(path) == countedTo(50));
    CHECK(readNumbers(path, newest(1'000)) == countedTo(50));
    CHECK(readNumbers(path, newest(25)) == countedTo(50, 25));
    CHECK(readNumbers(path, newest(15)) == countedTo(50, 35));
    CHECK(readNumbers(path, aloneQuery()) == countedTo(50, 30));
    REQUIRE(sink->rotate().has_value());
    REQUIRE(wrote(*sink, numberedRows(30, 25)));
    CHECK(readNumbers(path) == countedTo(55));
    CHECK(readNumbers(path, newest(40)) == countedTo(55, 15));
}

TEST_CASE("Without the file itself, what was put aside is read; without that, it is said") {
    const Folder folder;
    const auto path = folder / "audit";
    CHECK(has(failureOf(path), "there is no such file"));
    CHECK(has(failureOf(path, newest(5)), "there is no such file"));
    CHECK(has(failureOf(folder.path), "it is no regular file"));
    {
        const auto sink = sinkAt(path);
        REQUIRE(wrote(*sink, numberedRows(0, 3)));
        REQUIRE(sink->rotate().has_value());
    }
    removeDatabase(path);
    CHECK(readNumbers(path) == countedTo(3));
    CHECK(readNumbers(path, newest(2)) == countedTo(3, 1));
}

TEST_CASE("Another program's database is refused; a file put aside that is none is left out") {
    const Folder folder;
    const auto path = folder / "audit";
    writeFile(path, "");
    textOf(path, "CREATE TABLE calls(id)");
    CHECK(has(failureOf(path), "it is a database of another program"));
    std::filesystem::remove(path);
    const auto sink = sinkAt(path);
    REQUIRE(wrote(*sink, numberedRows(0, 3)));
    const auto old = archiveName(path, now() - 1h);
    writeFile(old, "");
    textOf(old, "CREATE TABLE calls(id)");
    std::vector<Row> rows;
    const auto summary = summaryOf(path, {}, rows);
    CHECK(rows.size() == 3);
    REQUIRE(summary.notes.size() == 1);
    CHECK(has(summary.notes[0], "is left out: it is a database of another program"));
}

TEST_CASE("Torn, foreign and overlong lines are left out and counted") {
    const Folder folder;
    const auto path = folder / "audit.jsonl";
    lineTo(path, numbered(0));
    std::ofstream(path, std::ios::app) << "{\"id\":\"torn\",\"ts\":1\n\n[1]\n{\"a\":1}\nplain\n";
    lineTo(path, numbered(1));
    lineTo(path, numbered(2, 3U << 20));
    lineTo(path, numbered(3));
    std::string last;
    SECTION("a torn line at the end") {
        std::ofstream(path, std::ios::app) << R"({"id":"torn)";
        std::vector<Row> rows;
        CHECK(summaryOf(path, {}, rows).skippedLines == 6);
        CHECK(readNumbers(path) == std::vector<int>{0, 1, 3});
    }
    SECTION("a whole one without its line feed") {
        std::string line;
        appendJson(line, numbered(4));
        std::ofstream(path, std::ios::app) << line;
        std::vector<Row> rows;
        CHECK(summaryOf(path, {}, rows).skippedLines == 5);
        CHECK(readNumbers(path) == std::vector<int>{0, 1, 3, 4});
        CHECK(readNumbers(path, newest(2)) == std::vector<int>{3, 4});
    }
    SECTION("an overlong one at the end") {
        std::ofstream(path, std::ios::app) << std::string(5U << 20, 'x');
        std::vector<Row> rows;
        CHECK(summaryOf(path, {}, rows).skippedLines == 6);
        CHECK(rows.size() == 3);
    }
}

TEST_CASE("The last line of a file that is just being written is not taken for a torn one") {
    const Folder folder;
    const auto path = folder / "audit.jsonl";
    lineTo(path, numbered(0));
    std::ofstream(path, std::ios::app) << R"({"id":"half)";
    const auto skipped = [&](const Query &query) {
        std::vector<Row> rows;
        const auto count = summaryOf(path, query, rows).skippedLines;
        CHECK(rows.size() == 1);
        return count;
    };
    const int writer = open(path.c_str(), O_WRONLY | O_CLOEXEC);
    REQUIRE((writer >= 0 && flock(writer, LOCK_EX) == 0));
    CHECK(skipped({}) == 0);
    CHECK(skipped(newest(5)) == 0);
    REQUIRE(flock(writer, LOCK_UN) == 0);
    CHECK(skipped({}) == 1);
    CHECK(skipped(newest(5)) == 1);
    CHECK(flock(writer, LOCK_EX | LOCK_NB) == 0); // the reader's lock is given back
    close(writer);
}

TEST_CASE("Lines that come while a file is read once are not read") {
    const Folder folder;
    const auto path = folder / "audit.jsonl";
    for (std::size_t n = 0; n < 10; ++n) {
        lineTo(path, numbered(n));
    }
    std::vector<int> numbers;
    const auto done = readRows(path, {}, [&](const Row &row) {
        numbers.push_back(numberOf(row));
        lineTo(path, numbered(100));
        std::ofstream(path, std::ios::app) << "half";
        return true;
    });
    REQUIRE(done.has_value());
    CHECK(numbers == countedTo(10));
    CHECK(done->skippedLines == 0);
}

TEST_CASE("Reading ends when whoever takes the rows has enough") {
    const Folder folder;
    const auto path = folder / "audit";
    const auto sink = sinkOf(GENERATE(true, false), path);
    REQUIRE(wrote(*sink, numberedRows(0, 1'000)));
    std::size_t count = 0;
    const auto done = readRows(path, {}, [&](const Row &) { return ++count < 10; });
    REQUIRE(done.has_value());
    CHECK(done->rows == 10);
}

TEST_CASE("A database is read where nothing can be written, also while another process writes") {
    const Folder folder;
    const auto path = folder / "audit.db";
    std::filesystem::create_directory(folder / "copy");
    const auto copied = folder / "copy/audit.db";
    Child writer([&]() -> std::string {
        const auto sink = SqliteSink::open(path, kNoRotation);
        if (!sink || (*sink)->write(numberedRows(0, 5)).rows != 5) {
            return "cannot write";
        }
        std::filesystem::copy(path, copied);
        std::filesystem::copy(path + "-wal", copied + "-wal");
        writeFile(folder / "written", "");
        return waitUntil([&] { return std::filesystem::exists(folder / "done"); });
    });
    REQUIRE(waitUntil([&] { return std::filesystem::exists(folder / "written"); }).empty());
    std::string wanted = "5";
    auto asked = path;
    SECTION("beside its writer") {}
    SECTION("after it, with what it left") {
        writeFile(folder / "done", "");
        CHECK(writer.wait() == "");
    }
    SECTION("copied without its log") {
        writeFile(folder / "done", "");
        CHECK(writer.wait() == "");
        std::filesystem::remove(copied + "-wal");
        std::filesystem::copy(path, copied, std::filesystem::copy_options::overwrite_existing);
        asked = copied;
    }
    SECTION("copied with its log, and without the index of that") {
        asked = copied;
        wanted = "its folder cannot be written: copy it and its -wal file";
    }
    for (const auto *tail : {"", "-wal", "-shm"}) {
        std::error_code ignored;
        std::filesystem::permissions(concat(asked, tail), std::filesystem::perms(0444), ignored);
    }
    std::filesystem::permissions(folder.path, std::filesystem::perms(0755));
    const auto inside = std::filesystem::path(asked).parent_path();
    std::filesystem::permissions(inside, std::filesystem::perms(0555));
    Child reader([&]() -> std::string {
        if (geteuid() == 0 && setuid(65534) != 0) { // root may write everywhere
            return "cannot become another user";
        }
        if (access(inside.c_str(), W_OK) == 0) {
            return "the folder can be written";
        }
        const auto done = readRows(asked, {}, [](const Row &) { return true; });
        return done ? std::to_string(done->rows) : done.error().message;
    });
    CHECK(has(reader.wait(), wanted));
    std::filesystem::permissions(inside, std::filesystem::perms(0755));
    writeFile(folder / "done", "");
    CHECK(writer.wait() == "");
}

TEST_CASE("Beside writers that rotate, a reader sees each row once and none is missing") {
    const Folder folder;
    const bool isDatabase = GENERATE(true, false);
    const auto path = folder / "audit";
    sinkOf(isDatabase, path).reset();
    constexpr std::size_t kProcesses = 3, kRows = 600;
    std::vector<std::unique_ptr<Child>> children;
    for (std::size_t process = 0; process < kProcesses; ++process) {
        children.push_back(std::make_unique<Child>([&, process]() -> std::string {
            const Rotation rotation{256U << 10, {}, {}};
            auto database = isDatabase ? SqliteSink::open(path, rotation) : nullptr;
            auto lines = isDatabase ? nullptr : JsonlSink::open(path, rotation);
            if (!database || !lines) {
                return database ? lines.error().message : database.error().message;
            }
            Sink &sink = isDatabase ? static_cast<Sink &>(**database) : **lines;
            for (std::size_t n = 0; n < kRows;) {
                const auto rows = numberedRows(process * kRows + n, 3, 1'000);
                n += sink.write(rows).rows == 3 ? 3 : 0;
                sink.keepUp();
            }
            return "";
        }));
    }
    Followed all(path);
    std::vector<int> followed;
    std::size_t reads = 0;
    const auto until = std::chrono::steady_clock::now() + 30s;
    while (followed.size() < kProcesses * kRows && std::chrono::steady_clock::now() < until) {
        const auto more = all.poll();
        followed.insert(followed.end(), more.begin(), more.end());
        if (++reads % 8 == 0) { // one from the beginning has at least what was given before
            auto numbers = sorted(readNumbers(path));
            const bool isTwice =
                std::adjacent_find(numbers.begin(), numbers.end()) != numbers.end();
            CHECK(!isTwice);
            CHECK(numbers.size() >= followed.size());
            const auto tail = readNumbers(path, newest(10)).size(); // more may have come
            CHECK(tail >= std::min<std::size_t>(10, numbers.size()));
            CHECK(tail <= 10);
        }
        std::this_thread::sleep_for(1ms);
    }
    for (const auto &child : children) {
        CHECK(child->wait() == "");
    }
    const auto rest = all.poll();
    followed.insert(followed.end(), rest.begin(), rest.end());
    CHECK(differences(followed, countedTo(kProcesses * kRows)) == "");
    CHECK(differences(readNumbers(path), countedTo(kProcesses * kRows)) == "");
    CHECK(archivesOf(path).size() > 2);
}

TEST_CASE("Following begins behind the newest rows and goes on with those that come") {
    const Folder folder;
    const bool isDatabase = GENERATE(true, false);
    const auto path = folder / "audit";
    auto sink = sinkOf(isDatabase, path);
    REQUIRE(wrote(*sink, numberedRows(0, 30)));
    REQUIRE(sink->rotate().has_value());
    REQUIRE(wrote(*sink, numberedRows(30, 5)));
    Followed tail(path, newest(8));
    CHECK(tail.poll() == countedTo(35, 27));
    CHECK(tail.poll().empty());
    REQUIRE(wrote(*sink, numberedRows(35, 2)));
    CHECK(tail.poll() == countedTo(37, 35));
    SECTION("through rotation, twice") {
        REQUIRE(wrote(*sink, numberedRows(37, 3)));
        REQUIRE(sink->rotate().has_value());
        REQUIRE(wrote(*sink, numberedRows(40, 3)));
        REQUIRE(sink->rotate().has_value());
        REQUIRE(wrote(*sink, numberedRows(43, 1)));
        CHECK(tail.poll() == countedTo(44, 37));
    }
    SECTION("after a deletion") {
        std::filesystem::remove(path);
        CHECK(tail.poll().empty());
        REQUIRE(wrote(*sink, numberedRows(37, 3)));
        CHECK(tail.poll() == countedTo(40, 37));
    }
    SECTION("after a move by somebody else") {
        REQUIRE(wrote(*sink, numberedRows(37, 1)));
        std::filesystem::rename(path, folder / "old");
        REQUIRE(wrote(*sink, numberedRows(38, 1)));
        CHECK(tail.poll() == countedTo(39, 37));
    }
    SECTION("and after a rest") {
        sink.reset();
        CHECK(tail.poll().empty());
        sink = sinkOf(isDatabase, path);
        REQUIRE(wrote(*sink, numberedRows(37, 3)));
        CHECK(tail.poll() == countedTo(40, 37));
    }
}

TEST_CASE("A line that is being written is followed once it is whole") {
    const Folder folder;
    const auto path = folder / "audit.jsonl";
    lineTo(path, numbered(0));
    Followed all(path);
    CHECK(all.poll() == countedTo(1));
    std::string line;
    appendJson(line, numbered(1));
    std::ofstream(path, std::ios::app) << line.substr(0, 20);
    CHECK(all.poll().empty());
    std::ofstream(path, std::ios::app) << line.substr(20) << '\n';
    CHECK(all.poll() == countedTo(2, 1));
    writeFile(path, "");
    CHECK(all.poll().empty());
    lineTo(path, numbered(2));
    CHECK(all.poll() == countedTo(3, 2));
    CHECK(all.follower.summary().skippedLines == 0);
}

TEST_CASE("A time since is how long ago, or RFC 3339 with any offset") {
    SystemTime at;
    REQUIRE(parseTime("2026-11-30T21:44:27.123Z", at));
    const auto since = [&](std::string_view words) {
        const auto read = sinceOf(words, at);
        return read ? *read : read.error().message;
    };
    CHECK(since("27s") == "2026-11-30T21:44:00.123Z");
    CHECK(since("44m") == "2026-11-30T21:00:27.123Z");
    CHECK(since("22h") == "2026-11-29T23:44:27.123Z");
    CHECK(since("30d") == "2026-10-31T21:44:27.123Z");
    CHECK(since("0d") == "2026-11-30T21:44:27.123Z");
    CHECK(since("2026-01-02T03:04:05Z") == "2026-01-02T03:04:05.000Z");
    CHECK(since("2026-01-02t03:04:05.6z") == "2026-01-02T03:04:05.600Z");
    CHECK(since("2026-01-02 03:04:05.67891Z") == "2026-01-02T03:04:05.678Z");
    CHECK(since("2026-01-02T03:04:05+05:30") == "2026-01-01T21:34:05.000Z");
    CHECK(since("2026-01-02T23:04:05.5-01:00") == "2026-01-03T00:04:05.500Z");
    for (const auto *words : {"",
                              "h",
                              "1",
                              "1w",
                              "-1h",
                              "+1h",
                              "1.5h",
                              "1 h",
                              "1hh",
                              "99999999999999999999s",
                              "9999999d",
                              "yesterday",
                              "2026-01-02",
                              "2026-01-02T03:04:05",
                              "2026-13-02T03:04:05Z",
                              "2026-01-02T24:04:05Z",
                              "2026-01-02T03:04:05.Z",
                              "2026-01-02T03:04:05+5:30",
                              "2026-01-02T03:04:05+24:00",
                              "2026-01-02T03:04:05Zx",
                              "2026-02-30T03:04:05Z"}) {
        CHECK(has(since(words), "expected how long ago, such as 90s, 30m, 1h or 2d"));
    }
}
