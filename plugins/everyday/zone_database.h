// SPDX-License-Identifier: Apache-2.0
// The system's zones by their IANA names. Nothing is read before a zone is asked for, then only the
// files of the zones that are used, once each.
#pragma once

#include <everyday/zone.h>

#include <map>
#include <memory>
#include <mutex>

namespace everyday {

class ZoneDatabase {
public:
    // Empty: $TZDIR, or the directory where the system keeps its zones.
    explicit ZoneDatabase(std::string directory = {}) : directory_(std::move(directory)) {}
    ZoneDatabase(const ZoneDatabase &) = delete;
    ZoneDatabase &operator=(const ZoneDatabase &) = delete;

    // Throws tenon::ToolError that names the nearest zones. UTC needs no file. From any thread.
    std::shared_ptr<const Zone> find(const std::string &name);
    // All names, sorted: reads the directory.
    std::vector<std::string> names();

private:
    std::string directory();
    [[noreturn]] void refuse(const std::string &name);

    std::string directory_;
    std::mutex mutex_; // over directory_ and zones_
    std::map<std::string, std::shared_ptr<const Zone>> zones_;
};

} // namespace everyday
