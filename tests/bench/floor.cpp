// SPDX-License-Identifier: Apache-2.0
// The floor: sends every line back as it came. One blocking read, all the lines that are whole,
// one write. A server that speaks lines over pipes cannot do less than this.
#include <cerrno>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <string>
#include <unistd.h>

namespace {

constexpr std::size_t kChunk = 1 << 16;

void writeAll(const char *data, std::size_t size) {
    while (size > 0) {
        const ssize_t wrote = ::write(STDOUT_FILENO, data, size);
        if (wrote < 0 && errno != EINTR) {
            std::fprintf(stderr, "floor: cannot write to standard output: %s\n", strerror(errno));
            std::exit(1);
        }
        const auto done = wrote < 0 ? std::size_t{0} : static_cast<std::size_t>(wrote);
        data += done;
        size -= done;
    }
}

} // namespace

int main() {
    std::string buffer(kChunk, '\0');
    std::size_t held = 0; // bytes of a line whose end has not come
    for (;;) {
        if (buffer.size() - held < kChunk) {
            buffer.resize(buffer.size() * 2);
        }
        const ssize_t got = ::read(STDIN_FILENO, buffer.data() + held, kChunk);
        if (got < 0 && errno == EINTR) {
            continue;
        }
        if (got <= 0) {
            return got == 0 ? 0 : 1;
        }
        const auto size = held + static_cast<std::size_t>(got);
        const void *end = memrchr(buffer.data() + held, '\n', size - held);
        const auto whole =
            end == nullptr
                ? 0
                : static_cast<std::size_t>(static_cast<const char *>(end) - buffer.data() + 1);
        writeAll(buffer.data(), whole);
        held = size - whole;
        std::memmove(buffer.data(), buffer.data() + whole, held);
    }
}
