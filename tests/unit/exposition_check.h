// SPDX-License-Identifier: Apache-2.0
// A strict reader of the Prometheus text format (0.0.4), for tests: what it reads, and every rule
// that the text breaks. Stricter than the format where Tenon is: each family has HELP and then
// TYPE, counters end in _total and nothing else does, and samples have no time stamps.
#pragma once

#include "support/text.h"

#include <catch2/catch.hpp>

#include <charconv>
#include <cmath>
#include <limits>
#include <map>
#include <set>
#include <string>
#include <string_view>
#include <vector>

namespace tenon::testing {

class Exposition {
public:
    explicit Exposition(std::string_view text) {
        if (!text.empty() && text.back() != '\n') {
            problem("", "no line feed at the end");
        }
        if (invalidUtf8At(text) != text.npos) {
            problem("", "not UTF-8");
        }
        while (!text.empty()) {
            const auto line = text.substr(0, text.find('\n'));
            text.remove_prefix(std::min(line.size() + 1, text.size()));
            readLine(line);
        }
        endFamily();
    }

    std::vector<std::string> problems;
    std::map<std::string, std::string> types; // by family
    // By series, as it is written but with labels in alphabetical order: a_total{x="1",y="2"}
    std::map<std::string, double> values;

    bool has(const std::string &series) const { return values.count(series) != 0; }
    double operator[](const std::string &series) const {
        INFO(series);
        const auto at = values.find(series);
        CHECK(at != values.end());
        return at == values.end() ? std::nan("") : at->second;
    }
    // How many series of a sample's name there are.
    std::size_t count(const std::string &name) const {
        std::size_t found = 0;
        for (const auto &[series, value] : values) {
            found += series == name || series.rfind(name + "{", 0) == 0 ? 1 : 0;
        }
        return found;
    }

private:
    using Labels = std::map<std::string, std::string>;
    struct Buckets {
        double bound = -std::numeric_limits<double>::infinity();
        double last = 0;
        bool any = false, summed = false, counted = false;
        double count = 0;
    };

    void problem(std::string_view line, std::string_view what) {
        problems.push_back(concat(what, line.empty() ? "" : ": ", line));
    }
    static bool isName(std::string_view name, std::string_view more) {
        const auto letter = [&](char c) {
            return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_' ||
                   more.find(c) != more.npos;
        };
        bool good = !name.empty() && letter(name[0]);
        for (const char c : name) {
            good = good && (letter(c) || (c >= '0' && c <= '9'));
        }
        return good;
    }

    void readLine(std::string_view line) {
        if (line.empty()) {
            problem("", "an empty line");
        } else if (line.substr(0, 7) == "# HELP ") {
            readHelp(line);
        } else if (line.substr(0, 7) == "# TYPE ") {
            readType(line);
        } else if (line[0] == '#') {
            if (line.substr(0, 2) != "# ") {
                problem(line, "a comment without a space");
            }
        } else {
            readSample(line);
        }
    }

    void readHelp(std::string_view line) {
        endFamily();
        const auto rest = line.substr(7);
        family_ = rest.substr(0, rest.find(' '));
        if (!isName(family_, ":")) {
            problem(line, "a bad name");
        }
        if (!helped_.insert(family_).second) {
            problem(line, "HELP twice");
        }
        const auto text = rest.substr(family_.size());
        for (std::size_t i = 0; i < text.size(); ++i) {
            if (text[i] == '\\' && ++i < text.size() && text[i] != '\\' && text[i] != 'n') {
                problem(line, "a bad escape");
            }
        }
        if (text.size() < 2) {
            problem(line, "HELP without words");
        }
    }

    void readType(std::string_view line) {
        const auto rest = line.substr(7);
        const std::string name(rest.substr(0, rest.find(' ')));
        const std::string type(rest.substr(std::min(name.size() + 1, rest.size())));
        if (name != family_) {
            problem(line, "TYPE without its HELP");
            endFamily();
            family_ = name;
        }
        if (!types.emplace(name, type).second) {
            problem(line, "TYPE twice");
        }
        if (type != "counter" && type != "gauge" && type != "histogram") {
            problem(line, "a bad type");
        }
        const bool total = name.size() > 6 && name.substr(name.size() - 6) == "_total";
        if (total != (type == "counter")) {
            problem(line, "a counter is what ends in _total");
        }
        typed_ = true;
    }

    // Takes {a="x",...} off the front.
    bool readLabels(std::string_view &rest, Labels &labels) {
        if (rest.empty() || rest[0] != '{') {
            return true;
        }
        do {
            rest.remove_prefix(1); // the bracket, or a comma
            const std::string name(rest.substr(0, rest.find('=')));
            rest.remove_prefix(std::min(name.size(), rest.size()));
            if (!isName(name, "") || name.substr(0, 2) == "__" || rest.substr(0, 2) != "=\"") {
                return false;
            }
            rest.remove_prefix(2);
            std::string value;
            while (!rest.empty() && rest[0] != '"') {
                if (rest[0] == '\\') {
                    if (rest.size() < 2 ||
                        std::string_view("\\\"n").find(rest[1]) == std::string_view::npos) {
                        return false;
                    }
                    value += rest[0];
                    rest.remove_prefix(1);
                }
                value += rest[0];
                rest.remove_prefix(1);
            }
            if (rest.empty() || !labels.emplace(name, value).second) {
                return false;
            }
            rest.remove_prefix(1);
        } while (!rest.empty() && rest[0] == ',');
        if (rest.empty() || rest[0] != '}') {
            return false;
        }
        rest.remove_prefix(1);
        return true;
    }

    static bool readNumber(std::string_view text, double &value) {
        if (text == "NaN" || text == "+Inf" || text == "-Inf") {
            const auto infinity = std::numeric_limits<double>::infinity();
            value = text == "NaN" ? std::nan("") : text == "+Inf" ? infinity : -infinity;
            return true;
        }
        const auto read = std::from_chars(text.data(), text.data() + text.size(), value);
        return read.ec == std::errc() && read.ptr == text.data() + text.size() &&
               std::isfinite(value);
    }

    static std::string seriesOf(std::string_view name, const Labels &labels) {
        std::string series(name);
        for (const auto &[label, value] : labels) {
            series += concat(series.size() == name.size() ? "{" : ",", label, "=\"", value, "\"");
        }
        return labels.empty() ? series : series + "}";
    }

    void readSample(std::string_view line) {
        const std::string name(line.substr(0, line.find_first_of("{ ")));
        auto rest = line.substr(name.size());
        Labels labels;
        double value = 0;
        if (!isName(name, ":")) {
            problem(line, "a bad name");
        }
        if (!readLabels(rest, labels)) {
            problem(line, "bad labels");
            return;
        }
        if (rest.empty() || rest[0] != ' ' || !readNumber(rest.substr(1), value)) {
            problem(line, "a bad value");
            return;
        }
        if (!typed_) {
            problem(line, "a sample before its TYPE");
        }
        if (!values.emplace(seriesOf(name, labels), value).second) {
            problem(line, "a series twice");
        }
        const auto type = types.count(family_) != 0 ? types[family_] : "";
        if (type == "histogram") {
            readHistogram(line, name, labels, value);
        } else if (name != family_) {
            problem(line, "a sample of another family");
        }
        if (type == "counter" && !(value >= 0 && std::isfinite(value))) {
            problem(line, "a counter below 0 or without end");
        }
    }

    void readHistogram(std::string_view line, const std::string &name, Labels labels,
                       double value) {
        const auto bound = labels.find("le");
        const std::string le = bound == labels.end() ? "" : bound->second;
        labels.erase("le");
        auto &buckets = buckets_[seriesOf(family_, labels)];
        if (!(value >= 0)) {
            problem(line, "a histogram below 0");
        }
        if (name == family_ + "_sum" && le.empty()) {
            buckets.summed = true;
        } else if (name == family_ + "_count" && le.empty()) {
            buckets.counted = true;
            buckets.count = value;
        } else if (name == family_ + "_bucket" && !le.empty()) {
            double at = 0;
            if (!readNumber(le, at) || !(at > buckets.bound)) {
                problem(line, "bounds that do not rise");
            }
            if (value < buckets.last) {
                problem(line, "buckets that are not cumulative");
            }
            buckets.bound = at;
            buckets.last = value;
            buckets.any = true;
        } else {
            problem(line, "no sample of a histogram");
        }
    }

    void endFamily() {
        for (const auto &[series, buckets] : buckets_) {
            if (!buckets.any || !std::isinf(buckets.bound)) {
                problem(series, "no bucket +Inf");
            }
            if (!buckets.summed || !buckets.counted) {
                problem(series, "no sum or count");
            } else if (buckets.count != buckets.last) {
                problem(series, "another count than the bucket +Inf");
            }
        }
        buckets_.clear();
        if (!family_.empty() && !typed_) {
            problem(family_, "HELP without its TYPE");
        }
        family_.clear();
        typed_ = false;
    }

    std::string family_;
    bool typed_ = false;
    std::set<std::string> helped_;
    std::map<std::string, Buckets> buckets_; // of the family, by labels without le
};

// The text read, having checked that it breaks no rule.
inline Exposition readExposition(std::string_view text) {
    Exposition read(text);
    for (const auto &problem : read.problems) {
        FAIL_CHECK(problem);
    }
    return read;
}

} // namespace tenon::testing
