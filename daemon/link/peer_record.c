// SPDX-License-Identifier: BSD-3-Clause
// Copyright (c) 2026, the docad authors

#include "peer_life.h"

#include "known_nodes.h"
#include "node.h"
#include "peer_link.h"
#include "representor.h"

#include <string.h>

void peer_keep(struct peer *peer)
{
    Docad__KeptPeer what = DOCAD__KEPT_PEER__INIT;
    Docad__Kept record;
    struct function_messages functions;
    Docad__KeptName names[FUNCTIONS_MAX], *list[FUNCTIONS_MAX];

    if (!keep_is_on() || (peer->no_descriptors && !peer->resumes_apart))
        return;
    what.node = keep_bytes(peer->id_there, NODE_ID_SIZE);
    what.name = peer->name;
    what.role = (char *)role_name(peer->role);
    what.run = keep_bytes(peer->run, sizeof(peer->run));
    what.n_functions = functions_to_messages(peer->functions, peer->n_functions, true, &functions);
    what.functions = functions.list;
    what.n_representors = representors_to_names(peer->node, peer, names, list);
    what.representors = list;
    what.no_descriptors = peer->no_descriptors;
    what.certified = peer->certified;
    keep_record_init(&record, peer->id, 0, &peer->kept);
    record.what_case = DOCAD__KEPT__WHAT_PEER;
    record.peer = &what;
    keep_put(&peer->kept, &record, NULL, 0);
}

static void restore(struct node *node, struct keep_item *item)
{
    const Docad__KeptPeer *m = item->record->peer;
    struct peer_identity identity = {.node = &m->node,
                                     .name = m->name,
                                     .role = m->role,
                                     .functions = m->functions,
                                     .n_functions = m->n_functions};
    struct errtext err;

    if (m->run.len != NODE_RUN_SIZE)
        return;
    struct peer *peer = peer_new(node, NULL);
    if (!peer)
        return;
    if (peer_take_identity(peer, &identity, &err) != DOCA_SUCCESS ||
        peer_find(node, m->node.data)) {
        peer_free(peer);
        return;
    }
    memcpy(peer->run, m->run.data, sizeof(peer->run));
    peer->resumable = true;
    peer->no_descriptors = peer->resumes_apart = m->no_descriptors;
    keep_take(item, &peer->kept);
    peer->certified = m->certified;
    known_node_remember(node, peer->id_there, peer->name, peer->certified);
    representors_restore(node, peer, m->representors, m->n_representors);
    peer_wait_for_return(peer);
}

const struct object_kind peer_kind = {.record = DOCAD__KEPT__WHAT_PEER, .restore = restore};
