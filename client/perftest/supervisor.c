// SPDX-License-Identifier: BSD-3-Clause
// Copyright (c) 2026, the docad authors

#include "supervisor.h"

#include "clock.h"
#include "copy_text.h"
#include "exporter.h"
#include "pidfd.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/signalfd.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

#define EXPORTER_END_MS 10000 // after its connection was closed

// ---- start and end -------------------------------------------------------------------------

static bool take_socket(struct private_node *node, const char *path, struct problem *problem)
{
    if (!path)
        return true;
    if (strlen(path) >= sizeof(node->socket))
        return problem_set(problem, "the path of socket '%s' is too long", path);
    copy_text(node->socket, path);
    return true;
}

bool supervisor_open(struct supervisor *sup, const struct options *options, struct problem *problem)
{
    sigset_t ours;

    *sup = (struct supervisor){.signals = -1,
                               .nodes[0].pidfd = -1,
                               .nodes[1].pidfd = -1,
                               .nodes[2].pidfd = -1,
                               .copies_over = options->copies_over,
                               .engine_cpu = -1};
    if (!take_socket(&sup->nodes[NODE_HOST], options->host_socket, problem) ||
        !take_socket(&sup->nodes[NODE_DPU], options->dpu_socket, problem))
        return false;
    sigemptyset(&ours);
    sigaddset(&ours, SIGINT);
    sigaddset(&ours, SIGTERM);
    sigaddset(&ours, SIGHUP);
    sigaddset(&ours, SIGQUIT);
    signal(SIGPIPE, SIG_IGN); // the reader of the table may end first
    sigprocmask(SIG_BLOCK, &ours, &sup->inherited);
    sup->signals = signalfd(-1, &ours, SFD_CLOEXEC | SFD_NONBLOCK);
    if (sup->signals < 0)
        return problem_set(problem, "signalfd: %s", strerror(errno));
    return true;
}

void supervisor_close(struct supervisor *sup)
{
    daemons_stop(sup);
    if (sup->signals < 0)
        return;
    close(sup->signals);
    sup->signals = -1;
    sigprocmask(SIG_SETMASK, &sup->inherited, NULL);
}

struct result *result_share(void)
{
    struct result *result =
        mmap(NULL, sizeof(*result), PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
    return result == MAP_FAILED ? NULL : result;
}

void result_unshare(struct result *result)
{
    if (result)
        munmap(result, sizeof(*result));
}

// ---- children --------------------------------------------------------------------------------

pid_t supervisor_fork(struct supervisor *sup, int end)
{
    pid_t parent = getpid();
    fflush(NULL);
    pid_t pid = fork();
    if (pid != 0)
        return pid;
    if (prctl(PR_SET_PDEATHSIG, end) < 0 || getppid() != parent)
        _exit(1);
    signal(SIGPIPE, SIG_DFL);
    sigprocmask(SIG_SETMASK, &sup->inherited, NULL);
    close(sup->signals);
    return 0;
}

static void take_signal(struct supervisor *sup)
{
    struct signalfd_siginfo info;
    if (read(sup->signals, &info, sizeof(info)) == sizeof(info) && !sup->caught)
        sup->caught = (int)info.ssi_signo;
}

bool supervisor_wait(struct supervisor *sup, int fd, int also, int timeout_ms)
{
    struct pollfd fds[] = {
        {.fd = fd, .events = POLLIN},
        {.fd = also, .events = POLLIN},
        {.fd = sup->caught ? -1 : sup->signals, .events = POLLIN},
    };
    int r;
    do {
        r = poll(fds, 3, timeout_ms);
    } while (r < 0 && errno == EINTR);
    if (fds[2].revents) {
        take_signal(sup);
        return false;
    }
    return r > 0;
}

int supervisor_reap(struct supervisor *sup, pid_t pid, int pidfd, int timeout_ms)
{
    int status = 0;
    if (pidfd < 0 || !supervisor_wait(sup, pidfd, -1, timeout_ms))
        kill(pid, SIGKILL);
    while (waitpid(pid, &status, 0) < 0 && errno == EINTR)
        ;
    return status;
}

// ---- the exporting and the measuring process -----------------------------------------------

static _Noreturn void be_exporter(struct supervisor *sup, int channel)
{
    setenv("DOCAD_SOCKET", sup->nodes[NODE_HOST].socket, 1);
    exit(exporter_serve(channel));
}

// A second thread would inherit the CPU affinity of this one: it gets another processor.
static bool pin(struct run *run)
{
    run->cpu = run->options->cpu[0];
    run->other_cpu = run->options->cpu[1];
    if (run->cpu < 0)
        return true;
    if (run->other_cpu < 0) {
        int other = cpu_nth(0) == run->cpu ? cpu_nth(1) : cpu_nth(0);
        run->other_cpu = other >= 0 ? other : run->cpu;
    }
    if (cpu_pin(run->other_cpu) && cpu_pin(run->cpu))
        return true;
    return problem_set(&run->result->problem, "--cpu: this process may not run on %d and %d",
                       run->cpu, run->other_cpu);
}

static _Noreturn void be_runner(struct supervisor *sup, enum node node, run_fn fn, struct run *run)
{
    if (sup->nodes[node].socket[0])
        setenv("DOCAD_SOCKET", sup->nodes[node].socket, 1);
    run->result->ok = pin(run) && fn(run);
    exit(run->result->ok ? 0 : 1);
}

// The measuring process has failed if it did not report success.
static void judge(struct supervisor *sup, int status, struct result *result)
{
    bool ended_well = WIFEXITED(status) && WEXITSTATUS(status) == 0;
    if (result->ok && ended_well)
        return;
    if (sup->caught)
        problem_set(&result->problem, "interrupted");
    else if (WIFSIGNALED(status))
        problem_set(&result->problem, "the measuring process ended with signal %d (%s)",
                    WTERMSIG(status), strsignal(WTERMSIG(status)));
    else if (!result->problem.s[0])
        problem_set(&result->problem, "the measuring process ended with status %d",
                    WEXITSTATUS(status));
    result->ok = false;
}

static bool start_exporter(struct supervisor *sup, struct run *run, int *ours)
{
    int channel[2];
    if (socketpair(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0, channel) < 0)
        return problem_set(&run->result->problem, "socketpair: %s", strerror(errno));
    run->exporter_pid = supervisor_fork(sup, SIGKILL);
    if (run->exporter_pid == 0) {
        close(channel[0]);
        be_exporter(sup, channel[1]);
    }
    close(channel[1]);
    *ours = channel[0];
    if (run->exporter_pid > 0)
        return true;
    run->exporter_pid = 0;
    close(channel[0]);
    *ours = -1;
    return problem_set(&run->result->problem, "fork: %s", strerror(errno));
}

static bool run_and_wait(struct supervisor *sup, enum node node, run_fn fn, struct run *run)
{
    pid_t pid = supervisor_fork(sup, SIGKILL);
    if (pid == 0)
        be_runner(sup, node, fn, run);
    if (run->exporter >= 0)
        close(run->exporter);
    if (pid < 0)
        return problem_set(&run->result->problem, "fork: %s", strerror(errno));
    int pidfd = pidfd_of(pid, 0);
    judge(sup, supervisor_reap(sup, pid, pidfd, -1), run->result);
    if (pidfd >= 0)
        close(pidfd);
    return run->result->ok;
}

bool supervisor_run(struct supervisor *sup, enum node node, bool with_exporter, run_fn fn,
                    struct run *run)
{
    *run->result = (struct result){0};
    run->host_socket = sup->nodes[NODE_HOST].socket;
    run->exporter = -1;
    run->exporter_pid = 0;
    run->daemon_pid = sup->nodes[with_exporter ? NODE_HOST : node].pid;
    if (with_exporter && !start_exporter(sup, run, &run->exporter))
        return false;
    bool ok = run_and_wait(sup, node, fn, run);
    if (run->exporter_pid) {
        int pidfd = pidfd_of(run->exporter_pid, 0);
        supervisor_reap(sup, run->exporter_pid, pidfd, EXPORTER_END_MS);
        if (pidfd >= 0)
            close(pidfd);
    }
    return ok;
}

bool supervisor_need(struct supervisor *sup, unsigned nodes, struct problem *problem)
{
    for (enum node node = NODE_HOST; node < N_NODES; node++)
        if ((nodes & (1u << node)) && !sup->nodes[node].socket[0] &&
            !daemons_start(sup, node, problem))
            return false;
    return true;
}
