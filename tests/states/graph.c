// SPDX-License-Identifier: BSD-3-Clause
// Copyright (c) 2026, the docad authors
//
// Graphs of a copy, then a callback, then another graph; and instances of them.

#include "tables.h"

#include "client.h"

#include <check.h>
#include <doca_graph.h>
#include <string.h>

#define PLACES 16

enum { EMPTY, DESCRIBED, STARTED, QUEUED, READY, IN_FLIGHT, COMPLETE, STOPPED };

static uint8_t memory[256] = "what is copied";

static struct {
    struct doca_dev *dev;
    struct doca_dma *dma;
    struct doca_workq *workq;
    struct doca_mmap *mmap;
    struct doca_buf_inventory *inventory;
    struct doca_buf *src, *dst;
    struct doca_dma_job_memcpy job;
    struct doca_graph *graph, *sub_graph;
    struct doca_graph_node *copy, *call, *sub;
    struct doca_graph_instance *instance, *sub_instance;
    unsigned in_flight;
} w;

static struct doca_ctx *ctx(void)
{
    return doca_dma_as_ctx(w.dma);
}

static doca_error_t called(void *cookie, struct doca_event *ev)
{
    (void)cookie;
    (void)ev;
    return DOCA_SUCCESS;
}

// ---- what graphs stand on --------------------------------------------------------------------

static void make_buffers(void)
{
    ck_assert_success(doca_mmap_create(NULL, &w.mmap));
    ck_assert_success(doca_mmap_set_memrange(w.mmap, memory, sizeof(memory)));
    ck_assert_success(doca_mmap_dev_add(w.mmap, w.dev));
    ck_assert_success(doca_mmap_start(w.mmap));
    ck_assert_success(doca_buf_inventory_create(NULL, 2, 0, &w.inventory));
    ck_assert_success(doca_buf_inventory_start(w.inventory));
    ck_assert_success(doca_buf_inventory_buf_by_data(w.inventory, w.mmap, memory, 8, &w.src));
    ck_assert_success(doca_buf_inventory_buf_by_addr(w.inventory, w.mmap, memory + 8, 248, &w.dst));
}

static void make_context(void)
{
    ck_assert_success(doca_dma_create(&w.dma));
    ck_assert_success(doca_ctx_dev_add(ctx(), w.dev));
    ck_assert_success(doca_ctx_start(ctx()));
    ck_assert_success(doca_workq_create(PLACES, &w.workq));
    ck_assert_success(doca_ctx_workq_add(ctx(), w.workq));
    w.job = (struct doca_dma_job_memcpy){
        .base = {.type = DOCA_DMA_JOB_MEMCPY, .ctx = ctx()}, .dst_buff = w.dst, .src_buff = w.src};
}

static void end_context(void)
{
    ck_assert_success(doca_ctx_workq_rm(ctx(), w.workq));
    ck_assert_success(doca_workq_destroy(w.workq));
    ck_assert_success(doca_dma_destroy(w.dma));
    ck_assert_success(doca_buf_refcount_rm(w.src, NULL));
    ck_assert_success(doca_buf_refcount_rm(w.dst, NULL));
    ck_assert_success(doca_buf_inventory_destroy(w.inventory));
    ck_assert_success(doca_mmap_destroy(w.mmap));
    ck_assert_success(doca_dev_close(w.dev));
}

// ---- the states ------------------------------------------------------------------------------

// Started, with an instance that can be executed.
static void make_sub_graph(void)
{
    struct doca_graph_node *node;
    ck_assert_success(doca_graph_create(&w.sub_graph));
    ck_assert_success(doca_graph_ctx_node_create(w.sub_graph, DOCA_DMA_JOB_MEMCPY, ctx(), &node));
    ck_assert_success(doca_graph_start(w.sub_graph));
    ck_assert_success(doca_graph_instance_create(w.sub_graph, &w.sub_instance));
    ck_assert_success(
        doca_graph_instance_set_ctx_node_data(w.sub_instance, node, &w.job.base, NULL));
}

static void describe(void)
{
    ck_assert_success(doca_graph_ctx_node_create(w.graph, DOCA_DMA_JOB_MEMCPY, ctx(), &w.copy));
    ck_assert_success(doca_graph_user_node_create(w.graph, called, &w.call));
    ck_assert_success(doca_graph_sub_graph_node_create(w.graph, w.sub_graph, &w.sub));
    ck_assert_success(doca_graph_add_dependency(w.graph, w.copy, w.call));
    ck_assert_success(doca_graph_add_dependency(w.graph, w.call, w.sub));
}

static void make_instance(void)
{
    ck_assert_success(doca_graph_instance_create(w.graph, &w.instance));
    ck_assert_success(doca_graph_instance_set_ctx_node_data(w.instance, w.copy, &w.job.base, NULL));
    ck_assert_success(
        doca_graph_instance_set_sub_graph_node_data(w.instance, w.sub, w.sub_instance, NULL));
}

// Exactly the events that are owed.
static void drain(void)
{
    struct doca_event event = {0};
    for (; w.in_flight; w.in_flight--) {
        doca_error_t r;
        while ((r = doca_workq_progress_retrieve(w.workq, &event, 0)) == DOCA_ERROR_AGAIN)
            ;
        ck_assert_success(r);
        ck_assert_int_eq(event.type, DOCA_GRAPH_JOB);
        ck_assert_uint_eq(event.result.u64, DOCA_SUCCESS);
    }
    ck_assert_error(doca_workq_progress_retrieve(w.workq, &event, 0), DOCA_ERROR_AGAIN);
}

static void enter(unsigned state)
{
    w.dev = client_open(HOST_PF0);
    make_buffers();
    make_context();
    make_sub_graph();
    ck_assert_success(doca_graph_create(&w.graph));
    if (state >= DESCRIBED)
        describe();
    if (state >= STARTED)
        ck_assert_success(doca_graph_start(w.graph));
    if (state == STOPPED) {
        ck_assert_success(doca_graph_stop(w.graph));
        return;
    }
    if (state >= QUEUED)
        ck_assert_success(doca_graph_workq_add(w.graph, w.workq));
    if (state >= READY)
        make_instance();
    if (state >= IN_FLIGHT) {
        ck_assert_success(
            doca_workq_graph_submit(w.workq, w.instance, (union doca_data){.u64 = 1}));
        w.in_flight++;
    }
    if (state == COMPLETE)
        drain();
}

static void leave(void)
{
    drain();
    if (w.instance)
        ck_assert_success(doca_graph_instance_destroy(w.instance));
    if (w.graph) {
        doca_graph_workq_rm(w.graph, w.workq); // refused where it was not added
        ck_assert_success(doca_graph_destroy(w.graph));
    }
    ck_assert_success(doca_graph_instance_destroy(w.sub_instance));
    ck_assert_success(doca_graph_destroy(w.sub_graph));
    end_context();
    w.copy = w.call = w.sub = NULL;
    w.instance = NULL;
    w.graph = NULL;
}

// ---- arguments -------------------------------------------------------------------------------

static enum given argue_node(const char *function, uint64_t *value)
{
    if (strstr(function, "_node_create"))
        return GIVEN_NONE;
    if (same(function, "doca_graph_instance_set_user_node_data"))
        return GIVE_OBJECT(w.call);
    if (same(function, "doca_graph_instance_set_sub_graph_node_data"))
        return GIVE_OBJECT(w.sub);
    return GIVE_OBJECT(w.copy);
}

static enum given argue(const char *function, const char *param, uint64_t *value)
{
    if (same(param, "graph"))
        return same(function, "doca_graph_create") ? GIVEN_NONE : GIVE(w.graph);
    if (same(param, "graph_instance"))
        return same(function, "doca_graph_instance_create") ? GIVEN_NONE : GIVE_OBJECT(w.instance);
    if (same(param, "node"))
        return argue_node(function, value);
    if (same(param, "from"))
        return GIVE_OBJECT(w.copy);
    if (same(param, "to"))
        return GIVE_OBJECT(w.call);
    if (same(param, "ctx"))
        return GIVE(ctx());
    if (same(param, "workq"))
        return GIVE(w.workq);
    if (same(param, "job"))
        return GIVE(&w.job);
    if (same(param, "cb"))
        return GIVE(called);
    if (same(param, "sub_graph"))
        return GIVE(w.sub_graph);
    if (same(param, "sub_graph_instance"))
        return GIVE(w.sub_instance);
    *value = DOCA_DMA_JOB_MEMCPY;
    return same(param, "job_type") || same(param, "user_data") ? GIVEN : GIVEN_NONE;
}

static void succeeded(const char *function, const uint64_t *a)
{
    (void)a;
    if (same(function, "doca_workq_graph_submit"))
        w.in_flight++;
}

// ---- the table -------------------------------------------------------------------------------

// While nodes may be added.
#define OPEN(empty, code) empty, code, STATE, STATE, STATE, STATE, STATE, code
// While there is an instance.
#define WITH(ready, in_flight, complete)                                                           \
    ABSENT, ABSENT, ABSENT, ABSENT, ready, in_flight, complete, ABSENT

static const struct row rows[] = {
    // empty, described, started, on a work queue, with an instance, which is in flight, or
    // complete, stopped
    {"doca_graph_create", ANY(OK)},
    {"doca_graph_destroy", {OK, OK, OK, PERMIT, PERMIT, PERMIT, PERMIT, OK}},
    {"doca_graph_ctx_node_create", {OPEN(OK, OK)}},
    {"doca_graph_user_node_create", {OPEN(OK, OK)}},
    {"doca_graph_sub_graph_node_create", {OPEN(OK, OK)}},
    {"doca_graph_add_dependency", {OPEN(ABSENT, OK)}},
    {"doca_graph_start", {OPEN(INVALID, OK)}},
    {"doca_graph_stop", {STATE, STATE, OK, PERMIT, PERMIT, PERMIT, PERMIT, STATE}},
    {"doca_graph_workq_add", {STATE, STATE, OK, INVALID, INVALID, INVALID, INVALID, STATE}},
    {"doca_graph_workq_rm", {STATE, STATE, INVALID, OK, OK, IN_USE, OK, STATE}},
    {"doca_graph_instance_create", {STATE, STATE, OK, OK, OK, OK, OK, STATE}},
    {"doca_graph_instance_destroy", {WITH(OK, PERMIT, OK)}},
    {"doca_graph_instance_set_ctx_node_data", {WITH(OK, STATE, OK)}, "ev"},
    {"doca_graph_instance_set_user_node_data", {WITH(OK, STATE, OK)}, "cookie ev"},
    {"doca_graph_instance_set_sub_graph_node_data", {WITH(OK, STATE, OK)}, "ev"},
    {"doca_workq_graph_submit", {WITH(OK, IN_USE, OK)}},
    {"doca_graph_instance_get_num_failed_nodes", {WITH(OK, OK, OK)}},
    {"doca_graph_instance_get_failed_nodes", {WITH(OK, OK, OK)}},
    {"doca_graph_instance_node_get_state", {WITH(OK, OK, OK)}},
    {"doca_graph_instance_node_get_result", {WITH(STATE, STATE, OK)}},
};

GROUP(graphs) = {
    .name = "graph",
    .states = {"empty", "described", "started", "on a work queue", "with an instance",
               "with an instance in flight", "with a complete instance", "stopped"},
    ROWS(rows),
    .probe = "doca_graph_workq_rm",
    .enter = enter,
    .leave = leave,
    .argument = argue,
    LIVES({"doca_graph_create", "doca_graph_destroy", &w.graph},
          {"doca_graph_instance_create", "doca_graph_instance_destroy", &w.instance}),
    .succeeded = succeeded,
};
