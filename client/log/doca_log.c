// SPDX-License-Identifier: BSD-3-Clause
// Copyright (c) 2026, the docad authors
//
// Writing a line, and the lock around it.

#include "log.h"

#include <errno.h>
#include <pthread.h>
#include <signal.h>
#include <stdatomic.h>

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;

// Where the calling thread is. Of the model that needs no allocation at its first use.
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

    // Said before the lock is taken: a signal handler must not wait for its own thread.
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

// A child of fork() has only the thread that called it: the lock must be that thread's.
static _Thread_local enum log_entry fork_entry __attribute__((tls_model("initial-exec")));

static void fork_prepare(void)
{
    fork_entry = log_enter();
}

static void fork_done(void)
{
    log_leave(fork_entry);
}

static void fork_child(void)
{
    if (fork_entry == LOG_ENTRY_FIRST)
        log_own_forget();
    fork_done();
}

static void __attribute__((constructor(101))) watch_forks(void)
{
    pthread_atfork(fork_prepare, fork_done, fork_child);
}

doca_error_t log_line_write(enum log_entry entry, struct log_line *line, const char *source,
                            int number, const char *format, va_list args)
{
    static char text[LOG_LINE_SIZE];
    char nested_text[LOG_NEST_SIZE];
    bool lone = entry == LOG_ENTRY_FIRST || entry == LOG_ENTRY_LAST;

    line->text = lone ? text : nested_text;
    if (!log_line_format(line, lone ? sizeof(text) : sizeof(nested_text), source, number, format,
                         args, entry == LOG_ENTRY_INTERRUPT))
        return DOCA_ERROR_INVALID_VALUE;
    return log_backends_write(line, entry) ? DOCA_SUCCESS : DOCA_ERROR_IO_FAILED;
}

static doca_error_t log_va(uint32_t level, int source, int number, const int *bucket,
                           const char *format, va_list args) __attribute__((format(printf, 5, 0)));

static doca_error_t log_va(uint32_t level, int source, int number, const int *bucket,
                           const char *format, va_list args)
{
    int saved = errno;
    const char *name = log_source_name(source);

    if (!log_level_valid(level) || !name || !format ||
        (bucket && !log_bucket_known(*bucket, source)))
        return DOCA_ERROR_INVALID_VALUE;
    if (!log_level_shown(level))
        return DOCA_SUCCESS;
    if (bucket && log_bucket_count(*bucket, source) != LOG_BUCKET_PASS)
        return DOCA_SUCCESS;

    enum log_entry entry = log_enter();
    struct log_line line = {.level = level};
    errno = saved; // for the %m of the program's format
    doca_error_t result = log_line_write(entry, &line, name, number, format, args);
    log_leave(entry);
    errno = saved;
    return result;
}

doca_error_t doca_log(uint32_t level, int source, int line, const char *format, ...)
{
    va_list args;
    va_start(args, format);
    doca_error_t result = log_va(level, source, line, NULL, format, args);
    va_end(args);
    return result;
}

doca_error_t doca_log_developer(uint32_t level, int source, int line, const char *format, ...)
{
    va_list args;
    va_start(args, format);
    doca_error_t result = log_va(level, source, line, NULL, format, args);
    va_end(args);
    return result;
}

doca_error_t doca_log_rate_limit(uint32_t level, int source, int line, int bucket,
                                 const char *format, ...)
{
    va_list args;
    va_start(args, format);
    doca_error_t result = log_va(level, source, line, &bucket, format, args);
    va_end(args);
    return result;
}
