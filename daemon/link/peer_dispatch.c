// SPDX-License-Identifier: BSD-3-Clause
// Copyright (c) 2026, the docad authors
//
// Handles a linked node's messages.

#include "connection.h"
#include "node.h"
#include "peer_life.h"
#include "peer_link.h"
#include "peer_request.h"
#include "peer_resume.h"
#include "representor.h"

#include <string.h>

// ---- its functions ----------------------------------------------------------------------

static bool has_functions(const struct peer *peer, const struct function *functions, size_t n)
{
    for (size_t i = 0; i < n && i < peer->n_functions; i++)
        if (peer->functions[i].id != functions[i].id ||
            !function_same(&peer->functions[i], &functions[i]))
            return false;
    return n == peer->n_functions;
}

static void on_functions(struct peer *peer, const Docad__Message *message)
{
    const Docad__PeerFunctions *m = message->peer_functions;
    struct function functions[FUNCTIONS_MAX];
    struct errtext err;

    if (functions_from_messages(m->functions, m->n_functions, functions, &err) != DOCA_SUCCESS) {
        connection_drop(peer->connection, "%s", err.s);
        return;
    }
    peer_set_rdma(peer, m->rdma);
    if (has_functions(peer, functions, m->n_functions))
        return; // nothing has to be stored
    memcpy(peer->functions, functions, m->n_functions * sizeof(*functions));
    peer->n_functions = m->n_functions;
    representors_sync(peer->node, peer);
    peer_changed(peer);
}

// ---- dispatch ---------------------------------------------------------------------------

// Messages about no kind of object.
static const struct kind_message messages[] = {
    {DOCAD__MESSAGE__BODY_PEER_FUNCTIONS, on_functions},
    {DOCAD__MESSAGE__BODY_PEER_RESUME, peer_resume},
    {0},
};

static const struct kind_message *find(const struct kind_message *list,
                                       Docad__Message__BodyCase body)
{
    for (; list && list->body; list++)
        if (list->body == body)
            return list;
    return NULL;
}

static const struct kind_message *find_message(const struct node *node,
                                               Docad__Message__BodyCase body)
{
    const struct kind_message *found = find(messages, body);
    for (const struct object_kind *const *kind = node->kinds; !found && *kind; kind++)
        found = find((*kind)->messages, body);
    return found;
}

static bool is_answer(Docad__Message__BodyCase body)
{
    return body == DOCAD__MESSAGE__BODY_ERROR || body == DOCAD__MESSAGE__BODY_OK ||
           body == DOCAD__MESSAGE__BODY_PEER_IMPORT_REPLY ||
           body == DOCAD__MESSAGE__BODY_PEER_EXPORT_CREATE_REPLY ||
           body == DOCAD__MESSAGE__BODY_PEER_QUEUE_PAIR_CREATE_REPLY ||
           body == DOCAD__MESSAGE__BODY_PEER_CHANNEL_CONNECT_REPLY ||
           body == DOCAD__MESSAGE__BODY_PEER_RDMA_CONNECT_REPLY ||
           body == DOCAD__MESSAGE__BODY_PEER_RDMA_CALL_REPLY;
}

void peer_dispatch(struct peer *peer, const Docad__Message *message, struct fd_list *fds)
{
    const struct kind_message *known = find_message(peer->node, message->body_case);

    if (message->body_case == DOCAD__MESSAGE__BODY_OK && message->serial == 0)
        return; // an older docad also acknowledges mere notifications
    if (is_answer(message->body_case)) {
        if (!peer_request_answer(peer, message, fds))
            connection_drop(peer->connection, "answered a request that was not sent");
    } else if (fds->no_room && message->serial != 0) {
        peer_reply_error(peer, message->serial, DOCA_ERROR_NO_MEMORY, PACKET_NO_ROOM);
    } else if (fds->no_room) {
        connection_drop(peer->connection, "%s", PACKET_NO_ROOM);
    } else if (known && known->with_fds) {
        known->with_fds(peer, message, fds);
    } else if (known) {
        known->fn(peer, message);
    } else if (message->serial != 0) {
        peer_reply_error(peer, message->serial, DOCA_ERROR_NOT_SUPPORTED,
                         "this docad does not know the request; upgrade it");
    }
}
