// SPDX-License-Identifier: BSD-3-Clause
// Copyright (c) 2026, the docad authors
//
// A page of a list for tools, while it is being filled.

#ifndef DAEMON_LIST_PAGE_H
#define DAEMON_LIST_PAGE_H

#include "node.h"
#include "owned_name.h"
#include "session.h"
#include "user.h"

#define LIST_PAGE_ITEMS        100
#define LIST_PAGE_EXAMINED_MAX (2 * LIST_PAGE_ITEMS) // objects that are examined for one page
#define LIST_PAGE_BYTES        (PACKET_SIZE_MAX / 2) // no further item is added beyond this size
#define LIST_NAMES_MAX         16                    // of one export
#define LIST_IMPORTERS_MAX     32                    // of one export

// An item of a page, with the data that its message points to.
struct list_item {
    union {
        Docad__SessionInfo session;
        Docad__RegionInfo region;
        Docad__ExportInfo export;
        Docad__PeerInfo peer;
        Docad__Representor representor;
        Docad__PublicationInfo publication;
        Docad__QueuePairInfo qpair;
        Docad__ImportInfo import;
        Docad__ServiceInfo service;
        Docad__ChannelInfo channel;
        Docad__RdmaListenerInfo listener;
    };
    union {
        char text[160];
        struct {
            char owner_node[NODE_ID_TEXT_SIZE];
            Docad__Audience to;
        };
        struct {
            char peer_node[NODE_ID_TEXT_SIZE];
            Docad__QuotaInfo quotas[LIMIT_COUNT];
            Docad__QuotaInfo *quota_list[LIMIT_COUNT];
        };
        struct {
            char *functions[FUNCTIONS_MAX];
            char *names[LIST_NAMES_MAX];
            Docad__ImporterInfo importers[LIST_IMPORTERS_MAX], handed_on_by;
            Docad__ImporterInfo *importer_list[LIST_IMPORTERS_MAX];
        };
    };
};

struct list_page {
    const struct session *session; // of the request
    uint64_t after;
    struct list_item items[LIST_PAGE_ITEMS];
    void *list[LIST_PAGE_ITEMS];
    // Names that other users have published. A page has no more bytes of them than of all.
    char names[LIST_PAGE_BYTES + LIST_NAMES_MAX * OWNED_NAME_SIZE];
    size_t names_used;
    size_t n, bytes, examined;
    uint64_t seen; // id of the last object that was examined
    uint64_t last;
    bool more;
};

// Returns whether the page ends before this object: it is full, or many objects were examined that
// the user may not see. Then the next page begins here.
static inline bool list_page_ends(struct list_page *page, uint64_t id)
{
    if (page->more)
        return true;
    if (page->examined++ == LIST_PAGE_EXAMINED_MAX) {
        page->more = true;
        page->last = page->seen;
        return true;
    }
    page->session->node->counters.list_looks++;
    page->seen = id;
    return false;
}

// The object with the smallest id above this, of those of the session's user; NULL if there is
// none. Root and docad's uid see those of all users.
static inline struct object *list_page_object(const struct list_page *page,
                                              Docad__Record__WhatCase kind, enum user_list list,
                                              uint64_t after)
{
    const struct session *s = page->session;
    return session_is_privileged(s)
               ? idmap_entry(idmap_after(&s->node->objects[kind].by_id, after), struct object,
                             by_id)
               : idmap_entry(idmap_after(&s->user->lists[list], after), struct object, by_user);
}

static inline struct session *list_page_session(const struct list_page *page, uint64_t after)
{
    const struct session *s = page->session;
    return session_is_privileged(s)
               ? idmap_entry(idmap_after(&s->node->sessions_by_id, after), struct session, by_id)
               : idmap_entry(idmap_after(&s->user->lists[USER_SESSIONS], after), struct session,
                             by_user);
}

// Walks the objects of a kind ("REGION", with the list USER_REGIONS) that may be on this page.
#define list_page_for_each(page, pos, kind, list)                                                  \
    for (struct object *at_ =                                                                      \
             list_page_object(page, DOCAD__RECORD__WHAT_##kind, list, (page)->after);              \
         at_ && ((pos) = container_of(at_, __typeof__(*(pos)), object), true);                     \
         at_ = list_page_object(page, DOCAD__RECORD__WHAT_##kind, list, at_->id))                  \
        if (list_page_ends(page, at_->id))                                                         \
            break;                                                                                 \
        else

// Returns the next free item if the object belongs on this page; otherwise NULL, and then the
// page may be full.
static inline struct list_item *list_page_next(struct list_page *page, uint64_t id,
                                               const struct session *owner)
{
    if (id <= page->after || (owner && !session_may_see(page->session, owner)))
        return NULL;
    if (page->n == LIST_PAGE_ITEMS || page->bytes > LIST_PAGE_BYTES) {
        page->more = true;
        return NULL;
    }
    page->last = id;
    page->list[page->n] = &page->items[page->n];
    return &page->items[page->n++];
}

static inline void list_page_added(struct list_page *page, const void *message)
{
    page->bytes += protobuf_c_message_get_packed_size(message) + 4;
}

// session_queues.c
void list_qpairs(struct list_page *page);
void list_work_queues(struct list_page *page);
void list_rdma_endpoints(struct list_page *page);

// session_lists.c: `text` is room for the name of an unknown node.
const char *list_node_name(const struct node *node, const uint8_t id[NODE_ID_SIZE],
                           char text[NODE_ID_TEXT_SIZE]);

#endif
