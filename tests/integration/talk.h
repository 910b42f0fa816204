// SPDX-License-Identifier: BSD-3-Clause
// Copyright (c) 2026, the docad authors
//
// The Comm Channel in tests: endpoints that are ready, and calls that end.

#ifndef INTEGRATION_TALK_H
#define INTEGRATION_TALK_H

#include "client.h"
#include "daemon.h"

#include <doca_comm_channel.h>

struct talk {
    struct doca_dev *dev;
    struct doca_dev_rep *rep; // of a service
    struct doca_comm_channel_ep_t *ep;
    struct doca_comm_channel_addr_t *peer; // of a client
};

struct talk_sizes {
    uint16_t message, send_queue, recv_queue; // 0: the defaults
};

// Opens the representor of a function.
struct doca_dev_rep *talk_open_rep(struct doca_dev *dev, const char *pci_address);

// Opens an endpoint with its device and sizes. A service's endpoint listens on the representor of
// `of`.
void talk_open(struct talk *t, const char *pci_address, struct talk_sizes sizes);
void talk_listen(struct talk *t, const char *name, const char *of, struct talk_sizes sizes);
// Opens a client's endpoint, connected and accepted, or (with talk_connect) not accepted yet.
void talk_connect(struct talk *t, const char *pci_address, const char *name,
                  struct talk_sizes sizes);
void talk_await_accepted(struct talk *t);
void talk_close(struct talk *t);

// Send and receive a text, repeating until that works; return an error.
doca_error_t talk_send(struct talk *t, struct doca_comm_channel_addr_t *to, const char *text);
doca_error_t talk_recv(struct talk *t, struct doca_comm_channel_addr_t **from, char text[4096]);

// Fails unless this text comes.
struct doca_comm_channel_addr_t *talk_expect(struct talk *t, const char *text);

// Waits until neither daemon has a service, a channel, or anything else of a client.
void assert_no_channels(const struct node_pair *nodes);

// Is the descriptor readable, now or within the harness's limit?
bool talk_readable_now(int fd);
void talk_wait_readable(int fd);

#endif
