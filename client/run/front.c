// SPDX-License-Identifier: BSD-3-Clause
// Copyright (c) 2026, the docad authors

#include "front.h"

#include "cleanup.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/signalfd.h>
#include <sys/wait.h>
#include <unistd.h>

static const int passed[] = {SIGINT, SIGTERM, SIGHUP, SIGQUIT, SIGUSR1, SIGUSR2};

bool front_is_for_programs(int number)
{
    return number == SIGUSR1 || number == SIGUSR2;
}

// Blocks what ends docad-run, and SIGCHLD. A signal that docad-run was started to ignore (nohup)
// stays ignored.
static void block(sigset_t *ours, sigset_t *inherited)
{
    sigemptyset(ours);
    sigaddset(ours, SIGCHLD);
    for (size_t i = 0; i < ARRAY_SIZE(passed); i++) {
        struct sigaction action;
        if (sigaction(passed[i], NULL, &action) == 0 && action.sa_handler != SIG_IGN)
            sigaddset(ours, passed[i]);
    }
    signal(SIGCHLD, SIG_DFL); // if it is ignored, waitpid() does not work
    sigprocmask(SIG_BLOCK, ours, inherited);
}

static _Noreturn void run_second(front_fn fn, void *arg, const sigset_t *ours, struct front *front)
{
    setsid();
    prctl(PR_SET_CHILD_SUBREAPER, 1); // processes that programs leave behind become its children
    front->signals = signalfd(-1, ours, SFD_CLOEXEC | SFD_NONBLOCK);
    if (front->signals < 0) {
        perror("docad-run: signalfd");
        exit(1);
    }
    exit(fn(front, arg));
}

static int wait_for(pid_t pid, const sigset_t *ours)
{
    int status;
    for (;;) {
        int number = sigwaitinfo(ours, NULL);
        if (number == SIGCHLD && waitpid(pid, &status, WNOHANG) == pid)
            return status;
        if (number > 0 && number != SIGCHLD)
            kill(pid, number);
    }
}

static bool is_one_of(pid_t pid, const pid_t *list, size_t count)
{
    for (size_t i = 0; i < count; i++)
        if (list[i] == pid)
            return true;
    return false;
}

// Recognizes it by the name that libdocad-workbench sets. Another process of that name gets some
// time, too.
static bool is_writer(pid_t pid)
{
    char path[64], name[32];
    snprintf(path, sizeof(path), "/proc/%d/comm", (int)pid);
    cleanup_file FILE *comm = fopen(path, "re");
    return comm && fgets(name, sizeof(name), comm) && strcmp(name, "docad-trace\n") == 0;
}

struct front_left front_kill_children(const pid_t *keep, size_t count, bool also_writers)
{
    char path[64];
    snprintf(path, sizeof(path), "/proc/self/task/%d/children", (int)getpid());
    cleanup_file FILE *children = fopen(path, "re");
    struct front_left left = {false, false};
    int pid;
    while (children && fscanf(children, "%d", &pid) == 1) {
        if (is_one_of(pid, keep, count))
            continue;
        if (!also_writers && is_writer(pid))
            left.writers = true;
        else
            left.killed |= kill(pid, SIGKILL) == 0; // fails if it has become another user
    }
    return left;
}

int front_run(front_fn fn, void *arg, int *killed)
{
    struct front front;
    sigset_t ours;
    int line[2];
    if (pipe2(line, O_CLOEXEC) < 0)
        return -1;
    block(&ours, &front.inherited);
    prctl(PR_SET_CHILD_SUBREAPER, 1);
    fflush(NULL);
    pid_t pid = fork();
    if (pid == 0) {
        close(line[1]);
        front.lifeline = line[0];
        run_second(fn, arg, &ours, &front);
    }
    close(line[0]);
    int status = pid > 0 ? wait_for(pid, &ours) : -1;
    close_fdp(&line[1]);
    sigprocmask(SIG_SETMASK, &front.inherited, NULL);
    if (pid < 0)
        return -1;
    *killed = WIFSIGNALED(status) ? WTERMSIG(status) : 0;
    // Its children have become those of this process.
    while (*killed && front_kill_children(NULL, 0, true).killed)
        waitpid(-1, NULL, 0);
    return *killed ? 128 + *killed : WEXITSTATUS(status);
}
