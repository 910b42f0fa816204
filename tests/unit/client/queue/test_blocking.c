// SPDX-License-Identifier: BSD-3-Clause
// Copyright (c) 2026, the docad authors
//
// Polls in vain of a thread whose items all wait for docad: after a yield in vain it waits in the
// kernel for a moment, if the source has it, and never if something else may come. All is counted
// in polls, and nothing in time.

#include "cleanup.h"
#include "queue/executor.h"
#include "unit.h"
#include "yields.h"

#define MOST         2000u // polls in 20 us, the default
#define MOST_SHARED  300u  // in 3 us
#define LEAST        (MOST / IDLE_PARTS)
#define LEAST_SHARED (MOST_SHARED / IDLE_PARTS)

static unsigned yields, blocks;
static bool source_blocks;

int __wrap_sched_yield(void);
int __wrap_sched_yield(void)
{
    yields++;
    yields_ran();
    return 0;
}

static bool block(struct work_source *source)
{
    (void)source;
    blocks += source_blocks;
    return source_blocks;
}

static struct executor executor;
static struct work_source source, other;
static const struct work_ops blocking = {.may_block = true}, polling;
static struct work_link blocking_link = {.ops = &blocking}, polling_link = {.ops = &polling};
static struct work_item items[100];

static void wait_for(struct work_item *item, struct work_link *link)
{
    item->link = link;
    work_fifo_push(&executor.waiting, item);
}

static void setup(void)
{
    executor_init_bare(&executor);
    made_up = true;
    others_run = false;
    source = (struct work_source){.block = block};
    other = (struct work_source){.poll = NULL};
    executor_add_source(&executor, &source);
    wait_for(&items[0], &blocking_link);
    yields = blocks = 0;
    source_blocks = true;
}

// Polls until there is a yield or a block.
static unsigned polls(void)
{
    unsigned before = yields + blocks, n = 0;
    while (yields + blocks == before) {
        executor_count_empty(&executor);
        n++;
    }
    return n;
}

static void news(void)
{
    idle_reset(&executor.idle);
}

START_TEST(yields_first_and_then_blocks)
{
    setup();
    ck_assert_uint_eq(polls(), MOST);
    ck_assert_uint_eq(yields, 1);
    ck_assert_uint_eq(polls(), MOST);
    ck_assert_uint_eq(blocks, 1);
    for (unsigned i = 2; i <= 50; i++) {
        ck_assert_uint_eq(polls(), LEAST);
        ck_assert_uint_eq(blocks, i);
    }
    ck_assert_uint_eq(yields, 1);
}
END_TEST

// The next wait may be a short one.
START_TEST(each_wait_begins_anew)
{
    setup();
    for (unsigned wait = 1; wait <= 10; wait++) {
        ck_assert_uint_eq(polls(), MOST);
        ck_assert_uint_eq(yields, wait);
        ck_assert_uint_eq(polls(), MOST);
        ck_assert_uint_eq(polls(), LEAST);
        ck_assert_uint_eq(blocks, 2 * wait);
        news();
    }
}
END_TEST

// Also if it yields early, since that has helped.
START_TEST(is_as_patient_as_before)
{
    setup();
    others_run = true;
    for (int wait = 0; wait < 10; wait++) {
        polls();
        news();
    }
    ck_assert_uint_eq(polls(), LEAST_SHARED);
    ck_assert_uint_eq(blocks, 0);
    for (unsigned i = 1; i <= 5; i++) {
        ck_assert_uint_eq(polls(), LEAST_SHARED);
        ck_assert_uint_eq(blocks, i);
    }
    for (int wait = 0; wait < 10; wait++) {
        news();
        polls();
        polls();
    }
    ck_assert_uint_eq(executor.idle.spin_limit, MOST_SHARED);
}
END_TEST

// Where other threads run on its CPU it is offered sooner, until none has for 100 ms.
START_TEST(is_less_patient_on_a_shared_cpu)
{
    setup();
    others_run = true;
    ck_assert_uint_eq(polls(), MOST);
    ck_assert(idle_cpu_is_shared());
    for (int wait = 0; wait < 20; wait++) {
        news();
        polls();
    }
    ck_assert_uint_eq(executor.idle.spin_limit, LEAST_SHARED);
    others_run = false;
    for (int wait = 0; wait < 20; wait++) {
        polls();
        news();
    }
    ck_assert(idle_cpu_is_shared());
    ck_assert_uint_eq(executor.idle.spin_limit, MOST_SHARED);
    ran_ns += 100000000;
    for (int wait = 0; wait < 20; wait++) {
        polls();
        news();
    }
    ck_assert(!idle_cpu_is_shared());
    ck_assert_uint_eq(executor.idle.spin_limit, MOST);
}
END_TEST

START_TEST(yields_if_the_source_does_not_block)
{
    setup();
    source_blocks = false;
    for (unsigned i = 1; i <= 5; i++) {
        polls();
        ck_assert_uint_eq(yields, i);
    }
    source.block = NULL;
    polls();
    ck_assert_uint_eq(yields, 6);
}
END_TEST

static void assert_never_blocks(void)
{
    for (int i = 0; i < 5; i++)
        polls();
    ck_assert_uint_eq(blocks, 0);
}

START_TEST(never_blocks_if_something_else_may_come)
{
    setup();
    executor_add_source(&executor, &other);
    assert_never_blocks();
    setup();
    wait_for(&items[1], &polling_link);
    assert_never_blocks();
    setup();
    executor.kept = 1;
    assert_never_blocks();
    setup();
    executor.event_driven = true;
    assert_never_blocks();
    setup();
    work_fifo_init(&executor.waiting);
    assert_never_blocks();
    setup();
    for (size_t i = 1; i < ARRAY_SIZE(items); i++) // more than are worth looking at
        wait_for(&items[i], &blocking_link);
    assert_never_blocks();
}
END_TEST

UNIT_MAIN("blocking", yields_first_and_then_blocks, each_wait_begins_anew, is_as_patient_as_before,
          is_less_patient_on_a_shared_cpu, yields_if_the_source_does_not_block,
          never_blocks_if_something_else_may_come)
