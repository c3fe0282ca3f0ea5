// SPDX-License-Identifier: Apache-2.0
#include "process.h"

#include <cerrno>
#include <chrono>
#include <csignal>
#include <cstdlib>
#include <cstring>
#include <fcntl.h>
#include <fstream>
#include <poll.h>
#include <spawn.h>
#include <sys/wait.h>
#include <unistd.h>

extern char **environ;

namespace tenon::bench {

namespace {

struct Pipe {
    int read = -1, write = -1;
};

Pipe makePipe() {
    int ends[2];
    if (::pipe2(ends, O_CLOEXEC) != 0) {
        throw Failure(std::string("cannot make a pipe: ") + std::strerror(errno));
    }
    return {ends[0], ends[1]};
}

void closeIfOpen(int &descriptor) {
    if (descriptor >= 0) {
        ::close(descriptor);
        descriptor = -1;
    }
}

} // namespace

Child::Child(const std::vector<std::string> &command, Input input) {
    std::vector<char *> words;
    words.reserve(command.size() + 1);
    for (const auto &word : command) {
        words.push_back(const_cast<char *>(word.c_str()));
    }
    words.push_back(nullptr);

    Pipe in, out = makePipe();
    posix_spawn_file_actions_t actions;
    posix_spawn_file_actions_init(&actions);
    if (input == Input::Pipe) {
        in = makePipe();
        posix_spawn_file_actions_adddup2(&actions, in.read, STDIN_FILENO);
    } else {
        posix_spawn_file_actions_addopen(&actions, STDIN_FILENO, "/dev/null", O_RDONLY, 0);
    }
    posix_spawn_file_actions_adddup2(&actions, out.write, STDOUT_FILENO);
    const int failed = ::posix_spawnp(&pid_, words[0], &actions, nullptr, words.data(), environ);
    posix_spawn_file_actions_destroy(&actions);
    closeIfOpen(in.read);
    closeIfOpen(out.write);
    in_ = in.write;
    out_ = out.read;
    if (failed != 0) {
        pid_ = -1;
        closeInput();
        closeIfOpen(out_);
        throw Failure("cannot start " + command[0] + ": " + std::strerror(failed) +
                      "; expected a program: build it, or give its path");
    }
    if (in_ >= 0) {
        ::fcntl(in_, F_SETFL, O_NONBLOCK);
    }
}

Child::~Child() {
    if (pid_ > 0) {
        ::kill(pid_, SIGKILL);
        wait();
    }
    closeInput();
    closeIfOpen(out_);
}

void Child::closeInput() {
    closeIfOpen(in_);
}

int Child::wait() {
    int status = 0;
    while (::wait4(pid_, &status, 0, &usage_) < 0 && errno == EINTR) {
    }
    pid_ = -1;
    return status;
}

int Child::wait(int seconds) {
    const auto end = std::chrono::steady_clock::now() + std::chrono::seconds(seconds);
    int status = 0;
    while (::wait4(pid_, &status, WNOHANG, &usage_) == 0) {
        if (std::chrono::steady_clock::now() > end) {
            ::kill(pid_, SIGKILL);
            wait();
            throw Failure("the server still ran " + std::to_string(seconds) +
                          " s after the end of its input; expected it to exit");
        }
        ::poll(nullptr, 0, 1);
    }
    pid_ = -1;
    return status;
}

long Child::peakRssKib() const {
    std::ifstream status("/proc/" + std::to_string(pid_) + "/status");
    for (std::string line; std::getline(status, line);) {
        if (line.starts_with("VmHWM:")) {
            return std::strtol(line.c_str() + 6, nullptr, 10);
        }
    }
    return 0;
}

std::string statusText(int waitStatus) {
    return WIFSIGNALED(waitStatus) ? "signal " + std::to_string(WTERMSIG(waitStatus))
                                   : "exit code " + std::to_string(WEXITSTATUS(waitStatus));
}

} // namespace tenon::bench
