// SPDX-License-Identifier: BSD-3-Clause
// Copyright (c) 2026, the docad authors
//
// The link to a daemon of another machine goes, or the device does, with queue pairs in use.

#include "rc_pairs.h"

#include "child.h"
#include "cleanup.h"
#include "deadline.h"

// ---- the link goes --------------------------------------------------------------------------

// Requests under way on both sides end with the link.
START_TEST(the_link_goes)
{
    struct far_pair pair;
    struct client client;
    engine_open(&pair);
    client_open(&client, true);
    engine_serves(&pair);
    client_served(&client);
    client_request(&client);
    struct qp_request request = engine_request();
    far_send(&pair, &request, sizeof(request), 1);
    tls_client_stop(&rc_far.link);
    int64_t deadline = deadline_in(HARNESS_LIMIT_MS);
    while (state_table_read(rc_owner.states, client.slot, client.id) == SLOT_LIVE)
        ck_assert_msg(deadline_pause(deadline), "its state stays live");
    client_close(&client);
    far_pair_end(&pair);
    daemon_wait_links(rc_host, 0);
}
END_TEST

// ---- the device goes ------------------------------------------------------------------------

static int remove_device(struct child *self, void *arg)
{
    (void)self;
    (void)arg;
    rc_remove_device();
    return 1;
}

// Requests from before are answered too late.
static void answer_late(uint64_t serial)
{
    Docad__PeerQueuePairCreateReply reply = DOCAD__PEER_QUEUE_PAIR_CREATE_REPLY__INIT;
    reply.queue_pair_id = 6000;
    reply.link = 6001;
    far_say(&rc_far, serial, DOCAD__MESSAGE__BODY_PEER_QUEUE_PAIR_CREATE_REPLY, &reply);
    far_hear(&rc_far, DOCAD__MESSAGE__BODY_PEER_QUEUE_PAIR_DESTROY);
    ck_assert_uint_eq(answer->peer_queue_pair_destroy->queue_pair_id, 6000);
}

// One queue pair is being asked for, and one is made anew. The kernel waits for all who have the
// device: for docad, which lets go of it when it hears of that, and for the far node.
START_TEST(the_device_goes_before_the_answers)
{
    struct client asked, renewed;
    client_open(&renewed, true);
    client_served(&renewed);
    far_pair_end(&renewed.pair);
    client_request(&renewed);
    far_hear(&rc_far, DOCAD__MESSAGE__BODY_PEER_QUEUE_PAIR_DESTROY);
    far_hear(&rc_far, DOCAD__MESSAGE__BODY_PEER_QUEUE_PAIR_CREATE);
    ck_assert_ptr_nonnull(answer->peer_queue_pair_create->rc);
    uint64_t serial_of_renewed = answer->serial, serial_of_asked = client_ask();
    struct child *removal = child_start(rc_host, "removal", remove_device, NULL);
    client_offered_link();
    client_offered_link();
    receive_any(rc_owner.sock);
    client_take(&asked);
    answer_late(serial_of_asked);
    answer_late(serial_of_renewed);
    ck_assert_int_eq(state_table_read(rc_owner.states, asked.slot, asked.id), SLOT_LIVE);
    ck_assert_int_eq(state_table_read(rc_owner.states, renewed.slot, renewed.id), SLOT_LIVE);
    ck_assert_int_eq(lookup(rc_owner.sock, "nobodys", 0), DOCA_ERROR_NOT_FOUND);
    qp_client_fini(&asked.ring);
    qp_client_fini(&renewed.ring);
    far_let_go(&rc_far);
    child_join(removal);
}
END_TEST

int main(void)
{
    const TTest *const tests[] = {the_link_goes, the_device_goes_before_the_answers};
    return rc_run("rc_ends", tests, ARRAY_SIZE(tests));
}
