// SPDX-License-Identifier: BSD-3-Clause
// Copyright (c) 2026, the docad authors
//
// Memory that an importer hands on: what it may be, who pays for it, and what ends it.

#include "cleanup.h"
#include "delegation.h"
#include "memory_rig.h"
#include "user.h"

#include <limits.h>

#define RDMA DOCAD__EXPORT_TARGET__TARGET_RDMA
#define DPU  DOCAD__EXPORT_TARGET__TARGET_DPU

static struct rig_session third;

// Across PCI, to read and write.
static struct export *exported(void)
{
    struct export *export;
    struct errtext err;
    rig_node.functions[0].can_export_dpu = rig_node.functions[0].can_import_dpu = true;
    ck_assert_msg(memory_export(&export, memory_region(DOCA_ACCESS_DPU_READ_WRITE), DPU, &err) ==
                      DOCA_SUCCESS,
                  "%s", err.s);
    return export;
}

static struct import *imported(struct rig_session *by, const struct export *export)
{
    Docad__ImportCreate m = DOCAD__IMPORT_CREATE__INIT;
    struct errtext err;
    m.function_id = RIG_FUNCTION;
    m.descriptor = (ProtobufCBinaryData){export->descriptor_size, (uint8_t *)export->descriptor};
    ck_assert_msg(import_begin(&by->session, 9, &m, &err) == DOCA_SUCCESS, "%s", err.s);
    cleanup_message Docad__Message *answer = rig_answer(by);
    ck_assert_int_eq(answer->body_case, DOCAD__MESSAGE__BODY_IMPORT_CREATE_REPLY);
    return OBJECT_GET(&rig_node, IMPORT, answer->import_create_reply->import_id, struct import);
}

static struct export *delegated(const struct import *import)
{
    struct export *export;
    struct errtext err;
    ck_assert_msg(delegation_get(&export, import->grant, RDMA, &err) == DOCA_SUCCESS, "%s", err.s);
    return export;
}

START_TEST(it_gives_what_was_imported)
{
    static const struct {
        uint32_t access, handed_on;
    } cases[] = {
        {DOCA_ACCESS_DPU_READ_ONLY, DOCA_ACCESS_RDMA_READ},
        {DOCA_ACCESS_DPU_READ_WRITE,
         DOCA_ACCESS_RDMA_READ | DOCA_ACCESS_RDMA_WRITE | DOCA_ACCESS_RDMA_ATOMIC},
    };
    struct export *origin = exported();
    origin->access = cases[_i].access;
    const struct import *import = imported(&other, origin);
    struct export *export = delegated(import);
    ck_assert_uint_eq(export->access, cases[_i].handed_on);
    ck_assert_ptr_eq(export, delegated(import)); // the same, as long as it lasts
    rig_session_begin(&third);
    const struct import *use = imported(&third, export);
    ck_assert_uint_eq(use->address, RIG_ADDRESS);
    ck_assert_uint_eq(use->access, cases[_i].handed_on);
    rig_session_end(&third);
}
END_TEST

START_TEST(only_what_came_across_pci_is_handed_on_and_only_for_rdma)
{
    struct export *none = NULL;
    struct errtext err;
    const struct import *rdma = imported(&other, memory_exported(memory_region(RIG_ACCESS)));
    ck_assert_int_eq(delegation_get(&none, rdma->grant, RDMA, &err), DOCA_ERROR_NOT_PERMITTED);
    const struct import *import = imported(&other, exported());
    ck_assert_int_eq(delegation_get(&none, import->grant, DPU, &err), DOCA_ERROR_NOT_PERMITTED);
    const struct import *again = imported(&other, delegated(import));
    ck_assert_int_eq(delegation_get(&none, again->grant, RDMA, &err), DOCA_ERROR_NOT_PERMITTED);
    ck_assert_ptr_null(none);
}
END_TEST

// The owner has the export among its own, but pays nothing for it.
START_TEST(who_hands_it_on_pays)
{
    const struct import *import = imported(&other, exported());
    struct export *none = NULL;
    struct errtext err;
    const uint64_t exports = owner.session.n_exports;
    const uint64_t before = other.session.user->metadata;
    rig_config.limits.value[LIMIT_METADATA] = before;
    ck_assert_int_eq(delegation_get(&none, import->grant, RDMA, &err), DOCA_ERROR_NO_MEMORY);
    ck_assert_ptr_null(import->grant->delegated);
    ck_assert_uint_eq(other.session.user->metadata, before);
    rig_config.limits.value[LIMIT_METADATA] = 1 << 20;
    struct export *export = delegated(import);
    ck_assert_uint_gt(other.session.user->metadata, before);
    ck_assert_uint_eq(owner.session.n_exports, exports);
    export_end(export, SLOT_OWNER_GONE, NULL);
    ck_assert_uint_eq(other.session.user->metadata, before);
}
END_TEST

static unsigned finds;

struct idmap_node *__real_idmap_find(const struct idmap *map, uint64_t id);
struct idmap_node *__wrap_idmap_find(const struct idmap *map, uint64_t id);
struct idmap_node *__wrap_idmap_find(const struct idmap *map, uint64_t id)
{
    finds++;
    return __real_idmap_find(map, id);
}

// Its record has places of the importer's user, also when it was restored.
START_TEST(its_record_is_the_importers)
{
    int manager = memory_store_begin();
    struct export *origin = exported();
    rig_session_be(&other, 4711);
    struct user *user = other.session.user;
    const struct import *import = imported(&other, origin);
    const uint64_t before = user->record_places, owners = owner.session.user->record_places;
    struct export *export = delegated(import);
    const uint64_t with = user->record_places;
    ck_assert_uint_gt(with, before);
    ck_assert_uint_eq(owner.session.user->record_places, owners);

    // As export_kind.restore() leaves it.
    import->grant->delegated = NULL;
    export->origin = NULL;
    importer_give(import->grant->importer, IMPORTER_EXPORT, 1);
    export->object.stored.user = NULL;
    user->record_places = before;
    finds = 0;
    delegation_restore(import->grant);
    ck_assert_uint_eq(finds, 1); // however many exports the region has
    ck_assert_ptr_eq(import->grant->delegated, export);
    ck_assert_uint_eq(user->record_places, with);

    export_end(origin, SLOT_REVOKED, NULL);
    session_end_objects(&other.session, 0);
    ck_assert_uint_eq(user->record_places, 0);
    session_end_objects(&owner.session, 0);
    memory_store_end(manager);
}
END_TEST

// The rule for who hands it on says, too, whose processes may import it.
START_TEST(the_rule_for_who_hands_it_on_counts)
{
    struct policy_rule *rule = &rig_config.policy.rules[0];
    struct errtext err;
    other.session.credentials.uid = other.session.credentials.account = 4711;
    const struct export *export = delegated(imported(&other, exported()));
    Docad__ImportCreate m = DOCAD__IMPORT_CREATE__INIT;
    m.function_id = RIG_FUNCTION;
    m.descriptor = (ProtobufCBinaryData){export->descriptor_size, (uint8_t *)export->descriptor};
    *rule = (struct policy_rule){.name = "second",
                                 .who.users = {.given = true, .ids = {4711}, .n = 1},
                                 .to.users = {.given = true, .ids = {4712}, .n = 1}};
    rig_config.policy.n_rules = 2; // the next one is for everybody
    rig_session_begin(&third);
    ck_assert_int_eq(import_begin(&third.session, 9, &m, &err), DOCA_ERROR_NOT_PERMITTED);
    ck_assert_ptr_nonnull(strstr(err.s, "second"));
    rule->to.users.ids[0] = third.session.credentials.uid;
    ck_assert_int_eq(import_begin(&third.session, 9, &m, &err), DOCA_SUCCESS);
    rig_session_end(&third);
    rig_config.policy.n_rules = 0;
}
END_TEST

enum { MAP_STOPS, REVOKED, FUNCTION_GONE, IMPORT_ENDS, IMPORTER_ENDS, OWNER_ENDS, ENDS };

static void end(int way, struct export *origin, struct import *import)
{
    unsigned all = UINT_MAX;
    switch (way) {
    case MAP_STOPS:
        exports_end_some(origin->region, SLOT_OWNER_GONE, NULL, &all);
        break;
    case REVOKED:
        export_end(origin, SLOT_REVOKED, NULL);
        break;
    case FUNCTION_GONE:
        export_kind.function_gone(&rig_node, origin->function, SLOT_DEVICE_GONE);
        break;
    case IMPORT_ENDS:
        import_free(import);
        break;
    case IMPORTER_ENDS:
        other.session.importer = importer_free(other.session.importer);
        break;
    default:
        session_end_objects(&owner.session, 0);
    }
}

// The session that hands it on also uses it itself, so that the end of its grants is the end of
// others of them.
START_TEST(it_ends_with_what_it_came_from)
{
    struct export *origin = exported();
    struct import *import = imported(&other, origin);
    struct export *export = delegated(import);
    const struct import *own_use = imported(&other, export);
    rig_session_begin(&third);
    const struct import *use = imported(&third, export);
    ck_assert_int_eq(use->state, SLOT_LIVE);
    end(_i, origin, import);
    ck_assert_int_ne(use->state, SLOT_LIVE);
    ck_assert_int_ne(own_use->state, SLOT_LIVE);
    const struct export *left;
    list_for_each (left, NODE_OBJECTS(&rig_node, EXPORT), object.in_node)
        ck_assert_ptr_eq(left, origin);
    rig_session_end(&third);
}
END_TEST

// A tool takes back what was handed on: the import stays, but hands on nothing any more.
START_TEST(revoked_it_is_not_made_again)
{
    struct import *import = imported(&other, exported());
    struct export *none = NULL;
    struct errtext err;
    export_end(delegated(import), SLOT_REVOKED, NULL);
    ck_assert_int_eq(import->state, SLOT_LIVE);
    ck_assert_int_eq(delegation_get(&none, import->grant, RDMA, &err), DOCA_ERROR_NOT_PERMITTED);
}
END_TEST

// Its session is ending: nobody may begin to use what it hands on.
START_TEST(nobody_takes_it_from_who_is_leaving)
{
    const struct import *import = imported(&other, exported());
    const struct export *export = delegated(import);
    struct export *found;
    struct errtext err;
    ck_assert_int_eq(export_find(&rig_node, export->object.id, export->token, &found, &err),
                     DOCA_SUCCESS);
    other.session.ending = true;
    ck_assert_int_eq(export_find(&rig_node, export->object.id, export->token, &found, &err),
                     DOCA_ERROR_NOT_PERMITTED);
    other.session.ending = false;
}
END_TEST

int main(void)
{
    TCase *tcase = tcase_create("delegation");
    tcase_add_checked_fixture(tcase, memory_begin, memory_end);
    tcase_add_loop_test(tcase, it_gives_what_was_imported, 0, 2);
    tcase_add_test(tcase, only_what_came_across_pci_is_handed_on_and_only_for_rdma);
    tcase_add_test(tcase, who_hands_it_on_pays);
    tcase_add_test(tcase, its_record_is_the_importers);
    tcase_add_test(tcase, the_rule_for_who_hands_it_on_counts);
    tcase_add_loop_test(tcase, it_ends_with_what_it_came_from, 0, ENDS);
    tcase_add_test(tcase, revoked_it_is_not_made_again);
    tcase_add_test(tcase, nobody_takes_it_from_who_is_leaving);
    return unit_run_case("delegation", tcase);
}
