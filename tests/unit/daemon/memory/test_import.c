// SPDX-License-Identifier: BSD-3-Clause
// Copyright (c) 2026, the docad authors

#include "cleanup.h"
#include "copy_text.h"
#include "memory_rig.h"
#include "node_faults.h"
#include "text_names.h"
#include "user.h"

static doca_error_t begin(const struct export *export, uint64_t serial, struct errtext *err)
{
    Docad__ImportCreate m = DOCAD__IMPORT_CREATE__INIT;
    m.function_id = RIG_FUNCTION;
    m.descriptor = (ProtobufCBinaryData){export->descriptor_size, (uint8_t *)export->descriptor};
    return import_begin(&other.session, serial, &m, err);
}

static struct import *imported(const struct export *export)
{
    struct errtext err;
    ck_assert_msg(begin(export, 9, &err) == DOCA_SUCCESS, "%s", err.s);
    cleanup_message Docad__Message *answer = rig_answer(&other);
    ck_assert_int_eq(answer->body_case, DOCAD__MESSAGE__BODY_IMPORT_CREATE_REPLY);
    ck_assert_uint_eq(answer->serial, 9);
    ck_assert_uint_eq(answer->import_create_reply->address, RIG_ADDRESS);
    uint64_t id = answer->import_create_reply->import_id;
    return OBJECT_GET(&rig_node, IMPORT, id, struct import);
}

START_TEST(it_holds_a_grant_until_it_is_released)
{
    struct export *export = memory_exported(memory_region(RIG_ACCESS));
    struct import *import = imported(export);
    ck_assert_int_eq(import->state, SLOT_LIVE);
    ck_assert_uint_eq(export->n_grants, 1);
    ck_assert_uint_eq(other.session.n_imports, 1);
    ck_assert_uint_eq(other.session.user->slots, 1);
    import_free(import);
    ck_assert_uint_eq(export->n_grants, 0);
    ck_assert_uint_eq(other.session.n_imports + other.session.user->slots, 0);
}
END_TEST

START_TEST(it_stays_and_shows_the_end_of_its_export)
{
    struct export *export = memory_exported(memory_region(RIG_ACCESS));
    struct import *import = imported(export);
    export_end(export, SLOT_REVOKED, NULL);
    ck_assert_int_eq(import->state, SLOT_REVOKED);
    ck_assert_ptr_null(import->grant);
    ck_assert_uint_eq(other.session.n_imports, 1);
}
END_TEST

START_TEST(refused_it_leaves_nothing)
{
    struct export *export = memory_exported(memory_region(RIG_ACCESS));
    struct errtext err;
    rig_config.limits.value[LIMIT_STATE_SLOTS] = 0;
    ck_assert_int_eq(begin(export, 1, &err), DOCA_ERROR_NO_MEMORY);
    rig_config.limits.value[LIMIT_STATE_SLOTS] = 9;
    export->descriptor[export->descriptor_size / 2] ^= 1;
    ck_assert_int_ne(begin(export, 2, &err), DOCA_SUCCESS);
    ck_assert(!rig_has_answer(&other));
    ck_assert_uint_eq(other.session.n_imports + other.session.user->slots, 0);
    ck_assert(list_empty(NODE_OBJECTS(&rig_node, IMPORT)));
}
END_TEST

// ---- faults of the configuration

static void follow(const char *rules)
{
    copy_text(rig_config.faults, rules);
    node_faults_begin(&rig_node);
}

static void follow_none(void)
{
    follow("");
    ck_assert_ptr_null(rig_node.faults);
}

START_TEST(it_is_refused_by_a_fault)
{
    struct export *export = memory_exported(memory_region(RIG_ACCESS));
    struct errtext err;
    follow("import: FULL, 2nd");
    imported(export);
    ck_assert_int_eq(begin(export, 1, &err), DOCA_ERROR_FULL);
    assert_names(err.s, "import: FULL, 2nd");
    ck_assert(!rig_has_answer(&other));
    ck_assert_uint_eq(other.session.n_imports, 1);
    imported(export);
    ck_assert_uint_eq(node_faults_number(&rig_node), 1);
    follow_none();
    ck_assert_uint_eq(node_faults_number(&rig_node), 0);
}
END_TEST

// The last import that was counted succeeds, and sees the end.
START_TEST(a_fault_revokes_what_it_uses)
{
    static const struct {
        const char *rules;
        enum slot_state state;
    } all[] = {{"export: revoke after 2 imports", SLOT_DEVICE_GONE},
               {"export: revoke after 2 imports, NOT_PERMITTED", SLOT_REVOKED},
               {"export: revoke after 2 imports, CONNECTION_RESET", SLOT_OWNER_GONE}};
    for (size_t i = 0; i < ARRAY_SIZE(all); i++) {
        struct export *export = memory_exported(memory_region(RIG_ACCESS));
        struct errtext err;
        uint8_t descriptor[EXPORT_DESC_SIZE_MAX];
        size_t size = export->descriptor_size;
        memcpy(descriptor, export->descriptor, size);
        follow(all[i].rules);
        struct import *first = imported(export);
        ck_assert_int_eq(first->state, SLOT_LIVE);
        struct import *second = imported(export);
        ck_assert_int_eq(first->state, all[i].state);
        ck_assert_int_eq(second->state, all[i].state);
        struct export like = {.descriptor_size = size};
        memcpy(like.descriptor, descriptor, size);
        ck_assert_int_eq(begin(&like, 1, &err), DOCA_ERROR_NOT_PERMITTED);
        import_free(first);
        import_free(second);
    }
    follow_none();
}
END_TEST

START_TEST(without_faults_nothing_is_counted)
{
    struct export *export = memory_exported(memory_region(RIG_ACCESS));
    enum slot_state state;
    uint64_t ms;
    for (int i = 0; i < 3; i++)
        import_free(imported(export));
    ck_assert(!node_fault_of_export(&owner.session, 1, &state));
    ck_assert(!node_fault_of_link(&rig_node, "dpu", &ms));
    follow("link: down for 1500 us, 2nd; link: down, 3rd");
    import_free(imported(export));
    ck_assert(!node_fault_of_link(&rig_node, "dpu", &ms));
    ck_assert(node_fault_of_link(&rig_node, "dpu", &ms));
    ck_assert_uint_eq(ms, 2);
    ck_assert(node_fault_of_link(&rig_node, "dpu", &ms));
    ck_assert_uint_eq(ms, UINT64_MAX);
    ck_assert_uint_eq(node_faults_number(&rig_node), 2);
    follow_none();
}
END_TEST

MEMORY_MAIN("import", it_is_refused_by_a_fault, a_fault_revokes_what_it_uses,
            without_faults_nothing_is_counted, it_holds_a_grant_until_it_is_released,
            it_stays_and_shows_the_end_of_its_export, refused_it_leaves_nothing)
