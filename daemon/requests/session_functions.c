// SPDX-License-Identifier: BSD-3-Clause
// Copyright (c) 2026, the docad authors
//
// Requests about functions and representors.

#include "config_cards.h"
#include "node.h"
#include "representor.h"
#include "session_representors.h"
#include "session_requests.h"

#include <string.h>

doca_error_t on_function_list(struct request *request)
{
    const struct node *node = request->session->node;
    struct function_messages functions;
    struct card_messages cards;
    Docad__FunctionListReply reply = DOCAD__FUNCTION_LIST_REPLY__INIT;

    size_t n = functions_to_messages(node->functions, node->n_functions, true, &functions);
    reply.functions = functions.list;
    reply.n_functions = n;
    cards_name(node->config, functions.list, n);
    reply.cards = cards.list;
    reply.n_cards = cards_to_messages(node->config, &cards);
    return request_reply(request, message_of(FUNCTION_LIST_REPLY, function_list_reply, &reply));
}

// Stores the open functions and representors, with the request that changed them.
static void changed(struct session *session)
{
    struct errtext err;
    session->stored.serial = session->serial;
    fdstore_note(session_keep(session, &err), &err);
}

doca_error_t on_function_open(struct request *request)
{
    struct session *session = request->session;
    uint32_t id = request->message->function_open->function_id;
    const struct function *f;

    doca_error_t r = node_ask_function(session->node, id, &f, request->err);
    if (r == DOCA_SUCCESS)
        r = policy_open(&session->node->config->policy, &session->credentials, f, request->err);
    if (r != DOCA_SUCCESS)
        return r;
    if (session->open[f->id - 1] == UINT32_MAX)
        return errtext_set(request->err, DOCA_ERROR_FULL, "function %s: opened too many times",
                           f->name);
    session->open[f->id - 1]++;
    changed(session);
    return request_reply_ok(request);
}

doca_error_t on_function_close(struct request *request)
{
    struct session *session = request->session;
    uint32_t id = request->message->function_close->function_id;

    if (id == 0 || id > session->node->n_functions)
        return errtext_set(request->err, DOCA_ERROR_NOT_FOUND,
                           "function %u: node %s has none with this id", id,
                           session->node->config->name);
    // This also works for a function that was removed in the meantime.
    if (session->open[id - 1] == 0)
        return errtext_set(request->err, DOCA_ERROR_BAD_STATE,
                           "function %u: not open in this session", id);
    session->open[id - 1]--;
    changed(session);
    return request_reply_ok(request);
}

// ---- representors ------------------------------------------------------------------------

doca_error_t on_representor_list(struct request *request)
{
    struct session *session = request->session;
    const struct function *f;
    const struct representor *r;
    size_t n = 0;

    doca_error_t code = session_open_function(
        session, request->message->representor_list->function_id, &f, request->err);
    if (code != DOCA_SUCCESS)
        return code;
    if (!f->can_list_reps)
        return errtext_set(request->err, DOCA_ERROR_NOT_SUPPORTED,
                           "function %s has no representors; PFs of a DPU have them", f->name);
    list_for_each (r, &session->node->representors, in_node)
        n += r->parent == f;
    Docad__Representor *items = calloc(n + 1, sizeof(*items));
    Docad__Representor **list = calloc(n + 1, sizeof(*list));
    if (items && list) {
        Docad__RepresentorListReply reply = DOCAD__REPRESENTOR_LIST_REPLY__INIT;
        list_for_each (r, &session->node->representors, in_node) {
            if (r->parent != f)
                continue;
            list[reply.n_representors] = &items[reply.n_representors];
            representor_to_message(r, &items[reply.n_representors++]);
        }
        reply.representors = list;
        request_reply(request, message_of(REPRESENTOR_LIST_REPLY, representor_list_reply, &reply));
    } else {
        code = errtext_set(request->err, DOCA_ERROR_NO_MEMORY, "docad is out of memory");
    }
    free(items);
    free(list);
    return code;
}

doca_error_t on_representor_open(struct request *request)
{
    struct session *session = request->session;
    uint32_t id = request->message->representor_open->representor_id;
    const struct representor *r = representor_find(session->node, id);
    const struct function *parent;

    if (!r)
        return errtext_set(request->err, DOCA_ERROR_NOT_FOUND,
                           "representor %u: it does not exist, or its host is gone", id);
    doca_error_t code = session_open_function(session, r->parent->id, &parent, request->err);
    if (code == DOCA_SUCCESS)
        code = session_open_representor(session, id, r->name, request->err);
    if (code != DOCA_SUCCESS)
        return code;
    changed(session);
    return request_reply_ok(request);
}

doca_error_t on_representor_close(struct request *request)
{
    struct session *session = request->session;
    uint32_t id = request->message->representor_close->representor_id;

    if (!session_close_representor(session, id))
        return errtext_set(request->err, DOCA_ERROR_BAD_STATE,
                           "representor %u: not open in this session", id);
    changed(session);
    return request_reply_ok(request);
}
