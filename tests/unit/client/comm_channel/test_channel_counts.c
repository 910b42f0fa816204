// SPDX-License-Identifier: BSD-3-Clause
// Copyright (c) 2026, the docad authors
//
// Who polls asks the kernel only if the peer's count of packets says so, and once in a tick: a
// count may lie, and who was killed does not count. The linker sends calls here, to be counted;
// time is what the test says.

#include "channel_peers.h"
#include "unit.h"

#include <doca_comm_channel.h>
#include <string.h>
#include <sys/socket.h>
#include <time.h>

#define LOOKS 100

static struct doca_comm_channel_ep_t ep;
static unsigned asked; // times that the kernel was
static uint64_t now_ms = 1000;

ssize_t __real_recv(int fd, void *buf, size_t n, int flags);
ssize_t __wrap_recv(int fd, void *buf, size_t n, int flags);
ssize_t __wrap_recv(int fd, void *buf, size_t n, int flags)
{
    asked++;
    return __real_recv(fd, buf, n, flags);
}

// Where the kernel cannot keep descriptors out of a socket.
ssize_t __real_recvmsg(int fd, struct msghdr *msg, int flags);
ssize_t __wrap_recvmsg(int fd, struct msghdr *msg, int flags);
ssize_t __wrap_recvmsg(int fd, struct msghdr *msg, int flags)
{
    asked++;
    return __real_recvmsg(fd, msg, flags);
}

int __wrap_clock_gettime(clockid_t clock, struct timespec *time);
int __wrap_clock_gettime(clockid_t clock, struct timespec *time)
{
    (void)clock;
    *time =
        (struct timespec){.tv_sec = (time_t)(now_ms / 1000), .tv_nsec = now_ms % 1000 * 1000000};
    return 0;
}

static unsigned yields;

int __wrap_sched_yield(void);
int __wrap_sched_yield(void)
{
    yields++;
    return 0;
}

static doca_error_t look(void)
{
    struct doca_comm_channel_addr_t *from;
    uint64_t number[8];
    size_t len = sizeof(number);
    return doca_comm_channel_ep_recvfrom(&ep, number, &len, 0, &from);
}

static void sees_nothing(unsigned looks, unsigned asks)
{
    asked = 0;
    for (unsigned i = 0; i < looks; i++)
        ck_assert_int_eq(look(), DOCA_ERROR_AGAIN);
    ck_assert_uint_eq(asked, asks);
}

static _Atomic uint64_t *their_count(void)
{
    return &others[0].page->sent[CHANNEL_SERVICE].packets;
}

// A client of a service that counts, whose first look of this tick is over.
static void begin(void)
{
    peers_open(&ep, CC_CLIENT, 1);
    atomic_store(their_count(), 1);
    sees_nothing(1, 1);
}

static void says(int n)
{
    peers_say(0, n);
    atomic_fetch_add(their_count(), (uint64_t)n);
}

START_TEST(silence_costs_a_call_in_a_tick)
{
    begin();
    sees_nothing(LOOKS, 0);
    for (int tick = 0; tick < 3; tick++) {
        now_ms += 4;
        sees_nothing(LOOKS, 1);
    }
    peers_close(&ep);
}
END_TEST

// A look at a count takes a tenth of the time of one into a socket.
START_TEST(silence_yields_as_seldom_as_before)
{
    begin();
    yields = 0;
    sees_nothing(1000, 0);
    ck_assert_uint_le(yields, 1);
    peers_close(&ep);
    peers_open(&ep, CC_CLIENT, 1); // it does not count
    sees_nothing(1000, 1000);
    ck_assert_uint_gt(yields, 5);
    peers_close(&ep);
}
END_TEST

START_TEST(what_is_counted_is_found_at_once)
{
    begin();
    for (int n = 1; n < 5; n++) {
        says(n);
        for (int i = 0; i < n; i++)
            ck_assert_int_eq(look(), DOCA_SUCCESS);
        sees_nothing(LOOKS, 0);
    }
    peers_close(&ep);
}
END_TEST

START_TEST(what_is_not_counted_is_found_in_the_next_tick)
{
    begin();
    peers_say(0, 1);
    sees_nothing(LOOKS, 0);
    now_ms += 1;
    ck_assert_int_eq(look(), DOCA_SUCCESS);
    sees_nothing(LOOKS, LOOKS); // it is behind its count
    atomic_fetch_add(their_count(), 1);
    sees_nothing(LOOKS, 0);
    peers_close(&ep);
}
END_TEST

START_TEST(what_is_counted_but_not_there_costs_calls)
{
    begin();
    atomic_store(their_count(), UINT64_MAX);
    sees_nothing(LOOKS, LOOKS);
    peers_say(0, 1);
    ck_assert_int_eq(look(), DOCA_SUCCESS);
    atomic_store(their_count(), 0);
    sees_nothing(LOOKS, LOOKS);
    peers_close(&ep);
}
END_TEST

START_TEST(who_does_not_count_is_asked)
{
    peers_open(&ep, CC_CLIENT, 1);
    sees_nothing(LOOKS, LOOKS);
    peers_say(0, 1);
    ck_assert_int_eq(look(), DOCA_SUCCESS);
    sees_nothing(LOOKS, LOOKS);
    peers_close(&ep);
}
END_TEST

START_TEST(who_waits_asks)
{
    doca_event_channel_t fd;
    begin();
    ck_assert_int_eq(doca_comm_channel_ep_get_event_channel(&ep, NULL, &fd), DOCA_SUCCESS);
    sees_nothing(LOOKS, LOOKS);
    peers_close(&ep);
}
END_TEST

START_TEST(an_end_is_found)
{
    begin();
    peers_leave(&others[0]); // killed
    sees_nothing(LOOKS, 0);
    now_ms += 1;
    ck_assert_int_eq(look(), DOCA_ERROR_CONNECTION_RESET);
    peers_close(&ep);
    begin();
    atomic_fetch_add(their_count(), 1); // in an orderly way
    peers_leave(&others[0]);
    ck_assert_int_eq(look(), DOCA_ERROR_CONNECTION_RESET);
    peers_close(&ep);
}
END_TEST

START_TEST(we_count)
{
    begin();
    const _Atomic uint64_t *count = &others[0].page->sent[CHANNEL_CLIENT].packets;
    ck_assert_uint_eq(atomic_load(count), 1);
    for (unsigned n = 2; n < 5; n++) {
        ck_assert_int_eq(doca_comm_channel_ep_sendto(&ep, "", 1, 0, others[0].address),
                         DOCA_SUCCESS);
        ck_assert_uint_eq(atomic_load(count), n);
    }
    uint8_t packet[CC_PACKET_SIZE] = {0};
    ck_assert(cc_put_packet(others[0].address, packet));
    ck_assert_uint_eq(atomic_load(count), 5);
    others[0].address = cc_address_free(others[0].address);
    ck_assert_uint_eq(atomic_load(count), 6);
    peers_close(&ep);
}
END_TEST

UNIT_MAIN("channel_counts", silence_costs_a_call_in_a_tick, silence_yields_as_seldom_as_before,
          what_is_counted_is_found_at_once, what_is_not_counted_is_found_in_the_next_tick,
          what_is_counted_but_not_there_costs_calls, who_does_not_count_is_asked, who_waits_asks,
          an_end_is_found, we_count)
