// SPDX-License-Identifier: BSD-3-Clause
// Copyright (c) 2026, the docad authors
//
// One user does its worst, and another is served. A user is all of its uids: what a process with a
// subordinate uid does counts as the user's. Needs root to be several users.

#include "users.h"

#include "cleanup.h"
#include "text_names.h"

#include <stdio.h>
#include <unistd.h>

static const struct daemon_options host = {.role = "host"};

static doca_error_t hello_of(const struct daemon *daemon, uid_t uid, int *sock)
{
    Docad__Hello hello = DOCAD__HELLO__INIT;
    hello.version_min = hello.version_max = 1;
    users_be(uid);
    *sock = raw_connect(daemon->socket.s);
    users_be(0);
    return call(*sock, DOCAD__MESSAGE__BODY_HELLO, &hello);
}

static doca_error_t try_open(int sock)
{
    Docad__FunctionOpen m = DOCAD__FUNCTION_OPEN__INIT;
    m.function_id = 1;
    return call(sock, DOCAD__MESSAGE__BODY_FUNCTION_OPEN, &m);
}

// ---- subordinate uids -----------------------------------------------------------------------

static const uid_t uids_of_a[] = {USER_A, USER_SUB, USER_SUB + USERS_SUBS - 1, USER_INNER};

START_TEST(subordinate_uids_share_limits)
{
    enum { N = ARRAY_SIZE(uids_of_a) };
    struct daemon *daemon = users_daemon(&host, "sessions_per_uid = 4", "");
    struct raw_session sessions[N];
    int sock;

    for (size_t i = 0; i < N; i++)
        sessions[i] = session_of(daemon, uids_of_a[i]);
    for (size_t i = 0; i < N; i++) {
        ck_assert_int_eq(hello_of(daemon, uids_of_a[i], &sock), DOCA_ERROR_NO_MEMORY);
        assert_names(answer->error->text, "sessions_per_uid");
        close(sock);
    }
    // Neither of these is.
    struct raw_session b = session_of(daemon, USER_B);
    struct raw_session beyond = session_of(daemon, USER_SUB + USERS_SUBS);
    session_end(&b);
    session_end(&beyond);
    for (size_t i = 0; i < N; i++)
        session_end(&sessions[i]);
}
END_TEST

START_TEST(subordinate_uids_are_under_the_users_rules)
{
    struct daemon *daemon = users_daemon(&host, "",
                                         "policy \"a\" {\nusers = {\"64010\"}\nopen = {}\n}\n"
                                         "policy \"others\" {\n}\n");
    for (size_t i = 0; i < ARRAY_SIZE(uids_of_a); i++) {
        struct raw_session s = session_of(daemon, uids_of_a[i]);
        ck_assert_int_eq(try_open(s.sock), DOCA_ERROR_NOT_PERMITTED);
        session_end(&s);
    }
    struct raw_session b = session_of(daemon, USER_B);
    ck_assert_int_eq(try_open(b.sock), DOCA_SUCCESS);
    session_end(&b);
}
END_TEST

// The kernel does not let them trace their user, nor the user's root be root.
START_TEST(subordinate_uids_see_their_own)
{
    static char memory[64];
    struct daemon *daemon = users_daemon(&host, "", "");
    struct raw_session a = session_of(daemon, USER_A);
    uint32_t pf0 = open_function(a.sock, "pf0");
    register_brokered(a.sock, memory, sizeof(memory), DOCA_ACCESS_RDMA_READ, pf0);
    for (size_t i = 0; i < ARRAY_SIZE(uids_of_a); i++) {
        struct raw_session s = session_of(daemon, uids_of_a[i]);
        cleanup_message Docad__Message *m = raw_list(s.sock, DOCAD__LIST__KIND__REGIONS, 0);
        ck_assert_uint_eq(m->list_reply->n_regions, i == 0);
        cleanup_message Docad__Message *sessions = raw_list(s.sock, DOCAD__LIST__KIND__SESSIONS, 0);
        for (size_t k = 0; k < sessions->list_reply->n_sessions; k++)
            ck_assert_uint_eq(sessions->list_reply->sessions[k]->uid, uids_of_a[i]);
        session_end(&s);
    }
    session_end(&a);
}
END_TEST

int main(void)
{
    if (geteuid() != 0) {
        puts("SKIPPED: must be root to be several users");
        return TEST_SKIPPED;
    }
    Suite *suite = suite_create("two users");
    TCase *tcase = tcase_create("subordinate uids");
    tcase_set_timeout(tcase, 120);
    tcase_add_checked_fixture(tcase, env_setup, env_teardown);
    tcase_add_test(tcase, subordinate_uids_share_limits);
    tcase_add_test(tcase, subordinate_uids_are_under_the_users_rules);
    tcase_add_test(tcase, subordinate_uids_see_their_own);
    suite_add_tcase(suite, tcase);
    return run_suite(suite);
}
