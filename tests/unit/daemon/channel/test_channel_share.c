// SPDX-License-Identifier: BSD-3-Clause
// Copyright (c) 2026, the docad authors

#include "channel.h"
#include "kind.h"
#include "peer.h"
#include "session_rig.h"
#include "touched.h"
#include "unit.h"

#include <limits.h>
#include <stdint.h>

#define CHANNELS 2000u

static const struct object_kind *const kinds[] = {&channel_kind, NULL};

static struct peer peer, elsewhere;
static struct rig_session rig;

static void begin_peer(struct peer *p)
{
    *p = (struct peer){.node = &rig_node, .name = "there"};
    idmap_init(&p->channels);
    idmap_init(&p->relays);
}

static void begin(void)
{
    rig_begin(kinds);
    rig_session_begin(&rig);
    begin_peer(&peer);
    begin_peer(&elsewhere);
}

static void end(void)
{
    channel_kind.gone(&peer, &(unsigned){UINT_MAX});
    channel_kind.gone(&elsewhere, &(unsigned){UINT_MAX});
    idmap_fini(&peer.channels);
    idmap_fini(&elsewhere.channels);
    rig_session_end(&rig);
    rig_end();
}

static void enter(struct channel *channel)
{
    ck_assert_int_eq(channel_enter(channel, node_next_id(&rig_node), NULL, NULL, NULL),
                     DOCA_SUCCESS);
}

static struct channel *make(struct peer *with, uint64_t shared_id)
{
    struct errtext err;
    struct channel *channel = channel_make(&rig.session, CHANNEL_CLIENT, "name");
    ck_assert_ptr_nonnull(channel);
    enter(channel);
    ck_assert_msg(channel_share(channel, with, shared_id, &err) == DOCA_SUCCESS, "%s", err.s);
    return channel;
}

// ---- how many others are looked at ---------------------------------------------------------

// As channel_make(), with a page to itself.
static struct channel *make_on_page(void)
{
    struct channel *channel = touched_new();
    object_init(&channel->object, DOCAD__RECORD__WHAT_CHANNEL, &rig_node, &rig.session);
    list_init(&channel->in_service);
    enter(channel);
    return channel;
}

static void make_others(void)
{
    for (uint32_t i = 0; i < CHANNELS; i++)
        ck_assert_int_eq(channel_share(make_on_page(), i % 2 ? &peer : &elsewhere, 1000 + i, NULL),
                         DOCA_SUCCESS);
}

// Their trees are about ten channels deep: whoever walks a list of them all touches 2,000.
#define FEW 200

START_TEST(the_end_of_one_touches_few_others)
{
    Docad__PeerChannelEnded ended = DOCAD__PEER_CHANNEL_ENDED__INIT;
    Docad__Message message = DOCAD__MESSAGE__INIT;
    make_others();
    struct channel *channel = make(&peer, 7);
    uint64_t id = channel->object.id;
    ended.channel_id = 7;
    message.peer_channel_ended = &ended;
    touched_begin();
    channel_peer_ended(&peer, &message);
    size_t touched = touched_end();
    ck_assert_ptr_null(OBJECT_GET(&rig_node, CHANNEL, id, struct channel));
    ck_assert_uint_lt(touched, FEW);
}
END_TEST

START_TEST(a_link_touches_few_channels_of_another)
{
    make_others();
    struct peer third;
    begin_peer(&third);
    struct channel *channel = make(&third, 7);
    touched_begin();
    peer_named_mark(&third);
    ck_assert(peer_named_is_missing(&third, &channel->named));
    ck_assert(channel_kind.sweep(&third, &(unsigned){UINT_MAX}));
    ck_assert(channel_kind.gone(&third, &(unsigned){UINT_MAX}));
    size_t touched = touched_end();
    ck_assert_ptr_null(idmap_first(&third.channels));
    ck_assert_uint_lt(touched, FEW);
}
END_TEST

// ---- what a linked node says ---------------------------------------------------------------

START_TEST(a_node_cannot_use_one_id_twice)
{
    struct errtext err;
    struct channel *first = make(&peer, 7);
    struct channel *second = channel_make(&rig.session, CHANNEL_CLIENT, "name");
    enter(second);
    ck_assert_int_eq(channel_share(second, &peer, 7, &err), DOCA_ERROR_DRIVER);
    ck_assert_str_eq(err.s, "node there uses one id for two channels");
    ck_assert_ptr_null(second->peer);
    channel_free(second);
    ck_assert_ptr_eq(idmap_get(&peer.channels, 7, struct channel, shared), first);
    ck_assert_ptr_eq(make(&elsewhere, 7)->peer, &elsewhere); // another node may
}
END_TEST

START_TEST(what_a_node_does_not_name_is_swept)
{
    Docad__PeerResume resume = DOCAD__PEER_RESUME__INIT;
    uint64_t named = 8;
    make(&peer, 7);
    struct channel *kept = make(&peer, 8);
    make(&peer, 9);
    make(&elsewhere, 7);
    peer_named_mark(&peer);
    resume.channels = &named;
    resume.n_channels = 1;
    KINDS_CALL(&rig_node, confirm, &peer, &resume);
    ck_assert(channel_kind.sweep(&peer, &(unsigned){UINT_MAX}));
    ck_assert_uint_eq(peer.channels.count, 1);
    ck_assert_ptr_eq(idmap_get(&peer.channels, 8, struct channel, shared), kept);
    ck_assert_uint_eq(elsewhere.channels.count, 1);
}
END_TEST

START_TEST(a_new_link_takes_the_channels_over)
{
    struct channel *first = make(&peer, 7), *second = make(&peer, 8);
    peer_named_adopt(&elsewhere, &peer);
    KINDS_CALL(&rig_node, adopt, &elsewhere, &peer);
    ck_assert_uint_eq(peer.channels.count, 0);
    ck_assert_uint_eq(elsewhere.channels.count, 2);
    ck_assert_ptr_eq(first->peer, &elsewhere);
    ck_assert_ptr_eq(second->peer, &elsewhere);
    ck_assert_uint_eq(second->shared.id, 8);
}
END_TEST

int main(void)
{
    TCase *tcase = tcase_create("channel_share");
    tcase_add_checked_fixture(tcase, begin, end);
    tcase_add_test(tcase, the_end_of_one_touches_few_others);
    tcase_add_test(tcase, a_link_touches_few_channels_of_another);
    tcase_add_test(tcase, a_node_cannot_use_one_id_twice);
    tcase_add_test(tcase, what_a_node_does_not_name_is_swept);
    tcase_add_test(tcase, a_new_link_takes_the_channels_over);
    return unit_run_case("channel_share", tcase);
}
