// SPDX-License-Identifier: Apache-2.0
#include "json/writer.h"

#include "json/number.h"
#include "support/scan.h"

#include <algorithm>
#include <cmath>

namespace tenon::json {

void appendQuoted(std::string &out, std::string_view text) {
    static constexpr char kHex[] = "0123456789abcdef";
    static constexpr std::string_view kNamed = "\"\\\b\t\n\f\r";
    static constexpr std::string_view kLetter = "\"\\btnfr";
    out += '"';
    const char *at = text.data();
    const char *const end = at + text.size();
    for (;;) {
        const char *clean = at;
        at = skipPlain<StopAt::Special>(at, end);
        out.append(clean, at);
        if (at == end) {
            break;
        }
        const char c = *at++;
        if (const auto i = kNamed.find(c); i != kNamed.npos) {
            out += '\\';
            out += kLetter[i];
        } else {
            const auto byte = static_cast<unsigned char>(c);
            out.append({'\\', 'u', '0', '0', kHex[byte >> 4U], kHex[byte & 15U]});
        }
    }
    out += '"';
}

Writer &Writer::begin(char bracket) {
    separate();
    out_ += bracket;
    first_ = true;
    return *this;
}

Writer &Writer::end(char bracket) {
    out_ += bracket;
    first_ = false;
    return *this;
}

Writer &Writer::key(std::string_view name) {
    separate();
    appendQuoted(out_, name);
    out_ += ':';
    first_ = true;
    return *this;
}

Writer &Writer::string(std::string_view text) {
    separate();
    appendQuoted(out_, text);
    return *this;
}

Writer &Writer::number(double value) {
    return raw(ecmaNumber(value));
}

Writer &Writer::raw(std::string_view json) {
    separate();
    out_ += json;
    return *this;
}

namespace {

// Walks a value without recursion and writes it in one of the forms below.
enum class Form { Canonical, Identity, Compact, Pretty };

// UTF-16 order of UTF-8 strings: code points above the surrogates come before U+E000..U+FFFF.
bool utf16Less(std::string_view a, std::string_view b) {
    const auto [x, y] = std::mismatch(a.begin(), a.end(), b.begin(), b.end());
    if (x == a.end() || y == b.end()) {
        return x == a.end() && y != b.end();
    }
    const auto left = static_cast<unsigned char>(*x);
    const auto right = static_cast<unsigned char>(*y);
    const bool leftPair = left >= 0xF0;
    const bool rightPair = right >= 0xF0;
    if (leftPair != rightPair && left >= 0xEE && right >= 0xEE) {
        return leftPair;
    }
    return left < right;
}

class Walk {
public:
    explicit Walk(Form form) : form_(form) {}

    std::string run(Value root) {
        value(root);
        while (!open_.empty()) {
            if (open_.back().children.empty()) {
                closeLast();
                continue;
            }
            const Member child = open_.back().children.back();
            open_.back().children.pop_back();
            if (!open_.back().first) {
                out_ += ',';
            }
            open_.back().first = false;
            breakLine();
            if (open_.back().object) {
                appendQuoted(out_, child.key);
                out_ += form_ == Form::Pretty ? ": " : ":";
            }
            value(child.value);
        }
        return std::move(out_);
    }

private:
    struct Open {
        bool object;
        bool first = true;
        std::vector<Member> children; // last one first
    };

    void value(Value value) {
        switch (value.kind()) {
        case Kind::Number: number(value.raw()); return;
        case Kind::String:
            if (normalizes()) {
                appendQuoted(out_, value.string());
                return;
            }
            [[fallthrough]];
        case Kind::Null:
        case Kind::Boolean: out_ += value.raw(); return;
        case Kind::Array:
        case Kind::Object: openNew(value);
        }
    }
    void number(std::string_view digits) {
        const double nearest = form_ == Form::Canonical ? toDouble(digits) : 0;
        if (form_ == Form::Canonical && std::isfinite(nearest)) {
            out_ += ecmaNumber(nearest);
        } else if (normalizes()) { // beyond every double RFC 8785 has no form
            out_ += exactNumber(digits);
        } else {
            out_ += digits;
        }
    }
    bool normalizes() const { return form_ == Form::Canonical || form_ == Form::Identity; }
    void openNew(Value value) {
        Open &open = open_.emplace_back(Open{value.isObject(), true, {}});
        out_ += open.object ? '{' : '[';
        for (const Value item : value.items()) {
            open.children.push_back({"", item});
        }
        for (const auto member : value.members()) {
            open.children.push_back(member);
        }
        if (normalizes() && open.object) {
            std::sort(open.children.begin(), open.children.end(),
                      [](const Member &a, const Member &b) { return utf16Less(a.key, b.key); });
        }
        std::reverse(open.children.begin(), open.children.end());
    }
    void closeLast() {
        const bool object = open_.back().object;
        const bool empty = open_.back().first;
        open_.pop_back();
        if (!empty) {
            breakLine();
        }
        out_ += object ? '}' : ']';
    }
    void breakLine() {
        if (form_ == Form::Pretty) {
            out_ += '\n';
            out_.append(open_.size() * 2, ' ');
        }
    }

    Form form_;
    std::string out_;
    std::vector<Open> open_;
};

} // namespace

std::string canonical(Value value) {
    return Walk(Form::Canonical).run(value);
}
std::string identity(Value value) {
    return Walk(Form::Identity).run(value);
}
std::string compact(Value value) {
    return Walk(Form::Compact).run(value);
}
std::string pretty(Value value) {
    return Walk(Form::Pretty).run(value);
}

} // namespace tenon::json
