// SPDX-License-Identifier: BSD-3-Clause
// Copyright (c) 2026, the docad authors
//
// Tests what lies behind a range: which pages move to a memory file, that nothing is seen of it
// in the memory itself, and that they come back.

#include "mmap/backing.h"
#include "mmap/maps.h"
#include "mmap/pages.h"

#include "memfd.h"
#include "unit.h"

#include <doca_types.h>
#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#define RW DOCA_ACCESS_DPU_READ_WRITE
#define RO DOCA_ACCESS_DPU_READ_ONLY

static struct backing *make(void *start, size_t length, uint32_t access)
{
    struct errtext err = {""};
    struct backing *b = NULL;
    doca_error_t e = backing_new((uintptr_t)start, length, access, &b, &err);
    ck_assert_msg(e == DOCA_SUCCESS, "error %d: %s", e, err.s);
    // Whatever it is, it covers the range exactly.
    uintptr_t at = (uintptr_t)start;
    for (size_t i = 0; i < b->n_parts; at += b->parts[i++].length)
        ck_assert_uint_eq(b->parts[i].start, at);
    ck_assert_uint_eq(at, (uintptr_t)start + length);
    return b;
}

static doca_error_t refused(void *start, size_t length, uint32_t access)
{
    struct errtext err = {""};
    struct backing *b = NULL;
    doca_error_t e = backing_new((uintptr_t)start, length, access, &b, &err);
    ck_assert_int_ne(e, DOCA_SUCCESS);
    ck_assert_ptr_null(b);
    ck_assert_int_ne(err.s[0], '\0');
    return e;
}

static size_t mapped_bytes(const struct backing *b)
{
    size_t n = 0;
    for (size_t i = 0; i < b->n_parts; i++)
        n += b->parts[i].mapped ? b->parts[i].length : 0;
    return n;
}

static uint8_t *anonymous(size_t pages)
{
    uint8_t *p =
        mmap(NULL, pages * page_size(), PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    ck_assert_ptr_ne(p, MAP_FAILED);
    return p;
}

static void fill(uint8_t *p, size_t n, unsigned seed)
{
    for (size_t i = 0; i < n; i++)
        p[i] = (uint8_t)(i * 131 + seed + (i >> 12));
}

static void check(const uint8_t *p, size_t n, unsigned seed)
{
    for (size_t i = 0; i < n; i++)
        if (p[i] != (uint8_t)(i * 131 + seed + (i >> 12)))
            ck_abort_msg("byte %zu of %zu differs", i, n);
}

// Is every page of the range private anonymous memory?
static bool is_anonymous(const void *start, size_t length)
{
    struct vma *vmas;
    size_t n;
    bool all = true;
    ck_assert_int_eq(vmas_read((uintptr_t)start, (uintptr_t)start + length, &vmas, &n), 0);
    ck_assert_uint_ge(n, 1);
    for (size_t i = 0; i < n; i++)
        all &= vmas[i].nameless && !vmas[i].shared;
    free(vmas);
    return all;
}

// Returns the byte of the memory file at the place that covers `address`.
static uint8_t file_byte(const struct backing *b, const void *address)
{
    for (size_t i = 0; i < b->n_parts; i++) {
        size_t in = (uintptr_t)address - b->parts[i].start;
        uint8_t byte;
        if (in < b->parts[i].length && b->parts[i].mapped) {
            ck_assert_int_eq(pread(b->memfd, &byte, 1, (off_t)(b->parts[i].offset + in)), 1);
            return byte;
        }
    }
    ck_abort_msg("%p is not mapped", address);
}

static size_t open_descriptors(void)
{
    size_t n = 0;
    for (int fd = 0; fd < 256; fd++)
        n += fcntl(fd, F_GETFD) >= 0;
    return n;
}

START_TEST(heap)
{
    size_t size = 10 * page_size() + 123;
    uint8_t *p = malloc(size);
    fill(p, size, 1);
    size_t before = open_descriptors();

    struct backing *b = make(p, size, RW);
    check(p, size, 1);
    ck_assert_uint_ge(mapped_bytes(b), 9 * page_size());
    ck_assert(b->brokered);
    ck_assert_int_eq(b->memfd_ro, -1);
    // It is the same memory from both sides.
    uint8_t *whole = (uint8_t *)page_up((uintptr_t)p);
    ck_assert_uint_eq(file_byte(b, whole + 77), whole[77]);
    whole[77] = 0xa5;
    ck_assert_uint_eq(file_byte(b, whole + 77), 0xa5);
    uint8_t byte = 0x5a;
    ck_assert_int_eq(pwrite(b->memfd, &byte, 1, 78), 1);
    ck_assert_uint_eq(whole[78], 0x5a);

    fill(p, size, 2);
    backing_free(b);
    check(p, size, 2);
    ck_assert(is_anonymous(p, size));
    ck_assert_uint_eq(open_descriptors(), before);
    free(p);
}
END_TEST

START_TEST(six_bytes)
{
    char *p = strdup("hello");
    struct backing *b = make(p, 6, RW);
    ck_assert_uint_eq(b->n_parts, 1);
    ck_assert(b->brokered);
    ck_assert_int_eq(b->memfd, -1);
    ck_assert_str_eq(p, "hello");
    backing_free(b);
    free(p);
}
END_TEST

START_TEST(stack)
{
    volatile uint8_t array[5 * 4096];
    memset((uint8_t *)array, 7, sizeof(array));
    struct backing *b = make((void *)array, sizeof(array), RW);
    ck_assert_uint_eq(array[4096], 7);
    backing_free(b);
}
END_TEST

// A stack that looks like any other memory, and that this very call runs on.
static void *on_thread(void *arg)
{
    volatile uint8_t array[64 << 10];
    memset((uint8_t *)array, 9, sizeof(array));
    (void)arg;
    struct backing *b = make((void *)array, sizeof(array), RW);
    // Under AddressSanitizer locals may live elsewhere, and move.
    for (size_t i = 0; i < sizeof(array); i++)
        ck_assert_uint_eq(array[i], 9);
    backing_free(b);

    pthread_attr_t attr;
    void *low;
    size_t size;
    pthread_getattr_np(pthread_self(), &attr);
    pthread_attr_getstack(&attr, &low, &size);
    pthread_attr_destroy(&attr);
    uintptr_t here = page_down((uintptr_t)__builtin_frame_address(0));
    b = make((void *)(here - 16 * page_size()), 17 * page_size(), RW);
    ck_assert_uint_eq(mapped_bytes(b), 0);
    backing_free(b);
    return NULL;
}

START_TEST(thread_stack)
{
    pthread_t thread;
    ck_assert_int_eq(pthread_create(&thread, NULL, on_thread, NULL), 0);
    pthread_join(thread, NULL);
}
END_TEST

static uint8_t static_bytes[8 * 4096 + 1];
static uint8_t static_data[3 * 4096] = {1, 2, 3};
static const uint8_t constants[2 * 4096] = {4, 5, 6};

START_TEST(static_memory)
{
    fill(static_bytes, sizeof(static_bytes), 3);
    struct backing *b = make(static_bytes, sizeof(static_bytes), RW);
    check(static_bytes, sizeof(static_bytes), 3);
    backing_free(b);
    check(static_bytes, sizeof(static_bytes), 3);

    b = make(static_data, sizeof(static_data), RW);
    ck_assert_uint_eq(static_data[2], 3);
    backing_free(b);

    b = make((void *)constants, sizeof(constants), RO);
    ck_assert_uint_eq(mapped_bytes(b), 0);
    backing_free(b);
}
END_TEST

START_TEST(whole_pages)
{
    // More than one piece, and not a multiple of it.
    size_t pages = 1300, size = pages * page_size();
    uint8_t *p = anonymous(pages);
    fill(p, size, 4);
    struct backing *b = make(p, size, RW);
    ck_assert_uint_eq(b->n_parts, 1);
    ck_assert_uint_eq(mapped_bytes(b), size);
    ck_assert(!b->brokered);
    check(p, size, 4);
    fill(p, size, 5);
    backing_free(b);
    check(p, size, 5);
    ck_assert(is_anonymous(p, size));

    // The memory that was cut into pieces is one mapping again.
    struct vma *vmas;
    size_t n;
    ck_assert_int_eq(vmas_read((uintptr_t)p, (uintptr_t)p + size, &vmas, &n), 0);
    ck_assert_uint_eq(n, 1);
    free(vmas);
    munmap(p, size);
}
END_TEST

START_TEST(never_touched)
{
    uint8_t *p = anonymous(4);
    struct backing *b = make(p, 4 * page_size(), RW);
    ck_assert_uint_eq(mapped_bytes(b), 4 * page_size());
    backing_free(b);
    ck_assert_uint_eq(p[5000], 0);
    munmap(p, 4 * page_size());
}
END_TEST

START_TEST(local_only)
{
    uint8_t *p = anonymous(4);
    struct backing *b = make(p, 4 * page_size(), DOCA_ACCESS_LOCAL_READ_WRITE);
    ck_assert_uint_eq(b->n_parts, 1);
    ck_assert_uint_eq(mapped_bytes(b), 0);
    ck_assert_int_eq(b->memfd, -1);
    ck_assert(is_anonymous(p, 4 * page_size()));
    backing_free(b);
    munmap(p, 4 * page_size());
}
END_TEST

START_TEST(read_only_export)
{
    uint8_t *p = anonymous(2);
    struct backing *b = make(p, 2 * page_size(), RO);
    ck_assert_int_eq(memfd_check(b->memfd_ro, 2 * page_size(), 0), 0);
    ck_assert_int_eq(memfd_check(b->memfd, 2 * page_size(), 1), 0);
    // docad, which has it first, can still map it for writing.
    void *docads = mmap(NULL, page_size(), PROT_WRITE, MAP_SHARED, b->memfd, 0);
    ck_assert_ptr_ne(docads, MAP_FAILED);
    ck_assert_int_eq(backing_seal(b, RO), 0);
    munmap(docads, page_size());
    // The owner can still write; nobody else can get write access.
    p[1] = 17;
    ck_assert_uint_eq(file_byte(b, p + 1), 17);
    ck_assert_int_lt(pwrite(b->memfd, "x", 1, 0), 0);
    ck_assert_ptr_eq(mmap(NULL, page_size(), PROT_WRITE, MAP_SHARED, b->memfd, 0), MAP_FAILED);
    backing_free(b);
    ck_assert_uint_eq(p[1], 17);
    ck_assert(is_anonymous(p, 2 * page_size()));
    munmap(p, 2 * page_size());
}
END_TEST

START_TEST(importer_keeps_nothing)
{
    uint8_t *p = anonymous(2);
    struct backing *b = make(p, 2 * page_size(), RW);
    uint8_t *theirs = mmap(NULL, 2 * page_size(), PROT_READ | PROT_WRITE, MAP_SHARED, b->memfd, 0);
    theirs[3] = 33;
    ck_assert_uint_eq(p[3], 33);
    backing_free(b);
    ck_assert_uint_eq(p[3], 33);
    theirs[3] = 44;
    ck_assert_uint_eq(p[3], 33);
    p[4] = 55;
    ck_assert_uint_eq(theirs[4], 0);
    munmap(theirs, 2 * page_size());
    munmap(p, 2 * page_size());
}
END_TEST

START_TEST(holes_and_protection)
{
    size_t page = page_size();
    uint8_t *p = anonymous(8);
    fill(p, 8 * page, 6);
    ck_assert_int_eq(mprotect(p + 2 * page, page, PROT_READ), 0);

    // Importers cannot write to it, so that is refused. They can read it: that page is brokered.
    ck_assert_int_eq(refused(p, 8 * page, RW), DOCA_ERROR_INVALID_VALUE);
    ck_assert_int_eq(refused(p, 8 * page, DOCA_ACCESS_LOCAL_READ_WRITE), DOCA_ERROR_INVALID_VALUE);
    ck_assert(is_anonymous(p, 8 * page));
    struct backing *b = make(p, 8 * page, RO);
    ck_assert_uint_eq(b->n_parts, 3);
    ck_assert(!b->parts[1].mapped);
    ck_assert_uint_eq(mapped_bytes(b), 7 * page);
    check(p, 8 * page, 6);
    backing_free(b);

    ck_assert_int_eq(mprotect(p + 5 * page, page, PROT_NONE), 0);
    ck_assert_int_eq(refused(p, 8 * page, RO), DOCA_ERROR_INVALID_VALUE);
    munmap(p + 5 * page, page);
    ck_assert_int_eq(refused(p, 8 * page, RO), DOCA_ERROR_INVALID_VALUE);
    ck_assert_int_eq(refused(p + 5 * page, page, RO), DOCA_ERROR_INVALID_VALUE);
    check(p, 5 * page, 6);
    munmap(p, 8 * page);
}
END_TEST

START_TEST(trailing_brokered_page)
{
    size_t page = page_size();
    uint8_t *p = anonymous(4);
    mprotect(p + 3 * page, page, PROT_READ);
    struct backing *b = make(p, 4 * page, RO);
    // The file has just what its parts need.
    ck_assert_int_eq(memfd_check(b->memfd, 3 * page, 1), 0);
    backing_free(b);
    munmap(p, 4 * page);
}
END_TEST

START_TEST(file_cut_short)
{
    int fd = memfd_create("short", MFD_CLOEXEC);
    ck_assert_int_eq(ftruncate(fd, (off_t)page_size()), 0);
    uint8_t *p = mmap(NULL, 3 * page_size(), PROT_READ | PROT_WRITE, MAP_PRIVATE, fd, 0);
    ck_assert_int_eq(refused(p, 3 * page_size(), RW), DOCA_ERROR_INVALID_VALUE);
    struct backing *b = make(p, page_size(), RW);
    ck_assert_uint_eq(mapped_bytes(b), 0);
    backing_free(b);
    munmap(p, 3 * page_size());
    close(fd);
}
END_TEST

START_TEST(own_memory_file)
{
    size_t size = 4 * page_size();
    int fd = memfd_create_sealed("own", size);
    uint8_t *p = mmap(NULL, size, PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0);

    // Used as it is, and left as it is.
    struct backing *b = make(p, size, RW);
    ck_assert_uint_eq(mapped_bytes(b), size);
    ck_assert_int_eq(memfd_same_file(b->memfd, fd), 1);
    ck_assert_int_ne(b->memfd, fd);
    backing_free(b);
    p[9] = 9;
    uint8_t byte = 0;
    ck_assert_int_eq(pread(fd, &byte, 1, 9), 1);
    ck_assert_uint_eq(byte, 9);

    // For readers the file needs a mode that keeps them from writing.
    b = make(p, size, RO);
    ck_assert_int_eq(memfd_check(b->memfd_ro, size, 0), 0);
    backing_free(b);
    ck_assert_int_eq(fchmod(fd, 0777), 0);
    b = make(p, size, RO);
    ck_assert_uint_eq(mapped_bytes(b), 0);
    backing_free(b);

    // A part of it would give importers access to the rest.
    b = make(p, size - page_size(), RW);
    ck_assert_uint_eq(mapped_bytes(b), 0);
    backing_free(b);
    ck_assert_int_eq(close(fd), 0);
    b = make(p, size, RW);
    ck_assert_uint_eq(mapped_bytes(b), 0);
    backing_free(b);
    munmap(p, size);
}
END_TEST

START_TEST(own_memory_file_unsealed)
{
    size_t size = 2 * page_size();
    int fd = memfd_create("own", MFD_CLOEXEC | MFD_ALLOW_SEALING);
    ck_assert_int_eq(ftruncate(fd, (off_t)size), 0);
    uint8_t *p = mmap(NULL, size, PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0);
    struct backing *b = make(p, size, RW);
    ck_assert_uint_eq(mapped_bytes(b), 0);
    backing_free(b);
    munmap(p, size);
    close(fd);
}
END_TEST

START_TEST(overlapping)
{
    size_t page = page_size();
    uint8_t *p = anonymous(8);
    fill(p, 8 * page, 7);

    // Pages that another map has moved are brokered for the second.
    struct backing *a = make(p, 4 * page, RW);
    struct backing *same = make(p, 4 * page, RW);
    ck_assert_uint_eq(mapped_bytes(same), 0);
    struct backing *b = make(p + 2 * page, 6 * page, RW);
    ck_assert_uint_eq(mapped_bytes(b), 4 * page);
    ck_assert_uint_eq(b->n_parts, 2);
    ck_assert(!b->parts[0].mapped);
    check(p, 8 * page, 7);

    backing_free(a);
    check(p, 8 * page, 7);
    p[2 * page] ^= 1;
    p[6 * page] ^= 1;
    ck_assert_uint_eq(file_byte(b, p + 6 * page), p[6 * page]);
    backing_free(same);
    backing_free(b);
    p[2 * page] ^= 1;
    p[6 * page] ^= 1;
    check(p, 8 * page, 7);
    ck_assert(is_anonymous(p, 8 * page));
    munmap(p, 8 * page);
}
END_TEST

START_TEST(unmapped_before)
{
    size_t page = page_size();
    uint8_t *p = anonymous(6);
    fill(p, 6 * page, 8);
    struct backing *b = make(p, 6 * page, RW);
    // Gone, replaced, protected: what is not ours any more is left alone.
    munmap(p + page, page);
    uint8_t *other = mmap(p + 3 * page, page, PROT_READ | PROT_WRITE,
                          MAP_PRIVATE | MAP_ANONYMOUS | MAP_FIXED, -1, 0);
    other[0] = 99;
    ck_assert_int_eq(mprotect(p + 5 * page, page, PROT_READ), 0);
    backing_free(b);

    struct vma *vmas;
    size_t n;
    ck_assert_int_eq(vmas_read((uintptr_t)p, (uintptr_t)p + 6 * page, &vmas, &n), 0);
    ck_assert_uint_eq(vmas[1].start, (uintptr_t)p + 2 * page);
    ck_assert(!vmas[n - 1].writable);
    free(vmas);
    check(p, page, 8);
    ck_assert_uint_eq(other[0], 99);
    ck_assert(is_anonymous(p, page));
    ck_assert(is_anonymous(p + 2 * page, 4 * page));

    b = make(p + 2 * page, page, RW);
    munmap(p, 6 * page);
    backing_free(b);
}
END_TEST

START_TEST(locked_memory)
{
    uint8_t *p = anonymous(3);
    // The sanitizers make mlock() do nothing.
    if (syscall(SYS_mlock, p + page_size(), page_size()) == 0) {
        struct backing *b = make(p, 3 * page_size(), RW);
        ck_assert_uint_eq(b->n_parts, 3);
        ck_assert(!b->parts[1].mapped);
        backing_free(b);
    }
    munmap(p, 3 * page_size());
}
END_TEST

START_TEST(growing_memory)
{
    size_t page = page_size();
    uint8_t *p = mmap(NULL, 3 * page, PROT_READ | PROT_WRITE,
                      MAP_PRIVATE | MAP_ANONYMOUS | MAP_GROWSDOWN, -1, 0);
    ck_assert_ptr_ne(p, MAP_FAILED);
    memset(p, 1, 3 * page);
    struct backing *b = make(p, 3 * page, RW);
    ck_assert_uint_eq(mapped_bytes(b), 0);
    backing_free(b);
    munmap(p, 3 * page);
}
END_TEST

START_TEST(many_parts)
{
    // Every other page protected: more parts than are worth a mapping.
    size_t page = page_size(), pages = 1200;
    uint8_t *p = anonymous(pages);
    fill(p, pages * page, 9);
    for (size_t i = 1; i < pages; i += 2)
        ck_assert_int_eq(mprotect(p + i * page, page, PROT_READ), 0);
    struct backing *b = make(p, pages * page, RO);
    ck_assert_uint_le(b->n_parts, 1024);
    ck_assert_uint_ge(mapped_bytes(b), 100 * page);
    check(p, pages * page, 9);
    backing_free(b);
    check(p, pages * page, 9);
    ck_assert(is_anonymous(p, pages * page));
    munmap(p, pages * page);
}
END_TEST

START_TEST(fails_cleanly)
{
    size_t page = page_size();
    uint8_t *p = anonymous(1024);
    fill(p, 1024 * page, 10);
    size_t before = open_descriptors();
    // No descriptor left for the memory file.
    struct rlimit old, none;
    ck_assert_int_eq(getrlimit(RLIMIT_NOFILE, &old), 0);
    none = (struct rlimit){.rlim_cur = 3, .rlim_max = old.rlim_max};
    int filler[8], n = 0;
    while (n < 8 && (filler[n] = open("/dev/null", O_RDONLY)) >= 0 && filler[n] < 3)
        n++;
    ck_assert_int_eq(setrlimit(RLIMIT_NOFILE, &none), 0);
    doca_error_t e = refused(p, 1024 * page, RW);
    ck_assert_int_eq(setrlimit(RLIMIT_NOFILE, &old), 0);
    ck_assert_int_eq(e, DOCA_ERROR_NO_MEMORY);
    for (int i = 0; i <= n && i < 8; i++)
        if (filler[i] >= 0)
            close(filler[i]);
    ck_assert_uint_eq(open_descriptors(), before);
    check(p, 1024 * page, 10);

    // The file may not grow past the first piece: what had moved moves back.
    signal(SIGXFSZ, SIG_IGN);
    ck_assert_int_eq(getrlimit(RLIMIT_FSIZE, &old), 0);
    none = (struct rlimit){.rlim_cur = 3 << 20, .rlim_max = old.rlim_max};
    ck_assert_int_eq(setrlimit(RLIMIT_FSIZE, &none), 0);
    e = refused(p, 1024 * page, RW);
    ck_assert_int_eq(setrlimit(RLIMIT_FSIZE, &old), 0);
    ck_assert_int_eq(e, DOCA_ERROR_NO_MEMORY);
    check(p, 1024 * page, 10);
    ck_assert(is_anonymous(p, 1024 * page));
    ck_assert_uint_eq(open_descriptors(), before);
    munmap(p, 1024 * page);
}
END_TEST

START_TEST(forked)
{
    size_t page = page_size();
    uint8_t *p = anonymous(4);
    fill(p, 4 * page, 11);
    struct backing *b = make(p, 4 * page, RW);
    pid_t own = fork();
    if (own == 0) {
        // Has pages of its own.
        backing_free(b);
        check(p, 4 * page, 11);
        ck_assert(is_anonymous(p, 4 * page));
        p[0] ^= 0xff;
        _exit(0);
    }
    int status, go[2];
    ck_assert_int_eq(waitpid(own, &status, 0), own);
    ck_assert_int_eq(status, 0);
    check(p, 4 * page, 11);

    ck_assert_int_eq(pipe(go), 0);
    pid_t other = fork();
    if (other == 0) {
        // Keeps its pages when the parent's map ends.
        char c;
        close(go[1]);
        ck_assert_int_eq(read(go[0], &c, 1), 0);
        check(p, 4 * page, 11);
        _exit(0);
    }
    backing_free(b);
    check(p, 4 * page, 11);
    p[0] ^= 0xff;
    close(go[1]);
    ck_assert_int_eq(waitpid(other, &status, 0), other);
    ck_assert_int_eq(status, 0);
    close(go[0]);
    munmap(p, 4 * page);
}
END_TEST

static bool reading; // touched by __atomic builtins only

// ThreadSanitizer takes mmap() for a write to the range; it is none that a reader sees.
__attribute__((no_sanitize("thread"))) static void *reader(void *arg)
{
    const volatile uint8_t *p = arg;
    while (__atomic_load_n(&reading, __ATOMIC_RELAXED))
        for (size_t i = 0; i < 600 * page_size(); i += page_size() / 2)
            if (p[i] != 0x77)
                return (void *)p;
    return NULL;
}

START_TEST(readers_see_no_gap)
{
    size_t size = 600 * page_size();
    uint8_t *p = anonymous(600);
    memset(p, 0x77, size);
    pthread_t thread;
    void *bad;
    __atomic_store_n(&reading, true, __ATOMIC_RELAXED);
    ck_assert_int_eq(pthread_create(&thread, NULL, reader, p), 0);
    for (int i = 0; i < 20; i++)
        backing_free(make(p, size, i & 1 ? RO : RW));
    __atomic_store_n(&reading, false, __ATOMIC_RELAXED);
    pthread_join(thread, &bad);
    ck_assert_ptr_null(bad);
    munmap(p, size);
}
END_TEST

struct mover {
    uint8_t *p;
    size_t size;
};

static void *mover(void *arg)
{
    struct mover *m = arg;
    for (int i = 0; i < 30; i++)
        backing_free(make(m->p, m->size, RW));
    return NULL;
}

START_TEST(two_at_once)
{
    // Both move pages of one range, over and over.
    size_t page = page_size();
    uint8_t *p = anonymous(64);
    fill(p, 64 * page, 12);
    struct mover movers[2] = {{p, 48 * page}, {p + 16 * page, 48 * page}};
    pthread_t threads[2];
    for (int i = 0; i < 2; i++)
        ck_assert_int_eq(pthread_create(&threads[i], NULL, mover, &movers[i]), 0);
    for (int i = 0; i < 2; i++)
        pthread_join(threads[i], NULL);
    check(p, 64 * page, 12);
    ck_assert(is_anonymous(p, 64 * page));
    munmap(p, 64 * page);
}
END_TEST

UNIT_MAIN("backing", heap, six_bytes, stack, thread_stack, static_memory, whole_pages,
          never_touched, local_only, read_only_export, importer_keeps_nothing, holes_and_protection,
          trailing_brokered_page, file_cut_short, own_memory_file, own_memory_file_unsealed,
          overlapping, unmapped_before, locked_memory, growing_memory, many_parts, fails_cleanly,
          forked, readers_see_no_gap, two_at_once)
