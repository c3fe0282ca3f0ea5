// SPDX-License-Identifier: Apache-2.0
// A write beyond the process's limit (ulimit -f) raises SIGXFSZ, which kills; EFBIG says it as
// well.
#pragma once

#include <csignal>
#include <ctime>

namespace tenon::audit {

// While it lives, this thread is not killed by it.
class FileSizeSignalHeld {
public:
    FileSizeSignalHeld() {
        sigemptyset(&set_);
        sigaddset(&set_, SIGXFSZ);
        pthread_sigmask(SIG_BLOCK, &set_, &before_);
    }
    ~FileSizeSignalHeld() {
        if (sigismember(&before_, SIGXFSZ) == 0) {
            const timespec none{};
            sigtimedwait(&set_, nullptr, &none);
        }
        pthread_sigmask(SIG_SETMASK, &before_, nullptr);
    }
    FileSizeSignalHeld(const FileSizeSignalHeld &) = delete;
    FileSizeSignalHeld &operator=(const FileSizeSignalHeld &) = delete;

private:
    sigset_t set_{}, before_{};
};

} // namespace tenon::audit
