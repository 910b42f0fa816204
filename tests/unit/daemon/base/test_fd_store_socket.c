// SPDX-License-Identifier: BSD-3-Clause
// Copyright (c) 2026, the docad authors

#include "unit.h"

#include "fd_store_socket.h"

#include "cleanup.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <string.h>

#define PACKETS (3 * SLOT_PACKETS + 5)

// A pipe tells whether its other end is still open somewhere.
struct held {
    int read_end;
    uint32_t slot;
    bool dropped;
};

void *__real_calloc(size_t n, size_t size);
void *__wrap_calloc(size_t n, size_t size);

static bool calloc_fails;

void *__wrap_calloc(size_t n, size_t size)
{
    return calloc_fails ? NULL : __real_calloc(n, size);
}

static bool is_open(const struct held *held)
{
    struct pollfd p = {.fd = held->read_end};
    return poll(&p, 1, 0) == 0; // no POLLHUP
}

static void put(struct fd_store_sockets *sockets, struct held *held, uint64_t key)
{
    int ends[2];
    ck_assert_int_eq(pipe2(ends, O_CLOEXEC), 0);
    ck_assert_int_eq(fd_store_sockets_put(sockets, key, &ends[1], 1, &held->slot), 0);
    close(ends[1]);
    held->read_end = ends[0];
    held->dropped = false;
    ck_assert(is_open(held));
}

static void clean(struct fd_store_sockets *sockets)
{
    while (fd_store_sockets_clean(sockets, 2))
        ;
}

static void assert_all(const struct held *held, size_t n)
{
    for (size_t i = 0; i < n; i++)
        ck_assert_msg(is_open(&held[i]) == !held[i].dropped, "packet %zu of %zu", i, n);
}

// From the first to the last, the other way round, every third and the rest.
static size_t nth(int order, size_t i)
{
    return order == 0 ? i : order == 1 ? PACKETS - 1 - i : i * 3 % PACKETS;
}

START_TEST(each_leaves_in_any_order)
{
    struct held held[PACKETS];
    struct fd_store_sockets sockets;

    fd_store_sockets_init(&sockets);
    ck_assert_int_eq(fd_store_sockets_new(&sockets, 1), 0);
    for (size_t i = 0; i < PACKETS; i++)
        put(&sockets, &held[i], i);
    for (size_t i = 0; i < PACKETS; i++) {
        struct held *h = &held[nth(_i, i)];
        fd_store_sockets_drop(&sockets, h->slot, (uint64_t)(h - held), 0);
        h->dropped = true;
        if (i % 5)
            continue;
        clean(&sockets);
        assert_all(held, PACKETS);
    }
    clean(&sockets);
    assert_all(held, PACKETS);
    size_t slots = sockets.n_slots;
    for (size_t i = 0; i < PACKETS; i++) {
        close(held[i].read_end);
        put(&sockets, &held[i], i + PACKETS);
    }
    ck_assert_uint_eq(sockets.n_slots, slots); // the room is used again
    fd_store_sockets_close(&sockets);
    for (size_t i = 0; i < PACKETS; i++) {
        ck_assert(!is_open(&held[i]));
        close(held[i].read_end);
    }
}
END_TEST

static bool take_odd(void *arg, uint64_t key, uint32_t slot, struct fd_list *fds)
{
    struct held *held = arg;
    ck_assert_uint_lt(key, PACKETS);
    ck_assert_uint_eq(fds->count, 1);
    held[key].slot = slot;
    held[key].dropped = key % 2 == 0;
    return key % 2;
}

// The next process gets only the store sockets, and drops the packets that it does not want.
START_TEST(the_next_process_finds_them)
{
    struct held held[PACKETS];
    struct fd_store_sockets first, second;

    fd_store_sockets_init(&first);
    fd_store_sockets_init(&second);
    ck_assert_int_eq(fd_store_sockets_new(&first, 2), 0);
    for (size_t i = 0; i < PACKETS; i++)
        put(&first, &held[i], i);
    for (size_t i = 0; i < first.n_sockets; i++)
        ck_assert_int_eq(fd_store_sockets_add(&second, dup(first.fds[i])), 0);
    fd_store_sockets_close(&first);
    assert_all(held, PACKETS);
    fd_store_sockets_read(&second, take_odd, held);
    clean(&second);
    assert_all(held, PACKETS);
    for (size_t i = 1; i < PACKETS; i += 2) {
        fd_store_sockets_drop(&second, held[i].slot, i, 0);
        held[i].dropped = true;
    }
    clean(&second);
    assert_all(held, PACKETS);
    struct held one;
    put(&second, &one, 1);
    fd_store_sockets_close(&second);
    close(one.read_end);
    for (size_t i = 0; i < PACKETS; i++)
        close(held[i].read_end);
}
END_TEST

// It says so, and a later one finds all.
START_TEST(the_next_process_has_no_memory)
{
    struct held held[PACKETS];
    struct fd_store_sockets first, poor, third;

    fd_store_sockets_init(&first);
    fd_store_sockets_init(&poor);
    fd_store_sockets_init(&third);
    ck_assert_int_eq(fd_store_sockets_new(&first, 1), 0);
    for (size_t i = 0; i < PACKETS; i++)
        put(&first, &held[i], i);
    int fd = dup(first.fds[0]);
    fd_store_sockets_close(&first);
    calloc_fails = true;
    int r = fd_store_sockets_add(&poor, fd);
    calloc_fails = false;
    ck_assert_int_eq(r, -ENOMEM);
    fd_store_sockets_close(&poor);
    ck_assert_int_eq(fd_store_sockets_add(&third, fd), 0);
    assert_all(held, PACKETS);
    fd_store_sockets_close(&third);
    for (size_t i = 0; i < PACKETS; i++)
        close(held[i].read_end);
}
END_TEST

struct twice {
    unsigned seen;
};

static bool take_first(void *arg, uint64_t key, uint32_t slot, struct fd_list *fds)
{
    struct twice *twice = arg;
    (void)key;
    (void)slot;
    (void)fds;
    return twice->seen++ == 0;
}

// The writer was killed while it moved a packet of a full slot.
START_TEST(a_packet_that_is_there_twice)
{
    struct held held[SLOT_PACKETS];
    struct fd_store_sockets first, second;
    struct twice twice = {0};
    uint64_t key = 0;

    fd_store_sockets_init(&first);
    fd_store_sockets_init(&second);
    ck_assert_int_eq(fd_store_sockets_new(&first, 1), 0);
    put(&first, &held[0], 0);
    cleanup_fdlist struct fd_list slots = FD_LIST_EMPTY, fds = FD_LIST_EMPTY;
    ck_assert_int_eq(packet_recv(first.fds[0], &key, sizeof(key), &slots, MSG_PEEK), sizeof(key));
    ck_assert_int_eq(packet_recv(slots.fds[0], &key, sizeof(key), &fds, MSG_PEEK), sizeof(key));
    for (int i = 0; i < SLOT_PACKETS; i++)
        ck_assert_int_eq(packet_send(slots.fds[0], &key, sizeof(key), fds.fds, 1, 0), 0);
    fd_list_close(&fds);
    ck_assert_int_eq(fd_store_sockets_add(&second, dup(first.fds[0])), 0);
    fd_store_sockets_close(&first);
    fd_store_sockets_read(&second, take_first, &twice);
    ck_assert_uint_eq(twice.seen, SLOT_PACKETS + 1);
    clean(&second);
    ck_assert(is_open(&held[0]));
    fd_store_sockets_drop(&second, 0, 0, 0);
    clean(&second);
    ck_assert(!is_open(&held[0]));
    fd_store_sockets_close(&second);
    close(held[0].read_end);
}
END_TEST

START_TEST(other_sockets_are_refused)
{
    struct fd_store_sockets sockets;
    int pair[2];

    fd_store_sockets_init(&sockets);
    ck_assert_int_eq(socketpair(AF_UNIX, SOCK_DGRAM | SOCK_CLOEXEC, 0, pair), 0);
    cleanup_fd int null = open("/dev/null", O_RDWR | O_CLOEXEC);
    ck_assert_int_eq(fd_store_sockets_add(&sockets, pair[0]), -EPROTO);
    ck_assert_int_eq(fd_store_sockets_add(&sockets, null), -EPROTO);
    close(pair[0]);
    close(pair[1]);
    fd_store_sockets_close(&sockets);
}
END_TEST

int main(void)
{
    TCase *tcase = tcase_create("fd_store_socket");
    tcase_add_loop_test(tcase, each_leaves_in_any_order, 0, 3);
    tcase_add_test(tcase, the_next_process_finds_them);
    tcase_add_test(tcase, the_next_process_has_no_memory);
    tcase_add_test(tcase, a_packet_that_is_there_twice);
    tcase_add_test(tcase, other_sockets_are_refused);
    return unit_run_case("fd_store_socket", tcase);
}
