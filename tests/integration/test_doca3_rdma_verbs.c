// SPDX-License-Identifier: BSD-3-Clause
// Copyright (c) 2026, the docad authors
//
// RDMA of DOCA 3 on an ibverbs device: what differs from software functions. Only where
// DOCAD_TEST_FUNCTION names a device.

#include "nodes.h"
#include "rdma_3.h"

#include <arpa/inet.h>
#include <stdio.h>

#define ELSEWHERE ((size_t)1 << 20) // in the memory

// A wrong job waits for those before it, and those behind it come back with it.
static void has_short_queue(struct sides *s)
{
    OK(doca_rdma_set_send_queue_size(s->a.rdma, 2));
}

static void overfills_wrongly(struct sides *s)
{
    struct doca_buf *fine = data_at(&s->a, 0, 8);
    for (unsigned i = 0; i < 3; i++)
        submit_send(&s->a, s->at_a[0], NULL);
    struct doca_mmap *elsewhere;
    OK(doca_mmap_create(&elsewhere)); // without the device
    OK(doca_mmap_set_memrange(elsewhere, s->a.memory + ELSEWHERE, 4096));
    OK(doca_mmap_set_permissions(elsewhere, DOCA_ACCESS_FLAG_LOCAL_READ_WRITE));
    struct doca_dev *other = open_by("0b:00.1");
    OK(doca_mmap_add_dev(elsewhere, other));
    OK(doca_mmap_start(elsewhere));
    struct doca_buf *wrong;
    OK(doca_buf_inventory_buf_get_by_data(s->a.inventory, elsewhere, s->a.memory + ELSEWHERE, 8,
                                          &wrong));
    submit_send(&s->a, s->at_a[0], wrong);
    submit_send(&s->a, s->at_a[0], fine);
    for (unsigned i = 0; i < RECEIVES; i++)
        post_receive(&s->b, NULL);
    progress_until(&s->a, 5, 0);
    ck_assert_uint_eq(s->a.done, 3);
    ck_assert_uint_eq(s->a.failed, 2);
    progress_until(&s->b, 0, 3);
    ck_assert_uint_eq(s->b.received, 3);
    drop_buf(fine), drop_buf(wrong);
    OK(doca_mmap_destroy(elsewhere));
    OK(doca_dev_close(other));
}

START_TEST(a_wrong_task_fails_in_its_turn)
{
    run_sides(&(struct sides_plan){.set = has_short_queue}, overfills_wrongly);
}
END_TEST

// A sender whose device may not repeat a message that nobody receives yet.
static void sets_retries(struct sides *s)
{
    uint8_t retries = 0;

    OK(doca_rdma_get_rnr_retry_count(s->a.rdma, &retries));
    ck_assert_uint_eq(retries, 7);
    OK(doca_rdma_set_rnr_retry_count(s->a.rdma, 0));
    OK(doca_rdma_get_rnr_retry_count(s->a.rdma, &retries));
    ck_assert_uint_eq(retries, 0);
}

static void gives_up(struct sides *s)
{
    submit_send(&s->a, s->at_a[0], NULL);
    progress_until(&s->a, 1, 0);
    ck_assert_uint_eq(s->a.failed, 1);
}

START_TEST(messages_are_repeated_as_often_as_was_set)
{
    run_sides(&(struct sides_plan){.set = sets_retries}, gives_up);
}
END_TEST

// A message that the device has put into a receive is there, also if the program disconnects before
// it has polled.
static void disconnects_at_once(struct sides *s)
{
    post_receive(&s->a, NULL);
    submit_send_imm(&s->b, s->at_b[0], NULL, htonl(3));
    progress_until(&s->b, 1, 0);
    ck_assert_uint_eq(s->b.done, 1);
    OK(doca_rdma_connection_disconnect(s->at_a[0]));
    progress_until(&s->a, 0, 1);
    ck_assert_uint_eq(s->a.received, 1);
    ck_assert_uint_eq(ntohl(s->a.messages[0].immediate), 3);
}

START_TEST(what_has_arrived_is_told)
{
    run_sides(&(struct sides_plan){.two_engines = true}, disconnects_at_once);
}
END_TEST

int main(void)
{
    Suite *suite = suite_create("doca3_rdma_verbs");
    if (!on_verbs()) {
        printf("SKIPPED: DOCAD_TEST_FUNCTION names no ibverbs device; see tests/vm\n");
        return TEST_SKIPPED;
    }
    TCase *tcase = case_near(suite);
    tcase_add_test(tcase, a_wrong_task_fails_in_its_turn);
    tcase_add_test(tcase, messages_are_repeated_as_often_as_was_set);
    tcase_add_test(tcase, what_has_arrived_is_told);
    return run_suite(suite);
}
