// SPDX-License-Identifier: BSD-3-Clause
// Copyright (c) 2026, the docad authors
//
// A daemon of another machine that links and connects its queue pairs as it should, and then
// asks docad's engine what no daemon asks. docad ends that queue pair, says so once, serves all
// others, and keeps nothing.

#include "rc_acts.h"

#include "cleanup.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

// ---- requests -------------------------------------------------------------------------------

static void short_message(struct far_pair *pair)
{
    far_sends(pair, sizeof(struct qp_request) - 1);
}

static void message_of_the_other_kind(struct far_pair *pair)
{
    far_sends(pair, sizeof(struct qp_completion));
}

static void read_of_the_data(struct far_pair *pair)
{
    far_access(pair, IBV_WR_RDMA_READ, pair->data_there, pair->key_there, 8);
}

static void number_out_of_range(struct far_pair *pair)
{
    struct qp_request request = engine_request();
    request.tag = QP_ENTRIES;
    far_send(pair, &request, sizeof(request), 1);
}

static void number_that_is_huge(struct far_pair *pair)
{
    struct qp_request request = engine_request();
    request.tag = UINT32_MAX;
    far_send(pair, &request, sizeof(request), 1);
}

// They come faster than they are answered.
static void number_used_again(struct far_pair *pair)
{
    struct qp_request request = engine_request();
    request.length = QP_CHUNK_SIZE;
    request.offset = 0;
    far_send(pair, &request, sizeof(request), 100);
}

static void length_beyond_a_chunk(struct far_pair *pair)
{
    struct qp_request request = engine_request();
    request.length = QP_CHUNK_SIZE + 1;
    far_send(pair, &request, sizeof(request), 1);
}

static void offset_beyond_the_data(struct far_pair *pair)
{
    struct qp_request request = engine_request();
    request.offset = FAR_DATA_SIZE - request.length + 1;
    far_send(pair, &request, sizeof(request), 1);
}

static void offset_that_is_huge(struct far_pair *pair)
{
    struct qp_request request = engine_request();
    request.offset = UINT32_MAX - 3;
    far_send(pair, &request, sizeof(request), 1);
}

static void word_beyond_the_data(struct far_pair *pair)
{
    struct qp_request request = engine_request();
    request.opcode = QP_FETCH_ADD;
    request.offset = FAR_DATA_SIZE - 4;
    far_send(pair, &request, sizeof(request), 1);
}

// Its queue pair goes before the answers come.
static void goes_without_a_word(struct far_pair *pair)
{
    struct qp_request request = engine_request();
    request.length = QP_CHUNK_SIZE;
    request.offset = 0;
    for (request.tag = 0; request.tag < QP_ENTRIES; request.tag++)
        far_send(pair, &request, sizeof(request), 1);
    struct qp_completion done;
    far_receive(pair, &done, sizeof(done));
    far_pair_end(pair);
}

static const struct act acts_of_importer[] = {
    {"an empty message", empty_message},
    {"a short message", short_message},
    {"an answer", message_of_the_other_kind},
    {"a read", read_of_the_data},
    {"a number out of range", number_out_of_range},
    {"a huge number", number_that_is_huge},
    {"a number used again", number_used_again},
    {"a length beyond a chunk", length_beyond_a_chunk},
    {"an offset beyond the data", offset_beyond_the_data},
    {"a huge offset", offset_that_is_huge},
    {"a word beyond the data", word_beyond_the_data},
    {"gone without a word", goes_without_a_word},
};

static void act_and_end(const struct act *act, struct far_pair *good, unsigned descriptors)
{
    struct far_pair bad;
    char text[96];
    printf("%s\n", act->name);
    engine_open(&bad);
    engine_serves(&bad);
    act->act(&bad);
    far_hear(&rc_far, DOCAD__MESSAGE__BODY_PEER_QUEUE_PAIR_FAILED);
    ck_assert_uint_eq(answer->peer_queue_pair_failed->queue_pair_id, bad.id);
    engine_close(&bad);
    engine_serves(good);
    daemon_wait_descriptors(rc_host, descriptors);
    snprintf(text, sizeof(text), "queue pair %" PRIu64 " (of node dpu): ended: ", bad.id);
    rc_assert_logged_once(text);
}

START_TEST(requests_that_end_the_queue_pair)
{
    struct far_pair good;
    engine_open(&good);
    engine_serves(&good);
    unsigned descriptors = daemon_settled_descriptors(rc_host);
    for (size_t i = 0; i < WRONG_ACTS; i++)
        act_and_end(&wrong_acts[i], &good, descriptors);
    for (size_t i = 0; i < ARRAY_SIZE(acts_of_importer); i++)
        act_and_end(&acts_of_importer[i], &good, descriptors);
    engine_close(&good);
}
END_TEST

// The engine refuses the same requests from a program there as from a local one.
START_TEST(requests_that_are_refused)
{
    struct qp_request bad[8];
    struct far_pair pair;
    engine_open(&pair);
    for (size_t i = 0; i < ARRAY_SIZE(bad); i++)
        bad[i] = engine_request();
    bad[0].opcode = 99;
    bad[1].key ^= 1;
    bad[2].length = 0;
    bad[3].address += sizeof(rc_memory);
    bad[4].address = UINT64_MAX - 3;
    bad[5].opcode = QP_WRITE;
    bad[5].offset = FAR_DATA_SIZE - 4;
    bad[6].opcode = QP_FETCH_ADD;
    bad[6].address += 1;
    bad[7].opcode = QP_COPY; // copy keys are given to programs of docad's own node
    for (size_t i = 0; i < ARRAY_SIZE(bad); i++) {
        uint32_t status = engine_ask(&pair, &bad[i]);
        ck_assert_msg(status != DOCA_SUCCESS, "request %zu was carried out", i);
        engine_serves(&pair);
    }
    engine_close(&pair);
}
END_TEST

// ---- addresses ------------------------------------------------------------------------------

START_TEST(addresses_of_requests)
{
    Docad__PeerQueuePairCreate create = DOCAD__PEER_QUEUE_PAIR_CREATE__INIT;
    struct far_pair pair;
    far_pair_make(&pair, &rc_far);
    unsigned descriptors = daemon_settled_descriptors(rc_host);
    for (size_t i = 0; i < ARRAY_SIZE(wrong_addresses); i++) {
        Docad__RcAddress rc;
        far_pair_describe(&pair, &rc);
        wrong_addresses[i](&rc);
        create.importer = 7;
        create.rc = &rc;
        ck_assert_int_eq(far_call(&rc_far, DOCAD__MESSAGE__BODY_PEER_QUEUE_PAIR_CREATE, &create),
                         DOCA_ERROR_INVALID_VALUE);
        daemon_wait_descriptors(rc_host, descriptors);
    }
    far_pair_end(&pair);
    engine_open(&pair);
    engine_serves(&pair);
    engine_close(&pair);
}
END_TEST

static void assert_over_link(Docad__PeerQueuePairCreate *create)
{
    ck_assert_int_eq(far_call(&rc_far, DOCAD__MESSAGE__BODY_PEER_QUEUE_PAIR_CREATE, create),
                     DOCA_SUCCESS);
    ck_assert_ptr_null(answer->peer_queue_pair_create_reply->rc);
    ck_assert_uint_ne(answer->peer_queue_pair_create_reply->link, 0);
}

// It makes sense, and leads nowhere: the link does, if that is offered. Another address is not
// tried so soon.
START_TEST(addresses_out_of_reach)
{
    Docad__PeerQueuePairCreate create = DOCAD__PEER_QUEUE_PAIR_CREATE__INIT;
    struct far_pair pair;
    Docad__RcAddress rc;
    far_pair_make(&pair, &rc_far);
    far_pair_describe(&pair, &rc);
    out_of_reach(&rc);
    create.importer = 7;
    create.rc = &rc;
    unsigned descriptors = daemon_settled_descriptors(rc_host);
    ck_assert_int_eq(far_call(&rc_far, DOCAD__MESSAGE__BODY_PEER_QUEUE_PAIR_CREATE, &create),
                     DOCA_ERROR_NOT_SUPPORTED);
    daemon_wait_descriptors(rc_host, descriptors);
    create.link = 7001;
    assert_over_link(&create);
    rc_assert_logged_once("does not reach GID ::ffff:10.99.99.99 of node dpu");
    far_pair_describe(&pair, &rc);
    create.link = 7002;
    assert_over_link(&create);
    far_pair_end(&pair);
}
END_TEST

// ---- another node ---------------------------------------------------------------------------

static enum ibv_wc_status write_there(struct far_pair *by, const struct far_pair *to,
                                      const char *bytes)
{
    memcpy(far_data(by), bytes, strlen(bytes));
    far_access(by, IBV_WR_RDMA_WRITE, to->data_there, to->key_there, (uint32_t)strlen(bytes));
    return far_status(by);
}

// The other node has learnt where a data area is, and its key.
static void assert_denied(struct far_node *other, const struct far_pair *victim)
{
    struct far_pair pair;
    engine_open_of(other, &pair);
    ck_assert_int_eq(write_there(&pair, &pair, "its own"), IBV_WC_SUCCESS);
    ck_assert_int_eq(write_there(&pair, victim, "intruder"), IBV_WC_REM_ACCESS_ERR);
    engine_close(&pair);
}

START_TEST(data_areas_are_of_one_node)
{
    static const uint8_t id[NODE_ID_SIZE] = "another node id";
    struct far_node other;
    struct far_pair pair;
    struct client client;
    struct qp_request request = engine_request();
    rc_link(&other, "other", id);
    engine_open(&pair);
    client_open(&client, true);
    ck_assert_int_eq(write_there(&pair, &pair, "the dpu's"), IBV_WC_SUCCESS);
    assert_denied(&other, &pair);
    assert_denied(&other, &client.pair);
    // The data area still holds the node's own bytes.
    request.opcode = QP_WRITE;
    request.length = 9;
    request.offset = 0;
    ck_assert_uint_eq(engine_ask(&pair, &request), DOCA_SUCCESS);
    ck_assert_mem_eq(rc_memory, "the dpu's", 9);
    client_served(&client);
    client_close(&client);
    engine_close(&pair);
    far_stop(&other);
    daemon_wait_links(rc_host, 1);
}
END_TEST

int main(void)
{
    const TTest *const tests[] = {requests_that_end_the_queue_pair, requests_that_are_refused,
                                  addresses_of_requests, addresses_out_of_reach,
                                  data_areas_are_of_one_node};
    return rc_run("rc_requests", tests, ARRAY_SIZE(tests));
}
