// SPDX-License-Identifier: BSD-3-Clause
// Copyright (c) 2026, the docad authors
//
// The Comm Channel with real daemons: ends of every kind, of either side, in polling and in
// event-driven mode, direct and relayed.

#include "child.h"
#include "deadline.h"
#include "log_lines.h"
#include "nodes.h"
#include "run.h"
#include "talk.h"
#include "text_names.h"

#include <stdio.h>
#include <string.h>

#define NAME "cc_sample_server"

static const struct talk_sizes usual = {0};

static int listens(struct child *self, void *arg)
{
    struct talk t;
    char byte;
    size_t len = 1;
    struct doca_comm_channel_addr_t *from;
    (void)arg;
    talk_listen(&t, NAME, HOST_PF0, usual);
    child_tell(self, "listening");
    child_wait(self, "accept");
    ck_assert_error(doca_comm_channel_ep_recvfrom(t.ep, &byte, &len, 0, &from), DOCA_ERROR_AGAIN);
    child_tell(self, "accepted");
    child_wait(self, "end");
    talk_close(&t);
    return 0;
}

static int loses_its_service(struct child *self, void *arg)
{
    struct talk t;
    doca_event_channel_t recv;
    struct doca_comm_channel_addr_t *from;
    char text[4096];
    (void)arg;
    talk_connect(&t, HOST_PF0, NAME, usual);
    ck_assert_success(doca_comm_channel_ep_get_event_channel(t.ep, NULL, &recv));
    child_tell(self, "connected");
    talk_wait_readable(recv);
    ck_assert_error(doca_comm_channel_peer_addr_update_info(t.peer), DOCA_ERROR_CONNECTION_ABORTED);
    ck_assert_error(talk_recv(&t, &from, text), DOCA_ERROR_CONNECTION_RESET);
    ck_assert_error(talk_send(&t, t.peer, "x"), DOCA_ERROR_CONNECTION_RESET);
    // A connection that is over can be ended, and another service can be found.
    ck_assert_success(doca_comm_channel_ep_disconnect(t.ep, t.peer));
    ck_assert_error(doca_comm_channel_ep_recvfrom(t.ep, text, &(size_t){1}, 0, &from),
                    DOCA_ERROR_NOT_CONNECTED);
    // docad may hear of the death later than we did.
    int64_t deadline = deadline_in(HARNESS_LIMIT_MS);
    doca_error_t r;
    while ((r = doca_comm_channel_ep_connect(t.ep, NAME, &t.peer)) == DOCA_SUCCESS) {
        ck_assert_success(doca_comm_channel_ep_disconnect(t.ep, t.peer));
        ck_assert(deadline_pause(deadline));
    }
    ck_assert_error(r, DOCA_ERROR_CONNECTION_ABORTED);
    talk_close(&t);
    return 0;
}

// Before and after it has accepted.
START_TEST(the_service_dies)
{
    struct child *dpu = child_start(nodes.dpu, "dpu", listens, NULL);
    child_wait(dpu, "listening");
    struct child *host = child_start(nodes.host, "host", loses_its_service, NULL);
    child_wait(host, "connected");
    if (_i == 1) {
        child_tell(dpu, "accept");
        child_wait(dpu, "accepted");
    }
    child_kill(dpu);
    child_join(host);
    assert_no_channels(&nodes);
}
END_TEST

static int outlives_docad(struct child *self, void *arg)
{
    struct talk t;
    bool service = arg != NULL;
    struct doca_comm_channel_addr_t *peer;
    if (service)
        talk_listen(&t, NAME, HOST_PF0, usual);
    else
        talk_connect(&t, HOST_PF0, NAME, usual);
    child_tell(self, "ready");
    if (service) {
        peer = talk_expect(&t, "first");
    } else {
        talk_await_accepted(&t);
        ck_assert_success(talk_send(&t, peer = t.peer, "first"));
    }
    child_tell(self, "talking");
    child_wait(self, "docad has gone");
    ck_assert_success(talk_send(&t, peer, "still here"));
    talk_expect(&t, "still here");
    if (service)
        ck_assert_error(doca_comm_channel_ep_update_service_state_info(t.ep),
                        DOCA_ERROR_CONNECTION_RESET);
    child_tell(self, "done");
    child_wait(self, "end");
    talk_close(&t);
    return 0;
}

// The two processes talk without it.
START_TEST(docad_dies)
{
    struct child *dpu = child_start(nodes.dpu, "dpu", outlives_docad, &nodes);
    child_wait(dpu, "ready");
    struct child *host = child_start(nodes.host, "host", outlives_docad, NULL);
    child_wait(host, "ready");
    child_wait(dpu, "talking");
    child_wait(host, "talking");
    daemon_kill(nodes.host);
    daemon_kill(nodes.dpu);
    child_tell(dpu, "docad has gone");
    child_tell(host, "docad has gone");
    child_wait(dpu, "done");
    child_wait(host, "done");
    child_tell(dpu, "end");
    child_tell(host, "end");
    child_join(dpu);
    child_join(host);
    daemon_restart(nodes.host);
    daemon_restart(nodes.dpu);
}
END_TEST

static int loses_docad(struct child *self, void *arg)
{
    struct doca_comm_channel_addr_t *from;
    char byte;
    doca_error_t r;
    struct talk t;
    (void)arg;
    talk_listen(&t, NAME, HOST_PF0, usual);
    log_lines_catch();
    child_tell(self, "listening");
    child_wait(self, "docad has gone");
    int64_t deadline = deadline_in(HARNESS_LIMIT_MS);
    while ((r = doca_comm_channel_ep_recvfrom(t.ep, &byte, &(size_t){1}, 0, &from)) ==
           DOCA_ERROR_AGAIN)
        ck_assert(deadline_pause(deadline));
    ck_assert_error(r, DOCA_ERROR_CONNECTION_RESET);
    ck_assert_uint_eq(log_lines("docad has ended"), 1);
    ck_assert_uint_eq(log_lines(""), 1);
    child_wait(self, "end");
    talk_close(&t);
    return 0;
}

START_TEST(a_service_without_docad_says_so_once)
{
    struct child *dpu = child_start(nodes.dpu, "dpu", loses_docad, NULL);
    child_wait(dpu, "listening");
    daemon_kill(nodes.dpu);
    child_tell(dpu, "docad has gone");
    child_tell(dpu, "end");
    child_join(dpu);
    daemon_restart(nodes.dpu);
}
END_TEST

// ---- senders without room -----------------------------------------------------------------

static uint32_t send_until_full(struct talk *t, struct doca_comm_channel_addr_t *to)
{
    uint32_t n = 0;
    while (doca_comm_channel_ep_sendto(t->ep, &n, sizeof(n), 0, to) == DOCA_SUCCESS)
        n++;
    return n;
}

static void await_no_room_ends(struct talk *t, struct doca_comm_channel_addr_t *to, bool sleeps)
{
    int64_t deadline = deadline_in(HARNESS_LIMIT_MS);
    doca_event_channel_t send;
    doca_error_t r;
    ck_assert_success(doca_comm_channel_ep_get_event_channel(t->ep, &send, NULL));
    while ((r = doca_comm_channel_ep_sendto(t->ep, "x", 1, 0, to)) == DOCA_ERROR_AGAIN) {
        if (sleeps) {
            ck_assert_success(doca_comm_channel_ep_event_handle_arm_send(t->ep));
            talk_wait_readable(send);
        } else {
            ck_assert_msg(deadline_pause(deadline), "there is never room, and never an end");
        }
    }
    // If docad relays, messages under way make room before the end is known.
    while (r == DOCA_SUCCESS) {
        ck_assert(deadline_pause(deadline));
        r = doca_comm_channel_ep_sendto(t->ep, "x", 1, 0, to);
        r = r == DOCA_ERROR_AGAIN ? DOCA_SUCCESS : r;
    }
    ck_assert_error(r, DOCA_ERROR_CONNECTION_RESET);
}

#define SMALL ((struct talk_sizes){64, 8, 8})

struct part {
    bool service, sends, sleeps;
};

// One side sends until there is no room, the other never receives, and is killed.
static int plays(struct child *self, void *arg)
{
    const struct part *part = arg;
    struct talk t;
    struct doca_comm_channel_addr_t *peer;
    if (part->service)
        talk_listen(&t, NAME, HOST_PF0, SMALL);
    else
        talk_connect(&t, HOST_PF0, NAME, SMALL);
    child_tell(self, "ready");
    if (part->service) {
        peer = talk_expect(&t, "hello");
    } else {
        talk_await_accepted(&t);
        ck_assert_success(talk_send(&t, peer = t.peer, "hello"));
    }
    child_tell(self, "talking");
    if (!part->sends) {
        child_wait(self, "end"); // and never gets there
        return 1;
    }
    ck_assert_uint_ge(send_until_full(&t, peer), 8);
    child_tell(self, "full");
    await_no_room_ends(&t, peer, part->sleeps);
    talk_close(&t);
    return 0;
}

START_TEST(a_full_queue_whose_receiver_dies)
{
    struct part service = {true, _i & 1, _i & 2}, client = {false, !(_i & 1), _i & 2};
    struct child *dpu = child_start(nodes.dpu, "dpu", plays, &service);
    child_wait(dpu, "ready");
    struct child *host = child_start(nodes.host, "host", plays, &client);
    child_wait(host, "ready");
    child_wait(dpu, "talking");
    child_wait(host, "talking");
    struct child *sender = service.sends ? dpu : host, *receiver = service.sends ? host : dpu;
    child_wait(sender, "full");
    child_kill(receiver);
    child_join(sender);
    assert_no_channels(&nodes);
}
END_TEST

// ---- a receiver that is slow ----------------------------------------------------------------

#define TURNS 200

static int serves_slow_and_quick(struct child *self, void *arg)
{
    struct talk t;
    struct doca_comm_channel_addr_t *slow, *quick;
    uint32_t n;
    (void)arg;
    talk_listen(&t, NAME, HOST_PF0, SMALL);
    child_tell(self, "listening");
    slow = talk_expect(&t, "slow");
    n = send_until_full(&t, slow);
    child_tell(self, "full");
    for (int i = 0; i < TURNS; i++) {
        quick = talk_expect(&t, "quick");
        ck_assert_success(talk_send(&t, quick, "quick"));
    }
    // Exactly as many messages arrive as fitted, whatever the others did in the meantime.
    ck_assert_uint_eq(n, 16);
    ck_assert_error(doca_comm_channel_ep_sendto(t.ep, "x", 1, 0, slow), DOCA_ERROR_AGAIN);
    child_tell(self, "served");
    child_wait(self, "end");
    talk_close(&t);
    return 0;
}

static int is_slow(struct child *self, void *arg)
{
    struct talk t;
    struct doca_comm_channel_addr_t *from;
    int64_t deadline = deadline_in(HARNESS_LIMIT_MS);
    (void)arg;
    talk_connect(&t, HOST_PF0, NAME, SMALL);
    ck_assert_success(talk_send(&t, t.peer, "slow"));
    child_wait(self, "receive");
    for (uint32_t i = 0, n; i < 16; i++) {
        size_t len = sizeof(n);
        doca_error_t r;
        while ((r = doca_comm_channel_ep_recvfrom(t.ep, &n, &len, 0, &from)) == DOCA_ERROR_AGAIN)
            ck_assert(deadline_pause(deadline));
        ck_assert_success(r);
        ck_assert_uint_eq(n, i);
    }
    talk_close(&t);
    return 0;
}

static int is_quick(struct child *self, void *arg)
{
    struct talk t;
    (void)self;
    (void)arg;
    talk_connect(&t, HOST_PF0, NAME, SMALL);
    for (int i = 0; i < TURNS; i++) {
        ck_assert_success(talk_send(&t, t.peer, "quick"));
        talk_expect(&t, "quick");
    }
    talk_close(&t);
    return 0;
}

START_TEST(a_slow_receiver_stalls_itself_only)
{
    struct child *dpu = child_start(nodes.dpu, "dpu", serves_slow_and_quick, NULL);
    child_wait(dpu, "listening");
    struct child *slow = child_start(nodes.host, "slow", is_slow, NULL);
    child_wait(dpu, "full");
    child_join(child_start(nodes.host, "quick", is_quick, NULL));
    child_wait(dpu, "served");
    child_tell(slow, "receive");
    child_join(slow);
    child_tell(dpu, "end");
    child_join(dpu);
    assert_no_channels(&nodes);
}
END_TEST

// ---- much, both ways ------------------------------------------------------------------------

#define MESSAGES 1500

static size_t length_of(uint32_t n)
{
    return 1 + n * 2654435761u % 4080;
}

static void fill(uint8_t *data, uint32_t n)
{
    for (size_t i = 0; i < length_of(n); i++)
        data[i] = (uint8_t)(n + i);
}

// Sends and receives at once; each message is whole, and in its place.
static void exchange(struct talk *t, struct doca_comm_channel_addr_t *peer, uint32_t received)
{
    static uint8_t out[4080], in[4080], expected[4080];
    struct doca_comm_channel_addr_t *from;
    int64_t deadline = deadline_in(HARNESS_LIMIT_MS);
    for (uint32_t sent = 0; sent < MESSAGES || received < MESSAGES;) {
        size_t len = sizeof(in);
        doca_error_t r = DOCA_ERROR_AGAIN, s = DOCA_ERROR_AGAIN;
        fill(out, sent);
        if (sent < MESSAGES)
            s = doca_comm_channel_ep_sendto(t->ep, out, length_of(sent), 0, peer);
        if (received < MESSAGES)
            r = doca_comm_channel_ep_recvfrom(t->ep, in, &len, 0, &from);
        ck_assert(s == DOCA_SUCCESS || s == DOCA_ERROR_AGAIN);
        ck_assert(r == DOCA_SUCCESS || r == DOCA_ERROR_AGAIN);
        sent += s == DOCA_SUCCESS;
        if (r == DOCA_SUCCESS) {
            fill(expected, received);
            ck_assert_uint_eq(len, length_of(received));
            ck_assert_mem_eq(in, expected, len);
            received++;
        }
        ck_assert(s == DOCA_SUCCESS || r == DOCA_SUCCESS || deadline_pause(deadline));
    }
}

static int exchanges(struct child *self, void *arg)
{
    struct talk t;
    bool service = arg != NULL;
    struct talk_sizes sizes = {4080, service ? 16 : 64, service ? 64 : 16};
    (void)self;
    if (!service) {
        talk_connect(&t, HOST_PF0, NAME, sizes);
        talk_await_accepted(&t);
        exchange(&t, t.peer, 0);
        // Messages that were sent before one side leaves arrive.
        talk_close(&t);
        return 0;
    }
    talk_listen(&t, NAME, HOST_PF0, sizes);
    child_tell(self, "listening");
    uint8_t first[4080];
    size_t len = sizeof(first);
    int64_t deadline = deadline_in(HARNESS_LIMIT_MS);
    while (doca_comm_channel_ep_recvfrom(t.ep, first, &len, 0, &t.peer) == DOCA_ERROR_AGAIN)
        ck_assert(deadline_pause(deadline));
    ck_assert_uint_eq(len, length_of(0));
    exchange(&t, t.peer, 1);
    talk_close(&t);
    return 0;
}

START_TEST(much_both_ways)
{
    struct child *dpu = child_start(nodes.dpu, "dpu", exchanges, &nodes);
    child_wait(dpu, "listening");
    struct child *host = child_start(nodes.host, "host", exchanges, NULL);
    child_join(host);
    child_join(dpu);
    assert_no_channels(&nodes);
}
END_TEST

// ---- the link, or a docad, ends -------------------------------------------------------------

static int loses_the_way(struct child *self, void *arg)
{
    struct talk t;
    struct doca_comm_channel_addr_t *from, *peer;
    char text[4096];
    bool service = arg != NULL;
    if (service)
        talk_listen(&t, NAME, HOST_PF0, usual);
    else
        talk_connect(&t, HOST_PF0, NAME, usual);
    child_tell(self, "ready");
    if (service)
        peer = talk_expect(&t, "first");
    else
        ck_assert_success(talk_send(&t, peer = t.peer, "first"));
    child_tell(self, "talking");
    ck_assert_error(talk_recv(&t, &from, text), DOCA_ERROR_CONNECTION_RESET);
    ck_assert_error(talk_send(&t, peer, "x"), DOCA_ERROR_CONNECTION_RESET);
    talk_close(&t);
    return 0;
}

// If docad relays, the processes cannot work without the daemons.
START_TEST(a_docad_dies_that_relays)
{
    struct child *dpu = child_start(nodes.dpu, "dpu", loses_the_way, &nodes);
    child_wait(dpu, "ready");
    struct child *host = child_start(nodes.host, "host", loses_the_way, NULL);
    child_wait(host, "ready");
    child_wait(dpu, "talking");
    child_wait(host, "talking");
    struct daemon *dies = _i ? nodes.host : nodes.dpu;
    daemon_kill(dies);
    child_join(dpu);
    child_join(host);
    daemon_restart(dies);
}
END_TEST

// ---- what docactl shows ---------------------------------------------------------------------

static struct command_result shown;

static void expect_shown(const struct daemon *daemon, const char *side, bool relayed)
{
    char text[64];
    command_run(daemon, (const char *const[]){"docactl", "--json", "channels", NULL}, &shown);
    ck_assert_msg(shown.status == 0, "%s", shown.err);
    snprintf(text, sizeof(text), "\"side\":\"%s", side);
    assert_names(shown.out, text);
    snprintf(text, sizeof(text), "\"relayed\":%s", relayed ? "true" : "false");
    assert_names(shown.out, text);
    command_run(daemon, (const char *const[]){"docactl", "channels", NULL}, &shown);
    assert_names(shown.out, "RELAYED");
    assert_names(shown.out, relayed ? "yes" : "no");
}

static int stays_connected(struct child *self, void *arg)
{
    struct talk t;
    (void)arg;
    talk_connect(&t, HOST_PF0, NAME, usual);
    child_tell(self, "connected");
    child_wait(self, "end");
    talk_close(&t);
    return 0;
}

static void check_shown(bool relayed)
{
    struct child *dpu = child_start(nodes.dpu, "dpu", listens, NULL);
    child_wait(dpu, "listening");
    struct child *host = child_start(nodes.host, "host", stays_connected, NULL);
    child_wait(host, "connected");
    child_tell(dpu, "accept");
    child_wait(dpu, "accepted");
    expect_shown(nodes.host, "client", relayed);
    expect_shown(nodes.dpu, "service", relayed);
    child_tell(host, "end");
    child_tell(dpu, "end");
    child_join(host);
    child_join(dpu);
    assert_no_channels(&nodes);
}

START_TEST(shown_as_direct)
{
    check_shown(false);
}
END_TEST

START_TEST(shown_as_relayed)
{
    check_shown(true);
}
END_TEST

static void add_shared(TCase *tcase)
{
    tcase_add_loop_test(tcase, the_service_dies, 0, 2);
    tcase_add_loop_test(tcase, a_full_queue_whose_receiver_dies, 0, 4);
    tcase_add_test(tcase, a_slow_receiver_stalls_itself_only);
    tcase_add_test(tcase, much_both_ways);
}

int main(void)
{
    Suite *suite = suite_create("comm_channel_ends");
    add_shared(case_near_shared(suite));
    add_shared(case_apart_shared(suite));
    TCase *near = case_near(suite), *apart = case_apart(suite);
    tcase_add_test(near, docad_dies);
    tcase_add_test(near, a_service_without_docad_says_so_once);
    tcase_add_test(near, shown_as_direct);
    tcase_add_loop_test(apart, a_docad_dies_that_relays, 0, 2);
    tcase_add_test(apart, shown_as_relayed);
    return run_suite(suite);
}
