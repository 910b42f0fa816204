// SPDX-License-Identifier: BSD-3-Clause
// Copyright (c) 2026, the docad authors
//
// Faults of the configuration: whose tools they concern.

#include "cleanup.h"
#include "monitor.h"
#include "node_faults.h"
#include "session_rig.h"
#include "text_names.h"
#include "unit.h"

#include <string.h>

#define ALICE   4711
#define MALLORY 4712

static const struct object_kind *const kinds[] = {NULL};
static struct rig_session alice, of_alice, of_mallory, root;

static void follow(struct rig_session *tool)
{
    struct errtext err;
    ck_assert_msg(monitor_begin(&tool->session, &err) == DOCA_SUCCESS, "%s", err.s);
}

static void begin(void)
{
    rig_begin(kinds);
    struct rig_session *all[] = {&alice, &of_alice, &of_mallory, &root};
    for (size_t i = 0; i < ARRAY_SIZE(all); i++)
        rig_session_begin(all[i]);
    rig_session_be(&alice, ALICE);
    rig_session_be(&of_alice, ALICE);
    rig_session_be(&of_mallory, MALLORY);
    strcpy(rig_config.faults, "export: revoke\nimport: NO_MEMORY\nlink: down for 1 ms");
    node_faults_begin(&rig_node);
    follow(&of_alice);
    follow(&of_mallory);
    follow(&root);
}

static void end(void)
{
    struct rig_session *all[] = {&root, &of_mallory, &of_alice, &alice};
    rig_node.faults = node_faults_free(rig_node.faults);
    for (size_t i = 0; i < ARRAY_SIZE(all); i++)
        rig_session_end(all[i]);
    rig_end();
}

static void assert_told(const struct rig_session *tool, const char *name, const char *text)
{
    cleanup_message Docad__Message *message = rig_answer(tool);
    ck_assert_int_eq(message->body_case, DOCAD__MESSAGE__BODY_MONITOR_EVENT);
    ck_assert_str_eq(message->monitor_event->event, "fault");
    ck_assert_str_eq(message->monitor_event->name, name);
    ck_assert(text_names(message->monitor_event->text, text));
}

START_TEST(faults_of_exports_are_their_owners)
{
    enum slot_state state;
    ck_assert(node_fault_of_export(&alice.session, 5, &state));
    assert_told(&of_alice, "export", "0000000000000005");
    assert_told(&root, "export", "0000000000000005");
    ck_assert(!rig_has_answer(&of_mallory));
}
END_TEST

START_TEST(faults_of_imports_are_their_programs)
{
    struct errtext err;
    ck_assert_int_eq(node_fault_of_import(&alice.session, &err), DOCA_ERROR_NO_MEMORY);
    assert_told(&of_alice, "import", "DOCA_ERROR_NO_MEMORY");
    assert_told(&root, "import", "DOCA_ERROR_NO_MEMORY");
    ck_assert(!rig_has_answer(&of_mallory));
}
END_TEST

START_TEST(faults_of_links_are_for_all)
{
    uint64_t ms;
    ck_assert(node_fault_of_link(&rig_node, "there", &ms));
    ck_assert_uint_eq(ms, 1);
    assert_told(&of_alice, "link", "node there");
    assert_told(&of_mallory, "link", "node there");
    assert_told(&root, "link", "node there");
}
END_TEST

int main(void)
{
    TCase *tcase = tcase_create("node_faults");
    tcase_add_checked_fixture(tcase, begin, end);
    tcase_add_test(tcase, faults_of_exports_are_their_owners);
    tcase_add_test(tcase, faults_of_imports_are_their_programs);
    tcase_add_test(tcase, faults_of_links_are_for_all);
    return unit_run_case("node_faults", tcase);
}
