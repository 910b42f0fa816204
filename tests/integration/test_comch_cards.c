// SPDX-License-Identifier: BSD-3-Clause
// Copyright (c) 2026, the docad authors
//
// Comch on a device that imitates a card: the order in which a seed lets messages of a server be
// completed, those of one connection in theirs; and the time that messages of a producer take.

#include "comch_path.h"
#include "nodes.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define NAME  "ordered"
#define SEEDS 6u
#define LINES 2u // connections
#define EACH  4u // messages of each

static struct doca_comch_connection *lines[LINES];
static char order[LINES * EACH + 1];
static unsigned n_lines, n_over, next_of[LINES];

static void come(struct doca_comch_event_connection_status_changed *event,
                 struct doca_comch_connection *c, uint8_t successful)
{
    end_come(event, c, successful);
    lines[n_lines++] = c;
}

static void over(struct doca_comch_task_send *task, union doca_data task_data,
                 union doca_data ctx_data)
{
    unsigned line = (unsigned)(task_data.u64 / EACH);

    (void)ctx_data;
    OK(doca_task_get_status(doca_comch_task_send_as_task(task)));
    doca_task_free(doca_comch_task_send_as_task(task));
    ck_assert_uint_eq(task_data.u64 % EACH, next_of[line]); // in its order
    next_of[line]++;
    order[n_over++] = (char)('0' + line);
}

static void sends_to_both(struct end *e)
{
    UNTIL(e, e->came == LINES);
    for (unsigned i = 0; i < LINES * EACH; i++) {
        unsigned line = i % LINES;
        struct doca_task *task = end_task(e, lines[line], "message", 8);
        doca_task_set_user_data(task, (union doca_data){.u64 = line * EACH + i / LINES});
        OK(doca_task_submit(task));
    }
    child_tell(e->self, "sent"); // without progress
    child_wait(e->self, "received");
    UNTIL(e, n_over == LINES * EACH);
    child_send(e->self, order, sizeof(order));
    UNTIL(e, e->left == LINES);
}

static void receives(struct end *e)
{
    UNTIL(e, e->got == EACH);
    child_tell(e->self, "received");
    child_wait(e->self, "end");
}

// What the server has seen with this seed.
static void run_seed(unsigned seed, char seen[sizeof(order)])
{
    const struct end_plan serves = {
        .name = NAME, .serves = true, .tasks = LINES * EACH, .come = come, .over = over};
    const struct end_plan connects = {.name = NAME};
    struct child *clients[LINES];
    char card[64];

    snprintf(card, sizeof(card), "software,reorder=%u", seed);
    ck_assert_int_eq(setenv("DOCAD_CARD", card, 1), 0);
    struct child *server = end_start_in(&serves, "server", sends_to_both);
    for (unsigned i = 0; i < LINES; i++)
        clients[i] = end_start_in(&connects, "client", receives);
    child_wait(server, "sent");
    for (unsigned i = 0; i < LINES; i++)
        child_wait(clients[i], "received");
    child_tell(server, "received");
    child_receive(server, seen, sizeof(order));
    for (unsigned i = 0; i < LINES; i++) {
        child_tell(clients[i], "end");
        child_join(clients[i]);
    }
    child_join(server);
    unsetenv("DOCAD_CARD");
}

START_TEST(a_seed_orders_connections)
{
    char first[sizeof(order)], seen[sizeof(order)];
    unsigned n_same = 0;

    for (unsigned seed = 1; seed <= SEEDS; seed++) {
        run_seed(seed, seen);
        if (seed == 1) {
            memcpy(first, seen, sizeof(first));
            run_seed(seed, seen);
            ck_assert_str_eq(seen, first);
        }
        n_same += strcmp(seen, first) == 0;
    }
    ck_assert_uint_lt(n_same, SEEDS);
}
END_TEST

// ---- times -------------------------------------------------------------------------------------

// Longer than any test: the message comes, its task is done, and is not reported.
static void sends_one(struct sender *s)
{
    child_wait(s->self, "posted");
    send_posted(s, known.consumer, 0, 8, NULL);
    child_wait(s->self, "received");
    for (unsigned i = 0; i < 64; i++)
        (void)doca_pe_progress(s->pe);
    ck_assert_uint_eq(s->sent + s->failed, 0);
    sender_end(s); // reports what is done
    ck_assert_uint_eq(s->sent, 1);
    child_tell(s->self, "ended");
}

static void receives_one(struct receiver *r)
{
    post(r, 0, LONGEST);
    child_tell(r->self, "posted");
    PROGRESS_UNTIL(r->pe, r->got == 1);
    child_tell(r->self, "received");
    child_wait(r->self, "end");
}

START_TEST(messages_of_a_producer_take_their_time)
{
    ck_assert_int_eq(
        setenv("DOCAD_CARD", "software,timing=yes,comch_producer.send.latency_ns=1000000000000", 1),
        0);
    struct pair pair = pair_start(CONSUMES(receives_one), PRODUCES(sends_one));
    child_wait(pair.server, "posted");
    child_tell(pair.client, "posted");
    child_wait(pair.server, "received");
    child_tell(pair.client, "received");
    child_wait(pair.client, "ended");
    child_tell(pair.server, "end");
    pair_end(&pair);
    unsetenv("DOCAD_CARD");
}
END_TEST

int main(void)
{
    Suite *suite = suite_create("comch_cards");
    TCase *tcase = case_near_shared(suite);
    tcase_add_test(tcase, a_seed_orders_connections);
    tcase_add_test(tcase, messages_of_a_producer_take_their_time);
    return run_suite(suite);
}
