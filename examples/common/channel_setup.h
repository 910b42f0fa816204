// SPDX-License-Identifier: BSD-3-Clause
// Copyright (c) 2026, the docad authors
//
// What the Comm Channel examples share: endpoints of either side, and messages that are
// waited for.

#ifndef EXAMPLES_COMMON_CHANNEL_SETUP_H
#define EXAMPLES_COMMON_CHANNEL_SETUP_H

#include <doca_comm_channel.h>
#include <doca_dev.h>

#include <stddef.h>

struct channel {
    struct doca_dev *dev;
    struct doca_dev_rep *rep; // of a service
    struct doca_comm_channel_ep_t *ep;
    struct doca_comm_channel_addr_t *peer; // of a service: whose message came last
};

// On the DPU: listens under the name, for programs that use the function `of` of the host.
void channel_listen(struct channel *channel, const char *device, const char *of, const char *name);

// On the host: connects to the service, and waits until it has accepted. `program` is the one to
// start on the DPU if nobody listens.
void channel_connect(struct channel *channel, const char *device, const char *name,
                     const char *program);

void channel_send(struct channel *channel, const void *message, size_t size);

// Sleeps until a message comes; returns its size.
size_t channel_receive(struct channel *channel, void *message, size_t room);

void channel_close(struct channel *channel);

#endif
