// SPDX-License-Identifier: BSD-3-Clause
// Copyright (c) 2026, the docad authors

#include "fake_kind.h"

#include <check.h>
#include <string.h>

struct fake_settings fake_settings;
bool fake_let_go;
char fake_log[256];
void (*fake_on_event)(struct fake *fake);
void (*fake_on_poll)(struct fake *fake);
void (*fake_on_done)(struct doca_task *task);
void (*fake_on_state)(struct fake *fake, enum doca_ctx_states next);

static struct fake *fake_of(struct doca_ctx *ctx)
{
    return container_of(ctx, struct fake, ctx);
}

// ---- the library -------------------------------------------------------------------------

static doca_error_t prepare(struct work_item *item, const void *job)
{
    ck_assert_ptr_null(job);
    if (fake_settings.takes_all && fake_settings.takes_all == item->link->ctx)
        return DOCA_SUCCESS;
    if (fake_settings.prepare != DOCA_SUCCESS)
        item->refusal = "the test says no";
    return fake_settings.prepare;
}

static enum work_status progress(struct work_item *item)
{
    if (!fake_let_go)
        return WORK_WAITING;
    item->error = DOCA_SUCCESS;
    return WORK_DONE;
}

static enum work_status execute(struct work_item *item)
{
    struct fake *fake = fake_of(item->link->ctx);

    switch ((enum fake_way)item->job[0]) {
    case FAKE_DONE:
        item->error = DOCA_SUCCESS;
        return WORK_DONE;
    case FAKE_FAILS:
        item->error = DOCA_ERROR_IO_FAILED;
        return WORK_DONE;
    case FAKE_KEPT:
        fake->kept[fake->n_kept++] = item;
        return executor_keep(item->link->executor);
    default:
        return progress(item);
    }
}

static enum work_status cancel(struct work_item *item)
{
    if (item->job[0] == FAKE_STAYS)
        return WORK_WAITING;
    item->error = DOCA_ERROR_SHUTDOWN;
    return WORK_DONE;
}

static void end_kept(struct fake *fake, doca_error_t error)
{
    while (fake->n_kept) {
        struct work_item *item = fake->kept[--fake->n_kept];
        item->error = error;
        executor_finish(item->link->executor, item);
    }
}

void fake_finish_kept(struct fake *fake)
{
    end_kept(fake, DOCA_SUCCESS);
}

static void flush(struct doca_ctx *ctx)
{
    end_kept(fake_of(ctx), DOCA_ERROR_SHUTDOWN);
}

static doca_error_t start(struct doca_ctx *ctx, struct errtext *err)
{
    fake_of(ctx)->starts++;
    return errtext_set(err, fake_settings.start, "the test says so");
}

static doca_error_t stop(struct doca_ctx *ctx)
{
    fake_of(ctx)->stops++;
    return fake_settings.stop;
}

static void stopped(struct doca_ctx *ctx)
{
    fake_of(ctx)->stopped++;
}

static doca_error_t check(struct doca_task *task, struct errtext *err)
{
    if (task->item.job[0] != FAKE_FAILS)
        return DOCA_SUCCESS;
    return errtext_set(err, DOCA_ERROR_NOT_PERMITTED, "it would fail");
}

static const struct task_kind tasks[] = {
    [FAKE_PLAIN] = {.name = "plain", .size = sizeof(struct doca_task), .max = 64, .check = check},
    [FAKE_FATAL] = {.name = "fatal",
                    .size = sizeof(struct doca_task) + 8,
                    .max = 64,
                    .fatal = true},
};

static struct ctx_kind kind = {
    .name = "fake",
    .work = {.execute = execute, .progress = progress},
    .tasks = tasks,
    .n_tasks = ARRAY_SIZE(tasks),
    .start = start,
    .stop = stop,
    .cancel = cancel,
    .flush = flush,
    .stopped = stopped,
};

// ---- events --------------------------------------------------------------------------------

static void deliver(struct pe_event *event)
{
    struct fake *fake = container_of(event, struct fake, event);
    fake->delivered++;
    if (fake_on_event)
        fake_on_event(fake);
}

static void poll_source(struct work_source *source)
{
    struct fake *fake = container_of(source, struct fake, source);
    fake->polls++;
    if (fake_on_poll)
        fake_on_poll(fake);
}

static bool arm_source(struct work_source *source)
{
    (void)source;
    return false;
}

static void clear_source(struct work_source *source)
{
    (void)source;
}

void fake_add_source(struct fake *fake)
{
    fake->source =
        (struct work_source){.poll = poll_source, .arm = arm_source, .clear = clear_source};
    executor_add_source(&fake->ctx.pe->executor, &fake->source);
    pe_hold(fake->ctx.pe);
}

void fake_remove_source(struct fake *fake)
{
    list_remove(&fake->source.node);
    pe_release(fake->ctx.pe);
}

// ---- life ----------------------------------------------------------------------------------

struct fake *fake_new(struct doca_pe *pe, uint32_t n_tasks)
{
    struct errtext err;
    struct fake *fake = aligned_alloc(64, (sizeof(*fake) + 63) & ~(size_t)63);

    *fake = (struct fake){.event = {.deliver = deliver}, .states = "I"};
    kind.work.prepare = fake_settings.prepare != DOCA_SUCCESS ? prepare : NULL;
    kind.work.eager = fake_settings.eager;
    context_init(&fake->ctx, &kind, &fake_dev);
    ck_assert_int_eq(doca_ctx_set_user_data(&fake->ctx, (union doca_data){.ptr = fake}), 0);
    ck_assert_int_eq(doca_ctx_set_state_changed_cb(&fake->ctx, fake_state), 0);
    for (uint32_t type = 0; type < ARRAY_SIZE(tasks); type++)
        ck_assert_int_eq(task_configure(&fake->ctx, type, fake_done, fake_failed, n_tasks, &err),
                         DOCA_SUCCESS);
    if (pe)
        ck_assert_int_eq(doca_pe_connect_ctx(pe, &fake->ctx), DOCA_SUCCESS);
    return fake;
}

struct fake *fake_new_started(struct doca_pe *pe, uint32_t n_tasks)
{
    struct fake *fake = fake_new(pe, n_tasks);
    ck_assert_int_eq(doca_ctx_start(&fake->ctx), fake_settings.start);
    return fake;
}

void fake_free(struct fake *fake)
{
    struct errtext err;
    ck_assert_int_eq(context_fini(&fake->ctx, &err), DOCA_SUCCESS);
    free(fake);
}

enum doca_ctx_states fake_state_of(struct fake *fake)
{
    enum doca_ctx_states state;
    ck_assert_int_eq(doca_ctx_get_state(&fake->ctx, &state), DOCA_SUCCESS);
    return state;
}

void fake_reset(void)
{
    fake_settings = (struct fake_settings){0};
    fake_let_go = false;
    fake_on_event = NULL;
    fake_on_poll = NULL;
    fake_on_done = NULL;
    fake_on_state = NULL;
    memset(fake_log, 0, sizeof(fake_log));
}

// ---- tasks, and what the program sees ------------------------------------------------------

void fake_set_way(struct doca_task *task, enum fake_way way)
{
    task->item.job[0] = (unsigned char)way;
}

struct doca_task *fake_task(struct fake *fake, uint32_t type, enum fake_way way, uint64_t id)
{
    struct doca_task *task = task_take(&fake->ctx, type, (union doca_data){.u64 = id});
    ck_assert_ptr_nonnull(task);
    fake_set_way(task, way);
    return task;
}

struct doca_task *fake_submit(struct fake *fake, uint32_t type, enum fake_way way, uint64_t id)
{
    struct doca_task *task = fake_task(fake, type, way, id);
    ck_assert_int_eq(doca_task_submit(task), DOCA_SUCCESS);
    return task;
}

static void note(struct doca_task *task, char base, union doca_data task_data,
                 union doca_data ctx_data)
{
    size_t n = strlen(fake_log);
    ck_assert_uint_lt(n + 1, sizeof(fake_log));
    fake_log[n] = (char)(base + task_data.u64 - 1);
    ck_assert_ptr_eq(ctx_data.ptr, doca_task_get_ctx(task));
    if (fake_on_done)
        fake_on_done(task);
}

void fake_done(struct doca_task *task, union doca_data task_data, union doca_data ctx_data)
{
    ck_assert_int_eq(doca_task_get_status(task), DOCA_SUCCESS);
    note(task, 'A', task_data, ctx_data);
}

void fake_failed(struct doca_task *task, union doca_data task_data, union doca_data ctx_data)
{
    ck_assert_int_ne(doca_task_get_status(task), DOCA_SUCCESS);
    note(task, 'a', task_data, ctx_data);
}

void fake_state(const union doca_data data, struct doca_ctx *ctx, enum doca_ctx_states prev,
                enum doca_ctx_states next)
{
    static const char letters[] = "ITRS"; // idle, starting, running, stopping
    struct fake *fake = data.ptr;
    size_t n = strlen(fake->states);

    ck_assert_ptr_eq(ctx, &fake->ctx);
    ck_assert_int_eq(fake->states[n - 1], letters[prev]);
    ck_assert_int_eq(fake_state_of(fake), next);
    fake->states[n] = letters[next];
    if (fake_on_state)
        fake_on_state(fake, next);
}
