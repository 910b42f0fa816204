// SPDX-License-Identifier: BSD-3-Clause
// Copyright (c) 2026, the docad authors
//
// What a linked node is informed of, while it reads slowly and names change. The test is the
// linked node: it notes which names it knows.

#include "announcement.h"
#include "cleanup.h"
#include "connection.h"
#include "memory_rig.h"
#include "ended_names.h"
#include "peer.h"
#include "loop_sched.h"
#include "user.h"

#include <event2/event.h>
#include <sys/socket.h>

#define NAMES      4000
#define OUTPUT_MAX (1u << 20) // bytes that may be queued: less than the names have
#define QUEUED_MAX (OUTPUT_MAX / 2)

static struct peer peer;
static int there = -1;
static bool dropped;
static uint64_t most_queued;

// What the linked node knows.
static bool known[NAMES];
static unsigned n_known, n_published, n_withdrawn, n_resumes;
static unsigned n_theirs; // names of its own that it was informed of as withdrawn
static bool after_resume; // names came after the end of PeerResume

static const struct export *export;

static bool in_transport; // queue pairs wait for room in the transport of the link

bool __wrap_connection_waits(const struct connection *c);
bool __wrap_connection_waits(const struct connection *c)
{
    (void)c;
    return in_transport;
}

// ---- the link ---------------------------------------------------------------------------------

static void on_message(void *owner_of, const Docad__Message *message, struct fd_list *fds)
{
    (void)owner_of;
    (void)message;
    (void)fds;
}

static void on_closed(void *owner_of, const char *why)
{
    (void)owner_of;
    (void)why;
    dropped = true;
}

static void on_drained(void *owner_of)
{
    announcement_go_on(owner_of);
}

// Linked, but not informed of any name yet: other links end at this moment.
static void link_made(void)
{
    static const struct connection_owner ops = {
        .message = on_message, .closed = on_closed, .drained = on_drained};
    const int small = 4096;
    int pair[2];

    ck_assert_int_eq(socketpair(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0, pair), 0);
    there = pair[1];
    setsockopt(pair[0], SOL_SOCKET, SO_SNDBUF, &small, sizeof(small));
    ck_assert_int_eq(connection_new(&peer.connection, rig_node.base, pair[0], OUTPUT_MAX), 0);
    connection_set_owner(peer.connection, &ops, &peer);
    connection_set_sched(peer.connection, rig_node.sched, &peer.sched);
    peer.state = PEER_LINKED;
    memset(known, 0, sizeof(known));
    n_known = n_published = n_withdrawn = n_resumes = n_theirs = 0;
    after_resume = dropped = false;
    most_queued = 0;
}

static void link_up(void)
{
    link_made();
    announcement_begin(&peer);
}

static void link_down(void)
{
    announcement_end(&peer);
    peer.connection = connection_free(peer.connection);
    peer.state = PEER_CONNECTING;
    close_fdp(&there);
}

static void begin(void)
{
    in_transport = false;
    memory_begin();
    rig_node.sched = sched_new(rig_node.base);
    peer = (struct peer){.node = &rig_node, .by_uid = true, .id_there = {2}};
    sched_user_init(&peer.sched, NULL);
    users_init(&peer.users);
    list_init(&peer.link_ready);
    list_init(&peer.relays_waiting);
    list_append(&rig_node.peers, &peer.in_node);
    export = memory_exported(memory_region(RIG_ACCESS));
    rig_config.limits.value[LIMIT_PUBLICATIONS] = LIMIT_UNLIMITED;
}

static void end(void)
{
    if (peer.connection)
        link_down();
    name_source_gone(&peer);
    publications_free_all(&rig_node);
    list_remove(&peer.in_node);
    rig_node.sched = sched_free(rig_node.sched);
    memory_end();
}

// ---- names --------------------------------------------------------------------------------------

// As long as names are.
static char *name_of(unsigned i)
{
    static char name[PUBLICATION_NAME_SIZE];
    memset(name, 'x', sizeof(name) - 1);
    name[snprintf(name, sizeof(name), "n%u.", i)] = 'x';
    return name;
}

static void publish(unsigned i)
{
    static uint32_t ids[AUDIENCE_MAX];
    Docad__Publish m = DOCAD__PUBLISH__INIT;
    Docad__Audience to = DOCAD__AUDIENCE__INIT;
    struct errtext err;

    for (uint32_t k = 0; k < AUDIENCE_MAX; k++)
        ids[k] = UINT32_MAX - 1 - k;
    to.uids = to.gids = ids;
    to.n_uids = to.n_gids = AUDIENCE_MAX;
    m.name = name_of(i);
    m.descriptor = (ProtobufCBinaryData){export->descriptor_size, (uint8_t *)export->descriptor};
    m.to = &to;
    ck_assert_msg(publication_new(&owner.session, &m, &err) == DOCA_SUCCESS, "%s", err.s);
    if (peer.connection && connection_queued(peer.connection) > most_queued)
        most_queued = connection_queued(peer.connection);
}

static void withdraw(unsigned i)
{
    struct errtext err;
    ck_assert_msg(publication_remove(&owner.session, name_of(i), &err) == DOCA_SUCCESS, "%s",
                  err.s);
}

static bool is_published(unsigned i)
{
    const struct publication_key key = {name_of(i), owner.session.credentials.uid};
    return publication_find(&rig_node, &key) != NULL;
}

// ---- the linked node ----------------------------------------------------------------------------

static char again[16]; // a name that it has published once more

static void publish_there(const char *name, const struct export *of)
{
    Docad__PeerPublish m = DOCAD__PEER_PUBLISH__INIT;
    m.name = (char *)name;
    m.descriptor = (ProtobufCBinaryData){of->descriptor_size, (uint8_t *)of->descriptor};
    m.uid = owner.session.credentials.uid;
    publication_from_peer(&rig_node, &peer, &m);
}

static bool is_published_there(const char *name)
{
    const struct publication_key key = {name, owner.session.credentials.uid};
    const struct publication *p = publication_find(&rig_node, &key);
    while (p && !p->source)
        p = publication_next(&rig_node, p);
    return p;
}

static unsigned number_of(const char *name)
{
    return (unsigned)strtoul(name + 1, NULL, 10);
}

static void hear(const Docad__Message *m)
{
    if (m->body_case == DOCAD__MESSAGE__BODY_PEER_PUBLISH) {
        unsigned i = number_of(m->peer_publish->name);
        ck_assert_msg(!known[i], "name %u twice", i);
        known[i] = true;
        n_known++;
        n_published++;
        after_resume |= n_resumes > 0;
    } else if (m->body_case == DOCAD__MESSAGE__BODY_PEER_UNPUBLISH &&
               m->peer_unpublish->name[0] == 't') {
        ck_assert_str_ne(m->peer_unpublish->name, again);
        n_theirs++;
    } else if (m->body_case == DOCAD__MESSAGE__BODY_PEER_UNPUBLISH) {
        unsigned i = number_of(m->peer_unpublish->name);
        ck_assert_msg(known[i], "name %u was not known", i);
        known[i] = false;
        n_known--;
        n_withdrawn++;
    } else {
        ck_assert_int_eq(m->body_case, DOCAD__MESSAGE__BODY_PEER_RESUME);
        ck_assert(!m->peer_resume->more);
        n_resumes++;
    }
}

// Reads up to that many messages.
static void read_some(unsigned most)
{
    unsigned rounds = 0;
    while (most > 0 && rounds < 4) {
        cleanup_fdlist struct fd_list fds = FD_LIST_EMPTY;
        cleanup_message Docad__Message *m = NULL;
        event_base_loop(rig_node.base, EVLOOP_ONCE | EVLOOP_NONBLOCK);
        if (connection_queued(peer.connection) > most_queued)
            most_queued = connection_queued(peer.connection);
        if (message_recv(there, &m, &fds, MSG_DONTWAIT) <= 0) {
            rounds++;
            continue;
        }
        rounds = 0;
        hear(m);
        most--;
    }
}

static void read_all(void)
{
    do
        read_some(UINT32_MAX);
    while (!dropped && (peer.announcement.behind || connection_queued(peer.connection) > 0 ||
                        rig_node.gone_exports.root));
    read_some(UINT32_MAX);
}

static void assert_all_known(void)
{
    unsigned n = 0;
    ck_assert(!dropped);
    ck_assert_uint_lt(most_queued, QUEUED_MAX);
    for (unsigned i = 0; i < NAMES; i++) {
        ck_assert_msg(known[i] == is_published(i), "name %u", i);
        n += known[i];
    }
    ck_assert_uint_eq(n, n_known);
    ck_assert(list_empty(&peer.announcement.withdrawn) && !peer.announcement.behind);
}

// ---- tests
// ----------------------------------------------------------------------------------------

START_TEST(a_link_comes_up_with_many_long_names)
{
    for (unsigned i = 0; i < NAMES; i++)
        publish(i);
    link_up();
    ck_assert(peer.announcement.behind);
    peer.announcement.resume_after = rig_node.last_id; // as peer_send_resume() does
    read_all();
    assert_all_known();
    ck_assert_uint_eq(n_published, NAMES);
    ck_assert_uint_eq(n_resumes, 1);
    ck_assert(!after_resume);
}
END_TEST

// Names end before and after the node was informed of them, and some are published again.
START_TEST(names_change_while_they_are_announced)
{
    for (unsigned i = 0; i < NAMES; i++)
        if (i % 4 != 3)
            publish(i);
    link_up();
    peer.announcement.resume_after = rig_node.last_id;
    for (unsigned i = 0; i < NAMES; i++) {
        if (i % 4 == 1)
            withdraw(i);
        if (i % 4 == 2) {
            withdraw(NAMES - i);
            publish(NAMES - i);
        }
        if (i % 4 == 3)
            publish(i);
        read_some(i % 3);
    }
    read_all();
    assert_all_known();
    ck_assert_uint_eq(n_known, NAMES / 4 * 3);
    ck_assert_uint_eq(n_resumes, 1);
    ck_assert_uint_gt(n_withdrawn, 0);
    ck_assert(after_resume);
}
END_TEST

// The node reads nothing for a while.
START_TEST(one_user_publishes_faster_than_the_link_carries)
{
    link_up();
    for (unsigned round = 0; round < 20; round++) {
        for (unsigned i = 0; i < NAMES / 10; i++)
            publish(i);
        for (unsigned i = 0; i < NAMES / 10; i++)
            withdraw(i);
    }
    publish(7);
    read_all();
    assert_all_known();
    ck_assert_uint_eq(n_known, 1);
    ck_assert_uint_lt(n_published, 2 * NAMES / 10);
}
END_TEST

START_TEST(all_names_of_an_export_end)
{
    const uint64_t before = owner.session.user->metadata;
    link_up();
    for (unsigned i = 0; i < NAMES; i++)
        publish(i);
    read_all();
    export_end((struct export *)export, SLOT_REVOKED, NULL);
    ck_assert_uint_lt(connection_queued(peer.connection), QUEUED_MAX);
    read_all();
    assert_all_known();
    ck_assert_uint_eq(n_withdrawn, NAMES);
    ck_assert_uint_lt(owner.session.user->metadata, before); // without the export
}
END_TEST

START_TEST(a_link_ends_while_names_wait)
{
    for (unsigned round = 0; round < 2; round++) {
        for (unsigned i = 0; i < NAMES; i++)
            publish(i);
        link_up();
        read_some(NAMES / 2);
        const uint64_t others = rig_node.n_publications;
        for (unsigned i = 0; i < NAMES; i++)
            withdraw(i);
        ck_assert_uint_lt(rig_node.n_publications, others);
        ck_assert(!list_empty(&peer.announcement.withdrawn));
        link_down();
        ck_assert(list_empty(&peer.announcement.withdrawn));
    }
}
END_TEST

// Names are published and withdrawn after the link was made, and before it announces any. More may
// be queued then than an announcement adds to.
START_TEST(names_change_before_the_announcement_begins)
{
    for (unsigned round = 0; round < 2; round++) {
        for (unsigned i = 0; i < NAMES; i++)
            publish(i);
        link_made();
        for (unsigned i = 0; i < NAMES; i += 2)
            withdraw(i);
        publish(2);
        announcement_go_on(&peer);
        ck_assert_uint_eq(connection_queued(peer.connection), 0);
        read_some(1);
        announcement_begin(&peer);
        read_all();
        assert_all_known();
        ck_assert_uint_eq(n_published, NAMES / 2 + 1);
        ck_assert_uint_eq(n_withdrawn, 0);
        link_down();
        for (unsigned i = 0; i < NAMES; i++)
            if (is_published(i))
                withdraw(i);
    }
}
END_TEST

// The link ends before it announces any name.
START_TEST(a_link_ends_before_the_announcement_begins)
{
    publish(1);
    link_made();
    withdraw(1);
    link_down();
    link_up();
    read_all();
    assert_all_known();
}
END_TEST

// It has published names for an export that ends here, and publishes one of them for another export
// before all of them have ended.
START_TEST(a_name_is_published_there_again_while_others_end)
{
    struct export *first = memory_exported(export->region);
    link_up();
    for (unsigned i = 0; i < NAMES; i++) {
        snprintf(again, sizeof(again), "t%u", i);
        publish_there(again, first);
    }
    export_end(first, SLOT_REVOKED, NULL);
    ck_assert(!is_published_there(again));
    publish_there(again, export);
    ck_assert(is_published_there(again));
    read_all();
    ck_assert(!dropped);
    ck_assert_uint_eq(n_theirs, NAMES - 1);
    ck_assert(is_published_there(again));
}
END_TEST

// The same for a name whose end waits for room in the link. A name of this node that is the same
// has ended nevertheless.
START_TEST(a_name_is_published_there_again_while_its_end_waits)
{
    struct export *first = memory_exported(export->region);
    link_up();
    strcpy(again, "t1");
    publish_there(again, first);
    publish_there("t2", first);
    for (unsigned i = 0; i < NAMES; i++)
        publish(i);
    read_some(1);
    ck_assert(known[0]);
    export_end(first, SLOT_REVOKED, NULL);
    withdraw(0);
    ck_assert(!list_empty(&peer.announcement.withdrawn));
    publish_there(again, export);
    publish_there(name_of(0), export);
    read_all();
    ck_assert(!dropped && !known[0]);
    ck_assert_uint_eq(n_theirs, 1);
    ck_assert(is_published_there(again) && is_published_there(name_of(0)));
    ck_assert(list_empty(&peer.announcement.withdrawn));
}
END_TEST

// Queue pairs or relays wait for room in the link: the output drains nearly to the end, and names
// still come.
static void others_wait(struct list *waiting, bool in_the_transport, uint64_t least)
{
    struct list one;
    list_init(&one);
    for (unsigned i = 0; i < NAMES; i++)
        publish(i);
    link_up();
    while (connection_queued(peer.connection) <= least && n_known < NAMES / 4)
        read_some(1);
    ck_assert_uint_gt(connection_queued(peer.connection), least);
    list_append(waiting, &one);
    in_transport = in_the_transport;
    while (connection_queued(peer.connection) > least && n_known < NAMES / 2)
        read_some(1);
    ck_assert_uint_lt(n_known, NAMES / 2);
    const unsigned before = n_known;
    while (n_known < before + NAMES / 4) {
        read_some(1);
        if (in_transport && connection_queued(peer.connection) == 0)
            announcement_go_on(&peer); // there was room
        ck_assert_uint_le(connection_queued(peer.connection), least);
    }
    list_remove(&one);
    in_transport = false;
    announcement_go_on(&peer);
    read_all();
    assert_all_known();
}

START_TEST(relays_wait_for_room)
{
    others_wait(&peer.relays_waiting, false, 80u << 10);
}
END_TEST

START_TEST(queue_pairs_wait_for_room)
{
    others_wait(&peer.link_ready, false, 80u << 10);
}
END_TEST

START_TEST(queue_pairs_wait_for_an_empty_output)
{
    others_wait(&peer.link_ready, true, 2u << 10);
}
END_TEST

int main(void)
{
    const TTest *const tests[] = {
        a_link_comes_up_with_many_long_names,
        names_change_while_they_are_announced,
        one_user_publishes_faster_than_the_link_carries,
        all_names_of_an_export_end,
        a_link_ends_while_names_wait,
        names_change_before_the_announcement_begins,
        a_link_ends_before_the_announcement_begins,
        a_name_is_published_there_again_while_others_end,
        a_name_is_published_there_again_while_its_end_waits,
        relays_wait_for_room,
        queue_pairs_wait_for_room,
        queue_pairs_wait_for_an_empty_output,
    };
    TCase *tcase = tcase_create("announcement");
    tcase_add_checked_fixture(tcase, begin, end);
    tcase_set_timeout(tcase, 60);
    for (size_t i = 0; i < ARRAY_SIZE(tests); i++)
        tcase_add_test(tcase, tests[i]);
    return unit_run_case("announcement", tcase);
}
