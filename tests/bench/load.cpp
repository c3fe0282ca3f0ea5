// SPDX-License-Identifier: Apache-2.0
// The load generator: starts a server that speaks lines over its standard input and output, asks
// it many times, checks every answer, and says how fast it was.
#include "measure.h"
#include "process.h"

#include <algorithm>
#include <charconv>
#include <cstdio>
#include <cstdlib>
#include <initializer_list>
#include <string_view>
#include <utility>

using namespace tenon::bench;

namespace {

constexpr const char *kUsage =
    "usage: bench_load [options] -- COMMAND [ARGUMENT...]\n"
    "  --depth N          requests in flight (1)\n"
    "  --count N          requests that are measured (20000)\n"
    "  --warm-up N        requests before them (2000)\n"
    "  --send FORM        modern: 2026-07-28, each request alone; legacy: after initialize "
    "(modern)\n"
    "  --expect WHAT      answer: a tools/call result; line: the line that was sent (answer)\n"
    "  --place WHERE      free, apart: generator and server on processors of their own, or\n"
    "                     together: both on one (free)\n"
    "  --text-bytes N     size of the text that is echoed (64)\n"
    "  --timeout-s N      for the whole run (60)\n"
    "  --json             one JSON object instead of a table\n";

[[noreturn]] void refuse(const std::string &why) {
    std::fprintf(stderr, "bench_load: %s\n%s", why.c_str(), kUsage);
    std::exit(2);
}

std::uint64_t numberOf(std::string_view option, std::string_view text, std::uint64_t min) {
    constexpr std::uint64_t kMax = 10'000'000;
    std::uint64_t value = 0;
    const auto read = std::from_chars(text.data(), text.data() + text.size(), value);
    if (read.ec != std::errc() || read.ptr != text.data() + text.size() || value < min ||
        value > kMax) {
        refuse(std::string(option) + " " + std::string(text) + ": expected a number from " +
               std::to_string(min) + " to " + std::to_string(kMax));
    }
    return value;
}

template <class Value>
Value chosen(std::string_view option, std::string_view word,
             std::initializer_list<std::pair<std::string_view, Value>> choices) {
    std::string known;
    for (const auto &[name, value] : choices) {
        if (name == word) {
            return value;
        }
        known += (known.empty() ? "" : ", ") + std::string(name);
    }
    refuse(std::string(option) + " " + std::string(word) + ": expected one of " + known);
}

struct Options {
    Plan plan;
    bool json = false;
};

Options read(int argc, char **argv) {
    Options options;
    Plan &plan = options.plan;
    int at = 1;
    for (; at < argc && std::string_view(argv[at]) != "--"; ++at) {
        const std::string_view option = argv[at];
        if (option == "--json") {
            options.json = true;
            continue;
        }
        const std::string_view value = at + 1 < argc ? argv[++at] : "";
        if (option == "--depth") {
            plan.depth = numberOf(option, value, 1);
        } else if (option == "--count") {
            plan.count = numberOf(option, value, 1);
        } else if (option == "--warm-up") {
            plan.warmUp = numberOf(option, value, 0);
        } else if (option == "--text-bytes") {
            plan.textBytes = numberOf(option, value, 8);
        } else if (option == "--timeout-s") {
            plan.timeoutSeconds = static_cast<int>(numberOf(option, value, 1));
        } else if (option == "--send") {
            plan.form =
                chosen<Form>(option, value, {{"modern", Form::Modern}, {"legacy", Form::Legacy}});
        } else if (option == "--expect") {
            plan.expect =
                chosen<Expect>(option, value, {{"answer", Expect::Answer}, {"line", Expect::Line}});
        } else if (option == "--place") {
            plan.placement = chosen<Placement>(option, value,
                                               {{"free", Placement::Free},
                                                {"apart", Placement::Apart},
                                                {"together", Placement::Together}});
        } else {
            refuse("unknown option " + std::string(option));
        }
    }
    plan.command.assign(argv + std::min(at + 1, argc), argv + argc);
    if (plan.command.empty()) {
        refuse("no command was given after --");
    }
    return options;
}

void print(const Options &options, const Report &report) {
    const char *json = "{\"depth\":%llu,\"count\":%llu,\"perSecond\":%.1f,\"p50Us\":%.2f,"
                       "\"p99Us\":%.2f,\"startMs\":%.2f,\"peakRssKib\":%ld,\"generatorCpu\":%.3f,"
                       "\"serverCpuSeconds\":%.3f}\n";
    const char *table = "depth            %12llu\nrequests         %12llu\n"
                        "a second         %12.1f\nmedian           %12.2f us\n"
                        "99th percentile  %12.2f us\nfirst answer     %12.2f ms\n"
                        "peak memory      %12ld KiB\ngenerator's CPU  %12.3f cores\n"
                        "server's CPU     %12.3f s\n";
    std::printf(options.json ? json : table, static_cast<unsigned long long>(options.plan.depth),
                static_cast<unsigned long long>(options.plan.count), report.perSecond, report.p50Us,
                report.p99Us, report.startMs, report.peakRssKib, report.generatorCpu,
                report.serverCpu);
}

} // namespace

int main(int argc, char **argv) {
    const Options options = read(argc, argv);
    try {
        print(options, measure(options.plan));
        return 0;
    } catch (const Failure &failure) {
        std::fprintf(stderr, "bench_load: %s: %s\n", options.plan.command[0].c_str(),
                     failure.what());
        return 1;
    }
}
