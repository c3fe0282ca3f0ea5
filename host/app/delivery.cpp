// SPDX-License-Identifier: Apache-2.0
#include "app/delivery.h"

#include "json/document.h"
#include "json/writer.h"
#include "runner/audit/jsonl_sink.h"
#include "runner/audit/sqlite_sink.h"
#include "support/text.h"

#include <chrono>
#include <cstdlib>
#include <filesystem>
#include <sys/stat.h>
#include <thread>

namespace tenon::app {

namespace {

using namespace std::chrono_literals;

// Another process may be making the same file.
constexpr auto kOpenWaitMax = 5s;

void collectTexts(json::Value value, std::vector<std::string> &texts) {
    const auto end = value.past();
    for (auto at = value.index(); at < end; ++at) { // the tape, keys too
        const auto one = value.at(at);
        if (one.isString() || one.isNumber()) {
            texts.emplace_back(one.isString() ? one.string() : one.raw());
        }
    }
}

// Texts under secret names, as they are and as JSON escapes them.
void collectSecrets(json::Value config, const Masker &names, std::vector<std::string> &secrets) {
    const auto end = config.past();
    for (auto at = config.index(); at < end; ++at) {
        for (const auto member : config.at(at).members()) {
            if (names.isSecretName(member.key)) {
                collectTexts(member.value, secrets);
            }
        }
    }
    for (auto i = secrets.size(); i > 0; --i) {
        std::string escaped;
        json::appendQuoted(escaped, secrets[i - 1]);
        escaped = escaped.substr(1, escaped.size() - 2);
        if (escaped != secrets[i - 1]) {
            secrets.push_back(std::move(escaped));
        }
    }
}

Result<std::unique_ptr<audit::Sink>> openSink(const manifest::AuditEntry &entry,
                                              const std::string &path) {
    audit::Rotation rotation;
    rotation.bytesMax = entry.rotateBytes;
    rotation.ageMax = std::chrono::seconds(entry.rotateSeconds);
    rotation.retention = std::chrono::seconds(entry.retentionSeconds);
    if (entry.store == manifest::AuditEntry::Store::JsonLines) {
        auto sink = audit::JsonlSink::open(path, rotation);
        return sink ? Result<std::unique_ptr<audit::Sink>>(std::move(*sink)) : sink.error();
    }
    auto sink = audit::SqliteSink::open(path, rotation);
    return sink ? Result<std::unique_ptr<audit::Sink>>(std::move(*sink)) : sink.error();
}

Result<std::unique_ptr<audit::Sink>> openSinkInTime(const manifest::AuditEntry &entry,
                                                    const std::string &path) {
    const auto until = std::chrono::steady_clock::now() + kOpenWaitMax;
    auto sink = openSink(entry, path);
    while (!sink && sink.error().code == "audit.locked" &&
           std::chrono::steady_clock::now() < until) {
        std::this_thread::sleep_for(50ms);
        sink = openSink(entry, path);
    }
    return sink;
}

} // namespace

std::shared_ptr<const Masker> maskerOf(const manifest::Manifest &manifest) {
    const Masker names({}, manifest.audit.mask);
    std::vector<std::string> secrets;
    for (const auto &plugin : manifest.plugins) {
        json::Document config;
        if (config.readView(plugin.config)) {
            collectSecrets(config.root(), names, secrets);
        }
    }
    return std::make_shared<const Masker>(std::move(secrets), manifest.audit.mask);
}

std::string defaultAuditPath() {
    const char *state = std::getenv("XDG_STATE_HOME");
    if (state != nullptr && state[0] == '/') {
        return concat(state, "/tenon/audit.db");
    }
    const char *home = std::getenv("HOME");
    return home != nullptr && home[0] == '/' ? concat(home, "/.local/state/tenon/audit.db") : "";
}

Result<std::string> auditPathOf(const std::string &manifest) {
    manifest::AuditEntry entry;
    const bool here = manifest.empty() && std::filesystem::exists("tenon.yaml");
    if (here || !manifest.empty()) {
        const auto read = manifest::readManifest(here ? "tenon.yaml" : manifest);
        if (!read) {
            return read.error();
        }
        entry = read->audit;
    }
    if (entry.store == manifest::AuditEntry::Store::Off) {
        return Error{"audit.off", "the manifest says audit: off; expected sqlite or jsonl in it, "
                                  "or the path of an audit"};
    }
    auto path = entry.path.empty() ? defaultAuditPath() : entry.path;
    if (path.empty()) {
        return Error{"audit.path", "neither XDG_STATE_HOME nor HOME is set; expected the path of "
                                   "an audit, or --manifest FILE"};
    }
    return path;
}

Result<std::shared_ptr<audit::Delivery>> openAudit(const manifest::AuditEntry &entry,
                                                   AuditDefault byDefault, Log &log) {
    using Store = manifest::AuditEntry::Store;
    if (entry.store == Store::Off || (!entry.given && byDefault == AuditDefault::None)) {
        return std::shared_ptr<audit::Delivery>();
    }
    const bool own = entry.path.empty(); // nobody named the file
    const auto path = own ? defaultAuditPath() : entry.path;
    Result<std::unique_ptr<audit::Sink>> sink =
        Error{"audit.path", "neither XDG_STATE_HOME nor HOME names a folder for it"};
    if (!path.empty()) {
        if (own) {
            const auto folder = std::filesystem::path(path).parent_path();
            std::error_code ignored; // the sink says what is wrong
            std::filesystem::create_directories(folder.parent_path(), ignored);
            mkdir(folder.c_str(), 0700);
        }
        sink = openSinkInTime(entry, path);
    }
    if (!sink) {
        if (entry.given) {
            return Error{"audit.open", concat("the audit cannot be kept: ", sink.error().message,
                                              "; expected a file that can be written, or audit: "
                                              "off in the manifest")};
        }
        log.warning(concat("no audit is kept: ", sink.error().message));
        return std::shared_ptr<audit::Delivery>();
    }
    audit::DeliveryOptions options;
    options.mode = entry.sync ? audit::Mode::Sync : audit::Mode::Async;
    log.info(concat("the audit is kept in ", path));
    return std::make_shared<audit::Delivery>(std::move(*sink), options, path, log);
}

} // namespace tenon::app
