// SPDX-License-Identifier: BSD-3-Clause
// Copyright (c) 2026, the docad authors

#include "cleanup.h"
#include "delegation.h"
#include "memory_rig.h"
#include "peer.h"
#include "peer_pieces.h"
#include "loop_sched.h"
#include "user.h"

#include <event2/event.h>

#include <string.h>

static struct peer peer;
static const struct credentials who = {.uid = 1000};

static void make_peer(struct peer *made)
{
    struct list *const lists[] = {&made->importers, &made->requests, &made->qpairs,
                                  &made->ended_imports, &made->rdma_callers};
    *made = (struct peer){.node = &rig_node, .no_descriptors = true};
    users_init(&made->users);
    for (size_t i = 0; i < ARRAY_SIZE(lists); i++)
        list_init(lists[i]);
    sched_user_init(&made->sched, NULL);
}

static void begin_peer(void)
{
    make_peer(&peer);
}

static void end_link(struct peer *ended)
{
    peer_objects_end(ended, "the link has ended");
    peer_objects_end_now(ended);
}

START_TEST(a_session_is_one_importer)
{
    struct importer *first, *second;
    struct errtext err;
    ck_assert_int_eq(session_importer(&other.session, &first, &err), DOCA_SUCCESS);
    ck_assert_int_eq(session_importer(&other.session, &second, &err), DOCA_SUCCESS);
    ck_assert_ptr_eq(first, second);
    ck_assert_int_eq(importer_take(first, IMPORTER_FDS, 3, node_limits(&rig_node), &err),
                     DOCA_SUCCESS);
    ck_assert_uint_eq(other.session.user->descriptors, 3); // its user pays
    importer_give(first, IMPORTER_FDS, 3);
}
END_TEST

START_TEST(a_linked_node_pays_for_its_sessions)
{
    struct importer *importer, *again;
    struct errtext err;
    begin_peer();
    rig_config.limits.value[LIMIT_PEER_IMPORTERS] = 1;
    ck_assert_int_eq(importer_of_peer(&importer, &peer, 5, 50, &who, &err), DOCA_SUCCESS);
    ck_assert_int_eq(importer_of_peer(&again, &peer, 5, 50, &who, &err), DOCA_SUCCESS);
    ck_assert_ptr_eq(again, importer);
    ck_assert_int_eq(importer_of_peer(&again, &peer, 6, 60, &who, &err), DOCA_ERROR_NO_MEMORY);
    ck_assert_int_eq(importer_take(importer, IMPORTER_GRANT, 1, node_limits(&rig_node), &err),
                     DOCA_SUCCESS);
    ck_assert_uint_eq(peer.held.grants, 1);
    importer_give(importer, IMPORTER_GRANT, 1);
    importer_free_if_idle(importer);
    ck_assert(list_empty(&peer.importers));
    ck_assert_uint_eq(peer.held.importers, 0);
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

// Sessions of a linked node, of which there may be thousands, are found by their ids.
START_TEST(a_session_is_found_among_many)
{
    enum { N = 1000 };
    struct importer *importers[N], *found;
    struct peer other_link;
    struct errtext err;
    begin_peer();
    for (uint64_t i = 0; i < N; i++)
        ck_assert_int_eq(importer_of_peer(&importers[i], &peer, i + 1, 50, &who, &err),
                         DOCA_SUCCESS);
    finds = 0;
    ck_assert_int_eq(importer_of_peer(&found, &peer, N, 50, &who, &err), DOCA_SUCCESS);
    ck_assert_ptr_eq(found, importers[N - 1]);
    ck_assert_uint_eq(finds, 1);
    make_peer(&other_link);
    importer_kind.adopt(&other_link, &peer);
    ck_assert_int_eq(importer_of_peer(&found, &other_link, 7, 50, &who, &err), DOCA_SUCCESS);
    ck_assert_ptr_eq(found, importers[6]);
    ck_assert_uint_eq(peer.importers_by_session.count, 0);
    end_link(&other_link);
    ck_assert_uint_eq(other_link.importers_by_session.count, 0);
}
END_TEST

// A link has come back: what the node does not name it has no more.
START_TEST(what_is_not_named_is_swept)
{
    struct importer *importer;
    struct grant *named, *unnamed;
    struct errtext err;
    Docad__PeerResume resume = DOCAD__PEER_RESUME__INIT;
    begin_peer();
    peer.no_descriptors = false;
    struct export *export = memory_exported(memory_region(RIG_ACCESS));
    ck_assert_int_eq(importer_of_peer(&importer, &peer, 5, 50, &who, &err), DOCA_SUCCESS);
    ck_assert_int_eq(grant_new(&named, export, importer, &err), DOCA_SUCCESS);
    ck_assert_int_eq(grant_new(&unnamed, export, importer, &err), DOCA_SUCCESS);
    peer_named_mark(&peer);
    resume.grants = &named->object.id;
    resume.n_grants = 1;
    KINDS_CALL(&rig_node, confirm, &peer, &resume);
    peer_sweep(&peer);
    ck_assert_uint_eq(export->n_grants, 1);
    ck_assert_ptr_eq(list_entry(export->grants.next, struct grant, in_export), named);
    end_link(&peer);
    ck_assert_uint_eq(export->n_grants, 0);
    ck_assert_uint_eq(peer.held.importers + peer.held.grants, 0);
    ck_assert(list_empty(&peer.users.list));
}
END_TEST

// The end of a grant is that of what it hands on, which the same session may use. The grant that
// the node names comes before them, or `last`.
static void hand_on_to_itself(bool last)
{
    struct importer *importer;
    struct grant *named, *first, *second;
    struct export *export, *handed_on;
    struct errtext err;
    Docad__PeerResume resume = DOCAD__PEER_RESUME__INIT;

    begin_peer();
    peer.no_descriptors = false;
    rig_node.functions[0].can_import_dpu = true;
    ck_assert_int_eq(memory_export(&export, memory_region(DOCA_ACCESS_DPU_READ_WRITE),
                                   DOCAD__EXPORT_TARGET__TARGET_DPU, &err),
                     DOCA_SUCCESS);
    ck_assert_int_eq(importer_of_peer(&importer, &peer, 5, 50, &who, &err), DOCA_SUCCESS);
    if (!last)
        ck_assert_int_eq(grant_new(&named, export, importer, &err), DOCA_SUCCESS);
    ck_assert_int_eq(grant_new(&first, export, importer, &err), DOCA_SUCCESS);
    ck_assert_int_eq(delegation_get(&handed_on, first, DOCAD__EXPORT_TARGET__TARGET_RDMA, &err),
                     DOCA_SUCCESS);
    ck_assert_int_eq(grant_new(&second, handed_on, importer, &err), DOCA_SUCCESS);
    if (last)
        ck_assert_int_eq(grant_new(&named, export, importer, &err), DOCA_SUCCESS);
    peer_named_mark(&peer);
    resume.grants = &named->object.id;
    resume.n_grants = 1;
    KINDS_CALL(&rig_node, confirm, &peer, &resume);
    peer_sweep(&peer);
    ck_assert_uint_eq(importer->n_grants, 1);
    ck_assert_uint_eq(owner.session.n_exports, 1);
    end_link(&peer);
    end_link(&peer);
}

START_TEST(a_session_hands_on_to_itself)
{
    hand_on_to_itself(false);
    session_end_objects(&owner.session, 0);
    hand_on_to_itself(true);
}
END_TEST

// All that it has is what it hands on to itself, and it names the wrong half.
START_TEST(a_session_is_left_with_nothing)
{
    struct importer *importer;
    struct grant *first, *second;
    struct export *export, *handed_on;
    struct errtext err;
    Docad__PeerResume resume = DOCAD__PEER_RESUME__INIT;

    begin_peer();
    peer.no_descriptors = false;
    ck_assert_int_eq(memory_export(&export, memory_region(DOCA_ACCESS_DPU_READ_WRITE),
                                   DOCAD__EXPORT_TARGET__TARGET_DPU, &err),
                     DOCA_SUCCESS);
    ck_assert_int_eq(importer_of_peer(&importer, &peer, 5, 50, &who, &err), DOCA_SUCCESS);
    ck_assert_int_eq(grant_new(&first, export, importer, &err), DOCA_SUCCESS);
    ck_assert_int_eq(delegation_get(&handed_on, first, DOCAD__EXPORT_TARGET__TARGET_RDMA, &err),
                     DOCA_SUCCESS);
    ck_assert_int_eq(grant_new(&second, handed_on, importer, &err), DOCA_SUCCESS);
    peer_named_mark(&peer);
    resume.grants = &second->object.id;
    resume.n_grants = 1;
    KINDS_CALL(&rig_node, confirm, &peer, &resume);
    peer_sweep(&peer);
    ck_assert(list_empty(&peer.importers));
    ck_assert_uint_eq(peer.held.importers + peer.held.grants, 0);
    end_link(&peer);
}
END_TEST

#define SESSIONS 500u

// Many sessions of the linked node have ended while the link was down.
START_TEST(what_is_not_named_ends_in_pieces)
{
    struct importer *importer;
    struct grant *grants[SESSIONS];
    uint64_t named[SESSIONS / 2];
    struct errtext err;
    Docad__PeerResume resume = DOCAD__PEER_RESUME__INIT;
    unsigned rounds = 0;

    begin_peer();
    peer.no_descriptors = false;
    rig_node.sched = sched_new(rig_node.base);
    struct export *export = memory_exported(memory_region(RIG_ACCESS));
    for (unsigned i = 0; i < SESSIONS; i++) {
        ck_assert_int_eq(importer_of_peer(&importer, &peer, i + 1, 50, &who, &err), DOCA_SUCCESS);
        ck_assert_int_eq(grant_new(&grants[i], export, importer, &err), DOCA_SUCCESS);
        if (i % 2)
            named[resume.n_grants++] = grants[i]->object.id;
    }
    peer_named_mark(&peer);
    resume.grants = named;
    KINDS_CALL(&rig_node, confirm, &peer, &resume);
    peer_sweep(&peer);
    ck_assert_uint_ge(export->n_grants, SESSIONS - 64);
    // A session that comes now is not swept.
    ck_assert_int_eq(importer_of_peer(&importer, &peer, SESSIONS + 1, 50, &who, &err),
                     DOCA_SUCCESS);
    ck_assert_int_eq(grant_new(&grants[0], export, importer, &err), DOCA_SUCCESS);
    for (; export->n_grants > SESSIONS / 2 + 1 && rounds < SESSIONS; rounds++)
        event_base_loop(rig_node.base, EVLOOP_ONCE | EVLOOP_NONBLOCK);
    ck_assert_uint_gt(rounds, 1);
    ck_assert_uint_eq(export->n_grants, SESSIONS / 2 + 1);

    // The link ends in the middle of it, and what was swept last is named when it is back.
    peer_named_mark(&peer);
    peer_sweep(&peer);
    const unsigned left = export->n_grants;
    ck_assert_uint_gt(left, 0);
    peer_sweep_stop(&peer);
    peer_named_mark(&peer);
    for (int i = 0; i < 8; i++)
        event_base_loop(rig_node.base, EVLOOP_ONCE | EVLOOP_NONBLOCK);
    ck_assert_uint_eq(export->n_grants, left);
    end_link(&peer);
    ck_assert_uint_eq(export->n_grants, 0);
    rig_node.sched = sched_free(rig_node.sched);
}
END_TEST

MEMORY_MAIN("importer", a_session_hands_on_to_itself, a_session_is_left_with_nothing,
            what_is_not_named_ends_in_pieces, a_session_is_one_importer,
            a_linked_node_pays_for_its_sessions, a_session_is_found_among_many,
            what_is_not_named_is_swept)
