// SPDX-License-Identifier: BSD-3-Clause
// Copyright (c) 2026, the docad authors
//
// Ways of measuring that only tasks of the DOCA 3 interface have.

#include "clock.h"
#include "rows.h"

#include <stdlib.h>

#define OBJECT_SIZE 128 // about the size of a task

static bool open_tasks(struct trial *trial, struct rig *rig, unsigned contexts)
{
    const struct row *row = trial->row;
    struct rig_plan plan = {
        .path = row->path,
        .memory = row->memory,
        .size = row->size,
        .footprint = row->size,
        .depth = row->batch,
        .contexts = contexts,
    };
    return rig_open(rig, &plan, trial->run);
}

static double ns_each(uint64_t before, uint64_t n)
{
    return ticks_to_ns(ticks_now() - before) / (double)n;
}

// ---- allocating -----------------------------------------------------------------------------

static bool open_pairs(struct trial *trial)
{
    trial->n = trial->quick ? 20000 : 40000;
    return open_tasks(trial, &trial->rig, 1);
}

static bool ours_pairs(struct trial *trial, double *value)
{
    struct rig *rig = &trial->rig;
    // The rig's own tasks are all of them: one is freed for the time of the test.
    task_rig_free(rig->jobs[0].task);
    rig->jobs[0].task = NULL;
    uint64_t before = ticks_now();
    if (!task_rig_pairs(rig->tasks, trial->n, trial->problem))
        return false;
    *value = ns_each(before, trial->n);
    return task_rig_task(rig->tasks, 0, rig->jobs[0].from, rig->jobs[0].to, &rig->jobs[0].task,
                         trial->problem);
}

static bool theirs_pairs(struct trial *trial, double *value)
{
    uint64_t before = ticks_now();
    for (uint64_t i = 0; i < trial->n; i++) {
        void *object = malloc(OBJECT_SIZE);
        __asm__ volatile("" ::"r"(object) : "memory"); // keep it
        free(object);
    }
    *value = ns_each(before, trial->n);
    return true;
}

static bool verify_pairs(struct trial *trial)
{
    return rig_verify(&trial->rig, trial->problem);
}

static void close_pairs(struct trial *trial)
{
    rig_close(&trial->rig);
}

const struct method method_task_pairs = {open_pairs, ours_pairs, theirs_pairs, verify_pairs,
                                         close_pairs};

// ---- several contexts -------------------------------------------------------------------------

static bool open_contexts(struct trial *trial)
{
    trial->n = trial->quick ? 32000 : 64000;
    return open_tasks(trial, &trial->rig, trial->row->contexts) &&
           open_tasks(trial, &trial->other_rig, 1);
}

static bool time_rig(struct trial *trial, struct rig *rig, double *value)
{
    uint64_t before = ticks_now();
    if (!rig_run(rig, trial->n, trial->row->batch, trial->problem))
        return false;
    *value = ns_each(before, trial->n);
    return true;
}

static bool ours_contexts(struct trial *trial, double *value)
{
    return time_rig(trial, &trial->rig, value);
}

static bool theirs_contexts(struct trial *trial, double *value)
{
    return time_rig(trial, &trial->other_rig, value);
}

static bool verify_contexts(struct trial *trial)
{
    return rig_verify(&trial->rig, trial->problem) && rig_verify(&trial->other_rig, trial->problem);
}

static void close_contexts(struct trial *trial)
{
    rig_close(&trial->rig);
    rig_close(&trial->other_rig);
}

const struct method method_task_contexts = {open_contexts, ours_contexts, theirs_contexts,
                                            verify_contexts, close_contexts};
