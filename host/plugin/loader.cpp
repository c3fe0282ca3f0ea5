// SPDX-License-Identifier: Apache-2.0
#include "plugin/loader.h"

#include "plugin/info.h"
#include "schema/schema.h"
#include "support/text.h"

#include <boost/dll/shared_library.hpp>

#include <cerrno>
#include <climits>
#include <cstdlib>
#include <cstring>
#include <dlfcn.h>
#include <link.h>

namespace tenon::plugin {

namespace {

std::string_view view(tenon_text text) {
    return text.data ? std::string_view(text.data, text.size) : std::string_view();
}

// Where a plugin pushes text at load, and why it failed.
struct Sink {
    std::size_t bytesMax;
    std::string_view limit; // its name
    std::string text = {}, reason = {};

    tenon_sink table() { return {sizeof(tenon_sink), 0, this, &write, &fail}; }
    static tenon_status write(void *context, tenon_text part) noexcept {
        Sink &sink = *static_cast<Sink *>(context);
        if (part.size > sink.bytesMax - sink.text.size()) {
            sink.reason = concat("more than ", sink.bytesMax,
                                 " bytes were written, the limit (limits.", sink.limit, ")");
            return TENON_LIMIT;
        }
        sink.text += view(part);
        return TENON_OK;
    }
    static tenon_status fail(void *context, tenon_text reason) noexcept {
        static_cast<Sink *>(context)->reason = view(reason);
        return TENON_OK;
    }
};

// What the steps share.
struct Loading {
    const std::string &origin;
    const LoadOptions &options;
    Log &log;
    std::shared_ptr<Instance> instance;
    const tenon_plugin *table = nullptr;

    Error refusal(std::string_view code, std::string_view reason) const {
        return {concat("plugin.", code), concat(printable(origin), ": ", reason)};
    }
    Error refusal(std::string_view code, std::string_view step, const Sink &sink) const {
        return refusal(code,
                       concat(step, sink.reason.empty() ? " without a reason"
                                                        : concat(": ", printable(sink.reason))));
    }
};

Result<void> negotiate(Loading &loading, tenon_entry_v1 entry) {
    const tenon_status status = entry(loading.instance->host(), &loading.table);
    if (status == TENON_UNSUPPORTED) {
        return loading.refusal("abi_minor",
                               concat("does not speak ABI ", TENON_ABI_MAJOR, ".0 to ",
                                      TENON_ABI_MAJOR, ".", TENON_ABI_MINOR,
                                      ", which this host serves; build it for one of them"));
    }
    if (status != TENON_OK) {
        return loading.refusal("entry", concat(TENON_ENTRY_SYMBOL, " answered status ", status,
                                               "; expected TENON_OK"));
    }
    if (loading.table == nullptr) {
        return loading.refusal("entry",
                               concat(TENON_ENTRY_SYMBOL, " answered TENON_OK and gave no table"));
    }
    return {};
}

Result<void> checkTable(const Loading &loading) {
    const tenon_plugin &table = *loading.table;
    if (table.struct_size < TENON_SIZE_PLUGIN_V1_0) {
        return loading.refusal("short_table",
                               concat("its table has ", table.struct_size,
                                      " bytes; expected at "
                                      "least ",
                                      TENON_SIZE_PLUGIN_V1_0, ", those of version 1.0"));
    }
    if (table.abi_major != TENON_ABI_MAJOR || table.abi_minor > TENON_ABI_MINOR) {
        return loading.refusal("abi_minor",
                               concat("its table is of ABI ", table.abi_major, ".", table.abi_minor,
                                      "; this host serves ", TENON_ABI_MAJOR, ".0 to ",
                                      TENON_ABI_MAJOR, ".", TENON_ABI_MINOR));
    }
    if (table.id.size > sizeof(tenon_info::id) ||
        table.version.size > sizeof(tenon_info::version)) {
        return loading.refusal("identity", concat("its table's id has ", table.id.size,
                                                  " bytes and its version ", table.version.size,
                                                  "; expected at most ", sizeof(tenon_info::id),
                                                  " and ", sizeof(tenon_info::version)));
    }
    const std::pair<bool, std::string_view> required[] = {{table.create != nullptr, "create"},
                                                          {table.catalog != nullptr, "catalog"},
                                                          {table.invoke != nullptr, "invoke"},
                                                          {table.destroy != nullptr, "destroy"}};
    for (const auto &[there, name] : required) {
        if (!there) {
            return loading.refusal("missing_function",
                                   concat("its table has no ", name, "(), which is required"));
        }
    }
    return {};
}

Result<void> checkConfig(const Loading &loading) {
    json::Document config;
    if (auto read = config.readView(loading.options.config); !read || !config.root().isObject()) {
        return loading.refusal("config", concat("its config is not a JSON object: ",
                                                read ? "" : read.error().message));
    }
    if (loading.table->config_schema == nullptr) {
        return {};
    }
    Sink sink{loading.options.limits.configSchemaBytesMax, "configSchemaBytes"};
    const auto out = sink.table();
    if (loading.table->config_schema(&out) != TENON_OK || !sink.reason.empty()) {
        return loading.refusal("config_schema", "config_schema() failed", sink);
    }
    json::Document text;
    if (auto read = text.readView(sink.text); !read) {
        return loading.refusal("config_schema", concat("its config schema is not strict JSON: ",
                                                       read.error().message));
    }
    const auto schema = schema::Schema::compile(text.root(), loading.options.limits);
    if (!schema) {
        return loading.refusal("config_schema", schema.error().message);
    }
    std::string problems;
    for (const auto &issue : (*schema)->validate(config.root())) {
        problems += concat(problems.empty() ? "" : "; ", issue.sentence());
    }
    return problems.empty()
               ? Result<void>()
               : loading.refusal("config", concat("its config is not valid: ", problems));
}

Result<void> create(const Loading &loading) {
    Sink sink{0, ""};
    const auto out = sink.table();
    const auto &config = loading.options.config;
    const tenon_create args{sizeof(tenon_create), 0, {config.data(), config.size()}, &out};
    tenon_instance *instance = nullptr;
    if (loading.table->create(loading.instance->host(), &args, &instance) != TENON_OK) {
        return loading.refusal("create", "create() failed", sink);
    }
    if (instance == nullptr) {
        return loading.refusal("create", "create() answered TENON_OK and made no instance");
    }
    loading.instance->adopt(loading.table, instance);
    return {};
}

Result<std::shared_ptr<const catalog::Catalog>> readCatalog(const Loading &loading,
                                                            tenon_instance *instance) {
    Sink sink{loading.options.limits.catalogBytesMax, "catalogBytes"};
    const auto out = sink.table();
    if (loading.table->catalog(instance, &out) != TENON_OK || !sink.reason.empty()) {
        return loading.refusal("catalog", "catalog() failed", sink);
    }
    auto catalog =
        catalog::Catalog::fromJson(sink.text, loading.options.limits, loading.options.arguments);
    if (!catalog) {
        return loading.refusal("catalog", catalog.error().message);
    }
    const auto id = view(loading.table->id);
    const auto version = view(loading.table->version);
    if ((*catalog)->id() != id || (*catalog)->version() != version) {
        return loading.refusal("identity",
                               concat("its catalog is of ", (*catalog)->id(), " ",
                                      (*catalog)->version(), "; its table says ",
                                      printable(id, 100), " ", printable(version, 100)));
    }
    for (const auto &note : (*catalog)->notes()) {
        loading.log.warning(concat(loading.origin, ": ", note));
    }
    return *catalog;
}

Result<std::string> resolve(const std::string &path) {
    char absolute[PATH_MAX];
    if (path.empty() || realpath(path.c_str(), absolute) == nullptr) {
        const std::string why = path.empty() ? "no path was given"
                                : errno == ENOENT || errno == ENOTDIR
                                    ? "there is no such file"
                                    : std::string(std::strerror(errno));
        return Error{"plugin.not_found",
                     concat(printable(path), ": ", why, "; expected the path of a plugin (.so)")};
    }
    return std::string(absolute);
}

// The library, mapped for good (RTLD_NODELETE): a plugin is never unloaded.
Result<boost::dll::shared_library> openLibrary(const std::string &path) {
    namespace load_mode = boost::dll::load_mode;
    constexpr auto kForGood = static_cast<load_mode::type>(RTLD_NODELETE);
    boost::dll::shared_library library;
    boost::dll::fs::error_code failed;
    dlerror();
    library.load(path, failed, load_mode::rtld_now | load_mode::rtld_local | kForGood);
    if (failed) {
        const char *reason = dlerror();
        return Error{"plugin.dlopen", concat(printable(path), ": the dynamic loader refused it: ",
                                             printable(reason ? reason : "without a reason"))};
    }
    return library;
}

// The entry, if the file itself has it: dlsym would also find one in a library that it needs.
Result<tenon_entry_v1> findEntry(const boost::dll::shared_library &library,
                                 const std::string &path) {
    const auto missing = [&](std::string_view why) {
        return Error{"plugin.no_entry",
                     concat(printable(path), ": ", why, TENON_ENTRY_SYMBOL,
                            "; expected the one symbol that TENON_PLUGIN or tenon_add_plugin() "
                            "exports")};
    };
    void *symbol = dlsym(library.native(), TENON_ENTRY_SYMBOL);
    if (symbol == nullptr) {
        return missing("does not export ");
    }
    Dl_info owner{};
    link_map *map = nullptr;
    dladdr(symbol, &owner);
    dlinfo(library.native(), RTLD_DI_LINKMAP, &map);
    if (map == nullptr || owner.dli_fname == nullptr ||
        std::string_view(owner.dli_fname) != map->l_name) {
        return missing("only a library that it needs exports ");
    }
    return reinterpret_cast<tenon_entry_v1>(symbol);
}

} // namespace

Result<LoadedPlugin> loadEntry(const std::string &origin, tenon_entry_v1 entry,
                               const LoadOptions &options, Log &log) {
    Loading loading{origin, options, log, std::make_shared<Instance>(origin, options.limits, log),
                    nullptr};
    if (auto done = negotiate(loading, entry); !done) {
        return done.error();
    }
    if (auto done = checkTable(loading); !done) {
        return done.error();
    }
    if (auto done = checkConfig(loading); !done) {
        return done.error();
    }
    if (auto done = create(loading); !done) {
        return done.error();
    }
    auto catalog = readCatalog(loading, loading.instance->raw());
    if (!catalog) {
        return catalog.error();
    }
    return LoadedPlugin{*catalog, loading.instance, origin};
}

Result<LoadedPlugin> loadFile(const std::string &path, const LoadOptions &options, Log &log) {
    const auto absolute = resolve(path);
    if (!absolute) {
        return absolute.error();
    }
    const auto info = readInfo(*absolute);
    if (!info) {
        return info.error();
    }
    const auto library = openLibrary(*absolute);
    if (!library) {
        return library.error();
    }
    const auto entry = findEntry(*library, *absolute);
    if (!entry) {
        return entry.error();
    }
    auto loaded = loadEntry(*absolute, *entry, options, log);
    if (loaded &&
        (loaded->catalog->id() != info->id || loaded->catalog->version() != info->version)) {
        return Error{"plugin.identity",
                     concat(*absolute, ": its info record is of ", printable(info->id), " ",
                            printable(info->version), "; its table says ", loaded->catalog->id(),
                            " ", loaded->catalog->version())};
    }
    return loaded;
}

} // namespace tenon::plugin
