// SPDX-License-Identifier: BSD-3-Clause
// Copyright (c) 2026, the docad authors
//
// Cases of two threads that use one object of DOCA 3.

#include "threads_3.h"
#include "copies_3.h"

#include <pthread.h>
#include <sched.h>

#define SOME   (4 * PART)
#define ROUNDS 16

static struct thread_case {
    struct copies copies;
    struct doca_buf_inventory *others;
    pthread_barrier_t both;
    pthread_mutex_t lock;
    bool locks; // around each call
} shared;

static void take_lock(void)
{
    if (shared.locks)
        pthread_mutex_lock(&shared.lock);
}

static void give_lock(void)
{
    if (shared.locks)
        pthread_mutex_unlock(&shared.lock);
    sched_yield();
}

static void *take_buffers(void *of)
{
    struct doca_buf_inventory *inventory = of;
    pthread_barrier_wait(&shared.both);
    for (unsigned i = 0; i < 2000; i++) {
        struct doca_buf *buf;
        take_lock();
        must(doca_buf_inventory_buf_get_by_data(inventory, shared.copies.map, shared.copies.memory,
                                                PART, &buf));
        must(doca_buf_dec_refcount(buf, NULL));
        give_lock();
    }
    return NULL;
}

static void in_two_threads(void *(*what)(void *of), void *first, void *second)
{
    pthread_t other;
    pthread_barrier_init(&shared.both, NULL, 2);
    pthread_mutex_init(&shared.lock, NULL);
    if (pthread_create(&other, NULL, what, second) != 0)
        abort();
    (void)what(first);
    pthread_join(other, NULL);
}

void inventory_two_threads(bool wrong)
{
    shared.locks = !wrong;
    copies_begin(&shared.copies, SOME);
    in_two_threads(take_buffers, shared.copies.inventory, shared.copies.inventory);
    copies_end(&shared.copies);
}

void map_two_threads(bool wrong)
{
    struct doca_mmap *map;
    copies_begin(&shared.copies, SOME);
    must(doca_buf_inventory_create(1, &shared.others));
    must(doca_buf_inventory_start(shared.others));
    must(doca_mmap_create(&map));
    must(doca_mmap_set_memrange(map, shared.copies.memory, SOME));
    must(doca_mmap_add_dev(map, shared.copies.dev));
    if (!wrong)
        must(doca_mmap_enable_thread_safety(map));
    must(doca_mmap_start(map));
    struct doca_mmap *before = shared.copies.map;
    shared.copies.map = map;
    in_two_threads(take_buffers, shared.copies.inventory, shared.others);
    shared.copies.map = before;
    must(doca_mmap_destroy(map));
    must(doca_buf_inventory_destroy(shared.others));
    copies_end(&shared.copies);
}

static void *poll_engine(void *of)
{
    struct copies *copies = of;
    pthread_barrier_wait(&shared.both);
    for (unsigned i = 0; i < 2000; i++) {
        take_lock();
        (void)doca_pe_progress(copies->pe);
        give_lock();
    }
    return NULL;
}

void engine_two_threads(bool wrong)
{
    shared.locks = !wrong;
    copies_begin(&shared.copies, SOME);
    in_two_threads(poll_engine, &shared.copies, &shared.copies);
    copies_end(&shared.copies);
}

static unsigned done_now(void)
{
    take_lock();
    unsigned done = __atomic_load_n(&shared.copies.done, __ATOMIC_RELAXED);
    give_lock();
    return done;
}

// One submits while the other one polls.
static void *submit_or_poll(void *of)
{
    struct doca_dma_task_memcpy *task = of;
    pthread_barrier_wait(&shared.both);
    for (unsigned i = 0; i < ROUNDS; i++) {
        take_lock();
        if (task) {
            must(doca_buf_reset_data_len(doca_dma_task_memcpy_get_dst(task)));
            copies_submit(task);
        }
        give_lock();
        while (done_now() == i) {
            take_lock();
            if (!task)
                (void)doca_pe_progress(shared.copies.pe);
            give_lock();
        }
    }
    return NULL;
}

void submit_two_threads(bool wrong)
{
    shared.locks = !wrong;
    copies_begin(&shared.copies, SOME);
    struct doca_buf *from = copies_full(&shared.copies, 0, PART);
    struct doca_buf *to = copies_empty(&shared.copies, PART, PART);
    struct doca_dma_task_memcpy *task = copies_task(&shared.copies, 0, from, to);
    in_two_threads(submit_or_poll, task, NULL);
    copies_free(task);
    copies_give_back(from);
    copies_give_back(to);
    copies_end(&shared.copies);
}
