// SPDX-License-Identifier: Apache-2.0
// How much longer a command takes from start to end than a program that does nothing: both are
// run by turns, many times, and the median of the differences is given.
#include "process.h"

#include <algorithm>
#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <string>
#include <string_view>
#include <sys/wait.h>
#include <unistd.h>

using namespace tenon::bench;

namespace {

constexpr const char *kUsage =
    "usage: bench_startup [--runs N] [--expect TEXT] [--against PROGRAM] -- COMMAND [ARGUMENT...]\n"
    "Runs COMMAND and PROGRAM (/bin/true) by turns, N (200) times each. COMMAND must exit with 0\n"
    "and print TEXT. Prints one JSON object, times in milliseconds.\n";

// From just before the start to just after the end, in milliseconds.
double timeOf(const std::vector<std::string> &command, std::string_view expected) {
    const auto start = std::chrono::steady_clock::now();
    Child child(command, Child::Input::Null);
    std::string output;
    char chunk[4096];
    for (ssize_t got; (got = ::read(child.out(), chunk, sizeof chunk)) > 0;) {
        output.append(chunk, static_cast<std::size_t>(got));
    }
    const int status = child.wait();
    const auto end = std::chrono::steady_clock::now();
    if (!WIFEXITED(status) || WEXITSTATUS(status) != 0 ||
        output.find(expected) == std::string::npos) {
        throw Failure(command[0] + " ended with " + statusText(status) + " and printed \"" +
                      output.substr(0, 300) + "\"; expected exit code 0 and \"" +
                      std::string(expected) + "\"");
    }
    return std::chrono::duration<double, std::milli>(end - start).count();
}

double median(std::vector<double> values) {
    const auto middle = values.begin() + static_cast<std::ptrdiff_t>(values.size() / 2);
    std::nth_element(values.begin(), middle, values.end());
    return *middle;
}

struct Plan {
    int runs = 200;
    std::string expected;
    std::vector<std::string> against = {"/bin/true"}, command;
};

Plan read(int argc, char **argv) {
    Plan plan;
    int at = 1;
    for (; at + 1 < argc && std::string_view(argv[at]) != "--"; at += 2) {
        const std::string_view option = argv[at];
        if (option == "--runs") {
            plan.runs = std::clamp(std::atoi(argv[at + 1]), 1, 10'000);
        } else if (option == "--expect") {
            plan.expected = argv[at + 1];
        } else if (option == "--against") {
            plan.against = {argv[at + 1]};
        } else {
            break;
        }
    }
    if (at + 1 >= argc || std::string_view(argv[at]) != "--") {
        std::fputs(kUsage, stderr);
        std::exit(2);
    }
    plan.command.assign(argv + at + 1, argv + argc);
    return plan;
}

void compare(const Plan &plan) {
    constexpr int kWarmUp = 3;
    std::vector<double> ours, theirs, differences;
    for (int i = -kWarmUp; i < plan.runs; ++i) {
        double own = 0, other = 0;
        if (i % 2 == 0) {
            own = timeOf(plan.command, plan.expected);
            other = timeOf(plan.against, "");
        } else {
            other = timeOf(plan.against, "");
            own = timeOf(plan.command, plan.expected);
        }
        if (i >= 0) {
            ours.push_back(own);
            theirs.push_back(other);
            differences.push_back(own - other);
        }
    }
    std::printf("{\"runs\":%d,\"commandMs\":%.3f,\"againstMs\":%.3f,\"differenceMs\":%.3f}\n",
                plan.runs, median(ours), median(theirs), median(differences));
}

} // namespace

int main(int argc, char **argv) {
    const Plan plan = read(argc, argv);
    try {
        compare(plan);
        return 0;
    } catch (const Failure &failure) {
        std::fprintf(stderr, "bench_startup: %s\n", failure.what());
        return 1;
    }
}
