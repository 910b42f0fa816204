// SPDX-License-Identifier: BSD-3-Clause
// Copyright (c) 2026, the docad authors

#include "each_fault.h"

#include "deadline.h"
#include "faults.h"
#include "leaks.h"
#include "run.h"

#include <stdio.h>
#include <stdlib.h>

static struct faults faults; // what this process follows

static void arm(enum faults_function function, long nth)
{
    atomic_store(&faults.nth, nth);
    atomic_store(&faults.calls, 0);
    atomic_store(&faults.fired, 0);
    atomic_store(&faults.function, (int)function);
}

static const enum faults_function functions[] = {
    FAULTS_MALLOC,  FAULTS_MMAP,      FAULTS_MEMFD_CREATE, FAULTS_SOCKETPAIR,
    FAULTS_EVENTFD, FAULTS_EPOLL_CTL, FAULTS_DUP};

#define N_FUNCTIONS ((int)(sizeof(functions) / sizeof(functions[0])))

// Blocks that the C library may keep.
#define MAY_BE_KEPT 3

static void assert_same_descriptors(const struct descriptors *before, enum faults_function function,
                                    long nth)
{
    struct descriptors now;
    char text[1024];
    int64_t limit = deadline_in(HARNESS_LIMIT_MS);
    do // a thread of the library may be about to close the last ones
        descriptors_list(&now);
    while (now.count > before->count && deadline_pause(limit));
    ck_assert_msg(now.count <= before->count ||
                      !descriptors_differ(before, &now, text, sizeof(text)),
                  "%s number %ld: other descriptors: %s", faults_name(function), nth, text);
}

static void with_faults_of(enum faults_function function, life_fn live, void *arg)
{
    for (long nth = 1;; nth++) {
        struct descriptors before;
        long blocks = atomic_load(&faults.blocks);
        descriptors_list(&before);
        arm(function, nth);
        bool ok = live(arg);
        atomic_store(&faults.function, FAULTS_NONE);
        bool fired = atomic_load(&faults.fired);
        if (getenv("DOCAD_TEST_FAULTS_SHOW"))
            printf("%s %ld: %s\n", faults_name(function), nth, ok ? "lives" : "fails");
        ck_assert_msg(fired || ok, "nothing failed, and it does not live");
        ck_assert_msg(live(arg), "after %s number %ld: it does not live", faults_name(function),
                      nth);
        ck_assert_msg(atomic_load(&faults.blocks) <= blocks + MAY_BE_KEPT,
                      "%s number %ld: %ld blocks of memory, before %ld", faults_name(function), nth,
                      atomic_load(&faults.blocks), blocks);
        assert_same_descriptors(&before, function, nth);
        if (!fired)
            return;
    }
}

void with_each_fault(life_fn live, void *arg)
{
    faults_follow(&faults);
    ck_assert(live(arg)); // what is kept from the first time on
    ck_assert(live(arg));
    for (int i = 0; i < N_FUNCTIONS; i++)
        with_faults_of(functions[i], live, arg);
    faults_follow(NULL);
}
