// SPDX-License-Identifier: BSD-3-Clause
// Copyright (c) 2026, the docad authors

#include "rule_tasks.h"
#include "card_limits.h"
#include "overlap.h"
#include "rule_callbacks.h"
#include "rule_report.h"
#include "sources.h"
#include "waiting.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#define IO_FAILED 17 // DOCA_ERROR_IO_FAILED

// A graph has run: its tasks write to memory, and are not seen.
static bool graphs_run;

// ---- what is in flight is touched

static void found(const struct call *call, enum rule rule, const struct entry *object,
                  const struct flight *since)
{
    struct finding finding = {
        .rule = rule,
        .function = call->function,
        .object = object,
        .other = since ? since->task : NULL,
        .since = since ? &since->submitted : NULL,
        .began = "the task in flight was submitted at",
    };
    report(&finding);
}

// The newest task in flight that has the buffer.
static const struct flight *flight_with(const struct entry *buffer)
{
    struct member of;
    for (const struct flight *each = flights; each; each = each->next)
        for (unsigned i = 0; flight_buffer(each, i, &of); i++)
            if (of.buffer == buffer)
                return each;
    return NULL;
}

// Up to 1.5 programs may change a buffer as soon as its job is submitted.
static bool is_old(const struct entry *buffer)
{
    return buffer->made_by && function_has(buffer->made_by, TRAIT_UP_TO_1_5);
}

static void check_changes(const struct call *call, const struct entry *first)
{
    const struct function *function = call->function;
    if (first->alive && first->in_flight)
        found(call, RULE_TASK_CHANGED_IN_FLIGHT, first, first->flight);
    for (unsigned i = 0; i < function->count && !function_has(function, TRAIT_OF_TASK); i++) {
        const struct entry *buffer = function->parameters[i].use > USE_SOURCE
                                         ? registry_live(call->arguments[i], TYPE_BUFFER)
                                         : NULL;
        if (buffer && buffer->users && !is_old(buffer)) {
            found(call, RULE_BUFFER_CHANGED_IN_FLIGHT, buffer, flight_with(buffer));
            return;
        }
    }
}

static void check_end(const struct call *call, const struct entry *first)
{
    enum function_role role = call->function->role;
    if (role == ROLE_DESTROY && first->in_flight && function_has(call->function, TRAIT_FREES_TASK))
        found(call, RULE_TASK_FREED_IN_FLIGHT, first, first->flight);
    if (role == ROLE_RELEASE && first->alive && first->references == 1 && first->users)
        found(call, RULE_BUFFER_RELEASED_IN_FLIGHT, first, flight_with(first));
}

// ---- submissions

// The task may change the buffer, or depends on what another task makes of it.
static bool is_affected(const struct flight *flight, enum buffer_use use)
{
    return !flight->is_atomic && !(use == USE_DESTINATION && flight->writes_remotely);
}

// Whether one of two uses of a buffer depends on the other one.
static bool collides(const struct flight *with, const struct entry *buffer, enum buffer_use use)
{
    struct member of;
    for (unsigned i = 0; flight_buffer(with, i, &of); i++)
        if (of.buffer == buffer && is_affected(with, of.use) &&
            (use != USE_SOURCE || of.use != USE_SOURCE))
            return true;
    return false;
}

// Returns a buffer that the task shares with one in flight, if one of them writes to it.
static const struct entry *shared_buffer(const struct flight *added, const struct flight **with)
{
    struct member of;
    for (unsigned i = 0; flight_buffer(added, i, &of); i++) {
        // Tasks that only read it are many: they are not searched for.
        if (!of.buffer || !(of.use == USE_SOURCE ? of.buffer->writers : of.buffer->users) ||
            is_old(of.buffer) || !is_affected(added, of.use))
            continue;
        for (*with = flights; *with; *with = (*with)->next)
            if (collides(*with, of.buffer, of.use))
                return of.buffer;
    }
    return NULL;
}

static void check_others(const struct call *call, const struct flight *added)
{
    struct overlap overlap;
    const struct flight *with;
    const struct entry *own = added->task ? added->task : added->queue;
    if (overlap_find(added, &overlap)) {
        found(call, overlap.rule, own, overlap.with);
        return;
    }
    const struct entry *buffer = shared_buffer(added, &with);
    if (buffer)
        found(call, RULE_BUFFER_IN_TWO_TASKS, buffer, with);
}

static void submit(const struct call *call, struct flight *flight)
{
    if (!flight)
        return;
    if (!callbacks_missed())
        check_others(call, flight);
    card_limits_submit(call, flight);
    overlap_disturb(flight);
    sources_sum(flight);
    flight_add(flight);
}

void tasks_before(const struct call *call, struct entry *first)
{
    enum function_role role = call->function->role;
    bool is_certain = !callbacks_missed();
    graphs_run |= function_has(call->function, TRAIT_RUNS_GRAPH);
    if (is_certain) {
        check_end(call, first);
        if (role == ROLE_CHANGE)
            check_changes(call, first);
    }
    task_status_check(call, first);
    if (role != ROLE_SUBMIT || !first->alive || !first->type)
        return;
    if (entry_is(first, TYPE_WORKQ)) {
        submit(call, flight_of_job(call, first));
        return;
    }
    if (strcmp(call->function->parameters[0].type, "task") == 0) // an instance of a graph is none
        first->base = call->arguments[0];
    if (!first->in_flight) // it may complete before the function returns
        submit(call, flight_of_task(call, first));
    else if (is_certain)
        found(call, RULE_TASK_SUBMITTED_TWICE, first, first->flight);
}

// ---- completions

static void complete(struct flight *flight)
{
    const struct source *source = callbacks_missed() || graphs_run ? NULL : sources_changed(flight);
    struct entry *engine = flight->queue     ? flight->queue
                           : flight->context ? flight->context->engine
                                             : NULL;
    if (source) {
        char detail[96];
        struct finding finding = {
            .rule = RULE_SOURCE_CHANGED,
            .function = flight->by,
            .object = flight->buffers[USE_SOURCE - 1],
            .other = flight->task,
            .at = flight->submitted,
            .detail = detail,
        };
        snprintf(detail, sizeof(detail), "the source is 0x%" PRIx64 " to 0x%" PRIx64,
                 source->bytes.start, source->bytes.end);
        report(&finding);
    }
    if (engine)
        waiting_completed(engine);
    flight_end(flight);
}

void tasks_completed(struct entry *task)
{
    if (!task->flight || task->flight->task != task) // it may be in flight with a graph
        return;
    task_status_note(task);
    complete(task->flight);
}

// struct doca_event of all generations.
struct event {
    int type;
    uint64_t user_data, result;
};

static void note_event(const struct call *call, const struct entry *queue)
{
    const struct function *function = call->function;
    struct event event;
    for (unsigned i = 0; i < function->count; i++) {
        if (function->parameters[i].kind != VALUE_EVENT || !call->arguments[i])
            continue;
        memcpy(&event, (const void *)(uintptr_t)call->arguments[i], sizeof(event)); // NOLINT
        struct flight *flight = flight_find_job(queue, event.type, event.user_data, false);
        if (flight)
            complete(flight);
    }
}

static void undo_submission(const struct call *call, struct entry *first)
{
    if (!entry_is(first, TYPE_WORKQ)) {
        if (first->flight && first->flight->by == call->function)
            flight_end(first->flight);
        return;
    }
    struct flight *flight = flight_of_job(call, first);
    struct flight *added =
        flight ? flight_find_job(first, flight->job, flight->user_data, true) : NULL;
    flight_drop(flight);
    if (added)
        flight_end(added);
}

void tasks_after(const struct call *call, struct entry *first)
{
    const struct function *function = call->function;
    bool good = function->result.kind != VALUE_ERROR || call->result == 0;
    if (!good && function->role == ROLE_SUBMIT)
        undo_submission(call, first);
    if (function->role == ROLE_PROGRESS && entry_is(first, TYPE_WORKQ) &&
        !call->failed && // an event was written
        (good || call->result == IO_FAILED))
        note_event(call, first);
    if (good && function->role == ROLE_DESTROY && (first->types & TYPE_WORKQ))
        flights_end_all(first);
    if (good && function_has(function, TRAIT_LEAVES_WORKQ) && function->count > 1)
        flights_end_all(registry_find(call->arguments[1]));
}

void tasks_in_child(void)
{
    flights_end_all(NULL);
}
