// SPDX-License-Identifier: Apache-2.0
// The rules of IDNA for one label, as expressions of what is wrong with it. PCRE2 knows Unicode's
// categories, scripts and directions; what it does not know stands in the sets below, which are of
// Unicode 14. Whether a label is in the composed form NFC is not checked.
#include "schema/strings/format_checks.h"
#include "schema/strings/pattern_pcre2.h"

#include <stdexcept>

namespace tenon::schema {

namespace {

// Letters, digits and marks that are not the same after NFKC, case folding and NFKC, but for those
// that case folding alone changes: "Unstable" of RFC 5892.
constexpr std::string_view kUnstable =
    R"(\x{AA}\x{BA}\x{133}\x{140}\x{1C6}-\x{1CC}\x{1F3}\x{2B0}-\x{2B8}\x{2E0}-\x{2E4})"
    R"(\x{340}-\x{341}\x{343}-\x{344}\x{374}\x{37A}\x{3D2}-\x{3D4}\x{3F2}\x{675}-\x{678})"
    R"(\x{958}-\x{95F}\x{9DC}-\x{9DF}\x{A33}\x{A36}\x{A59}-\x{A5B}\x{A5E}\x{B5C}-\x{B5D})"
    R"(\x{E33}\x{EB3}\x{EDC}-\x{EDD}\x{F43}\x{F4D}\x{F52}\x{F57}\x{F5C}\x{F69}\x{F73})"
    R"(\x{F75}-\x{F79}\x{F81}\x{F93}\x{F9D}\x{FA2}\x{FA7}\x{FAC}\x{FB9}\x{10FC})"
    R"(\x{1D2C}-\x{1D2E}\x{1D30}-\x{1D3A}\x{1D3C}-\x{1D4D}\x{1D4F}-\x{1D6A}\x{1D78})"
    R"(\x{1D9B}-\x{1DBF}\x{1F71}\x{1F73}\x{1F75}\x{1F77}\x{1F79}\x{1F7B}\x{1F7D}\x{1FBE})"
    R"(\x{1FD3}\x{1FE3}\x{2071}-\x{209C}\x{2102}-\x{2149}\x{2C7C}-\x{2C7D}\x{2D6F}\x{309F})"
    R"(\x{30FF}\x{3131}-\x{318E}\x{A69C}-\x{A69D}\x{A770}\x{A7F2}-\x{A7F4}\x{A7F8}-\x{A7F9})"
    R"(\x{AB5C}-\x{AB5F}\x{AB69}\x{F900}-\x{FA0D}\x{FA10}\x{FA12}\x{FA15}-\x{FA1E}\x{FA20})"
    R"(\x{FA22}\x{FA25}-\x{FA26}\x{FA2A}-\x{FB1D}\x{FB1F}-\x{FDFB}\x{FE70}-\x{FE72})"
    R"(\x{FE74}-\x{FFDC}\x{10781}-\x{107BA}\x{1D400}-\x{1D7FF}\x{1EE00}-\x{1FBF9})"
    R"(\x{2F800}-\x{2FA1D})";

// Letters that join the one before them only, and those of joining scripts that join none.
constexpr std::string_view kJoinsBefore =
    R"(\x{622}-\x{625}\x{627}\x{629}\x{62F}-\x{632}\x{648}\x{671}-\x{673}\x{675}-\x{677})"
    R"(\x{688}-\x{699}\x{6C0}\x{6C3}-\x{6CB}\x{6CD}\x{6CF}\x{6D2}-\x{6D3}\x{6D5})"
    R"(\x{6EE}-\x{6EF}\x{710}\x{715}-\x{719}\x{71E}\x{728}\x{72A}\x{72C}\x{72F}\x{74D})"
    R"(\x{759}-\x{75B}\x{76B}-\x{76C}\x{771}\x{773}-\x{774}\x{778}-\x{779}\x{840})"
    R"(\x{846}-\x{847}\x{849}\x{854}\x{856}-\x{858}\x{867}\x{869}-\x{882}\x{88E})"
    R"(\x{8AA}-\x{8AC}\x{8AE}\x{8B1}-\x{8B2}\x{8B9}\x{10AC5}\x{10AC7}\x{10AC9}-\x{10ACA})"
    R"(\x{10ACE}-\x{10AD2}\x{10ADD}\x{10AE1}\x{10AE4}\x{10AEF}\x{10B81}\x{10B83}-\x{10B85})"
    R"(\x{10B89}\x{10B8C}\x{10B8E}-\x{10B8F}\x{10B91}\x{10BA9}-\x{10BAC}\x{10D22}\x{10F33})"
    R"(\x{10F54}\x{10F74}-\x{10F75}\x{10FB4}-\x{10FB6}\x{10FB9}-\x{10FBA}\x{10FBD})"
    R"(\x{10FC2}-\x{10FC3}\x{10FC9})";
constexpr std::string_view kJoinsNone =
    R"(\x{621}\x{640}\x{674}\x{6E5}-\x{6E6}\x{7F4}-\x{7F5}\x{861}\x{866}\x{883}-\x{885})"
    R"(\x{887}\x{8AD}\x{8C9}\x{1880}-\x{1884}\x{A873}\x{10AC6}\x{10ACB}-\x{10ACC})"
    R"(\x{10AE2}-\x{10AE3}\x{10F45}\x{10FB1}\x{10FB7}\x{10FC0}\x{1E94B})";
constexpr std::string_view kJoining =
    R"(\p{sc:Arab}\p{sc:Syrc}\p{sc:Nkoo}\p{sc:Mand}\p{sc:Mong}\p{sc:Phag}\p{sc:Mani}\p{sc:Phlp})"
    R"(\p{sc:Sogd}\p{sc:Adlm}\p{sc:Chrs}\p{sc:Rohg}\p{sc:Ougr})";

// One compiled expression, made at its first use.
class Expression {
public:
    explicit Expression(const std::string &source) : regex_(compiled(source)) {}
    bool isIn(std::string_view label) const {
        std::uint64_t cost = 0;
        return regex_.search(label, cost) != Pcre2::Found::No;
    }

private:
    static Pcre2 compiled(const std::string &source) {
        auto made = Pcre2::compile(source, {});
        if (!made) {
            throw std::logic_error("an expression of the IDNA rules: " + made.error().message);
        }
        return std::move(*made);
    }

    Pcre2 regex_;
};

// Code points that RFC 5892, section 2.6, names one by one.
constexpr std::string_view kNamedValid =
    R"(\x{B7}\x{DF}\x{375}\x{3C2}\x{5F3}\x{5F4}\x{660}-\x{669}\x{6F0}-\x{6F9}\x{6FD}\x{6FE})"
    R"(\x{F0B}\x{200C}\x{200D}\x{3007}\x{30FB})";
constexpr std::string_view kNamedInvalid =
    R"(\x{640}\x{7FA}\x{302E}\x{302F}\x{3031}-\x{3035}\x{303B})";
// Old jamo, and marks of symbols and music.
constexpr std::string_view kBlocks =
    R"(\x{1100}-\x{11FF}\x{A960}-\x{A97C}\x{D7B0}-\x{D7FB}\x{20D0}-\x{20FF}\x{1D100}-\x{1D24F})";

std::string wrongCharacter() {
    std::string out(R"(^-|-$|^..--|^\p{M}|(?![)");
    out.append(kNamedValid).append(R"(])(?:[^a-z0-9\p{L}\p{Mn}\p{Mc}\p{Nd}-]|[\p{CWCF}\p{DI})");
    return out.append(kNamedInvalid).append(kBlocks).append(kUnstable).append("])");
}

// Characters that are right only next to others: the appendix A of RFC 5892.
constexpr std::string_view kWrongContext =
    R"((?<!l)\x{B7}|\x{B7}(?!l))"                                   // middle dot
    R"(|\x{375}(?!\p{sc:Grek}))"                                    // keraia
    R"(|(?<!\p{sc:Hebr})[\x{5F3}\x{5F4}])"                          // geresh
    R"(|\A(?=.*\x{30FB})(?!.*[\p{sc:Hira}\p{sc:Kana}\p{sc:Hani}]))" // katakana dot
    R"(|\A(?=.*[\x{660}-\x{669}])(?=.*[\x{6F0}-\x{6F9}]))"          // digits
    R"(|(?<!\p{Grapheme_Link})\x{200D})";                           // joiner

// A non-joiner is right behind a virama, and between two letters that would join; these are
// skipped.
std::string wrongNonJoiner() {
    std::string out("(?![");
    out.append(kJoinsBefore).append(kJoinsNone).append("])(?=\\p{L})[").append(kJoining);
    out.append(R"(]\p{M}*\x{200C}(?=\p{M}*(?![)").append(kJoinsNone).append("])(?=\\p{L})[");
    out.append(kJoining).append(R"(])(*SKIP)(*FAIL)|(?<!\p{Grapheme_Link})\x{200C})");
    return out;
}

constexpr const char *kRightToLeft = R"([\p{bc:R}\p{bc:AL}\p{bc:AN}])";
constexpr const char *kBidiRule =
    R"(\A\p{bc:L}[\p{bc:L}\p{bc:EN}\p{bc:ES}\p{bc:CS}\p{bc:ET}\p{bc:ON}\p{bc:BN}\p{bc:NSM}]*)"
    R"((?<=[\p{bc:L}\p{bc:EN}])\p{bc:NSM}*\z)"
    R"(|\A(?!.*\p{bc:EN}.*\p{bc:AN})(?!.*\p{bc:AN}.*\p{bc:EN})[\p{bc:R}\p{bc:AL}])"
    R"([\p{bc:R}\p{bc:AL}\p{bc:AN}\p{bc:EN}\p{bc:ES}\p{bc:CS}\p{bc:ET}\p{bc:ON}\p{bc:BN})"
    R"(\p{bc:NSM}]*(?<=[\p{bc:R}\p{bc:AL}\p{bc:EN}\p{bc:AN}])\p{bc:NSM}*\z)";

} // namespace

bool isIdnLabel(std::string_view label) {
    static const Expression character(wrongCharacter());
    static const Expression context{std::string(kWrongContext)};
    static const Expression nonJoiner(wrongNonJoiner());
    return !character.isIn(label) && !context.isIn(label) && !nonJoiner.isIn(label);
}

Direction directionOf(std::string_view label) {
    static const Expression rightToLeft(kRightToLeft);
    return rightToLeft.isIn(label) ? Direction::RightToLeft : Direction::LeftToRight;
}

bool keepsBidiRule(std::string_view label) {
    static const Expression rule(kBidiRule);
    return rule.isIn(label);
}

} // namespace tenon::schema
