// SPDX-License-Identifier: BSD-3-Clause
// Copyright (c) 2026, the docad authors
//
// Rings whose other side lies.

#include "ring_talk.h"
#include "unit.h"

#include <doca_comm_channel.h>

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
    TCase *tcase = tcase_create("channel_ring_lies");
    tcase_add_loop_test(tcase, a_record_that_nobody_would_put_ends_the_channel, 0,
                        (int)(sizeof(lies) / sizeof(lies[0])));
    tcase_add_loop_test(tcase, a_record_for_ever_later_ends_the_channel, 0, 2);
    tcase_add_test(tcase, a_receiver_that_lies_harms_nobody);
    return unit_run_case("channel_ring_lies", tcase);
}
