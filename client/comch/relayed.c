// SPDX-License-Identifier: BSD-3-Clause
// Copyright (c) 2026, the docad authors
//
// A relayed channel and its rings: made, connected, ended.

#include "relayed.h"

#include "random_bytes.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

static bool make_rings(struct comch_relayed *relayed, bool of_consumer)
{
    // Whole cache lines, as aligned_alloc() requires.
    size_t size =
        offsetof(struct comch_receives, at) + relayed->slots * sizeof(struct comch_posted);
    size_t messages = relayed->slots * sizeof(struct rdma_entry);

    relayed->receives = aligned_alloc(64, (size + 63) & ~(size_t)63);
    if (!relayed->receives)
        return false;
    memset(relayed->receives, 0, size);
    if (!of_consumer)
        return true;
    relayed->messages = aligned_alloc(64, messages);
    if (relayed->messages)
        memset(relayed->messages, 0, messages);
    relayed->arriving = calloc(relayed->slots, sizeof(*relayed->arriving));
    return relayed->messages && relayed->arriving;
}

struct comch_relayed *comch_relayed_new(uint32_t slots, bool of_consumer)
{
    struct comch_relayed *relayed = calloc(1, sizeof(*relayed));

    if (!relayed)
        return NULL;
    relayed->slots = slots;
    pthread_mutex_init(&relayed->lock, NULL);
    return make_rings(relayed, of_consumer) ? relayed : comch_relayed_free(relayed);
}

struct comch_relayed *comch_relayed_free(struct comch_relayed *relayed)
{
    if (!relayed)
        return NULL;
    cc_endpoint_free(relayed->ep);
    pthread_mutex_destroy(&relayed->lock);
    free(relayed->arriving);
    free(relayed->messages);
    free(relayed->receives);
    free(relayed);
    return NULL;
}

doca_error_t comch_relayed_make_key(struct comch_relayed *relayed, struct errtext *err)
{
    if (random_bytes(relayed->key, sizeof(relayed->key)))
        return DOCA_SUCCESS;
    return errtext_set(err, DOCA_ERROR_OPERATING_SYSTEM, "cannot make a key: %s", strerror(errno));
}

doca_error_t comch_relayed_connect(struct comch_relayed *relayed, struct doca_dev *device,
                                   const char *server, struct errtext *err)
{
    doca_error_t e = cc_endpoint_new(&relayed->ep, err);
    if (e != DOCA_SUCCESS)
        return e;
    relayed->ep->dev = dev_ref(device);
    relayed->ep->keyed = true;
    memcpy(relayed->ep->key, relayed->key, sizeof(relayed->key));
    e = cc_connect(relayed->ep, server, &relayed->to, err);
    if (e != DOCA_SUCCESS)
        relayed->ep = cc_endpoint_free(relayed->ep);
    return e;
}

doca_error_t comch_relayed_accept(struct comch_relayed *relayed,
                                  struct doca_comm_channel_addr_t *address, struct errtext *err)
{
    struct doca_comm_channel_ep_t *ep;

    doca_error_t e = cc_endpoint_new(&ep, err);
    if (e != DOCA_SUCCESS) {
        cc_address_disconnect(address);
        return e;
    }
    if (!cc_address_move(address, ep)) {
        cc_endpoint_free(ep); // with the address
        return errtext_set(err, DOCA_ERROR_NO_MEMORY, "cannot wait for the channel: %s",
                           strerror(errno));
    }
    // Producers may use the channel as soon as it is set.
    pthread_mutex_lock(&relayed->lock);
    relayed->to = address;
    relayed->ep = ep;
    cc_service_accept(address);
    pthread_mutex_unlock(&relayed->lock);
    return DOCA_SUCCESS;
}
