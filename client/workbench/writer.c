// SPDX-License-Identifier: BSD-3-Clause
// Copyright (c) 2026, the docad authors

#include "writer.h"
#include "clock_pair.h"
#include "cursor.h"
#include "events.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <linux/futex.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

#define TRACE_BUFFER 65536    // bytes; it is flushed whenever there is nothing to read
#define PAUSE_NS     20000000 // between two readings of the rings, if no thread rings before
#define PROCESSES    (SLOTS_MAX + 1)
#define TAIL_PARTS   16       // of a ring that are freed together
#define CALIBRATE_NS 20000000 // time over which the counter's rate is measured

static double ns_per_unit;
static pid_t processes[PROCESSES]; // that may be alive
static unsigned process_count;
static pid_t owners[SLOTS_MAX]; // of the slots, as of the last check of the processes
static int done;                // outputs->done; -1: closed

// ---- the clock

static void calibrate(void)
{
    if (!segment->by_counter) {
        ns_per_unit = 1;
        return;
    }
    while (clock_of_kernel() - segment->ns_base < CALIBRATE_NS) {
        const struct timespec pause = {.tv_nsec = CALIBRATE_NS / 4};
        nanosleep(&pause, NULL);
    }
    const struct clock_pair start = {segment->clock_base, segment->ns_base};
    struct clock_pair now = clock_pair_take(clock_now, clock_of_kernel);
    ns_per_unit = clock_pair_rate(&start, &now);
}

uint64_t writer_ns(uint64_t clock)
{
    uint64_t start = segment->clock_base, before = segment->ns_base - segment->ns_origin;
    return before + (clock <= start ? 0 : (uint64_t)((double)(clock - start) * ns_per_unit));
}

// ---- processes

static unsigned count_threads(pid_t pid)
{
    char path[64];
    snprintf(path, sizeof(path), "/proc/%d/task", (int)pid);
    DIR *threads = opendir(path);
    unsigned count = 0;
    for (const struct dirent *each; threads && (each = readdir(threads));)
        count += each->d_name[0] != '.';
    if (threads)
        closedir(threads);
    return count;
}

bool writer_is_alive(pid_t pid)
{
    char path[64], text[512];
    snprintf(path, sizeof(path), "/proc/%d/stat", (int)pid);
    int fd = open(path, O_RDONLY | O_CLOEXEC);
    if (fd < 0)
        return false;
    ssize_t n = read(fd, text, sizeof(text) - 1);
    close(fd);
    if (n <= 0)
        return false;
    text[n] = '\0';
    // "PID (NAME) STATE": a name may contain anything.
    const char *end = strrchr(text, ')');
    bool ended = !end || strchr("ZXx", end[1] ? end[2] : 'X');
    // The first thread may have ended before the others.
    return !ended || count_threads(pid) > 1;
}

static void note_process(pid_t pid)
{
    for (unsigned i = 0; i < process_count; i++)
        if (processes[i] == pid)
            return;
    if (process_count < PROCESSES)
        processes[process_count++] = pid;
}

// Finds the processes that have slots, and removes those that have ended.
static void check_processes(void)
{
    for (uint32_t i = 0; i < segment->slots && i < SLOTS_MAX; i++) {
        uint32_t state = atomic_load_explicit(&segment->state[i], memory_order_acquire);
        owners[i] = state == SLOT_FREE ? 0 : slot_at(i)->pid;
        if (owners[i])
            note_process(owners[i]);
    }
    for (unsigned i = 0; i < process_count;)
        if (writer_is_alive(processes[i]))
            i++;
        else
            processes[i] = processes[--process_count];
}

static bool is_noted(pid_t pid)
{
    for (unsigned i = 0; i < process_count; i++)
        if (processes[i] == pid)
            return true;
    return false;
}

// ---- rings

// Notes how much is in each ring. Returns the number of cursors.
static unsigned make_cursors(struct cursor cursors[SLOTS_MAX])
{
    unsigned count = 0;
    for (uint32_t i = 0; i < segment->slots && i < SLOTS_MAX; i++) {
        struct slot *slot = slot_at(i);
        if (atomic_load_explicit(&segment->state[i], memory_order_acquire) == SLOT_FREE)
            continue;
        cursors[count++] = (struct cursor){
            .slot = slot,
            .bytes = slot_ring_bytes(i),
            .at = atomic_load_explicit(&slot->tail, memory_order_relaxed),
            .end = atomic_load_explicit(&slot->head, memory_order_acquire),
        };
    }
    return count;
}

// Writes what is in the rings, in the order in which the calls ended.
static void drain(void)
{
    static struct cursor cursors[SLOTS_MAX], *heap[SLOTS_MAX];
    unsigned count = make_cursors(cursors), left = 0;
    for (unsigned i = 0; i < count; i++)
        cursors_add(heap, &left, &cursors[i]);
    while (left) {
        struct cursor *first = heap[0];
        const struct record *record = cursor_record(first);
        if (record) {
            events_record(record, first->slot->pid, first->slot->tid);
            first->at += record->size;
        }
        // Not after each record: the program's thread reads it.
        if (first->at - atomic_load_explicit(&first->slot->tail, memory_order_relaxed) >=
            first->bytes / TAIL_PARTS)
            atomic_store_explicit(&first->slot->tail, first->at, memory_order_release);
        cursors_moved(heap, &left);
    }
    for (unsigned i = 0; i < count; i++)
        atomic_store_explicit(&cursors[i].slot->tail, cursors[i].at, memory_order_release);
}

// Frees the slots of threads that have ended, and of those whose process has ended.
static void free_slots(void)
{
    for (uint32_t i = 0; i < segment->slots && i < SLOTS_MAX; i++) {
        struct slot *slot = slot_at(i);
        uint32_t state = atomic_load_explicit(&segment->state[i], memory_order_acquire);
        bool ended =
            state == SLOT_USED && owners[i] && slot->pid == owners[i] && !is_noted(slot->pid);
        if ((state != SLOT_ENDED && !ended) || slot->head != slot->tail)
            continue;
        if (ended) {
            if (slot_last(slot)->size >= sizeof(struct record) &&
                slot_last(slot)->size <= RECORD_MAX)
                events_record(slot_last(slot), slot->pid, slot->tid);
            for (uint32_t k = slot->depth; k-- > 0;)
                if (k < OPEN_MAX)
                    events_open(&slot->open[k], slot->pid, slot->tid);
        }
        slot_last(slot)->size = 0;
        slot->depth = 0;
        slot->pid = 0;
        atomic_store_explicit(&segment->state[i], SLOT_FREE, memory_order_release);
        atomic_fetch_add(&segment->slot_changes, 1);
    }
}

// ---- docad's log

#define LOG_LINE 2048 // the rest of a longer line is left out

// Writes the lines that docad-run has copied since the last time.
static void read_log(int log)
{
    static uint64_t at;
    char text[LOG_LINE + 1];
    ssize_t n;
    while (log >= 0 && (n = pread(log, text, LOG_LINE, (off_t)at)) > 0) {
        char *newline = memchr(text, '\n', (size_t)n), *line;
        if (!newline && n < LOG_LINE)
            return; // the rest is to come
        size_t size = newline ? (size_t)(newline - text) : (size_t)n;
        at += size + !!newline;
        text[size] = '\0';
        uint64_t ns = strtoull(text, &line, 10);
        if (ns && *line == ' ')
            events_docad_line(line + 1, size - (size_t)(line + 1 - text), ns);
    }
}

// ---- the process

// Closes the program's descriptors.
static void close_others(const struct outputs *outputs)
{
    const int all[] = {outputs->trace, outputs->summary, outputs->done, outputs->log,
                       outputs->memory};
    DIR *list = opendir("/proc/self/fd");
    for (const struct dirent *each; list && (each = readdir(list));) {
        int fd = atoi(each->d_name); // NOLINT(cert-err34-c): the kernel's numbers
        bool own = fd == dirfd(list) || each->d_name[0] == '.';
        for (unsigned i = 0; i < sizeof(all) / sizeof(*all); i++)
            own |= fd == all[i];
        if (!own)
            close(fd);
    }
    if (list)
        closedir(list);
}

static void wait_for_doorbell(uint32_t seen)
{
    const struct timespec pause = {.tv_nsec = PAUSE_NS};
    syscall(SYS_futex, &segment->doorbell, FUTEX_WAIT, seen, &pause, NULL, 0);
}

static void answer_flush(uint32_t wanted)
{
    if (atomic_exchange(&segment->flush_done, wanted) != wanted)
        syscall(SYS_futex, &segment->flush_done, FUTEX_WAKE, 1 << 30, NULL, NULL, 0);
}

// The first error is reported, which may be the reason of others.
static void note_error(bool failed, int error)
{
    static bool noted;
    if (!failed || noted)
        return;
    noted = true;
    atomic_store(&segment->write_error, error ? error : EIO);
}

static void flush(FILE *trace)
{
    errno = 0;
    bool failed = fflush(trace) != 0;
    note_error(failed || ferror(trace), errno);
}

static void close_output(FILE *out)
{
    if (!out)
        return;
    flush(out);
    errno = 0;
    note_error(fclose(out) != 0, errno);
}

// Called when the program has not reported an error, because it ended before, or without
// destructors: docad-run prints it then.
static void close_done(void)
{
    uint8_t error = done >= 0 ? (uint8_t)atomic_exchange(&segment->write_error, 0) : 0;
    if (error)
        (void)!write(done, &error, sizeof(error));
    if (done >= 0)
        close(done);
    done = -1;
}

static uint64_t lost_calls(void)
{
    uint64_t lost = segment->threads_lost;
    for (uint32_t i = 0; i < segment->slots && i < SLOTS_MAX; i++)
        lost += slot_at(i)->lost;
    return lost;
}

static void serve(FILE *trace, int log)
{
    note_process(segment->root);
    while (process_count) {
        uint32_t seen = segment->doorbell, wanted = segment->flush_wanted;
        check_processes();
        bool root_ended = !is_noted(segment->root);
        drain(); // after the check: what ended processes have recorded is complete
        free_slots();
        read_log(log);
        if (trace)
            flush(trace);
        answer_flush(wanted);
        if (root_ended && process_count)
            close_done();
        if (process_count)
            wait_for_doorbell(seen);
    }
}

void writer_run(const struct outputs *outputs)
{
    prctl(PR_SET_NAME, "docad-trace");
    close_others(outputs);
    FILE *trace = outputs->trace >= 0 ? fdopen(outputs->trace, "w") : NULL;
    FILE *summary = outputs->summary >= 0 ? fdopen(outputs->summary, "w") : NULL;
    calibrate();
    if (trace)
        setvbuf(trace, NULL, _IOFBF, TRACE_BUFFER);
    if (trace)
        events_add_output(outputs->json ? &output_json : &output_text, trace);
    if (summary)
        events_add_output(&output_summary, summary);
    done = outputs->done;
    serve(trace, outputs->log);
    events_end(lost_calls());
    close_output(trace);
    close_output(summary);
    close_done();
}
