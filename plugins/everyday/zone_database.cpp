// SPDX-License-Identifier: Apache-2.0
#include <everyday/zone_database.h>

#include <everyday/nearest.h>

#include <tenon/context.hpp>

#include <algorithm>
#include <cstdlib>
#include <filesystem>
#include <fstream>

namespace everyday {
namespace {

namespace fs = std::filesystem;

constexpr std::size_t kFileBytesMax = std::size_t{256} * 1024; // the largest is 4 KiB
constexpr std::string_view kMagic = "TZif";

// The form of a zone's name, so that none leads out of the directory.
bool wellFormed(std::string_view name) {
    char before = '/';
    for (const char c : name) {
        const bool letter = (c >= 'A' && c <= 'Z') || (c >= 'a' && c <= 'z');
        const bool inside = (c >= '0' && c <= '9') || c == '_' || c == '-' || c == '+' || c == '/';
        if ((!letter && !inside) || (before == '/' && !letter)) {
            return false;
        }
        before = c;
    }
    return before != '/' && name.size() <= 128;
}

// Other forms of the whole database, and files of it that are no zones.
bool zoneName(std::string_view name) {
    static constexpr std::string_view kOthers[] = {"posix/", "right/", "localtime", "posixrules",
                                                   "Factory"};
    return wellFormed(name) && std::none_of(std::begin(kOthers), std::end(kOthers),
                                            [&](auto other) { return name.starts_with(other); });
}

std::string readFile(const fs::path &path, std::size_t bytesMax) {
    std::ifstream in(path, std::ios::binary);
    std::string out(bytesMax, '\0');
    in.read(out.data(), static_cast<std::streamsize>(out.size()));
    out.resize(static_cast<std::size_t>(std::max<std::streamsize>(in.gcount(), 0)));
    return out;
}

std::string systemDirectory() {
    if (const char *chosen = std::getenv("TZDIR"); chosen != nullptr && *chosen != '\0') {
        return chosen;
    }
    for (const char *usual : {"/usr/share/zoneinfo", "/var/db/timezone/zoneinfo",
                              "/usr/lib/zoneinfo", "/etc/zoneinfo"}) {
        std::error_code ignored;
        if (fs::is_directory(usual, ignored)) {
            return usual;
        }
    }
    return "/usr/share/zoneinfo";
}

} // namespace

std::string ZoneDatabase::directory() {
    const std::lock_guard lock(mutex_);
    if (directory_.empty()) {
        directory_ = systemDirectory();
    }
    return directory_;
}

std::shared_ptr<const Zone> ZoneDatabase::find(const std::string &name) {
    {
        const std::lock_guard lock(mutex_);
        if (const auto known = zones_.find(name); known != zones_.end()) {
            return known->second;
        }
    }
    std::shared_ptr<const Zone> zone;
    if (name == "UTC") {
        zone = std::make_shared<Zone>(Zone::fixed({std::chrono::seconds(0), false, "UTC"}));
    } else {
        const std::string file =
            zoneName(name) ? readFile(fs::path(directory()) / name, kFileBytesMax) : "";
        if (!file.starts_with(kMagic)) {
            refuse(name);
        }
        zone = std::make_shared<Zone>(Zone::parse(file));
    }
    const std::lock_guard lock(mutex_);
    return zones_.emplace(name, std::move(zone)).first->second;
}

std::vector<std::string> ZoneDatabase::names() {
    const fs::path root = directory();
    std::vector<std::string> out;
    std::error_code error;
    for (fs::recursive_directory_iterator at(root, error), end; !error && at != end;
         at.increment(error)) {
        const std::string name = at->path().lexically_relative(root).generic_string();
        std::error_code ignored;
        if (!zoneName(name)) {
            at.disable_recursion_pending();
        } else if (at->is_regular_file(ignored) && readFile(at->path(), kMagic.size()) == kMagic) {
            out.push_back(name);
        }
    }
    std::sort(out.begin(), out.end());
    return out;
}

void ZoneDatabase::refuse(const std::string &name) {
    const auto known = names();
    if (known.empty()) {
        throw tenon::ToolError("ZONES_MISSING",
                               "The system has no time zone database: only UTC is known.")
            .status(503)
            .hint("The operator installs the package tzdata, or sets TZDIR.");
    }
    const auto near = nearest(name, known, 5);
    throw tenon::ToolError("BAD_REQUEST", "There is no time zone " + inQuotes(name) +
                                              ": expected an IANA name, such as Europe/Berlin.")
        .hint(near.empty() ? "Names are Area/City, spelt exactly. For a fixed offset write it into "
                             "the time, as in 2026-01-31T12:00:00+02:00."
                           : "Nearest: " + listed(near) + ".");
}

} // namespace everyday
