// SPDX-License-Identifier: BSD-3-Clause
// Copyright (c) 2026, the docad authors
//
// The kinds of backend, and what may happen in the midst of a line.
// Each test function runs in a process of its own and so finds the logger as a new
// program does.

#include "log_capture.h"
#include "unit.h"

#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <signal.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stdio.h>
#include <string.h>
#include <syslog.h>
#include <unistd.h>

DOCA_LOG_REGISTER(TEST::LOG);

// ---- kinds of backend ----------------------------------------------------------------

START_TEST(stream_backend)
{
    int fd = log_sink();
    struct doca_logger_backend *backend = NULL;
    FILE *stream = fdopen(dup(fd), "w");
    ck_assert_int_eq(doca_log_create_file_backend(NULL, &backend), DOCA_ERROR_INVALID_VALUE);
    ck_assert_ptr_null(backend);
    ck_assert_int_eq(doca_log_create_file_backend(stream, NULL), DOCA_ERROR_INVALID_VALUE);
    ck_assert_int_eq(doca_log_create_file_backend(stream, &backend), DOCA_SUCCESS);
    log_each_level();
    ck_assert_str_eq(log_texts(fd), "crit\nerr\nwarn\ninfo\n"); // flushed line by line
}
END_TEST

START_TEST(several_backends_get_the_same_lines)
{
    int fa = log_sink(), fb = log_sink();
    backend_of(fa);
    backend_of(fb);
    log_each_level();
    ck_assert_str_eq(log_text(fa), log_text(fb));
    ck_assert_str_eq(log_texts(fa), "crit\nerr\nwarn\ninfo\n");
}
END_TEST

START_TEST(a_backend_that_fails_does_not_stop_the_others)
{
    int fd = log_sink(), closed = log_sink();
    struct doca_logger_backend *backend;
    FILE *full = fopen("/dev/full", "we");
    ck_assert_int_eq(doca_log_create_file_backend(full, &backend), DOCA_SUCCESS);
    backend_of(closed);
    backend_of(fd);
    close(closed);
    ck_assert_int_eq(DOCA_LOG_INFO("line"), DOCA_ERROR_IO_FAILED);
    ck_assert_str_eq(log_texts(fd), "line\n");
}
END_TEST

START_TEST(descriptors_that_cannot_be_written_to)
{
    struct doca_logger_backend *backend = NULL;
    int read_only = open("/dev/null", O_RDONLY | O_CLOEXEC);
    ck_assert_int_eq(doca_log_create_fd_backend(-1, &backend), DOCA_ERROR_INVALID_VALUE);
    ck_assert_int_eq(doca_log_create_fd_backend(1000, &backend), DOCA_ERROR_INVALID_VALUE);
    ck_assert_int_eq(doca_log_create_fd_backend(read_only, &backend), DOCA_ERROR_INVALID_VALUE);
    ck_assert_int_eq(doca_log_create_fd_backend(1, NULL), DOCA_ERROR_INVALID_VALUE);
    ck_assert_ptr_null(backend);
    // The refused ones left the default alone.
    struct standard s = standard_capture();
    log_each_level();
    ck_assert_str_eq(log_texts(s.out), "info\n");
}
END_TEST

START_TEST(a_full_pipe_loses_whole_lines)
{
    int ends[2];
    char junk[4096];
    ck_assert_int_eq(pipe2(ends, O_CLOEXEC | O_NONBLOCK), 0);
    memset(junk, 'j', sizeof(junk));
    size_t filled = 0;
    for (ssize_t n; (n = write(ends[1], junk, sizeof(junk))) > 0;)
        filled += n;
    backend_of(ends[1]);
    ck_assert_int_eq(DOCA_LOG_INFO("lost"), DOCA_ERROR_IO_FAILED);
    for (size_t done = 0; done < filled;)
        done += read(ends[0], junk, sizeof(junk));
    ck_assert_int_eq(DOCA_LOG_INFO("kept"), DOCA_SUCCESS);
    ssize_t n = read(ends[0], junk, sizeof(junk) - 1);
    ck_assert_int_gt(n, 0);
    junk[n] = 0;
    assert_matches(junk, "^\\[.*: kept\n$");
}
END_TEST

static void *read_pipe(void *fd)
{
    static char all[1 << 16];
    size_t length = 0;
    for (ssize_t n; (n = read(*(int *)fd, all + length, 1000)) > 0;)
        length += n;
    all[length] = 0;
    return all;
}

START_TEST(a_line_once_begun_is_finished)
{
    int ends[2];
    pthread_t reader;
    void *all;
    ck_assert_int_eq(pipe2(ends, O_CLOEXEC), 0);
    ck_assert_int_eq(fcntl(ends[1], F_SETFL, O_NONBLOCK), 0);
    ck_assert_int_ge(fcntl(ends[1], F_SETPIPE_SZ, 4096), 4096);
    backend_of(ends[1]);
    ck_assert_int_eq(pthread_create(&reader, NULL, read_pipe, &ends[0]), 0);
    ck_assert_int_eq(DOCA_LOG_INFO("%0*d", 12000, 0), DOCA_SUCCESS);
    close(ends[1]);
    ck_assert_int_eq(pthread_join(reader, &all), 0);
    ck_assert_int_gt(strlen(all), 12000);
    assert_matches(all, "^\\[.*: 0+\n$");
}
END_TEST

static char flushed[8][64];
static int flushes;
static const char *line_of_flush; // that the callback writes itself

static void on_flush(char *buffer)
{
    snprintf(flushed[flushes++ % 8], sizeof(flushed[0]), "%s", strstr(buffer, "]: "));
    if (line_of_flush)
        DOCA_LOG_WARN("%s", line_of_flush);
}

START_TEST(buffer_backend)
{
    static char buffer[256];
    struct doca_logger_backend *backend;
    ck_assert_int_eq(doca_log_create_buffer_backend(buffer, sizeof(buffer), on_flush, &backend),
                     DOCA_SUCCESS);
    DOCA_LOG_INFO("a long first line");
    ck_assert_int_eq(flushes, 1);
    ck_assert_str_eq(flushed[0], "]: a long first line\n");
    DOCA_LOG_INFO("second");
    ck_assert_int_eq(flushes, 2);
    ck_assert_str_eq(flushed[1], "]: second\n");
    assert_matches(buffer, "^" LOG_TIME "\\[DOCA\\]\\[INF\\]\\[TEST::LOG:[0-9]+\\]: second\n$");
    DOCA_LOG_DBG("hidden");
    ck_assert_int_eq(flushes, 2);
}
END_TEST

static int small_flushes;

static void on_small_flush(char *buffer)
{
    small_flushes++;
    ck_assert_int_eq(strlen(buffer), 9);
    assert_matches(buffer, "^\\[[0-9][0-9]:[0-9][0-9]:[0-9][0-9]$");
}

START_TEST(a_line_that_does_not_fit_is_cut)
{
    static char buffer[16];
    struct doca_logger_backend *backend;
    memset(buffer, '#', sizeof(buffer));
    ck_assert_int_eq(doca_log_create_buffer_backend(buffer, 10, on_small_flush, &backend),
                     DOCA_SUCCESS);
    DOCA_LOG_INFO("x");
    ck_assert_int_eq(small_flushes, 1);
    ck_assert_int_eq(buffer[9], 0);
    for (int i = 10; i < 16; i++)
        ck_assert_int_eq(buffer[i], '#');
}
END_TEST

START_TEST(a_flush_callback_may_log)
{
    static char a[256], b[256];
    int fd = log_sink();
    struct doca_logger_backend *backend;
    doca_log_create_buffer_backend(a, sizeof(a), on_flush, &backend);
    backend_of(fd);
    doca_log_create_buffer_backend(b, sizeof(b), on_flush, &backend);
    line_of_flush = "inner";
    DOCA_LOG_INFO("outer");
    // Each buffer gets the outer line, and the inner one of the other's callback.
    ck_assert_int_eq(flushes, 4);
    const char *inner = "inner\n";
    const char *seen = log_texts(fd);
    int inners = 0, outers = 0;
    for (const char *p = seen; (p = strstr(p, inner)); p++)
        inners++;
    for (const char *p = seen; (p = strstr(p, "outer\n")); p++)
        outers++;
    ck_assert_int_eq(outers, 1);
    ck_assert_int_eq(inners, 4);
    DOCA_LOG_INFO("again");
    ck_assert_int_eq(flushes, 8);
}
END_TEST

static struct doca_logger_backend *changed;
static int changed_fd;

static void on_flush_change(char *buffer)
{
    (void)buffer;
    ck_assert_int_eq(doca_log_backend_level_set(changed, DOCA_LOG_LEVEL_CRIT), DOCA_SUCCESS);
    backend_of(changed_fd);
}

START_TEST(a_flush_callback_may_change_settings)
{
    static char buffer[256];
    changed_fd = log_sink();
    ck_assert_int_eq(
        doca_log_create_buffer_backend(buffer, sizeof(buffer), on_flush_change, &changed),
        DOCA_SUCCESS);
    DOCA_LOG_INFO("first");
    DOCA_LOG_INFO("second");
    ck_assert_str_eq(log_texts(changed_fd), "first\nsecond\n");
}
END_TEST

START_TEST(buffers_that_make_no_sense)
{
    char buffer[16];
    struct doca_logger_backend *backend = NULL;
    ck_assert_int_eq(doca_log_create_buffer_backend(NULL, 16, on_flush, &backend),
                     DOCA_ERROR_INVALID_VALUE);
    ck_assert_int_eq(doca_log_create_buffer_backend(buffer, 0, on_flush, &backend),
                     DOCA_ERROR_INVALID_VALUE);
    ck_assert_int_eq(doca_log_create_buffer_backend(buffer, 1, on_flush, &backend),
                     DOCA_ERROR_INVALID_VALUE);
    ck_assert_int_eq(doca_log_create_buffer_backend(buffer, 16, NULL, &backend),
                     DOCA_ERROR_INVALID_VALUE);
    ck_assert_int_eq(doca_log_create_buffer_backend(buffer, 16, on_flush, NULL),
                     DOCA_ERROR_INVALID_VALUE);
    ck_assert_ptr_null(backend);
}
END_TEST

// ---- syslog: these stand in for the C library's --------------------------------------

static char syslog_text[16][320];
static int syslog_priority[16], syslog_lines;
static char syslog_ident[64];
static int syslog_facility;

void __wrap_openlog(const char *ident, int option, int facility);
void __wrap_openlog(const char *ident, int option, int facility)
{
    (void)option;
    snprintf(syslog_ident, sizeof(syslog_ident), "%s", ident);
    syslog_facility = facility;
}

void __wrap_syslog(int priority, const char *format, ...) __attribute__((format(printf, 2, 3)));
void __wrap_syslog(int priority, const char *format, ...)
{
    char text_only[240];
    va_list args;
    va_start(args, format);
    vsnprintf(text_only, sizeof(text_only), format, args);
    va_end(args);
    snprintf(syslog_text[syslog_lines % 16], sizeof(syslog_text[0]), "%s %s", syslog_ident,
             text_only);
    syslog_priority[syslog_lines++ % 16] = priority;
}

START_TEST(syslog_backend)
{
    static const int priorities[] = {LOG_CRIT, LOG_ERR, LOG_WARNING, LOG_INFO, LOG_DEBUG};
    char name[] = "program";
    struct doca_logger_backend *backend = NULL;
    ck_assert_int_eq(doca_log_create_syslog_backend(NULL, &backend), DOCA_ERROR_INVALID_VALUE);
    ck_assert_int_eq(doca_log_create_syslog_backend(name, NULL), DOCA_ERROR_INVALID_VALUE);
    ck_assert_int_eq(doca_log_create_syslog_backend(name, &backend), DOCA_SUCCESS);
    memset(name, 'x', strlen(name));
    ck_assert_int_eq(doca_log_backend_level_set(backend, DOCA_LOG_LEVEL_DEBUG), DOCA_SUCCESS);
    log_each_level();
    ck_assert_int_eq(syslog_lines, 5);
    ck_assert_int_eq(syslog_facility, LOG_USER);
    for (int i = 0; i < 5; i++)
        ck_assert_int_eq(syslog_priority[i], priorities[i]);
    assert_matches(syslog_text[0], "^program \\[DOCA\\]\\[CRT\\]\\[TEST::LOG:[0-9]+\\]: crit$");
    DOCA_LOG_INFO("%s", "100%s"); // the text is no format
    assert_matches(syslog_text[5], ": 100%s$");
}
END_TEST

START_TEST(two_syslog_backends_keep_their_names)
{
    struct doca_logger_backend *a, *b;
    doca_log_create_syslog_backend("first", &a);
    doca_log_create_syslog_backend("second", &b);
    DOCA_LOG_INFO("x");
    DOCA_LOG_INFO("y");
    ck_assert_int_eq(syslog_lines, 4);
    assert_matches(syslog_text[0], "^first .*x$");
    assert_matches(syslog_text[1], "^second .*x$");
    assert_matches(syslog_text[2], "^first .*y$");
    assert_matches(syslog_text[3], "^second .*y$");
}
END_TEST

// ---- in the midst of things ----------------------------------------------------------

static int allocations;
static bool allocations_fail;

#define COUNTING_WRAPPER(result, name, parameters, arguments)                                      \
    result __real_##name parameters;                                                               \
    result __wrap_##name parameters;                                                               \
    result __wrap_##name parameters                                                                \
    {                                                                                              \
        allocations++;                                                                             \
        if (allocations_fail)                                                                      \
            return NULL;                                                                           \
        return __real_##name arguments;                                                            \
    }
COUNTING_WRAPPER(void *, malloc, (size_t size), (size))
COUNTING_WRAPPER(void *, calloc, (size_t n, size_t size), (n, size))
COUNTING_WRAPPER(void *, realloc, (void *p, size_t size), (p, size))
COUNTING_WRAPPER(char *, strdup, (const char *s), (s))

static void limited_lines(void)
{
    for (int i = 0; i < 10; i++)
        DOCA_LOG_RATE_LIMIT_INFO("%d", i);
}

START_TEST(a_line_allocates_nothing)
{
    static char buffer[256];
    struct doca_logger_backend *backend;
    FILE *stream = fopen("/dev/null", "we");
    standard_capture();
    doca_log_create_standard_backend();
    doca_log_create_file_backend(stream, &backend);
    doca_log_create_buffer_backend(buffer, sizeof(buffer), on_flush, &backend);
    doca_log_create_syslog_backend("x", &backend);
    backend_of(log_sink());
    ck_assert_int_gt(allocations, 0); // the wrappers work
    limited_lines();
    allocations = 0;
    for (int i = 0; i < 100; i++) {
        log_each_level();
        limited_lines();
    }
    ck_assert_int_eq(allocations, 0);
}
END_TEST

START_TEST(without_memory)
{
    static char buffer[16];
    struct doca_logger_backend *backend = NULL;
    int number = -7;
    // Check allocates too: it is asked only afterwards.
    allocations_fail = true;
    const doca_error_t results[] = {
        doca_log_source_register("never seen", &number),
        doca_log_rate_bucket_register(0, &number),
        doca_log_create_file_backend(stdout, &backend),
        doca_log_create_fd_backend(1, &backend),
        doca_log_create_syslog_backend("x", &backend),
        doca_log_create_buffer_backend(buffer, sizeof(buffer), on_flush, &backend),
    };
    allocations_fail = false;
    for (size_t i = 0; i < sizeof(results) / sizeof(results[0]); i++)
        ck_assert_int_eq(results[i], DOCA_ERROR_NO_MEMORY);
    ck_assert_int_eq(number, -7);
    ck_assert_ptr_null(backend);

    // The default still stands.
    struct standard s = standard_capture();
    ck_assert_int_eq(DOCA_LOG_INFO("line"), DOCA_SUCCESS);
    ck_assert_str_eq(log_texts(s.out), "line\n");
}
END_TEST

static volatile sig_atomic_t handler_kept_errno;

static void on_signal(int signal_number)
{
    int before = errno;
    DOCA_LOG_ERR("from the handler of %d", signal_number);
    handler_kept_errno = errno == before;
}

static ssize_t interrupted_write(void *cookie, const char *bytes, size_t size)
{
    (void)cookie;
    (void)bytes;
    raise(SIGUSR1);
    return size;
}

START_TEST(a_signal_handler_may_log_in_the_midst_of_a_line)
{
    int fd = log_sink();
    struct doca_logger_backend *backend;
    FILE *stream = fopencookie(NULL, "w", (cookie_io_functions_t){.write = interrupted_write});
    ck_assert_int_eq(doca_log_create_file_backend(stream, &backend), DOCA_SUCCESS);
    backend_of(fd);
    signal(SIGUSR1, on_signal);
    ck_assert_int_eq(DOCA_LOG_INFO("interrupted"), DOCA_SUCCESS);
    char expected[64];
    snprintf(expected, sizeof(expected), "from the handler of %d\ninterrupted\n", SIGUSR1);
    ck_assert_str_eq(log_texts(fd), expected);
    ck_assert(handler_kept_errno);
    // And afterwards all is as before.
    ck_assert_int_eq(doca_log_backend_level_set(backend, DOCA_LOG_LEVEL_CRIT), DOCA_SUCCESS);
    truncate_to_nothing(fd);
    ck_assert_int_eq(DOCA_LOG_INFO("done"), DOCA_SUCCESS);
    ck_assert_str_eq(log_texts(fd), "done\n");
    fclose(stream);
}
END_TEST

UNIT_MAIN("log_backend", stream_backend, several_backends_get_the_same_lines,
          a_backend_that_fails_does_not_stop_the_others, descriptors_that_cannot_be_written_to,
          a_full_pipe_loses_whole_lines, a_line_once_begun_is_finished, buffer_backend,
          a_line_that_does_not_fit_is_cut, a_flush_callback_may_log,
          a_flush_callback_may_change_settings, buffers_that_make_no_sense, syslog_backend,
          two_syslog_backends_keep_their_names, a_line_allocates_nothing, without_memory,
          a_signal_handler_may_log_in_the_midst_of_a_line)
