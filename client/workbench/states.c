// SPDX-License-Identifier: BSD-3-Clause
// Copyright (c) 2026, the docad authors

#include "states.h"

#include "failed_tasks.h"
#include "peers.h"

#include <pthread.h>
#include <stdatomic.h>
#include <string.h>

#define WATCHED_MAX 64
#define VERSION     "DOCA_3.0"
#define IN_PROGRESS 26 // DOCA_ERROR_IN_PROGRESS

// Values of enum doca_ctx_states.
enum context_state { STATE_IDLE, STATE_STARTING, STATE_RUNNING, STATE_STOPPING };

// A context that is not idle. The thread that has seen it starting or stopping, which is the one
// that may use it, queries it after each poll; one that is running, which ends by itself when its
// other side does, only after polls that have done something.
struct watched {
    void *context;
    pthread_t owner;
    int state;
};

static struct watched watched[WATCHED_MAX];
static atomic_uint changing_count, running_count;
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;

static void *pointer_of(uint64_t word)
{
    return (void *)(uintptr_t)word; // NOLINT(performance-no-int-to-ptr)
}

static void *next_of(_Atomic(void *) *cache, const char *symbol)
{
    void *found = atomic_load_explicit(cache, memory_order_relaxed);
    if (!found) {
        found = symbol_next(symbol, VERSION);
        atomic_store_explicit(cache, found, memory_order_relaxed);
    }
    return found;
}

// Returns -1 if the state cannot be queried.
static int state_of(void *context)
{
    static _Atomic(void *) cache;
    int (*get)(const void *, int *) =
        (int (*)(const void *, int *))next_of(&cache, "doca_ctx_get_state");
    int state = -1;
    if (!get || get(context, &state) != 0)
        return -1;
    return state;
}

static bool changes(int state)
{
    return state == STATE_STARTING || state == STATE_STOPPING;
}

static void count(const struct watched *each, unsigned by)
{
    if (each->context && changes(each->state))
        changing_count += by;
    else if (each->context)
        running_count += by;
}

static void set(struct watched *each, struct watched to)
{
    count(each, -1U);
    *each = to;
    count(each, 1);
}

static void watch(void *context, int state)
{
    struct watched *place = NULL;
    for (unsigned i = 0; i < WATCHED_MAX; i++)
        if (watched[i].context == context || (!watched[i].context && !place)) {
            place = &watched[i];
            if (place->context)
                break;
        }
    if (place)
        set(place, (struct watched){state == STATE_IDLE ? NULL : context, pthread_self(), state});
}

static void unwatch(struct watched *each)
{
    set(each, (struct watched){0});
}

// Records the state of a context, and watches it.
static void record_state(void *context)
{
    int state = state_of(context);
    if (state < 0)
        return;
    trace_state((uintptr_t)context, (uint64_t)state);
    pthread_mutex_lock(&lock);
    watch(context, state);
    pthread_mutex_unlock(&lock);
    if (state == STATE_RUNNING)
        peers_running(context);
}

static void update_state(struct watched *each)
{
    struct watched now = *each;
    now.state = state_of(now.context);
    if (now.state == each->state)
        return;
    if (now.state >= 0)
        trace_state((uintptr_t)now.context, (uint64_t)now.state);
    if (now.state == STATE_IDLE || now.state < 0)
        now.context = NULL;
    if (now.state == STATE_RUNNING)
        peers_running(now.context);
    set(each, now);
}

// Queries the contexts that this thread watches, those that run only if `running`. `others`: drops
// those of other threads.
static void update_watched(bool running, bool others)
{
    if (!changing_count && !(running && running_count))
        return;
    pthread_mutex_lock(&lock);
    for (unsigned i = 0; i < WATCHED_MAX; i++) {
        struct watched *each = &watched[i];
        if (!each->context)
            continue;
        if (pthread_equal(each->owner, pthread_self())) {
            if (running || changes(each->state))
                update_state(each);
        } else if (others) {
            unwatch(each);
        }
    }
    pthread_mutex_unlock(&lock);
}

// A context that is destroyed is idle, and does not exist afterwards.
void states_before(const struct call *call)
{
    if (call->function->context)
        update_watched(true, true);
}

void states_after(const struct call *call)
{
    const struct function *function = call->function;
    if (function->role == ROLE_PROGRESS)
        update_watched(call->result != 0, false);
    else if (strcmp(function->version, VERSION) == 0 && !call->failed &&
             (call->result == 0 || call->result == IN_PROGRESS))
        record_state(pointer_of(call->arguments[0]));
}

// ---- tasks

// Returns the task as a struct doca_task, by the function of its type.
void *states_task_of(const struct call *call)
{
    const struct parameter *parameter = call->function->parameters;
    char name[128] = "doca_";
    if (!call->function->count || parameter->kind != VALUE_OBJECT ||
        !strstr(parameter->type, "task") || strlen(parameter->type) > 100)
        return NULL;
    strcat(strcat(name, parameter->type),
           "_as_task"); // NOLINT(clang-analyzer-security.insecureAPI.strcpy)
    void *(*function)(void *) =
        (void *(*)(void *))next_of(&next_functions[call->function->id], name);
    return function ? function(pointer_of(call->arguments[0])) : NULL;
}

uint64_t states_of_callback(const struct call *call)
{
    static _Atomic(void *) status_cache, context_cache;
    void *task = states_task_of(call);
    int (*status_of)(const void *) =
        task ? (int (*)(const void *))next_of(&status_cache, "doca_task_get_status") : NULL;
    if (!status_of)
        return STATUS_NONE;
    int injected = failed_tasks_error(task), status = injected ? injected : status_of(task);
    void *(*context_of)(const void *) =
        (void *(*)(const void *))next_of(&context_cache, "doca_task_get_ctx");
    // A failed task may take its context down.
    if (status != 0 && context_of)
        record_state(context_of(task));
    return (uint64_t)status;
}

void states_in_child(void)
{
    pthread_mutex_init(&lock, NULL);
    memset(watched, 0, sizeof(watched));
    changing_count = running_count = 0;
}
