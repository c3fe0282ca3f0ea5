// SPDX-License-Identifier: Apache-2.0
#include "catalog/mounted.h"

#include "support/digest.h"
#include "support/text.h"

#include <algorithm>
#include <strings.h>

namespace tenon {

std::string_view nameOf(Source source) {
    switch (source) {
    case Source::Mcp: return "mcp";
    case Source::Agent: return "agent";
    case Source::Cli: return "cli";
    case Source::Internal: break;
    }
    return "internal";
}

} // namespace tenon

namespace tenon::catalog {

namespace {

struct CaseLess {
    bool operator()(const std::string &a, const std::string &b) const {
        return strcasecmp(a.c_str(), b.c_str()) < 0;
    }
};

bool contains(const std::vector<std::string> &list, const std::string &word) {
    return std::find(list.begin(), list.end(), word) != list.end();
}

// Filters speak of the plugin's own names; one that matches nothing is a mistake.
std::string unmatchedFilter(const Mount &mount) {
    std::vector<std::string_view> names;
    for (const Tool &tool : mount.catalog->tools()) {
        names.push_back(tool.name);
    }
    for (const auto *list : {&mount.allow, &mount.deny}) {
        for (const auto &word : *list) {
            if (std::find(names.begin(), names.end(), word) == names.end()) {
                const auto near = nearest(word, names);
                return concat("the tool filter \"", printable(word, 100), "\" matches no tool of ",
                              mount.origin, "; its tools are ", listed(names),
                              near.empty() ? "" : concat(" (did you mean ", near, "?)"));
            }
        }
    }
    return "";
}

} // namespace

Result<std::shared_ptr<const MountedCatalog>> MountedCatalog::make(std::vector<Mount> mounts) {
    const std::shared_ptr<MountedCatalog> made(new MountedCatalog);
    made->mounts_ = std::move(mounts);
    std::map<std::string, std::size_t, CaseLess> seen;
    std::string identity;
    for (std::size_t i = 0; i < made->mounts_.size(); ++i) {
        const Mount &mount = made->mounts_[i];
        if (const auto reason = unmatchedFilter(mount); !reason.empty()) {
            return Error{"catalog.filter", reason};
        }
        for (const Tool &tool : mount.catalog->tools()) {
            if ((!mount.allow.empty() && !contains(mount.allow, tool.name)) ||
                contains(mount.deny, tool.name)) {
                continue;
            }
            std::string name = mount.prefix + tool.name;
            if (!isToolName(name)) {
                return Error{"catalog.name",
                             concat("the mounted name \"", printable(name, 200), "\" of ",
                                    mount.origin,
                                    name.size() > 128 ? concat(" has ", name.size(), " characters")
                                                      : " has a character that names may not have",
                                    "; expected 1 to 128 of A-Z a-z 0-9 _ . -")};
            }
            const auto [other, fresh] = seen.emplace(name, i);
            if (!fresh) {
                return Error{"catalog.collision",
                             concat("two tools come under the name \"", name, "\": one of ",
                                    made->mounts_[other->second].origin, " and one of ",
                                    mount.origin, "; set a prefix or deny one of them")};
            }
            made->byName_.emplace(name, made->tools_.size());
            identity += concat(name, '\n');
            made->tools_.push_back({std::move(name), &tool, i});
        }
        identity += concat(mount.catalog->digest(), '\n');
    }
    made->digest_ = sha256Hex(identity);
    return std::shared_ptr<const MountedCatalog>(made);
}

const MountedTool *MountedCatalog::find(std::string_view name) const {
    const auto found = byName_.find(name);
    return found == byName_.end() ? nullptr : &tools_[found->second];
}

std::string MountedCatalog::nearestTo(std::string_view name) const {
    std::vector<std::string_view> names;
    for (const auto &tool : tools_) {
        names.push_back(tool.name);
    }
    return nearest(name, names);
}

} // namespace tenon::catalog
