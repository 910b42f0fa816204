// SPDX-License-Identifier: BSD-3-Clause
// Copyright (c) 2026, the docad authors

#include "lists_3.h"
#include "copies_3.h"
#include "rule_cases.h"

#define SOME (8 * PART)

// A copy whose source and destination are lists of two buffers each.
struct listed {
    struct copies copies;
    struct doca_buf *from[2], *to[2];
    struct doca_dma_task_memcpy *task;
};

static void listed_begin(struct listed *listed)
{
    copies_begin(&listed->copies, SOME);
    for (size_t i = 0; i < 2; i++) {
        listed->from[i] = copies_empty(&listed->copies, i * PART, PART);
        must(doca_buf_set_data(listed->from[i], listed->copies.memory + i * PART, PART / 2));
        listed->to[i] = copies_empty(&listed->copies, (2 + i) * PART, PART / 2);
    }
    must(doca_buf_chain_list(listed->from[0], listed->from[1]));
    must(doca_buf_chain_list(listed->to[0], listed->to[1]));
    listed->task = copies_task(&listed->copies, 0, listed->from[0], listed->to[0]);
}

static void listed_end(struct listed *listed)
{
    copies_free(listed->task);
    copies_give_back(listed->from[0]);
    copies_give_back(listed->to[0]);
    copies_end(&listed->copies);
}

// ---- members of lists

void source_member_changed(bool wrong)
{
    struct listed listed;
    listed_begin(&listed);
    copies_submit(listed.task);
    if (!wrong)
        copies_await(&listed.copies, 1);
    must(doca_buf_set_data(listed.from[1], listed.copies.memory + PART, 1));
    copies_await(&listed.copies, 1);
    listed_end(&listed);
}

void destination_member_reset(bool wrong)
{
    struct listed listed;
    listed_begin(&listed);
    copies_submit(listed.task);
    if (!wrong)
        copies_await(&listed.copies, 1);
    must(doca_buf_reset_data_len(listed.to[1]));
    copies_await(&listed.copies, 1);
    listed_end(&listed);
}

// A second task writes to a member of the source of the first one, or reads it, too.
void member_in_two_tasks(bool wrong)
{
    struct listed listed;
    listed_begin(&listed);
    struct doca_buf *other = copies_full(&listed.copies, (size_t)4 * PART, 64);
    struct doca_buf *room = copies_empty(&listed.copies, (size_t)5 * PART, PART);
    struct doca_dma_task_memcpy *second =
        wrong ? copies_task(&listed.copies, 0, other, listed.from[1])
              : copies_task(&listed.copies, 0, listed.from[1], room);
    copies_submit(listed.task);
    copies_submit(second);
    copies_await(&listed.copies, 2);
    copies_free(second);
    copies_give_back(other);
    copies_give_back(room);
    listed_end(&listed);
}

// docad refuses to give a member of a list back.
void member_released(bool wrong)
{
    struct listed listed;
    listed_begin(&listed);
    copies_submit(listed.task);
    if (!wrong)
        copies_await(&listed.copies, 1);
    (void)doca_buf_dec_refcount(listed.from[1], NULL);
    copies_await(&listed.copies, 1);
    listed_end(&listed);
}

// ---- casts

void buffer_as_context(bool wrong)
{
    struct copies copies;
    copies_begin(&copies, SOME);
    struct doca_buf *buf = copies_full(&copies, 0, PART);
    struct doca_ctx *ctx = wrong ? (struct doca_ctx *)buf : doca_dma_as_ctx(copies.dmas[0]);
    (void)doca_ctx_stop(ctx);
    copies_give_back(buf);
    copies_end(&copies);
}

void engine_as_context(bool wrong)
{
    struct copies copies;
    copies_begin(&copies, SOME);
    (void)doca_ctx_stop(doca_dma_as_ctx(copies.dmas[0]));
    (void)doca_ctx_start(wrong ? (struct doca_ctx *)copies.pe : doca_dma_as_ctx(copies.dmas[0]));
    copies_end(&copies);
}

void map_as_task(bool wrong)
{
    struct listed listed;
    listed_begin(&listed);
    (void)doca_task_get_status(wrong ? (struct doca_task *)listed.copies.map
                                     : doca_dma_task_memcpy_as_task(listed.task));
    listed_end(&listed);
}

// docad does not free it, so that it can be used and given back.
void buffer_freed_as_task(bool wrong)
{
    struct listed listed;
    size_t length;
    listed_begin(&listed);
    if (wrong)
        doca_task_free((struct doca_task *)listed.from[0]);
    must(doca_buf_get_data_len(listed.from[0], &length));
    listed_end(&listed);
}
