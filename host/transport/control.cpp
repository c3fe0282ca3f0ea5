// SPDX-License-Identifier: Apache-2.0
#include "transport/control.h"

#include "support/text.h"

#include <algorithm>
#include <array>
#include <cerrno>
#include <charconv>
#include <csignal>
#include <cstdlib>
#include <cstring>
#include <filesystem>
#include <optional>
#include <poll.h>
#include <sys/eventfd.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/un.h>
#include <unistd.h>

namespace tenon::transport {

namespace {

using namespace std::chrono_literals;
using Clock = std::chrono::steady_clock;

constexpr auto kAskMost = 2s;                       // a client's time to ask
constexpr auto kReadMost = 2s;                      // and to read its answer
constexpr auto kNoFilesPause = 100ms;               // before a client is accepted after all
constexpr int kBacklog = 16;                        // clients that wait
constexpr std::size_t kAnswerBytesMax = 256U << 20; // that ask() takes
constexpr std::string_view kSuffix = ".sock";

class Descriptor {
public:
    explicit Descriptor(int descriptor) : descriptor_(descriptor) {}
    ~Descriptor() {
        if (descriptor_ >= 0) {
            close(descriptor_);
        }
    }
    Descriptor(const Descriptor &) = delete;
    Descriptor &operator=(const Descriptor &) = delete;
    int get() const { return descriptor_; }
    int release() { return std::exchange(descriptor_, -1); }

private:
    int descriptor_;
};

Error systemError(std::string_view code, std::string_view what) {
    return {std::string(code), concat(what, ": ", std::strerror(errno))};
}

Result<sockaddr_un> addressOf(const std::string &path) {
    sockaddr_un address{};
    address.sun_family = AF_UNIX;
    if (path.size() >= sizeof address.sun_path) {
        return Error{"control.path", concat("the control socket's path has ", path.size(),
                                            " bytes, and a socket's ", "may have ",
                                            sizeof address.sun_path - 1, ": ", printable(path, 300),
                                            "; set XDG_RUNTIME_DIR to a shorter folder")};
    }
    path.copy(address.sun_path, path.size());
    return address;
}

int connectTo(int socket, const sockaddr_un &address) {
    return connect(socket, reinterpret_cast<const sockaddr *>(&address), sizeof address);
}

// False when it is not there. Whoever else could write in it could answer in our place.
Result<bool> checkFolder(const std::string &folder) {
    struct stat status {};
    if (lstat(folder.c_str(), &status) != 0) {
        if (errno == ENOENT) {
            return false;
        }
        return systemError("control.folder", concat(folder, " cannot be looked at"));
    }
    const auto refused = [&](const std::string &seen) {
        return Error{"control.folder", concat(folder, " ", seen)};
    };
    if (!S_ISDIR(status.st_mode)) {
        return refused(concat("is ", S_ISLNK(status.st_mode) ? "a symbolic link" : "a file",
                              "; expected a folder, for control sockets: remove it"));
    }
    if (status.st_uid != geteuid()) {
        return refused(concat("belongs to the user ", status.st_uid, "; expected ", geteuid(),
                              ", who runs this: set XDG_RUNTIME_DIR to a folder of that user"));
    }
    if ((status.st_mode & 0077) != 0) {
        return refused(
            concat("may be used by others than its owner; expected the mode 0700: chmod ", "700 ",
                   folder));
    }
    return true;
}

Result<void> makeFolder(const std::string &folder) {
    if (mkdir(folder.c_str(), 0700) == 0) {
        chmod(folder.c_str(), 0700); // whatever the umask took
    } else if (errno != EEXIST) {
        return systemError("control.folder",
                           concat(folder, ", for control sockets, cannot be made"));
    }
    const auto there = checkFolder(folder);
    if (!there) {
        return there.error();
    }
    return {};
}

enum class Socket { Live, Silent };

// Silent: nobody listens there.
Socket probe(const std::string &path) {
    const auto address = addressOf(path);
    const Descriptor socket(::socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0));
    const bool live = address && (connectTo(socket.get(), *address) == 0 ||
                                  errno == EAGAIN); // EAGAIN: it is busy
    return live ? Socket::Live : Socket::Silent;
}

// A process that is not seen may be one of another container that shares the folder: only if
// nobody listens either is it dead.
bool isDead(pid_t pid) {
    return kill(pid, 0) != 0 && errno == ESRCH;
}

std::optional<pid_t> pidOf(const std::string &fileName) {
    pid_t pid = 0;
    const char *const end = fileName.data() + fileName.size();
    const auto read = std::from_chars(fileName.data(), end, pid);
    const bool whole =
        std::string_view(read.ptr, static_cast<std::size_t>(end - read.ptr)) == kSuffix;
    return read.ec == std::errc() && whole && pid > 0 ? std::optional(pid) : std::nullopt;
}

// Every socket of the folder, whoever left it.
std::vector<ControlSocket> socketsIn(const std::string &folder) {
    std::vector<ControlSocket> found;
    std::error_code failed;
    for (std::filesystem::directory_iterator at(folder, failed), end; !failed && at != end;
         at.increment(failed)) {
        std::error_code unknown;
        const auto pid = pidOf(at->path().filename());
        if (pid && at->symlink_status(unknown).type() == std::filesystem::file_type::socket) {
            found.push_back({*pid, at->path()});
        }
    }
    return found;
}

void removeStale(const std::string &folder) {
    for (const auto &one : socketsIn(folder)) {
        if (isDead(one.pid) && probe(one.path) == Socket::Silent) {
            unlink(one.path.c_str());
        }
    }
}

bool isSameUser(int socket) {
    ucred peer{};
    socklen_t size = sizeof peer;
    return getsockopt(socket, SOL_SOCKET, SO_PEERCRED, &peer, &size) == 0 && peer.uid == geteuid();
}

// Waits until the socket is ready; false when the time is over or `ending` (-1: none) is readable.
bool waitFor(int socket, short events, Clock::time_point until, int ending) {
    for (;;) {
        const auto left =
            std::chrono::ceil<std::chrono::milliseconds>(until - Clock::now()).count();
        std::array<pollfd, 2> waits{{{socket, events, 0}, {ending, POLLIN, 0}}};
        const int count = left > 0 ? poll(waits.data(), waits.size(), static_cast<int>(left)) : 0;
        if (count > 0) {
            return waits[1].revents == 0;
        }
        if (count == 0 || errno != EINTR) {
            return false;
        }
    }
}

bool sendAll(int socket, std::string_view text, Clock::time_point until, int ending) {
    while (!text.empty()) {
        const auto sent = send(socket, text.data(), text.size(), MSG_NOSIGNAL | MSG_DONTWAIT);
        if (sent >= 0) {
            text.remove_prefix(static_cast<std::size_t>(sent));
        } else if (errno == EAGAIN ? !waitFor(socket, POLLOUT, until, ending) : errno != EINTR) {
            return false;
        }
    }
    return true;
}

enum class Received { Some, End, Late };

// Appends what has come.
Received receive(int socket, std::string &to, Clock::time_point until, int ending) {
    std::array<char, 65536> chunk; // NOLINT: written before it is read
    for (;;) {
        const auto got = recv(socket, chunk.data(), chunk.size(), MSG_DONTWAIT);
        if (got > 0) {
            to.append(chunk.data(), static_cast<std::size_t>(got));
            return Received::Some;
        }
        if (got == 0 || (errno != EAGAIN && errno != EINTR)) {
            return Received::End; // a connection that was reset has ended too
        }
        if (errno == EAGAIN && !waitFor(socket, POLLIN, until, ending)) {
            return Received::Late;
        }
    }
}

std::string refusal(std::string_view message) {
    return concat("error ", printable(message), "\n");
}

// What goes back for a line.
std::string replyTo(std::string_view line, const ControlServer::Answer &answer) {
    try {
        const auto text = answer(line);
        return text ? concat("ok ", text->size(), "\n", *text) : refusal(text.error().message);
    } catch (const std::exception &thrown) {
        return refusal(concat("internal error: ", thrown.what()));
    }
}

// The text of a reply, as far as it is whole.
Result<std::string> readReply(const std::string &path, std::string_view reply) {
    const auto lineEnd = reply.find('\n');
    const auto header = reply.substr(0, lineEnd);
    const auto text = reply.substr(std::min(header.size() + 1, reply.size()));
    if (lineEnd != reply.npos && header.starts_with("error ")) {
        return Error{"control.refused", concat(path, ": ", header.substr(6))};
    }
    std::size_t size = 0;
    const auto read = std::from_chars(header.data() + std::min<std::size_t>(3, header.size()),
                                      header.data() + header.size(), size);
    if (lineEnd == reply.npos || !header.starts_with("ok ") || read.ec != std::errc()) {
        return Error{"control.reply",
                     concat(path, ": its process answered ", reply.empty() ? "nothing" : "\"",
                            printable(header, 100), reply.empty() ? "" : "\"",
                            "; expected \"ok SIZE\" or \"error MESSAGE\"")};
    }
    if (text.size() != size) {
        return Error{"control.reply", concat(path, ": the answer has ", text.size(), " of its ",
                                             size, " bytes; its process may have ended")};
    }
    return std::string(text);
}

} // namespace

std::string controlFolder() {
    const char *runtime = std::getenv("XDG_RUNTIME_DIR");
    return runtime != nullptr && runtime[0] == '/' ? concat(runtime, "/tenon")
                                                   : concat("/tmp/tenon-", geteuid());
}

ControlServer::ControlServer(std::string path, int listening, int ending, Answer answer)
    : path_(std::move(path)), listening_(listening), ending_(ending), answer_(std::move(answer)) {}

ControlServer::~ControlServer() {
    eventfd_write(ending_, 1);
    if (thread_.joinable()) {
        thread_.join();
    }
    unlink(path_.c_str());
    close(listening_);
    close(ending_);
}

Result<std::unique_ptr<ControlServer>> ControlServer::open(const std::string &folder,
                                                           Answer answer) {
    const auto path = concat(folder, "/", getpid(), kSuffix);
    const auto address = addressOf(path);
    if (!address) {
        return address.error();
    }
    if (const auto made = makeFolder(folder); !made) {
        return made.error();
    }
    removeStale(folder);
    if (access(path.c_str(), F_OK) == 0 && probe(path) == Socket::Silent) {
        unlink(path.c_str()); // of a dead process that had this one's id
    }
    Descriptor listening(socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0));
    Descriptor ending(eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK));
    // Nobody can connect before it listens, and so nobody before the mode is right.
    if (listening.get() < 0 || ending.get() < 0 ||
        bind(listening.get(), reinterpret_cast<const sockaddr *>(&*address), sizeof *address) !=
            0) {
        return systemError("control.socket", concat(path, " cannot be made"));
    }
    if (chmod(path.c_str(), 0600) != 0 || listen(listening.get(), kBacklog) != 0) {
        const auto error = systemError("control.socket", concat(path, " cannot be listened on"));
        unlink(path.c_str());
        return error;
    }
    std::unique_ptr<ControlServer> server(
        new ControlServer(path, listening.release(), ending.release(), std::move(answer)));
    sigset_t all, before;
    sigfillset(&all);
    pthread_sigmask(SIG_SETMASK, &all, &before); // for the thread to inherit
    try {
        server->thread_ = std::thread([serving = server.get()] { serving->serve(); });
    } catch (const std::system_error &thrown) {
        pthread_sigmask(SIG_SETMASK, &before, nullptr);
        return Error{"control.socket", concat("no thread for ", path, ": ", thrown.what())};
    }
    pthread_sigmask(SIG_SETMASK, &before, nullptr);
    return server;
}

void ControlServer::serve() {
    for (;;) {
        std::array<pollfd, 2> waits{{{listening_, POLLIN, 0}, {ending_, POLLIN, 0}}};
        poll(waits.data(), waits.size(), -1);
        if (waits[1].revents != 0) {
            return;
        }
        const Descriptor client(
            accept4(listening_, nullptr, nullptr, SOCK_CLOEXEC | SOCK_NONBLOCK));
        if (client.get() >= 0) {
            serveOne(client.get());
        } else if (errno == EMFILE || errno == ENFILE || errno == ENOMEM || errno == ENOBUFS) {
            pollfd wait{ending_, POLLIN, 0}; // the client stays in line
            poll(&wait, 1, static_cast<int>(kNoFilesPause.count()));
        }
    }
}

void ControlServer::serveOne(int client) {
    if (!isSameUser(client)) {
        return;
    }
    std::string asked;
    const auto askUntil = Clock::now() + kAskMost;
    while (asked.find('\n') == asked.npos && asked.size() <= kLineBytesMax) {
        if (receive(client, asked, askUntil, ending_) != Received::Some) {
            return;
        }
    }
    const auto line = std::string_view(asked).substr(0, asked.find('\n'));
    const auto reply =
        line.size() <= kLineBytesMax
            ? replyTo(line, answer_)
            : refusal(concat("the line is longer than ", kLineBytesMax, " bytes, the limit"));
    sendAll(client, reply, Clock::now() + kReadMost, ending_);
}

Result<std::vector<ControlSocket>> controlSockets(const std::string &folder) {
    const auto there = checkFolder(folder);
    if (!there) {
        return there.error();
    }
    if (!*there) {
        return std::vector<ControlSocket>();
    }
    removeStale(folder);
    auto found = socketsIn(folder);
    std::erase_if(found, [](const auto &one) { return probe(one.path) == Socket::Silent; });
    std::sort(found.begin(), found.end(),
              [](const auto &a, const auto &b) { return a.pid < b.pid; });
    return found;
}

Result<std::string> ask(const std::string &path, std::string_view line,
                        std::chrono::milliseconds timeout) {
    const auto until = Clock::now() + timeout;
    const auto address = addressOf(path);
    if (!address) {
        return address.error();
    }
    if (line.size() > ControlServer::kLineBytesMax || line.find('\n') != line.npos) {
        return Error{"control.line", concat("the line has ", line.size(), " bytes; expected one ",
                                            "line of at most ", ControlServer::kLineBytesMax)};
    }
    const Descriptor socket(::socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0));
    const auto whole = std::chrono::floor<std::chrono::seconds>(timeout);
    const std::chrono::microseconds rest = timeout - whole;
    const timeval most{whole.count(), rest.count()}; // for connect(), while nobody accepts
    setsockopt(socket.get(), SOL_SOCKET, SO_SNDTIMEO, &most, sizeof most);
    if (connectTo(socket.get(), *address) != 0) {
        const bool gone = errno == ENOENT || errno == ECONNREFUSED;
        return systemError(gone ? "control.gone" : "control.connect",
                           concat(path, " cannot be connected to"));
    }
    if (!isSameUser(socket.get())) {
        return Error{"control.user", concat(path, " is listened on by another user's process")};
    }
    sendAll(socket.get(), concat(line, "\n"), until, -1); // if not, the reply says what happened
    std::string reply;
    auto received = Received::Some;
    while (received == Received::Some && reply.size() <= kAnswerBytesMax) {
        received = receive(socket.get(), reply, until, -1);
    }
    if (received == Received::Late) {
        return Error{"control.timeout",
                     concat(path, ": its process did not answer within ", timeout.count(), " ms")};
    }
    return readReply(path, reply);
}

} // namespace tenon::transport
