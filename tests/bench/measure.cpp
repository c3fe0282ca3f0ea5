// SPDX-License-Identifier: Apache-2.0
#include "measure.h"

#include "process.h"

#include <algorithm>
#include <cerrno>
#include <chrono>
#include <cmath>
#include <csignal>
#include <cstring>
#include <poll.h>
#include <sys/time.h>
#include <sys/wait.h>
#include <unistd.h>

namespace tenon::bench {

namespace {

using Clock = std::chrono::steady_clock;
using Time = Clock::time_point;

volatile std::sig_atomic_t timeIsUp = 0;

// A blocking read is the fastest way to wait; this signal ends one that waits in vain. It comes
// again every second, so that one that arrives just before the read is not lost.
void startAlarm(int seconds) {
    struct sigaction action {};
    action.sa_handler = [](int) { timeIsUp = 1; };
    ::sigaction(SIGALRM, &action, nullptr);
    ::signal(SIGPIPE, SIG_IGN);
    const itimerval timer{{1, 0}, {seconds, 0}};
    ::setitimer(ITIMER_REAL, &timer, nullptr);
}

double secondsOf(const timeval &time) {
    return static_cast<double>(time.tv_sec) + static_cast<double>(time.tv_usec) / 1e6;
}
double cpuOf(const rusage &usage) {
    return secondsOf(usage.ru_utime) + secondsOf(usage.ru_stime);
}
double ownCpu() {
    rusage usage{};
    ::getrusage(RUSAGE_SELF, &usage);
    return cpuOf(usage);
}

class Run {
public:
    explicit Run(const Plan &plan)
        : plan_(plan), messages_(plan.form, plan.expect, plan.textBytes), begun_(Clock::now()),
          child_(plan.command, Child::Input::Pipe), sentAt_(plan.warmUp + plan.count + 2) {}

    Report go() {
        Report report;
        handshake();
        exchange(1); // one message alone: the first answer, whatever the depth
        report.startMs = std::chrono::duration<double, std::milli>(firstAnswer_ - begun_).count();
        exchange(plan_.warmUp);

        latencies_.clear();
        exchange(plan_.count);
        const double seconds = collectedIn_;

        report.generatorCpu = collectingCpu_ / seconds;
        report.perSecond = static_cast<double>(plan_.count) / seconds;
        report.p50Us = percentile(0.50);
        report.p99Us = percentile(0.99);
        report.peakRssKib = child_.peakRssKib();
        finish();
        report.serverCpu = cpuOf(child_.usage());
        return report;
    }

private:
    void handshake() {
        if (plan_.form != Form::Legacy || plan_.expect == Expect::Line) {
            return;
        }
        out_ = Messages::initialize();
        send();
        std::string_view line;
        while (!nextLine(line)) {
            receive();
        }
        firstAnswer_ = Clock::now();
        if (const auto fault = Messages::faultOfInitialize(line); !fault.empty()) {
            throw Failure("the answer to initialize is wrong: " + fault);
        }
        out_ = Messages::initialized();
        send();
    }

    // Sends so many requests and takes their answers.
    void exchange(std::uint64_t count) {
        collect(count);
        for (const Time arrived : arrivals_) {
            std::string_view line;
            nextLine(line);
            take(line, arrived);
        }
        arrivals_.clear();
    }

    // Here only lines are counted, the floor's and a server's alike: what they say is looked at
    // when the clock has stopped, so that the generator's own work is the same for both.
    void collect(std::uint64_t count) {
        const auto last = sent_ + count;
        const auto before = answered_;
        const double cpuBefore = ownCpu();
        const auto begunCollecting = Clock::now();
        // More answers than requests: one is wrong, and will be found.
        while (before + arrivals_.size() < last && before + arrivals_.size() <= sent_) {
            const auto now = Clock::now();
            while (sent_ < last && sent_ - before - arrivals_.size() < plan_.depth) {
                messages_.appendRequest(out_, ++sent_);
                sentAt_[sent_] = now;
            }
            send();
            receive();
            const auto then = Clock::now();
            for (auto end = in_.find('\n', seen_); end != in_.npos; end = in_.find('\n', seen_)) {
                arrivals_.push_back(then);
                seen_ = end + 1;
            }
        }
        collectingCpu_ = ownCpu() - cpuBefore;
        collectedIn_ = std::chrono::duration<double>(Clock::now() - begunCollecting).count();
    }

    void take(std::string_view line, Time now) {
        const auto id = Messages::idOf(line);
        if (!id || *id == 0 || *id > sent_ || sentAt_[*id] == Time()) {
            throw Failure(
                "an answer to no open request was seen: " + std::string(line.substr(0, 300)) +
                "; expected one of " + std::to_string(sent_ - answered_) + " open ids up to " +
                std::to_string(sent_));
        }
        if (const auto fault = messages_.faultOf(line, *id); !fault.empty()) {
            throw Failure("the answer to request " + std::to_string(*id) + " is wrong: " + fault);
        }
        latencies_.push_back(std::chrono::duration<double, std::micro>(now - sentAt_[*id]).count());
        sentAt_[*id] = Time();
        ++answered_;
        if (firstAnswer_ == Time()) {
            firstAnswer_ = now;
        }
    }

    // Writes what is due, as far as the pipe takes it.
    void send() {
        while (!out_.empty()) {
            const ssize_t wrote = ::write(child_.in(), out_.data(), out_.size());
            if (wrote >= 0) {
                out_.erase(0, static_cast<std::size_t>(wrote));
            } else if (errno == EAGAIN) {
                return;
            } else if (errno != EINTR || timeIsUp) {
                ended(std::string("its input cannot be written to: ") + std::strerror(errno));
            }
        }
    }

    // Reads once what is there, waiting for it; goes on writing meanwhile where that was stuck.
    void receive() {
        while (!out_.empty()) {
            pollfd ends[] = {{child_.out(), POLLIN, 0}, {child_.in(), POLLOUT, 0}};
            if (::poll(ends, 2, 1'000) < 0 && timeIsUp) {
                ended("it stopped reading its input");
            }
            if (ends[0].revents != 0) {
                break;
            }
            send();
        }
        if (begin_ == in_.size()) {
            in_.clear();
            begin_ = 0;
            seen_ = 0;
        }
        char chunk[kChunk];
        const ssize_t got = ::read(child_.out(), chunk, sizeof chunk);
        if (got > 0) {
            in_.append(chunk, static_cast<std::size_t>(got));
        } else if (got == 0) {
            ended("it closed its output");
        } else if (timeIsUp) {
            ended("it did not answer within " + std::to_string(plan_.timeoutSeconds) + " s");
        }
    }

    bool nextLine(std::string_view &line) {
        const auto end = in_.find('\n', begin_);
        if (end == std::string::npos) {
            return false;
        }
        line = std::string_view(in_).substr(begin_, end - begin_);
        begin_ = end + 1;
        return true;
    }

    [[noreturn]] void ended(const std::string &how) const {
        throw Failure("the server gave " + std::to_string(answered_ + arrivals_.size()) +
                      " answers to " + std::to_string(sent_) + " requests, then " + how +
                      "; expected an answer to each");
    }

    // After the last answer nothing may follow, and the end of input is the end of the server.
    void finish() {
        child_.closeInput();
        char rest[64];
        const ssize_t got = ::read(child_.out(), rest, sizeof rest);
        if (got > 0 || begin_ != in_.size()) {
            throw Failure("more was seen after the last answer; expected nothing");
        }
        const int status = child_.wait(5);
        if (!WIFEXITED(status) || WEXITSTATUS(status) != 0) {
            throw Failure("the server ended with " + statusText(status) +
                          " after the end of its input; expected exit code 0");
        }
    }

    double percentile(double part) {
        const auto at = std::lround(part * static_cast<double>(latencies_.size() - 1));
        std::nth_element(latencies_.begin(), latencies_.begin() + at, latencies_.end());
        return latencies_[static_cast<std::size_t>(at)];
    }

    static constexpr std::size_t kChunk = 1 << 16;

    const Plan &plan_;
    Messages messages_;
    Time begun_, firstAnswer_;
    Child child_;
    std::vector<Time> sentAt_; // by id; no time: not open
    std::vector<double> latencies_;
    std::uint64_t sent_ = 0, answered_ = 0;
    std::string out_, in_;
    std::size_t begin_ = 0;                      // where in in_ the next line begins
    std::size_t seen_ = 0;                       // how far in_ was searched for line ends
    std::vector<Time> arrivals_;                 // of the lines in in_, whole ones
    double collectedIn_ = 0, collectingCpu_ = 0; // seconds, of the last collect()
};

} // namespace

Report measure(const Plan &plan) {
    startAlarm(plan.timeoutSeconds);
    placeForChild(plan.placement);
    Run run(plan);
    placeSelf(plan.placement);
    return run.go();
}

} // namespace tenon::bench
