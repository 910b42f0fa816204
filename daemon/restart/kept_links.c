// SPDX-License-Identifier: BSD-3-Clause
// Copyright (c) 2026, the docad authors
//
// Keeping linked nodes, names, and the Comm Channel.

#include "kept.h"

#include "channel.h"
#include "node.h"
#include "peer_link.h"
#include "publication.h"
#include "representor.h"
#include "session.h"
#include "user.h"

#include <string.h>

static ProtobufCBinaryData bytes(const void *data, size_t size)
{
    return (ProtobufCBinaryData){size, (uint8_t *)data};
}

// ---- linked nodes ---------------------------------------------------------------------

void kept_peer(struct peer *peer)
{
    Docad__KeptPeer what = DOCAD__KEPT_PEER__INIT;
    Docad__Kept record;
    struct function_messages functions;
    Docad__KeptName names[FUNCTIONS_MAX], *list[FUNCTIONS_MAX];

    if (!keep_is_on() || (peer->no_descriptors && !peer->resumes_apart))
        return;
    what.node = bytes(peer->id_there, NODE_ID_SIZE);
    what.name = peer->name;
    what.role = (char *)role_name(peer->role);
    what.run = bytes(peer->run, sizeof(peer->run));
    what.n_functions = functions_to_messages(peer->functions, peer->n_functions, true, &functions);
    what.functions = functions.list;
    what.n_representors = representors_to_names(peer->node, peer, names, list);
    what.representors = list;
    what.no_descriptors = peer->no_descriptors;
    what.certified = peer->certified;
    kept_init(&record, peer->id, NULL, &peer->kept);
    record.what_case = DOCAD__KEPT__WHAT_PEER;
    record.peer = &what;
    keep_put(&peer->kept, &record, NULL, 0);
}

void kept_peer_restore(struct node *node, struct keep_item *item)
{
    const Docad__KeptPeer *m = item->record->peer;
    struct peer_identity identity = {.node = &m->node,
                                     .name = m->name,
                                     .role = m->role,
                                     .functions = m->functions,
                                     .n_functions = m->n_functions};
    struct errtext err;

    if (m->run.len != sizeof(((struct peer *)0)->run))
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
    node_remember(node, peer->id_there, peer->name, peer->certified);
    representors_restore(node, peer, m->representors, m->n_representors);
    peer_wait_for_return(peer);
}

// ---- names ----------------------------------------------------------------------------

void kept_publication(struct publication *p)
{
    Docad__KeptPublication what = DOCAD__KEPT_PUBLICATION__INIT;
    Docad__Kept record;
    if (!keep_is_on())
        return;
    what.name = p->name;
    what.descriptor = bytes(p->descriptor, p->descriptor_size);
    what.uid = p->user->uid;
    kept_init(&record, p->id, NULL, &p->kept);
    record.session = p->session_id;
    record.what_case = DOCAD__KEPT__WHAT_PUBLICATION;
    record.publication = &what;
    keep_put(&p->kept, &record, NULL, 0);
}

void kept_publication_restore(struct node *node, struct keep_item *item)
{
    const Docad__KeptPublication *m = item->record->publication;
    struct publication *p =
        publication_restore(node, item->record->id, m->name, &m->descriptor, m->uid);
    if (!p)
        return;
    p->session_id = item->record->session;
    keep_take(item, &p->kept);
}

// ---- services -------------------------------------------------------------------------

void kept_service(struct channel_service *s)
{
    Docad__KeptService what = DOCAD__KEPT_SERVICE__INIT;
    Docad__Kept record;
    if (!keep_is_on())
        return;
    what.node = bytes(s->node_id, NODE_ID_SIZE);
    what.vuid = s->vuid;
    what.pci_address = s->pci;
    what.representor = s->representor;
    what.name = s->name;
    what.max_message = s->sizes.max_message;
    what.send_queue = s->sizes.send_queue;
    what.recv_queue = s->sizes.recv_queue;
    kept_init(&record, s->id.id, s->session, &s->kept);
    record.what_case = DOCAD__KEPT__WHAT_SERVICE;
    record.service = &what;
    keep_put(&s->kept, &record, &s->accept_fd, 1);
}

void kept_service_restore(struct node *node, struct keep_item *item)
{
    const Docad__KeptService *m = item->record->service;
    struct session *session = kept_session_of(node, item);
    struct channel_service *s = session && item->fds.count == 1 && m->node.len == NODE_ID_SIZE
                                    ? calloc(1, sizeof(*s))
                                    : NULL;
    if (!s)
        return;
    s->session = session;
    memcpy(s->node_id, m->node.data, NODE_ID_SIZE);
    snprintf(s->vuid, sizeof(s->vuid), "%s", m->vuid);
    snprintf(s->pci, sizeof(s->pci), "%s", m->pci_address);
    snprintf(s->representor, sizeof(s->representor), "%s", m->representor);
    snprintf(s->name, sizeof(s->name), "%s", m->name);
    s->sizes = (struct channel_sizes){m->max_message, m->send_queue, m->recv_queue};
    s->accept_fd = fd_list_take(&item->fds, 0);
    list_init(&s->channels);
    session->n_channels++;
    session->user->descriptors++;
    list_append(&node->services, &s->link);
    list_append(&session->services, &s->session_link);
    idmap_add(&node->services_by_id, &s->id, item->record->id);
    keep_take(item, &s->kept);
}

// ---- channels -------------------------------------------------------------------------

void kept_channel(struct channel *c)
{
    Docad__KeptChannel what = DOCAD__KEPT_CHANNEL__INIT;
    Docad__Kept record;
    if (!keep_is_on())
        return;
    what.side = c->side;
    what.service = c->service ? c->service->id.id : 0;
    what.other = c->other ? c->other->id.id : 0;
    if (c->peer)
        what.node = bytes(c->peer->id_there, NODE_ID_SIZE);
    what.shared_id = c->shared_id;
    what.name = c->name;
    what.peer_node = c->peer_node;
    what.peer_pid = (uint32_t)c->peer_pid;
    kept_init(&record, c->id.id, c->session, &c->kept);
    record.what_case = DOCAD__KEPT__WHAT_CHANNEL;
    record.channel = &what;
    keep_put(&c->kept, &record, NULL, 0);
}

void kept_channel_restore(struct node *node, struct keep_item *item)
{
    const Docad__KeptChannel *m = item->record->channel;
    struct session *session = kept_session_of(node, item);
    struct channel_service *service =
        idmap_get(&node->services_by_id, m->service, struct channel_service, id);
    struct peer *peer = m->node.len == NODE_ID_SIZE ? peer_find(node, m->node.data) : NULL;
    struct channel *c = session && (service || !m->service) ? calloc(1, sizeof(*c)) : NULL;
    if (!c)
        return;
    c->session = session;
    c->side = m->side == CHANNEL_CLIENT ? CHANNEL_CLIENT : CHANNEL_SERVICE;
    c->shared_id = m->shared_id;
    c->peer = peer;
    c->peer_pid = (pid_t)m->peer_pid;
    snprintf(c->name, sizeof(c->name), "%s", m->name);
    snprintf(c->peer_node, sizeof(c->peer_node), "%s", m->peer_node);
    list_init(&c->service_link);
    if (service) {
        c->service = service;
        service->n_channels++;
        list_append(&service->channels, &c->service_link);
    }
    if (c->side == CHANNEL_CLIENT)
        session->n_channels++;
    list_append(&node->channels, &c->link);
    list_append(&session->channels, &c->session_link);
    idmap_add(&node->channels_by_id, &c->id, item->record->id);
    keep_take(item, &c->kept);
    struct channel *other = idmap_get(&node->channels_by_id, m->other, struct channel, id);
    if (other) { // the later of the two finds the earlier one
        c->other = other;
        other->other = c;
    }
}
