// SPDX-License-Identifier: BSD-3-Clause
// Copyright (c) 2026, the docad authors

#include "fake_ctx.h"

#include <check.h>

bool fake_let_go[FAKE_JOBS];
unsigned fake_order[4096], fake_executed;

static struct fake_ctx *fake_of(const struct work_item *item)
{
    return container_of(item->link->ctx, struct fake_ctx, ctx);
}

static doca_error_t prepare(struct work_item *item, const void *submitted)
{
    const struct fake_job *job = submitted;
    struct fake_ctx *fake = fake_of(item);

    if (job->base.type != FAKE_JOB || job->refused != DOCA_SUCCESS) {
        item->refusal = "the test says no";
        return job->refused != DOCA_SUCCESS ? job->refused : DOCA_ERROR_INVALID_VALUE;
    }
    if (fake->jobs >= fake->room) {
        item->refusal = "full";
        fake->delayed++;
        return DOCA_ERROR_NO_MEMORY;
    }
    fake->jobs++;
    *(struct fake_job *)item->job = *job;
    return DOCA_SUCCESS;
}

static enum work_status progress(struct work_item *item)
{
    const struct fake_job *job = (const struct fake_job *)item->job;

    if (job->waits && !fake_let_go[job->base.user_data.u64])
        return WORK_WAITING;
    item->error = job->ends;
    fake_of(item)->jobs--;
    return WORK_DONE;
}

static enum work_status execute(struct work_item *item)
{
    struct fake_job *job = (struct fake_job *)item->job;

    fake_order[fake_executed++ % ARRAY_SIZE(fake_order)] = (unsigned)item->user_data.u64;
    if (!job->later)
        return progress(item);
    job->later = false;
    return WORK_LATER;
}

static const struct ctx_ops ops = {
    .name = "fake",
    .event_driven = true,
    .work = {.prepare = prepare, .execute = execute, .progress = progress},
};

void fake_ctx_start(struct fake_ctx *fake)
{
    *fake = (struct fake_ctx){.room = FAKE_JOBS};
    ck_assert_int_eq(ctx_init(&fake->ctx, &ops, NULL), DOCA_SUCCESS);
    ck_assert_int_eq(doca_ctx_start(&fake->ctx), DOCA_SUCCESS);
}

void fake_ctx_stop(struct fake_ctx *fake)
{
    ck_assert_uint_eq(fake->jobs, 0);
    ck_assert_int_eq(doca_ctx_stop(&fake->ctx), DOCA_SUCCESS);
    ck_assert_int_eq(ctx_fini(&fake->ctx, NULL), DOCA_SUCCESS);
}

struct fake_job fake_ctx_job(struct fake_ctx *fake, uint64_t id)
{
    ck_assert_uint_lt(id, FAKE_JOBS);
    return (struct fake_job){.base = {.type = FAKE_JOB, .ctx = &fake->ctx, .user_data.u64 = id}};
}
