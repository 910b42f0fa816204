// SPDX-License-Identifier: BSD-3-Clause
// Copyright (c) 2026, the docad authors
//
// Objects to records and back. Each kept_X() puts the object as it is now; each
// kept_X_restore() makes it from a record, or leaves the item untaken if what it belongs to
// is not there.

#ifndef DAEMON_KEPT_H
#define DAEMON_KEPT_H

#include "keep.h"

struct channel;
struct channel_service;
struct export;
struct grant;
struct import;
struct node;
struct peer;
struct process_memory;
struct publication;
struct qpair;
struct rdma_endpoint;
struct region;
struct session;

// Of a session.
void kept_init(Docad__Kept *record, uint64_t id, const struct session *session,
               const struct kept *kept);
struct session *kept_session_of(const struct node *node, const struct keep_item *item);

// kept_memory.c
void kept_memory(struct process_memory *memory);
void kept_region(struct region *region);
void kept_export(struct export *export);
void kept_import(struct import *import);
void kept_grant(struct grant *grant);
void kept_memory_restore(struct node *node, struct keep_item *item);
void kept_region_restore(struct node *node, struct keep_item *item);
void kept_export_restore(struct node *node, struct keep_item *item);
void kept_import_restore(struct node *node, struct keep_item *item);
void kept_grant_restore(struct node *node, struct keep_item *item);
// Memories that no region or session has taken up.
void kept_memories_settle(struct node *node);

// Whose grants and queue pairs.
struct importer;
void kept_importer(const struct importer *importer, Docad__KeptImporter *out);
struct importer *kept_importer_find(struct node *node, const Docad__KeptImporter *record);

// kept_queues.c
// With what the client gets, if this node serves it.
void kept_qpair(struct qpair *qp, const int *client_fds);
void kept_rdma(struct rdma_endpoint *endpoint);
void kept_qpair_restore(struct node *node, struct keep_item *item);
void kept_rdma_restore(struct node *node, struct keep_item *item);
void kept_rdma_settle(struct node *node);

// kept_links.c
void kept_peer(struct peer *peer);
void kept_publication(struct publication *publication);
void kept_service(struct channel_service *service);
void kept_channel(struct channel *channel);
void kept_peer_restore(struct node *node, struct keep_item *item);
void kept_publication_restore(struct node *node, struct keep_item *item);
void kept_service_restore(struct node *node, struct keep_item *item);
void kept_channel_restore(struct node *node, struct keep_item *item);

// kept_session.c
void kept_session(struct session *session);
void kept_session_restore(struct node *node, struct keep_item *item);

#endif
