// SPDX-License-Identifier: BSD-3-Clause
// Copyright (c) 2026, the docad authors
//
// Tests what fork() does to pages that were moved to a memory file: the child gets its own, the
// parent keeps what importers see.

#include "fork_steps.h"

#include <doca_types.h>
#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

// ---- what the library calls

static size_t bytes_read;
static _Atomic size_t allocations; // of all threads

ssize_t __real_pread(int fd, void *to, size_t n, off_t offset);
ssize_t __wrap_pread(int fd, void *to, size_t n, off_t offset);
ssize_t __wrap_pread(int fd, void *to, size_t n, off_t offset)
{
    bytes_read += n;
    return __real_pread(fd, to, n, offset);
}

void *__real_malloc(size_t n);
void *__wrap_malloc(size_t n);
void *__wrap_malloc(size_t n)
{
    allocations++;
    return __real_malloc(n);
}

void *__real_calloc(size_t n, size_t size);
void *__wrap_calloc(size_t n, size_t size);
void *__wrap_calloc(size_t n, size_t size)
{
    allocations++;
    return __real_calloc(n, size);
}

void __real_free(void *p);
void __wrap_free(void *p);
void __wrap_free(void *p)
{
    allocations++;
    __real_free(p);
}

// ---- the child's writes are its own

struct range {
    uint8_t *p;
    size_t size;
    struct backing *b;
};

static void write_all_of(void *arg)
{
    struct range *r = arg;
    require(all_are(r->p, r->size, 'p'));
    memset(r->p, 'c', r->size);
    require(all_are(r->p, r->size, 'c'));
}

static void child_writes(uint8_t *p, size_t size)
{
    struct range r = {p, size, make(p, size)};
    ck_assert_uint_gt(mapped_bytes(r.b), 0);
    in_child(write_all_of, &r);
    ck_assert(all_are(p, size, 'p'));
    // The parent still has what importers see.
    uint8_t *whole = (uint8_t *)page_up((uintptr_t)p);
    ck_assert(mapping_of(whole).shared);
    whole[5] = 'x';
    if (r.b->parts[0].mapped)
        ck_assert_uint_eq(file_byte(r.b, whole + 5), 'x');
    whole[5] = 'p';
    backing_free(r.b);
    ck_assert(all_are(p, size, 'p'));
    in_child(write_all_of, &r);
    ck_assert(all_are(p, size, 'p'));
}

static uint8_t static_bytes[6 * 4096 + 1];

static void every_kind_of_memory(void)
{
    size_t size = PAGES * page_size();
    uint8_t array[10 * 4096];

    uint8_t *p = anonymous(PAGES);
    child_writes(p, size);
    munmap(p, size);
    p = malloc(size + 99);
    memset(p, 'p', size + 99);
    child_writes(p, size + 99);
    free(p);
    memset(static_bytes, 'p', sizeof(static_bytes));
    child_writes(static_bytes, sizeof(static_bytes));

    // The stack of the first thread and six bytes never move.
    memset(array, 'p', sizeof(array));
    struct range r = {array, sizeof(array), make(array, sizeof(array))};
    in_child(write_all_of, &r);
    ck_assert(all_are(array, sizeof(array), 'p'));
    backing_free(r.b);
    r = (struct range){(uint8_t *)strdup("pppppp"), 6, NULL};
    r.b = make(r.p, 6);
    in_child(write_all_of, &r);
    ck_assert_str_eq((char *)r.p, "pppppp");
    backing_free(r.b);
    free(r.p);
}

START_TEST(copied)
{
    set_limit("unlimited");
    every_kind_of_memory();
}
END_TEST

START_TEST(not_copied)
{
    set_limit("0");
    every_kind_of_memory();
}
END_TEST

// ---- what the child sees

static int go[2]; // the child waits for a byte, or for the end

static void wait_for_parent(void)
{
    char byte;
    require(read(go[0], &byte, 1) >= 0);
}

static void sees_that_moment(void *arg)
{
    struct range *r = arg;
    require(mapping_of(r->p).nameless && !mapping_of(r->p).shared);
    wait_for_parent();
    require(all_are(r->p, r->size, 'p'));
}

START_TEST(moment_of_the_fork)
{
    set_limit("1M");
    struct range r = {anonymous(PAGES), PAGES * page_size(), NULL};
    r.b = make(r.p, r.size);
    ck_assert_int_eq(pipe(go), 0);
    pid_t pid = start_child(sees_that_moment, &r);
    memset(r.p, 'q', r.size);
    ck_assert_uint_eq(file_byte(r.b, r.p), 'q');
    backing_free(r.b);
    ck_assert_int_eq(write(go[1], "1", 1), 1);
    ck_assert_int_eq(status_of(pid), 0);
    ck_assert(all_are(r.p, r.size, 'q'));
}
END_TEST

static void keeps_what_it_wrote(void *arg)
{
    struct range *r = arg;
    r->p[0] = 'c';
    require(mapping_of(r->p).moved && !mapping_of(r->p).shared);
    wait_for_parent();
    require(r->p[0] == 'c' && r->p[1] == 'p'); // a page of its own
    wait_for_parent();
    // The end of the parent's map leaves the pages of the file to the child.
    require(r->p[page_size()] == 'q' && r->p[2 * page_size()] == 'q');
}

START_TEST(beyond_the_limit)
{
    set_limit("4K");
    struct range r = {anonymous(PAGES), PAGES * page_size(), NULL};
    r.b = make(r.p, r.size);
    int done[2];
    ck_assert_int_eq(pipe(go), 0);
    ck_assert_int_eq(pipe(done), 0);
    pid_t pid = fork();
    ck_assert_int_ge(pid, 0);
    if (pid == 0) {
        alarm(60);
        r.p[0] = 'c';
        ck_assert_int_eq(write(done[1], "1", 1), 1);
        keeps_what_it_wrote(&r);
        _exit(0);
    }
    char byte;
    ck_assert_int_eq(read(done[0], &byte, 1), 1);
    ck_assert(all_are(r.p, r.size, 'p'));
    memset(r.p, 'q', r.size);
    ck_assert_int_eq(write(go[1], "1", 1), 1);
    backing_free(r.b);
    ck_assert_int_eq(write(go[1], "1", 1), 1);
    ck_assert_int_eq(status_of(pid), 0);
    ck_assert(all_are(r.p, r.size, 'q'));
}
END_TEST

#define MANY 40

struct many {
    uint8_t *p[MANY];
    struct backing *b[MANY];
    size_t copies;
};

static void counts_copies(void *arg)
{
    struct many *m = arg;
    size_t copies = 0;
    for (size_t i = 0; i < MANY; i++) {
        copies += mapping_of(m->p[i]).nameless;
        require(all_are(m->p[i], 2 * page_size(), 'p'));
        m->p[i][page_size()] = 'c';
    }
    require(copies == m->copies);
}

START_TEST(many_maps)
{
    // Room for three: the first one that is larger than what is left does not end it.
    char limit[32];
    struct many m = {.copies = 3};
    snprintf(limit, sizeof(limit), "%zu", 7 * page_size());
    set_limit(limit);
    uint8_t *large = anonymous(16);
    struct backing *b = make(large, 16 * page_size());
    for (size_t i = 0; i < MANY; i++) {
        m.p[i] = anonymous(3); // one page between them
        m.b[i] = make(m.p[i], 2 * page_size());
    }
    bytes_read = 0;
    in_child(counts_copies, &m);
    ck_assert_uint_eq(bytes_read, 6 * page_size());
    for (size_t i = 0; i < MANY; i++) {
        ck_assert(all_are(m.p[i], 2 * page_size(), 'p'));
        backing_free(m.b[i]);
    }
    backing_free(b);
}
END_TEST

// ---- what the program has done to the range since

static bool no_descriptors;

struct changed {
    uint8_t *p, *moved, *theirs;
};

static void finds_the_changes(void *arg)
{
    struct changed *c = arg;
    size_t page = page_size();
    require(mapping_of(c->p + page).start == 0);    // unmapped
    require(!mapping_of(c->p + 2 * page).writable); // protected
    require(!mapping_of(c->p + 3 * page).readable); // a guard page
    require(mprotect(c->p + 2 * page, 2 * page, PROT_READ | PROT_WRITE) == 0);
    memset(c->p + 2 * page, 'c', 2 * page);
    if (!no_descriptors) // else the parent did not find it, and the child has nothing there
        memset(c->moved, 'c', page);
    memset(c->p, 'c', page);
    require(all_are(c->p + 6 * page, 2 * page, 'p'));
    memset(c->p + 6 * page, 'c', 2 * page);
    c->theirs[1] = 'c'; // memory that the program itself shares
}

// Leaves the process no descriptor to open.
static void take_all_descriptors(void)
{
    struct rlimit limit;
    ck_assert_int_eq(getrlimit(RLIMIT_NOFILE, &limit), 0);
    limit.rlim_cur = 64;
    ck_assert_int_eq(setrlimit(RLIMIT_NOFILE, &limit), 0);
    while (fcntl(0, F_DUPFD_CLOEXEC, 0) >= 0)
        ;
    ck_assert_int_eq(errno, EMFILE);
}

static void changed_by_program(void)
{
    size_t page = page_size();
    struct changed c = {.p = anonymous(PAGES), .moved = anonymous(1)};
    struct backing *b = make(c.p, PAGES * page);
    munmap(c.p + page, page);
    ck_assert_int_eq(mprotect(c.p + 2 * page, page, PROT_READ), 0);
    ck_assert_int_eq(mprotect(c.p + 3 * page, page, PROT_NONE), 0);
    c.theirs = mmap(c.p + 4 * page, page, PROT_READ | PROT_WRITE,
                    MAP_SHARED | MAP_ANONYMOUS | MAP_FIXED, -1, 0);
    ck_assert_ptr_eq(c.theirs, c.p + 4 * page);
    if (no_descriptors)
        take_all_descriptors();
    memset(c.theirs, 't', page);
    ck_assert_ptr_eq(mremap(c.p + 5 * page, page, page, MREMAP_MAYMOVE | MREMAP_FIXED, c.moved),
                     c.moved);
    in_child(finds_the_changes, &c);
    ck_assert_uint_eq(c.theirs[1], 'c');
    ck_assert(all_are(c.p, page, 'p'));
    ck_assert(all_are(c.p + 2 * page, page, 'p'));
    ck_assert_int_eq(mprotect(c.p + 3 * page, page, PROT_READ), 0);
    ck_assert(all_are(c.p + 3 * page, page, 'p'));
    ck_assert(all_are(c.moved, page, 'p'));
    ck_assert(all_are(c.p + 6 * page, 2 * page, 'p'));
    // And a second child still gets the program's memory.
    c.theirs[1] = 't';
    ck_assert_int_eq(mprotect(c.p + 3 * page, page, PROT_NONE), 0);
    in_child(finds_the_changes, &c);
    ck_assert_uint_eq(c.theirs[1], 'c');
    backing_free(b);
}

START_TEST(changed_and_copied)
{
    set_limit("unlimited");
    changed_by_program();
}
END_TEST

START_TEST(changed_and_not_copied)
{
    set_limit("0");
    changed_by_program();
}
END_TEST

START_TEST(changed_and_no_descriptors)
{
    set_limit("unlimited");
    no_descriptors = true;
    changed_by_program();
}
END_TEST

static void needs_no_descriptor(void *arg)
{
    struct range *r = arg;
    char byte;
    // Another file of the program's has the number now.
    require(read(r->b->memfd < 0 ? go[0] : -1, &byte, 1) == 1 && byte == 'd');
    write_all_of(arg);
}

START_TEST(closed_descriptor)
{
    set_limit("unlimited");
    struct range r = {anonymous(PAGES), PAGES * page_size(), NULL};
    int ends[2];
    r.b = make(r.p, r.size);
    int number = r.b->memfd, kept = fcntl(number, F_DUPFD_CLOEXEC, 0);
    ck_assert_int_eq(pipe(ends), 0);
    ck_assert_int_eq(dup2(ends[0], number), number);
    go[0] = number;
    ck_assert_int_eq(write(ends[1], "d", 1), 1);
    in_child(needs_no_descriptor, &r);
    ck_assert(all_are(r.p, r.size, 'p'));
    ck_assert_int_eq(dup2(kept, number), number);
    backing_free(r.b);
}
END_TEST

static void has_no_descriptors(void *arg)
{
    const int *fds = arg;
    require(fcntl(fds[0], F_GETFD) < 0 && fcntl(fds[1], F_GETFD) < 0);
}

START_TEST(descriptors_stay_the_parents)
{
    struct errtext err;
    struct backing *b = NULL;
    uint8_t *p = anonymous(1);
    ck_assert_int_eq(backing_new((uintptr_t)p, page_size(), DOCA_ACCESS_DPU_READ_ONLY, &b, &err),
                     DOCA_SUCCESS);
    int fds[2] = {b->memfd, b->memfd_ro};
    in_child(has_no_descriptors, fds);
    ck_assert_int_ge(fcntl(fds[0], F_GETFD), 0);
    ck_assert_int_ge(fcntl(fds[1], F_GETFD), 0);
    backing_free(b);
}
END_TEST

// ---- children that go on

static void goes_on(void *arg)
{
    struct range *r = arg;
    // Its parent's object ends without any effect, and its own begins.
    backing_free(r->b);
    require(all_are(r->p, r->size, 'p'));
    struct errtext err;
    struct backing *b = NULL;
    require(backing_new((uintptr_t)r->p, r->size, RW, &b, &err) == DOCA_SUCCESS);
    require(b->n_parts == 1 && b->parts[0].mapped);
    struct range own = {r->p, r->size, b};
    r->p[3] = 'x';
    uint8_t byte = 0;
    require(__real_pread(b->memfd, &byte, 1, 3) == 1 && byte == 'x');
    r->p[3] = 'p';
    pid_t pid = fork();
    if (pid == 0) {
        write_all_of(&own);
        _exit(0);
    }
    int status;
    require(waitpid(pid, &status, 0) == pid && status == 0);
    require(all_are(r->p, r->size, 'p'));
    memset(r->p, 'c', r->size);
    backing_free(b);
    require(all_are(r->p, r->size, 'c') && mapping_of(r->p).nameless);
}

static void children_go_on(void)
{
    struct range r = {anonymous(PAGES), PAGES * page_size(), NULL};
    r.b = make(r.p, r.size);
    in_child(goes_on, &r);
    ck_assert(all_are(r.p, r.size, 'p'));
    r.p[0] = 'x';
    ck_assert_uint_eq(file_byte(r.b, r.p), 'x');
    backing_free(r.b);
}

START_TEST(grandchildren)
{
    set_limit("1M");
    children_go_on();
}
END_TEST

START_TEST(grandchildren_not_copied)
{
    set_limit("0");
    children_go_on();
}
END_TEST

static void end_now(void *arg)
{
    (void)arg;
}

START_TEST(nothing_allocated)
{
    // An allocator's locks are taken, and its memory may be what moves.
    set_limit("1M");
    struct range r = {anonymous(PAGES), PAGES * page_size(), NULL};
    r.b = make(r.p, r.size);
    bytes_read = 0;
    allocations = 0;
    pid_t pid = fork();
    if (pid == 0)
        _exit(allocations == 0 ? 0 : 1);
    ck_assert_uint_eq(allocations, 0);
    ck_assert_int_eq(status_of(pid), 0);
    ck_assert_uint_eq(bytes_read, r.size);
    backing_free(r.b);
    // Without a started map, fork() does nothing.
    bytes_read = 0;
    in_child(end_now, NULL);
    ck_assert_uint_eq(bytes_read, 0);
}
END_TEST

// ---- handlers of the program

static struct range of_handler;

static void end_the_map(void)
{
    of_handler.b = backing_free(of_handler.b);
}

START_TEST(handler_ends_the_map)
{
    // Registered before the library's late handler, so that it runs after that one.
    ck_assert_int_eq(pthread_atfork(end_the_map, NULL, NULL), 0);
    of_handler = (struct range){anonymous(PAGES), PAGES * page_size(), NULL};
    of_handler.b = make(of_handler.p, of_handler.size);
    in_child(write_all_of, &of_handler);
    ck_assert(all_are(of_handler.p, of_handler.size, 'p'));
    ck_assert_ptr_null(of_handler.b);
    // The lock was given back.
    of_handler.b = make(of_handler.p, of_handler.size);
    backing_free(of_handler.b);
}
END_TEST

// ---- without handlers

START_TEST(no_handlers)
{
    struct range r = {anonymous(PAGES), PAGES * page_size(), NULL};
    r.b = make(r.p, r.size);
    for (int i = 0; i < 2; i++) {
        pid_t pid = (pid_t)syscall(SYS_clone, SIGCHLD, NULL, NULL, NULL, NULL);
        if (pid == 0) {
            // The default action, without Check's handlers.
            signal(SIGSEGV, SIG_DFL);
            memset(r.p, 'c', r.size);
            _exit(0);
        }
        int status = status_of(pid);
        ck_assert(WIFSIGNALED(status) && WTERMSIG(status) == SIGSEGV);
        ck_assert(all_are(r.p, r.size, 'p'));
        in_child(write_all_of, &r); // fork() leaves it so
    }
    backing_free(r.b);
    // What has moved back is inherited.
    pid_t pid = (pid_t)syscall(SYS_clone, SIGCHLD, NULL, NULL, NULL, NULL);
    if (pid == 0) {
        memset(r.p, 'c', r.size);
        _exit(0);
    }
    ck_assert_int_eq(status_of(pid), 0);
    ck_assert(all_are(r.p, r.size, 'p'));
}
END_TEST

// ---- threads

static void *start_and_stop(void *arg)
{
    struct range *r = arg;
    for (int i = 0; i < 40; i++)
        backing_free(make(r->p, r->size));
    return NULL;
}

START_TEST(while_maps_start_and_stop)
{
    struct range r[2] = {{anonymous(60), 60 * page_size(), NULL},
                         {anonymous(2), 2 * page_size(), NULL}};
    pthread_t threads[2];
    for (int i = 0; i < 2; i++)
        ck_assert_int_eq(pthread_create(&threads[i], NULL, start_and_stop, &r[i]), 0);
    for (int i = 0; i < 20; i++)
        in_child(write_all_of, &r[i % 2]);
    for (int i = 0; i < 2; i++) {
        pthread_join(threads[i], NULL);
        ck_assert(all_are(r[i].p, r[i].size, 'p'));
        ck_assert(mapping_of(r[i].p).nameless);
    }
}
END_TEST

static void *fork_often(void *arg)
{
    for (int i = 0; i < 20; i++)
        in_child(write_all_of, arg);
    return NULL;
}

START_TEST(forks_of_several_threads)
{
    struct range r = {anonymous(PAGES), PAGES * page_size(), NULL};
    pthread_t threads[3];
    r.b = make(r.p, r.size);
    for (int i = 0; i < 3; i++)
        ck_assert_int_eq(pthread_create(&threads[i], NULL, fork_often, &r), 0);
    for (int i = 0; i < 3; i++)
        pthread_join(threads[i], NULL);
    ck_assert(all_are(r.p, r.size, 'p'));
    ck_assert(mapping_of(r.p).shared);
    backing_free(r.b);
}
END_TEST

UNIT_MAIN("fork", copied, not_copied, moment_of_the_fork, beyond_the_limit, many_maps,
          changed_and_copied, changed_and_no_descriptors, changed_and_not_copied, closed_descriptor,
          descriptors_stay_the_parents, grandchildren, grandchildren_not_copied, nothing_allocated,
          handler_ends_the_map, no_handlers, while_maps_start_and_stop, forks_of_several_threads)
