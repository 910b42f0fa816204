// SPDX-License-Identifier: BSD-3-Clause
// Copyright (c) 2026, the docad authors
//
// Lookups that wait: what they cost, and whose turns they take. What the node sends is counted.

#include "cleanup.h"
#include "clock.h"
#include "connection.h"
#include "lookup.h"
#include "memory_rig.h"
#include "tree.h"
#include "tree_calls.h"
#include "loop_sched.h"
#include "user.h"

#include <event2/event.h>

#define MANY 100000u
#define FEW  64u // calls, whatever others have

#define ALICE   4711 // publishes
#define BOB     4712
#define MALLORY 4713 // has many lookups

static struct rig_session mallory;
static unsigned sent;   // messages to all sessions
static unsigned bob_at; // messages that were sent before bob's answer

// Mallory never reads what she is sent.
int __real_connection_send(struct connection *c, const Docad__Message *message, const int *fds,
                           size_t n_fds);
int __wrap_connection_send(struct connection *c, const Docad__Message *message, const int *fds,
                           size_t n_fds);
int __wrap_connection_send(struct connection *c, const Docad__Message *message, const int *fds,
                           size_t n_fds)
{
    sent++;
    if (c == mallory.session.connection)
        return 0;
    if (c == other.session.connection)
        bob_at = sent;
    return __real_connection_send(c, message, fds, n_fds);
}

// ---- the node ---------------------------------------------------------------------------------

static void begin(void)
{
    memory_begin();
    rig_node.sched = sched_new(rig_node.base);
    rig_session_begin(&mallory);
    rig_session_be(&owner, ALICE);
    rig_session_be(&other, BOB);
    rig_session_be(&mallory, MALLORY);
    rig_config.limits.value[LIMIT_LOOKUPS] = LIMIT_UNLIMITED;
    sent = bob_at = 0;
}

static void end(void)
{
    rig_session_end(&mallory);
    session_end_objects(&other.session, 0);
    rig_node.sched = sched_free(rig_node.sched);
    memory_end();
}

// One round of the loop.
static void round_of_loop(void)
{
    event_base_loop(rig_node.base, EVLOOP_ONCE | EVLOOP_NONBLOCK);
}

static doca_error_t look_up(struct rig_session *rig, const char *name, uint32_t timeout_ms,
                            struct errtext *err)
{
    Docad__Lookup m = DOCAD__LOOKUP__INIT;
    m.name = (char *)name;
    m.timeout_ms = timeout_ms;
    return lookup_begin(&rig->session, 3, &m, err);
}

static void wait_for(struct rig_session *rig, const char *name, uint32_t timeout_ms, unsigned times)
{
    struct errtext err;
    while (times-- > 0)
        ck_assert_msg(look_up(rig, name, timeout_ms, &err) == DOCA_SUCCESS, "%s", err.s);
}

static void let_time_pass(unsigned ms)
{
    const uint64_t over = clock_ms() + ms;
    while (clock_ms() < over) {
    }
}

static void publish_to_all(const char *name)
{
    static const struct export *export;
    Docad__Publish m = DOCAD__PUBLISH__INIT;
    Docad__Audience to = DOCAD__AUDIENCE__INIT;
    struct errtext err;

    export = memory_exported(memory_region(RIG_ACCESS));
    to.all = true;
    m.name = (char *)name;
    m.descriptor = (ProtobufCBinaryData){export->descriptor_size, (uint8_t *)export->descriptor};
    m.to = &to;
    ck_assert_msg(publication_new(&owner.session, &m, &err) == DOCA_SUCCESS, "%s", err.s);
}

// ---- tests --------------------------------------------------------------------------------------

START_TEST(a_publisher_answers_no_lookup)
{
    wait_for(&mallory, "4711/ring", 600000, MANY);
    wait_for(&other, "4711/ring", 600000, 1);
    calls = 0;
    publish_to_all("ring");
    ck_assert_uint_lt(calls, FEW);
    ck_assert_uint_eq(sent, 0);
    // Bob's answer comes in the first rounds.
    for (int i = 0; i < 8 && !bob_at; i++)
        round_of_loop();
    ck_assert_uint_gt(bob_at, 0);
    ck_assert_uint_lt(bob_at, MANY / 10);
    cleanup_message Docad__Message *answer = rig_answer(&other);
    ck_assert_int_eq(answer->body_case, DOCAD__MESSAGE__BODY_LOOKUP_REPLY);
    while (mallory.session.n_lookups > 0)
        round_of_loop();
    ck_assert_uint_eq(sent, MANY + 1);
}
END_TEST

// Their time is up in the same millisecond.
START_TEST(lookups_of_one_user_end_in_its_turns)
{
    unsigned rounds = 0;
    wait_for(&mallory, "4711/never", 1, MANY / 10);
    let_time_pass(2);
    for (; mallory.session.n_lookups > 0; rounds++)
        round_of_loop();
    ck_assert_uint_gt(rounds, 1);
    ck_assert_uint_eq(sent, MANY / 10);
}
END_TEST

// A name is published and withdrawn again and again, before all who wait for it had a turn.
START_TEST(lookups_end_in_time_whatever_is_published)
{
    struct errtext err;
    wait_for(&mallory, "4711/ring", 1, MANY);
    let_time_pass(2);
    publish_to_all("ring");
    ck_assert_int_eq(publication_remove(&owner.session, "ring", &err), DOCA_SUCCESS);
    ck_assert_uint_eq(sent, 0);
    for (int i = 0; i < 8 && sent == 0; i++)
        round_of_loop();
    ck_assert_uint_gt(sent, 0);
    session_end_objects(&mallory.session, 0);
}
END_TEST

// It was published in time, and the lookup's turn comes later.
START_TEST(a_lookup_whose_name_is_there_is_answered_late)
{
    wait_for(&other, "4711/ring", 1, 1);
    publish_to_all("ring");
    let_time_pass(2);
    while (other.session.n_lookups > 0)
        round_of_loop();
    cleanup_message Docad__Message *answer = rig_answer(&other);
    ck_assert_int_eq(answer->body_case, DOCAD__MESSAGE__BODY_LOOKUP_REPLY);
}
END_TEST

START_TEST(own_requests_cost_the_same_whatever_others_wait_for)
{
    struct errtext err;
    char name[32];
    for (unsigned i = 0; i < MANY; i++) {
        snprintf(name, sizeof(name), "4711/%u", i % (MANY / 2));
        wait_for(&mallory, name, 600000, 1);
    }
    calls = 0;
    ck_assert_int_eq(look_up(&other, "4711/5", 0, &err), DOCA_ERROR_NOT_FOUND);
    wait_for(&other, "4711/5", 600000, 1);
    publish_to_all("5");
    ck_assert_uint_lt(calls, FEW);
    while (sent < 3) // two of mallory's wait for this name, too
        round_of_loop();
    ck_assert_uint_eq(other.session.n_lookups, 0);
    ck_assert_uint_eq(mallory.session.n_lookups, MANY - 2);
}
END_TEST

START_TEST(lookups_are_charged_to_their_user)
{
    struct errtext err;
    const uint64_t before = mallory.session.user->metadata;
    rig_config.limits.value[LIMIT_METADATA] = before + 100000;
    rig_config.limits.users = &rig_node.users.list;
    unsigned n = 0;
    while (look_up(&mallory, "4711/ring", 600000, &err) == DOCA_SUCCESS)
        n++;
    ck_assert_uint_gt(n, 100);
    ck_assert_uint_lt(n, 1000);
    ck_assert_int_eq(look_up(&mallory, "4711/ring", 600000, &err), DOCA_ERROR_NO_MEMORY);
    ck_assert_ptr_nonnull(strstr(err.s, "metadata_bytes_per_uid"));
    ck_assert_uint_gt(mallory.session.user->metadata, before + 99000);
    wait_for(&other, "4711/ring", 600000, 1);
    session_end_objects(&mallory.session, 0);
    ck_assert_uint_eq(mallory.session.user->metadata, before);
    rig_config.limits.users = NULL;
}
END_TEST

// The name is not there any more when the lookup's turn comes, or not for its user.
START_TEST(a_lookup_goes_on_waiting)
{
    struct errtext err;
    wait_for(&other, "4711/ring", 600000, 2);
    publish_to_all("ring");
    ck_assert_int_eq(publication_remove(&owner.session, "ring", &err), DOCA_SUCCESS);
    for (int i = 0; i < 8; i++)
        round_of_loop();
    ck_assert_uint_eq(other.session.n_lookups, 2);
    publish_to_all("ring");
    session_end_objects(&other.session, 0); // in the middle of it
    publish_to_all("more");
    ck_assert_uint_eq(other.session.n_lookups + sent, 0);
    ck_assert_ptr_null(other.session.user->lookups);
    wait_for(&other, "4711/later", 600000, 2);
    publish_to_all("later");
    for (int i = 0; i < 8; i++)
        round_of_loop();
    ck_assert_uint_eq(sent, 2);
    ck_assert_uint_eq(other.session.n_lookups, 0);
}
END_TEST

int main(void)
{
    const TTest *const tests[] = {
        a_publisher_answers_no_lookup,
        lookups_of_one_user_end_in_its_turns,
        lookups_end_in_time_whatever_is_published,
        a_lookup_whose_name_is_there_is_answered_late,
        own_requests_cost_the_same_whatever_others_wait_for,
        lookups_are_charged_to_their_user,
        a_lookup_goes_on_waiting,
    };
    TCase *tcase = tcase_create("lookup");
    tcase_add_checked_fixture(tcase, begin, end);
    tcase_set_timeout(tcase, 60);
    for (size_t i = 0; i < ARRAY_SIZE(tests); i++)
        tcase_add_test(tcase, tests[i]);
    return unit_run_case("lookup", tcase);
}
