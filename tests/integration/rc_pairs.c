// SPDX-License-Identifier: BSD-3-Clause
// Copyright (c) 2026, the docad authors

#include "rc_pairs.h"

#include "deadline.h"

#include <string.h>
#include <unistd.h>

// ---- docad's engine serves the far node ---------------------------------------------------------

struct qp_request engine_request(void)
{
    return (struct qp_request){.address = (uintptr_t)rc_memory,
                               .length = 8,
                               .key = rc_key,
                               .offset = 16,
                               .tag = 5,
                               .opcode = QP_READ};
}

void engine_open_of(struct far_node *node, struct far_pair *pair)
{
    Docad__PeerQueuePairCreate create = DOCAD__PEER_QUEUE_PAIR_CREATE__INIT;
    Docad__RcAddress rc;
    far_pair_make(pair, node);
    far_pair_describe(pair, &rc);
    create.importer = 7;
    create.pid = (uint32_t)getpid();
    create.rc = &rc;
    ck_assert_msg(far_call(node, DOCAD__MESSAGE__BODY_PEER_QUEUE_PAIR_CREATE, &create) ==
                      DOCA_SUCCESS,
                  "%s", answer->error->text);
    pair->id = answer->peer_queue_pair_create_reply->queue_pair_id;
    far_pair_connect(pair, answer->peer_queue_pair_create_reply->rc);
}

void engine_open(struct far_pair *pair)
{
    engine_open_of(&rc_far, pair);
}

void engine_close(struct far_pair *pair)
{
    Docad__PeerQueuePairDestroy destroy = DOCAD__PEER_QUEUE_PAIR_DESTROY__INIT;
    destroy.queue_pair_id = pair->id;
    far_say(pair->node, 0, DOCAD__MESSAGE__BODY_PEER_QUEUE_PAIR_DESTROY, &destroy);
    far_pair_end(pair);
}

uint32_t engine_ask(struct far_pair *pair, const struct qp_request *request)
{
    struct qp_completion done;
    far_send(pair, request, sizeof(*request), 1);
    far_receive(pair, &done, sizeof(done));
    ck_assert_uint_eq(done.tag, request->tag);
    return done.status;
}

void engine_serves(struct far_pair *pair)
{
    struct qp_request request = engine_request();
    memset(far_data(pair), 0, 64);
    ck_assert_uint_eq(engine_ask(pair, &request), DOCA_SUCCESS);
    ck_assert_mem_eq(far_data(pair) + 16, rc_memory, 8);
}

// ---- the far node serves a program --------------------------------------------------------------

uint64_t client_ask(void)
{
    Docad__QueuePairCreate create = DOCAD__QUEUE_PAIR_CREATE__INIT;
    create.node = (ProtobufCBinaryData){NODE_ID_SIZE, (uint8_t *)fake_node};
    post(rc_owner.sock, DOCAD__MESSAGE__BODY_QUEUE_PAIR_CREATE, &create);
    far_hear(&rc_far, DOCAD__MESSAGE__BODY_PEER_QUEUE_PAIR_CREATE);
    ck_assert_ptr_nonnull(answer->peer_queue_pair_create->rc);
    return answer->serial;
}

void client_answer_only(struct far_pair *pair, uint64_t serial, rc_change_fn change)
{
    static uint64_t id = 4000;
    Docad__PeerQueuePairCreateReply reply = DOCAD__PEER_QUEUE_PAIR_CREATE_REPLY__INIT;
    Docad__RcAddress rc;
    pair->id = reply.queue_pair_id = ++id;
    far_pair_describe(pair, &rc);
    if (change)
        change(&rc);
    reply.rc = &rc;
    far_say(&rc_far, serial, DOCAD__MESSAGE__BODY_PEER_QUEUE_PAIR_CREATE_REPLY, &reply);
}

void client_answer(struct far_pair *pair, uint64_t serial, rc_change_fn change)
{
    client_answer_only(pair, serial, change);
    receive_any(rc_owner.sock);
}

void client_take(struct client *c)
{
    c->ring = raw_queue_pair_take();
    c->id = answer->queue_pair_create_reply->queue_pair_id;
    c->slot = answer->queue_pair_create_reply->state_slot;
}

void client_open(struct client *c, bool connect)
{
    far_pair_make(&c->pair, &rc_far);
    uint64_t serial = client_ask();
    if (connect)
        far_pair_connect(&c->pair, answer->peer_queue_pair_create->rc);
    client_answer(&c->pair, serial, NULL);
    client_take(c);
}

void client_close(struct client *c)
{
    Docad__QueuePairDestroy destroy = DOCAD__QUEUE_PAIR_DESTROY__INIT;
    destroy.queue_pair_id = c->id;
    ck_assert_int_eq(call(rc_owner.sock, DOCAD__MESSAGE__BODY_QUEUE_PAIR_DESTROY, &destroy),
                     DOCA_SUCCESS);
    qp_client_fini(&c->ring);
    far_pair_end(&c->pair);
}

void client_request(struct client *c)
{
    struct qp_request request = {.length = 8, .offset = 16, .tag = 77, .opcode = QP_READ};
    ck_assert(qp_post(&c->ring, &request));
    qp_ring(&c->ring);
}

void client_answered(struct client *c)
{
    int64_t deadline = deadline_in(HARNESS_LIMIT_MS);
    struct qp_request request;
    struct qp_completion done;
    far_receive(&c->pair, &request, sizeof(request));
    memcpy(far_data(&c->pair), "12345678", 8);
    far_access(&c->pair, IBV_WR_RDMA_WRITE, c->pair.data_there + request.offset, c->pair.key_there,
               8);
    done = (struct qp_completion){.tag = request.tag, .status = DOCA_SUCCESS};
    far_send(&c->pair, &done, sizeof(done), 1);
    while (!qp_poll(&c->ring, &done))
        ck_assert_msg(deadline_pause(deadline), "the answer does not arrive");
    ck_assert_uint_eq(done.tag, 77);
    ck_assert_uint_eq(done.status, DOCA_SUCCESS);
    ck_assert_mem_eq(c->ring.shared->data[0] + 16, "12345678", 8);
}

void client_served(struct client *c)
{
    client_request(c);
    client_answered(c);
}

void client_offered_link(void)
{
    Docad__PeerQueuePairCreateReply reply = DOCAD__PEER_QUEUE_PAIR_CREATE_REPLY__INIT;
    far_hear(&rc_far, DOCAD__MESSAGE__BODY_PEER_QUEUE_PAIR_CREATE);
    ck_assert_ptr_null(answer->peer_queue_pair_create->rc);
    ck_assert_uint_ne(answer->peer_queue_pair_create->link, 0);
    reply.queue_pair_id = 7000;
    reply.link = 7001;
    far_say(&rc_far, answer->serial, DOCAD__MESSAGE__BODY_PEER_QUEUE_PAIR_CREATE_REPLY, &reply);
}
