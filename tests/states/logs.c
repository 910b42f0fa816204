// SPDX-License-Identifier: BSD-3-Clause
// Copyright (c) 2026, the docad authors
//
// Log backends and sources. Backends stay as long as the process: those made here show
// next to nothing.

#include "objects.h"

#include <doca_log.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

static char buffer[256];

static void drop_line(char *line)
{
    (void)line;
}

// ---- backends

enum { FRESH, LIMITED, SDK, LOWER_FIXED, UPPER_FIXED, BOTH_FIXED };

static struct doca_log_backend *backend;

static void enter_backend(unsigned state)
{
    doca_error_t (*create)(char *, size_t, log_flush_callback, struct doca_log_backend **) =
        doca_log_backend_create_with_buf;
    OF_3(if (state == SDK) create = doca_log_backend_create_with_buf_sdk;)
    ck_assert_success(create(buffer, sizeof(buffer), drop_line, &backend));
    ck_assert_success(doca_log_backend_set_level_lower_limit(backend, DOCA_LOG_LEVEL_CRIT));
    if (state == LIMITED)
        ck_assert_success(doca_log_backend_set_level_upper_limit(backend, DOCA_LOG_LEVEL_CRIT));
    if (state == LOWER_FIXED || state == BOTH_FIXED)
        ck_assert_success(doca_log_backend_set_level_lower_limit_strict(backend));
    if (state == UPPER_FIXED || state == BOTH_FIXED)
        ck_assert_success(doca_log_backend_set_level_upper_limit_strict(backend));
}

static void leave_backend(void)
{
    OF_2_2(doca_log_set_bucket_time(5);)
    OF_2_2(doca_log_set_quantity(20);)
    ck_assert_success(doca_log_level_set_global_lower_limit(DOCA_LOG_LEVEL_INFO));
    OF_3(ck_assert_success(doca_log_level_set_global_upper_limit(DOCA_LOG_LEVEL_CRIT));)
}

static bool is_creator(const char *function)
{
    return strstr(function, EITHER("_log_create_", "_backend_create_"));
}

static enum given argue_backend(const char *function, const char *param, uint64_t *value)
{
    if (same(param, "logger") || same(param, "backend"))
        return is_creator(function) ? GIVEN_NONE : GIVE(backend);
    if (same(param, "fptr"))
        return GIVE(stderr);
    if (same(param, EITHER("buffer", "buf")))
        return GIVE(buffer);
    if (same(param, "handler"))
        return GIVE(drop_line);
    if (same(param, "name"))
        return GIVE("states");
    *value = same(param, "capacity")                          ? sizeof(buffer)
             : same(param, "fd")                              ? STDERR_FILENO
             : EITHER(!!strstr(function, "_log_set_"), false) ? 7
                                                              : DOCA_LOG_LEVEL_CRIT;
    return GIVEN;
}

static void backend_succeeded(const char *function, const uint64_t *a)
{
    size_t last = strstr(function, "_buf") ? 3 : 1;
    if (is_creator(function) && !strstr(function, "_standard"))
        ck_assert_success(doca_log_backend_set_level_lower_limit(
            *(struct doca_log_backend **)(uintptr_t)a[last], DOCA_LOG_LEVEL_CRIT));
}

static const struct row backend_rows[] = {
    //                            fresh, limited, of the SDK, lower fixed, upper fixed, both
    {FN(doca_log_backend_set_level_lower_limit), {OK, OK, OK, PERMIT, OK, PERMIT}},
    {FN(doca_log_backend_set_level_upper_limit), {OK, OK, OK, OK, PERMIT, PERMIT}},
    {FN(doca_log_backend_set_level_lower_limit_strict), ANY(OK)},
    {FN(doca_log_backend_set_level_upper_limit_strict), ANY(OK)},
    {FN(doca_log_level_set_global_lower_limit), ANY(OK)},
    {FN(doca_log_level_set_global_upper_limit), ANY(OK)},
    {FN(doca_log_level_get_global_lower_limit), ANY(OK)},
    {FN(doca_log_backend_create_with_file), ANY(OK)},
    {FN(doca_log_backend_create_with_fd), ANY(OK)},
    {FN(doca_log_backend_create_with_buf), ANY(OK)},
    {FN(doca_log_backend_create_with_syslog), ANY(OK)},
    {FN(doca_log_backend_create_standard), ANY(OK)},

    ROW_OF_2_2("doca_log_get_bucket_time", ANY(OK)),
    ROW_OF_2_2("doca_log_set_bucket_time", ANY(OK)),
    ROW_OF_2_2("doca_log_get_quantity", ANY(OK)),
    ROW_OF_2_2("doca_log_set_quantity", ANY(OK)),

    ROW_OF_3("doca_log_backend_set_sdk_level", {INVALID, INVALID, OK, INVALID, INVALID, INVALID}),
    ROW_OF_3("doca_log_level_set_global_sdk_limit", ANY(OK)),
    ROW_OF_3("doca_log_level_get_global_upper_limit", ANY(OK)),
    ROW_OF_3("doca_log_level_get_global_sdk_limit", ANY(OK)),
    ROW_OF_3("doca_log_backend_create_with_file_sdk", ANY(OK)),
    ROW_OF_3("doca_log_backend_create_with_fd_sdk", ANY(OK)),
    ROW_OF_3("doca_log_backend_create_with_buf_sdk", ANY(OK)),
    ROW_OF_3("doca_log_backend_create_with_syslog_sdk", ANY(OK)),
    ROW_OF_3("doca_log_get_max_num_backends", ANY(OK)),
    ROW_OF_3("doca_log_get_max_num_backends_sdk", ANY(OK)),
    ROW_OF_3("doca_log_set_max_unaggregated_level", ANY(OK)),
    ROW_OF_3("doca_log_set_max_aggregated_size", ANY(OK)),
    ROW_OF_3("doca_log_set_bg_sampling_period", ANY(OK)),
};

GROUP(logs) = {
    .name = "log backend",
    .states = {"fresh", EITHER("limited", ""), EITHER("", "of the SDK"), "lower level fixed",
               "upper level fixed", "both fixed"},
    ROWS(backend_rows),
    .probe = FN(doca_log_backend_set_level_lower_limit),
    .logs_nothing = true,
    .enter = enter_backend,
    .leave = leave_backend,
    .argument = argue_backend,
    .succeeded = backend_succeeded,
};

// ---- sources

enum { REGISTERED, WITH_BUCKET, UNREGISTERED, NEVER };

static struct {
    int number, bucket;
    bool there;
} s;

static void enter_source(unsigned state)
{
    ck_assert_success(doca_log_register_source("states", &s.number));
    s.there = state != UNREGISTERED;
    s.bucket = 0;
    OF_2_2(if (state == WITH_BUCKET)
               ck_assert_success(doca_log_rate_bucket_register(s.number, &s.bucket));)
    if (state == UNREGISTERED)
        ck_assert_success(doca_log_unregister_source(s.number));
    if (state == NEVER)
        s.number = 30000;
}

static void leave_source(void)
{
    OF_2_2(ck_assert_error(doca_log_unregister_source(s.number),
                           s.there ? DOCA_SUCCESS : DOCA_ERROR_INVALID_VALUE);)
}

static enum given argue_source(const char *function, const char *param, uint64_t *value)
{
    if (same(param, "source_name"))
        return GIVE("states");
    if (same(param, "format") || same(param, "fname") || same(param, "func"))
        return GIVE("a line of the tests");
    if (same(param, "source") && same(function, FN(doca_log_register_source)))
        return GIVEN_NONE;
    if (same(param, "bucket") && same(function, "doca_log_rate_bucket_register"))
        return GIVEN_NONE;
    *value = (uint64_t)(same(param, "source")   ? s.number
                        : same(param, "bucket") ? s.bucket
                        : same(param, "level")
                            ? EITHER(DOCA_LOG_LEVEL_DEBUG, DOCA_LOG_LEVEL_TRACE) // not shown
                            : 1);
    return GIVEN;
}

static void source_succeeded(const char *function, const uint64_t *a)
{
    if (same(function, FN(doca_log_register_source)))
        ck_assert_success(doca_log_unregister_source(*(int *)(uintptr_t)a[1]));
    else if (same(function, FN(doca_log_unregister_source)))
        s.there = false;
}

#define ONCE EITHER(INVALID, OK)

static const struct row source_rows[] = {
    //                            registered, with a bucket, unregistered, never made
    {FN(doca_log_register_source), ANY(OK)},
    {FN(doca_log_unregister_source), {OK, OK, ONCE, INVALID}},
    {"doca_log", {OK, OK, ONCE, INVALID}, EITHER(NULL, "fname func")},
    ROW_OF_2_2("doca_log_rate_bucket_register", {OK, OK, INVALID, INVALID}),
    ROW_OF_2_2("doca_log_developer", {OK, OK, INVALID, INVALID}),
    ROW_OF_2_2("doca_log_rate_limit", {INVALID, OK, INVALID, INVALID}),
};

GROUP(sources) = {
    .name = "log source",
    .states = {"registered", EITHER("with a bucket", ""), "unregistered", EITHER("", "never made")},
    ROWS(source_rows),
    .probe = EITHER("doca_log_rate_limit", "doca_log_unregister_source"),
    .logs_nothing = true,
    .enter = enter_source,
    .leave = leave_source,
    .argument = argue_source,
    .succeeded = source_succeeded,
};
