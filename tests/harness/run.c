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

// The limit for one test function; only broken code reaches it. tcase_create() reads it.
__attribute__((constructor)) static void set_time_limit(void)
{
    setenv("CK_DEFAULT_TIMEOUT", "100", 0);
}

int run_suite(Suite *suite)
{
    char dir[PATH_MAX];
    const char *tmp = getenv("TMPDIR");
    snprintf(dir, sizeof(dir), "%s/docad-test.XXXXXX", tmp ? tmp : "/tmp");
    if (!mkdtemp(dir)) {
        perror(dir);
        return EXIT_FAILURE;
    }
    setenv("DOCAD_TEST_DIR", dir, 1);

    SRunner *runner = srunner_create(suite);
    srunner_run_all(runner, CK_NORMAL);
    int failed = srunner_ntests_failed(runner);
    srunner_free(runner);

    if (failed)
        nftw(dir, show, 8, FTW_PHYS);
    if (failed && getenv("DOCAD_TEST_KEEP"))
        printf("---- kept: %s\n", dir);
    else
        remove_tree(dir);
    return failed ? EXIT_FAILURE : EXIT_SUCCESS;
}
