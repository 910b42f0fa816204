// SPDX-License-Identifier: BSD-3-Clause
// Copyright (c) 2026, the docad authors

#include "channel_pair.h"

#include "memfd.h"
#include "packet.h"

#include <check.h>
#include <fcntl.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

static void endpoint_open(struct doca_comm_channel_ep_t *ep, enum cc_role role, uint16_t queue)
{
    struct errtext err;

    *ep = (struct doca_comm_channel_ep_t){.max_message = CHANNEL_MESSAGE_MAX,
                                          .send_queue = queue,
                                          .recv_queue = queue,
                                          .role = role,
                                          .accept_sock = -1};
    list_init(&ep->peers);
    list_init(&ep->pending);
    ck_assert_int_eq(cc_events_open(ep, &err), DOCA_SUCCESS);
}

static int file_new(void)
{
    struct channel_page page = {.magic = CHANNEL_PAGE_MAGIC, .version = CHANNEL_PAGE_VERSION};
    int fd = memfd_create_sealed("channel", CHANNEL_FILE_SIZE);
    ck_assert_int_ge(fd, 0);
    ck_assert_int_eq(pwrite(fd, &page, sizeof(page), 0), sizeof(page));
    return fd;
}

static struct doca_comm_channel_addr_t *take(struct doca_comm_channel_ep_t *ep, uint16_t queue,
                                             int sock, int wake, int file)
{
    struct cc_introduction usual = {
        .id = 1, .max_message = CHANNEL_MESSAGE_MAX, .recv_queue = queue};
    struct fd_list fds = {.fds = {sock, wake, file}, .count = 3};
    struct doca_comm_channel_addr_t *address;
    struct errtext err;

    ck_assert_int_eq(cc_address_new(&address, ep, &ep->peers, &usual, &fds, &err), DOCA_SUCCESS);
    fd_list_close(&fds);
    atomic_store(&address->mine->state, CHANNEL_OPEN);
    return address;
}

static void join(struct channel_pairs *pairs, struct channel_pair *pair, uint16_t queue)
{
    int messages[2], wakes[2], file = file_new();

    ck_assert_int_eq(
        socketpair(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC | SOCK_NONBLOCK, 0, messages), 0);
    ck_assert_int_eq(socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0, wakes), 0);
    endpoint_open(&pair->ep, CC_CLIENT, queue);
    pair->there = take(&pair->ep, queue, messages[0], wakes[0], fcntl(file, F_DUPFD_CLOEXEC, 3));
    pair->client = take(&pairs->service, queue, messages[1], wakes[1], file);
    pair->there->open = pair->client->open = true;
}

void pairs_open(struct channel_pairs *pairs, int n, uint16_t queue)
{
    memset(pairs, 0, sizeof(*pairs));
    endpoint_open(&pairs->service, CC_SERVICE, queue);
    pairs->n = n;
    for (int i = 0; i < n; i++)
        join(pairs, &pairs->of[i], queue);
}

void pairs_close(struct channel_pairs *pairs)
{
    for (int i = 0; i < pairs->n; i++) {
        struct channel_pair *pair = &pairs->of[i];
        cc_address_free(pair->there);
        cc_address_free(pair->client);
        cc_events_close(&pair->ep);
    }
    cc_events_close(&pairs->service);
}

void pair_kill(struct doca_comm_channel_addr_t *address)
{
    close(address->sock);
    close(address->wake);
    address->sock = address->wake = -1;
}
