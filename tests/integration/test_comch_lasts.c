// SPDX-License-Identifier: BSD-3-Clause
// Copyright (c) 2026, the docad authors
//
// Comch while docad is restarted, and while a consumer's memory is taken back.

#include "comch_path.h"
#include "env.h"
#include "nodes.h"
#include "restarts.h"

#include <string.h>

// ---- restarts

// Short messages are in the ring, long ones in the memory that was lent.
static size_t length_of(unsigned i)
{
    return i % 2 ? 4096 : 64;
}

static void consumes(struct receiver *r)
{
    child_tell(r->self, "runs");
    for (unsigned i = 0; r->imm_length == 0; i++) {
        post(r, 5, LARGE);
        PROGRESS_UNTIL(r->pe, r->got + r->failed == i + 1);
        ck_assert_uint_eq(r->failed, 0);
        ck_assert_uint_eq(r->length, length_of(i));
        for (size_t at = 0; at < r->length; at++)
            ck_assert_uint_eq(r->memory.bytes[5 + at], pattern(at, i));
        restarted->jobs[0]++;
    }
}

// The other side's receive may not be there yet.
static void send_when_posted(struct sender *s, unsigned seed, size_t length, const char *imm)
{
    doca_error_t r;
    while ((r = try_send(s, known.consumer, seed, length, imm)) == DOCA_ERROR_AGAIN)
        (void)doca_pe_progress(s->end->pe);
    OK(r);
}

static void produces(struct sender *s)
{
    bool last = false;
    for (unsigned i = 0; !last; i++) {
        last = restarted->stop;
        send_when_posted(s, i, length_of(i), last ? "last" : NULL);
        PROGRESS_UNTIL(s->pe, s->sent + s->failed == i + 1);
        ck_assert_uint_eq(s->failed, 0);
        restarted->jobs[1]++;
    }
}

// Nothing is lost, and nothing comes twice. On one machine and between two.
START_TEST(messages_go_on_while_docad_restarts)
{
    bool to_server = _i % 2;
    restarted_start(_i / 2);
    nodes = restarted_nodes;
    struct pair pair = pair_between(CONSUMES(consumes), PRODUCES(produces), to_server);
    child_wait(to_server ? pair.server : pair.client, "runs");
    restart_often(2);
    pair_end(&pair);
    restarted_stop();
}
END_TEST

// ---- memory that is taken back

static void lends(struct receiver *r)
{
    post(r, 5, LARGE);
    child_tell(r->self, "runs");
    PROGRESS_UNTIL(r->pe, r->got == 1);
    post(r, 5, LARGE);
    child_tell(r->self, "has it");
    child_wait(r->self, "taken back");
    memset(r->memory.bytes, 0, LARGE);
    child_tell(r->self, "has cleared it");
    PROGRESS_UNTIL(r->pe, r->failed == 1);
    for (size_t at = 0; at < LARGE; at++)
        ck_assert_uint_eq(r->memory.bytes[at], 0);
    child_wait(r->self, "end");
}

static void writes(struct sender *s)
{
    send_when_posted(s, 1, 4096, NULL);
    PROGRESS_UNTIL(s->pe, s->sent == 1);
    child_wait(s->self, "send again");
    send_when_posted(s, 2, 4096, NULL);
    PROGRESS_UNTIL(s->pe, s->failed == 1);
    ck_assert_int_eq(s->last, DOCA_ERROR_NOT_PERMITTED);
    child_tell(s->self, "failed");
}

// Both sides learn it, and nothing is written any more.
START_TEST(memory_is_taken_back)
{
    struct pair pair = pair_start(PRODUCES(writes), CONSUMES(lends));
    child_wait(pair.client, "runs");
    child_wait(pair.client, "has it");
    revoke_all_of(nodes.host, pair.client);
    child_tell(pair.client, "taken back");
    child_wait(pair.client, "has cleared it");
    child_tell(pair.server, "send again");
    child_wait(pair.server, "failed");
    child_tell(pair.client, "end");
    pair_end(&pair);
}
END_TEST

int main(void)
{
    Suite *suite = suite_create("comch_lasts");
    TCase *restarts = tcase_create("restarts");

    tcase_add_checked_fixture(restarts, env_setup, env_teardown);
    tcase_set_timeout(restarts, 120);
    tcase_add_loop_test(restarts, messages_go_on_while_docad_restarts, 0, 4);
    suite_add_tcase(suite, restarts);
    tcase_add_test(case_near(suite), memory_is_taken_back);
    return run_suite(suite);
}
