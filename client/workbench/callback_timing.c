// SPDX-License-Identifier: BSD-3-Clause
// Copyright (c) 2026, the docad authors

#include "callback_timing.h"

#include "load.h"
#include "thread_times.h"

#include <pthread.h>
#include <stdatomic.h>
#include <stdlib.h>

#define TOO_LONG_NS 1000000
#define LOAD_NS     10000000 // between two readings of the load, which take longer than callbacks
#define LOAD_TIMES  50       // the least time between two, in times of the reading before
#define NESTED_MAX  3        // callbacks in callbacks, others are not timed: static TLS is scarce

// The load before and after callbacks of one thread. Those of a thread that has ended are another
// one's, and none is freed.
struct loads {
    struct loads *next;
    atomic_bool used;
    int64_t read_at, read_for; // ns: when `before` was read last, and how long that took; 0: never
    struct load_mark before, now;
};

static _Atomic(struct loads *) all_loads;
static pthread_key_t at_thread_end;
static bool has_key;

// What this thread is in. Calls and callbacks alternate.
static __thread struct {
    int64_t began[NESTED_MAX], call_began[NESTED_MAX];
    int64_t in_doca[NESTED_MAX]; // ns that its calls have taken
    unsigned callbacks, polls;
    struct thread_times before; // up to TOO_LONG_NS before the callback
    struct loads *loads;        // or NULL
} own __attribute__((tls_model("initial-exec")));

// ---- the load

static void leave_loads(void *of)
{
    own.loads = NULL;
    atomic_store(&((struct loads *)of)->used, false);
}

static void make_key(void)
{
    has_key = pthread_key_create(&at_thread_end, leave_loads) == 0;
}

static struct loads *add_loads(void)
{
    struct loads *made = calloc(1, sizeof(*made));
    if (!made)
        return NULL;
    atomic_init(&made->used, true);
    made->next = atomic_load(&all_loads);
    while (!atomic_compare_exchange_weak(&all_loads, &made->next, made))
        ;
    return made;
}

static struct loads *take_loads(void)
{
    static pthread_once_t once = PTHREAD_ONCE_INIT;
    pthread_once(&once, make_key);
    if (!has_key)
        return NULL;
    struct loads *each = atomic_load(&all_loads);
    while (each && atomic_exchange(&each->used, true))
        each = each->next;
    if (!each)
        each = add_loads();
    if (each)
        each->read_at = 0;
    pthread_setspecific(at_thread_end, each);
    return each;
}

// What was added before the callback excuses it, too.
static void note_load(int64_t now)
{
    struct loads *loads = own.loads ? own.loads : (own.loads = take_loads());
    if (!loads || (loads->read_at && (now - loads->read_at < LOAD_NS ||
                                      now - loads->read_at < LOAD_TIMES * loads->read_for)))
        return;
    loads->read_at = now;
    load_read(&loads->before);
    loads->read_for = thread_times_wall() - now;
}

// ---- calls and callbacks

static bool in_timed_callback(void)
{
    return own.callbacks && own.callbacks <= NESTED_MAX;
}

void callback_timing_enter(const struct call *call)
{
    own.polls += call->function->role == ROLE_PROGRESS;
    if (in_timed_callback())
        own.call_began[own.callbacks - 1] = thread_times_wall();
}

void callback_timing_leave(const struct call *call)
{
    own.polls -= call->function->role == ROLE_PROGRESS && own.polls;
    if (in_timed_callback())
        own.in_doca[own.callbacks - 1] += thread_times_wall() - own.call_began[own.callbacks - 1];
}

// Asking the kernel takes longer than most callbacks do, so it is asked once in the time that is
// too long.
void callback_timing_begin(void)
{
    if (!own.polls) // of another kind than those of an engine
        return;
    if (++own.callbacks > NESTED_MAX)
        return;
    int64_t now = thread_times_wall();
    if (now - own.before.wall >= TOO_LONG_NS && own.callbacks == 1) {
        note_load(now);
        own.before = thread_times_now();
        now = own.before.wall;
    }
    own.in_doca[own.callbacks - 1] = 0;
    own.began[own.callbacks - 1] = now;
}

// `off`: ns without a CPU; `waited`: the thread has given it up itself.
static bool is_certain(int64_t cpu, int64_t off, bool waited)
{
    struct loads *loads = own.loads;
    if (!loads || !loads->read_at)
        return false;
    load_read(&loads->now);
    loads->read_at = 0; // the next callback has a count of its own
    int64_t stolen = load_stolen(&loads->before, &loads->now);
    int64_t queued = load_queued(&loads->before, &loads->now);
    if (stolen == LOAD_UNKNOWN)
        return false;
    if (cpu - stolen >= TOO_LONG_NS)
        return true;
    return waited && queued != LOAD_UNKNOWN && off - stolen - queued >= TOO_LONG_NS;
}

// What is not known, of the time before the callback and in its calls of DOCA, excuses it. A page
// that is read in is no wait of the program's own.
bool callback_timing_end(int64_t *wall, int64_t *cpu)
{
    if (!own.polls || !own.callbacks)
        return false;
    unsigned last = --own.callbacks;
    if (last >= NESTED_MAX)
        return false;
    *wall = thread_times_wall() - own.began[last] - own.in_doca[last];
    if (*wall < TOO_LONG_NS)
        return false;
    struct thread_times now = thread_times_now();
    const struct thread_times *before = &own.before;
    int64_t excused = own.began[last] - before->wall + own.in_doca[last];
    int64_t off = now.wall - before->wall - (now.cpu - before->cpu) - excused;
    bool waited = now.waits > before->waits && now.faults == before->faults;
    *cpu = now.cpu - before->cpu - excused;
    if (*cpu < TOO_LONG_NS && (!waited || off < TOO_LONG_NS))
        return false;
    return is_certain(*cpu, off, waited);
}
