// SPDX-License-Identifier: BSD-3-Clause
// Copyright (c) 2026, the docad authors

#include "fault_leaks.h"

#include "last_exit.h"

#include "fault_shared.h"
#include "registry.h"

#include <dlfcn.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#define LISTS 4096 // of the hash table

// An object at an address; the address may be another one's later.
struct held {
    uint64_t address;
    struct held *next;
    const struct held *owner; // the first object of the call that made it, or NULL
    uint64_t owner_life, life;
    const struct function *made_by;
    const char *type;
    const void *place; // in the program
    pid_t pid;
    unsigned references;
    bool alive, chained;
    bool refused; // its destruction, after a fault
};

static struct fault_shared *shared;
static struct held *table[LISTS];
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
// This thread has the lock, or waits for it.
static __thread bool entered __attribute__((tls_model("initial-exec")));

static void enter(void)
{
    entered = true;
    pthread_mutex_lock(&lock);
}

static void leave(void)
{
    pthread_mutex_unlock(&lock);
    entered = false;
}

// A signal handler may call fork() while this thread has the lock.
static __thread bool forks_within __attribute__((tls_model("initial-exec")));

static void before_fork(void)
{
    forks_within = entered;
    if (!forks_within)
        enter();
}

static void after_fork(void)
{
    if (!forks_within)
        leave();
    forks_within = false;
}

static struct held **list_of(uint64_t address)
{
    return &table[(size_t)(address * 0x9e3779b97f4a7c15U >> 40) % LISTS];
}

static struct held *find(uint64_t address)
{
    struct held *each = *list_of(address);
    while (each && each->address != address)
        each = each->next;
    return each;
}

static struct held *get(uint64_t address)
{
    struct held *held = find(address);
    if (held)
        return held;
    held = calloc(1, sizeof(*held));
    if (!held)
        return NULL;
    struct held **list = list_of(address);
    held->address = address;
    held->next = *list;
    *list = held;
    return held;
}

// ---- calls

static bool is_object(const struct parameter *parameter, bool out)
{
    return parameter->kind == VALUE_OBJECT && parameter->out == out &&
           !strstr(parameter->type, "_list");
}

static struct held *argument(const struct call *call, unsigned i)
{
    const struct function *function = call->function;
    return i < function->count && is_object(&function->parameters[i], false) && call->arguments[i]
               ? find(call->arguments[i])
               : NULL;
}

// Objects that end with others, or that the program cannot destroy.
static bool must_be_destroyed(const char *type)
{
    static const char *const others[] = {"argp_param",       "argp_cmd",   "log_backend",
                                         "logger_backend",   "logger",     "rdma_connection",
                                         "comch_connection", "graph_node", "comm_channel_addr_t"};
    for (unsigned i = 0; i < sizeof(others) / sizeof(*others); i++)
        if (strcmp(others[i], type) == 0)
            return false;
    return true;
}

static void make(const struct call *call, unsigned parameter)
{
    const char *type = call->function->parameters[parameter].type;
    uint64_t address = 0;
    struct stack stack;
    // The function has succeeded: it has written there.
    memcpy(&address, (void *)(uintptr_t)call->arguments[parameter], // NOLINT
           sizeof(address));
    struct held *held = address ? get(address) : NULL;
    if (!held)
        return;
    if (held->alive && strncmp(type, "dev", 3) == 0 && strcmp(type, held->type) == 0) {
        held->references++; // an open device was opened again
        return;
    }
    stack_take(&stack);
    const struct held *owner = parameter ? argument(call, 0) : NULL;
    held->owner = owner;
    held->owner_life = owner ? owner->life : 0;
    held->life++;
    held->made_by = call->function;
    held->type = type;
    held->place = stack.count ? stack.frames[0] : NULL;
    held->pid = getpid();
    held->references = 1;
    held->alive = true;
    held->chained = held->refused = false;
}

static void note_chain(const struct call *call)
{
    // The list that is appended or taken off; it is given back with the first buffer of its list.
    struct held *held = argument(call, call->function->count - 1U);
    if (held)
        held->chained = !strstr(call->function->name, "unchain");
}

// What a destruction leaves that was made to fail is not left by the program, nor what cannot be
// destroyed because of that.
static void note_end(const struct call *call, struct held *held, bool good)
{
    const char *type = call->function->parameters[call->function->object].type;
    bool is_task = strcmp(type, "task") == 0 && strstr(held->type, "task");
    if (!is_task && strcmp(type, held->type) != 0)
        return; // a cast: it is not certain what the function has done
    if (!good && !call->failed)
        held->refused |= atomic_load(&shared->faults) > 0;
    else if (held->references && --held->references == 0)
        held->alive = false;
}

static void note_call(const struct call *call, bool good)
{
    const struct function *function = call->function;
    struct held *held = argument(call, function->object);
    if (good && held && function->role == ROLE_HOLD)
        held->references++;
    if (held && (function->role == ROLE_DESTROY || function->role == ROLE_RELEASE))
        note_end(call, held, good);
    if (good && strstr(function->name, "chain"))
        note_chain(call);
    for (unsigned i = 0; good && function->makes && i < function->count; i++)
        if (is_object(&function->parameters[i], true) && call->arguments[i] &&
            must_be_destroyed(function->parameters[i].type))
            make(call, i);
}

void fault_leaks_after(const struct call *call)
{
    if (!shared)
        return;
    enter();
    note_call(call,
              !call->failed && (call->function->result.kind != VALUE_ERROR || call->result == 0));
    leave();
}

// ---- the end

// Tasks end with their context; what another process has made is not this one's.
static bool is_left(const struct held *held)
{
    bool owner_gone = held->owner && (!held->owner->alive || held->owner->life != held->owner_life);
    return held->alive && held->pid == getpid() && !held->chained && !held->refused &&
           !(owner_gone && strstr(held->type, "task"));
}

// The same place in each run, wherever the program is loaded.
static void write_place(const struct held *held, char text[FAULT_PLACE_MAX])
{
    const char *file = "?", *slash;
    Dl_info info = {0};
    // The call stands before the address to which it returns.
    const char *at = (const char *)held->place - 1;
    if (held->place && dladdr(at, &info) && info.dli_fname)
        file = info.dli_fname;
    slash = strrchr(file, '/');
    snprintf(text, FAULT_PLACE_MAX, "%s made by %s() at %s+%#tx%s%s", held->type,
             held->made_by->name, slash ? slash + 1 : file,
             info.dli_fbase ? at - (const char *)info.dli_fbase : 0, info.dli_sname ? " " : "",
             info.dli_sname ? info.dli_sname : "");
}

static void count_left(const struct held *held)
{
    char text[FAULT_PLACE_MAX];
    write_place(held, text);
    unsigned n = atomic_load(&shared->left_count);
    for (unsigned i = 0; i < n && i < FAULT_PLACES_MAX; i++)
        if (strncmp(shared->left[i].place, text, FAULT_PLACE_MAX) == 0) {
            atomic_fetch_add(&shared->left[i].objects, 1);
            return;
        }
    n = atomic_fetch_add(&shared->left_count, 1);
    if (n >= FAULT_PLACES_MAX)
        return;
    memcpy(shared->left[n].place, text, FAULT_PLACE_MAX);
    atomic_store(&shared->left[n].objects, 1);
}

static void end(int status)
{
    (void)status;
    // A signal handler may call exit() while this thread has the lock.
    if (entered)
        return;
    enter();
    for (unsigned i = 0; i < LISTS; i++)
        for (const struct held *each = table[i]; each; each = each->next)
            if (is_left(each))
                count_left(each);
    leave();
}

void fault_leaks_start(struct fault_shared *memory)
{
    if (!memory)
        return;
    shared = memory;
    stacks_start();
    last_exit_add(end);
    pthread_atfork(before_fork, after_fork, after_fork);
}
