// SPDX-License-Identifier: BSD-3-Clause
// Copyright (c) 2026, the docad authors
//
// Writing a line.

#include "log.h"

#include <errno.h>
#include <pthread.h>

// A child of fork() has only the thread that called it: that thread must hold the lock.
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
        log_own_reset();
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

doca_error_t log_program_line(uint32_t level, const struct log_from *from, const char *format,
                              va_list args)
{
    int saved = errno;
    const char *name = log_source_name(from->source);

    if (!name || !format || (from->bucket && !log_bucket_known(*from->bucket, from->source)))
        return DOCA_ERROR_INVALID_VALUE;
    if (!log_level_shown(level) || !log_source_takes(from->source, level))
        return DOCA_SUCCESS;
    if (from->bucket && log_bucket_count(*from->bucket, from->source) != LOG_BUCKET_PASS)
        return DOCA_SUCCESS;

    enum log_entry entry = log_enter();
    struct log_line line = {.level = level, .function = from->function};
    errno = saved; // for the %m of the program's format
    doca_error_t result = log_line_write(entry, &line, name, from->line, format, args);
    log_leave(entry);
    errno = saved;
    return result;
}

static doca_error_t __attribute__((format(printf, 3, 0)))
log_va(uint32_t level, const struct log_from *from, const char *format, va_list args)
{
    return log_level_valid(level) ? log_program_line(level, from, format, args)
                                  : DOCA_ERROR_INVALID_VALUE;
}

doca_error_t doca_log(uint32_t level, int source, int line, const char *format, ...)
{
    va_list args;
    va_start(args, format);
    doca_error_t result = log_va(level, &(struct log_from){source, line}, format, args);
    va_end(args);
    return result;
}

doca_error_t doca_log_developer(uint32_t level, int source, int line, const char *format, ...)
{
    va_list args;
    va_start(args, format);
    doca_error_t result = log_va(level, &(struct log_from){source, line}, format, args);
    va_end(args);
    return result;
}

doca_error_t doca_log_rate_limit(uint32_t level, int source, int line, int bucket,
                                 const char *format, ...)
{
    struct log_from from = {source, line, .bucket = &bucket};
    va_list args;
    va_start(args, format);
    doca_error_t result = log_va(level, &from, format, args);
    va_end(args);
    return result;
}
