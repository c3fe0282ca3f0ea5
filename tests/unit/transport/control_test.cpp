// SPDX-License-Identifier: Apache-2.0
// The control socket: who may ask, what is answered, and what is left behind.
#include "support/text.h"
#include "transport/control.h"

#include <catch2/catch.hpp>

#include <atomic>
#include <csignal>
#include <cstdlib>
#include <cstring>
#include <fcntl.h>
#include <filesystem>
#include <fstream>
#include <mutex>
#include <poll.h>
#include <sys/prctl.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/un.h>
#include <sys/wait.h>
#include <unistd.h>

using namespace tenon;
using namespace tenon::transport;
using namespace std::chrono_literals;
using Catch::Matchers::Contains;
using Clock = std::chrono::steady_clock;

namespace {

class Folder {
public:
    Folder() {
        std::string pattern = "/tmp/tenon-control-XXXXXX";
        REQUIRE(mkdtemp(pattern.data()) != nullptr);
        root = pattern;
        path = root + "/tenon";
    }
    ~Folder() {
        std::error_code ignored;
        std::filesystem::remove_all(root, ignored);
    }
    Folder(const Folder &) = delete;
    Folder &operator=(const Folder &) = delete;
    std::string socketOf(pid_t pid) const { return concat(path, "/", pid, ".sock"); }
    bool has(const std::string &name) const {
        return std::filesystem::exists(std::filesystem::symlink_status(path + "/" + name));
    }

    std::string root, path;
};

Result<std::string> echo(std::string_view line) {
    return concat("you said ", line);
}

std::unique_ptr<ControlServer> opened(const Folder &folder, ControlServer::Answer answer = echo) {
    auto server = ControlServer::open(folder.path, std::move(answer));
    INFO((server ? "" : server.error().message));
    REQUIRE(server.has_value());
    return std::move(*server);
}

std::string refusalOf(const std::string &folder) {
    const auto server = ControlServer::open(folder, echo);
    return server ? "" : server.error().message;
}

mode_t modeOf(const std::string &path) {
    struct stat status {};
    REQUIRE(lstat(path.c_str(), &status) == 0);
    return status.st_mode & 07777;
}

// A client that keeps to no rule.
class RawClient {
public:
    explicit RawClient(const std::string &path)
        : socket_(socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0)) {
        sockaddr_un address{};
        address.sun_family = AF_UNIX;
        path.copy(address.sun_path, sizeof address.sun_path - 1);
        REQUIRE(connect(socket_, reinterpret_cast<sockaddr *>(&address), sizeof address) == 0);
    }
    ~RawClient() { close(socket_); }
    RawClient(const RawClient &) = delete;
    RawClient &operator=(const RawClient &) = delete;

    bool say(std::string_view text) const {
        return send(socket_, text.data(), text.size(), MSG_NOSIGNAL) ==
               static_cast<ssize_t>(text.size());
    }
    void sayNoMore() const { shutdown(socket_, SHUT_WR); }
    // Everything until the other side closes; nothing if it does not within 10 s.
    std::string hear() const {
        std::string all;
        std::array<char, 4096> chunk{};
        pollfd wait{socket_, POLLIN, 0};
        while (poll(&wait, 1, 10'000) == 1) {
            const auto got = recv(socket_, chunk.data(), chunk.size(), 0);
            if (got <= 0) {
                return all;
            }
            all.append(chunk.data(), static_cast<std::size_t>(got));
        }
        FAIL_CHECK("the connection was not closed");
        return all;
    }

private:
    int socket_;
};

// A socket that is listened on.
int listenOn(const std::string &path) {
    const int listening = socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0);
    sockaddr_un address{};
    address.sun_family = AF_UNIX;
    path.copy(address.sun_path, sizeof address.sun_path - 1);
    REQUIRE(bind(listening, reinterpret_cast<sockaddr *>(&address), sizeof address) == 0);
    REQUIRE(listen(listening, 1) == 0);
    return listening;
}

// One that was, and is no more.
void leaveSocket(const std::string &path) {
    close(listenOn(path));
}

// The id of a process that has ended.
pid_t deadPid() {
    const pid_t pid = fork();
    if (pid == 0) {
        _exit(0);
    }
    REQUIRE(waitpid(pid, nullptr, 0) == pid);
    return pid;
}

// Another process of this program that does something and then waits to be ended.
class Child {
public:
    template <class Function> explicit Child(Function function) {
        std::array<int, 2> ready{};
        REQUIRE(pipe2(ready.data(), O_CLOEXEC) == 0);
        pid = fork();
        REQUIRE(pid >= 0);
        if (pid == 0) {
            prctl(PR_SET_PDEATHSIG, SIGKILL);
            const char done = function() ? 'y' : 'n';
            static_cast<void>(write(ready[1], &done, 1));
            for (;;) {
                pause();
            }
        }
        close(ready[1]);
        char done = 0;
        CHECK(read(ready[0], &done, 1) == 1);
        CHECK(done == 'y');
        close(ready[0]);
    }
    ~Child() { end(); }
    Child(const Child &) = delete;
    Child &operator=(const Child &) = delete;
    void end() {
        if (pid > 0) {
            kill(pid, SIGKILL);
            waitpid(pid, nullptr, 0);
            pid = -1;
        }
    }

    pid_t pid = -1;
};

} // namespace

TEST_CASE("a line is answered with text, whatever the text is") {
    const Folder folder;
    const std::string large(3'000'000, 'x');
    const auto server = opened(folder, [&](std::string_view line) -> Result<std::string> {
        return line == "large" ? large : line == "nothing" ? "" : concat("a\nb\n\0", line, "\n");
    });
    CHECK(*ask(server->path(), "line", 5s) == concat("a\nb\n\0", "line\n"));
    CHECK(ask(server->path(), "nothing", 5s)->empty());
    CHECK(*ask(server->path(), "large", 5s) == large);
    CHECK(ask(server->path(), std::string(ControlServer::kLineBytesMax, 'y'), 5s).has_value());
    CHECK(ask(server->path(), "", 5s).has_value());
}

TEST_CASE("a refusal and a throw are told to who asked, and the server goes on") {
    const Folder folder;
    const auto server = opened(folder, [&](std::string_view line) -> Result<std::string> {
        if (line == "throw") {
            throw std::runtime_error("it broke");
        }
        return Error{"test.no", "never heard\nof it"};
    });
    const auto refused = ask(server->path(), "x", 5s);
    REQUIRE_FALSE(refused.has_value());
    CHECK(refused.error().code == "control.refused");
    CHECK_THAT(refused.error().message, Contains("never heard\\u000aof it"));
    CHECK_THAT(ask(server->path(), "throw", 5s).error().message, Contains("it broke"));
    CHECK(ask(server->path(), "x", 5s).error().code == "control.refused");
}

TEST_CASE("the folder and the socket are for their owner alone, whatever the umask is") {
    const Folder folder;
    const auto before = umask(GENERATE(as<mode_t>{}, 0, 022, 0277));
    auto server = ControlServer::open(folder.path, echo);
    umask(before);
    {
        REQUIRE(server.has_value());
        const auto kept = std::move(*server);
        CHECK(modeOf(folder.path) == 0700);
        CHECK(kept->path() == folder.socketOf(getpid()));
        CHECK(modeOf(kept->path()) == 0600);
        CHECK(ask(kept->path(), "x", 5s).has_value());
    }
    CHECK_FALSE(folder.has(concat(getpid(), ".sock")));
    CHECK(modeOf(folder.path) == 0700); // it stays
}

TEST_CASE("a folder that others could use is refused in words") {
    const Folder folder;
    SECTION("others may read it") {
        REQUIRE(mkdir(folder.path.c_str(), 0755) == 0);
        REQUIRE(chmod(folder.path.c_str(), 0755) == 0);
        CHECK_THAT(refusalOf(folder.path), Contains("by others") && Contains("chmod 700 "));
        CHECK_FALSE(controlSockets(folder.path).has_value());
    }
    SECTION("it is a symbolic link to one that is right") {
        const auto target = folder.root + "/right";
        REQUIRE(mkdir(target.c_str(), 0700) == 0);
        REQUIRE(symlink(target.c_str(), folder.path.c_str()) == 0);
        CHECK_THAT(refusalOf(folder.path), Contains("a symbolic link"));
        CHECK_FALSE(controlSockets(folder.path).has_value());
    }
    SECTION("it is a symbolic link to nowhere") {
        REQUIRE(symlink((folder.root + "/none").c_str(), folder.path.c_str()) == 0);
        CHECK_THAT(refusalOf(folder.path), Contains("a symbolic link"));
        CHECK_FALSE(std::filesystem::exists(folder.root + "/none"));
    }
    SECTION("it is a file") {
        std::ofstream(folder.path) << "x";
        CHECK_THAT(refusalOf(folder.path), Contains("is a file"));
    }
    SECTION("the folder above is not there") {
        CHECK_THAT(refusalOf(folder.root + "/none/tenon"),
                   Contains("cannot be made") && Contains("No such file"));
    }
}

TEST_CASE("a folder of another user is refused") {
    const Folder folder;
    REQUIRE(mkdir(folder.path.c_str(), 0700) == 0);
    if (geteuid() == 0) {
        REQUIRE(chown(folder.path.c_str(), 12345, 12345) == 0);
        CHECK_THAT(refusalOf(folder.path),
                   Contains(concat("belongs to the user 12345; expected ", geteuid())));
        CHECK_FALSE(controlSockets(folder.path).has_value());
    } else { // as any other user: one that is there
        CHECK_THAT(refusalOf("/root"), Contains("belongs to the user 0; expected "));
        CHECK_FALSE(controlSockets("/root").has_value());
    }
}

TEST_CASE("a process of another user is not answered") {
    const Folder folder;
    const auto server = opened(folder);
    if (geteuid() != 0) {
        WARN("only root can become another user: what is checked is that it gets no nearer");
        CHECK(modeOf(folder.path) == 0700);
        return;
    }
    REQUIRE(chmod(folder.root.c_str(), 0755) == 0);
    REQUIRE(chmod(folder.path.c_str(), 0755) == 0);
    REQUIRE(chmod(server->path().c_str(), 0666) == 0);
    const Child child([&] {
        if (setresuid(12345, 12345, 12345) != 0) {
            return false;
        }
        const auto answer = ask(server->path(), "x", 5s);
        return !answer && answer.error().code == "control.user";
    });
    const Child raw([&] { // one that does not look at who listens
        if (setresuid(12345, 12345, 12345) != 0) {
            return false;
        }
        const RawClient client(server->path());
        client.say("x\n");
        return client.hear().empty();
    });
    CHECK(ask(server->path(), "x", 5s).has_value());
}

TEST_CASE("a path that is too long for a socket is refused in words") {
    const Folder folder;
    const auto longFolder = folder.root + "/" + std::string(100, 'x');
    CHECK_THAT(refusalOf(longFolder), Contains("may have 107") && Contains("XDG_RUNTIME_DIR"));
    CHECK_FALSE(std::filesystem::exists(longFolder));
    CHECK(ask(longFolder + "/1.sock", "x", 1s).error().code == "control.path");
}

TEST_CASE("a client that says nothing, or only half a line, is cut off and the next is answered") {
    const Folder folder;
    const auto server = opened(folder);
    const auto half = GENERATE(as<std::string>{}, "", "half a line");
    const auto start = Clock::now();
    const RawClient slow(server->path());
    REQUIRE(slow.say(half));
    CHECK(*ask(server->path(), "x", 8s) == "you said x"); // waits its turn
    CHECK(Clock::now() - start > 1900ms);
    CHECK(Clock::now() - start < 6s);
    CHECK(slow.hear().empty());
}

TEST_CASE("a client that goes away in the middle does no harm") {
    const Folder folder;
    const auto server = opened(folder);
    const auto start = Clock::now();
    for (int i = 0; i < 50; ++i) {
        { const RawClient silent(server->path()); }
        {
            const RawClient half(server->path());
            half.say("half");
            half.sayNoMore();
        }
        {
            const RawClient deaf(server->path());
            deaf.say("x\n");
        }
    }
    CHECK(*ask(server->path(), "x", 5s) == "you said x");
    CHECK(Clock::now() - start < 1900ms); // nobody was waited for
}

TEST_CASE("garbage is a line like any other, and one that is too long is refused") {
    const Folder folder;
    const auto server = opened(folder);
    const auto answerTo = [&](const std::string &said) {
        const RawClient client(server->path());
        client.say(said);
        return client.hear();
    };
    const std::string garbage("\x00\xFF\x1B[2J\r", 7);
    CHECK(answerTo(garbage + "\n") == concat("ok ", 9 + garbage.size(), "\nyou said ", garbage));
    CHECK(answerTo("one\ntwo\n") == "ok 12\nyou said one");
    CHECK(answerTo("\n") == "ok 9\nyou said ");
    CHECK_THAT(answerTo(std::string(5'000, 'x')), Contains("longer than 4096 bytes"));
    CHECK_THAT(answerTo(std::string(5'000, 'x') + "\n"), Contains("longer than 4096 bytes"));
    CHECK_THAT(answerTo(std::string(200'000, 'x')), Catch::StartsWith("error "));
    CHECK(*ask(server->path(), "x", 5s) == "you said x");
    CHECK(ask(server->path(), "a\nb", 5s).error().code == "control.line");
    CHECK(ask(server->path(), std::string(5'000, 'x'), 5s).error().code == "control.line");
}

TEST_CASE("a client that does not read its answer does not hold the others for ever") {
    const Folder folder;
    const auto server = opened(folder, [](std::string_view line) -> Result<std::string> {
        return line == "large" ? std::string(20'000'000, 'x') : "small";
    });
    const RawClient deaf(server->path());
    REQUIRE(deaf.say("large\n"));
    CHECK(*ask(server->path(), "x", 9s) == "small");
}

TEST_CASE("the server ends at once, also while a client is slow") {
    const Folder folder;
    auto server = opened(folder);
    const auto path = server->path();
    const RawClient slow(path);
    const RawClient waiting(path);
    std::this_thread::sleep_for(50ms);
    const auto start = Clock::now();
    server = nullptr;
    CHECK(Clock::now() - start < 1s);
    CHECK_FALSE(std::filesystem::exists(path));
    CHECK(ask(path, "x", 1s).error().code == "control.gone");
    const auto again = opened(folder);
    CHECK(ask(path, "x", 5s).has_value());
}

TEST_CASE("who listens and does not answer in time is named with the time") {
    const Folder folder;
    std::mutex busy;
    const auto server = opened(folder, [&](std::string_view line) -> Result<std::string> {
        const std::lock_guard lock(busy);
        return std::string(line);
    });
    {
        const std::lock_guard lock(busy);
        const auto late = ask(server->path(), "x", 100ms);
        REQUIRE_FALSE(late.has_value());
        CHECK(late.error().code == "control.timeout");
        CHECK_THAT(late.error().message, Contains("100 ms"));
    }
    CHECK(ask(server->path(), "x", 5s).has_value());
}

TEST_CASE("an answer that is not whole, or is none, is not taken for one") {
    const Folder folder;
    REQUIRE(mkdir(folder.path.c_str(), 0700) == 0);
    const auto path = folder.socketOf(1);
    const auto answerOf = [&](const std::string &reply) {
        unlink(path.c_str());
        const int listening = listenOn(path);
        std::thread answering([&] {
            const int client = accept(listening, nullptr, nullptr);
            send(client, reply.data(), reply.size(), MSG_NOSIGNAL);
            close(client);
        });
        const auto answer = ask(path, "x", 5s);
        answering.join();
        close(listening);
        return answer ? "the answer " + *answer : answer.error().message;
    };
    CHECK(answerOf("ok 3\nabc") == "the answer abc");
    CHECK_THAT(answerOf("ok 4\nabc"), Contains("3 of its 4 bytes"));
    CHECK_THAT(answerOf("ok 2\nabc"), Contains("3 of its 2 bytes"));
    CHECK_THAT(answerOf("ok x\nabc"), Contains("\"ok x\"; expected"));
    CHECK_THAT(answerOf("ok"), Contains("\"ok\"; expected"));
    CHECK_THAT(answerOf("abc\n"), Contains("\"abc\"; expected"));
    CHECK_THAT(answerOf(""), Contains("answered nothing"));
    CHECK_THAT(answerOf("error no\n"), Contains(": no"));
    CHECK_THAT(answerOf("ok 5"), Contains("expected"));
}

TEST_CASE("sockets of dead processes are removed, and nothing else is") {
    const Folder folder;
    REQUIRE(mkdir(folder.path.c_str(), 0700) == 0);
    const auto dead = deadPid();
    const Child living([] { return true; });
    leaveSocket(folder.socketOf(dead));
    leaveSocket(folder.socketOf(living.pid)); // of one that has its id now, or is about to listen
    leaveSocket(folder.path + "/other.sock");
    std::ofstream(folder.socketOf(dead + 1'000'000)) << "a file";
    const auto check = [&] {
        CHECK_FALSE(folder.has(concat(dead, ".sock")));
        CHECK(folder.has(concat(living.pid, ".sock")));
        CHECK(folder.has("other.sock"));
        CHECK(folder.has(concat(dead + 1'000'000, ".sock")));
    };
    SECTION("by a server that starts") {
        const auto server = opened(folder);
        check();
    }
    SECTION("by who looks for servers, and none of them is one") {
        CHECK(controlSockets(folder.path)->empty());
        check();
    }
}

TEST_CASE("a socket that is listened on is kept, though its process is not seen from here") {
    const Folder folder; // it is in another container that shares the folder
    REQUIRE(mkdir(folder.path.c_str(), 0700) == 0);
    const auto unseen = deadPid();
    const int listening = listenOn(folder.socketOf(unseen));
    const auto server = opened(folder);
    const auto found = controlSockets(folder.path);
    REQUIRE(found->size() == 2);
    CHECK(std::any_of(found->begin(), found->end(),
                      [&](const auto &one) { return one.pid == unseen; }));
    close(listening);
}

TEST_CASE("a socket that a dead process with the same id left is replaced") {
    const Folder folder;
    REQUIRE(mkdir(folder.path.c_str(), 0700) == 0);
    leaveSocket(folder.socketOf(getpid()));
    const auto server = opened(folder);
    CHECK(*ask(server->path(), "x", 5s) == "you said x");
}

TEST_CASE("a socket that another process listens on under this id is left to it") {
    const Folder folder; // two containers that share the folder: each has a process 1
    const auto server = opened(folder);
    CHECK_THAT(refusalOf(folder.path), Contains("cannot be made") && Contains("in use"));
    CHECK(*ask(server->path(), "x", 5s) == "you said x");
}

TEST_CASE("several servers are found in the order of their ids, the killed ones are not") {
    const Folder folder;
    std::vector<std::unique_ptr<Child>> children;
    for (int i = 0; i < 3; ++i) {
        children.push_back(std::make_unique<Child>([&] {
            // Never destroyed: the child is killed.
            auto server =
                ControlServer::open(folder.path, [](std::string_view line) -> Result<std::string> {
                    return concat(line, " of ", getpid());
                });
            return server.has_value() && server->release() != nullptr;
        }));
    }
    const auto killed = children[1]->pid;
    const auto all = controlSockets(folder.path);
    REQUIRE(all.has_value());
    REQUIRE(all->size() == 3);
    CHECK(std::is_sorted(all->begin(), all->end(),
                         [](const auto &a, const auto &b) { return a.pid < b.pid; }));
    for (const auto &one : *all) {
        CHECK(*ask(one.path, "x", 5s) == concat("x of ", one.pid));
    }
    children[1]->end();
    CHECK(folder.has(concat(killed, ".sock")));
    CHECK(ask(folder.socketOf(killed), "x", 1s).error().code == "control.gone");
    const auto left = controlSockets(folder.path);
    REQUIRE(left->size() == 2);
    CHECK_FALSE(folder.has(concat(killed, ".sock")));
    CHECK(std::none_of(left->begin(), left->end(),
                       [&](const auto &one) { return one.pid == killed; }));
}

TEST_CASE("a folder that is not there has no sockets and is not made by looking") {
    const Folder folder;
    CHECK(controlSockets(folder.path)->empty());
    CHECK_FALSE(std::filesystem::exists(folder.path));
}

TEST_CASE("many clients at once are all answered") {
    const Folder folder;
    const auto server = opened(folder);
    std::atomic<int> right = 0;
    std::vector<std::thread> threads;
    for (int t = 0; t < 8; ++t) {
        threads.emplace_back([&, t] {
            for (int i = 0; i < 50; ++i) {
                const auto answer = ask(server->path(), concat(t, " ", i), 10s);
                right += answer && *answer == concat("you said ", t, " ", i) ? 1 : 0;
            }
        });
    }
    for (auto &thread : threads) {
        thread.join();
    }
    CHECK(right == 400);
}

TEST_CASE("the server's thread takes no signals, and the one that opened it goes on taking them") {
    const Folder folder;
    const auto blocked = [](std::string_view) -> Result<std::string> {
        sigset_t now;
        pthread_sigmask(SIG_BLOCK, nullptr, &now);
        std::string names;
        for (const int number : {SIGINT, SIGTERM, SIGHUP, SIGURG, SIGUSR1}) {
            names += sigismember(&now, number) == 1 ? strsignal(number) : "";
            names += ',';
        }
        return names;
    };
    const auto before = *blocked("");
    const auto server = opened(folder, blocked);
    CHECK(*blocked("") == before);
    CHECK(*ask(server->path(), "", 5s) ==
          "Interrupt,Terminated,Hangup,Urgent I/O condition,User defined signal 1,");
}

TEST_CASE("the folder is the runtime directory's, or one of /tmp for this user") {
    const char *before = std::getenv("XDG_RUNTIME_DIR");
    const std::string kept = before != nullptr ? before : "";
    setenv("XDG_RUNTIME_DIR", "/run/user/7", 1);
    CHECK(controlFolder() == "/run/user/7/tenon");
    const auto fallback = concat("/tmp/tenon-", geteuid());
    setenv("XDG_RUNTIME_DIR", "", 1);
    CHECK(controlFolder() == fallback);
    setenv("XDG_RUNTIME_DIR", "not/absolute", 1);
    CHECK(controlFolder() == fallback);
    unsetenv("XDG_RUNTIME_DIR");
    CHECK(controlFolder() == fallback);
    if (before != nullptr) {
        setenv("XDG_RUNTIME_DIR", kept.c_str(), 1);
    }
}
