// SPDX-License-Identifier: BSD-3-Clause
// Copyright (c) 2026, the docad authors
//
// Whom a service serves next, while a client that talks much is taken out of its epoll set:
// everybody has a turn, no message and no end is missed, and the descriptor for receiving is
// readable whenever it was asked for. A sender that ran into the kernel's limit is woken.

#include "channel_peers.h"
#include "unit.h"

#include <doca_comm_channel.h>
#include <poll.h>
#include <string.h>
#include <sys/epoll.h>
#include <sys/mman.h>
#include <sys/socket.h>
#include <unistd.h>

#define MANY 200 // messages in a row: several turns of one peer

static struct doca_comm_channel_ep_t ep;
static unsigned polls; // system calls

int __real_poll(struct pollfd *fds, nfds_t n, int timeout);
int __wrap_poll(struct pollfd *fds, nfds_t n, int timeout);
int __wrap_poll(struct pollfd *fds, nfds_t n, int timeout)
{
    polls++;
    return __real_poll(fds, n, timeout);
}

// ---- messages -----------------------------------------------------------------------------

static doca_error_t receive(struct doca_comm_channel_addr_t **from)
{
    uint64_t number[8];
    size_t len = sizeof(number);
    *from = NULL;
    doca_error_t r = doca_comm_channel_ep_recvfrom(&ep, number, &len, 0, from);
    if (r != DOCA_SUCCESS)
        return r;
    for (int i = 0; i < PEERS; i++)
        if (others[i].address == *from)
            ck_assert_uint_eq(number[0], others[i].seen++);
    return r;
}

// Receives one message, and says whose it was.
static int heard(void)
{
    struct doca_comm_channel_addr_t *from;
    ck_assert_int_eq(receive(&from), DOCA_SUCCESS);
    for (int i = 0; i < PEERS; i++)
        if (others[i].address == from)
            return i;
    ck_abort_msg("a message of nobody");
}

static void hears(int who, int n)
{
    for (int i = 0; i < n; i++)
        ck_assert_int_eq(heard(), who);
}

static void nothing(void)
{
    struct doca_comm_channel_addr_t *from;
    ck_assert_int_eq(receive(&from), DOCA_ERROR_AGAIN);
}

// Talks until it is taken out of the set.
static void talks(int who)
{
    peers_say(who, MANY);
    hears(who, MANY);
    ck_assert_ptr_eq(ep.apart, others[who].address);
    nothing();
}

static bool is_readable(int fd)
{
    struct pollfd p = {.fd = fd, .events = POLLIN};
    return poll(&p, 1, 0) == 1;
}

static int receive_channel(void)
{
    doca_event_channel_t fd;
    ck_assert_int_eq(doca_comm_channel_ep_get_event_channel(&ep, NULL, &fd), DOCA_SUCCESS);
    return fd;
}

// ---- turns --------------------------------------------------------------------------------

// However much one client has said, the others come soon; and it goes on afterwards.
START_TEST(everybody_has_a_turn)
{
    peers_open(&ep, CC_SERVICE, PEERS);
    talks(0);
    peers_say(0, MANY);
    peers_say(1, MANY);
    peers_say(2, 1);
    int last[PEERS] = {0};
    for (int i = 0; i < 2 * MANY + 1; i++) {
        int who = heard();
        for (int k = 0; k < PEERS; k++)
            if (k != who && others[k].seen < others[k].sent)
                ck_assert_int_lt(i - last[k], 300);
        last[who] = i;
    }
    nothing();
    peers_close(&ep);
}
END_TEST

START_TEST(each_in_its_turn)
{
    peers_open(&ep, CC_SERVICE, PEERS);
    talks(0);
    for (int i = 0; i < 10; i++) {
        for (int who = 0; who < PEERS; who++) {
            peers_say(who, 1);
            hears(who, 1);
        }
        nothing();
    }
    for (int who = 0; who < PEERS; who++)
        talks(who);
    for (int who = 0; who < PEERS; who++)
        peers_say(who, 1);
    for (int i = 0; i < PEERS; i++)
        heard();
    nothing();
    peers_close(&ep);
}
END_TEST

// Looks without a message do not lose it either.
START_TEST(after_a_long_silence)
{
    peers_open(&ep, CC_SERVICE, 2);
    talks(0);
    for (int silence = 0; silence < 200; silence++) {
        for (int i = 0; i < silence; i++)
            nothing();
        peers_say(silence % 3 == 0, 1);
        hears(silence % 3 == 0, 1);
    }
    peers_close(&ep);
}
END_TEST

// ---- ends ---------------------------------------------------------------------------------

START_TEST(it_leaves)
{
    struct doca_comm_channel_addr_t *from;
    peers_open(&ep, CC_SERVICE, 2);
    talks(0);
    peers_say(0, 3);
    peers_leave(&others[0]);
    hears(0, 3);
    ck_assert_int_eq(receive(&from), DOCA_ERROR_CONNECTION_RESET);
    ck_assert_ptr_eq(from, others[0].address);
    nothing();
    talks(1); // another one can be taken out
    peers_close(&ep);
}
END_TEST

START_TEST(it_leaves_while_another_talks)
{
    struct doca_comm_channel_addr_t *from;
    doca_error_t r;
    int told = 0;
    peers_open(&ep, CC_SERVICE, 2);
    talks(0);
    peers_say(1, MANY);
    peers_say(0, 3);
    peers_leave(&others[0]);
    while ((r = receive(&from)) != DOCA_ERROR_AGAIN)
        told += r == DOCA_ERROR_CONNECTION_RESET;
    ck_assert_int_eq(told, 1);
    ck_assert_uint_eq(others[0].seen, others[0].sent);
    ck_assert_uint_eq(others[1].seen, others[1].sent);
    peers_close(&ep);
}
END_TEST

START_TEST(it_is_disconnected)
{
    peers_open(&ep, CC_SERVICE, 2);
    talks(0);
    cc_address_free(others[0].address);
    others[0].address = NULL;
    ck_assert_ptr_null(ep.apart);
    peers_say(1, 1);
    hears(1, 1);
    nothing();
    peers_close(&ep);
}
END_TEST

// ---- waiting ------------------------------------------------------------------------------

// The descriptor is readable as soon as it is there, for everybody's messages.
START_TEST(a_service_begins_to_wait)
{
    peers_open(&ep, CC_SERVICE, 2);
    talks(0);
    peers_say(0, 1);
    int fd = receive_channel();
    ck_assert(is_readable(fd));
    hears(0, 1);
    nothing();
    for (int i = 0; i < 300; i++) {
        ck_assert(!is_readable(fd));
        peers_say(i % 20 == 0, 2);
        ck_assert(is_readable(fd));
        hears(i % 20 == 0, 1);
        ck_assert(is_readable(fd));
        hears(i % 20 == 0, 1);
    }
    peers_close(&ep);
}
END_TEST

START_TEST(a_client_begins_to_wait)
{
    peers_open(&ep, CC_CLIENT, 1);
    peers_say(0, MANY);
    hears(0, MANY);
    peers_say(0, 2);
    int fd = receive_channel();
    ck_assert(is_readable(fd));
    ck_assert_int_eq(receive_channel(), fd);
    hears(0, 2);
    ck_assert(!is_readable(fd));
    cc_address_free(others[0].address); // disconnects, and connects again
    munmap(others[0].page, CHANNEL_PAGE_SIZE);
    peers_leave(&others[0]);
    peers_add(&ep, &others[0]);
    ck_assert(!is_readable(fd));
    peers_say(0, 1);
    ck_assert(is_readable(fd));
    hears(0, 1);
    peers_leave(&others[0]);
    ck_assert(is_readable(fd));
    peers_close(&ep);
}
END_TEST

// Nobody waits: a client's socket is in no set, and an active peer's neither.
START_TEST(nobody_waits)
{
    doca_event_channel_t fd;
    peers_open(&ep, CC_CLIENT, 1);
    ck_assert_int_eq(doca_comm_channel_ep_get_event_channel(&ep, &fd, NULL), DOCA_SUCCESS);
    ck_assert_int_eq(epoll_ctl(ep.recv_epoll, EPOLL_CTL_DEL, others[0].address->sock, NULL), -1);
    peers_close(&ep);
    peers_open(&ep, CC_SERVICE, 1);
    talks(0);
    ck_assert_int_eq(epoll_ctl(ep.recv_epoll, EPOLL_CTL_DEL, others[0].address->sock, NULL), -1);
    peers_close(&ep);
}
END_TEST

// The kernel has room for less than the window. What the receiver takes after the attempt
// that failed wakes us, also if we had not looked at its count for long.
START_TEST(the_kernels_limit)
{
    uint64_t message[8] = {0};
    char byte;
    peers_open(&ep, CC_CLIENT, 1);
    struct other *o = &others[0];
    struct channel_side *theirs = &o->page->side[CHANNEL_SERVICE];
    uint64_t sent = 0, taken = 0;
    for (int turn = 0; turn < 20; turn++) {
        while (doca_comm_channel_ep_sendto(&ep, message, sizeof(message), 0, o->address) ==
               DOCA_SUCCESS)
            sent++;
        ck_assert_uint_lt(sent - taken, 2 * PEER_QUEUE); // not the window's
        ck_assert_int_eq(doca_comm_channel_ep_event_handle_arm_send(&ep), DOCA_SUCCESS);
        ck_assert(!is_readable(ep.send_epoll)); // nor at once: nothing was taken since
        ck_assert_uint_eq(atomic_load(&o->page->side[CHANNEL_CLIENT].wants_room), 1);
        for (; taken < sent; taken++)
            ck_assert_int_gt(recv(o->sock, message, sizeof(message), MSG_DONTWAIT), 0);
        atomic_store(&theirs->received, taken);
        ck_assert_int_eq(send(o->wake, "", 1, 0), 1);
        ck_assert(is_readable(ep.send_epoll));
    }
    ck_assert_int_eq(recv(o->sock, &byte, 1, MSG_DONTWAIT), -1);
    peers_close(&ep);
}
END_TEST

// Whoever also receives hears of the end without a system call for each try.
START_TEST(a_full_window)
{
    uint64_t message = 0;
    size_t length = sizeof(message);
    const char *why = "";
    peers_open(&ep, CC_CLIENT, 1);
    struct other *o = &others[0];
    for (uint64_t i = 0; i < o->address->window && i < PEER_QUEUE / 8; i++)
        ck_assert_int_eq(cc_put_receiving(o->address, &message, sizeof(message), &why),
                         DOCA_SUCCESS);
    o->address->window = o->address->now.send_messages;
    polls = 0;
    for (int i = 0; i < 10; i++)
        ck_assert_int_eq(cc_put_receiving(o->address, &message, sizeof(message), &why),
                         DOCA_ERROR_AGAIN);
    ck_assert_uint_eq(polls, 0);
    ck_assert_int_eq(cc_put(o->address, &message, sizeof(message), &why), DOCA_ERROR_AGAIN);
    ck_assert_uint_eq(polls, 1);
    peers_leave(o);
    ck_assert_int_eq(cc_put_receiving(o->address, &message, sizeof(message), &why),
                     DOCA_ERROR_AGAIN);
    ck_assert_int_eq(cc_put(o->address, &message, sizeof(message), &why),
                     DOCA_ERROR_CONNECTION_RESET);
    ck_assert_int_eq(cc_take(o->address, &message, &length), DOCA_ERROR_CONNECTION_RESET);
    peers_close(&ep);
}
END_TEST

UNIT_MAIN("channel turns", everybody_has_a_turn, each_in_its_turn, after_a_long_silence, it_leaves,
          it_leaves_while_another_talks, it_is_disconnected, a_service_begins_to_wait,
          a_client_begins_to_wait, nobody_waits, the_kernels_limit, a_full_window)
