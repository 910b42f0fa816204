// SPDX-License-Identifier: BSD-3-Clause
// Copyright (c) 2026, the docad authors
//
// A test that passes removes its directory itself. A directory that still exists after the run
// belongs to a test that failed, perhaps by crashing: its logs are shown here, by the process
// that survives every test.

#include "run.h"

#include "cleanup.h"

#include <ftw.h>
#include <limits.h>
#include <stdarg.h>
#include <string.h>
#include <sys/stat.h>

static void print_file(const char *path)
{
    cleanup_file FILE *file = fopen(path, "re");
    if (!file)
        return;
    char test[128] = "?", marker[PATH_MAX];
    snprintf(marker, sizeof(marker), "%.*s/test", (int)(strrchr(path, '/') - path), path);
    cleanup_file FILE *name = fopen(marker, "re");
    if (name && !fgets(test, sizeof(test), name))
        test[0] = '\0';
    printf("---- %s: %s\n", test, path);
    char line[1024];
    while (fgets(line, sizeof(line), file))
        fputs(line, stdout);
}

static int show(const char *path, const struct stat *st, int kind, struct FTW *ftw)
{
    (void)ftw;
    const char *dot = strrchr(path, '.');
    if (kind == FTW_F && st->st_size > 0 && dot && strcmp(dot, ".log") == 0)
        print_file(path);
    return 0;
}

static int remove_one(const char *path, const struct stat *st, int kind, struct FTW *ftw)
{
    (void)st;
    (void)kind;
    (void)ftw;
    return remove(path);
}

void remove_tree(const char *path)
{
    nftw(path, remove_one, 8, FTW_PHYS | FTW_DEPTH);
}

// ---- failures outside of tests

// Check ends without a word if an assertion fails in the process that runs the tests, that is, in
// the setup or the teardown of daemons that a whole case shares.
static struct {
    pid_t pid;
    char dir[PATH_MAX];
} runner;

void __real__ck_assert_failed(const char *file, int line, const char *expr, const char *msg, ...);
void __wrap__ck_assert_failed(const char *file, int line, const char *expr, const char *msg, ...)
    __attribute__((format(printf, 4, 5)));

void __wrap__ck_assert_failed(const char *file, int line, const char *expr, const char *msg, ...)
{
    char text[8192] = "";
    va_list args;
    va_start(args, msg);
    if (msg)
        vsnprintf(text, sizeof(text), msg, args);
    va_end(args);
    if (getpid() != runner.pid)
        __real__ck_assert_failed(file, line, expr, msg ? "%s" : NULL, text);
    printf("%s:%d: outside of the tests: %s\n", file, line, msg ? text : expr);
    nftw(runner.dir, show, 8, FTW_PHYS);
    remove_tree(runner.dir);
    fflush(stdout);
    _exit(EXIT_FAILURE);
}

// The limit for one test function; only broken code reaches it. tcase_create() reads it.
__attribute__((constructor)) static void set_time_limit(void)
{
    setenv("CK_DEFAULT_TIMEOUT", "100", 0);
}

int run_suite(Suite *suite)
{
    char *dir = runner.dir;
    const char *tmp = getenv("TMPDIR");
    snprintf(dir, sizeof(runner.dir), "%s/docad-test.XXXXXX", tmp ? tmp : "/tmp");
    runner.pid = getpid();
    if (!mkdtemp(dir)) {
        perror(dir);
        return EXIT_FAILURE;
    }
    setenv("DOCAD_TEST_DIR", dir, 1);

    SRunner *run = srunner_create(suite);
    srunner_run_all(run, CK_NORMAL);
    int failed = srunner_ntests_failed(run);
    srunner_free(run);

    if (failed)
        nftw(dir, show, 8, FTW_PHYS);
    if (failed && getenv("DOCAD_TEST_KEEP"))
        printf("---- kept: %s\n", dir);
    else
        remove_tree(dir);
    return failed ? EXIT_FAILURE : EXIT_SUCCESS;
}
