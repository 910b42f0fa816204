// SPDX-License-Identifier: BSD-3-Clause
// Copyright (c) 2026, the docad authors
//
// The calls of synchronous mode: one atomic instruction if the counter is mapped.

#include "sync_event.h"

#include "core/idle.h"
#include "core/refused.h"

#include <sched.h>
#include <unistd.h>

// No process is left that could change a counter whose owner waits.
__attribute__((noinline, cold)) static doca_error_t left_alone(const char *function, doca_error_t e)
{
    struct errtext err;
    const char *why = "the last program that had imported the event has ended";
    if (e == DOCA_ERROR_NOT_PERMITTED)
        why = "the event's export was revoked";
    else if (e == DOCA_ERROR_NOT_CONNECTED)
        why = "this docad, or that of the last program that had imported the event, cannot be "
              "reached";
    return report(function,
                  errtext_set(&err, e, "no program can change the counter any more: %s", why),
                  &err);
}

__attribute__((noinline, cold)) static doca_error_t failed(const char *function, doca_error_t e)
{
    struct errtext err;
    const char *why = "the event has failed";
    if (e == DOCA_ERROR_NOT_PERMITTED)
        why = "the event's export was revoked";
    else if (e == DOCA_ERROR_CONNECTION_RESET)
        why = "the event's owner has ended";
    else if (e == DOCA_ERROR_NOT_CONNECTED)
        why = "a docad on the way to the event's owner cannot be reached";
    return report(function, errtext_set(&err, e, "%s", why), &err);
}

__attribute__((noinline, cold)) static doca_error_t not_ready(const char *function,
                                                              const struct doca_sync_event *event)
{
    return refused(function, event->state == SE_ASYNCHRONOUS
                                 ? "the event is used as a context; submit a task or a job of it"
                                 : "the event is not started; call doca_sync_event_start()");
}

// The caller has checked for NULL.
static inline doca_error_t check(const char *function, const struct doca_sync_event *event)
{
    if (__builtin_expect(event->state != SE_SYNCHRONOUS, 0))
        return not_ready(function, event);
    doca_error_t e = se_alive(event);
    return __builtin_expect(e != DOCA_SUCCESS, 0) ? failed(function, e) : DOCA_SUCCESS;
}

static inline bool is_direct(const struct doca_sync_event *event)
{
    return __builtin_expect(se_reach(event) == SE_DIRECT, 1);
}

__attribute__((noinline)) static doca_error_t indirect(const char *function,
                                                       struct doca_sync_event *event,
                                                       enum se_operation operation, uint64_t value,
                                                       uint64_t *seen)
{
    struct se_request request = {.event = event, .operation = operation, .value = value};
    doca_error_t e = DOCA_SUCCESS;
    if (se_reach(event) != SE_LOCKED || !se_request_locked(&request))
        e = se_request_run(&request);
    if (e != DOCA_SUCCESS)
        return failed(function, e);
    if (seen)
        *seen = request.seen;
    return DOCA_SUCCESS;
}

doca_error_t se_get(const char *function, struct doca_sync_event *event, uint64_t *value)
{
    doca_error_t e = check(function, event);
    if (e != DOCA_SUCCESS)
        return e;
    if (!is_direct(event))
        return indirect(function, event, SE_GET, 0, value);
    *value = atomic_load_explicit(event->word, memory_order_acquire);
    return DOCA_SUCCESS;
}

doca_error_t se_update_set(const char *function, struct doca_sync_event *event, uint64_t value)
{
    doca_error_t e = check(function, event);
    if (e != DOCA_SUCCESS)
        return e;
    if (is_direct(event))
        atomic_store(event->word, value);
    else
        e = indirect(function, event, SE_SET, value, NULL);
    if (e == DOCA_SUCCESS)
        se_changed(event);
    return e;
}

doca_error_t se_update_add(const char *function, struct doca_sync_event *event, uint64_t value,
                           uint64_t *fetched)
{
    doca_error_t e = check(function, event);
    if (e != DOCA_SUCCESS)
        return e;
    if (is_direct(event))
        *fetched = atomic_fetch_add(event->word, value);
    else
        e = indirect(function, event, SE_ADD, value, fetched);
    if (e == DOCA_SUCCESS)
        se_changed(event);
    return e;
}

// ---- waiting --------------------------------------------------------------------------

// Reads of the counter, at 0.4 ns each: while nothing else is done, and until a check whether the
// wait still makes sense.
#define LOADS_AT_ONCE      64u
#define ROUNDS_UNTIL_ALIVE (4096u / LOADS_AT_ONCE)
#define ROUND_NS           (LOADS_AT_ONCE * 4 / 10)
#define LOADS_UNTIL_YIELD  16u // through a lock or an engine

// What earlier waits have taught the thread.
static _Thread_local struct idle waiting __attribute__((tls_model("initial-exec")));

static doca_error_t wait_indirect(const char *function, struct doca_sync_event *event,
                                  enum se_condition condition, uint64_t value, uint64_t mask,
                                  bool yield)
{
    unsigned pause_us = 0;
    uint64_t sure_ms = 0;

    for (unsigned loads = 1;; loads++) {
        uint64_t now;
        // Done before the counter is read: a program that changed it, and left, has
        // changed it.
        doca_error_t others =
            event->imported ? DOCA_SUCCESS : se_others(event, se_sure_due(&sure_ms));
        doca_error_t e = indirect(function, event, SE_GET, 0, &now);
        if (e != DOCA_SUCCESS || se_reached(condition, now, value, mask))
            return e;
        if (others != DOCA_SUCCESS)
            return left_alone(function, others);
        if (event->far) {
            pause_us = se_longer_pause(pause_us);
            usleep(pause_us);
            continue;
        }
        // The lock is not fair: a thread that reads all the time could keep others from
        // it.
        if (yield || loads % LOADS_UNTIL_YIELD == 0)
            sched_yield();
    }
}

static __attribute__((noinline)) doca_error_t
pause_between_rounds(struct doca_sync_event *event, unsigned rounds, bool yield, uint64_t *sure_ms)
{
    if (yield) {
        sched_yield();
        return se_wait_lasts(event, se_sure_due(sure_ms));
    }
    if (rounds == 1)
        idle_reset(&waiting);
    idle_poll(&waiting, ROUND_NS);
    if (rounds % ROUNDS_UNTIL_ALIVE)
        return DOCA_SUCCESS;
    return se_wait_lasts(event, se_sure_due(sure_ms));
}

static inline bool reached_by_now(const struct doca_sync_event *event, enum se_condition condition,
                                  uint64_t value, uint64_t mask)
{
    return se_reached(condition, atomic_load_explicit(event->word, memory_order_acquire), value,
                      mask);
}

// Nothing but loads and comparisons, so that a change is seen as soon as its cache line arrives.
// No pause instruction: it takes longer than the line does.
static inline __attribute__((always_inline)) bool reached_soon(const struct doca_sync_event *event,
                                                               enum se_condition condition,
                                                               uint64_t value, uint64_t mask,
                                                               unsigned loads)
{
    const _Atomic uint64_t *word = event->word;

    do {
        if (se_reached(condition, atomic_load_explicit(word, memory_order_acquire), value, mask))
            return true;
    } while (--loads);
    return false;
}

static __attribute__((noinline, cold)) doca_error_t
wait_over(const char *function, const struct doca_sync_event *event, enum se_condition condition,
          uint64_t value, uint64_t mask, doca_error_t e)
{
    if (event->imported)
        return failed(function, e);
    // A program that changed the counter, and left, has changed it.
    return reached_by_now(event, condition, value, mask) ? DOCA_SUCCESS : left_alone(function, e);
}

// Compiled once for each condition. That the counter is direct is looked at between the rounds: one
// that has just moved behind docad keeps its memory, and the next round goes there.
static inline __attribute__((always_inline)) doca_error_t
wait_for(const char *function, struct doca_sync_event *event, enum se_condition condition,
         uint64_t value, uint64_t mask, bool yield)
{
    uint64_t sure_ms = 0;
    doca_error_t e = check(function, event);
    if (e != DOCA_SUCCESS)
        return e;
    for (unsigned rounds = 1;; rounds++) {
        if (!is_direct(event))
            return wait_indirect(function, event, condition, value, mask, yield);
        if (reached_soon(event, condition, value, mask, yield ? 1 : LOADS_AT_ONCE))
            return DOCA_SUCCESS;
        e = pause_between_rounds(event, rounds, yield, &sure_ms);
        if (__builtin_expect(e != DOCA_SUCCESS, 0))
            return wait_over(function, event, condition, value, mask, e);
    }
}

doca_error_t se_wait(const char *function, struct doca_sync_event *event,
                     enum se_condition condition, uint64_t value, uint64_t mask, bool yield)
{
    switch (condition) {
    case SE_GT:
        return wait_for(function, event, SE_GT, value, mask, yield);
    case SE_EQ:
        return wait_for(function, event, SE_EQ, value, mask, yield);
    default:
        return wait_for(function, event, SE_NEQ, value, mask, yield);
    }
}
