// SPDX-License-Identifier: BSD-3-Clause
// Copyright (c) 2026, the docad authors

#include "rdma_rig.h"

#include "clock.h"
#include "device.h"
#include "remote.h"
#include "stats.h"

#include <doca_docad.h>

#include <endian.h>
#include <errno.h>
#include <sched.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

#define ACCESS                                                                                     \
    (DOCA_ACCESS_LOCAL_READ_WRITE | DOCA_ACCESS_RDMA_READ | DOCA_ACCESS_RDMA_WRITE |               \
     DOCA_ACCESS_RDMA_ATOMIC)

#define ROUND_NS  50e6 // of a measurement that lasts for a time
#define ROUND_MAX 10000000u

// Little-endian: the other process may be on another machine.
struct details {
    uint32_t rdma_size, map_size;
    uint8_t rdma[DOCAD_EXPORT_DESC_SIZE], map[DOCAD_EXPORT_DESC_SIZE];
};

// ---- one side --------------------------------------------------------------------------------

static bool make_memory(struct rdma_rig *rig)
{
    size_t walk = rig->plan.size < 4096 ? 64 : rig->plan.size;
    uint32_t depth = rig->plan.depth;
    rig->half = (walk * depth + 8191) & ~(size_t)4095;
    if (!memory_open(&rig->memory, MEMORY_MAPPED, 2 * rig->half, rig->problem))
        return false;
    memset(rig->memory.at, 1, 2 * rig->half);
    DOCA_TRY(rig->problem, doca_mmap_create, NULL, &rig->map);
    DOCA_TRY(rig->problem, doca_mmap_set_permissions, rig->map, ACCESS);
    DOCA_TRY(rig->problem, doca_mmap_set_memrange, rig->map, rig->memory.at, 2 * rig->half);
    DOCA_TRY(rig->problem, doca_mmap_dev_add, rig->map, rig->dev);
    DOCA_TRY(rig->problem, doca_mmap_start, rig->map);
    DOCA_TRY(rig->problem, doca_buf_inventory_create, NULL, 3 * RDMA_WINDOW,
             DOCA_BUF_EXTENSION_NONE, &rig->inventory);
    DOCA_TRY(rig->problem, doca_buf_inventory_start, rig->inventory);
    return true;
}

static bool make_instance(struct rdma_rig *rig)
{
    if (rig->plan.tasks)
        return rdma_task_rig_open(&rig->tasks, rig->dev, ACCESS, 2 * RDMA_WINDOW,
                                  rig->plan.connections ? rig->plan.connections : 1, rig->problem);
    DOCA_TRY(rig->problem, doca_rdma_create, &rig->rdma);
    rig->ctx = doca_rdma_as_ctx(rig->rdma);
    DOCA_TRY(rig->problem, doca_ctx_dev_add, rig->ctx, rig->dev);
    DOCA_TRY(rig->problem, doca_rdma_set_permissions, rig->rdma, ACCESS);
    DOCA_TRY(rig->problem, doca_ctx_start, rig->ctx);
    rig->started = true;
    DOCA_TRY(rig->problem, doca_workq_create, 2 * RDMA_WINDOW, &rig->workq);
    DOCA_TRY(rig->problem, doca_ctx_workq_add, rig->ctx, rig->workq);
    rig->attached = true;
    return true;
}

static bool export_connection(struct rdma_rig *rig, const void **details, size_t *size)
{
    if (rig->tasks)
        return rdma_task_rig_export(rig->tasks, details, size, rig->problem);
    DOCA_TRY(rig->problem, doca_rdma_export, rig->rdma, details, size);
    return true;
}

static bool connect_it(struct rdma_rig *rig, const struct details *theirs)
{
    if (rig->tasks)
        return rdma_task_rig_connect(rig->tasks, theirs->rdma, theirs->rdma_size, rig->problem);
    DOCA_TRY(rig->problem, doca_rdma_connect, rig->rdma, theirs->rdma, theirs->rdma_size);
    return true;
}

// Connects once to the other process, and gets the description of its map.
static bool join(struct rdma_rig *rig, struct details *theirs)
{
    struct details mine = {0};
    const void *rdma, *map;
    size_t rdma_size, map_size;

    if (!export_connection(rig, &rdma, &rdma_size))
        return false;
    DOCA_TRY(rig->problem, doca_mmap_export_rdma, rig->map, rig->dev, &map, &map_size);
    memcpy(mine.rdma, rdma, rdma_size);
    memcpy(mine.map, map, map_size);
    mine.rdma_size = htole32((uint32_t)rdma_size);
    mine.map_size = htole32((uint32_t)map_size);
    if (!remote_send(rig->channel, &mine, sizeof(mine)) ||
        !remote_recv(rig->channel, theirs, sizeof(*theirs), -1))
        return problem_set(rig->problem, "the other process has ended");
    theirs->rdma_size = le32toh(theirs->rdma_size);
    theirs->map_size = le32toh(theirs->map_size);
    if (theirs->rdma_size > sizeof(theirs->rdma) || theirs->map_size > sizeof(theirs->map))
        return problem_set(rig->problem, "the other process has sent a descriptor that is too "
                                         "long");
    return connect_it(rig, theirs);
}

static bool exchange(struct rdma_rig *rig)
{
    struct details theirs;
    uint32_t n = 0;

    do
        if (!join(rig, &theirs))
            return false;
    while (++n < rig->plan.connections);
    DOCA_TRY(rig->problem, doca_mmap_create_from_export, NULL, theirs.map, theirs.map_size,
             rig->dev, &rig->remote);
    size_t length;
    DOCA_TRY(rig->problem, doca_mmap_get_memrange, rig->remote, (void **)&rig->remote_at, &length);
    return length >= 2 * rig->half ||
           problem_set(rig->problem, "the other process has exported only %zu bytes", length);
}

static bool make_buffers(struct rdma_rig *rig)
{
    size_t size = rig->plan.size, walk = size < 4096 ? 64 : size;
    for (uint32_t i = 0; i < rig->plan.depth; i++) {
        char *from = rig->memory.at + i * walk;
        DOCA_TRY(rig->problem, doca_buf_inventory_buf_by_data, rig->inventory, rig->map, from, size,
                 &rig->from[i]);
        DOCA_TRY(rig->problem, doca_buf_inventory_buf_by_data, rig->inventory, rig->map,
                 from + rig->half, size, &rig->to[i]);
        DOCA_TRY(rig->problem, doca_buf_inventory_buf_by_data, rig->inventory, rig->remote,
                 rig->remote_at + rig->half + i * walk, size, &rig->there[i]);
    }
    return true;
}

static bool open_side(struct rdma_rig *rig)
{
    const char *name = rig->plan.device;
    return (name ? device_open_ibdev(&rig->dev, name, rig->problem)
                 : device_open(&rig->dev, DEVICE_COPIES, rig->problem)) &&
           make_memory(rig) && make_instance(rig) && exchange(rig) && make_buffers(rig);
}

static void close_side(struct rdma_rig *rig)
{
    for (uint32_t i = 0; i < RDMA_WINDOW; i++) {
        struct doca_buf *bufs[] = {rig->from[i], rig->to[i], rig->there[i]};
        for (int k = 0; k < 3; k++)
            if (bufs[k])
                doca_buf_refcount_rm(bufs[k], NULL);
    }
    rdma_task_rig_close(rig->tasks);
    if (rig->attached)
        doca_ctx_workq_rm(rig->ctx, rig->workq);
    if (rig->workq)
        doca_workq_destroy(rig->workq);
    if (rig->started)
        doca_ctx_stop(rig->ctx);
    if (rig->rdma)
        doca_rdma_destroy(rig->rdma);
    if (rig->remote)
        doca_mmap_destroy(rig->remote);
    if (rig->inventory)
        doca_buf_inventory_destroy(rig->inventory);
    if (rig->map)
        doca_mmap_destroy(rig->map);
    if (rig->dev)
        doca_dev_close(rig->dev);
    memory_close(&rig->memory);
}

// ---- jobs -----------------------------------------------------------------------------------

// Both processes may have to share a processor: a process that waits long yields to the other one.
static void breathe(uint32_t *empty)
{
    if (++*empty % 4096 == 0)
        sched_yield();
}

static bool wait_task(struct rdma_rig *rig)
{
    enum rdma_task_end end;
    uint32_t empty = 0;
    while ((end = rdma_task_rig_progress(rig->tasks, rig->problem)) == RDMA_TASK_NONE)
        breathe(&empty);
    return end != RDMA_TASK_FAILED;
}

static bool retrieve(struct rdma_rig *rig)
{
    if (rig->tasks)
        return wait_task(rig);
    struct doca_event event = {.result.ptr = &rig->result};
    uint32_t empty = 0;
    doca_error_t r;
    while ((r = doca_workq_progress_retrieve(rig->workq, &event, 0)) == DOCA_ERROR_AGAIN)
        breathe(&empty);
    return r == DOCA_SUCCESS || problem_doca(rig->problem, "an RDMA job", rig->result.result);
}

static bool submit(struct rdma_rig *rig, const struct doca_job *job)
{
    DOCA_TRY(rig->problem, doca_workq_submit, rig->workq, job);
    return true;
}

static bool post_receive(struct rdma_rig *rig)
{
    struct doca_buf *to = rig->to[rig->next_to++ % rig->plan.depth];
    if (rig->tasks)
        return rdma_task_rig_receive(rig->tasks, to, rig->problem);
    struct doca_rdma_job_recv job = {.base = {.type = DOCA_RDMA_JOB_RECV, .ctx = rig->ctx},
                                     .dst_buff = to};
    return submit(rig, &job.base);
}

static bool post_send(struct rdma_rig *rig)
{
    struct doca_buf *from = rig->from[rig->next_from++ % rig->plan.depth];
    if (rig->tasks)
        return rdma_task_rig_send(rig->tasks, from, rig->problem);
    struct doca_rdma_job_send job = {.base = {.type = DOCA_RDMA_JOB_SEND, .ctx = rig->ctx},
                                     .src_buff = from};
    return submit(rig, &job.base);
}

static bool post_access(struct rdma_rig *rig, uint32_t i)
{
    bool write = rig->plan.test != RDMA_READ_BW;
    if (rig->tasks)
        return rdma_task_rig_write(rig->tasks, rig->from[i], rig->there[i], rig->problem);
    struct doca_rdma_job_read_write job = {
        .base = {.type = write ? DOCA_RDMA_JOB_WRITE : DOCA_RDMA_JOB_READ, .ctx = rig->ctx},
        .dst_buff = write ? rig->there[i] : rig->to[i],
        .src_buff = write ? rig->from[i] : rig->there[i]};
    return submit(rig, &job.base);
}

static bool post_atomic(struct rdma_rig *rig, uint32_t i)
{
    struct doca_rdma_job_atomic job = {
        .base = {.type = DOCA_RDMA_JOB_ATOMIC_FETCH_ADD, .ctx = rig->ctx},
        .cmp_or_add_dest_buff = rig->there[0],
        .result_buff = rig->to[i],
        .swap_or_add_data = 1};
    return submit(rig, &job.base);
}

// ---- the tests ------------------------------------------------------------------------------

// Waits for memory to change like a library: two processors may share a core.
static void watch(volatile uint8_t *byte, uint8_t value)
{
    uint32_t empty = 0;
    while (*byte != value) {
#if defined(__x86_64__)
        __builtin_ia32_pause();
#endif
        breathe(&empty);
    }
}

// Counts one more iteration.
static inline void count(struct rdma_rig *rig, uint64_t done)
{
    struct rdma_blocks *blocks = &rig->blocks;
    if (!blocks->size || done % blocks->size)
        return;
    uint64_t now = ticks_now();
    if (blocks->last) // the latest ones stay
        blocks->ns[blocks->n++ % RDMA_BLOCKS_MAX] = ticks_to_ns(now - blocks->last) / blocks->size;
    blocks->last = now;
}

static bool wait_receive_task(struct rdma_rig *rig, uint64_t *sends)
{
    enum rdma_task_end end;
    uint32_t empty = 0;
    while ((end = rdma_task_rig_progress(rig->tasks, rig->problem)) != RDMA_TASK_RECEIVED) {
        if (end == RDMA_TASK_FAILED)
            return false;
        if (end == RDMA_TASK_NONE)
            breathe(&empty);
        else
            ++*sends;
    }
    return true;
}

// Events of sends come between those of receives.
static bool wait_receive(struct rdma_rig *rig, uint64_t *sends)
{
    if (rig->tasks)
        return wait_receive_task(rig, sends);
    struct doca_event event = {.result.ptr = &rig->result};
    uint32_t empty = 0;
    for (;;) {
        doca_error_t r = doca_workq_progress_retrieve(rig->workq, &event, 0);
        if (r == DOCA_ERROR_AGAIN) {
            breathe(&empty);
            continue;
        }
        if (r != DOCA_SUCCESS)
            return problem_doca(rig->problem, "an RDMA job", rig->result.result);
        if (event.type == DOCA_RDMA_JOB_RECV)
            return true;
        ++*sends;
    }
}

// A process that has received first answers, and then prepares for the next message, like
// theirs.
static bool ping(struct rdma_rig *rig, uint64_t n, bool first)
{
    uint64_t done = 0;
    // One more than needed: on an ibverbs device a message that finds no receive is sent again some
    // time later.
    if (!post_receive(rig) || (n > 1 && !post_receive(rig)) || (first && !post_send(rig)))
        return false;
    for (uint64_t i = 0; i < n; i++) {
        bool last = i + 1 == n;
        if (!wait_receive(rig, &done) || ((!first || !last) && !post_send(rig)) ||
            (i + 2 < n && !post_receive(rig)))
            return false;
        count(rig, i + 1);
    }
    for (; done < n; done++)
        if (!retrieve(rig))
            return false;
    return true;
}

// A stream of messages, and one back.
static bool stream_out(struct rdma_rig *rig, uint64_t n)
{
    uint64_t posted = 0, done = 0;
    while (done < n) {
        while (posted < n && posted - done < rig->plan.depth) {
            if (!post_send(rig))
                return false;
            posted++;
        }
        if (!retrieve(rig))
            return false;
        count(rig, ++done);
    }
    return post_receive(rig) && retrieve(rig);
}

static bool stream_in(struct rdma_rig *rig, uint64_t n)
{
    uint64_t posted = 0;
    for (; posted < n && posted < rig->plan.depth; posted++)
        if (!post_receive(rig))
            return false;
    for (uint64_t i = 0; i < n; i++) {
        if (!retrieve(rig))
            return false;
        if (posted < n && !post_receive(rig))
            return false;
        posted++;
    }
    return post_send(rig) && retrieve(rig);
}

static bool access_stream(struct rdma_rig *rig, uint64_t n)
{
    uint64_t posted = 0, done = 0;
    while (done < n) {
        for (; posted < n && posted - done < rig->plan.depth; posted++) {
            uint32_t i = (uint32_t)(posted % rig->plan.depth);
            if (!(rig->plan.test == RDMA_ATOMIC ? post_atomic(rig, i) : post_access(rig, i)))
                return false;
        }
        if (!retrieve(rig))
            return false;
        count(rig, ++done);
    }
    return true;
}

// Each side writes a number into the other's memory, and waits for the next one there.
static bool write_ping(struct rdma_rig *rig, uint64_t n, bool first)
{
    volatile uint8_t *here = (volatile uint8_t *)rig->memory.at + rig->half;
    size_t last = rig->plan.size - 1;
    uint8_t *out = (uint8_t *)rig->memory.at;
    static uint8_t number;
    for (uint64_t i = 0; i < n; i++) {
        number = (uint8_t)(number % 200 + 2);
        if (!first)
            watch(&here[last], number);
        out[last] = number;
        if (!post_access(rig, 0) || !retrieve(rig))
            return false;
        if (first)
            watch(&here[last], number);
        count(rig, i + 1);
    }
    return true;
}

static bool run_side(struct rdma_rig *rig, uint64_t n, bool requester)
{
    switch (rig->plan.test) {
    case RDMA_SEND_LAT:
        return ping(rig, n, requester);
    case RDMA_SEND_BW:
        return requester ? stream_out(rig, n) : stream_in(rig, n);
    case RDMA_WRITE_LAT:
        return write_ping(rig, n, requester);
    default:
        return requester ? access_stream(rig, n) : true;
    }
}

// ---- the other process ----------------------------------------------------------------------

static int respond(struct rdma_rig *rig)
{
    uint64_t n;
    if (rig->plan.other_cpu >= 0)
        cpu_pin(rig->plan.other_cpu);
    bool ok = open_side(rig);
    while (ok && remote_recv(rig->channel, &n, sizeof(n), -1))
        ok = run_side(rig, le64toh(n), false);
    if (!ok)
        fprintf(stderr, "doca-perftest: the other process: %s\n", rig->problem->s);
    close_side(rig);
    return ok ? 0 : 1;
}

int rdma_rig_respond(const struct rdma_plan *plan, int channel)
{
    struct problem problem = {0};
    struct rdma_rig rig = {.plan = *plan, .channel = channel, .problem = &problem};
    int status = respond(&rig);
    remote_close(channel);
    return status;
}

static bool ask_server(struct rdma_rig *rig)
{
    const struct remote_request request = {.kind = REMOTE_RDMA,
                                           .what = rig->plan.test,
                                           .size = rig->plan.size,
                                           .depth = rig->plan.depth};
    return remote_open(&rig->channel, rig->plan.server, &request, rig->problem) && open_side(rig);
}

bool rdma_rig_open(struct rdma_rig *rig, const struct rdma_plan *plan, struct problem *problem)
{
    int pair[2];

    *rig = (struct rdma_rig){.plan = *plan, .channel = -1, .problem = problem};
    if (plan->server)
        return ask_server(rig);
    if (socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, pair) < 0)
        return problem_set(problem, "socketpair: %s", strerror(errno));
    pid_t parent = getpid();
    rig->pid = fork(); // before the library is used here
    if (rig->pid == 0) {
        prctl(PR_SET_PDEATHSIG, SIGKILL);
        if (getppid() != parent)
            _exit(1);
        close(pair[0]);
        rig->channel = pair[1];
        _exit(respond(rig));
    }
    close(pair[1]);
    rig->channel = pair[0];
    if (rig->pid < 0)
        return problem_set(problem, "fork: %s", strerror(errno));
    return open_side(rig);
}

void rdma_rig_close(struct rdma_rig *rig)
{
    remote_close(rig->channel);
    if (rig->pid > 0)
        waitpid(rig->pid, NULL, 0);
    close_side(rig);
}

bool rdma_rig_run(struct rdma_rig *rig, uint64_t n)
{
    if (n == 0)
        return true;
    const uint64_t wire = htole64(n);
    if (!remote_send(rig->channel, &wire, sizeof(wire)))
        return problem_set(rig->problem, "the other process has ended");
    return run_side(rig, n, true);
}

static void measure_blocks_of(struct rdma_rig *rig, uint64_t n)
{
    rig->blocks.size = (uint32_t)(n / 1000 ? n / 1000 : 1);
    if (rig->blocks.size > 256)
        rig->blocks.size = 256;
    rig->blocks.n = rig->blocks.last = 0;
}

// The time of an iteration, of n that took so long in all.
static double each_of(struct rdma_rig *rig, uint64_t ticks, uint64_t n)
{
    size_t blocks = rig->blocks.n < RDMA_BLOCKS_MAX ? rig->blocks.n : RDMA_BLOCKS_MAX;
    rig->blocks.size = 0;
    return blocks > 10 ? median(rig->blocks.ns, blocks) : ticks_to_ns(ticks) / (double)n;
}

bool rdma_rig_measure(struct rdma_rig *rig, uint64_t n, double *ns)
{
    uint64_t before = ticks_now();
    measure_blocks_of(rig, n);
    bool ok = rdma_rig_run(rig, n);
    *ns = each_of(rig, ticks_now() - before, n);
    return ok;
}

// The other side gets the number of the next iterations: rounds get longer until the time between
// them does not matter.
bool rdma_rig_measure_for(struct rdma_rig *rig, uint64_t seconds, uint64_t *n, double *ns)
{
    uint64_t begin = ticks_now(), now = begin, done = 0, round = rig->plan.depth;
    measure_blocks_of(rig, ROUND_MAX);
    while (ticks_to_ns(now - begin) < (double)seconds * 1e9) {
        uint64_t before = now;
        rig->blocks.last = 0;
        if (!rdma_rig_run(rig, round))
            return false;
        done += round;
        now = ticks_now();
        if (ticks_to_ns(now - before) < ROUND_NS && round < ROUND_MAX)
            round *= 2;
    }
    *n = done;
    *ns = each_of(rig, now - begin, done);
    return true;
}
