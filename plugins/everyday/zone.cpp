// SPDX-License-Identifier: Apache-2.0
#include <everyday/zone.h>

#include <algorithm>

namespace everyday {
namespace {

using date::sys_seconds;
using std::chrono::hours;
using std::chrono::seconds;

// No clock is or was further from UTC: RFC 9636 asks for -25 h < offset < +26 h.
constexpr hours kOffsetMax{26};

class Bytes {
public:
    explicit Bytes(std::string_view bytes) : left_(bytes) {}

    std::string_view take(std::size_t count) {
        if (count > left_.size()) {
            throw ZoneFileError("the file ends too early");
        }
        const auto out = left_.substr(0, count);
        left_.remove_prefix(count);
        return out;
    }
    template <class Integer> Integer number() {
        std::uint64_t out = 0;
        for (const char c : take(sizeof(Integer))) {
            out = out << 8 | static_cast<unsigned char>(c);
        }
        return static_cast<Integer>(out);
    }
    std::string_view left() const { return left_; }

private:
    std::string_view left_;
};

struct Header {
    char version = 0;
    std::size_t utcFlags = 0, standardFlags = 0, leaps = 0, changes = 0, types = 0, names = 0;

    std::size_t blockBytes(std::size_t timeBytes) const {
        return changes * timeBytes + changes + types * 6 + names + leaps * (timeBytes + 4) +
               standardFlags + utcFlags;
    }
};

Header readHeader(Bytes &in) {
    if (in.take(4) != "TZif") {
        throw ZoneFileError("the file does not begin with TZif");
    }
    Header out;
    out.version = in.take(16)[0];
    for (auto *count :
         {&out.utcFlags, &out.standardFlags, &out.leaps, &out.changes, &out.types, &out.names}) {
        *count = in.number<std::uint32_t>();
    }
    if (out.types == 0 || out.types > 256 || out.names == 0) {
        throw ZoneFileError("the file has no usable types of local time");
    }
    if (out.leaps != 0) {
        throw ZoneFileError("the file counts leap seconds");
    }
    return out;
}

std::vector<Offset> readTypes(Bytes &in, const Header &header) {
    std::vector<Offset> out;
    std::vector<std::size_t> nameAt;
    for (std::size_t i = 0; i < header.types; ++i) {
        Offset &type = out.emplace_back();
        type.utc = seconds(in.number<std::int32_t>());
        type.daylight = in.number<std::uint8_t>() != 0;
        nameAt.push_back(in.number<std::uint8_t>());
        if (type.utc > kOffsetMax || type.utc < -kOffsetMax) {
            throw ZoneFileError("an offset is beyond 26 hours");
        }
    }
    const std::string_view names = in.take(header.names);
    for (std::size_t i = 0; i < out.size(); ++i) {
        const auto name = names.substr(std::min(nameAt[i], names.size()));
        out[i].abbreviation = name.substr(0, name.find('\0'));
    }
    return out;
}

ZoneSpan endless(Offset offset) {
    return {sys_seconds::min(), sys_seconds::max(), std::move(offset)};
}

} // namespace

Zone Zone::fixed(Offset offset) {
    Zone out;
    out.types_.push_back(std::move(offset));
    return out;
}

Zone Zone::parse(std::string_view file) {
    Bytes in(file);
    Header header = readHeader(in);
    const bool wide = header.version >= '2'; // a second block of 64-bit times, and a rule, follow
    if (wide) {
        in.take(header.blockBytes(4));
        header = readHeader(in);
    }
    Zone out;
    for (std::size_t i = 0; i < header.changes; ++i) {
        const auto at = seconds(wide ? in.number<std::int64_t>() : in.number<std::int32_t>());
        if (!out.changes_.empty() && sys_seconds(at) <= out.changes_.back()) {
            throw ZoneFileError("its changes are not in order");
        }
        out.changes_.emplace_back(at);
    }
    for (const char type : in.take(header.changes)) {
        out.typeOf_.push_back(static_cast<std::uint8_t>(type));
        if (out.typeOf_.back() >= header.types) {
            throw ZoneFileError("a change names a type that does not exist");
        }
    }
    out.types_ = readTypes(in, header);
    in.take(header.standardFlags + header.utcFlags);
    if (wide) {
        std::string_view rule = in.left();
        if (rule.size() < 2 || rule.front() != '\n' || rule.find('\n', 1) == std::string::npos) {
            throw ZoneFileError("the rule at its end is missing");
        }
        rule = rule.substr(1, rule.find('\n', 1) - 1);
        out.rule_ = PosixRule::parse(rule);
        if (!rule.empty() && !out.rule_) {
            throw ZoneFileError("the rule at its end cannot be read");
        }
    }
    return out;
}

ZoneSpan Zone::at(sys_seconds instant) const {
    const auto next = std::upper_bound(changes_.begin(), changes_.end(), instant);
    if (next == changes_.end() && rule_) {
        return ruled(instant);
    }
    const auto index = static_cast<std::size_t>(next - changes_.begin());
    ZoneSpan out = endless(index == 0 ? types_[0] : types_[typeOf_[index - 1]]);
    out.begin = index == 0 ? out.begin : changes_[index - 1];
    out.end = next == changes_.end() ? out.end : *next;
    return out;
}

ZoneSpan Zone::ruled(sys_seconds instant) const {
    const auto last = changes_.empty() ? sys_seconds::min() : changes_.back();
    const date::year_month_day day{date::floor<date::days>(instant)};
    const auto changes = rule_->changesAround(day.year());
    const auto next = std::upper_bound(changes.begin(), changes.end(), instant,
                                       [](auto at, auto &change) { return at < change.at; });
    ZoneSpan out = endless(next == changes.begin() ? rule_->standard() : *(next - 1)->offset);
    out.begin = next == changes.begin() ? last : std::max(last, (next - 1)->at);
    out.end = next == changes.end() ? out.end : next->at;
    return out;
}

LocalLookup Zone::find(date::local_seconds local) const {
    const sys_seconds asUtc(local.time_since_epoch());
    std::vector<ZoneSpan> spans;
    for (auto span = at(asUtc - kOffsetMax);; span = at(span.end)) {
        spans.push_back(span);
        if (span.end > asUtc + kOffsetMax) {
            break;
        }
    }
    std::vector<const ZoneSpan *> holding;
    for (const ZoneSpan &span : spans) {
        const auto candidate = asUtc - span.offset.utc;
        if (span.begin <= candidate && candidate < span.end) {
            holding.push_back(&span);
        }
    }
    if (!holding.empty()) {
        const auto kind =
            holding.size() == 1 ? LocalLookup::Kind::Unique : LocalLookup::Kind::Overlap;
        return {kind, *holding.front(), *holding.back()};
    }
    std::size_t i = 1; // of the span behind the gap: the first whose clocks are past local
    while (i + 1 < spans.size() && spans[i].begin + spans[i].offset.utc <= asUtc) {
        ++i;
    }
    return {LocalLookup::Kind::Gap, spans.at(i - 1), spans.at(i)};
}

} // namespace everyday
