// SPDX-License-Identifier: Apache-2.0
// `tenon list`: the tools of a manifest or of a plugin.
#include "app/commands.h"

namespace tenon::app {

int list(const ListRequest &request) {
    Log log(request.logLevel);
    auto host = makeHost(request.host, log);
    if (!host) {
        return refuse(host.error());
    }
    const auto printed = cli::listTools(host->runner->catalog(), request.filter, request.form);
    return leave(*host, writeOut(request.stdio.out, printed.out, printed.exitCode));
}

} // namespace tenon::app
