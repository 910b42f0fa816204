// SPDX-License-Identifier: BSD-3-Clause
// Copyright (c) 2026, the docad authors

#include "cleanup.h"
#include "memory_rig.h"
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

MEMORY_MAIN("import", it_holds_a_grant_until_it_is_released,
            it_stays_and_shows_the_end_of_its_export, refused_it_leaves_nothing)
