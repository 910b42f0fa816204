// SPDX-License-Identifier: BSD-3-Clause
// Copyright (c) 2026, the docad authors

#include "session_life.h"

#include "cleanup.h"
#include "clock.h"
#include "config.h"
#include "connection.h"
#include "listener.h"
#include "log.h"
#include "memory_file.h"
#include "node.h"
#include "rdma_endpoint.h"
#include "session.h"
#include "session_again.h"
#include "session_end.h"
#include "session_representors.h"
#include "session_requests.h"
#include "grace_period.h"
#include "text.h"
#include "user.h"
#include "version.h"

#include <assert.h>
#include <inttypes.h>
#include <string.h>

// ---- requests -----------------------------------------------------------------------------------

// Returns whether the request was sent again although this run has received it, or is marked for an
// earlier restart. See restart.h.
static bool is_repeated(const struct session *session, const Docad__Message *message)
{
    return message->again &&
           (message->again != session->node->restarts || message->serial == session->serial);
}

static void on_message(void *owner, const Docad__Message *message, struct fd_list *fds)
{
    struct session *session = owner;
    struct errtext err = {.s = "failed"};
    doca_error_t r;

    struct counters *counters = &session->node->counters;
    if (is_repeated(session, message))
        return;
    if (session->unconfirmed && !message->again)
        rdma_part_arrived(session->unconfirmed);
    session->serial = message->serial;
    if (message->again && session_undo(session, message)) {
        session_reply_ok(session, message->serial);
        return;
    }
    const struct kind_request *request = session_find_request(session->node, message->body_case);
    const char *name = request ? request->name : "unknown request";
    if (request && (size_t)message->body_case < COUNTERS_REQUESTS)
        counters->requests[message->body_case]++;
    if (message->serial == 0)
        r = errtext_set(&err, DOCA_ERROR_INVALID_VALUE, "the serial of a request must not be 0");
    else if (!request)
        r = errtext_set(&err, DOCA_ERROR_NOT_SUPPORTED,
                        "this docad (%s) does not know the request; upgrade it", DOCAD_VERSION);
    else if (fds->no_room)
        r = errtext_set(&err, DOCA_ERROR_NO_MEMORY, "%s", PACKET_NO_ROOM);
    else
        r = request->fn(&(struct request){session, message, fds, &err});
    if (r == DOCA_SUCCESS)
        return;
    counters->refusals[r < COUNTERS_CODES ? r : 0]++;
    MONITOR(session->node, .event = "request-refused", .owner = session, .name = name, .code = r,
            .text = err.s);
    if (message->again && session_was_done(message, r)) {
        session_reply_ok(session, message->serial);
        return;
    }
    // An object that does not exist yet is not a failure worth reporting.
    enum log_level level = r == DOCA_ERROR_NOT_FOUND ? LOG_LEVEL_DEBUG : LOG_LEVEL_INFO;
    log_event_limited(LOG_EVENT_REQUEST_REFUSED, level, LOG_ABOUT_SESSION(session),
                      "session %" PRIu64 " (%s, pid %d, uid %u): %s: %s", session->id,
                      session->program, (int)session->pid, (unsigned)session->credentials.uid, name,
                      err.s);
    session_reply_error(session, message->serial, r, err.s);
}

static void on_closed(void *owner, const char *why)
{
    struct session *session = owner;
    bool left = connection_was_left(session->connection);
    session->node->counters.sessions_dropped += !left;
    if (!left)
        MONITOR(session->node, .event = "session-dropped", .id = session->id, .owner = session,
                .text = why);
    if (left)
        log_debug("session %" PRIu64 " (%s, pid %d): ended", session->id, session->program,
                  (int)session->pid);
    else
        log_event_limited(LOG_EVENT_SESSION_DROPPED, LOG_LEVEL_WARNING, LOG_ABOUT_SESSION(session),
                          "session %" PRIu64 " (%s, pid %d, uid %u) dropped: %s", session->id,
                          session->program, (int)session->pid, (unsigned)session->credentials.uid,
                          why);
    session_free(session);
}

// ---- lifetime -------------------------------------------------------------------------------

// If `id` is 0, the session gets a new one.
static struct session *session_new(struct node *node, struct connection *connection,
                                   struct user *user, uint64_t id)
{
    static const struct connection_owner owner = {.message = on_message, .closed = on_closed};
    struct session *s = calloc(1, sizeof(*s));
    if (!s)
        return NULL;
    session_init(s, node, connection, user, id ? id : node_next_id(node));
    node_changed(node);
    connection_set_owner(connection, &owner, s);
    connection_set_sched(connection, node->sched, &user->sched);
    return s;
}

static void send_resumed(struct session *session, uint64_t serial, uint32_t version)
{
    const struct node *node = session->node;
    const int fds[] = {node->slots.fd, session->activity.fd};
    const size_t n_fds = session->activity.fd < 0 ? 1 : 2;
    const struct wait_times *times = &node->config->wait;
    Docad__Waiting waiting = DOCAD__WAITING__INIT;
    Docad__HelloReply reply = DOCAD__HELLO_REPLY__INIT;

    waiting.spin = times->spin_us;
    waiting.spin_shared = times->spin_shared_us;
    waiting.block = times->block_us;

    reply.version = version;
    reply.node = (ProtobufCBinaryData){NODE_ID_SIZE, (uint8_t *)node->id};
    reply.node_name = (char *)node->config->name;
    reply.role = (char *)role_name(node->config->role);
    reply.session_id = session->id;
    reply.daemon_version = (char *)DOCAD_VERSION;
    reply.state_slots = STATE_SLOTS;
    reply.copies_over = node->config->engine.copies_over;
    reply.workers_limited = true;
    reply.workers = node->config->workers;
    reply.waiting = &waiting;
    session_reply(session, serial, message_of(HELLO_REPLY, hello_reply, &reply), fds, n_fds);
    if (!fdstore_is_on())
        close_fdp(&session->activity.fd); // the mapping remains
}

static void charges_of(const struct session *session, struct charge out[2])
{
    struct user *user = session->user;
    out[0] = (struct charge){LIMIT_SESSIONS, &user->sessions, 1};
    out[1] = (struct charge){LIMIT_METADATA, &user->metadata, session_bytes(session)};
}

bool session_accept(struct node *node, struct connection *connection, struct user *user,
                    uint64_t serial, const Docad__Hello *hello)
{
    struct charge charges[2];
    struct errtext err;
    uint32_t version;

    struct session *session = session_new(node, connection, user, 0);
    if (!session)
        return false;
    session->tool = hello->tool;
    session->since_ms = clock_ms();
    session->serial = session->stored.serial = serial;
    text_copy_printable(session->program, sizeof(session->program), hello->program);
    doca_error_t r = session_take_groups(session, &err);
    charges_of(session, charges);
    if (r == DOCA_SUCCESS)
        r = limit_take_all(node_limits(node), charges, ARRAY_SIZE(charges), &err);
    if (r == DOCA_SUCCESS) {
        session_count(session);
        r = version_negotiate("client", hello->version_min, hello->version_max, &version, &err);
    }
    if (r == DOCA_SUCCESS && !hello->page_later &&
        activity_page_init(&session->activity, node->base, session) < 0)
        r = errtext_set(&err, DOCA_ERROR_NO_MEMORY, "docad is out of memory or descriptors");
    if (r == DOCA_SUCCESS)
        r = session_keep(session, &err);
    if (r == DOCA_SUCCESS) {
        node->counters.sessions_begun++;
        send_resumed(session, serial, version);
        if (!session->tool)
            MONITOR(node, .event = "session-begin", .id = session->id, .owner = session);
        return true;
    }
    session_reply_error(session, serial, r, err.s);
    connection_finish(connection, err.s);
    return true;
}

static struct session *restore_session(struct node *node, struct connection *connection,
                                       struct user *user, const Docad__Record *record, int activity)
{
    const Docad__SessionRecord *m = record->client;
    struct session *session = session_new(node, connection, user, record->id);
    if (!session)
        return NULL;
    session->tool = m->tool;
    session->since_ms = m->since_ms;
    text_copy_printable(session->program, sizeof(session->program), m->program);
    for (size_t i = 0; i < m->n_open && i < FUNCTIONS_MAX; i++)
        session->open[i] = m->open[i];
    session->kept_memory = m->memory;
    struct charge charges[2];
    struct errtext err;
    bool known = session_take_groups(session, &err) == DOCA_SUCCESS;
    charges_of(session, charges);
    limit_take_all(NULL, charges, ARRAY_SIZE(charges), NULL);
    session_count(session);
    user->connections++;
    session_restore_representors(session, m);
    if (!known)
        connection_drop(connection, "%s", err.s);
    if (activity >= 0 &&
        activity_page_restore(&session->activity, node->base, session, activity) < 0)
        connection_drop(connection, "its activity page cannot be used");
    return session;
}

static void restore(struct node *node, struct stored_item *item)
{
    struct connection *connection;

    const int page = item->fds.count == 2 ? item->fds.fds[1] : -1;

    if (item->fds.count < 1 || item->fds.count > 2 ||
        connection_new(&connection, node->base, fd_list_take(&item->fds, 0),
                       node_limits(node)->value[LIMIT_QUEUED_OUTPUT]) < 0)
        return;
    struct user *user = user_get(&node->users, connection_account(connection));
    struct session *session =
        user ? restore_session(node, connection, user, item->record, page) : NULL;
    user_unref(user);
    if (!session) {
        log_error("session %" PRIu64 " of %s cannot be restored: out of memory", item->record->id,
                  item->record->client->program);
        connection_free(connection);
        return;
    }
    if (session->activity.fd >= 0)
        fd_list_take(&item->fds, 1);
    fdstore_take(item, &session->stored, session->user);
}

const struct object_kind session_kind = {.record = DOCAD__RECORD__WHAT_CLIENT, .restore = restore};
