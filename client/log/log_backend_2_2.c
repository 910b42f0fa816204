// SPDX-License-Identifier: BSD-3-Clause
// Copyright (c) 2026, the docad authors
//
// Backends of the 2.2 interface: they get the lines of the program, and the library's own.

#include "log.h"

doca_error_t doca_log_create_file_backend(FILE *fptr, struct doca_logger_backend **backend)
{
    return log_backend_to_stream(fptr, LOG_TAKES_ALL, backend);
}

doca_error_t doca_log_create_fd_backend(int fd, struct doca_logger_backend **backend)
{
    return log_backend_to_descriptor(fd, LOG_TAKES_ALL, backend);
}

doca_error_t doca_log_create_buffer_backend(char *buffer, size_t capacity,
                                            log_flush_callback handler,
                                            struct doca_logger_backend **backend)
{
    return log_backend_to_buffer(buffer, capacity, handler, LOG_TAKES_ALL, backend);
}

doca_error_t doca_log_create_syslog_backend(const char *name, struct doca_logger_backend **backend)
{
    return log_backend_to_syslog(name, LOG_TAKES_ALL, backend);
}

doca_error_t doca_log_create_standard_backend(void)
{
    log_backend_to_standard(LOG_TAKES_ALL);
    return DOCA_SUCCESS;
}

// ---- levels --------------------------------------------------------------------

static doca_error_t limit_set(struct doca_logger_backend *logger, enum log_limit limit,
                              uint32_t level)
{
    return log_level_valid(level) ? log_limit_set(logger, LOG_TAKES_ALL, limit, level)
                                  : DOCA_ERROR_INVALID_VALUE;
}

static doca_error_t limit_set_all(enum log_limit limit, uint32_t level)
{
    if (!log_level_valid(level))
        return DOCA_ERROR_INVALID_VALUE;
    log_limit_set_all(LOG_TAKES_PROGRAM, limit, level);
    return DOCA_SUCCESS;
}

doca_error_t doca_log_backend_level_set(struct doca_logger_backend *logger, uint32_t level)
{
    return limit_set(logger, LOG_MILDEST, level);
}

doca_error_t doca_log_backend_set_upper_level_limit(struct doca_logger_backend *logger,
                                                    uint32_t upper_level_limit)
{
    return limit_set(logger, LOG_WORST, upper_level_limit);
}

doca_error_t doca_log_backend_set_lower_level_immutable(struct doca_logger_backend *logger)
{
    return log_limit_fix(logger, LOG_MILDEST);
}

doca_error_t doca_log_backend_set_upper_level_immutable(struct doca_logger_backend *logger)
{
    return log_limit_fix(logger, LOG_WORST);
}

doca_error_t doca_log_global_level_set(uint32_t level)
{
    return limit_set_all(LOG_MILDEST, level);
}

doca_error_t doca_log_global_set_upper_level_limit(uint32_t upper_level_limit)
{
    return limit_set_all(LOG_WORST, upper_level_limit);
}

uint32_t doca_log_global_level_get(void)
{
    return log_limit_of_all(LOG_TAKES_PROGRAM, LOG_MILDEST);
}
