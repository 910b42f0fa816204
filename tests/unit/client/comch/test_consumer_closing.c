// SPDX-License-Identifier: BSD-3-Clause
// Copyright (c) 2026, the docad authors
//
// A consumer that stops while producers write to the memory of its receives.

#include "comch/consumer.h"
#include "comch/remote.h"
#include "unit.h"

#include <doca_buf.h>
#include <doca_buf_inventory.h>
#include <doca_mmap.h>

#include <stdlib.h>
#include <string.h>

#define TASKS 3u

struct rig {
    struct doca_pe pe;
    struct doca_comch_consumer consumer;
    struct work_stats stats;
    struct comch_receives receives;
    struct rdma_entry messages[COMCH_SLOTS_MIN];
    struct doca_comch_consumer_task_post_recv tasks[TASKS];
    struct state_table *table;
    struct comch_remote remote; // the consumer, as a producer sees it
};

static struct rig *make_rig(void)
{
    struct rig *r = aligned_alloc(64, (sizeof(*r) + 63) / 64 * 64);

    ck_assert_ptr_nonnull(r);
    *r = (struct rig){.consumer = {.receives = &r->receives,
                                   .messages = r->messages,
                                   .slots = COMCH_SLOTS_MIN,
                                   .imm_length = COMCH_IMM_MAX},
                      .table = calloc(1, state_table_size(1))};
    ck_assert_ptr_nonnull(r->table);
    atomic_store(&r->table->words[0], state_word(0, SLOT_LIVE));
    r->consumer.rdma.table = r->table;
    r->remote.slots = COMCH_SLOTS_MIN;
    r->remote.receives = &r->receives;
    r->remote.rdma.table = r->table;
    r->consumer.ctx.link = (struct work_link){
        .ctx = &r->consumer.ctx, .executor = &r->pe.executor, .stats = &r->stats};
    work_fifo_init(&r->pe.executor.done);
    work_fifo_init(&r->consumer.waiting);
    for (unsigned i = 0; i < TASKS; i++) {
        r->tasks[i].task.item.link = &r->consumer.ctx.link;
        ck_assert_int_eq(comch_consumer_post(&r->tasks[i].task.item), WORK_KEPT);
    }
    return r;
}

static void free_rig(struct rig *r)
{
    ck_assert_ptr_null(r->pe.executor.done.head);
    ck_assert_uint_eq(r->pe.executor.kept, 0);
    free(r->table);
    free(r);
}

static void come(struct rig *r, uint32_t number, enum comch_where where)
{
    struct rdma_entry *entry = &r->messages[number];

    entry->immediate = 7; // the producer
    atomic_store(&entry->head, rdma_head(number + 1, RDMA_MSG_SEND, (uint8_t)where, 0));
}

static void assert_done(struct rig *r, uint32_t number, doca_error_t error)
{
    ck_assert_ptr_eq(work_fifo_pop(&r->pe.executor.done), &r->tasks[number].task.item);
    ck_assert_int_eq(r->tasks[number].task.item.error, error);
    ck_assert_uint_eq(r->tasks[number].producer, error == DOCA_SUCCESS ? 7 : 0);
}

// Their producers have been told that they are sent.
START_TEST(messages_behind_one_that_is_written_are_received)
{
    struct rig *r = make_rig();

    come(r, 0, COMCH_WRITING);
    come(r, 1, COMCH_WRITTEN);
    comch_consumer_close(&r->consumer, DOCA_ERROR_SHUTDOWN);
    ck_assert_ptr_null(r->pe.executor.done.head); // it is waited for
    come(r, 0, COMCH_WRITTEN);
    comch_consumer_close(&r->consumer, DOCA_ERROR_SHUTDOWN);
    assert_done(r, 0, DOCA_SUCCESS);
    assert_done(r, 1, DOCA_SUCCESS);
    assert_done(r, 2, DOCA_ERROR_SHUTDOWN);
    free_rig(r);
}
END_TEST

// Its producer has seen that the consumer is closed. Nothing has failed here.
START_TEST(a_message_that_came_too_late_is_no_failure)
{
    struct rig *r = make_rig();

    come(r, 0, COMCH_WRITING);
    comch_consumer_close(&r->consumer, DOCA_ERROR_SHUTDOWN);
    come(r, 0, COMCH_FAILED);
    comch_consumer_close(&r->consumer, DOCA_ERROR_SHUTDOWN);
    for (unsigned i = 0; i < TASKS; i++)
        assert_done(r, i, DOCA_ERROR_SHUTDOWN);
    free_rig(r);
}
END_TEST

// ---- which messages were received --------------------------------------------------------------

// The thread that has claimed the first receive has not come to write its entry.
START_TEST(messages_behind_one_that_is_missing_are_received)
{
    struct rig *r = make_rig();

    come(r, 1, COMCH_IN_ENTRY);
    ck_assert(!comch_remote_closes(&r->remote));
    comch_consumer_close(&r->consumer, DOCA_ERROR_SHUTDOWN);
    assert_done(r, 0, DOCA_ERROR_SHUTDOWN);
    assert_done(r, 1, DOCA_SUCCESS);
    assert_done(r, 2, DOCA_ERROR_SHUTDOWN);
    come(r, 0, COMCH_IN_ENTRY); // too late
    comch_consumer_close(&r->consumer, DOCA_ERROR_SHUTDOWN);
    ck_assert(comch_remote_closes(&r->remote));
    ck_assert_int_eq(comch_remote_verdict(&r->remote, 0), COMCH_WAS_LOST);
    ck_assert_int_eq(comch_remote_verdict(&r->remote, 1), COMCH_WAS_RECEIVED);
    ck_assert_int_eq(comch_remote_verdict(&r->remote, 2), COMCH_WAS_LOST);
    free_rig(r);
}
END_TEST

// Messages that were taken before have been received, although their places say nothing of them.
START_TEST(messages_that_were_taken_before_are_received)
{
    struct rig *r = make_rig();

    come(r, 0, COMCH_IN_ENTRY);
    ck_assert(comch_consumer_take(&r->consumer));
    assert_done(r, 0, DOCA_SUCCESS);
    comch_consumer_close(&r->consumer, DOCA_ERROR_SHUTDOWN);
    assert_done(r, 1, DOCA_ERROR_SHUTDOWN);
    assert_done(r, 2, DOCA_ERROR_SHUTDOWN);
    ck_assert_int_eq(comch_remote_verdict(&r->remote, 0), COMCH_WAS_RECEIVED);
    ck_assert_int_eq(comch_remote_verdict(&r->remote, 1), COMCH_WAS_LOST);
    free_rig(r);
}
END_TEST

// Nobody says it of a consumer whose process has gone.
START_TEST(a_consumer_that_waits_has_said_nothing)
{
    struct rig *r = make_rig();

    come(r, 0, COMCH_WRITING);
    come(r, 1, COMCH_IN_ENTRY);
    comch_consumer_close(&r->consumer, DOCA_ERROR_SHUTDOWN);
    ck_assert(comch_remote_closes(&r->remote));
    ck_assert_int_eq(comch_remote_verdict(&r->remote, 1), COMCH_UNDECIDED);
    atomic_store(&r->table->words[0], state_word(0, SLOT_REVOKED));
    ck_assert_int_eq(comch_remote_verdict(&r->remote, 1), COMCH_WAS_LOST);
    comch_consumer_close(&r->consumer, DOCA_ERROR_SHUTDOWN);
    assert_done(r, 0, DOCA_ERROR_SHUTDOWN);
    assert_done(r, 1, DOCA_SUCCESS);
    assert_done(r, 2, DOCA_ERROR_SHUTDOWN);
    ck_assert_int_eq(comch_remote_verdict(&r->remote, 1), COMCH_WAS_RECEIVED); // it has said it
    free_rig(r);
}
END_TEST

// ---- buffers -----------------------------------------------------------------------------------

#define ROOM 16u

struct lent {
    uint8_t bytes[TASKS + 1][ROOM];
    struct doca_mmap *map;
    struct doca_buf_inventory *inventory;
    struct doca_buf *bufs[TASKS + 1];
};

// A buffer for each task, and one more.
static void lend(struct lent *l)
{
    memset(l->bytes, 0, sizeof(l->bytes));
    ck_assert_int_eq(doca_mmap_create(&l->map), DOCA_SUCCESS);
    ck_assert_int_eq(doca_mmap_set_memrange(l->map, l->bytes, sizeof(l->bytes)), DOCA_SUCCESS);
    ck_assert_int_eq(doca_buf_inventory_create(TASKS + 1, &l->inventory), DOCA_SUCCESS);
    ck_assert_int_eq(doca_buf_inventory_start(l->inventory), DOCA_SUCCESS);
    for (unsigned i = 0; i <= TASKS; i++)
        ck_assert_int_eq(doca_buf_inventory_buf_get_by_addr(l->inventory, l->map, l->bytes[i], ROOM,
                                                            &l->bufs[i]),
                         DOCA_SUCCESS);
}

// As if the receive had been posted with the buffer.
static void post_with(struct doca_comch_consumer_task_post_recv *task, struct doca_buf *buf)
{
    task->buf = buf;
    task->place = buf_tail(buf);
    task->room = buf_tailroom(buf);
    task->stamp = buf_stamp(buf);
}

static void end_lending(struct lent *l)
{
    ck_assert_int_eq(doca_buf_inventory_destroy(l->inventory), DOCA_SUCCESS);
    ck_assert_int_eq(doca_mmap_destroy(l->map), DOCA_SUCCESS);
}

static void give_back(struct doca_buf *buf)
{
    ck_assert_int_eq(doca_buf_dec_refcount(buf, NULL), DOCA_SUCCESS);
}

static void come_with_byte(struct rig *r, uint32_t number, enum comch_where where)
{
    r->messages[number].length = 1;
    r->messages[number].payload[0] = 0x5a;
    come(r, number, where);
}

// Nothing looks at their buffers any more, which may be elsewhere now. The program has others of
// the same map.
START_TEST(tasks_whose_buffers_were_given_back_only_end)
{
    struct rig *r = make_rig();
    struct doca_buf *again;
    struct lent l;

    lend(&l);
    r->consumer.map = l.map;
    for (unsigned i = 0; i < TASKS; i++)
        post_with(&r->tasks[i], l.bufs[i]);
    come_with_byte(r, 0, COMCH_WRITING);
    comch_consumer_close(&r->consumer, DOCA_ERROR_SHUTDOWN);
    give_back(l.bufs[0]);
    give_back(l.bufs[1]);
    ck_assert_int_eq(
        doca_buf_inventory_buf_get_by_addr(l.inventory, l.map, l.bytes[TASKS], ROOM, &again),
        DOCA_SUCCESS);
    come_with_byte(r, 0, COMCH_WRITTEN);
    come_with_byte(r, 1, COMCH_IN_ENTRY);
    come_with_byte(r, 2, COMCH_IN_ENTRY);
    comch_consumer_close(&r->consumer, DOCA_ERROR_SHUTDOWN);
    assert_done(r, 0, DOCA_ERROR_SHUTDOWN);
    assert_done(r, 1, DOCA_ERROR_SHUTDOWN);
    assert_done(r, 2, DOCA_SUCCESS);
    ck_assert_uint_eq(l.bytes[1][0], 0);
    ck_assert_uint_eq(l.bytes[2][0], 0x5a);
    ck_assert_uint_eq(l.bytes[TASKS][0], 0);
    give_back(again);
    give_back(l.bufs[2]);
    give_back(l.bufs[TASKS]);
    end_lending(&l);
    free_rig(r);
}
END_TEST

// Nor does a buffer that comes back later look at a task that has ended.
START_TEST(buffers_outlive_the_tasks_that_waited_for_them)
{
    struct rig *r = make_rig();
    struct lent l;

    lend(&l);
    r->consumer.map = l.map;
    for (unsigned i = 0; i < TASKS; i++)
        post_with(&r->tasks[i], l.bufs[i]);
    come_with_byte(r, 0, COMCH_WRITING);
    comch_consumer_close(&r->consumer, DOCA_ERROR_SHUTDOWN);
    come_with_byte(r, 0, COMCH_WRITTEN);
    comch_consumer_close(&r->consumer, DOCA_ERROR_SHUTDOWN);
    assert_done(r, 0, DOCA_SUCCESS);
    assert_done(r, 1, DOCA_ERROR_SHUTDOWN);
    assert_done(r, 2, DOCA_ERROR_SHUTDOWN);
    free_rig(r);
    for (unsigned i = 0; i <= TASKS; i++)
        give_back(l.bufs[i]);
    end_lending(&l);
}
END_TEST

UNIT_MAIN("consumer closing", messages_behind_one_that_is_written_are_received,
          a_message_that_came_too_late_is_no_failure,
          messages_behind_one_that_is_missing_are_received,
          messages_that_were_taken_before_are_received, a_consumer_that_waits_has_said_nothing,
          tasks_whose_buffers_were_given_back_only_end,
          buffers_outlive_the_tasks_that_waited_for_them)
