// SPDX-License-Identifier: BSD-3-Clause
// Copyright (c) 2026, the docad authors
//
// Whom a Comch server serves next: the client that sent last, without looking at the others, but
// not forever. Everybody has a turn, no message and no end is missed.

#include "channel_peers.h"
#include "comch/comch.h"
#include "progress/engine.h"
#include "unit.h"

#include <poll.h>
#include <string.h>
#include <sys/epoll.h>

#define MANY 200 // messages in a row: several turns of one client

static struct comch_end *end;
static struct doca_pe *pe;
static int heard_of;  // whose message came last; -1: nobody's
static int ended;     // clients that have gone
static unsigned sets; // looks into the set of clients

int __real_epoll_wait(int fd, struct epoll_event *events, int most, int timeout);
int __wrap_epoll_wait(int fd, struct epoll_event *events, int most, int timeout);
int __wrap_epoll_wait(int fd, struct epoll_event *events, int most, int timeout)
{
    sets += end && end->ep && fd == end->ep->recv_epoll;
    return __real_epoll_wait(fd, events, most, timeout);
}

// There is no docad to tell.
void __wrap_cc_tell_closed(struct session *session, uint64_t id);
void __wrap_cc_tell_closed(struct session *session, uint64_t id)
{
    (void)session, (void)id;
}

// ---- a server among clients ----------------------------------------------------------------

static void on_message(struct doca_comch_event_msg_recv *event, uint8_t *buffer, uint32_t length,
                       struct doca_comch_connection *connection)
{
    uint64_t number;
    (void)event;
    ck_assert_uint_eq(length, sizeof(number));
    memcpy(&number, buffer, sizeof(number));
    ck_assert_int_eq(heard_of, -1);
    for (int i = 0; i < PEERS; i++)
        if (others[i].address == connection->address)
            heard_of = i;
    ck_assert_int_ge(heard_of, 0);
    ck_assert_uint_eq(number, others[heard_of].seen++);
}

static void on_disconnect(struct doca_comch_event_connection_status_changed *event,
                          struct doca_comch_connection *connection, uint8_t success)
{
    (void)event, (void)connection, (void)success;
    ended++;
}

static void setup(int n)
{
    static struct doca_comm_channel_ep_t ep;

    peers_open(&ep, CC_SERVICE, n);
    ep.takes_packets = true;
    ck_assert_int_eq(doca_pe_create(&pe), DOCA_SUCCESS);
    end = aligned_alloc(64, (sizeof(*end) + 63) & ~(size_t)63);
    ck_assert_ptr_nonnull(end);
    memset(end, 0, sizeof(*end));
    end->ctx.pe = pe;
    end->ctx.state = DOCA_CTX_STATE_RUNNING;
    end->is_server = true;
    end->on_message = on_message;
    end->on_disconnect = on_disconnect;
    end->ep = &ep;
    end->timer = end->bell = -1;
    list_init(&end->open);
    list_init(&end->ended);
    list_init(&end->spare);
    end->news_event.deliver = comch_deliver_news;
    end->ended_event.deliver = comch_deliver_ended;
    end->source = (struct work_source){.poll = comch_poll, .arm = comch_arm, .clear = comch_clear};
    executor_add_source(&pe->executor, &end->source);
    pe_hold(pe);
    for (int i = 0; i < n; i++)
        ck_assert_ptr_nonnull(comch_connection_new(end, others[i].address));
    ended = 0;
}

static void forget(struct list *connections)
{
    while (!list_empty(connections)) {
        struct doca_comch_connection *c =
            list_entry(connections->next, struct doca_comch_connection, link);
        list_remove(&c->link);
        if (c->address)
            comch_path_end(c->path);
        comch_path_unref(c->path);
        free(c);
    }
}

static void teardown(void)
{
    list_remove(&end->source.node);
    pe_release(pe);
    pe_withdraw(pe, &end->news_event);
    pe_withdraw(pe, &end->ended_event);
    forget(&end->open);
    forget(&end->ended);
    forget(&end->spare);
    ck_assert_int_eq(doca_pe_destroy(pe), DOCA_SUCCESS);
    peers_close(end->ep);
    free(end);
    end = NULL;
}

// ---- messages ------------------------------------------------------------------------------

// A poll may look at one client, or at the set: nothing for two polls in a row is nothing.
static int heard(void)
{
    heard_of = -1;
    for (int idle = 0; heard_of < 0 && idle < 3; idle++)
        if (doca_pe_progress(pe))
            idle = 0;
    return heard_of;
}

static void hears(int who, int n)
{
    for (int i = 0; i < n; i++)
        ck_assert_int_eq(heard(), who);
}

// Talks until it is taken out of the set.
static void talks(int who)
{
    peers_say(who, MANY);
    hears(who, MANY);
    ck_assert_ptr_eq(end->ep->apart, others[who].address);
    ck_assert_int_eq(heard(), -1);
}

static bool wakes(void)
{
    doca_notification_handle_t handle;
    ck_assert_int_eq(doca_pe_get_notification_handle(pe, &handle), DOCA_SUCCESS);
    ck_assert_int_eq(doca_pe_request_notification(pe), DOCA_SUCCESS);
    struct pollfd p = {.fd = handle, .events = POLLIN};
    bool readable = poll(&p, 1, 0) == 1;
    ck_assert_int_eq(doca_pe_clear_notification(pe, handle), DOCA_SUCCESS);
    return readable;
}

// ---- tests ---------------------------------------------------------------------------------

START_TEST(one_call_for_a_message)
{
    setup(PEERS);
    peers_say(0, 1);
    hears(0, 1);
    sets = 0;
    for (int i = 0; i < 4; i++) {
        peers_say(0, MANY);
        hears(0, MANY);
    }
    ck_assert_uint_le(sets, 4 * MANY / 50);
    teardown();
}
END_TEST

// However much one client has said, the others come soon; and it goes on afterwards.
START_TEST(everybody_has_a_turn)
{
    int last[PEERS] = {0};
    setup(PEERS);
    talks(0);
    peers_say(0, MANY);
    peers_say(1, MANY);
    peers_say(2, 1);
    for (int i = 0; i < 2 * MANY + 1; i++) {
        int who = heard();
        ck_assert_int_ge(who, 0);
        for (int k = 0; k < PEERS; k++)
            if (k != who && others[k].seen < others[k].sent)
                ck_assert_int_lt(i - last[k], 300);
        last[who] = i;
    }
    ck_assert_int_eq(heard(), -1);
    teardown();
}
END_TEST

START_TEST(each_in_its_turn)
{
    setup(PEERS);
    talks(0);
    for (int i = 0; i < 10; i++) {
        for (int who = 0; who < PEERS; who++) {
            peers_say(who, 1);
            hears(who, 1);
        }
        ck_assert_int_eq(heard(), -1);
    }
    for (int who = 0; who < PEERS; who++)
        talks(who);
    teardown();
}
END_TEST

START_TEST(it_leaves_while_it_is_apart)
{
    setup(2);
    talks(0);
    peers_say(0, 3);
    peers_leave(&others[0]);
    hears(0, 3);
    others[0].address = NULL; // the library frees it
    ck_assert_int_eq(heard(), -1);
    ck_assert_int_eq(ended, 1);
    ck_assert_ptr_null(end->ep->apart);
    talks(1);
    teardown();
}
END_TEST

// Whoever is out of the set is back in it when the program sleeps.
START_TEST(the_server_begins_to_sleep)
{
    setup(2);
    talks(0);
    ck_assert(!wakes());
    for (int i = 0; i < 300; i++) {
        peers_say(i % 20 == 0, 2);
        ck_assert(wakes());
        hears(i % 20 == 0, 2);
        ck_assert_int_eq(heard(), -1);
        ck_assert(!wakes());
    }
    teardown();
}
END_TEST

UNIT_MAIN("comch_turns", one_call_for_a_message, everybody_has_a_turn, each_in_its_turn,
          it_leaves_while_it_is_apart, the_server_begins_to_sleep)
