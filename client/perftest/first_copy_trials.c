// SPDX-License-Identifier: BSD-3-Clause
// Copyright (c) 2026, the docad authors
//
// The first copy out of an import: it is imported, and all of it is copied once. The destination's
// pages exist before, as in a program that uses its memory again.

#include "clock.h"
#include "rows.h"

#include <math.h>
#include <string.h>
#include <sys/uio.h>

#define GIB (1024.0 * 1024 * 1024)

static double rate(const struct trial *trial, uint64_t before)
{
    return (double)trial->rig.region / ticks_to_ns(ticks_now() - before) * 1e9 / GIB;
}

static bool copy_all(struct trial *trial)
{
    struct rig *rig = &trial->rig;

    return rig_run(rig, rig->region / rig->plan.size, rig->plan.depth, trial->problem);
}

static bool open_first(struct trial *trial)
{
    const struct row *row = trial->row;
    const struct rig_plan plan = {
        .path = PATH_IMPORT,
        .memory = row->memory,
        .size = row->size,
        .footprint = row->footprint,
        .depth = row->batch,
    };

    // A round before: touches the destination's pages, and fills the processor's caches alike.
    return rig_open(&trial->rig, &plan, trial->run) && copy_all(trial);
}

static bool ours_first(struct trial *trial, double *value)
{
    uint64_t before = ticks_now();

    if (!rig_import_again(&trial->rig, trial->problem) || !copy_all(trial))
        return false;
    *value = rate(trial, before);
    return true;
}

static bool theirs_first(struct trial *trial, double *value)
{
    struct rig *rig = &trial->rig;
    uint64_t before = ticks_now();

    for (size_t at = 0; at < rig->region; at += rig->plan.size) {
        struct iovec to = {rig->target.at + at, rig->plan.size};
        struct iovec from = {rig->from + at, rig->plan.size};
        if (process_vm_readv(trial->run->exporter_pid, &to, 1, &from, 1, 0) !=
            (ssize_t)rig->plan.size) {
            *value = NAN; // not permitted, as in many containers
            return true;
        }
    }
    *value = rate(trial, before);
    return true;
}

static bool verify_first(struct trial *trial)
{
    return rig_verify(&trial->rig, trial->problem);
}

static void close_first(struct trial *trial)
{
    rig_close(&trial->rig);
    memory_close(&trial->source);
}

const struct method method_first = {open_first, ours_first, theirs_first, verify_first,
                                    close_first};

// ---- against memcpy of pages that both sides have touched ------------------------------------

static bool open_touched(struct trial *trial)
{
    if (!open_first(trial) ||
        !memory_open(&trial->source, MEMORY_FILE, trial->rig.region, trial->problem))
        return false;
    pattern_fill(trial->source.at, trial->rig.region);
    return true;
}

static bool theirs_touched(struct trial *trial, double *value)
{
    struct rig *rig = &trial->rig;
    uint64_t before = ticks_now();

    for (size_t at = 0; at < rig->region; at += rig->plan.size) {
        memcpy(rig->target.at + at, trial->source.at + at, rig->plan.size);
        __asm__ volatile("" ::: "memory"); // keep each copy
    }
    *value = rate(trial, before);
    return true;
}

const struct method method_first_touched = {open_touched, ours_first, theirs_touched, verify_first,
                                            close_first};
