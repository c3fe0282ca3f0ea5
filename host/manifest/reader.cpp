// SPDX-License-Identifier: Apache-2.0
#include "manifest/reader.h"

#include <algorithm>
#include <array>
#include <charconv>
#include <filesystem>

namespace tenon::manifest {

void ManifestReader::checkKeys(const YamlNode &map, const std::vector<std::string_view> &known,
                               std::span<const std::string_view> later) {
    for (const auto &[key, value] : map.members) {
        if (key.text.starts_with("x-") ||
            std::find(known.begin(), known.end(), key.text) != known.end()) {
            continue;
        }
        if (std::find(later.begin(), later.end(), key.text) != later.end()) {
            problem(key, concat("the key \"", key.text,
                                "\" is not served by this version of Tenon; leave it out"));
            continue;
        }
        const auto near = nearest(key.text, known);
        problem(key,
                concat("unknown key \"", printable(key.text, 100), "\"; expected ", listed(known),
                       near.empty() ? "" : concat(" (did you mean ", near, "?)")));
    }
}

std::string ManifestReader::text(const YamlNode &node) {
    if (node.kind != Kind::Scalar) {
        problem(node, "a list or a map stands here; expected text");
    } else if (node.text.empty() && !node.quoted) {
        problem(node, "nothing stands here; expected text, or \"\" for none");
    }
    return node.text;
}

bool ManifestReader::boolean(const YamlNode &node) {
    const bool yes = node.text == "true" || node.text == "True" || node.text == "TRUE";
    const bool no = node.text == "false" || node.text == "False" || node.text == "FALSE";
    if (node.kind != Kind::Scalar || node.quoted || (!yes && !no)) {
        problem(node, concat(node.kind == Kind::Scalar ? printable(node.text, 60) : "a list or map",
                             " stands here; expected true or false, without quotes"));
    }
    return yes;
}

std::string ManifestReader::seen(const YamlNode &node) {
    if (node.kind != Kind::Scalar) {
        return node.kind == Kind::Map ? "a map" : "a list";
    }
    return node.quoted         ? concat("\"", printable(node.text, 60), "\"")
           : node.text.empty() ? "nothing"
                               : printable(node.text, 60);
}

std::uint64_t ManifestReader::count(const YamlNode &node) {
    std::uint64_t value = 0;
    const auto *end = node.text.data() + node.text.size();
    const auto read = std::from_chars(node.text.data(), end, value);
    if (node.kind != Kind::Scalar || node.quoted || node.text.starts_with('0') ||
        read.ec != std::errc() || read.ptr != end) {
        problem(node, concat(seen(node), " stands here; expected a whole number from 1"));
        return 1;
    }
    return value;
}

std::uint64_t ManifestReader::duration(const YamlNode &node, std::uint64_t most) {
    static constexpr std::array<std::pair<std::string_view, std::uint64_t>, 5> kUnits{
        {{"ms", 1}, {"s", 1'000}, {"m", 60'000}, {"h", 3'600'000}, {"d", kDayMs}}};
    std::uint64_t value = 0;
    const auto *end = node.text.data() + node.text.size();
    const auto read = std::from_chars(node.text.data(), end, value);
    const std::string_view unit(read.ptr, static_cast<std::size_t>(end - read.ptr));
    for (const auto &[name, ms] : kUnits) {
        if (node.kind == Kind::Scalar && read.ec == std::errc() && unit == name && value > 0 &&
            value <= most / ms && (ms < kDayMs || most > kDayMs)) {
            return value * ms;
        }
    }
    problem(node, concat(seen(node), " stands here; expected a duration such as 500ms, 30s, 5m or ",
                         most > kDayMs ? "30d" : "1h", ", up to ",
                         most > kDayMs ? concat(most / kDayMs, " days") : "a day"));
    return 1;
}

std::string ManifestReader::fromFolder(const std::string &path) const {
    return (std::filesystem::path(folder_) / path).lexically_normal().string();
}

std::vector<std::string> ManifestReader::words(const YamlNode &node) {
    std::vector<std::string> out;
    if (node.kind != Kind::Sequence) {
        problem(node, "expected a list, such as [first, second]");
    }
    for (const auto &item : node.items) {
        out.push_back(text(item));
    }
    return out;
}

// Bytes: 32KiB, 1MiB, or a plain number of them.
std::uint64_t ManifestReader::size(const YamlNode &node) {
    static constexpr std::array<std::pair<std::string_view, std::uint64_t>, 5> kUnits{
        {{"", 1}, {"B", 1}, {"KiB", 1U << 10U}, {"MiB", 1U << 20U}, {"GiB", 1U << 30U}}};
    std::uint64_t value = 0;
    const auto *end = node.text.data() + node.text.size();
    const auto read = std::from_chars(node.text.data(), end, value);
    const std::string_view unit(read.ptr, static_cast<std::size_t>(end - read.ptr));
    for (const auto &[name, bytes] : kUnits) {
        if (node.kind == Kind::Scalar && !node.quoted && !node.text.starts_with('0') &&
            read.ec == std::errc() && unit == name && value <= UINT32_MAX / bytes) {
            return value * bytes;
        }
    }
    problem(node, concat(seen(node),
                         " stands here; expected bytes such as 4096, 32KiB or 1MiB, below 4GiB"));
    return 1;
}

// Which of a few words stands here.
std::size_t ManifestReader::choice(const YamlNode &node,
                                   const std::vector<std::string_view> &words) {
    const auto found = std::find(words.begin(), words.end(), node.text);
    if (node.kind != Kind::Scalar || found == words.end()) {
        problem(node, concat(node.kind == Kind::Scalar ? printable(node.text, 60) : "a list or map",
                             " stands here; expected ", words[0], " or ", words[1]));
        return 0;
    }
    return static_cast<std::size_t>(found - words.begin());
}

} // namespace tenon::manifest
