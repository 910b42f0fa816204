// SPDX-License-Identifier: BSD-3-Clause
// Copyright (c) 2026, the docad authors

#include "child.h"

#include "cleanup.h"
#include "deadline.h"
#include "leaks.h"
#include "marks.h"
#include "pidfd.h"

#include <check.h>
#include <poll.h>
#include <signal.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/socket.h>
#include <sys/wait.h>

#define CHANNEL_MAX   4096
#define LEAK_LIMIT_MS 5000

static struct child *children;

// ---- in the child ----------------------------------------------------------------

static void run_child(struct child *self, child_fn fn, void *arg)
{
    struct descriptors before, after;
    char text[4096];
    descriptors_list(&before);
    int status = fn(self, arg);
    // A thread of the library may be about to close the last ones.
    int64_t deadline = deadline_in(self->leak_limit_ms);
    bool differ;
    do {
        descriptors_list(&after);
        differ = status == 0 && !self->may_leave_open &&
                 descriptors_differ(&before, &after, text, sizeof(text));
    } while (differ && deadline_pause(deadline));
    if (differ)
        ck_abort_msg("client process %s changes its descriptors:%s", self->name, text);
    close_fdp(&self->channel);
    free(self);
    exit(status); // not _exit(): destructors and the leak checker must run
}

static void enter_child(struct child *self, const struct daemon *daemon, pid_t parent, int channel)
{
    prctl(PR_SET_PDEATHSIG, SIGKILL);
    if (getppid() != parent)
        _exit(EXIT_FAILURE);
    if (daemon)
        setenv("DOCAD_SOCKET", daemon->socket.s, 1);
    self->channel = channel;
    env_in_child();
}

// ---- start and end ---------------------------------------------------------------

struct child *child_start(const struct daemon *daemon, const char *name, child_fn fn, void *arg)
{
    struct child *child = calloc(1, sizeof(*child));
    ck_assert_ptr_nonnull(child);
    child->name = name;
    child->pidfd = -1;
    child->leak_limit_ms = LEAK_LIMIT_MS;
    env_note_test();
    int ends[2];
    ck_assert_int_eq(socketpair(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0, ends), 0);
    pid_t parent = getpid();
    fflush(NULL); // buffered output must be printed only once
    pid_t pid = fork();
    ck_assert_int_ge(pid, 0);
    if (pid == 0) {
        close(ends[0]);
        enter_child(child, daemon, parent, ends[1]);
        run_child(child, fn, arg);
    }
    close(ends[1]);
    child->channel = ends[0];
    child->pid = pid;
    child->pidfd = pidfd_of(pid, 0);
    ck_assert_int_ge(child->pidfd, 0);
    child->next = children;
    children = child;
    return child;
}

// Check records each assertion that holds in a file that all processes of a test share. A child
// that is killed meanwhile may leave half a record, and Check cannot read what follows.
void child_mark_nothing(void)
{
    marks_stop();
}

int child_status(struct child *child)
{
    int status;
    ck_assert_msg(child->pid != 0, "client process %s was waited for before", child->name);
    struct pollfd p = {.fd = child->pidfd, .events = POLLIN};
    if (poll(&p, 1, HARNESS_LIMIT_MS) != 1) {
        kill(child->pid, SIGKILL);
        ck_abort_msg("client process %s does not end", child->name);
    }
    ck_assert_int_eq(waitpid(child->pid, &status, 0), child->pid);
    child->pid = 0;
    close_fdp(&child->pidfd);
    close_fdp(&child->channel);
    return status;
}

// A child in which ck_assert failed has passed its message to Check and exited with 1. End
// without another message, which would replace that one.
static void pass_on_failure(int status)
{
    if (WIFEXITED(status) && WEXITSTATUS(status) == 1)
        _exit(1);
}

void child_join(struct child *child)
{
    int status = child_status(child);
    pass_on_failure(status);
    if (WIFSIGNALED(status))
        ck_abort_msg("client process %s was killed by signal %d", child->name, WTERMSIG(status));
    ck_assert_msg(WEXITSTATUS(status) == 0, "client process %s exited with %d", child->name,
                  WEXITSTATUS(status));
}

void child_kill(struct child *child)
{
    ck_assert_msg(child->pid != 0, "client process %s was waited for before", child->name);
    kill(child->pid, SIGKILL);
    int status = child_status(child);
    ck_assert_msg(WIFSIGNALED(status), "client process %s exited with %d before it was killed",
                  child->name, WEXITSTATUS(status));
}

bool child_running_any(char *text, size_t size)
{
    text[0] = '\0';
    for (struct child *child = children; child; child = child->next)
        if (child->pid)
            snprintf(text + strlen(text), size - strlen(text), " %s", child->name);
    return text[0] != '\0';
}

void child_free_all(void)
{
    while (children) {
        struct child *child = children;
        children = child->next;
        close_fdp(&child->pidfd);
        close_fdp(&child->channel);
        free(child);
    }
}

void child_close_all(void)
{
    for (struct child *child = children; child; child = child->next) {
        child->pid = 0;
        close_fdp(&child->pidfd);
        close_fdp(&child->channel);
    }
}

// ---- taking turns ------------------------------------------------------------------

void child_send(struct child *child, const void *data, size_t size)
{
    ck_assert_uint_le(size, CHANNEL_MAX);
    ssize_t n = send(child->channel, data, size, MSG_NOSIGNAL);
    ck_assert_msg(n == (ssize_t)size, "to client process %s: %s", child->name, strerror(errno));
}

size_t child_receive(struct child *child, void *data, size_t size)
{
    struct pollfd p = {.fd = child->channel, .events = POLLIN};
    ck_assert_msg(poll(&p, 1, HARNESS_LIMIT_MS) == 1, "client process %s is silent", child->name);
    ssize_t n = recv(child->channel, data, size, MSG_TRUNC);
    if (n > 0) {
        ck_assert_msg((size_t)n <= size, "client process %s sends more than expected", child->name);
        return (size_t)n;
    }
    if (child->pid)
        child_join(child); // tells how it ended
    ck_abort_msg("client process %s: the other side has ended", child->name);
}

void child_tell(struct child *child, const char *word)
{
    child_send(child, word, strlen(word) + 1);
}

bool child_hears(const struct child *child)
{
    struct pollfd fd = {.fd = child->channel, .events = POLLIN};
    return poll(&fd, 1, 0) > 0;
}

void child_wait(struct child *child, const char *word)
{
    char got[CHANNEL_MAX + 1];
    size_t n = child_receive(child, got, CHANNEL_MAX);
    got[n] = '\0';
    ck_assert_str_eq(got, word);
}
