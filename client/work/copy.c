// SPDX-License-Identifier: BSD-3-Clause
// Copyright (c) 2026, the docad authors

#include "copy.h"

#include "cleanup.h"

#include <pthread.h>
#include <stdint.h>
#include <stdio.h>

#if defined(__x86_64__)
#include <cpuid.h>
#include <immintrin.h>
#endif

#define CACHE_SIZE_UNKNOWN ((size_t)32 << 20)
#define STRING_FROM        4096 // a whole page; below, the cost of starting the instruction shows
#define LINES_TO           16384 // twice that fills the first cache; beyond, starting costs next to nothing
#define CPUID_7_EBX_ERMS   (1u << 9)
#define CPUID_7_EDX_FSRM   (1u << 4) // fast also for short copies: no slow cases in between

static void copy_plain(void *dst, const void *src, size_t n)
{
    memcpy(dst, src, n);
}

size_t copy_string_from = SIZE_MAX;
size_t copy_lines_to = 0;
size_t copy_large_from = SIZE_MAX;
void (*copy_large)(void *, const void *, size_t) = copy_plain;
static const char *large_name = "memcpy";

#if defined(__x86_64__)

// Microcode that moves whole cache lines without reading the destination first.
static void copy_rep_movsb(void *dst, const void *src, size_t n)
{
    copy_string(dst, src, n);
}

__attribute__((target("avx"))) void copy_lines(void *dst, const void *src, size_t n)
{
    char *d = dst;
    const char *s = src;

    for (; n >= 128; d += 128, s += 128, n -= 128) {
        __m256i a = _mm256_loadu_si256((const __m256i *)s);
        __m256i b = _mm256_loadu_si256((const __m256i *)(s + 32));
        __m256i c = _mm256_loadu_si256((const __m256i *)(s + 64));
        __m256i e = _mm256_loadu_si256((const __m256i *)(s + 96));
        _mm256_storeu_si256((__m256i *)d, a);
        _mm256_storeu_si256((__m256i *)(d + 32), b);
        _mm256_storeu_si256((__m256i *)(d + 64), c);
        _mm256_storeu_si256((__m256i *)(d + 96), e);
    }
    if (n)
        memcpy(d, s, n);
}

static unsigned string_flags(void)
{
    unsigned eax, ebx, ecx, edx, flags = 0;

    if (__get_cpuid_count(7, 0, &eax, &ebx, &ecx, &edx) && (ebx & CPUID_7_EBX_ERMS))
        flags = CPUID_7_EBX_ERMS | (edx & CPUID_7_EDX_FSRM);
    return flags;
}

static bool string_is_fast(void)
{
    return string_flags() & CPUID_7_EDX_FSRM;
}

static bool has_vectors(void)
{
    return __builtin_cpu_supports("avx");
}

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

size_t copy_routines(struct copy_routine out[COPY_ROUTINES_MAX])
{
    size_t n = 0;

    if (has_vectors())
        out[n++] = (struct copy_routine){"streaming stores", copy_streaming};
    if (string_flags())
        out[n++] = (struct copy_routine){"rep movsb", copy_rep_movsb};
    out[n++] = (struct copy_routine){"memcpy", copy_plain};
    return n;
}

#else

// On other processors memcpy() is the best we know.
size_t copy_routines(struct copy_routine out[COPY_ROUTINES_MAX])
{
    out[0] = (struct copy_routine){"memcpy", copy_plain};
    return 1;
}

static bool string_is_fast(void)
{
    return false;
}

static bool has_vectors(void)
{
    return false;
}

void copy_lines(void *dst, const void *src, size_t n)
{
    memcpy(dst, src, n);
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
    struct copy_routine routines[COPY_ROUTINES_MAX];
    copy_routines(routines);
    if (routines[0].copy == copy_plain)
        return;
    copy_large = routines[0].copy;
    large_name = routines[0].name;
    copy_large_from = last_level_cache() / 4;
    if (string_is_fast()) {
        copy_string_from = STRING_FROM;
        copy_lines_to = has_vectors() ? LINES_TO : 0;
    }
}

void copy_init(void)
{
    static pthread_once_t once = PTHREAD_ONCE_INIT;
    pthread_once(&once, choose);
}

const char *copy_routine_name(size_t size)
{
    copy_init();
    return size >= copy_large_from ? large_name : size >= copy_string_from ? "rep movsb" : "memcpy";
}
