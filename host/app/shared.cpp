// SPDX-License-Identifier: Apache-2.0
#include "app/commands.h"

#include "frontends/cli/cli.h"
#include "support/text.h"

#include <cerrno>
#include <cstring>
#include <thread>
#include <unistd.h>

namespace tenon::app {

bool writeAll(int descriptor, std::string_view text) {
    while (!text.empty()) {
        const ssize_t wrote = write(descriptor, text.data(), text.size());
        if (wrote < 0 && errno != EINTR) {
            return false;
        }
        text.remove_prefix(static_cast<std::size_t>(wrote < 0 ? 0 : wrote));
    }
    return true;
}

int writeOut(int descriptor, std::string_view text, int exitCode) {
    if (writeAll(descriptor, text) || errno == EPIPE) {
        return exitCode;
    }
    writeAll(STDERR_FILENO,
             concat("tenon: the output could not be written: ", std::strerror(errno), '\n'));
    return 1;
}

int refuse(const Error &error) {
    writeAll(STDERR_FILENO, concat("tenon: ", error.message, '\n'));
    return cli::kExitConfiguration;
}

Result<std::string> readAll(int descriptor, std::size_t bytesMax) {
    std::string out;
    char chunk[65536];
    for (;;) {
        const ssize_t got = read(descriptor, chunk, sizeof chunk);
        if (got == 0) {
            return out;
        }
        if (got < 0 && errno != EINTR) {
            return Error{"app.read", concat("the input cannot be read: ", std::strerror(errno))};
        }
        out.append(chunk, static_cast<std::size_t>(got < 0 ? 0 : got));
        if (out.size() > bytesMax) {
            return Error{"app.read",
                         concat("the input is longer than ", bytesMax, " bytes, the limit")};
        }
    }
}

void leaveWithin(std::chrono::milliseconds most, int exitCode) {
    std::thread([most, exitCode] {
        std::this_thread::sleep_for(most);
        writeAll(STDERR_FILENO, "tenon: a plugin did not stop in time; leaving without it\n");
        _exit(exitCode);
    }).detach();
}

int leave(Host &host, int exitCode) {
    using namespace std::chrono_literals;
    if (!host.runner->shutdown(0ms)) {
        if (host.audit) { // which nobody will be there to do
            host.audit->flush(kAuditFlush);
        }
        _exit(exitCode);
    }
    leaveWithin(5s, exitCode);
    return exitCode;
}

} // namespace tenon::app
