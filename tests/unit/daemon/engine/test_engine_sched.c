// SPDX-License-Identifier: BSD-3-Clause
// Copyright (c) 2026, the docad authors
//
// The order of turns among users, nodes, clients and queue pairs.

#include "engine_sched.h"

#include "unit.h"

#include <string.h>

static const uint8_t node_a[NODE_ID_SIZE] = {0xa}, node_b[NODE_ID_SIZE] = {0xb};

static struct engine_users users;

// A client with queue pairs that always have something to do.
struct client {
    struct engine_user *user;
    struct engine_sched sched;
    struct item {
        struct list link;
        struct client *client;
        unsigned served;
    } items[4];
    unsigned n, served;
};

static void client_begin(struct client *c, uid_t uid, const uint8_t *node, unsigned n)
{
    memset(c, 0, sizeof(*c));
    c->user = engine_user_get(&users, uid, node);
    ck_assert_ptr_nonnull(c->user);
    engine_sched_init(&c->sched, &c->user->sched, true);
    c->n = n;
    for (unsigned i = 0; i < n; i++) {
        c->items[i].client = c;
        engine_sched_add(&c->sched, &c->items[i].link);
    }
}

static void client_end(struct client *c)
{
    for (unsigned i = 0; i < c->n; i++)
        engine_sched_remove(&c->sched, &c->items[i].link);
    engine_user_put(c->user);
}

static void serve(unsigned n)
{
    while (n-- > 0) {
        struct item *item = list_entry(engine_sched_next(&users.sched), struct item, link);
        item->served++;
        item->client->served++;
        engine_sched_add(&item->client->sched, &item->link);
    }
}

static void assert_idle(void)
{
    ck_assert(list_empty(&users.all));
    ck_assert(list_empty(&users.sched.runnable));
}

START_TEST(a_node_is_like_one_user)
{
    struct client here, far[10];
    unsigned sum = 0;

    engine_users_init(&users);
    for (unsigned i = 0; i < 10; i++)
        client_begin(&far[i], i < 5 ? 1000 + i : 0, node_a, 3);
    client_begin(&here, 1000, NULL, 1);
    serve(240);
    ck_assert_uint_eq(here.served, 120);
    for (unsigned i = 0; i < 10; i++)
        sum += far[i].served;
    ck_assert_uint_eq(sum, 120);
    // Its users likewise: five with a client each, and one with five.
    for (unsigned i = 0; i < 10; i++)
        ck_assert_uint_eq(far[i].served, i < 5 ? 20 : 4);
    for (unsigned i = 0; i < 10; i++)
        client_end(&far[i]);
    client_end(&here);
    assert_idle();
}
END_TEST

START_TEST(the_same_uid_elsewhere_is_somebody_else)
{
    struct client here, a, b;

    engine_users_init(&users);
    client_begin(&here, 1000, NULL, 4);
    client_begin(&a, 1000, node_a, 2);
    client_begin(&b, 1000, node_b, 1);
    ck_assert_ptr_ne(here.user, a.user);
    ck_assert_ptr_ne(a.user, b.user);
    serve(30);
    ck_assert_uint_eq(here.served, 10);
    ck_assert_uint_eq(a.served, 10);
    ck_assert_uint_eq(b.served, 10);
    client_end(&a);
    serve(30);
    ck_assert_uint_eq(here.served, 25);
    ck_assert_uint_eq(b.served, 25);
    client_end(&here);
    client_end(&b);
    assert_idle();
}
END_TEST

START_TEST(those_without_work_have_no_turn)
{
    struct client a, b;

    engine_users_init(&users);
    client_begin(&a, 1, node_a, 2);
    client_begin(&b, 2, node_a, 1);
    engine_sched_remove(&b.sched, &b.items[0].link);
    engine_sched_remove(&b.sched, &b.items[0].link); // of one that is on no list
    serve(10);
    ck_assert_uint_eq(a.items[0].served, 5);
    ck_assert_uint_eq(b.served, 0);
    engine_sched_add(&b.sched, &b.items[0].link);
    serve(10);
    ck_assert_uint_eq(b.served, 5);
    client_end(&a);
    client_end(&b);
    assert_idle();
}
END_TEST

START_TEST(who_waits_beside_whom)
{
    struct client here, a, b;

    engine_users_init(&users);
    client_begin(&here, 1, NULL, 2);
    ck_assert(!engine_sched_others(&here.user->sched));
    client_begin(&a, 1, node_a, 1);
    ck_assert(engine_sched_others(&here.user->sched));
    ck_assert(engine_sched_others(&a.user->sched));
    engine_sched_remove(&here.sched, &here.items[0].link);
    engine_sched_remove(&here.sched, &here.items[1].link);
    ck_assert(engine_sched_others(&here.user->sched)); // as for one that is being served
    ck_assert(!engine_sched_others(&a.user->sched));
    client_begin(&b, 2, node_a, 1); // beside it, in its node
    ck_assert(engine_sched_others(&a.user->sched));
    engine_sched_remove(&b.sched, &b.items[0].link);
    ck_assert(!engine_sched_others(&a.user->sched));
    client_end(&here);
    client_end(&a);
    client_end(&b);
    assert_idle();
}
END_TEST

START_TEST(users_are_shared_and_counted)
{
    engine_users_init(&users);
    struct engine_user *a = engine_user_get(&users, 7, node_a);
    struct engine_user *again = engine_user_get(&users, 7, node_a);
    struct engine_user *other = engine_user_get(&users, 8, node_a);
    ck_assert_ptr_eq(a, again);
    ck_assert_ptr_ne(a, other);
    ck_assert_ptr_eq(a->node, other->node);
    engine_user_put(a);
    engine_user_put(other);
    ck_assert(!list_empty(&users.all));
    engine_user_put(again);
    engine_user_put(NULL);
    assert_idle();
}
END_TEST

UNIT_MAIN("engine_sched", a_node_is_like_one_user, the_same_uid_elsewhere_is_somebody_else,
          those_without_work_have_no_turn, who_waits_beside_whom, users_are_shared_and_counted)
