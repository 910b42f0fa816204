// SPDX-License-Identifier: BSD-3-Clause
// Copyright (c) 2026, the docad authors

#include "importer.h"

#include "config.h"
#include "engine.h"
#include "node.h"
#include "peer.h"
#include "session.h"
#include "user.h"

#include <errno.h>
#include <string.h>

// ---- lifetime --------------------------------------------------------------------------

// `node_there` is NULL on this machine, where uids can be trusted.
static doca_error_t make(struct importer **out, struct node *node, const uint8_t *node_there,
                         uint64_t session_id, pid_t pid, const struct credentials *credentials,
                         struct errtext *err)
{
    struct importer *importer = calloc(1, sizeof(*importer));
    if (!importer)
        return errtext_set(err, DOCA_ERROR_NO_MEMORY, "docad is out of memory");
    int r = engine_importer_new(&importer->engine, node->engine, credentials->account, node_there);
    if (r < 0) {
        free(importer);
        return errtext_set(err, DOCA_ERROR_NO_MEMORY, "engine: %s", strerror(-r));
    }
    importer->node = node;
    importer->session_id = session_id;
    importer->pid = pid;
    importer->credentials = credentials_copy(credentials);
    list_init(&importer->in_peer);
    list_init(&importer->grants);
    list_init(&importer->qpairs);
    *out = importer;
    return DOCA_SUCCESS;
}

doca_error_t session_importer(struct session *session, struct importer **out, struct errtext *err)
{
    if (!session->importer) {
        doca_error_t r = make(&session->importer, session->node, NULL, session->id, session->pid,
                              &session->credentials, err);
        if (r != DOCA_SUCCESS)
            return r;
        session->importer->user = user_ref(session->user);
    }
    *out = session->importer;
    return DOCA_SUCCESS;
}

static struct importer *find(const struct peer *peer, uint64_t session_id)
{
    return idmap_get(&peer->importers_by_session, session_id, struct importer, by_session);
}

static doca_error_t make_of_peer(struct importer **out, struct peer *peer, uint64_t session_id,
                                 pid_t pid, const struct credentials *credentials,
                                 const struct limits *limits, struct errtext *err)
{
    const uint8_t *node_there = peer->certified ? peer->id_there : NULL;
    struct user *user = user_get(&peer->users, credentials->account);
    if (!user)
        return errtext_set(err, DOCA_ERROR_NO_MEMORY, "docad is out of memory");
    const struct charge charge = {LIMIT_PEER_IMPORTERS, &user->importers, 1, &peer->held.importers};
    doca_error_t r = limit_take_all(limits, &charge, 1, err);
    if (r == DOCA_SUCCESS) {
        r = make(out, peer->node, node_there, session_id, pid, credentials, err);
        if (r != DOCA_SUCCESS)
            limit_give_all(&charge, 1);
    }
    if (r != DOCA_SUCCESS) {
        user_unref(user);
        return r;
    }
    (*out)->peer = peer;
    (*out)->user = user;
    memcpy((*out)->node_there, peer->id_there, NODE_ID_SIZE);
    list_append(&peer->importers, &(*out)->in_peer);
    idmap_add(&peer->importers_by_session, &(*out)->by_session, session_id);
    return DOCA_SUCCESS;
}

// Adds whose limit it is, for the user on the other node.
static doca_error_t at_limit(const struct node *node, doca_error_t code, const struct errtext *why,
                             struct errtext *err)
{
    return errtext_set(err, code, "node %s: %s", node->config->name, why->s);
}

doca_error_t importer_read_credentials(const struct credentials_carried *m, struct credentials *out,
                                       struct errtext *err)
{
    int r = credentials_of_message(m, out);
    if (r == 0)
        return DOCA_SUCCESS;
    if (r == -ENOMEM)
        return errtext_set(err, DOCA_ERROR_NO_MEMORY, "docad is out of memory");
    return errtext_set(err, DOCA_ERROR_NOT_PERMITTED,
                       "uid %u is in %zu groups, and docad takes at most %d from a linked node",
                       (unsigned)m->uid, m->n_gids + m->n_account_gids, CREDENTIALS_CARRIED_MAX);
}

doca_error_t importer_of_peer(struct importer **out, struct peer *peer, uint64_t session_id,
                              pid_t pid, const struct credentials *credentials, struct errtext *err)
{
    struct errtext why;

    *out = find(peer, session_id);
    if (*out)
        return DOCA_SUCCESS;
    doca_error_t r =
        make_of_peer(out, peer, session_id, pid, credentials, node_limits(peer->node), &why);
    return r == DOCA_SUCCESS ? r : at_limit(peer->node, r, &why, err);
}

struct importer *importer_restore(struct peer *peer, uint64_t session_id, pid_t pid,
                                  const struct credentials *credentials)
{
    struct importer *importer = find(peer, session_id);
    if (!importer)
        make_of_peer(&importer, peer, session_id, pid, credentials, NULL, NULL);
    return importer;
}

struct importer *importer_free(struct importer *importer)
{
    struct importer_item *item, *next;

    if (!importer)
        return NULL;
    list_for_each_safe (item, next, &importer->qpairs, in_importer)
        item->ops->drop(item);
    // The end of one may be that of another: delegation.h.
    while (!list_empty(&importer->grants)) {
        item = list_entry(importer->grants.next, struct importer_item, in_importer);
        item->ops->drop(item);
    }
    engine_importer_free(importer->engine, NULL, NULL); // together with its grants
    list_remove(&importer->in_peer);
    if (importer->peer) {
        idmap_remove(&importer->peer->importers_by_session, &importer->by_session);
        limit_give_all(&(struct charge){LIMIT_PEER_IMPORTERS, &importer->user->importers, 1,
                                        &importer->peer->held.importers},
                       1);
    }
    user_unref(importer->user);
    credentials_drop(&importer->credentials);
    free(importer);
    return NULL;
}

void importer_free_if_idle(struct importer *importer)
{
    if (importer->peer && list_empty(&importer->grants) && list_empty(&importer->qpairs))
        importer_free(importer);
}

void importer_set_deadlines(struct importer *importer)
{
    struct importer_item *item;
    // Bytes of a session on this machine, which may have thousands of queue pairs, wait for no
    // link.
    if (!importer->peer || !importer->peer->no_descriptors)
        return;
    list_for_each (item, &importer->qpairs, in_importer)
        item->ops->set_deadline(item);
}

// ---- grants ---------------------------------------------------------------

#define CHARGES_MAX 2

// Imports and queue pairs of a local session were already charged to it.
static size_t charges_of(struct importer *importer, enum importer_has what, unsigned n,
                         struct charge charges[CHARGES_MAX])
{
    struct peer *peer = importer->peer;
    struct user *user = importer->user;
    size_t count = 0;

    if (what == IMPORTER_FDS && !peer) {
        charges[count++] = (struct charge){LIMIT_DESCRIPTORS, &user->descriptors, n};
    } else if (what == IMPORTER_FDS) {
        charges[count++] =
            (struct charge){LIMIT_PEER_DESCRIPTORS, &user->descriptors, n, &peer->held.descriptors};
    } else if (!peer && what == IMPORTER_EXPORT) {
        charges[count++] = (struct charge){LIMIT_METADATA, &user->metadata, n * OBJECT_BYTES};
    } else if (peer && (what == IMPORTER_GRANT || what == IMPORTER_EXPORT)) {
        charges[count++] = (struct charge){LIMIT_IMPORTER_GRANTS, &importer->n_grants, n};
        charges[count++] = (struct charge){LIMIT_PEER_GRANTS, &user->grants, n, &peer->held.grants};
    } else if (peer) {
        charges[count++] = (struct charge){LIMIT_IMPORTER_QUEUE_PAIRS, &importer->n_qpairs, n};
        charges[count++] =
            (struct charge){LIMIT_PEER_QUEUE_PAIRS, &user->qpairs, n, &peer->held.qpairs};
    }
    return count;
}

doca_error_t importer_take(struct importer *importer, enum importer_has what, unsigned n,
                           const struct limits *limits, struct errtext *err)
{
    struct charge charges[CHARGES_MAX];
    struct errtext why;
    size_t count = charges_of(importer, what, n, charges);
    doca_error_t r = limit_take_all(limits, charges, count, importer->peer ? &why : err);
    if (r != DOCA_SUCCESS && importer->peer)
        return at_limit(importer->node, r, &why, err);
    return r;
}

void importer_give(struct importer *importer, enum importer_has what, unsigned n)
{
    struct charge charges[CHARGES_MAX];
    limit_give_all(charges, charges_of(importer, what, n, charges));
}
