// SPDX-License-Identifier: BSD-3-Clause
// Copyright (c) 2026, the docad authors
//
// A side of a channel whose page contains lies: counts beyond what was sent, counts that go
// backwards or differ at each look, states that do not exist, a permanent wish to be woken. Every
// call answers as documented, and messages are neither lost nor doubled.

#include "cleanup.h"
#include "comm_channel/comm_channel.h"
#include "memfd.h"
#include "packet.h"
#include "unit.h"

#include <doca_comm_channel.h>
#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <pthread.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/socket.h>

#define QUEUE   8u
#define WINDOW  (2 * QUEUE) // the sender's queue and the receiver's
#define MESSAGE 64u

static struct doca_comm_channel_ep_t ep;
static struct doca_comm_channel_addr_t *address;
static struct channel_page *page; // as the other side has it
static struct channel_side *liar;
static int sock, wake; // the other side's ends
static const struct cc_introduction usual = {.id = 1, .max_message = MESSAGE, .recv_queue = QUEUE};

// ---- one endpoint and one address --------------------------------------------------------

static void endpoint_open(enum cc_role role)
{
    struct errtext err;
    ep = (struct doca_comm_channel_ep_t){.max_message = MESSAGE,
                                         .send_queue = QUEUE,
                                         .recv_queue = QUEUE,
                                         .role = role,
                                         .accept_sock = -1,
                                         .recv_epoll = -1,
                                         .send_epoll = -1,
                                         .service_epoll = -1,
                                         .recv_now = -1,
                                         .send_now = -1};
    list_init(&ep.peers);
    list_init(&ep.pending);
    ck_assert_int_eq(cc_events_open(&ep, &err), DOCA_SUCCESS);
}

// Makes what docad would hand over; our ends stay in `sock` and `wake`.
static struct fd_list hand_over(int page_fd)
{
    struct fd_list fds = FD_LIST_EMPTY;
    int messages[2], wakes[2];
    ck_assert_int_eq(socketpair(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0, messages), 0);
    ck_assert_int_eq(socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, wakes), 0);
    sock = messages[1];
    wake = wakes[1];
    fds.fds[0] = messages[0];
    fds.fds[1] = wakes[0];
    fds.fds[2] = page_fd;
    fds.count = 3;
    return fds;
}

static int page_new(size_t size)
{
    int fd = memfd_create_sealed("page", size);
    ck_assert_int_ge(fd, 0);
    page = mmap(NULL, size, PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0);
    ck_assert_ptr_ne(page, MAP_FAILED);
    page->magic = CHANNEL_PAGE_MAGIC;
    page->version = CHANNEL_PAGE_VERSION;
    return fd;
}

static void setup(enum cc_role role)
{
    struct errtext err;
    endpoint_open(role);
    struct fd_list fds = hand_over(page_new(CHANNEL_PAGE_SIZE));
    ck_assert_int_eq(cc_address_new(&address, &ep, &ep.peers, &usual, &fds, &err), DOCA_SUCCESS);
    fd_list_close(&fds);
    liar = &page->side[role == CC_SERVICE ? CHANNEL_CLIENT : CHANNEL_SERVICE];
    atomic_store(&liar->state, CHANNEL_OPEN);
}

static void teardown(void)
{
    cc_address_free(address);
    cc_events_close(&ep);
    munmap(page, CHANNEL_PAGE_SIZE);
    close(sock);
    close(wake);
}

// ---- messages ------------------------------------------------------------------------------

static uint64_t sent, taken; // messages are numbers, in a row

static doca_error_t send_next(void)
{
    doca_error_t r = doca_comm_channel_ep_sendto(&ep, &sent, sizeof(sent), 0, address);
    ck_assert_msg(r == DOCA_SUCCESS || r == DOCA_ERROR_AGAIN, "%s", doca_get_error_name(r));
    sent += r == DOCA_SUCCESS;
    return r;
}

// Sends until there is no room.
static uint64_t send_all(void)
{
    uint64_t before = sent;
    while (send_next() == DOCA_SUCCESS)
        ck_assert_uint_lt(sent - before, 100000);
    return sent - before;
}

// Checks that the other side finds each message once, in order.
static uint64_t take_all(void)
{
    uint64_t number, before = taken;
    ssize_t n;
    while ((n = recv(sock, &number, sizeof(number), MSG_DONTWAIT)) >= 0) {
        ck_assert_int_eq(n, sizeof(number));
        ck_assert_uint_eq(number, taken++);
    }
    ck_assert_int_eq(errno, EAGAIN);
    return taken - before;
}

static uint64_t in_flight(void)
{
    uint64_t n;
    ck_assert_int_eq(doca_comm_channel_peer_addr_update_info(address), DOCA_SUCCESS);
    ck_assert_int_eq(doca_comm_channel_peer_addr_get_send_in_flight_messages(address, &n),
                     DOCA_SUCCESS);
    return n;
}

static bool is_readable(int fd)
{
    struct pollfd p = {.fd = fd, .events = POLLIN};
    return poll(&p, 1, 0) == 1;
}

static void count(uint64_t received)
{
    atomic_store(&liar->received, received);
}

START_TEST(counts_that_are_true)
{
    setup(CC_CLIENT);
    ck_assert_uint_eq(send_all(), WINDOW);
    ck_assert_uint_eq(take_all(), WINDOW);
    ck_assert_uint_eq(in_flight(), WINDOW);
    count(5);
    ck_assert_uint_eq(in_flight(), WINDOW - 5);
    ck_assert_uint_eq(send_all(), 5);
    teardown();
}
END_TEST

// The sender runs into the kernel's limit, and from then on only that holds.
START_TEST(counts_beyond_what_was_sent)
{
    static const uint64_t lies[] = {WINDOW + 1, 1ull << 32, INT64_MAX, 1ull << 63, UINT64_MAX};
    setup(CC_CLIENT);
    ck_assert_uint_eq(send_all(), WINDOW);
    for (size_t i = 0; i < ARRAY_SIZE(lies); i++) {
        count(sent + lies[i] < sent ? UINT64_MAX : sent + lies[i]);
        ck_assert_uint_eq(in_flight(), 0);
        uint64_t n = send_all();
        ck_assert_uint_gt(n, 0);
        take_all();
        ck_assert_uint_eq(taken, sent);
    }
    count(sent); // the truth again
    ck_assert_uint_eq(send_all(), WINDOW);
    ck_assert_uint_eq(in_flight(), WINDOW);
    teardown();
}
END_TEST

START_TEST(counts_backwards)
{
    setup(CC_CLIENT);
    ck_assert_uint_eq(send_all(), WINDOW);
    count(QUEUE);
    ck_assert_uint_eq(send_all(), QUEUE);
    for (uint64_t n = QUEUE + 1; n-- > 0;) {
        count(n);
        ck_assert_uint_eq(send_all(), 0);
        ck_assert_uint_eq(in_flight(), sent - n);
    }
    take_all();
    count(taken);
    ck_assert_uint_eq(send_all(), WINDOW);
    teardown();
}
END_TEST

// Arming looks at the count, too: claimed room that does not exist costs a look and nothing else.
START_TEST(counts_that_change_before_arming)
{
    static const uint64_t lies[] = {UINT64_MAX, 0, 1ull << 63};
    setup(CC_CLIENT);
    count(3);
    send_all();
    for (size_t i = 0; i < ARRAY_SIZE(lies); i++) {
        uint64_t before = atomic_load(&liar->received);
        ck_assert_int_eq(doca_comm_channel_ep_event_handle_arm_send(&ep), DOCA_SUCCESS);
        ck_assert(!is_readable(ep.send_epoll)); // nothing has happened
        count(lies[i]);
        ck_assert_int_eq(doca_comm_channel_ep_event_handle_arm_send(&ep), DOCA_SUCCESS);
        ck_assert(is_readable(ep.send_epoll));
        count(before);
        send_all(); // blocked again, at the same count
        take_all();
    }
    ck_assert_uint_eq(taken, sent);
    teardown();
}
END_TEST

// ---- other words of the page ----------------------------------------------------------------

START_TEST(states_that_there_are_none_of)
{
    static const uint32_t states[] = {3, 77, INT32_MAX, UINT32_MAX};
    for (size_t i = 0; i < ARRAY_SIZE(states); i++) {
        setup(CC_CLIENT);
        atomic_store(&liar->state, CHANNEL_PENDING);
        ck_assert_int_eq(send_next(), DOCA_ERROR_AGAIN);
        atomic_store(&liar->state, states[i]);
        ck_assert_uint_eq(send_all(), WINDOW); // it is not pending
        atomic_store(&liar->state, CHANNEL_PENDING);
        count(sent);
        ck_assert_uint_eq(send_all(), WINDOW); // and that does not become untrue
        take_all();
        atomic_store(&liar->state, states[i]);
        shutdown(sock, SHUT_RDWR);
        uint8_t bytes[MESSAGE];
        size_t length = sizeof(bytes);
        struct doca_comm_channel_addr_t *from;
        ck_assert_int_eq(doca_comm_channel_ep_recvfrom(&ep, bytes, &length, 0, &from),
                         DOCA_ERROR_CONNECTION_RESET);
        ck_assert(address->gone && address->lost); // it has not said that it leaves
        sent = taken = 0;
        teardown();
    }
}
END_TEST

// The other side never reads what wakes it.
START_TEST(always_wants_to_be_woken)
{
    setup(CC_SERVICE);
    for (uint64_t i = 0; i < 4000; i++) {
        struct doca_comm_channel_addr_t *from = NULL;
        uint64_t number[MESSAGE / 8];
        size_t length = sizeof(number);
        atomic_store(&liar->wants_room, i % 2 ? 1 : UINT32_MAX);
        ck_assert_int_eq(send(sock, &i, sizeof(i), 0), sizeof(i));
        ck_assert_int_eq(doca_comm_channel_ep_recvfrom(&ep, number, &length, 0, &from),
                         DOCA_SUCCESS);
        ck_assert_ptr_eq(from, address);
        ck_assert_uint_eq(length, sizeof(i));
        ck_assert_uint_eq(number[0], i);
        ck_assert_uint_eq(atomic_load(&address->mine->received), i + 1);
        ck_assert_uint_eq(atomic_load(&liar->wants_room), 0);
    }
    teardown();
}
END_TEST

// The other side writes to our own half: the library never reads back what it has counted.
START_TEST(our_half_is_not_ours)
{
    setup(CC_SERVICE);
    for (uint64_t i = 0; i < 100; i++) {
        struct doca_comm_channel_addr_t *from = NULL;
        uint64_t number[MESSAGE / 8];
        size_t length = sizeof(number);
        memset((void *)address->mine, i % 2 ? 0xff : 0, sizeof(*address->mine));
        ck_assert_int_eq(send(sock, &i, sizeof(i), 0), sizeof(i));
        ck_assert_int_eq(doca_comm_channel_ep_recvfrom(&ep, number, &length, 0, &from),
                         DOCA_SUCCESS);
        ck_assert_uint_eq(number[0], i);
        ck_assert_uint_eq(atomic_load(&address->mine->received), i + 1);
    }
    teardown();
}
END_TEST

// ---- changed between looks ------------------------------------------------------------------

static _Atomic bool enough;

static void *changes(void *arg)
{
    (void)arg;
    for (uint64_t i = 0; !atomic_load(&enough); i++) {
        static const uint64_t counts[] = {0, UINT64_MAX, 1, 1ull << 63, WINDOW};
        count(counts[i % ARRAY_SIZE(counts)]);
        atomic_store(&liar->wants_room, (uint32_t)i);
        atomic_store(&liar->state, (uint32_t)(i % 5));
    }
    return NULL;
}

// The number in flight is at most what was sent, whenever the count changes; each message
// arrives once.
START_TEST(changed_while_we_look)
{
    pthread_t thread;
    setup(CC_CLIENT);
    ck_assert_int_eq(send_next(), DOCA_SUCCESS); // it is open
    ck_assert_int_eq(pthread_create(&thread, NULL, changes, NULL), 0);
    for (int i = 0; i < 20000; i++) {
        send_next();
        ck_assert_uint_le(in_flight(), sent);
        if (i % 8 == 0) {
            take_all();
            ck_assert_int_eq(doca_comm_channel_ep_event_handle_arm_send(&ep), DOCA_SUCCESS);
        }
    }
    atomic_store(&enough, true);
    pthread_join(thread, NULL);
    take_all();
    ck_assert_uint_eq(taken, sent);
    teardown();
}
END_TEST

// ---- channels that are refused -----------------------------------------------------------------

static void assert_refused(const struct cc_introduction *introduction, struct fd_list fds)
{
    struct doca_comm_channel_addr_t *untouched = NULL;
    struct errtext err;
    int given[3];
    memcpy(given, fds.fds, sizeof(given));
    ck_assert_int_eq(cc_address_new(&untouched, &ep, &ep.peers, introduction, &fds, &err),
                     DOCA_ERROR_DRIVER);
    fd_list_close(&fds);
    ck_assert_ptr_null(untouched);
    ck_assert(list_empty(&ep.peers));
    for (size_t i = 0; i < fds.count; i++)
        ck_assert_msg(given[i] < 0 || fcntl(given[i], F_GETFD) < 0, "descriptor %zu stays", i);
    close(sock);
    close(wake);
}

START_TEST(sizes_that_make_no_sense)
{
    static const struct cc_introduction bad[] = {
        {.id = 1, .max_message = 0, .recv_queue = QUEUE},
        {.id = 1, .max_message = MESSAGE, .recv_queue = 0},
        {.id = 1, .max_message = MESSAGE, .recv_queue = CHANNEL_QUEUE_MAX + 1},
        {.id = 1, .max_message = MESSAGE, .recv_queue = UINT32_MAX},
    };
    endpoint_open(CC_CLIENT);
    for (size_t i = 0; i < ARRAY_SIZE(bad); i++) {
        assert_refused(&bad[i], hand_over(page_new(CHANNEL_PAGE_SIZE)));
        munmap(page, CHANNEL_PAGE_SIZE);
    }
    cc_events_close(&ep);
}
END_TEST

START_TEST(pages_that_are_none)
{
    endpoint_open(CC_CLIENT);
    int fd = page_new(CHANNEL_PAGE_SIZE);
    page->magic++;
    assert_refused(&usual, hand_over(fd));
    munmap(page, CHANNEL_PAGE_SIZE);
    fd = page_new(CHANNEL_PAGE_SIZE);
    page->version++;
    assert_refused(&usual, hand_over(fd));
    munmap(page, CHANNEL_PAGE_SIZE);

    fd = page_new(2 * CHANNEL_PAGE_SIZE);
    assert_refused(&usual, hand_over(fd));
    munmap(page, 2 * CHANNEL_PAGE_SIZE);
    fd = page_new(CHANNEL_PAGE_SIZE);
    assert_refused(&usual, hand_over(memfd_reopen_readonly(fd)));
    munmap(page, CHANNEL_PAGE_SIZE);
    close(fd);
    fd = memfd_create("page", MFD_CLOEXEC | MFD_ALLOW_SEALING); // can shrink under us
    ck_assert_int_eq(ftruncate(fd, CHANNEL_PAGE_SIZE), 0);
    assert_refused(&usual, hand_over(fd));
    assert_refused(&usual, hand_over(open("/dev/null", O_RDWR | O_CLOEXEC)));
    struct fd_list two = hand_over(-1);
    two.count = 2;
    assert_refused(&usual, two);
    cc_events_close(&ep);
}
END_TEST

UNIT_MAIN("channel page", counts_that_are_true, counts_beyond_what_was_sent, counts_backwards,
          counts_that_change_before_arming, states_that_there_are_none_of, always_wants_to_be_woken,
          our_half_is_not_ours, changed_while_we_look, sizes_that_make_no_sense,
          pages_that_are_none)
