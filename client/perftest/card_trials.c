// SPDX-License-Identifier: BSD-3-Clause
// Copyright (c) 2026, the docad authors
//
// Tasks on a device that imitates a card and its times, against what was published of that card.

#include "clock.h"
#include "rows.h"

#include <stdlib.h>

// The devices that this process, which measures one row, opens from here on imitate the card.
static bool open_card(struct trial *trial)
{
    const struct row *row = trial->row;
    struct rig_plan plan = {
        .path = row->path,
        .memory = row->memory,
        .size = row->size,
        .footprint = row->size,
        .depth = row->batch,
        .contexts = row->contexts,
    };

    trial->n = trial->quick ? 2000 : 10000;
    if (setenv("DOCAD_CARD", row->card, 1) < 0)
        return problem_set(trial->problem, "out of memory");
    return rig_open(&trial->rig, &plan, trial->run);
}

// From task to task. The first ones find an idle card.
static bool ours_card(struct trial *trial, double *value)
{
    const struct row *row = trial->row;

    if (!rig_run(&trial->rig, 2 * row->batch, 1, trial->problem))
        return false;
    uint64_t before = ticks_now();
    if (!rig_run(&trial->rig, trial->n, 1, trial->problem))
        return false;
    *value = ticks_to_ns(ticks_now() - before) / (double)trial->n;
    return true;
}

static bool theirs_card(struct trial *trial, double *value)
{
    *value = trial->row->published_ns;
    return true;
}

static bool verify_card(struct trial *trial)
{
    return rig_verify(&trial->rig, trial->problem);
}

static void close_card(struct trial *trial)
{
    rig_close(&trial->rig);
}

const struct method method_card = {open_card, ours_card, theirs_card, verify_card, close_card};
