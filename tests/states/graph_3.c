// SPDX-License-Identifier: BSD-3-Clause
// Copyright (c) 2026, the docad authors
//
// Graphs of DOCA 3: a copy, then a callback, then another graph; and instances of them.

#include "tables.h"
#include "objects.h"

#include "client.h"

#include <check.h>
#include <doca_graph.h>
#include <doca_pe.h>
#include <string.h>

enum { EMPTY, DESCRIBED, STARTED, READY, IN_FLIGHT, COMPLETE, FULL, STOPPED };

static uint8_t memory[256] = "what is copied";

static struct {
    struct doca_dev *dev;
    struct doca_pe *pe;
    struct doca_dma *dma;
    struct doca_mmap *mmap;
    struct doca_buf_inventory *inventory;
    struct doca_buf *src, *dst;
    struct doca_dma_task_memcpy *tasks[2];
    struct doca_graph *graph, *sub_graph;
    struct doca_graph_node *copy, *call, *sub;
    struct doca_graph_instance *instance, *other, *sub_instance;
    unsigned in_flight;
} w;

static struct doca_ctx *ctx(void)
{
    return doca_dma_as_ctx(w.dma);
}

static doca_error_t called(void *cookie)
{
    (void)cookie;
    return DOCA_SUCCESS;
}

static void copied(struct doca_dma_task_memcpy *task, union doca_data data,
                   union doca_data ctx_data)
{
    (void)task;
    (void)data;
    (void)ctx_data;
    ck_abort_msg("a task of a graph has called back on its own");
}

static void over(struct doca_graph_instance *instance, union doca_data data,
                 union doca_data graph_data)
{
    (void)instance;
    (void)data;
    (void)graph_data;
    w.in_flight--;
}

static void failed(struct doca_graph_instance *instance, union doca_data data,
                   union doca_data graph_data)
{
    (void)instance;
    (void)data;
    (void)graph_data;
    ck_abort_msg("the graph has failed");
}

// ---- what graphs stand on --------------------------------------------------------------------

static void make_buffers(void)
{
    w.mmap = map_new(w.dev, memory, sizeof(memory), true);
    ck_assert_success(doca_buf_inventory_create(2, &w.inventory));
    ck_assert_success(doca_buf_inventory_start(w.inventory));
    ck_assert_success(doca_buf_inventory_buf_get_by_data(w.inventory, w.mmap, memory, 8, &w.src));
    ck_assert_success(
        doca_buf_inventory_buf_get_by_addr(w.inventory, w.mmap, memory + 8, 248, &w.dst));
}

static void make_context(void)
{
    const union doca_data data = {.u64 = 1};
    ck_assert_success(doca_pe_create(&w.pe));
    ck_assert_success(doca_dma_create(w.dev, &w.dma));
    ck_assert_success(doca_pe_connect_ctx(w.pe, ctx()));
    ck_assert_success(doca_dma_task_memcpy_set_conf(w.dma, copied, copied, 2));
    ck_assert_success(doca_ctx_start(ctx()));
    for (int i = 0; i < 2; i++)
        ck_assert_success(doca_dma_task_memcpy_alloc_init(w.dma, w.src, w.dst, data, &w.tasks[i]));
}

static void end_context(void)
{
    for (int i = 0; i < 2; i++)
        doca_task_free(doca_dma_task_memcpy_as_task(w.tasks[i]));
    ck_assert_success(doca_ctx_stop(ctx()));
    ck_assert_success(doca_dma_destroy(w.dma));
    ck_assert_success(doca_pe_destroy(w.pe));
    ck_assert_success(doca_buf_dec_refcount(w.src, NULL));
    ck_assert_success(doca_buf_dec_refcount(w.dst, NULL));
    ck_assert_success(doca_buf_inventory_destroy(w.inventory));
    ck_assert_success(doca_mmap_destroy(w.mmap));
    ck_assert_success(doca_dev_close(w.dev));
}

// ---- the states ------------------------------------------------------------------------------

// Started, with an instance that can be run.
static void make_sub_graph(void)
{
    struct doca_graph_node *node;
    ck_assert_success(doca_graph_create(w.pe, &w.sub_graph));
    ck_assert_success(doca_graph_set_conf(w.sub_graph, over, failed, 1));
    ck_assert_success(doca_graph_node_create_from_ctx(w.sub_graph, ctx(), &node));
    ck_assert_success(doca_graph_start(w.sub_graph));
    ck_assert_success(doca_graph_instance_create(w.sub_graph, &w.sub_instance));
    ck_assert_success(doca_graph_instance_set_ctx_node_data(
        w.sub_instance, node, doca_dma_task_memcpy_as_task(w.tasks[1])));
}

static void describe(void)
{
    ck_assert_success(doca_graph_node_create_from_ctx(w.graph, ctx(), &w.copy));
    ck_assert_success(doca_graph_node_create_from_user(w.graph, called, &w.call));
    ck_assert_success(doca_graph_node_create_from_graph(w.graph, w.sub_graph, &w.sub));
    ck_assert_success(doca_graph_add_dependency(w.graph, w.copy, w.call));
    ck_assert_success(doca_graph_add_dependency(w.graph, w.call, w.sub));
}

static void make_instance(void)
{
    ck_assert_success(doca_graph_instance_create(w.graph, &w.instance));
    ck_assert_success(doca_graph_instance_set_ctx_node_data(
        w.instance, w.copy, doca_dma_task_memcpy_as_task(w.tasks[0])));
    ck_assert_success(
        doca_graph_instance_set_sub_graph_node_data(w.instance, w.sub, w.sub_instance));
}

static void drain(void)
{
    while (w.in_flight)
        (void)doca_pe_progress(w.pe);
}

static void enter(unsigned state)
{
    w.dev = client_open(HOST_PF0);
    make_buffers();
    make_context();
    make_sub_graph();
    ck_assert_success(doca_graph_create(w.pe, &w.graph));
    ck_assert_success(doca_graph_set_conf(w.graph, over, failed, 2));
    if (state >= DESCRIBED)
        describe();
    if (state >= STARTED)
        ck_assert_success(doca_graph_start(w.graph));
    if (state == STOPPED)
        ck_assert_success(doca_graph_stop(w.graph));
    if (state >= READY && state <= FULL)
        make_instance();
    if (state == IN_FLIGHT || state == COMPLETE) {
        ck_assert_success(doca_graph_instance_submit(w.instance));
        w.in_flight++;
    }
    if (state == COMPLETE)
        drain();
    if (state == FULL)
        ck_assert_success(doca_graph_instance_create(w.graph, &w.other));
}

static void end_graph(struct doca_graph *graph)
{
    ck_assert_success(doca_graph_stop(graph));
    ck_assert_success(doca_graph_destroy(graph));
}

static void leave(void)
{
    drain();
    if (w.instance)
        ck_assert_success(doca_graph_instance_destroy(w.instance));
    if (w.other)
        ck_assert_success(doca_graph_instance_destroy(w.other));
    if (w.graph)
        end_graph(w.graph);
    ck_assert_success(doca_graph_instance_destroy(w.sub_instance));
    end_graph(w.sub_graph);
    end_context();
    w.copy = w.call = w.sub = NULL;
    w.instance = w.other = NULL;
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

static enum given argue_object(const char *param, uint64_t *value)
{
    if (same(param, "pe"))
        return GIVE(w.pe);
    if (same(param, "from"))
        return GIVE_OBJECT(w.copy);
    if (same(param, "to"))
        return GIVE_OBJECT(w.call);
    if (same(param, "ctx"))
        return GIVE(ctx());
    if (same(param, "task"))
        return GIVE(doca_dma_task_memcpy_as_task(w.tasks[0]));
    if (same(param, "cb"))
        return GIVE(called);
    if (same(param, "graph_completion_cb"))
        return GIVE(over);
    if (same(param, "graph_error_cb"))
        return GIVE(failed);
    if (same(param, "sub_graph"))
        return GIVE(w.sub_graph);
    return same(param, "sub_graph_instance") ? GIVE(w.sub_instance) : GIVEN_NONE;
}

static enum given argue(const char *function, const char *param, uint64_t *value)
{
    if (same(param, "graph"))
        return same(function, "doca_graph_create") ? GIVEN_NONE : GIVE(w.graph);
    if (same(param, "graph_instance"))
        return same(function, "doca_graph_instance_create") ? GIVEN_NONE : GIVE_OBJECT(w.instance);
    if (same(param, "node"))
        return argue_node(function, value);
    *value = 2;
    if (same(param, "num_instances") || strstr(function, "_set_user_data"))
        return GIVEN;
    return argue_object(param, value);
}

static void succeeded(const char *function, const uint64_t *a)
{
    (void)a;
    if (same(function, "doca_graph_instance_submit"))
        w.in_flight++;
}

// ---- the table -------------------------------------------------------------------------------

// While nodes may be added.
#define OPEN(empty, code) empty, code, STATE, STATE, STATE, STATE, STATE, code
// While there is an instance.
#define WITH(ready, in_flight) ABSENT, ABSENT, ABSENT, ready, in_flight, ready, ready, ABSENT

static const struct row rows[] = {
    // empty, described, started, with an instance, which is in flight, or complete; as many as
    // there
    // may be; stopped
    {"doca_graph_create", ANY(OK)},
    {"doca_graph_destroy", {OK, OK, STATE, STATE, STATE, STATE, STATE, OK}},
    {"doca_graph_set_conf", {OPEN(OK, OK)}},
    {"doca_graph_set_user_data", {OPEN(OK, OK)}},
    {"doca_graph_get_user_data", ANY(OK)},
    {"doca_graph_node_create_from_ctx", {OPEN(OK, OK)}},
    {"doca_graph_node_create_from_user", {OPEN(OK, OK)}},
    {"doca_graph_node_create_from_graph", {OPEN(OK, OK)}},
    {"doca_graph_add_dependency", {OPEN(ABSENT, OK)}},
    {"doca_graph_start", {OPEN(STATE, OK)}},
    {"doca_graph_stop", {OK, OK, OK, IN_USE, IN_USE, IN_USE, IN_USE, OK}},
    {"doca_graph_instance_create", {STATE, STATE, OK, OK, OK, OK, NO_MEM, STATE}},
    {"doca_graph_instance_destroy", {WITH(OK, IN_USE)}},
    {"doca_graph_instance_set_user_data", {WITH(OK, IN_USE)}},
    {"doca_graph_instance_get_user_data", {WITH(OK, OK)}},
    {"doca_graph_instance_set_ctx_node_data", {WITH(OK, STATE)}},
    {"doca_graph_instance_set_user_node_data", {WITH(OK, STATE)}, "cookie"},
    {"doca_graph_instance_set_sub_graph_node_data", {WITH(OK, STATE)}},
    {"doca_graph_instance_submit", {WITH(OK, IN_USE)}},
};

GROUP(graphs) = {
    .name = "graph",
    .states = {"empty", "described", "started", "with an instance", "with an instance in flight",
               "with a complete instance", "with all its instances", "stopped"},
    ROWS(rows),
    .probe = "doca_graph_stop",
    .enter = enter,
    .leave = leave,
    .argument = argue,
    LIVES({"doca_graph_create", "doca_graph_destroy", &w.graph},
          {"doca_graph_instance_create", "doca_graph_instance_destroy", &w.instance}),
    .succeeded = succeeded,
};
