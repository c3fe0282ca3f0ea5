// SPDX-License-Identifier: Apache-2.0
// Where work runs: a pool that grows as calls block, and the limits on how much runs at once.
// Threads start when they are first needed.
#pragma once

#include <condition_variable>
#include <deque>
#include <functional>
#include <map>
#include <mutex>
#include <string>
#include <thread>
#include <unordered_map>
#include <vector>

namespace tenon {

struct ConcurrencyLimits {
    std::size_t hostMax = 64;      // calls running at once, and so threads
    std::size_t principalMax = 32; // of one authenticated principal
    std::size_t queueMax = 1024;   // waiting
};

// How much there is to do at one moment.
struct Load {
    std::size_t running = 0; // begun and not ended
    std::size_t waiting = 0; // in the queue
};

// What a piece of work counts against.
struct WorkKey {
    std::size_t plugin = 0; // index
    std::size_t pluginMax = 16;
    const void *serialTool = nullptr; // set: one at a time of that tool
    std::string principal;            // "": not limited
};

class Scheduler {
public:
    using Work = std::function<void()>;
    enum class Admission { Accepted, QueueFull };

    explicit Scheduler(const ConcurrencyLimits &limits) : limits_(limits) {}
    // Drops what waits and joins the pool. Precondition: no thread is stuck in a plugin.
    ~Scheduler();
    Scheduler(const Scheduler &) = delete;
    Scheduler &operator=(const Scheduler &) = delete;

    // Runs work on a pool thread once the limits allow; first come, first served among those that
    // may run. The place that it takes is free again after release(): a call may outlive the
    // function that began it.
    Admission submit(const WorkKey &key, Work work, const void *owner);
    // Takes the owner's work out of the queue; false when it runs or is about to.
    bool withdraw(const void *owner);
    void release(const WorkKey &key);
    // Runs short work on a pool thread, outside the limits.
    void post(Work work);
    // A pool thread is stuck in a plugin and may never come back: another may take its place. And
    // it came back.
    void giveUpThread();
    void regainThread();
    std::size_t waiting() const; // in the queue

private:
    struct Waiting {
        WorkKey key;
        Work work;
        const void *owner;
    };
    // All under the mutex.
    bool fits(const WorkKey &key) const;
    void take(const WorkKey &key);
    void giveBack(const WorkKey &key);
    bool start(Work work);
    void serve();

    const ConcurrencyLimits limits_;
    mutable std::mutex mutex_;
    std::condition_variable wake_;
    std::deque<Work> ready_;
    std::deque<Waiting> waiting_;
    std::vector<std::thread> threads_;
    std::size_t idle_ = 0, running_ = 0, lost_ = 0;
    bool stopping_ = false;
    std::unordered_map<std::size_t, std::size_t> ofPlugin_;
    std::unordered_map<const void *, std::size_t> ofTool_;
    std::map<std::string, std::size_t> ofPrincipal_;
};

} // namespace tenon
