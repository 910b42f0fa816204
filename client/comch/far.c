// SPDX-License-Identifier: BSD-3-Clause
// Copyright (c) 2026, the docad authors
//
// A far channel and its rings: made, connected, ended.

#include "far.h"

#include "random_bytes.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

static bool make_rings(struct comch_far *far, bool of_consumer)
{
    // Whole cache lines, as aligned_alloc() requires.
    size_t size = offsetof(struct comch_receives, at) + far->slots * sizeof(struct comch_posted);
    size_t messages = far->slots * sizeof(struct rdma_entry);

    far->receives = aligned_alloc(64, (size + 63) & ~(size_t)63);
    if (!far->receives)
        return false;
    memset(far->receives, 0, size);
    if (!of_consumer)
        return true;
    far->messages = aligned_alloc(64, messages);
    if (far->messages)
        memset(far->messages, 0, messages);
    far->arriving = calloc(far->slots, sizeof(*far->arriving));
    return far->messages && far->arriving;
}

struct comch_far *comch_far_new(uint32_t slots, bool of_consumer)
{
    struct comch_far *far = calloc(1, sizeof(*far));

    if (!far)
        return NULL;
    far->slots = slots;
    pthread_mutex_init(&far->lock, NULL);
    return make_rings(far, of_consumer) ? far : comch_far_free(far);
}

struct comch_far *comch_far_free(struct comch_far *far)
{
    if (!far)
        return NULL;
    cc_endpoint_free(far->ep);
    pthread_mutex_destroy(&far->lock);
    free(far->arriving);
    free(far->messages);
    free(far->receives);
    free(far);
    return NULL;
}

doca_error_t comch_far_make_key(struct comch_far *far, struct errtext *err)
{
    if (random_bytes(far->key, sizeof(far->key)))
        return DOCA_SUCCESS;
    return errtext_set(err, DOCA_ERROR_OPERATING_SYSTEM, "cannot make a key: %s", strerror(errno));
}

doca_error_t comch_far_connect(struct comch_far *far, struct doca_dev *device, const char *server,
                               struct errtext *err)
{
    doca_error_t e = cc_endpoint_new(&far->ep, err);
    if (e != DOCA_SUCCESS)
        return e;
    far->ep->dev = dev_ref(device);
    far->ep->keyed = true;
    memcpy(far->ep->key, far->key, sizeof(far->key));
    e = cc_connect(far->ep, server, &far->to, err);
    if (e != DOCA_SUCCESS)
        far->ep = cc_endpoint_free(far->ep);
    return e;
}

doca_error_t comch_far_accept(struct comch_far *far, struct doca_comm_channel_addr_t *address,
                              struct errtext *err)
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
    // Producers may look for the channel already.
    pthread_mutex_lock(&far->lock);
    far->to = address;
    far->ep = ep;
    cc_service_accept(address);
    pthread_mutex_unlock(&far->lock);
    return DOCA_SUCCESS;
}
