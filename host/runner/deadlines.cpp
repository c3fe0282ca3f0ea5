// SPDX-License-Identifier: Apache-2.0
#include "runner/deadlines.h"

namespace tenon {

Deadlines::~Deadlines() {
    {
        const std::lock_guard lock(mutex_);
        stopping_ = true;
    }
    changed_.notify_all();
    if (thread_.joinable()) {
        thread_.join();
    }
}

Deadlines::Key Deadlines::add(Time due, std::function<void()> work) {
    const std::lock_guard lock(mutex_);
    const Key key{due, ++last_};
    const auto place = due_.emplace(key, std::move(work)).first;
    if (!thread_.joinable()) {
        thread_ = std::thread([this] { run(); });
    } else if (place == due_.begin()) {
        changed_.notify_all();
    }
    return key;
}

bool Deadlines::remove(const Key &key) {
    const std::lock_guard lock(mutex_);
    return due_.erase(key) > 0;
}

void Deadlines::run() {
    std::unique_lock lock(mutex_);
    while (!stopping_) {
        if (due_.empty()) {
            changed_.wait(lock);
            continue;
        }
        const auto first = due_.begin();
        if (first->first.first > std::chrono::steady_clock::now()) {
            const auto until = first->first.first;
            changed_.wait_until(lock, until);
            continue;
        }
        const auto work = std::move(first->second);
        due_.erase(first);
        lock.unlock();
        work();
        lock.lock();
    }
}

} // namespace tenon
