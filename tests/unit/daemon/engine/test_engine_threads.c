// SPDX-License-Identifier: BSD-3-Clause
// Copyright (c) 2026, the docad authors
//
// The engine's threads: what they do when memory hangs, where they are, and that they sleep.

#include "cleanup.h"
#include "engine_owned.h"
#include "unit.h"

#include <doca_error.h>

#include <dirent.h>
#include <fcntl.h>
#include <sched.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

// ---- memory that hangs ----------------------------------------------------------------------

// A file system can make the reader of a page hang. Here /dev/zero, in place of an owner's
// memory, hangs (the linker routes the engine's pread() to this one) until the test releases it.
static int let_go[2];

ssize_t __real_pread(int fd, void *buf, size_t n, off_t at);
ssize_t __wrap_pread(int fd, void *buf, size_t n, off_t at);

ssize_t __wrap_pread(int fd, void *buf, size_t n, off_t at)
{
    struct stat st;
    char byte;
    if (fstat(fd, &st) == 0 && S_ISCHR(st.st_mode) && read(let_go[0], &byte, 1) != 1)
        return -1;
    return __real_pread(fd, buf, n, at);
}

START_TEST(an_owner_whose_memory_hangs_costs_only_its_importers)
{
    struct qp_client stuck, good;
    struct qp_completion c;
    owned_setup();
    ck_assert_int_eq(pipe(let_go), 0);
    struct shared_fd *own = owner_memory, *hanging = shared_file("/dev/zero");
    open_queue_pair(&stuck);
    open_queue_pair(&good);
    uint32_t key = grant(owned, 100, true);
    owner_memory = hanging;
    uint32_t hanging_key = grant(owned, 100, false);
    owner_memory = own;
    struct qp_request hang = {(uintptr_t)owned, 8, hanging_key, 0, 0, QP_READ, 0};
    ck_assert(qp_post(&stuck, &hang));
    qp_ring(&stuck);

    struct qp_request r = {(uintptr_t)owned, 6, key, 0, 77, QP_READ, 0};
    for (int i = 0; i < 10; i++) {
        ck_assert(qp_post(&good, &r));
        qp_ring(&good);
        while (!qp_poll(&good, &c)) // the loop runs meanwhile, and the watchdog in it
            event_base_loop(base, EVLOOP_NONBLOCK);
        ck_assert_uint_eq(c.status, DOCA_SUCCESS);
    }
    ck_assert(!qp_poll(&stuck, &c));

    int dropped = 0;
    engine_grant_drop(importer, hanging_key, DOCA_ERROR_NOT_PERMITTED, count_call, &dropped);
    for (int i = 0; i < 10; i++)
        event_base_loop(base, EVLOOP_NONBLOCK);
    ck_assert_int_eq(dropped, 0); // a copy through it is under way
    ck_assert_int_eq(write(let_go[1], "", 1), 1);
    run_loop_until(&dropped, 1);
    ck_assert_uint_eq(wait_completion(&stuck).status, DOCA_SUCCESS);
    qp_client_fini(&stuck);
    qp_client_fini(&good);
    shared_fd_unref(hanging);
    owned_teardown();
}
END_TEST

// More requests that hang than the engine has threads for in the end: those behind the
// first few fail, and other users' go on.
START_TEST(an_owner_cannot_make_every_thread_hang)
{
    enum { MANY = 40 };
    static struct qp_client stuck[MANY];
    struct qp_client good;
    struct qp_completion c;
    unsigned failed = 0;
    owned_setup();
    ck_assert_int_eq(pipe(let_go), 0);
    struct shared_fd *own = owner_memory, *hanging = shared_file("/dev/zero");
    owner_memory = hanging;
    for (int i = 0; i < MANY; i++) {
        open_queue_pair(&stuck[i]);
        struct engine_range range = {.owner_memory = hanging,
                                     .owner = (uint64_t)i + 100,
                                     .uid = 4711,
                                     .address = 4096,
                                     .length = 100,
                                     .allowed = 1u << QP_READ};
        uint32_t key;
        ck_assert_int_eq(engine_grant_add(importer, &range, &key), 0);
        struct qp_request hang = {4096, 8, key, 0, 0, QP_READ, 0};
        ck_assert(qp_post(&stuck[i], &hang));
        qp_ring(&stuck[i]);
    }
    owner_memory = own;
    while (failed < MANY - 3) { // the loop runs meanwhile, and the watchdog in it
        event_base_loop(base, EVLOOP_NONBLOCK);
        for (int i = 0; i < MANY; i++) {
            if (qp_poll(&stuck[i], &c)) {
                ck_assert_uint_eq(c.status, DOCA_ERROR_IO_FAILED);
                failed++;
            }
        }
    }
    open_queue_pair(&good);
    struct qp_request r = {(uintptr_t)owned, 6, grant(owned, 100, true), 0, 77, QP_READ, 0};
    ck_assert(qp_post(&good, &r));
    qp_ring(&good);
    while (!qp_poll(&good, &c))
        event_base_loop(base, EVLOOP_NONBLOCK);
    ck_assert_uint_eq(c.status, DOCA_SUCCESS);
    for (int i = 0; i < MANY; i++)
        ck_assert_int_eq(write(let_go[1], "", 1), 1);
    for (int i = 0; i < MANY; i++)
        qp_client_fini(&stuck[i]);
    qp_client_fini(&good);
    shared_fd_unref(hanging);
    owned_teardown();
}
END_TEST

// ---- options --------------------------------------------------------------------------------

START_TEST(threads_are_where_they_were_told)
{
    struct engine_options options = ENGINE_OPTIONS_DEFAULT;
    struct engine *pinned = NULL;
    base = event_base_new();
    options.threads = 3;
    options.pinned = true;
    cpu_set_t mine, seen, all;
    ck_assert_int_eq(sched_getaffinity(0, sizeof(mine), &mine), 0);
    int last = CPU_SETSIZE - 1;
    while (!CPU_ISSET(last, &mine))
        last--;
    CPU_ZERO(&options.cpus);
    CPU_SET(last, &options.cpus);
    ck_assert_int_eq(engine_new(&pinned, base, &options), 0);
    unsigned threads = 0;
    DIR *dir = opendir("/proc/self/task");
    for (struct dirent *e; (e = readdir(dir));) {
        pid_t tid = atoi(e->d_name);
        if (tid == 0 || tid == getpid() || sched_getaffinity(tid, sizeof(seen), &seen) != 0)
            continue;
        CPU_AND(&all, &seen, &options.cpus);
        threads += CPU_COUNT(&seen) == 1 && CPU_EQUAL(&all, &options.cpus);
    }
    closedir(dir);
    ck_assert_uint_eq(threads, 3);
    engine_free(pinned);
    // A CPU that is not there is an error, and no thread is left.
    CPU_ZERO(&options.cpus);
    CPU_SET(CPU_SETSIZE - 1, &options.cpus);
    pinned = NULL;
    ck_assert_int_eq(engine_new(&pinned, base, &options), -EINVAL);
    ck_assert_ptr_null(pinned);
    event_base_free(base);
}
END_TEST

// CPU time of the thread that serves, in nanoseconds.
static unsigned long long engine_time(void)
{
    unsigned long long time = 0;
    DIR *dir = opendir("/proc/self/task");
    for (struct dirent *e; (e = readdir(dir));) {
        char path[300], name[32] = "";
        snprintf(path, sizeof(path), "/proc/self/task/%s/comm", e->d_name);
        cleanup_file FILE *comm = fopen(path, "re");
        if (!comm || !fgets(name, sizeof(name), comm) || strcmp(name, "docad-engine\n") != 0)
            continue;
        snprintf(path, sizeof(path), "/proc/self/task/%s/schedstat", e->d_name);
        cleanup_file FILE *stat = fopen(path, "re");
        ck_assert(stat && fscanf(stat, "%llu", &time) == 1);
    }
    closedir(dir);
    ck_assert_uint_gt(time, 0);
    return time;
}

// The engine sleeps, and so does the loop: no event is pending that would wake it.
START_TEST(idle_costs_nothing)
{
    struct qp_client client;
    owned_setup();
    open_queue_pair(&client);
    struct qp_request r = {(uintptr_t)owned, 6, grant(owned, 100, true), 0, 0, QP_READ, 0};
    ck_assert_uint_eq(run(&client, r), DOCA_SUCCESS);
    // Without events left (those for callbacks and for what was unmapped have no timer) this would
    // not return from waiting, so each turn is for a timer, of which there is an end.
    while (event_base_get_num_events(base, EVENT_BASE_COUNT_ADDED) > 2)
        event_base_loop(base, EVLOOP_ONCE);
    unsigned long long before, after = engine_time();
    do { // it may be on its way to sleep
        before = after;
        for (volatile unsigned i = 0; i < 50000000; i++)
            ;
        after = engine_time();
    } while (before != after);
    ck_assert_uint_eq(run(&client, r), DOCA_SUCCESS);
    qp_client_fini(&client);
    owned_teardown();
}
END_TEST

UNIT_MAIN("engine_threads", an_owner_whose_memory_hangs_costs_only_its_importers,
          an_owner_cannot_make_every_thread_hang, threads_are_where_they_were_told,
          idle_costs_nothing)
