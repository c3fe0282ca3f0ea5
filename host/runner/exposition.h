// SPDX-License-Identifier: Apache-2.0
// The text in which Prometheus reads figures (text exposition format, version 0.0.4): written, and
// that of several processes joined into one.
#pragma once

#include <cstdint>
#include <initializer_list>
#include <string>
#include <string_view>
#include <vector>

namespace tenon::exposition {

enum class Kind { Counter, Gauge, Histogram };

struct Label {
    std::string_view name, value; // a value is escaped, and made UTF-8
};
using Labels = std::initializer_list<Label>;

// Families one after the other, each followed by its samples. Names and labels are the caller's to
// get right: ^[a-z_]+$, each family once, no series twice.
class Writer {
public:
    void family(std::string_view name, Kind kind, std::string_view help);
    // Of the last family; the suffix is a histogram's: "_bucket", "_sum", "_count".
    void sample(Labels labels, double value, std::string_view suffix = {});
    void sample(Labels labels, std::uint64_t value, std::string_view suffix = {});
    std::string take() { return std::move(out_); }

private:
    void series(Labels labels, std::string_view suffix);

    std::string out_;
    std::string family_;
};

// One process's text and what its series are told apart by.
struct Part {
    std::string process;
    std::string text;
};

// All of them, as a Writer wrote them, in one text: a family's HELP and TYPE once, and every series
// with the label process="..." put first. A family that has another type in a later part is left
// out of that part, with a comment that says so.
std::string join(const std::vector<Part> &parts);

} // namespace tenon::exposition
