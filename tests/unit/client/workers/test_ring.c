// SPDX-License-Identifier: BSD-3-Clause
// Copyright (c) 2026, the docad authors

#include "workers/ring.h"
#include "unit.h"

#include <pthread.h>
#include <sched.h>
#include <stdint.h>

static struct ring ring;

static struct worker_op *op_of(uintptr_t number)
{
    return (struct worker_op *)(number << 4);
}

START_TEST(operations_come_out_in_order)
{
    ring_init(&ring);
    ck_assert_ptr_null(ring_take(&ring));
    for (uintptr_t round = 0; round < 3 * RING_SIZE; round++) {
        ck_assert(ring_put(&ring, op_of(2 * round + 1)));
        ck_assert(ring_put(&ring, op_of(2 * round + 2)));
        ck_assert_ptr_eq(ring_take(&ring), op_of(2 * round + 1));
        ck_assert_ptr_eq(ring_take(&ring), op_of(2 * round + 2));
        ck_assert_ptr_null(ring_take(&ring));
    }
}
END_TEST

START_TEST(a_full_ring_refuses)
{
    ring_init(&ring);
    for (uintptr_t i = 1; i <= RING_SIZE; i++)
        ck_assert(ring_put(&ring, op_of(i)));
    ck_assert(!ring_put(&ring, op_of(1)));
    ck_assert_ptr_eq(ring_take(&ring), op_of(1));
    ck_assert(ring_put(&ring, op_of(RING_SIZE + 1)));
    ck_assert(!ring_put(&ring, op_of(1)));
    for (uintptr_t i = 2; i <= RING_SIZE + 1; i++)
        ck_assert_ptr_eq(ring_take(&ring), op_of(i));
    ck_assert_ptr_null(ring_take(&ring));
}
END_TEST

enum { THREADS = 3, EACH = 20000 };
static _Atomic uintptr_t sum, taken;

static void *put_all(void *first)
{
    for (uintptr_t i = 0; i < EACH; i++)
        while (!ring_put(&ring, op_of((uintptr_t)first + i)))
            sched_yield();
    return NULL;
}

static void *take_all(void *unused)
{
    while (atomic_load(&taken) < (uintptr_t)THREADS * EACH) {
        const struct worker_op *op = ring_take(&ring);
        if (op) {
            atomic_fetch_add(&sum, (uintptr_t)op >> 4);
            atomic_fetch_add(&taken, 1);
        } else {
            sched_yield();
        }
    }
    return unused;
}

START_TEST(threads_lose_nothing_and_take_nothing_twice)
{
    pthread_t threads[2 * THREADS];
    uintptr_t n = (uintptr_t)THREADS * EACH;

    ring_init(&ring);
    for (unsigned i = 0; i < THREADS; i++) {
        pthread_create(&threads[2 * i], NULL, put_all, (void *)(1 + (uintptr_t)i * EACH));
        pthread_create(&threads[2 * i + 1], NULL, take_all, NULL);
    }
    for (unsigned i = 0; i < 2 * THREADS; i++)
        pthread_join(threads[i], NULL);
    ck_assert_uint_eq(atomic_load(&taken), n);
    ck_assert_uint_eq(atomic_load(&sum), n * (n + 1) / 2);
}
END_TEST

UNIT_MAIN("ring", operations_come_out_in_order, a_full_ring_refuses,
          threads_lose_nothing_and_take_nothing_twice)
