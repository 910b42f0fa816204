// SPDX-License-Identifier: BSD-3-Clause
// Copyright (c) 2026, the docad authors
//
// Whom a Comch server serves next: the client that sent last, without looking at the others, but
// not forever. Everybody has a turn, no message and no end is missed. And whom it does not take.

#include "channel_peers.h"
#include "comch/comch.h"
#include "memfd.h"
#include "packet.h"
#include "progress/engine.h"
#include "unit.h"

#include <poll.h>
#include <string.h>
#include <sys/epoll.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <unistd.h>

#define MANY 200 // messages in a row: several turns of one client

static struct comch_end *end;
static struct doca_pe *pe;
static int heard_of;  // whose message came last; -1: nobody's
static int ended;     // clients that have gone
static unsigned came; // that have been offered by docad, and were taken
static unsigned sets; // looks into the set of clients

int __real_epoll_wait(int fd, struct epoll_event *events, int most, int timeout);
int __wrap_epoll_wait(int fd, struct epoll_event *events, int most, int timeout);
int __wrap_epoll_wait(int fd, struct epoll_event *events, int most, int timeout)
{
    sets += end && end->ep && fd == end->ep->recv_epoll;
    return __real_epoll_wait(fd, events, most, timeout);
}

// There is no docad to tell.
void __wrap_cc_notify_closed(struct session *session, uint64_t id);
void __wrap_cc_notify_closed(struct session *session, uint64_t id)
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

static void on_connect(struct doca_comch_event_connection_status_changed *event,
                       struct doca_comch_connection *connection, uint8_t success)
{
    (void)event;
    ck_assert(connection && success);
    came++;
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
    end->on_connect = on_connect;
    end->ep = &ep;
    end->timer = end->wake_fd = -1;
    list_init(&end->open);
    list_init(&end->ended);
    list_init(&end->spare);
    end->pending_event.deliver = comch_deliver_event;
    end->ended_event.deliver = comch_deliver_ended;
    end->source = (struct work_source){.poll = comch_poll, .arm = comch_arm, .clear = comch_clear};
    executor_add_source(&pe->executor, &end->source);
    pe_hold(pe);
    for (int i = 0; i < n; i++)
        ck_assert_ptr_nonnull(comch_connection_new(end, others[i].address));
    ended = 0;
    came = 0;
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
    pe_withdraw(pe, &end->pending_event);
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
static int delivered(void)
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
        ck_assert_int_eq(delivered(), who);
}

// Talks until it is taken out of the set.
static void talks(int who)
{
    peers_say(who, MANY);
    hears(who, MANY);
    ck_assert_ptr_eq(end->ep->apart, others[who].address);
    ck_assert_int_eq(delivered(), -1);
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
        int who = delivered();
        ck_assert_int_ge(who, 0);
        for (int k = 0; k < PEERS; k++)
            if (k != who && others[k].seen < others[k].sent)
                ck_assert_int_lt(i - last[k], 300);
        last[who] = i;
    }
    ck_assert_int_eq(delivered(), -1);
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
        ck_assert_int_eq(delivered(), -1);
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
    ck_assert_int_eq(delivered(), -1);
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
        ck_assert_int_eq(delivered(), -1);
        ck_assert(!wakes());
    }
    teardown();
}
END_TEST

// ---- a crowd -------------------------------------------------------------------------------

// What a client that docad offers has of its channel.
struct caller {
    int sock, wake;
};

static struct caller call_in(int accept_sock)
{
    Docad__ChannelOffer offer = DOCAD__CHANNEL_OFFER__INIT;
    struct channel_page page = {.magic = CHANNEL_PAGE_MAGIC, .version = CHANNEL_PAGE_VERSION};
    uint8_t packed[64];
    int messages[2], wakes[2];

    ck_assert_int_eq(socketpair(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0, messages), 0);
    ck_assert_int_eq(socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, wakes), 0);
    int memory = memfd_create_sealed("page", CHANNEL_PAGE_SIZE);
    ck_assert_int_eq(pwrite(memory, &page, sizeof(page), 0), sizeof(page));
    offer.channel_id = 1;
    offer.max_message = 64;
    offer.recv_queue = 1;
    size_t size = docad__channel_offer__pack(&offer, packed);
    int fds[] = {messages[1], wakes[1], memory};
    ck_assert_int_eq(packet_send(accept_sock, packed, size, fds, 3, 0), 0);
    for (int i = 0; i < 3; i++)
        close(fds[i]);
    return (struct caller){messages[0], wakes[0]};
}

static void hang_up(struct caller c)
{
    close(c.sock);
    close(c.wake);
}

static void look_around(void)
{
    for (int i = 0; i < 5; i++)
        doca_pe_progress(pe);
}

// Another thread closes sockets.
static bool rejected(struct caller c)
{
    struct pollfd p = {.fd = c.sock, .events = POLLRDHUP};
    return poll(&p, 1, 10000) == 1;
}

static void allow_descriptors(rlim_t n)
{
    struct rlimit limit;
    ck_assert_int_eq(getrlimit(RLIMIT_NOFILE, &limit), 0);
    limit.rlim_cur = n;
    ck_assert_msg(limit.rlim_max >= n, "this test needs a hard limit of %lu open files", n);
    ck_assert_int_eq(setrlimit(RLIMIT_NOFILE, &limit), 0);
}

// As many as devices say, and one more when one has left.
START_TEST(no_more_clients_than_it_says)
{
    static struct caller callers[COMCH_CLIENTS_MAX];
    int docad[2];

    allow_descriptors(5 * COMCH_CLIENTS_MAX);
    setup(0);
    ck_assert_int_eq(socketpair(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0, docad), 0);
    end->ep->accept_sock = docad[0];
    ck_assert_int_eq(cc_events_add_service(end->ep), 0);
    for (unsigned i = 0; i < COMCH_CLIENTS_MAX; i++) {
        callers[i] = call_in(docad[1]);
        look_around();
        ck_assert_uint_eq(came, i + 1);
    }
    struct caller surplus = call_in(docad[1]);
    look_around();
    ck_assert(rejected(surplus));
    ck_assert_uint_eq(came, COMCH_CLIENTS_MAX);
    hang_up(surplus);
    hang_up(callers[7]);
    look_around();
    ck_assert_int_eq(ended, 1);
    callers[7] = call_in(docad[1]);
    look_around();
    ck_assert_uint_eq(came, COMCH_CLIENTS_MAX + 1);
    for (unsigned i = 0; i < COMCH_CLIENTS_MAX; i++)
        hang_up(callers[i]);
    for (unsigned i = 0; i < 3 * COMCH_CLIENTS_MAX; i++)
        doca_pe_progress(pe);
    ck_assert_int_eq(ended, COMCH_CLIENTS_MAX + 1);
    close(docad[1]);
    close(docad[0]);
    teardown();
}
END_TEST

UNIT_MAIN("comch_turns", one_call_for_a_message, everybody_has_a_turn, each_in_its_turn,
          it_leaves_while_it_is_apart, the_server_begins_to_sleep, no_more_clients_than_it_says)
