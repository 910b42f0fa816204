// SPDX-License-Identifier: BSD-3-Clause
// Copyright (c) 2026, the docad authors
//
// Sync events while docad is restarted: two programs take turns, each waiting for the
// other's count, and others import the event anew.

#include "child.h"
#include "events.h"
#include "restarts.h"
#include "run.h"

#include <string.h>
#include <unistd.h>

#define END (UINT64_MAX / 2) // nobody counts that far

// Odd is the owner's turn, even the importer's.
static int owns(struct child *self, void *arg)
{
    const struct plan *plan = arg;
    struct owner o;

    owner_open(&o, plan, self);
    for (uint64_t i = 0; !restarted->stop; i += 2) {
        ck_assert_uint_eq(owner_add(&o, plan, 1), i);
        owner_await_gt(&o, plan, i + 1);
        ck_assert_uint_eq(owner_get(&o, plan), i + 2);
        restarted->jobs[0]++;
    }
    owner_set(&o, plan, END);
    child_wait(self, "end");
    owner_close(&o, plan);
    return 0;
}

static int imports(struct child *self, void *arg)
{
    const struct plan *plan = arg;
    struct owner o;

    importer_open(&o, plan, self);
    child_tell(self, "imported");
    for (uint64_t i = 0;; i += 2) {
        owner_await_gt(&o, plan, i);
        if (owner_get(&o, plan) >= END)
            break;
        ck_assert_uint_eq(owner_add(&o, plan, 1), i + 1);
        restarted->jobs[1]++;
    }
    child_wait(self, "end");
    owner_close(&o, plan);
    return 0;
}

// Looks at it through an import of its own, each time.
static int looks(struct child *self, void *arg)
{
    uint8_t bytes[4096];
    size_t size = child_receive(self, bytes, sizeof(bytes));
    uint64_t value = 0, before = 0;
    (void)arg;

    while (!restarted->stop) {
        struct doca_dev *dev = client_open(DPU_P0);
        struct doca_sync_event *event;
        ck_assert_success(doca_sync_event_create_from_export(dev, bytes, size, &event));
        ck_assert_success(doca_sync_event_start(event));
        ck_assert_success(doca_sync_event_get(event, &value));
        ck_assert_uint_ge(value, before);
        before = value;
        ck_assert_success(doca_sync_event_stop(event));
        ck_assert_success(doca_sync_event_destroy(event));
        ck_assert_success(doca_dev_close(dev));
        restarted->jobs[2]++;
    }
    return 0;
}

START_TEST(events_go_on)
{
    static const int plans[] = {0, 1, 2, 7}; // each mode, and memory of the application's
    struct plan plan = event_plans[plans[_i]];
    uint8_t bytes[4096];

    restarted_start(false);
    struct child *owner = child_start(restarted_nodes.host, "owns", owns, &plan);
    size_t size = child_receive(owner, bytes, sizeof(bytes));
    struct child *users[] = {child_start(restarted_nodes.dpu, "imports", imports, &plan),
                             child_start(restarted_nodes.dpu, "looks", looks, NULL)};
    child_send(users[0], bytes, size);
    // If a process that only looks came and left before, nobody would be left who could signal.
    child_wait(users[0], "imported");
    child_send(users[1], bytes, size);
    restart_often(3);
    child_tell(users[0], "end");
    child_join(users[0]);
    child_join(users[1]);
    child_tell(owner, "end");
    child_join(owner);
    restarted_stop();
}
END_TEST

// ---- the last one goes --------------------------------------------------------------------

// Takes turns with an importer for as long as that one is there.
static int owns_until_left(struct child *self, void *arg)
{
    const struct plan plan = {.asynchronous = false};
    doca_error_t r = DOCA_SUCCESS;
    struct owner o;
    (void)arg;

    owner_open(&o, &plan, self);
    for (uint64_t i = 0; r == DOCA_SUCCESS; i += 2) {
        ck_assert_uint_eq(owner_add(&o, &plan, 1), i);
        r = doca_sync_event_wait_gt_yield(o.event, i + 1, UINT64_MAX);
        restarted->jobs[0]++;
    }
    ck_assert_error(r, DOCA_ERROR_CONNECTION_RESET);
    owner_close(&o, &plan);
    return 0;
}

static int imports_until_stop(struct child *self, void *arg)
{
    const struct plan plan = {.asynchronous = false};
    struct owner o;
    (void)arg;

    importer_open(&o, &plan, self);
    for (uint64_t i = 0; !restarted->stop; i += 2) {
        owner_await_gt(&o, &plan, i);
        ck_assert_uint_eq(owner_add(&o, &plan, 1), i + 1);
        restarted->jobs[1]++;
    }
    owner_close(&o, &plan);
    return 0;
}

// The next docad knows who holds the event: the owner hears of the end of the last one,
// and not before.
START_TEST(the_last_one_goes)
{
    uint8_t bytes[4096];

    restarted_start(false);
    struct child *owner = child_start(restarted_nodes.host, "owns", owns_until_left, NULL);
    size_t size = child_receive(owner, bytes, sizeof(bytes));
    struct child *user = child_start(restarted_nodes.dpu, "imports", imports_until_stop, NULL);
    child_send(user, bytes, size);
    restart_often(2);
    child_join(user);
    child_join(owner);
    restarted_stop();
}
END_TEST

// ---- on another machine -----------------------------------------------------------------

static int counts(struct child *self, void *arg)
{
    const struct plan plan = {.asynchronous = false};
    struct owner o;
    (void)arg;

    owner_open(&o, &plan, self);
    while (!restarted->stop) {
        owner_add(&o, &plan, 1);
        restarted->jobs[0]++;
        usleep(1000);
    }
    owner_set(&o, &plan, END);
    child_wait(self, "end");
    owner_close(&o, &plan);
    return 0;
}

static int follows(struct child *self, void *arg)
{
    const struct plan *plan = arg;
    uint64_t seen = 0;
    struct owner o;

    importer_open(&o, plan, self);
    while (seen < END) {
        owner_await_gt(&o, plan, seen);
        uint64_t now = owner_get(&o, plan);
        ck_assert_uint_gt(now, seen);
        seen = now;
        restarted->jobs[1]++;
    }
    child_wait(self, "end");
    owner_close(&o, plan);
    return 0;
}

// Requests that only look are sent again; changes that were under way may fail
// (docad-machines(7)).
START_TEST(looks_go_on_apart)
{
    struct plan plan = event_plans[_i];
    uint8_t bytes[4096];

    restarted_start(true);
    struct child *owner = child_start(restarted_nodes.host, "counts", counts, NULL);
    size_t size = child_receive(owner, bytes, sizeof(bytes));
    struct child *follower = child_start(restarted_nodes.dpu, "follows", follows, &plan);
    child_send(follower, bytes, size);
    restart_often(2);
    child_tell(follower, "end");
    child_join(follower);
    child_tell(owner, "end");
    child_join(owner);
    restarted_stop();
}
END_TEST

int main(void)
{
    Suite *suite = suite_create("restart_events");
    TCase *tcase = tcase_create("restart_events");
    tcase_add_checked_fixture(tcase, env_setup, env_teardown);
    tcase_add_loop_test(tcase, events_go_on, 0, 4);
    tcase_add_test(tcase, the_last_one_goes);
    tcase_add_loop_test(tcase, looks_go_on_apart, 0, 3);
    tcase_set_timeout(tcase, 600);
    suite_add_tcase(suite, tcase);
    return run_suite(suite);
}
