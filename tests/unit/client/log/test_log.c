// SPDX-License-Identifier: BSD-3-Clause
// Copyright (c) 2026, the docad authors
//
// Lines of one thread: where they go by default, their form, levels, sources.
// Each test function runs in a process of its own and so finds the logger as a new
// program does.

#include "log_capture.h"
#include "log_dlog.h"
#include "unit.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

DOCA_LOG_REGISTER(TEST::LOG);

static int source_before_main;
static doca_error_t line_before_main = DOCA_ERROR_UNKNOWN;

static void __attribute__((constructor(102))) before_main(void)
{
    source_before_main = log_source;
    line_before_main = DOCA_LOG_DBG("nobody sees this");
}

// ---- standard backend ----------------------------------------------------------------

START_TEST(sources_are_there_before_main)
{
    ck_assert_int_gt(source_before_main, 0);
    ck_assert_int_eq(line_before_main, DOCA_SUCCESS);
}
END_TEST

START_TEST(without_a_backend_lines_go_to_stdout_and_stderr)
{
    struct standard s = standard_capture();
    log_each_level();
    ck_assert_str_eq(log_texts(s.out), "info\n");
    ck_assert_str_eq(log_texts(s.err), "crit\nerr\nwarn\n");
}
END_TEST

START_TEST(default_follows_the_global_level)
{
    struct standard s = standard_capture();
    ck_assert_int_eq(doca_log_global_level_set(DOCA_LOG_LEVEL_DEBUG), DOCA_SUCCESS);
    log_each_level();
    ck_assert_str_eq(log_texts(s.out), "info\ndbg\n");
}
END_TEST

START_TEST(standard_backend_splits_by_level)
{
    struct standard s = standard_capture();
    ck_assert_int_eq(doca_log_create_standard_backend(), DOCA_SUCCESS);
    log_each_level();
    ck_assert_str_eq(log_texts(s.out), "info\n");
    ck_assert_str_eq(log_texts(s.err), "crit\nerr\nwarn\n");
}
END_TEST

START_TEST(standard_backend_twice_does_not_double)
{
    struct standard s = standard_capture();
    int fd = log_sink();
    ck_assert_int_eq(doca_log_create_standard_backend(), DOCA_SUCCESS);
    ck_assert_int_eq(doca_log_create_standard_backend(), DOCA_SUCCESS);
    backend_of(fd);
    ck_assert_int_eq(doca_log_create_standard_backend(), DOCA_SUCCESS);
    log_each_level();
    ck_assert_str_eq(log_texts(s.out), "info\n");
    ck_assert_str_eq(log_texts(s.err), "crit\nerr\nwarn\n");
    ck_assert_str_eq(log_texts(fd), "crit\nerr\nwarn\ninfo\n");
}
END_TEST

START_TEST(standard_backend_after_another)
{
    struct standard s = standard_capture();
    int fd = log_sink();
    backend_of(fd);
    log_each_level();
    ck_assert_str_eq(log_texts(s.out), "");
    ck_assert_str_eq(log_texts(s.err), "");
    ck_assert_int_eq(doca_log_create_standard_backend(), DOCA_SUCCESS);
    log_each_level();
    ck_assert_str_eq(log_texts(s.out), "info\n");
    ck_assert_str_eq(log_texts(s.err), "crit\nerr\nwarn\n");
}
END_TEST

START_TEST(standard_backend_follows_the_global_limits)
{
    struct standard s = standard_capture();
    ck_assert_int_eq(doca_log_create_standard_backend(), DOCA_SUCCESS);

    ck_assert_int_eq(doca_log_global_level_set(DOCA_LOG_LEVEL_ERROR), DOCA_SUCCESS);
    ck_assert_str_eq(shown_levels(s.err), "crit\nerr\n");
    ck_assert_str_eq(log_texts(s.out), "");

    ck_assert_int_eq(doca_log_global_level_set(DOCA_LOG_LEVEL_DEBUG), DOCA_SUCCESS);
    ck_assert_int_eq(doca_log_global_set_upper_level_limit(DOCA_LOG_LEVEL_ERROR), DOCA_SUCCESS);
    ck_assert_str_eq(shown_levels(s.err), "err\nwarn\n");
    ck_assert_str_eq(shown_levels(s.out), "info\ndbg\n");

    ck_assert_int_eq(doca_log_global_set_upper_level_limit(DOCA_LOG_LEVEL_DEBUG), DOCA_SUCCESS);
    ck_assert_str_eq(shown_levels(s.err), "");
    ck_assert_str_eq(shown_levels(s.out), "dbg\n");
}
END_TEST

START_TEST(lines_keep_their_place_among_what_is_printed)
{
    struct standard s = standard_capture();
    printf("before\n");
    DOCA_LOG_INFO("line");
    printf("after\n");
    fflush(stdout);
    assert_matches(log_text(s.out), "^before\n\\[.*: line\nafter\n$");
}
END_TEST

// ---- the form of a line --------------------------------------------------------------

START_TEST(form_of_each_level)
{
    static const struct {
        uint32_t level;
        const char *tag;
    } levels[] = {
        {DOCA_LOG_LEVEL_CRIT, "CRT"},    {DOCA_LOG_LEVEL_ERROR, "ERR"},
        {DOCA_LOG_LEVEL_WARNING, "WRN"}, {DOCA_LOG_LEVEL_INFO, "INF"},
        {DOCA_LOG_LEVEL_DEBUG, "DBG"},
    };
    int fd = log_sink();
    backend_of(fd);
    doca_log_global_level_set(DOCA_LOG_LEVEL_DEBUG);
    for (size_t i = 0; i < sizeof(levels) / sizeof(levels[0]); i++) {
        char pattern[128];
        truncate_to_nothing(fd);
        ck_assert_int_eq(doca_log(levels[i].level, log_source, 42, "a %d %s", 1, "b"),
                         DOCA_SUCCESS);
        snprintf(pattern, sizeof(pattern),
                 "^" LOG_TIME "\\[DOCA\\]\\[%s\\]\\[TEST::LOG:42\\]: a 1 b\n$", levels[i].tag);
        assert_matches(log_text(fd), pattern);
    }
}
END_TEST

START_TEST(macros_give_their_own_line_number)
{
    int fd = log_sink();
    char pattern[128];
    backend_of(fd);
    ck_assert_int_eq(DOCA_LOG_INFO("here"), DOCA_SUCCESS);
    snprintf(pattern, sizeof(pattern), "\\[TEST::LOG:%d\\]: here\n$", __LINE__ - 1);
    assert_matches(log_text(fd), pattern);
}
END_TEST

START_TEST(time_is_local_time)
{
    int fd = log_sink();
    struct tm tm;
    struct timespec before, after; // time() would be some milliseconds behind
    char expected[32];
    setenv("TZ", "XYZ-05:45", 1); // east of Greenwich, no full hour
    tzset();
    backend_of(fd);
    do {
        truncate_to_nothing(fd);
        clock_gettime(CLOCK_REALTIME, &before);
        DOCA_LOG_INFO("now");
        clock_gettime(CLOCK_REALTIME, &after);
    } while (before.tv_sec != after.tv_sec);
    strftime(expected, sizeof(expected), "[%H:%M:%S:", localtime_r(&after.tv_sec, &tm));
    ck_assert_int_eq(strncmp(log_text(fd), expected, strlen(expected)), 0);
}
END_TEST

START_TEST(errno_is_left_alone)
{
    int fd = log_sink(), null = open("/dev/null", O_WRONLY | O_CLOEXEC);
    backend_of(fd);
    backend_of(null);
    close(null); // this one fails, and says so to nobody's errno
    errno = ENOTTY;
    ck_assert_int_eq(DOCA_LOG_INFO("%m"), DOCA_ERROR_IO_FAILED);
    ck_assert_int_eq(errno, ENOTTY);
    ck_assert_str_eq(log_texts(fd), "Inappropriate ioctl for device\n");
}
END_TEST

// As in a small container: the C library looks for the file, in vain.
START_TEST(errno_is_left_alone_without_a_time_zone)
{
    int fd = log_sink();

    setenv("TZ", ":/there/is/no/such/file", 1);
    backend_of(fd);
    errno = ENOTTY;
    ck_assert_int_eq(DOCA_LOG_INFO("%m"), DOCA_SUCCESS);
    ck_assert_int_eq(errno, ENOTTY);
    ck_assert_str_eq(log_texts(fd), "Inappropriate ioctl for device\n");
}
END_TEST

START_TEST(long_lines_are_cut)
{
    int fd = log_sink();
    backend_of(fd);
    ck_assert_int_eq(DOCA_LOG_INFO("%s%0*d", "start", 20000, 0), DOCA_SUCCESS);
    const char *line = log_text(fd);
    ck_assert_int_eq(strlen(line), 16383);
    assert_matches(line, ": start0+\\.\\.\\.\n$");
}
END_TEST

START_TEST(longest_line_is_whole)
{
    int fd = log_sink();
    backend_of(fd);
    DOCA_LOG_INFO("%s", "");
    int head = strlen(log_text(fd)) - 1;
    truncate_to_nothing(fd);
    DOCA_LOG_INFO("%0*d", 16384 - 2 - head - 1, 0);
    assert_matches(log_text(fd), ": 0+\n$");
    truncate_to_nothing(fd);
    DOCA_LOG_INFO("%0*d", 16384 - head, 0);
    assert_matches(log_text(fd), ": 0+\\.\\.\\.\n$");
}
END_TEST

START_TEST(long_source_names_leave_room_for_the_text)
{
    static char name[40000];
    int fd = log_sink(), source = 0;
    memset(name, 'n', sizeof(name) - 1);
    ck_assert_int_eq(doca_log_source_register(name, &source), DOCA_SUCCESS);
    backend_of(fd);
    ck_assert_int_eq(doca_log(DOCA_LOG_LEVEL_INFO, source, 7, "the text"), DOCA_SUCCESS);
    assert_matches(log_text(fd), "\\[n+:7\\]: the text\n$");
    doca_log_source_destroy(source);
}
END_TEST

START_TEST(lines_that_make_no_sense)
{
    const char *volatile nothing = NULL;
    int fd = log_sink();
    backend_of(fd);
    ck_assert_int_eq(doca_log(0, log_source, 1, "x"), DOCA_ERROR_INVALID_VALUE);
    ck_assert_int_eq(doca_log(35, log_source, 1, "x"), DOCA_ERROR_INVALID_VALUE);
    ck_assert_int_eq(doca_log(70, log_source, 1, "x"), DOCA_ERROR_INVALID_VALUE);
    ck_assert_int_eq(doca_log(DOCA_LOG_LEVEL_INFO, -1, 1, "x"), DOCA_ERROR_INVALID_VALUE);
    ck_assert_int_eq(doca_log(DOCA_LOG_LEVEL_INFO, 12345, 1, "x"), DOCA_ERROR_INVALID_VALUE);
    ck_assert_int_eq(doca_log(DOCA_LOG_LEVEL_INFO, 1 << 30, 1, "x"), DOCA_ERROR_INVALID_VALUE);
    ck_assert_int_eq(doca_log(DOCA_LOG_LEVEL_DEBUG, 12345, 1, "x"), DOCA_ERROR_INVALID_VALUE);
#pragma GCC diagnostic push
#pragma GCC diagnostic ignored "-Wformat"
#pragma GCC diagnostic ignored "-Wformat-nonliteral"
#pragma GCC diagnostic ignored "-Wformat-security"
    ck_assert_int_eq(doca_log(DOCA_LOG_LEVEL_INFO, log_source, 1, nothing),
                     DOCA_ERROR_INVALID_VALUE);
    // Wide characters that the locale cannot write.
    ck_assert_int_eq(doca_log(DOCA_LOG_LEVEL_INFO, log_source, 1, "%ls", L"\x12345"),
                     DOCA_ERROR_INVALID_VALUE);
#pragma GCC diagnostic pop
    ck_assert_str_eq(log_text(fd), "");
}
END_TEST

START_TEST(developers_lines_vanish_where_they_are_not_switched_on)
{
    int fd = log_sink(), evaluated = 0;
    backend_of(fd);
    doca_log_global_level_set(DOCA_LOG_LEVEL_DEBUG);
    DOCA_DLOG_CRIT("%d", ++evaluated);
    DOCA_DLOG_ERR("%d", ++evaluated);
    DOCA_DLOG_WARN("%d", ++evaluated);
    DOCA_DLOG_INFO("%d", ++evaluated);
    if (fd >= 0)
        DOCA_DLOG_DBG("%d", ++evaluated);
    else
        evaluated = 100;
    ck_assert_int_eq(evaluated, 0);
    ck_assert_str_eq(log_text(fd), "");
}
END_TEST

START_TEST(developers_lines_where_they_are_switched_on)
{
    int fd = log_sink(), evaluated = 0;
    backend_of(fd);
    doca_log_global_level_set(DOCA_LOG_LEVEL_DEBUG);
    log_developer_lines(&evaluated);
    ck_assert_int_eq(evaluated, 5);
    ck_assert_str_eq(log_texts(fd), "crit 1\nerr 2\nwarn 3\ninfo 4\ndbg 5\n");
    assert_matches(log_text(fd),
                   "^" LOG_TIME "\\[DOCA\\]\\[CRT\\]\\[developer::file:[0-9]+\\]: crit 1\n");
}
END_TEST

// ---- levels of backends --------------------------------------------------------------

START_TEST(each_backend_has_its_level)
{
    int fa = log_sink(), fb = log_sink();
    struct doca_logger_backend *a = backend_of(fa), *b = backend_of(fb);
    ck_assert_int_eq(doca_log_backend_level_set(a, DOCA_LOG_LEVEL_ERROR), DOCA_SUCCESS);
    ck_assert_int_eq(doca_log_backend_level_set(b, DOCA_LOG_LEVEL_DEBUG), DOCA_SUCCESS);
    log_each_level();
    ck_assert_str_eq(log_texts(fa), "crit\nerr\n");
    ck_assert_str_eq(log_texts(fb), "crit\nerr\nwarn\ninfo\ndbg\n");
    ck_assert_uint_eq(doca_log_global_level_get(), DOCA_LOG_LEVEL_INFO);
}
END_TEST

START_TEST(upper_limit_hides_what_is_more_severe)
{
    int fd = log_sink();
    struct doca_logger_backend *b = backend_of(fd);
    ck_assert_int_eq(doca_log_backend_set_upper_level_limit(b, DOCA_LOG_LEVEL_WARNING),
                     DOCA_SUCCESS);
    ck_assert_str_eq(shown_levels(fd), "warn\ninfo\n");
    ck_assert_int_eq(doca_log_backend_level_set(b, DOCA_LOG_LEVEL_ERROR), DOCA_SUCCESS);
    ck_assert_str_eq(shown_levels(fd), "");
    ck_assert_int_eq(doca_log_backend_set_upper_level_limit(b, DOCA_LOG_LEVEL_CRIT), DOCA_SUCCESS);
    ck_assert_str_eq(shown_levels(fd), "crit\nerr\n");
}
END_TEST

START_TEST(level_can_be_fixed)
{
    int fixed_fd = log_sink(), fd = log_sink();
    struct doca_logger_backend *fixed = backend_of(fixed_fd);
    backend_of(fd);
    doca_log_backend_level_set(fixed, DOCA_LOG_LEVEL_WARNING);
    ck_assert_int_eq(doca_log_backend_set_lower_level_immutable(fixed), DOCA_SUCCESS);
    ck_assert_int_eq(doca_log_backend_set_lower_level_immutable(fixed), DOCA_SUCCESS);
    ck_assert_int_eq(doca_log_backend_level_set(fixed, DOCA_LOG_LEVEL_DEBUG),
                     DOCA_ERROR_NOT_PERMITTED);
    ck_assert_int_eq(doca_log_global_level_set(DOCA_LOG_LEVEL_DEBUG), DOCA_SUCCESS);
    log_each_level();
    ck_assert_str_eq(log_texts(fixed_fd), "crit\nerr\nwarn\n");
    ck_assert_str_eq(log_texts(fd), "crit\nerr\nwarn\ninfo\ndbg\n");
    // The other limit is still free.
    ck_assert_int_eq(doca_log_backend_set_upper_level_limit(fixed, DOCA_LOG_LEVEL_ERROR),
                     DOCA_SUCCESS);
    ck_assert_str_eq(shown_levels(fixed_fd), "err\nwarn\n");
}
END_TEST

START_TEST(upper_limit_can_be_fixed)
{
    int fixed_fd = log_sink(), fd = log_sink();
    struct doca_logger_backend *fixed = backend_of(fixed_fd);
    backend_of(fd);
    ck_assert_int_eq(doca_log_backend_set_upper_level_immutable(fixed), DOCA_SUCCESS);
    ck_assert_int_eq(doca_log_backend_set_upper_level_immutable(fixed), DOCA_SUCCESS);
    ck_assert_int_eq(doca_log_backend_set_upper_level_limit(fixed, DOCA_LOG_LEVEL_INFO),
                     DOCA_ERROR_NOT_PERMITTED);
    ck_assert_int_eq(doca_log_global_set_upper_level_limit(DOCA_LOG_LEVEL_INFO), DOCA_SUCCESS);
    log_each_level();
    ck_assert_str_eq(log_texts(fixed_fd), "crit\nerr\nwarn\ninfo\n");
    ck_assert_str_eq(log_texts(fd), "info\n");
    ck_assert_int_eq(doca_log_backend_level_set(fixed, DOCA_LOG_LEVEL_CRIT), DOCA_SUCCESS);
    ck_assert_str_eq(shown_levels(fixed_fd), "crit\n");
}
END_TEST

START_TEST(global_limits_are_the_default_of_new_backends)
{
    int fd = log_sink();
    ck_assert_uint_eq(doca_log_global_level_get(), DOCA_LOG_LEVEL_INFO);
    ck_assert_int_eq(doca_log_global_level_set(DOCA_LOG_LEVEL_WARNING), DOCA_SUCCESS);
    ck_assert_uint_eq(doca_log_global_level_get(), DOCA_LOG_LEVEL_WARNING);
    ck_assert_int_eq(doca_log_global_set_upper_level_limit(DOCA_LOG_LEVEL_ERROR), DOCA_SUCCESS);
    backend_of(fd);
    log_each_level();
    ck_assert_str_eq(log_texts(fd), "err\nwarn\n");
}
END_TEST

START_TEST(levels_that_make_no_sense)
{
    int fd = log_sink();
    struct doca_logger_backend *b = backend_of(fd);
    struct doca_logger_backend *none[] = {NULL, (struct doca_logger_backend *)&fd};
    const uint32_t no_levels[] = {0, 10, 19, 21, 55, 61, 70, UINT32_MAX};

    for (int i = 0; i < 2; i++) {
        ck_assert_int_eq(doca_log_backend_level_set(none[i], DOCA_LOG_LEVEL_INFO),
                         DOCA_ERROR_INVALID_VALUE);
        ck_assert_int_eq(doca_log_backend_set_upper_level_limit(none[i], DOCA_LOG_LEVEL_INFO),
                         DOCA_ERROR_INVALID_VALUE);
        ck_assert_int_eq(doca_log_backend_set_lower_level_immutable(none[i]),
                         DOCA_ERROR_INVALID_VALUE);
        ck_assert_int_eq(doca_log_backend_set_upper_level_immutable(none[i]),
                         DOCA_ERROR_INVALID_VALUE);
    }
    for (size_t i = 0; i < sizeof(no_levels) / sizeof(no_levels[0]); i++) {
        ck_assert_int_eq(doca_log_backend_level_set(b, no_levels[i]), DOCA_ERROR_INVALID_VALUE);
        ck_assert_int_eq(doca_log_backend_set_upper_level_limit(b, no_levels[i]),
                         DOCA_ERROR_INVALID_VALUE);
        ck_assert_int_eq(doca_log_global_level_set(no_levels[i]), DOCA_ERROR_INVALID_VALUE);
        ck_assert_int_eq(doca_log_global_set_upper_level_limit(no_levels[i]),
                         DOCA_ERROR_INVALID_VALUE);
    }
    ck_assert_uint_eq(doca_log_global_level_get(), DOCA_LOG_LEVEL_INFO);
    log_each_level();
    ck_assert_str_eq(log_texts(fd), "crit\nerr\nwarn\ninfo\n");
}
END_TEST

// ---- sources -------------------------------------------------------------------------

START_TEST(sources_come_and_go)
{
    int fd = log_sink(), a = -1, b = -1;
    backend_of(fd);
    ck_assert_int_eq(doca_log_source_register("same", &a), DOCA_SUCCESS);
    ck_assert_int_eq(doca_log_source_register("same", &b), DOCA_SUCCESS);
    ck_assert_int_gt(a, 0);
    ck_assert_int_gt(b, 0);
    ck_assert_int_ne(a, b);
    ck_assert_int_eq(doca_log_source_destroy(a), DOCA_SUCCESS);
    ck_assert_int_eq(doca_log_source_destroy(a), DOCA_ERROR_INVALID_VALUE);
    ck_assert_int_eq(doca_log(DOCA_LOG_LEVEL_INFO, a, 1, "x"), DOCA_ERROR_INVALID_VALUE);
    ck_assert_int_eq(doca_log(DOCA_LOG_LEVEL_INFO, b, 1, "y"), DOCA_SUCCESS);
    assert_matches(log_text(fd), "\\[same:1\\]: y\n$");
    ck_assert_int_eq(doca_log_source_destroy(b), DOCA_SUCCESS);
}
END_TEST

START_TEST(the_name_of_a_source_is_copied)
{
    char name[] = "mine";
    int fd = log_sink(), source;
    backend_of(fd);
    ck_assert_int_eq(doca_log_source_register(name, &source), DOCA_SUCCESS);
    memset(name, 'x', strlen(name));
    doca_log(DOCA_LOG_LEVEL_INFO, source, 1, "y");
    assert_matches(log_text(fd), "\\[mine:1\\]: y\n$");
    doca_log_source_destroy(source);
}
END_TEST

START_TEST(many_sources)
{
    enum { MANY = 1000 };
    int fd = log_sink(), sources[MANY];
    backend_of(fd);
    for (int i = 0; i < MANY; i++) {
        char name[16];
        snprintf(name, sizeof(name), "source%d", i);
        ck_assert_int_eq(doca_log_source_register(name, &sources[i]), DOCA_SUCCESS);
    }
    doca_log(DOCA_LOG_LEVEL_INFO, sources[0], 1, "first");
    doca_log(DOCA_LOG_LEVEL_INFO, sources[MANY - 1], 1, "last");
    assert_matches(log_text(fd), "\\[source0:1\\]: first\n.*\\[source999:1\\]: last\n$");
    for (int i = 0; i < MANY; i++)
        ck_assert_int_eq(doca_log_source_destroy(sources[i]), DOCA_SUCCESS);
}
END_TEST

START_TEST(sources_that_make_no_sense)
{
    int source = 77;
    ck_assert_int_eq(doca_log_source_register(NULL, &source), DOCA_ERROR_INVALID_VALUE);
    ck_assert_int_eq(source, 77);
    ck_assert_int_eq(doca_log_source_register("x", NULL), DOCA_ERROR_INVALID_VALUE);
    ck_assert_int_eq(doca_log_source_destroy(0), DOCA_ERROR_INVALID_VALUE);
    ck_assert_int_eq(doca_log_source_destroy(-1), DOCA_ERROR_INVALID_VALUE);
    ck_assert_int_eq(doca_log_source_destroy(4711), DOCA_ERROR_INVALID_VALUE);
    ck_assert_int_eq(doca_log_source_destroy(1 << 30), DOCA_ERROR_INVALID_VALUE);
}
END_TEST

START_TEST(a_file_that_is_not_registered_yet)
{
    int fd = log_sink();
    backend_of(fd);
    ck_assert_int_eq(doca_log(DOCA_LOG_LEVEL_INFO, 0, 3, "early"), DOCA_SUCCESS);
    assert_matches(log_text(fd), "\\[DOCA\\]\\[INF\\]\\[\\?:3\\]: early\n$");
}
END_TEST

UNIT_MAIN("log", sources_are_there_before_main, without_a_backend_lines_go_to_stdout_and_stderr,
          default_follows_the_global_level, standard_backend_splits_by_level,
          standard_backend_twice_does_not_double, standard_backend_after_another,
          standard_backend_follows_the_global_limits, lines_keep_their_place_among_what_is_printed,
          form_of_each_level, macros_give_their_own_line_number, time_is_local_time,
          errno_is_left_alone, errno_is_left_alone_without_a_time_zone, long_lines_are_cut,
          longest_line_is_whole, long_source_names_leave_room_for_the_text,
          lines_that_make_no_sense, developers_lines_vanish_where_they_are_not_switched_on,
          developers_lines_where_they_are_switched_on, each_backend_has_its_level,
          upper_limit_hides_what_is_more_severe, level_can_be_fixed, upper_limit_can_be_fixed,
          global_limits_are_the_default_of_new_backends, levels_that_make_no_sense,
          sources_come_and_go, the_name_of_a_source_is_copied, many_sources,
          sources_that_make_no_sense, a_file_that_is_not_registered_yet)
