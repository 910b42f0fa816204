// SPDX-License-Identifier: BSD-3-Clause
// Copyright (c) 2026, the docad authors
//
// The state of a queue pair that a later engine finds.

#include "cleanup.h"
#include "engine_move.h"
#include "unit.h"
#include "shared_file.h"

#include <fcntl.h>

static struct engine_owner owner = {.words = PTHREAD_MUTEX_INITIALIZER};
static uint64_t word;
static struct qp_atomic data;

static uint64_t carry_out(uint32_t opcode, struct qp_intent *intent, uint32_t sequence, bool again)
{
    struct shared_fd *memory = shared_file("/proc/self/mem");
    struct engine_grant grant = {.owner = &owner, .owner_memory = memory};
    struct qp_request r = {.opcode = opcode, .address = (uintptr_t)&word, .length = 8};
    ck_assert_uint_eq(engine_move(&grant, &r, (uint8_t *)&data, intent, sequence, again), 0);
    shared_fd_unref(memory);
    return data.operand;
}

static const struct {
    struct qp_intent intent;
    uint32_t sequence;
    bool again;
    uint64_t word, before, after; // before and after a fetch and add of 2
} adds[] = {
    {{QP_INTENT_NONE}, 3, true, 7, 7, 9},
    {{QP_INTENT_BEGUN, 3, 5, 7}, 3, true, 7, 5, 7},  // written, and no more
    {{QP_INTENT_BEGUN, 3, 7, 9}, 3, true, 7, 7, 9},  // not written
    {{QP_INTENT_DONE, 3, 5, 7}, 3, true, 20, 5, 20}, // and changed by others since
    {{QP_INTENT_DONE, 2, 5, 7}, 3, true, 7, 7, 9},   // of the request before
    {{QP_INTENT_DONE, 3, 5, 7}, 3, false, 7, 7, 9},  // nobody was here before
};

START_TEST(additions_are_done_once)
{
    struct qp_intent intent = adds[_i].intent;
    word = adds[_i].word;
    data = (struct qp_atomic){.operand = 2};
    ck_assert_uint_eq(carry_out(QP_FETCH_ADD, &intent, adds[_i].sequence, adds[_i].again),
                      adds[_i].before);
    ck_assert_uint_eq(word, adds[_i].after);
}
END_TEST

// One that found another value is not tried again: its operand has been written over.
START_TEST(swaps_fail_once)
{
    struct qp_intent intent = {QP_INTENT_NONE};
    word = 7;
    data = (struct qp_atomic){.operand = 1, .compare = 6};
    ck_assert_uint_eq(carry_out(QP_CMP_SWP, &intent, 0, false), 7);
    word = 6;
    ck_assert_uint_eq(carry_out(QP_CMP_SWP, &intent, 0, true), 7);
    ck_assert_uint_eq(word, 6);
}
END_TEST

START_TEST(rings_go_on)
{
    struct qp_client client;
    struct qp_server first, second;
    struct qp_request r;
    struct qp_completion c;
    int fds[3];

    ck_assert_int_eq(qp_server_init(&first, fds), 0);
    int kept[3] = {dup(fds[0]), dup(fds[1]), dup(first.channel)};
    ck_assert_int_eq(qp_client_init(&client, fds[0], fds[1], fds[2]), 0);
    for (uint32_t i = 0; i < 4; i++)
        ck_assert(qp_post(&client, &(struct qp_request){.tag = i, .length = 1}));
    qp_ring(&client);
    ck_assert_int_eq(qp_server_next(&first, &r), 1);
    ck_assert_int_eq(qp_server_complete(&first, r.tag, 0), 0);
    ck_assert_int_eq(qp_server_next(&first, &r), 1); // and then its docad is killed
    qp_server_fini(&first);
    ck_assert_int_eq(qp_server_restore(&second, kept), 0);
    for (uint32_t i = 1; i < 4; i++) {
        ck_assert_int_eq(qp_server_next(&second, &r), 1);
        ck_assert_uint_eq(r.tag, i);
        ck_assert_int_eq(qp_server_complete(&second, r.tag, 0), 0);
    }
    ck_assert_int_eq(qp_server_next(&second, &r), 0);
    for (uint32_t i = 0; i < 4; i++) {
        ck_assert(qp_poll(&client, &c));
        ck_assert_uint_eq(c.tag, i);
    }
    qp_client_fini(&client);
    qp_server_fini(&second);
}
END_TEST

int main(void)
{
    TCase *tcase = tcase_create("engine_restart");
    tcase_add_loop_test(tcase, additions_are_done_once, 0, ARRAY_SIZE(adds));
    tcase_add_test(tcase, swaps_fail_once);
    tcase_add_test(tcase, rings_go_on);
    return unit_run_case("engine_restart", tcase);
}
