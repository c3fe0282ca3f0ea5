// SPDX-License-Identifier: Apache-2.0
#include "app/host.h"

#include "manifest/manifest.h"
#include "plugin/loader.h"
#include "runner/audit/audit.h"
#include "support/text.h"

#include <cstdlib>

namespace tenon::app {

namespace {

Result<manifest::Manifest> manifestOf(const HostOptions &options) {
    if (!options.manifest.empty()) {
        return manifest::readManifest(options.manifest);
    }
    manifest::Manifest made;
    for (const auto &path : options.plugins) {
        auto &entry = made.plugins.emplace_back();
        entry.path = path;
        entry.trusted = options.isolation == "none";
        entry.where = path;
    }
    return made;
}

void warnOfTrust(const manifest::PluginEntry &entry, Log &log) {
    if (!entry.trusted) {
        log.warning(
            concat(entry.path, ": runs inside this process, without isolation; say so with ",
                   "--isolation none (or isolation: none in the manifest) if it is trusted"));
    }
}

void warnOfLoaderVariables(Log &log) {
    for (const auto *name : {"LD_PRELOAD", "LD_LIBRARY_PATH", "LD_AUDIT"}) {
        if (const char *value = std::getenv(name)) {
            log.warning(concat(name, " is set to ", printable(value, 200),
                               ": it changes what plugins load"));
        }
    }
}

Result<catalog::Mount> mountOf(const manifest::PluginEntry &entry, const Limits &limits, Log &log) {
    plugin::LoadOptions options;
    options.config = entry.config;
    options.limits = limits;
    options.arguments = entry.arguments;
    auto loaded = plugin::loadFile(entry.path, options, log);
    if (!loaded) {
        return loaded.error();
    }
    catalog::Mount mount;
    mount.catalog = loaded->catalog;
    mount.handler = loaded->instance;
    mount.origin = loaded->origin;
    mount.prefix = entry.prefix;
    mount.timeoutMs = entry.timeoutMs;
    mount.allow = entry.allow;
    mount.deny = entry.deny;
    if (entry.concurrency != 0) {
        mount.concurrencyMax = entry.concurrency;
    }
    return mount;
}

Result<std::shared_ptr<const catalog::MountedCatalog>>
loadPlugins(const manifest::Manifest &manifest, Log &log) {
    std::vector<catalog::Mount> mounts;
    Error last;
    for (const auto &entry : manifest.plugins) {
        auto mount = mountOf(entry, manifest.limits, log);
        if (mount) {
            warnOfTrust(entry, log);
            mounts.push_back(std::move(*mount));
        } else if (entry.required || manifest.plugins.size() == 1) {
            return mount.error();
        } else {
            last = mount.error();
            log.error(concat(entry.where, ": the plugin is left out: ", last.message));
        }
    }
    if (mounts.empty()) {
        return Error{"host.no_plugins",
                     concat("no plugin could be loaded, the last one because ", last.message)};
    }
    return catalog::MountedCatalog::make(std::move(mounts));
}

Result<Host> hostOf(const manifest::Manifest &manifest, const HostOptions &options,
                    const std::shared_ptr<const Masker> &masker, Log &log) {
    const auto catalog = loadPlugins(manifest, log);
    if (!catalog) {
        return catalog.error();
    }
    auto delivery = openAudit(manifest.audit, options.audit, log);
    if (!delivery) {
        return delivery.error();
    }
    Host host;
    host.serverName = manifest.serverName;
    host.serverVersion = manifest.serverVersion.empty() ? TENON_VERSION : manifest.serverVersion;
    host.instructions = manifest.instructions;
    host.audit = std::move(*delivery);
    host.metrics = std::make_unique<Metrics>(*catalog);
    ToolRunnerOptions runnerOptions;
    runnerOptions.catalog = *catalog;
    runnerOptions.log = &log;
    runnerOptions.limits = manifest.limits;
    runnerOptions.hooks.push_back(host.metrics->hooks());
    if (host.audit) {
        runnerOptions.hooks.push_back(audit::createAuditHook(host.audit, audit::Sanitiser(masker)));
    }
    auto runner = createToolRunner(std::move(runnerOptions));
    if (!runner) {
        return runner.error();
    }
    host.runner = std::move(*runner);
    return host;
}

} // namespace

Result<Host> makeHost(const HostOptions &options, Log &log) {
    const auto manifest = manifestOf(options);
    if (!manifest) {
        return manifest.error();
    }
    const auto masker = maskerOf(*manifest);
    log.mask(masker); // before any plugin is loaded: what it fails with is masked, too
    warnOfLoaderVariables(log);
    auto host = hostOf(*manifest, options, masker, log);
    if (!host) {
        return Error{host.error().code, masker->masked(host.error().message)};
    }
    return host;
}

} // namespace tenon::app
