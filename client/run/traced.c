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
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#define LIBRARY "libdocad-workbench.so"

static volatile pid_t child;

void traced_init(struct traced *traced)
{
    traced->trace = getenv("DOCAD_TRACE");
    traced->summary = getenv("DOCAD_SUMMARY");
    traced->format = getenv("DOCAD_TRACE_FORMAT");
    traced->check = getenv("DOCAD_CHECK");
    traced->faults = getenv(FAULTS_VARIABLE);
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
    case TRACED_REPORT:
        traced->report = value;
        return true;
    case TRACED_FAULTS:
        traced->sweep = strcmp(value, "sweep") == 0;
        traced->faults = traced->sweep ? NULL : faulted_read(value);
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

// The library stands where the runtime directories are. The caller frees the path.
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
    snprintf(path, sizeof(path), "/proc/%d/fd/%d", (int)getpid(), done);
    return asprintf(&preload, "%s%s%s", library, old && *old ? ":" : "", old ? old : "") > 0 &&
           set("LD_PRELOAD", preload) && set("DOCAD_TRACE", traced->trace) &&
           set(FAULTS_VARIABLE, traced->faults) && set("DOCAD_SUMMARY", traced->summary) &&
           set("DOCAD_TRACE_FORMAT", traced->format) && set("DOCAD_CHECK", traced->check) &&
           set("DOCAD_CHECK_FILE", traced->rules) && set("DOCAD_TRACE_DONE", path) &&
           unsetenv("DOCAD_TRACE_SESSION") == 0;
}

static void pass_on(int signal)
{
    if (child > 0)
        kill(child, signal);
}

// The terminal sends its signals to the program, too.
static void prepare_signals(void)
{
    static const int passed[] = {SIGTERM, SIGHUP, SIGUSR1, SIGUSR2, SIGALRM, SIGCONT};
    struct sigaction action = {.sa_handler = pass_on, .sa_flags = SA_RESTART};
    for (size_t i = 0; i < ARRAY_SIZE(passed); i++)
        sigaction(passed[i], &action, NULL);
    signal(SIGINT, SIG_IGN);
    signal(SIGQUIT, SIG_IGN);
}

// Ends as the program did, without a second core file.
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
    exit(WEXITSTATUS(status));
}

// Starts the program in a process of its own; docad-run waits for that.
static void start_program(const char *program, char **arguments)
{
    struct sigaction interrupt, quit;
    sigaction(SIGINT, NULL, &interrupt);
    sigaction(SIGQUIT, NULL, &quit);
    sigset_t all, before;
    sigfillset(&all);
    sigprocmask(SIG_BLOCK, &all, &before);
    prepare_signals();
    child = fork();
    if (child == 0) {
        sigaction(SIGINT, &interrupt, NULL);
        sigaction(SIGQUIT, &quit, NULL);
        sigprocmask(SIG_SETMASK, &before, NULL); // exec() resets the other handlers
        execv(program, arguments);
        fprintf(stderr, "docad-run: %s: %s\n", program, strerror(errno));
        _exit(errno == ENOENT ? 127 : 126);
    }
    sigprocmask(SIG_SETMASK, &before, NULL);
}

// Of a program that is alone.
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
    int done[2], status;
    char byte;
    if (wanted->report && (status = report_begin(&side, "", traced)) < 0)
        return strerror(-status);
    cleanup_free char *library = find_library(beside);
    if (!library)
        return LIBRARY " is not where docad is installed";
    if (strpbrk(library, ": "))
        return "the loader cannot name " LIBRARY ": its path has a space or a colon";
    if (pipe2(done, O_CLOEXEC) != 0 || !set_environment(traced, library, done[1]))
        return strerror(errno);
    start_program(program, arguments);
    if (child < 0)
        return strerror(errno);
    while (waitpid(child, &status, 0) < 0 && errno == EINTR)
        ;
    // The writer of the trace holds the other end until all of the program is written.
    close(done[1]);
    while (read(done[0], &byte, 1) < 0 && errno == EINTR)
        ;
    write_report(wanted->report, &side);
    end_as(status);
}
