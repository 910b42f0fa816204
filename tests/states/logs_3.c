// SPDX-License-Identifier: BSD-3-Clause
// Copyright (c) 2026, the docad authors
//
// Log backends, sources and loggers of DOCA 3. Backends stay as long as the process: those made
// here show next to nothing.

#include "tables.h"

#include <check.h>
#include <doca_log.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#define ck_assert_success(expression) ck_assert_int_eq((expression), DOCA_SUCCESS)

static char buffer[256];

static void drop_line(char *line)
{
    (void)line;
}

// ---- backends -----------------------------------------------------------------------------

enum { FRESH, SDK, LOWER_FIXED, UPPER_FIXED, BOTH_FIXED };

static struct doca_log_backend *backend;

static void enter_backend(unsigned state)
{
    if (state == SDK)
        ck_assert_success(
            doca_log_backend_create_with_buf_sdk(buffer, sizeof(buffer), drop_line, &backend));
    else
        ck_assert_success(
            doca_log_backend_create_with_buf(buffer, sizeof(buffer), drop_line, &backend));
    ck_assert_success(doca_log_backend_set_level_lower_limit(backend, DOCA_LOG_LEVEL_CRIT));
    if (state == LOWER_FIXED || state == BOTH_FIXED)
        ck_assert_success(doca_log_backend_set_level_lower_limit_strict(backend));
    if (state == UPPER_FIXED || state == BOTH_FIXED)
        ck_assert_success(doca_log_backend_set_level_upper_limit_strict(backend));
}

static void leave_backend(void)
{
    ck_assert_success(doca_log_level_set_global_lower_limit(DOCA_LOG_LEVEL_INFO));
    ck_assert_success(doca_log_level_set_global_upper_limit(DOCA_LOG_LEVEL_CRIT));
}

static enum given argue_backend(const char *function, const char *param, uint64_t *value)
{
    if (same(param, "backend"))
        return strstr(function, "_create_") ? GIVEN_NONE : GIVE(backend);
    if (same(param, "fptr"))
        return GIVE(stderr);
    if (same(param, "buf"))
        return GIVE(buffer);
    if (same(param, "handler"))
        return GIVE(drop_line);
    if (same(param, "name"))
        return GIVE("states");
    *value = same(param, "capacity") ? sizeof(buffer)
             : same(param, "fd")     ? STDERR_FILENO
                                     : DOCA_LOG_LEVEL_CRIT;
    return GIVEN;
}

static void backend_succeeded(const char *function, const uint64_t *a)
{
    size_t last = strstr(function, "_with_buf") ? 3 : 1;
    if (strstr(function, "_create_with_"))
        ck_assert_success(doca_log_backend_set_level_lower_limit(
            *(struct doca_log_backend **)(uintptr_t)a[last], DOCA_LOG_LEVEL_CRIT));
}

static const struct row backend_rows[] = {
    //                            fresh, of the SDK, lower fixed, upper fixed, both
    {"doca_log_backend_set_level_lower_limit", {OK, OK, PERMIT, OK, PERMIT}},
    {"doca_log_backend_set_level_upper_limit", {OK, OK, OK, PERMIT, PERMIT}},
    {"doca_log_backend_set_level_lower_limit_strict", ANY(OK)},
    {"doca_log_backend_set_level_upper_limit_strict", ANY(OK)},
    {"doca_log_backend_set_sdk_level", {INVALID, OK, INVALID, INVALID, INVALID}},
    {"doca_log_level_set_global_lower_limit", ANY(OK)},
    {"doca_log_level_set_global_upper_limit", ANY(OK)},
    {"doca_log_level_set_global_sdk_limit", ANY(OK)},
    {"doca_log_level_get_global_lower_limit", ANY(OK)},
    {"doca_log_level_get_global_upper_limit", ANY(OK)},
    {"doca_log_level_get_global_sdk_limit", ANY(OK)},
    {"doca_log_backend_create_with_file", ANY(OK)},
    {"doca_log_backend_create_with_fd", ANY(OK)},
    {"doca_log_backend_create_with_buf", ANY(OK)},
    {"doca_log_backend_create_with_syslog", ANY(OK)},
    {"doca_log_backend_create_with_file_sdk", ANY(OK)},
    {"doca_log_backend_create_with_fd_sdk", ANY(OK)},
    {"doca_log_backend_create_with_buf_sdk", ANY(OK)},
    {"doca_log_backend_create_with_syslog_sdk", ANY(OK)},
    {"doca_log_backend_create_standard", ANY(OK)},
    {"doca_log_get_max_num_backends", ANY(OK)},
    {"doca_log_get_max_num_backends_sdk", ANY(OK)},
    {"doca_log_set_max_unaggregated_level", ANY(OK)},
    {"doca_log_set_max_aggregated_size", ANY(OK)},
    {"doca_log_set_bg_sampling_period", ANY(OK)},
};

GROUP(logs) = {
    .name = "log backend",
    .states = {"fresh", "of the SDK", "lower level fixed", "upper level fixed", "both fixed"},
    ROWS(backend_rows),
    .probe = "doca_log_backend_set_level_lower_limit",
    .logs_nothing = true,
    .enter = enter_backend,
    .leave = leave_backend,
    .argument = argue_backend,
    .succeeded = backend_succeeded,
};

// ---- sources --------------------------------------------------------------------------------

enum { REGISTERED, UNREGISTERED, NEVER };

static int number;

static void enter_source(unsigned state)
{
    ck_assert_success(doca_log_register_source("states", &number));
    if (state == UNREGISTERED)
        ck_assert_success(doca_log_unregister_source(number));
    if (state == NEVER)
        number = 30000;
}

static void leave_source(void)
{
}

static enum given argue_source(const char *function, const char *param, uint64_t *value)
{
    if (same(param, "source_name"))
        return GIVE("states");
    if (same(param, "format") || same(param, "fname") || same(param, "func"))
        return GIVE("a line of the tests");
    if (same(param, "source") && same(function, "doca_log_register_source"))
        return GIVEN_NONE;
    *value = (uint64_t)(same(param, "source")  ? number
                        : same(param, "level") ? DOCA_LOG_LEVEL_TRACE // which nobody shows
                                               : 1);
    return GIVEN;
}

static const struct row source_rows[] = {
    //                           registered, unregistered, never made
    {"doca_log_register_source", ANY(OK)},
    {"doca_log_unregister_source", {OK, OK, INVALID}},
    {"doca_log", {OK, OK, INVALID}, "fname func"},
};

GROUP(sources) = {
    .name = "log source",
    .states = {"registered", "unregistered", "never made"},
    ROWS(source_rows),
    .probe = "doca_log_unregister_source",
    .logs_nothing = true,
    .enter = enter_source,
    .leave = leave_source,
    .argument = argue_source,
};

// ---- loggers --------------------------------------------------------------------------------

static struct doca_logger **list, *logger;

static void enter_logger(unsigned state)
{
    uint32_t n;
    int source;
    (void)state;
    ck_assert_success(doca_log_register_source("states", &source));
    ck_assert_success(doca_log_register_source("states::below", &source));
    ck_assert_success(doca_logger_create_list(NULL, 0, &list, &n));
    logger = doca_logger_find_by_name(list, "states");
    ck_assert_ptr_nonnull(logger);
}

static void leave_logger(void)
{
    if (list)
        ck_assert_success(doca_logger_destroy_list(list));
    list = NULL;
    ck_assert_success(doca_logger_set_level(NULL, DOCA_LOG_LEVEL_TRACE, 1));
}

static enum given argue_logger(const char *function, const char *param, uint64_t *value)
{
    if (same(param, "logger"))
        return GIVE(logger);
    if (same(param, "logger_list"))
        return same(function, "doca_logger_create_list") ? GIVEN_NONE : GIVE(list);
    if (same(param, "name") && same(function, "doca_logger_find_by_name"))
        return GIVE("states");
    if (same(param, "level") && same(function, "doca_logger_get_level"))
        return GIVEN_NONE;
    *value = same(param, "level") ? DOCA_LOG_LEVEL_INFO : 0;
    return same(param, "level") || same(param, "depth") || same(param, "propagate") ? GIVEN
                                                                                    : GIVEN_NONE;
}

static const struct row logger_rows[] = {
    {"doca_logger_create_list", {OK}, "logger"},
    {"doca_logger_destroy_list", {OK}},
    {"doca_logger_set_level", {OK}},
    {"doca_logger_get_level", {OK}},
    {"doca_logger_get_name", {OK}},
    {"doca_logger_find_by_name", {OK}},
};

GROUP(loggers) = {
    .name = "logger",
    .states = {"there"},
    ROWS(logger_rows),
    .logs_nothing = true,
    .enter = enter_logger,
    .leave = leave_logger,
    .argument = argue_logger,
    LIVES({"doca_logger_create_list", "doca_logger_destroy_list", &list}),
};
