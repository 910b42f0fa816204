// SPDX-License-Identifier: BSD-3-Clause
// Copyright (c) 2026, the docad authors
//
// What functions of DOCA 3 make while one of their allocations fails: the first, the second and
// so on. They answer DOCA_ERROR_NO_MEMORY, make nothing, and succeed when asked again.

#include "log_capture.h"
#include "unit.h"

#include <doca_argp.h>
#include <stdbool.h>
#include <stdio.h>
#include <string.h>

// ---- allocations that fail -----------------------------------------------------------

static long countdown; // 0: none is to fail
static bool failed;

static bool fails(void)
{
    if (countdown == 0 || --countdown != 0)
        return false;
    failed = true;
    return true;
}

#define FAILING_WRAPPER(result, name, parameters, arguments)                                       \
    result __real_##name parameters;                                                               \
    result __wrap_##name parameters;                                                               \
    result __wrap_##name parameters                                                                \
    {                                                                                              \
        return fails() ? NULL : __real_##name arguments;                                           \
    }
FAILING_WRAPPER(void *, malloc, (size_t size), (size))
FAILING_WRAPPER(void *, calloc, (size_t n, size_t size), (n, size))
FAILING_WRAPPER(char *, strdup, (const char *text), (text))

// Makes something with the n-th allocation failing, for n from 1 on, until none fails. Returns how
// many failed.
static int try_all(doca_error_t (*make)(void), doca_error_t expected)
{
    int n = 0;
    do {
        countdown = ++n;
        failed = false;
        doca_error_t result = make();
        countdown = 0;
        ck_assert_int_eq(result, failed ? expected : DOCA_SUCCESS);
    } while (failed);
    return n - 1;
}

// ---- the log ------------------------------------------------------------------------

static struct doca_log_backend *backend;

static doca_error_t make_backend(void)
{
    return doca_log_backend_create_with_file_sdk(stderr, &backend);
}

static doca_error_t make_syslog(void)
{
    return doca_log_backend_create_with_syslog("test", &backend);
}

static doca_error_t make_source(void)
{
    static int number;
    return doca_log_register_source("NO::MEMORY", &number);
}

static doca_error_t make_list(void)
{
    struct doca_logger **list;
    uint32_t count;
    doca_error_t result = doca_logger_create_list(NULL, 0, &list, &count);
    return result == DOCA_SUCCESS ? doca_logger_destroy_list(list) : result;
}

START_TEST(logs)
{
    struct standard s = standard_capture();
    ck_assert_int_eq(try_all(make_backend, DOCA_ERROR_NO_MEMORY), 1);
    ck_assert_int_eq(try_all(make_syslog, DOCA_ERROR_NO_MEMORY), 2);
    ck_assert_int_ge(try_all(make_source, DOCA_ERROR_NO_MEMORY), 1);
    ck_assert_int_eq(try_all(make_list, DOCA_ERROR_NO_MEMORY), 1);
    (void)s;
}
END_TEST

// ---- the parser ---------------------------------------------------------------------

static doca_error_t begin(void)
{
    return doca_argp_init("prog", NULL);
}

static doca_error_t make_param(void)
{
    struct doca_argp_param *param;
    doca_error_t result = doca_argp_param_create(&param);
    return result == DOCA_SUCCESS ? doca_argp_param_destroy(param) : result;
}

static doca_error_t make_cmd(void)
{
    struct doca_argp_cmd *cmd;
    doca_error_t result = doca_argp_cmd_create(&cmd);
    return result == DOCA_SUCCESS ? doca_argp_cmd_destroy(cmd) : result;
}

// Setters cannot tell: the registration does, and frees the command.
static doca_error_t register_cmd(void)
{
    struct doca_argp_cmd *cmd;
    long later = countdown;
    countdown = 0;
    ck_assert_int_eq(doca_argp_cmd_create(&cmd), DOCA_SUCCESS);
    countdown = later;
    doca_argp_cmd_set_name(cmd, "add");
    doca_argp_cmd_set_description(cmd, "Adds");
    return doca_argp_register_cmd(cmd);
}

START_TEST(the_parser)
{
    struct standard s = standard_capture();
    ck_assert_int_eq(try_all(begin, DOCA_ERROR_NO_MEMORY), 1);
    ck_assert_int_eq(try_all(make_param, DOCA_ERROR_NO_MEMORY), 1);
    ck_assert_int_eq(try_all(make_cmd, DOCA_ERROR_NO_MEMORY), 1);
    ck_assert_int_eq(try_all(register_cmd, DOCA_ERROR_INITIALIZATION), 2);
    ck_assert_int_eq(doca_argp_destroy(), DOCA_SUCCESS);
    (void)s;
}
END_TEST

UNIT_MAIN("doca3_no_memory", logs, the_parser)
