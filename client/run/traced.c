// SPDX-License-Identifier: BSD-3-Clause
// Copyright (c) 2026, the docad authors

#include "traced.h"

#include "faulted.h"
#include "fault_shared.h"

#include "cleanup.h"
#include "report.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#define LIBRARY "libdocad-workbench.so"

static struct {
    volatile pid_t pid;  // 0: not started, or it has ended
    volatile bool ended; // with this status
    int status;          // of waitpid()
    bool has_group;      // of its own
} child;

void traced_init(struct traced *traced)
{
    traced->trace = getenv("DOCAD_TRACE");
    traced->summary = getenv("DOCAD_SUMMARY");
    traced->format = getenv("DOCAD_TRACE_FORMAT");
    traced->check = getenv("DOCAD_CHECK");
    traced->polls = getenv("DOCAD_CHECK_POLLS");
    traced->faults = getenv(FAULTS_VARIABLE);
    traced->node_faults = traced->faults ? faulted_of_nodes(traced->faults) : NULL;
}

bool traced_option(struct traced *traced, int letter, const char *value)
{
    switch (letter) {
    case TRACED_TRACE:
        traced->named = true;
        traced->trace = value ? value : "";
        return true;
    case TRACED_SUMMARY:
        traced->named = true;
        traced->summary = value ? value : "";
        return true;
    case TRACED_FORMAT:
        traced->format = value;
        return strcmp(value, "text") == 0 || strcmp(value, "json") == 0;
    case TRACED_CHECK:
        traced->check = value;
        return strcmp(value, "rules") == 0 || strcmp(value, "fatal") == 0;
    case TRACED_POLLS:
        traced->polls = value;
        return strspn(value, "0123456789") == strlen(value) && strtoull(value, NULL, 10) > 0;
    case TRACED_REPORT:
        traced->report = value;
        return true;
    case TRACED_FAULTS:
        traced->sweep = strcmp(value, "sweep") == 0;
        traced->has_faults = true;
        traced->faults = traced->sweep ? NULL : faulted_read(value, &traced->node_faults);
        return true;
    default:
        return false;
    }
}

bool traced_is_wanted(const struct traced *traced)
{
    return traced->trace || traced->summary || traced->check || traced->faults || traced->sweep ||
           traced->report;
}

// The library is where the runtime directories are. The caller frees the path.
static char *find_library(const char *beside)
{
    static const char *const places[] = {".", "../" DOCAD_LIBDIR "/docad", "../lib/docad"};
    for (size_t i = 0; i < ARRAY_SIZE(places); i++) {
        cleanup_free char *path = NULL;
        if (asprintf(&path, "%s/%s/" LIBRARY, beside, places[i]) > 0 && access(path, R_OK) == 0)
            return realpath(path, NULL);
    }
    return NULL;
}

static bool set(const char *name, const char *value)
{
    return value ? setenv(name, value, 1) == 0 : unsetenv(name) == 0;
}

static bool set_environment(const struct traced *traced, const char *library, int done)
{
    cleanup_free char *preload = NULL;
    char path[64];
    const char *old = getenv("LD_PRELOAD");
    if (traced->shared && !set(FAULTS_SHARED_VARIABLE, traced->shared))
        return false;
    snprintf(path, sizeof(path), "/proc/%d/fd/%d", (int)getpid(), done);
    return asprintf(&preload, "%s%s%s", library, old && *old ? ":" : "", old ? old : "") > 0 &&
           set("LD_PRELOAD", preload) && set("DOCAD_TRACE", traced->trace) &&
           set(FAULTS_VARIABLE, traced->faults) && set("DOCAD_SUMMARY", traced->summary) &&
           set("DOCAD_TRACE_FORMAT", traced->format) && set("DOCAD_CHECK", traced->check) &&
           set("DOCAD_CHECK_POLLS", traced->polls) &&
           (!traced->card || set("DOCAD_CHECK_CARD", traced->card)) &&
           set("DOCAD_CHECK_FILE", traced->rules) && set("DOCAD_TRACE_SIDE", traced->side) &&
           set("DOCAD_TRACE_ORIGIN", traced->origin) && set("DOCAD_TRACE_LOG", traced->log) &&
           set("DOCAD_TRACE_DONE", path);
}

// Ends as the program did, without a second core file. Called in a signal handler, too.
__attribute__((noreturn)) static void end_as(int status)
{
    if (WIFSIGNALED(status)) {
        const struct rlimit none = {0};
        sigset_t set;
        setrlimit(RLIMIT_CORE, &none);
        signal(WTERMSIG(status), SIG_DFL);
        sigemptyset(&set);
        sigaddset(&set, WTERMSIG(status));
        sigprocmask(SIG_UNBLOCK, &set, NULL);
        raise(WTERMSIG(status));
        _exit(128 + WTERMSIG(status));
    }
    _exit(WEXITSTATUS(status));
}

// ---- signals

static const struct {
    int number;
    bool ends; // the wait for the writer
} passed[] = {
    {SIGINT, true},   {SIGQUIT, true},  {SIGTERM, true},  {SIGHUP, true},
    {SIGUSR1, false}, {SIGUSR2, false}, {SIGALRM, false}, {SIGCONT, false},
};
static struct sigaction inherited[ARRAY_SIZE(passed)];

static void pass_on(int number)
{
    kill(child.has_group ? -child.pid : child.pid, number);
}

// After a signal that may end it SIGCONT could meet the program at its end, and undo the stop for
// which LeakSanitizer waits there. So one that has come is passed on before, and none after.
static void pass_on_in_order(int number, bool ends)
{
    static bool may_end;
    sigset_t pending;
    if (number == SIGCONT && may_end)
        return;
    sigpending(&pending);
    if (ends && !may_end && sigismember(&pending, SIGCONT))
        pass_on(SIGCONT);
    may_end |= ends;
    pass_on(number);
}

static void on_signal(int number, siginfo_t *info, void *context)
{
    int saved = errno;
    bool ends = false;
    (void)context;
    for (size_t i = 0; i < ARRAY_SIZE(passed); i++)
        ends |= passed[i].number == number && passed[i].ends;
    if (child.ended && ends)
        end_as(child.status);
    // The terminal sends its signals to the program, too.
    bool is_of_terminal = info->si_code == SI_KERNEL && number != SIGALRM;
    if (child.pid > 0 && (child.has_group || !is_of_terminal))
        pass_on_in_order(number, ends);
    errno = saved;
}

// Adds the signals that are handled to `handled`. What docad-run was started to ignore (nohup)
// stays ignored.
static void handle_signals(sigset_t *handled)
{
    struct sigaction action = {.sa_sigaction = on_signal, .sa_flags = SA_RESTART | SA_SIGINFO};
    sigfillset(&action.sa_mask);
    sigemptyset(handled);
    for (size_t i = 0; i < ARRAY_SIZE(passed); i++) {
        sigaction(passed[i].number, NULL, &inherited[i]);
        if (inherited[i].sa_handler == SIG_IGN)
            continue;
        sigaction(passed[i].number, &action, NULL);
        sigaddset(handled, passed[i].number);
    }
}

static bool has_terminal(void)
{
    cleanup_fd int fd = open("/dev/tty", O_RDONLY | O_NOCTTY | O_CLOEXEC);
    return fd >= 0 || errno != ENXIO;
}

// ---- the program

static _Noreturn void become_program(const char *program, char **arguments, pid_t parent,
                                     const sigset_t *mask)
{
    prctl(PR_SET_PDEATHSIG, SIGKILL); // SIGKILL for docad-run also ends the program
    if (getppid() != parent)
        _exit(1);
    if (child.has_group)
        setpgid(0, 0);
    for (size_t i = 0; i < ARRAY_SIZE(passed); i++)
        sigaction(passed[i].number, &inherited[i], NULL);
    sigprocmask(SIG_SETMASK, mask, NULL);
    execv(program, arguments);
    fprintf(stderr, "docad-run: %s: %s\n", program, strerror(errno));
    _exit(errno == ENOENT ? 127 : 126);
}

// Starts the program in a process of its own. It has a process group of its own, too, so that a
// signal for the group reaches it once; but not on a terminal, which would stop it when it reads.
static void start_program(const char *program, char **arguments)
{
    const struct sigaction plain = {.sa_handler = SIG_DFL};
    sigset_t all, before, handled;
    pid_t parent = getpid();
    fflush(NULL);
    sigfillset(&all);
    sigprocmask(SIG_BLOCK, &all, &before);
    handle_signals(&handled);
    child.has_group = !has_terminal();
    child.pid = fork();
    if (child.pid == 0)
        become_program(program, arguments, parent, &before);
    if (child.pid > 0 && child.has_group)
        setpgid(child.pid, child.pid); // whichever of the two is first
    sigaction(SIGCHLD, &plain, NULL);  // if it is ignored, there is no status
    sigprocmask(SIG_SETMASK, &before, NULL);
    sigprocmask(SIG_UNBLOCK, &handled, NULL);
}

// Its number may be another process's as soon as it has been waited for.
static void await_program(void)
{
    siginfo_t info;
    sigset_t all, before;
    while (waitid(P_PID, (id_t)child.pid, &info, WEXITED | WNOWAIT) < 0 && errno == EINTR)
        ;
    sigfillset(&all);
    sigprocmask(SIG_BLOCK, &all, &before);
    waitpid(child.pid, &child.status, 0);
    child.pid = 0;
    child.ended = true;
    sigprocmask(SIG_SETMASK, &before, NULL);
}

// The end of a program that runs alone.
static void write_report(const char *path, const struct report_side *side)
{
    int r = path ? report_write(path, side, 1) : 0;
    if (r < 0)
        fprintf(stderr, "docad-run: cannot write the report %s: %s\n", path, strerror(-r));
}

const char *traced_run(const struct traced *wanted, const char *beside, const char *program,
                       char **arguments)
{
    struct traced all = *wanted, *traced = &all;
    struct report_side side;
    int done[2];
    uint8_t error;
    ssize_t n;
    int r = wanted->report ? report_begin(&side, "", traced) : 0;
    if (r < 0)
        return strerror(-r);
    cleanup_free char *library = find_library(beside);
    if (!library)
        return LIBRARY " is not where docad is installed";
    if (strpbrk(library, ": "))
        return "the loader cannot name " LIBRARY ": its path has a space or a colon";
    if (pipe2(done, O_CLOEXEC) != 0 || !set_environment(traced, library, done[1]))
        return strerror(errno);
    start_program(program, arguments);
    if (child.pid < 0)
        return strerror(errno);
    await_program();
    // The writer of the trace holds the other end until all of the program is written.
    close(done[1]);
    while ((n = read(done[0], &error, sizeof(error))) < 0 && errno == EINTR)
        ;
    if (n > 0)
        fprintf(stderr, "docad-run: the trace is not complete: %s\n", strerror(error));
    write_report(wanted->report, &side);
    end_as(child.status);
}
