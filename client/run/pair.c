// SPDX-License-Identifier: BSD-3-Clause
// Copyright (c) 2026, the docad authors
//
// One loop of one process, which owns everything: docad of both sides, the programs, their output.
// It never blocks elsewhere, so that it handles a signal, or the end of the process that the user
// started, whatever the programs do.

#include "pair.h"

#include "front.h"
#include "private_docad.h"
#include "relay.h"

#include "cleanup.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <stdarg.h>
#include <stdint.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/signalfd.h>
#include <sys/wait.h>
#include <time.h>

#define NAME     "docad-run"
#define LINK_MS  60000 // until both nodes are linked
#define STOP_MS  10000 // for docad to stop
#define STREAMS  (3 * PAIR_SIDES)
#define POLL_MAX (2 + PAIR_SIDES + STREAMS + 2)

static const char *const sides[PAIR_SIDES] = {"host", "dpu"};

struct program {
    pid_t pid; // 0: not started, or it has ended
    bool started, ended;
    bool asked; // to end
    int status; // as a shell has it
    int input;  // the end of its standard input
};

struct node {
    pid_t pid;
    int notify;
    struct private_reports reports;
    char socket[PRIVATE_PATH_MAX];
    char notify_path[PRIVATE_PATH_MAX];
    const char *docad; // its program
    char found[PATH_MAX];
};

static struct {
    const struct pair *pair;
    const struct front *front;
    const char *directory;
    struct node nodes[PAIR_SIDES];
    struct program programs[PAIR_SIDES];
    struct relay_stream outs[PAIR_SIDES], errs[PAIR_SIDES], logs[PAIR_SIDES];
    struct relay_sink out, err;
    bool failed;   // docad-run itself
    int caught;    // the signal that ends docad-run
    bool ending;   // SIGTERM was sent to the programs
    bool killed;   // and were killed
    bool stopping; // the nodes
    bool gone;     // the process that the user started
    bool hurried;  // by a second signal: remaining output is lost
    int64_t deadline;
} run;

static int64_t now_ms(void)
{
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return (int64_t)t.tv_sec * 1000 + t.tv_nsec / 1000000;
}

__attribute__((format(printf, 1, 2))) static void print_line(const char *format, ...)
{
    char text[1024];
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(text, sizeof(text), format, arguments);
    va_end(arguments);
    relay_print(&run.err, NAME ": ", text);
}

static int other(int side)
{
    return side == PAIR_HOST ? PAIR_DPU : PAIR_HOST;
}

static bool is_alone(void)
{
    return !run.pair->programs[PAIR_HOST].start || !run.pair->programs[PAIR_DPU].start;
}

// ---- the end of programs

static void signal_program(const struct program *program, int number)
{
    if (!program->pid)
        return;
    // A stopped program must continue to handle the signal. After a second signal SIGCONT could
    // meet a program at its end, and undo the stop for which LeakSanitizer waits there, forever.
    kill(-program->pid, SIGCONT);
    kill(-program->pid, number);
}

static void signal_programs(int number)
{
    for (int side = 0; side < PAIR_SIDES; side++) {
        struct program *program = &run.programs[side];
        program->asked |= program->pid != 0;
        signal_program(program, number);
    }
}

static void kill_programs(void)
{
    run.ending = run.killed = true;
    signal_programs(SIGKILL);
}

static void end_programs(int number)
{
    if (run.ending)
        return;
    run.ending = true;
    run.deadline = now_ms() + (int64_t)run.pair->grace_s * 1000;
    signal_programs(number);
}

__attribute__((format(printf, 1, 2))) static void fail(const char *format, ...)
{
    char text[512];
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(text, sizeof(text), format, arguments);
    va_end(arguments);
    print_line("%s", text);
    run.failed = true;
    end_programs(SIGTERM);
}

static bool some_program_runs(void)
{
    return run.programs[PAIR_HOST].pid || run.programs[PAIR_DPU].pid;
}

static bool all_have_ended(void)
{
    for (int side = 0; side < PAIR_SIDES; side++)
        if (run.pair->programs[side].start && !run.programs[side].ended)
            return false;
    return true;
}

// ---- start

// Called in a child.
static void become_child(pid_t parent)
{
    prctl(PR_SET_PDEATHSIG, SIGKILL);
    if (getppid() != parent)
        _exit(1);
    signal(SIGPIPE, SIG_DFL);
    sigprocmask(SIG_SETMASK, &run.front->inherited, NULL);
}

static bool open_stream(struct relay_stream *stream, const char *mark, struct relay_sink *sink,
                        int *end)
{
    int ends[2];
    if (pipe2(ends, O_CLOEXEC) < 0)
        return false;
    fcntl(ends[0], F_SETFL, O_NONBLOCK);
    *stream = (struct relay_stream){.fd = ends[0], .mark = mark, .sink = sink, .copy = -1};
    *end = ends[1];
    return true;
}

static void start_node(int side)
{
    static const char *const marks[] = {"host docad: ", "dpu docad: "};
    struct node *node = &run.nodes[side];
    cleanup_fd int output = -1;
    private_directory_name(run.directory, sides[side], ".sock", node->socket);
    node->notify = private_notify_open(run.directory, sides[side], node->notify_path);
    if (node->notify < 0 || !open_stream(&run.logs[side], marks[side], &run.err, &output)) {
        fail("cannot start docad: %s", strerror(errno));
        return;
    }
    run.logs[side].copy = run.pair->logs[side];
    node->docad =
        private_find_program("docad", "../sbin/docad", getenv("DOCAD_BINARY"), node->found);
    const struct private_docad docad = {
        .program = node->docad,
        .role = sides[side],
        .socket = node->socket,
        .config = "/dev/null",
        .faults = run.pair->faults[side],
        .peer = side == PAIR_DPU ? run.nodes[PAIR_HOST].socket : NULL,
        .notify = node->notify_path,
        .output = output,
    };
    pid_t parent = getpid();
    node->pid = fork();
    if (node->pid == 0) {
        become_child(parent);
        private_docad_become(&docad);
    }
    if (node->pid < 0) {
        node->pid = 0;
        fail("cannot start docad: %s", strerror(errno));
    }
}

struct ends {
    int in, out, err; // -1: those of docad-run
};

static void close_ends(struct ends *ends)
{
    close_fdp(&ends->in);
    close_fdp(&ends->out);
    close_fdp(&ends->err);
}

// The output of a program that is alone, and its input, are those of docad-run.
static bool open_ends(int side, struct ends *ends)
{
    static const char *const marks[] = {"host: ", "dpu: "};
    int input[2];
    if (is_alone())
        return true;
    if (pipe2(input, O_CLOEXEC) < 0)
        return false;
    ends->in = input[0];
    run.programs[side].input = input[1];
    if (!open_stream(&run.outs[side], marks[side], &run.out, &ends->out) ||
        !open_stream(&run.errs[side], marks[side], &run.err, &ends->err))
        return false;
    if (side == (int)run.pair->first)
        run.outs[side].awaited = run.errs[side].awaited = run.pair->ready;
    return true;
}

static _Noreturn void become_program(int side, const struct ends *ends)
{
    const int from[] = {ends->in, ends->out, ends->err};
    const struct pair_program *program = &run.pair->programs[side];
    for (int fd = 0; fd < 3; fd++)
        if (from[fd] >= 0)
            dup2(from[fd], fd);
    setenv("DOCAD_SOCKET", run.nodes[side].socket, 1);
    program->start(program->arg);
    _exit(126);
}

// Many programs wait for Enter until the other side has finished.
static void press_enter(struct program *program)
{
    if (program->input >= 0 && write(program->input, "\n", 1) < 0)
        errno = 0; // it has closed its input
    close_fdp(&program->input);
}

static void start_program(int side)
{
    cleanup(close_ends) struct ends ends = {-1, -1, -1};
    struct program *program = &run.programs[side];
    if (program->started || !run.pair->programs[side].start)
        return;
    pid_t parent = getpid();
    program->started = true;
    pid_t pid = open_ends(side, &ends) ? fork() : -1;
    if (pid == 0) {
        setpgid(0, 0);
        become_child(parent);
        become_program(side, &ends);
    }
    if (pid < 0) {
        fail("cannot start the %s program: %s", sides[side], strerror(errno));
        return;
    }
    setpgid(pid, pid); // whichever of the two is first
    program->pid = pid;
    if (run.programs[other(side)].ended)
        press_enter(program);
}

// ---- events

static void print_end(int side, int status)
{
    const char *what = run.programs[other(side)].pid ? "; the other program is ended" : "";
    if (WIFSIGNALED(status))
        print_line("the %s program was killed by signal %d (%s)%s", sides[side], WTERMSIG(status),
                   strsignal(WTERMSIG(status)), what);
    else
        print_line("the %s program exited with status %d%s", sides[side], WEXITSTATUS(status),
                   what);
}

static void on_program_end(int side, int status)
{
    struct program *program = &run.programs[side];
    program->pid = 0;
    program->ended = true;
    program->status = WIFSIGNALED(status) ? 128 + WTERMSIG(status) : WEXITSTATUS(status);
    press_enter(&run.programs[other(side)]);
    if (run.ending)
        return;
    if (program->status && !is_alone())
        print_end(side, status);
    if (program->status || side == (int)run.pair->until)
        end_programs(SIGTERM);
}

static void on_node_end(int side, int status)
{
    run.nodes[side].pid = 0;
    if (!run.stopping)
        fail("docad of the %s side has ended (%s %d)", sides[side],
             WIFSIGNALED(status) ? "signal" : "status",
             WIFSIGNALED(status) ? WTERMSIG(status) : WEXITSTATUS(status));
}

static void reap(void)
{
    int status;
    pid_t pid;
    while ((pid = waitpid(-1, &status, WNOHANG)) > 0)
        for (int side = 0; side < PAIR_SIDES; side++) {
            if (pid == run.programs[side].pid)
                on_program_end(side, status);
            else if (pid == run.nodes[side].pid)
                on_node_end(side, status);
        }
}

// A program that runs alone decides what SIGINT does, as without docad-run: a debugger continues.
static bool is_for_program(int number)
{
    return number == SIGINT && is_alone() && some_program_runs() && !run.ending;
}

static void pass_to_programs(int number)
{
    for (int side = 0; side < PAIR_SIDES; side++)
        if (run.programs[side].pid)
            kill(-run.programs[side].pid, number);
}

static void take_signals(void)
{
    struct signalfd_siginfo info;
    while (read(run.front->signals, &info, sizeof(info)) == sizeof(info)) {
        if (info.ssi_signo == SIGCHLD) {
            reap();
        } else if (front_is_for_programs((int)info.ssi_signo)) {
            pass_to_programs((int)info.ssi_signo);
        } else if (is_for_program((int)info.ssi_signo)) {
            signal_program(&run.programs[PAIR_HOST], SIGINT);
            signal_program(&run.programs[PAIR_DPU], SIGINT);
        } else if (run.ending || run.caught) {
            run.caught = (int)info.ssi_signo;
            run.hurried = true;
            kill_programs();
        } else {
            run.caught = (int)info.ssi_signo;
            end_programs(run.caught);
        }
    }
}

static void read_reports(int side)
{
    struct node *node = &run.nodes[side];
    private_notify_read(node->notify, &node->reports);
    if (node->reports.is_older && !run.failed)
        fail("%s does not report its links: it is older than docad-run. Put the newer docad next to"
             " docad-run, or name it in DOCAD_BINARY",
             node->docad);
}

// ---- the loop

struct polled {
    struct pollfd fds[POLL_MAX];
    nfds_t count;
};

static short result_of(const struct polled *polled, int fd, short event)
{
    for (nfds_t i = 0; i < polled->count; i++)
        if (polled->fds[i].fd == fd && polled->fds[i].events == event)
            return polled->fds[i].revents;
    return 0;
}

static void add(struct polled *polled, int fd, short event)
{
    if (fd >= 0)
        polled->fds[polled->count++] = (struct pollfd){.fd = fd, .events = event};
}

// Returns each stream in turn, or NULL.
static struct relay_stream *stream_at(int i)
{
    struct relay_stream *const all[] = {run.outs, run.errs, run.logs};
    return i < STREAMS ? &all[i / PAIR_SIDES][i % PAIR_SIDES] : NULL;
}

static void relay(const struct polled *polled)
{
    struct relay_stream *stream;
    struct relay_sink *const sinks[] = {&run.out, &run.err};
    for (size_t i = 0; i < ARRAY_SIZE(sinks); i++)
        if (relay_wants_room(sinks[i]) && result_of(polled, sinks[i]->fd, POLLOUT))
            relay_write(sinks[i]);
    for (int i = 0; (stream = stream_at(i)); i++)
        if (stream->fd >= 0 && (stream->sink->broken || (relay_wants_bytes(stream) &&
                                                         result_of(polled, stream->fd, POLLIN))))
            relay_read(stream);
}

// Waits for an event, and handles it. timeout_ms: -1 is forever. Returns false if there was none.
static bool wait_for_events(int timeout_ms)
{
    struct polled polled = {.count = 0};
    struct relay_stream *stream;
    add(&polled, run.front->signals, POLLIN);
    add(&polled, run.gone ? -1 : run.front->lifeline, POLLIN);
    for (int side = 0; side < PAIR_SIDES; side++)
        add(&polled, run.nodes[side].notify, POLLIN);
    for (int i = 0; (stream = stream_at(i)); i++)
        add(&polled, relay_wants_bytes(stream) ? stream->fd : -1, POLLIN);
    add(&polled, relay_wants_room(&run.out) ? run.out.fd : -1, POLLOUT);
    add(&polled, relay_wants_room(&run.err) ? run.err.fd : -1, POLLOUT);
    if (poll(polled.fds, polled.count, timeout_ms) <= 0)
        return false;
    if (!run.gone && result_of(&polled, run.front->lifeline, POLLIN)) {
        run.gone = run.out.broken = run.err.broken = true;
        kill_programs();
    }
    for (int side = 0; side < PAIR_SIDES; side++)
        if (run.nodes[side].notify >= 0)
            read_reports(side);
    relay(&polled); // first the output of a program, then its end
    take_signals();
    return true;
}

static int time_left(void)
{
    int64_t left = run.deadline - now_ms();
    return left > 0 ? (int)left : 0;
}

static bool is_linked(void)
{
    return run.nodes[PAIR_HOST].reports.linked && run.nodes[PAIR_DPU].reports.linked;
}

static void start_nodes(void)
{
    run.deadline = now_ms() + LINK_MS;
    start_node(PAIR_HOST);
    while (!run.ending && !is_linked()) {
        if (run.nodes[PAIR_HOST].reports.ready && !run.nodes[PAIR_DPU].pid)
            start_node(PAIR_DPU);
        else if (time_left())
            wait_for_events(time_left());
        else
            fail("the two nodes are not linked after %d s", LINK_MS / 1000);
    }
}

static void run_programs(void)
{
    int first = (int)run.pair->first;
    while (!run.ending && !all_have_ended()) {
        if (first == PAIR_NONE) {
            start_program(PAIR_HOST);
            start_program(PAIR_DPU);
        } else {
            start_program(first);
            if (run.outs[first].came || run.errs[first].came || run.programs[first].ended)
                start_program(other(first));
        }
        if (!run.ending)
            wait_for_events(-1);
    }
    while (some_program_runs()) {
        if (!run.killed && !time_left())
            kill_programs();
        wait_for_events(run.killed ? -1 : time_left());
    }
}

// ---- the end

static void stop_nodes(void)
{
    run.stopping = true;
    // First the node that dials: it would log the other's end.
    for (int side = PAIR_SIDES - 1; side >= 0; side--) {
        struct node *node = &run.nodes[side];
        run.deadline = now_ms() + STOP_MS;
        if (node->pid)
            kill(node->pid, SIGTERM);
        while (node->pid) {
            if (!time_left())
                kill(node->pid, SIGKILL);
            wait_for_events(time_left() ? time_left() : -1);
        }
        close_fdp(&node->notify);
    }
}

static bool some_stream_is_open(void)
{
    struct relay_stream *stream;
    for (int i = 0; (stream = stream_at(i)); i++)
        if (stream->fd >= 0)
            return true;
    return false;
}

static bool some_output_waits(void)
{
    return relay_wants_room(&run.out) || relay_wants_room(&run.err);
}

// All writers have ended: bytes that are not in the pipes now will not come.
static void finish_output(void)
{
    struct relay_stream *stream;
    while (!run.gone && !run.hurried && some_stream_is_open() &&
           wait_for_events(some_output_waits() ? -1 : 0))
        ;
    for (int i = 0; (stream = stream_at(i)); i++)
        relay_close(stream);
    while (!run.gone && !run.hurried && some_output_waits())
        wait_for_events(-1);
}

// Processes that programs have left behind. First all but the writers of traces, which end after
// that.
static void end_leftovers(void)
{
    const pid_t keep[] = {run.nodes[PAIR_HOST].pid, run.nodes[PAIR_DPU].pid};
    struct front_left left;
    run.deadline = now_ms() + FRONT_WRITE_MS;
    for (;;) {
        left = front_kill_children(keep, PAIR_SIDES, run.hurried || !time_left());
        if (!left.killed && !left.writers)
            return;
        wait_for_events(left.writers ? time_left() : -1);
    }
}

// A program that was ended, and failed only by that, does not count.
static int verdict(void)
{
    int worst = run.failed ? 1 : 0;
    if (run.caught)
        return 128 + run.caught;
    for (int side = 0; side < PAIR_SIDES; side++)
        if (!run.programs[side].asked && run.programs[side].status > worst)
            worst = run.programs[side].status;
    for (int side = 0; side < PAIR_SIDES; side++) {
        int status = run.programs[side].status;
        bool is_ours = status == 128 + SIGTERM || (status == 128 + SIGKILL && worst);
        if (run.programs[side].asked && !is_ours && status > worst)
            worst = status;
    }
    return worst;
}

static int supervise(const struct front *front, void *arg)
{
    run.front = front;
    relay_open(&run.out, STDOUT_FILENO);
    relay_open(&run.err, STDERR_FILENO);
    (void)arg;
    for (int i = 0; i < STREAMS; i++)
        *stream_at(i) = (struct relay_stream){.fd = -1, .sink = &run.err, .copy = -1};
    for (int side = 0; side < PAIR_SIDES; side++)
        run.nodes[side].notify = run.programs[side].input = -1;
    signal(SIGPIPE, SIG_IGN);
    start_nodes();
    run_programs();
    end_leftovers();
    stop_nodes();
    end_leftovers(); // of docad: helpers
    private_directory_remove(run.directory);
    finish_output();
    return verdict();
}

// A pipe must not get the number of standard output.
static void open_standard_descriptors(void)
{
    int fd;
    do
        fd = open("/dev/null", O_RDWR | O_CLOEXEC);
    while (fd >= 0 && fd <= STDERR_FILENO);
    close_fdp(&fd);
}

int pair_run(const struct pair *pair)
{
    char directory[PRIVATE_PATH_MAX];
    int killed = 0;
    open_standard_descriptors();
    if (!private_directory_make(NAME, directory)) {
        fprintf(stderr, NAME ": cannot make the directory %s: %s\n", directory, strerror(errno));
        return 1;
    }
    run.pair = pair;
    run.directory = directory;
    int status = front_run(supervise, NULL, &killed);
    if (status >= 0 && !killed)
        return status;
    private_directory_remove(directory);
    if (killed)
        fprintf(stderr, NAME ": its second process was killed by signal %d\n", killed);
    else
        fprintf(stderr, NAME ": cannot start a process: %s\n", strerror(errno));
    return killed ? status : 1;
}
