// SPDX-License-Identifier: BSD-3-Clause
// Copyright (c) 2026, the docad authors
//
// Identifies the node at the other end of a link.

#include "peer_link.h"

#include "config.h"
#include "connection.h"
#include "known_nodes.h"
#include "node.h"
#include "text.h"
#include "tls_transport.h"

#include <string.h>
#include <unistd.h>

// The certificate of a node on another machine proves its name, and it may not use another
// node's id.
static doca_error_t check_certificate(const struct peer *peer, const struct peer_identity *hello,
                                      struct errtext *err)
{
    if (!peer_is_remote(peer))
        return DOCA_SUCCESS;
    const char *certified = tls_transport_node(connection_remote(peer->connection));
    if (tls_transport_is_revoked(connection_remote(peer->connection))) // it may have been revoked
                                                                       // since it was shown
        return errtext_set(err, DOCA_ERROR_NOT_PERMITTED,
                           "the certificate of node %s has been revoked", certified);
    if (strcmp(certified, hello->name) != 0)
        return errtext_set(err, DOCA_ERROR_NOT_PERMITTED,
                           "node %s shows the certificate of %s; give it its own, or name it %s",
                           hello->name, certified, certified);
    const struct peer *holder = peer_find(peer->node, hello->node->data);
    const struct known_node *known = known_node_find(peer->node, hello->node->data);
    const char *name = holder ? holder->name : known ? known->name : hello->name;
    if (strcmp(name, hello->name) != 0)
        return errtext_set(err, DOCA_ERROR_NOT_PERMITTED, "node %s claims the id of node %s",
                           hello->name, name);
    return DOCA_SUCCESS;
}

doca_error_t peer_take_identity(struct peer *peer, const struct peer_identity *hello,
                                struct errtext *err)
{
    struct function functions[FUNCTIONS_MAX];
    enum role role;
    if (hello->node->len != NODE_ID_SIZE || !text_is_name(hello->name, NODE_NAME_SIZE) ||
        !role_parse(hello->role, &role))
        return errtext_set(err, DOCA_ERROR_INVALID_VALUE, "hello without a node id, name or role");
    if (memcmp(hello->node->data, peer->node->id, NODE_ID_SIZE) == 0)
        return errtext_set(err, DOCA_ERROR_INVALID_VALUE,
                           "that is node %s itself; name the socket of another daemon",
                           peer->node->config->name);
    doca_error_t r = check_certificate(peer, hello, err);
    if (r != DOCA_SUCCESS)
        return r;
    r = functions_from_messages(hello->functions, hello->n_functions, functions, err);
    if (r != DOCA_SUCCESS)
        return r;
    if (peer->away && memcmp(peer->id_there, hello->node->data, NODE_ID_SIZE) != 0)
        peer_end_objects(peer, "another node answers there now");
    memcpy(peer->id_there, hello->node->data, NODE_ID_SIZE);
    peer->certified = peer_is_remote(peer);
    copy_text(peer->name, hello->name);
    peer->role = role;
    memcpy(peer->functions, functions, hello->n_functions * sizeof(*functions));
    peer->n_functions = hello->n_functions;
    peer->has_rdma = hello->rdma;
    peer->by_uid = hello->by_uid;
    peer->known = true;
    memset(peer->next_run, 0, sizeof(peer->next_run));
    if (hello->run && hello->run->len == NODE_RUN_SIZE)
        memcpy(peer->next_run, hello->run->data, NODE_RUN_SIZE);
    peer->resumable = hello->resumable && hello->run && hello->run->len == NODE_RUN_SIZE;
    peer->resumes_apart = hello->resumes_apart && hello->run && hello->run->len == NODE_RUN_SIZE;
    return DOCA_SUCCESS;
}

bool peer_uid_is_trusted(const struct node *node, uid_t uid)
{
    if (uid == 0 || uid == geteuid())
        return true;
    for (size_t i = 0; i < node->config->n_peer_uids; i++)
        if (node->config->peer_uids[i] == uid)
            return true;
    return false;
}
