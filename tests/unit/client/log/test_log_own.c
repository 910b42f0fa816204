// SPDX-License-Identifier: BSD-3-Clause
// Copyright (c) 2026, the docad authors
//
// The library's own lines: folding, by a clock that the test puts forward; their level; the
// place that they bear.

#include "log/log.h"
#include "log/own.h"
#include "log_capture.h"
#include "unit.h"

#include <doca_docad.h>
#include <doca_mmap.h>
#include <pthread.h>
#include <stdio.h>
#include <string.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#define INTERVAL_S (LOG_OWN_INTERVAL_MS / 1000)

static _Atomic int64_t clock_ahead; // seconds

int __real_clock_gettime(clockid_t clock, struct timespec *out);
int __wrap_clock_gettime(clockid_t clock, struct timespec *out);
int __wrap_clock_gettime(clockid_t clock, struct timespec *out)
{
    int result = __real_clock_gettime(clock, out);
    if (clock == CLOCK_MONOTONIC_COARSE) // stands still
        *out = (struct timespec){.tv_sec = 1000 + clock_ahead};
    return result;
}

static void job_fails(const char *what)
{
    log_own_error("%s fails", what);
}

static void fails_often(const char *what, int times)
{
    for (int i = 0; i < times; i++)
        job_fails(what);
}

// ---- folding -----------------------------------------------------------------------------

START_TEST(equal_lines_are_written_once_and_counted)
{
    struct standard s = standard_capture();
    fails_often("job", 100000);
    ck_assert_str_eq(log_texts(s.err), "job fails\n");

    clock_ahead += INTERVAL_S - 1;
    job_fails("job");
    ck_assert_str_eq(log_texts(s.err), "job fails\n");

    clock_ahead += 1;
    job_fails("job");
    ck_assert_str_eq(log_texts(s.err), "job fails\n100000 times more: job fails\njob fails\n");
}
END_TEST

START_TEST(another_place_tells_the_count_when_the_time_is_over)
{
    struct standard s = standard_capture();
    fails_often("job", 3);
    log_own_error("other");
    ck_assert_str_eq(log_texts(s.err), "job fails\nother\n");
    clock_ahead += INTERVAL_S;
    log_own_error("third");
    ck_assert_str_eq(log_texts(s.err), "job fails\nother\n2 times more: job fails\nthird\n");
    log_own_error("nothing left to tell");
    ck_assert_str_eq(log_texts(s.err), "job fails\nother\n2 times more: job fails\nthird\n"
                                       "nothing left to tell\n");
}
END_TEST

START_TEST(lines_that_differ_are_limited_and_counted)
{
    struct standard s = standard_capture();
    char what[32], expected[32];
    for (int i = 0; i < 1000; i++) {
        snprintf(what, sizeof(what), "job %d", i);
        job_fails(what);
    }
    const char *text = log_texts(s.err);
    snprintf(expected, sizeof(expected), "job %d fails\n", LOG_OWN_BURST - 1);
    ck_assert_ptr_nonnull(strstr(text, expected));
    snprintf(expected, sizeof(expected), "job %d fails\n", LOG_OWN_BURST);
    ck_assert_ptr_null(strstr(text, expected));

    truncate_to_nothing(s.err);
    clock_ahead += INTERVAL_S;
    job_fails("last job");
    ck_assert_str_eq(log_texts(s.err), "980 more lines like this one: job 19 fails\n"
                                       "last job fails\n");
}
END_TEST

START_TEST(what_is_told_once_is_not_counted)
{
    struct standard s = standard_capture();
    for (int i = 0; i < 10; i++)
        log_own_once(DOCA_LOG_LEVEL_ERROR, (struct log_place){"here", 1}, "asked for nonsense");
    clock_ahead += INTERVAL_S;
    job_fails("job");
    ck_assert_str_eq(log_texts(s.err), "asked for nonsense\njob fails\n");
}
END_TEST

START_TEST(what_happens_again_is_counted_without_a_line)
{
    struct standard s = standard_capture();
    struct log_place place = {"here", 1};
    ck_assert(!log_own_again(place));
    log_own(DOCA_LOG_LEVEL_ERROR, place, "full");
    ck_assert(log_own_again(place));
    ck_assert(log_own_again(place));
    ck_assert(!log_own_again((struct log_place){"here", 2}));
    clock_ahead += INTERVAL_S;
    ck_assert(!log_own_again(place));
    log_own(DOCA_LOG_LEVEL_ERROR, place, "full");
    ck_assert_str_eq(log_texts(s.err), "full\n2 times more: full\nfull\n");
}
END_TEST

// ---- those who watch ------------------------------------------------------------------------

static char watched_lines[4096];

static void watch(uint32_t level, const char *text)
{
    char line[128];
    job_fails("watcher"); // this does not come back
    snprintf(line, sizeof(line), "%u %s\n", level, text);
    ck_assert_uint_lt(strlen(watched_lines) + strlen(line), sizeof(watched_lines));
    strcat(watched_lines, line); // NOLINT(clang-analyzer-security.insecureAPI.strcpy)
}

START_TEST(a_watcher_gets_lines_that_are_not_shown)
{
    struct standard s = standard_capture();
    ck_assert_int_eq(docad_log_watch(NULL), DOCA_ERROR_INVALID_VALUE);
    log_own_level_set(0);
    ck_assert_int_eq(docad_log_watch(watch), DOCA_SUCCESS);
    ck_assert_int_eq(docad_log_watch(watch), DOCA_SUCCESS);
    fails_often("job", 2);
    log_own_info("good to know");
    ck_assert_str_eq(watched_lines, "30 job fails\n30 job fails\n50 good to know\n");
    ck_assert_str_eq(log_texts(s.err), "");
    ck_assert_str_eq(log_texts(s.out), "");
}
END_TEST

static void nothing_1(uint32_t level, const char *text)
{
    (void)level;
    (void)text;
}

static unsigned calls; // so that the functions differ

static void nothing_2(uint32_t level, const char *text)
{
    calls++;
    nothing_1(level, text);
}

static void nothing_3(uint32_t level, const char *text)
{
    calls += 2;
    nothing_1(level, text);
}

static void nothing_4(uint32_t level, const char *text)
{
    calls += 3;
    nothing_1(level, text);
}

START_TEST(four_may_watch)
{
    ck_assert_int_eq(docad_log_watch(nothing_1), DOCA_SUCCESS);
    ck_assert_int_eq(docad_log_watch(nothing_2), DOCA_SUCCESS);
    ck_assert_int_eq(docad_log_watch(nothing_3), DOCA_SUCCESS);
    ck_assert_int_eq(docad_log_watch(nothing_4), DOCA_SUCCESS);
    ck_assert_int_eq(docad_log_watch(watch), DOCA_ERROR_FULL);
}
END_TEST

// Backends get the same with a watcher as without.
START_TEST(a_watcher_changes_nothing_for_backends)
{
    struct standard s = standard_capture();
    struct log_place place = {"here", 1};
    ck_assert_int_eq(docad_log_watch(nothing_1), DOCA_SUCCESS);
    ck_assert_int_eq(docad_log_watch(nothing_2), DOCA_SUCCESS);
    for (int i = 0; i < 3; i++)
        if (!log_own_again(place))
            log_own(DOCA_LOG_LEVEL_ERROR, place, "full of %d", i);
    clock_ahead += INTERVAL_S;
    ck_assert(!log_own_again(place));
    log_own(DOCA_LOG_LEVEL_ERROR, place, "full of 3");
    ck_assert_str_eq(log_texts(s.err), "full of 0\n2 times more: full of 0\nfull of 3\n");
}
END_TEST

// ---- the end of the process ---------------------------------------------------------------

static void must_not_be_called(char *line)
{
    fprintf(stderr, "x]: the program's callback is called: %s", line);
}

static void wait_for(pid_t pid)
{
    int status;
    ck_assert_int_eq(waitpid(pid, &status, 0), pid);
    ck_assert_int_eq(status, 0);
}

START_TEST(the_count_is_told_at_the_end)
{
    struct standard s = standard_capture();
    pid_t pid = fork();
    if (pid == 0) {
        fails_often("job", 42);
        exit(0);
    }
    wait_for(pid);
    ck_assert_str_eq(log_texts(s.err), "job fails\n41 times more: job fails\n");
}
END_TEST

START_TEST(the_end_spares_what_is_the_programs)
{
    static char buffer[256];
    struct standard s = standard_capture();
    int own = log_sink();
    pid_t pid = fork();
    if (pid == 0) {
        struct doca_logger_backend *backend;
        doca_log_create_standard_backend();
        backend_of(own);
        fails_often("job", 2);
        doca_log_create_buffer_backend(buffer, sizeof(buffer), must_not_be_called, &backend);
        exit(0);
    }
    wait_for(pid);
    ck_assert_str_eq(log_texts(own), "job fails\n");
    ck_assert_str_eq(log_texts(s.err), "job fails\nonce more: job fails\n");
}
END_TEST

START_TEST(a_child_does_not_tell_its_parents_count)
{
    struct standard s = standard_capture();
    fails_often("job", 5);
    pid_t pid = fork();
    if (pid == 0)
        exit(0);
    wait_for(pid);
    ck_assert_str_eq(log_texts(s.err), "job fails\n");
    clock_ahead += INTERVAL_S;
    log_own_error("other");
    ck_assert_str_eq(log_texts(s.err), "job fails\n4 times more: job fails\nother\n");
}
END_TEST

// ---- threads --------------------------------------------------------------------------------

#define THREADS 4
#define EACH    5000

static void *failing(void *what)
{
    for (int i = 0; i < EACH; i++) {
        job_fails(what);
        log_own_again((struct log_place){"again", 1});
    }
    return NULL;
}

START_TEST(threads_lose_no_count)
{
    struct standard s = standard_capture();
    static char job[] = "job";
    pthread_t threads[THREADS];
    char expected[128];

    log_own(DOCA_LOG_LEVEL_ERROR, (struct log_place){"again", 1}, "full");
    for (int i = 0; i < THREADS; i++)
        ck_assert_int_eq(pthread_create(&threads[i], NULL, failing, job), 0);
    for (int i = 0; i < THREADS; i++)
        pthread_join(threads[i], NULL);
    clock_ahead += INTERVAL_S;
    log_own_error("end");
    snprintf(expected, sizeof(expected),
             "full\njob fails\n%d times more: full\n%d times more: job fails\nend\n",
             THREADS * EACH, THREADS * EACH - 1);
    ck_assert_str_eq(log_texts(s.err), expected);
}
END_TEST

// ---- the level --------------------------------------------------------------------------------

static const char *own_levels(struct standard *s)
{
    log_own(DOCA_LOG_LEVEL_CRIT, LOG_HERE, "crit");
    log_own(DOCA_LOG_LEVEL_ERROR, LOG_HERE, "error");
    log_own(DOCA_LOG_LEVEL_WARNING, LOG_HERE, "warning");
    log_own(DOCA_LOG_LEVEL_INFO, LOG_HERE, "info");
    log_own(DOCA_LOG_LEVEL_DEBUG, LOG_HERE, "debug");
    static char both[1024];
    snprintf(both, sizeof(both), "%s", log_texts(s->err));
    strncat(both, log_texts(s->out), sizeof(both) - strlen(both) - 1);
    return both;
}

static const struct {
    const char *variable, *lines;
} by_variable[] = {
    {NULL, "crit\nerror\nwarning\ninfo\n"},
    {"", "crit\nerror\nwarning\ninfo\n"},
    {"off", ""},
    {"critical", "crit\n"},
    {"error", "crit\nerror\n"},
    {"warning", "crit\nerror\nwarning\n"},
    {"info", "crit\nerror\nwarning\ninfo\n"},
    {"debug", "crit\nerror\nwarning\ninfo\ndebug\n"},
    {"eror",
     "DOCAD_LOG_LEVEL=\"eror\" is not a level; write off, critical, error, warning, info or "
     "debug\ncrit\nerror\nwarning\ninfo\n"},
};

START_TEST(the_variable_sets_the_level)
{
    struct standard s = standard_capture();
    if (by_variable[_i].variable)
        setenv("DOCAD_LOG_LEVEL", by_variable[_i].variable, 1);
    else
        unsetenv("DOCAD_LOG_LEVEL");
    ck_assert_str_eq(own_levels(&s), by_variable[_i].lines);
}
END_TEST

START_TEST(the_variable_beats_the_programs_level)
{
    struct standard s = standard_capture();
    setenv("DOCAD_LOG_LEVEL", "info", 1);
    doca_log_global_level_set(DOCA_LOG_LEVEL_CRIT);
    ck_assert_str_eq(own_levels(&s), "crit\nerror\nwarning\ninfo\n");
    // The variable does not change which of the program's own lines are shown.
    ck_assert_str_eq(shown_levels(s.err), "crit\n");
}
END_TEST

START_TEST(the_variable_leaves_a_fixed_level_alone)
{
    struct standard s = standard_capture();
    int fd = log_sink();
    struct doca_logger_backend *backend = backend_of(fd);
    setenv("DOCAD_LOG_LEVEL", "debug", 1);
    doca_log_backend_level_set(backend, DOCA_LOG_LEVEL_ERROR);
    doca_log_backend_set_lower_level_immutable(backend);
    own_levels(&s);
    ck_assert_str_eq(log_texts(fd), "crit\nerror\n");
}
END_TEST

// Backends of a program of DOCA 3 take its own lines alone, unless it makes one for the SDK's.
START_TEST(the_variable_opens_a_log_that_is_closed)
{
    struct standard s = standard_capture();
    struct doca_logger_backend *program, *sdk;
    int programs = log_sink(), own = log_sink();
    setenv("DOCAD_LOG_LEVEL", "warning", 1);
    ck_assert_int_eq(log_backend_to_descriptor(programs, LOG_TAKES_PROGRAM, &program),
                     DOCA_SUCCESS);
    job_fails("first");
    ck_assert_str_eq(log_texts(s.err), "first fails\n");
    ck_assert_str_eq(log_texts(programs), "");
    ck_assert_int_eq(log_backend_to_descriptor(own, LOG_TAKES_OWN, &sdk), DOCA_SUCCESS);
    job_fails("second");
    ck_assert_str_eq(log_texts(own), "second fails\n");
    ck_assert_str_eq(log_texts(s.err), "first fails\n");
}
END_TEST

START_TEST(without_the_variable_it_stays_closed)
{
    struct standard s = standard_capture();
    struct doca_logger_backend *program;
    int programs = log_sink();
    unsetenv("DOCAD_LOG_LEVEL");
    ck_assert_int_eq(log_backend_to_descriptor(programs, LOG_TAKES_PROGRAM, &program),
                     DOCA_SUCCESS);
    job_fails("job");
    ck_assert_str_eq(log_texts(s.err), "");
    ck_assert_str_eq(log_texts(programs), "");
}
END_TEST

static void fail_in_callback(char *line)
{
    (void)line;
    job_fails("callback's job");
}

// The program's callback gets the line about the wrong variable and runs into a failure of its
// own.
START_TEST(a_wrong_variable_may_be_told_to_a_callback_that_fails)
{
    static char buffer[256];
    struct doca_logger_backend *backend;
    int fd = log_sink();
    setenv("DOCAD_LOG_LEVEL", "eror", 1);
    backend_of(fd);
    ck_assert_int_eq(
        doca_log_create_buffer_backend(buffer, sizeof(buffer), fail_in_callback, &backend),
        DOCA_SUCCESS);
    job_fails("job");
    ck_assert_str_eq(log_texts(fd),
                     "DOCAD_LOG_LEVEL=\"eror\" is not a level; write off, critical, error, "
                     "warning, info or debug\ncallback's job fails\njob fails\n"
                     "callback's job fails\n");
}
END_TEST

// ---- the place --------------------------------------------------------------------------------

static int line_of(const char *text)
{
    const char *file = strstr(text, "[client/mmap/mmap.c:");
    ck_assert_msg(file, "no place in: %s", text);
    return atoi(strchr(file, ':') + 1);
}

START_TEST(a_line_bears_the_place_in_the_source)
{
    struct standard s = standard_capture();
    doca_mmap_create(NULL, NULL);
    int create = line_of(log_text(s.err));
    truncate_to_nothing(s.err);
    doca_mmap_destroy(NULL);
    int destroy = line_of(log_text(s.err));
    ck_assert_int_gt(create, 0);
    ck_assert_int_gt(destroy, create);

    truncate_to_nothing(s.err);
    log_own(DOCA_LOG_LEVEL_ERROR, (struct log_place){"/home/client/docad/client/dma/dma.c", 7},
            "built anywhere");
    ck_assert_ptr_nonnull(strstr(log_text(s.err), "[client/dma/dma.c:7]: built anywhere"));

    // The line bears the place where the failure was understood, not where it was reported.
    struct doca_mmap *map;
    char memory[8];
    ck_assert_int_eq(doca_mmap_create(NULL, &map), DOCA_SUCCESS);
    ck_assert_int_eq(doca_mmap_set_memrange(map, memory, 8), DOCA_SUCCESS);
    truncate_to_nothing(s.err);
    ck_assert_int_ne(doca_mmap_set_memrange(map, memory, 8), DOCA_SUCCESS);
    int set_twice = line_of(log_text(s.err));
    truncate_to_nothing(s.err);
    ck_assert_int_ne(doca_mmap_set_dmabuf_memrange(map, 1, 0, 8), DOCA_SUCCESS);
    ck_assert_int_eq(line_of(log_text(s.err)), set_twice); // one function says so for both
    doca_mmap_destroy(map);
}
END_TEST

int main(void)
{
    TCase *tcase = tcase_create("log_own");
    const TTest *const tests[] = {equal_lines_are_written_once_and_counted,
                                  another_place_tells_the_count_when_the_time_is_over,
                                  lines_that_differ_are_limited_and_counted,
                                  what_is_told_once_is_not_counted,
                                  what_happens_again_is_counted_without_a_line,
                                  a_watcher_gets_lines_that_are_not_shown,
                                  four_may_watch,
                                  a_watcher_changes_nothing_for_backends,
                                  the_count_is_told_at_the_end,
                                  the_end_spares_what_is_the_programs,
                                  a_child_does_not_tell_its_parents_count,
                                  threads_lose_no_count,
                                  the_variable_beats_the_programs_level,
                                  the_variable_leaves_a_fixed_level_alone,
                                  a_wrong_variable_may_be_told_to_a_callback_that_fails,
                                  the_variable_opens_a_log_that_is_closed,
                                  without_the_variable_it_stays_closed,
                                  a_line_bears_the_place_in_the_source};
    for (size_t i = 0; i < sizeof(tests) / sizeof(tests[0]); i++)
        tcase_add_test(tcase, tests[i]);
    tcase_add_loop_test(tcase, the_variable_sets_the_level, 0,
                        sizeof(by_variable) / sizeof(by_variable[0]));
    return unit_run_case("log_own", tcase);
}
