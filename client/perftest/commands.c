// SPDX-License-Identifier: BSD-3-Clause
// Copyright (c) 2026, the docad authors

#include "commands.h"

#include "choice.h"
#include "server.h"

#include <string.h>

#define TAKES_ALWAYS  (TAKES(CPU) | TAKES(CSV) | TAKES(JSON) | TAKES(VERSION) | TAKES(HELP))
#define TAKES_SIZES   (TAKES(SIZE) | TAKES(ALL))
#define TAKES_REPEAT  (TAKES(ITERS) | TAKES(WARMUP))
#define TAKES_REMOTE  (TAKES(DURATION) | TAKES(SERVER) | TAKES(SOCKET))
#define TAKES_SOCKETS (TAKES(HOST_SOCKET) | TAKES(DPU_SOCKET))
#define TAKES_RDMA    (TAKES_ALWAYS | TAKES_REPEAT | TAKES_REMOTE | TAKES(HOST_SOCKET) | TAKES(DEVICE))
#define TAKES_JOB     (TAKES_SIZES | TAKES(PATH) | TAKES(MEMORY) | TAKES(COPIES) | TAKES_SOCKETS)

#define NEEDS_HOST (1u << NODE_HOST)
#define NEEDS_DPU  (1u << NODE_DPU)

const struct command commands[] = {
    {
        .name = "dma_bw",
        .summary = "bandwidth and rate of DMA jobs",
        .detail = "Keeps --depth jobs in flight. The average is over the whole run, the peak over "
                  "the best of up to 100 parts of it. Both sides walk over --depth times --size of "
                  "memory, at most 256 MiB.",
        .takes = TAKES_ALWAYS | TAKES_REPEAT | TAKES_REMOTE | TAKES_JOB | TAKES(DEPTH) |
                 TAKES(BATCH) | TAKES(MODE),
        .defaults = {.size = 65536, .depth = 32, .batch = 1},
        .nodes = NEEDS_HOST,
        .check = check_dma,
        .run = run_dma_bw,
    },
    {
        .name = "dma_lat",
        .summary = "latency of DMA jobs, one at a time",
        .detail =
            "Measures from before doca_workq_submit() to after the doca_workq_progress_retrieve() "
            "that hands out the event. Some processors count in steps of 10 ns (\"step_ns\" with "
            "--json): for such short jobs dma_bw --depth 1 is more exact.",
        .takes = TAKES_ALWAYS | TAKES_REPEAT | TAKES_REMOTE | TAKES_JOB | TAKES(MODE),
        .defaults = {.size = 64, .depth = 1, .batch = 1},
        .nodes = NEEDS_HOST,
        .check = check_dma,
        .run = run_dma_lat,
    },
    {
        .name = "send_lat",
        .summary = "one way of an RDMA message",
        .detail = "Two processes of one node. Each sends what it has received back; the figure is "
                  "half of the round-trip time.",
        .takes = TAKES_RDMA | TAKES_SIZES | TAKES(TASKS),
        .defaults = {.size = 8, .depth = 1, .iters = 1000000, .warmup = 10000, .batch = 1},
        .nodes = NEEDS_HOST,
        .check = check_rdma,
        .run = run_send_lat,
    },
    {
        .name = "send_bw",
        .summary = "bandwidth and rate of RDMA messages",
        .detail = "Two processes of one node; --depth jobs are in flight.",
        .takes = TAKES_RDMA | TAKES_SIZES | TAKES(TASKS) | TAKES(DEPTH),
        .defaults = {.size = 65536, .depth = 64, .iters = 100000, .warmup = 1000, .batch = 1},
        .nodes = NEEDS_HOST,
        .check = check_rdma,
        .run = run_send_bw,
    },
    {
        .name = "write_lat",
        .summary = "one way of an RDMA write",
        .detail = "Two processes of one node, each of which waits in its own memory for what the "
                  "other one writes; the figure is half of the round-trip time.",
        .takes = TAKES_RDMA | TAKES_SIZES | TAKES(TASKS),
        .defaults = {.size = 8, .depth = 1, .iters = 1000000, .warmup = 10000, .batch = 1},
        .nodes = NEEDS_HOST,
        .check = check_rdma,
        .run = run_write_lat,
    },
    {
        .name = "write_bw",
        .summary = "bandwidth and rate of RDMA writes",
        .detail = "Two processes of one node; --depth jobs are in flight.",
        .takes = TAKES_RDMA | TAKES_SIZES | TAKES(TASKS) | TAKES(DEPTH),
        .defaults = {.size = 65536, .depth = 16, .iters = 100000, .warmup = 1000, .batch = 1},
        .nodes = NEEDS_HOST,
        .check = check_rdma,
        .run = run_write_bw,
    },
    {
        .name = "read_bw",
        .summary = "bandwidth and rate of RDMA reads",
        .detail = "Two processes of one node; --depth jobs are in flight.",
        .takes = TAKES_RDMA | TAKES_SIZES | TAKES(DEPTH),
        .defaults = {.size = 65536, .depth = 16, .iters = 100000, .warmup = 1000, .batch = 1},
        .nodes = NEEDS_HOST,
        .check = check_rdma,
        .run = run_read_bw,
    },
    {
        .name = "atomic_bw",
        .summary = "rate of RDMA fetch-and-add",
        .detail = "Two processes of one node; --depth jobs are in flight, all on one word.",
        .takes = TAKES_RDMA | TAKES(DEPTH),
        .defaults = {.size = 8, .depth = 64, .iters = 5000000, .warmup = 10000, .batch = 1},
        .nodes = NEEDS_HOST,
        .check = check_rdma,
        .run = run_atomic_bw,
    },
    {
        .name = "sync_lat",
        .summary = "one way of a sync event, from setting it to wait_gt on the other side",
        .detail = "A program of the host and one of the DPU in turns; then the same two by a bare "
                  "word of shared memory.",
        .takes = TAKES_ALWAYS | TAKES_REPEAT | TAKES_REMOTE | TAKES_SOCKETS,
        .defaults = {.size = 8, .iters = 1000000, .warmup = 10000, .depth = 1, .batch = 1},
        .nodes = NEEDS_HOST | NEEDS_DPU,
        .check = check_duet,
        .run = run_sync_lat,
    },
    {
        .name = "cc_rate",
        .summary = "messages a second through the Comm Channel",
        .detail =
            "From a program of the host to one of the DPU; then through a bare SOCK_SEQPACKET "
            "pair between the same two.",
        .takes = TAKES_ALWAYS | TAKES_REPEAT | TAKES_REMOTE | TAKES_SIZES | TAKES_SOCKETS,
        .defaults = {.size = 64, .iters = 500000, .warmup = 10000, .depth = 1, .batch = 1},
        .nodes = NEEDS_HOST | NEEDS_DPU,
        .check = check_duet,
        .run = run_cc_rate,
    },
    {
        .name = "buf",
        .summary = "taking a buffer from an inventory and giving it back",
        .detail = "--batch buffers are taken, then given back; the figure is for one pair.",
        .takes = TAKES_ALWAYS | TAKES_REPEAT | TAKES(BATCH),
        .defaults = {.iters = 10000000, .batch = 1, .warmup = 100000},
        .run = run_buf,
    },
    {
        .name = "mmap_start",
        .summary = "start of a memory map of anonymous memory that the DPU may use",
        .detail = "Each iteration starts and destroys a map of new, touched pages, and copies as "
                  "much to new memory and once more to the same.",
        .takes = TAKES_ALWAYS | TAKES(SIZE) | TAKES(ITERS) | TAKES(HOST_SOCKET),
        .defaults = {.size = 256 << 20, .iters = 5},
        .nodes = NEEDS_HOST,
        .check = check_mmap_start,
        .run = run_mmap_start,
    },
    {
        .name = "event",
        .summary = "from submitting a job to waking a thread that waits for its event",
        .detail = "One thread arms the work queue and sleeps in epoll_wait(); the other submits. "
                  "The same two threads then do so with a bare eventfd.",
        .takes = TAKES_ALWAYS | TAKES_REPEAT | TAKES_JOB,
        .defaults =
            {.size = 64, .iters = 2000, .warmup = 100, .depth = 1, .batch = 1, .event = true},
        .nodes = NEEDS_HOST,
        .check = check_dma,
        .run = run_event,
    },
    {
        .name = "compare",
        .summary = "our figures and those of other programs side by side, with goals",
        .detail =
            "Alternates both sides over several rounds (at most --iters of them) in several "
            "processes (--processes); a ratio is the median over the processes of their medians "
            "over the rounds. A row is unstable, and its goal not met, if processes differ by more "
            "than 1.5 times.\n"
            "A goal that is not met does not make the run fail.",
        .takes = (TAKES_ALWAYS & ~TAKES(CSV)) | TAKES_SOCKETS | TAKES(QUICK) | TAKES(ROWS) |
                 TAKES(PROCESSES) | TAKES(ITERS),
        .supervise = supervise_compare,
        .nodes = NEEDS_HOST | NEEDS_DPU,
    },
    {
        .name = "scale",
        .summary = "what requests, events and objects cost on a node that has many",
        .detail =
            "Times each request on an empty node of the host and on a full one, --iters times; "
            "then how long others wait while all exports are listed, metrics are read, and "
            "sessions "
            "with thousands of exports end; and what an object takes of docad's memory and "
            "descriptors. Where dbus-broker is installed, a connection to it and a call are "
            "timed, too. It speaks docad's protocol without the library, which has one session "
            "for each process. Daemons that are named need limits that are high enough (a "
            "uid's: sessions_per_uid, publications_per_uid); private ones have none.",
        .takes = TAKES_SOCKETS | TAKES(ITERS) | TAKES(SESSIONS) | TAKES(EXPORTS) | TAKES(NAMES) |
                 TAKES(RESTART) | TAKES(JSON) | TAKES(VERSION) | TAKES(HELP),
        .defaults = {.sessions = 10000, .exports = 100000, .names = 30000, .iters = 500},
        .nodes = NEEDS_HOST | NEEDS_DPU,
        .check = check_scale,
        .supervise = supervise_scale,
    },
    {
        .name = "attack",
        .summary = "how long a user waits while another one floods docad",
        .detail =
            "For each flood: what a map's start, export and import take, with their ends, "
            "and what a read of bytes takes that docad's engine copies; before that, the same "
            "on an idle docad. Each figure has --iters samples, or those of four seconds. Floods "
            "that hold objects first take what docad grants of the numbers below, which are its "
            "default limits; --fill takes a part of them, and --quick one percent. Those that "
            "do something again and again are measured for four seconds. The "
            "goal is a p99 below 20 ms, and a p50 within three times the idle one. Only root "
            "can be two users: uid 64010 attacks. Daemons that are named must let that user "
            "connect.",
        .takes = TAKES_SOCKETS | TAKES(ITERS) | TAKES(FILL) | TAKES(QUICK) | TAKES(ROWS) |
                 TAKES(JSON) | TAKES(VERSION) | TAKES(HELP),
        .defaults = {.iters = 3000, .fill = 100},
        .supervise = supervise_attack,
        .nodes = NEEDS_HOST | NEEDS_DPU,
    },
    {
        .name = "external",
        .summary = "what other installed programs measure here, over shared memory",
        .detail = "ucx_perftest (package ucx-utils) and fi_pingpong (libfabric-bin); a latency is "
                  "one way. $UCX_TLS is posix,self unless it is set.",
        .takes = TAKES(SIZE) | TAKES(ITERS) | TAKES(JSON) | TAKES(VERSION) | TAKES(HELP),
        .defaults = {.size = 64, .iters = 100000},
        .supervise = supervise_external,
    },
    {
        .name = "server",
        .summary = "the other side for clients on linked machines",
        .detail =
            "A client names this machine: doca-perftest write_bw --server HOST. The docad "
            "there and the one here are linked (docad-machines(7)); what DMA and sync events "
            "take is exported by a host's server to a DPU's client, and messages of cc_rate "
            "go the same way. One client is served at a time, others wait. Whoever reaches "
            "the port may have memory allocated here, 2 GiB at most, but only linked machines "
            "get at its bytes: --bind an address that is not public. It runs until it is "
            "interrupted.",
        .takes = TAKES(BIND) | TAKES(PORT) | TAKES(SOCKET) | TAKES(DEVICE) | TAKES(ONCE) |
                 TAKES(CPU) | TAKES(VERSION) | TAKES(HELP),
        .supervise = supervise_server,
    },
    {
        .name = "plot",
        .summary = "a chart of what `--all --json` or `compare --json` has printed, as SVG",
        .detail =
            "Up to four files are drawn into one chart. The file - is standard input.\n"
            "gnuplot draws it (package gnuplot-nox), without a display. Of compare, it shows how "
            "many times as fast docad is as what it is compared with, whose names --rows "
            "looks at, too.",
        .takes = TAKES(ROWS) | TAKES(VERSION) | TAKES(HELP),
        .files = FILES_MAX,
        .check = check_plot,
        .supervise = supervise_plot,
    },
};

const size_t n_commands = sizeof(commands) / sizeof(commands[0]);

const struct command *command_find(const char *name)
{
    for (size_t i = 0; i < n_commands; i++)
        if (strcmp(commands[i].name, name) == 0)
            return &commands[i];
    return NULL;
}

void command_unknown(const char *name, struct problem *problem)
{
    struct choice choice = {.n = 0};
    for (size_t i = 0; i < n_commands; i++)
        choice_add(&choice, commands[i].name, strlen(commands[i].name));
    problem_set(problem, "there is no command '%s'", name);
    choice_suggest(&choice, name, problem->s, sizeof(problem->s));
}
