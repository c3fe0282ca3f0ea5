// SPDX-License-Identifier: Apache-2.0
// What is derived from a whole program, once all of its nodes are there. Private to this folder.
#pragma once

#include "schema/program.h"
#include "support/limits.h"
#include "support/result.h"

namespace tenon::schema {

// Refuses a schema that refers to itself without end; fills in Node's types, target, leaf and
// collects, and the defaults.
Result<void> finish(Program &program, const Limits &limits);

} // namespace tenon::schema
