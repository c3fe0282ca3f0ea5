// SPDX-License-Identifier: Apache-2.0
#include "runner/audit/delivery.h"

#include "runner/audit/audit_testing.h"
#include "runner/audit/jsonl_sink.h"

#include <csignal>
#include <map>
#include <set>

using namespace tenon;
using namespace tenon::audit;
using namespace tenon::audit::testing;
using namespace std::chrono_literals;
using Steady = std::chrono::steady_clock;

namespace {

// What a FakeSink did and shall do; outlives it.
class Script {
public:
    // What becomes of the next writes; by default all rows are safe.
    std::function<Written(std::span<const Row>)> onWrite;
    std::function<Result<void>()> onRotate;
    std::function<std::vector<std::string>()> onKeepUp;

    Written write(std::span<const Row> rows) {
        std::unique_lock lock(mutex_);
        open_.wait(lock, [&] { return !closed_; });
        writes_.push_back(Steady::now());
        auto written = onWrite ? onWrite(rows) : Written{rows.size(), std::nullopt, {}};
        rows_.insert(rows_.end(), rows.begin(),
                     rows.begin() + static_cast<std::ptrdiff_t>(written.rows));
        largest_ = std::max(largest_, rows.size());
        return written;
    }
    Result<void> rotate() {
        const std::lock_guard lock(mutex_);
        ++rotations_;
        return onRotate ? onRotate() : Result<void>();
    }
    std::vector<std::string> keepUp() {
        std::unique_lock lock(mutex_);
        ++keepUps_;
        keptUpBy_ = std::this_thread::get_id();
        keepUpOpen_.wait(lock, [&] { return !keepUpClosed_; });
        return onKeepUp ? onKeepUp() : std::vector<std::string>();
    }
    // While closed, it waits.
    void closeKeepUp(bool closed) {
        const std::lock_guard lock(mutex_);
        keepUpClosed_ = closed;
        keepUpOpen_.notify_all();
    }
    // While closed, a write waits.
    void close(bool closed) {
        const std::lock_guard lock(mutex_);
        closed_ = closed;
        open_.notify_all();
    }
    void change(const std::function<void()> &how) {
        const std::lock_guard lock(mutex_);
        how();
    }
    std::vector<Row> rows() const { return get(rows_); }
    std::vector<Steady::time_point> writes() const { return get(writes_); }
    std::size_t largest() const { return get(largest_); }
    int rotations() const { return get(rotations_); }
    int keepUps() const { return get(keepUps_); }
    std::thread::id keptUpBy() const { return get(keptUpBy_); }
    std::vector<int> numbers() const {
        std::vector<int> out;
        for (const auto &row : rows()) {
            out.push_back(numberOf(row));
        }
        return out;
    }

private:
    template <class Value> Value get(const Value &value) const {
        const std::lock_guard lock(mutex_);
        return value;
    }
    mutable std::mutex mutex_;
    std::condition_variable open_;
    bool closed_ = false;
    std::vector<Row> rows_;
    std::vector<Steady::time_point> writes_;
    std::size_t largest_ = 0;
    int rotations_ = 0, keepUps_ = 0;
    std::condition_variable keepUpOpen_;
    bool keepUpClosed_ = false;
    std::thread::id keptUpBy_;
};

class FakeSink : public Sink {
public:
    explicit FakeSink(Script &script) : script_(script) {}
    Written write(std::span<const Row> rows) override { return script_.write(rows); }
    std::vector<std::string> keepUp() override { return script_.keepUp(); }
    Result<void> rotate() override { return script_.rotate(); }

private:
    Script &script_;
};

Written failing(std::span<const Row>) {
    return {0, Error{"audit.write", "the disk is on fire"}, {}};
}

Written locked(std::span<const Row>) {
    return {0, Error{"audit.locked", "locked by another process for too long"}, {}};
}

// A delivery to a FakeSink, and what it logs.
struct Rig {
    explicit Rig(DeliveryOptions options = {})
        : kept(folder), delivery(std::make_unique<Delivery>(std::make_unique<FakeSink>(script),
                                                            options, "/var/audit.jsonl", log)) {}
    Rig(Mode mode, std::chrono::milliseconds syncWaitMax = 1s)
        : Rig(DeliveryOptions{mode, 10'000, 64U << 20, syncWaitMax}) {}

    void add(std::size_t from, std::size_t count, std::size_t bytes = 0) {
        for (auto &row : numberedRows(from, count, bytes)) {
            delivery->add(std::move(row));
        }
    }
    bool eventually(const std::function<bool()> &is) const {
        const auto until = Steady::now() + 5s;
        while (!is() && Steady::now() < until) {
            std::this_thread::sleep_for(1ms);
        }
        return is();
    }

    Folder folder;
    StderrKept kept;
    Log log{LogLevel::Warning};
    Script script;
    std::unique_ptr<Delivery> delivery;
};

bool idsRise(const std::vector<Row> &rows) {
    return std::adjacent_find(rows.begin(), rows.end(), [](const Row &a, const Row &b) {
               return a.id >= b.id;
           }) == rows.end();
}

Steady::duration timeOf(const std::function<void()> &work) {
    const auto began = Steady::now();
    work();
    return Steady::now() - began;
}

} // namespace

TEST_CASE("Async: rows arrive in order, with rising ids, in batches, while adding does not wait") {
    Rig rig(Mode::Async);
    rig.script.close(true);
    CHECK(timeOf([&] { rig.add(0, 1000); }) < 1s);
    CHECK(rig.script.rows().empty());
    CHECK(rig.delivery->counts().queued == 1000);
    CHECK_FALSE(rig.delivery->flush(20ms));
    rig.script.close(false);
    CHECK(rig.delivery->flush(5s));
    CHECK(rig.script.numbers() == countedTo(1000));
    CHECK(idsRise(rig.script.rows()));
    CHECK(rig.script.rows()[0].id.size() == 36);
    CHECK(rig.script.largest() <= 256);
    CHECK(rig.script.writes().size() <= 6);
    const auto counts = rig.delivery->counts();
    CHECK((counts.written == 1000 && counts.dropped == 0 && counts.queued == 0));
    CHECK((counts.faults == 0 && !counts.faulted));
    CHECK(rig.kept.text().empty());
}

TEST_CASE("Async: a row is written soon with nobody waiting for it") {
    Rig rig(Mode::Async);
    for (std::size_t n = 0; n < 20; ++n) {
        rig.add(n, 1);
        CHECK(rig.eventually([&] { return rig.script.rows().size() == n + 1; }));
    }
}

TEST_CASE("What is left at the end is written by the destructor") {
    Rig rig(Mode::Async);
    rig.add(0, 1000);
    rig.delivery.reset();
    CHECK(rig.script.numbers() == countedTo(1000));
}

TEST_CASE("Large rows make small batches") {
    Rig rig(Mode::Async);
    rig.script.close(true);
    rig.add(0, 20, 1'000'000);
    rig.script.close(false);
    CHECK(rig.delivery->flush(5s));
    CHECK(rig.script.numbers() == countedTo(20));
    CHECK(rig.script.largest() <= 5);
}

TEST_CASE("Rows beyond the limit are dropped and counted, and a row in their place says so") {
    const auto byBytes = GENERATE(false, true);
    DeliveryOptions options;
    options.rowsMax = byBytes ? 10'000 : 10;
    options.bytesMax = byBytes ? 10 * (sizeof(Row) + 10'300) : 64U << 20;
    Rig rig(options);
    rig.script.close(true);
    rig.add(0, 25, 10'000);
    auto counts = rig.delivery->counts();
    CHECK((counts.queued == 10 && counts.dropped == 15));
    rig.script.close(false);
    CHECK(rig.delivery->flush(5s));
    rig.eventually([&] { return rig.script.rows().size() == 11; });
    rig.add(25, 5, 10'000);
    CHECK(rig.delivery->flush(5s));

    auto numbers = countedTo(10);
    numbers.insert(numbers.end(), {-1, 25, 26, 27, 28, 29});
    CHECK(rig.script.numbers() == numbers);
    const auto rows = rig.script.rows();
    CHECK(idsRise(rows));
    const auto &gap = rows[10];
    CHECK((gap.kind == "gap" && gap.outcome == "lost" && !gap.ok));
    CHECK(gap.errorCode == "AUDIT_LOST");
    CHECK(gap.errorDetail.text == R"({"rows":15})");
    CHECK(gap.errorMessage.find("15 rows were lost here") == 0);
    SystemTime began;
    CHECK(parseTime(gap.startedAt, began));
    counts = rig.delivery->counts();
    CHECK((counts.written == 16 && counts.dropped == 15 && counts.queued == 0));
    rig.delivery.reset(); // what there is to say is said
    CHECK(rig.kept.count("15 were lost so far") == 1);
}

TEST_CASE("A row too large for the whole queue is lost alone, and the end of the audit says so") {
    DeliveryOptions options;
    options.mode = GENERATE(Mode::Async, Mode::Sync);
    options.bytesMax = 5000;
    Rig rig(options);
    rig.add(0, 1, 10'000);
    CHECK(rig.delivery->counts().dropped == 1);
    rig.delivery.reset();
    REQUIRE(rig.script.rows().size() == 1);
    CHECK(rig.script.rows()[0].errorDetail.text == R"({"rows":1})");
}

TEST_CASE("A fault is logged once, tried again ever more slowly, and its end is told") {
    Rig rig(Mode::Async);
    rig.script.onWrite = failing;
    rig.add(0, 3);
    CHECK(rig.eventually([&] { return rig.script.writes().size() >= 6; }));
    CHECK(rig.delivery->counts().faulted);
    rig.add(3, 4);
    const auto writes = rig.script.writes();
    CHECK((writes[1] - writes[0] >= 50ms && writes[2] - writes[1] >= 100ms &&
           writes[3] - writes[2] >= 200ms));
    rig.script.change([&] { rig.script.onWrite = nullptr; });
    const auto began = Steady::now();
    CHECK(rig.delivery->flush(5s));
    CHECK(rig.script.writes().back() - began < 900ms); // it would have waited for a second
    CHECK(rig.script.numbers() == countedTo(7));
    const auto counts = rig.delivery->counts();
    CHECK((counts.written == 7 && counts.faults >= 6 && !counts.faulted));
    rig.delivery.reset(); // what there is to say is said
    CHECK(rig.kept.count("error tenon: audit: /var/audit.jsonl: cannot write: the disk is on fire; "
                         "calls go on, rows are kept in memory up to 10000 and tried again") == 1);
    CHECK(rig.kept.count("warning tenon: audit: /var/audit.jsonl: can be written again; 7 rows had "
                         "been kept, 0 were lost") == 1);
    CHECK(rig.kept.count("tenon:") == 2);
}

TEST_CASE("What is lost during a fault leaves a row behind what was kept") {
    DeliveryOptions options;
    options.rowsMax = 300;
    Rig rig(options);
    rig.script.onWrite = failing;
    rig.add(0, 350);
    CHECK(rig.eventually([&] { return rig.delivery->counts().faulted; }));
    rig.script.change([&] { rig.script.onWrite = nullptr; });
    CHECK(rig.delivery->flush(5s));
    CHECK(rig.eventually([&] { return rig.script.rows().size() == 301; }));
    CHECK(rig.script.rows()[300].errorDetail.text == R"({"rows":50})");
    CHECK(idsRise(rig.script.rows()));
    CHECK(rig.eventually(
        [&] { return rig.kept.count("300 rows had been kept, 50 were lost") == 1; }));
    // A second fault is another one.
    rig.script.change([&] { rig.script.onWrite = failing; });
    rig.add(350, 1);
    CHECK(rig.eventually([&] { return rig.kept.count("on fire") == 2; }));
    rig.script.change([&] { rig.script.onWrite = nullptr; });
}

TEST_CASE("What a failing write made safe is not written twice") {
    Rig rig(Mode::Async);
    int writes = 0;
    rig.script.onWrite = [&](std::span<const Row> rows) -> Written {
        if (++writes <= 3) {
            return {rows.size() / 3, Error{"audit.write", "no"}, {}};
        }
        return {rows.size(), std::nullopt, {}};
    };
    rig.add(0, 100);
    CHECK(rig.eventually([&] { return rig.delivery->counts().queued == 0; }));
    CHECK(rig.script.numbers() == countedTo(100));
    CHECK(idsRise(rig.script.rows()));
    CHECK(rig.delivery->counts().written == 100);
}

TEST_CASE("Rows that a sink leaves out without a word are a fault too") {
    Rig rig(Mode::Async);
    rig.script.onWrite = [](std::span<const Row>) -> Written { return {}; };
    rig.add(0, 1);
    CHECK(rig.eventually([&] { return rig.kept.count("does not say why") == 1; }));
    rig.script.change([&] { rig.script.onWrite = nullptr; });
    CHECK(rig.delivery->flush(5s));
}

TEST_CASE("What a sink notices is logged with its place") {
    Rig rig(Mode::Async);
    rig.script.onWrite = [](std::span<const Row> rows) -> Written {
        return {rows.size(), std::nullopt, {"it had moved"}};
    };
    rig.add(0, 1);
    CHECK(rig.delivery->flush(5s));
    rig.delivery.reset();
    CHECK(rig.kept.count("warning tenon: audit: /var/audit.jsonl: it had moved") == 1);
}

TEST_CASE("With a sink that always fails, flush and destructor end in time and say what is lost") {
    const auto mode = GENERATE(Mode::Async, Mode::Sync);
    Rig rig(mode);
    rig.script.onWrite = failing;
    rig.add(0, 5);
    CHECK(timeOf([&] { CHECK_FALSE(rig.delivery->flush(100ms)); }) < 1s);
    CHECK(timeOf([&] { rig.delivery.reset(); }) < 4s);
    CHECK(rig.kept.count("audit: /var/audit.jsonl: 5 rows are lost: the disk is on fire") == 1);
}

TEST_CASE("The row about what was lost is written also when all ends at once") {
    DeliveryOptions options;
    options.mode = GENERATE(Mode::Async, Mode::Sync);
    options.rowsMax = 10;
    for (int i = 0; i < 20; ++i) {
        Rig rig(options);
        rig.script.onWrite = failing;
        rig.add(0, 25);
        CHECK(rig.delivery->counts().dropped == 15);
        rig.script.change([&] { rig.script.onWrite = nullptr; });
        rig.delivery.reset();
        const auto rows = rig.script.rows();
        REQUIRE(rows.size() == 11);
        CHECK(rows[10].errorDetail.text == R"({"rows":15})");
        CHECK(rig.kept.count("are lost:") == 0);
    }
}

TEST_CASE("A row about lost rows that is lost itself counts for those") {
    DeliveryOptions options;
    options.rowsMax = 10;
    Rig rig(options);
    rig.script.onWrite = [&, isFirst = true](std::span<const Row> rows) mutable -> Written {
        return std::exchange(isFirst, false) ? Written{rows.size(), std::nullopt, {}}
                                             : failing(rows);
    };
    rig.script.close(true);
    rig.add(0, 25);
    rig.script.close(false);
    CHECK(rig.eventually([&] { return rig.delivery->counts().faulted; }));
    rig.delivery.reset();
    CHECK(rig.script.rows().size() <= 10);
    const auto lost = 25 - rig.script.rows().size();
    CHECK(rig.kept.count(concat(lost, " rows are lost: the disk is on fire")) == 1);
}

TEST_CASE("A lock that is given back in time is no fault") {
    const auto mode = GENERATE(Mode::Async, Mode::Sync);
    Rig rig(mode, 10s);
    rig.script.onWrite = [tries = 0](std::span<const Row> rows) mutable -> Written {
        return ++tries <= 10 ? locked(rows) : Written{rows.size(), std::nullopt, {}};
    };
    rig.add(0, 1);
    if (mode == Mode::Async) {
        CHECK(rig.delivery->flush(5s));
    }
    CHECK(rig.script.numbers() == countedTo(1));
    const auto writes = rig.script.writes();
    CHECK(writes.size() == 11);
    CHECK(writes[10] - writes[0] >= (mode == Mode::Async ? 160ms : 180ms)); // with a pause
    CHECK(rig.delivery->counts().faults == 0);
    rig.delivery.reset();
    CHECK(rig.kept.text().empty());
}

TEST_CASE("A lock that lasts is told once, and its end, and calls go on meanwhile") {
    const auto mode = GENERATE(Mode::Async, Mode::Sync);
    Rig rig(mode, 100ms);
    rig.script.onWrite = locked;
    const auto took = timeOf([&] { rig.add(0, 1); });
    CHECK((took < 2s && (mode == Mode::Async || took >= 100ms)));
    CHECK(rig.eventually([&] { return rig.delivery->counts().faulted; }));
    CHECK(timeOf([&] { rig.add(1, 20); }) < 1500ms); // not 100 ms each
    rig.script.change([&] { rig.script.onWrite = nullptr; });
    CHECK(rig.delivery->flush(5s));
    CHECK(rig.script.numbers() == countedTo(21));
    rig.delivery.reset();
    CHECK(rig.kept.count("warning tenon: audit: /var/audit.jsonl: cannot write: locked by another "
                         "process for too long") == 1);
    CHECK(rig.kept.count("can be written again; 21 rows had been kept") == 1);
    CHECK(rig.kept.count("tenon:") == 2);
}

TEST_CASE("Async: the sink keeps up after what was written, and what it says is logged") {
    Rig rig(Mode::Async);
    rig.script.onKeepUp = [] { return std::vector<std::string>{"it was put aside"}; };
    rig.add(0, 1);
    CHECK(rig.eventually([&] {
        return rig.kept.count("warning tenon: audit: /var/audit.jsonl: it was put aside") >= 1;
    }));
    CHECK(rig.script.rows().size() == 1);
    CHECK(rig.script.keepUps() == 1);
    CHECK(rig.script.keptUpBy() != std::this_thread::get_id());
}

TEST_CASE("Sync: the sink keeps up now and then, by the thread, and holds no call up for long") {
    Rig rig(Mode::Sync, 100ms);
    const auto took = timeOf([&] { rig.add(0, 100); });
    CHECK(rig.script.keepUps() <= took / 1s);
    rig.script.closeKeepUp(true);
    rig.add(100, 5, 1'000'000); // much was written
    CHECK(rig.eventually([&] { return rig.script.keepUps() >= 1; }));
    CHECK(rig.script.keptUpBy() != std::this_thread::get_id());
    const auto waited = timeOf([&] { rig.add(105, 1); });
    CHECK((waited >= 100ms && waited < 2s));
    rig.script.closeKeepUp(false);
    CHECK(rig.delivery->flush(5s));
    CHECK(rig.script.numbers() == countedTo(106));
    std::this_thread::sleep_for(1s);
    const auto before = rig.script.keepUps();
    rig.add(106, 1); // a second has passed
    CHECK(rig.eventually([&] { return rig.script.keepUps() > before; }));
}

TEST_CASE("Sync: the sink keeps up under calls that follow each other without a pause") {
    Rig rig(Mode::Sync, 10s);
    std::atomic<bool> over = false;
    std::vector<std::thread> threads;
    for (std::size_t t = 0; t < 4; ++t) {
        threads.emplace_back([&] {
            while (!over) {
                rig.add(0, 1, 10'000);
            }
        });
    }
    CHECK(rig.eventually([&] { return rig.script.keepUps() >= 2; }));
    over = true;
    for (auto &thread : threads) {
        thread.join();
    }
}

TEST_CASE("Sync: a log that blocks holds no call up") {
    Rig rig(Mode::Sync, 10s);
    rig.script.onWrite = [](std::span<const Row> rows) -> Written {
        return {rows.size(), std::nullopt, {"it had moved"}};
    };
    int ends[2];
    REQUIRE(pipe2(ends, O_CLOEXEC) == 0);
    const auto setBlocking = [&](bool blocking) {
        return fcntl(ends[1], F_SETFL, blocking ? 0 : O_NONBLOCK) == 0;
    };
    REQUIRE(setBlocking(false));
    const std::string fill(1 << 20, '.');
    while (write(ends[1], fill.data(), fill.size()) > 0 || write(ends[1], ".", 1) == 1) {
    }
    REQUIRE(setBlocking(true));
    const int before = dup(2);
    REQUIRE((before >= 0 && dup2(ends[1], 2) == 2));
    const auto took = timeOf([&] { rig.add(0, 20); });
    const auto rows = rig.script.rows().size();
    std::thread reader([&] { // lets it go on
        std::string bytes(1 << 16, '\0');
        while (read(ends[0], bytes.data(), bytes.size()) > 0) {
        }
    });
    rig.delivery.reset();
    dup2(before, 2);
    close(before);
    close(ends[1]);
    reader.join();
    close(ends[0]);
    CHECK(took < 5s);
    CHECK(rows == 20);
}

TEST_CASE("Sync: a call that fails for want of memory leaves the way free for the next one") {
    Rig rig(Mode::Sync, 2s);
    rig.script.onWrite = [](std::span<const Row>) -> Written { throw std::bad_alloc(); };
    CHECK_THROWS_AS(rig.add(0, 1), std::bad_alloc);
    rig.script.change([&] { rig.script.onWrite = nullptr; });
    rig.add(1, 1);
    CHECK(rig.script.numbers() == countedTo(2));
}

TEST_CASE("Nothing to flush is flushed") {
    Rig rig(Mode::Async);
    CHECK(rig.delivery->flush(0ms));
    rig.delivery.reset();
    CHECK(rig.script.writes().empty());
}

TEST_CASE("rotate() reaches the sink, and its failure the log") {
    const auto mode = GENERATE(Mode::Async, Mode::Sync);
    Rig rig(mode);
    rig.delivery->rotate();
    CHECK(rig.eventually([&] { return rig.script.rotations() == 1; }));
    rig.add(0, 1);
    CHECK(rig.delivery->flush(5s));
    rig.script.change([&] { rig.script.onRotate = [] { return Error{"audit.rotate", "no"}; }; });
    rig.delivery->rotate();
    CHECK(rig.eventually([&] {
        return rig.kept.count("error tenon: audit: /var/audit.jsonl: cannot be put aside: no") == 1;
    }));
    CHECK(rig.script.rotations() == 2);
}

TEST_CASE("rotate() of a sink that is locked is tried again, without a word, until it is done") {
    Rig rig(GENERATE(Mode::Async, Mode::Sync));
    rig.script.onRotate = [tries = 0]() mutable -> Result<void> {
        return ++tries <= 3 ? Result<void>(Error{"audit.locked", "locked"}) : Result<void>();
    };
    rig.delivery->rotate();
    CHECK(rig.eventually([&] { return rig.script.rotations() == 4; }));
    rig.add(0, 1);
    CHECK(rig.delivery->flush(5s));
    rig.delivery.reset();
    CHECK(rig.script.rotations() == 4);
    CHECK(rig.kept.text().empty());
}

TEST_CASE("rotate() just before the end is done") {
    for (int i = 0; i < 50; ++i) {
        Rig rig(Mode::Sync);
        rig.delivery->rotate();
        rig.delivery.reset();
        CHECK(rig.script.rotations() == 1);
    }
}

TEST_CASE("Sync: a row is safe when add() returns") {
    Rig rig(Mode::Sync);
    for (std::size_t n = 0; n < 100; ++n) {
        rig.add(n, 1);
        CHECK(rig.script.rows().size() == n + 1);
    }
    CHECK(rig.script.writes().size() == 100);
    CHECK(rig.script.numbers() == countedTo(100));
}

TEST_CASE("Sync: many threads share a write, and each has its row safe") {
    Rig rig(Mode::Sync, 10s);
    rig.script.onWrite = [](std::span<const Row> rows) -> Written {
        std::this_thread::sleep_for(1ms);
        return {rows.size(), std::nullopt, {}};
    };
    constexpr std::size_t kThreads = 32, kEach = 20;
    std::atomic<int> unsafe = 0;
    std::vector<std::thread> threads;
    for (std::size_t t = 0; t < kThreads; ++t) {
        threads.emplace_back([&, t] {
            for (std::size_t n = t * kEach; n < (t + 1) * kEach; ++n) {
                rig.add(n, 1);
                if (n % 10 == 0) {
                    const auto numbers = rig.script.numbers();
                    unsafe += std::count(numbers.begin(), numbers.end(), int(n)) == 1 ? 0 : 1;
                }
            }
        });
    }
    for (auto &thread : threads) {
        thread.join();
    }
    CHECK(unsafe == 0);
    CHECK(sorted(rig.script.numbers()) == countedTo(kThreads * kEach));
    CHECK(idsRise(rig.script.rows()));
    CHECK(rig.script.writes().size() < kThreads * kEach / 4);
    CHECK(rig.delivery->counts().queued == 0);
}

TEST_CASE("Sync: in a fault calls go on, one try a while, and the rows are written afterwards") {
    Rig rig(Mode::Sync);
    rig.script.onWrite = failing;
    CHECK(timeOf([&] { rig.add(0, 200); }) < 1s);
    CHECK(rig.script.writes().size() < 20);
    CHECK(rig.delivery->counts().queued == 200);
    rig.script.change([&] { rig.script.onWrite = nullptr; });
    CHECK(rig.eventually([&] { return rig.script.rows().size() == 200; })); // nobody asks
    CHECK(rig.script.numbers() == countedTo(200));
    rig.add(200, 1);
    CHECK(rig.script.rows().size() == 201); // and safe on return again
    rig.delivery.reset();
    CHECK(rig.kept.count("on fire") == 1);
}

TEST_CASE("Sync: the row that says what was lost is written with nobody adding more") {
    DeliveryOptions options{Mode::Sync, 10, 64U << 20, 1s};
    Rig rig(options);
    rig.script.onWrite = failing;
    rig.add(0, 15);
    CHECK(rig.delivery->counts().dropped == 5);
    rig.script.change([&] { rig.script.onWrite = nullptr; });
    CHECK(rig.eventually([&] { return rig.script.rows().size() == 11; }));
    CHECK(rig.script.rows()[10].errorDetail.text == R"({"rows":5})");
}

TEST_CASE("Sync: what came while the queue was full is told without a fault too") {
    Rig rig(DeliveryOptions{Mode::Sync, 1, 64U << 20, 5s});
    rig.script.close(true);
    std::thread leader([&] { rig.add(0, 1); });
    CHECK(rig.eventually([&] { return rig.delivery->counts().queued == 1; }));
    rig.add(1, 2);
    CHECK(rig.delivery->counts().dropped == 2);
    rig.script.close(false);
    leader.join();
    CHECK(rig.eventually([&] { return rig.script.rows().size() == 2; }));
    CHECK(rig.script.rows()[1].errorDetail.text == R"({"rows":2})");
}

TEST_CASE("Sync: nobody waits longer for a slow sink than was agreed, and no row is forgotten") {
    Rig rig(Mode::Sync, 50ms);
    rig.script.close(true);
    std::thread leader([&] { rig.add(0, 1); });
    CHECK(rig.eventually([&] { return rig.delivery->counts().queued == 1; }));
    std::this_thread::sleep_for(20ms); // now it is in its write
    const auto took = timeOf([&] { rig.add(1, 1); });
    CHECK((took >= 50ms && took < 1s));
    rig.script.close(false);
    leader.join();
    CHECK(rig.eventually([&] { return rig.script.rows().size() == 2; }));
    CHECK(rig.script.numbers() == countedTo(2));
}

namespace {

// One of several processes on one file: threads that add rows numbered from `from` on.
std::string addFromThreads(const std::string &path, Mode mode, std::size_t from) {
    constexpr std::size_t kThreads = 4, kEach = 125;
    Log log(LogLevel::Warning);
    auto sink = JsonlSink::open(path, {20U << 20, 0s, 0s});
    if (!sink) {
        return sink.error().message;
    }
    Delivery delivery(std::move(*sink), {mode, 10'000, 64U << 20, 5s}, path, log);
    std::vector<std::thread> threads;
    for (std::size_t t = 0; t < kThreads; ++t) {
        threads.emplace_back([&, t] {
            for (auto &row : numberedRows(from + t * kEach, kEach, 8192)) {
                row.userId = concat("process-", from);
                delivery.add(std::move(row));
            }
        });
    }
    for (auto &thread : threads) {
        thread.join();
    }
    const auto counts = delivery.counts();
    if (mode == Mode::Sync && counts.written != kThreads * kEach && counts.faults == 0) {
        return concat("only ", counts.written, " are safe");
    }
    return delivery.flush(10s) ? "" : concat(delivery.counts().queued, " rows are left");
}

} // namespace

TEST_CASE("Eight processes of four threads write one file: every row once, every line whole") {
    const auto mode = GENERATE(Mode::Async, Mode::Sync);
    const Folder folder;
    const auto path = folder / "audit.jsonl";
    std::vector<std::unique_ptr<Child>> children;
    for (std::size_t p = 0; p < 8; ++p) {
        children.push_back(
            std::make_unique<Child>([&, p] { return addFromThreads(path, mode, p * 500); }));
    }
    for (auto &child : children) {
        CHECK(child->wait() == "");
    }
    auto names = archivesOf(path); // 8 KiB times 4000 is more than one file holds here
    CHECK(names.size() == 1);
    names.push_back(path);
    std::vector<int> numbers;
    std::map<std::string, std::string> lastIds; // of each process
    int falls = 0;
    for (const auto &name : names) {
        const auto lines = linesOf(name);
        CHECK(lines.torn.empty());
        for (const auto &row : lines.rows) {
            numbers.push_back(numberOf(row));
            auto &last = lastIds[row.userId];
            falls += row.id > last ? 0 : 1;
            last = row.id;
        }
    }
    CHECK(sorted(numbers) == countedTo(4000));
    CHECK(lastIds.size() == 8);
    CHECK(falls == 0);
}

TEST_CASE("A file moved under a delivery, then SIGHUP, then deleted: the rows go on") {
    const Folder folder;
    const auto path = folder / "audit.jsonl";
    const StderrKept kept(folder);
    Log log(LogLevel::Warning);
    auto sink = JsonlSink::open(path, {0, 0s, 0s});
    REQUIRE(sink.has_value());
    auto delivery = std::make_unique<Delivery>(std::move(*sink), DeliveryOptions{}, path, log);
    const auto add = [&](std::size_t from) {
        for (auto &row : numberedRows(from, 100)) {
            delivery->add(std::move(row));
        }
        CHECK(delivery->flush(5s));
    };
    const auto waitFor = [&](std::size_t archives) {
        for (int i = 0; i < 5000 && archivesOf(path).size() < archives; ++i) {
            std::this_thread::sleep_for(1ms);
        }
        CHECK(archivesOf(path).size() == archives);
    };
    add(0);
    std::filesystem::rename(path, folder / "audit.1");
    add(100);
    delivery->rotate(); // of the move: nothing to do
    add(200);
    delivery->rotate();
    waitFor(1);
    add(300);
    std::filesystem::remove(path);
    add(400);
    CHECK(linesOf(folder / "audit.1").numbers() == countedTo(100));
    CHECK(linesOf(archivesOf(path)[0]).numbers() == countedTo(300, 100));
    CHECK(linesOf(path).numbers() == countedTo(500, 400));
    delivery.reset(); // what there is to say is said
    CHECK(kept.count("had been moved or deleted") == 2);
}
