// SPDX-License-Identifier: BSD-3-Clause
// Copyright (c) 2026, the docad authors

#include "ring_talk.h"

#include "unit.h"

#include <doca_comm_channel.h>
#include <errno.h>
#include <poll.h>
#include <string.h>
#include <sys/epoll.h>
#include <sys/socket.h>
#include <time.h>

struct channel_pairs pairs;
struct doca_comm_channel_ep_t *const service = &pairs.service;
struct channel_pair *const first = &pairs.of[0];

// ---- the kernel ----------------------------------------------------------------------------

unsigned calls;
uint64_t now_ms = 1000;
// Once each: between a sender's two looks, and between a receiver's.
void (*at_the_clock)(void), (*at_a_peek)(void);

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

bool no_memory;  // in the kernel
bool wakes_fail; // the sender's socket is full

ssize_t __real_send(int fd, const void *buf, size_t n, int flags);
ssize_t __wrap_send(int fd, const void *buf, size_t n, int flags);
ssize_t __wrap_send(int fd, const void *buf, size_t n, int flags)
{
    calls++;
    if (no_memory) {
        errno = ENOBUFS;
        return -1;
    }
    if (wakes_fail && n == CHANNEL_WAKE_SIZE) {
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

uint8_t message[CHANNEL_PACKET_SIZE];

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

void check(uint64_t number, size_t length)
{
    static uint8_t expected[CHANNEL_PACKET_SIZE];
    make(expected, number, length);
    ck_assert_int_eq(memcmp(message, expected, length), 0);
}

doca_error_t say(struct channel_pair *pair, struct stream *s, size_t longest)
{
    uint8_t mine[CHANNEL_MESSAGE_MAX];
    size_t length = length_of(s->sent, longest);
    make(mine, s->sent, length);
    doca_error_t e = doca_comm_channel_ep_sendto(&pair->ep, mine, length, 0, pair->there);
    s->sent += e == DOCA_SUCCESS;
    return e;
}

void says(struct stream *s, int n)
{
    for (int i = 0; i < n; i++)
        ck_assert_int_eq(say(first, s, sizeof(uint64_t)), DOCA_SUCCESS);
}

doca_error_t hear(struct stream *of, size_t longest)
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

void hears(struct stream *of, int n)
{
    for (int i = 0; i < n; i++)
        ck_assert_int_eq(hear(of, sizeof(uint64_t)), DOCA_SUCCESS);
    ck_assert_int_eq(hear(of, sizeof(uint64_t)), DOCA_ERROR_AGAIN);
}

uint64_t in_ring(void)
{
    return atomic_load(&first->there->ring.out->put);
}

struct stream begin(int clients, uint16_t queue)
{
    struct stream s[PAIR_CLIENTS] = {{0}};
    pairs_open(&pairs, clients, queue);
    says(s, 1);
    ck_assert_uint_eq(in_ring(), 0);
    hears(s, 1);
    return s[0];
}

// ---- waiting -------------------------------------------------------------------------------

int begins_to_wait(void)
{
    doca_event_channel_t fd;
    ck_assert_int_eq(doca_comm_channel_ep_get_event_channel(service, NULL, &fd), DOCA_SUCCESS);
    return fd;
}

bool readable(int fd)
{
    struct pollfd p = {.fd = fd, .events = POLLIN};
    return poll(&p, 1, 0) == 1;
}
