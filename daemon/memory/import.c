// SPDX-License-Identifier: BSD-3-Clause
// Copyright (c) 2026, the docad authors

#include "import.h"

#include "access.h"
#include "cleanup.h"
#include "fd_reaper.h"
#include "config.h"
#include "ending.h"
#include "export.h"
#include "grant.h"
#include "import_check.h"
#include "known_nodes.h"
#include "memfd.h"
#include "node.h"
#include "node_faults.h"
#include "peer.h"
#include "peer_request.h"
#include "publication.h"
#include "session.h"
#include "sync_event.h"
#include "sync_page.h"
#include "grace_period.h"
#include "user.h"

#include <string.h>
#include <sys/socket.h>

doca_error_t import_find_owner(struct node *node, const uint8_t id[NODE_ID_SIZE], const char *what,
                               struct peer **out, struct errtext *err)
{
    char text[NODE_ID_TEXT_SIZE];
    struct peer *peer = NULL;

    if (memcmp(id, node->id, NODE_ID_SIZE) != 0) {
        peer = peer_find(node, id);
        const struct known_node *known = peer ? NULL : known_node_find(node, id);
        if (known)
            return errtext_set(err, DOCA_ERROR_DRIVER,
                               "%s of node %s: its docad cannot be reached; start it, or wait for "
                               "the link to come back",
                               what, known->name);
        node_id_format(id, text);
        if (!peer)
            return errtext_set(err, DOCA_ERROR_NOT_FOUND,
                               "%s of node %s: neither this node nor one that it is linked to; "
                               "link the two daemons with --peer",
                               what, text);
    }
    *out = peer;
    return DOCA_SUCCESS;
}

// ---- the lifeline of a sync event ----------------------------------------------------------

// Makes the socket whose end of file notifies the client of the import's end. The client's side is
// *fd.
static doca_error_t make_lifeline(struct import *import, int *fd, struct errtext *err)
{
    struct session *session = import->object.session;
    int pair[2];

    doca_error_t r = limit_take(node_limits(session->node), LIMIT_DESCRIPTORS,
                                &session->user->descriptors, 1, err);
    if (r != DOCA_SUCCESS)
        return r;
    if (socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, pair) < 0) {
        limit_give(&session->user->descriptors, 1);
        return errtext_set(err, DOCA_ERROR_NO_MEMORY, "lifeline: %s", strerror(errno));
    }
    import->lifeline = pair[0];
    *fd = pair[1];
    return DOCA_SUCCESS;
}

static void close_lifeline(struct import *import)
{
    if (import->lifeline < 0)
        return;
    fd_reaper_close_socket(steal_fd(&import->lifeline), import->object.session->user->uid);
    limit_give(&import->object.session->user->descriptors, 1);
}

// ---- lifetime -----------------------------------------------------------------------------

struct import *import_make(struct session *session, const struct export_desc *desc)
{
    struct import *import = calloc(1, sizeof(*import));
    if (!import)
        return NULL;
    object_init(&import->object, DOCAD__RECORD__WHAT_IMPORT, session->node, session);
    import->desc = *desc;
    import->lifeline = -1;
    list_init(&import->wait.in_page);
    list_init(&import->in_ended);
    return import;
}

doca_error_t import_enter(struct import *import, uint64_t id, const struct limits *limits,
                          struct errtext *err)
{
    struct session *session = import->object.session;
    const struct charge charges[] = {{LIMIT_IMPORTS, &session->n_imports, 1},
                                     {LIMIT_METADATA, &session->user->metadata, sizeof(*import)}};
    return object_enter(&import->object, id, charges, ARRAY_SIZE(charges), limits, err);
}

static doca_error_t import_new(struct import **out, struct session *session, uint64_t serial,
                               const struct export_desc *desc, struct errtext *err)
{
    struct node *node = session->node;
    struct import *import = import_make(session, desc);
    if (!import)
        return errtext_set(err, DOCA_ERROR_NO_MEMORY, "docad is out of memory");
    doca_error_t r = import_enter(import, node_next_id(node), node_limits(node), err);
    if (r != DOCA_SUCCESS) {
        free(import);
        return r;
    }
    r = object_take_slot(&import->object, err);
    if (r != DOCA_SUCCESS) {
        object_leave(&import->object);
        free(import);
        return r;
    }
    import->serial = import->object.stored.serial = serial;
    *out = import;
    return DOCA_SUCCESS;
}

static void notify_monitors(const struct import *import, const char *event, const char *text)
{
    MONITOR(import->object.session->node, .event = event, .id = import->object.id,
            .export_id = import->desc.export_id, .owner = import->object.session,
            .name = import->owner_name, .bytes = import->length, .text = text);
}

static void notify_owner(void *import);

struct import *import_free(struct import *import)
{
    if (!import)
        return NULL;
    if (import->request)
        peer_request_abandon(import->request);
    if (import->grant)
        grant_release(import->grant); // removes itself from the import
    if (import->peer) {
        peer_import_release(import->peer, import->grant_id.id);
        idmap_remove(&import->peer->imports_by_grant, &import->grant_id);
    }
    if (import->state == SLOT_LIVE)
        notify_monitors(import, "import-end", "released");
    copies_close(&import->copies, DOCA_ERROR_NOT_PERMITTED, NULL, NULL);
    copies_drop(&import->copies, import);
    activity_wait_end(&import->wait);
    notify_owner(import);
    close_lifeline(import);
    ending_leave(import->ending);
    object_leave(&import->object);
    free(import);
    return NULL;
}

static void show_end(struct import *import, enum slot_state state)
{
    if (import->peer)
        idmap_remove(&import->peer->imports_by_grant, &import->grant_id);
    import->peer = NULL;
    if (import->state == SLOT_LIVE)
        notify_monitors(import, "import-end", slot_state_name(state));
    import_set_state(import, state);
    object_show(&import->object, state);
    // A client that finds it closed looks for the reason.
    close_lifeline(import);
    KINDS_CALL(import->object.session->node, memory_gone, import->object.session);
}

void import_set_state(struct import *import, enum slot_state state)
{
    import->state = state;
    if (state != SLOT_FREE)
        object_use(&import->object);
}

void import_take_grant(struct import *import, struct grant *grant)
{
    import->grant = grant;
    grant->import = import;
    grant->import_ended = import_end;
}

void import_end(struct import *import, enum slot_state state, struct grace_period *grace)
{
    show_end(import, state);
    if (grace)
        grace_period_hold(grace);
    copies_close(&import->copies, slot_state_error(state), grace ? grace_period_release : NULL,
                 grace);
    if (!grace)
        return;
    grace_period_hold(grace);
    activity_page_wait(&import->object.session->activity, &import->wait, import->object.id,
                       grace_period_release, grace);
}

static void notify_owner(void *arg)
{
    struct import *import = arg;
    if (import->waiting_peer)
        peer_reply_ok(import->waiting_peer, import->waiting_serial);
    import->waiting_peer = NULL;
    list_remove(&import->in_ended);
}

// The engine has released it, but threads of its session may still use it.
static void wait_for_threads(void *arg)
{
    struct import *import = arg;
    activity_page_wait(&import->object.session->activity, &import->wait, import->object.id,
                       notify_owner, import);
}

void import_end_there(struct import *import, enum slot_state state, uint64_t serial)
{
    import->waiting_peer = import->peer;
    import->waiting_serial = serial;
    list_append(&import->peer->ended_imports, &import->in_ended);
    show_end(import, state);
    copies_close(&import->copies, slot_state_error(state), wait_for_threads, import);
}

// ---- the answer -----------------------------------------------------------------------------

struct granted {
    uint64_t address, length;
    uint32_t access, key;
    Docad__Segment **segments;
    size_t n_segments;
    bool has_memfd;
    const int *fds;
    size_t n_fds;
    const uint8_t *node;
};

static void refuse(struct import *import, doca_error_t code, const char *text);

static void open_copies(struct import *import, const struct granted *g)
{
    struct segments segments;
    struct errtext err;

    if (!import->wants_copies || !g->has_memfd ||
        segments_read(g->address, g->length, g->segments, g->n_segments, &segments, &err) !=
            DOCA_SUCCESS)
        return;
    copies_open(&import->copies, import->object.session, g->fds[0], &segments,
                access_lets_write(g->access));
    segments_fini(&segments);
}

static void answer(struct import *import, const struct granted *g)
{
    struct session *session = import->object.session;
    Docad__ImportCreateReply reply = DOCAD__IMPORT_CREATE_REPLY__INIT;

    int lifeline = -1;
    int fds[PACKET_FDS_MAX];
    struct errtext err;
    doca_error_t r = DOCA_SUCCESS;

    memcpy(fds, g->fds, g->n_fds * sizeof(*fds));
    if (export_is_event(import->desc.target)) {
        r = make_lifeline(import, &lifeline, &err);
        fds[g->n_fds] = lifeline;
    }
    import->address = g->address;
    import->length = g->length;
    import->access = g->access;
    if (r == DOCA_SUCCESS)
        r = import_keep(import, &err);
    if (r == DOCA_SUCCESS && import->grant)
        r = grant_keep(import->grant, &err);
    if (r != DOCA_SUCCESS) {
        close_fdp(&lifeline);
        refuse(import, r, err.s);
        return;
    }
    import_set_state(import, SLOT_LIVE);
    notify_monitors(import, "import-begin", NULL);
    object_show(&import->object, SLOT_LIVE);
    open_copies(import, g);
    reply.copy_key = import->copies.key;
    reply.copy_writable = import->copies.writable;
    reply.import_id = import->object.id;
    reply.state_slot = import->object.slot;
    reply.address = g->address;
    reply.length = g->length;
    reply.access = g->access;
    reply.segments = g->segments;
    reply.n_segments = g->n_segments;
    reply.owner_node = (ProtobufCBinaryData){NODE_ID_SIZE, (uint8_t *)g->node};
    reply.grant_key = g->key;
    reply.has_memfd = g->has_memfd;
    session_reply(session, import->serial,
                  message_of(IMPORT_CREATE_REPLY, import_create_reply, &reply), fds,
                  g->n_fds + (lifeline >= 0));
    fd_reaper_close(lifeline, session->user->uid);
}

// ---- exports of this node ---------------------------------------------------------------------

static doca_error_t import_own(struct import *import, struct errtext *err)
{
    struct session *session = import->object.session;
    struct node *node = session->node;
    struct importer *importer;
    struct export *export;

    doca_error_t r = export_find(node, import->desc.export_id, import->desc.token, &export, err);
    if (r == DOCA_SUCCESS)
        r = export_check_target(export, import->desc.target, err);
    if (r == DOCA_SUCCESS)
        r = session_importer(session, &importer, err);
    if (r != DOCA_SUCCESS)
        return r;
    struct grant_parts parts;
    r = grant_new(&import->grant, export, importer, err);
    if (r != DOCA_SUCCESS)
        return r;
    import_take_grant(import, import->grant);
    r = grant_parts(import->grant, &parts, err);
    if (r != DOCA_SUCCESS)
        return r;
    copy_text(import->owner_name, node->config->name);
    answer(import, &(struct granted){.address = parts.address,
                                     .length = parts.length,
                                     .access = export->access,
                                     .key = import->grant->key,
                                     .segments = parts.segments,
                                     .n_segments = parts.n_segments,
                                     .has_memfd = parts.has_memfd,
                                     .fds = parts.fds.fds,
                                     .n_fds = parts.fds.count,
                                     .node = node->id});
    free(parts.segments);
    export_imported(export);
    return DOCA_SUCCESS;
}

// ---- exports of a linked node ------------------------------------------------------------------

static void refuse(struct import *import, doca_error_t code, const char *text)
{
    struct session *session = import->object.session;
    uint64_t serial = import->serial;
    import_free(import);
    session_reply_error(session, serial, code, text);
}

// Over a link without descriptors only the counter can be reached.
static bool is_sync_event(const struct peer *peer, const Docad__PeerImportReply *m,
                          const struct fd_list *fds)
{
    if (peer->no_descriptors)
        return fds->count == 0 && !m->has_memfd && m->length == SYNC_VALUE_SIZE;
    return sync_event_check(fds, m->has_memfd, m->length);
}

// The message from the owner's docad is checked as if it came from a client.
static doca_error_t check_reply(const struct import *import, const struct peer *peer,
                                const Docad__PeerImportReply *m, const struct fd_list *fds,
                                struct errtext *err)
{
    struct segments segments;
    doca_error_t r =
        segments_read(m->address, m->length, m->segments, m->n_segments, &segments, err);
    if (r != DOCA_SUCCESS)
        return r;
    uint64_t size = segments.memfd_size;
    segments_fini(&segments);
    bool sync_event = export_is_event(import->desc.target);
    if (m->grant_id == 0 || !access_is_valid(m->access) || m->has_memfd != (size > 0) ||
        (sync_event ? !is_sync_event(peer, m, fds) : fds->count != (size_t)m->has_memfd) ||
        (m->has_memfd && memfd_check(fds->fds[0], size, access_lets_write(m->access)) < 0))
        return errtext_set(err, DOCA_ERROR_DRIVER, "its answer is not valid");
    return DOCA_SUCCESS;
}

// Handles the answer to PeerImport, or its failure (`reply` NULL).
static void on_peer_reply(void *arg, struct peer *peer, const Docad__Message *reply,
                          struct fd_list *fds, const struct errtext *why)
{
    struct import *import = arg;
    struct errtext err;
    char text[sizeof(err.s) + 128];

    import->request = NULL;
    if (reply && reply->body_case == DOCAD__MESSAGE__BODY_ERROR) {
        if (!reply->error->policy)
            publication_refused(peer->node, &import->desc, (doca_error_t)reply->error->code);
        refuse(import, peer_error_code(reply->error), reply->error->text);
        return;
    }
    const Docad__PeerImportReply *m = reply ? reply->peer_import_reply : NULL;
    bool used = m && idmap_find(&peer->imports_by_grant, m->grant_id); // used by another import
    if (used)
        errtext_set(&err, DOCA_ERROR_DRIVER,
                    "its answer is not valid: it names a grant that is in use");
    if (!m || used || check_reply(import, peer, m, fds, &err) != DOCA_SUCCESS) {
        if (m && !used)
            peer_import_release(peer, m->grant_id);
        snprintf(text, sizeof(text), "node %s: %s", peer->name, m ? err.s : why->s);
        refuse(import, DOCA_ERROR_DRIVER, text);
        return;
    }
    import->peer = peer;
    idmap_add(&peer->imports_by_grant, &import->grant_id, m->grant_id);
    answer(import, &(struct granted){.address = m->address,
                                     .length = m->length,
                                     .access = m->access,
                                     .key = m->grant_key,
                                     .segments = m->segments,
                                     .n_segments = m->n_segments,
                                     .has_memfd = m->has_memfd,
                                     .fds = fds->fds,
                                     .n_fds = fds->count,
                                     .node = peer->id_there});
}

static void on_unwanted(struct peer *peer, const Docad__Message *reply)
{
    peer_import_release(peer, reply->peer_import_reply->grant_id);
}

static doca_error_t import_remote(struct import *import, struct peer *peer,
                                  const struct function *function, struct errtext *err)
{
    struct session *session = import->object.session;
    Docad__PeerImport request = DOCAD__PEER_IMPORT__INIT;
    Docad__Account account;
    Docad__Message message = DOCAD__MESSAGE__INIT;

    doca_error_t r = credentials_check_carried(&session->credentials, err);
    if (r != DOCA_SUCCESS)
        return r;
    request.export_id = import->desc.export_id;
    request.token = (ProtobufCBinaryData){EXPORT_TOKEN_SIZE, import->desc.token};
    request.importer = session->id;
    request.pid = (uint32_t)session->pid;
    CREDENTIALS_PUT(&session->credentials, &request, &account);
    request.function_pci = (char *)function->pci;
    request.target = import->desc.target;
    message.body_case = DOCAD__MESSAGE__BODY_PEER_IMPORT;
    message.peer_import = &request;
    copy_text(import->owner_name, peer->name);
    return peer_request_send(&import->request, peer, &message, on_peer_reply, on_unwanted, import,
                             err);
}

doca_error_t import_begin(struct session *session, uint64_t serial,
                          const Docad__ImportCreate *request, struct errtext *err)
{
    const struct function *function;
    struct export_desc desc;
    struct import *import;
    struct peer *peer;

    doca_error_t r =
        export_desc_decode(request->descriptor.data, request->descriptor.len, &desc, err);
    bool sync_event = r == DOCA_SUCCESS && export_is_event(desc.target);
    if (r == DOCA_SUCCESS && sync_event != request->sync_event)
        r = errtext_set(err, DOCA_ERROR_INVALID_VALUE,
                        sync_event ? "the descriptor belongs to a sync event; import it with "
                                     "doca_sync_event_create_from_export()"
                                   : "the descriptor does not belong to a sync event");
    if (r == DOCA_SUCCESS)
        r = session_open_function(session, request->function_id, &function, err);
    if (r == DOCA_SUCCESS)
        r = import_find_owner(session->node, desc.node, "export", &peer, err);
    if (r == DOCA_SUCCESS)
        r = import_check_function(session->node, peer, &desc, function, err);
    if (r == DOCA_SUCCESS)
        r = node_fault_of_import(session, err);
    if (r == DOCA_SUCCESS)
        r = import_new(&import, session, serial, &desc, err);
    if (r != DOCA_SUCCESS)
        return r;
    import->wants_copies =
        request->copies && !sync_event && session->node->config->engine.copies_over;
    r = peer ? import_remote(import, peer, function, err) : import_own(import, err);
    if (r != DOCA_SUCCESS)
        import_free(import);
    return r;
}

// ---- records --------------------------------------------------------------------------

doca_error_t import_keep(struct import *import, struct errtext *err)
{
    Docad__ImportRecord what = DOCAD__IMPORT_RECORD__INIT;
    Docad__Record record;
    uint8_t descriptor[EXPORT_DESC_SIZE_MAX];
    size_t size;

    if (!fdstore_is_on() || export_desc_encode(&import->desc, descriptor, &size) != DOCA_SUCCESS)
        return DOCA_SUCCESS;
    what.slot = import->object.slot;
    what.descriptor = record_bytes(descriptor, size);
    what.owner_name = import->owner_name;
    what.address = import->address;
    what.length = import->length;
    what.access = import->access;
    if (import->peer) {
        what.node = record_bytes(import->peer->id_there, NODE_ID_SIZE);
        what.grant = import->grant_id.id;
    }
    object_record(&import->object, &record);
    record.import = &what;
    return object_put(&import->object, &record, &import->lifeline, import->lifeline >= 0, err);
}
