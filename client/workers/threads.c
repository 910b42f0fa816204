// SPDX-License-Identifier: BSD-3-Clause
// Copyright (c) 2026, the docad authors

#include "workers/threads.h"

#include "clock.h"
#include "core/process.h"
#include "core/session.h"
#include "log/own.h"
#include "number.h"
#include "workers/places.h"
#include "workers/ring.h"

#include <limits.h>
#include <linux/futex.h>
#include <pthread.h>
#include <sched.h>
#include <signal.h>
#include <sys/syscall.h>
#include <unistd.h>

#define STACK_SIZE  (256 * 1024)
#define ALONE_TIMES 16 // about half a millisecond
// How long a worker polls for an operation before it sleeps, see workers.h.
#define POLL_SHARE      8 // of the time of the last operation
#define POLL_MIN_NS     10000
#define POLL_MAX_NS     200000
#define POLLS_PER_CLOCK 64 // until the clock is read again

// A thread that submits an operation publishes it in the ring, and then loads `sleeping`; a worker
// loads `wakeups`, counts itself in `sleeping`, and then polls the ring. All of that is
// sequentially consistent, so at least one of them sees the other's store
// (tests/models/workers.pml).
static struct ring ring;
static _Atomic uint32_t in_progress; // submitted operations that have not completed
static _Atomic uint32_t sleeping;    // workers that sleep, or are about to
static _Atomic uint32_t wakeups;     // a futex: changes with each wake-up
static _Atomic bool ending;
static _Atomic uint32_t n_threads; // written under the control lock
static _Atomic uint32_t forks;

static struct call_lock control = CALL_LOCK_INIT;
static pthread_t threads[WORKERS_MAX]; // the rest is under it
static uint32_t n_ports;
static int forced_most = -1;
static _Atomic uint32_t most;
uint32_t worker_alone_times = ALONE_TIMES;

// ---- number of workers --------------------------------------------------------------------------

static uint32_t cores(void)
{
    cpu_set_t set;

    if (sched_getaffinity(0, sizeof(set), &set) == 0)
        return (uint32_t)CPU_COUNT(&set);
    long n = sysconf(_SC_NPROCESSORS_ONLN); // more than a set has room for
    return n > 0 ? (uint32_t)n : 1;
}

static uint32_t allowed(void)
{
    const char *text = secure_getenv("DOCAD_WORKERS");
    uint64_t n;

    if (!text || !*text)
        return WORKERS_MAX;
    if (number_read(text, 10, UINT32_MAX, &n))
        return n < WORKERS_MAX ? (uint32_t)n : WORKERS_MAX;
    log_own_warning("DOCAD_WORKERS=\"%s\" is not a number, so there may be as many worker threads "
                    "as cores; write for instance 2, or 0 for none",
                    text);
    return WORKERS_MAX;
}

static uint32_t least(uint32_t a, uint32_t b)
{
    return a < b ? a : b;
}

static uint32_t find_most(const struct session *session)
{
    uint32_t n = cores(), limit = allowed();

    if (n <= 1)
        return 0;
    if (session)
        limit = least(limit, session_workers(session));
    return least(n, limit);
}

uint32_t workers_most(void)
{
    return atomic_load_explicit(&most, memory_order_relaxed);
}

void workers_set_most(int n)
{
    forced_most = n;
    worker_alone_times = n < 0 ? ALONE_TIMES : 1;
}

uint32_t workers_forks(void)
{
    return atomic_load_explicit(&forks, memory_order_relaxed);
}

// ---- sleep -------------------------------------------------------------------------------

static void futex(int op, uint32_t value)
{
    syscall(SYS_futex, &wakeups, op | FUTEX_PRIVATE_FLAG, value, NULL, NULL, 0);
}

static void wake(uint32_t n)
{
    atomic_fetch_add(&wakeups, 1);
    futex(FUTEX_WAKE, n);
}

static inline void cpu_relax(void)
{
#if defined(__x86_64__)
    __builtin_ia32_pause();
#elif defined(__aarch64__)
    __asm__ volatile("yield");
#endif
}

static uint64_t poll_time(uint64_t worked)
{
    uint64_t share = worked / POLL_SHARE;

    if (share < POLL_MIN_NS)
        return POLL_MIN_NS;
    return share < POLL_MAX_NS ? share : POLL_MAX_NS;
}

// Polls for an operation until then.
static struct worker_op *poll_ring(uint64_t until)
{
    struct worker_op *op;

    do {
        for (unsigned polls = 0; polls < POLLS_PER_CLOCK; polls++) {
            if ((op = ring_take(&ring)))
                return op;
            cpu_relax();
        }
        sched_yield(); // a thread that is ready to run has precedence
    } while (clock_ns() < until);
    return NULL;
}

// Returns the next operation. It polls until `until` and then sleeps. NULL: the worker is to end.
static struct worker_op *next_op(uint64_t until)
{
    struct worker_op *op;

    for (;;) {
        if ((op = poll_ring(until)))
            return op;
        // In this order: a thread that submits an operation after the last poll sees that the
        // worker counts as sleeping, and changes `wakeups`.
        uint32_t seen = atomic_load(&wakeups);
        atomic_fetch_add(&sleeping, 1);
        bool end = atomic_load(&ending);
        op = ring_take(&ring);
        if (!op && !end)
            futex(FUTEX_WAIT, seen);
        atomic_fetch_sub(&sleeping, 1);
        if (op || end)
            return op;
    }
}

// ---- threads -----------------------------------------------------------------------------

static void *work(void *number)
{
    uint32_t me = (uint32_t)(uintptr_t)number;
    uint64_t begun = 0, ended = 0;
    struct worker_op *op;

    while ((op = next_op(ended + poll_time(ended - begun)))) {
        uint32_t waiting = OP_WAITING;
        const struct worker_places *places = op->port->places;
        if (atomic_compare_exchange_strong(&op->state, &waiting, OP_BEGUN)) {
            op->worker = me;
            op->activity = places ? places->slots[me] : NULL;
            begun = clock_ns();
            op->port->calls->run(op);
            ended = clock_ns();
        }
        atomic_fetch_sub(&in_progress, 1);
        worker_port_ended(op);
    }
    return NULL;
}

// Signals are for the program's threads; a thread inherits the mask. Faults are the thread's own,
// and the program may have a handler: a blocked one would end the process.
static void all_but_faults(sigset_t *set)
{
    static const int faults[] = {SIGSEGV, SIGBUS, SIGFPE, SIGILL, SIGTRAP};

    sigfillset(set);
    for (size_t i = 0; i < sizeof(faults) / sizeof(faults[0]); i++)
        sigdelset(set, faults[i]);
}

static bool start_thread(uint32_t number)
{
    pthread_attr_t attributes;
    sigset_t all, before;

    if (pthread_attr_init(&attributes) != 0)
        return false;
    all_but_faults(&all);
    bool ok = pthread_attr_setstacksize(&attributes, STACK_SIZE) == 0 &&
              pthread_sigmask(SIG_BLOCK, &all, &before) == 0;
    if (ok) {
        ok = pthread_create(&threads[number], &attributes, work, (void *)(uintptr_t)number) == 0;
        pthread_sigmask(SIG_SETMASK, &before, NULL);
    }
    pthread_attr_destroy(&attributes);
    return ok;
}

__attribute__((noinline, cold)) static void start_one(void)
{
    call_lock(&control);
    uint32_t n = atomic_load(&n_threads);
    if (n < workers_most() && start_thread(n))
        atomic_store(&n_threads, n + 1);
    call_unlock(&control);
}

bool workers_give(struct worker_op *op)
{
    uint32_t n = atomic_load_explicit(&n_threads, memory_order_relaxed);

    if (atomic_fetch_add(&in_progress, 1) >= n && n < workers_most())
        start_one();
    if (!atomic_load_explicit(&n_threads, memory_order_relaxed) || !ring_put(&ring, op)) {
        atomic_fetch_sub(&in_progress, 1);
        return false;
    }
    if (atomic_load(&sleeping))
        wake(1);
    return true;
}

static void end_threads(void)
{
    atomic_store(&ending, true);
    wake(INT_MAX);
    for (uint32_t n = atomic_load(&n_threads); n > 0; n--)
        pthread_join(threads[n - 1], NULL);
    atomic_store(&n_threads, 0);
    atomic_store(&ending, false);
}

// ---- ports come and go ---------------------------------------------------------------------

// The threads are the parent's, and so is what they were given.
static void reset_in_child(void)
{
    ring_init(&ring);
    atomic_store(&in_progress, 0);
    atomic_store(&sleeping, 0);
    atomic_store(&n_threads, 0);
    atomic_store(&ending, false);
    atomic_fetch_add(&forks, 1);
}

static struct fork_hook on_fork = {.in_child = reset_in_child};

struct worker_places *workers_enter(struct session *session)
{
    process_on_fork(&on_fork);
    call_lock(&control);
    if (n_ports++ == 0) {
        ring_init(&ring);
        atomic_store(&most, forced_most < 0 ? find_most(session) : (uint32_t)forced_most);
    }
    struct worker_places *places = worker_places_get(session, workers_most());
    call_unlock(&control);
    return places;
}

void workers_leave(struct worker_places *places)
{
    call_lock(&control);
    worker_places_put(places);
    if (--n_ports == 0)
        end_threads();
    call_unlock(&control);
}
