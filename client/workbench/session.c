// SPDX-License-Identifier: BSD-3-Clause
// Copyright (c) 2026, the docad authors

#include "session.h"
#include "clock_pair.h"
#include "writer.h"

#include <errno.h>
#include <fcntl.h>
#include <linux/futex.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#define FLUSH_MS 10000 // a writer that takes longer is stuck
#define SEALS    (F_SEAL_SEAL | F_SEAL_SHRINK | F_SEAL_GROW)

struct segment *segment;

uint64_t clock_of_kernel(void)
{
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    return (uint64_t)now.tv_sec * 1000000000 + (uint64_t)now.tv_nsec;
}

// The processor's counter is a clock if the kernel uses it as one.
static bool counter_is_clock(void)
{
#if defined(__x86_64__)
    char name[32] = "";
    int fd = open("/sys/devices/system/clocksource/clocksource0/current_clocksource",
                  O_RDONLY | O_CLOEXEC);
    if (fd < 0)
        return false;
    ssize_t n = read(fd, name, sizeof(name) - 1);
    close(fd);
    return n > 0 && (strncmp(name, "tsc", 3) == 0 || strncmp(name, "kvm-clock", 9) == 0);
#elif defined(__aarch64__)
    return true;
#else
    return false;
#endif
}

// ---- the writer process

static int open_output(const char *variable)
{
    const char *path = getenv(variable);
    if (!path)
        return -1;
    int fd = *path && strcmp(path, "-") != 0
                 ? open(path, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0666)
                 : fcntl(STDERR_FILENO, F_DUPFD_CLOEXEC, 3);
    if (fd < 0)
        fprintf(stderr, "docad-run: cannot write %s, which %s names: %s\n", path, variable,
                strerror(errno));
    return fd;
}

// In the child of a child, so that the program never sees a child that it has not started.
__attribute__((noreturn)) static void become_writer(const struct outputs *outputs)
{
    pid_t pid = fork();
    if (pid != 0) {
        segment->writer = pid;
        _exit(pid < 0 ? 1 : 0);
    }
    sigset_t all;
    sigfillset(&all);
    sigprocmask(SIG_BLOCK, &all, NULL);
    setsid();
    writer_run(outputs);
    _exit(0);
}

static bool start_writer(const struct outputs *outputs)
{
    // A handler of the program must not run in the child.
    sigset_t all, before;
    sigfillset(&all);
    sigprocmask(SIG_BLOCK, &all, &before);
    pid_t child = fork();
    if (child == 0)
        become_writer(outputs);
    int status = 0;
    // A program that ignores SIGCHLD gets no status.
    bool started = child > 0 && (waitpid(child, &status, 0) < 0 || status == 0);
    sigprocmask(SIG_SETMASK, &before, NULL);
    return started;
}

// ---- the shared memory

static bool map(int fd)
{
    void *memory = mmap(NULL, SEGMENT_BYTES, PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0);
    if (memory == MAP_FAILED)
        return false;
    segment = memory;
    return true;
}

// Another file may have the path in another PID namespace, or after the writer has ended. Only the
// memory of a session is sealed, so that no access to it is beyond its end.
static bool is_memory(int fd)
{
    int seals = fcntl(fd, F_GET_SEALS);
    errno = ENOENT;
    // Not fstat(), which older C libraries do not have under that name.
    return seals >= 0 && (seals & SEALS) == SEALS && lseek(fd, 0, SEEK_END) == (off_t)SEGMENT_BYTES;
}

static bool join(const char *path)
{
    int fd = open(path, O_RDWR | O_CLOEXEC);
    if (fd < 0)
        return false;
    bool joined = is_memory(fd) && map(fd);
    int saved = errno;
    close(fd);
    errno = saved;
    if (joined && segment->tag == SEGMENT_TAG && segment->functions == function_count)
        return true;
    if (joined) {
        munmap(segment, SEGMENT_BYTES);
        errno = EINVAL; // of another version of the library
    }
    segment = NULL;
    return false;
}

// The kernel ends a program that makes a file beyond its limit.
static bool may_have_memory(void)
{
    struct rlimit limit;
    errno = EFBIG;
    return getrlimit(RLIMIT_FSIZE, &limit) != 0 || limit.rlim_cur == RLIM_INFINITY ||
           limit.rlim_cur >= SEGMENT_BYTES;
}

// A time in the future, or none, is none.
static void read_side(void)
{
    const char *side = getenv(SIDE_VARIABLE), *origin = getenv(ORIGIN_VARIABLE);
    uint64_t ns = origin ? strtoull(origin, NULL, 10) : 0;
    segment->ns_origin = ns && ns < segment->ns_base ? ns : segment->ns_base;
    if (side && (strcmp(side, "host") == 0 || strcmp(side, "dpu") == 0))
        strcpy(segment->side, side); // NOLINT(clang-analyzer-security.insecureAPI.strcpy)
}

static bool make(const struct outputs *outputs)
{
    if (!may_have_memory() || ftruncate(outputs->memory, SEGMENT_BYTES) != 0 ||
        fcntl(outputs->memory, F_ADD_SEALS, SEALS) != 0 || !map(outputs->memory))
        return false;
    segment->tag = SEGMENT_TAG;
    segment->functions = function_count;
    segment->by_counter = counter_is_clock();
    struct clock_pair start = clock_pair_take(clock_now, clock_of_kernel);
    segment->clock_base = start.counter;
    segment->ns_base = start.ns;
    segment->root = getpid();
    read_side();
    if (!start_writer(outputs)) {
        segment = NULL;
        return false;
    }
    char path[64];
    snprintf(path, sizeof(path), "/proc/%d/fd/%d", (int)segment->writer, outputs->memory);
    return setenv(MEMORY_VARIABLE, path, 1) == 0;
}

static void close_outputs(const struct outputs *outputs)
{
    const int all[] = {outputs->trace, outputs->summary, outputs->done, outputs->log,
                       outputs->memory};
    for (unsigned i = 0; i < sizeof(all) / sizeof(*all); i++)
        if (all[i] >= 0)
            close(all[i]);
}

static void drop_outputs(void)
{
    static const char *const variables[] = {TRACE_VARIABLE, FORMAT_VARIABLE, SUMMARY_VARIABLE,
                                            DONE_VARIABLE,  SIDE_VARIABLE,   ORIGIN_VARIABLE,
                                            LOG_VARIABLE};
    for (unsigned i = 0; i < sizeof(variables) / sizeof(*variables); i++)
        unsetenv(variables[i]);
}

static bool is_json(void)
{
    const char *format = getenv(FORMAT_VARIABLE);
    if (!format || strcmp(format, "text") == 0)
        return false;
    if (strcmp(format, "json") != 0)
        fprintf(stderr,
                "docad-run: " FORMAT_VARIABLE " is text or json, and not '%s': the trace is text\n",
                format);
    return strcmp(format, "json") == 0;
}

static bool start_session(void)
{
    const char *done = getenv(DONE_VARIABLE), *log = getenv(LOG_VARIABLE);
    struct outputs outputs = {
        .trace = open_output(TRACE_VARIABLE),
        .summary = open_output(SUMMARY_VARIABLE),
        .json = is_json(),
        .done = done ? open(done, O_WRONLY | O_CLOEXEC) : -1,
        .log = log ? open(log, O_RDONLY | O_CLOEXEC) : -1,
        .memory = memfd_create("docad-trace", MFD_CLOEXEC | MFD_ALLOW_SEALING),
    };
    bool made = (outputs.trace >= 0 || outputs.summary >= 0) && outputs.memory >= 0;
    if (made && !make(&outputs)) {
        fprintf(stderr, "docad-run: no trace: %s\n", strerror(errno));
        made = false;
    }
    close_outputs(&outputs);
    if (made)
        drop_outputs();
    return made;
}

bool session_start(void)
{
    if (getenv(TRACE_VARIABLE) || getenv(SUMMARY_VARIABLE))
        return start_session();
    const char *path = getenv(MEMORY_VARIABLE);
    if (!path)
        return false;
    if (join(path))
        return true;
    // A second session would write over the file of the first.
    fprintf(stderr, "docad-run: process %d is not in the trace: cannot open its memory: %s\n",
            (int)getpid(), strerror(errno));
    return false;
}

// ---- slots

static struct slot *take_free_slot(void)
{
    for (uint32_t i = 0; i < SLOTS_MAX; i++) {
        uint32_t state = SLOT_FREE;
        if (atomic_load_explicit(&segment->state[i], memory_order_relaxed) != SLOT_FREE ||
            !atomic_compare_exchange_strong(&segment->state[i], &state, SLOT_USED))
            continue;
        struct slot *slot = slot_at(i);
        slot->number = i;
        slot->ring_bytes = slot_ring_bytes(i);
        slot->pid = getpid();
        slot->tid = (pid_t)syscall(SYS_gettid);
        slot->depth = 0;
        slot_last(slot)->size = 0;
        uint32_t used = segment->slots;
        while (used < i + 1 && !atomic_compare_exchange_weak(&segment->slots, &used, i + 1))
            ;
        return slot;
    }
    return NULL;
}

// The writer frees the slots of threads that have ended, which takes it a moment. If it has looked
// at all of them, and no slot was left or freed since, as many threads are alive.
struct slot *session_claim(void)
{
    static _Atomic uint64_t all_alive = UINT64_MAX; // slot_changes when they were
    for (;;) {
        uint32_t changes = segment->slot_changes;
        struct slot *slot = changes != all_alive ? take_free_slot() : NULL;
        if (slot || changes == all_alive)
            return slot;
        session_flush();
        slot = take_free_slot();
        if (slot)
            return slot;
        if (changes == segment->slot_changes)
            all_alive = changes;
    }
}

void session_end_slot(struct slot *slot)
{
    atomic_store_explicit(&segment->state[slot->number], SLOT_ENDED, memory_order_release);
    atomic_fetch_add(&segment->slot_changes, 1);
}

void session_ring(void)
{
    int saved = errno;
    atomic_fetch_add(&segment->doorbell, 1);
    syscall(SYS_futex, &segment->doorbell, FUTEX_WAKE, 1, NULL, NULL, 0);
    errno = saved;
}

void session_flush(void)
{
    uint32_t wanted = atomic_fetch_add(&segment->flush_wanted, 1) + 1;
    session_ring();
    for (unsigned waited = 0; waited < FLUSH_MS; waited += 50) {
        uint32_t done = atomic_load(&segment->flush_done);
        if ((int32_t)(done - wanted) >= 0 || !writer_is_alive(segment->writer))
            return;
        const struct timespec pause = {.tv_nsec = 50000000};
        syscall(SYS_futex, &segment->flush_done, FUTEX_WAIT, done, &pause, NULL, 0);
    }
}

void session_report(void)
{
    int error = getpid() == segment->root ? atomic_exchange(&segment->write_error, 0) : 0;
    if (error)
        fprintf(stderr, "docad-run: the trace is not complete: %s\n", strerror(error));
}
