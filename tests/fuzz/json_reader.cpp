// SPDX-License-Identifier: Apache-2.0
// Any bytes: refused with words, or a value that every writer gives back.
#include "check.h"
#include "json/writer.h"

using namespace tenon;
using namespace tenon::fuzz;

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t *data, std::size_t size) {
    const auto text = textOf(data, size);
    json::Document document, lenient;
    const auto read = document.readView(text);
    json::ReadLimits keepDuplicates;
    keepDuplicates.refuseFlaws = false;
    must(!read || lenient.readView(text, keepDuplicates), "what is strict JSON is JSON");
    if (!read) {
        must(!read.error().message.empty(), "a refusal has words");
        return 0;
    }
    const auto root = document.root();
    const auto again = readAgain(json::compact(root), "compact() writes JSON");
    must(json::equal(root, again.root()) && json::equal(again.root(), root),
         "compact() gives an equal value");
    must(json::compact(again.root()) == json::compact(root), "compact() is stable");
    const auto lines = readAgain(json::pretty(root), "pretty() writes JSON");
    must(json::equal(root, lines.root()), "pretty() gives an equal value");
    const auto canonical = json::canonical(root);
    must(json::canonical(again.root()) == canonical, "canonical() does not depend on white space");
    const auto fixed = readAgain(canonical, "canonical() writes JSON");
    must(json::canonical(fixed.root()) == canonical, "canonical() is stable");
    const auto identity = json::identity(root);
    must(json::identity(lines.root()) == identity, "equal values have the same identity");
    must((json::identity(fixed.root()) == identity) == json::equal(fixed.root(), root),
         "values of the same identity are equal");
    return 0;
}
