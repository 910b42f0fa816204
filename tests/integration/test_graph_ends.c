// SPDX-License-Identifier: BSD-3-Clause
// Copyright (c) 2026, the docad authors
//
// Digests and graphs at full work when something that they depend on goes: the owner of the
// memory, its export, its docad, their own docad. They poll or sleep, on mapped and on brokered
// memory. Each job and each instance comes back once, with the reason; the program can close
// everything it has; and the remaining daemons keep nothing of it.

#include "client.h"

#include "child.h"
#include "cleanup.h"
#include "deadline.h"
#include "export_desc.h"
#include "nodes.h"
#include "request.h"
#include "run.h"

#include <doca_graph.h>
#include <doca_sha.h>
#include <string.h>

#define SLOTS 4
#define SIZE  BROKERED_SIZE

enum end { OWNER_DIES, REVOKED, OWNERS_DOCAD_DIES, OWN_DOCAD_DIES, ENDS };

struct handout {
    size_t desc_len;
    uint8_t desc[DOCAD_EXPORT_DESC_SIZE];
};

struct plan {
    bool graph, sleeps, mapped;
    enum end end;
    struct handout given; // nothing: the program's own memory
};

// ---- a program: SLOTS jobs, or instances, at a time ----------------------------------------

struct slot {
    struct doca_buf *source, *copy, *digest;
    struct doca_sha_job sha_job;
    struct doca_dma_job_memcpy copy_job;
    struct doca_graph_instance *instance;
    unsigned called, completed;
    bool in_flight;
};

struct program {
    const struct plan *plan;
    struct copier c; // device, DMA, maps
    struct doca_sha *sha;
    struct doca_workq *workq;
    doca_event_handle_t handle;
    struct doca_buf_inventory *inventory;
    struct doca_graph *graph;
    struct doca_graph_node *copy_node, *sha_node, *last_node;
    struct slot slots[SLOTS];
};

static doca_error_t count_call(void *cookie, struct doca_event *ev)
{
    struct slot *s = cookie;
    (void)ev;
    s->called++;
    return DOCA_SUCCESS;
}

// A copy and a digest, and a callback after both.
static void describe(struct program *p)
{
    struct doca_ctx *sha = doca_sha_as_ctx(p->sha);
    ck_assert_success(doca_graph_create(&p->graph));
    ck_assert_success(
        doca_graph_ctx_node_create(p->graph, DOCA_DMA_JOB_MEMCPY, p->c.ctx, &p->copy_node));
    ck_assert_success(doca_graph_ctx_node_create(p->graph, DOCA_SHA_JOB_SHA256, sha, &p->sha_node));
    ck_assert_success(doca_graph_user_node_create(p->graph, count_call, &p->last_node));
    ck_assert_success(doca_graph_add_dependency(p->graph, p->copy_node, p->last_node));
    ck_assert_success(doca_graph_add_dependency(p->graph, p->sha_node, p->last_node));
    ck_assert_success(doca_graph_start(p->graph));
    ck_assert_success(doca_graph_workq_add(p->graph, p->workq));
}

static struct doca_buf *buffer(struct program *p, struct doca_mmap *map, void *address, size_t n,
                               size_t data_len)
{
    struct doca_buf *buf;
    ck_assert_success(
        doca_buf_inventory_buf_by_args(p->inventory, map, address, n, address, data_len, &buf));
    return buf;
}

static void slot_open(struct program *p, uint64_t i)
{
    struct slot *s = &p->slots[i];
    uint8_t *mine = p->c.memory + i * (SIZE + 64);
    bool far = p->c.remote != NULL;

    *s = (struct slot){.copy = buffer(p, p->c.local, mine, SIZE, 0),
                       .digest = buffer(p, p->c.local, mine + SIZE, 32, 0)};
    s->source = far ? buffer(p, p->c.remote, p->c.address, SIZE, SIZE)
                    : buffer(p, p->c.local, p->c.memory + SLOTS * (SIZE + 64), SIZE, SIZE);
    s->sha_job = (struct doca_sha_job){
        .base = {.type = DOCA_SHA_JOB_SHA256, .ctx = doca_sha_as_ctx(p->sha), .user_data.u64 = i},
        .req_buf = s->source,
        .resp_buf = s->digest};
    s->copy_job =
        (struct doca_dma_job_memcpy){.base = {.type = DOCA_DMA_JOB_MEMCPY, .ctx = p->c.ctx},
                                     .dst_buff = s->copy,
                                     .src_buff = s->source};
    ck_assert_success(doca_graph_instance_create(p->graph, &s->instance));
    ck_assert_success(
        doca_graph_instance_set_ctx_node_data(s->instance, p->sha_node, &s->sha_job.base, NULL));
    ck_assert_success(
        doca_graph_instance_set_ctx_node_data(s->instance, p->copy_node, &s->copy_job.base, NULL));
    ck_assert_success(doca_graph_instance_set_user_node_data(s->instance, p->last_node, s, NULL));
}

static void program_start(struct program *p, const struct plan *plan, const char *pci_address)
{
    *p = (struct program){.plan = plan};
    copier_start(&p->c, pci_address, (SLOTS + 1) * (SIZE + 64));
    if (plan->given.desc_len)
        copier_import(&p->c, plan->given.desc, plan->given.desc_len);
    ck_assert_success(doca_sha_create(&p->sha));
    ck_assert_success(doca_ctx_dev_add(doca_sha_as_ctx(p->sha), p->c.dev));
    ck_assert_success(doca_ctx_start(doca_sha_as_ctx(p->sha)));
    ck_assert_success(doca_workq_create(3 * SLOTS, &p->workq));
    if (plan->sleeps)
        ck_assert_success(doca_workq_get_event_handle(p->workq, &p->handle));
    ck_assert_success(doca_ctx_workq_add(p->c.ctx, p->workq));
    ck_assert_success(doca_ctx_workq_add(doca_sha_as_ctx(p->sha), p->workq));
    ck_assert_success(
        doca_buf_inventory_create(NULL, 3 * SLOTS, DOCA_BUF_EXTENSION_NONE, &p->inventory));
    ck_assert_success(doca_buf_inventory_start(p->inventory));
    describe(p);
    for (uint64_t i = 0; i < SLOTS; i++)
        slot_open(p, i);
}

static void program_stop(struct program *p)
{
    for (struct slot *s = p->slots; s < p->slots + SLOTS; s++) {
        ck_assert_success(doca_graph_instance_destroy(s->instance));
        ck_assert_success(doca_buf_refcount_rm(s->source, NULL));
        ck_assert_success(doca_buf_refcount_rm(s->copy, NULL));
        ck_assert_success(doca_buf_refcount_rm(s->digest, NULL));
    }
    ck_assert_success(doca_graph_workq_rm(p->graph, p->workq));
    ck_assert_success(doca_graph_destroy(p->graph));
    ck_assert_success(doca_buf_inventory_destroy(p->inventory));
    ck_assert_success(doca_ctx_workq_rm(p->c.ctx, p->workq));
    ck_assert_success(doca_ctx_workq_rm(doca_sha_as_ctx(p->sha), p->workq));
    ck_assert_success(doca_workq_destroy(p->workq));
    ck_assert_success(doca_ctx_stop(doca_sha_as_ctx(p->sha)));
    copier_stop(&p->c);
    ck_assert_success(doca_sha_destroy(p->sha));
}

static void submit(struct program *p, uint64_t i)
{
    struct slot *s = &p->slots[i];
    ck_assert(!s->in_flight);
    ck_assert_success(doca_buf_reset_data_len(s->copy));
    if (p->plan->graph)
        ck_assert_success(
            doca_workq_graph_submit(p->workq, s->instance, (union doca_data){.u64 = i}));
    else
        ck_assert_success(doca_workq_submit(p->workq, &s->sha_job.base));
    s->in_flight = true;
}

// Which nodes of an instance have failed, and which were never started.
static void check_instance(struct program *p, struct slot *s, doca_error_t result)
{
    enum doca_graph_instance_node_state last;
    uint32_t failed;
    ck_assert_success(doca_graph_instance_get_num_failed_nodes(s->instance, &failed));
    ck_assert_success(doca_graph_instance_node_get_state(s->instance, p->last_node, &last));
    if (result == DOCA_SUCCESS) {
        ck_assert_uint_eq(failed, 0);
        ck_assert_int_eq(last, DOCA_GRAPH_INSTANCE_NODE_STATE_COMPLETED);
        s->completed++;
    } else {
        ck_assert(failed == 1 || failed == 2);
        ck_assert_int_eq(last, DOCA_GRAPH_INSTANCE_NODE_STATE_NOT_STARTED);
    }
    ck_assert_uint_eq(s->called, s->completed);
}

// Returns which one comes back next, and its result.
static doca_error_t next(struct program *p, uint64_t *i)
{
    int64_t deadline = deadline_in(HARNESS_LIMIT_MS);
    struct doca_event event;
    doca_error_t r;
    while ((r = doca_workq_progress_retrieve(p->workq, &event, 0)) == DOCA_ERROR_AGAIN) {
        ck_assert_msg(now_ms() < deadline, "something hangs");
        if (p->plan->sleeps)
            workq_sleep(p->workq, p->handle);
    }
    ck_assert(r == DOCA_SUCCESS || r == DOCA_ERROR_IO_FAILED);
    ck_assert_int_eq(event.type, p->plan->graph ? DOCA_GRAPH_JOB : DOCA_SHA_JOB_SHA256);
    *i = event.user_data.u64;
    ck_assert_uint_lt(*i, SLOTS);
    ck_assert(p->slots[*i].in_flight); // it comes once
    p->slots[*i].in_flight = false;
    r = (doca_error_t)event.result.u64;
    if (p->plan->graph)
        check_instance(p, &p->slots[*i], r);
    return r;
}

static bool expected(enum end end, doca_error_t error)
{
    switch (end) {
    case OWNER_DIES:
        return error == DOCA_ERROR_CONNECTION_RESET;
    case REVOKED:
        return error == DOCA_ERROR_NOT_PERMITTED;
    case OWNERS_DOCAD_DIES:
        return error == DOCA_ERROR_NOT_CONNECTED;
    default: // the other docad may see first that the link has gone
        return error == DOCA_ERROR_NOT_CONNECTED || error == DOCA_ERROR_CONNECTION_RESET;
    }
}

static int works_until_the_end(struct child *self, void *arg)
{
    const struct plan *plan = arg;
    int64_t deadline = deadline_in(HARNESS_LIMIT_MS);
    struct doca_event event;
    struct program p;
    doca_error_t error;
    unsigned left = SLOTS;
    uint64_t i;

    program_start(&p, plan, DPU_P0);
    for (i = 0; i < SLOTS; i++)
        submit(&p, i);
    for (unsigned n = 0; (error = next(&p, &i)) == DOCA_SUCCESS; n++) {
        ck_assert_msg(now_ms() < deadline, "nothing ever fails");
        submit(&p, i);
        if (n == SLOTS)
            child_tell(self, "working");
    }
    ck_assert_msg(expected(plan->end, error), "%s", doca_get_error_name(error));
    while (--left) {
        error = next(&p, &i); // done before, or failed too
        ck_assert_msg(error == DOCA_SUCCESS || expected(plan->end, error), "%s",
                      doca_get_error_name(error));
    }
    ck_assert_error(doca_workq_progress_retrieve(p.workq, &event, 0), DOCA_ERROR_AGAIN);
    submit(&p, 0); // and fails from now on
    error = next(&p, &i);
    ck_assert_msg(expected(plan->end, error), "%s", doca_get_error_name(error));
    program_stop(&p);
    return 0;
}

// ---- the owner --------------------------------------------------------------------------------

static int owns(struct child *self, void *arg)
{
    const struct plan *plan = arg;
    struct handout out = {0};
    struct exporter e;
    exporter_start(&e, HOST_PF0, plan->mapped ? pages_new(SIZE) : brokered_memory, SIZE,
                   DOCA_ACCESS_DPU_READ_ONLY);
    out.desc_len = e.desc_len;
    memcpy(out.desc, e.desc, e.desc_len);
    child_send(self, &out, sizeof(out));
    child_wait(self, "end");
    exporter_stop(&e);
    return 0;
}

static void bring_about(const struct plan *plan, struct child *owner)
{
    struct export_desc desc;
    switch (plan->end) {
    case OWNER_DIES:
        child_kill(owner);
        return;
    case REVOKED:
        ck_assert_success(export_desc_decode(plan->given.desc, plan->given.desc_len, &desc, NULL));
        raw_revoke(nodes.host->socket.s, desc.export_id);
        return;
    case OWNERS_DOCAD_DIES:
        daemon_kill(nodes.host);
        return;
    default:
        daemon_kill(nodes.dpu);
    }
}

static void check_end(struct plan plan)
{
    struct child *owner = child_start(nodes.host, "owner", owns, &plan);
    ck_assert_uint_eq(child_receive(owner, &plan.given, sizeof(plan.given)), sizeof(plan.given));
    struct child *worker = child_start(nodes.dpu, "worker", works_until_the_end, &plan);
    child_wait(worker, "working");
    bring_about(&plan, owner);
    child_join(worker);
    if (plan.end != OWNER_DIES) {
        child_tell(owner, "end");
        child_join(owner);
    }
    if (plan.end == OWNERS_DOCAD_DIES) {
        assert_baseline(nodes.dpu);
        daemon_restart(nodes.host);
    }
    if (plan.end == OWN_DOCAD_DIES) {
        assert_baseline(nodes.host);
        daemon_restart(nodes.dpu);
    }
    assert_baseline(nodes.host);
    assert_baseline(nodes.dpu);
}

START_TEST(brokered_memory_goes)
{
    check_end((struct plan){.end = _i % ENDS, .graph = _i / ENDS % 2, .sleeps = _i / ENDS / 2});
}
END_TEST

// Copies from mapped memory do not pass through the program's own docad.
START_TEST(mapped_memory_goes)
{
    check_end((struct plan){.mapped = true,
                            .end = _i % OWN_DOCAD_DIES,
                            .graph = _i / OWN_DOCAD_DIES % 2,
                            .sleeps = _i / OWN_DOCAD_DIES / 2});
}
END_TEST

// ---- memory of one's own ----------------------------------------------------------------------

// Nothing in it needs docad once it runs.
static int works_on_alone(struct child *self, void *arg)
{
    const struct plan *plan = arg;
    struct program p;
    uint64_t i;
    program_start(&p, plan, HOST_PF0);
    for (i = 0; i < SLOTS; i++)
        submit(&p, i);
    child_tell(self, "working");
    child_wait(self, "killed");
    for (unsigned n = 0; n < 10 * SLOTS; n++) {
        ck_assert_success(next(&p, &i));
        submit(&p, i);
    }
    for (unsigned n = 0; n < SLOTS; n++)
        ck_assert_success(next(&p, &i));
    program_stop(&p);
    return 0;
}

START_TEST(memory_of_ones_own_stays)
{
    struct plan plan = {.graph = _i % 2, .sleeps = _i / 2};
    struct child *worker = child_start(nodes.host, "worker", works_on_alone, &plan);
    child_wait(worker, "working");
    daemon_kill(nodes.host);
    child_tell(worker, "killed");
    child_join(worker);
    daemon_restart(nodes.host);
    assert_baseline(nodes.host);
}
END_TEST

int main(void)
{
    Suite *suite = suite_create("graph_ends");
    TCase *tcase = tcase_create("graph_ends");
    tcase_add_checked_fixture(tcase, setup_pair, env_teardown);
    tcase_add_loop_test(tcase, brokered_memory_goes, 0, ENDS * 2 * 2);
    tcase_add_loop_test(tcase, mapped_memory_goes, 0, OWN_DOCAD_DIES * 2 * 2);
    tcase_add_loop_test(tcase, memory_of_ones_own_stays, 0, 2 * 2);
    suite_add_tcase(suite, tcase);
    return run_suite(suite);
}
