// SPDX-License-Identifier: Apache-2.0
#include "runner/audit/sanitiser.h"

#include "json/writer.h"
#include "support/scan.h"
#include "support/text.h"

#include <algorithm>

namespace tenon::audit {

namespace {

// Left free for the notices and brackets that close what was cut.
constexpr std::size_t kClosingBytes = 1'000;
constexpr std::size_t kNoticeBytes = 64; // of one cut string
constexpr std::size_t kEscapeBytes = 6;  // the longest of one byte: \u0000
constexpr std::size_t kKeyBytesMax = 256;
// Text of this alphabet that is at least so long is encoded data.
constexpr std::size_t kBase64BytesMin = 512;

bool hasBetween(std::string_view text, char first, char last) {
    return std::any_of(text.begin(), text.end(), [&](char c) { return c >= first && c <= last; });
}

// Takes the next line off text; its end ("\n", "\r\n") is no part of it.
std::string_view takeLine(std::string_view &text) {
    const auto end = std::min(text.find('\n'), text.size());
    auto line = text.substr(0, end);
    text.remove_prefix(std::min(end + 1, text.size()));
    if (line.ends_with('\r')) {
        line.remove_suffix(1);
    }
    return line;
}

// Letters of both cases and digits, on one line or on lines of one length (the last may be
// shorter): neither a list of paths nor a digest.
bool isBase64(std::string_view text) {
    if (text.size() < kBase64BytesMin || !hasBetween(text, 'a', 'z') ||
        !hasBetween(text, 'A', 'Z') || !hasBetween(text, '0', '9')) {
        return false;
    }
    const auto isPart = [](char c) {
        return (c >= 'A' && c <= 'Z') || (c >= 'a' && c <= 'z') || (c >= '0' && c <= '9') ||
               c == '+' || c == '/' || c == '-' || c == '_' || c == '=';
    };
    auto rest = text;
    for (auto line = takeLine(rest), first = line; !line.empty(); line = takeLine(rest)) {
        const bool fits = rest.empty() ? line.size() <= first.size() : line.size() == first.size();
        if (!fits || !std::all_of(line.begin(), line.end(), isPart)) {
            return false;
        }
    }
    return rest.empty();
}

// What a data URI says that it is, if it is a plain media type: "image/png".
std::string_view mediaType(std::string_view said, const Masker &masker) {
    static constexpr std::string_view kParts = "abcdefghijklmnopqrstuvwxyz0123456789.+-";
    const auto type = said.substr(0, said.find(';'));
    const auto slash = std::min(type.find('/'), type.size());
    const auto name = type.substr(0, slash), kind = type.substr(std::min(slash + 1, type.size()));
    const auto isPlain = [](std::string_view part) {
        return !part.empty() && part.find_first_not_of(kParts) == part.npos;
    };
    return isPlain(name) && isPlain(kind) && masker.isClean(type) ? type : "data";
}

// "[image/png, 1234 bytes]" for data that is encoded in a string; "" for any other string.
std::string binaryNotice(std::string_view text, const Masker &masker) {
    std::string_view type = "base64", data = text;
    if (text.starts_with("data:")) {
        const auto comma = text.substr(0, 200).find(";base64,");
        if (comma == text.npos) {
            return "";
        }
        type = mediaType(text.substr(5, comma - 5), masker);
        data = text.substr(comma + 8);
    } else if (!isBase64(text)) {
        return "";
    }
    return concat("[", type, ", ", data.size() / 4 * 3, " bytes]");
}

bool isAscii(std::string_view text) { // and no DEL
    return std::all_of(text.begin(), text.end(),
                       [](char c) { return static_cast<unsigned char>(c) < 0x7F; });
}

bool isGraphic(std::string_view text) { // ASCII without controls
    return std::all_of(text.begin(), text.end(), [](char c) { return c >= 0x20 && c < 0x7F; });
}

bool isInsideCharacter(char c) {
    return (static_cast<unsigned char>(c) & 0xC0U) == 0x80U;
}

} // namespace

// Recursion is bounded by kDepthMax.
class Sanitiser::Walk {
public:
    Walk(const Sanitiser &sanitiser, std::string &out) : sanitiser_(sanitiser), out_(out) {}

    void value(json::Value value, std::uint32_t depth) {
        switch (value.kind()) {
        case json::Kind::String: string(value.string(), left()); return;
        case json::Kind::Number: number(value.raw()); return;
        case json::Kind::Array: array(value, depth); return;
        case json::Kind::Object: object(value, depth); return;
        case json::Kind::Null:
        case json::Kind::Boolean: out_ += value ? value.raw() : "null"; return;
        }
    }

private:
    std::size_t left() const {
        const auto most = kJsonBytesMax - kClosingBytes;
        return out_.size() < most ? most - out_.size() : 0;
    }
    void string(std::string_view text, std::size_t bytesMax) {
        // Most are short and have nothing to look at.
        if (text.size() < kBase64BytesMin && text.size() <= bytesMax / kEscapeBytes &&
            isAscii(text) && sanitiser_.masker_->isClean(text) && !text.starts_with("data:")) {
            json::appendQuoted(out_, text);
            return;
        }
        if (auto notice = binaryNotice(text, *sanitiser_.masker_); !notice.empty()) {
            quoted(notice);
            return;
        }
        const auto begin = out_.size();
        for (const auto most : {bytesMax, bytesMax / kEscapeBytes}) {
            quoted(sanitiser_.shortened(text, most));
            if (out_.size() - begin <= bytesMax + kNoticeBytes) {
                return;
            }
            out_.resize(begin); // its escapes do not fit; those of the next try do
        }
    }
    // JSON's own escapes for controls, and for what else is not to be shown.
    void quoted(std::string_view text) {
        if (isAscii(text)) {
            json::appendQuoted(out_, text);
            return;
        }
        std::string json;
        json::appendQuoted(json, validUtf8(text));
        out_ += printable(json, json.size() * 6);
    }
    void number(std::string_view digits) {
        if (!sanitiser_.masker_->isClean(digits)) { // a known secret is, or is in, them
            out_ += "\"***\"";
        } else if (digits.size() <= 400) {
            out_ += digits;
        } else {
            quoted(concat("[a number of ", digits.size(), " digits]"));
        }
    }
    void array(json::Value value, std::uint32_t depth) {
        if (tooDeep(depth)) {
            return;
        }
        out_ += '[';
        std::size_t done = 0;
        for (const auto item : value.items()) {
            out_ += done == 0 ? "" : ",";
            if (left() == 0) {
                quoted(concat("[cut, ", value.size() - done, " more items]"));
                break;
            }
            this->value(item, depth + 1);
            ++done;
        }
        out_ += ']';
    }
    void object(json::Value value, std::uint32_t depth) {
        if (tooDeep(depth)) {
            return;
        }
        out_ += '{';
        std::size_t done = 0;
        for (const auto member : value.members()) {
            out_ += done == 0 ? "" : ",";
            if (left() == 0) {
                out_ += concat("\"[cut]\":\"", value.size() - done, " more keys\"");
                break;
            }
            string(member.key, std::min(left(), kKeyBytesMax));
            out_ += ':';
            if (sanitiser_.isSecretName(member.key)) {
                out_ += member.value.isNull() ? "null" : "\"***\"";
            } else {
                this->value(member.value, depth + 1);
            }
            ++done;
        }
        out_ += '}';
    }
    bool tooDeep(std::uint32_t depth) {
        if (depth >= kDepthMax) {
            quoted(concat("[cut, more than ", kDepthMax, " deep]"));
        }
        return depth >= kDepthMax;
    }

    const Sanitiser &sanitiser_;
    std::string &out_; // empty at the beginning
};

Sanitiser::Sanitiser(std::shared_ptr<const Masker> masker) : masker_(std::move(masker)) {}

// Masked, and cut at bytesMax with a notice. No more of the text is looked at than can matter, and
// nothing behind bytesMax is shown, however much the masks have made room for.
std::string Sanitiser::shortened(std::string_view text, std::size_t bytesMax) const {
    const auto seen = text.substr(0, std::min(text.size(), bytesMax + masker_->reach()));
    std::string shown = masker_->masked(seen, bytesMax);
    if (shown.size() <= bytesMax && text.size() <= bytesMax) {
        return shown;
    }
    auto end = std::min(shown.size(), bytesMax);
    while (end > 0 && end < shown.size() && isInsideCharacter(shown[end])) {
        --end;
    }
    shown.resize(end);
    return concat(shown, " [cut, ", text.size(), " bytes]");
}

std::string Sanitiser::text(std::string_view text, std::size_t bytesMax) const {
    if (text.size() <= bytesMax && isGraphic(text) && masker_->isClean(text)) {
        return std::string(text);
    }
    return printable(shortened(text, bytesMax), bytesMax + kNoticeBytes);
}

void Sanitiser::json(json::Value value, JsonText &out) const {
    out.text.clear();
    Walk(*this, out.text).value(value, 0);
}

JsonText Sanitiser::json(std::string_view text) const {
    if (text.empty()) {
        return {};
    }
    json::Document document;
    if (!document.readView(text, {text.size(), UINT32_MAX})) {
        JsonText out;
        json::appendQuoted(out.text, this->text(text));
        return out;
    }
    JsonText out;
    json(document.root(), out);
    return out;
}

} // namespace tenon::audit
