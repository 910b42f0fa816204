// SPDX-License-Identifier: BSD-3-Clause
// Copyright (c) 2026, the docad authors
//
// Clients whose docad is restarted, or crashes and is started again.

#include "client.h"

#include "child.h"
#include "cleanup.h"
#include "deadline.h"
#include "manager.h"
#include "protocol.h"
#include "run.h"

#include <signal.h>
#include <string.h>

static struct daemon *start(const char *role, const char *peer)
{
    return daemon_start(
        &(struct daemon_options){.role = role, .peers = {peer}, .run = manager_run});
}

static int restart_signal(int i)
{
    return i ? SIGKILL : SIGTERM;
}

// ---- one node -------------------------------------------------------------------------

// The same ids, states and descriptors after a restart as before.
START_TEST(objects_are_the_same)
{
    struct daemon *daemon = start("host", NULL);
    struct raw_session s = session_start(daemon);
    uint32_t f = open_function(s.sock, "pf0");
    uint64_t region =
        register_mapped(s.sock, 8192, DOCA_ACCESS_RDMA_READ | DOCA_ACCESS_RDMA_WRITE, f);
    struct descriptor d = export_to(s.sock, region, f, DOCAD__EXPORT_TARGET__TARGET_RDMA);
    ck_assert_int_eq(publish(s.sock, "name", &d), DOCA_SUCCESS);
    ck_assert_int_eq(import_on(s.sock, &d, f), DOCA_SUCCESS);
    uint64_t import = answer->import_create_reply->import_id;
    uint32_t slot = answer->import_create_reply->state_slot;
    answer_drop();
    manager_restart(daemon, restart_signal(_i));
    ck_assert_int_eq(state_table_read(s.states, slot, import), SLOT_LIVE);
    receive_any(s.sock);
    ck_assert_int_eq(answer->body_case, DOCAD__MESSAGE__BODY_RESUMED);
    ck_assert_uint_eq(answer->resumed->restart, 1);
    ck_assert_int_eq(lookup(s.sock, "name", 0), DOCA_SUCCESS);
    ck_assert_uint_eq(answer->lookup_reply->descriptor.len, d.size);
    ck_assert_mem_eq(answer->lookup_reply->descriptor.data, d.bytes, d.size);
    // The function is open, and what is made now has ids of its own.
    uint64_t second = register_mapped(s.sock, 4096, DOCA_ACCESS_RDMA_READ, f);
    ck_assert_uint_gt(second, region);
    struct descriptor e = export_to(s.sock, second, f, DOCAD__EXPORT_TARGET__TARGET_RDMA);
    ck_assert_int_eq(import_on(s.sock, &e, f), DOCA_SUCCESS);
    ck_assert_uint_ne(answer->import_create_reply->state_slot, slot);
    ck_assert_uint_gt(answer->import_create_reply->import_id, import);
    // And what was made before ends as ever.
    Docad__RegionUnregister gone = DOCAD__REGION_UNREGISTER__INIT;
    gone.region_id = region;
    ck_assert_int_eq(call(s.sock, DOCAD__MESSAGE__BODY_REGION_UNREGISTER, &gone), DOCA_SUCCESS);
    ck_assert_int_eq(state_table_read(s.states, slot, import), SLOT_OWNER_GONE);
    ck_assert_int_eq(lookup(s.sock, "name", 0), DOCA_ERROR_NOT_FOUND);
    answer_drop();
    session_end(&s);
    assert_baseline(daemon);
    manager_wait_kept(daemon, 1); // the node's own record
    daemon_stop(daemon);
}
END_TEST

// Who goes while there is no docad is found gone.
START_TEST(clients_that_left_meanwhile)
{
    struct daemon *daemon = start("host", NULL);
    struct raw_session s = session_start(daemon), t = session_start(daemon);
    uint32_t f = open_function(s.sock, "pf0");
    uint64_t region = register_mapped(s.sock, 4096, DOCA_ACCESS_RDMA_READ, f);
    struct descriptor d = export_to(s.sock, region, f, DOCAD__EXPORT_TARGET__TARGET_RDMA);
    uint32_t g = open_function(t.sock, "pf0");
    ck_assert_int_eq(import_on(t.sock, &d, g), DOCA_SUCCESS);
    uint64_t import = answer->import_create_reply->import_id;
    uint32_t slot = answer->import_create_reply->state_slot;
    answer_drop();
    manager_begin_restart(daemon, restart_signal(_i));
    session_end(&s);
    manager_wait(daemon);
    int64_t deadline = deadline_in(HARNESS_LIMIT_MS);
    while (state_table_read(t.states, slot, import) == SLOT_LIVE)
        ck_assert(deadline_pause(deadline));
    ck_assert_int_eq(state_table_read(t.states, slot, import), SLOT_OWNER_GONE);
    session_end(&t);
    assert_baseline(daemon);
    manager_wait_kept(daemon, 1);
    daemon_stop(daemon);
}
END_TEST

int main(void)
{
    Suite *suite = suite_create("restart");
    TCase *tcase = tcase_create("restart");
    tcase_add_checked_fixture(tcase, env_setup, env_teardown);
    tcase_add_loop_test(tcase, objects_are_the_same, 0, 2);
    tcase_add_loop_test(tcase, clients_that_left_meanwhile, 0, 2);
    suite_add_tcase(suite, tcase);
    return run_suite(suite);
}
