// SPDX-License-Identifier: BSD-3-Clause
// Copyright (c) 2026, the docad authors

#include "lost_peers.h"

#include "comch/comch.h"
#include "rdma/instance.h"

static bool lose_of_task(struct doca_task *task)
{
    const struct ctx_kind *kind = context_of(task->item.link)->kind;

    return kind->lose_peer && kind->lose_peer(task);
}

// No symbol is exported for this: a program cannot call it.
__attribute__((constructor)) static void offer(void)
{
    static const struct lost_peers functions = {lose_of_task, comch_connection_break,
                                                cc_address_break, rdma_instance_lose_peer};

    if (docad_offer_lost_peers)
        docad_offer_lost_peers(&functions);
}
