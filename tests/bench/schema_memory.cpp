// SPDX-License-Identifier: Apache-2.0
// Counts on the way to glibc's allocator. The benchmark has one thread.
#include "schema_memory.h"

#include <cerrno>
#include <malloc.h>

extern "C" {
void *__libc_malloc(std::size_t size);
void *__libc_calloc(std::size_t count, std::size_t size);
void *__libc_realloc(void *old, std::size_t size);
void *__libc_memalign(std::size_t alignment, std::size_t size);
void __libc_free(void *block);
}

namespace {

tenon::bench::Memory seen;

void *noted(void *block) {
    ++seen.allocations;
    seen.liveBytes += static_cast<std::int64_t>(malloc_usable_size(block));
    return block;
}

void forgotten(void *block) {
    seen.liveBytes -= static_cast<std::int64_t>(malloc_usable_size(block));
}

} // namespace

tenon::bench::Memory tenon::bench::memory() {
    return seen;
}

extern "C" {

void *malloc(std::size_t size) {
    return noted(__libc_malloc(size));
}
void *calloc(std::size_t count, std::size_t size) {
    return noted(__libc_calloc(count, size));
}
void *realloc(void *old, std::size_t size) {
    forgotten(old);
    return noted(__libc_realloc(old, size));
}
void *memalign(std::size_t alignment, std::size_t size) {
    return noted(__libc_memalign(alignment, size));
}
void *aligned_alloc(std::size_t alignment, std::size_t size) {
    return memalign(alignment, size);
}
int posix_memalign(void **out, std::size_t alignment, std::size_t size) {
    *out = memalign(alignment, size);
    return *out != nullptr ? 0 : ENOMEM;
}
void free(void *block) {
    forgotten(block);
    __libc_free(block);
}
}
