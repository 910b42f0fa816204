// SPDX-License-Identifier: BSD-3-Clause
// Copyright (c) 2026, the docad authors
//
// The owner of a sync event waits for as long as somebody is left who could change the counter,
// and not longer.

#include "child.h"
#include "events.h"
#include "nodes.h"
#include "request.h"
#include "run.h"

#include "cleanup.h"

#include <pthread.h>
#include <sched.h>
#include <unistd.h>

#define LOOKS 3000 // at a wait that continues

// How the owner waits. Jobs are in either mode; calls spin, or yield.
struct waiting {
    struct plan plan;
    bool yields;
};

#define WAITINGS 8
static const struct waiting waitings[WAITINGS] = {
    {{false, false, false, 0}, false}, {{false, false, false, 0}, true},
    {{true, false, false, 0}, false},  {{true, true, false, 0}, false},
    {{false, false, true, 8}, false},  {{false, false, true, 3}, true},
    {{true, false, true, 8}, false},   {{true, true, true, 3}, false},
};

// ---- the owner --------------------------------------------------------------------------------

static doca_error_t wait_for(struct owner *o, const struct waiting *w, uint64_t value)
{
    if (w->plan.asynchronous) {
        job_submit_wait(&o->jobs, value, UINT64_MAX);
        return jobs_next(&o->jobs, DOCA_SYNC_EVENT_JOB_WAIT_GT);
    }
    return w->yields ? doca_sync_event_wait_gt_yield(o->event, value, UINT64_MAX)
                     : doca_sync_event_wait_gt(o->event, value, UINT64_MAX);
}

// Waits for each value that it is told, and tells what that came to.
static int waits_as_told(struct child *self, void *arg)
{
    const struct waiting *w = arg;
    struct owner o;
    uint64_t value;

    owner_open(&o, &w->plan, self);
    while (child_receive(self, &value, sizeof(value)) == sizeof(value) && value) {
        doca_error_t r = wait_for(&o, w, value);
        // The counter itself can be read and changed all the time, unless docad does that.
        if (!w->plan.own_memory)
            ck_assert_uint_ge(owner_get(&o, &w->plan), r == DOCA_SUCCESS ? value + 1 : 0);
        child_send(self, &r, sizeof(r));
    }
    owner_close(&o, &w->plan);
    return 0;
}

static void order_wait(struct child *owner, uint64_t value)
{
    child_send(owner, &value, sizeof(value));
}

static doca_error_t came_to(struct child *owner)
{
    doca_error_t r;
    ck_assert_uint_eq(child_receive(owner, &r, sizeof(r)), sizeof(r));
    return r;
}

static void end_owner(struct child *owner)
{
    order_wait(owner, 0);
    child_join(owner);
}

// ---- who has imported it ------------------------------------------------------------------------

// Sets the counter to what it is told, and leaves at 0.
static int sets_as_told(struct child *self, void *arg)
{
    struct plan plan = event_plans[0];
    struct owner o;
    uint64_t value;
    (void)arg;

    importer_open(&o, &plan, self);
    child_tell(self, "imported");
    while (child_receive(self, &value, sizeof(value)) == sizeof(value) && value) {
        ck_assert_success(doca_sync_event_update_set(o.event, value));
        child_tell(self, "set");
    }
    owner_close(&o, &plan);
    return 0;
}

// Changes it once and is gone.
static int sets_and_leaves(struct child *self, void *arg)
{
    struct plan plan = event_plans[0];
    struct owner o;
    uint64_t value;
    (void)arg;

    importer_open(&o, &plan, self);
    child_tell(self, "imported");
    ck_assert_uint_eq(child_receive(self, &value, sizeof(value)), sizeof(value));
    ck_assert_success(doca_sync_event_update_set(o.event, value));
    owner_close(&o, &plan);
    return 0;
}

#define CHANGES 3000

// Changes it again and again, each time that somebody sleeps, and leaves.
static int wakes_often(struct child *self, void *arg)
{
    struct plan plan = event_plans[0];
    struct owner o;
    (void)arg;

    importer_open(&o, &plan, self);
    child_tell(self, "imported");
    child_wait(self, "go");
    for (uint64_t i = 0; i < CHANGES; i++) {
        ck_assert_success(doca_sync_event_update_set(o.event, i % 7));
        sched_yield();
    }
    owner_close(&o, &plan);
    return 0;
}

struct descriptor {
    uint8_t data[4096];
    size_t size;
};

static struct descriptor exported_by(struct child *owner)
{
    struct descriptor d;
    d.size = child_receive(owner, d.data, sizeof(d.data));
    return d;
}

static struct child *import(const struct descriptor *d, child_fn fn)
{
    struct child *child = child_start(nodes.dpu, "importer", fn, NULL);
    child_send(child, d->data, d->size);
    child_wait(child, "imported");
    return child;
}

static void set(struct child *importer, uint64_t value)
{
    child_send(importer, &value, sizeof(value));
    child_wait(importer, "set");
}

static void leave(struct child *importer)
{
    uint64_t nothing = 0;
    child_send(importer, &nothing, sizeof(nothing));
    child_join(importer);
}

// ---- the only importer goes
// ------------------------------------------------------------------------

enum end { IMPORTER_LEAVES, IMPORTER_DIES, REVOKED, ITS_DOCAD_DIES, OWN_DOCAD_DIES, ENDS };

static void end_export(void)
{
    int sock = raw_hello(nodes.host->socket.s);
    cleanup_message Docad__Message *list = raw_list(sock, DOCAD__LIST__KIND__EXPORTS, 0);
    close(sock);
    ck_assert_uint_eq(list->list_reply->n_exports, 1);
    raw_revoke(nodes.host->socket.s, list->list_reply->exports[0]->id);
}

static void bring_about(enum end end, struct child *importer)
{
    if (end == IMPORTER_LEAVES)
        leave(importer);
    else if (end == IMPORTER_DIES)
        child_kill(importer);
    else if (end == REVOKED)
        end_export();
    else
        daemon_kill(end == ITS_DOCAD_DIES ? nodes.dpu : nodes.host);
}

static bool expected(enum end end, const struct waiting *w, doca_error_t why)
{
    switch (end) {
    case IMPORTER_LEAVES:
    case IMPORTER_DIES:
        return why == DOCA_ERROR_CONNECTION_RESET;
    case REVOKED: // through an engine one learns of it as any job does
        return why == DOCA_ERROR_NOT_PERMITTED;
    case ITS_DOCAD_DIES: // or its importer, which saw it first, has given the event back
        return why == DOCA_ERROR_NOT_CONNECTED || why == DOCA_ERROR_CONNECTION_RESET;
    default:
        return why == DOCA_ERROR_NOT_CONNECTED || (w->plan.own_memory && why != DOCA_SUCCESS);
    }
}

// The last importer goes, and the wait ends, whatever its kind.
START_TEST(the_last_one_goes)
{
    enum end end = (enum end)(_i % ENDS);
    struct waiting w = waitings[_i / ENDS];
    struct child *owner = child_start(nodes.host, "owner", waits_as_told, &w);
    struct descriptor d = exported_by(owner);
    struct child *importer = import(&d, sets_as_told);
    order_wait(owner, 7);
    set(importer, 7); // not enough
    bring_about(end, importer);
    doca_error_t why = came_to(owner);
    ck_assert_msg(expected(end, &w, why), "%s", doca_get_error_name(why));
    // Trying again later gives the same result.
    order_wait(owner, 7);
    why = came_to(owner);
    ck_assert_msg(expected(end, &w, why), "%s", doca_get_error_name(why));
    if (end >= REVOKED)
        child_kill(importer);
    end_owner(owner);
    if (end == ITS_DOCAD_DIES)
        daemon_restart(nodes.dpu);
    if (end == OWN_DOCAD_DIES)
        daemon_restart(nodes.host);
}
END_TEST

// Sleepers too, whose socket for waking is full.
START_TEST(the_last_one_goes_after_many_changes)
{
    struct waiting w = waitings[_i ? 7 : 3];
    struct child *owner = child_start(nodes.host, "owner", waits_as_told, &w);
    struct descriptor d = exported_by(owner);
    struct child *importer = import(&d, wakes_often);
    order_wait(owner, 7);
    child_tell(importer, "go");
    child_join(importer);
    ck_assert_error(came_to(owner), DOCA_ERROR_CONNECTION_RESET);
    end_owner(owner);
    assert_baseline(nodes.host);
    assert_baseline(nodes.dpu);
}
END_TEST

// Its docad goes before anybody has imported the event.
START_TEST(docad_goes_before)
{
    struct waiting w = waitings[_i];
    struct child *owner = child_start(nodes.host, "owner", waits_as_told, &w);
    exported_by(owner);
    order_wait(owner, 7);
    daemon_kill(nodes.host);
    doca_error_t why = came_to(owner);
    ck_assert_msg(expected(OWN_DOCAD_DIES, &w, why), "%s", doca_get_error_name(why));
    end_owner(owner);
    daemon_restart(nodes.host);
}
END_TEST

// ---- somebody is left, or comes
// ----------------------------------------------------------------------

// When one of two processes goes, the other can still change the counter. So can one that comes
// later.
START_TEST(others_are_left)
{
    struct waiting w = waitings[_i];
    struct child *owner = child_start(nodes.host, "owner", waits_as_told, &w);
    struct descriptor d = exported_by(owner);
    order_wait(owner, 1); // it is not imported yet
    struct child *first = import(&d, sets_as_told), *second = import(&d, sets_as_told);
    leave(first);
    set(second, 1);
    set(second, 2);
    ck_assert_error(came_to(owner), DOCA_SUCCESS);
    order_wait(owner, 2);
    child_kill(second);
    ck_assert_error(came_to(owner), DOCA_ERROR_CONNECTION_RESET);
    struct child *third = import(&d, sets_as_told);
    order_wait(owner, 2);
    set(third, 3);
    ck_assert_error(came_to(owner), DOCA_SUCCESS);
    leave(third);
    end_owner(owner);
    assert_baseline(nodes.host);
    assert_baseline(nodes.dpu);
}
END_TEST

#define ROUNDS 10

// The process that has done it may leave at once.
START_TEST(it_is_done_and_they_leave)
{
    struct waiting w = waitings[_i];
    struct child *owner = child_start(nodes.host, "owner", waits_as_told, &w);
    struct descriptor d = exported_by(owner);
    for (uint64_t round = 1; round <= ROUNDS; round++) {
        uint64_t more = round + 1;
        struct child *importer = import(&d, sets_and_leaves);
        order_wait(owner, round);
        child_send(importer, &more, sizeof(more));
        ck_assert_error(came_to(owner), DOCA_SUCCESS);
        child_join(importer);
        order_wait(owner, round); // it is so already, and no importer need be left
        ck_assert_error(came_to(owner), DOCA_SUCCESS);
    }
    end_owner(owner);
    assert_baseline(nodes.host);
    assert_baseline(nodes.dpu);
}
END_TEST

// ---- the owner's own program
// ----------------------------------------------------------------------------

static void *sets_it(void *arg)
{
    struct owner *o = arg;
    ck_assert_success(doca_sync_event_update_set(o->event, 2));
    return NULL;
}

// It checks many times, and the wait continues.
static void assert_waits(struct owner *o)
{
    struct doca_event event;
    for (int i = 0; i < LOOKS; i++)
        ck_assert_error(doca_workq_progress_retrieve(o->jobs.workq, &event, 0), DOCA_ERROR_AGAIN);
}

// A publisher on its own node, among which it is itself: it waits whoever else goes.
static int publishes_itself(struct child *self, void *arg)
{
    const struct waiting *w = arg;
    const uint8_t *data;
    struct owner o = {.dev = client_open(HOST_PF0)};
    pthread_t thread;
    size_t size;

    ck_assert_success(doca_sync_event_create(&o.event));
    ck_assert_success(doca_sync_event_publisher_add_location_cpu(o.event, o.dev));
    ck_assert_success(doca_sync_event_subscriber_add_location_dpu(o.event));
    if (w->plan.asynchronous)
        jobs_open(&o.jobs, o.event, w->plan.event_driven);
    else
        ck_assert_success(doca_sync_event_start(o.event));
    ck_assert_success(doca_sync_event_export_to_dpu(o.event, o.dev, &data, &size));
    child_send(self, data, size);
    child_wait(self, "gone");
    if (w->plan.asynchronous) {
        job_submit_wait(&o.jobs, 1, UINT64_MAX);
        assert_waits(&o);
        struct doca_sync_event_job_update_set job = {
            .base = job_base(&o.jobs, DOCA_SYNC_EVENT_JOB_UPDATE_SET), .value = 2};
        ck_assert_success(doca_workq_submit(o.jobs.workq, &job.base));
        ck_assert_success(jobs_next(&o.jobs, DOCA_SYNC_EVENT_JOB_UPDATE_SET));
        ck_assert_success(jobs_next(&o.jobs, DOCA_SYNC_EVENT_JOB_WAIT_GT));
    } else {
        ck_assert_int_eq(pthread_create(&thread, NULL, sets_it, &o), 0);
        ck_assert_success(wait_for(&o, w, 1));
        ck_assert_int_eq(pthread_join(thread, NULL), 0);
    }
    owner_close(&o, &w->plan);
    return 0;
}

START_TEST(it_publishes_itself)
{
    struct waiting w = waitings[_i];
    struct child *owner = child_start(nodes.host, "owner", publishes_itself, &w);
    struct descriptor d = exported_by(owner);
    leave(import(&d, sets_as_told));
    if (_i % 2)
        daemon_kill(nodes.host);
    child_tell(owner, "gone");
    child_join(owner);
    if (_i % 2)
        daemon_restart(nodes.host);
}
END_TEST

int main(void)
{
    Suite *suite = suite_create("sync_event_owner");
    void (*const setups[])(void) = {setup_pair, setup_apart};
    static const char *const names[] = {"linked", "apart"};
    for (size_t i = 0; i < ARRAY_SIZE(setups); i++) {
        TCase *tcase = tcase_create(names[i]);
        tcase_add_checked_fixture(tcase, setups[i], env_teardown);
        tcase_set_timeout(tcase, 120);
        tcase_add_loop_test(tcase, the_last_one_goes, 0, ENDS * WAITINGS);
        tcase_add_loop_test(tcase, the_last_one_goes_after_many_changes, 0, 2);
        tcase_add_loop_test(tcase, docad_goes_before, 0, WAITINGS);
        tcase_add_loop_test(tcase, others_are_left, 0, WAITINGS);
        tcase_add_loop_test(tcase, it_is_done_and_they_leave, 0, WAITINGS);
        tcase_add_loop_test(tcase, it_publishes_itself, 0, 4);
        suite_add_tcase(suite, tcase);
    }
    return run_suite(suite);
}
