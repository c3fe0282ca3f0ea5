// SPDX-License-Identifier: Apache-2.0
// Signals as events.
#pragma once

#include <csignal>
#include <functional>
#include <initializer_list>
#include <thread>
#include <vector>

namespace tenon::app {

// While it lives, these signals run a function, on a thread of its own. A signal has one of these
// at a time.
class OnSignal {
public:
    enum class Again {
        Runs,       // each signal runs the function
        EndsProcess // the first one does; a second one ends the process with 128 + its number
    };
    OnSignal(std::initializer_list<int> signals, Again again, std::function<void()> work);
    ~OnSignal(); // the signals have the effect that they had before
    OnSignal(const OnSignal &) = delete;
    OnSignal &operator=(const OnSignal &) = delete;

private:
    std::vector<int> signals_;
    std::vector<struct sigaction> before_;
    std::function<void()> work_;
    int wake_;
    std::thread thread_;
};

} // namespace tenon::app
