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

uint32_t rdma_send_queue_max(const Docad__Function *function, const struct card *card)
{
    return (uint32_t)card_most(card, CARD_RDMA_SEND_QUEUE,
                               AT_MOST(function, max_queue, RDMA_QUEUE_MAX));
}

uint32_t rdma_recv_queue_max(const Docad__Function *function, const struct card *card)
{
    return (uint32_t)card_most(card, CARD_RDMA_RECV_QUEUE,
                               AT_MOST(function, max_queue, RDMA_QUEUE_MAX));
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

uint32_t rdma_gids(const Docad__Function *function)
{
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
