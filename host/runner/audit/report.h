// SPDX-License-Identifier: Apache-2.0
// Rows of an audit as text: a line each for people, and counts for each tool.
#pragma once

#include "runner/audit/row.h"

#include <array>
#include <map>
#include <string>
#include <vector>

namespace tenon::audit {

// Lines of time, outcome, duration, tool, who called, and the error. Columns are as wide as the
// widest of the first rows, which wait for one another here; a wider one later moves its own line,
// and those behind it.
class RowLines {
public:
    // What can be printed now: often nothing, at times a hundred lines.
    std::string add(const Row &row);
    std::string flush();

private:
    using Cells = std::array<std::string, 6>;
    static Cells cellsOf(const Row &row);
    std::string lineOf(const Cells &cells);

    std::vector<Cells> waiting_;
    std::array<std::size_t, 6> widths_{};
    bool isStarted_ = false;
};

// Calls of each tool and the percentiles of their durations, by nearest rank. Durations are counted
// by their first four digits, which is what is shown: as rounding keeps the order, the percentile
// of the rounded is the rounded percentile. So memory is bounded (9,000 counters for each power of
// ten) and what is shown is exact.
class ToolCounts {
public:
    void add(const Row &row);
    bool isEmpty() const { return tools_.empty() && lostRows_ == 0; }
    std::string text() const; // a table
    std::string json() const; // {"tools":[...],"lostRows":0}, on one line

private:
    struct Tool {
        std::uint64_t calls = 0, failed = 0;
        std::map<double, std::uint64_t> durations; // rounded
        std::string lastSeen;
        double percentile(unsigned percent) const;
    };
    std::map<std::string, Tool, std::less<>> tools_;
    std::uint64_t lostRows_ = 0; // as the audit itself says
};

// Milliseconds by their first four digits: "0.1235", "12.35", "12350".
std::string millisText(double millis);

} // namespace tenon::audit
