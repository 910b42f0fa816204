// SPDX-License-Identifier: BSD-3-Clause
// Copyright (c) 2026, the docad authors
//
// Imports an event by its descriptor: an event of another process, or this process's own,
// to reach it as others do.

#include "sync_event.h"

#include "memfd.h"
#include "queue/broker.h"

#include <string.h>

static doca_error_t nonsense(struct errtext *err, const char *what)
{
    return errtext_set(err, DOCA_ERROR_DRIVER, "docad describes the event wrongly: %s", what);
}

// The queue pairs through which the counter is reached.
static doca_error_t use_engine(struct doca_sync_event *event, const Docad__ImportCreateReply *r,
                               struct errtext *err)
{
    struct se_broker *broker = &event->broker;
    struct session *session = event->import.session;

    if (r->length != SYNC_VALUE_SIZE || r->owner_node.len != NODE_ID_SIZE)
        return nonsense(err, "its counter is not valid");
    doca_error_t e = broker_node_get(session, r->owner_node.data, &broker->node, err);
    if (e == DOCA_SUCCESS)
        e = broker_queue_new(&broker->queue, session, r->owner_node.data, -1, err);
    if (e != DOCA_SUCCESS)
        return e;
    broker->address = r->address;
    broker->key = r->grant_key;
    // From then on no process touches the memory directly any more.
    pthread_mutex_lock(&broker->turn);
    atomic_store_explicit(&event->reach, SE_ENGINE, memory_order_release);
    pthread_mutex_unlock(&broker->turn);
    return DOCA_SUCCESS;
}

// Over a link between machines there is no page, only the lifeline.
static doca_error_t take_lifeline(struct doca_sync_event *event, struct fd_list *fds,
                                  struct errtext *err)
{
    event->far = true;
    event->import.lifeline = fd_list_take(fds, 0);
    return se_page_new(event, err);
}

static doca_error_t take_page(struct doca_sync_event *event, struct fd_list *fds,
                              struct errtext *err)
{
    event->page_fd = fd_list_take(fds, 0);
    event->timer = fd_list_take(fds, 1);
    event->shared = true;
    event->import.lifeline = fd_list_take(fds, 2);
    if (event->import.lifeline < 0 || fds->count != 3)
        return nonsense(err, "a descriptor is missing, or one too many");
    if (!sync_timer_is(event->timer))
        return nonsense(err, "its timer is not valid");
    if (memfd_check(event->page_fd, SYNC_PAGE_SIZE, 1) < 0)
        return nonsense(err, "its page is not valid");
    doca_error_t e = se_page_map(event, err);
    if (e != DOCA_SUCCESS)
        return e;
    if (event->page->magic != SYNC_PAGE_MAGIC || event->page->version != SYNC_PAGE_VERSION)
        return errtext_set(err, DOCA_ERROR_UNSUPPORTED_VERSION,
                           "the event's page is of another version; upgrade the older side");
    event->word = &event->page->value;
    return DOCA_SUCCESS;
}

static doca_error_t take_reply(struct doca_sync_event *event, const Docad__ImportCreateReply *r,
                               struct fd_list *fds, struct errtext *err)
{
    struct se_import *import = &event->import;
    doca_error_t e = DOCA_SUCCESS;

    import->table = session_state_table(import->session);
    if (r->state_slot >= import->table->slots)
        return nonsense(err, "its state slot is not in the state table");
    import->slot = r->state_slot;
    if (event->imported && fds->count == 1 && !r->has_memfd)
        e = take_lifeline(event, fds, err);
    else if (event->imported)
        e = take_page(event, fds, err);
    if (e == DOCA_SUCCESS && !r->has_memfd)
        e = use_engine(event, r, err);
    return e;
}

doca_error_t se_import_begin(struct doca_sync_event *event, struct doca_dev *dev,
                             const uint8_t *data, size_t size, struct errtext *err)
{
    cleanup_message Docad__Message *reply = NULL;
    cleanup_fdlist struct fd_list fds = FD_LIST_EMPTY;
    Docad__ImportCreate ask = DOCAD__IMPORT_CREATE__INIT;
    struct session *session = dev_session(dev);

    ask.descriptor = (ProtobufCBinaryData){size, (uint8_t *)data};
    ask.function_id = dev_function(dev)->id;
    ask.sync_event = true;
    doca_error_t e = session_call(session, message_of(IMPORT_CREATE, import_create, &ask), NULL, 0,
                                  &reply, &fds, err);
    if (e != DOCA_SUCCESS)
        return e;
    if (reply->body_case != DOCAD__MESSAGE__BODY_IMPORT_CREATE_REPLY)
        return nonsense(err, "its answer has the wrong type");
    // From here on docad has the import: release it whatever happens.
    event->import.session = session_ref(session);
    event->import.id = reply->import_create_reply->import_id;
    e = take_reply(event, reply->import_create_reply, &fds, err);
    if (e != DOCA_SUCCESS)
        se_import_end(event);
    return e;
}

void se_import_end(struct doca_sync_event *event)
{
    struct se_import *import = &event->import;
    Docad__ImportRelease ask = DOCAD__IMPORT_RELEASE__INIT;

    event->broker.queue = broker_queue_free(event->broker.queue);
    event->broker.node = broker_node_put(event->broker.node);
    close_fdp(&import->lifeline);
    if (!import->session)
        return;
    ask.import_id = import->id;
    // If docad has ended, the import has ended, too.
    session_call(import->session, message_of(IMPORT_RELEASE, import_release, &ask), NULL, 0, NULL,
                 NULL, NULL);
    import->session = session_unref(import->session);
}
