// SPDX-License-Identifier: Apache-2.0
// Where rows go: a place that takes them one batch at a time.
#pragma once

#include "runner/audit/row.h"
#include "support/result.h"

#include <chrono>
#include <optional>
#include <span>
#include <string>
#include <vector>

namespace tenon::audit {

// How a file of rows is kept from growing for ever. 0: never.
struct Rotation {
    std::uint64_t bytesMax = 64U << 20; // the file is put aside once it is larger
    std::chrono::seconds ageMax{0};     // or once it was begun longer ago
    std::chrono::seconds retention{std::chrono::hours(24 * 30)}; // rows and files older are deleted
};

// What became of a batch: the first `rows` of it are safe, which is to say that they survive the
// death of this process. If that is not all, the fault says why; the others may be tried again.
struct Written {
    std::size_t rows = 0;
    std::optional<Error> fault;
    // What the operator should hear once: a torn line was closed off, the file had vanished, ...
    // Neither here nor in a fault need the path be named: the delivery puts it in front.
    std::vector<std::string> notices;
};

// Called by one thread at a time. Never throws.
class Sink {
public:
    virtual ~Sink() = default;
    // Writes rows and nothing else: it waits no longer than about a second (a lock that another
    // process holds for longer is then a fault, "audit.locked").
    virtual Written write(std::span<const Row> rows) = 0;
    // What can wait until the rows are safe, and may take its time: rotation that is due, old rows
    // and files deleted. The notices of it. Called after each batch, when nobody waits for it.
    virtual std::vector<std::string> keepUp() { return {}; }
    // SIGHUP: the file is put aside and a new one begun; if somebody moved it since the last time,
    // a new one is only opened at its path, as programs that rotate logs expect.
    virtual Result<void> rotate() = 0;
};

} // namespace tenon::audit
