// SPDX-License-Identifier: BSD-3-Clause
// Copyright (c) 2026, the docad authors
//
// What the Comm Channel examples share: setting up the endpoint of either side, and sending and
// waiting for messages.

#ifndef EXAMPLES_COMMON_CHANNEL_SETUP_H
#define EXAMPLES_COMMON_CHANNEL_SETUP_H

#include <doca_comm_channel.h>
#include <doca_dev.h>

#include <stddef.h>

struct channel {
    struct doca_dev *dev;
    struct doca_dev_rep *rep; // a service's representor
    struct doca_comm_channel_ep_t *ep;
    struct doca_comm_channel_addr_t *peer; // for a service: the sender of the last message
};

// On the DPU: listens under the name for programs that use the host's function `of`.
void channel_listen(struct channel *channel, const char *device, const char *of, const char *name);

// On the host: connects to the service and waits until it has accepted. If nobody listens, the
// error tells the user to start `program` on the DPU.
void channel_connect(struct channel *channel, const char *device, const char *name,
                     const char *program);

void channel_send(struct channel *channel, const void *message, size_t size);

// Sleeps until a message comes; returns its size.
size_t channel_receive(struct channel *channel, void *message, size_t room);

void channel_close(struct channel *channel);

#endif
