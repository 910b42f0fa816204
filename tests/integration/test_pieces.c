// SPDX-License-Identifier: BSD-3-Clause
// Copyright (c) 2026, the docad authors
//
// What one user has in great number ends in pieces, between which others are served. Needs root to
// be several users.

#include "users.h"

#include "cleanup.h"
#include "deadline.h"
#include "manager.h"
#include "restarts.h"
#include "text_names.h"

#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#define MANY  600 // imports
#define PIECE 16  // of them end in one turn

static char memory[64];

struct import {
    uint64_t id;
    uint32_t slot;
};

struct shared {
    struct raw_session owner, user;
    uint64_t region, export_id;
    struct import imports[MANY];
};

static uint64_t metric(const struct daemon *daemon, const char *name)
{
    Docad__Metrics m = DOCAD__METRICS__INIT;
    struct raw_session tool = session_start(daemon);
    ck_assert_int_eq(call(tool.sock, DOCAD__MESSAGE__BODY_METRICS, &m), DOCA_SUCCESS);
    const char *line = strstr(answer->metrics_reply->text, name);
    while (line && line[strlen(name)] != ' ')
        line = strstr(line + 1, name);
    ck_assert_msg(line, "there is no metric %s", name);
    uint64_t value = strtoull(line + strlen(name), NULL, 10);
    answer_drop();
    session_end(&tool);
    return value;
}

// The owner exports on the host; the user imports there, or on the DPU.
static void share(struct shared *s, bool on_dpu)
{
    uint32_t pf0 = open_function(s->owner.sock, "pf0");
    uint32_t function = open_function(s->user.sock, on_dpu ? "p0" : "pf0");
    s->region = register_brokered(s->owner.sock, memory, sizeof(memory),
                                  DOCA_ACCESS_DPU_READ_ONLY | DOCA_ACCESS_RDMA_READ, pf0);
    struct descriptor d =
        export_to(s->owner.sock, s->region, pf0,
                  on_dpu ? DOCAD__EXPORT_TARGET__TARGET_DPU : DOCAD__EXPORT_TARGET__TARGET_RDMA);
    struct export_desc desc;
    ck_assert_int_eq(export_desc_decode(d.bytes, d.size, &desc, NULL), DOCA_SUCCESS);
    s->export_id = desc.export_id;
    for (int i = 0; i < MANY; i++) {
        ck_assert_int_eq(import_on(s->user.sock, &d, function), DOCA_SUCCESS);
        s->imports[i] = (struct import){answer->import_create_reply->import_id,
                                        answer->import_create_reply->state_slot};
    }
    answer_drop();
}

static unsigned count_live(const struct shared *s)
{
    unsigned n = 0;
    for (int i = 0; i < MANY; i++)
        n += state_table_read(s->user.states, s->imports[i].slot, s->imports[i].id) == SLOT_LIVE;
    return n;
}

static uint64_t post_end(const struct shared *s, bool revoke)
{
    Docad__RegionUnregister unregister = DOCAD__REGION_UNREGISTER__INIT;
    Docad__ExportRevoke m = DOCAD__EXPORT_REVOKE__INIT;
    unregister.region_id = s->region;
    m.export_id = s->export_id;
    return revoke ? post(s->owner.sock, DOCAD__MESSAGE__BODY_EXPORT_REVOKE, &m)
                  : post(s->owner.sock, DOCAD__MESSAGE__BODY_REGION_UNREGISTER, &unregister);
}

START_TEST(an_export_with_many_imports_ends_in_pieces)
{
    static const struct daemon_options host = {.role = "host"};
    bool far = _i & 1, revoke = _i & 2;
    struct shared s;
    struct daemon_counts counts;
    struct daemon *on_host = users_daemon(&host, "", "");
    struct daemon *on_dpu =
        users_daemon(&(struct daemon_options){.role = "dpu", .peers = {on_host->socket.s}}, "", "");
    daemon_wait_links(on_dpu, 1);

    s.owner = session_of(on_host, USER_A);
    s.user = session_of(far ? on_dpu : on_host, USER_A);
    struct raw_session b = session_of(on_host, USER_B);
    share(&s, far);
    uint64_t before = metric(on_host, "docad_end_slices_total");
    uint64_t first = post_end(&s, revoke);
    post_end(&s, revoke);
    // User B is served, whether that is over or not.
    open_function(b.sock, "pf0");
    answer_drop();
    for (int i = 0; i < 2; i++) {
        receive_any(s.owner.sock);
        if (answer->serial == first) {
            ck_assert_int_eq(answer->body_case, DOCAD__MESSAGE__BODY_OK);
            ck_assert_uint_eq(count_live(&s), 0);
        } else {
            ck_assert_int_eq(answer->body_case, DOCAD__MESSAGE__BODY_ERROR);
            ck_assert_int_eq(answer->error->code, DOCA_ERROR_NOT_FOUND);
        }
        answer_drop();
    }
    ck_assert_uint_ge(metric(on_host, "docad_end_slices_total") - before, MANY / PIECE);
    daemon_counts(on_host, &counts);
    ck_assert_uint_eq(counts.exports, 0);
    session_end(&s.user);
    session_end(&s.owner);
    session_end(&b);
    assert_baseline(on_host);
    assert_baseline(on_dpu);
}
END_TEST

// ---- restarts ---------------------------------------------------------------------------

static void send_again(const struct shared *s, uint64_t serial, uint32_t restart, bool revoke)
{
    Docad__RegionUnregister unregister = DOCAD__REGION_UNREGISTER__INIT;
    Docad__ExportRevoke m = DOCAD__EXPORT_REVOKE__INIT;
    Docad__Message message = DOCAD__MESSAGE__INIT;

    unregister.region_id = s->region;
    m.export_id = s->export_id;
    message.serial = serial;
    message.again = restart;
    if (revoke) {
        message.body_case = DOCAD__MESSAGE__BODY_EXPORT_REVOKE;
        message.export_revoke = &m;
    } else {
        message.body_case = DOCAD__MESSAGE__BODY_REGION_UNREGISTER;
        message.region_unregister = &unregister;
    }
    ck_assert_int_eq(message_send(s->owner.sock, &message, NULL, 0, 0), 0);
}

// The next docad goes on with what has begun to end.
START_TEST(a_restart_before_the_end_is_over)
{
    bool revoke = _i & 2, replied = false, resumed = false;
    struct daemon_counts counts;
    struct shared s;
    struct daemon *daemon = restartable_start("host", NULL, NULL);

    s.owner = session_start(daemon);
    s.user = session_start(daemon);
    share(&s, false);
    uint64_t serial = post_end(&s, revoke);
    while (count_live(&s) == MANY)
        ;
    manager_begin_restart(daemon, restart_signal(_i));
    manager_wait(daemon);
    while (!replied || !resumed) {
        receive_any(s.owner.sock);
        if (answer->serial == serial) {
            ck_assert_int_eq(answer->body_case, DOCAD__MESSAGE__BODY_OK);
            replied = true;
        } else if (answer->body_case == DOCAD__MESSAGE__BODY_RESUMED) {
            resumed = true;
            if (!replied)
                send_again(&s, serial, answer->resumed->restart, revoke);
        }
        answer_drop();
    }
    ck_assert_uint_eq(count_live(&s), 0);
    daemon_counts(daemon, &counts);
    ck_assert_uint_eq(counts.exports, 0);
    session_end(&s.user);
    session_end(&s.owner);
    assert_baseline(daemon);
    manager_wait_kept(daemon, 1);
    daemon_stop(daemon);
}
END_TEST

// ---- tools that follow events -----------------------------------------------------------

static doca_error_t follow(const struct raw_session *s)
{
    Docad__Monitor m = DOCAD__MONITOR__INIT;
    return call(s->sock, DOCAD__MESSAGE__BODY_MONITOR, &m);
}

START_TEST(a_user_has_a_limited_number_of_monitors)
{
    static const struct daemon_options host = {.role = "host"};
    struct daemon *daemon = users_daemon(&host, "monitors_per_uid = 2", "");
    const uid_t uids[] = {USER_A, USER_SUB, USER_SUB + 1}; // which are one user
    struct raw_session a[3], b = session_of(daemon, USER_B);

    for (int i = 0; i < 3; i++) {
        a[i] = session_of(daemon, uids[i]);
        ck_assert_int_eq(follow(&a[i]), i < 2 ? DOCA_SUCCESS : DOCA_ERROR_NO_MEMORY);
    }
    assert_names(answer->error->text, "monitors_per_uid");
    answer_drop();
    session_end(&a[0]);
    for (int64_t deadline = deadline_in(HARNESS_LIMIT_MS); follow(&a[2]) != DOCA_SUCCESS;)
        ck_assert(deadline_pause(deadline)); // until docad has noticed that
    ck_assert_int_eq(follow(&b), DOCA_SUCCESS);
    answer_drop();
    // What B does, B's tool alone is sent.
    struct raw_session other = session_of(daemon, USER_B);
    receive_any(b.sock);
    ck_assert_int_eq(answer->body_case, DOCAD__MESSAGE__BODY_MONITOR_EVENT);
    ck_assert_str_eq(answer->monitor_event->event, "session-begin");
    ck_assert_uint_eq(answer->monitor_event->uid, USER_B);
    answer_drop();
    session_end(&other);
    session_end(&a[1]);
    session_end(&a[2]);
    session_end(&b);
}
END_TEST

int main(void)
{
    if (geteuid() != 0) {
        puts("SKIPPED: must be root to be several users");
        return TEST_SKIPPED;
    }
    Suite *suite = suite_create("pieces");
    TCase *tcase = tcase_create("pieces");
    tcase_set_timeout(tcase, 300);
    tcase_add_checked_fixture(tcase, env_setup, env_teardown);
    tcase_add_loop_test(tcase, an_export_with_many_imports_ends_in_pieces, 0, 4);
    tcase_add_loop_test(tcase, a_restart_before_the_end_is_over, 0, 4);
    tcase_add_test(tcase, a_user_has_a_limited_number_of_monitors);
    suite_add_tcase(suite, tcase);
    return run_suite(suite);
}
