// SPDX-License-Identifier: Apache-2.0
#include "runner/audit/jsonl_sink.h"

#include "runner/audit/audit_testing.h"

#include <sched.h>
#include <sys/file.h>
#include <sys/mount.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <termios.h>

#include <array>
#include <atomic>
#include <csignal>
#include <cstdlib>
#include <cstring>
#include <thread>

using namespace tenon;
using namespace tenon::audit;
using namespace tenon::audit::testing;
using namespace std::chrono_literals;
using Steady = std::chrono::steady_clock;

namespace {

constexpr Rotation kNoRotation{0, 0s, 0s};

std::unique_ptr<JsonlSink> sinkOf(const std::string &path, Rotation rotation = kNoRotation) {
    auto sink = JsonlSink::open(path, rotation);
    INFO((sink ? "" : sink.error().message));
    REQUIRE(sink.has_value());
    return std::move(*sink);
}

std::string refusalOf(const std::string &path) {
    const auto sink = JsonlSink::open(path, kNoRotation);
    REQUIRE_FALSE(sink.has_value());
    return sink.error().message;
}

// Writes rows that must all be safe, and lets the sink keep up; the notices of both.
std::vector<std::string> put(JsonlSink &sink, const std::vector<Row> &rows) {
    auto written = sink.write(rows);
    INFO((written.fault ? written.fault->message : ""));
    CHECK_FALSE(written.fault.has_value());
    CHECK(written.rows == rows.size());
    auto notices = sink.keepUp();
    notices.insert(notices.begin(), written.notices.begin(), written.notices.end());
    return notices;
}

bool has(const std::string &text, std::string_view part) {
    INFO(text);
    const bool found = text.find(part) != text.npos;
    CHECK(found);
    return found;
}

void setAge(const std::string &path, std::chrono::seconds age) {
    std::filesystem::last_write_time(path, std::filesystem::file_time_type::clock::now() - age);
}

} // namespace

TEST_CASE("Rows are lines that read back, in a file of its owner's, behind what is there") {
    const Folder folder;
    const auto path = folder / "audit.jsonl";
    auto rows = numberedRows(0, 3);
    rows[1].errorMessage = "two\nlines";
    CHECK(put(*sinkOf(path), {rows[0], rows[1]}).empty());
    CHECK(put(*sinkOf(path), {rows[2]}).empty());
    CHECK(put(*sinkOf(path), {}).empty());
    const auto lines = linesOf(path);
    CHECK(lines.rows == rows);
    CHECK(lines.torn.empty());
    struct stat seen {};
    REQUIRE(stat(path.c_str(), &seen) == 0);
    CHECK((seen.st_mode & 0777U) == 0600U);
}

TEST_CASE("What cannot be a file of rows is refused in words, at once") {
    const Folder folder;
    has(refusalOf(folder.path), "it is a directory; name a file in it");
    has(refusalOf(folder / "no/audit.jsonl"),
        concat("the folder ", folder / "no", " does not exist"));
    writeFile(folder / "file", "");
    has(refusalOf(folder / "file/audit.jsonl"), "file is no folder");
    REQUIRE(mkfifo((folder / "fifo").c_str(), 0600) == 0);
    const auto began = Steady::now();
    has(refusalOf(folder / "fifo"), "it is a FIFO; expected a regular file");
    CHECK(Steady::now() - began < 2s);
    has(refusalOf(folder / std::string(300, 'a')), "File name too long");
}

TEST_CASE("What a dead run left of a row is closed off, and told once") {
    const Folder folder;
    const auto path = folder / "audit.jsonl";
    const auto sink = sinkOf(path);
    put(*sink, {numbered(0)});
    const auto whole = contentOf(path);
    const std::string torn = R"({"id":"torn","ts":1)";
    writeFile(path, whole + torn);
    const auto notices = put(*sink, {numbered(1)});
    REQUIRE(notices.size() == 1);
    has(notices[0], concat("the ", torn.size(), " bytes of it at offset ", whole.size()));
    CHECK(put(*sink, {numbered(2)}).empty());
    const auto lines = linesOf(path);
    CHECK(lines.numbers() == countedTo(3));
    CHECK(lines.torn == std::vector<std::string>{torn});
}

TEST_CASE("The whole of a torn row is measured, and a file of nothing else too") {
    const Folder folder;
    const auto path = folder / "audit.jsonl";
    const auto size = GENERATE(std::size_t{1}, std::size_t{65535}, std::size_t{65536},
                               std::size_t{65537}, std::size_t{300'000});
    const auto before = GENERATE(std::size_t{0}, std::size_t{1}, std::size_t{70'000});
    auto content = std::string(before, 'b');
    if (before > 0) {
        content.back() = '\n';
    }
    writeFile(path, content + std::string(size, 't'));
    const auto notices = put(*sinkOf(path), {numbered(0)});
    REQUIRE(notices.size() == 1);
    has(notices[0], concat("the ", size, " bytes of it at offset ", before));
}

TEST_CASE("A file that was moved or deleted is noticed with the next row, and told once") {
    const Folder folder;
    const auto path = folder / "audit.jsonl";
    const auto sink = sinkOf(path);
    put(*sink, {numbered(0)});
    std::filesystem::rename(path, folder / "moved");
    auto notices = put(*sink, {numbered(1)});
    REQUIRE(notices.size() == 1);
    has(notices[0], "had been moved or deleted");
    CHECK(put(*sink, {numbered(2)}).empty());
    std::filesystem::remove(path);
    CHECK(put(*sink, {numbered(3)}).size() == 1);
    std::filesystem::rename(path, folder / "moved2");
    writeFile(path, ""); // as who rotates logs does: another file is there already
    CHECK(put(*sink, {numbered(4)}).size() == 1);
    CHECK(linesOf(folder / "moved").numbers() == std::vector<int>{0});
    CHECK(linesOf(folder / "moved2").numbers() == std::vector<int>{3});
    CHECK(linesOf(path).numbers() == std::vector<int>{4});
}

TEST_CASE("A folder that is gone is a fault until it is back") {
    const Folder folder;
    const auto inner = folder / "inner";
    std::filesystem::create_directory(inner);
    const auto sink = sinkOf(inner + "/audit.jsonl");
    std::filesystem::rename(inner, folder / "away");
    const auto rows = numberedRows(0, 1);
    for (int i = 0; i < 2; ++i) {
        const auto written = sink->write(rows);
        CHECK(written.rows == 0);
        REQUIRE(written.fault.has_value());
        has(written.fault->message, concat("the folder ", inner, " does not exist"));
    }
    std::filesystem::create_directory(inner);
    put(*sink, rows);
    CHECK(linesOf(inner + "/audit.jsonl").numbers() == countedTo(1));
}

namespace {

// Writes rows until `many` are safe and `enough` says so; rows that a fault left are tried again.
std::size_t writeUntil(JsonlSink &sink, std::size_t many, const std::function<bool()> &enough) {
    constexpr std::size_t kBatch = 20;
    const auto until = Steady::now() + 10s;
    std::size_t n = 0;
    while ((n < many || !enough()) && Steady::now() < until) {
        n += sink.write(numberedRows(n, kBatch)).rows;
    }
    return n;
}

} // namespace

TEST_CASE("Moved in a loop while rows are written: all files together have each row once") {
    const Folder folder;
    const auto path = folder / "audit.jsonl";
    const auto sink = sinkOf(path);
    std::atomic<bool> over = false;
    std::atomic<int> moves = 0;
    std::thread mover([&] {
        while (!over && moves < 1000) {
            const auto to = folder / concat("moved.", moves.load());
            moves += std::rename(path.c_str(), to.c_str()) == 0 ? 1 : 0;
        }
    });
    const auto n = writeUntil(*sink, 4000, [&] { return moves >= 50; });
    over = true;
    mover.join();
    CHECK(moves >= 50);
    std::vector<int> all;
    for (const auto &entry : std::filesystem::directory_iterator(folder.path)) {
        const auto lines = linesOf(entry.path().string());
        CHECK(lines.torn.empty());
        const auto numbers = lines.numbers();
        all.insert(all.end(), numbers.begin(), numbers.end());
    }
    CHECK(missingOf(all, n) == "");
    CHECK(all.size() == n);
}

TEST_CASE("Deleted while rows are written: those of the batch at hand are written again") {
    const Folder folder;
    const auto path = folder / "audit.jsonl";
    const auto sink = sinkOf(path);
    std::atomic<bool> over = false;
    std::atomic<int> deletions = 0;
    // What a file held when it was deleted is gone with it, as was wanted; what came later is not.
    std::vector<std::pair<int, off_t>> deleted; // the file, kept open, and its size then
    std::thread deleter([&] {
        while (!over && deletions < 500) {
            const int file = ::open(path.c_str(), O_RDONLY | O_CLOEXEC);
            struct stat seen {};
            if (file >= 0 && unlink(path.c_str()) == 0 && fstat(file, &seen) == 0) {
                deleted.emplace_back(file, seen.st_size);
                ++deletions;
            }
        }
    });
    const auto n = writeUntil(*sink, 5000, [&] { return deletions >= 200; });
    over = true;
    deleter.join();
    CHECK(deletions >= 200);
    std::vector<int> kept = linesOf(path).numbers(), gone;
    for (const auto &[file, size] : deleted) {
        const auto name = concat("/proc/self/fd/", file);
        const auto all = contentOf(name);
        writeFile(folder / "then", std::string_view(all).substr(0, static_cast<std::size_t>(size)));
        const auto numbers = linesOf(folder / "then").numbers();
        gone.insert(gone.end(), numbers.begin(), numbers.end());
        close(file);
    }
    CHECK(std::is_sorted(kept.begin(), kept.end()));
    auto all = kept;
    all.insert(all.end(), gone.begin(), gone.end());
    CHECK(missingOf(all, n) == "");
}

TEST_CASE("A file that is too large is put aside when the sink keeps up, never over another") {
    const Folder folder;
    const auto path = folder / "audit.jsonl";
    const auto sink = sinkOf(path, {3000, 0s, 0s});
    for (std::size_t n = 0; n < 40; ++n) {
        CHECK(put(*sink, {numbered(n, 500)}).empty());
        CHECK(std::filesystem::file_size(path) <= 3000);
    }
    const auto archives = archivesOf(path);
    CHECK(archives.size() >= 5); // most of them within one second
    std::vector<int> all;
    for (const auto &name : archives) {
        const auto numbers = linesOf(name).numbers();
        all.insert(all.end(), numbers.begin(), numbers.end());
    }
    const auto numbers = linesOf(path).numbers();
    all.insert(all.end(), numbers.begin(), numbers.end());
    CHECK(all == countedTo(40));
}

TEST_CASE("Writing rows puts nothing aside and deletes nothing") {
    const Folder folder;
    const auto path = folder / "audit.jsonl";
    const auto sink = sinkOf(path, {1, 0s, 100s});
    const auto old = path + ".20200101T000000Z";
    writeFile(old, "x\n");
    setAge(old, 1000s);
    for (std::size_t n = 0; n < 3; ++n) {
        CHECK_FALSE(sink->write(numberedRows(n, 1)).fault.has_value());
    }
    CHECK(archivesOf(path) == std::vector<std::string>{old});
    CHECK(linesOf(path).numbers() == countedTo(3));
}

TEST_CASE("A file that was begun too long ago is put aside, whatever the age of its rows") {
    const Folder folder;
    const auto path = folder / "audit.jsonl";
    const auto begunAt = [&] {
        struct stat seen {};
        REQUIRE(stat(path.c_str(), &seen) == 0);
        return seen.st_ino;
    };
    const auto old = [](std::size_t n) {
        auto row = numbered(n);
        row.startedAt = timeText(std::chrono::system_clock::now() - 48h);
        return row;
    };
    {
        const auto sink = sinkOf(path, {0, 3600s, 0s});
        for (std::size_t n = 0; n < 10; ++n) {
            CHECK(put(*sink, {old(n)}).empty()); // of calls that took two days
        }
        CHECK(archivesOf(path).empty());
    }
    const Rotation rotation{0, 1s, 0s};
    std::this_thread::sleep_for(1100ms);
    const auto before = begunAt();
    const auto sink = sinkOf(path, rotation); // at opening
    CHECK(archivesOf(path).size() == 1);
    CHECK(begunAt() != before);
    const auto began = Steady::now();
    put(*sink, {old(10)});
    put(*sink, {old(11)});
    if (Steady::now() - began < 900ms) {
        CHECK(archivesOf(path).size() == 1); // not twice in that time
    } else {
        WARN("too slow here to see that a second file is not put aside within a second");
    }
    std::this_thread::sleep_for(1100ms);
    put(*sink, {old(12)});
    CHECK(archivesOf(path).size() >= 2);
}

TEST_CASE("Files put aside too long ago are deleted at opening and after a rotation") {
    const Folder folder;
    const auto path = folder / "audit.jsonl";
    const auto old = path + ".20200101T000000Z", young = path + ".20200102T000000Z";
    const auto stranger = folder / "audit.jsonl.bak";
    const auto make = [&] {
        for (const auto &name : {old, young, stranger}) {
            writeFile(name, "x\n");
            setAge(name, name == young ? 10s : 1000s);
        }
    };
    make();
    const auto sink = sinkOf(path, {1000, 0s, 100s});
    CHECK(archivesOf(path) == std::vector<std::string>{young});
    make();
    put(*sink, {numbered(0)}); // within the minute: not looked at
    CHECK(archivesOf(path).size() == 2);
    put(*sink, {numbered(1, 1000)});
    const auto archives = archivesOf(path);
    REQUIRE(archives.size() == 2);
    CHECK(archives[0] == young);
    CHECK(linesOf(archives[1]).numbers() == countedTo(2));
    CHECK(std::filesystem::exists(stranger));
    make();
    put(*sink, {numbered(2)});
    REQUIRE(sink->rotate().has_value());
    CHECK(sink->keepUp().empty());
    CHECK_FALSE(std::filesystem::exists(old));
    make();
    sinkOf(path, {0, 0s, std::chrono::seconds::max()});
    sinkOf(path, kNoRotation);
    CHECK(std::filesystem::exists(old)); // for ever is for ever
}

TEST_CASE("Where the clock cannot be right, nothing is deleted, and that is told once") {
    const Folder folder;
    const auto path = folder / "audit.jsonl";
    const auto old = path + ".20200101T000000Z";
    const Rotation rotation{1000, 0s, 100s};
    writeFile(old, "x\n");
    setAge(old, 2000s);
    SECTION("all is old when it is opened") {
        put(*sinkOf(path), {numbered(0)});
        setAge(path, 1000s);
        const auto sink = sinkOf(path, rotation);
        CHECK(std::filesystem::exists(old));
        const auto notices = sink->keepUp();
        REQUIRE(notices.size() == 1);
        has(notices[0], "all of the audit looks older than the retention");
        CHECK(sink->keepUp().empty());
        CHECK(std::filesystem::exists(old));
        CHECK(put(*sink, {numbered(1, 1000)}).empty());
        CHECK_FALSE(std::filesystem::exists(old)); // the file at hand is young again
    }
    SECTION("what this process has just written is old at once") {
        const auto sink = sinkOf(path, {1000, 0s, 10'000s});
        CHECK(std::filesystem::exists(old));
        CHECK(put(*sink, {numbered(0)}).empty());
        setAge(path, 20'000s); // as seen by a clock that jumped
        setAge(old, 21'000s);
        const auto notices = put(*sink, {numbered(1, 1000)});
        REQUIRE(notices.size() == 1);
        has(notices[0], "the clock has jumped ahead by more than the retention");
        CHECK(put(*sink, {numbered(2, 1000)}).empty());
        CHECK(archivesOf(path).size() == 3);
        sinkOf(path, {1000, 0s, 10'000s});
        CHECK_FALSE(std::filesystem::exists(old));
    }
}

TEST_CASE(
    "A symbolic link that is put at the path later is a fault, and nothing behind it changes") {
    const Folder folder;
    const auto path = folder / "audit.jsonl";
    const auto sink = sinkOf(path);
    put(*sink, {numbered(0)});
    const auto other = folder / "other";
    writeFile(other, "kept\n");
    SECTION("in place of the file") {
        std::filesystem::remove(path);
    }
    SECTION("to the file itself, which was moved") {
        std::filesystem::rename(path, other);
    }
    const auto content = contentOf(other);
    std::filesystem::create_symlink(other, path);
    for (int i = 0; i < 2; ++i) {
        const auto written = sink->write(numberedRows(1, 1));
        CHECK(written.rows == 0);
        REQUIRE(written.fault.has_value());
        has(written.fault->message, concat("a symbolic link stands at ", path));
    }
    CHECK_FALSE(sink->rotate().has_value());
    CHECK(sink->keepUp().empty());
    CHECK(contentOf(other) == content);
    std::filesystem::remove(path);
    put(*sink, {numbered(1)});
    CHECK(linesOf(path).numbers() == std::vector<int>{1});
}

TEST_CASE("A file that cannot be put aside grows on, and that is told once") {
    const Folder folder;
    const auto path = folder / std::string(250, 'a'); // no room for the stamp
    const auto sink = sinkOf(path, {10, 0s, 0s});
    const auto notices = put(*sink, {numbered(0)});
    REQUIRE(notices.size() == 1);
    has(notices[0], "it cannot be renamed");
    CHECK(put(*sink, {numbered(1)}).empty());
    CHECK(put(*sink, {numbered(2)}).empty());
    const auto rotated = sink->rotate();
    REQUIRE_FALSE(rotated.has_value());
    has(rotated.error().message, "it cannot be renamed");
    CHECK(put(*sink, {numbered(3)}).empty());
    CHECK(linesOf(path).numbers() == countedTo(4));
}

TEST_CASE("Of several processes one puts the file aside, and the others follow without a word") {
    const Folder folder;
    const auto path = folder / "audit.jsonl";
    const auto one = sinkOf(path, {500, 0s, 0s}), other = sinkOf(path, {500, 0s, 0s});
    put(*one, {numbered(0, 600)});
    CHECK(put(*one, {numbered(1)}).empty());
    CHECK(put(*other, {numbered(2)}).empty());
    CHECK(linesOf(path).numbers() == std::vector<int>{1, 2});
    CHECK(archivesOf(path).size() == 1);
    // One signal to both: the second takes the file that the first began.
    REQUIRE(one->rotate().has_value());
    CHECK(put(*other, {numbered(3)}).empty());
    REQUIRE(other->rotate().has_value());
    CHECK(archivesOf(path).size() == 2);
    CHECK(linesOf(path).numbers() == std::vector<int>{3});
}

TEST_CASE("rotate() puts the file aside, but not an empty one, and not one that is new already") {
    const Folder folder;
    const auto path = folder / "audit.jsonl";
    const auto sink = sinkOf(path);
    REQUIRE(sink->rotate().has_value());
    CHECK(archivesOf(path).empty());
    put(*sink, {numbered(0)});
    REQUIRE(sink->rotate().has_value());
    REQUIRE(archivesOf(path).size() == 1);
    CHECK(linesOf(archivesOf(path)[0]).numbers() == countedTo(1));
    CHECK(std::filesystem::file_size(path) == 0);
    put(*sink, {numbered(1)});

    SECTION("moved, then told") {
        std::filesystem::rename(path, folder / "moved");
        REQUIRE(sink->rotate().has_value());
        CHECK(std::filesystem::file_size(path) == 0);
        put(*sink, {numbered(2)});
    }
    SECTION("moved and made anew, then told") {
        std::filesystem::rename(path, folder / "moved");
        put(*sinkOf(path), {numbered(2)});
        REQUIRE(sink->rotate().has_value());
    }
    SECTION("moved, written to, then told") {
        std::filesystem::rename(path, folder / "moved");
        put(*sink, {numbered(2)});
        REQUIRE(sink->rotate().has_value());
    }
    CHECK(archivesOf(path).size() == 1);
    CHECK(linesOf(folder / "moved").numbers() == std::vector<int>{1});
    CHECK(linesOf(path).numbers() == std::vector<int>{2});
    REQUIRE(sink->rotate().has_value());
    CHECK(archivesOf(path).size() == 2);
}

TEST_CASE("Behind a symbolic link, the file itself is written and put aside") {
    const Folder folder;
    const auto real = folder / "real";
    std::filesystem::create_directory(real);
    const auto link = folder / "audit.jsonl";
    std::filesystem::create_symlink(real + "/rows", link);
    const auto sink = sinkOf(link);
    put(*sink, {numbered(0)});
    REQUIRE(sink->rotate().has_value());
    put(*sink, {numbered(1)});
    CHECK(archivesOf(real + "/rows").size() == 1);
    CHECK(linesOf(link).numbers() == std::vector<int>{1});
}

TEST_CASE("A device that is full is a fault; one that takes all is never rotated") {
    const auto rows = numberedRows(0, 3);
    const auto full = sinkOf("/dev/full", {1, 1s, 1s});
    const auto written = full->write(rows);
    CHECK(written.rows == 0);
    REQUIRE(written.fault.has_value());
    has(written.fault->message, "No space left on device");
    CHECK(full->rotate().has_value());
    const auto null = sinkOf("/dev/null", {1, 1s, 1s});
    CHECK(put(*null, rows).empty());
    CHECK(put(*null, rows).empty());
    CHECK(null->rotate().has_value());
    CHECK(std::filesystem::is_character_file("/dev/null"));
}

TEST_CASE("A terminal that takes only part of a row gets the next one on a line of its own") {
    const int terminal = posix_openpt(O_RDWR | O_NOCTTY | O_CLOEXEC | O_NONBLOCK);
    REQUIRE((terminal >= 0 && grantpt(terminal) == 0 && unlockpt(terminal) == 0));
    const std::string path = ptsname(terminal);
    const int line = ::open(path.c_str(), O_RDWR | O_NOCTTY | O_CLOEXEC);
    termios settings{};
    REQUIRE((line >= 0 && tcgetattr(line, &settings) == 0));
    cfmakeraw(&settings);
    REQUIRE(tcsetattr(line, TCSANOW, &settings) == 0);
    const auto sink = sinkOf(path);
    const auto written = sink->write(numberedRows(0, 1, 1'000'000));
    CHECK(written.rows == 0);
    REQUIRE(written.fault.has_value());
    has(written.fault->message, "Resource temporarily unavailable");
    const auto readAll = [&] {
        std::string all;
        std::array<char, 4096> bytes;
        for (int idle = 0; idle < 20;) { // what was written comes over a work queue
            const auto got = read(terminal, bytes.data(), bytes.size());
            all.append(bytes.data(), got > 0 ? static_cast<std::size_t>(got) : 0);
            idle = got > 0 ? 0 : idle + 1;
            std::this_thread::sleep_for(got > 0 ? 0ms : 1ms);
        }
        return all;
    };
    const auto torn = readAll();
    CHECK(torn.size() > 100);
    CHECK(put(*sink, {numbered(1)}).empty());
    std::string row;
    appendJson(row, numbered(1));
    CHECK(readAll() == concat('\n', row, '\n'));
    close(line);
    close(terminal);
}

TEST_CASE("A lock that another process holds is a fault in time, not a wait") {
    const Folder folder;
    const auto path = folder / "audit.jsonl";
    const auto sink = sinkOf(path, {1, 0s, 0s});
    CHECK(sink->write(numberedRows(0, 1)).rows == 1);
    {
        Child holder([&]() -> std::string {
            const int file = ::open(path.c_str(), O_RDONLY | O_CLOEXEC);
            if (flock(file, LOCK_EX) != 0) {
                return "no lock";
            }
            writeFile(folder / "locked", "");
            pause();
            return "";
        });
        while (!std::filesystem::exists(folder / "locked")) {
            std::this_thread::sleep_for(1ms);
        }
        const auto began = Steady::now();
        const auto written = sink->write(numberedRows(1, 1));
        const auto took = Steady::now() - began;
        CHECK(written.rows == 0);
        REQUIRE(written.fault.has_value());
        CHECK(written.fault->code == "audit.locked");
        CHECK((took > 150ms && took < 1s));
        const auto rotated = sink->rotate();
        REQUIRE_FALSE(rotated.has_value());
        CHECK(rotated.error().code == "audit.locked");
        CHECK(sink->keepUp().empty());
        CHECK(archivesOf(path).empty());
        sinkOf(path); // opening does not wait for it
    }
    put(*sink, {numbered(1)}); // the lock died with its process
    CHECK(archivesOf(path).size() == 1);
}

namespace {

// Writes numbered rows from `from` on until one is refused; the number after the last safe one.
std::size_t fill(JsonlSink &sink, std::size_t from, std::string &reason) {
    for (auto n = from; n < from + 100'000;) {
        const auto written = sink.write(numberedRows(n, 7, 333));
        n += written.rows;
        sink.keepUp();
        if (written.fault) {
            reason = written.fault->message;
            return n;
        }
    }
    return from;
}

// What is wrong with the files of path if they should hold each of [0, end) once, and no torn line.
std::string flawOf(const std::string &path, std::size_t end) {
    auto names = archivesOf(path);
    names.push_back(path);
    std::vector<int> all;
    for (const auto &name : names) {
        const auto lines = linesOf(name);
        const auto numbers = lines.numbers();
        all.insert(all.end(), numbers.begin(), numbers.end());
        const auto content = contentOf(name);
        if (!lines.torn.empty() || (!content.empty() && content.back() != '\n')) {
            return concat(name, " has a torn line");
        }
    }
    return all == countedTo(static_cast<int>(end)) ? "" : concat("not each of ", end, " rows once");
}

} // namespace

TEST_CASE("At the limit of a file's size no part of a row stays, and the process lives") {
    const Folder folder;
    const auto path = folder / "audit.jsonl";
    Child child([&]() -> std::string {
        auto opened = JsonlSink::open(path, kNoRotation);
        if (!opened) {
            return opened.error().message;
        }
        auto &sink = **opened;
        const auto limit = [](rlim_t bytes) {
            const rlimit both{bytes, RLIM_INFINITY};
            return setrlimit(RLIMIT_FSIZE, &both) == 0;
        };
        std::string reason;
        std::size_t end = 0;
        for (const rlim_t bytes : {10'000U, 20'001U, 50'002U}) {
            if (!limit(bytes)) {
                return "no limit";
            }
            end = fill(sink, end, reason);
            if (reason != "File too large") {
                return concat("the reason is '", reason, "'");
            }
            if (const auto flaw = flawOf(path, end); !flaw.empty()) {
                return flaw;
            }
            if (std::filesystem::file_size(path) + 1000 < bytes) {
                return "it was not filled";
            }
        }
        sigset_t pending;
        sigpending(&pending);
        if (sigismember(&pending, SIGXFSZ) != 0) {
            return "a signal is left";
        }
        limit(RLIM_INFINITY);
        const auto more = sink.write(numberedRows(end, 7));
        return more.fault || !more.notices.empty() ? "no recovery" : flawOf(path, end + 7);
    });
    CHECK(child.wait() == "");
}

TEST_CASE("A full disk costs no row that was safe, with rotation, and is over when space is back") {
    const Folder folder;
    const auto mount = folder / "disk";
    std::filesystem::create_directory(mount);
    Child child([&]() -> std::string {
        // In a name space of its own, so that nothing stays mounted.
        if (unshare(CLONE_NEWNS) != 0 ||
            ::mount("none", "/", nullptr, MS_REC | MS_PRIVATE, "") != 0 ||
            ::mount("none", mount.c_str(), "tmpfs", 0, "size=1m") != 0) {
            return concat("cannot mount: ", std::strerror(errno));
        }
        const auto path = mount + "/audit.jsonl";
        writeFile(mount + "/ballast", std::string(400'000, 'b'));
        auto opened = JsonlSink::open(path, {100'000, 0s, 3600s});
        if (!opened) {
            return opened.error().message;
        }
        std::string reason;
        auto end = fill(**opened, 0, reason);
        if (reason != "No space left on device") {
            return concat("the reason is '", reason, "'");
        }
        if (archivesOf(path).size() < 3) {
            return "no rotation";
        }
        if (const auto flaw = flawOf(path, end); !flaw.empty()) {
            return flaw;
        }
        std::filesystem::remove(mount + "/ballast");
        const auto more = (*opened)->write(numberedRows(end, 300, 333));
        if (more.rows != 300 || more.fault) {
            return "no recovery";
        }
        end = fill(**opened, end + 300, reason);
        return flawOf(path, end);
    });
    const auto said = child.wait();
    if (said.find("cannot mount") == 0) {
        WARN("no disk to fill here (" << said << "): only the limit of a file's size was tried");
    } else {
        CHECK(said == "");
    }
}

namespace {

// Writes rows of that size from number `from` (of nine digits) on for ever, and each number that is
// safe into the pipe.
std::string writeForEver(const std::string &path, int from, std::size_t bytes, int pipe) {
    auto sink = JsonlSink::open(path, kNoRotation);
    std::vector<Row> rows{numbered(static_cast<std::size_t>(from), bytes)};
    for (int n = from; sink; ++n) {
        rows[0].payload.text.replace(5, 9, std::to_string(n)); // {"n":123456789
        if ((*sink)->write(rows).rows == 1 && ::write(pipe, &n, sizeof n) != sizeof n) {
            break;
        }
    }
    return "it is over";
}

// Until some of the next row is there, and much of it is not.
void waitUntilGrown(const std::string &path) {
    const auto before = std::filesystem::file_size(path);
    const auto until = Steady::now() + 1s;
    while (std::filesystem::file_size(path) == before && Steady::now() < until) {
    }
}

bool endsTorn(const std::string &path) {
    std::ifstream in(path, std::ios::binary);
    in.seekg(-1, std::ios::end);
    return in.get() != '\n';
}

} // namespace

TEST_CASE("Killed in the middle of a row, again and again, it loses none that was safe") {
    const Folder folder;
    const auto path = folder / "audit.jsonl";
    std::vector<int> safe;
    std::size_t torn = 0;
    // Every tenth is aimed at the middle of a large row. More than a hundred only where all missed.
    for (int kill = 0; kill < 100 || (torn == 0 && kill < 500); ++kill) {
        const bool isAimed = kill % 10 == 9;
        const std::size_t bytes = isAimed ? 2'000'000 : 200'000;
        int ends[2];
        REQUIRE(pipe(ends) == 0);
        {
            const int from = 100'000'000 + kill * 100'000;
            Child child([&] { return writeForEver(path, from, bytes, ends[1]); });
            close(ends[1]);
            for (int wait = kill % 5, n = 0; wait >= 0; --wait) {
                REQUIRE(read(ends[0], &n, sizeof n) == sizeof n);
                safe.push_back(n);
            }
            if (isAimed) {
                waitUntilGrown(path);
            } else {
                std::this_thread::sleep_for(std::chrono::microseconds((kill * 79) % 300));
            }
        } // here it is killed
        for (int n = 0; read(ends[0], &n, sizeof n) == sizeof n;) {
            safe.push_back(n);
        }
        close(ends[0]);
        torn += endsTorn(path) ? 1 : 0;
    }
    put(*sinkOf(path), {numbered(999)});
    const auto lines = linesOf(path);
    const auto there = sorted(lines.numbers());
    CHECK(torn > 0);
    CHECK(lines.torn.size() == torn);
    CHECK(std::adjacent_find(there.begin(), there.end()) == there.end());
    const auto wanted = sorted(safe);
    CHECK(std::includes(there.begin(), there.end(), wanted.begin(), wanted.end()));
    CHECK(linesOf(path).rows.back().id == "row-999");
}
