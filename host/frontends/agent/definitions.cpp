// SPDX-License-Identifier: Apache-2.0
#include "frontends/agent/definitions.h"

#include "json/writer.h"
#include "support/digest.h"
#include "support/text.h"

#include <array>
#include <map>

namespace tenon::agent {

namespace {

using schema::Projection;
using schema::Provider;
using schema::Strictness;

struct Rules {
    Format format;
    std::string_view word, name;
    Provider provider;
    std::size_t toolsMax = SIZE_MAX;
    std::size_t descriptionMax = SIZE_MAX; // UTF-16 code units
};

// 128 tools: https://github.com/zed-industries/zed/issues/32946
// 1,024 characters: https://github.com/getsentry/sentry-mcp/issues/106. OpenAI itself may have
// dropped it since (https://github.com/run-llama/llama_index/pull/18784); servers that speak its
// APIs have not, and one description too long fails the whole request.
// 512 declarations: https://github.com/google-gemini/gemini-cli/issues/19083
constexpr std::array<Rules, kFormats> kRules{
    Rules{Format::Anthropic, "anthropic", "Anthropic", Provider::Anthropic},
    Rules{Format::OpenAi, "openai", "OpenAI", Provider::OpenAi, 128, 1'024},
    Rules{Format::OpenAiChat, "openai-chat", "OpenAI", Provider::OpenAi, 128, 1'024},
    Rules{Format::Gemini, "gemini", "Gemini", Provider::Gemini, 512},
    Rules{Format::AiSdk, "ai-sdk", "the AI SDK", Provider::AiSdk}};

const Rules &rulesOf(Format format) {
    return kRules[static_cast<std::size_t>(format)];
}

// What Anthropic takes in the strict tools of one request:
// https://platform.claude.com/docs/en/build-with-claude/structured-outputs
class StrictBudget {
public:
    // Whether one more strict tool fits; it is counted then. Else says what is used up.
    bool take(const Projection &projection, std::string &usedUp) {
        const auto over = [&](std::string_view what, std::size_t sum, std::size_t most) {
            if (sum > most) {
                usedUp = concat("with it the strict tools would have ", sum, " ", what,
                                ", and Anthropic takes ", most);
            }
            return sum > most;
        };
        if (over("members", tools_ + 1, 20) ||
            over("optional keys", optionalKeys_ + projection.optionalKeys, 24) ||
            over("keys of several types", unions_ + projection.unions, 16)) {
            return false;
        }
        ++tools_;
        optionalKeys_ += projection.optionalKeys;
        unions_ += projection.unions;
        return true;
    }

private:
    std::size_t tools_ = 0, optionalKeys_ = 0, unions_ = 0;
};

// text within most UTF-16 code units, its end marked where it was cut.
std::string cut(std::string_view text, std::size_t most) {
    std::size_t units = 0, keep = 0;
    for (std::size_t at = 0; at < text.size();) {
        const auto lead = static_cast<unsigned char>(text[at]);
        const std::size_t bytes = lead < 0x80 ? 1 : lead < 0xE0 ? 2 : lead < 0xF0 ? 3 : 4;
        units += bytes == 4 ? 2 : 1;
        at += bytes;
        if (units < most) {
            keep = at; // room for the mark
        }
    }
    return units <= most ? std::string(text) : concat(text.substr(0, keep), "\u2026");
}

class Definer {
public:
    Definer(Format format, Strictness strictness)
        : format_(format), rules_(rulesOf(format)), strictness_(strictness) {}

    Definitions run(const std::vector<ExportedTool> &tools) {
        if (tools.size() > rules_.toolsMax) {
            return {Error{"agent.tools",
                          concat("there are ", tools.size(), " tools, and ", rules_.name, " takes ",
                                 rules_.toolsMax,
                                 " in a request; set \"tools.allow\" or \"tools.deny\" of their "
                                 "plugins in the manifest, or mount fewer plugins")},
                    {}};
        }
        std::map<std::string_view, std::string_view> seen; // by exported name
        out_.array();
        for (const auto &[exported, tool] : tools) {
            if (const auto [other, fresh] = seen.emplace(exported, tool->name); !fresh) {
                return {
                    Error{"agent.name", concat("two tools would both be called \"", exported,
                                               "\" by the provider: \"", other->second, "\" and \"",
                                               tool->name, "\"; set a prefix or deny one")},
                    {}};
            }
            if (exported != tool->name) {
                note(*tool, concat(rules_.name, " sees it as \"", exported, "\""));
            }
            define(exported, *tool);
        }
        return {out_.endArray().take(), std::move(notes_)};
    }

private:
    void note(const catalog::MountedTool &tool, std::string_view words) {
        notes_.push_back(concat(tool.name, ": ", words));
    }

    Projection projected(const catalog::MountedTool &tool) {
        json::Document document;
        static_cast<void>(document.readView(tool.tool->inputSchemaJson)); // read at load
        auto projection = schema::project(document.root(), rules_.provider, strictness_);
        std::string usedUp;
        if (projection.strict && rules_.provider == Provider::Anthropic &&
            !budget_.take(projection, usedUp)) {
            projection = schema::project(document.root(), rules_.provider, Strictness::Loose);
            projection.notStrict.push_back(usedUp);
        }
        for (const auto &reason : projection.notStrict) {
            note(tool, concat("not strict: ", reason));
        }
        for (const auto &lost : projection.lost) {
            note(tool, lost);
        }
        return projection;
    }

    void define(std::string_view exported, const catalog::MountedTool &tool) {
        const auto projection = projected(tool);
        const auto description = cut(tool.tool->description, rules_.descriptionMax);
        if (description != tool.tool->description) {
            note(tool, concat("the description is cut at ", rules_.descriptionMax,
                              " characters, which ", rules_.name, " takes"));
        }
        out_.object();
        if (format_ == Format::OpenAi || format_ == Format::OpenAiChat) {
            out_.key("type").string("function");
        }
        if (format_ == Format::OpenAiChat) {
            out_.key("function").object();
        }
        out_.key("name").string(exported).key("description").string(description);
        switch (format_) {
        case Format::Anthropic:
            out_.key("input_schema").raw(projection.json);
            if (projection.strict) {
                out_.key("strict").boolean(true);
            }
            break;
        case Format::OpenAi:
        case Format::OpenAiChat: // "strict" is not false by default everywhere
            out_.key("parameters").raw(projection.json).key("strict").boolean(projection.strict);
            break;
        case Format::Gemini: out_.key("parametersJsonSchema").raw(projection.json); break;
        case Format::AiSdk: out_.key("inputSchema").raw(projection.json); break;
        }
        if (format_ == Format::OpenAiChat) {
            out_.endObject();
        }
        out_.endObject();
    }

    Format format_;
    const Rules &rules_;
    Strictness strictness_;
    StrictBudget budget_;
    json::Writer out_;
    std::vector<std::string> notes_;
};

} // namespace

Result<Format> formatOf(std::string_view word) {
    std::vector<std::string_view> words;
    for (const auto &rules : kRules) {
        if (rules.word == word) {
            return rules.format;
        }
        words.push_back(rules.word);
    }
    const auto near = nearest(word, words);
    return Error{"agent.format",
                 concat("the format is \"", printable(word, 60), "\"; expected one of ",
                        listed(words), near.empty() ? "" : concat(" (did you mean ", near, "?)"))};
}

std::string_view wordOf(Format format) {
    return rulesOf(format).word;
}

Definitions define(const std::vector<ExportedTool> &tools, Format format, Strictness strictness) {
    return Definer(format, strictness).run(tools);
}

} // namespace tenon::agent
