// SPDX-License-Identifier: BSD-3-Clause
// Copyright (c) 2026, the docad authors

#include "node.h"
#include "peer.h"
#include "rdma_listener.h"

static void restore(struct node *node, struct stored_item *item)
{
    const Docad__ListenerRecord *m = item->record->listener;
    struct session *session = node_session(node, item->record->session);

    if (!session || m->function - 1 >= node->n_functions || m->port == 0 || m->port > UINT16_MAX ||
        item->fds.count != 1)
        return;
    struct rdma_listener *listener =
        rdma_listener_make(session, &node->functions[m->function - 1], (uint16_t)m->port);
    if (!listener)
        return;
    listener->accept_fd = fd_list_take(&item->fds, 0);
    rdma_listener_enter(listener, item->record->id, NULL, NULL);
    object_take(&listener->object, item);
}

static void end(struct object *object, unsigned *steps)
{
    (void)steps;
    rdma_listener_free(container_of(object, struct rdma_listener, object));
}

static void function_gone(struct node *node, const struct function *function, enum slot_state state)
{
    struct rdma_listener *listener;

    (void)state;
    list_for_each (listener, NODE_OBJECTS(node, LISTENER), object.in_node)
        if (listener->function == function)
            rdma_listener_end(listener);
}

doca_error_t rdma_listener_keep(struct rdma_listener *listener, struct errtext *err)
{
    Docad__ListenerRecord what = DOCAD__LISTENER_RECORD__INIT;
    Docad__Record record;

    if (!fdstore_is_on())
        return DOCA_SUCCESS;
    what.function = listener->function->id;
    what.port = listener->port;
    object_record(&listener->object, &record);
    record.listener = &what;
    return object_put(&listener->object, &record, &listener->accept_fd, 1, err);
}

static const struct kind_request requests[] = {
    {DOCAD__MESSAGE__BODY_RDMA_LISTEN, "RdmaListen", on_rdma_listen},
    {DOCAD__MESSAGE__BODY_RDMA_LISTEN_END, "RdmaListenEnd", on_rdma_listen_end},
    {DOCAD__MESSAGE__BODY_RDMA_CALL, "RdmaCall", on_rdma_call},
    {0},
};

static const struct kind_message messages[] = {
    {DOCAD__MESSAGE__BODY_PEER_RDMA_CALL, rdma_peer_call},
    {0},
};

const struct object_kind listener_kind = {.requests = requests,
                                          .messages = messages,
                                          .record = DOCAD__RECORD__WHAT_LISTENER,
                                          .restore = restore,
                                          .end = end,
                                          .function_gone = function_gone,
                                          .adopt = rdma_callers_adopt,
                                          .gone = rdma_callers_peer_gone};
