// SPDX-License-Identifier: Apache-2.0
// What this process uses of the machine, under the names that every Prometheus client gives.
#pragma once

#include "runner/exposition.h"

namespace tenon {

// Families process_*, read from /proc/self. What the system does not tell is left out.
void writeProcessFigures(exposition::Writer &out);

} // namespace tenon
