// SPDX-License-Identifier: Apache-2.0
// The C table of a C++ plugin and the barrier that no exception passes. Included by plugin.hpp;
// TENON_PLUGIN is what an author uses of it.
#pragma once

#include <tenon/plugin.hpp>

namespace tenon::detail {

// What TENON_PLUGIN and TENON_CONFIG leave for the table. One plugin per library.
struct Declared {
    const char *id;
    const char *version;
    void (*body)(Plugin &);
};
[[gnu::visibility("hidden")]] inline std::string (*configSchemaOf)() =
    nullptr; // set by TENON_CONFIG before any call

inline Plugin *pluginOf(tenon_instance *instance) {
    return reinterpret_cast<Plugin *>(instance);
}

// Runs work for the host at load: nothing thrown leaves, and the sink learns why.
template <class Work> tenon_status guarded(const tenon_sink *out, Work work) noexcept {
    try {
        try {
            work();
            return TENON_OK;
        } catch (const std::exception &error) {
            out->fail(out->context, text(wholeMessage(error)));
        } catch (...) {
            out->fail(out->context, text("something that is not a std::exception was thrown"));
        }
    } catch (...) { // no memory even to say so
    }
    return TENON_ERROR;
}

template <const Declared &declared> struct Table {
    static tenon_status configSchema(const tenon_sink *out) {
        return guarded(out, [&] {
            out->write(out->context,
                       text(configSchemaOf ? configSchemaOf() : Fields<None>::of().schema()));
        });
    }
    static tenon_status create(const tenon_host *host, const tenon_create *args,
                               tenon_instance **out) {
        return guarded(args->out, [&] {
            auto plugin =
                std::make_unique<Plugin>(host, declared.id, declared.version, view(args->config));
            declared.body(*plugin);
            *out = reinterpret_cast<tenon_instance *>(plugin.release());
        });
    }
    static tenon_status catalog(tenon_instance *instance, const tenon_sink *out) {
        return guarded(out, [&] { out->write(out->context, text(pluginOf(instance)->catalog())); });
    }
    static std::uint32_t invoke(tenon_instance *instance, const tenon_invocation *invocation) {
        // The host is found through the plugin before anything can throw.
        const Plugin &plugin = *pluginOf(instance);
        try {
            return plugin.invoke(*invocation);
        } catch (...) {
            plugin.contextOf(invocation->call).failWithCurrent();
            return TENON_DONE;
        }
    }
    static void stop(tenon_instance *instance) {
        try {
            pluginOf(instance)->stop();
        } catch (const std::exception &error) {
            pluginOf(instance)->log(Level::Error, "stop failed: " + wholeMessage(error));
        } catch (...) {
            pluginOf(instance)->log(Level::Error, "stop failed");
        }
    }
    static void destroy(tenon_instance *instance) { delete pluginOf(instance); }

    static tenon_status entry(const tenon_host *host, const tenon_plugin **out) {
        if (host->abi_minor_min > TENON_ABI_MINOR) {
            return TENON_UNSUPPORTED;
        }
        static const tenon_plugin table = {sizeof(tenon_plugin),
                                           TENON_ABI_MAJOR,
                                           TENON_ABI_MINOR,
                                           0,
                                           text(declared.id),
                                           text(declared.version),
                                           &configSchema,
                                           &create,
                                           &catalog,
                                           &invoke,
                                           nullptr, // cancel: handlers ask cancelled()
                                           &stop,
                                           &destroy,
                                           nullptr};
        *out = &table;
        return TENON_OK;
    }
};

} // namespace tenon::detail

// The plugin: TENON_PLUGIN(plugin, "id", "1.0.0") { plugin.tool<...>(...); }
#define TENON_PLUGIN(NAME, ID, VERSION)                                                            \
    TENON_INFO(ID, VERSION);                                                                       \
    static void tenonPluginBody(::tenon::Plugin &NAME);                                            \
    static constexpr ::tenon::detail::Declared tenonDeclared{ID, VERSION, &tenonPluginBody};       \
    extern "C" TENON_EXPORT tenon_status tenon_plugin_v1(const tenon_host *host,                   \
                                                         const tenon_plugin **out) {               \
        return ::tenon::detail::Table<tenonDeclared>::entry(host, out);                            \
    }                                                                                              \
    static void tenonPluginBody([[maybe_unused]] ::tenon::Plugin &NAME)

// The type of the plugin's config, for the host to check before the plugin is made.
#define TENON_CONFIG(TYPE)                                                                         \
    static const bool tenonConfigDeclared =                                                        \
        (::tenon::detail::configSchemaOf = &::tenon::Codec<TYPE>::schema) != nullptr;
