// SPDX-License-Identifier: BSD-3-Clause
// Copyright (c) 2026, the docad authors

#include "example_run.h"

#include "cleanup.h"
#include "deadline.h"

#include <check.h>
#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

struct command_result result;

#define ARGUMENTS_MAX 32

// Puts docad-run in front of an example if it is to be checked. Returns the arguments to run.
static const char *const *checked(const char *const argv[], const char *room[ARGUMENTS_MAX])
{
    static const char *const run[] = {DOCAD_BIN_DIR "/docad-run", "--check=fatal", "--"};
    static char path[512];
    size_t n = ARRAY_SIZE(run), count = 0;
    if (!getenv("DOCAD_TEST_CHECKED") || strchr(argv[0], '/') || strcmp(argv[0], "docactl") == 0)
        return argv;
    snprintf(path, sizeof(path), "%s/%s", DOCAD_BIN_DIR, argv[0]);
    memcpy(room, run, sizeof(run));
    room[n++] = path;
    while (argv[++count]) {
        ck_assert_uint_lt(n, ARGUMENTS_MAX - 1);
        room[n++] = argv[count];
    }
    room[n] = NULL;
    return room;
}

void run_example_well(const struct daemon *daemon, const char *const argv[])
{
    const char *room[ARGUMENTS_MAX];
    command_run(daemon, checked(argv, room), &result);
    ck_assert_msg(result.status == 0, "status %d: %s%s", result.status, result.out, result.err);
}

struct path make_file(size_t size)
{
    struct path path = temp_path("original");
    cleanup_file FILE *file = fopen(path.s, "we");
    ck_assert_msg(file != NULL, "%s", path.s);
    uint32_t state = 1;
    for (size_t i = 0; i < size; i++) {
        state = state * 1664525 + 1013904223;
        putc_unlocked((int)(state >> 24), file);
    }
    ck_assert(!ferror(file));
    return path;
}

void assert_same(const char *a, const char *b)
{
    RUN_OK(NULL, "/usr/bin/cmp", a, b);
}

void flip_byte(const struct path *path, long at)
{
    cleanup_file FILE *file = fopen(path->s, "r+e");
    ck_assert(file && fseek(file, at, SEEK_SET) == 0);
    int byte = getc(file);
    ck_assert(fseek(file, at, SEEK_SET) == 0 && putc(byte ^ 1, file) != EOF);
}

int become(struct child *self, void *arg)
{
    const char *room[ARGUMENTS_MAX];
    const char *const *argv = checked(arg, room);
    char path[512];
    (void)self;
    struct path log = log_path("program.log");
    int fd = open(log.s, O_WRONLY | O_CREAT | O_APPEND | O_CLOEXEC, 0600);
    ck_assert_int_ge(fd, 0);
    dup2(fd, STDOUT_FILENO);
    dup2(fd, STDERR_FILENO);
    snprintf(path, sizeof(path), "%s%s", strchr(argv[0], '/') ? "" : DOCAD_BIN_DIR "/", argv[0]);
    execv(path, (char *const *)argv);
    ck_abort_msg("%s: %s", path, strerror(errno));
}

bool log_has(const char *text)
{
    struct path log = log_path("program.log");
    cleanup_file FILE *file = fopen(log.s, "re");
    char line[1024];
    while (file && fgets(line, sizeof(line), file)) {
        if (strstr(line, text))
            return true;
    }
    return false;
}

void wait_for_log(const char *text)
{
    int64_t deadline = deadline_in(HARNESS_LIMIT_MS);
    while (!log_has(text))
        ck_assert_msg(deadline_pause(deadline), "the program never says '%s'", text);
}
