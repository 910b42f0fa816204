// SPDX-License-Identifier: BSD-3-Clause
// Copyright (c) 2026, the docad authors
//
// Hostile ends of a fast path between machines: whatever one side sends on a consumer's channel,
// the other one goes on, or ends in an orderly way.

#include "comch/comch.h"
#include "comch/consumer.h"
#include "comch/remote.h"
#include "comch_path.h"
#include "env.h"
#include "nodes.h"

#include <string.h>

#define FRAMES 2

static void put(struct comch_relayed *relayed, const struct comch_frame *frame, size_t size)
{
    uint8_t message[CHANNEL_MESSAGE_MAX] = {0};
    const char *why = "";
    memcpy(message, frame, sizeof(*frame));
    ck_assert_int_eq(cc_put(relayed->to, message, size, &why), DOCA_SUCCESS);
}

// ---- bytes that nobody would send

// Two receives of LONGEST bytes wait for them.
static const struct {
    unsigned good; // messages that arrive before
    struct {
        struct comch_frame frame;
        int more; // bytes after it
    } frames[FRAMES];
} nonsense[] = {
    {0, {{{COMCH_FRAME_BYTES}, -20}}},
    {0, {{{99, 0, 4, 0, 1, 0}, 4}}},
    {0, {{{COMCH_FRAME_POSTED, 0, 1, 0, 0, 0}, 4}}},
    {0, {{{COMCH_FRAME_BYTES, 2, 4, 0, 1, 0}, 4}}},
    {0, {{{COMCH_FRAME_BYTES, UINT32_MAX, 4, 0, 1, 0}, 4}}},
    {0, {{{COMCH_FRAME_BYTES, 64, 4, 0, 1, 0}, 4}}},
    {0, {{{COMCH_FRAME_BYTES, 0, LONGEST + 1, 0, 1, 0}, 1}}},
    {0, {{{COMCH_FRAME_BYTES, 0, UINT32_MAX, 0, 1, 0}, 1}}},
    {0, {{{COMCH_FRAME_BYTES, 0, 4, 1, 1, 0}, 3}}},
    {0, {{{COMCH_FRAME_BYTES, 0, 4, UINT32_MAX, 1, 0}, 3}}},
    {0, {{{COMCH_FRAME_BYTES, 0, 4, 0, 1, 0}, 8}}},
    {0, {{{COMCH_FRAME_BYTES, 0, 4, 0, 1, 0}, 0}}},
    {0, {{{COMCH_FRAME_BYTES, 0, 0, 0, 1, 33}, 33}}},
    {0, {{{COMCH_FRAME_BYTES, 0, 0, 0, 1, 8}, 7}}},
    {0, {{{COMCH_FRAME_BYTES, 0, 0, 0, 1, UINT32_MAX}, 0}}},
    // The second piece of a message.
    {0, {{{COMCH_FRAME_BYTES, 0, 100, 0, 1, 0}, 10}, {{COMCH_FRAME_BYTES, 0, 200, 10, 1, 0}, 10}}},
    {0, {{{COMCH_FRAME_BYTES, 0, 100, 0, 1, 0}, 10}, {{COMCH_FRAME_BYTES, 0, 100, 9, 1, 0}, 10}}},
    {0, {{{COMCH_FRAME_BYTES, 0, 100, 0, 1, 0}, 10}, {{COMCH_FRAME_BYTES, 0, 100, 0, 1, 0}, 10}}},
    {0, {{{COMCH_FRAME_BYTES, 0, 100, 0, 1, 0}, 10}, {{COMCH_FRAME_BYTES, 0, 100, 10, 1, 0}, 91}}},
    {0, {{{COMCH_FRAME_BYTES, 0, 100, 0, 1, 0}, 10}, {{COMCH_FRAME_BYTES, 0, 100, 10, 1, 4}, 94}}},
    // Messages that came already, and are taken or wait for an earlier one.
    {1, {{{COMCH_FRAME_BYTES, 0, 4, 0, 1, 0}, 4}, {{COMCH_FRAME_BYTES, 0, 4, 0, 1, 0}, 4}}},
    {0, {{{COMCH_FRAME_BYTES, 1, 4, 0, 1, 0}, 4}, {{COMCH_FRAME_BYTES, 1, 4, 0, 1, 0}, 4}}},
};

#define N_NONSENSE ((int)(sizeof(nonsense) / sizeof(nonsense[0])))

static int which;

static void sends_nonsense(struct end *e)
{
    UNTIL(e, known.came == 1);
    struct comch_relayed *relayed = e->connection->path->remotes[known.consumer]->relayed;
    int64_t limit = deadline_in(HARNESS_LIMIT_MS);
    while ((uint32_t)atomic_load(&relayed->receives->count) != 2) {
        ck_assert_msg(now_ms() < limit, "nothing was posted");
        comch_relayed_listen(relayed);
    }
    for (unsigned i = 0; i < FRAMES && nonsense[which].frames[i].frame.kind; i++)
        put(relayed, &nonsense[which].frames[i].frame,
            sizeof(struct comch_frame) + (size_t)nonsense[which].frames[i].more);
    UNTIL(e, known.expired == 1);
    child_tell(e->self, "expired");
}

static void hears_nonsense(struct receiver *r)
{
    memset(r->memory.bytes, 7, 4 * LONGEST);
    post(r, LONGEST, LONGEST);
    post(r, 2 * LONGEST, LONGEST);
    PROGRESS_UNTIL(r->end->pe, r->state == DOCA_CTX_STATE_IDLE);
    ck_assert_uint_eq(r->got, nonsense[which].good);
    ck_assert_uint_eq(r->failed, 2 - nonsense[which].good);
    ck_assert_int_eq(r->last, DOCA_ERROR_IO_FAILED);
    for (size_t i = 0; i < LONGEST; i++) {
        ck_assert_uint_eq(r->memory.bytes[i], 7);
        ck_assert_uint_eq(r->memory.bytes[3 * LONGEST + i], 7);
    }
}

START_TEST(nonsense_ends_a_consumer)
{
    which = _i / 2;
    struct pair pair = pair_between(MEETS(sends_nonsense), CONSUMES(hears_nonsense), _i % 2);
    child_wait(_i % 2 ? pair.server : pair.client, "expired");
    pair_end(&pair);
}
END_TEST

// ---- receives that nobody would post

static const struct {
    struct comch_frame frame;
    int more;
} posted[] = {
    {{COMCH_FRAME_POSTED}, -1},
    {{COMCH_FRAME_POSTED, 1, 1, 0, 0, 0}, 4},
    {{COMCH_FRAME_POSTED, 0, 1, 0, 0, 0}, 0},
    {{COMCH_FRAME_POSTED, 0, 1, 0, 0, 0}, 8},
    {{COMCH_FRAME_POSTED, 0, 65, 0, 0, 0}, 65 * 4},
    {{COMCH_FRAME_POSTED, 0, UINT32_MAX, 0, 0, 0}, 4},
    {{COMCH_FRAME_BYTES, 0, 4, 0, 1, 0}, 4},
};

#define N_POSTED ((int)(sizeof(posted) / sizeof(posted[0])))

static void posts_nonsense(struct receiver *r)
{
    put(r->consumer->relayed, &posted[which].frame,
        sizeof(struct comch_frame) + (size_t)posted[which].more);
    child_tell(r->self, "posted");
    PROGRESS_UNTIL(r->end->pe, r->state == DOCA_CTX_STATE_IDLE);
    doca_pe_progress(r->end->pe);
    receiver_end(r);
    child_tell(r->self, "ended");
}

static void hears_what_is_posted(struct sender *s)
{
    child_wait(s->self, "send");
    doca_error_t r;
    int64_t limit = deadline_in(HARNESS_LIMIT_MS);
    while ((r = try_send(s, known.consumer, 0, LONGEST, NULL)) == DOCA_ERROR_AGAIN)
        ck_assert_msg(now_ms() < limit, "it goes on");
    OK(r);
    PROGRESS_UNTIL(s->pe, s->failed == 1);
    ck_assert_int_eq(s->last, DOCA_ERROR_NOT_FOUND);
}

START_TEST(nonsense_ends_producers)
{
    which = _i;
    struct pair pair = pair_start(PRODUCES(hears_what_is_posted), CONSUMES(posts_nonsense));
    child_wait(pair.client, "posted");
    child_tell(pair.server, "send");
    child_wait(pair.client, "ended");
    pair_end(&pair);
}
END_TEST

// ---- a channel that nobody waits for

static void knocks_with_a_key(struct end *e)
{
    struct doca_comm_channel_addr_t *a;
    struct doca_comm_channel_ep_t *ep;
    struct errtext err;
    OK(cc_endpoint_new(&ep, &err));
    ep->dev = dev_ref(e->dev);
    ep->keyed = true; // all zero
    OK(cc_connect(ep, e->connection->end->name, &a, &err));
    int64_t limit = deadline_in(HARNESS_LIMIT_MS);
    while (!cc_address_hung_up(a))
        ck_assert_msg(now_ms() < limit, "it was taken");
    cc_endpoint_free(ep);
    child_tell(e->self, "turned away");
}

static void has_one_client(struct end *e)
{
    UNTIL(e, known.left == 1);
    ck_assert_ptr_eq(known.connection, e->connection);
    ck_assert_uint_eq(known.came, 0);
}

START_TEST(an_unknown_key_is_turned_away)
{
    struct pair pair = pair_start(MEETS(has_one_client), MEETS(knocks_with_a_key));
    child_wait(pair.client, "turned away");
    pair_end(&pair);
}
END_TEST

int main(void)
{
    Suite *suite = suite_create("comch_relayed_hostile");
    TCase *apart = case_apart_shared(suite);
    tcase_add_loop_test(apart, nonsense_ends_a_consumer, 0, 2 * N_NONSENSE);
    tcase_add_loop_test(apart, nonsense_ends_producers, 0, N_POSTED);
    tcase_add_test(apart, an_unknown_key_is_turned_away);
    TCase *near = case_near(suite);
    tcase_add_test(near, an_unknown_key_is_turned_away);
    return run_suite(suite);
}
