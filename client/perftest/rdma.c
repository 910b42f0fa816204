// SPDX-License-Identifier: BSD-3-Clause
// Copyright (c) 2026, the docad authors
//
// The commands of RDMA.

#include "commands.h"
#include "rdma_rig.h"

#define GIB (1024.0 * 1024 * 1024)

static bool measure(struct run *run, enum rdma_test test, double *ns, uint64_t *iters)
{
    const struct options *options = run->options;
    struct rdma_plan plan = {.test = test,
                             .size = options->size,
                             .depth = options->depth,
                             .tasks = options->tasks,
                             .device = options->device,
                             .server = options->server,
                             .other_cpu = run->other_cpu};
    struct rdma_rig rig;
    bool ok =
        rdma_rig_open(&rig, &plan, &run->result->problem) && rdma_rig_run(&rig, options->warmup);
    ok = ok && (options->seconds ? rdma_rig_measure_for(&rig, options->seconds, iters, ns)
                                 : rdma_rig_measure(&rig, *iters, ns));
    rdma_rig_close(&rig);
    return ok;
}

static bool report_latency(struct run *run, enum rdma_test test)
{
    double ns;
    uint64_t iters = run->options->iters;
    if (!measure(run, test, &ns, &iters))
        return false;
    result_add(run->result, "bytes", "#bytes", (double)run->options->size, 0);
    result_add(run->result, "iterations", "#iterations", (double)iters, 0);
    result_add(run->result, "one_way_ns", "one way[ns]", ns / 2, 1);
    return run->result->verified = true;
}

static bool report_bandwidth(struct run *run, enum rdma_test test)
{
    double ns;
    uint64_t iters = run->options->iters;
    if (!measure(run, test, &ns, &iters))
        return false;
    result_add(run->result, "bytes", "#bytes", (double)run->options->size, 0);
    result_add(run->result, "iterations", "#iterations", (double)iters, 0);
    result_add(run->result, "bw_median_gib_s", "BW median[GiB/s]",
               (double)run->options->size / ns * 1e9 / GIB, 3);
    result_add(run->result, "message_rate_mpps", "MsgRate[Mpps]", 1e3 / ns, 6);
    return run->result->verified = true;
}

bool run_send_lat(struct run *run)
{
    return report_latency(run, RDMA_SEND_LAT);
}

bool run_write_lat(struct run *run)
{
    return report_latency(run, RDMA_WRITE_LAT);
}

bool run_send_bw(struct run *run)
{
    return report_bandwidth(run, RDMA_SEND_BW);
}

bool run_write_bw(struct run *run)
{
    return report_bandwidth(run, RDMA_WRITE_BW);
}

bool run_read_bw(struct run *run)
{
    return report_bandwidth(run, RDMA_READ_BW);
}

bool run_atomic_bw(struct run *run)
{
    return report_bandwidth(run, RDMA_ATOMIC);
}

bool check_rdma(struct options *options, struct problem *problem)
{
    if (options->size == 0 || options->size > 1ull << 30)
        return problem_set(problem, "--size must be 1 to 1073741824 bytes here");
    if (options->depth == 0 || options->depth > RDMA_WINDOW)
        return problem_set(problem, "--depth must be 1 to %u here", RDMA_WINDOW);
    if (options->tasks && options->server)
        return problem_set(problem, "--tasks measures on this machine, not with --server");
    if (options->size * options->depth > 1ull << 31)
        return problem_set(problem, "--size times --depth must be at most 2 GiB");
    return true;
}
