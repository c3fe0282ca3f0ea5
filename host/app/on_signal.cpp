// SPDX-License-Identifier: Apache-2.0
#include "app/on_signal.h"

#include <array>
#include <atomic>
#include <cerrno>
#include <csignal>
#include <sys/eventfd.h>
#include <unistd.h>
#include <utility>

namespace tenon::app {

namespace {

constexpr eventfd_t kEnd = eventfd_t{1} << 32U;

// For the signal handler alone, by the signal's number.
struct Slot {
    std::atomic<int> wake = -1;
    std::atomic<bool> ends = false; // the process, when it comes again
};
std::array<Slot, NSIG> slots;

void onSignal(int number) {
    const int saved = errno;
    Slot &slot = slots[static_cast<std::size_t>(number)];
    const int wake = slot.ends ? slot.wake.exchange(-1) : slot.wake.load();
    if (wake < 0) {
        _exit(128 + number);
    }
    eventfd_write(wake, 1);
    errno = saved;
}

} // namespace

OnSignal::OnSignal(std::initializer_list<int> signals, Again again, std::function<void()> work)
    : signals_(signals), work_(std::move(work)), wake_(eventfd(0, EFD_CLOEXEC)) {
    thread_ = std::thread([this] {
        eventfd_t count = 0;
        while (eventfd_read(wake_, &count) == 0 || errno == EINTR) {
            if (count >= kEnd) {
                return;
            }
            if (std::exchange(count, 0) > 0) {
                work_();
            }
        }
    });
    struct sigaction action {};
    action.sa_handler = onSignal;
    action.sa_flags = SA_RESTART;
    for (const int number : signals_) {
        Slot &slot = slots[static_cast<std::size_t>(number)];
        slot.ends = again == Again::EndsProcess;
        slot.wake = wake_;
        sigaction(number, &action, &before_.emplace_back());
    }
}

OnSignal::~OnSignal() {
    for (std::size_t i = 0; i < signals_.size(); ++i) {
        sigaction(signals_[i], &before_[i], nullptr);
    }
    eventfd_write(wake_, kEnd);
    thread_.join();
    // The descriptor stays open: a handler on its way may still write to it.
}

} // namespace tenon::app
