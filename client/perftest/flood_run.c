// SPDX-License-Identifier: BSD-3-Clause
// Copyright (c) 2026, the docad authors

#include "flood_run.h"

#include "cleanup.h"
#include "clock.h"
#include "flood_session.h"

#include <errno.h>
#include <fcntl.h>
#include <grp.h>
#include <signal.h>
#include <string.h>
#include <sys/eventfd.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#define STRING_OF(x) #x
#define STRING(x)    STRING_OF(x)
#define GONE_MS      60000
#define GONE_STEP_US 5000
#define HOLDS_MS     300000 // a flood that holds much, with sanitizers

size_t flood_part(const struct flood_targets *at, size_t limit)
{
    size_t part = limit * at->fill / 100;
    return part > 0 ? part : 1;
}

void flood_holds(const struct flood_targets *at, uint64_t n)
{
    if (write(at->report, &n, sizeof(n)) != sizeof(n))
        _exit(1);
}

// ---- processes

static void raise_files(void)
{
    struct rlimit files;
    if (getrlimit(RLIMIT_NOFILE, &files) == 0) {
        files.rlim_cur = files.rlim_max;
        setrlimit(RLIMIT_NOFILE, &files);
    }
}

static bool become_attacker(void)
{
    if (setgroups(0, NULL) < 0 || setresgid(FLOOD_UID, FLOOD_UID, FLOOD_UID) < 0 ||
        setresuid(FLOOD_UID, FLOOD_UID, FLOOD_UID) < 0)
        return false;
    prctl(PR_SET_PDEATHSIG, SIGKILL); // lost with the change of user,
    prctl(PR_SET_DUMPABLE, 1);        // as is the right to open its own memory
    return true;
}

static pid_t start(struct supervisor *sup, flood_fn fn, bool attacks, struct flood_targets *at)
{
    pid_t pid = supervisor_fork(sup, SIGKILL);
    if (pid != 0)
        return pid;
    at->sup = sup;
    at->host = sup->nodes[NODE_HOST].socket;
    at->dpu = sup->nodes[NODE_DPU].socket;
    at->port = sup->port;
    raise_files();
    if (!attacks || become_attacker()) {
        // The figures are about how docad divides its time, not how the kernel divides CPUs.
        setpriority(PRIO_PROCESS, 0, 19);
        fn(at);
    }
    _exit(1);
}

static void stop(pid_t *pid)
{
    if (*pid <= 0)
        return;
    kill(*pid, SIGKILL);
    while (waitpid(*pid, NULL, 0) < 0 && errno == EINTR)
        ;
    *pid = 0;
}

// ---- earlier floods

// Returns whether docad lists a session of the attacker.
static bool lists_session(int sock)
{
    Docad__List m = DOCAD__LIST__INIT;
    m.kind = DOCAD__LIST__KIND__SESSIONS;
    for (bool more = true; more;) {
        cleanup_message Docad__Message *reply =
            flood_ask(sock, message_of(LIST, list, &m), NULL, 0, NULL);
        const Docad__ListReply *list = reply ? reply->list_reply : NULL;
        for (size_t i = 0; list && i < list->n_sessions; i++)
            if (list->sessions[i]->uid == FLOOD_UID)
                return true;
        more = list && list->more;
        m.after = list ? list->last : 0;
    }
    return false;
}

// docad ends the objects of a killed flood in pieces, and counts them for the user until then.
static bool wait_until_gone(const char *path, struct problem *problem)
{
    cleanup_fd int sock = flood_session(path, true, NULL);
    uint64_t until = clock_ns() + GONE_MS * 1000000ull;
    while (sock >= 0 && lists_session(sock)) {
        if (clock_ns() > until)
            return problem_set(problem, "uid " STRING(FLOOD_UID) " has sessions on %s; end them",
                               path);
        usleep(GONE_STEP_US);
    }
    return true;
}

// ---- the flood

static bool wait_until_held(struct flood_run *run, struct supervisor *sup, int report,
                            struct problem *problem)
{
    bool came = supervisor_wait(sup, report, -1, HOLDS_MS);
    if (came && read(report, &run->held, sizeof(run->held)) == sizeof(run->held))
        return true;
    if (sup->caught)
        return problem_set(problem, "interrupted");
    return problem_set(problem, "flood %s: %s", run->flood->name,
                       came
                           ? "docad does not let uid " STRING(FLOOD_UID) " connect, or have any of "
                                                                         "what the flood holds"
                           : "docad has not granted everything in time; use a smaller --fill");
}

static bool start_both(struct flood_run *run, struct supervisor *sup, int report[2],
                       struct flood_targets *at, struct problem *problem)
{
    const struct flood *flood = run->flood;
    at->report = report[1];
    run->pid = start(sup, flood->run, true, at);
    close_fdp(&report[1]); // reading ends when the flood does
    if (run->pid > 0 && flood->holds && !wait_until_held(run, sup, report[0], problem))
        return false;
    at->held = run->held;
    if (run->pid > 0 && flood->beside)
        run->beside = start(sup, flood->beside, !flood->beside_is_served, at);
    return (run->pid > 0 && run->beside >= 0) ||
           problem_set(problem, "flood %s: fork: %s", flood->name, strerror(errno));
}

bool flood_start(struct flood_run *run, struct supervisor *sup, const struct flood *flood,
                 unsigned fill, unsigned pause_us, struct problem *problem)
{
    int report[2];
    *run = (struct flood_run){.flood = flood, .refilled = eventfd(0, EFD_CLOEXEC)};
    if (!wait_until_gone(sup->nodes[NODE_HOST].socket, problem) ||
        !wait_until_gone(sup->nodes[NODE_DPU].socket, problem))
        return false;
    if (run->refilled < 0 || pipe2(report, O_CLOEXEC) < 0)
        return problem_set(problem, "flood %s: %s", flood->name, strerror(errno));
    struct flood_targets at = {.fill = fill, .pause_us = pause_us, .refilled = run->refilled};
    bool ok = start_both(run, sup, report, &at, problem);
    close_fdp(&report[0]);
    close_fdp(&report[1]);
    return ok;
}

static bool has_ended(pid_t pid)
{
    siginfo_t info = {0};
    return pid > 0 && waitid(P_PID, (id_t)pid, &info, WEXITED | WNOHANG | WNOWAIT) == 0 &&
           info.si_pid == pid;
}

bool flood_still_runs(const struct flood_run *run, struct problem *problem)
{
    if (!has_ended(run->pid) && !has_ended(run->beside))
        return true;
    return problem_set(problem, "flood %s ended before the measurement did", run->flood->name);
}

void flood_stop(struct flood_run *run)
{
    stop(&run->pid);
    stop(&run->beside);
    if (run->refilled >= 0)
        close(run->refilled);
    run->refilled = -1;
}
