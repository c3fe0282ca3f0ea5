// SPDX-License-Identifier: Apache-2.0
// The embedder's door: the public API of the host, and nothing else.
//
//   loadFile, loadEntry     a plugin -> its catalog and handler     (plugin/loader.h)
//   mountOwnTools           functions of the program -> their tools (runner/own_tools.h)
//   Catalog::fromJson       a catalog for a handler of one's own    (catalog/catalog.h)
//   MountedCatalog::make    catalogs -> one set of tools            (catalog/mounted.h)
//   createToolRunner        the one call path                       (runner/runner.h)
//   createAuditHook         a row of each call, to a function       (runner/audit/audit.h)
//   Delivery                rows on their way to a file             (runner/audit/delivery.h)
//   JsonlSink, SqliteSink   the files                               (runner/audit/..._sink.h)
//   Metrics                 the figures, for Prometheus             (runner/metrics.h)
//   mountMcp                the runner as an MCP server             (frontends/mcp/server.h)
//   mountAgent              the runner as an agent's toolset        (frontends/agent/agent.h)
//
// examples/embed shows them at work.
#pragma once

#include "catalog/catalog.h"
#include "catalog/mounted.h"
#include "frontends/agent/agent.h"
#include "frontends/mcp/server.h"
#include "plugin/loader.h"
#include "runner/audit/audit.h"
#include "runner/audit/delivery.h"
#include "runner/audit/jsonl_sink.h"
#include "runner/audit/sqlite_sink.h"
#include "runner/errors.h"
#include "runner/metrics.h"
#include "runner/own_tools.h"
#include "runner/runner.h"
