// SPDX-License-Identifier: BSD-3-Clause
// Copyright (c) 2026, the docad authors
//
// What docad remembers of clients that ask again until there is a service.

#include "channel.h"
#include "clock.h"
#include "session_rig.h"
#include "unit.h"
#include "user.h"

static const struct object_kind *const kinds[] = {&channel_kind, &service_kind, NULL};

static struct rig_session rig, other;

static void begin(void)
{
    rig_begin(kinds);
    rig_session_begin(&rig);
    rig_session_begin(&other);
}

static void end(void)
{
    rig_session_end(&rig);
    rig_session_end(&other);
    rig_end();
}

static struct request *ask(Docad__ChannelConnect *m)
{
    static Docad__Message message;
    static struct errtext err;
    static struct request request;

    docad__message__init(&message);
    message.serial = 5;
    message.body_case = DOCAD__MESSAGE__BODY_CHANNEL_CONNECT;
    message.channel_connect = m;
    request = (struct request){.session = &rig.session, .message = &message, .err = &err};
    return &request;
}

static Docad__ChannelConnect connect_to(const char *name)
{
    Docad__ChannelConnect m = DOCAD__CHANNEL_CONNECT__INIT;

    m.function_id = RIG_FUNCTION;
    m.name = (char *)name;
    m.max_message = m.send_queue = m.recv_queue = 8;
    return m;
}

// Returns the id of the wait, and how it is answered.
static uint64_t wait_for(Docad__ChannelConnect *m)
{
    ck_assert_int_eq(on_channel_connect(ask(m)), DOCA_SUCCESS);
    Docad__Message *answer = rig_answer(&rig);
    ck_assert_int_eq(answer->body_case, DOCAD__MESSAGE__BODY_CHANNEL_CONNECT_REPLY);
    ck_assert_uint_eq(answer->serial, 5);
    const Docad__ChannelConnectReply *reply = answer->channel_connect_reply;
    ck_assert_ptr_nonnull(reply->waits);
    ck_assert_uint_eq(reply->waits->code, DOCA_ERROR_CONNECTION_ABORTED);
    ck_assert_uint_ne(reply->channel_id, 0);
    uint64_t id = reply->channel_id;
    docad__message__free_unpacked(answer, NULL);
    return id;
}

START_TEST(a_client_that_asks_once_is_forgotten)
{
    Docad__ChannelConnect m = connect_to("name");
    const uint64_t metadata = rig.session.user->metadata;

    ck_assert_int_eq(on_channel_connect(ask(&m)), DOCA_ERROR_CONNECTION_ABORTED);
    ck_assert_uint_eq(NODE_OBJECTS_COUNT(&rig_node, CHANNEL), 0);
    ck_assert_uint_eq(rig.session.user->metadata, metadata);
}
END_TEST

START_TEST(one_that_asks_again_is_charged_once)
{
    Docad__ChannelConnect m = connect_to("name");
    const uint64_t metadata = rig.session.user->metadata;

    m.asks_again = true;
    m.waiting = wait_for(&m);
    ck_assert_uint_eq(rig.session.n_channels, 1);
    ck_assert_uint_eq(rig.session.user->metadata, metadata + sizeof(struct channel));
    ck_assert_uint_eq(wait_for(&m), m.waiting);
    ck_assert_uint_eq(rig.session.n_channels, 1);
    ck_assert_uint_eq(NODE_OBJECTS_COUNT(&rig_node, CHANNEL), 1);
    ck_assert_uint_eq(NODE_OBJECTS_IN_USE(&rig_node, CHANNEL), 0);
    struct channel *channel = channel_wait_find(&rig.session, m.waiting);
    ck_assert_ptr_nonnull(channel);
    ck_assert(channel_is_waiting(channel));
    channel_free(channel);
    ck_assert_uint_eq(rig.session.n_channels, 0);
    ck_assert_uint_eq(rig.session.user->metadata, metadata);
}
END_TEST

// Of the session; and not what another one waits with.
START_TEST(it_ends_with_its_session)
{
    Docad__ChannelConnect m = connect_to("name");

    m.asks_again = true;
    const uint64_t id = wait_for(&m);
    ck_assert_ptr_null(channel_wait_find(&other.session, id));
    session_end_objects(&rig.session, 0);
    ck_assert_uint_eq(NODE_OBJECTS_COUNT(&rig_node, CHANNEL), 0);
    ck_assert_ptr_null(channel_wait_find(&rig.session, id));
}
END_TEST

// What is wrong with the request ends the wait.
START_TEST(it_ends_with_a_refusal)
{
    Docad__ChannelConnect m = connect_to("name");

    m.asks_again = true;
    m.waiting = wait_for(&m);
    m.max_message = 0;
    ck_assert_int_eq(on_channel_connect(ask(&m)), DOCA_ERROR_INVALID_VALUE);
    ck_assert_uint_eq(NODE_OBJECTS_COUNT(&rig_node, CHANNEL), 0);
}
END_TEST

// The session may have as many as of connections.
START_TEST(there_is_a_limit)
{
    Docad__ChannelConnect m = connect_to("name");

    rig_config.limits.value[LIMIT_CHANNELS] = 2;
    m.asks_again = true;
    const uint64_t first = wait_for(&m);
    (void)wait_for(&m);
    ck_assert_int_eq(on_channel_connect(ask(&m)), DOCA_ERROR_NO_MEMORY);
    m.waiting = first;
    ck_assert_uint_eq(wait_for(&m), first);
}
END_TEST

// A docad before this one may have known of it.
START_TEST(it_began_when_the_client_says)
{
    Docad__ChannelConnect m = connect_to("name");

    m.asks_again = true;
    m.waited_ms = 5;
    const struct channel *channel = channel_wait_find(&rig.session, wait_for(&m));
    ck_assert_uint_ge(channel_waiting_ms(channel), 5);
    m.waited_ms = UINT64_MAX;
    channel = channel_wait_find(&rig.session, wait_for(&m));
    ck_assert_uint_le(channel_waiting_ms(channel), clock_ms());
}
END_TEST

int main(void)
{
    TCase *tcase = tcase_create("channel_wait");
    tcase_add_checked_fixture(tcase, begin, end);
    tcase_add_test(tcase, a_client_that_asks_once_is_forgotten);
    tcase_add_test(tcase, one_that_asks_again_is_charged_once);
    tcase_add_test(tcase, it_ends_with_its_session);
    tcase_add_test(tcase, it_ends_with_a_refusal);
    tcase_add_test(tcase, there_is_a_limit);
    tcase_add_test(tcase, it_began_when_the_client_says);
    return unit_run_case("channel_wait", tcase);
}
