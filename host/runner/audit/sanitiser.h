// SPDX-License-Identifier: Apache-2.0
// Everything that an audit row says, made fit to be kept: secrets masked, nothing that plays tricks
// on a terminal, no more than a bounded size.
#pragma once

#include "json/document.h"
#include "runner/audit/row.h"
#include "support/masker.h"

#include <memory>
#include <string>
#include <string_view>

namespace tenon::audit {

// Immutable, and so thread-safe.
class Sanitiser {
public:
    explicit Sanitiser(std::shared_ptr<const Masker> masker = std::make_shared<const Masker>());

    static constexpr std::size_t kTextBytesMax = 4'000;
    static constexpr std::size_t kJsonBytesMax = 16'000;
    static constexpr std::uint32_t kDepthMax = 20;

    // A text, masked, with control and bidirectional characters as \u escapes, bytes that are not
    // UTF-8 as U+FFFD, and cut at bytesMax with a notice.
    std::string text(std::string_view text, std::size_t bytesMax = kTextBytesMax) const;

    // A JSON value on one line: values under secret names masked at any depth, its strings as
    // text() has them (escaped as JSON does), encoded binary data as its type and size, cut at
    // kDepthMax and kJsonBytesMax with notices in the place of what is left out. Valid JSON.
    void json(json::Value value, JsonText &out) const;
    // The same of JSON text; "" for "", a string of the text where it is no JSON.
    JsonText json(std::string_view text) const;

    bool isSecretName(std::string_view name) const { return masker_->isSecretName(name); }

private:
    class Walk;
    std::string shortened(std::string_view text, std::size_t bytesMax) const;
    std::shared_ptr<const Masker> masker_;
};

} // namespace tenon::audit
