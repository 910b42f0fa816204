// SPDX-License-Identifier: BSD-3-Clause
// Copyright (c) 2026, the docad authors
//
// Ways of measuring RDMA for `compare`: against ucx_perftest over shared memory, and
// against memcpy.

#include "clock.h"
#include "external.h"
#include "rows.h"

#include <math.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>

#define GIB  (1024.0 * 1024 * 1024)
#define WARM 1000

static bool is_latency(const struct row *row)
{
    return row->rdma == RDMA_SEND_LAT || row->rdma == RDMA_WRITE_LAT;
}

// Half of a round trip, or one job of a stream, as a value in the row's unit.
static double in_unit(const struct row *row, double ns)
{
    return row->rate ? (double)row->size / ns * 1e9 / GIB : is_latency(row) ? ns / 2 : 1e3 / ns;
}

static uint64_t jobs(const struct trial *trial)
{
    return trial->quick ? trial->row->jobs / 20 : trial->row->jobs;
}

static bool open_rig(struct trial *trial, struct rdma_rig **rig, uint32_t connections)
{
    struct rdma_plan plan = {.test = trial->row->rdma,
                             .size = trial->row->size,
                             .depth = trial->row->batch,
                             .tasks = trial->row->contexts > 0,
                             .connections = connections,
                             .other_cpu = trial->run->other_cpu};
    *rig = malloc(sizeof(**rig));
    if (!*rig)
        return problem_set(trial->problem, "out of memory");
    return rdma_rig_open(*rig, &plan, trial->problem) && rdma_rig_run(*rig, WARM);
}

static bool open_rdma(struct trial *trial)
{
    return open_rig(trial, &trial->rdma, 1);
}

// Latencies are medians, like theirs; rates are over all iterations.
static bool ours_rdma(struct trial *trial, double *value)
{
    uint64_t n = jobs(trial), before = ticks_now();
    double ns;
    bool ok = is_latency(trial->row) ? rdma_rig_measure(trial->rdma, n, &ns)
                                     : rdma_rig_run(trial->rdma, n);
    if (!is_latency(trial->row))
        ns = ticks_to_ns(ticks_now() - before) / (double)n;
    *value = in_unit(trial->row, ns);
    return ok;
}

bool trial_ucx(struct trial *trial, double *value)
{
    const struct row *row = trial->row;
    struct external_test test = {
        .tool = EXTERNAL_UCX, .name = row->ucx, .size = row->size, .iters = jobs(trial)};
    struct supervisor unsupervised = {.signals = -1}; // the real one ends us if it is to end
    struct external_figures figures;
    char path[4096];

    *value = NAN;
    if (!external_find(EXTERNAL_UCX, path, sizeof(path)))
        return true;
    sigprocmask(SIG_BLOCK, NULL, &unsupervised.inherited);
    setenv("UCX_TLS", row->ucx_tls, 1);
    if (!external_run(&unsupervised, &test, &figures, trial->problem))
        return false;
    *value = row->rate         ? figures.mib_s / 1024
             : is_latency(row) ? figures.p50_usec * 1e3
                               : figures.rate_mpps;
    return true;
}

// fi_pingpong prints only the average, of fewer messages, because it is slow.
static bool theirs_fabric(struct trial *trial, double *value)
{
    struct external_test test = {.tool = EXTERNAL_FABRIC,
                                 .name = "shm",
                                 .size = trial->row->size,
                                 .iters = jobs(trial) / 100};
    struct supervisor unsupervised = {.signals = -1};
    struct external_figures figures;
    char path[4096];

    *value = NAN;
    if (!external_find(EXTERNAL_FABRIC, path, sizeof(path)))
        return true;
    sigprocmask(SIG_BLOCK, NULL, &unsupervised.inherited);
    if (!external_run(&unsupervised, &test, &figures, trial->problem))
        return false;
    *value = figures.average_usec * 1e3;
    return true;
}

// As far as copies go: from our memory to our memory.
static bool theirs_memcpy(struct trial *trial, double *value)
{
    struct rdma_rig *rig = trial->rdma;
    uint64_t n = jobs(trial), before = ticks_now();
    for (uint64_t i = 0; i < n; i++) {
        size_t at = i % trial->row->batch * trial->row->size;
        memcpy(rig->memory.at + at, rig->memory.at + rig->half + at, trial->row->size);
        __asm__ volatile("" ::: "memory");
    }
    *value = in_unit(trial->row, ticks_to_ns(ticks_now() - before) / (double)n);
    return true;
}

static bool verify_rdma(struct trial *trial)
{
    (void)trial; // the tests of the library do
    return true;
}

static void close_rig(struct rdma_rig *rig)
{
    if (rig)
        rdma_rig_close(rig);
    free(rig);
}

static void close_rdma(struct trial *trial)
{
    close_rig(trial->rdma);
}

const struct method method_ucx = {open_rdma, ours_rdma, trial_ucx, verify_rdma, close_rdma};
const struct method method_fabric = {open_rdma, ours_rdma, theirs_fabric, verify_rdma, close_rdma};
const struct method method_rdma_copy = {open_rdma, ours_rdma, theirs_memcpy, verify_rdma,
                                        close_rdma};

// ---- both ends on one core -------------------------------------------------------------------

// Each of the two polls, and has to yield the core for the other one to run.
static bool open_one_core(struct trial *trial)
{
    struct run *run = trial->run;
    if (run->cpu < 0)
        run->cpu = cpu_nth(0);
    run->other_cpu = run->cpu;
    return (run->cpu < 0 || cpu_pin(run->cpu) ||
            problem_set(trial->problem, "this process may not run on processor %d", run->cpu)) &&
           open_rdma(trial);
}

static bool theirs_nothing(struct trial *trial, double *value)
{
    (void)trial;
    *value = NAN;
    return true;
}

const struct method method_one_core = {open_one_core, ours_rdma, theirs_nothing, verify_rdma,
                                       close_rdma};

// ---- many connections against one ------------------------------------------------------------

static bool open_connections(struct trial *trial)
{
    return open_rig(trial, &trial->rdma, trial->row->connections) &&
           open_rig(trial, &trial->other_rdma, 1);
}

// There and back. The processes of the other rig sleep during that.
static bool ours_connections(struct trial *trial, double *value)
{
    return rdma_rig_measure(trial->rdma, jobs(trial), value);
}

static bool theirs_connections(struct trial *trial, double *value)
{
    return rdma_rig_measure(trial->other_rdma, jobs(trial), value);
}

static void close_connections(struct trial *trial)
{
    // The process that was started last has inherited the other one's channel.
    close_rig(trial->other_rdma);
    close_rig(trial->rdma);
}

const struct method method_connections = {open_connections, ours_connections, theirs_connections,
                                          verify_rdma, close_connections};
