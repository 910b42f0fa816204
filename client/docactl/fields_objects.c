// SPDX-License-Identifier: BSD-3-Clause
// Copyright (c) 2026, the docad authors

#include "fields.h"

#include "owned_name.h"

#include <stdio.h>
#include <string.h>
#include <unistd.h>

// ---- programs --------------------------------------------------------------------------

#define SHARE_MAX 1000 // shown

// Finds the fullest quota.
static void put_fullest(struct json_object *object, const struct column *column,
                        const ProtobufCMessage *message)
{
    const Docad__SessionInfo *s = (const Docad__SessionInfo *)message;
    const Docad__QuotaInfo *fullest = NULL;
    double share = 0;
    for (size_t i = 0; i < s->n_quotas; i++) {
        const Docad__QuotaInfo *q = s->quotas[i];
        double own = q->limit ? (double)q->used / (double)q->limit : 1;
        if (q->used && (!fullest || own > share)) {
            fullest = q;
            share = own;
        }
    }
    char text[160] = "";
    if (fullest) // more than all, if the limit was lowered; docad's values may be anything
        snprintf(text, sizeof(text), "%s %d%%", fullest->name,
                 share < SHARE_MAX ? (int)(share * 100) : SHARE_MAX * 100);
    put_text(object, column->key, text);
}

const struct column session_fields[] = {
    {"ID", "id", COLUMN_NUMBER, "number of the session"},
    {"PID", "pid", COLUMN_NUMBER, "the program's process"},
    {"UID", "uid", COLUMN_NUMBER, "its user", .rank = 1},
    {"PROGRAM", "program", COLUMN_TEXT, "what it calls itself"},
    {NULL, "tool", COLUMN_YES_NO, "docactl or another tool"},
    {"CONNECTED", "connected_ms", COLUMN_DURATION, "milliseconds since it connected", .rank = 2},
    {"DEVICES", "functions_open", COLUMN_NUMBER, "functions it has open", .rank = 6},
    {"REGIONS", "regions", COLUMN_NUMBER, "memory regions it has registered", .rank = 5},
    {"REGISTERED", "region_bytes", COLUMN_BYTES, "their bytes"},
    {"EXPORTS", "exports", COLUMN_NUMBER, "its exports", .rank = 3},
    {"IMPORTS", "imports", COLUMN_NUMBER, "its imports", .rank = 3},
    {"QUEUES", "queue_pairs", COLUMN_NUMBER, "its queue pairs", .rank = 4},
    {"JOBS", "jobs", COLUMN_NUMBER,
     "jobs that have ended, including those in graphs, counted by the program"},
    {NULL, "failed_jobs", COLUMN_NUMBER, "those that failed"},
    {NULL, "mapped_bytes", COLUMN_BYTES, "bytes it moved itself in shared memory"},
    {NULL, "engine_bytes", COLUMN_BYTES, "bytes that engines moved for it"},
    {"FULLEST QUOTA", "fullest_quota", COLUMN_TEXT, "the quota that is nearest to its limit",
     .put = put_fullest},
    {NULL, "quotas", COLUMN_OBJECTS, "what it, and its user, may use", .members = quota_fields},
    COLUMNS_END,
};

const struct column session_show_fields[] = {
    {"session", "id", COLUMN_NUMBER, "number of the session"},
    {"pid", "pid", COLUMN_NUMBER, "the program's process"},
    {"uid", "uid", COLUMN_NUMBER, "its user"},
    {"program", "program", COLUMN_TEXT, "what it calls itself"},
    {"tool", "tool", COLUMN_YES_NO, "docactl or another tool"},
    {"connected for", "connected_ms", COLUMN_DURATION, "milliseconds since it connected"},
    {"devices open", "functions_open", COLUMN_NUMBER, "functions it has open"},
    {"regions", "regions", COLUMN_NUMBER, "memory regions it has registered"},
    {"registered", "region_bytes", COLUMN_BYTES, "their bytes"},
    {"exports", "exports", COLUMN_NUMBER, "its exports"},
    {"imports", "imports", COLUMN_NUMBER, "its imports"},
    {"queues", "queue_pairs", COLUMN_NUMBER, "its queue pairs"},
    {"jobs", "jobs", COLUMN_NUMBER,
     "jobs that have ended, including those in graphs, counted by the program"},
    {"failed jobs", "failed_jobs", COLUMN_NUMBER, "those that failed"},
    {"copied by itself", "mapped_bytes", COLUMN_BYTES, "bytes it moved itself in shared memory"},
    {"copied by docad", "engine_bytes", COLUMN_BYTES, "bytes that engines moved for it"},
    {NULL, "quotas", COLUMN_OBJECTS, "what it, and its user, may use", .members = quota_fields},
    COLUMNS_END,
};

const struct column importer_fields[] = {
    {"NODE", "node_name", COLUMN_TEXT, "name of the importer's node", .source = "node"},
    {"SESSION", "session_id", COLUMN_NUMBER, "its session there"},
    {"PID", "pid", COLUMN_NUMBER, "its process"},
    {"UID", "uid", COLUMN_NUMBER, "its user"},
    COLUMNS_END,
};

static void put_backing(struct json_object *object, const struct column *column,
                        const ProtobufCMessage *message)
{
    const Docad__RegionInfo *r = (const Docad__RegionInfo *)message;
    put_text(object, column->key,
             !r->mapped_bytes    ? "brokered"
             : r->brokered_bytes ? "both"
                                 : "mapped");
}

const struct column region_fields[] = {
    {"ID", "id", COLUMN_NUMBER, "number of the region"},
    {NULL, "session_id", COLUMN_NUMBER, "its session"},
    {"PID", "pid", COLUMN_NUMBER, "the program's process"},
    {"UID", "uid", COLUMN_NUMBER, "its user", .rank = 2},
    {"PROGRAM", "program", COLUMN_TEXT, "what it calls itself"},
    {"ADDRESS", "address", COLUMN_ADDRESS, "where it begins, in that process"},
    {"LENGTH", "length", COLUMN_BYTES, "its bytes"},
    {"BACKING", "backing", COLUMN_TEXT, "mapped, brokered or both", .put = put_backing, .rank = 1},
    {"MAPPED", "mapped_bytes", COLUMN_BYTES, "bytes in a memory file of docad, which importers map",
     .rank = 6},
    {"BROKERED", "brokered_bytes", COLUMN_BYTES, "bytes that only docad's engine can reach",
     .rank = 6},
    {"RDMA", "rdma_bytes", COLUMN_BYTES, "bytes registered with RDMA devices for other machines",
     .rank = 7},
    {"EXPORTS", "exports", COLUMN_NUMBER, "exports of it", .rank = 4},
    {NULL, "importers", COLUMN_NUMBER, "how many have imported it"},
    {"IMPORTERS", "imported_by", COLUMN_OBJECTS, "who has imported it, at most 32",
     .source = "importer_list", .members = importer_fields, .rank = 1},
    {"FUNCTIONS", "functions", COLUMN_LIST, "functions it is registered on", .rank = 5},
    {"ACCESS", "access", COLUMN_ACCESS, "what it permits", .rank = 3},
    COLUMNS_END,
};

const struct column import_fields[] = {
    {"ID", "id", COLUMN_NUMBER, "number of the import"},
    {NULL, "session_id", COLUMN_NUMBER, "its session"},
    {"PID", "pid", COLUMN_NUMBER, "the program's process"},
    {"UID", "uid", COLUMN_NUMBER, "its user", .rank = 1},
    {"OWNER", "owner_node", COLUMN_TEXT, "node of the memory"},
    {"EXPORT", "export_id", COLUMN_ID, "id of the export there"},
    {"ADDRESS", "address", COLUMN_ADDRESS, "where it begins, in the owner's process", .rank = 2},
    {"LENGTH", "length", COLUMN_BYTES, "its bytes"},
    {"STATE", "state", COLUMN_TEXT, "live, revoked, owner-gone or peer-gone"},
    {"ACCESS", "access", COLUMN_ACCESS, "what it permits"},
    COLUMNS_END,
};

const struct column queue_fields[] = {
    {"KIND", "kind", COLUMN_TEXT,
     "engine: a queue pair to an engine; work: a work queue's context; rdma: an RDMA endpoint; "
     "consumer: one of Comch; producers: all of a process that send to one consumer"},
    {"ID", "id", COLUMN_NUMBER, "its number; each kind has numbers of its own"},
    {NULL, "session_id", COLUMN_NUMBER, "its session"},
    {"PID", "pid", COLUMN_NUMBER, "the program's process", .rank = 1},
    {NULL, "uid", COLUMN_NUMBER, "its user"},
    {"PROGRAM", "program", COLUMN_TEXT, "what it calls itself, empty if it runs on another node"},
    {"LIBRARY", "library", COLUMN_TEXT, "for kind work: dma, sha, rdma, ..., or other", .rank = 1},
    {"CLIENT NODE", "client_node", COLUMN_TEXT, "node of the program", .rank = 6},
    {"ENGINE", "engine_node", COLUMN_TEXT, "for kind engine: node whose engine serves it",
     .rank = 6},
    {"PEER", "peer", COLUMN_TEXT,
     "for kinds rdma, consumer and producers: node and endpoint at the other end", .rank = 5},
    {"CHANNEL", "channel_id", COLUMN_NUMBER,
     "for kinds consumer and producers: the connection, see 'docactl channels'", .rank = 7},
    {"CONSUMER", "consumer", COLUMN_NUMBER, "for these kinds: the consumer's id on the connection",
     .rank = 7},
    {"PATH", "path", COLUMN_TEXT,
     "way of its bytes so far: mapped, engine, rdma, both, verbs, relayed"},
    {"DEPTH", "depth", COLUMN_NUMBER, "how many jobs or requests fit", .rank = 4},
    {"IN FLIGHT", "in_flight", COLUMN_NUMBER, "how many have not ended"},
    {"REQUESTS", "requests", COLUMN_NUMBER,
     "how many have ended; only the engine's node counts them", .rank = 3},
    {"MOVED", "bytes", COLUMN_BYTES, "bytes moved"},
    {NULL, "mapped_bytes", COLUMN_BYTES, "those moved by the program itself"},
    {NULL, "engine_bytes", COLUMN_BYTES, "those moved by an engine"},
    {NULL, "rdma_bytes", COLUMN_BYTES,
     "those moved by RDMA between registered memory and another machine"},
    {"ERRORS", "errors", COLUMN_NUMBER, "how many failed", .rank = 2},
    {"STATE", "state", COLUMN_TEXT,
     "live, revoked, owner-gone, peer-gone; of an endpoint that is not connected: waiting"},
    COLUMNS_END,
};

// ---- channels and events ---------------------------------------------------------------

const struct column service_fields[] = {
    {"ID", "id", COLUMN_NUMBER, "number of the service"},
    {NULL, "session_id", COLUMN_NUMBER, "its session"},
    {"PID", "pid", COLUMN_NUMBER, "the program's process"},
    {"UID", "uid", COLUMN_NUMBER, "its user", .rank = 1},
    {"PROGRAM", "program", COLUMN_TEXT, "what it calls itself"},
    {"REPRESENTOR", "representor", COLUMN_TEXT, "representor of the function that it serves",
     .rank = 2},
    {"PCI ADDRESS", "pci_address", COLUMN_TEXT, "PCI address of that function"},
    {"CHANNELS", "channels", COLUMN_NUMBER, "connections it has"},
    {"NAME", "name", COLUMN_TEXT, "name of the service"},
    COLUMNS_END,
};

const struct column listener_fields[] = {
    {"ID", "id", COLUMN_NUMBER, "number of the listener"},
    {NULL, "session_id", COLUMN_NUMBER, "its session"},
    {"PID", "pid", COLUMN_NUMBER, "the program's process"},
    {"UID", "uid", COLUMN_NUMBER, "its user", .rank = 1},
    {"PROGRAM", "program", COLUMN_TEXT, "what it calls itself"},
    {"FUNCTION", "function", COLUMN_TEXT, "name of the function that it listens on"},
    {"ADDRESS", "address", COLUMN_TEXT, "the function's IPv4 address, else its IPv6 address"},
    {"PORT", "port", COLUMN_NUMBER, "port that it listens to"},
    {"CALLS", "calls", COLUMN_NUMBER, "how many asked for a connection"},
    COLUMNS_END,
};

static void put_waiting(struct json_object *object, const struct column *column,
                        const ProtobufCMessage *message)
{
    const Docad__ChannelInfo *c = (const Docad__ChannelInfo *)message;

    if (strcmp(c->state, "waiting") == 0)
        put_number(object, column->key, c->waiting_ms);
}

const struct column channel_fields[] = {
    {"ID", "id", COLUMN_NUMBER, "number of the connection"},
    {NULL, "session_id", COLUMN_NUMBER, "session of the side that is here"},
    {"PID", "pid", COLUMN_NUMBER, "its process"},
    {"UID", "uid", COLUMN_NUMBER, "its user", .rank = 1},
    {"SIDE", "side", COLUMN_TEXT, "service or client"},
    {"FUNCTION", "function", COLUMN_TEXT,
     "the client's function; of a service: the representor that it serves", .rank = 3},
    {"STATE", "state", COLUMN_TEXT,
     "connected; waiting: a client for which there is no service yet"},
    {"WAITING", "waiting_ms", COLUMN_DURATION,
     "of a client that waits: milliseconds since it asked first", .put = put_waiting,
     .optional = true, .rank = 1},
    {"PEER NODE", "peer_node", COLUMN_TEXT, "node of the other side"},
    {"PEER PID", "peer_pid", COLUMN_NUMBER, "its process"},
    {"RELAYED", "relayed", COLUMN_YES_NO,
     "whether the two daemons relay messages, over a link without descriptors; else the "
     "processes talk directly",
     .rank = 2},
    {"SERVICE", "service", COLUMN_TEXT, "name of the service", .source = "name"},
    COLUMNS_END,
};

static void put_counter(struct json_object *object, const struct column *column,
                        const ProtobufCMessage *message)
{
    const Docad__ExportInfo *e = (const Docad__ExportInfo *)message;
    put_text(object, column->key, e->length == 8 ? "brokered" : "mapped");
}

static void put_n_importers(struct json_object *object, const struct column *column,
                            const ProtobufCMessage *message)
{
    put_number(object, column->key, ((const Docad__ExportInfo *)message)->n_importers);
}

// node:session of the delegating importer, or nothing.
static void put_handed_on_by(struct json_object *object, const struct column *column,
                             const ProtobufCMessage *message)
{
    const Docad__ImporterInfo *by = ((const Docad__ExportInfo *)message)->handed_on_by;
    char text[128] = "";

    if (by)
        snprintf(text, sizeof(text), "%s:%llu", by->node, (unsigned long long)by->session_id);
    put_text(object, column->key, text);
}

const struct column event_fields[] = {
    {"ID", "id", COLUMN_ID, "id of the export"},
    {NULL, "session_id", COLUMN_NUMBER, "its session"},
    {"PID", "pid", COLUMN_NUMBER, "the program's process"},
    {"UID", "uid", COLUMN_NUMBER, "its user", .rank = 1},
    {"PROGRAM", "program", COLUMN_TEXT, "what it calls itself"},
    {"FUNCTION", "function", COLUMN_TEXT, "function it is exported on"},
    {"COUNTER", "counter", COLUMN_TEXT, "mapped, or brokered if in the application's memory",
     .put = put_counter, .rank = 2},
    {"IMPORTERS", "importers", COLUMN_NUMBER, "how many have imported it", .put = put_n_importers},
    COLUMNS_END,
};

// ---- exports ---------------------------------------------------------------------------

static const char *const targets[] = {"none", "dpu", "rdma", "sync-event", "host", "net-event"};

#define EXPORT_FIELDS(title_of)                                                                    \
    {title_of("ID", "export"), "id", COLUMN_ID, "id of the export"},                               \
        {title_of(NULL, "region"), "region_id", COLUMN_NUMBER, "the region it offers"},            \
        {title_of(NULL, "session"), "session_id", COLUMN_NUMBER, "its session"},                   \
        {title_of("PID", "pid"), "pid", COLUMN_NUMBER, "the program's process"},                   \
        {title_of("UID", "uid"), "uid", COLUMN_NUMBER, "its user", .rank = 2},                     \
        {title_of("PROGRAM", "program"), "program", COLUMN_TEXT, "what it calls itself"},          \
        {title_of("FUNCTION", "function"), "function", COLUMN_TEXT, "function it is exported on",  \
         .rank = 3},                                                                               \
        {title_of(NULL, "PCI address"), "pci_address", COLUMN_TEXT,                                \
         "PCI address of that function"},                                                          \
        {title_of("TARGET", "target"),                                                             \
         "target",                                                                                 \
         COLUMN_ENUM,                                                                              \
         "dpu, host, rdma, sync-event or net-event",                                               \
         .names = targets,                                                                         \
         .n_names = 6},                                                                            \
        {title_of(NULL, "address"), "address", COLUMN_ADDRESS,                                     \
         "where it begins, in the owner's process"},                                               \
        {title_of("LENGTH", "length"), "length", COLUMN_BYTES, "its bytes"},                       \
        {title_of("IMPORTERS", "importers"),                                                       \
         "importers",                                                                              \
         COLUMN_OBJECTS,                                                                           \
         "who has imported it, at most 32",                                                        \
         .members = importer_fields,                                                               \
         .rank = 1},                                                                               \
        {title_of("NAMES", "names"), "published", COLUMN_LIST, "names it is published under"},     \
        {title_of(NULL, "handed on by"), "handed_on_by", COLUMN_TEXT,                              \
         "node:session of the importer that exported it again, else empty",                        \
         .put = put_handed_on_by},                                                                 \
        {title_of("ACCESS", "access"), "access", COLUMN_ACCESS, "what it permits", .rank = 4},     \
        COLUMNS_END,

#define OF_LIST(list, one) list
#define OF_ONE(list, one)  one

const struct column export_fields[] = {EXPORT_FIELDS(OF_LIST)};
const struct column export_show_fields[] = {EXPORT_FIELDS(OF_ONE)};

// In the form of --to: the publisher, then the others.
static void put_audience(struct json_object *object, const struct column *column,
                         const ProtobufCMessage *message)
{
    const Docad__PublicationInfo *p = (const Docad__PublicationInfo *)message;
    struct json_object *list = json_object_new_array();
    char text[16];

    snprintf(text, sizeof(text), "%u", p->uid);
    json_object_array_add(list, json_object_new_string(p->to && p->to->all ? "all" : text));
    for (size_t i = 0; p->to && !p->to->all && i < p->to->n_uids; i++) {
        snprintf(text, sizeof(text), "%u", p->to->uids[i]);
        json_object_array_add(list, json_object_new_string(text));
    }
    for (size_t i = 0; p->to && !p->to->all && i < p->to->n_gids; i++) {
        snprintf(text, sizeof(text), ":%u", p->to->gids[i]);
        json_object_array_add(list, json_object_new_string(text));
    }
    json_object_object_add(object, column->key, list);
}

// The name's publisher and the user of docactl determine how it is written.
static void put_name(struct json_object *object, const struct column *column,
                     const ProtobufCMessage *message)
{
    const Docad__PublicationInfo *p = (const Docad__PublicationInfo *)message;
    char text[OWNED_NAME_SIZE];

    owned_name_write(text, sizeof(text), p->name, p->uid, (uint32_t)geteuid());
    json_object_object_add(object, column->key, json_object_new_string(text));
}

const struct column name_fields[] = {
    {"PUBLISHED", "published", COLUMN_TEXT, "the name, as the user who asks looks it up",
     .put = put_name},
    {NULL, "name", COLUMN_TEXT, "the name, without whose it is"},
    {"PUBLISHED ON", "node_name", COLUMN_TEXT, "name of the node it was published on",
     .source = "node"},
    {"EXPORT", "export_id", COLUMN_ID, "id of the export"},
    {"OWNER", "owner_node", COLUMN_TEXT, "node of the memory", .rank = 1},
    {"UID", "uid", COLUMN_NUMBER, "who published it"},
    {"FOR", "for", COLUMN_LIST, "who may look it up: all, or uids and :gids", .put = put_audience},
    COLUMNS_END,
};

const struct column descriptor_fields[] = {
    {"export", "export_id", COLUMN_ID, "id of the export"},
    {NULL, "node", COLUMN_HEX, "id of its node"},
    {NULL, "address", COLUMN_ADDRESS, "where the memory begins, in the owner's process"},
    {NULL, "length", COLUMN_BYTES, "its bytes"},
    {NULL, "access", COLUMN_ACCESS, "what the export permits"},
    {NULL, "pci_address", COLUMN_TEXT, "PCI address of the function it is for"},
    {NULL, "vuid", COLUMN_TEXT, "VUID of that function"},
    {"size", "size", COLUMN_BYTES, "bytes of the descriptor"},
    {"written to", "file", COLUMN_TEXT, "where it was written; only with -o", .optional = true},
    {NULL, "descriptor", COLUMN_HEX, "the descriptor; not with -o", .optional = true},
    COLUMNS_END,
};

const struct column published_fields[] = {
    {"name", "name", COLUMN_TEXT, "the name"},
    {"export", "export_id", COLUMN_ID, "id of the export"},
    COLUMNS_END,
};

const struct column unpublished_fields[] = {
    {"unpublished", "name", COLUMN_TEXT, "the name"},
    COLUMNS_END,
};

const struct column ended_fields[] = {
    {"ended", "ids", COLUMN_LIST, "numbers of the sessions", .wraps = true},
    COLUMNS_END,
};

const struct column revoked_fields[] = {
    {"revoked", "ids", COLUMN_LIST, "ids of the exports", .wraps = true},
    COLUMNS_END,
};

const struct column revocation_fields[] = {
    {"revoked", "certificate", COLUMN_TEXT, "file of the certificate"},
    {"serial", "serial", COLUMN_TEXT, "its number, hexadecimal"},
    {"list", "list", COLUMN_TEXT, "file of the list, for the nodes"},
    {"entries", "entries", COLUMN_NUMBER, "certificates in the list"},
    COLUMNS_END,
};

const struct column certificate_fields[] = {
    {"certificate", "certificate", COLUMN_TEXT, "file of the certificate"},
    {"key", "key", COLUMN_TEXT, "file of its key, readable by its owner only"},
    COLUMNS_END,
};
