// SPDX-License-Identifier: BSD-3-Clause
// Copyright (c) 2026, the docad authors

#include "chores.h"

#include "unit.h"

#include <event2/event.h>
#include <pthread.h>
#include <sched.h>
#include <semaphore.h>
#include <stdio.h>
#include <time.h>
#include <unistd.h>

static struct event_base *base;
static sem_t begun, may_end;
static int n_done;
static pid_t worker; // that hangs

static void begin(void)
{
    base = event_base_new();
    sem_init(&begun, 0, 0);
    sem_init(&may_end, 0, 0);
}

static void end(void)
{
    event_base_free(base);
}

static int wall_reads;

int __real_clock_gettime(clockid_t id, struct timespec *ts);
int __wrap_clock_gettime(clockid_t id, struct timespec *ts);
int __wrap_clock_gettime(clockid_t id, struct timespec *ts)
{
    wall_reads += id == CLOCK_REALTIME;
    return __real_clock_gettime(id, ts);
}

static void work(struct chore *chore)
{
    (void)chore;
    sem_post(&begun);
}

static void hang(struct chore *chore)
{
    worker = gettid();
    work(chore);
    sem_wait(&may_end);
}

static void done(struct chore *chore)
{
    (void)chore;
    n_done++;
}

START_TEST(what_was_added_is_done_before_the_end)
{
    struct chore list[3];
    struct chores *chores = chores_new(base, "test");
    for (int i = 0; i < 3; i++) {
        list[i] = (struct chore){.work = work, .done = done};
        ck_assert(chores_add(chores, &list[i]));
    }
    ck_assert(chores_free(chores));
    ck_assert_int_eq(n_done, 3);
}
END_TEST

static bool is_there(pid_t tid)
{
    char path[64];
    snprintf(path, sizeof(path), "/proc/self/task/%d", (int)tid);
    return access(path, F_OK) == 0;
}

// In a thread of its own, whose stack goes: no old value of it still points there.
static void *leave_one_that_hangs(void *arg)
{
    struct chores *chores = chores_new(base, "test");
    struct chore *chore = malloc(sizeof(*chore));
    *chore = (struct chore){.work = hang, .done = done};
    ck_assert(chores_add(chores, chore));
    sem_wait(&begun);
    ck_assert(!chores_free(chores));
    return arg;
}

// The thread that hung ends when nobody else has its address: LeakSanitizer must not call what it
// used lost.
START_TEST(one_that_hangs_keeps_what_it_uses)
{
    pthread_t thread;
    ck_assert_int_eq(pthread_create(&thread, NULL, leave_one_that_hangs, NULL), 0);
    ck_assert_int_eq(pthread_join(thread, NULL), 0);
    ck_assert_int_eq(n_done, 0);
    ck_assert_int_eq(wall_reads, 0); // a clock that is set back does not prolong the wait
    sem_post(&may_end);
    while (is_there(worker))
        sched_yield();
}
END_TEST

int main(void)
{
    TCase *tcase = tcase_create("chores");
    tcase_add_checked_fixture(tcase, begin, end);
    tcase_add_test(tcase, what_was_added_is_done_before_the_end);
#ifndef __SANITIZE_THREAD__ // which calls a thread that nobody joins a leak
    tcase_add_test(tcase, one_that_hangs_keeps_what_it_uses);
#else
    (void)one_that_hangs_keeps_what_it_uses;
#endif
    return unit_run_case("chores", tcase);
}
