// SPDX-License-Identifier: BSD-3-Clause
// Copyright (c) 2026, the docad authors

#include "waiting.h"
#include "rule_report.h"

#include <errno.h>
#include <inttypes.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define PROGRESS_ALL 1 // DOCA_PE_EVENT_MODE_PROGRESS_ALL
#define HANDLES_MAX  64
#define AGAIN        5 // DOCA_ERROR_AGAIN

static uint64_t polls_max;
static struct entry *watched[HANDLES_MAX]; // engines whose handle the program has
static atomic_uint watched_count;

void waiting_start(void)
{
    const char *value = getenv(POLLS_VARIABLE);
    polls_max = value ? strtoull(value, NULL, 10) : 0;
}

static void found(const struct call *call, const struct entry *engine, enum rule rule,
                  const char *detail)
{
    struct finding finding = {
        .rule = rule, .function = call->function, .object = engine, .detail = detail};
    report(&finding);
}

// ---- notifications

// A program that waits has the handle. Asking for it here could change the engine.
static bool is_readable(const struct entry *engine)
{
    struct pollfd handle = {.events = POLLIN, .fd = engine->handle};
    int saved = errno;
    bool readable = engine->is_waited_for && poll(&handle, 1, 0) == 1;
    errno = saved;
    return readable;
}

void waiting_before(const struct call *call, struct entry *engine)
{
    const struct function *function = call->function;
    if (function->role != ROLE_NONE)
        return;
    if (strcmp(function->name, "doca_pe_set_event_mode") == 0)
        engine->clears_itself = call->arguments[1] == PROGRESS_ALL;
    if (function_has(function, TRAIT_CLEARS))
        engine->requests = 0;
    if (!function_has(function, TRAIT_REQUESTS) || engine->clears_itself)
        return;
    engine->requests = is_readable(engine) ? engine->requests + 1 : 0;
    if (engine->requests == WAITING_REQUESTS_MAX)
        found(call, engine, RULE_NOTIFICATION_NOT_CLEARED, NULL);
}

static void watch(struct entry *engine, const void *handle)
{
    memcpy(&engine->handle, handle, sizeof(engine->handle));
    if (engine->is_waited_for)
        return;
    for (unsigned i = 0; i < HANDLES_MAX; i++)
        if (!watched[i] || !watched[i]->alive || !watched[i]->is_waited_for) {
            watched_count += !watched[i];
            watched[i] = engine;
            engine->is_waited_for = true;
            return;
        }
}

void waiting_in_child(void)
{
    for (unsigned i = 0; i < HANDLES_MAX; i++) {
        if (watched[i])
            watched[i]->is_waited_for = false;
        watched[i] = NULL;
    }
    watched_count = 0;
}

// ---- polls

static void count_poll(const struct call *call, struct entry *engine)
{
    bool is_empty =
        call->function->result.kind == VALUE_ERROR ? call->result == AGAIN : call->result == 0;
    char detail[96];
    if (!is_empty || !polls_max)
        return;
    engine->polls++;
    engine->idle_polls = engine->in_flight_count || engine->has_events ? 0 : engine->idle_polls + 1;
    snprintf(detail, sizeof(detail), "polls: %" PRIu64 ", completions: %" PRIu64, engine->polls,
             engine->completions);
    if (engine->idle_polls == polls_max + 1)
        found(call, engine, RULE_POLLS_IDLE, NULL);
    else if (engine->polls / polls_max > engine->completions && engine->in_flight_count)
        found(call, engine, RULE_POLLS_MANY, detail);
}

void waiting_completed(struct entry *engine)
{
    engine->completions++;
}

// Contexts of other types have events without tasks.
static bool is_quiet(const char *type)
{
    static const char *const quiet[] = {"dma", "sha", "compress", "ec", "aes_gcm", "mmap_advise"};
    for (unsigned i = 0; i < sizeof(quiet) / sizeof(*quiet); i++)
        if (strcmp(quiet[i], type) == 0)
            return true;
    return false;
}

void waiting_after(const struct call *call, struct entry *engine)
{
    const struct function *function = call->function;
    bool good = call->result == 0;
    if (function->role == ROLE_PROGRESS)
        count_poll(call, engine);
    else if (function_has(function, TRAIT_GETS_HANDLE) && good && call->arguments[1])
        watch(engine, (const void *)(uintptr_t)call->arguments[1]); // NOLINT
    else if (function_has(function, TRAIT_REQUESTS))
        engine->is_armed |= good;
    else if (function_has(function, TRAIT_CLEARS))
        engine->is_armed &= !good;
    else if (function_has(function, TRAIT_OF_GRAPH))
        engine->has_events = true;
    if (function_has(function, TRAIT_CONNECTS) && good) {
        struct entry *context = registry_find(call->arguments[1]);
        engine->has_events |= !context || !context->type || !is_quiet(context->type);
    }
}

// ---- waits

bool waiting_is_watched(void)
{
    return atomic_load_explicit(&watched_count, memory_order_relaxed) != 0;
}

static const struct entry *engine_of(int handle)
{
    for (unsigned i = 0; i < HANDLES_MAX && watched[i]; i++)
        if (watched[i]->alive && watched[i]->is_waited_for && watched[i]->handle == handle)
            return watched[i];
    return NULL;
}

// Another thread may request a notification while this one waits.
static bool is_silent(const struct entry *engine)
{
    return !engine->is_armed && engine->was_used && !engine->pauses &&
           pthread_equal(engine->user, pthread_self());
}

void waiting_for(const struct function *function, const struct pollfd *handles, nfds_t count)
{
    const struct entry *engine = NULL;
    if (!registry_try_enter())
        return; // it may be that a signal handler waits
    bool wakes = false;
    for (nfds_t i = 0; i < count && !wakes; i++) {
        if (handles[i].fd < 0)
            continue;
        engine = engine_of(handles[i].fd);
        wakes = !engine || !is_silent(engine);
    }
    if (engine && !wakes) {
        struct finding finding = {
            .rule = RULE_WAIT_WITHOUT_REQUEST, .function = function, .object = engine};
        report(&finding);
    }
    registry_leave();
}
