// SPDX-License-Identifier: BSD-3-Clause
// Copyright (c) 2026, the docad authors
//
// RDMA jobs as nodes of a graph: receive, change what came, send it back; read the other
// side's memory meanwhile.

#include "rdma_setting.h"

#include <doca_graph.h>
#include <poll.h>
#include <string.h>

#define ROUNDS 20
#define SIZE   3000

struct echo {
    struct peer *p;
    struct doca_graph *graph;
    struct doca_graph_node *recv, *turn, *send, *read;
    struct doca_graph_instance *instance;
    struct doca_rdma_job_recv recv_job;
    struct doca_rdma_job_send send_job;
    struct doca_rdma_job_read_write read_job;
    struct doca_event events[3];
    struct doca_rdma_result results[3];
};

// Turns around the bytes that came.
static doca_error_t turn_around(void *cookie, struct doca_event *event)
{
    uint8_t *bytes = cookie;
    (void)event;
    for (size_t i = 0; i < SIZE / 2; i++) {
        uint8_t byte = bytes[i];
        bytes[i] = bytes[SIZE - 1 - i];
        bytes[SIZE - 1 - i] = byte;
    }
    return DOCA_SUCCESS;
}

// receive -> turn around -> send, and a read beside them.
static void make_graph(struct echo *e)
{
    struct doca_ctx *ctx = e->p->ctx;
    ck_assert_success(doca_graph_create(&e->graph));
    ck_assert_success(doca_graph_ctx_node_create(e->graph, DOCA_RDMA_JOB_RECV, ctx, &e->recv));
    ck_assert_success(doca_graph_user_node_create(e->graph, turn_around, &e->turn));
    ck_assert_success(doca_graph_ctx_node_create(e->graph, DOCA_RDMA_JOB_SEND, ctx, &e->send));
    ck_assert_success(doca_graph_ctx_node_create(e->graph, DOCA_RDMA_JOB_READ, ctx, &e->read));
    ck_assert_success(doca_graph_add_dependency(e->graph, e->recv, e->turn));
    ck_assert_success(doca_graph_add_dependency(e->graph, e->turn, e->send));
    ck_assert_success(doca_graph_start(e->graph));
    ck_assert_success(doca_graph_workq_add(e->graph, e->p->workq));
    ck_assert_success(doca_graph_instance_create(e->graph, &e->instance));
}

static void set_data(struct echo *e)
{
    struct doca_ctx *ctx = e->p->ctx;
    struct doca_buf *message = peer_room(e->p, 0, SIZE);
    e->recv_job = (struct doca_rdma_job_recv){.base = {.type = DOCA_RDMA_JOB_RECV, .ctx = ctx},
                                              .dst_buff = message};
    e->send_job = (struct doca_rdma_job_send){.base = {.type = DOCA_RDMA_JOB_SEND, .ctx = ctx},
                                              .src_buff = message};
    e->read_job =
        (struct doca_rdma_job_read_write){.base = {.type = DOCA_RDMA_JOB_READ, .ctx = ctx},
                                          .dst_buff = peer_room(e->p, 8192, 64),
                                          .src_buff = peer_remote_buf(e->p, 65536, 64)};
    for (int i = 0; i < 3; i++)
        e->events[i].result.ptr = &e->results[i];
    ck_assert_success(doca_graph_instance_set_ctx_node_data(e->instance, e->recv, &e->recv_job.base,
                                                            &e->events[0]));
    ck_assert_success(
        doca_graph_instance_set_user_node_data(e->instance, e->turn, e->p->memory, NULL));
    ck_assert_success(doca_graph_instance_set_ctx_node_data(e->instance, e->send, &e->send_job.base,
                                                            &e->events[1]));
    ck_assert_success(doca_graph_instance_set_ctx_node_data(e->instance, e->read, &e->read_job.base,
                                                            &e->events[2]));
}

// One instance from end to end; its status.
static doca_error_t run_instance(struct echo *e)
{
    struct doca_event event = {0};
    doca_error_t r;
    ck_assert_success(
        doca_workq_graph_submit(e->p->workq, e->instance, (union doca_data){.u64 = 99}));
    while ((r = doca_workq_progress_retrieve(e->p->workq, &event, 0)) == DOCA_ERROR_AGAIN)
        if (e->p->plan.event)
            peer_sleep(e->p);
    ck_assert_success(r);
    ck_assert_int_eq(event.type, DOCA_GRAPH_JOB);
    ck_assert_uint_eq(event.user_data.u64, 99);
    return (doca_error_t)event.result.u64;
}

static void echoes(struct peer *p)
{
    struct echo e = {.p = p};
    meet(p);
    make_graph(&e);
    set_data(&e);
    for (unsigned i = 0; i < ROUNDS; i++) {
        memset(p->memory + 8192, 0, 64);
        ck_assert_success(doca_buf_reset_data_len(e.recv_job.dst_buff));
        ck_assert_success(doca_buf_reset_data_len(e.read_job.dst_buff));
        ck_assert_success(run_instance(&e));
        ck_assert_success(e.results[0].result);
        ck_assert_uint_eq(e.results[0].length, SIZE);
        ck_assert_success(e.results[1].result);
        ck_assert_success(e.results[2].result);
        ck_assert(is_pattern(p->memory + 8192, 64, 5));
    }
    // The other side goes while an instance waits for it.
    ck_assert_success(doca_buf_reset_data_len(e.recv_job.dst_buff));
    ck_assert_success(doca_buf_reset_data_len(e.read_job.dst_buff));
    child_tell(p->self, "waiting");
    ck_assert_error(run_instance(&e), DOCA_ERROR_CONNECTION_RESET);
    ck_assert_error(e.results[0].result, DOCA_ERROR_CONNECTION_RESET);
    ck_assert_int_eq(peer_state(p), DOCA_RDMA_STATE_ERROR);
    ck_assert_success(doca_graph_instance_destroy(e.instance));
    ck_assert_success(doca_graph_workq_rm(e.graph, p->workq));
    ck_assert_success(doca_graph_stop(e.graph));
    ck_assert_success(doca_graph_destroy(e.graph));
    drop(e.recv_job.dst_buff);
    drop(e.read_job.dst_buff);
    drop((struct doca_buf *)e.read_job.src_buff);
}

static void asks(struct peer *p)
{
    pattern(p->memory + 65536, 64, 5);
    meet(p);
    for (unsigned i = 0; i < ROUNDS; i++) {
        struct doca_buf *room = peer_room(p, 8192, SIZE);
        pattern(p->memory, SIZE, i);
        ck_assert_success(peer_try_recv(p, room));
        ck_assert_success(peer_send(p, 0, SIZE));
        ck_assert_success(peer_wait(p));
        ck_assert_uint_eq(p->result.length, SIZE);
        for (size_t k = 0; k < SIZE; k++)
            ck_assert_uint_eq(p->memory[8192 + k], p->memory[SIZE - 1 - k]);
        drop(room);
    }
    child_wait(p->self, "leave");
}

START_TEST(receive_change_send)
{
    struct peers both = peers_run(_i, echoes, asks);
    child_wait(both.near, "waiting");
    child_tell(both.far, "leave");
    peers_end(&both);
}
END_TEST

static Suite *graph_suite(void)
{
    Suite *suite = suite_create("rdma graph");
    TCase *shared = setting_shared_case(suite);
    tcase_add_loop_test(shared, receive_change_send, 0, SETTINGS);
    return suite;
}

int main(void)
{
    return run_suite(graph_suite());
}
