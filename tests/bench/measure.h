// SPDX-License-Identifier: Apache-2.0
// One run: a server, so many requests, never more than depth of them unanswered.
#pragma once

#include "message.h"
#include "placement.h"

#include <cstdint>
#include <string>
#include <vector>

namespace tenon::bench {

struct Plan {
    Form form = Form::Modern;
    Expect expect = Expect::Answer;
    Placement placement = Placement::Free;
    std::uint64_t depth = 1, count = 20'000, warmUp = 2'000;
    std::size_t textBytes = 64;
    int timeoutSeconds = 60; // for the whole run
    std::vector<std::string> command;
};

struct Report {
    double perSecond = 0;
    double p50Us = 0, p99Us = 0;
    double startMs = 0;      // from the start of the process to its first answer
    double generatorCpu = 0; // cores that the load generator itself kept busy
    double serverCpu = 0;    // seconds of processor time, start and warm-up included
    long peakRssKib = 0;
};

// Throws Failure at the first answer that is wrong, missing or late.
Report measure(const Plan &plan);

} // namespace tenon::bench
