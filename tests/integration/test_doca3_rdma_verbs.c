// SPDX-License-Identifier: BSD-3-Clause
// Copyright (c) 2026, the docad authors
//
// RDMA of DOCA 3 on an ibverbs device: what differs from software functions. Only where
// DOCAD_TEST_FUNCTION names a device.

#include "child.h"
#include "env.h"
#include "nodes.h"
#include "rdma_3.h"

#include <arpa/inet.h>
#include <stdio.h>

#define ELSEWHERE ((size_t)1 << 20) // in the memory

// A wrong job waits for those before it, and those behind it come back with it.
static int overfills_wrongly(struct child *self, void *arg)
{
    struct side a, b;
    struct doca_rdma_connection *ca, *cb;

    (void)self, (void)arg;
    side_open(&a, NULL, 1);
    side_open(&b, a.pe, 1);
    OK(doca_rdma_set_send_queue_size(a.rdma, 2));
    side_start(&a);
    side_start(&b);
    side_join(&a, &ca, &b, &cb);
    struct doca_buf *fine = data_at(&a, 0, 8);
    for (unsigned i = 0; i < 3; i++)
        submit_send(&a, ca, NULL);
    struct doca_mmap *elsewhere;
    OK(doca_mmap_create(&elsewhere)); // without the device
    OK(doca_mmap_set_memrange(elsewhere, a.memory + ELSEWHERE, 4096));
    OK(doca_mmap_set_permissions(elsewhere, DOCA_ACCESS_FLAG_LOCAL_READ_WRITE));
    struct doca_dev *other = open_by("0b:00.1");
    OK(doca_mmap_add_dev(elsewhere, other));
    OK(doca_mmap_start(elsewhere));
    struct doca_buf *wrong;
    OK(doca_buf_inventory_buf_get_by_data(a.inventory, elsewhere, a.memory + ELSEWHERE, 8, &wrong));
    submit_send(&a, ca, wrong);
    submit_send(&a, ca, fine);
    for (unsigned i = 0; i < RECEIVES; i++)
        post_receive(&b, NULL);
    progress_until(&a, 5, 0);
    ck_assert_uint_eq(a.done, 3);
    ck_assert_uint_eq(a.failed, 2);
    progress_until(&b, 0, 3);
    ck_assert_uint_eq(b.received, 3);
    drop_buf(fine), drop_buf(wrong);
    side_close(&b);
    side_close(&a);
    OK(doca_mmap_destroy(elsewhere));
    OK(doca_dev_close(other));
    return 0;
}

START_TEST(a_wrong_task_fails_in_its_turn)
{
    child_join(child_start(nodes.host, "program", overfills_wrongly, NULL));
}
END_TEST

// A sender whose device may not repeat a message that nobody receives yet.
static int gives_up(struct child *self, void *arg)
{
    struct side a, b;
    struct doca_rdma_connection *ca, *cb;
    uint8_t retries = 0;

    (void)self, (void)arg;
    side_open(&a, NULL, 1);
    side_open(&b, a.pe, 1);
    OK(doca_rdma_get_rnr_retry_count(a.rdma, &retries));
    ck_assert_uint_eq(retries, 7);
    OK(doca_rdma_set_rnr_retry_count(a.rdma, 0));
    OK(doca_rdma_get_rnr_retry_count(a.rdma, &retries));
    ck_assert_uint_eq(retries, 0);
    side_start(&a);
    side_start(&b);
    side_join(&a, &ca, &b, &cb);
    submit_send(&a, ca, NULL);
    progress_until(&a, 1, 0);
    ck_assert_uint_eq(a.failed, 1);
    side_close(&b);
    side_close(&a);
    return 0;
}

START_TEST(messages_are_repeated_as_often_as_was_set)
{
    child_join(child_start(nodes.host, "program", gives_up, NULL));
}
END_TEST

// A message that the device has put into a receive is there, also if the program disconnects before
// it has polled.
static int disconnects_at_once(struct child *self, void *arg)
{
    struct side a, b;
    struct doca_rdma_connection *ca, *cb;

    (void)self, (void)arg;
    side_open(&a, NULL, 1);
    side_open(&b, NULL, 1);
    side_start(&a);
    side_start(&b);
    side_join(&a, &ca, &b, &cb);
    post_receive(&a, NULL);
    submit_send_imm(&b, cb, NULL, htonl(3));
    progress_until(&b, 1, 0);
    ck_assert_uint_eq(b.done, 1);
    OK(doca_rdma_connection_disconnect(ca));
    progress_until(&a, 0, 1);
    ck_assert_uint_eq(a.received, 1);
    ck_assert_uint_eq(ntohl(a.messages[0].immediate), 3);
    side_close(&b);
    side_close(&a);
    return 0;
}

START_TEST(what_has_arrived_is_told)
{
    child_join(child_start(nodes.host, "program", disconnects_at_once, NULL));
}
END_TEST

int main(void)
{
    Suite *suite = suite_create("doca3_rdma_verbs");
    TCase *tcase = tcase_create("doca3_rdma_verbs");
    if (!on_verbs()) {
        printf("SKIPPED: DOCAD_TEST_FUNCTION names no ibverbs device; see tests/vm\n");
        return TEST_SKIPPED;
    }
    tcase_add_checked_fixture(tcase, setup_pair, env_teardown);
    tcase_add_test(tcase, a_wrong_task_fails_in_its_turn);
    tcase_add_test(tcase, messages_are_repeated_as_often_as_was_set);
    tcase_add_test(tcase, what_has_arrived_is_told);
    suite_add_tcase(suite, tcase);
    return run_suite(suite);
}
