// SPDX-License-Identifier: BSD-3-Clause
// Copyright (c) 2026, the docad authors

#include "rule_threads.h"
#include "rule_report.h"

#include <errno.h>
#include <string.h>
#include <time.h>

#define OBJECTS_MAX 3  // of a call: engine, inventory, map
#define OPEN_MAX    16 // calls within callbacks; others are not looked at
#define PAUSES_MAX  16 // for each object
#define PAUSE_NS    4000000

// The engine that the call is about: of DOCA 3 also that of the context of a task.
static struct entry *engine_of(const struct function *function, struct entry *first)
{
    if (!first || !first->alive || entry_is(first, TYPE_ENGINE))
        return first && first->alive ? first : NULL;
    const struct entry *context = first->types & TYPE_TASK ? first->owner : first;
    bool uses = function->role == ROLE_SUBMIT || function->role == ROLE_STATE ||
                (function_has(function, TRAIT_OF_TASK) &&
                 (function->makes || function->role == ROLE_DESTROY));
    bool has_one = uses && context && context->alive && entry_is(context->engine, TYPE_ENGINE) &&
                   !(context->engine->types & TYPE_WORKQ);
    return has_one ? context->engine : NULL;
}

static struct entry *map_of(const struct call *call)
{
    const struct function *function = call->function;
    for (unsigned i = 0; i < function->count; i++) {
        const struct parameter *of = &function->parameters[i];
        if (!parameter_is_input(of) || !(of->types & TYPE_MAP))
            continue;
        bool is_old = !function_has(function, TRAIT_OF_3);
        if (function_has(function, TRAIT_ASKS_MAP) ||
            (is_old && !function_has(function, TRAIT_OF_MAP)))
            return NULL; // a guide states that for the functions of maps only
        return registry_live(call->arguments[i], TYPE_MAP);
    }
    return NULL;
}

// Collects what the call uses. Returns how many there are.
static unsigned objects_of(const struct call *call, struct entry *objects[OBJECTS_MAX])
{
    const struct function *function = call->function;
    const struct parameter *of = function->parameters;
    unsigned count = 0;
    if (!function->count || function->role == ROLE_CALLBACK)
        return 0;
    struct entry *first = of->kind == VALUE_OBJECT && !of->out && call->arguments[0]
                              ? registry_find(call->arguments[0])
                              : NULL;
    struct entry *engine = engine_of(function, first), *map = map_of(call), *inventory = NULL;
    if (entry_is(first, TYPE_INVENTORY))
        inventory = first;
    if (entry_is(first, TYPE_BUFFER) && function->role == ROLE_RELEASE && first->references == 1) {
        inventory = entry_is(first->owner, TYPE_INVENTORY) ? first->owner : NULL;
        if (function_has(function, TRAIT_OF_3))
            map = registry_live(first->map, TYPE_MAP);
    }
    if (engine && !(entry_is(first, TYPE_ENGINE) && function->role == ROLE_DESTROY))
        objects[count++] = engine;
    if (inventory && function->role != ROLE_DESTROY && !function_has(function, TRAIT_COUNTS))
        objects[count++] = inventory;
    if (map && !map->thread_safe && function->role != ROLE_DESTROY &&
        !function_has(function, TRAIT_MAKES_SAFE))
        objects[count++] = map;
    return count;
}

static void conflict(const struct call *call, const struct entry *object)
{
    struct finding finding = {
        .rule = entry_is(object, TYPE_ENGINE) ? RULE_ENGINE_TWO_THREADS
                : entry_is(object, TYPE_MAP)  ? RULE_MAP_TWO_THREADS
                                              : RULE_INVENTORY_TWO_THREADS,
        .function = call->function,
        .object = object,
    };
    report(&finding);
}

// Calls of this thread that are in progress, with the objects that it is in.
static __thread struct open_call {
    const struct call *call;
    uintptr_t frame; // of threads_enter()
    struct entry *objects[OBJECTS_MAX];
    unsigned count;
} open_calls[OPEN_MAX] __attribute__((tls_model("initial-exec")));
static __thread unsigned open_count __attribute__((tls_model("initial-exec")));

static void leave_last(void)
{
    const struct open_call *last = &open_calls[--open_count];
    for (unsigned i = 0; i < last->count; i++)
        if (last->objects[i]->depth)
            last->objects[i]->depth--;
}

// A callback that jumps out of a call leaves it: the stack is not below it any more.
static void leave_abandoned(uintptr_t frame)
{
    while (open_count && open_calls[open_count - 1].frame <= frame)
        leave_last();
}

// Returns whether the object has just come from another thread.
static bool enter(struct open_call *open, struct entry *object)
{
    bool same = object->was_used && pthread_equal(object->user, pthread_self());
    if (object->depth && !same) {
        conflict(open->call, object);
        return false;
    }
    bool came = object->was_used && !same && object->pauses < PAUSES_MAX;
    object->pauses += came;
    object->user = pthread_self();
    object->was_used = true;
    object->depth++;
    open->objects[open->count++] = object;
    return came;
}

bool threads_enter(const struct call *call)
{
    struct entry *objects[OBJECTS_MAX];
    unsigned count = objects_of(call, objects);
    bool pause = false;
    uintptr_t frame = (uintptr_t)__builtin_frame_address(0);
    leave_abandoned(frame);
    if (!count || open_count == OPEN_MAX)
        return false;
    struct open_call *open = &open_calls[open_count++];
    *open = (struct open_call){.call = call, .frame = frame};
    for (unsigned i = 0; i < count; i++)
        pause |= enter(open, objects[i]);
    return pause;
}

void threads_pause(void)
{
    const struct timespec moment = {.tv_nsec = PAUSE_NS};
    int saved = errno, state;
    // The call has begun: a thread that ended here would be in it for ever.
    pthread_setcancelstate(PTHREAD_CANCEL_DISABLE, &state);
    nanosleep(&moment, NULL);
    pthread_setcancelstate(state, NULL);
    errno = saved;
}

void threads_leave(const struct call *call)
{
    if (open_count && open_calls[open_count - 1].call == call)
        leave_last();
}

static void drop_others(struct entry *entry)
{
    if (entry->depth && !pthread_equal(entry->user, pthread_self()))
        entry->depth = 0;
}

void threads_in_child(void)
{
    registry_each(drop_others);
}
