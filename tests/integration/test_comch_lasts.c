// SPDX-License-Identifier: BSD-3-Clause
// Copyright (c) 2026, the docad authors
//
// Comch while docad is restarted, and while a consumer's memory is taken back.

#include "comch_path.h"
#include "env.h"
#include "nodes.h"
#include "restarts.h"

#include <string.h>

// ---- restarts ----------------------------------------------------------------------------------

// Short messages are in the ring, long ones in the memory that was lent.
static size_t length_of(unsigned i)
{
    return i % 2 ? 4096 : 64;
}

static int consumes(struct child *self, void *arg)
{
    struct receiver r;
    struct end e;
    receiver_meet(&r, &e, self, arg);
    child_tell(self, "runs");
    for (unsigned i = 0; r.imm_length == 0; i++) {
        post(&r, 5, LARGE);
        PROGRESS_UNTIL(r.pe, r.got + r.failed == i + 1);
        ck_assert_uint_eq(r.failed, 0);
        ck_assert_uint_eq(r.length, length_of(i));
        for (size_t at = 0; at < r.length; at++)
            ck_assert_uint_eq(r.memory.bytes[5 + at], pattern(at, i));
        restarted->jobs[0]++;
    }
    receiver_part(&r, &e, self);
    return 0;
}

// The other side's receive may not be there yet.
static void send_when_posted(struct sender *s, struct end *e, unsigned seed, size_t length,
                             const char *imm)
{
    doca_error_t r;
    while ((r = try_send(s, known.consumer, seed, length, imm)) == DOCA_ERROR_AGAIN)
        (void)doca_pe_progress(e->pe);
    OK(r);
}

static int produces(struct child *self, void *arg)
{
    struct sender s;
    struct end e;
    bool last = false;
    sender_meet(&s, &e, self, arg);
    for (unsigned i = 0; !last; i++) {
        last = restarted->stop;
        send_when_posted(&s, &e, i, length_of(i), last ? "last" : NULL);
        PROGRESS_UNTIL(s.pe, s.sent + s.failed == i + 1);
        ck_assert_uint_eq(s.failed, 0);
        restarted->jobs[1]++;
    }
    sender_part(&s, &e, self);
    return 0;
}

// Nothing is lost, and nothing comes twice. On one machine and between two.
START_TEST(messages_go_on_while_docad_restarts)
{
    struct child *server, *client;
    bool to_server = _i % 2;
    restarted_start(_i / 2);
    nodes = restarted_nodes;
    start_both(&server, to_server ? consumes : produces, &client, to_server ? produces : consumes);
    child_wait(to_server ? server : client, "runs");
    restart_often(2);
    end_both(server, client);
    restarted_stop();
}
END_TEST

// ---- memory that is taken back -----------------------------------------------------------------

static int lends(struct child *self, void *arg)
{
    struct receiver r;
    struct end e;
    receiver_meet(&r, &e, self, arg);
    post(&r, 5, LARGE);
    child_tell(self, "runs");
    PROGRESS_UNTIL(r.pe, r.got == 1);
    post(&r, 5, LARGE);
    child_tell(self, "has it");
    child_wait(self, "taken back");
    memset(r.memory.bytes, 0, LARGE);
    child_tell(self, "has cleared it");
    PROGRESS_UNTIL(r.pe, r.failed == 1);
    for (size_t at = 0; at < LARGE; at++)
        ck_assert_uint_eq(r.memory.bytes[at], 0);
    child_wait(self, "end");
    receiver_part(&r, &e, self);
    return 0;
}

static int writes(struct child *self, void *arg)
{
    struct sender s;
    struct end e;
    sender_meet(&s, &e, self, arg);
    send_when_posted(&s, &e, 1, 4096, NULL);
    PROGRESS_UNTIL(s.pe, s.sent == 1);
    child_wait(self, "send again");
    send_when_posted(&s, &e, 2, 4096, NULL);
    PROGRESS_UNTIL(s.pe, s.failed == 1);
    ck_assert_int_eq(s.last, DOCA_ERROR_NOT_PERMITTED);
    child_tell(self, "failed");
    sender_part(&s, &e, self);
    return 0;
}

// Both sides learn it, and nothing is written any more.
START_TEST(memory_is_taken_back)
{
    struct child *server, *client;
    start_both(&server, writes, &client, lends);
    child_wait(client, "runs");
    child_wait(client, "has it");
    revoke_all_of(nodes.host, client);
    child_tell(client, "taken back");
    child_wait(client, "has cleared it");
    child_tell(server, "send again");
    child_wait(server, "failed");
    child_tell(client, "end");
    end_both(server, client);
}
END_TEST

int main(void)
{
    Suite *suite = suite_create("comch_lasts");
    TCase *restarts = tcase_create("restarts");
    TCase *pair = tcase_create("pair");

    tcase_add_checked_fixture(restarts, env_setup, env_teardown);
    tcase_set_timeout(restarts, 120);
    tcase_add_loop_test(restarts, messages_go_on_while_docad_restarts, 0, 4);
    suite_add_tcase(suite, restarts);
    tcase_add_checked_fixture(pair, setup_pair, env_teardown);
    tcase_add_test(pair, memory_is_taken_back);
    suite_add_tcase(suite, pair);
    return run_suite(suite);
}
