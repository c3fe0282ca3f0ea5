// SPDX-License-Identifier: Apache-2.0
// A plugin's instance inside this process, and the host's side of the ABI that it calls back.
#pragma once

#include "catalog/handler.h"
#include "plugin/call_table.h"
#include "support/limits.h"
#include "support/log.h"

#include <tenon/abi.h>

#include <atomic>
#include <string>

namespace tenon::plugin {

// Lives until the process ends or its last call is over; then the plugin is stopped and destroyed,
// and its code stays mapped. Neither copied nor moved: the plugin holds its address.
class Instance final : public Handler, public std::enable_shared_from_this<Instance> {
public:
    Instance(std::string origin, const Limits &limits, Log &log);
    ~Instance() override;
    Instance(const Instance &) = delete;
    Instance &operator=(const Instance &) = delete;

    // What the plugin is given: valid as long as this object.
    const tenon_host *host() const { return &host_; }
    // Takes over a plugin that was created.
    void adopt(const tenon_plugin *table, tenon_instance *instance);
    tenon_instance *raw() const { return instance_; }

    void invoke(const CallPtr &call) noexcept override;
    void cancel(const CallPtr &call) noexcept override;
    void abandon(const CallPtr &call) noexcept override;
    void stop() noexcept override { end(); }
    bool mayRunInline() const noexcept override { return true; }
    std::string unavailable() const override;

private:
    struct Services; // the functions that host_ and the extensions point at

    bool settle(tenon_call handle) noexcept;
    void end() noexcept;
    static HandlerOutcome outcomeOf(Pushed pushed);

    std::string origin_;
    const Limits limits_;
    Log &log_;
    tenon_host host_;
    CallTable calls_;
    const tenon_plugin *table_ = nullptr;
    tenon_instance *instance_ = nullptr;
    std::atomic<bool> quarantined_ = false;
    std::shared_ptr<Instance>
        forGood_; // once quarantined: a thread of it may call back at any time
};

} // namespace tenon::plugin
