// SPDX-License-Identifier: BSD-3-Clause
// Copyright (c) 2026, the docad authors
//
// A Comch server whose clients' messages come by rings, and that begins to wait.

#include "channel_pair.h"
#include "comch/comch.h"
#include "progress/engine.h"
#include "unit.h"

#include <doca_comm_channel.h>
#include <poll.h>
#include <string.h>

static struct channel_pairs pairs;
static struct comch_end *end;
static struct doca_pe *pe;
static uint64_t received; // messages of all

// There is no docad to tell.
void __wrap_cc_notify_closed(struct session *session, uint64_t id);
void __wrap_cc_notify_closed(struct session *session, uint64_t id)
{
    (void)session, (void)id;
}

static void on_message(struct doca_comch_event_msg_recv *event, uint8_t *buffer, uint32_t length,
                       struct doca_comch_connection *connection)
{
    (void)event, (void)connection, (void)buffer;
    ck_assert_uint_eq(length, sizeof(received));
    received++;
}

static void setup(int clients, uint16_t queue)
{
    pairs_open(&pairs, clients, queue);
    pairs.service.takes_packets = true;
    ck_assert_int_eq(doca_pe_create(&pe), DOCA_SUCCESS);
    end = aligned_alloc(64, (sizeof(*end) + 63) & ~(size_t)63);
    ck_assert_ptr_nonnull(end);
    memset(end, 0, sizeof(*end));
    end->ctx.pe = pe;
    end->ctx.state = DOCA_CTX_STATE_RUNNING;
    end->is_server = true;
    end->on_message = on_message;
    end->ep = &pairs.service;
    end->timer = end->wake_fd = -1;
    list_init(&end->open);
    list_init(&end->ended);
    list_init(&end->spare);
    end->pending_event.deliver = comch_deliver_event;
    end->ended_event.deliver = comch_deliver_ended;
    end->source = (struct work_source){.poll = comch_poll, .arm = comch_arm, .clear = comch_clear};
    executor_add_source(&pe->executor, &end->source);
    pe_hold(pe);
    for (int i = 0; i < clients; i++)
        ck_assert_ptr_nonnull(comch_connection_new(end, pairs.of[i].client));
    received = 0;
}

static void teardown(void)
{
    list_remove(&end->source.node);
    pe_release(pe);
    while (!list_empty(&end->open)) {
        struct doca_comch_connection *c =
            list_entry(end->open.next, struct doca_comch_connection, link);
        list_remove(&c->link);
        comch_path_end(c->path);
        comch_path_unref(c->path);
        free(c);
    }
    ck_assert_int_eq(doca_pe_destroy(pe), DOCA_SUCCESS);
    pairs_close(&pairs);
    free(end);
}

// ---- messages ------------------------------------------------------------------------------

static void say(int client)
{
    struct channel_pair *pair = &pairs.of[client];
    ck_assert_int_eq(
        doca_comm_channel_ep_sendto(&pair->ep, &received, sizeof(received), 0, pair->there),
        DOCA_SUCCESS);
}

// A poll may look at one client, or at the set.
static void hears_until(uint64_t number)
{
    for (int idle = 0; idle < 3; idle++)
        if (doca_pe_progress(pe))
            idle = 0;
    ck_assert_uint_eq(received, number);
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

// Whoever's turn it is when they have been taken.
START_TEST(records_that_are_left_wake_until_they_are_taken)
{
    for (uint64_t left = 1; left < 3 * CC_STREAK_MAX; left++) {
        setup(2, 512);
        say(0);
        hears_until(1);
        for (uint64_t n = 0; n < left; n++)
            say(0);
        say(1);
        ck_assert(wakes());
        hears_until(left + 2);
        ck_assert(!wakes());
        teardown();
    }
}
END_TEST

int main(void)
{
    TCase *tcase = tcase_create("comch_rings");
    tcase_add_test(tcase, records_that_are_left_wake_until_they_are_taken);
    return unit_run_case("comch_rings", tcase);
}
