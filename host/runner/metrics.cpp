// SPDX-License-Identifier: Apache-2.0
#include "runner/metrics.h"

#include "catalog/mounted.h"
#include "runner/errors.h"
#include "runner/process_figures.h"

namespace tenon {

namespace {

using exposition::Kind;

constexpr std::string_view kOther = "other"; // no code: codes are upper case

struct Bound {
    std::uint64_t nanoseconds;
    std::string_view seconds; // as it is written
};
constexpr std::array<Bound, 18> kBounds{{
    {100'000, "0.0001"},
    {250'000, "0.00025"},
    {500'000, "0.0005"},
    {1'000'000, "0.001"},
    {2'500'000, "0.0025"},
    {5'000'000, "0.005"},
    {10'000'000, "0.01"},
    {25'000'000, "0.025"},
    {50'000'000, "0.05"},
    {100'000'000, "0.1"},
    {250'000'000, "0.25"},
    {500'000'000, "0.5"},
    {1'000'000'000, "1"},
    {2'500'000'000, "2.5"},
    {5'000'000'000, "5"},
    {10'000'000'000, "10"},
    {30'000'000'000, "30"},
    {60'000'000'000, "60"},
}};

// No order between counters is promised, only that none is lost.
void add(std::atomic<std::uint64_t> &to, std::uint64_t what) {
    to.fetch_add(what, std::memory_order_relaxed);
}

std::uint64_t read(const std::atomic<std::uint64_t> &from) {
    return from.load(std::memory_order_relaxed);
}

} // namespace

Metrics::Metrics(std::shared_ptr<const catalog::MountedCatalog> catalog)
    : catalog_(std::move(catalog)), tools_(catalog_->tools().size()) {
    static_assert(kBounds.size() == kBuckets);
    byName_.reserve(tools_.size());
    for (std::size_t i = 0; i < tools_.size(); ++i) {
        byName_.emplace(catalog_->tools()[i].name.data(), i);
    }
}

ToolHooks Metrics::hooks() {
    ToolHooks hooks;
    hooks.afterToolCall = [this](const AfterToolCall &event) { count(event); };
    return hooks;
}

// The runner names a tool by the catalog's own text; another text is looked up by what it says.
Metrics::ToolFigures *Metrics::figuresOf(std::string_view toolName) {
    if (const auto at = byName_.find(toolName.data()); at != byName_.end()) {
        return &tools_[at->second];
    }
    const auto *tool = catalog_->find(toolName);
    return tool != nullptr ? &tools_[byName_.at(tool->name.data())] : nullptr;
}

void Metrics::count(const AfterToolCall &event) {
    auto *figures = figuresOf(event.toolName);
    if (figures == nullptr) {
        return;
    }
    const auto source = static_cast<std::size_t>(event.context.caller.source);
    auto &place = figures->bySource[source];
    auto *known = place.load(std::memory_order_acquire);
    Series &series = known != nullptr ? *known : addSeries(place);
    const auto nanoseconds = static_cast<std::uint64_t>(event.durationMs * 1e6);
    std::size_t bucket = 0;
    while (bucket < kBuckets && nanoseconds > kBounds[bucket].nanoseconds) {
        ++bucket;
    }
    add(series.buckets[bucket], 1);
    add(series.nanoseconds, nanoseconds);
    if (std::holds_alternative<Output>(event.result)) {
        add(series.ok, 1);
        return;
    }
    const auto *error = std::get_if<AppError>(&event.result);
    const std::string_view code =
        error != nullptr ? std::string_view(error->code) : "INPUT_REQUIRED";
    auto *counted = findCode(*figures, code);
    add((counted != nullptr ? *counted : addCode(*figures, code)).bySource[source], 1);
}

Metrics::Series &Metrics::addSeries(std::atomic<Series *> &place) {
    const std::lock_guard lock(mutex_);
    if (auto *added = place.load(std::memory_order_relaxed)) {
        return *added; // by another thread meanwhile
    }
    auto &made = series_.emplace_back();
    place.store(&made, std::memory_order_release);
    return made;
}

Metrics::Code *Metrics::findCode(const ToolFigures &figures, std::string_view code) {
    auto *at = figures.codes.load(std::memory_order_acquire);
    while (at != nullptr && at->name != code) {
        at = at->next;
    }
    return at;
}

Metrics::Code &Metrics::addCode(ToolFigures &figures, std::string_view code) {
    std::string name(code);
    const auto full = [&] {
        return figures.ownCodes.load(std::memory_order_acquire) >= kOwnCodesMax;
    };
    bool own = !isHostCode(name);
    if (own && (full() || !isErrorCode(name))) {
        // Without the lock: who invents codes may go on doing so. The first of these is there if it
        // was the last to find a place.
        for (const std::string_view one : {std::string_view(name), kOther}) {
            if (auto *added = findCode(figures, one)) {
                return *added;
            }
        }
        own = false;
        name = kOther;
    }
    const std::lock_guard lock(mutex_);
    if (own && full() && findCode(figures, name) == nullptr) {
        own = false;
        name = kOther;
    }
    if (auto *added = findCode(figures, name)) {
        return *added; // by another thread meanwhile
    }
    auto &made = codes_.emplace_back(name);
    made.next = figures.codes.load(std::memory_order_relaxed);
    figures.codes.store(&made, std::memory_order_release);
    if (own) {
        figures.ownCodes.fetch_add(1, std::memory_order_release); // after it can be found
    }
    return made;
}

void Metrics::writeCalls(exposition::Writer &out) const {
    out.family("tenon_calls_total", Kind::Counter, "Calls that ended, by what they ended with.");
    for (std::size_t i = 0; i < tools_.size(); ++i) {
        const std::string_view tool = catalog_->tools()[i].name;
        const auto write = [&](std::size_t source, std::string_view code, const Count &count) {
            if (const auto calls = read(count); calls != 0) {
                const auto name = nameOf(static_cast<Source>(source));
                out.sample({{"tool", tool}, {"source", name}, {"code", code}}, calls);
            }
        };
        for (std::size_t source = 0; source < kSources; ++source) {
            if (const auto *series = tools_[i].bySource[source].load(std::memory_order_acquire)) {
                write(source, "OK", series->ok);
            }
            for (const auto *code = tools_[i].codes.load(std::memory_order_acquire);
                 code != nullptr; code = code->next) {
                write(source, code->name, code->bySource[source]);
            }
        }
    }
}

void Metrics::writeDurations(exposition::Writer &out) const {
    out.family("tenon_call_duration_seconds", Kind::Histogram,
               "How long calls took, from the time at which they were asked for.");
    for (std::size_t i = 0; i < tools_.size() * kSources; ++i) {
        const auto &place = tools_[i / kSources].bySource[i % kSources];
        const auto *series = place.load(std::memory_order_acquire);
        if (series == nullptr) {
            continue;
        }
        const exposition::Label tool{"tool", catalog_->tools()[i / kSources].name};
        const exposition::Label source{"source", nameOf(static_cast<Source>(i % kSources))};
        std::uint64_t sum = 0;
        for (std::size_t bucket = 0; bucket <= kBuckets; ++bucket) {
            sum += read(series->buckets[bucket]);
            const auto bound = bucket < kBuckets ? kBounds[bucket].seconds : "+Inf";
            out.sample({tool, source, {"le", bound}}, sum, "_bucket");
        }
        out.sample({tool, source}, static_cast<double>(read(series->nanoseconds)) / 1e9, "_sum");
        out.sample({tool, source}, sum, "_count");
    }
}

std::string Metrics::text(const Load &load, const std::vector<Gauge> &extra) const {
    exposition::Writer out;
    writeCalls(out);
    writeDurations(out);
    out.family("tenon_calls_in_flight", Kind::Gauge, "Calls that have begun and not ended.");
    out.sample({}, std::uint64_t{load.running});
    out.family("tenon_queue_depth", Kind::Gauge, "Calls that wait for a place to run.");
    out.sample({}, std::uint64_t{load.waiting});
    out.family("tenon_catalog_info", Kind::Gauge, "The digest of the catalog that is served; 1.");
    out.sample({{"digest", catalog_->digest()}}, std::uint64_t{1});
    out.family("tenon_catalog_generation", Kind::Gauge,
               "How many catalogs were served up to this one.");
    out.sample({}, std::uint64_t{1}); // a runner has one catalog for life
    for (const auto &figure : extra) {
        out.family(figure.name, figure.kind, figure.help);
        out.sample({}, figure.value);
    }
    writeProcessFigures(out);
    return out.take();
}

} // namespace tenon
