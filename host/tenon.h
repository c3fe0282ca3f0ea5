// SPDX-License-Identifier: Apache-2.0
// The embedder's door: the public API of the host, and nothing else.
//
//   loadFile, loadEntry     a plugin -> its catalog and handler     (plugin/loader.h)
//   Catalog::fromJson       in-process tools -> a catalog           (catalog/catalog.h)
//   MountedCatalog::make    catalogs -> one set of tools            (catalog/mounted.h)
//   createToolRunner        the one call path                       (runner/runner.h)
//   mountMcp                the runner as an MCP server             (frontends/mcp/server.h)
//   mountAgent              the runner as an agent's toolset        (frontends/agent/agent.h)
//
// host/README.md shows them at work.
#pragma once

#include "catalog/catalog.h"
#include "catalog/mounted.h"
#include "frontends/agent/agent.h"
#include "frontends/mcp/server.h"
#include "plugin/loader.h"
#include "runner/errors.h"
#include "runner/runner.h"
