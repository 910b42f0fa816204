// SPDX-License-Identifier: BSD-3-Clause
// Copyright (c) 2026, the docad authors
//
// Operations that are handed to worker threads, by a library of the test's own: each waits until
// the test lets it go.

#include "workers/workers.h"

#include "fake_core.h"
#include "queue/link.h"
#include "unit.h"
#include "workers/places.h"
#include "workers/ring.h"

#include <dirent.h>
#include <pthread.h>
#include <sched.h>
#include <string.h>
#include <sys/epoll.h>
#include <sys/wait.h>
#include <unistd.h>

struct test_op {
    struct worker_op op;
    struct work_item item;
    _Atomic bool let_go;
    bool ran;
    enum worker_end how;
    struct activity_slot *seen;
    uint32_t by;
};

struct rig {
    struct executor executor;
    struct work_link link;
    struct worker_port port;
};

static struct rig *rig_of(const struct test_op *op)
{
    return container_of(op->item.link, struct rig, link);
}

static void run(struct worker_op *op)
{
    struct test_op *mine = container_of(op, struct test_op, op);

    while (!atomic_load(&mine->let_go))
        sched_yield();
    mine->ran = true;
    mine->seen = op->activity;
    mine->by = op->worker;
}

static void done(struct worker_op *op, enum worker_end end)
{
    struct test_op *mine = container_of(op, struct test_op, op);

    mine->how = end;
    executor_finish(&rig_of(mine)->executor, &mine->item);
}

static const struct worker_calls calls = {.run = run, .done = done};

static enum work_status execute(struct work_item *item)
{
    struct test_op *op = container_of(item, struct test_op, item);
    struct rig *rig = rig_of(op);

    if (worker_offload(&rig->port, &op->op))
        return executor_keep(&rig->executor);
    return WORK_LATER;
}

static const struct work_ops work = {.execute = execute, .eager = true};

static void rig_open(struct rig *rig, struct session *session)
{
    struct errtext err;

    executor_init_bare(&rig->executor);
    ck_assert_int_eq(executor_set_event_driven(&rig->executor, true, &err), DOCA_SUCCESS);
    rig->link = (struct work_link){.ops = &work, .executor = &rig->executor};
    worker_port_open(&rig->port, &rig->executor, session, &calls);
}

static void rig_close(struct rig *rig)
{
    worker_port_close(&rig->port);
    executor_fini(&rig->executor);
}

static void submit(struct rig *rig, struct test_op *op, bool let_go)
{
    op->item.link = &rig->link;
    op->ran = false;
    op->let_go = let_go;
    executor_execute(&rig->executor, &op->item);
}

// Returns the next operation that is done.
static struct test_op *retrieve(struct rig *rig)
{
    struct work_item *item;

    while (!(item = executor_poll_waiting(&rig->executor)))
        sched_yield();
    return container_of(item, struct test_op, item);
}

static unsigned count_threads(void)
{
    unsigned n = 0;
    DIR *tasks = opendir("/proc/self/task");
    const struct dirent *entry;

    ck_assert_ptr_nonnull(tasks);
    while ((entry = readdir(tasks)))
        n += entry->d_name[0] != '.';
    closedir(tasks);
    return n;
}

static void *nothing(void *unused)
{
    return unused;
}

static void expect_threads(unsigned n);

// The number of threads when there are no workers. A sanitizer adds one of its own when a process
// makes its first.
static unsigned other_threads(void)
{
    pthread_t thread;
    unsigned n = count_threads();

    pthread_create(&thread, NULL, nothing, NULL);
    pthread_join(thread, NULL);
#ifdef __SANITIZE_THREAD__
    n++;
#endif
    expect_threads(n);
    return n;
}

// A thread that was joined may still be listed for a moment.
static void expect_threads(unsigned n)
{
    while (count_threads() != n)
        sched_yield();
}

// ---- threads ---------------------------------------------------------------------------

START_TEST(threads_come_with_work_and_go_with_the_last_port)
{
    static struct rig first, second;
    static struct test_op op;
    unsigned before = other_threads();

    workers_set_most(3);
    rig_open(&first, NULL);
    rig_open(&second, NULL);
    ck_assert_uint_eq(workers_most(), 3);
    ck_assert_uint_eq(count_threads(), before);
    for (unsigned i = 0; i < 5; i++) { // one at a time needs one thread
        submit(&first, &op, true);
        ck_assert_ptr_eq(retrieve(&first), &op);
        ck_assert(op.ran);
    }
    ck_assert_uint_eq(count_threads(), before + 1);
    rig_close(&first);
    ck_assert_uint_eq(count_threads(), before + 1);
    submit(&second, &op, true);
    ck_assert_ptr_eq(retrieve(&second), &op);
    rig_close(&second);
    expect_threads(before);
}
END_TEST

START_TEST(no_more_threads_than_allowed)
{
    static struct rig rig;
    static struct test_op many[8];
    unsigned before = other_threads();

    workers_set_most(3);
    rig_open(&rig, NULL);
    for (unsigned i = 0; i < 8; i++)
        submit(&rig, &many[i], false);
    ck_assert_uint_eq(count_threads(), before + 3);
    ck_assert_uint_eq(rig.executor.kept, 8);
    for (unsigned i = 0; i < 8; i++)
        atomic_store(&many[i].let_go, true);
    for (unsigned i = 0; i < 8; i++) {
        const struct test_op *op = retrieve(&rig);
        ck_assert(op->ran);
        ck_assert_int_eq(op->how, WORKER_RAN);
        ck_assert_uint_lt(op->by, 3);
    }
    ck_assert_uint_eq(rig.executor.kept, 0);
    rig_close(&rig);
}
END_TEST

START_TEST(completions_come_in_the_order_of_completion)
{
    static struct rig rig;
    static struct test_op ops[3];

    workers_set_most(3);
    rig_open(&rig, NULL);
    for (unsigned i = 0; i < 3; i++)
        submit(&rig, &ops[i], false);
    for (unsigned i = 3; i-- > 0;) {
        atomic_store(&ops[i].let_go, true);
        ck_assert_ptr_eq(retrieve(&rig), &ops[i]);
    }
    rig_close(&rig);
}
END_TEST

START_TEST(without_workers_nothing_is_taken)
{
    static struct rig rig;
    static struct test_op op;

    workers_set_most(0);
    rig_open(&rig, NULL);
    ck_assert(!worker_offload(&rig.port, &op.op));
    ck_assert(!worker_port_touches(&rig.port));
    rig_close(&rig);
}
END_TEST

// ---- how many --------------------------------------------------------------------------

static unsigned fake_cores;

int __wrap_sched_getaffinity(pid_t pid, size_t size, cpu_set_t *set);
int __wrap_sched_getaffinity(pid_t pid, size_t size, cpu_set_t *set)
{
    (void)pid;
    memset(set, 0, size);
    for (unsigned i = 0; i < fake_cores; i++)
        CPU_SET(i, set);
    return 0;
}

static void expect_most(unsigned cores, const char *environment, unsigned most)
{
    static struct rig rig;

    fake_cores = cores;
    if (environment)
        setenv("DOCAD_WORKERS", environment, 1);
    else
        unsetenv("DOCAD_WORKERS");
    workers_set_most(-1);
    rig_open(&rig, fake_session);
    ck_assert_uint_eq(workers_most(), most);
    rig_close(&rig);
}

START_TEST(cores_docad_and_environment_limit_the_workers)
{
    expect_most(1, NULL, 0);
    expect_most(1, "4", 0);
    expect_most(2, NULL, 2);
    expect_most(8, NULL, 8);
    expect_most(8, "", 8);
    expect_most(8, "3", 3);
    expect_most(8, "0", 0);
    expect_most(8, "99999", 8);
    expect_most(8, "many", 8);
    expect_most(200, NULL, WORKERS_MAX);
    fake_workers_allowed = 4; // docad's configuration
    expect_most(1, NULL, 0);
    expect_most(3, NULL, 3);
    expect_most(8, NULL, 4);
    expect_most(8, "2", 2);
    expect_most(8, "6", 4);
    fake_workers_allowed = 0;
    expect_most(8, "6", 0);
}
END_TEST

// ---- stopping ----------------------------------------------------------------------------

START_TEST(what_no_worker_has_begun_is_withdrawn)
{
    static struct rig rig;
    static struct test_op first, later[2];

    workers_set_most(1);
    rig_open(&rig, NULL);
    submit(&rig, &first, true);
    retrieve(&rig); // so that the worker is there
    first.let_go = false;
    submit(&rig, &first, false);
    while (atomic_load(&first.op.state) == 0) // waits for the worker
        sched_yield();
    submit(&rig, &later[0], true);
    submit(&rig, &later[1], true);
    worker_withdraw(&rig.port);
    atomic_store(&first.let_go, true);
    ck_assert_ptr_eq(retrieve(&rig), &first);
    ck_assert_int_eq(first.how, WORKER_RAN);
    for (unsigned i = 0; i < 2; i++) {
        ck_assert_ptr_eq(retrieve(&rig), &later[i]);
        ck_assert_int_eq(later[i].how, WORKER_WITHDRAWN);
        ck_assert(!later[i].ran);
    }
    rig_close(&rig);
}
END_TEST

START_TEST(a_full_ring_leaves_the_work_to_the_caller)
{
    static struct test_op many[RING_SIZE + 8];
    static struct rig rig;
    unsigned handed = 0;

    workers_set_most(1);
    rig_open(&rig, NULL);
    for (unsigned i = 0; i < ARRAY_SIZE(many); i++) {
        many[i].item.link = &rig.link;
        if (!worker_offload(&rig.port, &many[i].op))
            break;
        executor_keep(&rig.executor);
        handed++;
    }
    ck_assert_uint_ge(handed, RING_SIZE); // and perhaps the one that the worker has taken
    ck_assert_uint_le(handed, RING_SIZE + 1);
    for (unsigned i = 0; i < handed; i++)
        atomic_store(&many[i].let_go, true);
    for (unsigned i = 0; i < handed; i++)
        ck_assert_ptr_eq(retrieve(&rig), &many[i]);
    rig_close(&rig);
}
END_TEST

// ---- imported memory ---------------------------------------------------------------------

START_TEST(workers_have_places_of_their_own)
{
    static struct rig rig, other;
    static struct test_op ops[2];

    workers_set_most(2);
    rig_open(&rig, fake_session);
    rig_open(&other, fake_session);
    ck_assert(worker_port_touches(&rig.port));
    ck_assert_ptr_eq(rig.port.places, other.port.places);
    for (unsigned i = 0; i < 2; i++)
        submit(&rig, &ops[i], false);
    for (unsigned i = 0; i < 2; i++)
        while (atomic_load(&ops[i].op.state) == 0) // waits for a worker
            sched_yield();
    for (unsigned i = 0; i < 2; i++) {
        atomic_store(&ops[i].let_go, true);
        retrieve(&rig);
        ck_assert_ptr_nonnull(ops[i].seen);
        ck_assert_ptr_eq(ops[i].seen, rig.port.places->slots[ops[i].by]);
    }
    ck_assert_uint_ne(ops[0].by, ops[1].by); // both were under way at a time
    rig_close(&rig);
    rig_close(&other);
}
END_TEST

// ---- waiting -----------------------------------------------------------------------------

// A lost wake-up hangs it.
START_TEST(an_end_wakes_the_thread_that_waits)
{
    enum { JOBS = 3000, AT_ONCE = 3 };
    static struct rig rig;
    static struct test_op ops[AT_ONCE];
    struct epoll_event e;
    struct errtext err;
    unsigned n = 0;

    workers_set_most(2);
    rig_open(&rig, NULL);
    for (unsigned i = 0; i < AT_ONCE; i++)
        submit(&rig, &ops[i], true);
    while (n < JOBS) {
        ck_assert_int_eq(executor_arm(&rig.executor, &err), DOCA_SUCCESS);
        ck_assert_int_eq(epoll_wait(rig.executor.epoll_fd, &e, 1, -1), 1);
        ck_assert_int_eq(executor_clear(&rig.executor, &err), DOCA_SUCCESS);
        struct work_item *item = executor_poll_waiting(&rig.executor);
        if (item) {
            n++;
            submit(&rig, container_of(item, struct test_op, item), true);
        }
    }
    for (unsigned i = 0; i < AT_ONCE; i++)
        retrieve(&rig);
    rig_close(&rig);
}
END_TEST

// ---- threads and processes ---------------------------------------------------------------

static void *use_a_rig(void *unused)
{
    enum { ROUNDS = 60, EACH = 50 };
    // Not on the stack: AddressSanitizer's does not align to cache lines.
    static _Thread_local struct test_op ops[8];
    static _Thread_local struct rig rig;

    for (unsigned round = 0; round < ROUNDS; round++) {
        rig_open(&rig, NULL);
        for (unsigned i = 0; i < 8; i++)
            submit(&rig, &ops[i], true);
        for (unsigned i = 0; i < EACH; i++)
            submit(&rig, retrieve(&rig), true);
        for (unsigned i = 0; i < 8; i++)
            ck_assert(retrieve(&rig)->ran);
        rig_close(&rig);
    }
    return unused;
}

START_TEST(programs_threads_share_the_workers)
{
    pthread_t threads[3];

    workers_set_most(2);
    for (unsigned i = 0; i < 3; i++)
        pthread_create(&threads[i], NULL, use_a_rig, NULL);
    for (unsigned i = 0; i < 3; i++)
        pthread_join(threads[i], NULL);
}
END_TEST

#ifndef __SANITIZE_THREAD__ // it allows no threads in the child of a process with threads
static int child(struct rig *rig, struct test_op *of_parent)
{
    static struct test_op own;

    alarm(30); // a hang is a failure
    if (count_threads() != 1 || retrieve(rig) != of_parent || of_parent->how != WORKER_LOST)
        return 1;
    submit(rig, &own, true);
    if (retrieve(rig) != &own || !own.ran || count_threads() != 2)
        return 2;
    rig_close(rig);
    return 0;
}

START_TEST(a_child_starts_with_none)
{
    static struct rig rig;
    static struct test_op op;
    int status;

    workers_set_most(2);
    rig_open(&rig, NULL);
    submit(&rig, &op, false);
    pid_t pid = fork();
    ck_assert_int_ge(pid, 0);
    if (pid == 0)
        _exit(child(&rig, &op));
    ck_assert_int_eq(waitpid(pid, &status, 0), pid);
    ck_assert(WIFEXITED(status));
    ck_assert_int_eq(WEXITSTATUS(status), 0);
    atomic_store(&op.let_go, true);
    ck_assert_ptr_eq(retrieve(&rig), &op);
    ck_assert_int_eq(op.how, WORKER_RAN);
    rig_close(&rig);
}
END_TEST
#endif

int main(void)
{
    const TTest *const tests[] = {
        threads_come_with_work_and_go_with_the_last_port,
        no_more_threads_than_allowed,
        completions_come_in_the_order_of_completion,
        without_workers_nothing_is_taken,
        cores_docad_and_environment_limit_the_workers,
        what_no_worker_has_begun_is_withdrawn,
        a_full_ring_leaves_the_work_to_the_caller,
        workers_have_places_of_their_own,
        an_end_wakes_the_thread_that_waits,
        programs_threads_share_the_workers,
#ifndef __SANITIZE_THREAD__
        a_child_starts_with_none,
#endif
    };
    return unit_run("workers", tests, ARRAY_SIZE(tests));
}
