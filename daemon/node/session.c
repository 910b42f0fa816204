// SPDX-License-Identifier: BSD-3-Clause
// Copyright (c) 2026, the docad authors

#include "session.h"

#include "cleanup.h"
#include "channel.h"
#include "clock.h"
#include "connection.h"
#include "export.h"
#include "grant.h"
#include "import.h"
#include "kept.h"
#include "listener.h"
#include "log.h"
#include "memory_file.h"
#include "node.h"
#include "publication.h"
#include "qpair.h"
#include "rdma_endpoint.h"
#include "region.h"
#include "service.h"
#include "settlement.h"
#include "text.h"
#include "user.h"
#include "version.h"

#include <assert.h>
#include <inttypes.h>
#include <string.h>
#include <unistd.h>

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
    Docad__Message message = DOCAD__MESSAGE__INIT;
    message.body_case = DOCAD__MESSAGE__BODY_OK;
    message.ok = &ok;
    session_reply(session, serial, &message, NULL, 0);
}

void session_reply_error(struct session *session, uint64_t serial, doca_error_t code,
                         const char *text)
{
    Docad__Error error = DOCAD__ERROR__INIT;
    Docad__Message message = DOCAD__MESSAGE__INIT;
    error.code = code;
    error.text = (char *)text;
    message.serial = serial;
    message.body_case = DOCAD__MESSAGE__BODY_ERROR;
    message.error = &error;
    connection_send(session->connection, &message, NULL, 0);
}

// ---- requests -----------------------------------------------------------------------------------

// Sent again although it was received in this run, or marked for an earlier one: see
// restart.h.
static bool is_repeated(const struct session *session, const Docad__Message *message)
{
    return message->again &&
           (message->again != session->node->restarts || message->serial == session->serial);
}

static void on_message(void *owner, const Docad__Message *message, struct fd_list *fds)
{
    struct session *session = owner;
    struct errtext err = {.s = "failed"};
    const char *name;
    doca_error_t r;

    struct metrics *metrics = &session->node->metrics;
    if (is_repeated(session, message))
        return;
    if (session->unconfirmed && !message->again)
        rdma_part_arrived(session->unconfirmed);
    session->serial = message->serial;
    if (message->again && restart_undo(session, message)) {
        session_reply_ok(session, message->serial);
        return;
    }
    session_request_fn request = session_find_request(message->body_case, &name);
    if (request && (size_t)message->body_case < METRICS_REQUESTS)
        metrics->requests[message->body_case]++;
    if (message->serial == 0)
        r = errtext_set(&err, DOCA_ERROR_INVALID_VALUE, "a request has a serial, never 0");
    else if (!request)
        r = errtext_set(&err, DOCA_ERROR_NOT_SUPPORTED,
                        "this docad (%s) does not know the request; upgrade it", DOCAD_VERSION);
    else
        r = request(session, message, fds, &err);
    if (r == DOCA_SUCCESS)
        return;
    metrics_refused(metrics, r);
    MONITOR(session->node, .event = "request-refused", .owner = session, .name = name, .code = r,
            .text = err.s);
    if (message->again && restart_was_done(message, r)) {
        session_reply_ok(session, message->serial);
        return;
    }
    // Nothing there yet is no failure to speak of.
    enum log_level level = r == DOCA_ERROR_NOT_FOUND ? LOG_LEVEL_DEBUG : LOG_LEVEL_INFO;
    log_event_limited(LOG_EVENT_REQUEST_REFUSED, level, LOG_ABOUT_SESSION(session),
                      "session %" PRIu64 " (%s, pid %d, uid %u): %s: %s", session->id,
                      session->program, (int)session->pid, (unsigned)session->user->uid, name,
                      err.s);
    session_reply_error(session, message->serial, r, err.s);
}

static void on_closed(void *owner, const char *why)
{
    struct session *session = owner;
    bool left = strcmp(why, CONNECTION_LEFT) == 0;
    session->node->metrics.sessions_dropped += !left;
    if (!left)
        MONITOR(session->node, .event = "session-dropped", .id = session->id, .owner = session,
                .text = why);
    if (left)
        log_debug("session %" PRIu64 " (%s, pid %d): ended", session->id, session->program,
                  (int)session->pid);
    else
        log_event_limited(LOG_EVENT_SESSION_DROPPED, LOG_LEVEL_WARNING, LOG_ABOUT_SESSION(session),
                          "session %" PRIu64 " (%s, pid %d, uid %u) dropped: %s", session->id,
                          session->program, (int)session->pid, (unsigned)session->user->uid, why);
    session_free(session);
}

// ---- life -----------------------------------------------------------------------------------

// `id` 0: a new one.
static struct session *session_new(struct node *node, struct connection *connection,
                                   struct user *user, uint64_t id)
{
    static const struct connection_owner owner = {.message = on_message, .closed = on_closed};
    struct session *s = calloc(1, sizeof(*s));
    if (!s)
        return NULL;
    s->node = node;
    s->connection = connection;
    s->user = user_ref(user);
    s->id = id ? id : node_next_id(node);
    s->pid = connection_pid(connection);
    s->credentials = *connection_credentials(connection);
    list_init(&s->representors);
    list_init(&s->regions);
    list_init(&s->imports);
    list_init(&s->qpairs);
    list_init(&s->rdma_endpoints);
    list_init(&s->services);
    list_init(&s->channels);
    list_init(&s->lookups);
    list_init(&s->settlements);
    s->activity.fd = -1;
    list_append(&node->sessions, &s->link);
    node->n_sessions++;
    service_changed();
    connection_set_owner(connection, &owner, s);
    return s;
}

static void greet(struct session *session, uint64_t serial, uint32_t version)
{
    const struct node *node = session->node;
    const int fds[] = {node->slots.fd, session->activity.fd};
    Docad__HelloReply reply = DOCAD__HELLO_REPLY__INIT;
    Docad__Message message = DOCAD__MESSAGE__INIT;

    reply.version = version;
    reply.node = (ProtobufCBinaryData){NODE_ID_SIZE, (uint8_t *)node->id};
    reply.node_name = (char *)node->config->name;
    reply.role = (char *)role_name(node->config->role);
    reply.session_id = session->id;
    reply.daemon_version = (char *)DOCAD_VERSION;
    reply.state_slots = STATE_SLOTS;
    reply.copies_over = node->config->engine.copies_over;
    message.body_case = DOCAD__MESSAGE__BODY_HELLO_REPLY;
    message.hello_reply = &reply;
    session_reply(session, serial, &message, fds, ARRAY_SIZE(fds));
    if (!keep_is_on())
        close_fdp(&session->activity.fd); // the mapping stays
}

bool session_accept(struct node *node, struct connection *connection, struct user *user,
                    uint64_t serial, const Docad__Hello *hello)
{
    struct errtext err;
    uint32_t version;

    struct session *session = session_new(node, connection, user, 0);
    if (!session)
        return false;
    session->tool = hello->tool;
    session->since_ms = clock_ms();
    session->serial = session->kept.serial = serial;
    text_copy_printable(session->program, sizeof(session->program), hello->program);
    doca_error_t r = limit_take(node_limits(node), LIMIT_SESSIONS, &user->sessions, 1, &err);
    session->charged = r == DOCA_SUCCESS;
    if (r == DOCA_SUCCESS)
        r = version_negotiate("client", hello->version_min, hello->version_max, &version, &err);
    if (r == DOCA_SUCCESS && activity_page_init(&session->activity, node->base, session) < 0)
        r = errtext_set(&err, DOCA_ERROR_NO_MEMORY, "docad is out of memory or descriptors");
    if (r == DOCA_SUCCESS) {
        node->metrics.sessions_begun++;
        kept_session(session);
        greet(session, serial, version);
        if (!session->tool)
            MONITOR(node, .event = "session-begin", .id = session->id, .owner = session);
        return true;
    }
    session_reply_error(session, serial, r, err.s);
    connection_finish(connection, err.s);
    return true;
}

struct session *session_restore(struct node *node, struct connection *connection, struct user *user,
                                uint64_t id, const Docad__KeptSession *record, int activity)
{
    struct session *session = session_new(node, connection, user, id);
    if (!session)
        return NULL;
    session->tool = record->tool;
    session->since_ms = record->since_ms;
    text_copy_printable(session->program, sizeof(session->program), record->program);
    for (size_t i = 0; i < record->n_open && i < FUNCTIONS_MAX; i++)
        session->open[i] = record->open[i];
    session->kept_memory = record->memory;
    session->charged = true;
    user->sessions++;
    user->connections++;
    session_restore_representors(session, record);
    if (activity_page_restore(&session->activity, node->base, session, activity) < 0)
        connection_drop(connection, "its activity page cannot be used");
    return session;
}

struct session *session_free(struct session *session)
{
    if (!session)
        return NULL;
    struct node *node = session->node;
    keep_drop(&session->kept);
    while (!list_empty(&session->lookups))
        lookup_free(list_entry(session->lookups.next, struct lookup, session_link));
    while (!list_empty(&session->settlements))
        settlement_forget(list_entry(session->settlements.next, struct settlement, session_link));
    while (!list_empty(&session->services))
        channel_service_free(
            list_entry(session->services.next, struct channel_service, session_link));
    while (!list_empty(&session->channels))
        channel_free(list_entry(session->channels.next, struct channel, session_link));
    while (!list_empty(&session->imports))
        import_free(list_entry(session->imports.next, struct import, session_link));
    while (!list_empty(&session->rdma_endpoints))
        rdma_endpoint_free(
            list_entry(session->rdma_endpoints.next, struct rdma_endpoint, session_link));
    while (!list_empty(&session->qpairs))
        qpair_free(list_entry(session->qpairs.next, struct qpair, session_link));
    while (!list_empty(&session->regions))
        region_free(list_entry(session->regions.next, struct region, session_link), SLOT_OWNER_GONE,
                    NULL);
    importer_free(session->importer);
    monitor_end(session);
    if (session->charged && !session->tool)
        MONITOR(node, .event = "session-end", .id = session->id, .owner = session);
    metrics_session_ends(node, session);
    activity_page_fini(&session->activity);
    process_memory_unref(session->memory);
    session_close_representors(session);
    assert(session->n_regions == 0 && session->n_exports == 0 && session->n_imports == 0);
    assert(session->n_channels == 0);
    assert(session->n_qpairs == 0 && session->n_lookups == 0 && session->region_bytes == 0);
    connection_free(session->connection);
    list_remove(&session->link);
    node->n_sessions--;
    service_changed();
    if (session->charged)
        limit_give(&session->user->sessions, 1);
    limit_give(&session->user->connections, 1);
    user_unref(session->user);
    free(session);
    listener_resume(node->listener);
    return NULL;
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

doca_error_t session_importer(struct session *session, struct importer **out, struct errtext *err)
{
    if (!session->importer) {
        doca_error_t r = importer_new(&session->importer, session->node, session->id, session->pid,
                                      session->user, &session->credentials, err);
        if (r != DOCA_SUCCESS)
            return r;
    }
    *out = session->importer;
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

void session_give_slot(struct session *session, uint32_t slot)
{
    state_slot_give(&session->node->slots, slot);
    limit_give(&session->user->slots, 1);
}

bool session_is_privileged(const struct session *session)
{
    return session->user->uid == 0 || session->user->uid == geteuid();
}

bool session_may_see(const struct session *session, const struct user *user)
{
    return session->user == user || session_is_privileged(session);
}

bool session_owns_export(const struct session *session, const struct export *export)
{
    return session_may_see(session, export->region->session->user);
}
