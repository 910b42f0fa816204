// SPDX-License-Identifier: BSD-3-Clause
// Copyright (c) 2026, the docad authors

#include "env.h"

#include "child.h"
#include "cleanup.h"
#include "daemon.h"
#include "leaks.h"
#include "run.h"

#include <check.h>
#include <fcntl.h>
#include <signal.h>
#include <stdarg.h>
#include <stdbool.h>
#include <limits.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/stat.h>

static struct {
    char dir[64];  // the test's own
    char logs[72]; // below the run's directory, where run_suite() looks
    struct descriptors descriptors;
    char files[8192]; // of the whole case, when a test begins
} env;

static void make_dir(char *path, size_t size, const char *format, ...)
    __attribute__((format(printf, 3, 4)));

static void make_dir(char *path, size_t size, const char *format, ...)
{
    va_list args;
    va_start(args, format);
    int n = vsnprintf(path, size, format, args);
    va_end(args);
    ck_assert_int_lt(n, (int)size);
    ck_assert_msg(mkdir(path, 0755) == 0, "%s: %s", path, strerror(errno));
}

void env_setup(void)
{
    const char *run = getenv("DOCAD_TEST_DIR");
    ck_assert_msg(run != NULL, "main() of a test that uses the harness calls run_suite()");
    static unsigned before; // in this process: cases that share daemons, one after the other
    make_dir(env.logs, sizeof(env.logs), "%s/%d-%u", run, (int)getpid(), before++);
    make_dir(env.dir, sizeof(env.dir), "%s/tmp", env.logs);
    // Grandchildren whose parent has died become our children, so that they are noticed.
    prctl(PR_SET_CHILD_SUBREAPER, 1);
    descriptors_list(&env.descriptors);
}

static struct path below(const char *dir, const char *name)
{
    struct path path;
    int n = snprintf(path.s, sizeof(path.s), "%s/%s", dir, name);
    ck_assert_msg(n < (int)sizeof(path.s), "%s/%s is too long for a socket", dir, name);
    return path;
}

void env_note_test(void)
{
    static bool noted;
    const char *test = tcase_name();
    if (noted || !test || !test[0])
        return;
    noted = true;
    cleanup_file FILE *file = fopen(log_path("test").s, "we");
    if (file)
        fputs(test, file);
}

struct path temp_path(const char *name)
{
    return below(env.dir, name);
}

struct path log_path(const char *name)
{
    return below(env.logs, name);
}

struct path temp_file(const char *name, const char *content)
{
    struct path path = temp_path(name);
    cleanup_file FILE *file = fopen(path.s, "we");
    ck_assert_msg(file != NULL, "%s: %s", path.s, strerror(errno));
    ck_assert_int_ge(fputs(content, file), 0);
    return path;
}

void env_in_child(void)
{
    // Check catches these to end the run.
    signal(SIGTERM, SIG_DFL);
    signal(SIGINT, SIG_DFL);
    child_mark_nothing();
    child_close_all();
    daemon_close_all();
}

static char left[8192];

static void assert_no_program(void)
{
    bool running = child_running_any(left, sizeof(left));
    ck_assert_msg(!running, "the test ends while client processes run:%s", left);
    child_free_all();
}

static void assert_no_child(void)
{
    bool found = children_left(left, sizeof(left));
    ck_assert_msg(!found, "the test leaves children:%s", left);
}

static void assert_same_descriptors(void)
{
    struct descriptors now;
    descriptors_list(&now);
    bool found = descriptors_differ(&env.descriptors, &now, left, sizeof(left));
    ck_assert_msg(!found, "the test changes the descriptors of its process:%s", left);
}

static void stop_and_assert_nothing_left(void)
{
    assert_no_program();
    daemon_stop_all();

    helpers_await();
    assert_no_child();
    bool found = files_left(env.dir, left, sizeof(left));
    ck_assert_msg(!found, "the test leaves files:%s", left);
}

void env_teardown(void)
{
    stop_and_assert_nothing_left();
    assert_same_descriptors();
    remove_tree(env.logs);
}

// ---- tests that share daemons

// A file that is there while a test runs, and stays if the test does not come to its end.
static struct path unfinished(void)
{
    char name[32];
    snprintf(name, sizeof(name), "unfinished/%d", (int)getpid());
    return log_path(name);
}

void env_enter(void)
{
    prctl(PR_SET_CHILD_SUBREAPER, 1);
    (void)mkdir(log_path("unfinished").s, 0755); // the first test
    cleanup_fd int file = open(unfinished().s, O_WRONLY | O_CREAT | O_CLOEXEC, 0644);
    ck_assert_msg(file >= 0, "%s: %s", unfinished().s, strerror(errno));
    close_fdp(&file);
    files_left(env.dir, env.files, sizeof(env.files));
    descriptors_list(&env.descriptors);
}

void env_leave(void)
{
    assert_no_program();
    assert_no_child();
    (void)files_left(env.dir, left, sizeof(left));
    ck_assert_msg(strcmp(left, env.files) == 0, "the test leaves files:%s; before:%s", left,
                  env.files);
    assert_same_descriptors();
    unlink(unfinished().s);
}

void env_teardown_shared(void)
{
    struct descriptors now;
    if (files_left(log_path("unfinished").s, left, sizeof(left))) {
        daemon_stop_all(); // what the test left is another matter: it has failed
        return;
    }
    stop_and_assert_nothing_left();
    descriptors_list(&now); // one of them is a file of Check's, another one than before
    ck_assert_uint_eq(now.count, env.descriptors.count);
    remove_tree(env.logs);
}
