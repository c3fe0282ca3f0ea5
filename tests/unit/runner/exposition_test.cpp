// SPDX-License-Identifier: Apache-2.0
// The text format: written, joined, and the checker that the tests of it rely on.
#include "exposition_check.h"
#include "runner/exposition.h"

#include <limits>

using namespace tenon;
using namespace tenon::testing;
using exposition::join;
using exposition::Kind;
using exposition::Writer;

namespace {

std::string familyOf(const std::string &name, const std::string &type, const std::string &samples) {
    return "# HELP " + name + " words\n# TYPE " + name + " " + type + "\n" + samples;
}

std::string histogramOf(const std::string &samples) {
    return familyOf("h", "histogram", samples);
}

std::string problemsOf(const std::string &text) {
    std::string all;
    for (const auto &problem : Exposition(text).problems) {
        all += problem + "\n";
    }
    return all;
}

// As a process would write it.
std::string processText(std::uint64_t calls, const std::string &moreFamilies = "") {
    Writer out;
    out.family("calls_total", Kind::Counter, "Calls.");
    out.sample({{"tool", "a"}}, calls);
    out.family("depth", Kind::Gauge, "Depth.");
    out.sample({}, std::uint64_t{7});
    out.family("seconds", Kind::Histogram, "Seconds.");
    out.sample({{"le", "1"}}, calls, "_bucket");
    out.sample({{"le", "+Inf"}}, calls, "_bucket");
    out.sample({}, 0.5, "_sum");
    out.sample({}, calls, "_count");
    return out.take() + moreFamilies;
}

} // namespace

TEST_CASE("the checker of the text format sees each rule that is broken") {
    const std::string good = "h_bucket{le=\"1\"} 1\nh_bucket{le=\"+Inf\"} 2\nh_sum 3\nh_count 2\n";
    const std::vector<std::pair<std::string, std::string>> broken{
        {"# HELP a words\n# TYPE a gauge\na 1", "no line feed"},
        {familyOf("a", "gauge", "a{x=\"\xFF\"} 1\n"), "not UTF-8"},
        {familyOf("a", "gauge", "\na 1\n"), "an empty line"},
        {familyOf("a", "gauge", "#x\na 1\n"), "a comment without a space"},
        {familyOf("1a", "gauge", ""), "a bad name"},
        {familyOf("a", "gauge", "a-b 1\n"), "a bad name"},
        {familyOf("a", "gauge", "a 1\n") + familyOf("a", "gauge", "a{x=\"1\"} 1\n"), "HELP twice"},
        {familyOf("a", "gauge", "# TYPE a gauge\n"), "TYPE twice"},
        {"# HELP a \\t\n# TYPE a gauge\n", "a bad escape"},
        {"# HELP a\n# TYPE a gauge\n", "HELP without words"},
        {"# TYPE a gauge\na 1\n", "TYPE without its HELP"},
        {"# HELP a words\n", "HELP without its TYPE"},
        {familyOf("a", "summary", ""), "a bad type"},
        {familyOf("a", "counter", ""), "ends in _total"},
        {familyOf("a_total", "gauge", ""), "ends in _total"},
        {"a 1\n", "a sample before its TYPE"},
        {"# HELP a words\na 1\n# TYPE a gauge\n", "a sample before its TYPE"},
        {familyOf("a", "gauge", "a 1\na 2\n"), "a series twice"},
        {familyOf("a", "gauge", "a{x=\"1\",y=\"2\"} 1\na{y=\"2\",x=\"1\"} 1\n"), "a series twice"},
        {familyOf("a", "gauge", "b 1\n"), "a sample of another family"},
        {familyOf("a", "gauge", "a{} 1\n"), "bad labels"},
        {familyOf("a", "gauge", "a{x=\"1\"x=\"2\"} 1\n"), "bad labels"},
        {familyOf("a", "gauge", "a{x=\"1\",x=\"2\"} 1\n"), "bad labels"},
        {familyOf("a", "gauge", "a{x-y=\"1\"} 1\n"), "bad labels"},
        {familyOf("a", "gauge", "a{__x=\"1\"} 1\n"), "bad labels"},
        {familyOf("a", "gauge", "a{x=1} 1\n"), "bad labels"},
        {familyOf("a", "gauge", "a{x=\"\\t\"} 1\n"), "bad labels"},
        {familyOf("a", "gauge", "a{x=\"1} 1\n"), "bad labels"},
        {familyOf("a", "gauge", "a{x=\"1\" 1\n"), "bad labels"},
        {familyOf("a", "gauge", "a\n"), "a bad value"},
        {familyOf("a", "gauge", "a one\n"), "a bad value"},
        {familyOf("a", "gauge", "a inf\n"), "a bad value"},
        {familyOf("a", "gauge", "a 1 1700000000\n"), "a bad value"},
        {familyOf("a", "gauge", "a  1\n"), "a bad value"},
        {familyOf("a_total", "counter", "a_total -1\n"), "a counter below 0"},
        {familyOf("a_total", "counter", "a_total NaN\n"), "a counter below 0"},
        {histogramOf("h 1\n"), "no sample of a histogram"},
        {histogramOf("h_sum{le=\"1\"} 1\n"), "no sample of a histogram"},
        {histogramOf("h_bucket 1\n"), "no sample of a histogram"},
        {histogramOf("h_bucket{le=\"1\"} 1\nh_sum 1\nh_count 1\n"), "no bucket +Inf"},
        {histogramOf("h_sum 1\nh_count 1\n"), "no bucket +Inf"},
        {histogramOf("h_bucket{le=\"+Inf\"} 1\nh_count 1\n"), "no sum or count"},
        {histogramOf("h_bucket{le=\"+Inf\"} 1\nh_sum 1\n"), "no sum or count"},
        {histogramOf("h_bucket{le=\"+Inf\"} 1\nh_sum 1\nh_count 2\n"), "another count"},
        {histogramOf("h_bucket{le=\"1\"} 3\nh_bucket{le=\"+Inf\"} 2\nh_sum 1\nh_count 2\n"),
         "not cumulative"},
        {histogramOf("h_bucket{le=\"2\"} 1\nh_bucket{le=\"1\"} 1\n"), "do not rise"},
        {histogramOf("h_bucket{le=\"+Inf\"} 1\nh_sum -1\nh_count 1\n"), "a histogram below 0"},
    };
    for (const auto &[text, problem] : broken) {
        CAPTURE(text);
        CHECK_THAT(problemsOf(text), Catch::Contains(problem));
    }
    CHECK(problemsOf(histogramOf(good)).empty());
    CHECK(problemsOf("# a comment\n" + familyOf("a", "gauge", "a{x=\"\\\\\\\"\\n\"} 1e-05\n")) ==
          "");
    CHECK(problemsOf("").empty());
}

TEST_CASE("a label's value and a help text are escaped, and are UTF-8") {
    Writer out;
    out.family("a", Kind::Gauge, "one\ntwo \\ \"three\"");
    out.sample({{"x", "q\" b\\ n\n t\t \xFF \xC3\xA4"}, {"y", ""}}, std::uint64_t{1});
    const auto text = out.take();
    CHECK(text == "# HELP a one\\ntwo \\\\ \"three\"\n# TYPE a gauge\n"
                  "a{x=\"q\\\" b\\\\ n\\n t\t \xEF\xBF\xBD \xC3\xA4\",y=\"\"} 1\n");
    readExposition(text);
}

TEST_CASE("numbers are written so that they read as the same") {
    Writer out;
    out.family("a", Kind::Gauge, "words");
    const std::vector<double> numbers{0, 0.1, 1e-9, 123456789.25, 1e300, -2.5};
    for (std::size_t i = 0; i < numbers.size(); ++i) {
        out.sample({{"i", std::to_string(i)}}, numbers[i]);
    }
    out.sample({{"i", "max"}}, std::numeric_limits<std::uint64_t>::max());
    out.sample({{"i", "inf"}}, std::numeric_limits<double>::infinity());
    out.sample({{"i", "-inf"}}, -std::numeric_limits<double>::infinity());
    out.sample({{"i", "nan"}}, std::numeric_limits<double>::quiet_NaN());
    const auto text = out.take();
    const auto read = readExposition(text);
    for (std::size_t i = 0; i < numbers.size(); ++i) {
        CHECK(read["a{i=\"" + std::to_string(i) + "\"}"] == numbers[i]);
    }
    CHECK_THAT(text, Catch::Contains("a{i=\"max\"} 18446744073709551615\n") &&
                         Catch::Contains("a{i=\"inf\"} +Inf\n") &&
                         Catch::Contains("a{i=\"-inf\"} -Inf\n") &&
                         Catch::Contains("a{i=\"nan\"} NaN\n"));
}

TEST_CASE("the texts of several processes become one, told apart by a label") {
    const auto text = join({{"12", processText(3)}, {"345", processText(4)}});
    const auto read = readExposition(text);
    CHECK(read["calls_total{process=\"12\",tool=\"a\"}"] == 3);
    CHECK(read["calls_total{process=\"345\",tool=\"a\"}"] == 4);
    CHECK(read["depth{process=\"12\"}"] == 7);
    CHECK(read["seconds_bucket{le=\"+Inf\",process=\"345\"}"] == 4);
    CHECK(read["seconds_count{process=\"12\"}"] == 3);
    CHECK(read.values.size() == 12);
    CHECK(read.types.size() == 3);
}

TEST_CASE("a family that one process alone has is kept, and one of two types is left out once") {
    const auto own = familyOf("own", "gauge", "own{} 1\nown{x=\"a b\"} 2\n");
    const auto counter = familyOf("differs_total", "counter", "differs_total 1\n");
    const auto gauge = familyOf("differs_total", "gauge", "differs_total 2\n");
    const auto text = join({{"1", processText(1, counter)}, {"2", gauge + processText(2, own)}});
    const auto read = readExposition(text);
    CHECK(read["own{process=\"2\"}"] == 1);
    CHECK(read["own{process=\"2\",x=\"a b\"}"] == 2);
    CHECK(read["differs_total{process=\"1\"}"] == 1);
    CHECK_FALSE(read.has("differs_total{process=\"2\"}"));
    CHECK(read["calls_total{process=\"2\",tool=\"a\"}"] == 2);
    CHECK_THAT(text, Catch::StartsWith("# differs_total of process 2 is left out"));
}

TEST_CASE("a family with no samples keeps its place, and what is empty joins to nothing") {
    CHECK(join({}).empty());
    CHECK(join({{"1", ""}}).empty());
    const auto text = join({{"1", familyOf("a", "gauge", "")}, {"2", familyOf("a", "gauge", "")}});
    CHECK(text == familyOf("a", "gauge", ""));
}
