// SPDX-License-Identifier: BSD-3-Clause
// Copyright (c) 2026, the docad authors

#include "restart.h"

#include "cleanup.h"
#include "connection.h"
#include "engine.h"
#include "log.h"
#include "node.h"
#include "object.h"
#include "representor.h"
#include "session.h"

#include <inttypes.h>
#include <string.h>

// ---- the node -------------------------------------------------------------------------

void restart_keep_node(struct node *node)
{
    Docad__NodeRecord what = DOCAD__NODE_RECORD__INIT;
    struct errtext err;
    Docad__Record record;
    Docad__NameRecord functions[FUNCTIONS_MAX], *list[FUNCTIONS_MAX];
    Docad__NameRecord names[FUNCTIONS_MAX], *representors[FUNCTIONS_MAX];

    what.node = record_bytes(node->id, NODE_ID_SIZE);
    what.run = record_bytes(node->run, NODE_RUN_SIZE);
    what.restarts = node->restarts;
    what.next_id = node->reserved_id;
    what.next_export_id = node->reserved_export_id;
    for (size_t i = 0; i < node->n_functions; i++) {
        list[i] = &functions[i];
        docad__name_record__init(list[i]);
        list[i]->id = node->functions[i].id;
        list[i]->name = node->functions[i].name;
        if (node->functions[i].backing == DOCAD__BACKING__VERBS)
            list[i]->ibdev = node->functions[i].ibdev;
    }
    what.functions = list;
    what.n_functions = node->n_functions;
    what.n_representors = representors_to_names(node, NULL, names, representors);
    what.representors = representors;
    record_init(&record, 1, 0, &node->stored);
    record.what_case = DOCAD__RECORD__WHAT_NODE;
    record.node = &what;
    const int *fds = node->stored.place ? NULL : &node->slots.memfd;
    fdstore_note(fdstore_put(&node->stored, &record, NULL, fds, 1, &err), &err);
}

static void restore_function(struct function *old, const Docad__NameRecord *m)
{
    copy_text(old->name, m->name);
    copy_text(old->ibdev, m->ibdev);
    old->backing = old->ibdev[0] ? DOCAD__BACKING__VERBS : DOCAD__BACKING__SHM;
}

// Functions keep their ids; functions that are no longer in the configuration end as in a
// reload.
static void place_functions(struct node *node, const Docad__NodeRecord *m)
{
    struct function old[FUNCTIONS_MAX];
    memset(old, 0, sizeof(old));
    for (size_t i = 0; i < m->n_functions; i++)
        if (m->functions[i]->id - 1 < FUNCTIONS_MAX)
            restore_function(&old[m->functions[i]->id - 1], m->functions[i]);
    node_place_functions(node, old,
                         m->n_functions < FUNCTIONS_MAX ? m->n_functions : FUNCTIONS_MAX);
}

static bool restore_node(struct node *node, struct stored_item *item)
{
    const Docad__NodeRecord *m = item->record->node;

    if (m->node.len != NODE_ID_SIZE || memcmp(m->node.data, node->id, NODE_ID_SIZE) != 0 ||
        m->run.len != NODE_RUN_SIZE || item->fds.count != 1) {
        log_error("the service manager kept the objects of another node (with another role, name "
                  "or socket): they are dropped, together with their clients");
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
    fdstore_take(item, &node->stored, NULL);
    return true;
}

// ---- the rest -------------------------------------------------------------------------

static bool exists(const struct node *node, const Docad__Record *record)
{
    return record->what_case == DOCAD__RECORD__WHAT_CLIENT
               ? node_session(node, record->id) != NULL
               : object_find(node, record->what_case, record->id) != NULL;
}

static void restore(struct node *node, struct stored_item *item)
{
    const Docad__Record *record = item->record;
    bool is_new = record->what_case < OBJECT_KINDS && !exists(node, record);
    for (const struct object_kind *const *kind = node->kinds; is_new && *kind; kind++)
        if ((*kind)->restore && (*kind)->record == record->what_case)
            (*kind)->restore(node, item);
    if (!item->taken)
        log_limited(LOG_LEVEL_WARNING,
                    "object %" PRIu64 " (kind %d, of session %" PRIu64
                    ") is not restored: what it belongs to is gone, or its record is not valid",
                    record->id, (int)record->what_case, record->session);
}

bool restart_restore_record(struct node *node, const void *bytes, size_t size, struct fd_list *fds)
{
    struct stored_item item = {.record = record_read(bytes, size, fds->count), .fds = *fds};
    fds->count = 0;
    if (item.record)
        restore(node, &item);
    else
        log_limited(LOG_LEVEL_WARNING, "a record of %zu bytes is not valid", size);
    stored_item_free(&item);
    return item.taken;
}

static void resume_sessions(struct node *node)
{
    Docad__Resumed resumed = DOCAD__RESUMED__INIT;
    Docad__Message message = DOCAD__MESSAGE__INIT;
    struct session *session;

    resumed.restart = node->restarts;
    message.body_case = DOCAD__MESSAGE__BODY_RESUMED;
    message.resumed = &resumed;
    list_for_each (session, &node->sessions, in_node)
        connection_send(session->connection, &message, NULL, 0);
}

void restart_restore(struct node *node, struct stored_items *items)
{
    size_t i = 0, lost = 0;

    if (!fdstore_is_on()) {
        fdstore_items_free(items);
        return;
    }
    bool again = items->count && items->items[0].record->what_case == DOCAD__RECORD__WHAT_NODE &&
                 restore_node(node, &items->items[0]);
    for (i = 1; again && i < items->count; i++) {
        restore(node, &items->items[i]);
        lost += !items->items[i].taken;
    }
    fdstore_begin(node->base);
    if (!again) {
        fdstore_items_free(items);
        node_begin_to_keep(node);
        return;
    }
    KINDS_CALL(node, settle,
               node); // ends objects whose other half ended while docad was not running
    state_slots_settle(&node->slots);
    engine_resume(node->engine);
    log_info("restart %u: %u sessions and %zu objects restored, %zu lost", node->restarts,
             node->n_sessions, items->count - lost, lost);
    fdstore_items_free(items);
    node_begin_to_keep(node);
    resume_sessions(node);
}

// ---- the end --------------------------------------------------------------------------

// The node of the parent process: leak checkers must not report it.
static struct node *left;

void restart_leave(struct node *node)
{
    left = node;
    engine_stop(node->engine);
    log_info("leaving %u sessions to the next docad", left->n_sessions);
}
