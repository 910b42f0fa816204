// SPDX-License-Identifier: BSD-3-Clause
// Copyright (c) 2026, the docad authors
//
// The log of DOCA 3: backends for lines of the program and for lines of the library, each with
// levels of their own. Each test function finds the logger as a new program does.

#include "log/own.h"
#include "log_capture.h"
#include "unit.h"

#include <fcntl.h>
#include <pthread.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

DOCA_LOG_REGISTER(TEST::DOCA3);

static struct doca_log_backend *sdk_backend_of(int fd)
{
    struct doca_log_backend *backend = NULL;
    ck_assert_int_eq(doca_log_backend_create_with_fd_sdk(fd, &backend), DOCA_SUCCESS);
    ck_assert_ptr_nonnull(backend);
    return backend;
}

// A line of the library of each level from ERROR on.
static void own_each_level(void)
{
    static int n; // so that no two lines are equal
    n++;
    log_own_error("own err %d", n);
    log_own_warning("own warn %d", n);
    log_own_info("own info %d", n);
}

static const char *own_levels(int fd)
{
    static char out[4];
    truncate_to_nothing(fd);
    own_each_level();
    const char *texts = log_texts(fd);
    snprintf(out, sizeof(out), "%s%s%s", strstr(texts, "own err") ? "E" : "",
             strstr(texts, "own warn") ? "W" : "", strstr(texts, "own info") ? "I" : "");
    return out;
}

START_TEST(a_line_names_source_line_and_function)
{
    int fd = log_sink();
    backend_of(fd);
    DOCA_LOG_WARN("text %d", 7);
    assert_matches(log_text(fd),
                   "^" LOG_TIME "\\[DOCA\\]\\[WRN\\]\\[TEST::DOCA3:[0-9]+\\]\\[[a-z_]+"
                   "\\]: text 7\n$");
    truncate_to_nothing(fd);
    ck_assert_int_eq(doca_log(DOCA_LOG_LEVEL_INFO, log_source, NULL, 3, NULL, "bare"),
                     DOCA_SUCCESS);
    assert_matches(log_text(fd), "\\[TEST::DOCA3:3\\]: bare\n$");
}
END_TEST

START_TEST(the_samples_setup)
{
    struct standard s = standard_capture();
    struct doca_log_backend *sdk;
    ck_assert_int_eq(doca_log_backend_create_standard(), DOCA_SUCCESS);
    ck_assert_int_eq(doca_log_backend_create_with_file_sdk(stderr, &sdk), DOCA_SUCCESS);
    ck_assert_int_eq(doca_log_backend_set_sdk_level(sdk, DOCA_LOG_LEVEL_WARNING), DOCA_SUCCESS);
    log_each_level();
    ck_assert_str_eq(log_texts(s.out), "info\n");
    ck_assert_str_eq(log_texts(s.err), "crit\nerr\nwarn\n");
    ck_assert_str_eq(own_levels(s.err), "EW");
    ck_assert_int_eq(doca_log_level_set_global_lower_limit(DOCA_LOG_LEVEL_DEBUG), DOCA_SUCCESS);
    ck_assert_str_eq(shown_levels(s.out), "info\ndbg\n");
    ck_assert_str_eq(own_levels(s.err), "EW"); // has a level of its own
}
END_TEST

START_TEST(without_an_sdk_backend_the_library_is_silent)
{
    struct standard s = standard_capture();
    ck_assert_int_eq(doca_log_backend_create_standard(), DOCA_SUCCESS);
    ck_assert_str_eq(own_levels(s.err), "");
    ck_assert_str_eq(own_levels(s.out), "");
    int fd = log_sink();
    sdk_backend_of(fd);
    ck_assert_str_eq(own_levels(fd), "EWI");
    ck_assert_str_eq(shown_levels(fd), "");
}
END_TEST

START_TEST(a_program_without_backends_is_not_mute)
{
    struct standard s = standard_capture();
    ck_assert_str_eq(own_levels(s.err), "EW");
    ck_assert_str_eq(shown_levels(s.err), "crit\nerr\nwarn\n");
    // A backend for the library takes its lines away, and nothing else.
    int fd = log_sink();
    sdk_backend_of(fd);
    ck_assert_str_eq(own_levels(s.err), "");
    ck_assert_str_eq(own_levels(fd), "EWI");
    ck_assert_str_eq(shown_levels(s.err), "crit\nerr\nwarn\n");
    // The first backend of the program ends that; the library's stays.
    int program = log_sink();
    backend_of(program);
    ck_assert_str_eq(shown_levels(s.err), "");
    ck_assert_str_eq(shown_levels(program), "crit\nerr\nwarn\ninfo\n");
    ck_assert_str_eq(own_levels(fd), "EWI");
}
END_TEST

START_TEST(sdk_levels)
{
    int a = log_sink(), b = log_sink(), program = log_sink();
    struct doca_log_backend *first = sdk_backend_of(a);
    struct doca_log_backend *app = backend_of(program);
    ck_assert_uint_eq(doca_log_level_get_global_sdk_limit(), DOCA_LOG_LEVEL_INFO);
    ck_assert_int_eq(doca_log_level_set_global_sdk_limit(DOCA_LOG_LEVEL_ERROR), DOCA_SUCCESS);
    ck_assert_uint_eq(doca_log_level_get_global_sdk_limit(), DOCA_LOG_LEVEL_ERROR);
    ck_assert_str_eq(own_levels(a), "E");
    struct doca_log_backend *second = sdk_backend_of(b); // begins with it
    ck_assert_str_eq(own_levels(b), "E");
    ck_assert_int_eq(doca_log_backend_set_sdk_level(second, DOCA_LOG_LEVEL_WARNING), DOCA_SUCCESS);
    ck_assert_str_eq(own_levels(b), "EW");
    ck_assert_str_eq(own_levels(a), "E");
    ck_assert_int_eq(doca_log_backend_set_level_lower_limit_strict(second), DOCA_SUCCESS);
    ck_assert_int_eq(doca_log_level_set_global_sdk_limit(DOCA_LOG_LEVEL_DISABLE), DOCA_SUCCESS);
    ck_assert_str_eq(own_levels(a), "");
    ck_assert_str_eq(own_levels(b), "EW");
    ck_assert_int_eq(doca_log_backend_set_sdk_level(second, DOCA_LOG_LEVEL_INFO),
                     DOCA_ERROR_NOT_PERMITTED);
    // Levels of the program's lines are another matter.
    ck_assert_str_eq(shown_levels(program), "crit\nerr\nwarn\ninfo\n");
    ck_assert_int_eq(doca_log_backend_set_sdk_level(app, DOCA_LOG_LEVEL_INFO),
                     DOCA_ERROR_INVALID_VALUE);
    ck_assert_int_eq(doca_log_backend_set_sdk_level(first, 71), DOCA_ERROR_INVALID_VALUE);
    ck_assert_int_eq(doca_log_backend_set_sdk_level(NULL, 50), DOCA_ERROR_INVALID_VALUE);
}
END_TEST

START_TEST(program_levels)
{
    int fd = log_sink();
    struct doca_log_backend *backend = backend_of(fd);
    ck_assert_uint_eq(doca_log_level_get_global_lower_limit(), DOCA_LOG_LEVEL_INFO);
    ck_assert_uint_eq(doca_log_level_get_global_upper_limit(), DOCA_LOG_LEVEL_CRIT);
    ck_assert_int_eq(doca_log_level_set_global_lower_limit(DOCA_LOG_LEVEL_TRACE), DOCA_SUCCESS);
    ck_assert_str_eq(shown_levels(fd), "crit\nerr\nwarn\ninfo\ndbg\ntrc\n");
    assert_matches(log_text(fd), "\\[TRC\\]");
    ck_assert_int_eq(doca_log_level_set_global_upper_limit(DOCA_LOG_LEVEL_WARNING), DOCA_SUCCESS);
    ck_assert_int_eq(doca_log_backend_set_level_lower_limit(backend, DOCA_LOG_LEVEL_INFO),
                     DOCA_SUCCESS);
    ck_assert_str_eq(shown_levels(fd), "warn\ninfo\n");
    ck_assert_int_eq(doca_log_backend_set_level_upper_limit(backend, DOCA_LOG_LEVEL_INFO),
                     DOCA_SUCCESS);
    ck_assert_str_eq(shown_levels(fd), "info\n");
    ck_assert_int_eq(doca_log_backend_set_level_upper_limit_strict(backend), DOCA_SUCCESS);
    ck_assert_int_eq(doca_log_backend_set_level_lower_limit_strict(backend), DOCA_SUCCESS);
    ck_assert_int_eq(doca_log_level_set_global_lower_limit(DOCA_LOG_LEVEL_DISABLE), DOCA_SUCCESS);
    ck_assert_int_eq(doca_log_level_set_global_upper_limit(DOCA_LOG_LEVEL_CRIT), DOCA_SUCCESS);
    ck_assert_str_eq(shown_levels(fd), "info\n");
    ck_assert_uint_eq(doca_log_level_get_global_lower_limit(), DOCA_LOG_LEVEL_DISABLE);
}
END_TEST

START_TEST(disabled)
{
    int fd = log_sink();
    backend_of(fd);
    ck_assert_int_eq(doca_log_level_set_global_lower_limit(DOCA_LOG_LEVEL_DISABLE), DOCA_SUCCESS);
    ck_assert_str_eq(shown_levels(fd), "");
}
END_TEST

START_TEST(kinds_of_backend)
{
    static char text[256], sdk_text[256];
    struct doca_log_backend *backend = NULL;
    int fd = log_sink(), sdk = log_sink();
    FILE *file = fdopen(dup(fd), "w"), *sdk_file = fdopen(dup(sdk), "w");
    ck_assert_int_eq(doca_log_backend_create_with_file(file, &backend), DOCA_SUCCESS);
    ck_assert_int_eq(doca_log_backend_create_with_file_sdk(sdk_file, &backend), DOCA_SUCCESS);
    ck_assert_int_eq(doca_log_backend_create_with_syslog("test", &backend), DOCA_SUCCESS);
    ck_assert_int_eq(doca_log_backend_create_with_syslog_sdk("test", &backend), DOCA_SUCCESS);
    ck_assert_int_eq(doca_log_backend_create_with_buf(text, 1, NULL, &backend),
                     DOCA_ERROR_INVALID_VALUE);
    ck_assert_int_eq(doca_log_backend_create_with_buf_sdk(sdk_text, 256, NULL, &backend),
                     DOCA_ERROR_INVALID_VALUE);
    ck_assert_str_eq(shown_levels(fd), "crit\nerr\nwarn\ninfo\n");
    ck_assert_str_eq(own_levels(sdk), "EWI");
    ck_assert_str_eq(own_levels(fd), "");
}
END_TEST

static int flushed, sdk_flushed;
static void flush(char *buf)
{
    flushed += strstr(buf, "crit") != NULL;
}
static void sdk_flush(char *buf)
{
    sdk_flushed += strstr(buf, "own err") != NULL;
}

START_TEST(buffers)
{
    static char text[256], sdk_text[256];
    struct doca_log_backend *backend;
    ck_assert_int_eq(doca_log_backend_create_with_buf(text, sizeof(text), flush, &backend),
                     DOCA_SUCCESS);
    ck_assert_int_eq(
        doca_log_backend_create_with_buf_sdk(sdk_text, sizeof(sdk_text), sdk_flush, &backend),
        DOCA_SUCCESS);
    log_each_level();
    own_each_level();
    ck_assert_int_eq(flushed, 1);
    ck_assert_int_eq(sdk_flushed, 1);
}
END_TEST

START_TEST(nothing_is_null)
{
    struct doca_log_backend *backend = NULL;
    int source = 7;
    struct standard s = standard_capture();
    ck_assert_int_eq(doca_log_backend_create_with_file(NULL, &backend), DOCA_ERROR_INVALID_VALUE);
    ck_assert_int_eq(doca_log_backend_create_with_file(stdout, NULL), DOCA_ERROR_INVALID_VALUE);
    ck_assert_int_eq(doca_log_backend_create_with_file_sdk(NULL, &backend),
                     DOCA_ERROR_INVALID_VALUE);
    ck_assert_int_eq(doca_log_backend_create_with_file_sdk(stdout, NULL), DOCA_ERROR_INVALID_VALUE);
    ck_assert_int_eq(doca_log_backend_create_with_fd(-1, &backend), DOCA_ERROR_INVALID_VALUE);
    ck_assert_int_eq(doca_log_backend_create_with_fd(1, NULL), DOCA_ERROR_INVALID_VALUE);
    ck_assert_int_eq(doca_log_backend_create_with_fd_sdk(-1, &backend), DOCA_ERROR_INVALID_VALUE);
    ck_assert_int_eq(doca_log_backend_create_with_fd_sdk(1, NULL), DOCA_ERROR_INVALID_VALUE);
    ck_assert_int_eq(doca_log_backend_create_with_syslog(NULL, &backend), DOCA_ERROR_INVALID_VALUE);
    ck_assert_int_eq(doca_log_backend_create_with_syslog_sdk("x", NULL), DOCA_ERROR_INVALID_VALUE);
    ck_assert_ptr_null(backend);
    ck_assert_int_eq(doca_log_backend_set_level_lower_limit(NULL, 50), DOCA_ERROR_INVALID_VALUE);
    ck_assert_int_eq(doca_log_backend_set_level_upper_limit(NULL, 50), DOCA_ERROR_INVALID_VALUE);
    ck_assert_int_eq(doca_log_backend_set_level_lower_limit_strict(NULL), DOCA_ERROR_INVALID_VALUE);
    ck_assert_int_eq(doca_log_backend_set_level_upper_limit_strict(NULL), DOCA_ERROR_INVALID_VALUE);
    ck_assert_int_eq(doca_log_register_source(NULL, &source), DOCA_ERROR_INVALID_VALUE);
    ck_assert_int_eq(doca_log_register_source("A", NULL), DOCA_ERROR_INVALID_VALUE);
    ck_assert_int_eq(source, 7);
    doca_error_t (*log)(uint32_t, int, const char *, int, const char *, const char *, ...) =
        doca_log;
    ck_assert_int_eq(log(50, log_source, "f", 1, "g", NULL), DOCA_ERROR_INVALID_VALUE);
    ck_assert_int_eq(doca_log(10, log_source, "f", 1, "g", "x"), DOCA_ERROR_INVALID_VALUE);
    ck_assert_int_eq(doca_log(80, log_source, "f", 1, "g", "x"), DOCA_ERROR_INVALID_VALUE);
    ck_assert_int_eq(doca_log(50, 1234, "f", 1, "g", "x"), DOCA_ERROR_INVALID_VALUE);
    for (uint32_t level = 0; level < 90; level++) {
        bool valid = level && level % 10 == 0 && level <= 70;
        ck_assert_int_eq(doca_log_level_set_global_upper_limit(level) == DOCA_SUCCESS, valid);
        ck_assert_int_eq(doca_log_level_set_global_sdk_limit(level) == DOCA_SUCCESS, valid);
    }
    (void)s;
}
END_TEST

START_TEST(sources_stay)
{
    int fd = log_sink(), source = 0;
    backend_of(fd);
    ck_assert_int_eq(doca_log_register_source("GONE", &source), DOCA_SUCCESS);
    ck_assert_int_eq(doca_log_unregister_source(source), DOCA_SUCCESS);
    ck_assert_int_eq(doca_log(DOCA_LOG_LEVEL_INFO, source, "f", 1, "g", "still"), DOCA_SUCCESS);
    ck_assert_str_eq(log_texts(fd), "still\n");
    ck_assert_int_eq(doca_log_unregister_source(0), DOCA_ERROR_INVALID_VALUE);
    ck_assert_int_eq(doca_log_unregister_source(5000), DOCA_ERROR_INVALID_VALUE);
}
END_TEST

START_TEST(gathering)
{
    int fd = log_sink();
    pthread_t thread;
    backend_of(fd);
    ck_assert_int_eq(doca_log_set_max_unaggregated_level(DOCA_LOG_LEVEL_DISABLE), DOCA_SUCCESS);
    ck_assert_int_eq(doca_log_set_max_unaggregated_level(5), DOCA_ERROR_INVALID_VALUE);
    ck_assert_int_eq(doca_log_set_max_aggregated_size(4096), DOCA_SUCCESS);
    ck_assert_int_eq(doca_log_set_max_aggregated_size(0), DOCA_ERROR_INVALID_VALUE);
    ck_assert_int_eq(doca_log_set_bg_sampling_period(100), DOCA_SUCCESS);
    ck_assert_uint_gt(doca_log_get_max_num_backends(), 8);
    ck_assert_uint_gt(doca_log_get_max_num_backends_sdk(), 8);
    ck_assert_int_eq(pthread_create(&thread, NULL, doca_log_process_msg, NULL), 0);
    DOCA_LOG_INFO("at once");
    ck_assert_str_eq(log_texts(fd), "at once\n");
    pthread_cancel(thread);
    pthread_join(thread, NULL);
}
END_TEST

UNIT_MAIN("doca3_log", a_line_names_source_line_and_function, the_samples_setup,
          without_an_sdk_backend_the_library_is_silent, a_program_without_backends_is_not_mute,
          sdk_levels, program_levels, disabled, kinds_of_backend, buffers, nothing_is_null,
          sources_stay, gathering)
