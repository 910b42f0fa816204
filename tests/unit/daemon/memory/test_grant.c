// SPDX-License-Identifier: BSD-3-Clause
// Copyright (c) 2026, the docad authors

#include "memory_rig.h"

#include "peer.h"
#include "record_file.h"
#include "user.h"

static struct grant *granted(struct export *export)
{
    struct importer *importer;
    struct grant *grant;
    struct errtext err;
    ck_assert_int_eq(session_importer(&other.session, &importer, &err), DOCA_SUCCESS);
    ck_assert_msg(grant_new(&grant, export, importer, &err) == DOCA_SUCCESS, "%s", err.s);
    return grant;
}

START_TEST(the_importer_gets_the_memory_file_as_the_export_allows)
{
    struct region *region = memory_region(RIG_ACCESS);
    struct grant *grant = granted(memory_exported(region));
    struct grant_parts parts;
    struct errtext err;
    ck_assert_int_eq(grant_parts(grant, &parts, &err), DOCA_SUCCESS);
    ck_assert_uint_eq(parts.address, RIG_ADDRESS);
    ck_assert_uint_eq(parts.length, RIG_LENGTH);
    ck_assert(parts.has_memfd);
    ck_assert_uint_eq(parts.fds.count, 1);
    ck_assert_int_eq(parts.fds.fds[0], region->memfd);
    free(parts.segments);
    ck_assert_uint_eq(region->n_grants, 1);
    grant_release(grant);
    ck_assert_uint_eq(region->n_grants, 0);
}
END_TEST

// Pages that may only be written are mapped by nobody else, if users are kept apart: and docad
// reaches the owner's memory only if it was given access.
START_TEST(what_may_only_be_written_is_brokered_for_others)
{
    struct importer *importer;
    struct grant *grant = NULL;
    struct errtext err;
    rig_config.isolation_strict = true;
    struct export *export = memory_exported(memory_region(DOCA_ACCESS_RDMA_WRITE));
    ck_assert_int_eq(session_importer(&other.session, &importer, &err), DOCA_SUCCESS);
    ck_assert_int_eq(grant_new(&grant, export, importer, &err), DOCA_ERROR_NOT_PERMITTED);
    ck_assert_ptr_null(grant);
    ck_assert(list_empty(&export->grants) && list_empty(&importer->grants));
    rig_config.isolation_strict = false;
    ck_assert(!granted(export)->brokered);
}
END_TEST

START_TEST(grants_end_with_their_importer)
{
    struct region *region = memory_region(RIG_ACCESS);
    struct export *export = memory_exported(region);
    granted(export);
    granted(export);
    ck_assert_uint_eq(export->n_grants, 2);
    other.session.importer = importer_free(other.session.importer);
    ck_assert_uint_eq(export->n_grants, 0);
    ck_assert(list_empty(&export->grants));
}
END_TEST

// ---- registrations --------------------------------------------------------------------

static unsigned ended_for; // calls

void __wrap_rc_memory_end_for(struct rc_memory *memory, const uint8_t node[NODE_ID_SIZE]);
void __wrap_rc_memory_end_for(struct rc_memory *memory, const uint8_t node[NODE_ID_SIZE])
{
    (void)memory;
    ck_assert_uint_eq(node[0], 3);
    ended_for++;
}

// They end for a node with its last grant of the region, whatever other nodes have.
START_TEST(registrations_end_with_the_last_grant_of_a_node)
{
    struct peer peers[] = {{.id_there = {2}}, {.id_there = {3}}, {.id_there = {4}}};
    struct region *region = memory_region(RIG_ACCESS);
    struct export *exports[] = {memory_exported(region), memory_exported(region)};
    struct credentials who = {.uid = 1000};
    struct importer *importers[3];
    struct grant *grants[3][2];
    struct errtext err;

    region->segments.brokered_bytes = 0; // the engine has no part in it
    for (int i = 0; i < 3; i++) {
        peers[i].node = &rig_node;
        list_init(&peers[i].importers);
        users_init(&peers[i].users);
        ck_assert_int_eq(importer_of_peer(&importers[i], &peers[i], 5, 50, &who, &err),
                         DOCA_SUCCESS);
        for (int k = 0; k < 2; k++)
            ck_assert_int_eq(grant_new(&grants[i][k], exports[k], importers[i], &err),
                             DOCA_SUCCESS);
        peers[i].no_descriptors = true;
    }
    ended_for = 0;
    grant_release(grants[1][0]);
    ck_assert_uint_eq(ended_for, 0);
    peers[1].id_there[0] = 5; // another node answers at its address
    grant_release(grants[1][1]);
    ck_assert_uint_eq(ended_for, 1);
    for (int i = 0; i < 3; i += 2) {
        peers[i].no_descriptors = false;
        importer_free(importers[i]);
    }
    ck_assert_ptr_null(region->grants_by_node.root);
}
END_TEST

// ---- records --------------------------------------------------------------------------

static struct peer peer;

static struct importer *importer_in_many_groups(void)
{
    static uint32_t gids[CREDENTIALS_CARRIED_MAX];
    struct credentials_carried carried = {.uid = 1000, .gids = gids, .exact = true};
    struct credentials who;
    struct importer *importer;
    struct errtext err;

    for (carried.n_gids = 0; carried.n_gids < ARRAY_SIZE(gids); carried.n_gids++)
        gids[carried.n_gids] = UINT32_MAX - 1 - (uint32_t)carried.n_gids;
    peer = (struct peer){.node = &rig_node};
    list_init(&peer.importers);
    users_init(&peer.users);
    ck_assert_int_eq(importer_read_credentials(&carried, &who, &err), DOCA_SUCCESS);
    ck_assert_int_eq(importer_of_peer(&importer, &peer, 5, 50, &who, &err), DOCA_SUCCESS);
    credentials_drop(&who);
    return importer;
}

static doca_error_t grant_kept(struct export *export, struct importer *importer,
                               struct errtext *err)
{
    struct grant *grant;
    doca_error_t r = grant_new(&grant, export, importer, err);
    ck_assert_msg(r == DOCA_SUCCESS, "%s", err->s);
    r = grant_keep(grant, err);
    if (r != DOCA_SUCCESS)
        grant_release(grant);
    return r;
}

// Each grant's record has all groups of its importer.
START_TEST(a_user_of_a_linked_node_leaves_places_to_others)
{
    struct errtext err;
    int manager = memory_store_begin();
    struct importer *importer = importer_in_many_groups();
    struct user *user = user_ref(importer->user);
    struct export *export = memory_exported(memory_region(RIG_ACCESS));
    unsigned kept = 0;

    rig_config.limits.value[LIMIT_IMPORTER_GRANTS] = RECORD_PLACES_MAX;
    rig_config.limits.value[LIMIT_PEER_GRANTS] = RECORD_PLACES_MAX;
    while (grant_kept(export, importer, &err) == DOCA_SUCCESS)
        ck_assert_uint_lt(++kept, RECORD_PLACES_MAX);
    memory_region(RIG_ACCESS);
    ck_assert_uint_gt(user->record_places, kept);
    importer_free(importer);
    ck_assert_uint_eq(user->record_places, 0);
    user_unref(user);
    session_end_objects(&owner.session, 0);
    memory_store_end(manager);
}
END_TEST

MEMORY_MAIN("grant", the_importer_gets_the_memory_file_as_the_export_allows,
            what_may_only_be_written_is_brokered_for_others, grants_end_with_their_importer,
            registrations_end_with_the_last_grant_of_a_node,
            a_user_of_a_linked_node_leaves_places_to_others)
