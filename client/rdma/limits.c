// SPDX-License-Identifier: BSD-3-Clause
// Copyright (c) 2026, the docad authors
//
// The limits of devices, for all generations. Those of software are the same for each.

#include "rdma_end.h"

#include "core/device_card.h"

#include <string.h>

// The smaller of an ibverbs device's limit and ours.
static uint32_t at_most(const Docad__Function *function, size_t member, uint32_t ours)
{
    const Docad__FunctionVerbs *verbs = function ? function->verbs : NULL;
    uint32_t device = verbs ? *(const uint32_t *)((const char *)verbs + member) : ours;
    return device < ours ? device : ours;
}

#define AT_MOST(function, member, ours)                                                            \
    at_most((function), offsetof(Docad__FunctionVerbs, member), (ours))

// The sizes of queues are powers of two: a limit that is none would be exceeded by rounding up.
static uint32_t queue_max(const Docad__Function *function, const struct card *card,
                          enum card_key key)
{
    uint32_t most = (uint32_t)card_most(card, key, AT_MOST(function, max_queue, RDMA_QUEUE_MAX));
    return most ? 1u << (31 - __builtin_clz(most)) : 0;
}

uint32_t rdma_send_queue_max(const Docad__Function *function, const struct card *card)
{
    return queue_max(function, card, CARD_RDMA_SEND_QUEUE);
}

uint32_t rdma_recv_queue_max(const Docad__Function *function, const struct card *card)
{
    return queue_max(function, card, CARD_RDMA_RECV_QUEUE);
}

uint32_t rdma_list_max(const Docad__Function *function, const struct card *card)
{
    return (uint32_t)card_most(card, CARD_RDMA_LIST, AT_MOST(function, max_list, RDMA_LIST_MAX));
}

uint32_t rdma_message_max(const Docad__Function *function, const struct card *card)
{
    return (uint32_t)card_most(card, CARD_RDMA_MESSAGE,
                               AT_MOST(function, max_message, RDMA_SIZE_MAX));
}

bool rdma_atomics(const Docad__Function *function, const struct card *card)
{
    return (!function->verbs || function->verbs->atomics) && card_has(card, CARD_RDMA) &&
           card_has(card, CARD_RDMA_ATOMICS);
}

uint32_t rdma_gids(const Docad__Function *function, const struct card *card)
{
    if (!card_has(card, CARD_RDMA))
        return 0;
    return function && function->verbs ? function->verbs->gid_table : RDMA_GIDS;
}

void rdma_gid(const Docad__Function *function, uint32_t index, uint8_t gid[16])
{
    memset(gid, 0, 16);
    if (function->verbs) {
        const Docad__FunctionVerbs *verbs = function->verbs;
        for (size_t i = 0; i < verbs->n_gids; i++)
            if (verbs->gids[i]->index == index && verbs->gids[i]->gid.len == 16)
                memcpy(gid, verbs->gids[i]->gid.data, 16);
        return;
    }
    if (index == 0 && function->ipv6.len == 16) {
        memcpy(gid, function->ipv6.data, 16);
    } else if (index == 1 && function->ipv4.len == 4) { // in IPv6's form for IPv4 addresses
        gid[10] = gid[11] = 0xff;
        memcpy(gid + 12, function->ipv4.data, 4);
    }
}

// ---- settings ----------------------------------------------------------------------------

void rdma_fit_defaults(struct rdma_settings *set, const struct doca_dev *dev)
{
    uint32_t sends = rdma_send_queue_max(dev_function(dev), dev_card(dev));
    uint32_t receives = rdma_recv_queue_max(dev_function(dev), dev_card(dev));

    if (set->send_size == RDMA_QUEUE_DEFAULT && sends < RDMA_QUEUE_DEFAULT)
        set->send_size = sends;
    if (set->recv_size == RDMA_QUEUE_DEFAULT && receives < RDMA_QUEUE_DEFAULT)
        set->recv_size = receives;
}

doca_error_t rdma_check_settings(const struct rdma_settings *set, const struct doca_dev *dev,
                                 struct errtext *err)
{
    const Docad__Function *function = dev_function(dev);
    const struct card *card = dev_card(dev);
    uint32_t sends = rdma_send_queue_max(function, card);
    uint32_t receives = rdma_recv_queue_max(function, card), list = rdma_list_max(function, card);
    bool sending = set->send_size > sends;

    if (sending || set->recv_size > receives)
        return errtext_set(err, DOCA_ERROR_NOT_SUPPORTED,
                           "%s: the queue has %u jobs, but the device takes %u", dev_name(dev),
                           sending ? set->send_size : set->recv_size, sending ? sends : receives);
    if (set->recv_chain > list)
        return errtext_set(err, DOCA_ERROR_NOT_SUPPORTED,
                           "%s: receives have %u buffers, but the device takes %u", dev_name(dev),
                           set->recv_chain, list);
    if (!card_has(card, CARD_RDMA_SET_RECV) && set->recv_size != RDMA_QUEUE_DEFAULT &&
        set->recv_size != receives)
        return errtext_set(err, DOCA_ERROR_NOT_SUPPORTED, RDMA_NO_RECV_SIZE, card->name);
    return DOCA_SUCCESS;
}
