// SPDX-License-Identifier: BSD-3-Clause
// Copyright (c) 2026, the docad authors

#include "worker_watch.h"

#include "fake_core.h"
#include "workers/workers.h"

#include <check.h>
#include <sched.h>
#include <signal.h>
#include <sys/mman.h>
#include <unistd.h>

// ---- a busy worker -----------------------------------------------------------------------

static struct executor executor;
static struct worker_port port;
static struct worker_op op;
static _Atomic bool begun, let_go;
static bool over;

static void run(struct worker_op *unused)
{
    (void)unused;
    atomic_store(&begun, true);
    while (!atomic_load(&let_go))
        sched_yield();
}

static void done(struct worker_op *unused, enum worker_end end)
{
    (void)unused;
    ck_assert_int_eq(end, WORKER_RAN);
    over = true;
}

static const struct worker_calls calls = {.run = run, .done = done};

void busy_worker_begin(void)
{
    executor_init_bare(&executor);
    worker_port_open(&port, &executor, NULL, &calls);
    ck_assert_uint_eq(workers_most(), 1);
    begun = let_go = over = false;
    ck_assert(worker_offload(&port, &op));
    while (!atomic_load(&begun))
        sched_yield();
}

void busy_worker_end(void)
{
    atomic_store(&let_go, true);
    while (!over)
        port.source.poll(&port.source);
    worker_port_close(&port);
    executor_fini(&executor);
}

// ---- memory that is shut -----------------------------------------------------------------

static uint8_t *shut;
static size_t shut_length;
static _Atomic bool reached, opened;
static struct sigaction before_gate;

static void at_the_gate(int signal, siginfo_t *info, void *context)
{
    const uint8_t *at = info->si_addr;

    (void)signal;
    (void)context;
    if (at < shut || at >= shut + shut_length) {
        sigaction(SIGSEGV, &before_gate, NULL);
        return; // it happens again
    }
    atomic_store(&reached, true);
    while (!atomic_load(&opened))
        sched_yield();
}

void gate_shut(uint8_t *pages, size_t size)
{
    struct sigaction action = {.sa_sigaction = at_the_gate, .sa_flags = SA_SIGINFO};

    shut = pages;
    shut_length = size;
    reached = opened = false;
    ck_assert_int_eq(sigaction(SIGSEGV, &action, &before_gate), 0);
    ck_assert_int_eq(mprotect(pages, size, PROT_NONE), 0);
}

bool gate_reached(void)
{
    return atomic_load(&reached);
}

void gate_wait(void)
{
    while (!gate_reached())
        sched_yield();
}

void gate_open(void)
{
    ck_assert_int_eq(mprotect(shut, shut_length, PROT_READ | PROT_WRITE), 0);
    atomic_store(&opened, true);
}

// ---- watched memory ----------------------------------------------------------------------

static uint8_t *from;
static size_t length;
static uint64_t import;
static _Atomic unsigned touches, unannounced;
static struct sigaction before;

static void touched(int signal, siginfo_t *info, void *context)
{
    uint8_t *at = info->si_addr;

    (void)signal;
    (void)context;
    if (at < from || at >= from + length) {
        sigaction(SIGSEGV, &before, NULL);
        return; // it happens again
    }
    touches++;
    unannounced += !fake_announced(import);
    at -= (uintptr_t)at % (uintptr_t)sysconf(_SC_PAGESIZE);
    if (mprotect(at, (size_t)sysconf(_SC_PAGESIZE), PROT_READ | PROT_WRITE) != 0)
        _exit(99);
}

uint8_t *watched_pages(size_t size)
{
    void *at = mmap(NULL, size, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    ck_assert_ptr_ne(at, MAP_FAILED);
    return at;
}

void watch_begin(uint8_t *pages, size_t size, uint64_t import_id)
{
    struct sigaction action = {.sa_sigaction = touched, .sa_flags = SA_SIGINFO};

    from = pages;
    length = size;
    import = import_id;
    touches = unannounced = 0;
    ck_assert_int_eq(sigaction(SIGSEGV, &action, &before), 0);
    ck_assert_int_eq(mprotect(pages, size, PROT_NONE), 0);
}

unsigned watch_end(void)
{
    ck_assert_int_eq(mprotect(from, length, PROT_READ | PROT_WRITE), 0);
    ck_assert_int_eq(sigaction(SIGSEGV, &before, NULL), 0);
    return unannounced;
}

unsigned watch_touches(void)
{
    return touches;
}
