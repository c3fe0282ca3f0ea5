// SPDX-License-Identifier: Apache-2.0
// The names that ECMA-262 gives to Unicode properties, in the words of the engines.
#include "schema/strings/pattern_pcre2.h"
#include "schema/strings/pattern_syntax.h"
#include "support/text.h"

#include <algorithm>
#include <iterator>

namespace tenon::schema {

namespace {

using std::string_view;

struct Category {
    string_view code, name, alias;
};

constexpr Category kCategories[] = {
    {"C", "Other", ""},
    {"Cc", "Control", "cntrl"},
    {"Cf", "Format", ""},
    {"Cn", "Unassigned", ""},
    {"Co", "Private_Use", ""},
    {"Cs", "Surrogate", ""},
    {"L", "Letter", ""},
    {"LC", "Cased_Letter", ""},
    {"Ll", "Lowercase_Letter", ""},
    {"Lm", "Modifier_Letter", ""},
    {"Lo", "Other_Letter", ""},
    {"Lt", "Titlecase_Letter", ""},
    {"Lu", "Uppercase_Letter", ""},
    {"M", "Mark", "Combining_Mark"},
    {"Mc", "Spacing_Mark", ""},
    {"Me", "Enclosing_Mark", ""},
    {"Mn", "Nonspacing_Mark", ""},
    {"N", "Number", ""},
    {"Nd", "Decimal_Number", "digit"},
    {"Nl", "Letter_Number", ""},
    {"No", "Other_Number", ""},
    {"P", "Punctuation", "punct"},
    {"Pc", "Connector_Punctuation", ""},
    {"Pd", "Dash_Punctuation", ""},
    {"Pe", "Close_Punctuation", ""},
    {"Pf", "Final_Punctuation", ""},
    {"Pi", "Initial_Punctuation", ""},
    {"Po", "Other_Punctuation", ""},
    {"Ps", "Open_Punctuation", ""},
    {"S", "Symbol", ""},
    {"Sc", "Currency_Symbol", ""},
    {"Sk", "Modifier_Symbol", ""},
    {"Sm", "Math_Symbol", ""},
    {"So", "Other_Symbol", ""},
    {"Z", "Separator", ""},
    {"Zl", "Line_Separator", ""},
    {"Zp", "Paragraph_Separator", ""},
    {"Zs", "Space_Separator", ""},
};

// Properties that are either so or not; Any, ASCII and Assigned are made of the above.
constexpr string_view kBinary[] = {"ASCII_Hex_Digit",
                                   "AHex",
                                   "Alphabetic",
                                   "Alpha",
                                   "Bidi_Control",
                                   "Bidi_C",
                                   "Bidi_Mirrored",
                                   "Bidi_M",
                                   "Case_Ignorable",
                                   "CI",
                                   "Cased",
                                   "Changes_When_Casefolded",
                                   "CWCF",
                                   "Changes_When_Casemapped",
                                   "CWCM",
                                   "Changes_When_Lowercased",
                                   "CWL",
                                   "Changes_When_NFKC_Casefolded",
                                   "CWKCF",
                                   "Changes_When_Titlecased",
                                   "CWT",
                                   "Changes_When_Uppercased",
                                   "CWU",
                                   "Dash",
                                   "Default_Ignorable_Code_Point",
                                   "DI",
                                   "Deprecated",
                                   "Dep",
                                   "Diacritic",
                                   "Dia",
                                   "Emoji",
                                   "Emoji_Component",
                                   "EComp",
                                   "Emoji_Modifier",
                                   "EMod",
                                   "Emoji_Modifier_Base",
                                   "EBase",
                                   "Emoji_Presentation",
                                   "EPres",
                                   "Extended_Pictographic",
                                   "ExtPict",
                                   "Extender",
                                   "Ext",
                                   "Grapheme_Base",
                                   "Gr_Base",
                                   "Grapheme_Extend",
                                   "Gr_Ext",
                                   "Hex_Digit",
                                   "Hex",
                                   "IDS_Binary_Operator",
                                   "IDSB",
                                   "IDS_Trinary_Operator",
                                   "IDST",
                                   "ID_Continue",
                                   "IDC",
                                   "ID_Start",
                                   "IDS",
                                   "Ideographic",
                                   "Ideo",
                                   "Join_Control",
                                   "Join_C",
                                   "Logical_Order_Exception",
                                   "LOE",
                                   "Lowercase",
                                   "Lower",
                                   "Math",
                                   "Noncharacter_Code_Point",
                                   "NChar",
                                   "Pattern_Syntax",
                                   "Pat_Syn",
                                   "Pattern_White_Space",
                                   "Pat_WS",
                                   "Quotation_Mark",
                                   "QMark",
                                   "Radical",
                                   "Regional_Indicator",
                                   "RI",
                                   "Sentence_Terminal",
                                   "STerm",
                                   "Soft_Dotted",
                                   "SD",
                                   "Terminal_Punctuation",
                                   "Term",
                                   "Unified_Ideograph",
                                   "UIdeo",
                                   "Uppercase",
                                   "Upper",
                                   "Variation_Selector",
                                   "VS",
                                   "White_Space",
                                   "space",
                                   "XID_Continue",
                                   "XIDC",
                                   "XID_Start",
                                   "XIDS"};

CharacterSet category(string_view code, bool negated) {
    // To RE2, C is without what is not assigned.
    constexpr string_view kAssigned = R"(\p{L}\p{M}\p{N}\p{P}\p{S}\p{Z})";
    const string_view open = negated ? "\\P{" : "\\p{";
    CharacterSet set{concat(open, code, "}"), concat(open, code, "}")};
    if (code == "LC") {
        set = {negated ? "" : R"(\p{Lu}\p{Ll}\p{Lt})", concat(open, "L&}")};
    } else if (code == "C") {
        set.re2 = negated ? kAssigned : "";
    } else if (code == "Cn" || code == "Cs") {
        set.re2.clear();
    }
    return set;
}

std::optional<CharacterSet> categoryNamed(string_view name, bool negated) {
    for (const auto &known : kCategories) {
        if (!name.empty() && (name == known.code || name == known.name || name == known.alias)) {
            return category(known.code, negated);
        }
    }
    return std::nullopt;
}

std::optional<CharacterSet> scriptNamed(string_view name, bool extensions, bool negated) {
    const string_view open = negated ? "\\P{" : "\\p{";
    const std::string set = concat(open, extensions ? "scx:" : "sc:", name, "}");
    // Names are written as Unicode writes them; PCRE2 alone would take any case.
    if (name.empty() || name[0] < 'A' || name[0] > 'Z' || !Pcre2::compile(set, {})) {
        return std::nullopt;
    }
    return CharacterSet{extensions ? "" : concat(open, name, "}"), set};
}

std::optional<CharacterSet> loneName(string_view name, bool negated) {
    if (name == "Any") {
        return negated ? CharacterSet{"", ""}
                       : CharacterSet{R"(\x{0}-\x{10FFFF})", R"(\x{0}-\x{10FFFF})"};
    }
    if (name == "ASCII") {
        return negated ? CharacterSet{R"(\x{80}-\x{10FFFF})", R"(\x{80}-\x{10FFFF})"}
                       : CharacterSet{R"(\x{0}-\x{7F})", R"(\x{0}-\x{7F})"};
    }
    if (name == "Assigned") {
        return category("Cn", !negated);
    }
    if (std::find(std::begin(kBinary), std::end(kBinary), name) != std::end(kBinary)) {
        return CharacterSet{"", concat(negated ? "\\P{" : "\\p{", name, "}")};
    }
    return categoryNamed(name, negated);
}

} // namespace

std::optional<CharacterSet> propertySet(string_view words, bool negated) {
    const auto equals = words.find('=');
    if (equals == words.npos) {
        return loneName(words, negated);
    }
    const string_view name = words.substr(0, equals);
    const string_view value = words.substr(equals + 1);
    if (name == "General_Category" || name == "gc") {
        return categoryNamed(value, negated);
    }
    if (name == "Script" || name == "sc") {
        return scriptNamed(value, false, negated);
    }
    if (name == "Script_Extensions" || name == "scx") {
        return scriptNamed(value, true, negated);
    }
    return std::nullopt;
}

} // namespace tenon::schema
