// SPDX-License-Identifier: BSD-3-Clause
// Copyright (c) 2026, the docad authors
//
// How much the load of the machine may have added: of the threads of a process that begin and end.

#include "unit.h"

#include "load.h"

#include <pthread.h>
#include <stdlib.h>
#include <unistd.h>

static struct load_mark marks[2];

static struct load_mark mark_of(int64_t stolen, int threads, const struct load_thread *thread)
{
    struct load_mark mark = {.stolen = stolen, .tick = 10, .threads = threads};
    for (int i = 0; i < threads; i++)
        mark.thread[i] = thread[i];
    return mark;
}

START_TEST(all_threads_count)
{
    marks[0] = mark_of(0, 2, (struct load_thread[]){{1, 100}, {2, 50}});
    marks[1] = mark_of(0, 3, (struct load_thread[]){{2, 57}, {1, 130}, {3, 4}});
    ck_assert_int_eq(load_queued(&marks[0], &marks[1]), 30 + 7 + 4);
    ck_assert_int_eq(load_queued(&marks[0], &marks[0]), 0);
}
END_TEST

START_TEST(a_thread_that_has_ended_is_not_known)
{
    marks[0] = mark_of(0, 2, (struct load_thread[]){{1, 100}, {2, 50}});
    marks[1] = mark_of(0, 1, (struct load_thread[]){{1, 130}});
    ck_assert(load_queued(&marks[0], &marks[1]) == LOAD_UNKNOWN);
    marks[1].threads = -1;
    ck_assert(load_queued(&marks[0], &marks[1]) == LOAD_UNKNOWN);
    ck_assert(load_queued(&marks[1], &marks[0]) == LOAD_UNKNOWN);
}
END_TEST

// The kernel counts in ticks.
START_TEST(stolen_time_is_not_exact)
{
    marks[0] = mark_of(50, 0, NULL);
    marks[1] = mark_of(70, 0, NULL);
    ck_assert_int_eq(load_stolen(&marks[0], &marks[1]), 30);
    ck_assert_int_eq(load_stolen(&marks[0], &marks[0]), 10);
    marks[0].stolen = marks[1].stolen = 0; // there is no host, or it has taken nothing yet
    ck_assert_int_eq(load_stolen(&marks[0], &marks[1]), 0);
    marks[1].stolen = -1;
    ck_assert(load_stolen(&marks[0], &marks[1]) == LOAD_UNKNOWN);
}
END_TEST

static pthread_barrier_t both;

static void *stay(void *of)
{
    pthread_barrier_wait(&both);
    pthread_barrier_wait(&both);
    return of;
}

static bool has(const struct load_mark *mark, int64_t id)
{
    for (int i = 0; i < mark->threads; i++)
        if (mark->thread[i].id == id)
            return true;
    return false;
}

START_TEST(threads_of_this_process)
{
    pthread_t thread;
    load_read(&marks[0]);
    ck_assert_int_ge(marks[0].threads, 1);
    ck_assert(has(&marks[0], getpid()));
    pthread_barrier_init(&both, NULL, 2);
    ck_assert_int_eq(pthread_create(&thread, NULL, stay, NULL), 0);
    pthread_barrier_wait(&both);
    load_read(&marks[1]);
    ck_assert_int_gt(marks[1].threads, marks[0].threads);
    ck_assert(load_queued(&marks[0], &marks[1]) != LOAD_UNKNOWN);
    ck_assert_int_ge(load_queued(&marks[0], &marks[1]), 0);
    pthread_barrier_wait(&both);
    pthread_join(thread, NULL);
    load_read(&marks[0]);
    ck_assert(load_queued(&marks[1], &marks[0]) == LOAD_UNKNOWN);
}
END_TEST

int main(void)
{
    TCase *tcase = tcase_create("workbench_load");
    tcase_add_test(tcase, all_threads_count);
    tcase_add_test(tcase, a_thread_that_has_ended_is_not_known);
    tcase_add_test(tcase, stolen_time_is_not_exact);
    tcase_add_test(tcase, threads_of_this_process);
    return unit_run_case("workbench_load", tcase);
}
