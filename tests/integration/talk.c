// SPDX-License-Identifier: BSD-3-Clause
// Copyright (c) 2026, the docad authors

#include "talk.h"

#include "deadline.h"
#include "request.h"

#include "cleanup.h"

#include <check.h>
#include <poll.h>
#include <string.h>

struct doca_dev_rep *talk_open_rep(struct doca_dev *dev, const char *pci_address)
{
    struct doca_devinfo_rep **list;
    struct doca_dev_rep *rep = NULL;
    uint32_t n;
    uint8_t equal;

    ck_assert_success(doca_devinfo_rep_list_create(dev, DOCA_DEV_REP_FILTER_NET, &list, &n));
    for (uint32_t i = 0; i < n && !rep; i++) {
        ck_assert_success(doca_devinfo_rep_get_is_pci_addr_equal(list[i], pci_address, &equal));
        if (equal)
            ck_assert_success(doca_dev_rep_open(list[i], &rep));
    }
    ck_assert_success(doca_devinfo_rep_list_destroy(list));
    ck_assert_msg(rep != NULL, "there is no representor of %s", pci_address);
    return rep;
}

void talk_open(struct talk *t, const char *pci_address, struct talk_sizes sizes)
{
    *t = (struct talk){.dev = client_open(pci_address)};
    ck_assert_success(doca_comm_channel_ep_create(&t->ep));
    ck_assert_success(doca_comm_channel_ep_set_device(t->ep, t->dev));
    if (sizes.message)
        ck_assert_success(doca_comm_channel_ep_set_max_msg_size(t->ep, sizes.message));
    if (sizes.send_queue)
        ck_assert_success(doca_comm_channel_ep_set_send_queue_size(t->ep, sizes.send_queue));
    if (sizes.recv_queue)
        ck_assert_success(doca_comm_channel_ep_set_recv_queue_size(t->ep, sizes.recv_queue));
}

void talk_listen(struct talk *t, const char *name, const char *of, struct talk_sizes sizes)
{
    talk_open(t, DPU_P0, sizes);
    t->rep = talk_open_rep(t->dev, of);
    ck_assert_success(doca_comm_channel_ep_set_device_rep(t->ep, t->rep));
    ck_assert_success(doca_comm_channel_ep_listen(t->ep, name));
}

void talk_connect(struct talk *t, const char *pci_address, const char *name,
                  struct talk_sizes sizes)
{
    talk_open(t, pci_address, sizes);
    ck_assert_success(doca_comm_channel_ep_connect(t->ep, name, &t->peer));
}

// What a message takes from one process to the other, and back, is much less than deadline_pause().
static bool pause_briefly(int64_t deadline)
{
    nanosleep(&(struct timespec){.tv_nsec = 200 * 1000}, NULL);
    return now_ms() < deadline;
}

void talk_await_accepted(struct talk *t)
{
    int64_t deadline = deadline_in(HARNESS_LIMIT_MS);
    doca_error_t r;
    while ((r = doca_comm_channel_peer_addr_update_info(t->peer)) ==
           DOCA_ERROR_CONNECTION_INPROGRESS)
        ck_assert_msg(pause_briefly(deadline), "nobody accepts the connection");
    ck_assert_success(r);
}

void talk_close(struct talk *t)
{
    ck_assert_success(doca_comm_channel_ep_destroy(t->ep));
    if (t->rep)
        ck_assert_success(doca_dev_rep_close(t->rep));
    ck_assert_success(doca_dev_close(t->dev));
}

doca_error_t talk_send(struct talk *t, struct doca_comm_channel_addr_t *to, const char *text)
{
    int64_t deadline = deadline_in(HARNESS_LIMIT_MS);
    doca_error_t r;
    while ((r = doca_comm_channel_ep_sendto(t->ep, text, strlen(text) + 1, DOCA_CC_MSG_FLAG_NONE,
                                            to)) == DOCA_ERROR_AGAIN)
        ck_assert_msg(pause_briefly(deadline), "there is never room for a message");
    return r;
}

doca_error_t talk_recv(struct talk *t, struct doca_comm_channel_addr_t **from, char text[4096])
{
    int64_t deadline = deadline_in(HARNESS_LIMIT_MS);
    size_t len = 4096;
    doca_error_t r;
    while ((r = doca_comm_channel_ep_recvfrom(t->ep, text, &len, DOCA_CC_MSG_FLAG_NONE, from)) ==
           DOCA_ERROR_AGAIN) {
        ck_assert_uint_eq(len, 4096); // left alone
        ck_assert_msg(pause_briefly(deadline), "no message comes");
    }
    if (r == DOCA_SUCCESS)
        ck_assert_uint_eq(len, strlen(text) + 1);
    return r;
}

struct doca_comm_channel_addr_t *talk_expect(struct talk *t, const char *text)
{
    struct doca_comm_channel_addr_t *from = NULL;
    char got[4096];
    ck_assert_success(talk_recv(t, &from, got));
    ck_assert_str_eq(got, text);
    ck_assert_ptr_nonnull(from);
    return from;
}

bool talk_readable_now(int fd)
{
    return poll(&(struct pollfd){.fd = fd, .events = POLLIN}, 1, 0) == 1;
}

void talk_wait_readable(int fd)
{
    ck_assert_msg(poll(&(struct pollfd){.fd = fd, .events = POLLIN}, 1, HARNESS_LIMIT_MS) == 1,
                  "the descriptor does not become readable");
}

void assert_no_channels(const struct node_pair *nodes)
{
    const struct daemon *daemons[] = {nodes->host, nodes->dpu};
    int64_t deadline = deadline_in(HARNESS_LIMIT_MS);
    for (size_t i = 0; i < ARRAY_SIZE(daemons); i++) {
        for (bool any = true; any;) {
            int sock = raw_hello(daemons[i]->socket.s);
            cleanup_message Docad__Message *s = raw_list(sock, DOCAD__LIST__KIND__SERVICES, 0);
            cleanup_message Docad__Message *c = raw_list(sock, DOCAD__LIST__KIND__CHANNELS, 0);
            close(sock);
            any = s->list_reply->n_services || c->list_reply->n_channels;
            ck_assert_msg(!any || deadline_pause(deadline), "%zu services and %zu channels stay",
                          s->list_reply->n_services, c->list_reply->n_channels);
        }
        assert_baseline(daemons[i]);
    }
}
