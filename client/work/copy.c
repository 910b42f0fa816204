// SPDX-License-Identifier: BSD-3-Clause
// Copyright (c) 2026, the docad authors

#include "copy.h"

#include "cleanup.h"

#include <pthread.h>
#include <stdint.h>
#include <stdio.h>

#if defined(__x86_64__)
#include <immintrin.h>
#endif

#define CACHE_SIZE_UNKNOWN ((size_t)32 << 20)

static void copy_plain(void *dst, const void *src, size_t n)
{
    memcpy(dst, src, n);
}

size_t copy_large_from = SIZE_MAX;
void (*copy_large)(void *, const void *, size_t) = copy_plain;
static const char *large_name = "memcpy";

#if defined(__x86_64__)
// Stores that go around the cache.
__attribute__((target("avx"))) static void copy_streaming(void *dst, const void *src, size_t n)
{
    char *d = dst;
    const char *s = src;
    size_t head = -(uintptr_t)d & 31;

    if (n < 256) {
        memcpy(d, s, n);
        return;
    }
    memcpy(d, s, head);
    d += head, s += head, n -= head;
    for (; n >= 128; d += 128, s += 128, n -= 128) {
        __m256i a = _mm256_loadu_si256((const __m256i *)s);
        __m256i b = _mm256_loadu_si256((const __m256i *)(s + 32));
        __m256i c = _mm256_loadu_si256((const __m256i *)(s + 64));
        __m256i e = _mm256_loadu_si256((const __m256i *)(s + 96));
        _mm256_stream_si256((__m256i *)d, a);
        _mm256_stream_si256((__m256i *)(d + 32), b);
        _mm256_stream_si256((__m256i *)(d + 64), c);
        _mm256_stream_si256((__m256i *)(d + 96), e);
    }
    // Streaming stores are not ordered with other stores: a thread that sees the job's
    // completion must see its bytes.
    _mm_sfence();
    memcpy(d, s, n);
}

static void choose_large(void)
{
    if (__builtin_cpu_supports("avx")) {
        copy_large = copy_streaming;
        large_name = "streaming stores";
    }
}

#else

// On other processors memcpy() is the fastest known way.
static void choose_large(void)
{
}

#endif

// In bytes. Read from the kernel: in a virtual machine sysconf() adds up the caches of
// CPUs that are not ours.
static size_t last_level_cache(void)
{
    size_t kib = 0;
    for (int index = 3; index >= 2 && kib == 0; index--) {
        char path[64];
        snprintf(path, sizeof(path), "/sys/devices/system/cpu/cpu0/cache/index%d/size", index);
        cleanup_file FILE *f = fopen(path, "re");
        if (f && fscanf(f, "%zuK", &kib) != 1)
            kib = 0;
    }
    return kib ? kib * 1024 : CACHE_SIZE_UNKNOWN;
}

static void choose(void)
{
    choose_large();
    if (copy_large != copy_plain)
        copy_large_from = last_level_cache() / 4;
}

void copy_init(void)
{
    static pthread_once_t once = PTHREAD_ONCE_INIT;
    pthread_once(&once, choose);
}

const char *copy_routine_name(size_t size)
{
    copy_init();
    return size >= copy_large_from ? large_name : "memcpy";
}
