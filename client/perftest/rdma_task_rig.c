// SPDX-License-Identifier: BSD-3-Clause
// Copyright (c) 2026, the docad authors

#include "rdma_task_rig.h"

#include <doca_buf.h>
#include <doca_ctx.h>
#include <doca_pe.h>
#include <doca_rdma.h>
#include <stdlib.h>

// Tasks that are not in flight.
struct idle_tasks {
    void **tasks;
    uint32_t n;
};

struct rdma_task_rig {
    struct doca_pe *pe;
    struct doca_rdma *rdma;
    struct doca_rdma_connection *connections[RDMA_RIG_CONNECTIONS];
    uint32_t n, next;
    struct idle_tasks receives, sends, writes;
    enum rdma_task_end end; // of the latest task
    doca_error_t failure;
};

// ---- ends of tasks -------------------------------------------------------------------------

#define ENDS(name, idle, how)                                                                      \
    static void name##_done(struct doca_rdma_task_##name *task, union doca_data task_data,         \
                            union doca_data ctx_data)                                              \
    {                                                                                              \
        struct rdma_task_rig *rig = ctx_data.ptr;                                                  \
        (void)task_data;                                                                           \
        rig->idle.tasks[rig->idle.n++] = task;                                                     \
        rig->end = how;                                                                            \
    }                                                                                              \
    static void name##_failed(struct doca_rdma_task_##name *task, union doca_data task_data,       \
                              union doca_data ctx_data)                                            \
    {                                                                                              \
        struct rdma_task_rig *rig = ctx_data.ptr;                                                  \
        name##_done(task, task_data, ctx_data);                                                    \
        rig->failure = doca_task_get_status(doca_rdma_task_##name##_as_task(task));                \
        rig->end = RDMA_TASK_FAILED;                                                               \
    }

ENDS(receive, receives, RDMA_TASK_RECEIVED)
ENDS(send, sends, RDMA_TASK_SENT)
ENDS(write, writes, RDMA_TASK_SENT)

// ---- lifetime ------------------------------------------------------------------------------

static bool make_context(struct rdma_task_rig *rig, struct doca_dev *dev, uint32_t permissions,
                         uint32_t depth, uint32_t connections, struct problem *problem)
{
    union doca_data data = {.ptr = rig};

    DOCA_TRY(problem, doca_pe_create, &rig->pe);
    DOCA_TRY(problem, doca_rdma_create, dev, &rig->rdma);
    struct doca_ctx *ctx = doca_rdma_as_ctx(rig->rdma);
    DOCA_TRY(problem, doca_pe_connect_ctx, rig->pe, ctx);
    DOCA_TRY(problem, doca_ctx_set_user_data, ctx, data);
    DOCA_TRY(problem, doca_rdma_set_permissions, rig->rdma, permissions);
    DOCA_TRY(problem, doca_rdma_set_max_num_connections, rig->rdma, (uint16_t)connections);
    DOCA_TRY(problem, doca_rdma_task_receive_set_conf, rig->rdma, receive_done, receive_failed,
             depth);
    DOCA_TRY(problem, doca_rdma_task_send_set_conf, rig->rdma, send_done, send_failed, depth);
    DOCA_TRY(problem, doca_rdma_task_write_set_conf, rig->rdma, write_done, write_failed, depth);
    DOCA_TRY(problem, doca_ctx_start, ctx);
    return true;
}

bool rdma_task_rig_open(struct rdma_task_rig **out, struct doca_dev *dev, uint32_t permissions,
                        uint32_t depth, uint32_t connections, struct problem *problem)
{
    struct rdma_task_rig *rig = calloc(1, sizeof(*rig));
    if (!rig)
        return problem_set(problem, "out of memory");
    *out = rig; // closed by the caller, also after a failure
    struct idle_tasks *all[] = {&rig->receives, &rig->sends, &rig->writes};
    for (int i = 0; i < 3; i++)
        if (!(all[i]->tasks = calloc(depth, sizeof(void *))))
            return problem_set(problem, "out of memory");
    return make_context(rig, dev, permissions, depth, connections, problem);
}

void rdma_task_rig_close(struct rdma_task_rig *rig)
{
    if (!rig)
        return;
    if (rig->rdma) {
        while (doca_ctx_stop(doca_rdma_as_ctx(rig->rdma)) == DOCA_ERROR_IN_PROGRESS)
            (void)doca_pe_progress(rig->pe);
        doca_rdma_destroy(rig->rdma); // and its tasks
    }
    if (rig->pe)
        doca_pe_destroy(rig->pe);
    free(rig->receives.tasks);
    free(rig->sends.tasks);
    free(rig->writes.tasks);
    free(rig);
}

bool rdma_task_rig_export(struct rdma_task_rig *rig, const void **details, size_t *size,
                          struct problem *problem)
{
    DOCA_TRY(problem, doca_rdma_export, rig->rdma, details, size, &rig->connections[rig->n]);
    rig->n++;
    return true;
}

bool rdma_task_rig_connect(struct rdma_task_rig *rig, const void *details, size_t size,
                           struct problem *problem)
{
    DOCA_TRY(problem, doca_rdma_connect, rig->rdma, details, size, rig->connections[rig->n - 1]);
    return true;
}

// ---- work ----------------------------------------------------------------------------------

static bool submit(struct doca_task *task, struct problem *problem)
{
    DOCA_TRY(problem, doca_task_submit, task);
    return true;
}

bool rdma_task_rig_receive(struct rdma_task_rig *rig, struct doca_buf *to, struct problem *problem)
{
    struct doca_rdma_task_receive *task;

    if (to)
        doca_buf_reset_data_len(to); // the message goes behind the data
    if (rig->receives.n) {
        task = rig->receives.tasks[--rig->receives.n];
        doca_rdma_task_receive_set_dst_buf(task, to);
    } else {
        DOCA_TRY(problem, doca_rdma_task_receive_allocate_init, rig->rdma, to, (union doca_data){0},
                 &task);
    }
    return submit(doca_rdma_task_receive_as_task(task), problem);
}

bool rdma_task_rig_send(struct rdma_task_rig *rig, struct doca_buf *from, struct problem *problem)
{
    struct doca_rdma_connection *connection = rig->connections[rig->next];
    struct doca_rdma_task_send *task;

    rig->next = rig->next + 1 < rig->n ? rig->next + 1 : 0;
    if (rig->sends.n) {
        task = rig->sends.tasks[--rig->sends.n];
        doca_rdma_task_send_set_src_buf(task, from);
        if (rig->n > 1)
            doca_rdma_task_send_set_rdma_connection(task, connection);
    } else {
        DOCA_TRY(problem, doca_rdma_task_send_allocate_init, rig->rdma, connection, from,
                 (union doca_data){0}, &task);
    }
    return submit(doca_rdma_task_send_as_task(task), problem);
}

bool rdma_task_rig_write(struct rdma_task_rig *rig, struct doca_buf *from, struct doca_buf *to,
                         struct problem *problem)
{
    struct doca_rdma_task_write *task;

    if (rig->writes.n) {
        task = rig->writes.tasks[--rig->writes.n];
        doca_rdma_task_write_set_src_buf(task, from);
        doca_rdma_task_write_set_dst_buf(task, to);
    } else {
        DOCA_TRY(problem, doca_rdma_task_write_allocate_init, rig->rdma, rig->connections[0], from,
                 to, (union doca_data){0}, &task);
    }
    return submit(doca_rdma_task_write_as_task(task), problem);
}

enum rdma_task_end rdma_task_rig_progress(struct rdma_task_rig *rig, struct problem *problem)
{
    rig->end = RDMA_TASK_NONE;
    (void)doca_pe_progress(rig->pe);
    if (__builtin_expect(rig->end == RDMA_TASK_FAILED, 0))
        problem_doca(problem, "an RDMA task", rig->failure);
    return rig->end;
}
