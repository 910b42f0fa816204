// SPDX-License-Identifier: BSD-3-Clause
// Copyright (c) 2026, the docad authors
//
// Queue pairs whose bytes go over the daemons' link, frame by frame: a linked node that is not a
// docad gets requests, and answers well, badly, or not before the link is gone. An answer that
// is not valid ends that queue pair and nothing else.

#include "link_setting.h"

#include "cleanup.h"
#include "deadline.h"

#include <string.h>

static uint64_t queue_pair, queue; // there

static struct raw_session client;

static void setup_client(void)
{
    link_start("dpu");
    client = session_start(docad);
}

static void setup_client_and_return(void)
{
    fake_returns = true;
    setup_client();
}

static void teardown_client(void)
{
    session_end(&client);
    link_stop();
}

static void answer_create(uint64_t serial, uint64_t link, Docad__RcAddress *rc)
{
    Docad__PeerQueuePairCreateReply reply = DOCAD__PEER_QUEUE_PAIR_CREATE_REPLY__INIT;
    reply.queue_pair_id = 9;
    reply.link = link;
    reply.rc = rc;
    post_raw(fake, serial, DOCAD__MESSAGE__BODY_PEER_QUEUE_PAIR_CREATE_REPLY, &reply, NULL, 0);
}

// A queue pair of a device that could be; there is none here.
static Docad__RcAddress device_there(void)
{
    static uint8_t gid[16];
    Docad__RcAddress rc = DOCAD__RC_ADDRESS__INIT;
    rc.qpn = rc.mtu = 1;
    rc.gid = (ProtobufCBinaryData){sizeof(gid), gid};
    return rc;
}

static void fail_queue_pair(uint64_t id)
{
    Docad__PeerQueuePairFailed failed = DOCAD__PEER_QUEUE_PAIR_FAILED__INIT;
    failed.queue_pair_id = id;
    post_raw(fake, 0, DOCAD__MESSAGE__BODY_PEER_QUEUE_PAIR_FAILED, &failed, NULL, 0);
}

// The client has been answered.
static void take_queue_pair(struct qp_client *qp, uint32_t *slot)
{
    *qp = raw_queue_pair_take();
    *slot = answer->queue_pair_create_reply->state_slot;
    queue_pair = answer->queue_pair_create_reply->queue_pair_id;
}

// Asks for a queue pair of the fake node, whose answer names `link` or a device. The code
// that the client gets.
static doca_error_t create_queue_pair(uint64_t link, Docad__RcAddress *rc, struct qp_client *qp,
                                      uint32_t *slot)
{
    Docad__QueuePairCreate create = DOCAD__QUEUE_PAIR_CREATE__INIT;

    create.node = (ProtobufCBinaryData){NODE_ID_SIZE, (uint8_t *)fake_node};
    post(client.sock, DOCAD__MESSAGE__BODY_QUEUE_PAIR_CREATE, &create);
    receive_any(fake);
    ck_assert_int_eq(answer->body_case, DOCAD__MESSAGE__BODY_PEER_QUEUE_PAIR_CREATE);
    queue = answer->peer_queue_pair_create->link;
    ck_assert_uint_ne(queue, 0);
    ck_assert_ptr_null(answer->peer_queue_pair_create->rc);
    // Too early: nobody listens yet.
    uint64_t serial = answer->serial;
    send_frame(queue, 0, "x", 1, "early", 5);
    answer_create(serial, link, rc);
    receive_any(client.sock);
    if (answer->body_case == DOCAD__MESSAGE__BODY_ERROR)
        return (doca_error_t)answer->error->code;
    take_queue_pair(qp, slot);
    return DOCA_SUCCESS;
}

static void wait_for_state(uint32_t slot, enum slot_state state)
{
    int64_t deadline = deadline_in(HARNESS_LIMIT_MS);
    while (state_table_read(client.states, slot, queue_pair) != state)
        ck_assert(deadline_pause(deadline));
}

// The part of a request that docad passes on.
static struct qp_request take_request(void)
{
    struct qp_request r;
    const Docad__PeerQueuePairData *m = expect(DOCAD__MESSAGE__BODY_PEER_QUEUE_PAIR_DATA);
    ck_assert_uint_eq(m->queue, OWN_QUEUE);
    ck_assert_uint_eq(m->header.len, sizeof(r));
    memcpy(&r, m->header.data, sizeof(r));
    return r;
}

static struct qp_request post_read(struct qp_client *qp)
{
    struct qp_request r = {.address = 0x12345,
                           .length = 1000,
                           .key = 4,
                           .offset = 70000,
                           .tag = 31,
                           .opcode = QP_READ};
    ck_assert(qp_post(qp, &r));
    qp_ring(qp);
    return take_request();
}

START_TEST(a_request_goes_and_its_answer_comes)
{
    static uint8_t bytes[1000];
    struct qp_client qp;
    struct qp_completion done;
    uint32_t slot;
    ck_assert_int_eq(create_queue_pair(OWN_QUEUE, NULL, &qp, &slot), DOCA_SUCCESS);
    struct qp_request r = post_read(&qp);
    ck_assert_uint_eq(r.address, 0x12345);
    ck_assert_uint_eq(r.key, 4);
    ck_assert_uint_eq(r.offset, 70000);
    memset(bytes, 0x5e, sizeof(bytes));
    done = (struct qp_completion){.tag = r.tag, .status = DOCA_SUCCESS};
    send_frame(queue, r.offset, bytes, r.length, &done, sizeof(done));
    int64_t deadline = deadline_in(HARNESS_LIMIT_MS);
    while (!qp_poll(&qp, &done))
        ck_assert(deadline_pause(deadline));
    ck_assert_uint_eq(done.tag, 31); // the client's own
    ck_assert_uint_eq(done.status, DOCA_SUCCESS);
    ck_assert_mem_eq(&qp.shared->data[0][0] + 70000, bytes, sizeof(bytes));
    qp_client_fini(&qp);
}
END_TEST

// docad looks for the next request for a moment after each answer. Whether it finds one then or is
// asleep again, every request goes on, and in the end docad sleeps.
START_TEST(one_request_after_the_other)
{
    enum { ROUNDS = 300 };
    struct qp_client qp;
    struct qp_completion done;
    uint32_t slot;
    ck_assert_int_eq(create_queue_pair(OWN_QUEUE, NULL, &qp, &slot), DOCA_SUCCESS);
    for (unsigned i = 0; i < ROUNDS; i++) {
        struct qp_request r = post_read(&qp);
        int64_t deadline = deadline_in(HARNESS_LIMIT_MS);
        done = (struct qp_completion){.tag = r.tag, .status = DOCA_SUCCESS};
        send_frame(queue, r.offset, "x", 1, &done, sizeof(done));
        while (!qp_poll(&qp, &done))
            ck_assert(deadline_left(deadline) > 0);
        ck_assert_uint_eq(done.tag, 31);
        while (i % 8 == 0 && !qp.shared->engine_sleeping)
            ck_assert(deadline_pause(deadline));
    }
    qp_client_fini(&qp);
}
END_TEST

START_TEST(an_answer_without_a_way_is_refused)
{
    struct qp_client qp;
    uint32_t slot;
    ck_assert_int_eq(create_queue_pair(0, NULL, &qp, &slot), DOCA_ERROR_DRIVER);
}
END_TEST

// Nobody has offered one: there is none here.
START_TEST(an_answer_over_a_device_is_refused)
{
    struct qp_client qp;
    uint32_t slot;
    Docad__RcAddress rc = device_there();
    ck_assert_int_eq(create_queue_pair(_i ? OWN_QUEUE : 0, &rc, &qp, &slot), DOCA_ERROR_DRIVER);
    expect(DOCAD__MESSAGE__BODY_PEER_QUEUE_PAIR_DESTROY);
    ck_assert_uint_eq(answer->peer_queue_pair_destroy->queue_pair_id, 9);
    ck_assert_int_eq(create_queue_pair(OWN_QUEUE, NULL, &qp, &slot), DOCA_SUCCESS);
    qp_client_fini(&qp);
}
END_TEST

// An answer to no request; one of the wrong size; bytes beyond the data area.
START_TEST(nonsense_for_an_answer)
{
    struct qp_client qp;
    uint32_t slot;
    ck_assert_int_eq(create_queue_pair(OWN_QUEUE, NULL, &qp, &slot), DOCA_SUCCESS);
    struct qp_request r = post_read(&qp);
    struct qp_completion done = {.tag = r.tag, .status = DOCA_SUCCESS};
    if (_i == 0)
        done.tag++;
    else if (_i == 1)
        done.tag = QP_ENTRIES;
    uint8_t header[sizeof(done) + 4] = {0};
    memcpy(header, &done, sizeof(done));
    send_frame(queue, _i == 2 ? DATA_SIZE : 0, "byte", 4, header, sizeof(done) + (_i == 3 ? 4 : 0));
    wait_for_state(slot, SLOT_PEER_GONE);
    expect(DOCAD__MESSAGE__BODY_PEER_QUEUE_PAIR_DESTROY);
    daemon_wait_links(docad, 1);
    qp_client_fini(&qp);
}
END_TEST

// A queue pair that is not there yet has no number there.
START_TEST(none_ends_before_it_is_there)
{
    Docad__QueuePairCreate create = DOCAD__QUEUE_PAIR_CREATE__INIT;
    struct qp_client qp;
    uint32_t slot;
    create.node = (ProtobufCBinaryData){NODE_ID_SIZE, (uint8_t *)fake_node};
    post(client.sock, DOCAD__MESSAGE__BODY_QUEUE_PAIR_CREATE, &create);
    expect(DOCAD__MESSAGE__BODY_PEER_QUEUE_PAIR_CREATE);
    uint64_t serial = answer->serial;
    fail_queue_pair(0);
    fail_queue_pair(9);
    answer_create(serial, OWN_QUEUE, NULL);
    receive_any(client.sock);
    take_queue_pair(&qp, &slot);
    ck_assert_uint_eq(state_table_read(client.states, slot, queue_pair), SLOT_LIVE);
    qp_client_fini(&qp);
}
END_TEST

// Nor has one that is made anew: the other node ended it, and has not answered yet.
START_TEST(none_ends_while_it_is_made_anew)
{
    struct qp_client qp;
    uint32_t slot;
    ck_assert_int_eq(create_queue_pair(OWN_QUEUE, NULL, &qp, &slot), DOCA_SUCCESS);
    fail_queue_pair(9);
    expect(DOCAD__MESSAGE__BODY_PEER_QUEUE_PAIR_DESTROY);
    expect(DOCAD__MESSAGE__BODY_PEER_QUEUE_PAIR_CREATE);
    queue = answer->peer_queue_pair_create->link;
    fail_queue_pair(0);
    answer_create(answer->serial, OWN_QUEUE, NULL);
    post_read(&qp);
    ck_assert_uint_eq(state_table_read(client.states, slot, queue_pair), SLOT_LIVE);
    qp_client_fini(&qp);
}
END_TEST

START_TEST(the_link_goes_under_a_request)
{
    struct qp_client qp;
    uint32_t slot;
    ck_assert_int_eq(create_queue_pair(OWN_QUEUE, NULL, &qp, &slot), DOCA_SUCCESS);
    post_read(&qp);
    close_fdp(&fake);
    wait_for_state(slot, SLOT_PEER_GONE);
    qp_client_fini(&qp);
}
END_TEST

// Another queue pair is made there for the one here, and the request is sent once more.
START_TEST(the_link_comes_back_under_a_request)
{
    struct qp_client qp;
    uint32_t slot;
    ck_assert_int_eq(create_queue_pair(OWN_QUEUE, NULL, &qp, &slot), DOCA_SUCCESS);
    struct qp_request first = post_read(&qp);
    uint64_t before = queue;
    close_fdp(&fake);
    daemon_wait_links(docad, 0);
    link_as("host");
    expect(DOCAD__MESSAGE__BODY_PEER_QUEUE_PAIR_DESTROY);
    expect(DOCAD__MESSAGE__BODY_PEER_QUEUE_PAIR_CREATE);
    queue = answer->peer_queue_pair_create->link;
    ck_assert_uint_ne(queue, before);
    answer_create(answer->serial, OWN_QUEUE, NULL);
    struct qp_request again = take_request();
    ck_assert_mem_eq(&again, &first, sizeof(first));
    struct qp_completion done = {.tag = again.tag, .status = DOCA_SUCCESS};
    send_frame(before, 0, NULL, 0, &done, sizeof(done)); // nobody's any more
    send_frame(queue, 0, NULL, 0, &done, sizeof(done));
    int64_t deadline = deadline_in(HARNESS_LIMIT_MS);
    while (!qp_poll(&qp, &done))
        ck_assert(deadline_pause(deadline));
    ck_assert_uint_eq(done.status, DOCA_SUCCESS);
    ck_assert_uint_eq(state_table_read(client.states, slot, queue_pair), SLOT_LIVE);
    qp_client_fini(&qp);
}
END_TEST

// The same, and the answer names a device, which nobody has offered.
START_TEST(the_link_comes_back_and_a_device_is_refused)
{
    struct qp_client qp;
    uint32_t slot;
    Docad__RcAddress rc = device_there();
    ck_assert_int_eq(create_queue_pair(OWN_QUEUE, NULL, &qp, &slot), DOCA_SUCCESS);
    close_fdp(&fake);
    daemon_wait_links(docad, 0);
    link_as("host");
    expect(DOCAD__MESSAGE__BODY_PEER_QUEUE_PAIR_DESTROY);
    expect(DOCAD__MESSAGE__BODY_PEER_QUEUE_PAIR_CREATE);
    answer_create(answer->serial, 0, &rc);
    wait_for_state(slot, SLOT_PEER_GONE);
    expect(DOCAD__MESSAGE__BODY_PEER_QUEUE_PAIR_DESTROY);
    daemon_wait_links(docad, 1);
    qp_client_fini(&qp);
}
END_TEST

// The request for a queue pair is asked again then, and the answer connects it.
START_TEST(the_link_goes_before_the_answer)
{
    struct qp_client qp;
    uint32_t slot;
    Docad__QueuePairCreate create = DOCAD__QUEUE_PAIR_CREATE__INIT;
    create.node = (ProtobufCBinaryData){NODE_ID_SIZE, (uint8_t *)fake_node};
    post(client.sock, DOCAD__MESSAGE__BODY_QUEUE_PAIR_CREATE, &create);
    expect(DOCAD__MESSAGE__BODY_PEER_QUEUE_PAIR_CREATE);
    queue = answer->peer_queue_pair_create->link;
    close_fdp(&fake);
    daemon_wait_links(docad, 0);
    link_as("host");
    expect(DOCAD__MESSAGE__BODY_PEER_QUEUE_PAIR_CREATE);
    ck_assert_uint_eq(answer->peer_queue_pair_create->link, queue);
    answer_create(answer->serial, OWN_QUEUE, NULL);
    receive_any(client.sock);
    take_queue_pair(&qp, &slot);
    post_read(&qp);
    qp_client_fini(&qp);
}
END_TEST

int main(void)
{
    Suite *suite = suite_create("link_answers");
    TCase *stays = tcase_create("stays"), *returns = tcase_create("returns");
    tcase_add_checked_fixture(stays, setup_client, teardown_client);
    tcase_add_test(stays, a_request_goes_and_its_answer_comes);
    tcase_add_test(stays, one_request_after_the_other);
    tcase_add_test(stays, an_answer_without_a_way_is_refused);
    tcase_add_loop_test(stays, an_answer_over_a_device_is_refused, 0, 2);
    tcase_add_loop_test(stays, nonsense_for_an_answer, 0, 4);
    tcase_add_test(stays, none_ends_before_it_is_there);
    tcase_add_test(stays, none_ends_while_it_is_made_anew);
    tcase_add_test(stays, the_link_goes_under_a_request);
    suite_add_tcase(suite, stays);
    tcase_add_checked_fixture(returns, setup_client_and_return, teardown_client);
    tcase_add_test(returns, the_link_comes_back_under_a_request);
    tcase_add_test(returns, the_link_comes_back_and_a_device_is_refused);
    tcase_add_test(returns, the_link_goes_before_the_answer);
    suite_add_tcase(suite, returns);
    return run_suite(suite);
}
