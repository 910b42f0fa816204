// SPDX-License-Identifier: BSD-3-Clause
// Copyright (c) 2026, the docad authors
//
// Send queues of RDMA connections of DOCA 3, on a card whose queues fill, and on software.

#include "child.h"
#include "nodes.h"
#include "rdma_3.h"

#include <stdlib.h>

#define ROOM 4u // of the send queue

static struct doca_task *send_task(struct side *side, struct doca_rdma_connection *connection,
                                   struct doca_buf *buf)
{
    struct doca_rdma_task_send *task;

    OK(doca_rdma_task_send_allocate_init(side->rdma, connection, buf, (union doca_data){0}, &task));
    return doca_rdma_task_send_as_task(task);
}

struct pair {
    struct side a, b;
    struct doca_rdma_connection *ca, *cb;
    struct doca_buf *message, *rooms[RECEIVES];
};

static void open_pair(struct pair *p)
{
    *p = (struct pair){0};
    side_open(&p->a, NULL, 1);
    side_open(&p->b, p->a.pe, 1);
    OK(doca_rdma_set_send_queue_size(p->a.rdma, ROOM));
    side_start(&p->a);
    side_start(&p->b);
    side_join(&p->a, &p->ca, &p->b, &p->cb);
    p->message = data_at(&p->a, 0, 8);
    for (unsigned i = 0; i < RECEIVES; i++)
        p->rooms[i] = room_at(&p->b, i * 64, 64);
}

static void close_pair(struct pair *p)
{
    drop_buf(p->message);
    for (unsigned i = 0; i < RECEIVES; i++)
        drop_buf(p->rooms[i]);
    side_close(&p->b);
    side_close(&p->a);
}

static int fill_card(struct child *self, void *arg)
{
    struct pair p;

    (void)self, (void)arg;
    ck_assert_int_eq(setenv("DOCAD_CARD", "software,rdma.send_queue_fills=yes", 1), 0);
    open_pair(&p);
    for (unsigned i = 0; i < ROOM; i++)
        submit_send(&p.a, p.ca, p.message);
    struct doca_task *task = send_task(&p.a, p.ca, p.message);
    REFUSED(DOCA_ERROR_FULL, doca_task_submit(task));
    submit_send(&p.b, p.cb, p.rooms[0]); // the other side's queue has room
    for (unsigned i = 0; i < RECEIVES; i++)
        post_receive(&p.b, p.rooms[i]);
    REFUSED(DOCA_ERROR_FULL, doca_task_submit(task)); // no completion was reported
    progress_until(&p.a, 1, 0);
    OK(doca_task_submit(task)); // it stayed with the program
    progress_until(&p.a, ROOM, 0);
    progress_until(&p.b, 0, RECEIVES);
    post_receive(&p.a, p.message); // for that of the other side
    progress_until(&p.b, 1, RECEIVES);
    close_pair(&p);
    return 0;
}

static int fill_software(struct child *self, void *arg)
{
    struct pair p;

    (void)self, (void)arg;
    open_pair(&p);
    for (unsigned i = 0; i < RECEIVES; i++)
        post_receive(&p.b, p.rooms[i]);
    for (unsigned i = 0; i < TASKS; i++)
        submit_send(&p.a, p.ca, p.message);
    progress_until(&p.a, RECEIVES, 0);
    close_pair(&p);
    return 0;
}

START_TEST(a_queue_of_a_card_fills)
{
    child_join(child_start(nodes.host, "program", fill_card, NULL));
}
END_TEST

START_TEST(a_queue_of_software_takes_all_tasks)
{
    child_join(child_start(nodes.host, "program", fill_software, NULL));
}
END_TEST

int main(void)
{
    Suite *suite = suite_create("doca3_rdma_full");
    TCase *tcase = case_near_shared(suite);
    tcase_add_test(tcase, a_queue_of_a_card_fills);
    tcase_add_test(tcase, a_queue_of_software_takes_all_tasks);
    return run_suite(suite);
}
