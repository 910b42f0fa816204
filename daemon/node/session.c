// SPDX-License-Identifier: BSD-3-Clause
// Copyright (c) 2026, the docad authors

#include "session.h"

#include "cleanup.h"
#include "connection.h"
#include "memory_file.h"
#include "node.h"
#include "session_representors.h"
#include "trim.h"
#include "user.h"

#include <assert.h>
#include <inttypes.h>
#include <unistd.h>

#define SESSION_BYTES 8192 // approximate size of one, with its connection

void session_init(struct session *s, struct node *node, struct connection *connection,
                  struct user *user, uint64_t id)
{
    struct list *const lists[] = {&s->representors, &s->lookups, &s->grace_periods,
                                  &s->publications};
    s->node = node;
    s->connection = connection;
    s->user = user_ref(user);
    s->id = id;
    s->pid = connection_pid(connection);
    s->credentials = credentials_copy(connection_credentials(connection));
    s->activity.fd = -1;
    list_init(&s->in_ending);
    list_init(&s->waking.in_user);
    work_wait_init(&s->metrics);
    for (size_t i = 0; i < ARRAY_SIZE(lists); i++)
        list_init(lists[i]);
    for (size_t i = 0; i < OBJECT_KINDS; i++)
        list_init(&s->objects[i]);
    list_append(&node->sessions, &s->in_node);
    idmap_add(&node->sessions_by_id, &s->by_id, id);
    idmap_add(&user->lists[USER_SESSIONS], &s->by_user, id);
    node->n_sessions++;
}

void session_fini(struct session *s)
{
    sched_dequeue(&s->waking);
    activity_page_fini(&s->activity);
    process_memory_unref(s->memory);
    session_close_representors(s);
    assert(s->n_regions == 0 && s->n_exports == 0 && s->n_imports == 0 && s->n_channels == 0);
    assert(s->n_qpairs == 0 && s->n_lookups == 0 && s->region_bytes == 0);
    connection_free(s->connection);
    list_remove(&s->in_node);
    idmap_remove(&s->node->sessions_by_id, &s->by_id);
    idmap_remove(&s->user->lists[USER_SESSIONS], &s->by_user);
    s->node->n_sessions--;
    trim_count(s->node, SESSION_BYTES);
    user_unref(s->user);
    credentials_drop(&s->credentials);
}

doca_error_t session_take_groups(struct session *s, struct errtext *err)
{
    int r = credentials_take_groups(&s->credentials, connection_fd(s->connection));
    if (r == 0)
        return DOCA_SUCCESS;
    if (r == -ENOMEM)
        return errtext_set(err, DOCA_ERROR_NO_MEMORY, "docad is out of memory");
    return errtext_set(err, DOCA_ERROR_NOT_PERMITTED,
                       "the kernel does not report which groups pid %d (uid %u) is in, so docad "
                       "cannot apply its rules: %s",
                       (int)s->pid, (unsigned)s->credentials.uid, strerror(-r));
}

uint64_t session_bytes(const struct session *s)
{
    return SESSION_MEMORY + credentials_bytes(&s->credentials);
}

void session_count(struct session *s)
{
    s->charged = true;
    ++*(s->tool ? &s->node->n_tools : &s->node->n_programs);
}

void session_uncount(struct session *s)
{
    if (!s->charged)
        return;
    --*(s->tool ? &s->node->n_tools : &s->node->n_programs);
    limit_give(&s->user->sessions, 1);
    limit_give(&s->user->metadata, session_bytes(s));
}

// ---- answers ----------------------------------------------------------------------------------

void session_reply(struct session *session, uint64_t serial, Docad__Message *message,
                   const int *fds, size_t n_fds)
{
    message->serial = serial;
    if (connection_send(session->connection, message, fds, n_fds) < 0)
        session_reply_error(session, serial, DOCA_ERROR_DRIVER, "the answer is too large");
}

void session_reply_ok(struct session *session, uint64_t serial)
{
    Docad__Empty ok = DOCAD__EMPTY__INIT;
    session_reply(session, serial, message_of(OK, ok, &ok), NULL, 0);
}

void session_reply_error(struct session *session, uint64_t serial, doca_error_t code,
                         const char *text)
{
    Docad__Error error = DOCAD__ERROR__INIT;
    Docad__Message *message = message_of(ERROR, error, &error);
    error.code = code;
    error.text = (char *)text;
    message->serial = serial;
    connection_send(session->connection, message, NULL, 0);
}

doca_error_t request_reply(const struct request *request, Docad__Message *message)
{
    session_reply(request->session, request->message->serial, message, NULL, 0);
    return DOCA_SUCCESS;
}

doca_error_t request_reply_ok(const struct request *request)
{
    session_reply_ok(request->session, request->message->serial);
    return DOCA_SUCCESS;
}

// ---- for what it owns -----------------------------------------------------------------------

doca_error_t session_open_function(const struct session *session, uint32_t id,
                                   const struct function **out, struct errtext *err)
{
    const struct function *f;
    doca_error_t r = node_ask_function(session->node, id, &f, err);
    if (r != DOCA_SUCCESS)
        return r;
    if (session->open[f->id - 1] == 0)
        return errtext_set(err, DOCA_ERROR_BAD_STATE, "function %s: not open in this session",
                           f->name);
    *out = f;
    return DOCA_SUCCESS;
}

doca_error_t session_take_slot(struct session *session, uint32_t *slot, struct errtext *err)
{
    struct node *node = session->node;
    doca_error_t r =
        limit_take(node_limits(node), LIMIT_STATE_SLOTS, &session->user->slots, 1, err);
    if (r != DOCA_SUCCESS)
        return r;
    uint32_t taken = state_slot_take(&node->slots);
    if (taken == STATE_SLOT_NONE) {
        limit_give(&session->user->slots, 1);
        return errtext_set(err, DOCA_ERROR_NO_MEMORY,
                           "all %u slots of the state table are taken; release imports or queue "
                           "pairs",
                           STATE_SLOTS);
    }
    *slot = taken;
    return DOCA_SUCCESS;
}

bool session_claim_slot(struct session *session, uint32_t slot, uint64_t id, enum slot_state *state)
{
    bool claimed = state_slot_claim(&session->node->slots, slot, id, state);
    session->user->slots += claimed;
    return claimed;
}

void session_give_slot(struct session *session, uint32_t slot)
{
    state_slot_give(&session->node->slots, slot);
    limit_give(&session->user->slots, 1);
}

bool session_is_privileged(const struct session *session)
{
    return session->credentials.uid == 0 || session->credentials.uid == geteuid();
}

bool session_may_see(const struct session *session, const struct session *owner)
{
    return session->credentials.uid == owner->credentials.uid || session_is_privileged(session);
}

doca_error_t session_has_no(const char *what, uint64_t id, struct errtext *err)
{
    return errtext_set(err, DOCA_ERROR_NOT_FOUND, "%s %" PRIu64 ": this session has none", what,
                       id);
}
