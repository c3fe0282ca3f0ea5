// SPDX-License-Identifier: Apache-2.0
#include "runner/process_figures.h"

#include <array>
#include <charconv>
#include <filesystem>
#include <fstream>
#include <limits>
#include <optional>
#include <string>
#include <sys/resource.h>
#include <unistd.h>

namespace tenon {

namespace {

using exposition::Kind;

struct Stat {
    std::uint64_t cpuTicks = 0;
    std::uint64_t threads = 0;
    std::uint64_t startTicks = 0; // since the machine started
    std::uint64_t virtualBytes = 0;
    std::uint64_t residentPages = 0;
};

// The fields after "(name)", which may itself hold spaces and brackets: proc(5) numbers them
// from 3.
std::optional<Stat> readStat() {
    std::ifstream file("/proc/self/stat");
    std::string text;
    std::getline(file, text, '\0');
    const auto name = text.rfind(") ");
    if (name == text.npos) {
        return std::nullopt;
    }
    constexpr std::size_t kFirst = 3, kLast = 24;
    std::array<std::uint64_t, kLast + 1> fields{};
    std::size_t at = name + 2;
    for (std::size_t i = kFirst; i <= kLast; ++i) {
        const auto end = text.find(' ', at);
        if (end == text.npos) {
            return std::nullopt;
        }
        std::from_chars(text.data() + at, text.data() + end, fields[i]); // 0 where it is no number
        at = end + 1;
    }
    return Stat{fields[14] + fields[15], fields[20], fields[22], fields[23], fields[24]};
}

// When the machine started, in seconds since 1970.
std::optional<double> readBootTime() {
    std::ifstream file("/proc/stat");
    std::string word;
    double seconds = 0;
    while (file >> word) {
        if (word == "btime" && file >> seconds) {
            return seconds;
        }
        file.ignore(std::numeric_limits<std::streamsize>::max(), '\n');
    }
    return std::nullopt;
}

std::optional<std::uint64_t> countOpenFiles() {
    std::error_code failed;
    std::uint64_t count = 0;
    for (std::filesystem::directory_iterator at("/proc/self/fd", failed), end; !failed && at != end;
         at.increment(failed)) {
        ++count;
    }
    if (failed || count == 0) {
        return std::nullopt;
    }
    return count - 1; // without the one through which they were listed
}

void writeFiles(exposition::Writer &out) {
    if (const auto open = countOpenFiles()) {
        out.family("process_open_fds", Kind::Gauge, "Open file descriptors.");
        out.sample({}, *open);
    }
    rlimit limit{};
    if (getrlimit(RLIMIT_NOFILE, &limit) == 0) {
        out.family("process_max_fds", Kind::Gauge, "How many file descriptors may be open.");
        out.sample({}, std::uint64_t{limit.rlim_cur});
    }
}

} // namespace

void writeProcessFigures(exposition::Writer &out) {
    writeFiles(out);
    const auto stat = readStat();
    if (!stat) {
        return;
    }
    const auto ticks = static_cast<double>(sysconf(_SC_CLK_TCK));
    out.family("process_cpu_seconds_total", Kind::Counter, "CPU time used, of user and system.");
    out.sample({}, static_cast<double>(stat->cpuTicks) / ticks);
    out.family("process_resident_memory_bytes", Kind::Gauge, "Memory that is resident.");
    out.sample({}, stat->residentPages * static_cast<std::uint64_t>(sysconf(_SC_PAGESIZE)));
    out.family("process_virtual_memory_bytes", Kind::Gauge, "Address space that is mapped.");
    out.sample({}, stat->virtualBytes);
    out.family("process_threads", Kind::Gauge, "Threads.");
    out.sample({}, stat->threads);
    if (const auto boot = readBootTime()) {
        out.family("process_start_time_seconds", Kind::Gauge,
                   "When the process started, since 1970.");
        out.sample({}, *boot + static_cast<double>(stat->startTicks) / ticks);
    }
}

} // namespace tenon
