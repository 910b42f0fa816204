// SPDX-License-Identifier: BSD-3-Clause
// Copyright (c) 2026, the docad authors

#include "channel_peers.h"

#include "memfd.h"
#include "packet.h"
#include "unit.h"

#include <string.h>
#include <sys/mman.h>
#include <sys/socket.h>
#include <unistd.h>

struct other others[PEERS];

void peers_add(struct doca_comm_channel_ep_t *ep, struct other *o)
{
    static const struct cc_introduction usual = {
        .id = 1, .max_message = 64, .recv_queue = PEER_QUEUE};
    struct fd_list fds = FD_LIST_EMPTY;
    struct errtext err;
    int messages[2], wakes[2];

    ck_assert_int_eq(socketpair(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0, messages), 0);
    ck_assert_int_eq(socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, wakes), 0);
    fds.fds[2] = memfd_create_sealed("page", CHANNEL_PAGE_SIZE);
    ck_assert_int_ge(fds.fds[2], 0);
    *o = (struct other){.sock = messages[1], .wake = wakes[1]};
    o->page = mmap(NULL, CHANNEL_PAGE_SIZE, PROT_READ | PROT_WRITE, MAP_SHARED, fds.fds[2], 0);
    ck_assert_ptr_ne(o->page, MAP_FAILED);
    o->page->magic = CHANNEL_PAGE_MAGIC;
    o->page->version = CHANNEL_PAGE_VERSION;
    atomic_store(&o->page->side[ep->role == CC_SERVICE ? CHANNEL_CLIENT : CHANNEL_SERVICE].state,
                 CHANNEL_OPEN);
    fds.fds[0] = messages[0];
    fds.fds[1] = wakes[0];
    fds.count = 3;
    ck_assert_int_eq(cc_address_new(&o->address, ep, &ep->peers, &usual, &fds, &err), DOCA_SUCCESS);
    fd_list_close(&fds);
}

void peers_open(struct doca_comm_channel_ep_t *ep, enum cc_role role, int n)
{
    struct errtext err;
    *ep = (struct doca_comm_channel_ep_t){.max_message = 64,
                                          .send_queue = PEER_QUEUE,
                                          .recv_queue = PEER_QUEUE,
                                          .role = role,
                                          .accept_sock = -1};
    list_init(&ep->peers);
    list_init(&ep->pending);
    memset(others, 0, sizeof(others));
    ck_assert_int_eq(cc_events_open(ep, &err), DOCA_SUCCESS);
    for (int i = 0; i < n; i++)
        peers_add(ep, &others[i]);
}

void peers_leave(struct other *o)
{
    close(o->sock);
    close(o->wake);
    o->sock = o->wake = -1;
}

void peers_close(struct doca_comm_channel_ep_t *ep)
{
    for (int i = 0; i < PEERS; i++) {
        if (!others[i].page)
            continue;
        cc_address_free(others[i].address);
        munmap(others[i].page, CHANNEL_PAGE_SIZE);
        if (others[i].sock >= 0)
            peers_leave(&others[i]);
    }
    cc_events_close(ep);
}

void peers_say(int who, int n)
{
    struct other *o = &others[who];
    for (int i = 0; i < n; i++, o->sent++)
        ck_assert_int_eq(send(o->sock, &o->sent, sizeof(o->sent), MSG_DONTWAIT), sizeof(o->sent));
}
