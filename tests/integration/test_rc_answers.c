// SPDX-License-Identifier: BSD-3-Clause
// Copyright (c) 2026, the docad authors
//
// A daemon of another machine that is asked by programs here, and answers what no daemon answers,
// or connects its queue pairs to nothing. docad ends that queue pair, makes its connection anew
// or goes over the link; it says so once, serves all others, and keeps nothing.

#include "rc_acts.h"

#include "cleanup.h"
#include "deadline.h"

#include <inttypes.h>
#include <stdio.h>
#include <unistd.h>

// ---- answers --------------------------------------------------------------------------------

static void answers(struct far_pair *pair, uint32_t number, unsigned times)
{
    struct qp_completion done = {.tag = number, .status = DOCA_SUCCESS};
    far_send(pair, &done, sizeof(done), times);
}

static void unasked_answer(struct far_pair *pair)
{
    answers(pair, QP_ENTRIES - 1, 1);
}

static void answer_out_of_range(struct far_pair *pair)
{
    answers(pair, QP_ENTRIES, 1);
}

static void answer_that_is_huge(struct far_pair *pair)
{
    answers(pair, UINT32_MAX, 1);
}

// The program's request is number 0: the free ones are taken from below.
static void answer_twice(struct far_pair *pair)
{
    answers(pair, 0, 2);
}

static void request_instead(struct far_pair *pair)
{
    far_sends(pair, sizeof(struct qp_request));
}

static void assert_client_ended(struct client *c)
{
    int64_t deadline = deadline_in(HARNESS_LIMIT_MS);
    far_hear(&rc_far, DOCAD__MESSAGE__BODY_PEER_QUEUE_PAIR_DESTROY);
    ck_assert_uint_eq(answer->peer_queue_pair_destroy->queue_pair_id, c->pair.id);
    while (state_table_read(rc_owner.states, c->slot, c->id) == SLOT_LIVE)
        ck_assert_msg(deadline_pause(deadline), "its state stays live");
    ck_assert_int_eq(state_table_read(rc_owner.states, c->slot, c->id), SLOT_PEER_GONE);
}

// It goes, and nothing of it is left; others are served.
static void client_goes(struct client *c, struct client *good, unsigned descriptors)
{
    char text[96];
    client_close(c);
    client_served(good);
    daemon_wait_descriptors(rc_host, descriptors);
    snprintf(text, sizeof(text), "queue pair %" PRIu64 " (pid %d) to node dpu: ended: ", c->id,
             (int)getpid());
    rc_assert_logged_once(text);
}

static const struct act acts_that_mislead[] = {
    {"an answer that was not asked for", unasked_answer},
    {"an answer out of range", answer_out_of_range},
    {"an answer with a huge number", answer_that_is_huge},
    {"an answer twice", answer_twice},
    {"a request", request_instead},
    {"an empty message", empty_message},
};

START_TEST(answers_that_end_the_queue_pair)
{
    struct client good, bad;
    struct qp_request request;
    client_open(&good, true);
    client_served(&good);
    unsigned descriptors = daemon_settled_descriptors(rc_host);
    for (size_t i = 0; i < ARRAY_SIZE(acts_that_mislead); i++) {
        printf("%s\n", acts_that_mislead[i].name);
        client_open(&bad, true);
        client_served(&bad);
        client_request(&bad);
        far_receive(&bad.pair, &request, sizeof(request));
        ck_assert_uint_eq(request.tag, 0);
        acts_that_mislead[i].act(&bad.pair);
        assert_client_ended(&bad);
        client_goes(&bad, &good, descriptors);
    }
    client_close(&good);
}
END_TEST

START_TEST(addresses_of_answers)
{
    struct far_pair pair;
    struct client good;
    far_pair_make(&pair, &rc_far);
    unsigned descriptors = daemon_settled_descriptors(rc_host);
    for (size_t i = 0; i < ARRAY_SIZE(wrong_addresses); i++) {
        client_answer(&pair, client_ask(), wrong_addresses[i]);
        ck_assert_int_eq(answer->body_case, DOCAD__MESSAGE__BODY_ERROR);
        ck_assert_int_eq(answer->error->code, DOCA_ERROR_INVALID_VALUE);
        far_hear(&rc_far, DOCAD__MESSAGE__BODY_PEER_QUEUE_PAIR_DESTROY);
        ck_assert_uint_eq(answer->peer_queue_pair_destroy->queue_pair_id, pair.id);
        daemon_wait_descriptors(rc_host, descriptors);
    }
    far_pair_end(&pair);
    client_open(&good, true);
    client_served(&good);
    client_close(&good);
}
END_TEST

// ---- connections that break, and are made anew -----------------------------------------------

// docad asks for another queue pair in this one's place, and is told of this one.
static void expect_renewal(struct client *c, struct far_pair *with, bool connect)
{
    Docad__PeerQueuePairCreateReply reply = DOCAD__PEER_QUEUE_PAIR_CREATE_REPLY__INIT;
    Docad__RcAddress rc;
    far_hear(&rc_far, DOCAD__MESSAGE__BODY_PEER_QUEUE_PAIR_DESTROY);
    ck_assert_uint_eq(answer->peer_queue_pair_destroy->queue_pair_id, c->pair.id);
    far_hear(&rc_far, DOCAD__MESSAGE__BODY_PEER_QUEUE_PAIR_CREATE);
    if (connect)
        far_pair_connect(with, answer->peer_queue_pair_create->rc);
    with->id = reply.queue_pair_id = c->pair.id + 1000;
    far_pair_describe(with, &rc);
    reply.rc = &rc;
    far_say(&rc_far, answer->serial, DOCAD__MESSAGE__BODY_PEER_QUEUE_PAIR_CREATE_REPLY, &reply);
    c->pair = *with;
}

static void break_and_renew(void (*act)(struct far_pair *pair), struct client *good)
{
    struct client bad;
    struct far_pair again;
    client_open(&bad, true);
    client_served(&bad);
    far_pair_make(&again, &rc_far);
    struct far_pair first = bad.pair;
    act(&bad.pair);
    client_request(&bad);
    expect_renewal(&bad, &again, true);
    client_answered(&bad);
    client_served(&bad);
    client_served(good);
    client_close(&bad);
    if (act != far_pair_end)
        far_pair_end(&first);
}

// A read breaks nothing: the other side fetches the bytes that are to be written there.
START_TEST(connections_that_break)
{
    struct client good;
    client_open(&good, true);
    client_served(&good);
    unsigned descriptors = daemon_settled_descriptors(rc_host);
    for (size_t i = 0; i < WRONG_ACTS; i++) {
        printf("%s\n", wrong_acts[i].name);
        break_and_renew(wrong_acts[i].act, &good);
        daemon_wait_descriptors(rc_host, descriptors);
    }
    break_and_renew(far_pair_end, &good); // gone without a word
    daemon_wait_descriptors(rc_host, descriptors);
    client_close(&good);
}
END_TEST

// The other node says that it has connected, and has not. docad tries this a few times, then uses
// the link.
START_TEST(nobody_is_connected)
{
    struct client good, bad;
    client_open(&good, true);
    client_served(&good);
    unsigned descriptors = daemon_settled_descriptors(rc_host);
    client_open(&bad, false);
    client_request(&bad);
    for (int i = 0; i < 3; i++) {
        struct far_pair same = bad.pair;
        expect_renewal(&bad, &same, false);
    }
    client_offered_link();
    far_hear(&rc_far, DOCAD__MESSAGE__BODY_PEER_QUEUE_PAIR_DATA); // what was asked
    ck_assert_int_eq(state_table_read(rc_owner.states, bad.slot, bad.id), SLOT_LIVE);
    rc_assert_logged_once("does not reach GID ");
    client_close(&bad);
    client_served(&good);
    daemon_wait_descriptors(rc_host, descriptors);
    client_close(&good);
}
END_TEST

// Its answer leads nowhere: it is asked once more, over the link.
START_TEST(answers_out_of_reach)
{
    struct client client;
    far_pair_make(&client.pair, &rc_far);
    client_answer_only(&client.pair, client_ask(), out_of_reach);
    far_hear(&rc_far, DOCAD__MESSAGE__BODY_PEER_QUEUE_PAIR_DESTROY);
    ck_assert_uint_eq(answer->peer_queue_pair_destroy->queue_pair_id, client.pair.id);
    client_offered_link();
    receive_any(rc_owner.sock);
    client_take(&client);
    rc_assert_logged_once("does not reach GID ::ffff:10.99.99.99 of node dpu");
    client_close(&client);
}
END_TEST

int main(void)
{
    const TTest *const tests[] = {answers_that_end_the_queue_pair, addresses_of_answers,
                                  connections_that_break, nobody_is_connected,
                                  answers_out_of_reach};
    return rc_run("rc_answers", tests, ARRAY_SIZE(tests));
}
