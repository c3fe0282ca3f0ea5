// SPDX-License-Identifier: Apache-2.0
// The same golden table, seen by a C++ compiler.
#include "layout.c"
