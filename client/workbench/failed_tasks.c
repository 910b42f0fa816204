// SPDX-License-Identifier: BSD-3-Clause
// Copyright (c) 2026, the docad authors

#include "failed_tasks.h"

#include "states.h"

#include <pthread.h>
#include <stdatomic.h>
#include <string.h>

#define PAIRS_MAX 256
#define TASKS_MAX 1024 // that have failed and are not used again; others do not fail
#define STOPS_MAX 64   // contexts that a fault has ended; others end without flushing
#define VERSION   "DOCA_3.0"
#define SHUTDOWN  10 // DOCA_ERROR_SHUTDOWN: that of tasks that a stop flushes

// Callbacks of the program for one type of tasks.
struct pair {
    uint64_t success, failure;
};

struct failed {
    const void *task;
    int error;
};

static struct pair pairs[PAIRS_MAX];
static struct failed failed[TASKS_MAX];
static struct stop {
    const void *context;
    int error; // of its tasks
} stopped[STOPS_MAX];
static atomic_uint pair_count, failed_count, stopped_count;
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;

static const void *pointer_of(uint64_t word)
{
    return (const void *)(uintptr_t)word; // NOLINT(performance-no-int-to-ptr)
}

// ---- callbacks

static void note(uint64_t success, uint64_t failure)
{
    unsigned i = 0, count = pair_count;
    while (i < count && pairs[i].success != success)
        i++;
    if (i == PAIRS_MAX)
        return;
    pairs[i] = (struct pair){success, failure};
    if (i == count)
        pair_count = count + 1;
}

static void drop_stop(const void *context);

void failed_tasks_after(const struct call *call)
{
    const struct function *function = call->function;
    uint64_t found[2];
    unsigned count = 0;
    if (stopped_count && strcmp(function->name, "doca_ctx_start") == 0)
        drop_stop(pointer_of(call->arguments[0]));
    if (call->result != 0 || !function_has(function, TRAIT_SETS_TASKS))
        return;
    for (unsigned i = 0; i < function->count; i++)
        if (function->parameters[i].kind == VALUE_CALLBACK && count < 2)
            found[count++] = call->arguments[i];
    if (count < 2)
        return;
    pthread_mutex_lock(&lock);
    note(found[0], found[1]);
    pthread_mutex_unlock(&lock);
}

static uint64_t failure_of(uint64_t success)
{
    uint64_t failure = 0;
    pthread_mutex_lock(&lock);
    for (unsigned i = 0; i < pair_count; i++)
        if (pairs[i].success == success)
            failure = pairs[i].failure;
    pthread_mutex_unlock(&lock);
    return failure;
}

void *failed_tasks_successful(const struct call *callback)
{
    return failure_of((uintptr_t)callback->next) ? states_task_of(callback) : NULL;
}

// ---- tasks

// Returns the place of the task, or NULL.
static struct failed *find(const void *task)
{
    for (unsigned i = 0; i < TASKS_MAX; i++)
        if (failed[i].task == task)
            return &failed[i];
    return NULL;
}

bool failed_tasks_fail(struct call *callback, void *task, int error)
{
    uint64_t failure = failure_of((uintptr_t)callback->next);
    pthread_mutex_lock(&lock);
    struct failed *place = find(task);
    if (!place && (place = find(NULL)))
        failed_count++;
    if (place)
        *place = (struct failed){task, error};
    pthread_mutex_unlock(&lock);
    if (place)
        callback->next = (void *)(uintptr_t)failure; // NOLINT(performance-no-int-to-ptr)
    return place != NULL;
}

// ---- contexts

static void *context_of(const void *task)
{
    void *(*function)(const void *) =
        (void *(*)(const void *))symbol_next("doca_task_get_ctx", VERSION);
    return function ? function(task) : NULL;
}

// Returns the place of the context, or NULL.
static struct stop *find_stop(const void *context)
{
    for (unsigned i = 0; i < STOPS_MAX; i++)
        if (stopped[i].context == context)
            return &stopped[i];
    return NULL;
}

static void drop_stop(const void *context)
{
    pthread_mutex_lock(&lock);
    struct stop *place = context ? find_stop(context) : NULL;
    if (place) {
        *place = (struct stop){0};
        stopped_count--;
    }
    pthread_mutex_unlock(&lock);
}

// That of DOCA 3; the symbol of that name is an older one's.
static int (*find_stop_function(void))(void *)
{
    for (unsigned i = 0; i < function_count; i++)
        if (strcmp(functions[i]->name, "doca_ctx_stop") == 0 &&
            strcmp(functions[i]->version, VERSION) == 0)
            return (int (*)(void *))function_next(functions[i]);
    return NULL;
}

// As the library does when a task fails that its card could not do: first the context, so that the
// callback sees its state.
void failed_tasks_stop_context(void *task)
{
    int (*stop)(void *) = find_stop_function();
    void *context = context_of(task);
    failed_tasks_end_context(task, SHUTDOWN);
    if (stop && context)
        stop(context);
}

void failed_tasks_end_context(void *task, int error)
{
    const void *context = context_of(task);
    if (!context)
        return;
    pthread_mutex_lock(&lock);
    struct stop *place = find_stop(context) ? NULL : find_stop(NULL);
    if (place) {
        *place = (struct stop){context, error};
        stopped_count++;
    }
    pthread_mutex_unlock(&lock);
}

// Tasks that were done before the fault, and are reported after it: a card would not have done
// them, and the program cannot know in which order they came.
bool failed_tasks_flush(struct call *callback, void *task)
{
    if (!stopped_count)
        return false;
    const void *context = context_of(task);
    pthread_mutex_lock(&lock);
    const struct stop *stop = context ? find_stop(context) : NULL;
    int error = stop ? stop->error : 0;
    pthread_mutex_unlock(&lock);
    return error && failed_tasks_fail(callback, task, error);
}

static void remove_task(const void *task)
{
    pthread_mutex_lock(&lock);
    struct failed *place = find(task);
    if (place) {
        *place = (struct failed){0};
        failed_count--;
    }
    pthread_mutex_unlock(&lock);
}

int failed_tasks_error(const void *task)
{
    if (!failed_count)
        return 0;
    pthread_mutex_lock(&lock);
    struct failed *place = find(task);
    int error = place ? place->error : 0;
    pthread_mutex_unlock(&lock);
    return error;
}

int failed_tasks_before(const struct call *call)
{
    const char *name = call->function->name;
    if (!failed_count || !call->function->count || !call->arguments[0])
        return 0;
    if (strcmp(name, "doca_task_get_status") == 0)
        return failed_tasks_error(pointer_of(call->arguments[0]));
    if (call->function->role == ROLE_SUBMIT || strcmp(name, "doca_task_free") == 0)
        remove_task(pointer_of(call->arguments[0]));
    return 0;
}
