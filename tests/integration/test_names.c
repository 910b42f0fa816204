// SPDX-License-Identifier: BSD-3-Clause
// Copyright (c) 2026, the docad authors
//
// Names of exports, of several users, on a node and on the one that it is linked with. Needs root
// to be several users.

#include "protocol.h"
#include "users.h"

#include "cleanup.h"
#include "deadline.h"

#include <check.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#define USER_C 64012 // neither of the two

static struct daemon *on_host, *on_dpu;
static char memory[64];

static void start_both(void)
{
    on_host = users_daemon(&(struct daemon_options){.role = "host"}, "", "");
    on_dpu =
        users_daemon(&(struct daemon_options){.role = "dpu", .peers = {on_host->socket.s}}, "", "");
    daemon_wait_links(on_dpu, 1);
}

static struct descriptor export_of(const struct raw_session *s)
{
    uint32_t pf0 = open_function(s->sock, "pf0");
    uint64_t region =
        register_brokered(s->sock, memory, sizeof(memory), DOCA_ACCESS_DPU_READ_ONLY, pf0);
    return export_to(s->sock, region, pf0, DOCAD__EXPORT_TARGET__TARGET_DPU);
}

// For everybody, or for the publisher's user.
static doca_error_t offer(const struct raw_session *s, const char *name, const struct descriptor *d,
                          bool all)
{
    Docad__Publish m = DOCAD__PUBLISH__INIT;
    Docad__Audience to = DOCAD__AUDIENCE__INIT;
    m.name = (char *)name;
    m.descriptor = (ProtobufCBinaryData){d->size, (uint8_t *)d->bytes};
    to.all = all;
    m.to = &to;
    return call(s->sock, DOCAD__MESSAGE__BODY_PUBLISH, &m);
}

static bool finds(const struct raw_session *s, const char *name, uint32_t wait_ms,
                  const struct descriptor *d)
{
    doca_error_t r = lookup(s->sock, name, wait_ms);
    if (r != DOCA_SUCCESS)
        return false;
    const ProtobufCBinaryData *found = &answer->lookup_reply->descriptor;
    return found->len == d->size && memcmp(found->data, d->bytes, d->size) == 0;
}

static size_t count_names(const struct raw_session *s)
{
    cleanup_message Docad__Message *m = raw_list(s->sock, DOCAD__LIST__KIND__PUBLICATIONS, 0);
    return m->list_reply->n_publications;
}

// ---- tests -----------------------------------------------------------------------------------

// A publishes the name before B does, on the host or where B looks.
START_TEST(no_user_takes_anothers_name)
{
    start_both();
    struct raw_session a = session_of(on_host, USER_A), b = session_of(on_host, USER_B);
    struct raw_session a_there = session_of(on_dpu, USER_A), b_there = session_of(on_dpu, USER_B);
    struct raw_session c_there = session_of(on_dpu, USER_C);
    struct descriptor of_a = export_of(&a), of_b = export_of(&b);

    ck_assert_int_eq(offer(_i ? &a_there : &a, "frames", &of_a, true), DOCA_SUCCESS);
    ck_assert_int_eq(lookup(b_there.sock, "frames", 0), DOCA_ERROR_NOT_FOUND);
    ck_assert_int_eq(offer(&b, "frames", &of_b, true), DOCA_SUCCESS);
    ck_assert(finds(&b_there, "64011/frames", HARNESS_LIMIT_MS, &of_b));
    ck_assert(finds(&b_there, "frames", 0, &of_b) && finds(&b, "frames", 0, &of_b));
    ck_assert(finds(&a_there, "frames", HARNESS_LIMIT_MS, &of_a));
    ck_assert(finds(&b_there, "64010/frames", 0, &of_a));
    ck_assert(finds(&c_there, "64011/frames", 0, &of_b));
    ck_assert_int_eq(lookup(c_there.sock, "frames", 0), DOCA_ERROR_NOT_FOUND);

    // Each ends its own, there, too.
    ck_assert_int_eq(unpublish(b.sock, "64010/frames"),
                     _i ? DOCA_ERROR_NOT_FOUND : DOCA_ERROR_NOT_PERMITTED);
    ck_assert_int_eq(unpublish(b.sock, "frames"), DOCA_SUCCESS);
    int64_t deadline = deadline_in(HARNESS_LIMIT_MS);
    while (lookup(b_there.sock, "frames", 0) != DOCA_ERROR_NOT_FOUND)
        ck_assert(deadline_pause(deadline));
    ck_assert(finds(&a_there, "frames", 0, &of_a));
    answer_drop();
    session_end(&a);
    session_end(&b);
    session_end(&a_there);
    session_end(&b_there);
    session_end(&c_there);
}
END_TEST

START_TEST(names_for_others_are_hidden)
{
    start_both();
    struct raw_session a = session_of(on_host, USER_A), b = session_of(on_host, USER_B);
    struct raw_session a_there = session_of(on_dpu, USER_A), b_there = session_of(on_dpu, USER_B);
    struct raw_session sub = session_of(on_host, USER_SUB); // of A, and another user here
    struct descriptor of_a = export_of(&a), of_b = export_of(&b);
    struct raw_session *others[] = {&b, &b_there, &sub};

    ck_assert_int_eq(offer(&a, "secret", &of_a, false), DOCA_SUCCESS);
    ck_assert(finds(&a_there, "secret", HARNESS_LIMIT_MS, &of_a)); // the DPU knows it, too
    for (size_t i = 0; i < ARRAY_SIZE(others); i++) {
        ck_assert_int_eq(lookup(others[i]->sock, "secret", 0), DOCA_ERROR_NOT_FOUND);
        ck_assert_int_eq(lookup(others[i]->sock, "64010/secret", 0), DOCA_ERROR_NOT_FOUND);
        ck_assert_int_eq(lookup(others[i]->sock, "64010/secret", 10), DOCA_ERROR_TIME_OUT);
        ck_assert_int_eq(unpublish(others[i]->sock, "64010/secret"), DOCA_ERROR_NOT_FOUND);
        ck_assert_uint_eq(count_names(others[i]), 0);
    }
    ck_assert_int_eq(offer(&b, "secret", &of_b, false), DOCA_SUCCESS);
    ck_assert_uint_eq(count_names(&b), 1);
    answer_drop();
    session_end(&a);
    session_end(&b);
    session_end(&a_there);
    session_end(&b_there);
    session_end(&sub);
}
END_TEST

// ---- an older docad, which knows one owner of each name ----------------------------------------

static const Docad__PeerPublish *hear_publish(int link)
{
    receive_any(link);
    ck_assert_int_eq(answer->body_case, DOCAD__MESSAGE__BODY_PEER_PUBLISH);
    return answer->peer_publish;
}

static void say_publish(int link, const char *name, const struct descriptor *d, uint32_t uid)
{
    Docad__PeerPublish m = DOCAD__PEER_PUBLISH__INIT;
    Docad__Audience to = DOCAD__AUDIENCE__INIT;
    to.all = true;
    m.name = (char *)name;
    m.descriptor = (ProtobufCBinaryData){d->size, (uint8_t *)d->bytes};
    m.uid = uid;
    m.to = &to;
    post_raw(link, 0, DOCAD__MESSAGE__BODY_PEER_PUBLISH, &m, NULL, 0);
}

START_TEST(an_older_node_is_told_of_the_first_owner)
{
    struct daemon *dpu = users_daemon(&(struct daemon_options){.role = "dpu"}, "", "");
    struct raw_session a = session_of(dpu, USER_A), b = session_of(dpu, USER_B);
    struct descriptor d = fake_descriptor(1);
    int link = fake_link(dpu);

    ck_assert_int_eq(offer(&a, "frames", &d, true), DOCA_SUCCESS);
    ck_assert_uint_eq(hear_publish(link)->uid, USER_A);
    ck_assert_int_eq(offer(&b, "frames", &d, true), DOCA_SUCCESS);
    ck_assert_int_eq(offer(&b, "other", &d, true), DOCA_SUCCESS);
    ck_assert_str_eq(hear_publish(link)->name, "other"); // the second owner would replace the first
    ck_assert_int_eq(unpublish(b.sock, "frames"), DOCA_SUCCESS);
    ck_assert_int_eq(unpublish(a.sock, "frames"), DOCA_SUCCESS);
    receive_any(link);
    ck_assert_int_eq(answer->body_case, DOCAD__MESSAGE__BODY_PEER_UNPUBLISH);
    ck_assert_uint_eq(answer->peer_unpublish->owner->uid, USER_A);
    answer_drop();
    session_end(&a);
    session_end(&b);
    close(link);
}
END_TEST

START_TEST(an_older_node_ends_names_without_their_owner)
{
    struct daemon *dpu = users_daemon(&(struct daemon_options){.role = "dpu"}, "", "");
    struct raw_session a = session_of(dpu, USER_A), b = session_of(dpu, USER_B);
    struct descriptor d = fake_descriptor(1);
    Docad__PeerUnpublish gone = DOCAD__PEER_UNPUBLISH__INIT;
    int link = fake_link(dpu);

    say_publish(link, "frames", &d, USER_B);
    ck_assert(finds(&b, "frames", HARNESS_LIMIT_MS, &d));
    ck_assert(finds(&a, "64011/frames", 0, &d));
    ck_assert_int_eq(lookup(a.sock, "frames", 0), DOCA_ERROR_NOT_FOUND);
    gone.name = (char[]){"frames"};
    post_raw(link, 0, DOCAD__MESSAGE__BODY_PEER_UNPUBLISH, &gone, NULL, 0);
    say_publish(link, "after", &d, USER_B);
    ck_assert(finds(&b, "after", HARNESS_LIMIT_MS, &d));
    ck_assert_int_eq(lookup(b.sock, "frames", 0), DOCA_ERROR_NOT_FOUND);
    answer_drop();
    session_end(&a);
    session_end(&b);
    close(link);
}
END_TEST

int main(void)
{
    if (geteuid() != 0) {
        puts("SKIPPED: must be root to be several users");
        return TEST_SKIPPED;
    }
    Suite *suite = suite_create("names");
    TCase *tcase = tcase_create("names");
    tcase_set_timeout(tcase, 60);
    tcase_add_checked_fixture(tcase, env_setup, env_teardown);
    tcase_add_loop_test(tcase, no_user_takes_anothers_name, 0, 2);
    tcase_add_test(tcase, names_for_others_are_hidden);
    tcase_add_test(tcase, an_older_node_is_told_of_the_first_owner);
    tcase_add_test(tcase, an_older_node_ends_names_without_their_owner);
    suite_add_tcase(suite, tcase);
    return run_suite(suite);
}
