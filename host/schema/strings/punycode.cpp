// SPDX-License-Identifier: Apache-2.0
#include "schema/strings/punycode.h"

#include "schema/strings/utf8.h"

#include <algorithm>
#include <cstdint>
#include <vector>

namespace tenon::schema {

namespace {

// The parameters of RFC 3492, section 5.
constexpr std::uint32_t kBase = 36;
constexpr std::uint32_t kThresholdMin = 1;
constexpr std::uint32_t kThresholdMax = 26;
constexpr std::uint32_t kSkew = 38;
constexpr std::uint32_t kDamp = 700;
constexpr std::uint32_t kFirstBias = 72;
constexpr std::uint32_t kFirstCode = 0x80;
constexpr std::size_t kLengthMax = 1'000; // far above any label; keeps the sums small

// How the next difference is written, by how large the last ones were.
class Bias {
public:
    std::uint32_t threshold(std::uint32_t position) const {
        return std::clamp(position > value_ ? position - value_ : 0, kThresholdMin, kThresholdMax);
    }
    void adapt(std::uint64_t delta, std::uint64_t characters) {
        delta /= first_ ? kDamp : 2;
        first_ = false;
        delta += delta / characters;
        std::uint32_t steps = 0;
        for (; delta > (kBase - kThresholdMin) * kThresholdMax / 2; steps += kBase) {
            delta /= kBase - kThresholdMin;
        }
        value_ = steps +
                 static_cast<std::uint32_t>((kBase - kThresholdMin + 1) * delta / (delta + kSkew));
    }

private:
    std::uint32_t value_ = kFirstBias;
    bool first_ = true;
};

char digit(std::uint64_t value) {
    return static_cast<char>(value < 26 ? 'a' + value : '0' + (value - 26));
}

std::optional<std::uint32_t> valueOf(char digit) {
    if (digit >= '0' && digit <= '9') {
        return static_cast<std::uint32_t>(digit - '0') + 26;
    }
    const char lower = static_cast<char>(digit | 0x20);
    return lower >= 'a' && lower <= 'z' ? std::optional(static_cast<std::uint32_t>(lower - 'a'))
                                        : std::nullopt;
}

} // namespace

std::string punycodeOf(std::string_view label) {
    std::vector<std::uint32_t> codes;
    std::string out;
    while (!label.empty() && codes.size() < kLengthMax) {
        codes.push_back(takeCodePoint(label));
        if (codes.back() < kFirstCode) {
            out += static_cast<char>(codes.back());
        }
    }
    std::uint64_t done = out.size();
    const auto basic = done;
    if (basic > 0) {
        out += '-';
    }
    std::uint32_t next = kFirstCode;
    std::uint64_t delta = 0;
    for (Bias bias; done < codes.size(); ++delta, ++next) {
        std::uint32_t least = UINT32_MAX;
        for (const auto code : codes) {
            least = code >= next ? std::min(least, code) : least;
        }
        delta += (least - next) * (done + 1);
        next = least;
        for (const auto code : codes) {
            delta += code < next ? 1 : 0;
            if (code != next) {
                continue;
            }
            auto rest = delta;
            for (std::uint32_t position = kBase;; position += kBase) {
                const auto threshold = bias.threshold(position);
                if (rest < threshold) {
                    break;
                }
                out += digit(threshold + (rest - threshold) % (kBase - threshold));
                rest = (rest - threshold) / (kBase - threshold);
            }
            out += digit(rest);
            bias.adapt(delta, ++done);
            delta = 0;
        }
    }
    return out;
}

std::optional<std::string> fromPunycode(std::string_view encoded) {
    if (encoded.size() > kLengthMax) {
        return std::nullopt;
    }
    std::vector<std::uint32_t> codes;
    if (const auto hyphen = encoded.rfind('-'); hyphen != encoded.npos) {
        codes.assign(encoded.begin(), encoded.begin() + static_cast<std::ptrdiff_t>(hyphen));
        encoded.remove_prefix(hyphen + 1);
    }
    std::uint64_t code = kFirstCode;
    std::uint64_t at = 0;
    for (Bias bias; !encoded.empty();) {
        const auto before = at;
        std::uint64_t weight = 1;
        for (std::uint32_t position = kBase;; position += kBase) {
            const auto value = encoded.empty() ? std::nullopt : valueOf(encoded[0]);
            if (!value || weight > UINT32_MAX) {
                return std::nullopt;
            }
            encoded.remove_prefix(1);
            at += *value * weight;
            const auto threshold = bias.threshold(position);
            if (*value < threshold) {
                break;
            }
            weight *= kBase - threshold;
        }
        const auto size = codes.size() + 1;
        bias.adapt(at - before, size);
        code += at / size;
        at %= size;
        if (code > 0x10FFFF || (code >= 0xD800 && code < 0xE000)) {
            return std::nullopt;
        }
        codes.insert(codes.begin() + static_cast<std::ptrdiff_t>(at),
                     static_cast<std::uint32_t>(code));
        ++at;
    }
    std::string out;
    for (const auto one : codes) {
        appendCodePoint(out, one);
    }
    return out;
}

} // namespace tenon::schema
