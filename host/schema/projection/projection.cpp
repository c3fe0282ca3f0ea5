// SPDX-License-Identifier: Apache-2.0
#include "schema/projection/projection.h"

#include "schema/projection/fit.h"
#include "support/text.h"

#include <algorithm>
#include <map>
#include <set>

namespace tenon::schema {

namespace {

// In the order of the tree, what is no more in it behind; each once.
std::vector<std::string> sentences(const SchemaTree &tree, Losses losses) {
    std::map<NodeId, std::size_t> places;
    for (const auto schema : tree.schemas(tree.root)) {
        places.emplace(schema, places.size());
    }
    const auto place = [&](const Loss &loss) {
        const auto found = places.find(loss.node);
        return found == places.end() ? places.size() + loss.node : found->second;
    };
    std::stable_sort(losses.begin(), losses.end(),
                     [&](const Loss &a, const Loss &b) { return place(a) < place(b); });
    std::vector<std::string> out;
    std::set<std::string> seen;
    for (const auto &loss : losses) {
        const auto &at = tree[loss.node].at;
        auto sentence = concat(at.empty() ? "the root" : printable(at, 200), ": ", loss.words);
        if (seen.insert(sentence).second) {
            out.push_back(std::move(sentence));
        }
    }
    return out;
}

bool hasStrictForm(Provider provider) {
    return provider == Provider::Anthropic || provider == Provider::OpenAi;
}

} // namespace

std::string_view nameOf(Provider provider) {
    switch (provider) {
    case Provider::Anthropic: return "Anthropic";
    case Provider::OpenAi: return "OpenAI";
    case Provider::Gemini: return "Gemini";
    case Provider::AiSdk: return "the AI SDK";
    }
    return "";
}

Projection project(json::Value schema, Provider provider, Strictness strictness) {
    Projection out;
    Losses losses;
    auto tree = normalized(schema, losses);
    flattenRoot(tree, losses);
    tree.dropUnusedDefinitions();
    if (strictness == Strictness::Strict && !hasStrictForm(provider)) {
        out.notStrict.push_back(concat(nameOf(provider), " has no strict form"));
    } else if (strictness == Strictness::Strict && !losses.empty()) {
        out.notStrict = sentences(tree, losses);
    } else if (strictness == Strictness::Strict) {
        auto strict = tree;
        Losses before;
        if (provider == Provider::Anthropic) {
            fit(strict, provider, before); // its keys
        }
        auto form = makeStrict(strict, provider);
        form.reasons.insert(form.reasons.begin(), before.begin(), before.end());
        if (form.reasons.empty()) {
            out.strict = true;
            out.lost = sentences(strict, std::move(form.lost));
            out.optionalKeys = form.optionalKeys;
            out.unions = form.unions;
            out.json = strict.write(strict.root);
            return out;
        }
        out.notStrict = sentences(strict, std::move(form.reasons));
    }
    fit(tree, provider, losses);
    tree.dropUnusedDefinitions();
    out.lost = sentences(tree, std::move(losses));
    out.json = tree.write(tree.root);
    return out;
}

} // namespace tenon::schema
