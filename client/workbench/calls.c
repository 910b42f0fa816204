// SPDX-License-Identifier: BSD-3-Clause
// Copyright (c) 2026, the docad authors
//
// What the wrappers do before and after each call.

#include "workbench.h"

#include <dlfcn.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>

#define HOOKS_MAX 8

static const struct hook *hooks[HOOKS_MAX]; // that are wanted
static unsigned hook_count;
static atomic_bool started;
static atomic_bool missed; // a callback of the program is called directly
static pthread_once_t once = PTHREAD_ONCE_INIT;

// This thread is in a function of DOCA, and not in a callback of the program.
static __thread bool inside __attribute__((tls_model("initial-exec")));

static void start(void)
{
    for (unsigned i = 0; all_hooks[i]; i++)
        if (all_hooks[i]->start() && hook_count < HOOKS_MAX)
            hooks[hook_count++] = all_hooks[i];
    atomic_store_explicit(&started, true, memory_order_release);
}

// Constructors of other libraries may call DOCA before this one runs.
__attribute__((constructor)) static void start_once(void)
{
    inside = true; // nothing that start() does is the program's
    pthread_once(&once, start);
    inside = false;
}

bool call_is_inside(void)
{
    return inside;
}

// ---- the next definition

void *symbol_next(const char *symbol, const char *version)
{
    void *found = dlvsym(RTLD_NEXT, symbol, version);
    if (found)
        return found;
    // A program that loads a plugin has the library in the plugin's scope only.
    void *library = dlopen("libdoca-client.so.2", RTLD_LAZY | RTLD_NOLOAD);
    return library ? dlvsym(library, symbol, version) : NULL;
}

static void *look_up(const struct function *function)
{
    void *found = symbol_next(function->symbol, function->version);
    if (!found) {
        fprintf(stderr, "docad-run: no library has %s of the version %s, which the program calls\n",
                function->symbol, function->version);
        abort();
    }
    atomic_store_explicit(&next_functions[function->id], found, memory_order_relaxed);
    return found;
}

void *function_next(const struct function *function)
{
    void *found = atomic_load_explicit(&next_functions[function->id], memory_order_relaxed);
    return found ? found : look_up(function);
}

// ---- calls

bool call_begin(struct call *call)
{
    call->next = function_next(call->function);
    if (inside)
        return true;
    if (!atomic_load_explicit(&started, memory_order_acquire))
        start_once();
    call->outer = true;
    inside = true;
    for (unsigned i = 0; i < hook_count; i++) {
        int error = hooks[i]->before(call);
        if (error && !call->failed && call->function->result.kind == VALUE_ERROR) {
            call->failed = true;
            call->result = (uint64_t)error;
        }
    }
    return !call->failed;
}

void call_end(struct call *call)
{
    if (!call->outer)
        return;
    for (unsigned i = hook_count; i-- > 0;)
        hooks[i]->after(call);
    inside = false;
}

void callback_begin(struct call *call)
{
    for (unsigned i = hook_count; i-- > 0;)
        if (hooks[i]->callback_before)
            hooks[i]->callback_before(call);
    call->outer = inside;
    inside = false;
}

void callback_end(struct call *call)
{
    inside = true; // hooks may call DOCA
    for (unsigned i = 0; i < hook_count; i++)
        if (hooks[i]->callback_after)
            hooks[i]->callback_after(call);
    inside = call->outer;
}

// ---- callbacks

int callbacks_put(struct callbacks *callbacks, void *program)
{
    if (!program)
        return -1;
    for (int i = 0; i < CALLBACKS_MAX; i++) {
        void *there = NULL;
        if (atomic_compare_exchange_strong(&callbacks->programs[i], &there, program) ||
            there == program)
            return i;
    }
    atomic_store(&missed, true);
    return -1;
}

bool callbacks_missed(void)
{
    return atomic_load_explicit(&missed, memory_order_relaxed);
}

void *callbacks_get(struct callbacks *callbacks, unsigned slot)
{
    return atomic_load_explicit(&callbacks->programs[slot], memory_order_acquire);
}
