// SPDX-License-Identifier: Apache-2.0
#include "runner/exposition.h"

#include "support/text.h"

#include <algorithm>
#include <array>
#include <charconv>
#include <cmath>
#include <deque>
#include <map>

namespace tenon::exposition {

namespace {

constexpr std::array<std::string_view, 3> kKinds{"counter", "gauge", "histogram"};

enum class Quotes { Plain, Escaped }; // in HELP and in a label's value

void appendEscaped(std::string &out, std::string_view text, Quotes quotes) {
    const std::string valid = validUtf8(text);
    for (const char c : valid) {
        if (c == '\n') {
            out += "\\n";
        } else if (c == '\\' || (c == '"' && quotes == Quotes::Escaped)) {
            out += '\\';
            out += c;
        } else {
            out += c;
        }
    }
}

void appendNumber(std::string &out, auto value) {
    std::array<char, 32> digits{};
    const auto end = std::to_chars(digits.data(), digits.data() + digits.size(), value).ptr;
    out.append(digits.data(), end);
}

std::string_view takeLine(std::string_view &text) {
    const auto line = text.substr(0, text.find('\n'));
    text.remove_prefix(std::min(line.size() + 1, text.size()));
    return line;
}

// The word at the front of what follows the prefix: "# TYPE name counter" -> "name".
std::string_view wordAfter(std::string_view line, std::string_view prefix) {
    line.remove_prefix(prefix.size());
    return line.substr(0, line.find(' '));
}

struct Family {
    std::string help, type; // whole lines
    std::string samples;
};

class Joiner {
public:
    void add(const Part &part);
    std::string take() const;

private:
    Family &familyOf(std::string_view name);
    void addType(std::string_view line, const std::string &process);
    void addSample(std::string_view line);

    std::deque<Family> families_; // in the order in which they first came
    std::map<std::string, std::size_t, std::less<>> byName_;
    std::string process_; // the label, ready to be put in
    Family *current_ = nullptr;
    std::string notices_;
};

Family &Joiner::familyOf(std::string_view name) {
    const auto [at, isNew] = byName_.try_emplace(std::string(name), families_.size());
    if (isNew) {
        families_.emplace_back();
    }
    return families_[at->second];
}

void Joiner::addType(std::string_view line, const std::string &process) {
    const auto name = wordAfter(line, "# TYPE ");
    current_ = &familyOf(name);
    if (current_->type.empty()) {
        current_->type = line;
    } else if (current_->type != line) {
        notices_ += concat("# ", name, " of process ", process,
                           " is left out: another process gives it another type\n");
        current_ = nullptr;
    }
}

void Joiner::addSample(std::string_view line) {
    if (current_ == nullptr) {
        return;
    }
    const auto nameEnd = std::min(line.find_first_of("{ "), line.size());
    auto &out = current_->samples;
    out += line.substr(0, nameEnd);
    out += '{';
    out += process_;
    auto rest = line.substr(nameEnd);
    if (rest.starts_with('{')) {
        rest.remove_prefix(1);
        out += rest.starts_with('}') ? "" : ",";
    } else {
        out += '}';
    }
    out += rest;
    out += '\n';
}

void Joiner::add(const Part &part) {
    process_ = "process=\"";
    appendEscaped(process_, part.process, Quotes::Escaped);
    process_ += '"';
    current_ = nullptr;
    std::string_view left(part.text);
    while (!left.empty()) {
        const auto line = takeLine(left);
        if (line.starts_with("# HELP ")) {
            current_ = &familyOf(wordAfter(line, "# HELP "));
            if (current_->help.empty()) {
                current_->help = line;
            }
        } else if (line.starts_with("# TYPE ")) {
            addType(line, part.process);
        } else if (!line.empty() && !line.starts_with('#')) {
            addSample(line);
        }
    }
}

std::string Joiner::take() const {
    std::string out = notices_;
    for (const auto &family : families_) {
        for (const auto *line : {&family.help, &family.type}) {
            out += *line;
            out += line->empty() ? "" : "\n";
        }
        out += family.samples;
    }
    return out;
}

} // namespace

void Writer::family(std::string_view name, Kind kind, std::string_view help) {
    family_ = name;
    out_ += concat("# HELP ", name, " ");
    appendEscaped(out_, help, Quotes::Plain);
    out_ += concat("\n# TYPE ", name, " ", kKinds[static_cast<std::size_t>(kind)], "\n");
}

void Writer::series(Labels labels, std::string_view suffix) {
    out_ += family_;
    out_ += suffix;
    char before = '{';
    for (const auto &label : labels) {
        out_ += before;
        out_ += label.name;
        out_ += "=\"";
        appendEscaped(out_, label.value, Quotes::Escaped);
        out_ += '"';
        before = ',';
    }
    out_ += before == ',' ? "} " : " ";
}

void Writer::sample(Labels labels, double value, std::string_view suffix) {
    series(labels, suffix);
    if (std::isnan(value)) {
        out_ += "NaN";
    } else if (std::isinf(value)) {
        out_ += value > 0 ? "+Inf" : "-Inf";
    } else {
        appendNumber(out_, value);
    }
    out_ += '\n';
}

void Writer::sample(Labels labels, std::uint64_t value, std::string_view suffix) {
    series(labels, suffix);
    appendNumber(out_, value);
    out_ += '\n';
}

std::string join(const std::vector<Part> &parts) {
    Joiner joiner;
    for (const auto &part : parts) {
        joiner.add(part);
    }
    return joiner.take();
}

} // namespace tenon::exposition
