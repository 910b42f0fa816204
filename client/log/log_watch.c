// SPDX-License-Identifier: BSD-3-Clause
// Copyright (c) 2026, the docad authors
//
// Functions of the program that get the library's own lines, besides the backends.

#include "log.h"

#include <doca_docad.h>
#include <stdatomic.h>

#define WATCHERS_MAX 4

static _Atomic(docad_log_watch_cb) watchers[WATCHERS_MAX];
static _Thread_local bool inside __attribute__((tls_model("initial-exec")));

doca_error_t docad_log_watch(docad_log_watch_cb watch)
{
    if (!watch)
        return DOCA_ERROR_INVALID_VALUE;
    for (unsigned i = 0; i < WATCHERS_MAX; i++) {
        docad_log_watch_cb there = NULL;
        if (atomic_compare_exchange_strong(&watchers[i], &there, watch) || there == watch)
            return DOCA_SUCCESS;
    }
    return DOCA_ERROR_FULL;
}

bool log_is_watched(void)
{
    return atomic_load_explicit(&watchers[0], memory_order_relaxed) && !inside;
}

void log_watchers_call(uint32_t level, const char *text)
{
    inside = true; // the lines that a watcher causes do not come back to it
    for (unsigned i = 0; i < WATCHERS_MAX; i++) {
        docad_log_watch_cb watch = atomic_load(&watchers[i]);
        if (watch)
            watch(level, text);
    }
    inside = false;
}
