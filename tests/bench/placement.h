// SPDX-License-Identifier: Apache-2.0
// Which processors the load generator and the server run on. Left to itself the scheduler puts
// the two now on one, now on two, and a message then takes 3 or 45 us: no ratio survives that.
#pragma once

namespace tenon::bench {

enum class Placement {
    Free,    // as the scheduler likes
    Apart,   // the generator on the first processor, the server on all the others
    Together // both on the first: what a message costs, without what waking a processor takes
};

// Binds this process to where its child is to run, before the child is started...
void placeForChild(Placement placement);
// ...and to where the generator itself is to run, after. Both throw Failure.
void placeSelf(Placement placement);

} // namespace tenon::bench
