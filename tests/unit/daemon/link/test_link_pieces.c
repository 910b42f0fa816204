// SPDX-License-Identifier: BSD-3-Clause
// Copyright (c) 2026, the docad authors
//
// What depends on a link ends in pieces: when the link is lost, and when the linked node is back
// and does not name it. Other users' turns come in between, however many objects of each kind
// there are.

#include "channel_relay_private.h"
#include "cleanup.h"
#include "connection.h"
#include "kinds.h"
#include "memfd.h"
#include "memory/memory_rig.h"
#include "peer.h"
#include "peer_life.h"
#include "peer_link.h"
#include "peer_names.h"
#include "peer_pieces.h"
#include "peer_request.h"
#include "peer_resume.h"
#include "qpair.h"
#include "rdma_endpoint.h"
#include "rdma_listener.h"
#include "relay_store.h"
#include "session_rig.h"
#include "stepped_clock.h"
#include "unit.h"
#include "user.h"

#include <event2/event.h>
#include <poll.h>
#include <sys/resource.h>
#include <sys/socket.h>

#define MANY        (10 * PEER_PIECE_STEPS)
#define CALLERS     40u // each has a call that waits, of which there are RDMA_CALLS_WAITING at most
#define PIECES_MOST 6   // in one turn of a user, by the clock above

static const uint8_t there[NODE_ID_SIZE] = {2};
static struct peer *peer;
static int peer_sock = -1, caller_sock = -1; // the linked node's end, and the listening program's
static struct export *export;

// ---- what depends on the link -------------------------------------------------------------

static void have_imports(void)
{
    const struct export_desc desc = {.export_id = 7};
    struct errtext err;
    for (unsigned i = 0; i < 2 * MANY; i++) {
        struct import *import = import_make(&other.session, &desc);
        ck_assert_int_eq(import_enter(import, node_next_id(&rig_node), NULL, &err), DOCA_SUCCESS);
        ck_assert_int_eq(object_take_slot(&import->object, &err), DOCA_SUCCESS);
        import_set_state(import, SLOT_LIVE);
        object_show(&import->object, SLOT_LIVE);
        if (i % 2) {
            import->peer = peer;
            idmap_add(&peer->imports_by_grant, &import->grant_id, i + 1);
        } else { // the node has ended it, and waits for the answer
            import_set_state(import, SLOT_REVOKED);
            import->waiting_peer = peer;
            list_append(&peer->ended_imports, &import->in_ended);
        }
    }
}

static void have_importers(void)
{
    const struct credentials who = {.uid = 1000};
    struct importer *importer;
    struct grant *grant;
    struct qpair *qp;
    struct errtext err;
    for (unsigned i = 0; i < MANY; i++) {
        int fds[QPAIR_FDS];
        ck_assert_int_eq(importer_of_peer(&importer, peer, 1 + i / 2, 50, &who, &err),
                         DOCA_SUCCESS);
        ck_assert_msg(grant_new(&grant, export, importer, &err) == DOCA_SUCCESS, "%s", err.s);
        ck_assert_msg(qpair_serve(&qp, importer, fds, &err) == DOCA_SUCCESS, "%s", err.s);
        for (int k = 0; k < QPAIR_FDS; k++)
            close(fds[k]);
    }
}

static void have_queue_pairs(void)
{
    struct errtext err;
    for (unsigned i = 0; i < MANY; i++) {
        struct qpair *qp = qpair_make(&rig_node, &other.session);
        ck_assert_int_eq(qpair_enter(qp, node_next_id(&rig_node), NULL, &err), DOCA_SUCCESS);
        qpair_set_state(qp, SLOT_LIVE);
        qp->peer = peer;
        qpair_set_there(qp, 1000 + i);
        list_append(&peer->qpairs, &qp->in_peer);
    }
}

static void have_endpoints(void)
{
    struct errtext err;
    for (unsigned i = 0; i < MANY; i++) {
        struct rdma_endpoint *e = rdma_endpoint_make(&other.session, &rig_node.functions[0], 0);
        ck_assert_int_eq(rdma_endpoint_enter(e, node_next_id(&rig_node), NULL, &err), DOCA_SUCCESS);
        e->state = SLOT_LIVE;
        e->paired = e->connected = true;
        e->other.id = 1000 + i;
        rdma_endpoint_set_peer(e, peer);
    }
}

static void have_channels(void)
{
    struct errtext err;
    for (unsigned i = 0; i < MANY; i++) {
        struct channel *channel = channel_make(&other.session, CHANNEL_CLIENT, "name");
        ck_assert_int_eq(channel_enter(channel, node_next_id(&rig_node), NULL, NULL, &err),
                         DOCA_SUCCESS);
        ck_assert_int_eq(channel_share(channel, peer, 1000 + i, &err), DOCA_SUCCESS);
    }
}

static void have_relays(void)
{
    struct user *user = other.session.user;
    struct errtext err;
    for (unsigned i = 0; i < MANY; i++) {
        cleanup_fd int page = memfd_create_sealed("page", CHANNEL_FILE_SIZE), file = -1;
        int messages[2], wakes[2];
        struct channel_relay *relay;
        ck_assert_int_eq(socketpair(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0, messages), 0);
        ck_assert_int_eq(socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, wakes), 0);
        ck_assert_int_eq(channel_relay_make(&relay, peer, 5000 + i, CHANNEL_CLIENT, user, user,
                                            (int[]){messages[0], wakes[0], page}, &err),
                         DOCA_SUCCESS);
        channel_relay_charge_restored(relay);
        ck_assert_int_eq(relay_store_new(&relay->store, &file, 64), 0);
        close(messages[1]);
        close(wakes[1]);
    }
}

static void have_callers(void)
{
    const Docad__RdmaOffer offer = DOCAD__RDMA_OFFER__INIT;
    struct rdma_listener *listener = rdma_listener_make(&owner.session, &rig_node.functions[0], 7);
    struct errtext err;
    int pair[2];
    ck_assert_int_eq(rdma_listener_enter(listener, node_next_id(&rig_node), NULL, &err),
                     DOCA_SUCCESS);
    ck_assert_int_eq(socketpair(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0, pair), 0);
    listener->accept_fd = pair[0];
    caller_sock = pair[1];
    for (unsigned i = 0; i < CALLERS; i++) {
        struct user *user = user_get(&peer->users, 2000 + i);
        int fd;
        ck_assert_msg(rdma_listener_offer(listener, user, peer, &offer, &fd, &err) == DOCA_SUCCESS,
                      "%s", err.s);
        close(fd);
        user_unref(user);
    }
}

static void have_requests(void)
{
    for (unsigned i = 0; i < MANY; i++)
        peer_grant_ended(peer, 100000 + i, SLOT_REVOKED, NULL);
}

static void link_up(void)
{
    struct connection *connection;
    int pair[2];
    close_fdp(&peer_sock);
    ck_assert_int_eq(socketpair(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0, pair), 0);
    peer_sock = pair[1];
    ck_assert_int_eq(connection_new(&connection, rig_node.base, pair[0], UINT64_MAX), 0);
    peer = peer_new(&rig_node, NULL);
    peer->connection = connection;
    peer->state = PEER_LINKED;
    peer->known = peer->resumable = true;
    memcpy(peer->id_there, there, NODE_ID_SIZE);
    strcpy(peer->name, "there");
    peer_own_connection(peer);
}

static size_t linked(const struct list *list)
{
    size_t n = 0;
    for (const struct list *at = list->next; at != list; at = at->next)
        n++;
    return n;
}

// Objects that depend on the link.
static size_t left(void)
{
    if (list_empty(&rig_node.peers) && list_empty(&rig_node.peers_ending))
        return 0;
    size_t n = peer->imports_by_grant.count + linked(&peer->ended_imports) + linked(&peer->qpairs) +
               peer->channels.count + peer->relays.count + linked(&peer->rdma_callers) +
               linked(&peer->requests);
    for (int i = NAMED_GRANTS; i <= NAMED_ENDPOINTS; i++)
        n += peer->named.kinds[i].count;
    return n;
}

// ---- another user -----------------------------------------------------------------------

// Wants turns as long as something ends.
struct watcher {
    struct sched_item turn;
    struct user *user;
    size_t (*count)(void);
    size_t before; // objects, in the turn before
    size_t until;
    unsigned turns;
};

static bool watch(struct sched_item *turn)
{
    struct watcher *w = container_of(turn, struct watcher, turn);
    size_t now = w->count();
    ck_assert_uint_le(w->before - now, PIECES_MOST * PEER_PIECE_STEPS);
    w->before = now;
    w->turns++;
    return now > w->until;
}

// The number of turns that the other user had.
static unsigned watched(size_t (*count)(void), size_t until)
{
    struct watcher w = {
        .user = user_get(&rig_node.users, 4711), .count = count, .before = count(), .until = until};
    const size_t turns = (w.before - until) / (PIECES_MOST * PEER_PIECE_STEPS);
    w.turn = (struct sched_item){.sched = rig_node.sched, .user = &w.user->sched, .take = watch};
    list_init(&w.turn.in_user);
    sched_queue(&w.turn);
    for (unsigned i = 0; i < 10000 && count() > until; i++)
        event_base_loop(rig_node.base, EVLOOP_NONBLOCK);
    ck_assert_uint_eq(count(), until);
    ck_assert_uint_ge(w.turns, turns);
    sched_dequeue(&w.turn);
    user_unref(w.user);
    return w.turns;
}

// ---- tests ------------------------------------------------------------------------------

static void begin(void)
{
    struct rlimit files;
    getrlimit(RLIMIT_NOFILE, &files);
    files.rlim_cur = files.rlim_max;
    setrlimit(RLIMIT_NOFILE, &files);
    memory_begin();
    rig_node.kinds = kinds;
    rig_node.sched = sched_new(rig_node.base);
    for (size_t i = 0; i < LIMIT_COUNT; i++)
        rig_config.limits.value[i] = LIMIT_UNLIMITED;
    export = memory_exported(memory_region(RIG_ACCESS));
    link_up();
    have_imports();
    have_importers();
    have_queue_pairs();
    have_endpoints();
    have_channels();
    have_relays();
    have_callers();
}

static void end(void)
{
    peers_free_all(&rig_node);
    close_fdp(&peer_sock);
    close_fdp(&caller_sock);
    rig_session_end(&other);
    rig_session_end(&owner);
    publications_free_all(&rig_node);
    rig_node.sched = sched_free(rig_node.sched);
    rig_end();
}

static void assert_all_gone(void)
{
    const struct import *import;
    list_for_each (import, SESSION_OBJECTS(&other.session, IMPORT), object.in_session) {
        ck_assert_int_ne(import->state, SLOT_LIVE);
        ck_assert_ptr_null(import->waiting_peer);
    }
    ck_assert_uint_eq(export->n_grants, 0);
    ck_assert(list_empty(SESSION_OBJECTS(&other.session, CHANNEL)));
}

START_TEST(a_link_that_is_lost_ends_in_pieces)
{
    have_requests();
    const size_t all = left();
    ck_assert_uint_ge(all, 9 * MANY);
    peer->resumable = false;
    peer_free(peer);
    ck_assert_uint_eq(left(), all - PEER_PIECE_STEPS);
    ck_assert_ptr_null(peer_find(&rig_node, there));
    // Nothing is asked of the node any more.
    struct errtext err;
    Docad__PeerExportCreate m = DOCAD__PEER_EXPORT_CREATE__INIT;
    ck_assert_int_eq(peer_request_send(NULL, peer,
                                       message_of(PEER_EXPORT_CREATE, peer_export_create, &m), NULL,
                                       NULL, NULL, &err),
                     DOCA_ERROR_DRIVER);
    watched(left, 0);
    ck_assert(list_empty(&rig_node.peers_ending));
    assert_all_gone();
}
END_TEST

// Some end with their sessions first, or are revoked.
START_TEST(objects_end_while_the_link_does)
{
    const size_t all = left();
    peer->resumable = false;
    peer_free(peer);
    session_end_objects(&other.session, 0);
    ck_assert_uint_lt(left(), all - 5 * MANY);
    export_end(export, SLOT_REVOKED, NULL);
    watched(left, 0);
    ck_assert(list_empty(&rig_node.peers_ending));
}
END_TEST

static size_t to_be_named(void)
{
    size_t n = 0;
    for (int i = 0; i < NAMED_KINDS; i++)
        n += peer->named.kinds[i].count;
    return n;
}

static void resume(bool more, uint64_t *grants, size_t n)
{
    Docad__PeerResume m = DOCAD__PEER_RESUME__INIT;
    m.more = more;
    m.grants = grants;
    m.n_grants = n;
    peer_resume(peer, message_of(PEER_RESUME, peer_resume, &m));
}

// Takes one piece after the other by hand: each takes few steps, whatever is stale.
START_TEST(what_is_not_named_ends_in_pieces)
{
    uint64_t named[PEER_NAMES_MAX];
    size_t n = 0;
    const struct grant *grant;
    list_for_each (grant, &export->grants, in_export)
        if (n < MANY / 2)
            named[n++] = grant->object.id;
    peer_named_mark(peer);
    const size_t all = to_be_named();
    ck_assert_uint_eq(all, 5 * MANY);
    resume(true, named, n);
    ck_assert_uint_eq(to_be_named(), all);
    resume(false, NULL, 0);
    ck_assert_uint_eq(to_be_named(), all - PEER_PIECE_STEPS);
    watched(to_be_named, n);
    ck_assert_uint_eq(export->n_grants, n);
}
END_TEST

// What the node has been sent.
struct received {
    size_t grants, queue_pairs, endpoints, channels, relays, requests, last;
};

static void receive(struct received *n)
{
    struct pollfd fd = {.fd = peer_sock, .events = POLLIN};
    while (poll(&fd, 1, 0) == 1) {
        cleanup_fdlist struct fd_list fds = FD_LIST_EMPTY;
        cleanup_message Docad__Message *m = NULL;
        ck_assert_int_gt(message_recv(peer_sock, &m, &fds, MSG_DONTWAIT), 0);
        n->relays += m->body_case == DOCAD__MESSAGE__BODY_PEER_CHANNEL_RESUME;
        n->requests += m->body_case == DOCAD__MESSAGE__BODY_PEER_GRANT_ENDED;
        if (m->body_case != DOCAD__MESSAGE__BODY_PEER_RESUME)
            continue;
        ck_assert_uint_eq(n->last, 0); // nothing is named after that
        n->grants += m->peer_resume->n_grants;
        n->queue_pairs += m->peer_resume->n_queue_pairs;
        n->endpoints += m->peer_resume->n_endpoints;
        n->channels += m->peer_resume->n_channels;
        n->last += !m->peer_resume->more;
    }
}

// Pieces that are left, for another user's turns.
static size_t resuming(void)
{
    return list_linked(&peer->resuming.in_user);
}

// It takes pieces, too, to name all that goes on, and to ask again.
START_TEST(a_link_that_is_back_goes_on_in_pieces)
{
    have_requests();
    peer_unlink(peer, "lost");
    ck_assert(peer->away);
    link_up();
    peer_link_up(peer);
    ck_assert_ptr_nonnull(peer->naming);
    ck_assert_uint_eq(peer->asked_again, 0);
    ck_assert_uint_gt(watched(resuming, 0), 2);
    struct received n = {0};
    for (int i = 0; i < 100; i++) { // the socket has room for a hundred messages
        receive(&n);
        event_base_loop(rig_node.base, EVLOOP_NONBLOCK);
    }
    ck_assert_uint_eq(n.grants, MANY);
    ck_assert_uint_eq(n.queue_pairs, MANY);
    ck_assert_uint_eq(n.endpoints, MANY);
    ck_assert_uint_eq(n.channels, MANY);
    ck_assert_uint_eq(n.relays, MANY);
    ck_assert_uint_eq(n.requests, MANY);
    ck_assert_uint_eq(n.last, 1);
    peer->resumable = false;
}
END_TEST

// A node that names more at a time than it may cannot hold up others either.
START_TEST(a_message_names_few)
{
    uint64_t named[PEER_NAMES_MAX + 1] = {0};
    peer_named_mark(peer);
    peer->resumable = false;
    resume(true, named, PEER_NAMES_MAX + 1);
    for (int i = 0; i < 100 && !list_empty(&rig_node.peers); i++)
        event_base_loop(rig_node.base, EVLOOP_NONBLOCK);
    ck_assert(list_empty(&rig_node.peers));
}
END_TEST

int main(void)
{
    TCase *tcase = tcase_create("link pieces");
    tcase_set_timeout(tcase, 60);
    tcase_add_checked_fixture(tcase, begin, end);
    tcase_add_test(tcase, a_link_that_is_lost_ends_in_pieces);
    tcase_add_test(tcase, objects_end_while_the_link_does);
    tcase_add_test(tcase, what_is_not_named_ends_in_pieces);
    tcase_add_test(tcase, a_message_names_few);
    tcase_add_test(tcase, a_link_that_is_back_goes_on_in_pieces);
    return unit_run_case("link pieces", tcase);
}
