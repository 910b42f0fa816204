// SPDX-License-Identifier: BSD-3-Clause
// Copyright (c) 2026, the docad authors

#include "sweep.h"

#include "fail.h"
#include "fault_shared.h"
#include "front.h"
#include "sweep_leaks.h"

#include "cleanup.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <stdbool.h>
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/signalfd.h>
#include <sys/wait.h>
#include <time.h>

#define GRACE_S    10   // from SIGTERM to SIGKILL
#define CALLS_EACH 3    // the first calls of each function that fail, one by one
#define TAIL_BYTES 2048 // of the output of a run that crashed or hung

#define NO_FAULT "*: delay 1ns, once" // the program's calls are counted

static struct {
    const struct sweep *sweep;
    const struct front *front;
    struct fault_shared *shared[SWEEP_SIDES];
    char paths[SWEEP_SIDES][64]; // of that memory
    int output;                  // of the program, a file of memory
    bool ended;                  // by a signal, or with docad-run
    unsigned runs, hung, crashed, succeeded, leaked;
} run;

static bool has_side(int side)
{
    return side == 0 || run.sweep->is_pair;
}

enum ending { ENDED_WELL, ENDED_WITH_ERROR, CRASHED, HUNG, INTERRUPTED };

// ---- one run

// The rules are for one side, if there are two.
static _Noreturn void become_program(const char *rules, int side, pid_t parent)
{
    struct sweep_program programs[SWEEP_SIDES];
    int null = open("/dev/null", O_RDONLY | O_CLOEXEC);
    prctl(PR_SET_PDEATHSIG, SIGKILL);
    if (getppid() != parent)
        _exit(1);
    setpgid(0, 0);
    dup2(null, STDIN_FILENO);
    dup2(run.output, STDOUT_FILENO);
    dup2(run.output, STDERR_FILENO);
    sigprocmask(SIG_SETMASK, &run.front->inherited, NULL);
    for (int i = 0; i < SWEEP_SIDES; i++)
        programs[i] = (struct sweep_program){i == side ? rules : NO_FAULT, run.paths[i]};
    run.sweep->start(run.sweep->arg, programs);
    _exit(126);
}

// Waits for a signal, such as SIGCHLD. Returns false if the program has not ended.
static bool wait_for(pid_t pid, int *status, int timeout_ms)
{
    struct pollfd fds[] = {{.fd = run.front->signals, .events = POLLIN},
                           {.fd = run.front->lifeline, .events = POLLIN}};
    struct signalfd_siginfo info;
    if (poll(fds, 2, timeout_ms) == 0)
        return false;
    run.ended |= fds[1].revents != 0;
    while (read(run.front->signals, &info, sizeof(info)) == sizeof(info))
        run.ended |= info.ssi_signo != SIGCHLD && !front_is_for_programs((int)info.ssi_signo);
    return waitpid(pid, status, WNOHANG) == pid;
}

static int64_t now_ms(void)
{
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return (int64_t)t.tv_sec * 1000 + t.tv_nsec / 1000000;
}

// Waits as long as a program may take, or to end. Returns false if it has not ended.
static bool wait_long(pid_t pid, int *status, int64_t seconds)
{
    int64_t until = now_ms() + seconds * 1000, left;
    bool over = false;
    while (!over && !run.ended && (left = until - now_ms()) > 0)
        over = wait_for(pid, status, (int)left);
    return over;
}

// A program that is started by another docad-run needs some time to end all that it has started.
static void end_program(pid_t pid, int *status)
{
    bool was_ended = run.ended;
    run.ended = false;
    kill(-pid, SIGTERM);
    if (!wait_long(pid, status, GRACE_S)) {
        kill(-pid, SIGKILL);
        waitpid(pid, status, 0);
    }
    run.ended |= was_ended;
}

// Processes that the program has left behind, the writer of its trace last.
static void end_leftovers(void)
{
    int64_t until = now_ms() + FRONT_WRITE_MS, now;
    struct front_left left;
    int status;
    do {
        while (waitpid(-1, NULL, WNOHANG) > 0)
            ;
        now = now_ms();
        left = front_kill_children(NULL, 0, run.ended || now >= until);
        if (left.killed)
            waitpid(-1, NULL, 0);
        else if (left.writers)
            wait_for(-1, &status, (int)(until - now));
    } while (left.killed || left.writers);
}

// Whether the signal ends a program that does nothing about it.
static bool ends_programs(int number)
{
    static const int others[] = {SIGCHLD, SIGCONT, SIGURG,  SIGWINCH,
                                 SIGSTOP, SIGTSTP, SIGTTIN, SIGTTOU};
    for (size_t i = 0; i < ARRAY_SIZE(others); i++)
        if (number == others[i])
            return false;
    return number > 0 && number <= SIGRTMAX;
}

// A signal has ended it, or a program that it has started. Those that docad-run sends a pair itself
// do not show in its status, and a run that is over the limit is no crash.
static bool is_crash(int status)
{
    return WIFSIGNALED(status) || ends_programs(WEXITSTATUS(status) - 128);
}

static void clear(struct fault_shared *shared)
{
    memset((void *)&shared->counts, 0, sizeof(shared->counts));
    memset((void *)shared->left, 0, sizeof(shared->left));
    atomic_store(&shared->left_count, 0);
    atomic_store(&shared->faults, 0);
}

static enum ending run_once(const char *rules, int side, int *status)
{
    for (int i = 0; i < SWEEP_SIDES; i++)
        clear(run.shared[i]);
    if (ftruncate(run.output, 0) < 0 || lseek(run.output, 0, SEEK_SET) < 0)
        fail(1, "cannot keep the output of the program: %s", strerror(errno));
    fflush(NULL);
    pid_t parent = getpid(), pid = fork();
    if (pid == 0)
        become_program(rules, side, parent);
    if (pid < 0)
        fail(1, "cannot start a process: %s", strerror(errno));
    setpgid(pid, pid);
    run.runs++;
    bool over = wait_long(pid, status, run.sweep->limit_s);
    if (!over)
        end_program(pid, status);
    end_leftovers();
    if (run.ended)
        return INTERRUPTED;
    if (!over)
        return HUNG;
    return is_crash(*status) ? CRASHED : *status ? ENDED_WITH_ERROR : ENDED_WELL;
}

// ---- all runs

static void print_tail(void)
{
    char text[TAIL_BYTES + 1];
    off_t size = lseek(run.output, 0, SEEK_END);
    off_t from = size > TAIL_BYTES ? size - TAIL_BYTES : 0;
    ssize_t n = pread(run.output, text, TAIL_BYTES, from);
    if (n <= 0)
        return;
    text[n] = '\0';
    for (char *line = text, *next; line && *line; line = next) {
        next = strchr(line, '\n');
        if (next)
            *next++ = '\0';
        printf("    %s\n", line);
    }
}

static void print_crash(int number)
{
    printf("ended by signal %d (%s)\n", number, strsignal(number));
}

static void print_run(enum ending ending, int status)
{
    if (ending == HUNG)
        printf("has not ended after %u s\n", run.sweep->limit_s);
    else if (ending == CRASHED)
        print_crash(WIFSIGNALED(status) ? WTERMSIG(status) : WEXITSTATUS(status) - 128);
    else
        puts("status 0 nevertheless");
    if (ending != ENDED_WELL)
        print_tail();
}

// The prefix of the lines of a side: "host: ".
static const char *mark_of(int side)
{
    return !run.sweep->is_pair ? "" : side == 0 ? "host: " : "dpu: ";
}

// ---- all functions

static uint64_t count_leaks(const char *name)
{
    uint64_t objects = 0;
    for (int side = 0; side < SWEEP_SIDES; side++)
        if (has_side(side))
            objects += sweep_leaks_take(side, run.shared[side], name);
    return objects;
}

static void fail_call(const char *name, int side, unsigned call)
{
    char rules[FAULT_TARGET_MAX + 32], of_run[FAULT_TARGET_MAX + 64];
    int status = 0;
    static const char *const endings[CALLS_EACH] = {"st", "nd", "rd"};
    snprintf(rules, sizeof(rules), "%s: ANY, %u%s", name, call, endings[call - 1]);
    snprintf(of_run, sizeof(of_run), "%s%s, call %u, %s", mark_of(side), name, call,
             fault_error_name(fault_fitting_error(name)));
    enum ending ending = run_once(rules, side, &status);
    if (ending == INTERRUPTED || atomic_load(&run.shared[side]->faults) == 0)
        return;
    // A run that was ended has not come to its end.
    uint64_t leaks = ending <= ENDED_WITH_ERROR ? count_leaks(of_run) : 0;
    run.hung += ending == HUNG;
    run.crashed += ending == CRASHED;
    run.succeeded += ending == ENDED_WELL;
    run.leaked += leaks > 0;
    if (ending != ENDED_WITH_ERROR) {
        printf("%s: ", of_run);
        print_run(ending, status);
    }
    if (leaks)
        printf("%s: leaked %llu object%s\n", of_run, (unsigned long long)leaks,
               leaks == 1 ? "" : "s");
    fflush(stdout);
}

static void fail_calls(int side, const uint64_t calls[FAULT_FUNCTIONS_MAX])
{
    for (unsigned i = 0; i < FAULT_FUNCTIONS_MAX; i++) {
        char name[FAULT_TARGET_MAX];
        snprintf(name, sizeof(name), "%.*s", FAULT_TARGET_MAX - 1,
                 run.shared[side]->functions[i].name);
        for (unsigned call = 1; call <= CALLS_EACH && call <= calls[i] && !run.ended; call++)
            fail_call(name, side, call);
    }
}

static int sweep_all(const struct front *front, void *arg)
{
    static uint64_t calls[SWEEP_SIDES][FAULT_FUNCTIONS_MAX]; // without a fault
    int status = 0;
    (void)arg;
    run.front = front;
    enum ending ending = run_once(NO_FAULT, 0, &status);
    if (ending == INTERRUPTED)
        return 1;
    if (ending != ENDED_WELL) {
        print_tail();
        fail(1,
             "the program does not end with status 0 without a fault, so nothing can be compared");
    }
    for (int side = 0; side < SWEEP_SIDES; side++) {
        sweep_leaks_begin(side, run.shared[side]);
        for (unsigned i = 0; i < FAULT_FUNCTIONS_MAX; i++)
            calls[side][i] = atomic_load(&run.shared[side]->functions[i].calls);
    }
    for (int side = 0; side < SWEEP_SIDES; side++)
        if (has_side(side))
            fail_calls(side, calls[side]);
    if (run.ended)
        return 1;
    if (run.runs == 1)
        fail(1, "the program calls no function of DOCA that can fail");
    for (int side = 0; side < SWEEP_SIDES; side++)
        sweep_leaks_print(side, mark_of(side));
    printf("%u runs with a fault: %u hung, %u crashed, %u ended with status 0, %u leaked\n",
           run.runs - 1, run.hung, run.crashed, run.succeeded, run.leaked);
    return run.hung || run.crashed || run.leaked ? 1 : 0;
}

// Memory that the programs of one side share with this process, which stays open for their path.
static void make_shared(int side)
{
    int memory = memfd_create(NAME, 0);
    void *shared = MAP_FAILED;
    if (memory >= 0 && ftruncate(memory, sizeof(struct fault_shared)) == 0)
        shared =
            mmap(NULL, sizeof(struct fault_shared), PROT_READ | PROT_WRITE, MAP_SHARED, memory, 0);
    if (shared == MAP_FAILED)
        fail(1, "no memory is left");
    run.shared[side] = shared;
    snprintf(run.paths[side], sizeof(run.paths[side]), "/proc/%d/fd/%d", (int)getpid(), memory);
}

int sweep_run(const struct sweep *sweep)
{
    int killed = 0;
    run.sweep = sweep;
    run.output = memfd_create(NAME, MFD_CLOEXEC);
    if (run.output < 0)
        fail(1, "no memory is left");
    for (int side = 0; side < SWEEP_SIDES; side++)
        make_shared(side);
    int status = front_run(sweep_all, NULL, &killed);
    return status < 0 || killed ? 1 : status;
}
