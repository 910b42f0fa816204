// SPDX-License-Identifier: BSD-3-Clause
// Copyright (c) 2026, the docad authors
//
// The log of DOCA 3: lines of the program and lines of the library (the SDK) have backends and
// levels of their own.

#include "log/log.h"

#include <stdint.h>
#include <unistd.h>

// ---- sources and lines ---------------------------------------------------------

doca_error_t doca_log_register_source(const char *source_name, int *source)
{
    return source_name && source ? log_source_make(source_name, source) : DOCA_ERROR_INVALID_VALUE;
}

// Sources stay: destructors may still write lines.
doca_error_t doca_log_unregister_source(int source)
{
    return log_source_name(source) && source ? DOCA_SUCCESS : DOCA_ERROR_INVALID_VALUE;
}

doca_error_t doca_log(uint32_t level, int source, const char *fname, int line, const char *func,
                      const char *format, ...)
{
    struct log_from from = {source, line, .function = func};
    va_list args;

    (void)fname; // the source names the file
    if (!log_level_valid_3(level))
        return DOCA_ERROR_INVALID_VALUE;
    va_start(args, format);
    doca_error_t result = log_program_line(level, &from, format, args);
    va_end(args);
    return result;
}

// ---- backends ------------------------------------------------------------------

// Both are the same object; the program's name of it is that of DOCA 3.
static struct doca_logger_backend **out(struct doca_log_backend **backend)
{
    return (struct doca_logger_backend **)backend;
}

static struct doca_logger_backend *in(struct doca_log_backend *backend)
{
    return (struct doca_logger_backend *)backend;
}

doca_error_t doca_log_backend_create_with_file(FILE *fptr, struct doca_log_backend **backend)
{
    return log_backend_to_stream(fptr, LOG_TAKES_PROGRAM, out(backend));
}

doca_error_t doca_log_backend_create_with_fd(int fd, struct doca_log_backend **backend)
{
    return log_backend_to_descriptor(fd, LOG_TAKES_PROGRAM, out(backend));
}

doca_error_t doca_log_backend_create_with_buf(char *buf, size_t capacity,
                                              log_flush_callback handler,
                                              struct doca_log_backend **backend)
{
    return log_backend_to_buffer(buf, capacity, handler, LOG_TAKES_PROGRAM, out(backend));
}

doca_error_t doca_log_backend_create_with_syslog(const char *name,
                                                 struct doca_log_backend **backend)
{
    return log_backend_to_syslog(name, LOG_TAKES_PROGRAM, out(backend));
}

doca_error_t doca_log_backend_create_with_file_sdk(FILE *fptr, struct doca_log_backend **backend)
{
    return log_backend_to_stream(fptr, LOG_TAKES_OWN, out(backend));
}

doca_error_t doca_log_backend_create_with_fd_sdk(int fd, struct doca_log_backend **backend)
{
    return log_backend_to_descriptor(fd, LOG_TAKES_OWN, out(backend));
}

doca_error_t doca_log_backend_create_with_buf_sdk(char *buf, size_t capacity,
                                                  log_flush_callback handler,
                                                  struct doca_log_backend **backend)
{
    return log_backend_to_buffer(buf, capacity, handler, LOG_TAKES_OWN, out(backend));
}

doca_error_t doca_log_backend_create_with_syslog_sdk(const char *name,
                                                     struct doca_log_backend **backend)
{
    return log_backend_to_syslog(name, LOG_TAKES_OWN, out(backend));
}

doca_error_t doca_log_backend_create_standard(void)
{
    log_backend_to_standard(LOG_TAKES_PROGRAM);
    return DOCA_SUCCESS;
}

// As many as memory allows.
uint32_t doca_log_get_max_num_backends(void)
{
    return UINT32_MAX;
}

uint32_t doca_log_get_max_num_backends_sdk(void)
{
    return UINT32_MAX;
}

// ---- levels --------------------------------------------------------------------

static bool limit_valid(uint32_t level)
{
    return level == DOCA_LOG_LEVEL_DISABLE || log_level_valid_3(level);
}

static doca_error_t limit_set(struct doca_log_backend *backend, enum log_takes takes,
                              enum log_limit limit, uint32_t level)
{
    return limit_valid(level) ? log_limit_set(in(backend), takes, limit, level)
                              : DOCA_ERROR_INVALID_VALUE;
}

static doca_error_t limit_set_all(enum log_takes takes, enum log_limit limit, uint32_t level)
{
    if (!limit_valid(level))
        return DOCA_ERROR_INVALID_VALUE;
    log_limit_set_all(takes, limit, level);
    return DOCA_SUCCESS;
}

doca_error_t doca_log_backend_set_level_lower_limit(struct doca_log_backend *backend,
                                                    uint32_t level)
{
    return limit_set(backend, LOG_TAKES_ALL, LOG_MILDEST, level);
}

doca_error_t doca_log_backend_set_level_upper_limit(struct doca_log_backend *backend,
                                                    uint32_t upper_limit)
{
    return limit_set(backend, LOG_TAKES_ALL, LOG_WORST, upper_limit);
}

doca_error_t doca_log_backend_set_level_lower_limit_strict(struct doca_log_backend *backend)
{
    return log_limit_fix(in(backend), LOG_MILDEST);
}

doca_error_t doca_log_backend_set_level_upper_limit_strict(struct doca_log_backend *backend)
{
    return log_limit_fix(in(backend), LOG_WORST);
}

doca_error_t doca_log_backend_set_sdk_level(struct doca_log_backend *backend, uint32_t level)
{
    return limit_set(backend, LOG_TAKES_OWN, LOG_MILDEST, level);
}

doca_error_t doca_log_level_set_global_lower_limit(uint32_t level)
{
    return limit_set_all(LOG_TAKES_PROGRAM, LOG_MILDEST, level);
}

doca_error_t doca_log_level_set_global_upper_limit(uint32_t upper_limit)
{
    return limit_set_all(LOG_TAKES_PROGRAM, LOG_WORST, upper_limit);
}

doca_error_t doca_log_level_set_global_sdk_limit(uint32_t level)
{
    return limit_set_all(LOG_TAKES_OWN, LOG_MILDEST, level);
}

uint32_t doca_log_level_get_global_lower_limit(void)
{
    return log_limit_of_all(LOG_TAKES_PROGRAM, LOG_MILDEST);
}

uint32_t doca_log_level_get_global_upper_limit(void)
{
    return log_limit_of_all(LOG_TAKES_PROGRAM, LOG_WORST);
}

uint32_t doca_log_level_get_global_sdk_limit(void)
{
    return log_limit_of_all(LOG_TAKES_OWN, LOG_MILDEST);
}

// ---- gathering: every line is written immediately ------------------------------------

doca_error_t doca_log_set_max_unaggregated_level(uint32_t level)
{
    return limit_valid(level) ? DOCA_SUCCESS : DOCA_ERROR_INVALID_VALUE;
}

doca_error_t doca_log_set_max_aggregated_size(uint32_t size)
{
    return size ? DOCA_SUCCESS : DOCA_ERROR_INVALID_VALUE;
}

doca_error_t doca_log_set_bg_sampling_period(uint32_t usec)
{
    (void)usec;
    return DOCA_SUCCESS;
}

void *doca_log_process_msg(void *unused)
{
    (void)unused;
    for (;;)
        pause(); // a place where the thread can be cancelled
}
