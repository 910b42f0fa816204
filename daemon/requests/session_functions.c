// SPDX-License-Identifier: BSD-3-Clause
// Copyright (c) 2026, the docad authors
//
// Requests about functions and representors.

#include "config.h"
#include "node.h"
#include "representor.h"
#include "session_representors.h"
#include "session_requests.h"

#include <string.h>

SESSION_REQUEST(on_function_list)
{
    const struct node *node = session->node;
    struct function_messages functions;
    Docad__FunctionListReply reply = DOCAD__FUNCTION_LIST_REPLY__INIT;
    Docad__Message message = DOCAD__MESSAGE__INIT;
    (void)fds;
    (void)err;

    size_t n = functions_to_messages(node->functions, node->n_functions, true, &functions);
    reply.functions = functions.list;
    reply.n_functions = n;
    message.body_case = DOCAD__MESSAGE__BODY_FUNCTION_LIST_REPLY;
    message.function_list_reply = &reply;
    session_reply(session, request->serial, &message, NULL, 0);
    return DOCA_SUCCESS;
}

// Stores the open functions and representors, with the request that changed them.
static void changed(struct session *session)
{
    session->kept.serial = session->serial;
    session_keep(session);
}

SESSION_REQUEST(on_function_open)
{
    uint32_t id = request->function_open->function_id;
    const struct function *f;
    (void)fds;

    doca_error_t r = node_ask_function(session->node, id, &f, err);
    if (r == DOCA_SUCCESS)
        r = policy_open(&session->node->config->policy, &session->credentials, f, err);
    if (r != DOCA_SUCCESS)
        return r;
    if (session->open[f->id - 1] == UINT32_MAX)
        return errtext_set(err, DOCA_ERROR_FULL, "function %s: opened too many times", f->name);
    session->open[f->id - 1]++;
    changed(session);
    session_reply_ok(session, request->serial);
    return DOCA_SUCCESS;
}

SESSION_REQUEST(on_function_close)
{
    uint32_t id = request->function_close->function_id;
    (void)fds;

    if (id == 0 || id > session->node->n_functions)
        return errtext_set(err, DOCA_ERROR_NOT_FOUND, "function %u: node %s has none with this id",
                           id, session->node->config->name);
    // This also works for a function that is gone meanwhile.
    if (session->open[id - 1] == 0)
        return errtext_set(err, DOCA_ERROR_BAD_STATE, "function %u: not open in this session", id);
    session->open[id - 1]--;
    changed(session);
    session_reply_ok(session, request->serial);
    return DOCA_SUCCESS;
}

// ---- representors ------------------------------------------------------------------------

SESSION_REQUEST(on_representor_list)
{
    const struct function *f;
    const struct representor *r;
    size_t n = 0;
    (void)fds;

    doca_error_t code =
        session_open_function(session, request->representor_list->function_id, &f, err);
    if (code != DOCA_SUCCESS)
        return code;
    if (!f->can_list_reps)
        return errtext_set(err, DOCA_ERROR_NOT_SUPPORTED,
                           "function %s has no representors; PFs of a DPU have them", f->name);
    list_for_each (r, &session->node->representors, link)
        n += r->parent == f;
    Docad__Representor *items = calloc(n + 1, sizeof(*items));
    Docad__Representor **list = calloc(n + 1, sizeof(*list));
    if (items && list) {
        Docad__RepresentorListReply reply = DOCAD__REPRESENTOR_LIST_REPLY__INIT;
        Docad__Message message = DOCAD__MESSAGE__INIT;
        list_for_each (r, &session->node->representors, link) {
            if (r->parent != f)
                continue;
            list[reply.n_representors] = &items[reply.n_representors];
            representor_to_message(r, &items[reply.n_representors++]);
        }
        reply.representors = list;
        message.body_case = DOCAD__MESSAGE__BODY_REPRESENTOR_LIST_REPLY;
        message.representor_list_reply = &reply;
        session_reply(session, request->serial, &message, NULL, 0);
    } else {
        code = errtext_set(err, DOCA_ERROR_NO_MEMORY, "docad is out of memory");
    }
    free(items);
    free(list);
    return code;
}

SESSION_REQUEST(on_representor_open)
{
    uint32_t id = request->representor_open->representor_id;
    const struct representor *r = representor_find(session->node, id);
    const struct function *parent;
    (void)fds;

    if (!r)
        return errtext_set(err, DOCA_ERROR_NOT_FOUND,
                           "representor %u: it does not exist, or its host is gone", id);
    doca_error_t code = session_open_function(session, r->parent->id, &parent, err);
    if (code == DOCA_SUCCESS)
        code = session_open_representor(session, id, r->name, err);
    if (code != DOCA_SUCCESS)
        return code;
    changed(session);
    session_reply_ok(session, request->serial);
    return DOCA_SUCCESS;
}

SESSION_REQUEST(on_representor_close)
{
    uint32_t id = request->representor_close->representor_id;
    (void)fds;

    if (!session_close_representor(session, id))
        return errtext_set(err, DOCA_ERROR_BAD_STATE, "representor %u: not open in this session",
                           id);
    changed(session);
    session_reply_ok(session, request->serial);
    return DOCA_SUCCESS;
}
