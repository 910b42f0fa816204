// SPDX-License-Identifier: BSD-3-Clause
// Copyright (c) 2026, the docad authors
//
// Messages by the rings of a channel: without the kernel while both sides poll, in one order with
// the packets, and none lost when a receiver begins to wait or a side ends. The linker sends calls
// here, to be counted; time is what the test says.

#include "channel_pair.h"
#include "unit.h"

#include <doca_comm_channel.h>
#include <errno.h>
#include <poll.h>
#include <string.h>
#include <sys/epoll.h>
#include <sys/socket.h>
#include <time.h>

static struct channel_pairs pairs;
static struct doca_comm_channel_ep_t *const service = &pairs.service;
static struct channel_pair *const first = &pairs.of[0];

// ---- the kernel ----------------------------------------------------------------------------

static unsigned calls;
static uint64_t now_ms = 1000;
// Once each: between a sender's two looks, and between a receiver's.
static void (*at_the_clock)(void), (*at_a_peek)(void);

ssize_t __real_recv(int fd, void *buf, size_t n, int flags);
ssize_t __wrap_recv(int fd, void *buf, size_t n, int flags);
ssize_t __wrap_recv(int fd, void *buf, size_t n, int flags)
{
    void (*now)(void) = at_a_peek;
    calls++;
    if (now && flags & MSG_PEEK) {
        at_a_peek = NULL;
        now();
    }
    return __real_recv(fd, buf, n, flags);
}

ssize_t __real_recvmsg(int fd, struct msghdr *msg, int flags);
ssize_t __wrap_recvmsg(int fd, struct msghdr *msg, int flags);
ssize_t __wrap_recvmsg(int fd, struct msghdr *msg, int flags)
{
    calls++;
    return __real_recvmsg(fd, msg, flags);
}

static bool no_memory;   // in the kernel
static bool nudges_fail; // the sender's socket is full

ssize_t __real_send(int fd, const void *buf, size_t n, int flags);
ssize_t __wrap_send(int fd, const void *buf, size_t n, int flags);
ssize_t __wrap_send(int fd, const void *buf, size_t n, int flags)
{
    calls++;
    if (no_memory) {
        errno = ENOBUFS;
        return -1;
    }
    if (nudges_fail && n == CHANNEL_NUDGE_SIZE) {
        errno = EAGAIN;
        return -1;
    }
    return __real_send(fd, buf, n, flags);
}

int __real_epoll_wait(int fd, struct epoll_event *events, int max, int timeout);
int __wrap_epoll_wait(int fd, struct epoll_event *events, int max, int timeout);
int __wrap_epoll_wait(int fd, struct epoll_event *events, int max, int timeout)
{
    calls++;
    return __real_epoll_wait(fd, events, max, timeout);
}

int __wrap_clock_gettime(clockid_t clock, struct timespec *time);
int __wrap_clock_gettime(clockid_t clock, struct timespec *time)
{
    void (*now)(void) = at_the_clock;
    (void)clock;
    at_the_clock = NULL;
    *time =
        (struct timespec){.tv_sec = (time_t)(now_ms / 1000), .tv_nsec = now_ms % 1000 * 1000000};
    if (now)
        now();
    return 0;
}

// ---- messages ------------------------------------------------------------------------------

// Numbers in a row, of each length, so that each lost, doubled or changed one shows.
struct stream {
    uint64_t sent, taken;
};

static uint8_t message[CHANNEL_PACKET_SIZE];

static size_t length_of(uint64_t number, size_t longest)
{
    return sizeof(number) + number * 2654435761u % (longest - sizeof(number) + 1);
}

static void make(uint8_t *to, uint64_t number, size_t length)
{
    memcpy(to, &number, sizeof(number));
    for (size_t i = sizeof(number); i < length; i++)
        to[i] = (uint8_t)(number + i);
}

static void check(uint64_t number, size_t length)
{
    static uint8_t expected[CHANNEL_PACKET_SIZE];
    make(expected, number, length);
    ck_assert_int_eq(memcmp(message, expected, length), 0);
}

static doca_error_t say(struct channel_pair *pair, struct stream *s, size_t longest)
{
    uint8_t mine[CHANNEL_MESSAGE_MAX];
    size_t length = length_of(s->sent, longest);
    make(mine, s->sent, length);
    doca_error_t e = doca_comm_channel_ep_sendto(&pair->ep, mine, length, 0, pair->there);
    s->sent += e == DOCA_SUCCESS;
    return e;
}

static void says(struct stream *s, int n)
{
    for (int i = 0; i < n; i++)
        ck_assert_int_eq(say(first, s, sizeof(uint64_t)), DOCA_SUCCESS);
}

// By the service. Checks that the message is this client's next one.
static doca_error_t hear(struct stream *of, size_t longest)
{
    struct doca_comm_channel_addr_t *from;
    size_t length = sizeof(message);
    doca_error_t e = doca_comm_channel_ep_recvfrom(service, message, &length, 0, &from);
    if (e != DOCA_SUCCESS)
        return e;
    for (int i = 0; i < pairs.n; i++) {
        if (pairs.of[i].client != from)
            continue;
        ck_assert_uint_eq(length, length_of(of[i].taken, longest));
        check(of[i].taken++, length);
    }
    return e;
}

static void hears(struct stream *of, int n)
{
    for (int i = 0; i < n; i++)
        ck_assert_int_eq(hear(of, sizeof(uint64_t)), DOCA_SUCCESS);
    ck_assert_int_eq(hear(of, sizeof(uint64_t)), DOCA_ERROR_AGAIN);
}

static uint64_t in_ring(void)
{
    return atomic_load(&first->there->ring.out->put);
}

// The service polls, and has said so.
static struct stream begin(int clients, uint16_t queue)
{
    struct stream s[PAIR_CLIENTS] = {{0}};
    pairs_open(&pairs, clients, queue);
    says(s, 1);
    ck_assert_uint_eq(in_ring(), 0);
    hears(s, 1);
    return s[0];
}

// ---- who polls -----------------------------------------------------------------------------

START_TEST(who_polls_gets_records_without_the_kernel)
{
    struct stream s = begin(1, 64);
    says(&s, 1); // in this tick the kernel is asked for the peer
    hears(&s, 1);
    for (int i = 0; i < 1000; i++) {
        calls = 0;
        says(&s, 3);
        ck_assert_uint_eq(calls, 0);
        for (int k = 0; k < 3; k++)
            ck_assert_int_eq(hear(&s, sizeof(uint64_t)), DOCA_SUCCESS);
        ck_assert_uint_eq(calls, 0);
        // A poll that finds nothing looks at the others; it ends the turn of this peer, too.
        ck_assert_int_eq(hear(&s, sizeof(uint64_t)), DOCA_ERROR_AGAIN);
    }
    ck_assert_uint_gt(in_ring(), 0);
    pairs_close(&pairs);
}
END_TEST

START_TEST(a_client_that_polls_gets_records)
{
    struct doca_comm_channel_addr_t *from;
    struct stream s = begin(1, 64);
    for (uint64_t i = 0; i < 3000; i++) {
        calls = 0;
        ck_assert_int_eq(doca_comm_channel_ep_sendto(service, &i, sizeof(i), 0, first->client),
                         DOCA_SUCCESS);
        uint64_t number;
        size_t length = sizeof(message);
        ck_assert_int_eq(doca_comm_channel_ep_recvfrom(&first->ep, message, &length, 0, &from),
                         DOCA_SUCCESS);
        memcpy(&number, message, sizeof(number));
        ck_assert_uint_eq(number, i);
        ck_assert(calls == 0 || i < 2);
    }
    (void)s;
    pairs_close(&pairs);
}
END_TEST

START_TEST(only_so_many_are_polled_and_all_are_heard)
{
    struct stream s[PAIR_CLIENTS] = {{0}};
    pairs_open(&pairs, PAIR_CLIENTS, 64);
    for (int round = 0; round < 50; round++) {
        for (int i = 0; i < PAIR_CLIENTS; i++)
            for (int k = 0; k < i % 3 + 1; k++)
                ck_assert_int_eq(say(&pairs.of[i], &s[i], 100), DOCA_SUCCESS);
        while (hear(s, 100) == DOCA_SUCCESS)
            ;
        for (int i = 0; i < PAIR_CLIENTS; i++)
            ck_assert_uint_eq(s[i].taken, s[i].sent);
    }
    ck_assert_uint_eq(service->polled.n, CC_POLLED_MAX);
    // A place is free when its peer ends.
    for (int i = 0; i < PAIR_CLIENTS; i++)
        if (pairs.of[i].client == service->polled.of[0]) {
            pairs.of[i].client = cc_address_free(pairs.of[i].client);
            break;
        }
    ck_assert_uint_eq(service->polled.n, CC_POLLED_MAX - 1);
    pairs_close(&pairs);
}
END_TEST

static void the_first_ones_speak(struct stream *s)
{
    for (unsigned i = 0; i < CC_POLLED_MAX; i++) {
        ck_assert_int_eq(say(&pairs.of[i], &s[i], 100), DOCA_SUCCESS);
        ck_assert_int_eq(hear(s, 100), DOCA_SUCCESS);
    }
}

static void begin_with_all_places_taken(struct stream *s)
{
    pairs_open(&pairs, PAIR_CLIENTS, 64);
    the_first_ones_speak(s);
}

// All places are taken, and the last client sends alone.
START_TEST(who_sends_much_takes_the_place_of_who_does_not)
{
    struct channel_pair *last = &pairs.of[PAIR_CLIENTS - 1];
    struct stream s[PAIR_CLIENTS] = {{0}};
    begin_with_all_places_taken(s);
    the_first_ones_speak(s);
    for (int i = 0; i < 50; i++) {
        ck_assert_int_eq(say(last, &s[PAIR_CLIENTS - 1], 100), DOCA_SUCCESS);
        while (hear(s, 100) == DOCA_SUCCESS)
            ;
        // Once for those that were heard since they had their place.
        bool placed = last->client->ring.polled;
        ck_assert_uint_eq(placed, i + 1 >= 2 * (int)CC_PACKETS_FOR_A_PLACE);
    }
    ck_assert_uint_eq(service->polled.n, CC_POLLED_MAX);
    ck_assert_uint_gt(atomic_load(&last->there->ring.out->put), 0);
    // Who has lost its place is heard, and gets one again.
    for (int i = 0; i < 50; i++)
        the_first_ones_speak(s);
    for (unsigned k = 0; k < CC_POLLED_MAX; k++)
        ck_assert(pairs.of[k].client->ring.polled);
    pairs_close(&pairs);
}
END_TEST

START_TEST(who_has_records_left_keeps_its_place)
{
    struct channel_pair *last = &pairs.of[PAIR_CLIENTS - 1];
    struct stream s[PAIR_CLIENTS] = {{0}};
    begin_with_all_places_taken(s);
    for (unsigned i = 0; i < CC_POLLED_MAX; i++)
        ck_assert_int_eq(say(&pairs.of[i], &s[i], 100), DOCA_SUCCESS);
    for (unsigned n = 0; n < 4 * CC_PACKETS_FOR_A_PLACE; n++) {
        size_t length = sizeof(message);
        ck_assert_int_eq(say(last, &s[PAIR_CLIENTS - 1], 100), DOCA_SUCCESS);
        ck_assert_int_eq(cc_take(last->client, message, &length), DOCA_SUCCESS);
    }
    for (unsigned i = 0; i < CC_POLLED_MAX; i++) {
        ck_assert(atomic_load(&pairs.of[i].there->ring.out->polled));
        ck_assert_int_eq(hear(s, 100), DOCA_SUCCESS);
    }
    pairs_close(&pairs);
}
END_TEST

static struct stream streams[PAIR_CLIENTS];

static void last_takes_the_place(void)
{
    int last = PAIR_CLIENTS - 1;
    for (unsigned i = 0; i < 2 * CC_PACKETS_FOR_A_PLACE; i++) {
        ck_assert_int_eq(say(&pairs.of[last], &streams[last], 100), DOCA_SUCCESS);
        ck_assert_int_eq(hear(streams, 100), DOCA_SUCCESS);
    }
}

START_TEST(who_loses_its_place_while_it_sends_is_heard)
{
    memset(streams, 0, sizeof(streams));
    begin_with_all_places_taken(streams);
    now_ms++;
    at_the_clock = last_takes_the_place;
    ck_assert_int_eq(say(first, &streams[0], 100), DOCA_SUCCESS);
    ck_assert(!first->client->ring.polled);
    ck_assert_uint_gt(in_ring(), 0);
    for (int i = 0; i < 3; i++)
        ck_assert_int_eq(say(first, &streams[0], 100), DOCA_SUCCESS);
    for (int i = 0; i < 4; i++)
        ck_assert_int_eq(hear(streams, 100), DOCA_SUCCESS);
    ck_assert_uint_eq(streams[0].taken, streams[0].sent);
    pairs_close(&pairs);
}
END_TEST

// Two clients flood their rings; the others' packets and records are heard all the same.
START_TEST(no_ring_keeps_others_waiting)
{
    struct stream s[PAIR_CLIENTS] = {{0}};
    pairs_open(&pairs, PAIR_CLIENTS, 64);
    for (int i = 0; i < 2; i++) {
        ck_assert_int_eq(say(&pairs.of[i], &s[i], 100), DOCA_SUCCESS);
        ck_assert_int_eq(hear(s, 100), DOCA_SUCCESS);
    }
    for (int round = 0; round < 3; round++) {
        for (int i = 2; i < PAIR_CLIENTS; i++)
            ck_assert_int_eq(say(&pairs.of[i], &s[i], 100), DOCA_SUCCESS);
        for (int heard = 0; heard < 6000; heard++) {
            for (int i = 0; i < 2; i++)
                while (say(&pairs.of[i], &s[i], 100) == DOCA_SUCCESS)
                    ;
            ck_assert_int_eq(hear(s, 100), DOCA_SUCCESS);
        }
        for (int i = 2; i < PAIR_CLIENTS; i++)
            ck_assert_uint_eq(s[i].taken, s[i].sent);
    }
    pairs_close(&pairs);
}
END_TEST

// ---- order ---------------------------------------------------------------------------------

// More than the ring holds: the rest are packets, until there is room in the ring again.
START_TEST(records_and_packets_keep_their_order)
{
    struct stream s = begin(1, CHANNEL_QUEUE_MAX);
    bool both = false;
    for (uint64_t n = 1; s.sent < 8000; n = n * 5 % 997 + 1) {
        uint64_t packets = first->there->put, records = in_ring();
        for (uint64_t i = 0;
             i < n && say(first, &s, i % 7 ? 200 : CHANNEL_MESSAGE_MAX) == DOCA_SUCCESS; i++)
            ;
        both = both || (first->there->put > packets && in_ring() > records);
        // hear() wants to know which lengths were possible, so it is not used.
        for (uint64_t i = 0; i < n * 3 / 4 + 1 && s.taken < s.sent; i++) {
            struct doca_comm_channel_addr_t *from;
            size_t length = sizeof(message);
            ck_assert_int_eq(doca_comm_channel_ep_recvfrom(service, message, &length, 0, &from),
                             DOCA_SUCCESS);
            check(s.taken++, length);
        }
    }
    ck_assert(both);
    pairs_close(&pairs);
}
END_TEST

START_TEST(each_length_goes_through_the_ring)
{
    struct stream s = begin(1, 64);
    while (in_ring() < 20ull * CHANNEL_RING_SIZE) {
        uint64_t records = in_ring();
        for (int i = 0; i < 5; i++)
            ck_assert_int_eq(say(first, &s, CHANNEL_MESSAGE_MAX), DOCA_SUCCESS);
        ck_assert_uint_gt(in_ring(), records);
        for (int i = 0; i < 5; i++)
            ck_assert_int_eq(hear(&s, CHANNEL_MESSAGE_MAX), DOCA_SUCCESS);
    }
    pairs_close(&pairs);
}
END_TEST

// What DOCA 3 says of its fast path is heard between the messages before and after it.
START_TEST(what_is_not_a_message_keeps_its_place)
{
    uint8_t packet[CC_PACKET_SIZE] = {0};
    struct stream s = begin(1, 64);
    service->takes_packets = true;
    for (unsigned round = 0; round < 100; round++) {
        unsigned before = round % 4;
        says(&s, (int)before);
        ck_assert(cc_put_packet(first->there, packet));
        says(&s, 2);
        for (unsigned i = 0; i < before + 3; i++) {
            size_t length = sizeof(message);
            ck_assert_int_eq(cc_take(first->client, message, &length), DOCA_SUCCESS);
            ck_assert_uint_eq(length, i == before ? CC_PACKET_SIZE : sizeof(uint64_t));
            if (i != before)
                check(s.taken++, length);
        }
    }
    pairs_close(&pairs);
}
END_TEST

// The record is put between the receiver's look into its ring and the one into its socket.
static struct stream late;

static void says_and_sends_a_packet(void)
{
    uint8_t packet[CC_PACKET_SIZE] = {0};
    says(&late, 1);
    ck_assert(cc_put_packet(first->there, packet));
}

START_TEST(a_record_before_a_packet_that_is_found_first)
{
    size_t length = sizeof(message);
    late = begin(1, 64);
    service->takes_packets = true;
    at_a_peek = says_and_sends_a_packet;
    ck_assert_int_eq(cc_take(first->client, message, &length), DOCA_SUCCESS);
    check(late.taken++, length);
    length = sizeof(message);
    ck_assert_int_eq(cc_take(first->client, message, &length), DOCA_SUCCESS);
    ck_assert_uint_eq(length, CC_PACKET_SIZE);
    pairs_close(&pairs);
}
END_TEST

// ---- who begins to wait ----------------------------------------------------------------------

static int begins_to_wait(void)
{
    doca_event_channel_t fd;
    ck_assert_int_eq(doca_comm_channel_ep_get_event_channel(service, NULL, &fd), DOCA_SUCCESS);
    return fd;
}

static bool readable(int fd)
{
    struct pollfd p = {.fd = fd, .events = POLLIN};
    return poll(&p, 1, 0) == 1;
}

START_TEST(who_waits_is_woken_by_packets)
{
    struct stream s = begin(1, 64);
    says(&s, 2);
    hears(&s, 2);
    int fd = begins_to_wait();
    for (int i = 0; i < 10; i++) {
        uint64_t records = in_ring();
        ck_assert(!readable(fd));
        says(&s, 1);
        ck_assert(readable(fd));
        ck_assert_uint_eq(in_ring(), records);
        hears(&s, 1);
    }
    pairs_close(&pairs);
}
END_TEST

START_TEST(records_that_are_left_keep_it_readable)
{
    struct stream s = begin(2, 512);
    says(&s, 1000);
    int fd = begins_to_wait();
    calls = 0;
    for (int i = 0; i < 1000; i++) {
        ck_assert(readable(fd));
        ck_assert_int_eq(hear(&s, sizeof(uint64_t)), DOCA_SUCCESS);
    }
    ck_assert_uint_lt(calls, 100);
    hears(&s, 0);
    ck_assert(!readable(fd));
    pairs_close(&pairs);
}
END_TEST

START_TEST(records_that_are_left_go_with_their_peer)
{
    struct stream s = begin(2, 64);
    says(&s, 3);
    int fd = begins_to_wait();
    ck_assert(readable(fd));
    first->client = cc_address_free(first->client);
    ck_assert(!readable(fd));
    pairs_close(&pairs);
}
END_TEST

// Whoever's turn it is when they have been taken.
START_TEST(records_that_were_left_and_are_taken_keep_nothing_readable)
{
    struct stream s[PAIR_CLIENTS] = {{0}};
    for (int left = 1; left < 3 * (int)CC_STREAK_MAX; left++) {
        s[1] = (struct stream){0};
        s[0] = begin(2, 512);
        says(&s[0], left);
        int fd = begins_to_wait();
        for (int i = 0; i < left; i++)
            ck_assert_int_eq(hear(s, sizeof(uint64_t)), DOCA_SUCCESS);
        ck_assert_int_eq(say(&pairs.of[1], &s[1], 8), DOCA_SUCCESS);
        hears(s, 1);
        ck_assert(!readable(fd));
        pairs_close(&pairs);
    }
}
END_TEST

// A snapshot has taken the connection from docad's socket: only arming says that it is there.
START_TEST(records_that_are_left_take_no_pending_connection_with_them)
{
    struct stream s = begin(2, 64);
    struct doca_comm_channel_addr_t *second = pairs.of[1].client;
    says(&s, 3);
    int fd = begins_to_wait();
    list_remove(&second->link);
    list_append(&service->pending, &second->link);
    ck_assert_int_eq(doca_comm_channel_ep_event_handle_arm_recv(service), DOCA_SUCCESS);
    first->client = cc_address_free(first->client);
    ck_assert(readable(fd));
    hears(&s, 0);
    ck_assert(!readable(fd));
    pairs_close(&pairs);
}
END_TEST

START_TEST(records_that_are_left_come_before_packets)
{
    struct stream s = begin(2, 64);
    says(&s, 3);
    int fd = begins_to_wait();
    says(&s, 2); // packets
    for (int i = 0; i < 5; i++) {
        ck_assert(readable(fd));
        ck_assert_int_eq(hear(&s, sizeof(uint64_t)), DOCA_SUCCESS);
    }
    hears(&s, 0);
    ck_assert(!readable(fd));
    ck_assert_uint_eq(service->polled.n, 0);
    pairs_close(&pairs);
}
END_TEST

START_TEST(records_that_are_left_to_a_client_keep_it_readable)
{
    struct doca_comm_channel_addr_t *from;
    doca_event_channel_t fd;
    pairs_open(&pairs, 1, 64);
    for (int round = 0; round < 2; round++) {
        for (int i = 0; i < 3; i++)
            ck_assert_int_eq(doca_comm_channel_ep_sendto(service, "", 1, 0, first->client),
                             DOCA_SUCCESS);
        if (round)
            ck_assert_int_eq(doca_comm_channel_ep_get_event_channel(&first->ep, NULL, &fd),
                             DOCA_SUCCESS);
        for (int i = 0; i < 3; i++) {
            size_t length = sizeof(message);
            ck_assert(!round || readable(fd));
            ck_assert_int_eq(doca_comm_channel_ep_recvfrom(&first->ep, message, &length, 0, &from),
                             DOCA_SUCCESS);
        }
        size_t length = sizeof(message);
        ck_assert_int_eq(doca_comm_channel_ep_recvfrom(&first->ep, message, &length, 0, &from),
                         DOCA_ERROR_AGAIN);
    }
    ck_assert(!readable(fd));
    pairs_close(&pairs);
}
END_TEST

static void service_begins_to_wait(void)
{
    begins_to_wait();
}

// The sender has seen that the receiver polls, and puts its record after the receiver's last look.
START_TEST(a_record_that_comes_too_late_is_nudged)
{
    for (int after = 0; after < 3; after++) {
        struct stream s = begin(1, 64);
        uint64_t records = in_ring();
        now_ms++;
        at_the_clock = service_begins_to_wait;
        says(&s, 1);
        ck_assert_ptr_null(at_the_clock);
        ck_assert_uint_gt(in_ring(), records);
        ck_assert(readable(service->recv_epoll));
        says(&s, after);
        hears(&s, after + 1);
        ck_assert(!readable(service->recv_epoll));
        pairs_close(&pairs);
    }
}
END_TEST

static void client_begins_to_wait(void)
{
    doca_event_channel_t fd;
    ck_assert_int_eq(doca_comm_channel_ep_get_event_channel(&first->ep, NULL, &fd), DOCA_SUCCESS);
}

// A program that waits for edges takes messages until it is told that there are none.
START_TEST(a_nudge_hides_no_message_behind_it)
{
    struct doca_comm_channel_addr_t *from;
    size_t length = sizeof(message);
    pairs_open(&pairs, 1, 64);
    ck_assert_int_eq(doca_comm_channel_ep_sendto(service, "", 1, 0, first->client), DOCA_SUCCESS);
    ck_assert_int_eq(doca_comm_channel_ep_recvfrom(&first->ep, message, &length, 0, &from),
                     DOCA_SUCCESS);
    now_ms++;
    at_the_clock = client_begins_to_wait;
    for (int i = 0; i < 2; i++)
        ck_assert_int_eq(doca_comm_channel_ep_sendto(service, "", 1, 0, first->client),
                         DOCA_SUCCESS);
    for (int i = 0; i < 3; i++) {
        length = sizeof(message);
        ck_assert_int_eq(doca_comm_channel_ep_recvfrom(&first->ep, message, &length, 0, &from),
                         i < 2 ? DOCA_SUCCESS : DOCA_ERROR_AGAIN);
    }
    pairs_close(&pairs);
}
END_TEST

static void last_takes_the_place_of_all(void)
{
    int last = PAIR_CLIENTS - 1;
    for (unsigned i = 0; i < 4 * CC_PACKETS_FOR_A_PLACE; i++) {
        size_t length = sizeof(message);
        ck_assert_int_eq(say(&pairs.of[last], &streams[last], 8), DOCA_SUCCESS);
        ck_assert_int_eq(cc_take(pairs.of[last].client, message, &length), DOCA_SUCCESS);
        streams[last].taken++;
    }
    ck_assert(pairs.of[last].client->ring.polled);
}

static void service_begins_to_wait_without_memory(void)
{
    begins_to_wait();
    no_memory = true;
}

START_TEST(without_memory_for_a_nudge_the_next_packet_wakes)
{
    struct stream s = begin(1, 64);
    now_ms++;
    at_the_clock = service_begins_to_wait_without_memory;
    says(&s, 1);
    ck_assert(!readable(service->recv_epoll));
    no_memory = false;
    says(&s, 1);
    ck_assert(readable(service->recv_epoll));
    hears(&s, 2);
    pairs_close(&pairs);
}
END_TEST

// Fills the ring, so that packets follow, and has the service take the records.
static struct stream begin_with_packets(int clients, unsigned n)
{
    struct stream s = begin(clients, CHANNEL_QUEUE_MAX);
    uint64_t packets = first->there->put;
    while (first->there->put < packets + n)
        says(&s, 1);
    while (s.taken < s.sent - n)
        ck_assert_int_eq(hear(&s, sizeof(uint64_t)), DOCA_SUCCESS);
    ck_assert_uint_eq(in_ring(), atomic_load(&first->there->ring.out->taken));
    return s;
}

// A socket is full of packets that the receiver has not taken yet.
START_TEST(without_room_for_a_nudge_the_packets_before_it_wake)
{
    struct stream s = begin_with_packets(1, 30);
    uint64_t records = in_ring();
    now_ms++;
    nudges_fail = true;
    at_the_clock = service_begins_to_wait;
    says(&s, 1);
    nudges_fail = false;
    ck_assert_uint_gt(in_ring(), records);
    while (readable(service->recv_epoll))
        (void)hear(&s, sizeof(uint64_t)); // one for each time that it is woken
    ck_assert_uint_eq(s.taken, s.sent);
    pairs_close(&pairs);
}
END_TEST

START_TEST(without_room_for_a_nudge_the_place_is_kept)
{
    struct stream s = begin_with_packets(PAIR_CLIENTS, 5);
    memset(streams, 0, sizeof(streams));
    streams[0] = s;
    for (unsigned i = 1; i < CC_POLLED_MAX; i++) {
        ck_assert_int_eq(say(&pairs.of[i], &streams[i], 8), DOCA_SUCCESS);
        size_t length = sizeof(message);
        ck_assert_int_eq(cc_take(pairs.of[i].client, message, &length), DOCA_SUCCESS);
        streams[i].taken++;
    }
    now_ms++;
    nudges_fail = true;
    at_the_clock = last_takes_the_place_of_all;
    ck_assert_int_eq(say(first, &streams[0], 8), DOCA_SUCCESS);
    nudges_fail = false;
    first->client->asked_ms = now_ms; // in this tick it is not asked once more
    while (hear(streams, 8) == DOCA_SUCCESS)
        ;
    ck_assert_uint_eq(streams[0].taken, streams[0].sent);
    pairs_close(&pairs);
}
END_TEST

START_TEST(nudges_for_nothing_are_nothing)
{
    struct stream s = begin(1, 64);
    for (int i = 0; i < 50; i++) {
        static const uint8_t nudge[CHANNEL_NUDGE_SIZE];
        ck_assert_int_eq(send(first->there->sock, nudge, sizeof(nudge), 0), sizeof(nudge));
        atomic_store(first->there->put_count, ++first->there->put);
        hears(&s, 0);
        says(&s, 1);
        hears(&s, 1);
    }
    pairs_close(&pairs);
}
END_TEST

static void stops_polling(void)
{
    atomic_store(&first->there->ring.out->polled, 0);
}

// As one that has seen that the service polled.
static void says_late(void)
{
    atomic_store(&first->there->ring.out->polled, 1);
    now_ms++;
    at_the_clock = stops_polling;
    says(&late, 1);
}

START_TEST(a_buffer_that_is_too_small_leaves_the_nudge)
{
    size_t length = 1;
    late = begin(1, 64);
    int fd = begins_to_wait();
    at_a_peek = says_late;
    ck_assert_int_eq(cc_take(first->client, message, &length), DOCA_ERROR_INVALID_VALUE);
    ck_assert(readable(fd));
    hears(&late, 1);
    ck_assert(!readable(fd));
    pairs_close(&pairs);
}
END_TEST

// ---- ends ----------------------------------------------------------------------------------

// The library has a thread of its own close what it is done with.
static void await_end(const struct doca_comm_channel_addr_t *address)
{
    struct pollfd p = {.fd = address->sock, .events = POLLRDHUP};
    ck_assert_int_eq(poll(&p, 1, -1), 1);
}

START_TEST(what_a_killed_peer_has_said_is_heard)
{
    struct stream s = begin(1, 64);
    says(&s, 3);
    pair_kill(first->there);
    for (int i = 0; i < 3; i++)
        ck_assert_int_eq(hear(&s, sizeof(uint64_t)), DOCA_SUCCESS);
    now_ms++;
    ck_assert_int_eq(hear(&s, sizeof(uint64_t)), DOCA_ERROR_CONNECTION_RESET);
    pairs_close(&pairs);
}
END_TEST

START_TEST(what_a_peer_said_before_it_left_is_heard)
{
    struct stream s = begin(1, 64);
    says(&s, 3);
    first->there = cc_address_free(first->there);
    await_end(first->client);
    hears(&s, 3); // it has disconnected: no error
    ck_assert(first->client->gone);
    pairs_close(&pairs);
}
END_TEST

START_TEST(a_sender_learns_that_its_peer_has_gone)
{
    struct stream s = begin(1, 64);
    says(&s, 1);
    pair_kill(first->client);
    now_ms++;
    for (int i = 0; i < 3; i++)
        ck_assert_int_eq(say(first, &s, 8), DOCA_ERROR_CONNECTION_RESET);
    pairs_close(&pairs);

    s = begin(1, 64);
    says(&s, 1);
    first->client = cc_address_free(first->client);
    await_end(first->there); // in the same tick: it has said so
    ck_assert_int_eq(say(first, &s, 8), DOCA_ERROR_CONNECTION_RESET);
    pairs_close(&pairs);
}
END_TEST

START_TEST(a_buffer_that_is_too_small_loses_nothing)
{
    struct doca_comm_channel_addr_t *from;
    struct stream s = begin(1, 64);
    says(&s, 2);
    for (size_t n = 1; n < sizeof(uint64_t); n++) {
        size_t length = n;
        ck_assert_int_eq(doca_comm_channel_ep_recvfrom(service, message, &length, 0, &from),
                         DOCA_ERROR_INVALID_VALUE);
    }
    hears(&s, 2);
    pairs_close(&pairs);
}
END_TEST

// ---- lies ----------------------------------------------------------------------------------

static struct channel_ring *liar; // the sender
static uint8_t *bytes;            // its ring
static struct channel_record *next_record(void)
{
    return (struct channel_record *)(bytes + first->client->ring.taken % CHANNEL_RING_SIZE);
}

static void has_put_too_much(void)
{
    atomic_fetch_add(&liar->put, CHANNEL_RING_SIZE + 8);
}

static void has_put_less_than_was_taken(void)
{
    atomic_fetch_sub(&liar->put, 8);
}

static void has_put_half_a_record(void)
{
    atomic_fetch_add(&liar->put, 4);
}

static void has_put_an_empty_message(void)
{
    *next_record() = (struct channel_record){0, 0};
    atomic_fetch_add(&liar->put, 8);
}

static void has_put_more_than_there_is(void)
{
    *next_record() = (struct channel_record){9, 0};
    atomic_fetch_add(&liar->put, 16);
}

static void has_put_what_is_no_message(void)
{
    *next_record() = (struct channel_record){CHANNEL_MESSAGE_MAX + 1, 0};
    atomic_fetch_add(&liar->put, CHANNEL_RING_SIZE);
}

static void skips_and_puts_nothing(void)
{
    *next_record() = (struct channel_record){CHANNEL_RECORD_SKIP, 0};
    atomic_fetch_add(&liar->put, 8);
}

static void skips_twice(void)
{
    *next_record() = (struct channel_record){CHANNEL_RECORD_SKIP, 0};
    *(struct channel_record *)bytes = (struct channel_record){CHANNEL_RECORD_SKIP, 0};
    atomic_fetch_add(&liar->put, CHANNEL_RING_SIZE);
}

// The last record of the ring would go over its end.
static void goes_over_the_end(void)
{
    first->client->ring.taken = first->client->ring.came = CHANNEL_RING_SIZE - 64;
    *next_record() = (struct channel_record){64, 0};
    atomic_store(&liar->put, CHANNEL_RING_SIZE + 64);
}

static void (*const lies[])(void) = {
    has_put_too_much,           has_put_less_than_was_taken,
    has_put_half_a_record,      has_put_an_empty_message,
    has_put_more_than_there_is, has_put_what_is_no_message,
    skips_and_puts_nothing,     skips_twice,
    goes_over_the_end,
};

START_TEST(a_record_that_nobody_would_put_ends_the_channel)
{
    struct doca_comm_channel_addr_t *from;
    size_t length = sizeof(message);
    struct stream s = begin(1, 64);
    says(&s, 5);
    hears(&s, 5);
    liar = first->there->ring.out;
    bytes = first->there->ring.out_bytes;
    lies[_i]();
    ck_assert_int_eq(doca_comm_channel_ep_recvfrom(service, message, &length, 0, &from),
                     DOCA_ERROR_CONNECTION_RESET);
    ck_assert(first->client->gone);
    ck_assert_uint_eq(service->polled.n, 0);
    pairs_close(&pairs);
}
END_TEST

// It names packets that were never sent: nobody waits for them.
START_TEST(a_record_for_ever_later_ends_the_channel)
{
    struct doca_comm_channel_addr_t *from;
    size_t length = sizeof(message);
    struct stream s = begin(1, 64);
    says(&s, 1);
    bytes = first->there->ring.out_bytes;
    next_record()->after += 1000;
    if (_i) {
        begins_to_wait();
        ck_assert(readable(service->recv_epoll));
    }
    ck_assert_int_eq(doca_comm_channel_ep_recvfrom(service, message, &length, 0, &from),
                     DOCA_ERROR_CONNECTION_RESET);
    ck_assert(first->client->gone);
    ck_assert(!readable(service->recv_epoll));
    pairs_close(&pairs);
}
END_TEST

// It says that nothing is taken, that all is before it is put, or more than there can be.
START_TEST(a_receiver_that_lies_harms_nobody)
{
    static const uint64_t said[] = {0, 1, CHANNEL_RING_SIZE * 1000ull, UINT64_MAX - 7, UINT64_MAX};
    struct stream s = begin(1, CHANNEL_QUEUE_MAX);
    for (size_t i = 0; i < sizeof(said) / sizeof(said[0]); i++)
        for (int k = 0; k < 2000; k++) {
            atomic_store(&first->there->ring.out->taken, said[i]);
            atomic_store(&first->client->mine->received, s.sent);
            doca_error_t e = say(first, &s, CHANNEL_MESSAGE_MAX);
            ck_assert(e == DOCA_SUCCESS || e == DOCA_ERROR_AGAIN);
        }
    pairs_close(&pairs);
}
END_TEST

int main(void)
{
    TCase *tcase = tcase_create("channel_ring");
    tcase_add_test(tcase, who_polls_gets_records_without_the_kernel);
    tcase_add_test(tcase, a_client_that_polls_gets_records);
    tcase_add_test(tcase, only_so_many_are_polled_and_all_are_heard);
    tcase_add_test(tcase, who_sends_much_takes_the_place_of_who_does_not);
    tcase_add_test(tcase, who_has_records_left_keeps_its_place);
    tcase_add_test(tcase, who_loses_its_place_while_it_sends_is_heard);
    tcase_add_test(tcase, no_ring_keeps_others_waiting);
    tcase_add_test(tcase, records_and_packets_keep_their_order);
    tcase_add_test(tcase, each_length_goes_through_the_ring);
    tcase_add_test(tcase, what_is_not_a_message_keeps_its_place);
    tcase_add_test(tcase, a_record_before_a_packet_that_is_found_first);
    tcase_add_test(tcase, who_waits_is_woken_by_packets);
    tcase_add_test(tcase, records_that_are_left_keep_it_readable);
    tcase_add_test(tcase, records_that_are_left_go_with_their_peer);
    tcase_add_test(tcase, records_that_were_left_and_are_taken_keep_nothing_readable);
    tcase_add_test(tcase, records_that_are_left_take_no_pending_connection_with_them);
    tcase_add_test(tcase, records_that_are_left_come_before_packets);
    tcase_add_test(tcase, records_that_are_left_to_a_client_keep_it_readable);
    tcase_add_test(tcase, a_record_that_comes_too_late_is_nudged);
    tcase_add_test(tcase, without_memory_for_a_nudge_the_next_packet_wakes);
    tcase_add_test(tcase, without_room_for_a_nudge_the_packets_before_it_wake);
    tcase_add_test(tcase, without_room_for_a_nudge_the_place_is_kept);
    tcase_add_test(tcase, nudges_for_nothing_are_nothing);
    tcase_add_test(tcase, a_buffer_that_is_too_small_leaves_the_nudge);
    tcase_add_test(tcase, a_nudge_hides_no_message_behind_it);
    tcase_add_test(tcase, what_a_killed_peer_has_said_is_heard);
    tcase_add_test(tcase, what_a_peer_said_before_it_left_is_heard);
    tcase_add_test(tcase, a_sender_learns_that_its_peer_has_gone);
    tcase_add_test(tcase, a_buffer_that_is_too_small_loses_nothing);
    tcase_add_loop_test(tcase, a_record_that_nobody_would_put_ends_the_channel, 0,
                        (int)(sizeof(lies) / sizeof(lies[0])));
    tcase_add_loop_test(tcase, a_record_for_ever_later_ends_the_channel, 0, 2);
    tcase_add_test(tcase, a_receiver_that_lies_harms_nobody);
    return unit_run_case("channel_ring", tcase);
}
