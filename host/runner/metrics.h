// SPDX-License-Identifier: Apache-2.0
// Figures of what was called, for Prometheus. A call costs three additions to counters of its tool;
// nothing is locked or allocated for a tool, source and code that were seen before.
#pragma once

#include "runner/exposition.h"
#include "runner/hooks.h"
#include "runner/scheduler.h"

#include <array>
#include <atomic>
#include <cstdint>
#include <deque>
#include <memory>
#include <mutex>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

namespace tenon::catalog {
class MountedCatalog;
}

namespace tenon {

// One figure of another part of the host, read when it is asked for.
struct Gauge {
    std::string_view name; // of a counter it ends in "_total"
    std::string_view help;
    double value = 0;
    exposition::Kind kind = exposition::Kind::Gauge; // or Counter
};

// Thread-safe; must outlive the runner that its hooks are given to. How many series there are is
// bounded by the catalog: kOwnCodesMax.
class Metrics {
public:
    // Codes that are not the host's, counted by name for each tool; those that come later, and
    // those that are no codes, are counted as "other".
    static constexpr std::size_t kOwnCodesMax = 32;

    // Of the runner's catalog.
    explicit Metrics(std::shared_ptr<const catalog::MountedCatalog> catalog);
    Metrics(const Metrics &) = delete;
    Metrics &operator=(const Metrics &) = delete;

    // To be among the runner's hooks. Calls that name no tool of the catalog reach no hook.
    ToolHooks hooks();

    // Everything as text exposition: the calls, the runner's load, the catalog, the extra figures,
    // and the process.
    std::string text(const Load &load, const std::vector<Gauge> &extra = {}) const;

private:
    using Count = std::atomic<std::uint64_t>;
    static constexpr std::size_t kSources = 4; // of enum Source
    static constexpr std::size_t kBuckets = 18;

    // Of one tool and source.
    struct Series {
        Count ok = 0;
        std::array<Count, kBuckets + 1> buckets{}; // the last: longer than the longest
        Count nanoseconds = 0;
    };
    // Of one tool and error code.
    struct Code {
        explicit Code(std::string_view code) : name(code) {}
        const std::string name;
        std::array<Count, kSources> bySource{};
        Code *next = nullptr; // set before it can be seen
    };
    struct ToolFigures {
        std::array<std::atomic<Series *>, kSources> bySource{}; // null: not called yet
        std::atomic<Code *> codes = nullptr;
        std::atomic<std::size_t> ownCodes = 0;
    };

    void count(const AfterToolCall &event);
    ToolFigures *figuresOf(std::string_view toolName);
    Series &addSeries(std::atomic<Series *> &place);
    Code &addCode(ToolFigures &figures, std::string_view code);
    static Code *findCode(const ToolFigures &figures, std::string_view code);
    void writeCalls(exposition::Writer &out) const;
    void writeDurations(exposition::Writer &out) const;

    const std::shared_ptr<const catalog::MountedCatalog> catalog_;
    std::unordered_map<const char *, std::size_t> byName_; // where a tool's name is: its index
    std::vector<ToolFigures> tools_;                       // as in the catalog
    std::mutex mutex_;                                     // of what is added
    std::deque<Series> series_;
    std::deque<Code> codes_;
};

} // namespace tenon
