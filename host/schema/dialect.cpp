// SPDX-License-Identifier: Apache-2.0
#include "schema/dialect.h"

namespace tenon::schema {

namespace {

constexpr std::string_view kVocabularies = "https://json-schema.org/draft/2020-12/vocab/";

} // namespace

std::optional<Dialect> builtinDialect(std::string_view metaschemaUri) {
    if (metaschemaUri.ends_with('#')) {
        metaschemaUri.remove_suffix(1);
    }
    // Authors write both schemes, and mean the one document.
    for (const std::string_view scheme : {"https://", "http://"}) {
        if (metaschemaUri.starts_with(scheme)) {
            metaschemaUri.remove_prefix(scheme.size());
            break;
        }
    }
    if (metaschemaUri == "json-schema.org/draft/2020-12/schema") {
        return Dialect{};
    }
    if (metaschemaUri == "json-schema.org/draft-07/schema") {
        return Dialect{Draft::Draft07, kApplicator | kValidation};
    }
    return std::nullopt;
}

std::optional<Vocabulary> vocabularyOf(std::string_view uri) {
    if (!uri.starts_with(kVocabularies)) {
        return std::nullopt;
    }
    const auto name = uri.substr(kVocabularies.size());
    if (name == "applicator") {
        return kApplicator;
    }
    if (name == "unevaluated") {
        return kUnevaluated;
    }
    if (name == "validation") {
        return kValidation;
    }
    if (name == "format-assertion") {
        return kFormatAssertion;
    }
    const bool other =
        name == "core" || name == "meta-data" || name == "content" || name == "format-annotation";
    return other ? std::optional(kOther) : std::nullopt;
}

} // namespace tenon::schema
