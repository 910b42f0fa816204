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

struct rest { // what there is between lives
    struct descriptors descriptors;
    long blocks;
};

static void look(struct rest *rest)
{
    descriptors_list(&rest->descriptors);
    rest->blocks = atomic_load(&faults.blocks);
}

static bool has_more(const struct rest *now, const struct rest *before)
{
    return now->descriptors.count > before->descriptors.count ||
           now->blocks > before->blocks + MAY_BE_KEPT;
}

static void assert_nothing_more(const struct rest *before, enum faults_function function, long nth)
{
    struct rest now;
    char text[1024];
    int64_t limit = deadline_in(HARNESS_LIMIT_MS);
    do // a thread of the library may be about to close the last ones, and to end
        look(&now);
    while (has_more(&now, before) && deadline_pause(limit));
    ck_assert_msg(now.blocks <= before->blocks + MAY_BE_KEPT,
                  "%s number %ld: %ld blocks of memory, before %ld", faults_name(function), nth,
                  now.blocks, before->blocks);
    ck_assert_msg(
        now.descriptors.count <= before->descriptors.count ||
            !descriptors_differ(&before->descriptors, &now.descriptors, text, sizeof(text)),
        "%s number %ld: other descriptors: %s", faults_name(function), nth, text);
}

// True: nothing was in the way of this call, or of later ones.
static bool with_fault(enum faults_function function, long nth, life_fn live, void *arg)
{
    arm(function, nth);
    bool ok = live(arg);
    atomic_store(&faults.function, FAULTS_NONE);
    bool fired = atomic_load(&faults.fired);
    if (getenv("DOCAD_TEST_FAULTS_SHOW"))
        printf("%s %ld: %s\n", faults_name(function), nth, ok ? "lives" : "fails");
    ck_assert_msg(fired || ok, "nothing failed, and it does not live");
    ck_assert_msg(live(arg), "after %s number %ld: it does not live", faults_name(function), nth);
    return !fired;
}

// A life that leaves something lives once more: the C library keeps memory for each thread that
// runs beside the others for the first time. What is lost is lost again.
static void with_faults_of(enum faults_function function, life_fn live, void *arg)
{
    struct rest before, now;
    bool all = false;
    for (long nth = 1; !all; nth++) {
        look(&before);
        all = with_fault(function, nth, live, arg);
        look(&now);
        if (!has_more(&now, &before))
            continue;
        look(&before);
        all = with_fault(function, nth, live, arg);
        assert_nothing_more(&before, function, nth);
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
