// SPDX-License-Identifier: BSD-3-Clause
// Copyright (c) 2026, the docad authors
//
// Names that end together: of a linked node, of an export, of a session. None is found from then
// on, and they end in pieces.

#include "cleanup.h"
#include "lookup.h"
#include "memory_rig.h"
#include "ended_names.h"
#include "peer.h"
#include "tree.h"
#include "tree_calls.h"
#include "loop_sched.h"
#include "user.h"

#include <event2/event.h>

#define MANY  100000u
#define NAMES 3000u
#define FEW   64u  // calls, whatever others have
#define SOME  100u // names that may end at the same moment

static struct peer peer;
static struct export *export;

static void begin(void)
{
    memory_begin();
    rig_node.sched = sched_new(rig_node.base);
    peer = (struct peer){.node = &rig_node, .id_there = {2}};
    strcpy(peer.name, "there");
    users_init(&peer.users);
    list_init(&peer.importers);
    export = memory_exported(memory_region(RIG_ACCESS));
    rig_config.limits.value[LIMIT_PUBLICATIONS] = LIMIT_UNLIMITED;
    rig_config.limits.value[LIMIT_PEER_PUBLICATIONS] = LIMIT_UNLIMITED;
    rig_config.limits.value[LIMIT_METADATA] = LIMIT_UNLIMITED;
}

static void end(void)
{
    name_source_gone(&peer);
    publications_free_all(&rig_node);
    rig_node.sched = sched_free(rig_node.sched);
    memory_end();
}

static const char *name_of(unsigned i)
{
    static char name[16];
    snprintf(name, sizeof(name), "n%u", i);
    return name;
}

static void publish_there(unsigned i, uint32_t uid)
{
    Docad__PeerPublish m = DOCAD__PEER_PUBLISH__INIT;
    m.name = (char *)name_of(i);
    m.descriptor = (ProtobufCBinaryData){export->descriptor_size, export->descriptor};
    m.uid = uid;
    publication_from_peer(&rig_node, &peer, &m);
}

static struct export_desc described(void)
{
    struct export_desc desc;
    ck_assert_int_eq(export_desc_decode(export->descriptor, export->descriptor_size, &desc, NULL),
                     DOCA_SUCCESS);
    return desc;
}

static doca_error_t publish_as(struct rig_session *rig, unsigned i, const struct export_desc *desc)
{
    struct errtext err;
    uint8_t bytes[EXPORT_DESC_SIZE_MAX];
    Docad__Publish m = DOCAD__PUBLISH__INIT;
    size_t size;

    ck_assert_int_eq(export_desc_encode(desc, bytes, &size), DOCA_SUCCESS);
    m.name = (char *)name_of(i);
    m.descriptor = (ProtobufCBinaryData){size, bytes};
    return publication_new(&rig->session, &m, &err);
}

// Of an export of a node that was never linked if `stranger`.
static doca_error_t publish(struct rig_session *rig, unsigned i, bool stranger)
{
    struct export_desc desc = described();
    desc.node[0] += stranger;
    return publish_as(rig, i, &desc);
}

static const struct publication *found(unsigned i, uint32_t uid)
{
    return publication_find(&rig_node, &(struct publication_key){name_of(i), uid});
}

static void round_of_loop(void)
{
    event_base_loop(rig_node.base, EVLOOP_ONCE | EVLOOP_NONBLOCK);
}

// Names end down to `left`, in more than one round.
static void assert_ends_in_pieces(unsigned left)
{
    unsigned rounds = 0;
    ck_assert_uint_ge(rig_node.n_publications, left + NAMES - SOME);
    for (; rig_node.n_publications > left && rounds < NAMES; rounds++)
        round_of_loop();
    ck_assert_uint_eq(rig_node.n_publications, left);
    ck_assert_uint_gt(rounds, 1);
    round_of_loop();
    ck_assert(list_empty(&rig_node.ended_names) && !rig_node.gone_exports.root);
}

// ---- tests ------------------------------------------------------------------------------------

START_TEST(names_of_a_node_that_is_gone)
{
    ck_assert_int_eq(publish(&owner, 7, false), DOCA_SUCCESS);
    for (unsigned i = 0; i < NAMES; i++)
        publish_there(i, 1000);
    ck_assert_ptr_nonnull(found(NAMES - 1, 1000));
    name_source_gone(&peer);
    ck_assert_ptr_null(found(NAMES - 1, 1000));
    // It comes back as another one, and its first names are still ending.
    publish_there(NAMES - 1, 1000);
    ck_assert_ptr_nonnull(found(NAMES - 1, 1000));
    assert_ends_in_pieces(2);
    ck_assert_ptr_nonnull(found(7, owner.session.credentials.uid));
    ck_assert_ptr_nonnull(found(NAMES - 1, 1000));
    ck_assert_uint_eq(peer.names->count, 1);
}
END_TEST

START_TEST(names_that_are_not_announced_again)
{
    for (unsigned i = 0; i < NAMES; i++)
        publish_there(i, 1000);
    KINDS_CALL(&rig_node, mark, &peer);
    publish_there(5, 1000);
    publish_there(NAMES, 1000);
    ck_assert_ptr_nonnull(found(6, 1000)); // it may be announced yet
    name_source_sweep(&peer);
    ck_assert_ptr_null(found(NAMES - 1, 1000));
    ck_assert_ptr_nonnull(found(5, 1000));
    publish_there(NAMES - 1, 1000);
    assert_ends_in_pieces(3);
    ck_assert_ptr_nonnull(found(5, 1000));
    ck_assert_ptr_nonnull(found(NAMES, 1000));
    ck_assert_ptr_nonnull(found(NAMES - 1, 1000));
}
END_TEST

// A linked node withdraws a name that it has not announced again. The same name of this node, for
// an export there, stays.
START_TEST(a_name_that_is_over_is_withdrawn_there)
{
    Docad__PeerUnpublish gone = DOCAD__PEER_UNPUBLISH__INIT;
    Docad__Account account = DOCAD__ACCOUNT__INIT;
    const uid_t uid = owner.session.credentials.uid;
    struct export_desc desc = described();
    memcpy(desc.node, peer.id_there, NODE_ID_SIZE);
    ck_assert_int_eq(publish_as(&owner, NAMES - 1, &desc), DOCA_SUCCESS);
    for (unsigned i = 0; i < NAMES; i++)
        publish_there(i, uid);
    KINDS_CALL(&rig_node, mark, &peer);
    name_source_sweep(&peer);
    const uint64_t left = peer.names->count;
    account.uid = uid;
    gone.owner = &account;
    gone.name = (char *)name_of(NAMES - 1);
    publication_gone_at_peer(&rig_node, &peer, &gone);
    ck_assert_uint_eq(peer.names->count, left - 1);
    ck_assert_ptr_nonnull(found(NAMES - 1, uid));
    publication_gone_at_peer(&rig_node, &peer, &gone);
    ck_assert_ptr_null(found(NAMES - 1, uid));
}
END_TEST

START_TEST(names_move_to_a_new_link)
{
    struct peer next = {.node = &rig_node, .id_there = {2}};
    strcpy(next.name, "again");
    publish_there(1, 1000);
    publication_kind.adopt(&next, &peer);
    ck_assert_ptr_null(peer.names);
    ck_assert_ptr_eq(publication_origin(found(1, 1000)), &next);
    name_source_gone(&next);
    ck_assert_uint_eq(rig_node.n_publications, 0);
}
END_TEST

START_TEST(names_of_an_export)
{
    const uid_t uid = owner.session.credentials.uid;
    struct export *another = memory_exported(export->region), *first = export;
    for (unsigned i = 0; i < NAMES; i++)
        ck_assert_int_eq(publish(&owner, i, false), DOCA_SUCCESS);
    export_end(first, SLOT_REVOKED, NULL);
    export = another;
    ck_assert_ptr_null(found(NAMES - 1, uid));
    ck_assert_int_eq(publication_remove(&owner.session, name_of(NAMES - 1), NULL),
                     DOCA_ERROR_NOT_FOUND);
    // It is free for another export.
    ck_assert_int_eq(publish(&owner, NAMES - 1, false), DOCA_SUCCESS);
    ck_assert_int_eq(publish(&owner, NAMES - 1, false), DOCA_ERROR_ALREADY_EXIST);
    assert_ends_in_pieces(1);
    ck_assert_ptr_nonnull(found(NAMES - 1, uid));
    ck_assert(found(NAMES - 1, uid)->first);
}
END_TEST

// Each has few names, and all end in one turn of the loop.
static void end_exports(unsigned n, unsigned names_of_each)
{
    struct region *region = export->region;
    struct export *exports[NAMES];
    for (unsigned i = 0; i < n; i++) {
        exports[i] = export = memory_exported(region);
        for (unsigned k = 0; k < names_of_each; k++)
            ck_assert_int_eq(publish(&owner, i * names_of_each + k, false), DOCA_SUCCESS);
    }
    for (unsigned i = 0; i < n; i++)
        export_end(exports[i], SLOT_REVOKED, NULL);
    // One of each export, and some more.
    ck_assert_uint_ge(rig_node.n_publications, n * (names_of_each - 1) - SOME);
    ck_assert_uint_lt(rig_node.n_publications, n * names_of_each);
    ck_assert_ptr_null(found(n * names_of_each - 1, owner.session.credentials.uid));
    for (unsigned i = 0; rig_node.gone_exports.root && i < n * names_of_each; i++)
        round_of_loop();
    ck_assert_uint_eq(rig_node.n_publications, 0);
    ck_assert(!rig_node.gone_exports.root);
    export = memory_exported(region);
}

START_TEST(names_of_many_exports)
{
    end_exports(100, 65);
    end_exports(100, 20);
    // In the next turn of the loop, the first ones end without delay again.
    for (unsigned i = 0; i < FEW; i++)
        ck_assert_int_eq(publish(&owner, i, false), DOCA_SUCCESS);
    export_end(export, SLOT_REVOKED, NULL);
    ck_assert_uint_eq(rig_node.n_publications, 0);
}
END_TEST

// Names for one export of a linked node, with two tokens. The node refuses descriptors.
START_TEST(names_of_a_refused_descriptor)
{
    const uid_t uid = owner.session.credentials.uid;
    struct export_desc desc = described(), valid, guessed;
    memcpy(desc.node, peer.id_there, NODE_ID_SIZE);
    valid = guessed = desc;
    valid.token[0]++;
    guessed.token[0]--;
    ck_assert_int_eq(publish_as(&owner, NAMES, &valid), DOCA_SUCCESS);
    for (unsigned i = 0; i < NAMES; i++)
        ck_assert_int_eq(publish_as(&owner, i, &desc), DOCA_SUCCESS);
    calls = 0;
    publication_refused(&rig_node, &guessed, DOCA_ERROR_NOT_PERMITTED);
    publication_refused(&rig_node, &desc, DOCA_ERROR_NOT_FOUND);
    ck_assert_uint_lt(calls, FEW);
    ck_assert_uint_eq(rig_node.n_publications, NAMES + 1);
    publication_refused(&rig_node, &desc, DOCA_ERROR_NOT_PERMITTED);
    ck_assert_ptr_null(found(NAMES - 1, uid));
    ck_assert_ptr_nonnull(found(NAMES, uid));
    publication_refused(&rig_node, &desc, DOCA_ERROR_NOT_PERMITTED);
    assert_ends_in_pieces(1);
    ck_assert_ptr_nonnull(found(NAMES, uid));
    publication_refused(&rig_node, &valid, DOCA_ERROR_NOT_PERMITTED);
    ck_assert_ptr_null(found(NAMES, uid));
}
END_TEST

// The linked node may itself publish names with a descriptor that it refuses, and withdraws them.
START_TEST(names_of_others_with_a_refused_descriptor)
{
    struct export_desc desc = described();
    for (unsigned i = 0; i < NAMES; i++)
        publish_there(i, 1000);
    publish(&owner, NAMES, false);
    calls = 0;
    publication_refused(&rig_node, &desc, DOCA_ERROR_NOT_PERMITTED);
    ck_assert_uint_lt(calls, FEW);
    ck_assert_uint_eq(rig_node.n_publications, NAMES);
    ck_assert_ptr_nonnull(found(0, 1000));
}
END_TEST

START_TEST(names_of_a_session)
{
    unsigned steps = 32, slices = 1;
    for (unsigned i = 0; i < NAMES; i++)
        ck_assert_int_eq(publish(&other, i, i < NAMES / 2), DOCA_SUCCESS);
    while (!session_end_some(&other.session, &steps)) {
        ck_assert_uint_eq(steps, 0);
        steps = 32;
        slices++;
    }
    ck_assert_uint_gt(slices, NAMES / 34);
    ck_assert_uint_eq(rig_node.n_publications, NAMES / 2); // those of a node that is known
    ck_assert(list_empty(&other.session.publications));
}
END_TEST

// Names, lookups and exports of one user do not make requests of another one longer.
START_TEST(requests_take_few_steps_among_many)
{
    struct errtext err;
    Docad__Lookup m = DOCAD__LOOKUP__INIT;
    Docad__PeerUnpublish gone = DOCAD__PEER_UNPUBLISH__INIT;

    for (unsigned i = 0; i < MANY; i++) {
        if (i % 100 == 0)
            export = memory_exported(export->region);
        ck_assert_int_eq(publish(&owner, i, false), DOCA_SUCCESS);
    }
    for (uint32_t uid = 1; uid < MANY / 10; uid++)
        publish_there(MANY, uid);
    owner.session.credentials.uid = 1 << 20;
    export = memory_exported(export->region);
    calls = 0;
    ck_assert_int_eq(publish(&owner, MANY, false), DOCA_SUCCESS);
    m.name = (char *)name_of(MANY);
    ck_assert_int_eq(lookup_begin(&owner.session, 3, &m, &err), DOCA_SUCCESS);
    ck_assert_int_eq(publication_remove(&owner.session, name_of(MANY), &err), DOCA_SUCCESS);
    ck_assert_int_eq(publish(&owner, MANY + 1, false), DOCA_SUCCESS);
    export_end(export, SLOT_REVOKED, NULL);
    ck_assert_uint_lt(calls, FEW);
    // An older docad does not say whose name it was.
    calls = 0;
    gone.name = (char *)name_of(MANY);
    publication_gone_at_peer(&rig_node, &peer, &gone);
    ck_assert_uint_lt(calls, FEW);
    ck_assert_uint_eq(peer.names->count, MANY / 10 - 2);
}
END_TEST

int main(void)
{
    const TTest *const tests[] = {
        a_name_that_is_over_is_withdrawn_there,
        names_of_a_node_that_is_gone,
        names_that_are_not_announced_again,
        names_move_to_a_new_link,
        names_of_an_export,
        names_of_many_exports,
        names_of_a_refused_descriptor,
        names_of_others_with_a_refused_descriptor,
        names_of_a_session,
        requests_take_few_steps_among_many,
    };
    TCase *tcase = tcase_create("ended_names");
    tcase_add_checked_fixture(tcase, begin, end);
    tcase_set_timeout(tcase, 60);
    for (size_t i = 0; i < ARRAY_SIZE(tests); i++)
        tcase_add_test(tcase, tests[i]);
    return unit_run_case("ended_names", tcase);
}
