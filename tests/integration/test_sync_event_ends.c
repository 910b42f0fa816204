// SPDX-License-Identifier: BSD-3-Clause
// Copyright (c) 2026, the docad authors
//
// Sync events with real daemons: sleepers that are woken, ends of every kind, and
// descriptors that are refused.

#include "child.h"
#include "deadline.h"
#include "nodes.h"
#include "events.h"
#include "request.h"
#include "run.h"

#include "cleanup.h"

#include <doca_graph.h>
#include <poll.h>
#include <string.h>

// ---- sleeping -------------------------------------------------------------------------

// Arms until there is nothing left to be woken by: an answer of an engine may be under way.
static void fall_asleep(struct jobs *j)
{
    struct pollfd p = {.fd = j->handle, .events = POLLIN};
    int64_t deadline = deadline_in(HARNESS_LIMIT_MS);
    struct doca_event event;
    for (;;) {
        ck_assert_error(doca_workq_progress_retrieve(j->workq, &event, 0), DOCA_ERROR_AGAIN);
        ck_assert_success(doca_workq_event_handle_arm(j->workq));
        if (poll(&p, 1, 0) == 0)
            return;
        ck_assert_msg(now_ms() < deadline, "the handle is readable again and again");
        ck_assert_success(doca_workq_event_handle_clear(j->workq, j->handle));
    }
}

// Another importer's change wakes as well, and a change that is not enough does not end it.
static int sleeps(struct child *self, void *arg)
{
    struct plan plan = {true, true, false};
    struct owner o;
    (void)arg;
    importer_open(&o, &plan, self);
    job_submit_wait(&o.jobs, 10, 0xff);
    job_submit_wait(&o.jobs, 0, 0x100);
    fall_asleep(&o.jobs);
    child_tell(self, "asleep");
    ck_assert_success(jobs_next(&o.jobs, DOCA_SYNC_EVENT_JOB_WAIT_GT));
    child_tell(self, "first");
    ck_assert_success(jobs_next(&o.jobs, DOCA_SYNC_EVENT_JOB_WAIT_GT));
    // Nothing waits, so a change wakes nobody.
    fall_asleep(&o.jobs);
    owner_close(&o, &plan);
    return 0;
}

static int sets_as_told(struct child *self, void *arg)
{
    struct plan plan = {false, false, arg != NULL};
    struct owner o;
    uint64_t value;
    importer_open(&o, &plan, self);
    child_tell(self, "imported");
    while (child_receive(self, &value, sizeof(value)) == sizeof(value) && value) {
        ck_assert_success(doca_sync_event_update_set(o.event, value));
        child_tell(self, "set");
    }
    owner_close(&o, &plan);
    return 0;
}

static void order_set(struct child *child, uint64_t value)
{
    child_send(child, &value, sizeof(value));
    if (value)
        child_wait(child, "set");
}

static int owns(struct child *self, void *arg)
{
    const struct plan *plan = arg;
    struct owner o;
    owner_open(&o, plan, self);
    child_wait(self, "end");
    owner_close(&o, plan);
    return 0;
}

START_TEST(sleepers_are_woken)
{
    struct plan plan = event_plans[_i ? 3 : 0];
    struct child *host = child_start(nodes.host, "host", owns, &plan);
    struct child *setter = child_start(nodes.dpu, "setter", sets_as_told, NULL);
    struct child *sleeper[2] = {child_start(nodes.dpu, "a", sleeps, NULL),
                                child_start(nodes.dpu, "b", sleeps, NULL)};
    uint8_t data[4096];
    size_t size = child_receive(host, data, sizeof(data));
    child_send(setter, data, size);
    child_wait(setter, "imported");
    for (int i = 0; i < 2; i++) {
        child_send(sleeper[i], data, size);
        child_wait(sleeper[i], "asleep");
    }
    for (uint64_t i = 1; i <= 10; i++) // not enough for anybody
        order_set(setter, i);
    order_set(setter, 11);
    child_wait(sleeper[0], "first");
    child_wait(sleeper[1], "first");
    order_set(setter, 0x105);
    child_join(sleeper[0]);
    child_join(sleeper[1]);
    order_set(setter, 0);
    child_join(setter);
    child_tell(host, "end");
    child_join(host);
    assert_baseline(nodes.host);
    assert_baseline(nodes.dpu);
}
END_TEST

// ---- ends -----------------------------------------------------------------------------

static int waits_for_the_end(struct child *self, void *arg)
{
    const struct plan *plan = arg;
    struct owner o;
    doca_error_t r;
    uint8_t why;
    importer_open(&o, plan, self);
    child_tell(self, "waiting");
    if (plan->asynchronous) {
        job_submit_wait(&o.jobs, 0, UINT64_MAX);
        r = jobs_next(&o.jobs, DOCA_SYNC_EVENT_JOB_WAIT_GT);
        ck_assert_error(job_set(&o.jobs, 1), r);
    } else {
        r = doca_sync_event_wait_gt_yield(o.event, 0, UINT64_MAX);
        ck_assert_error(doca_sync_event_wait_gt(o.event, 0, UINT64_MAX), r);
        ck_assert_error(doca_sync_event_update_set(o.event, 1), r);
    }
    why = (uint8_t)r;
    child_send(self, &why, 1);
    owner_close(&o, plan);
    return 0;
}

enum end {
    OWNER_DESTROYS,
    OWNER_DIES,
    REVOKED,
    OWNERS_DOCAD_DIES,
    OWN_DOCAD_DIES,
    ENDS,
};

static void end_export(void)
{
    int sock = raw_hello(nodes.host->socket.s);
    cleanup_message Docad__Message *list = raw_list(sock, DOCAD__LIST__KIND__EXPORTS, 0);
    close(sock);
    ck_assert_uint_eq(list->list_reply->n_exports, 1);
    ck_assert_int_eq(list->list_reply->exports[0]->target, DOCAD__EXPORT_TARGET__TARGET_SYNC_EVENT);
    raw_revoke(nodes.host->socket.s, list->list_reply->exports[0]->id);
}

static void bring_about(enum end end, struct child *host)
{
    switch (end) {
    case OWNER_DESTROYS:
        child_tell(host, "end");
        child_join(host);
        return;
    case OWNER_DIES:
        child_kill(host);
        return;
    case REVOKED:
        end_export();
        return;
    case OWNERS_DOCAD_DIES:
        daemon_kill(nodes.host);
        return;
    default:
        daemon_kill(nodes.dpu);
    }
}

static bool expected(enum end end, bool own_memory, doca_error_t why)
{
    switch (end) {
    case OWNER_DESTROYS:
    case OWNER_DIES:
        return why == DOCA_ERROR_CONNECTION_RESET;
    case REVOKED:
        return why == DOCA_ERROR_NOT_PERMITTED;
    case OWNERS_DOCAD_DIES:
        return why == DOCA_ERROR_NOT_CONNECTED;
    default: // through an engine one learns of it as any job does
        return why == DOCA_ERROR_NOT_CONNECTED || (own_memory && why != DOCA_SUCCESS);
    }
}

// Every end, for every kind of wait, for either kind of memory.
START_TEST(waits_end_with_the_event)
{
    enum end end = (enum end)(_i % ENDS);
    struct plan wait = event_plans[_i / ENDS % 3], owner = event_plans[_i / ENDS / 3 ? 3 : 0];
    struct child *host = child_start(nodes.host, "host", owns, &owner);
    struct child *dpu = child_start(nodes.dpu, "dpu", waits_for_the_end, &wait);
    uint8_t why;
    hand_over(host, dpu);
    child_wait(dpu, "waiting");
    bring_about(end, host);
    ck_assert_uint_eq(child_receive(dpu, &why, 1), 1);
    ck_assert_msg(expected(end, owner.own_memory, (doca_error_t)why), "%s",
                  doca_get_error_name((doca_error_t)why));
    child_join(dpu);
    if (end >= REVOKED) {
        child_tell(host, "end");
        child_join(host);
    }
    if (end == OWNERS_DOCAD_DIES)
        daemon_restart(nodes.host);
    if (end == OWN_DOCAD_DIES)
        daemon_restart(nodes.dpu);
}
END_TEST

// ---- a wait as a node of a graph ------------------------------------------------------

#define ROUNDS 3

static doca_error_t after_the_wait(void *cookie, struct doca_event *ev)
{
    (void)ev;
    ++*(unsigned *)cookie;
    return DOCA_SUCCESS;
}

struct wait_graph {
    struct doca_graph *graph;
    struct doca_graph_node *wait, *after;
    struct doca_graph_instance *instance;
    struct doca_sync_event_job_wait job;
    unsigned called;
};

static void wait_graph_open(struct wait_graph *g, struct jobs *j)
{
    *g = (struct wait_graph){
        .job = {.base = job_base(j, DOCA_SYNC_EVENT_JOB_WAIT_GT), .mask = UINT64_MAX}};
    ck_assert_success(doca_graph_create(&g->graph));
    ck_assert_success(
        doca_graph_ctx_node_create(g->graph, DOCA_SYNC_EVENT_JOB_WAIT_GT, j->ctx, &g->wait));
    ck_assert_success(doca_graph_user_node_create(g->graph, after_the_wait, &g->after));
    ck_assert_success(doca_graph_add_dependency(g->graph, g->wait, g->after));
    ck_assert_success(doca_graph_start(g->graph));
    ck_assert_success(doca_graph_workq_add(g->graph, j->workq));
    ck_assert_success(doca_graph_instance_create(g->graph, &g->instance));
    ck_assert_success(
        doca_graph_instance_set_ctx_node_data(g->instance, g->wait, &g->job.base, NULL));
    ck_assert_success(
        doca_graph_instance_set_user_node_data(g->instance, g->after, &g->called, NULL));
}

static void wait_graph_close(struct wait_graph *g, struct jobs *j)
{
    ck_assert_success(doca_graph_instance_destroy(g->instance));
    ck_assert_success(doca_graph_workq_rm(g->graph, j->workq));
    ck_assert_success(doca_graph_destroy(g->graph));
}

static void expect_states(struct wait_graph *g, enum doca_graph_instance_node_state wait,
                          enum doca_graph_instance_node_state after)
{
    enum doca_graph_instance_node_state state;
    ck_assert_success(doca_graph_instance_node_get_state(g->instance, g->wait, &state));
    ck_assert_int_eq(state, wait);
    ck_assert_success(doca_graph_instance_node_get_state(g->instance, g->after, &state));
    ck_assert_int_eq(state, after);
}

// The node is under way, however often one looks, and the next is not started.
static void expect_waiting(struct wait_graph *g, struct jobs *j)
{
    struct doca_event event;
    for (int i = 0; i < 3000; i++)
        ck_assert_error(doca_workq_progress_retrieve(j->workq, &event, 0), DOCA_ERROR_AGAIN);
    expect_states(g, DOCA_GRAPH_INSTANCE_NODE_STATE_STARTED,
                  DOCA_GRAPH_INSTANCE_NODE_STATE_NOT_STARTED);
}

static int runs_a_wait_as_a_node(struct child *self, void *arg)
{
    const struct plan *plan = arg;
    struct wait_graph g;
    struct owner o;
    owner_open(&o, plan, self);
    wait_graph_open(&g, &o.jobs);
    for (unsigned round = 0; round < ROUNDS; round++) {
        g.job.value = 10 * round + 5;
        ck_assert_success(doca_workq_graph_submit(
            o.jobs.workq, g.instance, (union doca_data){.u64 = (uint64_t)DOCA_GRAPH_JOB * 3}));
        expect_waiting(&g, &o.jobs);
        child_tell(self, "waiting");
        child_wait(self, "not enough");
        expect_waiting(&g, &o.jobs);
        ck_assert_uint_eq(g.called, round);
        child_tell(self, "still waiting");
        ck_assert_success(jobs_next(&o.jobs, DOCA_GRAPH_JOB));
        expect_states(&g, DOCA_GRAPH_INSTANCE_NODE_STATE_COMPLETED,
                      DOCA_GRAPH_INSTANCE_NODE_STATE_COMPLETED);
        ck_assert_uint_eq(g.called, round + 1);
        ck_assert_uint_eq(job_get(&o.jobs), 10 * round + 6);
    }
    wait_graph_close(&g, &o.jobs);
    owner_close(&o, plan);
    return 0;
}

// Polling and sleeping; mapped, and through the engine, aligned or not.
START_TEST(a_wait_is_a_node)
{
    static const unsigned plans[] = {1, 2, 4, 5, 7, 8};
    struct plan plan = event_plans[plans[_i]];
    struct child *owner = child_start(nodes.host, "owner", runs_a_wait_as_a_node, &plan);
    struct child *setter = child_start(nodes.dpu, "setter", sets_as_told, NULL);
    hand_over(owner, setter);
    child_wait(setter, "imported");
    for (uint64_t round = 0; round < ROUNDS; round++) {
        child_wait(owner, "waiting");
        order_set(setter, 10 * round + 5);
        child_tell(owner, "not enough");
        child_wait(owner, "still waiting");
        order_set(setter, 10 * round + 6);
    }
    child_join(owner);
    order_set(setter, 0);
    child_join(setter);
    assert_baseline(nodes.host);
    assert_baseline(nodes.dpu);
}
END_TEST

// ---- descriptors ----------------------------------------------------------------------

static int imports_badly(struct child *self, void *arg)
{
    struct doca_dev *p0 = client_open(DPU_P0), *p1 = client_open(DPU_P1);
    struct doca_sync_event *event = NULL;
    struct doca_mmap *map = NULL;
    uint8_t data[4096], altered[4096];
    size_t size = child_receive(self, data, sizeof(data));
    (void)arg;

    memcpy(altered, data, size);
    altered[size / 2] ^= 1;
    ck_assert_error(doca_sync_event_create_from_export(p0, altered, size, &event),
                    DOCA_ERROR_INVALID_VALUE);
    for (size_t n = 0; n < size; n++)
        ck_assert_error(doca_sync_event_create_from_export(p0, data, n, &event),
                        DOCA_ERROR_INVALID_VALUE);
    ck_assert_error(doca_sync_event_create_from_export(p1, data, size, &event),
                    DOCA_ERROR_NOT_SUPPORTED);
    ck_assert_error(doca_mmap_create_from_export(NULL, data, size, p0, &map),
                    DOCA_ERROR_INVALID_VALUE);
    ck_assert_ptr_null(event);
    ck_assert_ptr_null(map);
    ck_assert_success(doca_sync_event_create_from_export(p0, data, size, &event));
    ck_assert_success(doca_sync_event_destroy(event)); // never started
    child_tell(self, "imported");
    child_wait(self, "gone");
    ck_assert_error(doca_sync_event_create_from_export(p0, data, size, &event),
                    DOCA_ERROR_NOT_PERMITTED);
    // A descriptor of memory is not one of an event.
    size = child_receive(self, data, sizeof(data));
    ck_assert_error(doca_sync_event_create_from_export(p0, data, size, &event),
                    DOCA_ERROR_INVALID_VALUE);
    ck_assert_success(doca_dev_close(p0));
    ck_assert_success(doca_dev_close(p1));
    return 0;
}

static int exports_memory(struct child *self, void *arg)
{
    struct exporter e;
    char memory[64];
    (void)arg;
    exporter_start(&e, HOST_PF0, memory, sizeof(memory), DOCA_ACCESS_DPU_READ_WRITE);
    child_send(self, e.desc, e.desc_len);
    child_wait(self, "end");
    exporter_stop(&e);
    return 0;
}

START_TEST(descriptors)
{
    struct plan plan = event_plans[0];
    struct child *host = child_start(nodes.host, "host", owns, &plan);
    struct child *memory = child_start(nodes.host, "memory", exports_memory, NULL);
    struct child *dpu = child_start(nodes.dpu, "dpu", imports_badly, NULL);
    hand_over(host, dpu);
    child_wait(dpu, "imported");
    child_tell(host, "end");
    child_join(host);
    child_tell(dpu, "gone");
    hand_over(memory, dpu);
    child_join(dpu);
    child_tell(memory, "end");
    child_join(memory);
    assert_baseline(nodes.host);
    assert_baseline(nodes.dpu);
}
END_TEST

int main(void)
{
    Suite *suite = suite_create("sync_event_ends");
    void (*const setups[])(void) = {setup_pair, setup_apart};
    static const char *const names[] = {"linked", "apart"};
    for (size_t i = 0; i < ARRAY_SIZE(setups); i++) {
        TCase *tcase = tcase_create(names[i]);
        tcase_add_checked_fixture(tcase, setups[i], env_teardown);
        tcase_add_loop_test(tcase, sleepers_are_woken, 0, 2);
        tcase_add_loop_test(tcase, waits_end_with_the_event, 0, ENDS * 3 * 2);
        tcase_add_loop_test(tcase, a_wait_is_a_node, 0, 6);
        tcase_add_test(tcase, descriptors);
        suite_add_tcase(suite, tcase);
    }
    return run_suite(suite);
}
