// SPDX-License-Identifier: BSD-3-Clause
// Copyright (c) 2026, the docad authors
//
// Sync events that RDMA tasks of DOCA 3 use, and that end: with their owner, taken back, stopped
// and started again. Restarts of docad end none. And their owner, asleep, hears of what is added.

#include "env.h"
#include "net_event_3.h"
#include "nodes.h"
#include "restarts.h"

#include <string.h>

struct place {
    const char *pci;
    bool host; // where the user is
};

static const struct place places[] = {{HOST_PF0, true}, {DPU_P0, false}};

// ---- the owner

static void open_owner(struct child *self, struct owner *o, bool own_memory)
{
    side_open_on(&o->side, HOST_PF0, NULL, 1);
    o->side.self = self;
    side_start(&o->side);
    o->connection = side_offer(&o->side);
    make_event(self, o, own_memory);
    side_take(&o->side, o->connection);
}

static void close_owner(struct owner *o)
{
    OK(doca_sync_event_destroy(o->event));
    side_close(&o->side);
}

static int owns(struct child *self, void *arg)
{
    struct owner o;

    open_owner(self, &o, arg != NULL);
    child_wait(self, "end");
    OK(doca_sync_event_stop(o.event));
    close_owner(&o);
    return 0;
}

static void pass_all(struct child *owner, struct child *user)
{
    pass_on(owner, user);
    pass_on(owner, user);
    pass_on(user, owner);
}

// The event is in a page of docad, or in memory of its owner's; the user beside the owner, or on
// the other node.
#define PLACES 4

static const struct place *place_of(int i)
{
    return &places[i / 2];
}

static void start_two(int i, child_fn owner, child_fn user, struct child **a, struct child **b)
{
    const struct place *place = place_of(i);

    *a = child_start(nodes.host, "owner", owner, i % 2 ? &nodes : NULL);
    *b = child_start(place->host ? nodes.host : nodes.dpu, "user", user, (void *)place->pci);
    pass_all(*a, *b);
}

// ---- ends that nobody asks for

static void assert_ended(doca_error_t error)
{
    ck_assert(error == DOCA_ERROR_CONNECTION_RESET || error == DOCA_ERROR_CONNECTION_ABORTED);
}

static int is_deserted(struct child *self, void *arg)
{
    struct user u;

    open_user(self, &u, arg);
    add_to_event(&u, 5);
    progress_until(&u.side, 1, 0);
    assert_value(&u, 0);
    child_tell(self, "added");
    child_wait(self, "killed");
    while (!u.side.failed) { // its own docad may not know yet
        set_event(&u, 7);
        progress_until(&u.side, u.side.done + u.side.failed + 1, 0);
    }
    assert_ended(u.side.last);
    set_event(&u, 8);
    progress_until(&u.side, u.side.done + 2, 0);
    ck_assert_uint_eq(u.side.failed, 2);
    assert_ended(u.side.last);
    close_user(&u);
    return 0;
}

START_TEST(its_owner_is_killed)
{
    struct child *a, *b;

    start_two(_i, owns, is_deserted, &a, &b);
    child_wait(b, "added");
    child_kill(a);
    child_tell(b, "killed");
    child_join(b);
}
END_TEST

static int loses_it(struct child *self, void *arg)
{
    struct user u;

    open_user(self, &u, arg);
    set_event(&u, 5);
    progress_until(&u.side, 1, 0);
    child_tell(self, "set");
    child_wait(self, "taken back");
    get_event(&u, u.to);
    add_to_event(&u, 1);
    progress_until(&u.side, 2, 0);
    ck_assert_uint_eq(u.side.failed, 1);
    ck_assert_int_eq(u.side.last, DOCA_ERROR_NOT_PERMITTED);
    progress_until(&u.side, 3, 0);
    ck_assert_uint_eq(u.side.failed, 2);
    close_user(&u);
    return 0;
}

START_TEST(it_is_taken_back)
{
    struct child *a, *b;

    start_two(_i, owns, loses_it, &a, &b);
    child_wait(b, "set");
    revoke_all_of(nodes.host, a);
    child_tell(b, "taken back");
    child_join(b);
    child_tell(a, "end");
    child_join(a);
}
END_TEST

// ---- restarts

static int counts(struct child *self, void *arg)
{
    struct owner o;
    uint64_t value, before = 0;

    open_owner(self, &o, arg != NULL);
    while (!restarted->stop) {
        OK(doca_sync_event_get(o.event, &value));
        restarted->jobs[0] += value != before;
        before = value;
    }
    child_wait(self, "end");
    OK(doca_sync_event_get(o.event, &value));
    ck_assert_uint_eq(value, restarted->jobs[1]);
    OK(doca_sync_event_stop(o.event));
    close_owner(&o);
    return 0;
}

// Each addition counts once, and says what was there.
static int adds(struct child *self, void *arg)
{
    struct user u;

    open_user(self, &u, arg);
    for (uint64_t i = 0; !restarted->stop; i++) {
        add_to_event(&u, 1);
        progress_until(&u.side, (unsigned)i + 1, 0);
        ck_assert_uint_eq(u.side.failed, 0);
        assert_value(&u, i);
        restarted->jobs[1]++;
    }
    close_user(&u);
    return 0;
}

START_TEST(docad_restarts)
{
    struct child *a, *b;

    restarted_start(false);
    nodes = restarted_nodes;
    start_two(_i, counts, adds, &a, &b);
    restart_often(2);
    child_join(b);
    child_tell(a, "end");
    child_join(a);
    restarted_stop();
}
END_TEST

// ---- sleep

struct waiter {
    struct owner o;
    struct doca_ctx *ctx;
    unsigned seen;
};

static void saw(struct doca_sync_event_task_wait_eq *task, union doca_data task_data,
                union doca_data ctx_data)
{
    struct waiter *w = ctx_data.ptr;

    (void)task_data;
    w->seen++;
    w->o.side.done++;
    doca_task_free(doca_sync_event_task_wait_eq_as_doca_task(task));
}

static void missed(struct doca_sync_event_task_wait_eq *task, union doca_data task_data,
                   union doca_data ctx_data)
{
    (void)task_data, (void)ctx_data;
    ck_abort_msg("a wait failed");
    doca_task_free(doca_sync_event_task_wait_eq_as_doca_task(task));
}

static void make_event_to_wait(struct child *self, struct waiter *w, bool own_memory)
{
    struct owner *o = &w->o;
    const uint8_t *data;
    size_t size;

    OK(doca_sync_event_create(&o->event));
    OK(doca_sync_event_add_publisher_location_remote_net(o->event));
    OK(doca_sync_event_add_subscriber_location_cpu(o->event, o->side.dev));
    if (own_memory)
        OK(doca_sync_event_set_addr(o->event, (uint64_t *)(void *)(o->side.memory + 24)));
    w->ctx = doca_sync_event_as_ctx(o->event);
    OK(doca_sync_event_task_wait_eq_set_conf(o->event, saw, missed, 1));
    OK(doca_pe_connect_ctx(o->side.pe, w->ctx));
    OK(doca_ctx_set_user_data(w->ctx, (union doca_data){.ptr = w}));
    OK(doca_ctx_start(w->ctx));
    OK(doca_sync_event_export_to_remote_net(o->event, &data, &size));
    child_send(self, data, size);
}

static int sleeps(struct child *self, void *arg)
{
    struct doca_sync_event_task_wait_eq *task;
    struct waiter w = {.seen = 0};
    struct owner *o = &w.o;

    side_open_on(&o->side, HOST_PF0, NULL, 1);
    o->side.self = self;
    side_start(&o->side);
    o->connection = side_offer(&o->side);
    make_event_to_wait(self, &w, arg != NULL);
    side_take(&o->side, o->connection);
    for (uint64_t i = 1; i <= 20; i++) {
        OK(doca_sync_event_task_wait_eq_alloc_init(o->event, i, UINT64_MAX, (union doca_data){0},
                                                   &task));
        submit(doca_sync_event_task_wait_eq_as_doca_task(task));
        child_tell(self, "sleeps");
        sleep_until(&o->side, (unsigned)i, 0);
        ck_assert_uint_eq(w.seen, i);
    }
    child_wait(self, "end");
    OK(doca_ctx_stop(w.ctx));
    close_owner(o);
    return 0;
}

static int wakes(struct child *self, void *arg)
{
    struct user u;

    open_user(self, &u, arg);
    for (unsigned i = 1; i <= 20; i++) {
        child_wait(self, "sleeps");
        if (i % 2)
            add_to_event(&u, 1);
        else
            set_event(&u, i);
        sleep_until(&u.side, i, 0);
        ck_assert_uint_eq(u.side.failed, 0);
    }
    close_user(&u);
    return 0;
}

START_TEST(its_owner_sleeps)
{
    struct child *a, *b;

    start_two(_i, sleeps, wakes, &a, &b);
    for (unsigned i = 0; i < 20; i++) {
        child_wait(a, "sleeps");
        child_tell(b, "sleeps");
    }
    child_join(b);
    child_tell(a, "end");
    child_join(a);
}
END_TEST

int main(void)
{
    Suite *suite = suite_create("doca3_net_event_ends");
    TCase *pair = case_near_shared(suite), *restarts = tcase_create("restarts");

    tcase_add_loop_test(pair, its_owner_is_killed, 0, PLACES);
    tcase_add_loop_test(pair, it_is_taken_back, 0, PLACES);
    tcase_add_loop_test(pair, its_owner_sleeps, 0, PLACES);
    tcase_add_checked_fixture(restarts, env_setup, env_teardown);
    tcase_set_timeout(restarts, 120);
    tcase_add_loop_test(restarts, docad_restarts, 0, PLACES);
    suite_add_tcase(suite, restarts);
    return run_suite(suite);
}
