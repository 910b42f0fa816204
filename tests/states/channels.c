// SPDX-License-Identifier: BSD-3-Clause
// Copyright (c) 2026, the docad authors
//
// Endpoints of the Comm Channel. A DPU's own SF lets a client and a service be in one
// process.

#include "objects.h"

#include "daemon.h"
#include "deadline.h"

#include <doca_comm_channel.h>
#include <string.h>

#define NAME "states"

enum { FRESH, DEVICE, LISTENING, CONNECTED, LEFT };

static struct {
    struct doca_dev *dev, *sf;
    struct doca_dev_rep *rep;
    struct doca_comm_channel_ep_t *ep, *other; // the one that is tried
    struct doca_comm_channel_addr_t *peer;
    char message[64];
    size_t length;
} w;

static struct doca_comm_channel_ep_t *endpoint(struct doca_dev *dev)
{
    struct doca_comm_channel_ep_t *ep;
    ck_assert_success(doca_comm_channel_ep_create(&ep));
    if (dev)
        ck_assert_success(doca_comm_channel_ep_set_device(ep, dev));
    return ep;
}

static struct doca_comm_channel_ep_t *service(void)
{
    struct doca_comm_channel_ep_t *ep = endpoint(w.dev);
    ck_assert_success(doca_comm_channel_ep_set_device_rep(ep, w.rep));
    ck_assert_success(doca_comm_channel_ep_listen(ep, NAME));
    return ep;
}

// docad has copies of both ends until it has closed them.
static void leave_other(void)
{
    struct doca_comm_channel_addr_t *from;
    int64_t deadline = deadline_in(HARNESS_LIMIT_MS);
    doca_error_t r;

    ck_assert_success(doca_comm_channel_ep_destroy(w.other));
    w.other = NULL;
    do {
        w.length = sizeof(w.message);
        r = doca_comm_channel_ep_recvfrom(w.ep, w.message, &w.length, 0, &from);
    } while (r == DOCA_ERROR_AGAIN && deadline_pause(deadline));
    ck_assert_error(r, DOCA_ERROR_CONNECTION_RESET);
    w.length = sizeof(w.message);
}

static void connect_to_other(unsigned state)
{
    struct doca_comm_channel_addr_t *from;
    w.other = service();
    w.ep = endpoint(w.sf);
    ck_assert_success(doca_comm_channel_ep_connect(w.ep, NAME, &w.peer));
    w.length = sizeof(w.message);
    ck_assert_error(doca_comm_channel_ep_recvfrom(w.other, w.message, &w.length, 0, &from),
                    DOCA_ERROR_AGAIN);
    if (state == LEFT)
        leave_other();
}

static void enter(unsigned state)
{
    w.length = sizeof(w.message);
    w.peer = NULL;
    if (state <= DEVICE) {
        w.dev = client_open(HOST_PF0);
        w.ep = endpoint(state == DEVICE ? w.dev : NULL);
        return;
    }
    w.dev = client_open(DPU_P0);
    w.sf = sf_open();
    w.rep = sf_rep_open(w.dev);
    if (state == LISTENING)
        w.ep = service();
    else
        connect_to_other(state);
}

static void leave(void)
{
    if (w.ep)
        ck_assert_success(doca_comm_channel_ep_destroy(w.ep));
    if (w.other)
        ck_assert_success(doca_comm_channel_ep_destroy(w.other));
    if (w.rep)
        ck_assert_success(doca_dev_rep_close(w.rep));
    if (w.sf)
        ck_assert_success(doca_dev_close(w.sf));
    ck_assert_success(doca_dev_close(w.dev));
    memset(&w, 0, sizeof(w));
}

static enum given number(uint64_t *value, uint64_t n)
{
    *value = n;
    return GIVEN;
}

static enum given argue(const char *function, const char *param, uint64_t *value)
{
    bool sets = strstr(function, "_set_") != NULL;

    if (same(param, "ep") || same(param, "local_ep"))
        return GIVE(w.ep);
    if (same(param, "devinfo"))
        return GIVE(doca_dev_as_devinfo(w.dev));
    if (same(param, "device") && sets)
        return GIVE(w.dev);
    if (same(param, "device_rep") && sets)
        return GIVE_OBJECT(w.rep);
    if (same(param, "name"))
        return GIVE(NAME "2");
    if (same(param, "peer_addr") && !same(function, "doca_comm_channel_ep_connect") &&
        !same(function, "doca_comm_channel_ep_recvfrom"))
        return GIVE_OBJECT(w.peer);
    if (same(param, "msg"))
        return GIVE(w.message);
    if (same(param, "len") && same(function, "doca_comm_channel_ep_recvfrom"))
        return GIVE(&w.length);
    if (same(param, "len"))
        return number(value, 5);
    if (same(param, "flags") || same(param, "user_context"))
        return number(value, 0);
    return sets ? number(value, 16) : GIVEN_NONE;
}

#define SETS         OK, OK, STATE, STATE, STATE
#define OF_A_SERVICE UNSUPP, UNSUPP, OK, UNSUPP, UNSUPP
#define OF_A_PEER    ABSENT, ABSENT, ABSENT, OK, OK
#define ARMS         INVALID, INVALID, OK, OK, OK

static const struct row rows[] = {
    // fresh, with a device, listening, connected, the other side has left
    {"doca_comm_channel_get_max_service_name_len", ANY(OK)},
    {"doca_comm_channel_get_max_message_size", ANY(OK)},
    {"doca_comm_channel_get_max_send_queue_size", ANY(OK)},
    {"doca_comm_channel_get_max_recv_queue_size", ANY(OK)},
    {"doca_comm_channel_get_service_max_num_connections", {UNSUPP, UNSUPP, OK, OK, OK}},
    {"doca_comm_channel_ep_create", ANY(OK)},
    {"doca_comm_channel_ep_get_device", {INVALID, OK, OK, OK, OK}},
    {"doca_comm_channel_ep_get_device_rep", {INVALID, INVALID, OK, INVALID, INVALID}},
    {"doca_comm_channel_ep_get_max_msg_size", ANY(OK)},
    {"doca_comm_channel_ep_get_send_queue_size", ANY(OK)},
    {"doca_comm_channel_ep_get_recv_queue_size", ANY(OK)},
    {"doca_comm_channel_ep_set_device", {SETS}},
    {"doca_comm_channel_ep_set_device_rep", {ABSENT, ABSENT, STATE, STATE, STATE}},
    {"doca_comm_channel_ep_set_max_msg_size", {SETS}},
    {"doca_comm_channel_ep_set_send_queue_size", {SETS}},
    {"doca_comm_channel_ep_set_recv_queue_size", {SETS}},
    {"doca_comm_channel_ep_get_event_channel",
     {STATE, STATE, OK, OK, OK},
     "send_event_channel recv_event_channel"},
    {"doca_comm_channel_ep_get_service_event_channel", {STATE, STATE, OK, UNSUPP, UNSUPP}},
    {"doca_comm_channel_ep_event_handle_arm_send", {ARMS}},
    {"doca_comm_channel_ep_event_handle_arm_recv", {ARMS}},
    {"doca_comm_channel_ep_listen", {STATE, UNSUPP, PERMIT, PERMIT, PERMIT}},
    {"doca_comm_channel_ep_connect", {STATE, ABORTED, PERMIT, PERMIT, PERMIT}},
    {"doca_comm_channel_ep_sendto", {ABSENT, ABSENT, ABSENT, OK, RESET}, "peer_addr", NOT_CONN},
    {"doca_comm_channel_ep_recvfrom", {NOT_CONN, NOT_CONN, AGAIN, AGAIN, RESET}},
    {"doca_comm_channel_ep_disconnect", {OF_A_PEER}},
    {"doca_comm_channel_ep_destroy", ANY(OK), "local_ep", NOT_CONN},
    {"doca_comm_channel_peer_addr_get_user_data", {OF_A_PEER}},
    {"doca_comm_channel_peer_addr_set_user_data", {OF_A_PEER}},
    {"doca_comm_channel_peer_addr_update_info", {ABSENT, ABSENT, ABSENT, OK, ABORTED}},
    {"doca_comm_channel_peer_addr_get_send_messages", {OF_A_PEER}},
    {"doca_comm_channel_peer_addr_get_send_bytes", {OF_A_PEER}},
    {"doca_comm_channel_peer_addr_get_recv_messages", {OF_A_PEER}},
    {"doca_comm_channel_peer_addr_get_recv_bytes", {OF_A_PEER}},
    {"doca_comm_channel_peer_addr_get_send_in_flight_messages", {OF_A_PEER}},
    {"doca_comm_channel_ep_update_service_state_info", {OF_A_SERVICE}},
    {"doca_comm_channel_ep_get_peer_addr_list", {OF_A_SERVICE}},
    {"doca_comm_channel_ep_get_pending_connections", {OF_A_SERVICE}},
};

GROUP(channels) = {
    .name = "comm channel",
    .states = {"fresh", "with a device", "listening", "connected", "left by the other side"},
    .on_dpu = 1 << LISTENING | 1 << CONNECTED | 1 << LEFT,
    ROWS(rows),
    .probe = "doca_comm_channel_ep_event_handle_arm_recv",
    .enter = enter,
    .leave = leave,
    .argument = argue,
    LIFETIMES({"doca_comm_channel_ep_create", "doca_comm_channel_ep_destroy", &w.ep}),
};
