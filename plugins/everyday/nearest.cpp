// SPDX-License-Identifier: Apache-2.0
#include <everyday/nearest.h>

#include <algorithm>
#include <numeric>

namespace everyday {
namespace {

constexpr std::size_t kComparedBytesMax = 64;
constexpr std::size_t kQuotedBytesMax = 80;

std::string folded(std::string_view word) {
    std::string out(word.substr(0, kComparedBytesMax));
    for (char &c : out) {
        c = c >= 'A' && c <= 'Z' ? static_cast<char>(c - 'A' + 'a') : c == ' ' ? '_' : c;
    }
    return out;
}

// The number of single-character changes, two swapped neighbours counting as one.
std::size_t distance(std::string_view a, std::string_view b) {
    std::vector<std::size_t> older, old(b.size() + 1), row(b.size() + 1);
    std::iota(old.begin(), old.end(), std::size_t{0});
    for (std::size_t i = 1; i <= a.size(); ++i) {
        row[0] = i;
        for (std::size_t j = 1; j <= b.size(); ++j) {
            const std::size_t changed = a[i - 1] == b[j - 1] ? 0 : 1;
            row[j] = std::min({old[j] + 1, row[j - 1] + 1, old[j - 1] + changed});
            if (i > 1 && j > 1 && a[i - 1] == b[j - 2] && a[i - 2] == b[j - 1]) {
                row[j] = std::min(row[j], older[j - 2] + 1);
            }
        }
        older = old;
        old = row;
    }
    return old[b.size()];
}

// Smaller is nearer; nothing above the limit is worth naming.
constexpr std::size_t kFar = 1000;
constexpr std::size_t kSame = 1; // but for letter case, spaces, or the area of a zone

std::size_t farness(const std::string &seen, const std::string &known) {
    if (seen == known) {
        return 0;
    }
    const auto slash = known.rfind('/');
    const std::string tail = slash == std::string::npos ? known : known.substr(slash + 1);
    if (seen == tail) {
        return 1;
    }
    const std::size_t changes = std::min(distance(seen, known), distance(seen, tail) + 1);
    const std::size_t changesMax = std::max<std::size_t>(1, seen.size() / 3);
    if (changes <= changesMax) {
        return 1 + changes;
    }
    const bool holds = seen.size() >= 3 && known.find(seen) != std::string::npos;
    const bool held = tail.size() >= 3 && seen.find(tail) != std::string::npos;
    return holds || held ? 20 + changes : kFar;
}

} // namespace

std::vector<std::string> nearest(std::string_view seen, const std::vector<std::string> &known,
                                 std::size_t countMax) {
    const std::string word = folded(seen);
    std::vector<std::pair<std::size_t, const std::string *>> ranked;
    for (const auto &candidate : known) {
        const auto far = farness(word, folded(candidate));
        if (far < kFar) {
            ranked.emplace_back(far, &candidate);
        }
    }
    std::stable_sort(ranked.begin(), ranked.end(),
                     [](const auto &a, const auto &b) { return a.first < b.first; });
    std::vector<std::string> out;
    for (std::size_t i = 0; i < ranked.size() && i < countMax; ++i) {
        if (ranked[i].first > kSame && ranked[0].first <= kSame) {
            break; // the word is there but for its spelling: nothing else is meant
        }
        out.push_back(*ranked[i].second);
    }
    return out;
}

std::string listed(const std::vector<std::string> &words, std::string_view conjunction,
                   std::size_t countMax) {
    std::string out;
    const std::size_t shown = std::min(words.size(), countMax);
    for (std::size_t i = 0; i < shown; ++i) {
        const bool last = i + 1 == words.size();
        out += i == 0 ? "" : last ? " " + std::string(conjunction) + " " : ", ";
        out += inQuotes(words[i]);
    }
    if (shown < words.size()) {
        out += " and " + std::to_string(words.size() - shown) + " more";
    }
    return out;
}

std::string inQuotes(std::string_view word) {
    if (word.size() <= kQuotedBytesMax) {
        return "\"" + std::string(word) + "\"";
    }
    std::size_t end = kQuotedBytesMax;
    while (end > 0 && (static_cast<unsigned char>(word[end]) & 0xC0) == 0x80) {
        --end;
    }
    return "\"" + std::string(word.substr(0, end)) + "...\"";
}

} // namespace everyday
