// SPDX-License-Identifier: BSD-3-Clause
// Copyright (c) 2026, the docad authors
//
// Queues whose bytes go over a link take turns by user. What one user has to send takes no steps
// for another, and the end of the link looks at each queue once.

#include "link_queue.h"

#include "cleanup.h"
#include "peer.h"
#include "queue_pair.h"
#include "session_rig.h"
#include "touched.h"
#include "unit.h"

#include <stdlib.h>

#define ALICE   4711
#define MALLORY 4712
#define MANY    600u
#define FEW     100u // three trees of MANY are some 25 deep each

static struct peer peer;
static struct link_queue *queues[MANY], *own[3];
static struct carrier *carriers[MANY], *own_carriers[3];
static unsigned steps, cuts;

// The queues are larger than a page.
static bool paged;

void *__real_calloc(size_t n, size_t size);
void *__wrap_calloc(size_t n, size_t size);
void *__wrap_calloc(size_t n, size_t size)
{
    return paged && n == 1 && size > 4096 ? touched_new_of(size) : __real_calloc(n, size);
}

struct tree_node *__real_tree_seek(const struct tree *tree, const void *key,
                                   tree_compare_key compare);
struct tree_node *__wrap_tree_seek(const struct tree *tree, const void *key,
                                   tree_compare_key compare);
struct tree_node *__wrap_tree_seek(const struct tree *tree, const void *key,
                                   tree_compare_key compare)
{
    steps++;
    return __real_tree_seek(tree, key, compare);
}

struct tree_node *__real_tree_next(const struct tree *tree, const struct tree_node *node,
                                   tree_compare compare);
struct tree_node *__wrap_tree_next(const struct tree *tree, const struct tree_node *node,
                                   tree_compare compare);
struct tree_node *__wrap_tree_next(const struct tree *tree, const struct tree_node *node,
                                   tree_compare compare)
{
    steps++;
    return __real_tree_next(tree, node, compare);
}

static void on_cut(void *arg, const char *why)
{
    (void)arg;
    ck_assert_str_ne(why, "");
    cuts++; // the queue stays, as that of a client does
}

static const struct carrier_owner owner = {.cut = on_cut};

static void make(struct link_queue **queue, struct carrier **carrier, uid_t uid)
{
    static uint8_t data[64];
    struct errtext err;
    ck_assert_int_eq(link_queue_new(queue, &peer, uid, data, &owner, queue, &err), DOCA_SUCCESS);
    *carrier = link_queue_connect(*queue, 7);
}

static void begin(void)
{
    static const struct object_kind *const none[] = {NULL};
    rig_begin(none);
    peer = (struct peer){.node = &rig_node, .state = PEER_LINKED};
    list_init(&peer.link_ready);
    paged = true;
    for (unsigned i = 0; i < MANY; i++)
        make(&queues[i], &carriers[i], MALLORY);
    paged = false;
    for (size_t i = 0; i < ARRAY_SIZE(own); i++)
        make(&own[i], &own_carriers[i], ALICE);
}

static void end(void)
{
    for (unsigned i = 0; i < MANY; i++)
        link_queue_free(queues[i]);
    for (size_t i = 0; i < ARRAY_SIZE(own); i++)
        link_queue_free(own[i]);
    ck_assert(list_empty(&peer.link_ready) && !peer.link_rounds.root && !peer.link_uids.root);
    idmap_fini(&peer.link_queues);
    rig_end();
}

static void send_all(struct carrier **carrier, size_t n)
{
    for (size_t i = 0; i < n; i++)
        ck_assert(carrier_send(carrier[i], "header", 6, 0, 16));
}

static bool is_in(const struct list *at, const struct link_queue *queue)
{
    return (uintptr_t)at >= (uintptr_t)queue && (uintptr_t)at < (uintptr_t)queue + 4096;
}

START_TEST(sends_touch_few_queues_of_others)
{
    send_all(carriers, MANY); // which wait, as there is no link
    touched_begin();
    send_all(own_carriers, ARRAY_SIZE(own_carriers));
    ck_assert_uint_le(touched_end(), FEW);
    // Each user has one turn in a round: alice's come second, fourth and sixth.
    const struct list *at = peer.link_ready.next;
    for (size_t i = 0; i < 2 * ARRAY_SIZE(own); i++, at = at->next)
        ck_assert(is_in(at, i % 2 ? own[i / 2] : queues[i / 2]));
}
END_TEST

START_TEST(the_end_of_a_link_looks_at_each_queue_once)
{
    send_all(carriers, MANY);
    steps = 0;
    link_queues_end(&peer);
    ck_assert_uint_eq(cuts, MANY + ARRAY_SIZE(own));
    ck_assert_uint_le(steps, 2 * MANY);
    ck_assert(list_empty(&peer.link_ready));
    link_queues_end(&peer);
    ck_assert_uint_eq(cuts, MANY + ARRAY_SIZE(own));
}
END_TEST

int main(void)
{
    TCase *tcase = tcase_create("link queue");
    tcase_add_checked_fixture(tcase, begin, end);
    tcase_add_test(tcase, sends_touch_few_queues_of_others);
    tcase_add_test(tcase, the_end_of_a_link_looks_at_each_queue_once);
    return unit_run_case("link queue", tcase);
}
