// SPDX-License-Identifier: BSD-3-Clause
// Copyright (c) 2026, the docad authors

#include "object.h"

#include "node.h"
#include "session.h"
#include "trim.h"
#include "user.h"

#include <assert.h>
#include <limits.h>

void object_init(struct object *object, Docad__Record__WhatCase kind, struct node *node,
                 struct session *session)
{
    assert(kind < OBJECT_KINDS);
    object->kind = kind;
    object->node = node;
    object->session = session;
    object->slot = STATE_SLOT_NONE;
    list_init(&object->in_session);
}

// The list of its owner's user; NULL if there is none.
static struct idmap *user_list(const struct object *object)
{
    static const uint8_t lists[OBJECT_KINDS] = {
        [DOCAD__RECORD__WHAT_REGION] = 1 + USER_REGIONS,
        [DOCAD__RECORD__WHAT_EXPORT] = 1 + USER_EXPORTS,
        [DOCAD__RECORD__WHAT_IMPORT] = 1 + USER_IMPORTS,
        [DOCAD__RECORD__WHAT_QUEUE_PAIR] = 1 + USER_QUEUE_PAIRS,
        [DOCAD__RECORD__WHAT_RDMA] = 1 + USER_ENDPOINTS,
        [DOCAD__RECORD__WHAT_SERVICE] = 1 + USER_SERVICES,
        [DOCAD__RECORD__WHAT_CHANNEL] = 1 + USER_CHANNELS,
        [DOCAD__RECORD__WHAT_LISTENER] = 1 + USER_LISTENERS,
    };
    unsigned list = lists[object->kind];
    return object->session && list ? &object->session->user->lists[list - 1] : NULL;
}

doca_error_t object_enter(struct object *object, uint64_t id, const struct charge *charges,
                          size_t n_charges, const struct limits *limits, struct errtext *err)
{
    struct objects *all = &object->node->objects[object->kind];

    assert(n_charges <= OBJECT_CHARGES);
    doca_error_t r = limit_take_all(limits, charges, n_charges, err);
    if (r != DOCA_SUCCESS)
        return r;
    for (; object->n_charges < n_charges; object->n_charges++)
        object->charges[object->n_charges] = charges[object->n_charges];
    object->id = id;
    idmap_add(&all->by_id, &object->by_id, id);
    list_append(&all->list, &object->in_node);
    if (object->session)
        list_append(&object->session->objects[object->kind], &object->in_session);
    if (user_list(object))
        idmap_add(user_list(object), &object->by_user, id);
    return DOCA_SUCCESS;
}

void object_leave(struct object *object)
{
    struct objects *all = &object->node->objects[object->kind];

    fdstore_drop(&object->stored);
    if (object->in_use)
        all->n_in_use--;
    object->in_use = false;
    trim_count(object->node, OBJECT_BYTES);
    idmap_remove(&all->by_id, &object->by_id);
    if (user_list(object))
        idmap_remove(user_list(object), &object->by_user);
    list_remove(&object->in_node);
    list_remove(&object->in_session);
    limit_give_all(object->charges, object->n_charges);
    object->n_charges = 0;
    if (object->slot != STATE_SLOT_NONE)
        session_give_slot(object->session, object->slot);
}

void object_use(struct object *object)
{
    if (!object->in_use)
        object->node->objects[object->kind].n_in_use++;
    object->in_use = true;
}

doca_error_t object_take_slot(struct object *object, struct errtext *err)
{
    return session_take_slot(object->session, &object->slot, err);
}

void object_show(const struct object *object, enum slot_state state)
{
    if (object->slot != STATE_SLOT_NONE)
        state_slot_set(&object->node->slots, object->slot, object->id, state);
}

void object_record(const struct object *object, Docad__Record *record)
{
    record_init(record, object->id, object->session ? object->session->id : 0, &object->stored);
    record->what_case = object->kind;
}

static struct user *user_of(const struct object *object)
{
    return object->session ? object->session->user : NULL;
}

doca_error_t object_put(struct object *object, Docad__Record *record, const int *fds, size_t n_fds,
                        struct errtext *err)
{
    return fdstore_put(&object->stored, record, user_of(object), fds, n_fds, err);
}

void object_take(struct object *object, struct stored_item *item)
{
    fdstore_take(item, &object->stored, user_of(object));
}

struct object *object_find(const struct node *node, Docad__Record__WhatCase kind, uint64_t id)
{
    return idmap_get(&node->objects[kind].by_id, id, struct object, by_id);
}

static struct object *first_of(struct list *list, uint64_t serial)
{
    struct object *object;
    list_for_each (object, list, in_session)
        if (!serial || object->stored.serial == serial)
            return object;
    return NULL;
}

// The end of one object may end others, so the list is read anew each time.
void session_end_objects(struct session *session, uint64_t serial)
{
    for (const struct object_kind *const *kind = session->node->kinds; kind && *kind; kind++) {
        struct list *list = &session->objects[(*kind)->record];
        struct object *object;
        while ((*kind)->end && (object = first_of(list, serial)))
            (*kind)->end(object, &(unsigned){UINT_MAX});
        while (!serial && (*kind)->end_one && (*kind)->end_one(session)) {
        }
        if (serial && (*kind)->undo)
            (*kind)->undo(session, serial);
        if ((*kind)->end_of)
            (*kind)->end_of(session, serial);
    }
}

struct object *session_first_unshown(const struct session *session, Docad__Record__WhatCase kind)
{
    const struct list *list = &session->objects[kind];
    struct object *first =
        list_empty(list) ? NULL : list_entry(list->next, struct object, in_session);
    return first && !first->shown ? first : NULL;
}

void object_shown(struct object *object)
{
    object->shown = true;
    list_remove(&object->in_session);
    list_append(&object->session->objects[object->kind], &object->in_session);
}

static bool show_some(struct session *session, unsigned *steps)
{
    for (const struct object_kind *const *kind = session->node->kinds; kind && *kind; kind++)
        if ((*kind)->owner_gone && !(*kind)->owner_gone(session, steps))
            return false;
    return true;
}

static bool end_some_of(const struct object_kind *kind, struct session *session, unsigned *steps)
{
    struct list *list = &session->objects[kind->record];
    while (kind->end && !list_empty(list)) {
        if (!kind_step(steps))
            return false;
        kind->end(list_entry(list->next, struct object, in_session), steps);
    }
    while (kind->end_one && kind->end_one(session))
        if (!kind_step(steps))
            return false;
    if (kind->end_of)
        kind->end_of(session, 0);
    return true;
}

bool session_end_some(struct session *session, unsigned *steps)
{
    if (!show_some(session, steps))
        return false;
    for (const struct object_kind *const *kind = session->node->kinds; kind && *kind; kind++)
        if (!end_some_of(*kind, session, steps))
            return false;
    return true;
}
