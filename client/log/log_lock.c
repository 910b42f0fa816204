// SPDX-License-Identifier: BSD-3-Clause
// Copyright (c) 2026, the docad authors
//
// The lock of the log's state. Callbacks and signal handlers may find that their own thread holds
// it.

#include "log.h"

#include <pthread.h>
#include <signal.h>
#include <stdatomic.h>

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;

// The calling thread's position. It uses the TLS model that needs no allocation at its first
// use.
enum { OUTSIDE, INSIDE, IN_CALLBACK };
static _Thread_local volatile sig_atomic_t place __attribute__((tls_model("initial-exec")));
static _Thread_local int cancel_state __attribute__((tls_model("initial-exec")));

enum log_entry log_enter(void)
{
    if (place == INSIDE)
        return LOG_ENTRY_INTERRUPT;
    if (place == IN_CALLBACK) {
        place = INSIDE;
        return LOG_ENTRY_CALLBACK;
    }

    // Set before the lock is taken: a signal handler must not wait for its own thread.
    place = INSIDE;
    atomic_signal_fence(memory_order_seq_cst);
    pthread_setcancelstate(PTHREAD_CANCEL_DISABLE, &cancel_state);
    pthread_mutex_lock(&lock);
    return LOG_ENTRY_FIRST;
}

void log_leave(enum log_entry entry)
{
    if (entry == LOG_ENTRY_CALLBACK)
        place = IN_CALLBACK;
    if (entry != LOG_ENTRY_FIRST)
        return;
    pthread_mutex_unlock(&lock);
    int state = cancel_state;
    atomic_signal_fence(memory_order_seq_cst);
    place = OUTSIDE;
    pthread_setcancelstate(state, NULL);
}

void log_callback_begin(void)
{
    place = IN_CALLBACK;
}

void log_callback_end(void)
{
    place = INSIDE;
}
