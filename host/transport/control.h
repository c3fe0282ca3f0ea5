// SPDX-License-Identifier: Apache-2.0
// A local socket through which a running process of this user answers questions of one line each.
// Knows no tools: what is asked and answered is the caller's.
//
// On the wire: "LINE\n" there, "ok SIZE\nTEXT" or "error MESSAGE\n" back, and the connection is
// closed.
#pragma once

#include "support/result.h"

#include <chrono>
#include <functional>
#include <memory>
#include <string>
#include <string_view>
#include <sys/types.h>
#include <thread>
#include <vector>

namespace tenon::transport {

// Where the sockets of this user's processes are: $XDG_RUNTIME_DIR/tenon, or /tmp/tenon-UID where
// that is not an absolute path.
std::string controlFolder();

// Answers one client at a time, on a thread of its own that takes no signals. A client has 2 s to
// ask and 2 s to read; only processes of the same user are answered.
class ControlServer {
public:
    static constexpr std::size_t kLineBytesMax = 4096;
    // Gives the answer to a line (without its line feed). What it throws is answered as an error.
    using Answer = std::function<Result<std::string>(std::string_view line)>;

    // Listens on FOLDER/PID.sock (0600). The folder is made (0700) if it is not there; one that is
    // not this user's alone is refused. Sockets that dead processes left in it are removed.
    static Result<std::unique_ptr<ControlServer>> open(const std::string &folder, Answer answer);
    // Removes the socket. Waits for an answer that is being made.
    ~ControlServer();
    ControlServer(const ControlServer &) = delete;
    ControlServer &operator=(const ControlServer &) = delete;

    const std::string &path() const { return path_; }

private:
    ControlServer(std::string path, int listening, int ending, Answer answer);
    void serve();
    void serveOne(int client);

    const std::string path_;
    const int listening_;
    const int ending_; // readable: the thread should end
    const Answer answer_;
    std::thread thread_;
};

struct ControlSocket {
    pid_t pid;
    std::string path;
};

// Those that a process listens on, by pid. Sockets that dead processes left are removed on the way.
// Empty when the folder is not there; fails when it is not this user's alone.
Result<std::vector<ControlSocket>> controlSockets(const std::string &folder);

// The answer to a line. Fails with the code "control.gone" when nobody listens there any more.
Result<std::string> ask(const std::string &path, std::string_view line,
                        std::chrono::milliseconds timeout);

} // namespace tenon::transport
