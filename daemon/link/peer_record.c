// SPDX-License-Identifier: BSD-3-Clause
// Copyright (c) 2026, the docad authors

#include "peer_life.h"

#include "node.h"
#include "representor.h"

static doca_error_t keep(struct peer *peer, struct errtext *err)
{
    Docad__PeerRecord what = DOCAD__PEER_RECORD__INIT;
    Docad__Record record;
    struct function_messages functions;
    Docad__NameRecord names[FUNCTIONS_MAX], *list[FUNCTIONS_MAX];

    if (!fdstore_is_on() || (peer->no_descriptors && !peer->resumes_apart))
        return DOCA_SUCCESS;
    what.node = record_bytes(peer->id_there, NODE_ID_SIZE);
    what.name = peer->name;
    what.role = (char *)role_name(peer->role);
    what.run = record_bytes(peer->run, sizeof(peer->run));
    what.n_functions = functions_to_messages(peer->functions, peer->n_functions, true, &functions);
    what.functions = functions.list;
    what.n_representors = representors_to_names(peer->node, peer, names, list);
    what.representors = list;
    what.no_descriptors = peer->no_descriptors;
    what.certified = peer->certified;
    record_init(&record, peer->id, 0, &peer->stored);
    record.what_case = DOCAD__RECORD__WHAT_PEER;
    record.peer = &what;
    return fdstore_put(&peer->stored, &record, NULL, NULL, 0, err);
}

void peer_changed(struct peer *peer)
{
    struct errtext err;
    fdstore_note(keep(peer, &err), &err);
}
