// SPDX-License-Identifier: BSD-3-Clause
// Copyright (c) 2026, the docad authors
//
// The Comm Channel with real daemons: what endpoints refuse, how the two sides find each
// other, messages, back-pressure, waiting, several clients. All of it where the processes
// talk directly, and where docad passes on what they say.

#include "child.h"
#include "deadline.h"
#include "nodes.h"
#include "run.h"
#include "talk.h"

#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <unistd.h>

static const struct talk_sizes usual = {0};

// ---- properties and refusals ----------------------------------------------------------

static void check_properties(struct doca_comm_channel_ep_t *ep, struct doca_dev *dev)
{
    struct doca_dev *device = NULL;
    struct doca_dev_rep *rep;
    uint16_t n;

    ck_assert_error(doca_comm_channel_ep_get_device(ep, &device), DOCA_ERROR_INVALID_VALUE);
    ck_assert_error(doca_comm_channel_ep_get_device_rep(ep, &rep), DOCA_ERROR_INVALID_VALUE);
    ck_assert_success(doca_comm_channel_ep_set_device(ep, dev));
    ck_assert_success(doca_comm_channel_ep_get_device(ep, &device));
    ck_assert_ptr_eq(device, dev);
    ck_assert_success(doca_comm_channel_ep_get_max_msg_size(ep, &n));
    ck_assert_uint_eq(n, 4080);
    ck_assert_success(doca_comm_channel_ep_set_max_msg_size(ep, 1024));
    ck_assert_success(doca_comm_channel_ep_get_max_msg_size(ep, &n));
    ck_assert_uint_eq(n, 1024);
    ck_assert_error(doca_comm_channel_ep_set_max_msg_size(ep, 0), DOCA_ERROR_INVALID_VALUE);
    ck_assert_error(doca_comm_channel_ep_set_max_msg_size(ep, 4081), DOCA_ERROR_INVALID_VALUE);
    ck_assert_success(doca_comm_channel_ep_set_send_queue_size(ep, 8190));
    ck_assert_success(doca_comm_channel_ep_get_send_queue_size(ep, &n));
    ck_assert_uint_eq(n, 8192);
    ck_assert_success(doca_comm_channel_ep_set_recv_queue_size(ep, 10));
    ck_assert_success(doca_comm_channel_ep_get_recv_queue_size(ep, &n));
    ck_assert_uint_eq(n, 16);
    ck_assert_error(doca_comm_channel_ep_set_send_queue_size(ep, 0), DOCA_ERROR_INVALID_VALUE);
    ck_assert_error(doca_comm_channel_ep_set_recv_queue_size(ep, 8193), DOCA_ERROR_INVALID_VALUE);
    ck_assert_success(doca_comm_channel_ep_get_send_queue_size(ep, &n));
    ck_assert_uint_eq(n, 8192);
}

static void check_inactive(struct doca_comm_channel_ep_t *ep)
{
    struct doca_comm_channel_addr_t *peer, **list;
    doca_event_channel_t fd;
    char text[8];
    size_t len = sizeof(text);
    uint32_t n;

    ck_assert_error(doca_comm_channel_ep_recvfrom(ep, text, &len, 0, &peer),
                    DOCA_ERROR_NOT_CONNECTED);
    ck_assert_error(doca_comm_channel_ep_sendto(ep, text, 1, 0, NULL), DOCA_ERROR_NOT_CONNECTED);
    ck_assert_error(doca_comm_channel_ep_get_event_channel(ep, &fd, NULL), DOCA_ERROR_BAD_STATE);
    ck_assert_error(doca_comm_channel_ep_get_service_event_channel(ep, &fd), DOCA_ERROR_BAD_STATE);
    ck_assert_error(doca_comm_channel_ep_event_handle_arm_send(ep), DOCA_ERROR_INVALID_VALUE);
    ck_assert_error(doca_comm_channel_ep_event_handle_arm_recv(ep), DOCA_ERROR_INVALID_VALUE);
    ck_assert_error(doca_comm_channel_ep_update_service_state_info(ep), DOCA_ERROR_NOT_SUPPORTED);
    ck_assert_error(doca_comm_channel_ep_get_peer_addr_list(ep, &list, &n),
                    DOCA_ERROR_NOT_SUPPORTED);
    ck_assert_error(doca_comm_channel_ep_get_pending_connections(ep, &n), DOCA_ERROR_NOT_SUPPORTED);
}

static void check_nulls(void)
{
    const doca_error_t invalid = DOCA_ERROR_INVALID_VALUE;
    struct doca_comm_channel_addr_t *peer;
    char byte;
    size_t len = 1;
    uint64_t n64;

    ck_assert_error(doca_comm_channel_ep_create(NULL), invalid);
    ck_assert_error(doca_comm_channel_ep_destroy(NULL), DOCA_ERROR_NOT_CONNECTED);
    ck_assert_error(doca_comm_channel_ep_listen(NULL, "x"), invalid);
    ck_assert_error(doca_comm_channel_ep_connect(NULL, "x", &peer), invalid);
    ck_assert_error(doca_comm_channel_ep_sendto(NULL, &byte, 1, 0, NULL), invalid);
    ck_assert_error(doca_comm_channel_ep_recvfrom(NULL, &byte, &len, 0, &peer), invalid);
    ck_assert_error(doca_comm_channel_ep_disconnect(NULL, NULL), invalid);
    ck_assert_error(doca_comm_channel_peer_addr_update_info(NULL), invalid);
    ck_assert_error(doca_comm_channel_peer_addr_get_user_data(NULL, &n64), invalid);
    ck_assert_error(doca_comm_channel_peer_addr_set_user_data(NULL, 1), invalid);
    ck_assert_error(doca_comm_channel_peer_addr_get_send_messages(NULL, &n64), invalid);
    ck_assert_error(doca_comm_channel_get_max_service_name_len(NULL), invalid);
    ck_assert_error(doca_comm_channel_get_max_message_size(NULL, NULL), invalid);
}

static void check_limits(struct doca_devinfo *info, doca_error_t service)
{
    uint32_t n;
    ck_assert_success(doca_comm_channel_get_max_service_name_len(&n));
    ck_assert_uint_ge(n, 22);
    ck_assert_success(doca_comm_channel_get_max_message_size(info, &n));
    ck_assert_uint_ge(n, 4080);
    ck_assert_success(doca_comm_channel_get_max_send_queue_size(info, &n));
    ck_assert_uint_ge(n, 8190);
    ck_assert_success(doca_comm_channel_get_max_recv_queue_size(info, &n));
    ck_assert_uint_ge(n, 8190);
    n = 0;
    ck_assert_error(doca_comm_channel_get_service_max_num_connections(info, &n), service);
    ck_assert(service != DOCA_SUCCESS || n >= 16);
}

static int refuses_on_the_host(struct child *self, void *arg)
{
    struct doca_dev *dev = client_open(HOST_PF0);
    struct doca_comm_channel_ep_t *ep;
    struct doca_comm_channel_addr_t *peer = NULL;
    char longest[200];
    (void)self;
    (void)arg;

    check_limits(doca_dev_as_devinfo(dev), DOCA_ERROR_NOT_SUPPORTED);
    check_nulls();
    ck_assert_success(doca_comm_channel_ep_create(&ep));
    ck_assert_error(doca_comm_channel_ep_connect(ep, "x", &peer), DOCA_ERROR_BAD_STATE);
    ck_assert_error(doca_comm_channel_ep_listen(ep, "x"), DOCA_ERROR_BAD_STATE);
    check_properties(ep, dev);
    check_inactive(ep);
    ck_assert_error(doca_comm_channel_ep_listen(ep, "x"), DOCA_ERROR_NOT_SUPPORTED);
    ck_assert_error(doca_comm_channel_ep_connect(ep, "", &peer), DOCA_ERROR_INVALID_VALUE);
    memset(longest, 'n', sizeof(longest));
    longest[sizeof(longest) - 1] = '\0';
    ck_assert_error(doca_comm_channel_ep_connect(ep, longest, &peer), DOCA_ERROR_INVALID_VALUE);
    ck_assert_error(doca_comm_channel_ep_connect(ep, "nobody", &peer),
                    DOCA_ERROR_CONNECTION_ABORTED);
    ck_assert_ptr_null(peer);
    // The device may be closed before the endpoint.
    ck_assert_success(doca_dev_close(dev));
    ck_assert_success(doca_comm_channel_ep_destroy(ep));
    return 0;
}

static int refuses_on_the_dpu(struct child *self, void *arg)
{
    struct talk t, second;
    struct doca_comm_channel_addr_t *peer;
    struct doca_dev *other = client_open(DPU_P1);
    (void)self;
    (void)arg;

    talk_open(&t, DPU_P0, usual);
    check_limits(doca_dev_as_devinfo(t.dev), DOCA_SUCCESS);
    ck_assert_error(doca_comm_channel_ep_connect(t.ep, "x", &peer), DOCA_ERROR_NOT_SUPPORTED);
    ck_assert_error(doca_comm_channel_ep_listen(t.ep, "x"), DOCA_ERROR_BAD_STATE);
    t.rep = talk_open_rep(t.dev, HOST_PF0);
    ck_assert_success(doca_comm_channel_ep_set_device_rep(t.ep, t.rep));
    ck_assert_success(doca_comm_channel_ep_set_device(t.ep, other));
    ck_assert_error(doca_comm_channel_ep_listen(t.ep, "x"), DOCA_ERROR_INVALID_VALUE);
    ck_assert_success(doca_comm_channel_ep_set_device(t.ep, t.dev));
    ck_assert_success(doca_comm_channel_ep_listen(t.ep, "dma copy server"));
    ck_assert_error(doca_comm_channel_ep_listen(t.ep, "again"), DOCA_ERROR_NOT_PERMITTED);
    ck_assert_error(doca_comm_channel_ep_connect(t.ep, "x", &peer), DOCA_ERROR_NOT_PERMITTED);
    ck_assert_error(doca_comm_channel_ep_set_device(t.ep, other), DOCA_ERROR_BAD_STATE);
    ck_assert_error(doca_comm_channel_ep_set_device_rep(t.ep, t.rep), DOCA_ERROR_BAD_STATE);
    ck_assert_error(doca_comm_channel_ep_set_max_msg_size(t.ep, 10), DOCA_ERROR_BAD_STATE);
    ck_assert_error(doca_comm_channel_ep_set_send_queue_size(t.ep, 10), DOCA_ERROR_BAD_STATE);
    ck_assert_error(doca_comm_channel_ep_set_recv_queue_size(t.ep, 10), DOCA_ERROR_BAD_STATE);

    // The name is taken on this representor, and free on another and once its owner goes.
    talk_open(&second, DPU_P0, usual);
    second.rep = talk_open_rep(second.dev, HOST_PF0);
    ck_assert_success(doca_comm_channel_ep_set_device_rep(second.ep, second.rep));
    ck_assert_error(doca_comm_channel_ep_listen(second.ep, "dma copy server"),
                    DOCA_ERROR_NOT_PERMITTED);
    talk_close(&t);
    ck_assert_success(doca_comm_channel_ep_listen(second.ep, "dma copy server"));
    talk_listen(&t, "dma copy server", "0b:00.2", usual);
    talk_close(&t);
    talk_close(&second);
    ck_assert_success(doca_dev_close(other));
    return 0;
}

static int has_less(struct child *self, void *arg)
{
    struct doca_comm_channel_addr_t *peer;
    struct doca_comm_channel_ep_t *ep;
    uint16_t n;
    (void)self;
    ck_assert_int_eq(setenv("DOCAD_CARD", arg, 1), 0);
    struct doca_dev *dev = client_open(HOST_PF0);
    for (int i = 0; i < 4; i++) {
        ck_assert_success(doca_comm_channel_ep_create(&ep));
        if (i == 1)
            ck_assert_success(doca_comm_channel_ep_set_max_msg_size(ep, 1001));
        if (i == 2)
            ck_assert_success(doca_comm_channel_ep_set_recv_queue_size(ep, 32));
        if (i == 3)
            ck_assert_success(doca_comm_channel_ep_set_send_queue_size(ep, 32));
        ck_assert_success(doca_comm_channel_ep_set_device(ep, dev));
        ck_assert_error(doca_comm_channel_ep_connect(ep, "nothing", &peer),
                        i ? DOCA_ERROR_INVALID_VALUE : DOCA_ERROR_CONNECTION_ABORTED);
        ck_assert_success(doca_comm_channel_ep_get_max_msg_size(ep, &n));
        ck_assert_uint_eq(n, i == 1 ? 1001 : 1000);
        ck_assert_success(doca_comm_channel_ep_get_recv_queue_size(ep, &n));
        ck_assert(i || n == 16); // the default is 64
        ck_assert_success(doca_comm_channel_ep_destroy(ep));
    }
    ck_assert_success(doca_dev_close(dev));
    return 0;
}

// Sizes that were set before the device was known are compared with its card later.
START_TEST(less_on_a_card)
{
    struct path card = temp_file("less.conf", "comch.max_msg_size = 1000\n"
                                              "comch.max_recv_queue_size = 16\n");
    child_join(child_start(nodes.host, "host", has_less, card.s));
    unlink(card.s);
    assert_no_channels(&nodes);
}
END_TEST

START_TEST(what_is_refused)
{
    child_join(child_start(nodes.host, "host", refuses_on_the_host, NULL));
    child_join(child_start(nodes.dpu, "dpu", refuses_on_the_dpu, NULL));
    assert_no_channels(&nodes);
}
END_TEST

// ---- messages -------------------------------------------------------------------------

#define NAME "cc_sample_server"

static void check_counters(struct doca_comm_channel_addr_t *peer, uint64_t sent,
                           uint64_t sent_bytes, uint64_t received, uint64_t received_bytes,
                           uint64_t in_flight)
{
    uint64_t n;
    ck_assert_success(doca_comm_channel_peer_addr_get_send_messages(peer, &n));
    ck_assert_uint_eq(n, sent);
    ck_assert_success(doca_comm_channel_peer_addr_get_send_bytes(peer, &n));
    ck_assert_uint_eq(n, sent_bytes);
    ck_assert_success(doca_comm_channel_peer_addr_get_recv_messages(peer, &n));
    ck_assert_uint_eq(n, received);
    ck_assert_success(doca_comm_channel_peer_addr_get_recv_bytes(peer, &n));
    ck_assert_uint_eq(n, received_bytes);
    ck_assert_success(doca_comm_channel_peer_addr_get_send_in_flight_messages(peer, &n));
    ck_assert_uint_eq(n, in_flight);
}

// Expects this at once, or soon if docad is in between.
static void expect_readable(int fd)
{
    if (nodes.apart)
        talk_wait_readable(fd);
    ck_assert(talk_readable_now(fd));
}

// Messages that the other side has taken are known at once, or soon if docad is in between.
static void await_none_in_flight(struct doca_comm_channel_addr_t *peer)
{
    int64_t deadline = deadline_in(HARNESS_LIMIT_MS);
    uint64_t n;
    do {
        ck_assert_success(doca_comm_channel_peer_addr_update_info(peer));
        ck_assert_success(doca_comm_channel_peer_addr_get_send_in_flight_messages(peer, &n));
    } while (nodes.apart && n > 0 && deadline_pause(deadline));
}

static void check_arguments(struct talk *t, struct doca_comm_channel_addr_t *peer)
{
    static char data[5000];
    size_t len = 0;
    struct doca_comm_channel_addr_t *from;
    uint64_t tag = 7;

    ck_assert_error(doca_comm_channel_ep_sendto(t->ep, data, 1025, 0, peer),
                    DOCA_ERROR_INVALID_VALUE);
    ck_assert_error(doca_comm_channel_ep_sendto(t->ep, data, 0, 0, peer), DOCA_ERROR_INVALID_VALUE);
    ck_assert_error(doca_comm_channel_ep_sendto(t->ep, data, 1, 1, peer), DOCA_ERROR_INVALID_VALUE);
    ck_assert_error(doca_comm_channel_ep_sendto(t->ep, NULL, 1, 0, peer), DOCA_ERROR_INVALID_VALUE);
    ck_assert_error(doca_comm_channel_ep_sendto(t->ep, data, 1, 0, NULL), DOCA_ERROR_NOT_CONNECTED);
    ck_assert_error(doca_comm_channel_ep_recvfrom(t->ep, data, &len, 0, &from),
                    DOCA_ERROR_INVALID_VALUE);
    len = 1;
    ck_assert_error(doca_comm_channel_ep_recvfrom(t->ep, data, &len, 1, &from),
                    DOCA_ERROR_INVALID_VALUE);
    ck_assert_error(doca_comm_channel_ep_recvfrom(t->ep, data, &len, 0, NULL),
                    DOCA_ERROR_INVALID_VALUE);
    ck_assert_success(doca_comm_channel_peer_addr_get_user_data(peer, &tag));
    ck_assert_uint_eq(tag, 0);
    ck_assert_success(doca_comm_channel_peer_addr_set_user_data(peer, 0xfeedfacecafebeefull));
    ck_assert_success(doca_comm_channel_peer_addr_get_user_data(peer, &tag));
    ck_assert_uint_eq(tag, 0xfeedfacecafebeefull);
}

static int answers(struct child *self, void *arg)
{
    struct talk t;
    struct doca_comm_channel_addr_t *client = NULL, *same;
    size_t len = 4080;
    char text[4080];
    (void)arg;

    talk_listen(&t, NAME, HOST_PF0, usual);
    child_tell(self, "listening");
    child_wait(self, "accept");
    // A snapshot sees the connection, and leaves it to recvfrom to accept it.
    ck_assert_success(doca_comm_channel_ep_update_service_state_info(t.ep));
    ck_assert_error(doca_comm_channel_ep_recvfrom(t.ep, text, &len, 0, &client), DOCA_ERROR_AGAIN);
    ck_assert_uint_eq(len, 4080);
    ck_assert_ptr_null(client);
    child_tell(self, "accepted");
    client = talk_expect(&t, "Hello");
    // A buffer that is too small loses nothing.
    child_wait(self, "sent");
    doca_event_channel_t recv;
    ck_assert_success(doca_comm_channel_ep_get_event_channel(t.ep, NULL, &recv));
    expect_readable(recv);
    len = 1;
    ck_assert_error(doca_comm_channel_ep_recvfrom(t.ep, text, &len, 0, &same),
                    DOCA_ERROR_INVALID_VALUE);
    ck_assert_uint_eq(len, 1);
    ck_assert_ptr_eq(talk_expect(&t, "1"), client);
    ck_assert_ptr_eq(talk_expect(&t, "22"), client);
    ck_assert_ptr_eq(talk_expect(&t, "333"), client);
    // The client takes up to 1024 bytes, whatever we may send.
    ck_assert_error(doca_comm_channel_ep_sendto(t.ep, text, 1025, 0, client),
                    DOCA_ERROR_INVALID_VALUE);
    ck_assert_success(talk_send(&t, client, "and hello to you"));
    child_tell(self, "answered");
    child_wait(self, "end");
    await_none_in_flight(client);
    check_counters(client, 1, 17, 4, 6 + 2 + 3 + 4, 0);
    ck_assert_success(doca_comm_channel_ep_disconnect(t.ep, client));
    ck_assert_error(doca_comm_channel_ep_disconnect(t.ep, client), DOCA_ERROR_NOT_CONNECTED);
    talk_close(&t);
    return 0;
}

// This process may open no more files. A docad that may not: test_no_room.c.
static void refuses_without_room(void)
{
    struct talk t;
    struct rlimit before, none;
    talk_open(&t, HOST_PF0, usual);
    ck_assert_int_eq(getrlimit(RLIMIT_NOFILE, &before), 0);
    none = (struct rlimit){0, before.rlim_max};
    ck_assert_int_eq(setrlimit(RLIMIT_NOFILE, &none), 0);
    ck_assert_error(doca_comm_channel_ep_connect(t.ep, NAME, &t.peer), DOCA_ERROR_NO_MEMORY);
    ck_assert_int_eq(setrlimit(RLIMIT_NOFILE, &before), 0);
    talk_close(&t);
}

static int asks(struct child *self, void *arg)
{
    struct talk t, other;
    struct doca_comm_channel_addr_t *from;
    char text[4096];
    (void)arg;

    // Services are found on their function only.
    talk_open(&other, HOST_PF1, usual);
    ck_assert_error(doca_comm_channel_ep_connect(other.ep, NAME, &other.peer),
                    DOCA_ERROR_CONNECTION_ABORTED);
    talk_close(&other);
    refuses_without_room();
    talk_connect(&t, HOST_PF0, NAME, (struct talk_sizes){1024, 10, 10});
    ck_assert_error(doca_comm_channel_ep_connect(t.ep, NAME, &from), DOCA_ERROR_NOT_PERMITTED);
    ck_assert_error(doca_comm_channel_peer_addr_update_info(t.peer),
                    DOCA_ERROR_CONNECTION_INPROGRESS);
    ck_assert_error(doca_comm_channel_ep_sendto(t.ep, "x", 1, 0, t.peer), DOCA_ERROR_AGAIN);
    child_tell(self, "connected");
    child_wait(self, "accepted");
    if (nodes.apart)
        talk_await_accepted(&t);
    ck_assert_success(doca_comm_channel_peer_addr_update_info(t.peer));
    check_arguments(&t, t.peer);
    ck_assert_success(talk_send(&t, t.peer, "Hello"));
    child_wait(self, "three");
    ck_assert_success(talk_send(&t, t.peer, "1"));
    ck_assert_success(talk_send(&t, t.peer, "22"));
    ck_assert_success(talk_send(&t, t.peer, "333"));
    child_tell(self, "sent");
    child_wait(self, "answered");
    ck_assert_ptr_eq(talk_expect(&t, "and hello to you"), t.peer);
    await_none_in_flight(t.peer);
    check_counters(t.peer, 4, 15, 1, 17, 0);
    child_tell(self, "done");
    ck_assert_error(talk_recv(&t, &from, text), DOCA_ERROR_CONNECTION_RESET);
    ck_assert_error(doca_comm_channel_peer_addr_update_info(t.peer), DOCA_ERROR_CONNECTION_ABORTED);
    ck_assert_error(doca_comm_channel_ep_sendto(t.ep, "x", 1, 0, t.peer),
                    DOCA_ERROR_CONNECTION_RESET);
    ck_assert_success(doca_comm_channel_ep_disconnect(t.ep, t.peer));
    talk_close(&t);
    return 0;
}

START_TEST(question_and_answer)
{
    struct child *dpu = child_start(nodes.dpu, "dpu", answers, NULL);
    child_wait(dpu, "listening");
    struct child *host = child_start(nodes.host, "host", asks, NULL);
    child_wait(host, "connected");
    child_tell(dpu, "accept");
    child_wait(dpu, "accepted");
    child_tell(host, "accepted");
    child_tell(host, "three");
    child_wait(host, "sent");
    child_tell(dpu, "sent");
    child_wait(dpu, "answered");
    child_tell(host, "answered");
    child_wait(host, "done");
    child_tell(dpu, "end");
    child_join(dpu);
    child_join(host);
    assert_no_channels(&nodes);
}
END_TEST

// ---- back-pressure and waiting --------------------------------------------------------

static int fills(struct child *self, void *arg)
{
    struct talk t;
    doca_event_channel_t send, recv;
    uint32_t n = 0;
    (void)arg;

    talk_connect(&t, HOST_PF0, NAME, (struct talk_sizes){64, 8, 8});
    ck_assert_success(doca_comm_channel_ep_get_event_channel(t.ep, &send, &recv));
    // A client can also wait until its connection is accepted.
    ck_assert_error(doca_comm_channel_ep_sendto(t.ep, &n, sizeof(n), 0, t.peer), DOCA_ERROR_AGAIN);
    ck_assert_success(doca_comm_channel_ep_event_handle_arm_send(t.ep));
    ck_assert(!talk_readable_now(send));
    child_tell(self, "connected");
    talk_wait_readable(send);
    while (doca_comm_channel_ep_sendto(t.ep, &n, sizeof(n), 0, t.peer) == DOCA_SUCCESS)
        n++;
    ck_assert_uint_eq(n, 8 + 16); // its send queue and the other's receive queue
    ck_assert_success(doca_comm_channel_peer_addr_update_info(t.peer));
    check_counters(t.peer, 24, 96, 0, 0, 24);
    ck_assert_success(doca_comm_channel_ep_event_handle_arm_send(t.ep));
    ck_assert(!talk_readable_now(send));
    ck_assert(!talk_readable_now(recv));
    child_tell(self, "full");
    talk_wait_readable(send); // one message was taken
    ck_assert_success(doca_comm_channel_ep_sendto(t.ep, &n, sizeof(n), 0, t.peer));
    ck_assert_error(doca_comm_channel_ep_sendto(t.ep, &n, sizeof(n), 0, t.peer), DOCA_ERROR_AGAIN);
    // One is taken before arming, so the handle is readable at once.
    child_tell(self, "full again");
    child_wait(self, "taken");
    ck_assert_success(doca_comm_channel_ep_event_handle_arm_send(t.ep));
    expect_readable(send);
    ck_assert_success(doca_comm_channel_ep_event_handle_arm_recv(t.ep));
    ck_assert(!talk_readable_now(recv));
    child_tell(self, "waiting");
    talk_wait_readable(recv);
    talk_expect(&t, "bye");
    talk_close(&t);
    return 0;
}

static void take_number(struct talk *t, uint32_t expected)
{
    struct doca_comm_channel_addr_t *from;
    int64_t deadline = deadline_in(HARNESS_LIMIT_MS);
    uint32_t n;
    size_t len = sizeof(n);
    doca_error_t r;
    while ((r = doca_comm_channel_ep_recvfrom(t->ep, &n, &len, 0, &from)) == DOCA_ERROR_AGAIN)
        ck_assert(deadline_pause(deadline));
    ck_assert_success(r);
    ck_assert_uint_eq(len, sizeof(n));
    ck_assert_uint_eq(n, expected);
    t->peer = from;
}

static int drains(struct child *self, void *arg)
{
    struct talk t;
    doca_event_channel_t recv, send;
    char byte;
    size_t len = 1;
    struct doca_comm_channel_addr_t *from;
    (void)arg;

    talk_listen(&t, NAME, HOST_PF0, (struct talk_sizes){64, 16, 16});
    ck_assert_success(doca_comm_channel_ep_get_event_channel(t.ep, &send, &recv));
    ck_assert_success(doca_comm_channel_ep_event_handle_arm_recv(t.ep));
    ck_assert(!talk_readable_now(recv));
    ck_assert_success(doca_comm_channel_ep_event_handle_arm_send(t.ep));
    ck_assert(talk_readable_now(send)); // nobody lacks room
    child_tell(self, "listening");
    talk_wait_readable(recv); // a connection
    child_wait(self, "accept");
    // There is nothing yet; or the other side, once let in, was so quick that its message does
    // not fit.
    doca_error_t r = doca_comm_channel_ep_recvfrom(t.ep, &byte, &len, 0, &from);
    ck_assert(r == DOCA_ERROR_AGAIN || r == DOCA_ERROR_INVALID_VALUE);
    child_wait(self, "take one");
    expect_readable(recv);
    take_number(&t, 0);
    child_wait(self, "take one");
    take_number(&t, 1);
    child_tell(self, "taken");
    child_wait(self, "take all");
    for (uint32_t i = 2; i <= 24; i++)
        take_number(&t, i);
    ck_assert_success(talk_send(&t, t.peer, "bye"));
    child_wait(self, "end");
    talk_close(&t);
    return 0;
}

START_TEST(queues_that_are_full)
{
    struct child *dpu = child_start(nodes.dpu, "dpu", drains, NULL);
    child_wait(dpu, "listening");
    struct child *host = child_start(nodes.host, "host", fills, NULL);
    child_wait(host, "connected");
    child_tell(dpu, "accept");
    child_wait(host, "full");
    child_tell(dpu, "take one");
    child_wait(host, "full again");
    child_tell(dpu, "take one");
    child_wait(dpu, "taken");
    child_tell(host, "taken");
    child_wait(host, "waiting");
    child_tell(dpu, "take all");
    child_join(host);
    child_tell(dpu, "end");
    child_join(dpu);
    assert_no_channels(&nodes);
}
END_TEST

// ---- several clients ------------------------------------------------------------------

static int one_of_several(struct child *self, void *arg)
{
    struct talk t;
    const char *name = arg;
    talk_connect(&t, HOST_PF0, NAME, usual);
    child_tell(self, "connected");
    talk_await_accepted(&t);
    ck_assert_success(talk_send(&t, t.peer, name));
    talk_expect(&t, name); // its own word comes back
    child_tell(self, "served");
    child_wait(self, "end");
    talk_close(&t);
    return 0;
}

static void check_state(struct talk *t, uint32_t connected, uint32_t pending)
{
    struct doca_comm_channel_addr_t **list;
    uint32_t n;
    ck_assert_success(doca_comm_channel_ep_update_service_state_info(t->ep));
    ck_assert_success(doca_comm_channel_ep_get_peer_addr_list(t->ep, &list, &n));
    ck_assert_uint_eq(n, connected);
    ck_assert_success(doca_comm_channel_ep_get_pending_connections(t->ep, &n));
    ck_assert_uint_eq(n, pending);
}

static int serves_several(struct child *self, void *arg)
{
    struct talk t;
    struct doca_comm_channel_addr_t *from, *clients[3];
    doca_event_channel_t service, recv;
    char text[4096];
    (void)arg;

    talk_listen(&t, NAME, HOST_PF0, usual);
    ck_assert_success(doca_comm_channel_ep_get_service_event_channel(t.ep, &service));
    ck_assert_success(doca_comm_channel_ep_get_event_channel(t.ep, NULL, &recv));
    check_state(&t, 0, 0);
    ck_assert(!talk_readable_now(service));
    child_tell(self, "listening");
    child_wait(self, "three");
    ck_assert(talk_readable_now(service));
    check_state(&t, 0, 3);
    ck_assert(!talk_readable_now(service));
    // The messages wait in the library now, and arming reports them.
    ck_assert_success(doca_comm_channel_ep_event_handle_arm_recv(t.ep));
    ck_assert(talk_readable_now(recv));
    for (size_t i = 0; i < 3; i++) {
        ck_assert_success(talk_recv(&t, &from, text));
        ck_assert_success(talk_send(&t, from, text));
        clients[i] = from;
    }
    ck_assert(clients[0] != clients[1] && clients[1] != clients[2] && clients[0] != clients[2]);
    check_state(&t, 3, 0);
    ck_assert(!talk_readable_now(service));
    child_tell(self, "served");
    child_wait(self, "one left");
    talk_wait_readable(service);
    check_state(&t, 2, 0);
    child_tell(self, "seen");
    child_wait(self, "one died");
    talk_wait_readable(service);
    // Nothing is logged about the side that said goodbye, and one line about the other.
    from = NULL;
    ck_assert_error(talk_recv(&t, &from, text), DOCA_ERROR_CONNECTION_RESET);
    ck_assert(from == clients[0] || from == clients[1] || from == clients[2]);
    ck_assert_error(doca_comm_channel_ep_sendto(t.ep, "x", 1, 0, from),
                    DOCA_ERROR_CONNECTION_RESET);
    ck_assert_error(doca_comm_channel_peer_addr_update_info(from), DOCA_ERROR_CONNECTION_ABORTED);
    ck_assert_success(doca_comm_channel_ep_disconnect(t.ep, from));
    size_t len = sizeof(text);
    ck_assert_error(doca_comm_channel_ep_recvfrom(t.ep, text, &len, 0, &from), DOCA_ERROR_AGAIN);
    check_state(&t, 1, 0);
    child_tell(self, "seen");
    child_wait(self, "end");
    talk_close(&t);
    return 0;
}

START_TEST(several_clients)
{
    static char names[3][2] = {"a", "b", "c"};
    struct child *clients[3], *dpu = child_start(nodes.dpu, "dpu", serves_several, NULL);
    child_wait(dpu, "listening");
    for (int i = 0; i < 3; i++) {
        clients[i] = child_start(nodes.host, names[i], one_of_several, names[i]);
        child_wait(clients[i], "connected");
    }
    child_tell(dpu, "three");
    child_wait(dpu, "served");
    for (int i = 0; i < 3; i++)
        child_wait(clients[i], "served");
    child_tell(clients[1], "end");
    child_join(clients[1]);
    child_tell(dpu, "one left");
    child_wait(dpu, "seen");
    child_kill(clients[0]);
    child_tell(dpu, "one died");
    child_wait(dpu, "seen");
    child_tell(clients[2], "end");
    child_tell(dpu, "end");
    child_join(clients[2]);
    child_join(dpu);
    assert_no_channels(&nodes);
}
END_TEST

static void add_tests(TCase *tcase)
{
    tcase_add_test(tcase, what_is_refused);
    tcase_add_test(tcase, less_on_a_card);
    tcase_add_test(tcase, question_and_answer);
    tcase_add_test(tcase, queues_that_are_full);
    tcase_add_test(tcase, several_clients);
}

int main(void)
{
    Suite *suite = suite_create("comm_channel");
    add_tests(case_near_shared(suite));
    add_tests(case_apart_shared(suite));
    return run_suite(suite);
}
