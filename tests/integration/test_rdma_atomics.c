// SPDX-License-Identifier: BSD-3-Clause
// Copyright (c) 2026, the docad authors
//
// Many processes and threads change one word at a time: processes of one node and of another,
// each with several instances in threads of their own. No change may be lost.

#include "rdma_setting.h"

#include <pthread.h>
#include <string.h>

enum { MAPPED, BROKERED, MEMORIES };

#define CONTENDERS 4 // processes, half of them on the other node
#define THREADS    2
#define ADDS       (DOCAD_SANITIZER[0] ? 300u : 2000u)
#define SWAPS      (DOCAD_SANITIZER[0] ? 60u : 300u) // each of which succeeds
#define ADDEND     0x100000001ull

// Two words: one to add to, one to swap.
#define ADD_AT  8192
#define SWAP_AT 8256

static uint8_t brokered[65536] __attribute__((aligned(4096))) = {1};

// ---- the owner of the words

static int owns_words(struct child *self, void *arg)
{
    struct peer *peers = calloc(CONTENDERS * THREADS, sizeof(*peers));
    struct peer_plan *plan = arg;
    uint64_t words[2];

    ck_assert_ptr_nonnull(peers);
    uint8_t *memory = plan->memory ? plan->memory : pages_new(65536);
    memset(memory, 0, 65536);
    plan->memory = memory;
    plan->size = 65536;
    peer_open(&peers[0], plan);
    struct blob map = peer_export_map(&peers[0]);
    // The words are of one map; every contender has a connection of its own.
    for (int i = 0; i < CONTENDERS * THREADS; i++) {
        struct blob mine[2], theirs;
        if (i > 0) {
            struct peer_plan other = *plan;
            other.memory = pages_new(4096);
            other.size = 4096;
            peer_open(&peers[i], &other);
        }
        mine[0] = peer_export(&peers[i]);
        mine[1] = map;
        child_send(self, mine, sizeof(mine));
        ck_assert_uint_eq(child_receive(self, &theirs, sizeof(theirs)), sizeof(theirs));
        peer_connect(&peers[i], &theirs);
    }
    child_tell(self, "connected");
    child_wait(self, "sum"); // it sleeps meanwhile
    memcpy(&words[0], memory + ADD_AT, 8);
    memcpy(&words[1], memory + SWAP_AT, 8);
    child_send(self, words, sizeof(words));
    for (int i = CONTENDERS * THREADS - 1; i >= 0; i--)
        peer_close(&peers[i]);
    free(peers);
    return 0;
}

// ---- who changes them

// Submits as many at a time as the queue accepts.
static void add_many(struct peer *p)
{
    struct doca_buf *word = peer_remote_buf(p, ADD_AT, 8), *out = peer_buf(p, 0, 8);
    unsigned submitted = 0, done = 0;

    while (done < ADDS) {
        for (; submitted < ADDS && submitted - done < 16; submitted++)
            ck_assert_success(
                peer_try_atomic(p, DOCA_RDMA_JOB_ATOMIC_FETCH_ADD, word, out, ADDEND, 0));
        ck_assert_success(peer_wait(p));
        done++;
    }
    drop(word);
    drop(out);
}

static void swap_many(struct peer *p)
{
    uint64_t before, expected = 0;

    for (unsigned i = 0; i < SWAPS; expected++) {
        ck_assert_success(peer_swap(p, SWAP_AT, expected, expected + 1, &before));
        if (before == expected)
            i++;
        else
            expected = before - 1; // somebody was faster: from there
    }
}

static void *contends(void *arg)
{
    struct peer *p = arg;
    add_many(p);
    swap_many(p);
    return NULL;
}

static int changes_words(struct child *self, void *arg)
{
    struct peer peers[THREADS];
    pthread_t threads[THREADS];

    for (int i = 0; i < THREADS; i++) {
        struct blob mine, theirs[2];
        peer_open(&peers[i], arg);
        mine = peer_export(&peers[i]);
        child_send(self, &mine, sizeof(mine));
        ck_assert_uint_eq(child_receive(self, theirs, sizeof(theirs)), sizeof(theirs));
        peer_connect(&peers[i], &theirs[0]);
        peer_import(&peers[i], &theirs[1]);
    }
    child_tell(self, "ready");
    child_wait(self, "go");
    for (int i = 0; i < THREADS; i++)
        ck_assert_int_eq(pthread_create(&threads[i], NULL, contends, &peers[i]), 0);
    for (int i = 0; i < THREADS; i++)
        ck_assert_int_eq(pthread_join(threads[i], NULL), 0);
    child_tell(self, "done");
    child_wait(self, "leave");
    for (int i = 0; i < THREADS; i++)
        peer_close(&peers[i]);
    return 0;
}

// ---- all together

static void introduce(struct child *owner, struct child *other)
{
    struct blob of_owner[2], of_other;
    for (int i = 0; i < THREADS; i++) {
        ck_assert_uint_eq(child_receive(owner, of_owner, sizeof(of_owner)), sizeof(of_owner));
        ck_assert_uint_eq(child_receive(other, &of_other, sizeof(of_other)), sizeof(of_other));
        child_send(owner, &of_other, sizeof(of_other));
        child_send(other, of_owner, sizeof(of_owner));
    }
    child_wait(other, "ready");
}

START_TEST(no_change_is_lost)
{
    int setting = _i % SETTINGS;
    struct peer_plan ours = near_plan(setting), near = ours, far = far_plan(setting);
    struct child *others[CONTENDERS];
    uint64_t words[2];

    if (_i / SETTINGS == BROKERED)
        ours.memory = brokered;
    setting_start(setting);
    struct child *owner = child_start(near_node, "owner", owns_words, &ours);
    for (int i = 0; i < CONTENDERS; i++) {
        others[i] = child_start(i % 2 ? far_node : near_node, "contender", changes_words,
                                i % 2 ? &far : &near);
        introduce(owner, others[i]);
    }
    child_wait(owner, "connected");
    for (int i = 0; i < CONTENDERS; i++)
        child_tell(others[i], "go");
    for (int i = 0; i < CONTENDERS; i++)
        child_wait(others[i], "done");
    child_tell(owner, "sum");
    ck_assert_uint_eq(child_receive(owner, words, sizeof(words)), sizeof(words));
    ck_assert_uint_eq(words[0], ADDEND * CONTENDERS * THREADS * ADDS);
    ck_assert_uint_eq(words[1], CONTENDERS * THREADS * SWAPS);
    for (int i = 0; i < CONTENDERS; i++)
        child_tell(others[i], "leave");
    for (int i = 0; i < CONTENDERS; i++)
        child_join(others[i]);
    child_join(owner);
    setting_assert_baseline();
}
END_TEST

static Suite *atomics_suite(void)
{
    Suite *suite = suite_create("rdma atomics");
    ADD(suite, no_change_is_lost, MEMORIES * SETTINGS);
    return suite;
}

int main(void)
{
    return run_suite(atomics_suite());
}
