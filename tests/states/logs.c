// SPDX-License-Identifier: BSD-3-Clause
// Copyright (c) 2026, the docad authors
//
// Log backends and sources. Backends stay as long as the process: those made here show
// next to nothing.

#include "tables.h"

#include "client.h"

#include <check.h>
#include <doca_log.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

static char buffer[256];

static void drop_line(char *line)
{
    (void)line;
}

static const char *const creators[] = {"doca_log_create_file_backend", "doca_log_create_fd_backend",
                                       "doca_log_create_buffer_backend",
                                       "doca_log_create_syslog_backend"};

static bool is_creator(const char *function)
{
    for (size_t i = 0; i < sizeof(creators) / sizeof(creators[0]); i++)
        if (same(function, creators[i]))
            return true;
    return false;
}

// ---- backends -----------------------------------------------------------------------------

enum { FRESH, LIMITED, LOWER_FIXED, UPPER_FIXED, BOTH_FIXED };

static struct doca_logger_backend *backend;

static void enter_backend(unsigned state)
{
    ck_assert_success(doca_log_create_buffer_backend(buffer, sizeof(buffer), drop_line, &backend));
    ck_assert_success(doca_log_backend_level_set(backend, DOCA_LOG_LEVEL_CRIT));
    if (state == LIMITED)
        ck_assert_success(doca_log_backend_set_upper_level_limit(backend, DOCA_LOG_LEVEL_CRIT));
    if (state == LOWER_FIXED || state == BOTH_FIXED)
        ck_assert_success(doca_log_backend_set_lower_level_immutable(backend));
    if (state == UPPER_FIXED || state == BOTH_FIXED)
        ck_assert_success(doca_log_backend_set_upper_level_immutable(backend));
}

static void leave_backend(void)
{
    doca_log_set_bucket_time(5);
    doca_log_set_quantity(20);
    ck_assert_success(doca_log_global_level_set(DOCA_LOG_LEVEL_INFO));
}

static enum given argue_backend(const char *function, const char *param, uint64_t *value)
{
    if (same(param, "logger"))
        return GIVE(backend);
    if (same(param, "fptr"))
        return GIVE(stderr);
    if (same(param, "buffer"))
        return GIVE(buffer);
    if (same(param, "handler"))
        return GIVE(drop_line);
    if (same(param, "name"))
        return GIVE("states");
    if (same(param, "backend"))
        return GIVEN_NONE;
    *value = same(param, "capacity")       ? sizeof(buffer)
             : same(param, "fd")           ? STDERR_FILENO
             : strstr(function, "_level_") ? DOCA_LOG_LEVEL_CRIT
                                           : 7;
    return GIVEN;
}

static void backend_succeeded(const char *function, const uint64_t *a)
{
    size_t last = same(function, "doca_log_create_buffer_backend") ? 3 : 1;
    if (is_creator(function))
        ck_assert_success(doca_log_backend_level_set(
            *(struct doca_logger_backend **)(uintptr_t)a[last], DOCA_LOG_LEVEL_CRIT));
}

static const struct row backend_rows[] = {
    //                            fresh limited lower fixed, upper fixed, both
    {"doca_log_backend_level_set", {OK, OK, PERMIT, OK, PERMIT}},
    {"doca_log_backend_set_upper_level_limit", {OK, OK, OK, PERMIT, PERMIT}},
    {"doca_log_backend_set_lower_level_immutable", ANY(OK)},
    {"doca_log_backend_set_upper_level_immutable", ANY(OK)},
    {"doca_log_get_bucket_time", ANY(OK)},
    {"doca_log_set_bucket_time", ANY(OK)},
    {"doca_log_get_quantity", ANY(OK)},
    {"doca_log_set_quantity", ANY(OK)},
    {"doca_log_global_level_set", ANY(OK)},
    {"doca_log_global_set_upper_level_limit", ANY(OK)},
    {"doca_log_global_level_get", ANY(OK)},
    {"doca_log_create_file_backend", ANY(OK)},
    {"doca_log_create_fd_backend", ANY(OK)},
    {"doca_log_create_buffer_backend", ANY(OK)},
    {"doca_log_create_syslog_backend", ANY(OK)},
    {"doca_log_create_standard_backend", ANY(OK)},
};

GROUP(logs) = {
    .name = "log backend",
    .states = {"fresh", "limited", "lower level fixed", "upper level fixed", "both fixed"},
    ROWS(backend_rows),
    .probe = "doca_log_backend_level_set",
    .logs_nothing = true,
    .enter = enter_backend,
    .leave = leave_backend,
    .argument = argue_backend,
    .succeeded = backend_succeeded,
};

// ---- sources --------------------------------------------------------------------------------

enum { REGISTERED, WITH_BUCKET, DESTROYED };

static struct {
    int number, bucket;
    bool there;
} s;

static void enter_source(unsigned state)
{
    ck_assert_success(doca_log_source_register("states", &s.number));
    s.there = true;
    s.bucket = 0;
    if (state == WITH_BUCKET)
        ck_assert_success(doca_log_rate_bucket_register(s.number, &s.bucket));
    if (state == DESTROYED) {
        ck_assert_success(doca_log_source_destroy(s.number));
        s.there = false;
    }
}

static void leave_source(void)
{
    ck_assert_error(doca_log_source_destroy(s.number),
                    s.there ? DOCA_SUCCESS : DOCA_ERROR_INVALID_VALUE);
}

static enum given argue_source(const char *function, const char *param, uint64_t *value)
{
    if (same(param, "source_name"))
        return GIVE("states");
    if (same(param, "format"))
        return GIVE("a line of the tests");
    if (same(param, "source") && same(function, "doca_log_source_register"))
        return GIVEN_NONE;
    if (same(param, "bucket") && same(function, "doca_log_rate_bucket_register"))
        return GIVEN_NONE;
    *value = (uint64_t)(same(param, "source")   ? s.number
                        : same(param, "bucket") ? s.bucket
                        : same(param, "level")  ? DOCA_LOG_LEVEL_DEBUG // which nobody shows
                                                : 1);
    return GIVEN;
}

static void source_succeeded(const char *function, const uint64_t *a)
{
    if (same(function, "doca_log_source_register"))
        ck_assert_success(doca_log_source_destroy(*(int *)(uintptr_t)a[1]));
    else if (same(function, "doca_log_source_destroy"))
        s.there = false;
}

static const struct row source_rows[] = {
    //                       registered, with a bucket, destroyed
    {"doca_log_source_register", ANY(OK)},
    {"doca_log_source_destroy", {OK, OK, INVALID}},
    {"doca_log_rate_bucket_register", {OK, OK, INVALID}},
    {"doca_log", {OK, OK, INVALID}},
    {"doca_log_developer", {OK, OK, INVALID}},
    {"doca_log_rate_limit", {INVALID, OK, INVALID}},
};

GROUP(sources) = {
    .name = "log source",
    .states = {"registered", "with a bucket", "destroyed"},
    ROWS(source_rows),
    .probe = "doca_log_rate_limit",
    .logs_nothing = true,
    .enter = enter_source,
    .leave = leave_source,
    .argument = argue_source,
    .succeeded = source_succeeded,
};
