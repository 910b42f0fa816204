// SPDX-License-Identifier: BSD-3-Clause
// Copyright (c) 2026, the docad authors
//
// Many threads that poll for jobs of one engine, compared with one: with more pollers than
// processors, the sum of their rates must not be less than the rate of one.

#include "clock.h"
#include "rows.h"

#include <pthread.h>
#include <stdlib.h>

#define JOBS 4000

struct importer {
    pthread_t thread;
    int cpu;
    struct rig rig;
    uint64_t jobs;
    struct problem problem;
    bool ok;
};

struct importers {
    unsigned n;
    struct importer importers[];
};

static bool open_crowd(struct trial *trial)
{
    const struct row *row = trial->row;
    const struct rig_plan plan = {.path = row->path,
                                  .memory = row->memory,
                                  .size = row->size,
                                  .footprint = row->size,
                                  .depth = row->batch};
    struct importers *all = calloc(1, sizeof(*all) + row->importers * sizeof(struct importer));

    if (!all)
        return problem_set(trial->problem, "out of memory");
    trial->importers = all;
    while (all->n < row->importers) {
        struct importer *next = &all->importers[all->n];
        next->cpu = all->n % 2 ? trial->run->other_cpu : trial->run->cpu;
        all->n++; // rig_close() is due also after a failure
        if (!rig_open(&next->rig, &plan, trial->run))
            return false;
    }
    trial->n = trial->quick ? JOBS / 4 : JOBS;
    return true;
}

static void *import(void *arg)
{
    struct importer *self = arg;

    cpu_pin(self->cpu);
    self->ok = rig_run(&self->rig, self->jobs, self->rig.plan.depth, &self->problem);
    return NULL;
}

// Runs trial->n jobs on the first `n` of them. The value is in millions a second.
static bool run_importers(struct trial *trial, unsigned n, double *value)
{
    struct importer *importers = trial->importers->importers;
    unsigned started = 0;
    uint64_t each = trial->n / n;
    bool ok = true;
    uint64_t before = ticks_now();

    for (; started < n; started++) {
        importers[started].jobs = each;
        if (pthread_create(&importers[started].thread, NULL, import, &importers[started]) != 0)
            break;
    }
    for (unsigned i = 0; i < started; i++) {
        pthread_join(importers[i].thread, NULL);
        if (ok && !importers[i].ok) {
            *trial->problem = importers[i].problem;
            ok = false;
        }
    }
    if (ok && started < n)
        return problem_set(trial->problem, "cannot start %u threads", n);
    *value = (double)(each * n) / ticks_to_ns(ticks_now() - before) * 1e3;
    return ok;
}

static bool ours_crowd(struct trial *trial, double *value)
{
    return run_importers(trial, trial->importers->n, value);
}

static bool theirs_crowd(struct trial *trial, double *value)
{
    return run_importers(trial, 1, value);
}

static bool verify_crowd(struct trial *trial)
{
    for (unsigned i = 0; i < trial->importers->n; i++)
        if (!rig_verify(&trial->importers->importers[i].rig, trial->problem))
            return false;
    return true;
}

static void close_crowd(struct trial *trial)
{
    for (unsigned i = 0; trial->importers && i < trial->importers->n; i++)
        rig_close(&trial->importers->importers[i].rig);
    free(trial->importers);
}

const struct method method_crowd = {open_crowd, ours_crowd, theirs_crowd, verify_crowd,
                                    close_crowd};
