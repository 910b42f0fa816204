// SPDX-License-Identifier: BSD-3-Clause
// Copyright (c) 2026, the docad authors
//
// Tests what only instances on an ibverbs device have, not those on software functions: memory
// that is reached by a key and by shared memory at once, and retries that end. Needs
// DOCAD_TEST_FUNCTION.

#include "rdma_setting.h"

#include <stdio.h>
#include <string.h>
#include <unistd.h>

#define PART   ((size_t)65536)
#define ROUNDS 3

// ---- one map on both kinds of function

// A process has an instance on each.
struct two {
    struct peer verbs, software;
};

static const uint32_t no_atomics =
    DOCA_ACCESS_LOCAL_READ_WRITE | DOCA_ACCESS_RDMA_READ | DOCA_ACCESS_RDMA_WRITE;

static void two_open(struct two *t, const char *pci, const char *also)
{
    struct peer_plan plan = {.map = no_atomics, .also = also};
    peer_open(&t->verbs, &plan);
    plan = (struct peer_plan){.pci = pci, .software = true};
    peer_open(&t->software, &plan);
}

static void two_close(struct two *t)
{
    peer_close(&t->software);
    peer_close(&t->verbs);
}

// Each instance with its namesake; the map of the one on the ibverbs device goes to both.
static void two_meet(struct two *t, struct child *self, bool offers)
{
    struct peer *peers[] = {&t->verbs, &t->software};
    for (int i = 0; i < 2; i++) {
        struct blob mine[2] = {peer_export(peers[i])}, theirs[2];
        if (offers)
            mine[1] = peer_export_map_on(&t->verbs, i ? t->verbs.also : t->verbs.dev);
        child_send(self, mine, sizeof(mine));
        ck_assert_uint_eq(child_receive(self, theirs, sizeof(theirs)), sizeof(theirs));
        peer_connect(peers[i], &theirs[0]);
        peer_import(peers[i], &theirs[1]);
        child_tell(self, "met");
        child_wait(self, "go");
    }
}

static int offers_both_ways(struct child *self, void *arg)
{
    struct two t;
    (void)arg;
    two_open(&t, HOST_PF0, HOST_PF0);
    for (unsigned i = 0; i < ROUNDS; i++) {
        two_meet(&t, self, true);
        child_wait(self, "look");
        ck_assert(is_pattern(t.verbs.memory, PART, i));
        ck_assert(is_pattern(t.verbs.memory + PART, PART, i + 100));
        memset(t.verbs.memory, 0, 2 * PART);
        peer_restart(&t.verbs);
        peer_restart(&t.software);
        ck_assert_success(doca_mmap_stop(t.verbs.map));
        ck_assert_uint_eq(t.verbs.memory[0], 0);
        ck_assert_success(doca_mmap_start(t.verbs.map));
        child_tell(self, "again");
    }
    two_close(&t);
    return 0;
}

// Bytes written in one way are read in the other.
static int reaches_both_ways(struct child *self, void *arg)
{
    struct two t;
    (void)arg;
    two_open(&t, HOST_PF1, NULL);
    for (unsigned i = 0; i < ROUNDS; i++) {
        two_meet(&t, self, false);
        pattern(t.verbs.memory, PART, i);
        ck_assert_success(peer_write(&t.verbs, 0, 0, PART));
        pattern(t.software.memory, PART, i + 100);
        ck_assert_success(peer_write(&t.software, PART, 0, PART));
        ck_assert_success(peer_read(&t.verbs, PART, PART, PART));
        ck_assert(is_pattern(t.verbs.memory + PART, PART, i + 100));
        ck_assert_success(peer_read(&t.software, PART, 0, PART));
        ck_assert(is_pattern(t.software.memory + PART, PART, i));
        child_tell(self, "written");
        child_wait(self, "again");
        peer_restart(&t.verbs);
        peer_restart(&t.software);
    }
    two_close(&t);
    return 0;
}

START_TEST(one_map_both_ways)
{
    setting_start(ONE_NODE);
    struct child *owner = child_start(near_node, "owner", offers_both_ways, NULL);
    struct child *other = child_start(near_node, "other", reaches_both_ways, NULL);
    for (int i = 0; i < ROUNDS; i++) {
        peers_join(owner, other);
        peers_join(owner, other);
        child_wait(other, "written");
        child_tell(owner, "look");
        child_wait(owner, "again");
        child_tell(other, "again");
    }
    child_join(owner);
    child_join(other);
    setting_assert_baseline();
}
END_TEST

// ---- whose words these are

static doca_error_t try_export(struct peer *p, struct doca_dev *dev)
{
    const void *bytes;
    size_t length;
    return doca_mmap_export_rdma(p->map, dev, &bytes, &length);
}

static int keeps_words_apart(struct child *self, void *arg)
{
    struct peer_plan plan = {.also = HOST_PF0}, software = {.pci = HOST_PF1, .software = true};
    struct peer p, q;
    uint64_t before;
    (void)self;
    (void)arg;
    peer_open(&p, &plan);
    // Whichever is first; exporting there again is no other one.
    for (int i = 0; i < 2; i++) {
        struct doca_dev *first = i ? p.also : p.dev, *second = i ? p.dev : p.also;
        ck_assert_success(try_export(&p, first));
        ck_assert_error(try_export(&p, second), DOCA_ERROR_NOT_SUPPORTED);
        ck_assert_success(try_export(&p, first));
        ck_assert_success(doca_mmap_stop(p.map));
        ck_assert_success(doca_mmap_start(p.map));
    }
    peer_close(&p);
    // An export of the one kind, imported on the other: bytes, but no atomics.
    plan.also = NULL;
    peer_open(&p, &plan);
    peer_open(&q, &software);
    software.pci = HOST_PF0;
    struct peer r;
    peer_open(&r, &software);
    struct blob of_q = peer_export(&q), of_r = peer_export(&r), map = peer_export_map(&p);
    peer_connect(&q, &of_r);
    peer_connect(&r, &of_q);
    peer_import(&q, &map);
    pattern(q.memory, 64, 1);
    ck_assert_success(peer_write(&q, 0, 0, 64));
    ck_assert(is_pattern(p.memory, 64, 1));
    ck_assert_error(peer_add(&q, 0, 1, &before), DOCA_ERROR_NOT_PERMITTED);
    ck_assert(is_pattern(p.memory, 64, 1));
    peer_close(&q);
    peer_close(&r);
    peer_close(&p);
    return 0;
}

START_TEST(words_are_of_one_kind)
{
    setting_start(ONE_NODE);
    child_join(child_start(near_node, "one", keeps_words_apart, NULL));
    setting_assert_baseline();
}
END_TEST

// ---- nobody receives

static void sends_in_vain(struct peer *p, struct peer *q)
{
    connect_both(p, q);
    struct doca_buf *src = peer_buf(p, 0, 64);
    ck_assert_success(peer_try_send(p, src, NULL));
    ck_assert_success(peer_try_send(p, src, NULL));
    ck_assert_error(peer_wait(p), DOCA_ERROR_CONNECTION_RESET);
    ck_assert_error(peer_wait(p), DOCA_ERROR_CONNECTION_ABORTED);
    ck_assert_int_eq(peer_state(p), DOCA_RDMA_STATE_ERROR);
    ck_assert_int_eq(peer_state(q), DOCA_RDMA_STATE_ERROR);
    drop(src);
}

static void start_with(const char *settings)
{
    struct path config = temp_file("verbs.conf", settings);
    env_note_test();
    near_node = far_node = daemon_start(&(struct daemon_options){.config = config.s});
    unlink(config.s);
}

START_TEST(retries_end)
{
    start_with("verbs {\n    rnr_retries = 1\n}\n");
    run_here(ONE_NODE, sends_in_vain);
}
END_TEST

// A message waits for its receive, also if others have come before it.
static void sends_early(struct peer *p, struct peer *q)
{
    connect_both(p, q);
    struct doca_buf *src = peer_buf(p, 0, 64), *room = peer_room(q, 0, 64);
    for (int i = 0; i < 2; i++) {
        ck_assert_success(peer_try_send(p, src, NULL));
        for (int k = 0; k < 300; k++) {
            ck_assert_error(peer_poll(p), DOCA_ERROR_AGAIN);
            usleep(10000);
        }
        ck_assert_success(doca_buf_reset_data_len(room));
        ck_assert_success(peer_try_recv(q, room));
        ck_assert_success(peer_wait(p));
        ck_assert_success(peer_wait(q));
    }
    drop(src);
    drop(room);
}

START_TEST(early_messages_wait)
{
    // Soft-RoCE counts this waiting as if nobody answered, except for 7, which it takes as
    // forever.
    start_with("verbs {\n    retries = 7\n}\n");
    run_here(ONE_NODE, sends_early);
}
END_TEST

int main(void)
{
    if (!peer_function()) {
        puts("SKIPPED: DOCAD_TEST_FUNCTION names no ibverbs device");
        return TEST_SKIPPED;
    }
    Suite *suite = suite_create("rdma verbs");
    ADD(suite, one_map_both_ways, 1);
    ADD(suite, words_are_of_one_kind, 1);
    ADD(suite, retries_end, 1);
    ADD(suite, early_messages_wait, 1);
    return run_suite(suite);
}
