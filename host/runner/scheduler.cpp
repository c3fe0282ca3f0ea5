// SPDX-License-Identifier: Apache-2.0
#include "runner/scheduler.h"

#include <algorithm>
#include <system_error>

namespace tenon {

namespace {

constexpr std::size_t kSpareThreads = 4; // beyond the limits, for posted work

} // namespace

Scheduler::~Scheduler() {
    {
        const std::lock_guard lock(mutex_);
        stopping_ = true;
        waiting_.clear();
    }
    wake_.notify_all();
    for (auto &thread : threads_) {
        thread.join();
    }
}

bool Scheduler::fits(const WorkKey &key) const {
    const auto count = [](const auto &map, const auto &at) {
        const auto found = map.find(at);
        return found == map.end() ? std::size_t{0} : found->second;
    };
    return running_ < limits_.hostMax && count(ofPlugin_, key.plugin) < key.pluginMax &&
           (key.serialTool == nullptr || count(ofTool_, key.serialTool) == 0) &&
           (key.principal.empty() || count(ofPrincipal_, key.principal) < limits_.principalMax);
}

void Scheduler::take(const WorkKey &key) {
    ++running_;
    ++ofPlugin_[key.plugin];
    if (key.serialTool != nullptr) {
        ++ofTool_[key.serialTool];
    }
    if (!key.principal.empty()) {
        ++ofPrincipal_[key.principal];
    }
}

void Scheduler::giveBack(const WorkKey &key) {
    const auto less = [](auto &map, const auto &at) {
        if (const auto found = map.find(at); found != map.end() && --found->second == 0) {
            map.erase(found);
        }
    };
    --running_;
    less(ofPlugin_, key.plugin);
    less(ofTool_, key.serialTool);
    less(ofPrincipal_, key.principal);
}

// False when there is no thread, and none can be had.
bool Scheduler::start(Work work) {
    if (stopping_) {
        return false;
    }
    ready_.push_back(std::move(work));
    if (idle_ < ready_.size() && threads_.size() < limits_.hostMax + kSpareThreads + lost_) {
        try {
            threads_.emplace_back([this] { serve(); });
        } catch (const std::system_error &) { // those that are there do the work
            if (threads_.empty()) {
                ready_.pop_back();
                return false;
            }
        }
    }
    wake_.notify_one();
    return true;
}

void Scheduler::serve() {
    std::unique_lock lock(mutex_);
    for (;;) {
        ++idle_;
        wake_.wait(lock, [&] { return !ready_.empty() || stopping_; });
        --idle_;
        if (ready_.empty()) {
            return;
        }
        Work work = std::move(ready_.front());
        ready_.pop_front();
        lock.unlock();
        work();
        work = nullptr;
        lock.lock();
    }
}

Scheduler::Admission Scheduler::submit(const WorkKey &key, Work work, const void *owner) {
    const std::lock_guard lock(mutex_);
    if (fits(key)) {
        take(key);
        if (!start(std::move(work))) {
            giveBack(key);
            return Admission::QueueFull;
        }
        return Admission::Accepted;
    }
    if (waiting_.size() >= limits_.queueMax) {
        return Admission::QueueFull;
    }
    waiting_.push_back({key, std::move(work), owner});
    return Admission::Accepted;
}

bool Scheduler::withdraw(const void *owner) {
    const std::lock_guard lock(mutex_);
    return std::erase_if(waiting_, [&](const Waiting &one) { return one.owner == owner; }) > 0;
}

void Scheduler::release(const WorkKey &key) {
    const std::lock_guard lock(mutex_);
    giveBack(key);
    // One place may let several go on: each waits for another of its limits.
    for (auto next = waiting_.begin(); next != waiting_.end() && running_ < limits_.hostMax;) {
        if (!fits(next->key)) {
            ++next;
            continue;
        }
        take(next->key);
        start(std::move(next->work));
        next = waiting_.erase(next);
    }
}

void Scheduler::post(Work work) {
    const std::lock_guard lock(mutex_);
    start(std::move(work));
}

void Scheduler::regainThread() {
    const std::lock_guard lock(mutex_);
    --lost_;
}

void Scheduler::giveUpThread() {
    const std::lock_guard lock(mutex_);
    ++lost_;
}

std::size_t Scheduler::waiting() const {
    const std::lock_guard lock(mutex_);
    return waiting_.size();
}

} // namespace tenon
