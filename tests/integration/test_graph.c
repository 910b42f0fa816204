// SPDX-License-Identifier: BSD-3-Clause
// Copyright (c) 2026, the docad authors
//
// Graphs with real libraries and real daemons: a digest and a copy beside each other, then
// a callback that looks at both; on local memory, on memory of a host that the engine has
// to fetch, in event-driven mode, and when the host goes.

#include "client.h"

#include "child.h"
#include "cleanup.h"
#include "deadline.h"
#include "nodes.h"
#include "run.h"

#include <doca_graph.h>
#include <doca_sha.h>
#include <openssl/evp.h>
#include <stdlib.h>
#include <string.h>

#define INSTANCES 10
#define PIECE     1024
#define MEMORY    ((size_t)1 << 20)

static void fill(uint8_t *p, size_t n)
{
    for (size_t i = 0; i < n; i++)
        p[i] = (uint8_t)(i * 7 + i / 251 + 1);
}

// ---- a program -----------------------------------------------------------------------------

struct run {
    struct program *program;
    uint8_t *copy, *digest; // parts of the local memory
    const uint8_t *expected;
    size_t size;
    struct doca_buf *source, *copy_buf, *digest_buf;
    struct doca_sha_job sha_job;
    struct doca_dma_job_memcpy copy_job;
    struct doca_event copy_event;
    struct doca_graph_instance *instance;
    unsigned compared;
};

struct program {
    struct copier c; // device, DMA, maps
    struct doca_sha *sha;
    struct doca_workq *workq;
    struct doca_buf_inventory *inventory;
    struct doca_graph *graph;
    struct doca_graph_node *sha_node, *copy_node, *compare_node;
    bool retrieving;
    struct run runs[INSTANCES];
};

static doca_error_t compare(void *cookie, struct doca_event *ev)
{
    struct run *run = cookie;
    uint8_t expected[EVP_MAX_MD_SIZE];

    ck_assert(run->program->retrieving);
    ck_assert_ptr_null(ev);
    ck_assert_mem_eq(run->copy, run->expected, run->size);
    ck_assert_int_eq(EVP_Digest(run->expected, run->size, expected, NULL, EVP_sha256(), NULL), 1);
    ck_assert_mem_eq(run->digest, expected, 32);
    run->compared++;
    return DOCA_SUCCESS;
}

static void describe(struct program *p)
{
    ck_assert_success(doca_graph_create(&p->graph));
    ck_assert_success(doca_graph_ctx_node_create(p->graph, DOCA_SHA_JOB_SHA256,
                                                 doca_sha_as_ctx(p->sha), &p->sha_node));
    ck_assert_success(
        doca_graph_ctx_node_create(p->graph, DOCA_DMA_JOB_MEMCPY, p->c.ctx, &p->copy_node));
    ck_assert_success(doca_graph_user_node_create(p->graph, compare, &p->compare_node));
    ck_assert_success(doca_graph_add_dependency(p->graph, p->sha_node, p->compare_node));
    ck_assert_success(doca_graph_add_dependency(p->graph, p->copy_node, p->compare_node));
    ck_assert_success(doca_graph_start(p->graph));
    ck_assert_success(doca_graph_workq_add(p->graph, p->workq));
}

static void program_start(struct program *p, const char *pci_address, bool event_driven)
{
    copier_start(&p->c, pci_address, MEMORY);
    ck_assert_success(doca_sha_create(&p->sha));
    ck_assert_success(doca_ctx_dev_add(doca_sha_as_ctx(p->sha), p->c.dev));
    ck_assert_success(doca_ctx_start(doca_sha_as_ctx(p->sha)));
    ck_assert_success(doca_workq_create(3 * INSTANCES, &p->workq));
    ck_assert_success(doca_workq_set_event_driven_enable(p->workq, event_driven));
    ck_assert_success(doca_ctx_workq_add(p->c.ctx, p->workq));
    ck_assert_success(doca_ctx_workq_add(doca_sha_as_ctx(p->sha), p->workq));
    ck_assert_success(
        doca_buf_inventory_create(NULL, 3 * INSTANCES, DOCA_BUF_EXTENSION_NONE, &p->inventory));
    ck_assert_success(doca_buf_inventory_start(p->inventory));
    describe(p);
}

static void program_stop(struct program *p)
{
    ck_assert_success(doca_graph_workq_rm(p->graph, p->workq));
    ck_assert_success(doca_graph_stop(p->graph));
    ck_assert_success(doca_graph_destroy(p->graph));
    ck_assert_success(doca_buf_inventory_destroy(p->inventory));
    ck_assert_success(doca_ctx_workq_rm(p->c.ctx, p->workq));
    ck_assert_success(doca_ctx_workq_rm(doca_sha_as_ctx(p->sha), p->workq));
    ck_assert_success(doca_workq_destroy(p->workq));
    ck_assert_success(doca_ctx_stop(doca_sha_as_ctx(p->sha)));
    copier_stop(&p->c);
    ck_assert_success(doca_sha_destroy(p->sha));
}

static struct doca_buf *buffer(struct program *p, struct doca_mmap *map, void *address, size_t n,
                               size_t data_len)
{
    struct doca_buf *buf;
    ck_assert_success(
        doca_buf_inventory_buf_by_args(p->inventory, map, address, n, address, data_len, &buf));
    return buf;
}

static void run_start(struct program *p, struct run *run, size_t number, struct doca_mmap *map,
                      uint8_t *source, const uint8_t *expected, size_t size)
{
    uint8_t *mine = p->c.memory + number * (size + 64);
    *run = (struct run){.program = p,
                        .copy = mine,
                        .digest = mine + size,
                        .expected = expected,
                        .size = size,
                        .source = buffer(p, map, source, size, size),
                        .copy_buf = buffer(p, p->c.local, mine, size, 0),
                        .digest_buf = buffer(p, p->c.local, mine + size, 32, 0)};
    run->sha_job =
        (struct doca_sha_job){.base = {.type = DOCA_SHA_JOB_SHA256, .ctx = doca_sha_as_ctx(p->sha)},
                              .req_buf = run->source,
                              .resp_buf = run->digest_buf};
    run->copy_job = (struct doca_dma_job_memcpy){
        .base = {.type = DOCA_DMA_JOB_MEMCPY, .ctx = p->c.ctx, .user_data.u64 = number},
        .dst_buff = run->copy_buf,
        .src_buff = run->source};
    ck_assert_success(doca_graph_instance_create(p->graph, &run->instance));
    ck_assert_success(doca_graph_instance_set_ctx_node_data(run->instance, p->sha_node,
                                                            &run->sha_job.base, NULL));
    ck_assert_success(doca_graph_instance_set_ctx_node_data(run->instance, p->copy_node,
                                                            &run->copy_job.base, &run->copy_event));
    ck_assert_success(
        doca_graph_instance_set_user_node_data(run->instance, p->compare_node, run, NULL));
}

static void run_stop(struct run *run)
{
    ck_assert_success(doca_graph_instance_destroy(run->instance));
    ck_assert_success(doca_buf_refcount_rm(run->source, NULL));
    ck_assert_success(doca_buf_refcount_rm(run->copy_buf, NULL));
    ck_assert_success(doca_buf_refcount_rm(run->digest_buf, NULL));
}

static void submit(struct program *p, uint64_t number)
{
    ck_assert_success(doca_buf_reset_data_len(p->runs[number].copy_buf));
    ck_assert_success(doca_workq_graph_submit(p->workq, p->runs[number].instance,
                                              (union doca_data){.u64 = number}));
}

static doca_error_t retrieve(struct program *p, struct doca_event *event)
{
    p->retrieving = true;
    doca_error_t r = doca_workq_progress_retrieve(p->workq, event, 0);
    p->retrieving = false;
    return r;
}

static doca_error_t wait_event(struct program *p, struct doca_event *event)
{
    int64_t deadline = deadline_in(HARNESS_LIMIT_MS);
    doca_error_t r;
    while ((r = retrieve(p, event)) == DOCA_ERROR_AGAIN)
        ck_assert_msg(now_ms() < deadline, "an instance hangs");
    return r;
}

// ---- local -----------------------------------------------------------------------------------

static int runs_the_sample(struct child *self, void *arg)
{
    struct program p;
    struct doca_event event;
    unsigned seen[INSTANCES] = {0};
    (void)self;
    (void)arg;
    program_start(&p, HOST_PF0, false);
    uint8_t *source = p.c.memory + MEMORY - PIECE;
    fill(source, PIECE);
    for (size_t i = 0; i < INSTANCES; i++)
        run_start(&p, &p.runs[i], i, p.c.local, source, source, PIECE);
    for (int round = 0; round < 3; round++) {
        for (size_t i = 0; i < INSTANCES; i++)
            submit(&p, i);
        for (size_t i = 0; i < INSTANCES; i++) {
            ck_assert_success(wait_event(&p, &event));
            ck_assert_int_eq(event.type, DOCA_GRAPH_JOB);
            ck_assert_uint_eq(event.result.u64, DOCA_SUCCESS);
            seen[event.user_data.u64]++;
        }
    }
    for (size_t i = 0; i < INSTANCES; i++) {
        size_t n;
        ck_assert_uint_eq(seen[i], 3);
        ck_assert_uint_eq(p.runs[i].compared, 3);
        ck_assert_success(doca_buf_get_data_len(p.runs[i].copy_buf, &n));
        ck_assert_uint_eq(n, PIECE);
        ck_assert_int_eq(p.runs[i].copy_event.type, DOCA_DMA_JOB_MEMCPY);
        ck_assert_uint_eq(p.runs[i].copy_event.user_data.u64, i);
        run_stop(&p.runs[i]);
    }
    program_stop(&p);
    return 0;
}

START_TEST(the_sample)
{
    struct daemon *daemon = daemon_start(&(struct daemon_options){0});
    child_join(child_start(daemon, "program", runs_the_sample, NULL));
    assert_baseline(daemon);
}
END_TEST

// ---- memory of a host -----------------------------------------------------------------------

struct handout {
    size_t desc_len;
    uint8_t desc[DOCAD_EXPORT_DESC_SIZE];
};

static int host(struct child *self, void *arg)
{
    struct exporter e;
    struct handout out = {0};
    (void)arg;
    fill(brokered_memory, BROKERED_SIZE);
    exporter_start(&e, HOST_PF0, brokered_memory, BROKERED_SIZE, DOCA_ACCESS_DPU_READ_ONLY);
    out.desc_len = e.desc_len;
    memcpy(out.desc, e.desc, e.desc_len);
    child_send(self, &out, sizeof(out));
    child_wait(self, "end");
    exporter_stop(&e);
    return 0;
}

static uint8_t expected[BROKERED_SIZE];

// Jobs of both libraries wait for the engine, inside an instance, while the program sleeps.
static int sleeps(struct child *self, void *arg)
{
    const struct handout *given = arg;
    doca_event_handle_t handle;
    struct doca_event event;
    struct program p;
    unsigned done = 0;
    (void)self;
    fill(expected, sizeof(expected));
    program_start(&p, DPU_P0, true);
    copier_import(&p.c, given->desc, given->desc_len);
    ck_assert_success(doca_workq_get_event_handle(p.workq, &handle));
    size_t n = MEMORY / 4 - 64;
    for (size_t i = 0; i < 4; i++) {
        run_start(&p, &p.runs[i], i, p.c.remote, p.c.address, expected, n - i);
        submit(&p, i);
    }
    while (done < 40) {
        doca_error_t r;
        workq_sleep(p.workq, handle);
        while ((r = retrieve(&p, &event)) != DOCA_ERROR_AGAIN) {
            ck_assert_success(r);
            ck_assert_uint_eq(event.result.u64, DOCA_SUCCESS);
            if (++done <= 36)
                submit(&p, event.user_data.u64);
        }
    }
    for (size_t i = 0; i < 4; i++)
        run_stop(&p.runs[i]);
    program_stop(&p);
    return 0;
}

START_TEST(brokered_memory_and_event_driven_mode)
{
    struct child *ours = child_start(nodes.host, "host", host, NULL);
    struct handout given;
    ck_assert_uint_eq(child_receive(ours, &given, sizeof(given)), sizeof(given));
    child_join(child_start(nodes.dpu, "dpu", sleeps, &given));
    child_tell(ours, "end");
    child_join(ours);
    assert_baseline(nodes.host);
    assert_baseline(nodes.dpu);
}
END_TEST

static int runs_until_the_end(struct child *self, void *arg)
{
    const struct handout *given = arg;
    int64_t deadline = deadline_in(HARNESS_LIMIT_MS);
    struct doca_event event;
    struct program p;
    uint32_t failed;
    fill(expected, sizeof(expected));
    program_start(&p, DPU_P0, false);
    copier_import(&p.c, given->desc, given->desc_len);
    run_start(&p, &p.runs[0], 0, p.c.remote, p.c.address, expected, BROKERED_SIZE);
    submit(&p, 0);
    ck_assert_success(wait_event(&p, &event));
    ck_assert_uint_eq(event.result.u64, DOCA_SUCCESS);
    child_tell(self, "running");
    do {
        ck_assert_msg(now_ms() < deadline, "the instances never fail");
        submit(&p, 0);
        ck_assert_success(wait_event(&p, &event)); // an instance has come to its end
    } while (event.result.u64 == DOCA_SUCCESS);
    ck_assert_uint_eq(event.result.u64, DOCA_ERROR_CONNECTION_RESET);
    ck_assert_success(doca_graph_instance_get_num_failed_nodes(p.runs[0].instance, &failed));
    ck_assert_uint_ge(failed, 1);
    run_stop(&p.runs[0]);
    program_stop(&p);
    return 0;
}

START_TEST(a_host_that_is_killed)
{
    struct child *ours = child_start(nodes.host, "host", host, NULL);
    struct handout given;
    ck_assert_uint_eq(child_receive(ours, &given, sizeof(given)), sizeof(given));
    struct child *dpu = child_start(nodes.dpu, "dpu", runs_until_the_end, &given);
    child_wait(dpu, "running");
    child_kill(ours);
    child_join(dpu);
    assert_baseline(nodes.host);
    assert_baseline(nodes.dpu);
}
END_TEST

int main(void)
{
    Suite *suite = suite_create("graph");
    TCase *one = tcase_create("one node"), *two = tcase_create("two nodes");
    tcase_add_checked_fixture(one, env_setup, env_teardown);
    tcase_add_test(one, the_sample);
    tcase_add_checked_fixture(two, setup_pair, env_teardown);
    tcase_add_test(two, brokered_memory_and_event_driven_mode);
    tcase_add_test(two, a_host_that_is_killed);
    suite_add_tcase(suite, one);
    suite_add_tcase(suite, two);
    return run_suite(suite);
}
