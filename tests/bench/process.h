// SPDX-License-Identifier: Apache-2.0
// A child process with pipes for its standard input and output.
#pragma once

#include <stdexcept>
#include <string>
#include <sys/resource.h>
#include <sys/types.h>
#include <vector>

namespace tenon::bench {

// Says what was seen and what was expected; the program then exits with 1.
struct Failure : std::runtime_error {
    using std::runtime_error::runtime_error;
};

class Child {
public:
    enum class Input { Pipe, Null };

    Child(const std::vector<std::string> &command, Input input);
    Child(const Child &) = delete;
    Child &operator=(const Child &) = delete;
    ~Child(); // kills a child that was not waited for

    pid_t pid() const { return pid_; }
    int in() const { return in_; }   // to write to; non-blocking
    int out() const { return out_; } // to read from; blocking

    void closeInput();
    // Waits for at most that long, then kills it and throws. The wait status.
    int wait(int seconds);
    // Waits for as long as it takes.
    int wait();
    const rusage &usage() const { return usage_; } // after wait
    // The most memory that it ever held, in KiB; 0 where the system does not say.
    long peakRssKib() const;

private:
    pid_t pid_ = -1;
    int in_ = -1, out_ = -1;
    rusage usage_{};
};

// "exit code 3", "signal 9".
std::string statusText(int waitStatus);

} // namespace tenon::bench
