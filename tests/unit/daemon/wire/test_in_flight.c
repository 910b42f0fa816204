// SPDX-License-Identifier: BSD-3-Clause
// Copyright (c) 2026, the docad authors
//
// Descriptors that are under way: users share them out, and what was received is given back.

#include "cleanup.h"
#include "deadline.h"
#include "in_flight.h"
#include "unit.h"

#include <sys/resource.h>
#include <sys/socket.h>

#define FILES 256
#define SHARE (FILES / 4 / 2) // of who comes first

struct way {
    int pair[2];
    struct in_flight in_flight;
};

static void way_open(struct way *w, uid_t account)
{
    ck_assert_int_eq(socketpair(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0, w->pair), 0);
    ck_assert_int_eq(in_flight_init(&w->in_flight, w->pair[0], account), 0);
}

static void way_close(struct way *w)
{
    in_flight_fini(&w->in_flight);
    close_fdp(&w->pair[0]);
    close_fdp(&w->pair[1]);
}

// The descriptors themselves play no part here: what is not received is.
static bool post(struct way *w, unsigned n)
{
    bool taken = in_flight_take(&w->in_flight, n);
    ck_assert(!taken || send(w->pair[0], "x", 1, 0) == 1);
    return taken;
}

static void receive_all(struct way *w)
{
    char byte;
    while (recv(w->pair[1], &byte, 1, MSG_DONTWAIT) == 1)
        ;
}

static unsigned post_all(struct way *w)
{
    unsigned n = 0;
    while (post(w, 1))
        n++;
    return n;
}

static void setup(void)
{
    struct rlimit limit = {FILES, FILES};
    ck_assert_int_eq(setrlimit(RLIMIT_NOFILE, &limit), 0);
}

START_TEST(users_share_them_out)
{
    struct way first, second, other;
    way_open(&first, 1000);
    way_open(&second, 1000);
    way_open(&other, 1001);
    ck_assert_uint_eq(post_all(&first), SHARE);
    ck_assert_uint_eq(post_all(&second), 0);
    ck_assert_uint_eq(post_all(&other), SHARE / 2);
    way_close(&first);
    ck_assert_uint_gt(post_all(&second), SHARE / 2);
    way_close(&second);
    way_close(&other);
}
END_TEST

START_TEST(what_was_received_is_given_back)
{
    struct way first, second;
    int64_t deadline = deadline_in(HARNESS_LIMIT_MS);
    way_open(&first, 1000);
    way_open(&second, 1000);
    ck_assert(post(&first, SHARE));
    ck_assert(!post(&first, 1));
    receive_all(&first);
    ck_assert(post(&first, SHARE));
    receive_all(&first);
    while (!post(&second, SHARE)) // looks at all sockets now and then
        ck_assert(deadline_pause(deadline));
    way_close(&first);
    way_close(&second);
}
END_TEST

START_TEST(what_was_not_sent_is_given_back)
{
    struct way w;
    way_open(&w, 1000);
    for (int i = 0; i < 3; i++) {
        ck_assert(in_flight_take(&w.in_flight, SHARE));
        in_flight_give(&w.in_flight, SHARE);
    }
    ck_assert(!in_flight_take(&w.in_flight, SHARE + 1));
    way_close(&w);
}
END_TEST

int main(void)
{
    TCase *tcase = tcase_create("in_flight");
    tcase_add_checked_fixture(tcase, setup, NULL);
    tcase_add_test(tcase, users_share_them_out);
    tcase_add_test(tcase, what_was_received_is_given_back);
    tcase_add_test(tcase, what_was_not_sent_is_given_back);
    return unit_run_case("in_flight", tcase);
}
