// SPDX-License-Identifier: BSD-3-Clause
// Copyright (c) 2026, the docad authors
//
// One user has many names, as long as they may be, and many lookups that wait; another one is
// served. Needs root to be several users.

#include "protocol.h"
#include "tls_nodes.h"
#include "users.h"

#include "audience.h"
#include "cleanup.h"
#include "deadline.h"

#include <check.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#define NAMES   1500 // more bytes than docad queues on a link for names
#define HOLDERS 6    // sessions of A on each node
#define EACH    40   // lookups of each

static struct daemon *on_host, *on_dpu;
static char memory[64];

static void start_both(void)
{
    on_host = users_daemon(&(struct daemon_options){.role = "host"}, "", "");
    on_dpu = daemon_start(&(struct daemon_options){.role = "dpu", .peers = {on_host->socket.s}});
    daemon_let_everybody_in(on_dpu);
    daemon_wait_links(on_dpu, 1);
}

static struct descriptor export_of(const struct raw_session *s)
{
    uint32_t pf0 = open_function(s->sock, "pf0");
    uint64_t region =
        register_brokered(s->sock, memory, sizeof(memory), DOCA_ACCESS_DPU_READ_ONLY, pf0);
    return export_to(s->sock, region, pf0, DOCAD__EXPORT_TARGET__TARGET_DPU);
}

// For B and as many others as there may be.
static doca_error_t offer(const struct raw_session *s, const char *name, const struct descriptor *d)
{
    uint32_t ids[AUDIENCE_MAX] = {USER_B};
    Docad__Publish m = DOCAD__PUBLISH__INIT;
    Docad__Audience to = DOCAD__AUDIENCE__INIT;
    for (uint32_t i = 1; i < AUDIENCE_MAX; i++)
        ids[i] = UINT32_MAX - 1 - i;
    to.uids = to.gids = ids;
    to.n_uids = to.n_gids = AUDIENCE_MAX;
    m.name = (char *)name;
    m.descriptor = (ProtobufCBinaryData){d->size, (uint8_t *)d->bytes};
    m.to = &to;
    return call(s->sock, DOCAD__MESSAGE__BODY_PUBLISH, &m);
}

static const char *long_name(unsigned i)
{
    static char name[256];
    memset(name, 'x', sizeof(name) - 1);
    name[snprintf(name, sizeof(name), "n%u.", i)] = 'x';
    return name;
}

static const char *of_a(const char *name)
{
    static char text[300];
    snprintf(text, sizeof(text), "%u/%s", USER_A, name);
    return text;
}

static void fill(const struct raw_session *a, const struct descriptor *d)
{
    for (unsigned i = 0; i < NAMES; i++)
        ck_assert_int_eq(offer(a, long_name(i), d), DOCA_SUCCESS);
}

// ---- lookups ----------------------------------------------------------------------------------

static void hold(const struct raw_session *s)
{
    Docad__Lookup m = DOCAD__LOOKUP__INIT;
    m.name = (char *)"64011/frames";
    m.timeout_ms = 10 * HARNESS_LIMIT_MS;
    for (int i = 0; i < EACH; i++)
        post(s->sock, DOCAD__MESSAGE__BODY_LOOKUP, &m);
}

static void assert_all_found(const struct raw_session *s, const struct descriptor *d)
{
    for (int i = 0; i < EACH; i++) {
        receive_any(s->sock);
        ck_assert_int_eq(answer->body_case, DOCAD__MESSAGE__BODY_LOOKUP_REPLY);
        ck_assert_uint_eq(answer->lookup_reply->descriptor.len, d->size);
        ck_assert_mem_eq(answer->lookup_reply->descriptor.data, d->bytes, d->size);
    }
}

// A's wait on both nodes for a name that B publishes for everybody.
START_TEST(lookups_of_another_user)
{
    struct raw_session holders[2][HOLDERS];
    start_both();
    struct raw_session b = session_of(on_host, USER_B), b_there = session_of(on_dpu, USER_B);
    struct descriptor d = export_of(&b);
    Docad__Publish m = DOCAD__PUBLISH__INIT;
    Docad__Audience to = DOCAD__AUDIENCE__INIT;

    for (int i = 0; i < HOLDERS; i++) {
        holders[0][i] = session_of(on_host, USER_A);
        holders[1][i] = session_of(on_dpu, USER_A);
        hold(&holders[0][i]);
        hold(&holders[1][i]);
    }
    to.all = true;
    m.name = (char *)"frames";
    m.descriptor = (ProtobufCBinaryData){d.size, d.bytes};
    m.to = &to;
    ck_assert_int_eq(call(b.sock, DOCAD__MESSAGE__BODY_PUBLISH, &m), DOCA_SUCCESS);
    ck_assert_int_eq(lookup(b_there.sock, "frames", HARNESS_LIMIT_MS), DOCA_SUCCESS);
    for (int i = 0; i < HOLDERS; i++) {
        assert_all_found(&holders[0][i], &d);
        assert_all_found(&holders[1][i], &d);
        session_end(&holders[0][i]);
        session_end(&holders[1][i]);
    }
    answer_drop();
    session_end(&b);
    session_end(&b_there);
}
END_TEST

// They count for their user, who gets no more of them, while the other one does.
START_TEST(lookups_are_memory_of_their_user)
{
    struct daemon *daemon =
        users_daemon(&(struct daemon_options){.role = "host"},
                     "metadata_bytes_per_uid = 48K\nlookups_per_session = 1M", "");
    struct raw_session a = session_of(daemon, USER_A), b = session_of(daemon, USER_B);
    Docad__Lookup m = DOCAD__LOOKUP__INIT;
    m.timeout_ms = 10 * HARNESS_LIMIT_MS;
    m.name = (char *)long_name(0);
    for (int i = 0; i < 200; i++)
        post(a.sock, DOCAD__MESSAGE__BODY_LOOKUP, &m);
    receive_any(a.sock);
    ck_assert_int_eq(answer->body_case, DOCAD__MESSAGE__BODY_ERROR);
    ck_assert_uint_eq(answer->error->code, DOCA_ERROR_NO_MEMORY);
    ck_assert_ptr_nonnull(strstr(answer->error->text, "metadata_bytes_per_uid"));
    daemon_wait_logged(daemon, "Lookup: limit reached");
    ck_assert_int_eq(lookup(b.sock, "nothing", 1), DOCA_ERROR_TIME_OUT);
    answer_drop();
    session_end(&a);
    session_end(&b);
    assert_baseline(daemon);
}
END_TEST

// ---- names ------------------------------------------------------------------------------------

START_TEST(a_link_comes_up_with_many_names)
{
    start_both();
    struct raw_session a = session_of(on_host, USER_A), b = session_of(on_host, USER_B);
    struct descriptor d = export_of(&a);
    fill(&a, &d);
    for (int round = 0; round < 2; round++) {
        daemon_kill(on_dpu);
        daemon_wait_links(on_host, 0);
        daemon_restart(on_dpu);
        daemon_let_everybody_in(on_dpu);
        daemon_wait_links(on_dpu, 1);
        struct raw_session b_there = session_of(on_dpu, USER_B);
        ck_assert_int_eq(lookup(b_there.sock, of_a(long_name(NAMES - 1)), HARNESS_LIMIT_MS),
                         DOCA_SUCCESS);
        ck_assert_int_eq(lookup(b_there.sock, of_a(long_name(0)), 0), DOCA_SUCCESS);
        session_end(&b_there);
    }
    ck_assert_int_eq(lookup(b.sock, of_a(long_name(NAMES / 2)), 0), DOCA_SUCCESS);
    ck_assert(!daemon_logged(on_host, "does not read its messages"));
    answer_drop();
    session_end(&a);
    session_end(&b);
}
END_TEST

// The same over TLS, whose packets the docads keep themselves before they are sent.
START_TEST(a_link_between_machines_comes_up_with_many_names)
{
    struct node_pair nodes = tls_nodes_start();
    struct raw_session a = session_start(nodes.host);
    struct descriptor d = export_of(&a);
    fill(&a, &d);
    daemon_kill(nodes.dpu);
    daemon_wait_links(nodes.host, 0);
    daemon_restart(nodes.dpu);
    daemon_wait_links(nodes.dpu, 1);
    struct raw_session there = session_start(nodes.dpu);
    ck_assert_int_eq(lookup(there.sock, long_name(NAMES - 1), HARNESS_LIMIT_MS), DOCA_SUCCESS);
    ck_assert_int_eq(lookup(there.sock, long_name(0), 0), DOCA_SUCCESS);
    // All of them end there, too, with the export.
    session_end(&a);
    int64_t deadline = deadline_in(HARNESS_LIMIT_MS);
    while (lookup(there.sock, long_name(NAMES - 1), 0) != DOCA_ERROR_NOT_FOUND)
        ck_assert(deadline_pause(deadline));
    ck_assert(!daemon_logged(nodes.host, "does not read its messages"));
    answer_drop();
    session_end(&there);
    assert_baseline(nodes.dpu);
    assert_baseline(nodes.host);
}
END_TEST

// A linked node that the test plays, which knows these names.
static bool known[NAMES + 1];
static unsigned resumes, ended;

static void hear(int link)
{
    receive_any(link);
    if (answer->body_case == DOCAD__MESSAGE__BODY_PEER_PUBLISH) {
        unsigned i = (unsigned)strtoul(answer->peer_publish->name + 1, NULL, 10);
        ck_assert(i <= NAMES && !known[i]);
        known[i] = true;
    } else if (answer->body_case == DOCAD__MESSAGE__BODY_PEER_UNPUBLISH) {
        unsigned i = (unsigned)strtoul(answer->peer_unpublish->name + 1, NULL, 10);
        ck_assert(i <= NAMES && known[i]);
        known[i] = false;
        ended++;
    } else if (answer->body_case == DOCAD__MESSAGE__BODY_PEER_RESUME) {
        ck_assert_int_eq(answer->peer_resume->more, resumes == 0);
        resumes++;
    }
}

// The node reads nothing until names have changed.
START_TEST(names_change_while_a_link_stands_still)
{
    static const uint8_t run[16] = {1};
    Docad__PeerHello hello = fake_hello_fields();
    struct daemon *daemon = users_daemon(&(struct daemon_options){.role = "host"}, "", "");
    struct raw_session a = session_of(daemon, USER_A), b = session_of(daemon, USER_B);
    struct descriptor d = export_of(&a);

    fill(&a, &d);
    memset(known, 0, sizeof(known));
    resumes = ended = 0;
    hello.role = (char *)"dpu";
    hello.resumable = hello.by_uid = true;
    hello.run = (ProtobufCBinaryData){sizeof(run), (uint8_t *)run};
    int link = raw_connect(daemon->socket.s);
    ck_assert_int_eq(fake_hello(link, &hello), DOCA_SUCCESS);
    ck_assert_int_eq(unpublish(a.sock, long_name(0)), DOCA_SUCCESS);
    ck_assert_int_eq(unpublish(a.sock, long_name(NAMES - 1)), DOCA_SUCCESS);
    ck_assert_int_eq(unpublish(a.sock, long_name(NAMES - 2)), DOCA_SUCCESS);
    ck_assert_int_eq(offer(&a, long_name(NAMES - 2), &d), DOCA_SUCCESS);
    ck_assert_int_eq(offer(&a, long_name(NAMES), &d), DOCA_SUCCESS);
    ck_assert_int_eq(lookup(b.sock, of_a(long_name(NAMES)), 0), DOCA_SUCCESS);
    while (!known[NAMES])
        hear(link);
    ck_assert_uint_eq(resumes, 2);
    ck_assert_uint_eq(ended, 1); // of the last two it had not heard
    for (unsigned i = 0; i <= NAMES; i++)
        ck_assert_int_eq(known[i], i != 0 && i != NAMES - 1);
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
    Suite *suite = suite_create("names_many");
    TCase *tcase = tcase_create("names_many");
    tcase_set_timeout(tcase, 60);
    tcase_add_checked_fixture(tcase, env_setup, env_teardown);
    tcase_add_test(tcase, lookups_of_another_user);
    tcase_add_test(tcase, lookups_are_memory_of_their_user);
    tcase_add_test(tcase, a_link_comes_up_with_many_names);
    tcase_add_test(tcase, names_change_while_a_link_stands_still);
    suite_add_tcase(suite, tcase);
    tcase = tcase_create("machines");
    tcase_set_timeout(tcase, 60);
    tcase_add_unchecked_fixture(tcase, certificates_prepare, NULL);
    tcase_add_checked_fixture(tcase, tls_setup, tls_teardown);
    tcase_add_test(tcase, a_link_between_machines_comes_up_with_many_names);
    suite_add_tcase(suite, tcase);
    return run_suite(suite);
}
