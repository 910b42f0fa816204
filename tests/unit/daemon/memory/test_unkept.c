// SPDX-License-Identifier: BSD-3-Clause
// Copyright (c) 2026, the docad authors
//
// What docad could not keep over its restart it refuses, and nothing is left of it: the share of
// the file of records that the user may have is used up.

#include "cleanup.h"
#include "fdstore.h"
#include "memory_rig.h"
#include "record_file.h"
#include "session_rig.h"
#include "user.h"

static struct errtext err;

static doca_error_t create_export(struct region *region)
{
    Docad__ExportCreate m = DOCAD__EXPORT_CREATE__INIT;
    struct fd_list none = FD_LIST_EMPTY;
    struct request r = {&owner.session, message_of(EXPORT_CREATE, export_create, &m), &none, &err};
    m.region_id = region->object.id;
    m.function_id = RIG_FUNCTION;
    m.target = DOCAD__EXPORT_TARGET__TARGET_RDMA;
    return export_kind.requests[0].fn(&r);
}

static doca_error_t import_it(const struct export *export)
{
    Docad__ImportCreate m = DOCAD__IMPORT_CREATE__INIT;
    m.function_id = RIG_FUNCTION;
    m.descriptor = (ProtobufCBinaryData){export->descriptor_size, (uint8_t *)export->descriptor};
    doca_error_t r = import_begin(&owner.session, 9, &m, &err);
    if (r != DOCA_SUCCESS)
        return r;
    cleanup_message Docad__Message *answer = rig_answer(&owner);
    return answer->body_case == DOCAD__MESSAGE__BODY_ERROR ? (doca_error_t)answer->error->code
                                                           : DOCA_SUCCESS;
}

static doca_error_t publish(const struct export *export)
{
    Docad__Publish m = DOCAD__PUBLISH__INIT;
    m.name = (char[]){"name"};
    m.descriptor = (ProtobufCBinaryData){export->descriptor_size, (uint8_t *)export->descriptor};
    return publication_new(&owner.session, &m, &err);
}

static size_t all(void)
{
    return NODE_OBJECTS_COUNT(&rig_node, REGION) + NODE_OBJECTS_COUNT(&rig_node, EXPORT) +
           NODE_OBJECTS_COUNT(&rig_node, IMPORT) + NODE_OBJECTS_COUNT(&rig_node, GRANT) +
           rig_node.publications_by_id.count;
}

START_TEST(what_cannot_be_kept_is_refused)
{
    int manager = memory_store_begin();
    struct region *region = memory_region(RIG_ACCESS), *another;
    struct user *user = owner.session.user;
    ck_assert_int_eq(create_export(region), DOCA_SUCCESS);
    cleanup_message Docad__Message *created = rig_answer(&owner);
    ck_assert_int_eq(created->body_case, DOCAD__MESSAGE__BODY_EXPORT_CREATE_REPLY);
    const struct export *export = list_entry(region->exports.next, struct export, in_region);
    const uint64_t places = user->record_places, metadata = user->metadata,
                   descriptors = user->descriptors, slots = user->slots;
    const size_t before = all();
    ck_assert_uint_gt(places, 0);
    user->record_places = RECORD_PLACES_MAX;
    ck_assert_int_eq(memory_register(&another, RIG_ACCESS, &err), DOCA_ERROR_NO_MEMORY);
    ck_assert_int_eq(create_export(region), DOCA_ERROR_NO_MEMORY);
    ck_assert_int_eq(import_it(export), DOCA_ERROR_NO_MEMORY);
    ck_assert_int_eq(publish(export), DOCA_ERROR_NO_MEMORY);
    ck_assert_uint_eq(all(), before);
    ck_assert_uint_eq(user->record_places, RECORD_PLACES_MAX);
    ck_assert_uint_eq(user->metadata, metadata);
    ck_assert_uint_eq(user->descriptors, descriptors);
    ck_assert_uint_eq(user->slots, slots);
    user->record_places = places;
    ck_assert_int_eq(memory_register(&another, RIG_ACCESS, &err), DOCA_SUCCESS);
    ck_assert_int_eq(import_it(export), DOCA_SUCCESS);
    ck_assert_int_eq(publish(export), DOCA_SUCCESS);
    session_end_objects(&owner.session, 0);
    memory_store_end(manager);
}
END_TEST

MEMORY_MAIN("unkept", what_cannot_be_kept_is_refused)
