// SPDX-License-Identifier: BSD-3-Clause
// Copyright (c) 2026, the docad authors
//
// Tools that follow events: what each of them is sent, and whom it costs what.

#include "cleanup.h"
#include "monitor.h"
#include "session_rig.h"
#include "touched.h"
#include "loop_sched.h"
#include "unit.h"
#include "user.h"

#include <event2/event.h>
#include <unistd.h>

#define ALICE   4711
#define MALLORY 4712
#define MANY    10000u

static const struct object_kind *const kinds[] = {NULL};
static struct rig_session alice, tool, root;

static void begin(void)
{
    rig_begin(kinds);
    rig_session_begin(&alice);
    rig_session_begin(&tool);
    rig_session_begin(&root); // docad's own uid, too, is privileged
    rig_session_be(&alice, ALICE);
    rig_session_be(&tool, ALICE);
}

static void end(void)
{
    rig_session_end(&root);
    rig_session_end(&tool);
    rig_session_end(&alice);
    rig_node.sched = sched_free(rig_node.sched);
    ck_assert_ptr_null(rig_node.monitor_log);
    rig_end();
}

static void follow(struct session *session)
{
    struct errtext err;
    ck_assert_msg(monitor_begin(session, &err) == DOCA_SUCCESS, "%s", err.s);
}

static void happen(const struct session *owner, uint64_t id)
{
    MONITOR(&rig_node, .event = "region-begin", .owner = owner, .id = id);
}

static void assert_told(const struct rig_session *by, uint64_t id)
{
    cleanup_message Docad__Message *message = rig_answer(by);
    ck_assert_int_eq(message->body_case, DOCAD__MESSAGE__BODY_MONITOR_EVENT);
    ck_assert_uint_eq(message->monitor_event->id, id);
}

// ---- tools of another user ----------------------------------------------------------------

static struct session *tools[MANY];

static void mallory_begins(void)
{
    struct user *user = user_get(&rig_node.users, MALLORY);

    rig_config.limits.value[LIMIT_MONITORS] = LIMIT_UNLIMITED;
    rig_config.limits.value[LIMIT_METADATA] = LIMIT_UNLIMITED;
    for (size_t i = 0; i < MANY; i++) {
        tools[i] = touched_new();
        tools[i]->node = &rig_node;
        tools[i]->user = user_ref(user);
        tools[i]->credentials.uid = MALLORY;
        follow(tools[i]);
    }
    user_unref(user);
}

static void mallory_ends(void)
{
    for (size_t i = 0; i < MANY; i++) {
        monitor_end(tools[i]);
        user_unref(tools[i]->user);
        free(tools[i]);
    }
}

START_TEST(events_touch_no_tools_of_others)
{
    follow(&tool.session);
    mallory_begins();
    follow(&root.session);
    touched_begin();
    for (uint64_t id = 1; id <= 1000; id++) { // more than the log has room for
        happen(&alice.session, id);
        assert_told(&tool, id);
        assert_told(&root, id);
    }
    ck_assert_uint_eq(touched_end(), 0);
    mallory_ends();
}
END_TEST

// ---- who is sent what -----------------------------------------------------------------------

START_TEST(events_go_to_their_user_and_to_root)
{
    struct rig_session mallory;
    rig_session_begin(&mallory);
    rig_session_be(&mallory, MALLORY);
    follow(&mallory.session);
    follow(&tool.session);
    follow(&root.session);
    happen(&alice.session, 1);
    happen(&mallory.session, 2); // its own
    happen(&tool.session, 3);    // likewise
    happen(NULL, 4);             // docad's
    MONITOR(&rig_node, .event = "peer-linked", .for_all = true, .id = 5);
    for (uint64_t id = 1; id <= 5; id++)
        assert_told(&root, id);
    assert_told(&tool, 1);
    assert_told(&tool, 5);
    assert_told(&mallory, 5);
    ck_assert(!rig_has_answer(&root) && !rig_has_answer(&tool) && !rig_has_answer(&mallory));
    rig_session_end(&mallory);
}
END_TEST

static void run(void)
{
    event_base_loop(rig_node.base, EVLOOP_NONBLOCK);
    event_base_loop(rig_node.base, EVLOOP_NONBLOCK);
}

// Events of others take places of the log, too. Each event of its own is sent, or counted.
START_TEST(what_the_log_has_no_room_for_is_counted)
{
    static const uint64_t own[] = {0, 3, 600, 5000};
    uint64_t sent = 0, lost = 0, n = own[_i];

    rig_node.sched = sched_new(rig_node.base);
    follow(&tool.session);
    follow(&root.session);
    for (uint64_t id = 1; id <= 700 + n; id++)
        happen(id <= n ? &alice.session : NULL, id);
    happen(&alice.session, UINT64_MAX);
    for (bool more = true; more;) {
        run();
        while (rig_has_answer(&root))
            docad__message__free_unpacked(rig_answer(&root), NULL);
        for (more = sched_user_waits(&tool.session.user->sched); rig_has_answer(&tool); sent++) {
            cleanup_message Docad__Message *message = rig_answer(&tool);
            lost += message->monitor_event->lost;
        }
    }
    ck_assert_uint_eq(sent + lost, n + 1);
    ck_assert_uint_eq(sent, 1);
    ck_assert_uint_ge(rig_node.counters.monitor_events_lost, lost);
}
END_TEST

START_TEST(tools_that_do_not_read_are_told_what_they_lost)
{
    uint64_t last = 0, lost = 0, n = 0;
    follow(&tool.session);
    for (uint64_t id = 1; id <= 20000; id++)
        happen(&alice.session, id);
    ck_assert_uint_gt(rig_node.counters.monitor_events_lost, 0);
    for (int tries = 0; tries < 1000 && n + lost < 20001; tries++) {
        event_base_loop(rig_node.base, EVLOOP_NONBLOCK);
        for (; rig_has_answer(&tool); n++) {
            cleanup_message Docad__Message *message = rig_answer(&tool);
            lost += message->monitor_event->lost;
            last = message->monitor_event->id;
        }
        if (last != 20001)
            happen(&alice.session, 20001); // it has room again
        else
            break;
    }
    ck_assert_uint_eq(lost, rig_node.counters.monitor_events_lost);
    ck_assert_uint_eq(last, 20001);
}
END_TEST

// ---- limits -----------------------------------------------------------------------------------

START_TEST(a_user_has_a_limited_number_of_tools)
{
    struct errtext err;
    const struct user *user = alice.session.user;
    rig_config.limits.value[LIMIT_MONITORS] = 1;
    follow(&tool.session);
    follow(&tool.session); // it does already
    ck_assert_int_eq(monitor_begin(&alice.session, &err), DOCA_ERROR_NO_MEMORY);
    ck_assert_uint_eq(user->n_monitors, 1);
    ck_assert_uint_gt(user->metadata, 0);
    monitor_end(&tool.session);
    ck_assert_uint_eq(user->n_monitors, 0);
    ck_assert_uint_eq(user->metadata, 0);
    rig_config.limits.value[LIMIT_METADATA] = 1000;
    ck_assert_int_eq(monitor_begin(&alice.session, &err), DOCA_ERROR_NO_MEMORY);
    ck_assert_uint_eq(user->n_monitors, 0);
    rig_config.limits.value[LIMIT_METADATA] = LIMIT_UNLIMITED;
    follow(&alice.session);
}
END_TEST

int main(void)
{
    TCase *tcase = tcase_create("monitor");
    tcase_add_checked_fixture(tcase, begin, end);
    tcase_add_test(tcase, events_touch_no_tools_of_others);
    tcase_add_test(tcase, events_go_to_their_user_and_to_root);
    tcase_add_loop_test(tcase, what_the_log_has_no_room_for_is_counted, 0, 4);
    tcase_add_test(tcase, tools_that_do_not_read_are_told_what_they_lost);
    tcase_add_test(tcase, a_user_has_a_limited_number_of_tools);
    return unit_run_case("monitor", tcase);
}
