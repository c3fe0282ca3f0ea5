// SPDX-License-Identifier: Apache-2.0
// Work to be done at a time unless it is called off: one thread, started when first needed.
#pragma once

#include <chrono>
#include <condition_variable>
#include <functional>
#include <map>
#include <mutex>
#include <thread>
#include <utility>

namespace tenon {

class Deadlines {
public:
    using Time = std::chrono::steady_clock::time_point;
    // Names one piece of work; equal to no other, ever.
    using Key = std::pair<Time, std::uint64_t>;

    Deadlines() = default;
    ~Deadlines(); // what is not due yet is dropped
    Deadlines(const Deadlines &) = delete;
    Deadlines &operator=(const Deadlines &) = delete;

    // Runs work on the thread of this object once due; keep it short. Adding costs a look-up, and
    // wakes the thread only if nothing is due earlier.
    Key add(Time due, std::function<void()> work);
    // True if the work was called off before it began.
    bool remove(const Key &key);

private:
    void run();

    std::mutex mutex_;
    std::condition_variable changed_;
    std::map<Key, std::function<void()>> due_;
    std::uint64_t last_ = 0;
    bool stopping_ = false;
    std::thread thread_;
};

} // namespace tenon
