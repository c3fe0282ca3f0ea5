// SPDX-License-Identifier: Apache-2.0
#include "schema/strings/pattern_pcre2.h"

#define PCRE2_CODE_UNIT_WIDTH 8
#include <pcre2.h>

#include <algorithm>
#include <cstdlib>

namespace tenon::schema {

namespace {

// PCRE2 counts neither the characters that an item runs over nor, from one place of the text to
// the next, its own steps. So it calls back before every item, and the callback counts both. One
// unit is a nanosecond or two.
constexpr std::int64_t kBudget = 30'000'000;
constexpr std::int64_t kItemCost = 10;
constexpr std::int64_t kWholeTextMax = 4 * kBudget;
constexpr std::uint32_t kHeapKibibytesMax = 16U << 10;
constexpr std::size_t kKeptBytesMax = 1U << 20;

struct Spending {
    std::int64_t left;
    std::int64_t itemCost;
    std::int64_t characterCost;
    bool refersBack;
    std::size_t at;
};

std::int64_t longestCapture(const pcre2_callout_block &block) {
    std::size_t longest = 0;
    for (std::size_t i = 1; i < block.capture_top; ++i) {
        const auto begin = block.offset_vector[2 * i];
        const auto end = block.offset_vector[2 * i + 1];
        longest = begin < end && end != PCRE2_UNSET ? std::max(longest, end - begin) : longest;
    }
    return static_cast<std::int64_t>(longest);
}

int spend(pcre2_callout_block *block, void *data) {
    auto &spending = *static_cast<Spending *>(data);
    const auto at = block->current_position;
    const auto moved = at > spending.at ? at - spending.at : spending.at - at;
    spending.at = at;
    spending.left -= spending.itemCost + static_cast<std::int64_t>(moved) * spending.characterCost;
    if (spending.refersBack) {
        spending.left -= longestCapture(*block);
    }
    return spending.left < 0 ? PCRE2_ERROR_MATCHLIMIT : 0;
}

// What a thread keeps from one search to the next.
class Scratch {
public:
    Scratch()
        : memory_(pcre2_general_context_create(take, giveBack, this)),
          context_(pcre2_match_context_create(memory_)) {
        if (context_ != nullptr) {
            pcre2_set_heap_limit(context_, kHeapKibibytesMax);
        }
    }
    ~Scratch() {
        pcre2_match_data_free(data_);
        pcre2_match_context_free(context_);
        pcre2_general_context_free(memory_);
    }
    Scratch(const Scratch &) = delete;
    Scratch &operator=(const Scratch &) = delete;

    int search(const pcre2_code *code, std::string_view text, Spending &spending) {
        data_ = data_ != nullptr ? data_ : pcre2_match_data_create(1, memory_);
        if (context_ == nullptr || data_ == nullptr) {
            return PCRE2_ERROR_NOMEMORY;
        }
        pcre2_set_callout(context_, spend, &spending);
        const auto *const bytes = reinterpret_cast<PCRE2_SPTR>(text.data());
        const int found = pcre2_match(code, text.empty() ? PCRE2_SPTR("") : bytes, text.size(), 0,
                                      PCRE2_NO_UTF_CHECK, data_, context_);
        if (grown_) {
            pcre2_match_data_free(data_);
            data_ = nullptr;
            grown_ = false;
        }
        return found;
    }

private:
    static void *take(std::size_t bytes, void *self) {
        auto &grown = static_cast<Scratch *>(self)->grown_;
        grown = grown || bytes > kKeptBytesMax;
        return std::malloc(bytes);
    }
    static void giveBack(void *memory, void *) { std::free(memory); }

    bool grown_ = false;
    pcre2_general_context *memory_;
    pcre2_match_context *context_;
    pcre2_match_data *data_ = nullptr;
};

} // namespace

void Pcre2::Free::operator()(pcre2_real_code_8 *code) const {
    pcre2_code_free(code);
}

Result<Pcre2> Pcre2::compile(const std::string &expression, const Weight &weight) {
    constexpr std::uint32_t kOptions = PCRE2_UTF | PCRE2_DOLLAR_ENDONLY |
                                       PCRE2_MATCH_UNSET_BACKREF | PCRE2_NEVER_BACKSLASH_C |
                                       PCRE2_AUTO_CALLOUT;
    int error = 0;
    std::size_t where = 0;
    Pcre2 made;
    made.code_.reset(pcre2_compile(reinterpret_cast<PCRE2_SPTR>(expression.data()),
                                   expression.size(), kOptions, &error, &where, nullptr));
    if (!made.code_) {
        PCRE2_UCHAR words[256] = {};
        pcre2_get_error_message(error, words, sizeof words);
        return Error{"schema.pattern", reinterpret_cast<const char *>(words)};
    }
    std::uint32_t lookBehind = 0;
    std::uint32_t backReference = 0;
    pcre2_pattern_info(made.code_.get(), PCRE2_INFO_MAXLOOKBEHIND, &lookBehind);
    pcre2_pattern_info(made.code_.get(), PCRE2_INFO_BACKREFMAX, &backReference);
    made.characterCost_ = 1 + static_cast<std::int64_t>(weight.classPartsMax);
    made.itemCost_ = kItemCost + weight.leastMax * made.characterCost_ + lookBehind;
    made.refersBack_ = backReference > 0;
    return made;
}

Pcre2::Found Pcre2::search(std::string_view utf8, std::uint64_t &cost) const noexcept {
    // An item can run over the whole text before the next callback.
    if (static_cast<std::int64_t>(utf8.size()) > kWholeTextMax / characterCost_) {
        return Found::TooCostly;
    }
    static thread_local Scratch scratch;
    Spending spending{kBudget, itemCost_, characterCost_, refersBack_, 0};
    const int found = scratch.search(code_.get(), utf8, spending);
    cost += static_cast<std::uint64_t>(kBudget - spending.left);
    return found >= 0 ? Found::Yes : found == PCRE2_ERROR_NOMATCH ? Found::No : Found::TooCostly;
}

} // namespace tenon::schema
