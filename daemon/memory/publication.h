// SPDX-License-Identifier: BSD-3-Clause
// Copyright (c) 2026, the docad authors
//
// The directory: export descriptors under names, those published on this node and those
// that linked nodes have told of; and the lookups that wait for a name.
//
// A name goes when its export goes, wherever that lives.

#ifndef DAEMON_PUBLICATION_H
#define DAEMON_PUBLICATION_H

#include "export_desc.h"
#include "keep.h"
#include "list.h"
#include "message.h"

struct event;
struct node;
struct peer;
struct session;
struct user;

#define PUBLICATION_NAME_SIZE 256

struct publication {
    struct list link;
    uint64_t id;
    char name[PUBLICATION_NAME_SIZE];
    struct export_desc desc;
    uint8_t descriptor[EXPORT_DESC_SIZE_MAX];
    size_t descriptor_size;
    struct peer *origin; // the linked node it was published on, NULL: this one
    struct user *user;   // who published it here
    bool stale;          // until the linked node has told of it again
    uint64_t session_id; // of who published it here
    struct kept kept;
};

// Publishes on this node and tells the linked ones. DOCA_ERROR_ALREADY_EXIST if the name
// is taken.
doca_error_t publication_new(struct session *session, const Docad__Publish *request,
                             struct errtext *err);

// A client takes back a name of this node.
doca_error_t publication_remove(struct session *session, const char *name, struct errtext *err);

// The export has gone, and with it its names.
void publication_export_gone(struct node *node, const uint8_t owner[NODE_ID_SIZE],
                             uint64_t export_id);

// The owner refused the descriptor: if it was because the export is no more, so are names
// published here for it.
void publication_refused(struct node *node, const struct export_desc *desc, doca_error_t code);

// ---- linked nodes ----------------------------------------------------------------------

void publications_announce_all(struct node *node, struct peer *peer);
void publication_from_peer(struct node *node, struct peer *peer, const Docad__PeerPublish *m);
// Also tells that an export of that node has gone which was published here.
void publication_gone_at_peer(struct node *node, struct peer *peer, const char *name);
// Its names are another peer's from now on, the same node's.
void publications_adopt(struct peer *to, struct peer *from);
// The link went down: what was published there is out of reach.
void publications_forget(struct node *node, const struct peer *peer);
void publications_free_all(struct node *node);

// The link is up again: what the node does not tell of until the sweep is no more.
void publications_mark(struct node *node, const struct peer *peer);
void publications_sweep(struct node *node, const struct peer *peer);

// ---- restarts ----------------------------------------------------------------------------

// NULL if it is none, or memory is short.
struct publication *publication_restore(struct node *node, uint64_t id, const char *name,
                                        const ProtobufCBinaryData *descriptor, uint32_t uid);
// What this request of the session published.
void publications_undo(struct node *node, uint64_t session_id, uint64_t serial);

// ---- lookups ---------------------------------------------------------------------------

struct lookup {
    struct list link, session_link;
    struct session *session;
    uint64_t serial;
    uint32_t timeout_ms;
    struct event *timer;
    char name[PUBLICATION_NAME_SIZE];
};

// Answers now, or when the name is published; or how it failed when the time is up. Only
// if DOCA_SUCCESS is returned.
doca_error_t lookup_begin(struct session *session, uint64_t serial, const Docad__Lookup *request,
                          struct errtext *err);
struct lookup *lookup_free(struct lookup *lookup); // takes NULL, returns NULL

// Answers those that wait for the name.
void lookups_answer(struct node *node, const struct publication *publication);

// How a name is found: published here first. NULL if there is none.
struct publication *publication_find(const struct node *node, const char *name);

#endif
