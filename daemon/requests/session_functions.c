// SPDX-License-Identifier: BSD-3-Clause
// Copyright (c) 2026, the docad authors
//
// Requests about functions and representors.

#include "kept.h"
#include "node.h"
#include "representor.h"
#include "session_requests.h"

#include <string.h>

#define OPEN_REPRESENTORS_MAX 1024 // of one session, those that have gone included

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

// What is open: kept with the request that made it so.
static void changed(struct session *session)
{
    session->kept.serial = session->serial;
    kept_session(session);
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
        return errtext_set(err, DOCA_ERROR_FULL, "function %s: opened too often", f->name);
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
    // Also of one that has gone meanwhile.
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
                           "function %s has no representors; PFs of a DPU have", f->name);
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

// A session's hold on a representor, which may go before it.
struct open_representor {
    struct list link;
    uint32_t id, count;
};

static struct open_representor *find_open(const struct session *session, uint32_t id)
{
    struct open_representor *open;
    list_for_each (open, &session->representors, link) {
        if (open->id == id)
            return open;
    }
    return NULL;
}

static doca_error_t open_representor(struct session *session, uint32_t id, struct errtext *err)
{
    if (session->n_representors == OPEN_REPRESENTORS_MAX)
        return errtext_set(err, DOCA_ERROR_NO_MEMORY,
                           "%d representors are open, the most a session may have; close some",
                           OPEN_REPRESENTORS_MAX);
    struct open_representor *open = calloc(1, sizeof(*open));
    if (!open)
        return errtext_set(err, DOCA_ERROR_NO_MEMORY, "docad is out of memory");
    open->id = id;
    open->count = 1;
    list_append(&session->representors, &open->link);
    session->n_representors++;
    return DOCA_SUCCESS;
}

SESSION_REQUEST(on_representor_open)
{
    uint32_t id = request->representor_open->representor_id;
    const struct representor *r = representor_find(session->node, id);
    struct open_representor *open = find_open(session, id);
    const struct function *parent;
    doca_error_t code = DOCA_SUCCESS;
    (void)fds;

    if (!r)
        return errtext_set(err, DOCA_ERROR_NOT_FOUND,
                           "representor %u: there is none, or its host has gone", id);
    code = session_open_function(session, r->parent->id, &parent, err);
    if (code != DOCA_SUCCESS)
        return code;
    if (open && open->count == UINT32_MAX)
        return errtext_set(err, DOCA_ERROR_FULL, "representor %s: opened too often", r->name);
    if (open)
        open->count++;
    else
        code = open_representor(session, id, err);
    if (code == DOCA_SUCCESS) {
        changed(session);
        session_reply_ok(session, request->serial);
    }
    return code;
}

static void close_representor(struct session *session, struct open_representor *open)
{
    list_remove(&open->link);
    session->n_representors--;
    free(open);
}

SESSION_REQUEST(on_representor_close)
{
    uint32_t id = request->representor_close->representor_id;
    struct open_representor *open = find_open(session, id);
    (void)fds;

    if (!open)
        return errtext_set(err, DOCA_ERROR_BAD_STATE, "representor %u: not open in this session",
                           id);
    if (--open->count == 0)
        close_representor(session, open);
    changed(session);
    session_reply_ok(session, request->serial);
    return DOCA_SUCCESS;
}

bool session_has_representor(const struct session *session, uint32_t id)
{
    return find_open(session, id) != NULL;
}

void session_close_representors(struct session *session)
{
    while (!list_empty(&session->representors))
        close_representor(session,
                          list_entry(session->representors.next, struct open_representor, link));
}

size_t session_kept_representors(const struct session *session, Docad__KeptName *names,
                                 Docad__KeptName **list, size_t max)
{
    const struct open_representor *open;
    size_t n = 0;
    list_for_each (open, &session->representors, link) {
        for (uint32_t i = 0; i < open->count && n < max; i++) {
            list[n] = &names[n];
            docad__kept_name__init(list[n]);
            list[n++]->id = open->id;
        }
    }
    return n;
}

void session_restore_representors(struct session *session, const Docad__KeptSession *record)
{
    for (size_t i = 0; i < record->n_representors; i++) {
        uint32_t id = (uint32_t)record->representors[i]->id;
        struct open_representor *open = find_open(session, id);
        if (open)
            open->count++;
        else
            open_representor(session, id, NULL);
    }
}
