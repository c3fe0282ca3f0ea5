// SPDX-License-Identifier: Apache-2.0
#include "runner/own_tools.h"

#include "json/writer.h"
#include "runner/throw_site.h"
#include "support/text.h"

#include <map>

namespace tenon {

namespace {

class OwnHandler : public Handler {
public:
    void add(std::string name, OwnTool tool) { tools_.emplace(std::move(name), std::move(tool)); }

    void invoke(const CallPtr &call) noexcept override {
        HandlerOutcome outcome;
        auto thrown = guarded(ThrowSite::Handler, [&] {
            json::Document arguments;
            const auto text = call->arguments();
            if (const auto read = arguments.readView(text, {text.size(), UINT32_MAX}); !read) {
                throw read.error();
            }
            outcome = tools_.find(call->toolName())->second.run(*call, arguments.root());
        });
        call->finish(std::move(thrown ? *thrown : outcome));
    }
    bool mayRunInline() const noexcept override { return true; }

private:
    std::map<std::string, OwnTool, std::less<>> tools_;
};

} // namespace

Result<catalog::Mount> mountOwnTools(std::string_view id, std::string_view version,
                                     std::vector<OwnTool> tools, const Limits &limits) {
    json::Writer json;
    json.object().key("id").string(validUtf8(id)).key("version").string(validUtf8(version));
    json.key("tools").array();
    for (std::size_t i = 0; i < tools.size(); ++i) {
        json::Document definition;
        const auto read = definition.readView(tools[i].definition);
        if (!read || !tools[i].run) {
            return Error{"catalog.invalid",
                         concat("the tool at ", i, " of \"", printable(id, 100), "\" ",
                                read ? "has no function to run"
                                     : concat("is no strict JSON: ", read.error().message))};
        }
        json.raw(tools[i].definition);
    }
    auto made = catalog::Catalog::fromJson(json.endArray().endObject().text(), limits);
    if (!made) {
        return made.error();
    }
    const auto handler = std::make_shared<OwnHandler>();
    for (std::size_t i = 0; i < tools.size(); ++i) {
        handler->add((*made)->tools()[i].name, std::move(tools[i]));
    }
    catalog::Mount mount;
    mount.catalog = std::move(*made);
    mount.handler = handler;
    mount.origin = "this program";
    return mount;
}

} // namespace tenon
