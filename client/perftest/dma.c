// SPDX-License-Identifier: BSD-3-Clause
// Copyright (c) 2026, the docad authors
//
// dma_bw and dma_lat.

#include "clock.h"
#include "commands.h"
#include "rig.h"

#include <stdlib.h>
#include <string.h>

#define FOOTPRINT_MAX (256ull << 20)
#define PARTS         100 // parts of a run, for the peak
#define PART_NS       5e6 // of a run that lasts for a time
#define SAMPLES_MAX   (4u << 20)
#define GIB           (1024.0 * 1024 * 1024)

bool check_dma(struct options *options, struct problem *problem)
{
    if (options->memory == MEMORY_TINY) {
        if (!(options->given & TAKES(SIZE)))
            options->size = TINY_SIZE;
        if (options->size > TINY_SIZE)
            return problem_set(problem, "--memory tiny has only %d bytes, less than --size %s",
                               TINY_SIZE, size_text(options->size));
    }
    if (options->batch > options->depth) {
        if (options->given & TAKES(DEPTH))
            return problem_set(problem, "--batch %u is more than the --depth %u", options->batch,
                               options->depth);
        options->depth = options->batch;
    }
    // About 2 GiB in all, but neither very few nor very many.
    if (!options->iters) {
        uint64_t n = (2ull << 30) / options->size;
        options->iters = n < 10 ? 10 : n > 200000 ? 200000 : n;
    }
    if (!(options->given & TAKES(WARMUP)) && !options->warmup)
        options->warmup = options->iters / 10 + 1;
    return true;
}

static struct rig_plan plan_of(const struct options *options)
{
    uint64_t footprint = options->size * options->depth;
    if (footprint > FOOTPRINT_MAX)
        footprint = FOOTPRINT_MAX;
    if (footprint < options->size || options->memory == MEMORY_TINY)
        footprint = options->size;
    return (struct rig_plan){
        .path = options->path,
        .memory = options->memory,
        .size = options->size,
        .footprint = footprint,
        .depth = options->depth,
        .event = options->event,
    };
}

// ---- processor time --------------------------------------------------------------------------

struct cpu_use {
    double ours, daemon;
};

static struct cpu_use cpu_use(const struct run *run)
{
    return (struct cpu_use){
        .ours = cpu_seconds(0),
        .daemon = run->daemon_pid ? cpu_seconds(run->daemon_pid) : 0,
    };
}

static void add_cpu_use(const struct run *run, struct cpu_use before, uint64_t jobs)
{
    struct cpu_use after = cpu_use(run);
    double ns = (after.ours - before.ours) * 1e9;
    result_add(run->result, "cpu_ns_per_job", "CPU[ns/job]", ns / (double)jobs, 1);
    result_add(run->result, "cpu_ns_per_byte", "CPU[ns/B]",
               ns / (double)jobs / (double)run->options->size, 4);
    if (run->daemon_pid)
        result_add(run->result, "daemon_cpu_ns_per_job", "docad[ns/job]",
                   (after.daemon - before.daemon) * 1e9 / (double)jobs, 1);
}

// ---- bandwidth -----------------------------------------------------------------------------

struct bandwidth {
    double average, peak; // jobs per ns
    uint64_t jobs;
};

// The size of the next part; 0 if the run is over. Parts of a run that lasts for a time grow until
// they are long enough to be timed.
static uint64_t next_part(const struct options *options, const struct bandwidth *so_far,
                          uint64_t part, double ns, uint64_t *size)
{
    uint64_t parts = options->iters < PARTS ? options->iters : PARTS;
    if (!options->seconds)
        return part > parts ? 0 : options->iters * part / parts - so_far->jobs;
    if (ns >= (double)options->seconds * 1e9)
        return 0;
    if (ns < PART_NS * (double)part)
        *size *= 2;
    return *size;
}

static bool measure_bandwidth(struct rig *rig, struct run *run, struct bandwidth *out)
{
    const struct options *options = run->options;
    uint64_t begin = ticks_now(), last = begin, size = options->depth, n;
    for (uint64_t part = 1;
         (n = next_part(options, out, part, ticks_to_ns(last - begin), &size)) > 0; part++) {
        if (!rig_run(rig, n, options->batch, &run->result->problem))
            return false;
        uint64_t now = ticks_now();
        double rate = (double)n / ticks_to_ns(now - last);
        if (rate > out->peak)
            out->peak = rate;
        out->jobs += n;
        last = now;
    }
    out->average = (double)out->jobs / ticks_to_ns(last - begin);
    return true;
}

static bool run_bandwidth(struct rig *rig, struct run *run)
{
    const struct options *options = run->options;
    struct problem *problem = &run->result->problem;
    struct bandwidth rate = {0};

    if (!rig_run(rig, options->warmup, options->batch, problem))
        return false;
    memset(rig->target.at, 0, rig->region);
    rig->at = 0;
    struct cpu_use before = cpu_use(run);
    if (!measure_bandwidth(rig, run, &rate))
        return false;
    double bytes = (double)options->size;
    result_add(run->result, "bytes", "#bytes", bytes, 0);
    result_add(run->result, "iterations", "#iterations", (double)rate.jobs, 0);
    result_add(run->result, "bw_peak_gib_s", "BW peak[GiB/s]", rate.peak * bytes * 1e9 / GIB, 3);
    result_add(run->result, "bw_average_gib_s", "BW average[GiB/s]",
               rate.average * bytes * 1e9 / GIB, 3);
    result_add(run->result, "message_rate_mpps", "MsgRate[Mpps]", rate.average * 1e3, 6);
    add_cpu_use(run, before, rate.jobs);
    if (!rig_check_jobs(rig, rate.jobs, problem) || !rig_verify(rig, problem))
        return false;
    return run->result->verified = true;
}

bool run_dma_bw(struct run *run)
{
    struct rig_plan plan = plan_of(run->options);
    struct rig rig;
    bool ok = rig_open(&rig, &plan, run) && run_bandwidth(&rig, run);
    rig_close(&rig);
    return ok;
}

// ---- latency --------------------------------------------------------------------------------

// Returns where the sample of job i goes, of room for n. If there are more jobs than room, each has
// the same chance to be kept (SIZE_MAX: it is not): the spread is that of the whole run.
static size_t place_of(uint64_t i, uint64_t n)
{
    static uint64_t random = 0x9e3779b97f4a7c15;
    if (i < n)
        return (size_t)i;
    random ^= random << 13;
    random ^= random >> 7;
    random ^= random << 17;
    uint64_t at = random % (i + 1);
    return at < n ? (size_t)at : SIZE_MAX;
}

// Measures n jobs, or for a time; *done is how many.
static bool measure_latency(struct rig *rig, uint32_t *samples, uint64_t n, uint64_t seconds,
                            uint64_t *done, struct problem *problem)
{
    uint64_t begin = ticks_now(), now = begin, i;
    for (i = 0; seconds ? ticks_to_ns(now - begin) < (double)seconds * 1e9 : i < n; i++) {
        struct rig_job *job = rig_prepare(rig);
        uint64_t before = ticks_now();
        if (!rig_submit(rig, job, problem) || !rig_retrieve(rig, problem))
            return false;
        now = ticks_now();
        uint64_t ticks = ticks_between(before, now);
        size_t at = place_of(i, n);
        if (at != SIZE_MAX)
            samples[at] = ticks > UINT32_MAX ? UINT32_MAX : (uint32_t)ticks;
    }
    *done = i;
    return true;
}

static bool run_latency(struct rig *rig, struct run *run, uint32_t *samples, uint64_t room)
{
    const struct options *options = run->options;
    struct problem *problem = &run->result->problem;
    struct spread spread;
    uint64_t jobs;

    if (!rig_run(rig, options->warmup, 1, problem))
        return false;
    memset(rig->target.at, 0, rig->region);
    rig->at = 0;
    struct cpu_use before = cpu_use(run);
    if (!measure_latency(rig, samples, room, options->seconds, &jobs, problem))
        return false;
    result_add(run->result, "bytes", "#bytes", (double)options->size, 0);
    result_add(run->result, "iterations", "#iterations", (double)jobs, 0);
    add_cpu_use(run, before, jobs);
    spread_of(&spread, samples, jobs < room ? jobs : room);
    result_add_spread(run->result, &spread);
    if (!rig_check_jobs(rig, jobs, problem) || !rig_verify(rig, problem))
        return false;
    return run->result->verified = true;
}

bool run_dma_lat(struct run *run)
{
    struct rig_plan plan = plan_of(run->options);
    struct rig rig;
    uint64_t room = run->options->seconds ? SAMPLES_MAX : run->options->iters;
    // Touched here, so that no page fault falls into a sample.
    uint32_t *samples = malloc(room * sizeof(*samples));
    if (!samples)
        return problem_set(&run->result->problem, "out of memory for %llu samples",
                           (unsigned long long)room);
    memset(samples, 1, room * sizeof(*samples));
    bool ok = rig_open(&rig, &plan, run) && run_latency(&rig, run, samples, room);
    rig_close(&rig);
    free(samples);
    return ok;
}
