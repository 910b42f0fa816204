// SPDX-License-Identifier: BSD-3-Clause
// Copyright (c) 2026, the docad authors
//
// A Comch server with a hundred clients, while one more client never stops sending.

#include "comch_end.h"
#include "nodes.h"

#include <string.h>

#define NAME   "crowd"
#define CROWD  100u
#define ROUNDS 20u
#define WINDOW 32u // messages that the noisy one has on their way

enum { QUESTION, NOISE };

struct message {
    uint32_t kind, number;
};

// ---- what all have in common

static struct message message_in(const uint8_t *bytes, uint32_t len)
{
    struct message m;
    ck_assert_uint_eq(len, sizeof(m));
    memcpy(&m, bytes, sizeof(m));
    return m;
}

// ---- the server

static unsigned noises;

// The connection counts its questions: none is lost, and each has its answer.
static void hear(struct doca_comch_event_msg_recv *event, uint8_t *bytes, uint32_t len,
                 struct doca_comch_connection *from)
{
    struct end *e = end_of(from);
    struct message m = message_in(bytes, len);
    (void)event;
    if (m.kind == NOISE) {
        noises++;
        return;
    }
    union doca_data data = doca_comch_connection_get_user_data(from);
    ck_assert_uint_eq(m.number, data.u64);
    data.u64++;
    OK(doca_comch_connection_set_user_data(from, data));
    end_say(e, from, &m, sizeof(m));
    e->got++;
}

static const struct end_plan server_plan = {
    .name = NAME, .serves = true, .tasks = 2 * CROWD, .hear = hear};

static void serves(struct end *e)
{
    UNTIL(e, e->left == CROWD + 1);
    ck_assert_uint_eq(e->came, CROWD + 1);
    ck_assert_uint_eq(e->got, CROWD * ROUNDS);
    ck_assert_uint_eq(e->sent, CROWD * ROUNDS);
    ck_assert_uint_gt(noises, 0);
}

// ---- the noisy one

static void ignore(struct doca_comch_event_msg_recv *event, uint8_t *bytes, uint32_t len,
                   struct doca_comch_connection *from)
{
    (void)event, (void)bytes, (void)len, (void)from;
    ck_abort_msg("nobody answers noise");
}

static const struct end_plan noisy_plan = {.name = NAME, .tasks = WINDOW, .hear = ignore};

static void makes_noise(struct end *e)
{
    static const struct message noise = {NOISE, 0};
    unsigned submitted = 0;
    while (!child_hears(e->self)) {
        for (; submitted - e->sent < WINDOW; submitted++)
            end_say(e, e->connection, &noise, sizeof(noise));
        (void)doca_pe_progress(e->pe);
    }
    child_wait(e->self, "enough");
    UNTIL(e, e->sent == submitted);
}

// ---- the crowd

static void take_answer(struct doca_comch_event_msg_recv *event, uint8_t *bytes, uint32_t len,
                        struct doca_comch_connection *from)
{
    struct end *e = end_of(from);
    (void)event;
    ck_assert_uint_eq(message_in(bytes, len).number, e->got);
    e->got++;
}

static const struct end_plan asking_plan = {.name = NAME, .hear = take_answer};

static int asks(struct child *self, void *arg)
{
    static struct end ends[CROWD];
    static struct message questions[CROWD];
    (void)self, (void)arg;
    for (unsigned i = 0; i < CROWD; i++) {
        end_make(&ends[i], &asking_plan);
        end_start_client(&ends[i]);
    }
    for (unsigned round = 0; round < ROUNDS; round++) {
        for (unsigned i = 0; i < CROWD; i++) {
            questions[i] = (struct message){QUESTION, round};
            end_say(&ends[i], ends[i].connection, &questions[i], sizeof(questions[i]));
        }
        for (unsigned i = 0; i < CROWD; i++)
            UNTIL(&ends[i], ends[i].got == round + 1 && ends[i].sent == round + 1);
    }
    for (unsigned i = 0; i < CROWD; i++) {
        end_stop(&ends[i]);
        end_destroy(&ends[i]);
    }
    return 0;
}

START_TEST(everybody_is_answered)
{
    struct child *server = end_start_in(&server_plan, "server", serves);
    struct child *noisy = end_start_in(&noisy_plan, "noisy", makes_noise);
    child_join(child_start(nodes.host, "crowd", asks, NULL));
    child_tell(noisy, "enough");
    child_join(noisy);
    child_join(server);
}
END_TEST

int main(void)
{
    Suite *suite = suite_create("comch_many");
    tcase_add_test(case_near(suite), everybody_is_answered);
    tcase_add_test(case_apart(suite), everybody_is_answered);
    return run_suite(suite);
}
