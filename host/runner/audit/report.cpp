// SPDX-License-Identifier: Apache-2.0
#include "runner/audit/report.h"

#include "json/number.h"
#include "json/writer.h"
#include "support/text.h"

#include <algorithm>
#include <charconv>

namespace tenon::audit {

namespace {

constexpr std::size_t kLinesWaiting = 100;
constexpr std::size_t kCellBytesMax = 200;
constexpr std::size_t kMessageBytesMax = 2'000;
constexpr std::size_t kToolsMax = 10'000; // callers may ask for tools that do not exist
constexpr std::string_view kOtherTools = "(other tools)";
constexpr double kMillisMin = 1e-6, kMillisMax = 1e12;
constexpr std::size_t kDurationCell = 2;
constexpr std::array<unsigned, 3> kPercents{50, 90, 99};

// Its first four digits.
double rounded(double millis) {
    if (!(millis >= kMillisMin)) {
        return 0;
    }
    std::array<char, 32> text;
    const auto end = std::to_chars(text.data(), text.data() + text.size(),
                                   std::min(millis, kMillisMax), std::chars_format::scientific, 3);
    double value = 0;
    std::from_chars(text.data(), end.ptr, value);
    return value;
}

std::string cell(std::string_view text, std::size_t bytesMax = kCellBytesMax) {
    auto out = printable(text, bytesMax);
    std::replace(out.begin(), out.end(), '\t', ' ');
    return out.empty() ? "-" : out;
}

std::size_t widthOf(std::string_view text) {
    return static_cast<std::size_t>(std::count_if(text.begin(), text.end(), [](char c) {
        return (static_cast<unsigned char>(c) & 0xC0U) != 0x80U;
    }));
}

std::string padded(const std::string &text, std::size_t width, bool right) {
    const auto here = widthOf(text);
    const std::string blanks(width > here ? width - here : 0, ' ');
    return right ? blanks + text : text + blanks;
}

std::string joined(std::string_view a, std::string_view between, std::string_view b) {
    return a.empty() || b.empty() ? concat(a, b) : concat(a, between, b);
}

// {"rows":N} is in the row that stands in the place of lost ones.
std::uint64_t lostOf(const Row &row) {
    json::Document document;
    const bool read = document.readView(row.errorDetail.text).has_value();
    const auto number = read ? document.root()["rows"].number() : std::string_view();
    const auto rows = number.empty() ? std::nullopt : json::toInt64(number);
    return rows && *rows > 0 ? static_cast<std::uint64_t>(*rows) : 0;
}

std::string tableOf(const std::vector<std::vector<std::string>> &lines) {
    std::vector<std::size_t> widths(lines.front().size());
    for (const auto &line : lines) {
        for (std::size_t i = 0; i < line.size(); ++i) {
            widths[i] = std::max(widths[i], widthOf(line[i]));
        }
    }
    std::string out;
    for (const auto &line : lines) {
        for (std::size_t i = 0; i < line.size(); ++i) {
            const bool last = i + 1 == line.size();
            out += last ? line[i] + "\n" : padded(line[i], widths[i], i > 0) + "  ";
        }
    }
    return out;
}

} // namespace

std::string millisText(double millis) {
    std::array<char, 64> text;
    const auto end = std::to_chars(text.data(), text.data() + text.size(), rounded(millis),
                                   std::chars_format::fixed);
    return std::string(text.data(), end.ptr);
}

RowLines::Cells RowLines::cellsOf(const Row &row) {
    return {cell(row.startedAt),
            cell(row.outcome),
            millisText(row.durationMs) + "ms",
            cell(row.toolName),
            cell(joined(row.userId, "/", row.clientName.empty() ? row.clientId : row.clientName)),
            row.ok ? std::string()
                   : cell(joined(row.errorCode, ": ", row.errorMessage), kMessageBytesMax)};
}

std::string RowLines::lineOf(const Cells &cells) {
    std::string out;
    for (std::size_t i = 0; i < cells.size(); ++i) {
        widths_[i] = std::max(widths_[i], widthOf(cells[i]));
        out += i + 1 == cells.size() ? cells[i]
                                     : padded(cells[i], widths_[i], i == kDurationCell) + "  ";
    }
    out.erase(out.find_last_not_of(' ') + 1);
    return out + '\n';
}

std::string RowLines::add(const Row &row) {
    auto cells = cellsOf(row);
    if (isStarted_) {
        return lineOf(cells);
    }
    for (std::size_t i = 0; i + 1 < cells.size(); ++i) {
        widths_[i] = std::max(widths_[i], widthOf(cells[i]));
    }
    waiting_.push_back(std::move(cells));
    return waiting_.size() < kLinesWaiting ? std::string() : flush();
}

std::string RowLines::flush() {
    std::string out;
    for (const auto &cells : std::exchange(waiting_, {})) {
        out += lineOf(cells);
        isStarted_ = true;
    }
    return out;
}

void ToolCounts::add(const Row &row) {
    if (row.kind == "gap") {
        lostRows_ += lostOf(row);
        return;
    }
    auto found = tools_.find(row.toolName);
    if (found == tools_.end()) {
        found =
            tools_.try_emplace(tools_.size() < kToolsMax ? row.toolName : std::string(kOtherTools))
                .first;
    }
    auto &tool = found->second;
    ++tool.calls;
    tool.failed += row.ok ? 0 : 1;
    ++tool.durations[rounded(row.durationMs)];
    tool.lastSeen = std::max(tool.lastSeen, row.startedAt);
}

double ToolCounts::Tool::percentile(unsigned percent) const {
    const auto rank = (calls * percent + 99) / 100;
    std::uint64_t seen = 0;
    for (const auto &[duration, count] : durations) {
        seen += count;
        if (seen >= rank) {
            return duration;
        }
    }
    return 0;
}

std::string ToolCounts::text() const {
    std::vector<std::vector<std::string>> lines{
        {"tool", "calls", "failed", "p50 ms", "p90 ms", "p99 ms", "max ms", "last seen"}};
    for (const auto &[name, tool] : tools_) {
        std::vector<std::string> line{cell(name), std::to_string(tool.calls),
                                      std::to_string(tool.failed)};
        for (const unsigned percent : kPercents) {
            line.push_back(millisText(tool.percentile(percent)));
        }
        line.push_back(millisText(tool.percentile(100)));
        line.push_back(cell(tool.lastSeen));
        lines.push_back(std::move(line));
    }
    const auto lost = lostRows_ == 0 ? std::string()
                                     : concat(lostRows_, " rows were lost: see those with outcome "
                                                         "\"lost\"\n");
    return concat(tableOf(lines), lost);
}

std::string ToolCounts::json() const {
    json::Writer out;
    out.object().key("tools").array();
    for (const auto &[name, tool] : tools_) {
        out.object().key("tool").string(name).key("calls").number(tool.calls);
        out.key("failed").number(tool.failed);
        for (const unsigned percent : kPercents) {
            out.key(concat("p", percent, "Ms")).raw(millisText(tool.percentile(percent)));
        }
        out.key("maxMs").raw(millisText(tool.percentile(100)));
        out.key("lastSeen").string(tool.lastSeen).endObject();
    }
    return out.endArray().key("lostRows").number(lostRows_).endObject().take();
}

} // namespace tenon::audit
