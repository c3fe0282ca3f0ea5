// SPDX-License-Identifier: Apache-2.0
#include "placement.h"

#include "process.h"

#include <cerrno>
#include <cstring>
#include <sched.h>

namespace tenon::bench {

namespace {

// What this process may use; asked once, before anything is bound.
const cpu_set_t &allowed() {
    static const cpu_set_t set = [] {
        cpu_set_t found;
        CPU_ZERO(&found);
        if (::sched_getaffinity(0, sizeof found, &found) != 0) {
            throw Failure(std::string("cannot ask for the processors: ") + std::strerror(errno));
        }
        return found;
    }();
    return set;
}

unsigned firstAllowed() {
    unsigned cpu = 0;
    while (cpu + 1 < CPU_SETSIZE && !CPU_ISSET(cpu, &allowed())) {
        ++cpu;
    }
    return cpu;
}

void bind(const cpu_set_t &set) {
    if (::sched_setaffinity(0, sizeof set, &set) != 0) {
        throw Failure(std::string("cannot choose the processors: ") + std::strerror(errno));
    }
}

} // namespace

void placeForChild(Placement placement) {
    if (placement == Placement::Together) {
        placeSelf(placement);
    } else if (placement == Placement::Apart) {
        cpu_set_t others = allowed();
        CPU_CLR(firstAllowed(), &others);
        if (CPU_COUNT(&others) == 0) {
            throw Failure("one processor was seen; expected two, to run generator and server "
                          "apart: use --place together");
        }
        bind(others);
    }
}

void placeSelf(Placement placement) {
    if (placement != Placement::Free) {
        cpu_set_t first;
        CPU_ZERO(&first);
        CPU_SET(firstAllowed(), &first);
        bind(first);
    }
}

} // namespace tenon::bench
