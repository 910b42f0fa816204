// SPDX-License-Identifier: BSD-3-Clause
// Copyright (c) 2026, the docad authors
//
// The methods of `compare`.

#include "chunk_map.h"
#include "clock.h"
#include "device.h"
#include "registration.h"
#include "rows.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <sys/uio.h>

#define GIB          (1024.0 * 1024 * 1024)
#define FULL_NS      1e6 // one side of one round: short, so that few are interrupted
#define QUICK_NS     5e5
#define LINK_REQUEST 48 // bytes of a request from one docad to another
#define FIRST_JOBS   8  // to estimate how many take that long
#define JOBS_MAX     2e6
#define IDLE_NS      100000 // longer than an engine watches an idle queue pair
#define WAKES        9      // of one side of one round

static double aim_ns(const struct trial *trial)
{
    return trial->quick ? QUICK_NS : FULL_NS;
}

// A duration of n jobs as a value in the row's unit.
static double in_unit(const struct trial *trial, double ns, double n)
{
    const struct row *row = trial->row;
    return row->rate ? (double)row->size * n / ns * 1e9 / GIB : ns / n;
}

// ---- jobs against memcpy -------------------------------------------------------------------

static bool time_jobs(struct trial *trial, uint64_t n, double *ns)
{
    uint64_t before = ticks_now();
    if (!rig_run(&trial->rig, n, trial->row->batch, trial->problem))
        return false;
    *ns = ticks_to_ns(ticks_now() - before);
    return true;
}

static bool open_rig(struct trial *trial, bool event)
{
    const struct row *row = trial->row;
    struct rig_plan plan = {
        .path = row->path,
        .memory = row->memory,
        .size = row->size,
        .footprint = row->footprint > row->size ? row->footprint : row->size,
        .depth = row->batch,
        .event = event,
        .contexts = row->contexts,
    };
    return rig_open(&trial->rig, &plan, trial->run);
}

static bool open_jobs(struct trial *trial)
{
    double ns;
    if (!open_rig(trial, false))
        return false;
    // Touches all of it once, so that no page fault is measured.
    uint64_t all = trial->rig.region / trial->row->size;
    if (!time_jobs(trial, all, &ns) || !time_jobs(trial, FIRST_JOBS, &ns))
        return false;
    double n = ceil(aim_ns(trial) / (ns / FIRST_JOBS));
    uint64_t batch = trial->row->batch;
    trial->n = n < 1 ? 1 : n > JOBS_MAX ? (uint64_t)JOBS_MAX : (uint64_t)n;
    trial->n = (trial->n + batch - 1) / batch * batch;
    return true;
}

// The source of an import is a memory file; so is memcpy's then, at the same alignment.
static bool open_copy(struct trial *trial)
{
    const struct row *row = trial->row;
    if (!open_jobs(trial))
        return false;
    // Half the footprint apart, so that neither finds the other's data in the cache.
    trial->at = trial->rig.region / row->size / 2 * row->size;
    if (row->path == PATH_LOCAL)
        return true;
    size_t skip = (uintptr_t)trial->rig.from % 4096;
    if (!memory_open(&trial->source, MEMORY_FILE, trial->rig.region + skip, trial->problem))
        return false;
    trial->source.at += skip;
    pattern_fill(trial->source.at, trial->rig.region);
    return true;
}

static bool ours_copy(struct trial *trial, double *value)
{
    double ns;
    if (!time_jobs(trial, trial->n, &ns))
        return false;
    *value = in_unit(trial, ns, (double)trial->n);
    return true;
}

static bool theirs_copy(struct trial *trial, double *value)
{
    struct rig *rig = &trial->rig;
    const char *from = trial->row->path == PATH_LOCAL ? rig->source.at : trial->source.at;
    char *to = rig->target.at;
    size_t size = rig->plan.size, at = trial->at;
    uint64_t before = ticks_now();
    for (uint64_t i = 0; i < trial->n; i++) {
        memcpy(to + at, from + at, size);
        __asm__ volatile("" ::: "memory"); // keep each copy
        at += size;
        if (at == rig->region)
            at = 0;
    }
    *value = in_unit(trial, ticks_to_ns(ticks_now() - before), (double)trial->n);
    trial->at = at;
    return true;
}

static bool verify_copy(struct trial *trial)
{
    return rig_verify(&trial->rig, trial->problem);
}

static void close_copy(struct trial *trial)
{
    rig_close(&trial->rig);
    memory_close(&trial->source);
}

const struct method method_copy = {open_copy, ours_copy, theirs_copy, verify_copy, close_copy};

// ---- over a link ----------------------------------------------------------------------------

static bool open_link(struct trial *trial)
{
    const struct tls_plan plan = {LINK_REQUEST, trial->row->size, 1};
    return tls_pair_open(&trial->tls, &plan, trial->problem) && open_jobs(trial);
}

static bool theirs_link(struct trial *trial, double *value)
{
    uint64_t before = ticks_now();
    if (!tls_pair_run(trial->tls, trial->n, trial->row->batch, trial->problem))
        return false;
    *value = in_unit(trial, ticks_to_ns(ticks_now() - before), (double)trial->n);
    return true;
}

static void close_link(struct trial *trial)
{
    tls_pair_close(trial->tls);
    rig_close(&trial->rig);
}

const struct method method_link = {open_link, ours_copy, theirs_link, verify_copy, close_link};

// ---- through the engine ------------------------------------------------------------------------

static bool theirs_busy(struct trial *trial, double *value)
{
    struct rig *rig = &trial->rig;
    struct iovec to = {rig->target.at, rig->plan.size}, from = {rig->from, rig->plan.size};
    uint64_t before = ticks_now();
    for (uint64_t i = 0; i < trial->n; i++)
        if (process_vm_readv(trial->run->exporter_pid, &to, 1, &from, 1, 0) !=
            (ssize_t)rig->plan.size) {
            *value = NAN; // not permitted, as in many containers
            return true;
        }
    *value = in_unit(trial, ticks_to_ns(ticks_now() - before), (double)trial->n);
    return true;
}

const struct method method_busy = {open_jobs, ours_copy, theirs_busy, verify_copy, close_copy};

static bool open_asleep(struct trial *trial)
{
    return open_rig(trial, false) && rig_run(&trial->rig, FIRST_JOBS, 1, trial->problem) &&
           ping_open(&trial->ping, NULL, -1, trial->problem);
}

static void stay_idle(void)
{
    uint64_t until = clock_ns() + IDLE_NS;
    while (clock_ns() < until)
        ;
}

static bool ours_asleep(struct trial *trial, double *value)
{
    double ns[WAKES];
    for (unsigned i = 0; i < WAKES; i++) {
        struct rig_job *job = rig_prepare(&trial->rig);
        stay_idle();
        uint64_t before = ticks_now();
        if (!rig_submit(&trial->rig, job, trial->problem) ||
            !rig_retrieve(&trial->rig, trial->problem))
            return false;
        ns[i] = ticks_to_ns(ticks_between(before, ticks_now()));
    }
    *value = median(ns, WAKES);
    return true;
}

static bool time_pings(struct trial *trial, enum ping_kind kind, bool and_seen, double *value)
{
    double ns[WAKES];
    uint64_t ticks;
    for (unsigned i = 0; i < WAKES; i++) {
        if (!ping_once(&trial->ping, kind, and_seen, &ticks, trial->problem))
            return false;
        ns[i] = ticks_to_ns(ticks);
    }
    *value = median(ns, WAKES);
    return true;
}

static bool theirs_asleep(struct trial *trial, double *value)
{
    return time_pings(trial, PING_EVENTFD, true, value);
}

static void close_ping(struct trial *trial)
{
    ping_close(&trial->ping);
    rig_close(&trial->rig);
}

const struct method method_asleep = {open_asleep, ours_asleep, theirs_asleep, verify_copy,
                                     close_ping};

// ---- waking ---------------------------------------------------------------------------------

static bool open_wake(struct trial *trial)
{
    int here = trial->run->cpu >= 0 ? trial->run->cpu : cpu_nth(0);
    int there = trial->run->cpu >= 0 ? trial->run->other_cpu : cpu_nth(1);
    if (!open_rig(trial, true))
        return false;
    if (there >= 0) // each of the two has its own
        cpu_pin(here);
    return ping_open(&trial->ping, &trial->rig, there, trial->problem);
}

static bool ours_wake(struct trial *trial, double *value)
{
    return time_pings(trial, PING_JOB, false, value);
}

static bool theirs_wake(struct trial *trial, double *value)
{
    return time_pings(trial, PING_EVENTFD, false, value);
}

const struct method method_wake = {open_wake, ours_wake, theirs_wake, verify_copy, close_ping};

// ---- buffers --------------------------------------------------------------------------------

#define OBJECT_SIZE 128 // about the size of a buffer

static bool open_buffers(struct trial *trial)
{
    trial->n = trial->quick ? 20000 : 40000;
    return pool_open(&trial->pool, trial->row->batch, trial->problem) &&
           pool_pairs(&trial->pool, trial->n, trial->problem);
}

static bool ours_buffers(struct trial *trial, double *value)
{
    uint64_t before = ticks_now();
    if (!pool_pairs(&trial->pool, trial->n, trial->problem))
        return false;
    *value = in_unit(trial, ticks_to_ns(ticks_now() - before), (double)trial->n);
    return true;
}

static bool theirs_buffers(struct trial *trial, double *value)
{
    uint64_t before = ticks_now();
    for (uint64_t i = 0; i < trial->n; i++) {
        void *object = malloc(OBJECT_SIZE);
        __asm__ volatile("" ::"r"(object) : "memory"); // it is wanted
        free(object);
    }
    *value = in_unit(trial, ticks_to_ns(ticks_now() - before), (double)trial->n);
    return true;
}

static bool verify_buffers(struct trial *trial)
{
    uint32_t free_ones = 0;
    DOCA_TRY(trial->problem, doca_buf_inventory_get_num_free_elements, trial->pool.inventory,
             &free_ones);
    return free_ones == trial->row->batch ||
           problem_set(trial->problem, "buffers did not come back");
}

static void close_buffers(struct trial *trial)
{
    pool_close(&trial->pool);
}

const struct method method_buffers = {open_buffers, ours_buffers, theirs_buffers, verify_buffers,
                                      close_buffers};

// ---- starting a map -----------------------------------------------------------------------------

static bool open_start(struct trial *trial)
{
    if (!device_open(&trial->rig.dev, DEVICE_EXPORTS, trial->problem) ||
        !memory_open(&trial->source, MEMORY_MAPPED, trial->row->size, trial->problem))
        return false;
    pattern_fill(trial->source.at, trial->source.size);
    return true;
}

static bool ours_start(struct trial *trial, double *value)
{
    struct start_times times;
    if (!registration_start(trial->rig.dev, &trial->source, &times, trial->problem))
        return false;
    *value = times.start / 1e6;
    return true;
}

static bool theirs_start(struct trial *trial, double *value)
{
    struct copy_times times;
    if (!registration_copy(&trial->source, &times, trial->problem))
        return false;
    *value = times.fresh / 1e6;
    return true;
}

static bool verify_start(struct trial *trial)
{
    (void)trial; // each start was
    return true;
}

static void close_start(struct trial *trial)
{
    if (trial->rig.dev)
        doca_dev_close(trial->rig.dev);
    memory_close(&trial->source);
}

const struct method method_start = {open_start, ours_start, theirs_start, verify_start,
                                    close_start};

// ---- many chunks ----------------------------------------------------------------------------

#define CHUNKS     10000
#define CHUNK_SIZE 4096

static bool open_chunks(struct trial *trial)
{
    const struct row *row = trial->row;
    trial->n = trial->quick ? 10000 : 20000;
    if (!device_open(&trial->rig.dev, DEVICE_COPIES, trial->problem) ||
        !memory_open(&trial->source, MEMORY_MAPPED, CHUNKS * CHUNK_SIZE, trial->problem))
        return false;
    pattern_fill(trial->source.at, trial->source.size);
    return chunk_map_open(&trial->many, trial->rig.dev, &trial->source, CHUNKS, row->batch,
                          trial->problem) &&
           chunk_map_open(&trial->one, trial->rig.dev, &trial->source, 1, row->batch,
                          trial->problem);
}

static bool time_chunks(struct trial *trial, struct chunk_map *map, double *value)
{
    uint64_t before = ticks_now();
    if (!chunk_map_run(map, trial->n, trial->row->size, trial->problem))
        return false;
    *value = in_unit(trial, ticks_to_ns(ticks_now() - before), (double)trial->n);
    return true;
}

static bool ours_chunks(struct trial *trial, double *value)
{
    return time_chunks(trial, trial->many, value);
}

static bool theirs_chunks(struct trial *trial, double *value)
{
    return time_chunks(trial, trial->one, value);
}

static bool verify_chunks(struct trial *trial)
{
    return chunk_map_verify(trial->many, trial->row->size, trial->problem);
}

static void close_chunks(struct trial *trial)
{
    chunk_map_close(trial->many);
    chunk_map_close(trial->one);
    close_start(trial);
}

const struct method method_chunks = {open_chunks, ours_chunks, theirs_chunks, verify_chunks,
                                     close_chunks};
