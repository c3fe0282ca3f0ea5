// SPDX-License-Identifier: Apache-2.0
// Which rules a schema is read by: its draft, and the vocabularies of its metaschema.
#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <string_view>

namespace tenon::schema {

enum class Draft : std::uint8_t { Draft07, Draft202012 };

enum Vocabulary : std::uint32_t {
    kApplicator = 1,
    kUnevaluated = 2,
    kValidation = 4,
    kFormatAssertion = 8,
    kOther = 16 // core, meta-data, content, format-annotation: they refuse nothing
};

struct Dialect {
    Draft draft = Draft::Draft202012;
    std::uint32_t vocabularies = kApplicator | kUnevaluated | kValidation;

    bool isDraft07() const { return draft == Draft::Draft07; }
    bool has(Vocabulary vocabulary) const { return (vocabularies & vocabulary) != 0; }
};

// The dialect of a metaschema that is built in, by its URI with or without "#"; none if it is not.
std::optional<Dialect> builtinDialect(std::string_view metaschemaUri);
// What a URI in $vocabulary switches on; none for one that is not known here.
std::optional<Vocabulary> vocabularyOf(std::string_view uri);
// The text of a metaschema that is built in, by its URI without "#"; "" if it is not.
std::string_view builtinMetaschema(std::string_view uri);

// The keywords that hold subschemas, and in which shape.
enum class Holds : std::uint8_t {
    Schema,
    SchemaOrList,
    List,
    Map,
    MapOrLists // of schemas, or of what is no schema: dependencies
};
struct HolderKeyword {
    std::string_view name;
    Holds holds;
    bool draft07;
    bool draft202012;

    bool isOf(const Dialect &dialect) const { return dialect.isDraft07() ? draft07 : draft202012; }
};
inline constexpr std::array kHolders{
    HolderKeyword{"$defs", Holds::Map, false, true},
    HolderKeyword{"definitions", Holds::Map, true, true},
    HolderKeyword{"properties", Holds::Map, true, true},
    HolderKeyword{"patternProperties", Holds::Map, true, true},
    HolderKeyword{"additionalProperties", Holds::Schema, true, true},
    HolderKeyword{"propertyNames", Holds::Schema, true, true},
    HolderKeyword{"dependentSchemas", Holds::Map, false, true},
    HolderKeyword{"dependencies", Holds::MapOrLists, true, true},
    HolderKeyword{"items", Holds::SchemaOrList, true, true},
    HolderKeyword{"additionalItems", Holds::Schema, true, false},
    HolderKeyword{"prefixItems", Holds::List, false, true},
    HolderKeyword{"contains", Holds::Schema, true, true},
    HolderKeyword{"allOf", Holds::List, true, true},
    HolderKeyword{"anyOf", Holds::List, true, true},
    HolderKeyword{"oneOf", Holds::List, true, true},
    HolderKeyword{"not", Holds::Schema, true, true},
    HolderKeyword{"if", Holds::Schema, true, true},
    HolderKeyword{"then", Holds::Schema, true, true},
    HolderKeyword{"else", Holds::Schema, true, true},
    HolderKeyword{"unevaluatedItems", Holds::Schema, false, true},
    HolderKeyword{"unevaluatedProperties", Holds::Schema, false, true},
    HolderKeyword{"contentSchema", Holds::Schema, false, true}};

} // namespace tenon::schema
