// SPDX-License-Identifier: BSD-3-Clause
// Copyright (c) 2026, the docad authors
//
// A Comch server with a hundred clients, while one more client never stops sending.

#include "child.h"
#include "comch_end.h"
#include "env.h"
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

// ---- what all have in common -------------------------------------------------------------------

static void over(struct doca_comch_task_send *task, union doca_data task_data,
                 union doca_data ctx_data)
{
    struct end *e = ctx_data.ptr;
    (void)task_data;
    e->last = doca_task_get_status(doca_comch_task_send_as_task(task));
    e->sent += e->last == DOCA_SUCCESS;
    e->failed += e->last != DOCA_SUCCESS;
    doca_task_free(doca_comch_task_send_as_task(task));
}

static void say(struct end *e, struct doca_comch_connection *to, const struct message *m)
{
    struct doca_comch_task_send *task;
    if (e->server)
        OK(doca_comch_server_task_send_alloc_init(e->server, to, m, sizeof(*m), &task));
    else
        OK(doca_comch_client_task_send_alloc_init(e->client, to, m, sizeof(*m), &task));
    OK(doca_task_submit(doca_comch_task_send_as_task(task)));
}

static struct message message_in(const uint8_t *bytes, uint32_t len)
{
    struct message m;
    ck_assert_uint_eq(len, sizeof(m));
    memcpy(&m, bytes, sizeof(m));
    return m;
}

// ---- the server --------------------------------------------------------------------------------

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
    say(e, from, &m);
    e->got++;
}

static void come(struct doca_comch_event_connection_status_changed *event,
                 struct doca_comch_connection *c, uint8_t successful)
{
    ck_assert(event && successful);
    end_of(c)->came++;
}

static void leave(struct doca_comch_event_connection_status_changed *event,
                  struct doca_comch_connection *c, uint8_t successful)
{
    ck_assert(event && successful);
    end_of(c)->left++;
}

static int serves(struct child *self, void *arg)
{
    struct end e;
    (void)arg;
    end_make_server(&e, NAME);
    OK(doca_comch_server_task_send_set_conf(e.server, over, over, 2 * CROWD));
    OK(doca_comch_server_event_msg_recv_register(e.server, hear));
    OK(doca_comch_server_event_connection_status_changed_register(e.server, come, leave));
    OK(doca_ctx_start(e.ctx));
    child_tell(self, "serves");
    UNTIL(&e, e.left == CROWD + 1);
    ck_assert_uint_eq(e.came, CROWD + 1);
    ck_assert_uint_eq(e.got, CROWD * ROUNDS);
    ck_assert_uint_eq(e.sent, CROWD * ROUNDS);
    ck_assert_uint_gt(noises, 0);
    OK(doca_ctx_stop(e.ctx));
    end_destroy(&e);
    return 0;
}

// ---- the noisy one -----------------------------------------------------------------------------

static void ignore(struct doca_comch_event_msg_recv *event, uint8_t *bytes, uint32_t len,
                   struct doca_comch_connection *from)
{
    (void)event, (void)bytes, (void)len, (void)from;
    ck_abort_msg("nobody answers noise");
}

static int makes_noise(struct child *self, void *arg)
{
    static const struct message noise = {NOISE, 0};
    unsigned submitted = 0;
    struct end e;
    (void)arg;
    end_make_client(&e, NAME);
    OK(doca_comch_client_task_send_set_conf(e.client, over, over, WINDOW));
    OK(doca_comch_client_event_msg_recv_register(e.client, ignore));
    struct doca_comch_connection *c = end_start_client(&e);
    child_tell(self, "loud");
    while (!child_hears(self)) {
        for (; submitted - e.sent < WINDOW; submitted++)
            say(&e, c, &noise);
        (void)doca_pe_progress(e.pe);
    }
    child_wait(self, "enough");
    UNTIL(&e, e.sent == submitted);
    REFUSED(DOCA_ERROR_IN_PROGRESS, doca_ctx_stop(e.ctx));
    UNTIL(&e, e.state == DOCA_CTX_STATE_IDLE);
    end_destroy(&e);
    return 0;
}

// ---- the crowd ---------------------------------------------------------------------------------

static void take_answer(struct doca_comch_event_msg_recv *event, uint8_t *bytes, uint32_t len,
                        struct doca_comch_connection *from)
{
    struct end *e = end_of(from);
    (void)event;
    ck_assert_uint_eq(message_in(bytes, len).number, e->got);
    e->got++;
}

static int asks(struct child *self, void *arg)
{
    static struct end ends[CROWD];
    static struct message questions[CROWD];
    struct doca_comch_connection *to[CROWD];
    (void)self, (void)arg;
    for (unsigned i = 0; i < CROWD; i++) {
        end_make_client(&ends[i], NAME);
        OK(doca_comch_client_task_send_set_conf(ends[i].client, over, over, 1));
        OK(doca_comch_client_event_msg_recv_register(ends[i].client, take_answer));
        to[i] = end_start_client(&ends[i]);
    }
    for (unsigned round = 0; round < ROUNDS; round++) {
        for (unsigned i = 0; i < CROWD; i++) {
            questions[i] = (struct message){QUESTION, round};
            say(&ends[i], to[i], &questions[i]);
        }
        for (unsigned i = 0; i < CROWD; i++)
            UNTIL(&ends[i], ends[i].got == round + 1 && ends[i].sent == round + 1);
    }
    for (unsigned i = 0; i < CROWD; i++) {
        REFUSED(DOCA_ERROR_IN_PROGRESS, doca_ctx_stop(ends[i].ctx));
        UNTIL(&ends[i], ends[i].state == DOCA_CTX_STATE_IDLE);
        end_destroy(&ends[i]);
    }
    return 0;
}

START_TEST(everybody_is_answered)
{
    struct child *server = child_start(nodes.dpu, "server", serves, NULL);
    child_wait(server, "serves");
    struct child *noisy = child_start(nodes.host, "noisy", makes_noise, NULL);
    child_wait(noisy, "loud");
    child_join(child_start(nodes.host, "crowd", asks, NULL));
    child_tell(noisy, "enough");
    child_join(noisy);
    child_join(server);
}
END_TEST

int main(void)
{
    Suite *suite = suite_create("comch_many");
    TCase *near = tcase_create("near"), *apart = tcase_create("apart");

    tcase_add_checked_fixture(near, setup_pair, env_teardown);
    tcase_add_test(near, everybody_is_answered);
    suite_add_tcase(suite, near);
    tcase_add_checked_fixture(apart, setup_apart, env_teardown);
    tcase_add_test(apart, everybody_is_answered);
    suite_add_tcase(suite, apart);
    return run_suite(suite);
}
