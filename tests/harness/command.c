// SPDX-License-Identifier: BSD-3-Clause
// Copyright (c) 2026, the docad authors
//
// Runs programs to their end.

#include "child.h"

#include "cleanup.h"
#include "deadline.h"

#include <check.h>
#include <fcntl.h>
#include <limits.h>
#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/wait.h>

static void become_command(const struct daemon *daemon, const char *const argv[], pid_t parent,
                           const int out[2], const int err[2])
{
    prctl(PR_SET_PDEATHSIG, SIGKILL);
    if (getppid() != parent)
        _exit(EXIT_FAILURE);
    int in = open("/dev/null", O_RDONLY | O_CLOEXEC);
    if (dup2(in, 0) < 0 || dup2(out[1], 1) < 0 || dup2(err[1], 2) < 0)
        _exit(EXIT_FAILURE);
    if (daemon)
        setenv("DOCAD_SOCKET", daemon->socket.s, 1);
    char path[PATH_MAX];
    snprintf(path, sizeof(path), "%s%s", strchr(argv[0], '/') ? "" : DOCAD_BIN_DIR "/", argv[0]);
    execv(path, (char *const *)argv);
    perror(path);
    _exit(127);
}

struct capture {
    char *text;
    size_t used, size;
};

// Reads the available bytes. False at the end of the stream.
static bool capture_some(struct capture *c, int fd)
{
    char buf[4096];
    ssize_t n = read(fd, buf, sizeof(buf));
    if (n <= 0)
        return false;
    size_t room = c->size - 1 - c->used;
    size_t take = (size_t)n < room ? (size_t)n : room; // the rest is discarded
    memcpy(c->text + c->used, buf, take);
    c->used += take;
    c->text[c->used] = '\0';
    return true;
}

// Commands may take long: a benchmark of everything, under a sanitizer.
#define COMMAND_LIMIT_MS (8 * HARNESS_LIMIT_MS)

static void capture_both(int out, int err, struct command_result *result, const char *name)
{
    struct capture c[] = {{.text = result->out, .size = sizeof(result->out)},
                          {.text = result->err, .size = sizeof(result->err)}};
    struct pollfd p[] = {{.fd = out, .events = POLLIN}, {.fd = err, .events = POLLIN}};
    int64_t deadline = deadline_in(COMMAND_LIMIT_MS);
    while (p[0].fd >= 0 || p[1].fd >= 0) {
        ck_assert_msg(poll(p, 2, deadline_left(deadline)) > 0, "%s does not end", name);
        for (size_t i = 0; i < 2; i++)
            if (p[i].revents && !capture_some(&c[i], p[i].fd))
                p[i].fd = -1;
    }
}

void command_run(const struct daemon *daemon, const char *const argv[],
                 struct command_result *result)
{
    int out[2], err[2], status;
    result->out[0] = result->err[0] = '\0';
    ck_assert_int_eq(pipe2(out, O_CLOEXEC), 0);
    ck_assert_int_eq(pipe2(err, O_CLOEXEC), 0);
    pid_t parent = getpid();
    fflush(NULL);
    pid_t pid = fork();
    ck_assert_int_ge(pid, 0);
    if (pid == 0)
        become_command(daemon, argv, parent, out, err);
    close(out[1]);
    close(err[1]);
    capture_both(out[0], err[0], result, argv[0]);
    close(out[0]);
    close(err[0]);
    ck_assert_int_eq(waitpid(pid, &status, 0), pid);
    result->status = WIFSIGNALED(status) ? 128 + WTERMSIG(status) : WEXITSTATUS(status);
}

void revoke_all_of(const struct daemon *daemon, const struct child *owner)
{
    static struct command_result result;
    char pid[16];

    snprintf(pid, sizeof(pid), "%d", (int)owner->pid);
    command_run(daemon, (const char *const[]){"docactl", "exports", "revoke", "--pid", pid, NULL},
                &result);
    ck_assert_msg(result.status == 0, "status %d: %s", result.status, result.err);
}
