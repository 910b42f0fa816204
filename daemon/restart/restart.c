// SPDX-License-Identifier: BSD-3-Clause
// Copyright (c) 2026, the docad authors

#include "restart.h"

#include "channel_relay.h"
#include "cleanup.h"
#include "connection.h"
#include "engine.h"
#include "export.h"
#include "import.h"
#include "kept.h"
#include "log.h"
#include "node.h"
#include "peer.h"
#include "publication.h"
#include "qpair.h"
#include "rdma_endpoint.h"
#include "region.h"
#include "representor.h"
#include "session.h"

#include <string.h>

#define IDS_RESERVED 4096 // at a time

// ---- the node -------------------------------------------------------------------------

static void keep_node(struct node *node)
{
    Docad__KeptNode what = DOCAD__KEPT_NODE__INIT;
    Docad__Kept record;
    Docad__KeptName functions[FUNCTIONS_MAX], *list[FUNCTIONS_MAX];
    Docad__KeptName names[FUNCTIONS_MAX], *representors[FUNCTIONS_MAX];

    what.node = (ProtobufCBinaryData){NODE_ID_SIZE, node->id};
    what.run = (ProtobufCBinaryData){NODE_RUN_SIZE, node->run};
    what.restarts = node->restarts;
    what.next_id = node->reserved_id;
    what.next_export_id = node->reserved_export_id;
    for (size_t i = 0; i < node->n_functions; i++) {
        list[i] = &functions[i];
        docad__kept_name__init(list[i]);
        list[i]->id = node->functions[i].id;
        list[i]->name = node->functions[i].name;
        if (node->functions[i].backing == DOCAD__BACKING__VERBS)
            list[i]->ibdev = node->functions[i].ibdev;
    }
    what.functions = list;
    what.n_functions = node->n_functions;
    what.n_representors = representors_to_names(node, NULL, names, representors);
    what.representors = representors;
    kept_init(&record, 1, NULL, &node->kept);
    record.what_case = DOCAD__KEPT__WHAT_NODE;
    record.node = &what;
    keep_put(&node->kept, &record, &node->slots.memfd, 1);
}

void restart_reserve_ids(struct node *node)
{
    if (!node->keeping ||
        (node->last_id < node->reserved_id && node->last_export_id < node->reserved_export_id))
        return;
    node->reserved_id = node->last_id + IDS_RESERVED;
    node->reserved_export_id = node->last_export_id + IDS_RESERVED;
    keep_node(node);
}

void restart_functions_changed(struct node *node)
{
    if (node->keeping)
        keep_node(node);
}

static void restore_function(struct function *old, const Docad__KeptName *m)
{
    snprintf(old->name, sizeof(old->name), "%s", m->name);
    snprintf(old->ibdev, sizeof(old->ibdev), "%s", m->ibdev);
    old->backing = old->ibdev[0] ? DOCAD__BACKING__VERBS : DOCAD__BACKING__SHM;
}

// Functions keep their ids, and those that the configuration does not have any more go as
// at a reload.
static void place_functions(struct node *node, const Docad__KeptNode *m)
{
    struct function old[FUNCTIONS_MAX];
    memset(old, 0, sizeof(old));
    for (size_t i = 0; i < m->n_functions; i++)
        if (m->functions[i]->id - 1 < FUNCTIONS_MAX)
            restore_function(&old[m->functions[i]->id - 1], m->functions[i]);
    node_place_functions(node, old,
                         m->n_functions < FUNCTIONS_MAX ? m->n_functions : FUNCTIONS_MAX);
}

static bool restore_node(struct node *node, struct keep_item *item)
{
    const Docad__KeptNode *m = item->record->node;

    if (m->node.len != NODE_ID_SIZE || memcmp(m->node.data, node->id, NODE_ID_SIZE) != 0 ||
        m->run.len != NODE_RUN_SIZE || item->fds.count != 1) {
        log_error("what the service manager kept is of another node (its role, name or socket "
                  "was another one): it is dropped, and its clients with it");
        return false;
    }
    int r = state_slots_restore(&node->slots, item->fds.fds[0]);
    if (r < 0) {
        log_error("the state table that the service manager kept cannot be used: %s", strerror(-r));
        return false;
    }
    fd_list_take(&item->fds, 0);
    memcpy(node->run, m->run.data, NODE_RUN_SIZE);
    node->restarts = m->restarts + 1;
    node->last_id = m->next_id;
    node->last_export_id = m->next_export_id;
    representors_remove(node, NULL);
    place_functions(node, m);
    representors_restore(node, NULL, m->representors, m->n_representors);
    keep_take(item, &node->kept);
    return true;
}

// ---- the rest -------------------------------------------------------------------------

// In this order, which is that of the items.
static void (*const restores[])(struct node *, struct keep_item *) = {
    [DOCAD__KEPT__WHAT_PEER] = kept_peer_restore,
    [DOCAD__KEPT__WHAT_CLIENT] = kept_session_restore,
    [DOCAD__KEPT__WHAT_MEMORY] = kept_memory_restore,
    [DOCAD__KEPT__WHAT_REGION] = kept_region_restore,
    [DOCAD__KEPT__WHAT_EXPORT] = kept_export_restore,
    [DOCAD__KEPT__WHAT_IMPORT] = kept_import_restore,
    [DOCAD__KEPT__WHAT_GRANT] = kept_grant_restore,
    [DOCAD__KEPT__WHAT_QUEUE_PAIR] = kept_qpair_restore,
    [DOCAD__KEPT__WHAT_PUBLICATION] = kept_publication_restore,
    [DOCAD__KEPT__WHAT_RDMA] = kept_rdma_restore,
    [DOCAD__KEPT__WHAT_SERVICE] = kept_service_restore,
    [DOCAD__KEPT__WHAT_CHANNEL] = kept_channel_restore,
    [DOCAD__KEPT__WHAT_RELAY] = kept_relay_restore,
};

// Made, and docad died before it was passed on.
static bool is_unrelayed(const struct channel *channel)
{
    return channel->peer->no_descriptors && !channel->relay;
}

// What lost the other half while docad was away ends now.
static void settle(struct node *node)
{
    struct import *import, *next;
    struct channel *channel, *next_channel;

    kept_memories_settle(node);
    kept_rdma_settle(node);
    list_for_each_safe (import, next, &node->imports, link) {
        if (import->state == SLOT_LIVE && !import->grant && !import->peer)
            import_end(import, SLOT_OWNER_GONE, NULL);
    }
    do {
        next_channel = NULL;
        list_for_each (channel, &node->channels, link) {
            if (!channel->other && (!channel->peer || is_unrelayed(channel)))
                next_channel = channel;
        }
        channel_free(next_channel);
    } while (next_channel);
}

static void greet_sessions(struct node *node)
{
    Docad__Resumed resumed = DOCAD__RESUMED__INIT;
    Docad__Message message = DOCAD__MESSAGE__INIT;
    struct session *session;

    resumed.restart = node->restarts;
    message.body_case = DOCAD__MESSAGE__BODY_RESUMED;
    message.resumed = &resumed;
    list_for_each (session, &node->sessions, link)
        connection_send(session->connection, &message, NULL, 0);
}

static void begin(struct node *node)
{
    node->keeping = true;
    node->reserved_id = node->last_id;
    node->reserved_export_id = node->last_export_id;
    restart_reserve_ids(node);
}

void restart_restore(struct node *node, struct keep_items *items)
{
    size_t i = 0, lost = 0;

    if (!keep_is_on()) {
        keep_items_free(items);
        return;
    }
    keep_sort(items);
    bool again = items->count && items->items[0].record->what_case == DOCAD__KEPT__WHAT_NODE &&
                 restore_node(node, &items->items[0]);
    for (i = 1; again && i < items->count; i++) {
        size_t kind = items->items[i].record->what_case;
        if (kind < ARRAY_SIZE(restores) && restores[kind])
            restores[kind](node, &items->items[i]);
        lost += !items->items[i].taken;
    }
    if (!again) {
        keep_items_free(items);
        begin(node);
        return;
    }
    settle(node);
    state_slots_settle(&node->slots);
    engine_resume(node->engine);
    log_info("restart %u: %u sessions and %zu objects taken up, %zu lost", node->restarts,
             node->n_sessions, items->count - lost, lost);
    keep_items_free(items);
    begin(node);
    greet_sessions(node);
}

// ---- requests that come again ---------------------------------------------------------

#define UNDO(session, list, type, member, how)                                                     \
    do {                                                                                           \
        struct type *undo_it, *undo_next;                                                          \
        list_for_each_safe (undo_it, undo_next, list, member) {                                    \
            if (undo_it->kept.serial == serial)                                                    \
                how;                                                                               \
        }                                                                                          \
    } while (0)

static void undo(struct session *session, uint64_t serial)
{
    struct node *node = session->node;

    UNDO(session, &session->channels, channel, session_link, {
        channel_free(undo_it);
        break; // the other part, which goes too, may be the next
    });
    UNDO(session, &session->services, channel_service, session_link, channel_service_free(undo_it));
    UNDO(session, &session->imports, import, session_link, import_free(undo_it));
    UNDO(session, &session->rdma_endpoints, rdma_endpoint, session_link,
         rdma_endpoint_free(undo_it));
    UNDO(session, &session->qpairs, qpair, session_link, qpair_free(undo_it));
    UNDO(session, &node->exports, export, link, {
        if (undo_it->region->session == session)
            export_end(undo_it, SLOT_OWNER_GONE, NULL);
    });
    UNDO(session, &session->regions, region, session_link,
         region_free(undo_it, SLOT_OWNER_GONE, NULL));
    publications_undo(node, session->id, serial);
}

static bool counts(Docad__Message__BodyCase body)
{
    return body == DOCAD__MESSAGE__BODY_FUNCTION_OPEN ||
           body == DOCAD__MESSAGE__BODY_FUNCTION_CLOSE ||
           body == DOCAD__MESSAGE__BODY_REPRESENTOR_OPEN ||
           body == DOCAD__MESSAGE__BODY_REPRESENTOR_CLOSE;
}

bool restart_undo(struct session *session, const Docad__Message *request)
{
    if (counts(request->body_case))
        return session->kept.serial == request->serial;
    undo(session, request->serial);
    return false;
}

bool restart_was_done(const Docad__Message *request, doca_error_t error)
{
    switch (request->body_case) {
    case DOCAD__MESSAGE__BODY_REGION_UNREGISTER:
    case DOCAD__MESSAGE__BODY_IMPORT_RELEASE:
    case DOCAD__MESSAGE__BODY_QUEUE_PAIR_DESTROY:
    case DOCAD__MESSAGE__BODY_RDMA_ENDPOINT_DESTROY:
    case DOCAD__MESSAGE__BODY_CHANNEL_CLOSE:
    case DOCAD__MESSAGE__BODY_UNPUBLISH:
    case DOCAD__MESSAGE__BODY_EXPORT_REVOKE:
        return error == DOCA_ERROR_NOT_FOUND;
    default:
        return false;
    }
}

// ---- the end --------------------------------------------------------------------------

// What is left of the node: leak checkers need not look at it.
static struct node *left;

void restart_leave(struct node *node)
{
    left = node;
    engine_stop(node->engine);
    node_stop_listening(node);
    log_info("leaving %u sessions to the next docad", left->n_sessions);
}
