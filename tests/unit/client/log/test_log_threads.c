// SPDX-License-Identifier: BSD-3-Clause
// Copyright (c) 2026, the docad authors
//
// Logging of several threads at once: whole lines, exact counts, no race, fork().

#include "log_capture.h"
#include "unit.h"

#include <pthread.h>
#include <stdint.h>
#include <stdbool.h>
#include <stdatomic.h>
#include <stdio.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

DOCA_LOG_REGISTER(TEST::THREADS);

enum { THREADS = 4, LINES = 500 };

static void threads_run(void *(*function)(void *), int count)
{
    pthread_t threads[16];
    for (int i = 0; i < count; i++)
        ck_assert_int_eq(pthread_create(&threads[i], NULL, function, (void *)(intptr_t)i), 0);
    for (int i = 0; i < count; i++)
        ck_assert_int_eq(pthread_join(threads[i], NULL), 0);
}

static void *write_lines(void *arg)
{
    int thread = (int)(intptr_t)arg;
    for (int i = 0; i < LINES; i++)
        DOCA_LOG_INFO("%d %d %0*d", thread, i, 1 + i % 300, 0);
    return NULL;
}

// Every line is whole, and each thread's lines are in order; there are `lines` of each.
static void assert_lines(const char *text, int lines)
{
    int next[THREADS] = {0};
    while (*text) {
        int thread, number, end = 0;
        ck_assert_int_eq(sscanf(text, "%d %d %n", &thread, &number, &end), 2);
        ck_assert_int_ge(thread, 0);
        ck_assert_int_lt(thread, THREADS);
        ck_assert_int_eq(number, next[thread]++);
        size_t zeros = strspn(text + end, "0");
        ck_assert_uint_eq(zeros, 1 + number % 300);
        ck_assert_int_eq(text[end + zeros], '\n');
        text += end + zeros + 1;
    }
    for (int i = 0; i < THREADS; i++)
        ck_assert_int_eq(next[i], lines);
}

START_TEST(lines_of_several_threads_are_whole)
{
    struct doca_logger_backend *backend;
    int fd = log_sink(), stream_fd = log_sink();
    FILE *stream = fdopen(stream_fd, "w");
    backend_of(fd);
    ck_assert_int_eq(doca_log_create_file_backend(stream, &backend), DOCA_SUCCESS);
    threads_run(write_lines, THREADS);
    assert_lines(log_texts(fd), LINES);
    assert_lines(log_texts(stream_fd), LINES);
    ck_assert_str_eq(log_text(fd), log_text(stream_fd)); // and in the same order
}
END_TEST

static int flushes, inside;
static char last[1024];

static void on_flush(char *buffer)
{
    ck_assert_int_eq(inside++, 0);
    flushes++;
    snprintf(last, sizeof(last), "%s", buffer);
    inside--;
}

START_TEST(flush_callbacks_run_one_at_a_time)
{
    static char buffer[1024];
    struct doca_logger_backend *backend;
    doca_log_create_buffer_backend(buffer, sizeof(buffer), on_flush, &backend);
    threads_run(write_lines, THREADS);
    ck_assert_int_eq(flushes, THREADS * LINES);
    ck_assert_str_eq(last, buffer);
}
END_TEST

// ---- while settings change ---------------------------------------------------------

static struct doca_logger_backend *changing;

static void *change_settings(void *arg)
{
    (void)arg;
    for (int i = 0; i < LINES; i++) {
        int source, bucket;
        doca_log_backend_level_set(changing, i % 2 ? DOCA_LOG_LEVEL_CRIT : DOCA_LOG_LEVEL_DEBUG);
        doca_log_backend_set_upper_level_limit(changing, DOCA_LOG_LEVEL_CRIT);
        doca_log_global_level_set(i % 2 ? DOCA_LOG_LEVEL_INFO : DOCA_LOG_LEVEL_DEBUG);
        doca_log_set_quantity(i);
        ck_assert_uint_eq(doca_log_get_bucket_time(), 5);
        ck_assert_int_eq(doca_log_source_register("passing", &source), DOCA_SUCCESS);
        ck_assert_int_eq(doca_log_rate_bucket_register(source, &bucket), DOCA_SUCCESS);
        doca_log_rate_limit(DOCA_LOG_LEVEL_DEBUG, source, i, bucket, "passing");
        ck_assert_int_eq(doca_log_source_destroy(source), DOCA_SUCCESS);
        if (i % 100 == 0)
            backend_of(log_sink());
    }
    return NULL;
}

static void *change_or_write(void *arg)
{
    return (intptr_t)arg < THREADS ? write_lines(arg) : change_settings(arg);
}

START_TEST(settings_may_change_while_lines_are_written)
{
    int fd = log_sink(), changing_fd = log_sink();
    struct doca_logger_backend *fixed = backend_of(fd);
    doca_log_backend_set_lower_level_immutable(fixed);
    changing = backend_of(changing_fd);
    threads_run(change_or_write, THREADS + 2);
    assert_lines(log_texts(fd), LINES);
}
END_TEST

// ---- rate limits -----------------------------------------------------------------------

static int shared_bucket;

static void *write_limited(void *arg)
{
    (void)arg;
    for (int i = 0; i < LINES; i++)
        doca_log_rate_limit(DOCA_LOG_LEVEL_INFO, log_source, 1, shared_bucket, "x");
    return NULL;
}

START_TEST(a_bucket_counts_exactly)
{
    int fd = log_sink();
    backend_of(fd);
    doca_log_set_bucket_time(65535);
    doca_log_set_quantity(LINES + 7);
    ck_assert_int_eq(doca_log_rate_bucket_register(log_source, &shared_bucket), DOCA_SUCCESS);
    threads_run(write_limited, THREADS);
    ck_assert_int_eq(strlen(log_texts(fd)), 2 * (LINES + 7));
}
END_TEST

static void *write_limited_here(void *arg)
{
    (void)arg;
    for (int i = 0; i < LINES; i++)
        DOCA_LOG_RATE_LIMIT_INFO("x");
    return NULL;
}

START_TEST(the_macro_may_be_reached_by_several_threads)
{
    int fd = log_sink();
    backend_of(fd);
    doca_log_set_bucket_time(65535);
    doca_log_set_quantity(1);
    threads_run(write_limited_here, THREADS);
    int passed = strlen(log_texts(fd)) / 2;
    ck_assert_int_ge(passed, 1);
    ck_assert_int_le(passed, THREADS); // each may have counted by itself the first time
}
END_TEST

// ---- fork() and cancellation -------------------------------------------------------------------

static atomic_bool done;

static void *write_until_done(void *arg)
{
    (void)arg;
    while (!done)
        DOCA_LOG_INFO("parent");
    return NULL;
}

START_TEST(a_child_of_fork_may_log)
{
    enum { CHILDREN = 20 };
    int fd = log_sink();
    pthread_t thread;
    struct doca_logger_backend *backend = backend_of(fd);
    doca_log_backend_set_upper_level_limit(backend, DOCA_LOG_LEVEL_WARNING);
    doca_log_backend_level_set(backend, DOCA_LOG_LEVEL_WARNING);
    // Something that takes INFO, so that the other thread holds the lock.
    backend_of(log_sink());
    ck_assert_int_eq(pthread_create(&thread, NULL, write_until_done, NULL), 0);
    for (int i = 0; i < CHILDREN; i++) {
        int status;
        pid_t pid = fork();
        ck_assert_int_ge(pid, 0);
        if (pid == 0) {
            doca_error_t result = DOCA_LOG_WARN("child %d", i);
            _exit(result == DOCA_SUCCESS ? 0 : 1);
        }
        ck_assert_int_eq(waitpid(pid, &status, 0), pid);
        ck_assert_int_eq(status, 0);
        DOCA_LOG_WARN("parent %d", i);
    }
    done = true;
    ck_assert_int_eq(pthread_join(thread, NULL), 0);
    const char *text = log_texts(fd);
    for (int i = 0; i < CHILDREN; i++) {
        char expected[64];
        snprintf(expected, sizeof(expected), "child %d\nparent %d\n", i, i);
        ck_assert_int_eq(strncmp(text, expected, strlen(expected)), 0);
        text += strlen(expected);
    }
    ck_assert_int_eq(*text, 0);
}
END_TEST

static void *write_until_cancelled(void *arg)
{
    for (;;) {
        DOCA_LOG_INFO("cancel me");
        *(atomic_int *)arg += 1;
        pthread_testcancel();
    }
    return NULL;
}

// Not under AddressSanitizer, which keeps the marks it made on the stack of a cancelled
// thread and then trips over them itself.
#ifdef __SANITIZE_ADDRESS__
enum { CANCELLED = 0 };
#else
enum { CANCELLED = 20 };
#endif

START_TEST(a_cancelled_thread_leaves_the_logger_usable)
{
    int fd = log_sink();
    backend_of(fd);
    for (int i = 0; i < CANCELLED; i++) {
        atomic_int lines = 0;
        pthread_t thread;
        ck_assert_int_eq(pthread_create(&thread, NULL, write_until_cancelled, &lines), 0);
        while (lines < 3)
            usleep(100);
        ck_assert_int_eq(pthread_cancel(thread), 0);
        ck_assert_int_eq(pthread_join(thread, NULL), 0);
        ck_assert_int_eq(DOCA_LOG_INFO("still here"), DOCA_SUCCESS);
    }
}
END_TEST

UNIT_MAIN("log_threads", lines_of_several_threads_are_whole, flush_callbacks_run_one_at_a_time,
          settings_may_change_while_lines_are_written, a_bucket_counts_exactly,
          the_macro_may_be_reached_by_several_threads, a_child_of_fork_may_log,
          a_cancelled_thread_leaves_the_logger_usable)
