// SPDX-License-Identifier: Apache-2.0
// What it costs to validate the arguments of real tools, beside reading them: README.md. Prints one
// JSON object, times in nanoseconds for one tool's arguments.
#include "json/document.h"
#include "json/writer.h"
#include "schema/schema.h"
#include "schema_memory.h"

#include <nlohmann/json.hpp>

#include <algorithm>
#include <chrono>
#include <cmath>
#include <fstream>
#include <iostream>
#include <stdexcept>

namespace {

using namespace tenon;
using Clock = std::chrono::steady_clock;

constexpr int kRounds = 7;
constexpr int kAgain = 32;
constexpr auto kRoundTime = std::chrono::milliseconds(60); // at least so long a measurement

struct Pair {
    json::Document line; // holds both
    std::string text;    // of the arguments
    json::Document arguments;
    std::shared_ptr<const schema::Schema> schema;
};

[[noreturn]] void fail(const std::string &why) {
    throw std::runtime_error(why);
}

std::vector<Pair> readPairs(const char *path) {
    std::ifstream file(path);
    std::vector<Pair> pairs;
    for (std::string line; std::getline(file, line);) {
        auto read = json::Document::read(line);
        if (!read) {
            fail(read.error().message);
        }
        Pair pair;
        pair.line = std::move(*read);
        pair.text = std::string(pair.line.root()["arguments"].raw());
        pairs.push_back(std::move(pair));
    }
    if (pairs.empty()) {
        fail(std::string("no pairs in ") + path);
    }
    for (auto &pair : pairs) { // now that none of them moves any more
        if (const auto read = pair.arguments.readView(pair.text); !read) {
            fail(read.error().message);
        }
    }
    return pairs;
}

void compileOne(Pair &pair) {
    auto compiled = schema::Schema::compile(pair.line.root()["schema"], Limits());
    if (!compiled) {
        fail(compiled.error().message + " in " + std::string(pair.line.text().substr(0, 500)));
    }
    pair.schema = std::move(*compiled);
}

double median(std::vector<double> values) {
    std::sort(values.begin(), values.end());
    return values[values.size() / 2];
}

// Of work over all pairs, for one of them: how long each round took by turns with the others'.
struct Timer {
    const char *name;
    std::function<void(Pair &)> work;
    std::vector<double> rounds = {};

    void round(std::vector<Pair> &pairs) {
        const auto start = Clock::now();
        auto end = start;
        std::size_t calls = 0;
        for (; end - start < kRoundTime; end = Clock::now()) {
            for (auto &pair : pairs) {
                work(pair);
            }
            calls += pairs.size();
        }
        rounds.push_back(std::chrono::duration<double, std::nano>(end - start).count() /
                         static_cast<double>(calls));
    }
};

void mustBeValid(const Pair &pair, json::Value arguments) {
    const auto issues = pair.schema->validate(arguments);
    if (!issues.empty()) {
        fail(issues[0].sentence() + " in " + std::string(pair.line.text().substr(0, 500)));
    }
}

// Allocations while every pair is validated once more; names the first that makes one.
std::uint64_t allocationsOf(std::vector<Pair> &pairs) {
    std::uint64_t sum = 0;
    for (auto &pair : pairs) {
        mustBeValid(pair, pair.arguments.root()); // the warm-up
        const auto before = bench::memory().allocations;
        const bool valid = pair.schema->validate(pair.arguments.root()).empty();
        const auto made = bench::memory().allocations - before;
        if (sum == 0 && made > 0) {
            std::cerr << made << " allocations for " << pair.line.text().substr(0, 2'000) << '\n';
        }
        sum += valid ? made : 1;
    }
    return sum;
}

void run(const char *path) {
    auto pairs = readPairs(path);
    const auto before = bench::memory();
    std::for_each(pairs.begin(), pairs.end(), compileOne);
    const auto programBytes = bench::memory().liveBytes - before.liveBytes;
    const auto allocations = allocationsOf(pairs);

    std::size_t bytes = 0;
    json::Document document;
    std::vector<Timer> timers;
    timers.push_back(
        {"readNs", [&](Pair &pair) { bytes += document.readView(pair.text).has_value() ? 1 : 0; }});
    timers.push_back(
        {"nlohmannNs", [&](Pair &pair) { bytes += nlohmann::json::parse(pair.text).size(); }});
    timers.push_back({"validateNs", [&](Pair &pair) { mustBeValid(pair, pair.arguments.root()); }});
    timers.push_back({"bothNs", [&](Pair &pair) {
                          bytes += document.readView(pair.text).has_value() ? 1 : 0;
                          mustBeValid(pair, document.root());
                      }});
    // One tool called again and again, as a model does, finds its program in the processor's
    // memory.
    timers.push_back({"readAgainNs", [&](Pair &pair) {
                          for (int i = 0; i < kAgain; ++i) {
                              bytes += document.readView(pair.text).has_value() ? 1 : 0;
                          }
                      }});
    timers.push_back({"validateAgainNs", [&](Pair &pair) {
                          for (int i = 0; i < kAgain; ++i) {
                              mustBeValid(pair, pair.arguments.root());
                          }
                      }});
    timers.push_back({"compileNs", compileOne});
    for (int i = 0; i < kRounds; ++i) {
        for (auto &timer : timers) {
            timer.round(pairs);
        }
    }
    std::size_t textBytes = 0;
    for (const auto &pair : pairs) {
        textBytes += pair.text.size();
    }
    const auto count = static_cast<std::int64_t>(pairs.size());
    json::Writer out;
    out.object().key("pairs").number(count);
    out.key("bytes").number(static_cast<std::int64_t>(textBytes) / count);
    for (const auto &timer : timers) {
        const bool again = std::string_view(timer.name).ends_with("AgainNs");
        const double one = median(timer.rounds) / (again ? kAgain : 1);
        out.key(timer.name).number(std::round(one * 10) / 10);
    }
    out.key("programBytes").number(programBytes / count);
    out.key("allocations").number(allocations).endObject();
    std::cout << out.take() << '\n';
    if (bytes == 0) {
        fail("nothing was read");
    }
}

} // namespace

int main(int argc, char **argv) {
    try {
        if (argc != 2) {
            fail("usage: bench_schema FILE, as schema_bench_ajv.mjs writes it");
        }
        run(argv[1]);
    } catch (const std::exception &error) {
        std::cerr << "bench_schema: " << error.what() << '\n';
        return 1;
    }
    return 0;
}
